"""`FeatureSelector` against the pipeline by hand, scikit-learn's and PyG's habits, and labels that it must not see."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from torch_geometric.data import Data, HeteroData
from torch_geometric.nn import GCN
from torch_geometric.transforms import Compose, NormalizeFeatures

import graphsieve
from graphsieve.data.graph import Graph, Split, keep_columns
from graphsieve.errors import InputError
from graphsieve.models.classifier import build_model
from graphsieve.models.training import train_model
from graphsieve.options import PruningOptions, ScoringOptions, TrainingOptions
from graphsieve.scoring.scorers import Scores, ScoringTask, score_features
from graphsieve.selection.adaptive import adaptive_selection
from graphsieve.selection.selector import FeatureSelector
from graphsieve.selection.top import keep_top

TRAINING = TrainingOptions(hidden=16, epochs=15)
SCORING = ScoringOptions(n_repeats=3)
PRUNING = PruningOptions(interval=6)


def paper_model(num_features: int):
    """With weights of its own seed: `train_model` builds the very same."""
    return build_model("gcn", num_features, 3, hidden=16, seed=0)


def seeded_model(num_features: int):
    """With weights from torch's generator, as users write it."""
    return GCN(num_features, 16, num_layers=2, out_channels=3)


def selector_of(n_features_to_select=3, make_model=paper_model, **options) -> FeatureSelector:
    """By npt unless another scorer is asked for: the default takes longer."""
    options = {"scorer": "npt", "training": TRAINING, "scoring": SCORING, "pruning": PRUNING, **options}
    return FeatureSelector(make_model, n_features_to_select, **options)


def as_data(graph: Graph, split: Split, **more) -> Data:
    masks = {f"{part}_mask": torch.zeros(graph.num_nodes, dtype=torch.bool) for part in ("train", "val", "test")}
    for part, nodes in vars(split).items():
        masks[f"{part}_mask"][nodes] = True
    x, edge_index, y = map(torch.from_numpy, (graph.x, graph.edge_index, graph.y))
    return Data(x=x, edge_index=edge_index, y=y, **masks, **more)


@pytest.fixture
def data(small_graph, small_split) -> Data:
    return as_data(small_graph, small_split, feature_names=[f"word{number}" for number in range(8)])


@pytest.mark.parametrize("scorer", ["npt", "npt_loss", "pt", "mi", "random"])
def test_one_shot_is_train_score_and_keep_top(scorer, small_graph, small_split):
    selector = selector_of(scorer=scorer).fit(small_graph, small_split)
    asked = {"npt": "gcn", "npt_loss": "gcn", "pt": "mlp"}.get(scorer)
    model = asked and train_model(asked, small_graph, small_split, options=TRAINING).model.eval()
    scores = score_features(scorer, ScoringTask(small_graph, small_split, 0, SCORING, model))
    by_hand = keep_top(scores.values, 3, losses=scores.losses)
    assert selector.get_support(indices=True).tolist() == by_hand.kept.tolist()
    np.testing.assert_array_equal(selector.scores_, scores.values)
    assert selector.ranking_[by_hand.ranking].tolist() == [1, 1, 1, 2, 3, 4, 5, 6]
    assert (selector.support_ == (selector.ranking_ == 1)).all()
    assert (selector.n_features_, selector.n_features_in_) == (3, 8)


@pytest.mark.parametrize("which", ["best", "early"])
def test_weights_of_another_epoch_are_scored_when_asked(which, small_graph, small_split):
    """They are those of a training that ends there."""
    options, scoring = replace(TRAINING, early_epoch=4), replace(SCORING, scored_model=which)
    epochs = {"early": 4, "best": train_model("gcn", small_graph, small_split, options=options).best_epoch}[which]
    assert epochs < TRAINING.epochs
    model = train_model("gcn", small_graph, small_split, options=replace(options, epochs=epochs)).model.eval()
    scores = score_features("npt_loss", ScoringTask(small_graph, small_split, 0, SCORING, model))
    selector = selector_of(scorer="npt_loss", scoring=scoring, training=options).fit(small_graph, small_split)
    np.testing.assert_array_equal(selector.scores_, scores.values)


def test_adaptive_is_algorithm_1(small_graph, small_split):
    options = {"training": TRAINING, "scoring": SCORING, "pruning": PRUNING}
    run = adaptive_selection(paper_model, small_graph, small_split, **options)
    assert run.checkpoints["features"].tolist() == [8, 4, 2]
    left = selector_of(None, adaptive=True).fit(small_graph, small_split)
    assert left.get_support(indices=True).tolist() == run.kept.tolist()
    last = {row.feature: row.score for row in run.scores.itertuples()}  # later checkpoints overwrite earlier ones
    assert left.scores_.tolist() == [last[feature] for feature in range(8)]
    three = selector_of(3, adaptive=True).fit(small_graph, small_split)
    # Three: those that were left, and the best by score of those that the last cut took.
    cut = run.scores[run.scores["checkpoint"] == 2].set_index("feature")
    dropped = cut.drop(index=run.kept).sort_values(["score", "loss"], ascending=False).index
    assert set(three.get_support(indices=True)) == {*run.kept, dropped[0]}
    assert np.argsort(three.ranking_)[3] == dropped[1]


@pytest.mark.parametrize("adaptive", [False, True])
def test_no_label_but_those_of_training_and_validation_nodes_is_seen(adaptive, small_graph, small_split):
    """Neither do the labels of test nodes matter, nor can a scorer of the user's own read them."""
    seen = []

    def curious(task: ScoringTask) -> Scores:
        seen.append((task.graph.y, task.split))
        return score_features("npt", task)

    others = np.setdiff1d(np.arange(60), np.concatenate([small_split.train, small_split.val]))
    y = small_graph.y.copy()
    y[others] = (y[others] + 1) % 3
    found = [
        selector_of(scorer=curious, adaptive=adaptive).fit(replace(small_graph, y=labels), small_split)
        for labels in (small_graph.y, y)
    ]
    np.testing.assert_array_equal(found[0].scores_, found[1].scores_)
    for labels, split in seen:
        assert (labels[others] == -1).all()
        assert not np.intersect1d(np.concatenate(list(vars(split).values())), others).size


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "best_of"),
        ({"adaptive": True}, "npt"),
        ({"metric": "macro_f1"}, "npt"),
        ({"metric": "macro_f1", "scorer": "mi"}, "mi"),
    ],
)
def test_the_default_scorer_is_the_one_that_did_best_unless_it_cannot_watch_the_metric(
    options, expected, small_graph, small_split
):
    selectors = [selector_of(**{"scorer": None, **options}), selector_of(**options | {"scorer": expected})]
    default, named = (one.fit(small_graph, small_split).scores_ for one in selectors)
    np.testing.assert_array_equal(default, named)


def test_a_share_of_the_features(small_graph, small_split):
    assert selector_of(0.5, scorer="random").fit(small_graph, small_split).n_features_ == 4
    assert selector_of(1.0, scorer="random").fit(small_graph, small_split).support_.all()


def test_auto_keeps_the_smallest_number_that_loses_nothing_on_the_validation_nodes(small_graph):
    """The curve by a loop of our own, and the rule on it, step by step."""
    split = Split(np.arange(30), np.arange(30, 54), np.arange(54, 60))
    selector = selector_of("auto", seeded_model, scorer="npt_loss", n_models=2).fit(small_graph, split)
    order = np.argsort(-selector.scores_)
    curve = selector.curve_.set_index("kept")
    assert list(curve.index) == [1, 2, 3, 4, 5, 7, 8]
    hits = {kept: validation_hits(small_graph, split, np.sort(order[:kept]), seeds=(0, 1)) for kept in (2, 8)}
    loss = hits[8] - hits[2]
    assert curve.loc[2, "value"] == pytest.approx(hits[2].mean())
    assert curve.loc[2, "loss"] == pytest.approx(loss.mean())
    assert curve.loc[2, "loss_standard_error"] == pytest.approx(loss.std(ddof=1) / np.sqrt(len(loss)))
    assert curve.loc[1, "loss"] > curve.loc[1, "loss_standard_error"]  # one column cannot tell three classes apart
    enough = [
        kept for kept in curve.index if (curve.loc[kept:, "loss"] <= curve.loc[kept:, "loss_standard_error"]).all()
    ]
    assert selector.n_features_ == min(enough) > 1
    assert set(selector.get_support(indices=True)) == set(order[: selector.n_features_])


def validation_hits(graph, split, columns, seeds) -> np.ndarray:
    from graphsieve.randomness import child_integer

    x, edge_index, y = map(torch.from_numpy, (graph.x[:, columns], graph.edge_index, graph.y))
    hits = []
    for seed in seeds:
        torch.manual_seed(child_integer(seed, "initialisation"))
        model = seeded_model(len(columns))
        optimiser = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
        for _ in range(TRAINING.epochs):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(model(x, edge_index)[split.train], y[split.train]).backward()
            optimiser.step()
        hits.append((model(x, edge_index).argmax(1) == y)[split.val].double().numpy())
    return np.mean(hits, axis=0)


def test_auto_judges_by_the_users_metric_model_by_model(small_graph, small_split):
    def rightness(logits, y):
        return float(logits.softmax(dim=1)[torch.arange(len(y)), y].mean())

    selector = selector_of("auto", seeded_model, metric=rightness, n_models=2).fit(small_graph, small_split)
    values = []
    for seed in (0, 1):  # one model is the mean over one model, without a standard error
        single = selector_of("auto", seeded_model, metric=rightness, n_models=1, random_state=seed, scorer="random")
        curve = single.fit(small_graph, small_split).curve_
        assert curve["standard_error"].isna().all()
        values.append(curve["value"].iloc[-1])
    last = selector.curve_.iloc[-1]
    assert last["value"] == pytest.approx(np.mean(values))
    assert last["standard_error"] == pytest.approx(abs(values[0] - values[1]) / 2)


def test_the_users_metric_is_what_is_scored(small_graph, small_split):
    """A metric that looks at one class alone finds the column of that class."""
    shapes = set()

    def recall_of_two(logits, y):
        shapes.add((logits.shape, y.shape))
        return float((logits.argmax(dim=1) == y)[y == 2].double().mean())

    selector = selector_of(1, metric=recall_of_two, training=replace(TRAINING, epochs=60))
    assert selector.fit(small_graph, small_split).get_support(indices=True).tolist() == [2]
    assert shapes == {((len(small_split.val), 3), (len(small_split.val),))}


def test_data_and_graph_give_the_same(data, small_graph, small_split):
    by_masks, by_split = selector_of().fit(data), selector_of().fit(data, small_split)
    by_graph = selector_of().fit(replace(small_graph, public_split=small_split))
    for other in (by_split, by_graph):
        np.testing.assert_array_equal(by_masks.scores_, other.scores_)
        np.testing.assert_array_equal(by_masks.support_, other.support_)
    assert by_masks.get_feature_names_out().tolist() == [f"word{n}" for n in by_masks.get_support(indices=True)]
    assert by_graph.feature_names_in_.tolist() == [str(number) for number in range(8)]


def test_transform_keeps_columns_and_leaves_what_it_was_given(data, small_graph, small_split):
    selector = selector_of().fit(data)
    kept = selector.transform(data)
    assert type(kept) is Data
    assert torch.equal(kept.x, data.x[:, torch.from_numpy(selector.support_)])
    assert kept.feature_names == selector.get_feature_names_out().tolist()
    assert torch.equal(kept.y, data.y)
    assert data.x.shape == (60, 8)
    assert len(data.feature_names) == 8
    graph = selector.transform(small_graph)
    np.testing.assert_array_equal(graph.x, keep_columns(small_graph, selector.get_support(indices=True)).x)
    both = selector_of().fit_transform(data)
    assert torch.equal(both.x, kept.x)


def test_a_fitted_selector_is_a_transform_of_pyg(data):
    selector = selector_of().fit(data)
    transformed = Compose([selector, NormalizeFeatures()])(data)
    expected = NormalizeFeatures()(Data(x=data.x[:, torch.from_numpy(selector.support_)])).x
    assert torch.equal(transformed.x, expected)
    assert torch.equal(selector(data).x, selector.transform(data).x)


def test_sparse_features_are_as_good_as_dense_ones(data):
    sparse = Data(**{**data.to_dict(), "x": data.x.to_sparse()})
    dense, selector = selector_of().fit(data), selector_of().fit(sparse)
    np.testing.assert_array_equal(dense.support_, selector.support_)
    assert torch.equal(selector.transform(sparse).x.to_dense(), dense.transform(data).x)


def test_it_is_an_estimator_of_scikit_learn(small_graph, small_split):
    selector = selector_of(scorer="random").fit(small_graph, small_split)
    copy = clone(selector).set_params(n_features_to_select=2)
    assert copy.get_params() == {**selector.get_params(), "n_features_to_select": 2}
    assert not hasattr(copy, "support_")
    assert copy.fit(small_graph, small_split).n_features_ == 2
    assert "n_features_to_select=2" in repr(copy)
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.transform(small_graph).x, selector.transform(small_graph).x)


def test_seeds_decide_and_repeat(small_graph, small_split):
    first, second, other = (
        selector_of(make_model=seeded_model, random_state=seed).fit(small_graph, small_split).scores_
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


def test_before_fitting_one_sentence_says_so(data):
    new = selector_of()
    asked = (new.transform, Compose([new]), lambda _: new.get_support(), lambda _: new.get_feature_names_out())
    for attempt in asked:
        with pytest.raises(NotFittedError, match="this FeatureSelector has chosen nothing yet: call fit"):
            attempt(data)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features_to_select": 9}, "n_features_to_select is 9: give a number from 1 to 8"),
        ({"n_features_to_select": 0}, "n_features_to_select is 0"),
        ({"n_features_to_select": True}, "n_features_to_select is True"),
        ({"n_features_to_select": 1.5}, "n_features_to_select is 1.5"),
        ({"n_features_to_select": "some"}, "n_features_to_select is 'some'"),
        ({"n_features_to_select": None}, "n_features_to_select is None"),
        ({"scorer": "shap"}, "scorer 'shap' is unknown"),
        ({"scorer": "shap", "adaptive": True}, "scorer 'shap' is unknown"),
        ({"metric": "auc"}, "metric 'auc' is unknown"),
        ({"make_model": "gcn"}, "make_model is 'gcn'"),
        ({"n_models": 0}, "n_models is 0"),
        ({"random_state": None}, "random_state is None"),
    ],
)
def test_bad_settings_are_refused_before_anything_is_trained(options, message, small_graph, small_split):
    def untouched(num_features):
        raise AssertionError("a model was made")

    with pytest.raises(InputError, match=message):
        selector_of(**{"make_model": untouched, **options}).fit(small_graph, small_split)


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize(
    ("make_model", "message"),
    [
        (lambda num_features: None, "make_model returned None for 8 features: it must return a torch module"),
        (lambda num_features: seeded_model(num_features + 1), "model raised RuntimeError when called as model"),
        (lambda num_features: GCN(num_features, 4, 1, 2), r"returned \(60, 2\): .* with at least 3 logits"),
        (lambda num_features: torch.nn.Identity(), "model raised TypeError"),
    ],
)
def test_modules_that_cannot_be_trained_are_refused(make_model, message, adaptive, small_graph, small_split):
    with pytest.raises(InputError, match=message):
        selector_of(make_model=make_model, adaptive=adaptive).fit(small_graph, small_split)


def test_bad_data_are_refused(data, small_graph, small_split):
    selector = selector_of(scorer="random")
    with pytest.raises(InputError, match="data is a HeteroData"):
        selector.fit(HeteroData())
    with pytest.raises(InputError, match="there is no split"):
        selector.fit(small_graph)
    fitted = selector.fit(data)
    with pytest.raises(InputError, match="x has 3 columns, but the selector was fitted on 8"):
        fitted.transform(fitted.transform(data))
    with pytest.raises(InputError, match="data is a ndarray"):
        fitted.transform(small_graph.x)


def test_the_package_offers_it():
    assert graphsieve.FeatureSelector is FeatureSelector


def test_the_metric_is_the_callers_or_that_of_scoring_or_of_training(small_graph):
    """As three ways to ask for the same, and one that asks for something else."""
    two_classes = replace(small_graph, y=np.minimum(small_graph.y, 1))
    split = Split(np.arange(30), np.arange(30, 54), np.arange(54, 60))
    ways = {
        "argument": {"metric": "roc_auc"},
        "scoring": {"scoring": replace(SCORING, metric="roc_auc")},
        "training": {"training": replace(TRAINING, metric="roc_auc")},
        "argument first": {"metric": "roc_auc", "scoring": replace(SCORING, metric="accuracy")},
        "accuracy": {},
    }

    def make_model(num_features):
        return build_model("gcn", num_features, 2, hidden=16, seed=0)

    scores = {name: selector_of(1, make_model, **way).fit(two_classes, split).scores_ for name, way in ways.items()}
    for name in ("scoring", "training", "argument first"):
        np.testing.assert_array_equal(scores[name], scores["argument"])
    assert not np.array_equal(scores["accuracy"], scores["argument"])
