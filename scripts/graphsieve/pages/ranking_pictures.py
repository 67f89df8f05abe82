"""The pictures of a ranking's page, as SVG in the page's own colours."""

import html
from collections.abc import Callable

import numpy as np
import pandas as pd

WIDTH, HEIGHT = 480, 270  # small, so that letters stay readable on a phone
LEFT, RIGHT, TOP, BOTTOM = 48, 14, 14, 44


def importance_text(metric: str) -> Callable[[float], str]:
    """Percentage points, or the loss as it is."""
    return (lambda value: f"{value:.4f}") if metric == "cross_entropy" else (lambda value: f"{100 * value:.2f}")


def combined_error(table: pd.DataFrame) -> pd.Series:
    """Over permutations and over seeds; where there was one only, that part is not known and left out."""
    return np.sqrt(table["standard_error_repeats"].fillna(0) ** 2 + table["standard_error_seeds"].fillna(0) ** 2)


def p_text(p_value: float) -> str:
    return f"{p_value:.4f}" if p_value < 0.1 else f"{p_value:.2f}"


def bars(table: pd.DataFrame, text: Callable[[float], str], level: float) -> str:
    """A row a feature: its name, a bar with its standard error, the number and the adjusted p-value."""
    error = combined_error(table)
    low = min(0.0, float((table["importance"] - error).min()))
    high = max(float((table["importance"] + error).max()), low + 1e-9)

    def place(value: float) -> float:
        return round(1 + 198 * (value - low) / (high - low), 2)

    rows = []
    for row, deviation in zip(table.itertuples(), error, strict=True):
        colour = "var(--strong)" if row.p_adjusted <= level else "var(--weak)"
        start, end = sorted((place(0), place(row.importance)))
        rows.append(
            f'<div class="bar"><span class="name">{html.escape(row.feature)}{_twin_mark(row.correlated_with)}</span>'
            f'<svg viewBox="0 0 200 16" preserveAspectRatio="none" role="img" aria-label="{text(row.importance)}">'
            f'<rect x="{start}" y="2" width="{max(end - start, 0.6):.2f}" height="12" fill="{colour}"/>'
            f'<line x1="{place(row.importance - deviation)}" x2="{place(row.importance + deviation)}" y1="8" y2="8" '
            'stroke="var(--ink)" stroke-width="1.2" vector-effect="non-scaling-stroke"/>'
            f'<line x1="{place(0)}" x2="{place(0)}" y1="0" y2="16" stroke="var(--soft)" stroke-width="1" '
            'vector-effect="non-scaling-stroke"/></svg>'
            f'<span class="value">{text(row.importance)} <small>p {p_text(row.p_adjusted)}</small></span></div>'
        )
    return f'<div class="bars">{"".join(rows)}</div>'


def _twin_mark(others: str) -> str:
    return f' <small title="correlated with {html.escape(others)}">correlated</small>' if others else ""


def curve_picture(curve: pd.DataFrame, smallest: int) -> str:
    """Accuracy by number of features, which grows by factors; the band is one standard error to either side."""
    kept, accuracy = curve["kept"].to_numpy(), 100 * curve["accuracy"].to_numpy()
    error = 100 * curve["standard_error"].fillna(0).to_numpy()
    low, high = float((accuracy - error).min()), float((accuracy + error).max())
    ticks = nice_ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    span = np.log(max(kept[-1], 2))

    def across(value: float) -> float:
        return round(LEFT + 8 + (WIDTH - LEFT - RIGHT - 16) * float(np.log(value)) / span, 1)

    def up(value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / max(high - low, 1e-9), 1)

    def path(xs: np.ndarray, ys: np.ndarray) -> str:
        return " ".join(f"{across(x)},{up(y)}" for x, y in zip(xs, ys, strict=True))

    band = path(np.r_[kept, kept[::-1]], np.r_[accuracy + error, (accuracy - error)[::-1]])
    lines = [
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up(tick)}" y2="{up(tick)}" stroke="var(--line)"/>'
        f'<text x="{LEFT - 6}" y="{up(tick) + 4}" text-anchor="end">{tick:g}</text>'
        for tick in ticks
    ]
    numbers = [
        f'<text x="{across(number)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{number:,}</text>'
        for number in spaced([int(number) for number in kept], across)
    ]
    dots = [
        f'<circle cx="{across(number)}" cy="{up(value)}" r="{6 if number == smallest else 3}" '
        f'fill="var({"--mark" if number == smallest else "--strong"})"><title>{number} features: {value:.1f} %</title>'
        "</circle>"
        for number, value in zip(kept, accuracy, strict=True)
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Accuracy by number of features kept" '
        'font-size="13" fill="var(--soft)">'
        + "".join(lines)
        + f'<polygon points="{band}" fill="var(--strong)" opacity="0.15"/>'
        + f'<polyline points="{path(kept, accuracy)}" fill="none" stroke="var(--strong)" stroke-width="2"/>'
        + f'<line x1="{across(smallest)}" x2="{across(smallest)}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" '
        'stroke="var(--mark)" stroke-dasharray="4 3"/>'
        + "".join(dots)
        + "".join(numbers)
        + f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">number of features kept</text>'
        f'<text x="12" y="{(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 12 {(TOP + HEIGHT - BOTTOM) / 2})">test accuracy (%)</text></svg>'
    )


def nice_ticks(low: float, high: float) -> list[float]:
    """At most six round numbers that span the range."""
    steps = [step * 10.0**power for power in range(-2, 3) for step in (1, 2, 5)]
    step = next(step for step in steps if (high - low) / step <= 4)
    return [round(number * step, 6) for number in range(int(np.floor(low / step)), int(np.ceil(high / step)) + 1)]


def spaced(numbers: list[int], across: Callable[[float], float], apart: float = 30) -> list[int]:
    """The last number, and those before it that leave room for their letters."""
    kept = [numbers[-1]]
    for number in reversed(numbers[:-1]):
        if across(kept[-1]) - across(number) >= apart:
            kept.append(number)
    return kept[::-1]
