"""`FeatureSelector`: one-shot and adaptive selection with scikit-learn's names, and as a transform of PyG."""

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from torch import nn
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from graphsieve.data.graph import Graph, Split, keep_columns
from graphsieve.data.pyg import check_features, keep_columns_of, learning_view
from graphsieve.errors import InputError
from graphsieve.importance.metrics import Judge, choose_metrics
from graphsieve.importance.problem import call_model, evaluation_mode
from graphsieve.models.training import build_module, edge_tensors, predict, train_module
from graphsieve.options import PruningOptions, ScoringOptions, TrainingOptions
from graphsieve.scoring.scorers import Scores, ScoringTask, check_scorer
from graphsieve.selection.adaptive import adaptive_selection
from graphsieve.selection.how_few import curve_of_numbers, smallest_without_loss
from graphsieve.selection.one_shot import score_once, scored_model
from graphsieve.selection.top import count_to_keep, keep_top


class FeatureSelector(BaseEstimator, BaseTransform):
    """Keep the features that a graph neural network needs to classify nodes.

    Labels of training and validation nodes are all that `fit` sees; those of other nodes are hidden before anything
    is trained or scored. A fitted selector is a transform of PyG, too: `selector(data)` is `selector.transform(data)`.

    Parameters
    ----------
    make_model : callable
        Makes a module, called as `module(x, edge_index)`, for a number of features. Its initial weights should come
        from torch's generator, which is seeded before every call.
    n_features_to_select : int, float, "auto" or None
        How many features to keep, or which share of them. "auto" trains new models on the best 1, 2, 3, ... features
        and keeps the smallest number from which on nothing is lost on the validation nodes: no loss against all
        features exceeds its standard error (over nodes for accuracy, over models for other metrics). None, in
        adaptive selection only, keeps what `pruning` leaves.
    adaptive : bool
        Whether to prune while training (Algorithm 1) instead of training and scoring once. The features are then
        ranked by when they were pruned.
    scorer : str or callable, optional
        A name of `graphsieve.scoring.scorers.SCORERS`, or a function like those. By default `best_of`, which did best
        where selectors were compared; but `npt` if a metric is named, which it watches, or if adaptive (Algorithm 1).
    metric : str or callable, optional
        What permutation scorers watch and what "auto" judges by: a name, or a function of (logits, y) at the validation
        nodes, in their order, where higher is better. Otherwise the metric of `scoring`, or else of `training`.
    training : TrainingOptions, optional
        Epochs, learning rate, weight decay and metric; the module is `make_model`'s.
    scoring : ScoringOptions, optional
        How to score, and who wins among equal scores.
    pruning : PruningOptions, optional
        When and what adaptive selection prunes.
    n_models : int
        How many models "auto" trains for each number of features.
    random_state : int
        Of initial weights, dropout, permutations and ties.
    device : str or torch.device
        Where to train.
    progress : bool
        Whether to show progress bars.

    Attributes
    ----------
    support_ : ndarray of bool
        Which features are kept.
    ranking_ : ndarray of int
        As scikit-learn's RFE: 1 for every feature that is kept, then 2, 3, ... for the others, best first.
    scores_ : ndarray of float
        The score of every feature; in adaptive selection the last one that it got.
    n_features_, n_features_in_ : int
        How many features are kept, and how many there were.
    feature_names_in_ : ndarray of str
        Their names, or their numbers where the data names none.
    curve_ : DataFrame or None
        With "auto": what each number of features reached, as `graphsieve.selection.how_few.curve_of_numbers` gives it.

    Examples
    --------
    The first five of 20 features of this graph tell the class:

    >>> from torch_geometric.nn import GCN
    >>> from graphsieve import FeatureSelector
    >>> from graphsieve.data.splits import random_split
    >>> from graphsieve.data.synthetic import generate
    >>> from graphsieve.options import TrainingOptions
    >>> graph = generate("f", 0, num_nodes=200, num_features=20, signal=20)
    >>> selector = FeatureSelector(
    ...     lambda num_features: GCN(num_features, 16, num_layers=2, out_channels=2),
    ...     n_features_to_select=3,
    ...     training=TrainingOptions(epochs=40),
    ... )
    >>> reduced = selector.fit_transform(graph, random_split(200, seed=0))
    >>> reduced.x.shape, bool((selector.get_support(indices=True) < 5).all())
    ((200, 3), True)
    >>> selector.get_feature_names_out().tolist() == [graph.names()[column] for column in selector.get_support(True)]
    True
    """

    def __init__(
        self,
        make_model: Callable[[int], nn.Module],
        n_features_to_select: int | float | str | None = "auto",
        *,
        adaptive: bool = False,
        scorer: str | Callable[[ScoringTask], Scores] | None = None,
        metric: str | Callable[[torch.Tensor, torch.Tensor], float] | None = None,
        training: TrainingOptions | None = None,
        scoring: ScoringOptions | None = None,
        pruning: PruningOptions | None = None,
        n_models: int = 3,
        random_state: int = 0,
        device: str | torch.device = "cpu",
        progress: bool = False,
    ):
        self.make_model = make_model
        self.n_features_to_select = n_features_to_select
        self.adaptive = adaptive
        self.scorer = scorer
        self.metric = metric
        self.training = training
        self.scoring = scoring
        self.pruning = pruning
        self.n_models = n_models
        self.random_state = random_state
        self.device = device
        self.progress = progress

    def fit(self, data: Data | Graph, split: Split | None = None) -> "FeatureSelector":
        """Train, score and choose.

        Parameters
        ----------
        data : Data or Graph
            Features are taken as they are, so scale them first. A `Data` may have `feature_names`.
        split : Split, optional
            The nodes to learn from and to score on; otherwise the data's `train_mask` and `val_mask`, or the graph's
            public split.

        Returns
        -------
        FeatureSelector
            Itself.
        """
        self._check()
        graph, split = learning_view(data, split)
        count = self._count(graph.num_features)
        self._check_model(graph)
        ranking, self.scores_, left = (self._rank_adaptively if self.adaptive else self._rank_once)(graph, split)
        self.curve_ = None
        if self.n_features_to_select == "auto":
            self.curve_ = curve_of_numbers(ranking, lambda columns: self._measure(keep_columns(graph, columns), split))
            count = smallest_without_loss(self.curve_)
        self.n_features_, self.n_features_in_ = left if count is None else count, graph.num_features
        self.ranking_ = np.ones(graph.num_features, dtype=int)
        self.ranking_[ranking[self.n_features_ :]] += np.arange(1, graph.num_features - self.n_features_ + 1)
        self.support_ = self.ranking_ == 1
        self.feature_names_in_ = np.array(graph.names(), dtype=object)
        return self

    def transform(self, data: Data | Graph) -> Data | Graph:
        """The same data with the columns that are kept, in their order; what was given stays as it is."""
        self._check_fitted()
        check_features(data)
        if data.x.shape[1] != self.n_features_in_:
            raise InputError(
                f"x has {data.x.shape[1]} columns, but the selector was fitted on {self.n_features_in_}: give data "
                "with the same columns"
            )
        return keep_columns_of(data, self.get_support(indices=True))

    forward = transform  # what PyG calls

    def fit_transform(self, data: Data | Graph, split: Split | None = None) -> Data | Graph:
        return self.fit(data, split).transform(data)

    def get_support(self, indices: bool = False) -> np.ndarray:
        """Which features are kept, as a mask or as column numbers."""
        self._check_fitted()
        return np.flatnonzero(self.support_) if indices else self.support_

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """The names of the features that are kept; `input_features` is for scikit-learn and not used."""
        support = self.get_support()
        return self.feature_names_in_[support]

    def _check_fitted(self) -> None:
        check_is_fitted(self, "support_", msg="this %(name)s has chosen nothing yet: call fit(data, split) first")

    def _check(self) -> None:
        if not callable(self.make_model):
            raise InputError(
                f"make_model is {self.make_model!r}: give a function from a number of features to a module"
            )
        if not isinstance(self.n_models, Integral) or self.n_models < 1:
            raise InputError(f"n_models is {self.n_models!r}: it must be a whole number, at least 1")
        if not isinstance(self.random_state, Integral) or self.random_state < 0:
            raise InputError(f"random_state is {self.random_state!r}: it must be a whole number, 0 or more")
        choose_metrics([self._scoring.metric])
        check_scorer(self._scorer)

    def _check_model(self, graph: Graph) -> None:
        """A pass of a fresh module: what cannot be trained is said before it is tried."""
        model = build_module(self.make_model, graph.num_features, self.random_state, torch.device(self.device))
        x, edge_index = (torch.from_numpy(array).to(self.device) for array in (graph.x, graph.edge_index))
        given = edge_tensors(graph, torch.device(self.device))
        with evaluation_mode(model), torch.random.fork_rng(devices=[]):  # lazy layers draw their weights here
            logits = call_model(model, x, edge_index, "all features", given)
        found = tuple(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
        if not isinstance(found, tuple) or len(found) != 2 or found[0] != len(x) or found[1] < graph.num_classes:
            raise InputError(
                f"make_model's module returned {found}: it must return a row for each of the {len(x)} nodes, with at "
                f"least {graph.num_classes} logits, one per class"
            )

    def _count(self, num_features: int) -> int | None:
        """How many to keep, or None where that shows later."""
        wanted = self.n_features_to_select
        if wanted == "auto" or (wanted is None and self.adaptive):
            return None
        if isinstance(wanted, Integral) and not isinstance(wanted, bool) and 1 <= wanted <= num_features:
            return int(wanted)
        if isinstance(wanted, Real) and not isinstance(wanted, Integral) and 0 < wanted <= 1:
            return count_to_keep(num_features, wanted)
        raise InputError(
            f"n_features_to_select is {wanted!r}: give a number from 1 to {num_features}, a share above 0.0 and at "
            "most 1.0, 'auto', or (with adaptive=True) None"
        )

    @property
    def _training(self) -> TrainingOptions:
        return self.training or TrainingOptions()

    @property
    def _scoring(self) -> ScoringOptions:
        scoring = self.scoring or ScoringOptions()
        return replace(scoring, metric=self.metric or scoring.metric or self._training.metric)

    @property
    def _scorer(self) -> str | Callable[[ScoringTask], Scores]:
        return self.scorer or ("npt" if self.adaptive or self.metric else "best_of")

    @property
    def _common(self) -> dict:
        return {"seed": self.random_state, "device": torch.device(self.device), "progress": self.progress}

    def _rank_once(self, graph: Graph, split: Split) -> tuple[np.ndarray, np.ndarray, int]:
        """All features, best first; their scores; and how many of them are left, which is all."""
        scoring = self._scoring
        scores = score_once(
            self.make_model, graph, split, scorer=self._scorer, training=self._training, scoring=scoring, **self._common
        )
        everything = keep_top(
            scores.values, graph.num_features, losses=scores.losses, ties=scoring.ties, seed=self.random_state
        )
        return everything.ranking, scores.values, graph.num_features

    def _rank_adaptively(self, graph: Graph, split: Split) -> tuple[np.ndarray, np.ndarray, int]:
        """The same, by when Algorithm 1 prunes them; those that it leaves come first, by their last scores."""
        options = {"training": self._training, "scoring": self._scoring, "pruning": self.pruning}
        run = adaptive_selection(self.make_model, graph, split, scorer=self._scorer, **options, **self._common)
        ranking = run.features.sort_values("rank")["feature"].to_numpy()
        last_scores = run.scores.groupby("feature")["score"].last().to_numpy()
        return ranking, last_scores, len(run.kept)

    def _measure(self, graph: Graph, split: Split) -> np.ndarray:
        """What new models are worth at the validation nodes: accuracy node by node, other metrics model by model."""
        (metric,) = choose_metrics([self._scoring.metric])
        common, values = self._common, []
        for number in range(self.n_models):
            common["seed"] = self.random_state + number
            trained = train_module(self.make_model, graph, split, options=self._training, **common)
            logits = predict(scored_model(trained, self._scoring), graph)[torch.from_numpy(split.val)]
            y = torch.from_numpy(graph.y[split.val]).to(logits.device)
            if metric.name == "accuracy":
                values.append((logits.argmax(dim=1) == y).double().cpu().numpy())
            else:
                values.append(metric.sign * Judge([metric], logits, y, None).baselines[0])
        return np.mean(values, axis=0) if metric.name == "accuracy" else np.array(values)
