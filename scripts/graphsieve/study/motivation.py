"""Figure 1 as a measurement: graphs on which edges help a classifier, mislead it, or average unruly features.

Labels are homophilic in all of them. A node's single feature comes from one of its class's distributions, and edges
join like or unlike distributions. The number of neighbours does not grow with the graph, so that the few nodes of the
picture have neighbourhoods like those on which models are measured.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from graphsieve.data.graph import Graph
from graphsieve.data.splits import random_split
from graphsieve.files.writing import write_csv, write_text
from graphsieve.randomness import generator
from graphsieve.study.markup import as_latex, as_markdown

NUM_NODES = 500
DEGREE = 4.0  # expected neighbours of a node
LIKE = 0.9  # share of edges that join like with like: two of a class, two of a distribution
MODELS = ("gcn", "mlp")


@dataclass(frozen=True)
class Kind:
    """`centres` holds, per class, those of its distributions; the spread is additive or multiplicative."""

    title: str
    centres: tuple[tuple[float, ...], tuple[float, ...]]
    sigma: float = 0.5
    log_sigma: float = 0.0
    join_unlike: bool = False


# The first three are the figure's; a classifier that knows (a) or (b) and no graph is right on 97.7 % of the nodes. The
# others are read differently: in (b) the classes' means differ, in (c) the distributions of the classes overlap.
KINDS = {
    "homophilic": Kind("Homophilic features", ((-1.0,), (1.0,))),
    "heterophilic": Kind("Heterophilic features", ((-1.0, 1.0), (-3.0, 3.0)), join_unlike=True),
    "high_variance": Kind("Homophilic, high variance", ((-1.0,), (1.0,)), sigma=0.0, log_sigma=1.5),
    "heterophilic_means": Kind("Heterophilic, class means apart", ((-3.0, 1.0), (-1.0, 3.0)), join_unlike=True),
    "overlapping": Kind("High variance, classes overlap", ((-1.0,), (1.0,)), sigma=3.0),
}
DRAWN = ("homophilic", "heterophilic", "high_variance")


def generate(kind: str, seed: int, num_nodes: int = NUM_NODES) -> Graph:
    """A random graph of one kind, with two classes and one feature."""
    settings = KINDS[kind]
    rng = generator(seed, "graph")
    y, part = split_evenly(num_nodes, len(settings.centres[0]), rng)
    centre = np.array(settings.centres)[y, part]
    noise = rng.standard_normal(num_nodes)
    x = centre * np.exp(settings.log_sigma * noise) + settings.sigma * noise
    joined = rng.random((num_nodes, num_nodes)) < edge_probability(settings, y, part)
    pairs = np.argwhere(np.triu(joined, k=1)).T
    edge_index = np.concatenate([pairs, pairs[::-1]], axis=1)
    return Graph(f"motivation_{kind}", x[:, None].astype(np.float32), edge_index, y, num_classes=2)


def split_evenly(num_nodes: int, parts: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Class and distribution of every node: groups of one size (but for one node), in random order."""
    group = rng.permutation(np.arange(num_nodes, dtype=np.int64) % (2 * parts))
    return group // parts, group % parts


def edge_probability(settings: Kind, y: np.ndarray, part: np.ndarray) -> np.ndarray:
    share = np.where(y[:, None] == y, LIKE, 1 - LIKE)
    groups = 2 * len(settings.centres[0])
    if settings.join_unlike:
        share = share * np.where(part[:, None] != part, LIKE, 1 - LIKE)
    return np.minimum(DEGREE * share * groups / len(y), 1)


def edge_likeness(graph: Graph) -> dict[str, float]:
    """The share of edges whose ends have the same class, and features of the same sign."""
    head, tail = graph.edge_index
    sign = np.sign(graph.x[:, 0])
    return {
        "same_class": float(np.mean(graph.y[head] == graph.y[tail])),
        "same_sign": float(np.mean(sign[head] == sign[tail])),
    }


def measure(kind: str, seed: int, options, device) -> list[dict]:
    """Test accuracy of a GCN and of an MLP on the same graph and split."""
    from graphsieve.models.training import train_model

    graph = generate(kind, seed)
    split = random_split(graph.num_nodes, seed)
    common = {"kind": kind, "seed": seed, **edge_likeness(graph)}
    return [
        {
            **common,
            "model": model,
            **train_model(model, graph, split, options=options, seed=seed, device=device).summary(),
        }
        for model in MODELS
    ]


def summarise(records: pd.DataFrame) -> pd.DataFrame:
    """A row a kind: mean and sample standard deviation of both models' accuracy (%), and of what the MLP lacks."""
    rows = []
    for kind in [kind for kind in KINDS if kind in set(records["kind"])]:
        part = records[records["kind"] == kind]
        accuracy = 100 * part.pivot(index="seed", columns="model", values="test_accuracy")
        columns = {**{model: accuracy[model] for model in MODELS}, "gain": accuracy["gcn"] - accuracy["mlp"]}
        row = {"kind": kind}
        for name, values in columns.items():
            row |= {f"{name}_mean": values.mean(), f"{name}_std": values.std()}
        rows.append(row | part[["same_class", "same_sign"]].mean().to_dict() | {"runs": len(accuracy)})
    return pd.DataFrame(rows).round(4)


def accuracy_text(row: pd.Series, model: str) -> str:
    std = "" if np.isnan(row[f"{model}_std"]) else f" ± {row[f'{model}_std']:.1f}"
    return f"{row[f'{model}_mean']:.1f}{std}".replace("-", "−")


def cells(summary: pd.DataFrame) -> pd.DataFrame:
    """The table as a reader sees it."""
    return pd.DataFrame(
        {
            "GCN": [accuracy_text(row, "gcn") for _, row in summary.iterrows()],
            "MLP": [accuracy_text(row, "mlp") for _, row in summary.iterrows()],
            "GCN less MLP": [accuracy_text(row, "gain") for _, row in summary.iterrows()],
            "Edges within a class": [f"{share:.0%}" for share in summary["same_class"]],
            "Edges of one sign": [f"{share:.0%}" for share in summary["same_sign"]],
        },
        index=pd.Index([KINDS[kind].title for kind in summary["kind"]], name="Graphs"),
    )


def findings(summary: pd.DataFrame) -> str:
    """Per kind, whether the graph helped: a difference counts when its 95 % interval (Student's) excludes zero."""
    sentences = []
    for _, row in summary.iterrows():
        half_width = stats.t.ppf(0.975, max(row["runs"] - 1, 1)) * row["gain_std"] / np.sqrt(row["runs"])
        if not abs(row["gain_mean"]) > half_width:
            verdict = "no difference that the seeds can tell from chance"
        else:
            verdict = f"the {'GCN' if row['gain_mean'] > 0 else 'MLP'} is ahead by {abs(row['gain_mean']):.1f} points"
        sentences.append(f"- {KINDS[row['kind']].title}: {verdict}.")
    return "\n".join(sentences)


def write_tables(summary: pd.DataFrame, stem: str) -> None:
    title = "What a GCN and an MLP reach on the graphs of Figure 1"
    runs = summary["runs"].max()
    notes = f"Test accuracy (%), mean ± sample standard deviation over {runs} graphs of {NUM_NODES} nodes."
    write_csv(summary, f"{stem}.csv")
    write_text(as_markdown(cells(summary), title, notes), f"{stem}.md")
    latex = cells(summary).map(lambda text: text.replace("±", r"$\pm$").replace("−", "$-$").replace("%", r"\%"))
    write_text(as_latex(latex, title, notes, Path(stem).name), f"{stem}.tex")
