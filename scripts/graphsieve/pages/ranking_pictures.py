"""Where the bars and the curve of a ranking's page are drawn; the templates draw them, in the page's own colours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from graphsieve.options import METRIC_NAMES

BAR_WIDTH = 200
WIDTH, HEIGHT = 480, 270  # small, so that letters stay readable on a phone
LEFT, RIGHT, TOP, BOTTOM = 48, 14, 14, 44


def is_share(metric: str) -> bool:
    """Whether it is a share of the nodes or the like, which is shown in percent."""
    return metric in METRIC_NAMES and metric != "cross_entropy"


def importance_text(metric: str) -> Callable[[float], str]:
    """Percentage points, or the loss as it is."""
    return (lambda value: f"{100 * value:.2f}") if is_share(metric) else (lambda value: f"{value:.4f}")


def p_text(p_value: float) -> str:
    return f"{p_value:.4f}" if p_value < 0.1 else f"{p_value:.2f}"


@dataclass(frozen=True)
class Bar:
    """One feature: places are from 0 to `BAR_WIDTH`, `low` and `high` the ends of the line of its interval."""

    rank: int
    name: str
    reason: str
    sentence: str
    start: float
    width: float
    low: float
    high: float
    importance: str
    p: float
    p_text: str
    starred: bool


@dataclass(frozen=True)
class Bars:
    """All share one scale; `zero` is where an importance of nothing lies."""

    zero: float
    rows: list[Bar]


def place_bars(table: pd.DataFrame, text: Callable[[float], str]) -> Bars:
    """One bar for each row; without an interval, its line has no length."""
    lows, highs = (table[end].fillna(table["importance"]) for end in ("low", "high"))
    low = min(0.0, float(lows.min()))
    high = max(float(highs.max()), low + 1e-9)

    def place(value: float) -> float:
        return round(1 + (BAR_WIDTH - 2) * (value - low) / (high - low), 2)

    made = []
    for row, row_low, row_high in zip(table.itertuples(), lows, highs, strict=True):
        start, end = sorted((place(0), place(row.importance)))
        bar = Bar(
            rank=int(row.rank),
            name=row.feature,
            reason=row.reason,
            sentence=row.sentence,
            start=start,
            width=round(max(end - start, 0.6), 2),
            low=place(row_low),
            high=place(row_high),
            importance=text(row.importance),
            p=float(row.p_adjusted),
            p_text=p_text(row.p_adjusted),
            starred=bool(row.starred),
        )
        made.append(bar)
    return Bars(place(0), made)


@dataclass(frozen=True)
class Dot:
    across: float
    up: float
    is_chosen: bool
    words: str


@dataclass(frozen=True)
class Curve:
    """What is reached by number of features: `line` and `band` are SVG points, ticks and numbers place and text."""

    line: str
    band: str
    ticks: Sequence[tuple[float, str]]
    numbers: Sequence[tuple[float, str]]
    dots: Sequence[Dot]
    chosen: float
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    bottom: float = HEIGHT - BOTTOM
    width: float = WIDTH
    height: float = HEIGHT
    measure: str = "accuracy (%)"


def place_curve(curve: pd.DataFrame, smallest: int, measure: str = "accuracy") -> Curve:
    """The number of features grows by factors; the band is one standard error to either side."""
    scale, text = (100, "{:.1f} %") if is_share(measure) else (1, "{:.3f}")
    kept, reached = curve["kept"].to_numpy(), scale * curve[measure].to_numpy()
    error = scale * curve["standard_error"].fillna(0).to_numpy()
    low, high = float((reached - error).min()), float((reached + error).max())
    ticks = nice_ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    span = np.log(max(kept[-1], 2))

    def across(value: float) -> float:
        return round(LEFT + 8 + (WIDTH - LEFT - RIGHT - 16) * float(np.log(value)) / span, 1)

    def up(value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * float(value - low) / max(high - low, 1e-9), 1)

    def points(xs: np.ndarray, ys: np.ndarray) -> str:
        return " ".join(f"{across(x)},{up(y)}" for x, y in zip(xs, ys, strict=True))

    return Curve(
        line=points(kept, reached),
        band=points(np.r_[kept, kept[::-1]], np.r_[reached + error, (reached - error)[::-1]]),
        ticks=[(up(tick), f"{tick:g}") for tick in ticks],
        numbers=[(across(number), f"{number:,}") for number in spaced(kept.tolist(), across)],
        dots=[
            Dot(across(number), up(value), number == smallest, f"{number} features: {text.format(value)}")
            for number, value in zip(kept, reached, strict=True)
        ],
        chosen=across(smallest),
        measure=f"{measure} (%)" if is_share(measure) else measure,
    )


def nice_ticks(low: float, high: float) -> list[float]:
    """At most six round numbers that span the range."""
    steps = [step * 10.0**power for power in range(-2, 300) for step in (1, 2, 5)]
    step = next(step for step in steps if (high - low) / step <= 4)
    return [round(number * step, 6) for number in range(int(np.floor(low / step)), int(np.ceil(high / step)) + 1)]


def spaced(numbers: Sequence[int], across: Callable[[float], float], apart: float = 30) -> list[int]:
    """The last number, and those before it that leave room for their letters."""
    kept = [numbers[-1]]
    for number in reversed(numbers[:-1]):
        if across(kept[-1]) - across(number) >= apart:
            kept.append(number)
    return kept[::-1]
