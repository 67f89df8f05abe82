from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score
from torch.nn.functional import cross_entropy

from graphsieve.data.graph import Graph, Split
from graphsieve.errors import InputError
from graphsieve.models.classifier import model_factory
from graphsieve.models.training import train_model
from graphsieve.options import ScoringOptions, TrainingOptions
from graphsieve.randomness import child, child_integer
from graphsieve.scoring import propagated
from graphsieve.scoring.filters import discretise
from graphsieve.scoring.homophily import propagate_symmetric, simple_adjacency
from graphsieve.scoring.scorers import (
    MODEL_OF_SCORER,
    OPTIONS_OF_SCORER,
    SCORERS,
    TRAINING_SCORERS,
    ScoringTask,
    score_features,
    scores_table,
)

OPTIONS = ScoringOptions(n_repeats=30, folds=3, scorer_epochs=4)
FEW_REPEATS = ("npt_cross", "npt_backward", "best_of", "boruta", "sage")  # of which each takes long
NEEDING_CAPTUM = ("gradient_input", "integrated_gradients")


@pytest.fixture(scope="module")
def tasks(small_graph, small_split):
    """A task for each kind of model a scorer may ask; None for those that ask none."""
    training = TrainingOptions(hidden=16, epochs=60)
    device = torch.device("cpu")
    models = {
        kind: train_model(name, small_graph, small_split, options=training, device=device).model.eval()
        for kind, name in {"own": "gcn", "mlp": "mlp"}.items()
    }
    means = {"make_model": model_factory("gcn", small_graph, training, 0), "training": training}
    return {
        kind: ScoringTask(small_graph, small_split, 0, OPTIONS, models.get(kind), **means)
        for kind in (None, "own", "mlp")
    }


@pytest.fixture(autouse=True)
def _small_forests(monkeypatch):
    monkeypatch.setattr(propagated, "TREES", 10)
    monkeypatch.setattr(propagated, "TREES_IN_A_ROUND", 5)


def score(name, tasks, **options):
    if name in NEEDING_CAPTUM:
        pytest.importorskip("captum")
    task = tasks[MODEL_OF_SCORER.get(name)]
    few = {"n_repeats": 2} if name in FEW_REPEATS else {}
    return score_features(name, replace(task, options=replace(task.options, **few | options)))


@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_gives_one_finite_score_a_feature(name, tasks, small_graph):
    scores = score(name, tasks)
    assert scores.values.shape == (small_graph.num_features,)
    assert np.isfinite(scores.values).all()


@pytest.mark.parametrize("name", SCORERS)
def test_no_scorer_sees_a_test_label(name, tasks):
    """Scores stay the same to the bit when every test label is replaced."""
    y = tasks[None].graph.y.copy()
    test = tasks[None].split.test
    y[test] = (y[test] + 1) % 3
    hidden = {kind: replace(task, graph=replace(task.graph, y=y)) for kind, task in tasks.items()}
    assert np.array_equal(score(name, tasks).values, score(name, hidden).values)


@pytest.mark.parametrize("name", SCORERS)
def test_the_same_seed_gives_the_same_scores(name, tasks):
    assert np.array_equal(score(name, tasks).values, score(name, tasks).values)


@pytest.mark.parametrize("name", ["npt", "npt_gaussian", "npt_loss", "npt_cross", "pt", "mi", "tfi"])
def test_columns_that_tell_the_class_beat_those_that_are_chance(name, tasks):
    values = score(name, tasks, label_nodes="train", scorer_epochs=60).values
    assert values[:3].mean() > 5 * abs(values[3:].mean())


LEARNING = ["npt_backward", "best_of", "mrmr", "group_lasso", "random_forest", "boruta", "stochastic_gates", "sage"]


@pytest.mark.parametrize("name", LEARNING)
def test_columns_that_tell_the_class_come_first(name, tasks):
    values = score(name, tasks, n_repeats=5, scorer_epochs=60).values
    assert values[:3].min() > values[3:].max()


@pytest.mark.parametrize("name", NEEDING_CAPTUM)
def test_gradients_are_larger_where_a_column_tells_the_class(name, tasks):
    values = score(name, tasks).values
    assert values[:3].mean() > 3 * values[3:].mean()


def accuracy_and_loss(task, x):
    with torch.no_grad():
        logits = task.model(torch.from_numpy(x), torch.from_numpy(task.graph.edge_index))[task.split.val]
    y = torch.from_numpy(task.graph.y[task.split.val])
    return (logits.argmax(1) == y).double().mean().item(), cross_entropy(logits, y).item()


def test_npt_mask_is_the_drop_when_a_column_is_zero(tasks):
    task = tasks["own"]
    accuracy, loss = accuracy_and_loss(task, task.graph.x)
    scores = score("npt_mask", tasks)
    for column in range(task.graph.num_features):
        x = task.graph.x.copy()
        x[:, column] = 0
        masked_accuracy, masked_loss = accuracy_and_loss(task, x)
        assert scores.values[column] == pytest.approx(accuracy - masked_accuracy, abs=1e-12)
        assert scores.losses[column] == pytest.approx(masked_loss - loss, abs=1e-5)


@pytest.mark.parametrize(("name", "kind"), [("npt", "own"), ("npt_loss", "own"), ("pt", "mlp")])
def test_npt_estimates_the_expected_drop_under_permutation(name, kind, tasks):
    """Against an independent estimate from 300 permutations: each feature within 5 standard errors."""
    task, repeats = tasks[kind], 300
    baseline = accuracy_and_loss(task, task.graph.x)
    rng = np.random.default_rng(1)
    drops = np.empty((task.graph.num_features, repeats))
    for column in range(task.graph.num_features):
        for repeat in range(repeats):
            x = task.graph.x.copy()
            x[:, column] = rng.permutation(x[:, column])
            accuracy, loss = accuracy_and_loss(task, x)
            drops[column, repeat] = loss - baseline[1] if name == "npt_loss" else baseline[0] - accuracy
    scores = score(name, tasks, n_repeats=repeats)
    error = drops.std(axis=1) * np.sqrt(2 / repeats) + 1e-6
    assert (np.abs(scores.values - drops.mean(axis=1)) < 5 * error).all()
    np.testing.assert_allclose(scores.std, drops.std(axis=1), rtol=0.35, atol=1e-6)


@pytest.mark.parametrize("nodes", ["val", "train"])
def test_mi_and_tfi_are_scikit_learns_on_the_chosen_nodes(nodes, tasks, small_graph, small_split):
    chosen = getattr(small_split, nodes)
    propagated = propagate_symmetric(simple_adjacency(small_graph.edge_index, 60), small_graph.x)
    for name, x in {"mi": small_graph.x, "tfi": propagated}.items():
        expected = mutual_info_classif(x[chosen], small_graph.y[chosen], random_state=child_integer(0, "scoring"))
        assert np.array_equal(score(name, tasks, label_nodes=nodes).values, expected)


def test_discrete_mi_is_the_closed_form_for_words(tasks, small_graph, small_split):
    train = small_split.train
    expected = [mutual_info_score(column, small_graph.y[train]) for column in small_graph.x[train].T]
    found = score("mi", tasks, label_nodes="train", estimator="discrete").values
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found[0] == pytest.approx(entropy_of_one_class(small_graph.y[train]), abs=1e-12)


@pytest.mark.parametrize("name", ["mi", "tfi"])
def test_the_fair_twins_see_training_labels_with_the_discrete_estimator(name, tasks):
    fair = score(name, tasks, label_nodes="train", estimator="discrete").values
    assert np.array_equal(score(f"{name}_train", tasks).values, fair)
    assert not np.array_equal(score(name, tasks).values, fair)


def entropy_of_one_class(y):
    """A column that equals 'is class 0' tells exactly the entropy of that event."""
    p = np.mean(y == 0)
    return -(p * np.log(p) + (1 - p) * np.log(1 - p))


def test_bins_hold_equal_shares_and_rare_words_become_present_or_absent():
    rng = np.random.default_rng(0)
    word = np.zeros(200)
    word[:9] = rng.random(9)
    bins = discretise(np.stack([rng.random(200), word, np.arange(200) % 2], axis=1))
    assert np.bincount(bins[:, 0]).tolist() == [20] * 10
    assert np.bincount(bins[:, 1]).tolist() == [191, 9]
    assert np.bincount(bins[:, 2]).tolist() == [100, 100]


def test_random_scores_are_uniform_and_new_for_every_seed(tasks):
    graph = Graph("wide", np.zeros((4, 5000), np.float32), np.zeros((2, 0), np.int64), np.arange(4) % 2, 2)
    split = Split(*(np.arange(4) for _ in range(3)))
    one, two = (score_features("random", ScoringTask(graph, split, seed)).values for seed in (0, 1))
    assert abs(one.mean() - 0.5) < 4 * np.sqrt(1 / 12 / 5000)
    assert abs(np.corrcoef(one, two)[0, 1]) < 4 / np.sqrt(5000)


def test_a_score_table_has_a_row_a_feature_and_empty_cells_where_nothing_is_known(tasks, small_graph):
    table = scores_table(small_graph, score("mi", tasks))
    assert table["feature"].tolist() == list(range(8))
    assert table["loss"].isna().all()
    assert scores_table(small_graph, score("npt", tasks))["loss"].notna().all()


def test_bad_input_is_refused(tasks):
    with pytest.raises(InputError, match="scorer 'shap' is unknown: choose one of npt,"):
        score_features("shap", tasks[None])
    with pytest.raises(InputError, match="scorer 'npt' asks a trained model"):
        score_features("npt", tasks[None])
    with pytest.raises(InputError, match="scorer 'loco' trains models and was not told which: give the task a make_mo"):
        score_features("loco", replace(tasks[None], make_model=None))
    with pytest.raises(InputError, match="folds is 2: it must be at least 3"):
        score("npt_cross", tasks, folds=2)
    with pytest.raises(InputError, match="estimator 'guess' is unknown"):
        score("mi", tasks, estimator="guess")
    with pytest.raises(InputError, match="label_nodes 'test' is unknown"):
        score("mi", tasks, label_nodes="test")


def test_magnitude_drops_the_sign_of_what_the_model_says_and_nothing_else(tasks):
    for name in ("npt", "npt_gaussian", "npt_mask", "npt_loss", "pt"):
        plain, sizes = score(name, tasks), score(name, tasks, magnitude=True)
        assert np.array_equal(sizes.values, np.abs(plain.values))
        assert np.array_equal(sizes.losses, np.abs(plain.losses))
    assert (score("npt_mask", tasks).losses < 0).any()
    assert np.array_equal(score("h_euc", tasks, magnitude=True).values, score("h_euc", tasks).values)


OTHER = {
    "n_repeats": 7,
    "metric": "macro_f1",
    "label_nodes": "train",
    "estimator": "discrete",
    "signed": True,
    "zscore": False,
    "ties": "index",
    "magnitude": True,
    "perturbed_rows": "scored",
    "shared_permutation": True,
    "edges": "out",
    "folds": 4,
    "scorer_epochs": 12,
}


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_reads_the_options_that_are_named_and_no_others(name, tasks):
    """Some links go one way only; which weights are scored is settled before, by those who give the model."""
    source, target = tasks[None].graph.edge_index
    links = tasks[None].graph.edge_index[:, (source < target) | (source % 2 == 0)]
    directed = {kind: replace(one, graph=replace(one.graph, edge_index=links)) for kind, one in tasks.items()}
    before = score(name, directed)
    changed = set()
    for option, value in OTHER.items():
        after = score(name, directed, **{option: value})
        if not (np.array_equal(after.values, before.values) and np.array_equal(after.losses, before.losses)):
            changed.add(option)
    assert changed <= set(OPTIONS_OF_SCORER[name])
    by_ranks = {"shared_permutation", "perturbed_rows", "n_repeats"}
    # Of best_of shows here what concerns the candidate that wins.
    hidden_here = {"npt_backward": by_ranks, "best_of": set(OPTIONS_OF_SCORER["best_of"])}.get(name, set())
    assert changed >= set(OPTIONS_OF_SCORER[name]) - {"scored_model", "metric", "magnitude"} - hidden_here


def test_a_scorer_asks_a_model_or_trains_some_or_does_neither():
    assert set(TRAINING_SCORERS) <= set(SCORERS)
    assert not set(TRAINING_SCORERS) & set(MODEL_OF_SCORER)
    assert set(OPTIONS_OF_SCORER) == set(SCORERS)


def test_every_draw_of_random_features_is_another(small_graph, small_split):
    draws = [
        score_features("random", ScoringTask(small_graph, small_split, 0, occasion=occasion)).values
        for occasion in ((), (1,), (2,))
    ]
    assert len({tuple(draw) for draw in draws}) == 3
    assert np.array_equal(draws[0], np.random.default_rng(child(0, "scoring")).random(8))
