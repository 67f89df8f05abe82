"""One style for every figure: the paper's width, a font that ships with matplotlib, colours all eyes can tell apart."""

from collections.abc import Iterable
from itertools import cycle

import matplotlib
import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from graphsieve.files.writing import atomic_path
from graphsieve.study.labels import DATASETS, base, in_order, label_row

TEXT_WIDTH = 6.75  # inches, the paper's two columns together

# Okabe and Ito's palette, which stays distinct under every common colour blindness.
PALETTE = BLUE, VERMILION, GREEN, ORANGE, SKY, PURPLE, YELLOW = (
    "#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#f0e442",
)  # fmt: skip
INK, GREY = "#222222", "#8a8a8a"
ALARM = "#b2182b"  # what breaks a bound; no method or dataset has it

# One colour for a method in all figures; a method that is not here gets one that its figure does not use yet.
METHOD_COLOURS = {
    "full": INK,
    "npt": VERMILION,
    "tfi": BLUE,
    "mi": GREEN,
    "h_attr": ORANGE,
    "h_euc": PURPLE,
    "h_ge": GREY,  # sky would be too near to the blue of TFI among half-transparent dots
    "random": SKY,
    # Kin of a method have a shade of its colour.
    "npt_gaussian": "#e8946a",
    "npt_mask": "#a8553a",
    "npt_loss": "#7f2704",
    "pt": "#b8860b",
    "tfi_train": "#08306b",
    "mi_train": "#00441b",
    # Selectors beyond the paper.
    "npt_cross": "#e31a1c",
    "npt_backward": "#fb9a99",
    "best_of": "#000000",
    "mrmr": "#66a61e",
    "group_lasso": "#7570b3",
    "random_forest": "#2fbf2f",
    "boruta": "#666666",
    "stochastic_gates": "#e7298a",
    "gradient_input": "#7f4fff",
    "integrated_gradients": "#c2a5ff",
    "sage": "#ff33dd",
    "loco": "#b2df8a",
}

# One colour and marker for a dataset in all figures, none of them a method's: Paul Tol's muted colours.
DATASET_STYLES = {
    "cora": ("#332288", "o"),
    "citeseer": ("#88ccee", "s"),
    "pubmed": ("#44aa99", "D"),
    "photo": ("#117733", "p"),
    "computers": ("#999933", "h"),
    "arxiv": ("#ddcc77", "P"),
    "cornell": ("#cc6677", "d"),
    "texas": ("#882255", "<"),
    "wisconsin": ("#aa4499", ">"),
}

STYLE = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.2,
    "image.cmap": "viridis",
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
}


def use_style() -> None:
    """Every function that makes a figure calls this first."""
    sns.set_theme(context="paper", style="ticks", palette=list(PALETTE))
    matplotlib.rcParams.update(STYLE)


def save_figure(figure: Figure, stem: str) -> None:
    """`stem`.png and `stem`.pdf; the same figure gives the same bytes. Closes the figure."""
    # Dates and version numbers in the metadata would make every run's files differ.
    for suffix, metadata in {".png": {"Software": None}, ".pdf": {"CreationDate": None, "Producer": None}}.items():
        with atomic_path(f"{stem}{suffix}") as temporary:
            figure.savefig(temporary, metadata=metadata, bbox_inches="tight", pad_inches=0.05)
    plt.close(figure)


def note(sentence: str) -> Figure:
    """A figure that says why there is nothing to draw."""
    figure, axis = plt.subplots(figsize=(TEXT_WIDTH, 0.5), layout="constrained")
    axis.text(0.5, 0.5, sentence, ha="center", va="center")
    axis.set_axis_off()
    return figure


def method_colours(methods: list[str]) -> dict[str, str]:
    """A colour for every method of a figure."""
    taken = [METHOD_COLOURS.get(name) for name in methods]
    spare = cycle([colour for colour in PALETTE if colour not in taken] or PALETTE)
    return {name: METHOD_COLOURS.get(name) or next(spare) for name in methods}


def dataset_styles(datasets: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Colour and marker of every dataset of a figure, in the paper's order; ours get what it does not use yet."""
    names = in_order(datasets, DATASETS)
    taken = {DATASET_STYLES.get(base(name)) for name in names}
    spare = cycle([look for look in DATASET_STYLES.values() if look not in taken] or DATASET_STYLES.values())
    return {name: DATASET_STYLES.get(base(name)) or next(spare) for name in names}


def letter(number: int, panels: int = 2) -> str:
    """What a panel's title begins with; a panel alone needs none.

    >>> letter(0), letter(27), letter(0, panels=1)
    ('(a) ', '(ab) ', '')
    """
    if panels < 2:
        return ""
    tens, unit = divmod(number, 26)
    return f"({chr(ord('a') + tens - 1) if tens else ''}{chr(ord('a') + unit)}) "


def label(name: str) -> str:
    """A scorer's or setting's name as matplotlib can write it."""
    return label_row(name, "latex").replace(r"\_", "_")


def show_figure(stem: str):
    """The saved picture, for a notebook: the page shows the very file that the run keeps."""
    from IPython.display import Image

    return Image(f"{stem}.png", width=int(TEXT_WIDTH * 130))


def plain_log_ticks(axis: Axis) -> None:
    """1, 2, 5, 10, ... on a logarithmic axis, as numbers and not as powers."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(NullLocator())
