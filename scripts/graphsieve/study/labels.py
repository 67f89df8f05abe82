"""Names of datasets, methods and settings: the paper's order, and how each is written on a page and in LaTeX."""

from collections.abc import Iterable

import pandas as pd

from graphsieve.data.hard_regimes import HARD_REGIMES
from graphsieve.data.synthetic import REGIMES

# The paper's columns, in its order and between its vertical rules; datasets it does not have come after them.
DATASET_GROUPS = [
    {"cora": "Cora", "citeseer": "CiteSeer", "pubmed": "PubMed"},
    {"photo": "Photo", "computers": "Computers", "arxiv": "ArXiv"},
    {"cornell": "Cornell", "texas": "Texas", "wisconsin": "Wisconsin"},
    {
        "actor": "Actor",
        "chameleon_filtered": "Chameleon-filtered",
        "squirrel_filtered": "Squirrel-filtered",
        "minesweeper": "Minesweeper",
        "tolokers": "Tolokers",
    },
    {"arxiv_standin": "Stand-in for ArXiv"},
    {"digits": "Digits"},
    {f"synthetic_{regime}": f"Synthetic ({regime})" for regime in (*REGIMES, *HARD_REGIMES)},
]
DATASETS = {name: label for group in DATASET_GROUPS for name, label in group.items()}
PAPER_DATASETS = [name for group in DATASET_GROUPS[:3] for name in group]

# name: (label on the page, label in LaTeX), in the paper's order; rows it does not have come after its own.
ROWS = {
    "original": ("GNN(X; A), original", r"$\mathrm{GNN}(\mathbf{X};\mathbf{A},\mathbf{\Theta})$"),
    "mlp": ("MLP(X), no graph", r"$\mathrm{MLP}(\mathbf{X};\mathbf{\Theta})$"),
    "permuted_rows": ("GNN(X̃; A), rows permuted", r"$\mathrm{GNN}(\tilde{\mathbf{X}};\mathbf{A},\mathbf{\Theta})$"),
    "gaussian_noise": ("GNN(W; A), Gaussian noise", r"$\mathrm{GNN}(\mathbf{W};\mathbf{A},\mathbf{\Theta})$"),
    "random_graph": ("GNN(X; Ã), random graph", r"$\mathrm{GNN}(\mathbf{X};\tilde{\mathbf{A}},\mathbf{\Theta})$"),
    "all": ("All features", "All features"),
    "full": ("Full", "Full"),
    "npt": ("NPT", "NPT"),
    "npt_gaussian": ("NPT-gaussian", "NPT-gaussian"),
    "npt_mask": ("NPT-mask", "NPT-mask"),
    "tfi": ("TFI", "TFI"),
    "mi": ("MI", "MI"),
    "h_attr": ("h<sub>attr</sub>", r"$h_{\mathrm{attr}}$"),
    "h_euc": ("h<sub>Euc</sub>", r"$h_{\mathrm{Euc}}$"),
    "h_ge": ("h<sub>GE</sub>", r"$h_{\mathrm{GE}}$"),
    "random": ("Rnd.", "Rnd."),
    "npt_loss": ("NPT-loss", "NPT-loss"),
    "pt": ("PT", "PT"),
    "tfi_train": ("TFI-train", "TFI-train"),
    "mi_train": ("MI-train", "MI-train"),
    "npt_cross": ("NPT-cross", "NPT-cross"),
    "npt_backward": ("NPT-backward", "NPT-backward"),
    "best_of": ("Best of three", "Best of three"),
    "mrmr": ("mRMR", "mRMR"),
    "group_lasso": ("Group lasso", "Group lasso"),
    "random_forest": ("Random forest", "Random forest"),
    "boruta": ("Boruta", "Boruta"),
    "stochastic_gates": ("Stochastic gates", "Stochastic gates"),
    "gradient_input": ("Gradient × input", r"Gradient $\times$ input"),
    "integrated_gradients": ("Integrated gradients", "Integrated gradients"),
    "sage": ("SAGE", "SAGE"),
    "loco": ("LOCO", "LOCO"),
    "halves": ("Halves", "Halves"),
    "halves_conditional": ("Halves, conditional", "Halves, conditional"),
}
# Metrics that models are reported by. A dataset reported by another than the first is named with it in tables.
METRICS = {"accuracy": "accuracy", "roc_auc": "ROC AUC", "average_precision": "average precision"}
ROW_TITLES = {"setting": "Setting", "scorer": "Method"}
FULL_MODELS = ("original", "all")  # the paper rules a line below these


def sort_as_paper(table: pd.DataFrame, row: str) -> pd.DataFrame:
    order = {row: in_order(table[row], ROWS), "dataset": in_order(table["dataset"], DATASETS)}
    return table.sort_values(list(order), key=lambda column: column.map(order[column.name].index), ignore_index=True)


def base(dataset: str) -> str:
    """The dataset behind a variant's name."""
    return dataset.split(" (")[0]


def in_order(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """Known names in their order, then the others by name."""
    position = {name: number for number, name in enumerate(known)}
    return sorted(set(names), key=lambda name: (position.get(base(name), len(position)), name))


def metric_of(records: pd.DataFrame) -> pd.Series:
    """By which metric each row was reported; records from before there were several do not say."""
    return records["metric"] if "metric" in records else pd.Series("accuracy", index=records.index)


def name_metric(dataset: str, metric: str) -> str:
    """As in `tolokers (ROC AUC)`."""
    return dataset if metric == "accuracy" else f"{dataset} ({METRICS[metric]})"


def measure_of(datasets: Iterable[str]) -> str:
    """What the numbers of these datasets are, each named with its metric: `accuracy`, `accuracy or ROC AUC`."""
    return label_metrics(
        next((metric for metric, label in METRICS.items() if name.endswith(f" ({label})")), "accuracy")
        for name in datasets
    )


def label_metrics(metrics: Iterable[str]) -> str:
    return listed([METRICS[name] for name in in_order(metrics, METRICS)], "or")


def without_metric(dataset: str) -> str:
    return dataset.removesuffix(f" ({measure_of([dataset])})")


def label_dataset(dataset: str) -> str:
    return DATASETS.get(base(dataset), base(dataset)) + dataset[len(base(dataset)) :]


def label_row(name: str, markup: str = "html") -> str:
    plain = name.replace("_", r"\_") if markup == "latex" else name
    return ROWS.get(name, (plain, plain))[markup == "latex"]


def group_breaks(datasets: pd.Index) -> list[int]:
    """Positions at which a group of datasets begins, the first excepted."""
    groups = [
        next((number for number, group in enumerate(DATASET_GROUPS) if base(name) in group), len(DATASET_GROUPS))
        for name in datasets
    ]
    return [position for position in range(1, len(groups)) if groups[position] != groups[position - 1]]


def runs_text(runs: pd.Series) -> str:
    """A number of runs by dataset, in words: `5 runs (Photo: 1)`."""
    most = int(runs.max())
    fewer = [f"{label_dataset(name)}: {number}" for name, number in runs[runs < most].items()]
    return f"{most} run{'s' * (most > 1)}" + f" ({', '.join(fewer)})" * bool(fewer)


def listed(names: list[str], last: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"
