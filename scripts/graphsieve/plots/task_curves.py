"""Quality against columns kept, and the columns that matter most, for every task."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphsieve.plots.style import GREY, METHOD_COLOURS, TEXT_WIDTH, letter, plain_log_ticks, use_style
from graphsieve.study.tasks.names import DESCRIPTIONS, METRICS, RANKINGS

LOOKS = {"importance": (METHOD_COLOURS["npt"], "o"), "random": (METHOD_COLOURS["random"], "s")}


def task_curves(summary: pd.DataFrame) -> Figure:
    """A panel for every task: the metric on the test part against the number of columns, one line per ranking."""
    tasks = list(dict.fromkeys(summary["task"]))
    figure, axes = _panels(tasks, height=2.3)
    for task, axis in zip(tasks, axes, strict=True):
        for ranking, (colour, marker) in LOOKS.items():
            rows = summary[(summary["task"] == task) & (summary["ranking"] == ranking)].sort_values("kept")
            look = {"color": colour, "marker": marker, "markersize": 3, "capsize": 2, "linewidth": 1}
            axis.errorbar(rows["kept"], rows["mean"], rows["std"].fillna(0), label=RANKINGS[ranking], **look)
        axis.set_xscale("log")
        plain_log_ticks(axis.xaxis)
        axis.set(xlabel="Columns kept", ylabel=_capital(METRICS[DESCRIPTIONS[task].metric]))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
    return figure


def task_columns(top: pd.DataFrame) -> Figure:
    """A panel for every task: the columns with the highest scores, with their deviation over seeds."""
    tasks = list(dict.fromkeys(top["task"]))
    figure, axes = _panels(tasks, height=2.0)
    for task, axis in zip(tasks, axes, strict=True):
        rows = top[top["task"] == task].iloc[::-1]
        axis.barh(
            rows["column"],
            rows["mean"],
            xerr=rows["std"].fillna(0),
            color=METHOD_COLOURS["npt"],
            height=0.7,
            ecolor=GREY,
        )
        axis.set_xlabel("Rise of the loss")
    return figure


def _panels(tasks: list[str], height: float) -> tuple[Figure, list[Axes]]:
    use_style()
    columns = min(2, len(tasks))
    rows = -(-len(tasks) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(TEXT_WIDTH, height * rows), layout="constrained", squeeze=False)
    used = list(axes.flat)[: len(tasks)]
    for axis in list(axes.flat)[len(tasks) :]:
        axis.remove()
    for number, (task, axis) in enumerate(zip(tasks, used, strict=True)):
        axis.set_title(letter(number, len(tasks)) + DESCRIPTIONS[task].label, fontsize=9, loc="left")
        axis.spines[["top", "right"]].set_visible(False)
    return figure, used


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
