"""What becomes smaller on large graphs and where time is short. Clocks are made up: nothing is timed."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from graphsieve.data.splits import choose_split
from graphsieve.data.synthetic import generate
from graphsieve.errors import InputError
from graphsieve.importance import permutation_importance
from graphsieve.importance.prepared import PreparedImportance
from graphsieve.inference import accuracy_curve, scored, sides, trainings
from graphsieve.inference.accuracy_curve import coarse_to_fine
from graphsieve.inference.budget import STAGES, Budget
from graphsieve.inference.ranking import rank_features
from graphsieve.inference.scored import score_sides
from graphsieve.inference.sides import train_sides
from graphsieve.models.classifier import build_model
from graphsieve.options import RankingOptions, TrainingOptions
from graphsieve.randomness import child

CPU = torch.device("cpu")
QUICK = TrainingOptions(hidden=16, classifier="none", dropout=0.5, epochs=20)


class Clock:
    """Goes on by some seconds whenever it is looked at."""

    def __init__(self, pace: float):
        self.time, self.pace = 0.0, pace

    def __call__(self) -> float:
        self.time += self.pace
        return self.time


def test_stages_end_at_their_share():
    clock = Clock(0)
    budget = Budget(100, clock)
    clock.time = 100 * STAGES["training"] - 1
    assert budget.allows("training", 0.5)
    assert not budget.allows("training", 1.5)
    clock.time = 100 * STAGES["training"]
    assert not budget.allows("training")
    assert budget.allows("scoring", 10)
    assert Budget().allows("curve", 1e9)
    budget.cut("less")
    assert budget.cuts == ["there was no time for more: less"]


@pytest.mark.parametrize("budget", [0, -1.0])
def test_a_budget_must_be_positive(budget):
    with pytest.raises(InputError, match="time_budget is"):
        RankingOptions(time_budget=budget)


def test_without_time_there_is_still_an_answer_and_it_says_what_it_lacks(small_graph):
    options = RankingOptions(seeds=3, permutations=199, training=QUICK, time_budget=1e-9)
    ranking = rank_features(small_graph, options=options)
    assert (ranking.options.seeds, ranking.options.n_repeats) == (1, scored.AT_ONCE)
    assert ranking.table["p_value"].between(2 / (scored.AT_ONCE + 1), 1).all()
    assert ranking.curve["kept"].tolist() == [8]
    assert ranking.smallest == 8
    said = "\n".join(ranking.shortcuts)
    for part in ("models of 1 of 3 seeds", "5 of 20 permutations", "1 of 7 numbers of features"):
        assert part in said


def test_time_ends_permutations_and_leaves_valid_p_values():
    graph = generate("d", 0, num_nodes=200, num_features=6)
    options = RankingOptions(seeds=1, n_repeats=20, permutations=999, training=QUICK)
    split = choose_split(graph, "random", 0)
    patient = score_sides(train_sides(graph, split, options, CPU), 6)
    hasty_sides = train_sides(graph, split, options, CPU)
    budget = Budget(14, Clock(1.0))
    hasty = score_sides([replace(side, budget=budget) for side in hasty_sides], 6)
    assert hasty.falls.shape[2] == 15  # three parts, with looks at the clock before and after each
    assert (hasty.p_values >= patient.p_values.min()).all()
    assert any("p-values that may be smaller" in sentence for sentence in budget.cuts)


def test_coarse_to_fine():
    assert coarse_to_fine([1, 2, 4, 8, 16]) == [16, 1, 4, 2, 8]
    assert coarse_to_fine([1]) == [1]


def test_prepared_importances_are_those_of_single_calls(small_graph):
    model = build_model("graphsage", 8, 3, hidden=8).eval()
    given = [torch.from_numpy(array) for array in (small_graph.x, small_graph.edge_index, small_graph.y)]
    nodes, metrics = np.arange(40), ["accuracy", "cross_entropy"]
    prepared = PreparedImportance(model, *given, nodes, metric=metrics)
    for occasion, items in enumerate(({"features": range(8)}, {"features": [5, 2]}, {"groups": {"a": [0, 3]}})):
        how = {"n_repeats": 4, "random_state": child(0, "scoring", occasion), **items}
        expected = permutation_importance(model, *given, nodes, metric=metrics, engine="full", **how)
        found = prepared.importance(**how)
        for metric in metrics:
            np.testing.assert_allclose(found[metric].importances, expected[metric].importances, atol=1e-5)


def test_a_large_graph_is_ranked_by_samples(monkeypatch):
    """Large is here what has more than 300 nodes; the planted columns are found, and the page is told."""
    for module, name, size in ((trainings, "LARGE", 300), (sides, "MOST_SCORED", 100)):
        monkeypatch.setattr(module, name, size)
    monkeypatch.setattr(accuracy_curve, "MOST_TESTED", 50)
    monkeypatch.setattr(sides, "DRAWN_BYTES", 4 * 200 * 7)  # seven permutations at a time
    graph = generate("d", 0, num_nodes=400, num_features=10)
    ranking = rank_features(graph, options=RankingOptions(seeds=2, permutations=399, training=QUICK))
    best = set(ranking.table["feature"][:5])
    assert len(best & {"0", "1", "2", "3", "4"}) >= 4
    assert (ranking.scored_nodes, ranking.test_nodes) == (200, 50)
    said = "\n".join(ranking.shortcuts)
    for part in ("400 nodes", "200 of 320 labelled nodes", "50 of 80 test nodes", "one model"):
        assert part in said
    assert ranking.curve["accuracy"].iloc[-1] > ranking.majority
