"""Every setting with its default, in this one place. The schema of the config has the same, which a test compares.

Nothing here imports torch: the workflow and the command line read it before any job starts.
"""

from dataclasses import dataclass, field

from graphsieve.errors import InputError

DEVICES = ("auto", "cpu", "cuda")
GIVEN = ("degree", "neighbourhood", "class", "graph")  # what a perturbation may keep besides the other columns
TESTED_PERTURBATIONS = ("permute", "conditional")  # those of which a p-value can be made
REPORTED_METRICS = ("accuracy", "roc_auc", "average_precision")
METRIC_NAMES = (*REPORTED_METRICS, "cross_entropy", "macro_f1")
NUMBER_METRIC_NAMES = ("r2", "mean_squared_error", "mean_absolute_error")  # where labels are quantities
NEGATIVE_ERROR = "neg_mean_squared_error"  # by which models of quantities are chosen; scikit-learn's name
TASKS = ("classification", "regression")
MISSING_VALUES = ("indicator", "median", "drop")
BEST_EPOCHS = ("first", "last")
SCORED_MODELS = ("last", "best", "early")
LABEL_NODES = ("val", "train")
ESTIMATORS = ("knn", "discrete")
TIE_RULES = ("loss", "random", "index")
PRUNING_RULES = ("fraction", "nonpositive")
PERTURBED_ROWS = ("all", "scored")
EDGES = ("undirected", "out")
RETRAININGS = ("scratch", "continue")
PRUNED_COLUMNS = ("removed", "zeroed")
BASE = "base"  # the hypothesis that changes nothing
OVERRIDABLE = ("training", "scoring", "selection", "perturbations")  # sections that a hypothesis may change
RANDOM_GRAPHS = ("exact", "gnp", "doubled")
CLASSIFIERS = ("relu_linear", "linear", "none")
NORMS = ("none", "batch", "layer")
DECAYED_WEIGHTS = ("all", "first_layer")
PRECISION_NAMES = ("float32", "bfloat16")


@dataclass(frozen=True)
class TrainingOptions:
    """What the paper states: two layers of 512 units and a classifier, Adam at 0.01, weight decay 5e-4, 400 epochs."""

    hidden: int = 512
    num_layers: int = 2
    classifier: str = "relu_linear"
    norm: str = "none"
    dropout: float = 0.0
    learning_rate: float = 0.01
    weight_decay: float = 5e-4
    weight_decay_on: str = "all"
    precision: str = "float32"
    epochs: int = 400
    early_epoch: int = 50
    best_epoch: str = "first"
    metric: str = "accuracy"  # by which the best epoch is chosen and the model is reported

    def __post_init__(self):
        _check_choice("best_epoch", self.best_epoch, BEST_EPOCHS)
        _check_choice("classifier", self.classifier, CLASSIFIERS)
        _check_choice("norm", self.norm, NORMS)
        _check_choice("weight_decay_on", self.weight_decay_on, DECAYED_WEIGHTS)
        _check_choice("metric", self.metric, (*REPORTED_METRICS, NEGATIVE_ERROR))
        _check_choice("precision", self.precision, PRECISION_NAMES)

    @property
    def layout(self) -> dict:
        """The part of the options that a model is built from."""
        return {name: getattr(self, name) for name in ("hidden", "num_layers", "classifier", "norm", "dropout")}


@dataclass(frozen=True)
class ScoringOptions:
    """How features are scored, and who wins among equal scores; the schema's section `scoring` explains each."""

    n_repeats: int = 10
    metric: object = None  # a name or function that `permutation_importance` takes; None: what models are reported by
    scored_model: str = "last"
    label_nodes: str = "val"
    estimator: str = "knn"
    signed: bool = False
    zscore: bool = True
    ties: str = "loss"
    magnitude: bool = False
    perturbed_rows: str = "all"
    shared_permutation: bool = False
    edges: str = "undirected"
    folds: int = 5
    scorer_epochs: int | None = 100

    def __post_init__(self):
        _check_choice("label_nodes", self.label_nodes, LABEL_NODES)
        _check_choice("estimator", self.estimator, ESTIMATORS)
        _check_choice("scored_model", self.scored_model, SCORED_MODELS)
        _check_choice("ties", self.ties, TIE_RULES)
        _check_choice("perturbed_rows", self.perturbed_rows, PERTURBED_ROWS)
        _check_choice("edges", self.edges, EDGES)
        if self.folds < 3:
            raise InputError(f"folds is {self.folds}: it must be at least 3, to learn, to choose an epoch and to ask")


@dataclass(frozen=True)
class SelectionOptions:
    """What one-shot selection does with the features it keeps; the schema's section `selection` explains each."""

    retrain: str = "scratch"
    retrain_epochs: int | None = None
    pruned: str = "removed"
    random_draws: int = 1

    def __post_init__(self):
        _check_choice("retrain", self.retrain, RETRAININGS)
        _check_choice("pruned", self.pruned, PRUNED_COLUMNS)


@dataclass(frozen=True)
class PerturbationOptions:
    """How Table 1 draws what it puts in place of the graph; the schema's section `perturbations` explains it."""

    random_graph: str = "exact"

    def __post_init__(self):
        _check_choice("random_graph", self.random_graph, RANDOM_GRAPHS)


@dataclass(frozen=True)
class PruningOptions:
    """When and what adaptive selection prunes. The paper: half of the features (r) every 50 epochs (T).

    prune: fraction of the remaining features that goes at every checkpoint; 0 prunes nothing and only scores.
    interval, burn_in: epochs between checkpoints, and before the first one if that is longer.
    rule: `fraction`, or `nonpositive`: every feature with a score of zero or less, at most the fraction `cap` a step.
    tolerance: stop pruning for good once an interval's best validation accuracy (or other metric of the training) is
        this much below the best before it.
    """

    prune: float = 0.5
    interval: int = 50
    burn_in: int = 0
    rule: str = "fraction"
    cap: float = 0.5
    tolerance: float | None = None

    def __post_init__(self):
        allowed = {
            "prune": (0 <= self.prune < 1, "at least 0 and below 1"),
            "interval": (self.interval >= 1, "at least 1 epoch"),
            "burn_in": (self.burn_in >= 0, "0 epochs or more"),
            "rule": (self.rule in PRUNING_RULES, f"one of {', '.join(PRUNING_RULES)}"),
            "cap": (0 < self.cap <= 1, "above 0 and at most 1"),
            "tolerance": (self.tolerance is None or self.tolerance >= 0, "0 or more, or None"),
        }
        for name, (fine, rule) in allowed.items():
            if not fine:
                raise InputError(f"pruning option {name} is {getattr(self, name)!r}: it must be {rule}")

    def checkpoints(self, epochs: int) -> list[int]:
        """Epochs after which features are scored; the last one is the end of the training, where none is pruned."""
        return [*range(max(self.interval, self.burn_in), epochs, self.interval), epochs]


@dataclass(frozen=True)
class DatasetOptions:
    """How one dataset is trained wherever a study names it; the schema's section `datasets` explains each."""

    path: str | None = None
    model: str = "gcn"
    epochs: int = TrainingOptions.epochs
    metric: str = TrainingOptions.metric
    normalise: str = "none"
    keep: float = 0.02
    prune: float = PruningOptions.prune
    interval: int = PruningOptions.interval
    burn_in: int = PruningOptions.burn_in
    seeds: int | None = None


@dataclass(frozen=True)
class ReadingOptions:
    """How a user's own tables are read.

    missing: what becomes of missing values: the column's median and a column that says where it stands (`indicator`),
        the median alone, or no such nodes (`drop`).
    keep: text columns to keep although nearly every node has its own value there.
    id, label, source, target, weight: what these columns are called.
    directed: whether a row of the table of edges joins its nodes in one direction only.
    task: whether labels are classes or quantities; None to guess.
    """

    missing: str = "indicator"
    keep: tuple[str, ...] = ()
    id: str = "id"
    label: str = "label"
    source: str = "source"
    target: str = "target"
    weight: str = "weight"
    directed: bool = False
    task: str | None = None

    def __post_init__(self):
        _check_choice("missing", self.missing, MISSING_VALUES)
        if self.task is not None:
            _check_choice("task", self.task, TASKS)


@dataclass(frozen=True)
class RankingOptions:
    """`n_repeats` permutations make an importance; a p-value takes as many as it needs, at most `permutations`.

    model, metric: None for what suits the graph, its edges and its labels.
    time_budget: seconds after which nothing new begins; the answer is then made of what is known.
    """

    model: str | None = None
    seeds: int = 3
    n_repeats: int = 20
    permutations: int = 4999
    metric: str | None = None
    perturbation: str = "permute"
    given: tuple[str, ...] = ()
    seed: int = 0
    time_budget: float | None = None
    training: TrainingOptions = field(
        default_factory=lambda: TrainingOptions(hidden=64, classifier="none", dropout=0.5, epochs=60)
    )

    def __post_init__(self):
        _check_choice("perturbation", self.perturbation, TESTED_PERTURBATIONS)
        for name in self.given:
            _check_choice("given", name, GIVEN)
        for name in ("seeds", "n_repeats", "permutations"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}: it must be at least 1")
        if self.time_budget is not None and not self.time_budget > 0:
            raise InputError(f"time_budget is {self.time_budget}: it must be positive, or None")


@dataclass(frozen=True)
class BoundOptions:
    """How hard the bounds of the theorems are tested: random cases, permuted cases, changes tried by a search."""

    cases: int = 300
    permuted_cases: int = 60
    search_steps: int = 100


@dataclass(frozen=True)
class TaskOptions:
    """How models of the study of tasks are trained, and how often a column is permuted."""

    hidden: int = 64
    epochs: int = 100
    n_repeats: int = 5


def _check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(f"{name} '{value}' is unknown: choose one of {', '.join(known)}")
