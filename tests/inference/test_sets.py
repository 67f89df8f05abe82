"""Tests of features with a nominal rate of false ones, each against what it is by definition."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from scipy import stats
from sklearn.feature_selection import mutual_info_classif

from graphsieve.data.splits import random_split
from graphsieve.data.synthetic import generate
from graphsieve.errors import InputError
from graphsieve.inference import sets
from graphsieve.inference.p_values import SIGNIFICANCE
from graphsieve.inference.ranking import rank_features
from graphsieve.inference.sequential import EACH_BY_ITSELF
from graphsieve.models.classifier import model_factory
from graphsieve.models.training import train_model
from graphsieve.options import RankingOptions, ScoringOptions, TrainingOptions
from graphsieve.scoring.filters import discretise
from graphsieve.scoring.propagated import boruta
from graphsieve.scoring.task import ScoringTask
from workflow_runs import PROJECT

TRAINING = TrainingOptions(hidden=8, epochs=15)


@pytest.fixture(scope="module")
def task() -> ScoringTask:
    """The first of six columns tells the class, the others are chance."""
    graph, split = generate("d", 0, num_nodes=200, num_features=6), random_split(200, seed=0)
    x = np.random.default_rng(0).normal(size=(200, 6)).astype(np.float32)
    x[:, 0] += 4 * graph.y
    graph = replace(graph, x=x)
    options = ScoringOptions(n_repeats=6, scorer_epochs=15)
    model = train_model("gcn", graph, split, options=TRAINING, seed=0).model.eval()
    make_model = model_factory("gcn", graph, TRAINING, 0)
    return ScoringTask(graph, split, 0, options, model, make_model=make_model, training=TRAINING)


def test_the_schema_names_every_test_and_each_says_what_it_promises():
    schema = yaml.safe_load((PROJECT / "workflow/schemas/config.schema.yaml").read_text())
    named = schema["properties"]["synthetic"]["properties"]["tests"]["items"]["enum"]
    assert set(named) == set(sets.TESTS) == set(sets.PROMISES)


def test_hits_of_boruta_are_tossed_against_a_coin(task):
    hits = np.floor(boruta(task).values).astype(int)
    expected = [stats.binomtest(hit, 6, 0.5, alternative="greater").pvalue for hit in hits]
    assert sets.feature_p_values("boruta", task, "gcn") == pytest.approx(expected)


def test_information_is_the_g_test_of_a_table_of_counts(task):
    nodes = task.split.train
    codes, y = discretise(task.graph.x[nodes]), task.graph.y[nodes]
    expected = []
    for column in codes.T:
        counts = np.array(
            [[np.sum((column == level) & (y == label)) for label in np.unique(y)] for level in np.unique(column)]
        )
        expected.append(stats.chi2_contingency(counts, correction=False, lambda_="log-likelihood").pvalue)
    assert sets.feature_p_values("mi_train", task, "gcn") == pytest.approx(expected)
    assert mutual_info_classif(codes, y, discrete_features=True)[0] > 0


def test_a_column_of_one_value_says_nothing(task):
    x = task.graph.x.copy()
    x[:, 3] = 1.0
    constant = replace(task, graph=replace(task.graph, x=x))
    assert sets.feature_p_values("mi_train", constant, "gcn")[3] == 1


@pytest.mark.parametrize("test", ["npt_cross", "npt_loss"])
def test_a_column_is_ranked_among_its_permutations(task, monkeypatch, test):
    """Few of the first column do as well as it does, and many of the others."""
    monkeypatch.setattr(sets, "MOST_PERMUTATIONS", 99)
    p_values = sets.feature_p_values(test, task, "gcn")
    assert 1 / 100 <= p_values[0] <= 0.05
    assert (p_values[1:] > 0.1).sum() >= 3


def test_halves_are_those_of_the_ranking(task, monkeypatch):
    monkeypatch.setattr(sets, "DECIDED", EACH_BY_ITSELF)
    options = RankingOptions(model="gcn", seeds=1, seed=0)
    table = rank_features(task.graph, options=options).table.set_index("feature").loc[task.graph.names()]
    found = sets.feature_p_values("halves", task, "gcn")
    assert found == pytest.approx(table["p_alone"].to_numpy())
    assert found[0] <= SIGNIFICANCE


def test_an_unknown_test_is_refused(task):
    with pytest.raises(InputError, match="test 'bonferroni' is unknown: choose one of halves, "):
        sets.feature_p_values("bonferroni", task, "gcn")
