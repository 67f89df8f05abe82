"""How many columns are enough: by hand, and on a graph whose relevant columns are known."""

import numpy as np
import pandas as pd
import pytest

from graphsieve.data.stand_ins import generate
from graphsieve.inference.enough import keeping_order, leading_columns, numbers_on_curve, smallest_enough
from graphsieve.inference.ranking import rank_features
from graphsieve.options import RankingOptions, TrainingOptions

CURVE = pd.DataFrame({"kept": [1, 2, 4, 8], "loss": [0.3, 0.03, 0.05, 0.0], "loss_standard_error": [0.02] * 4})


@pytest.mark.parametrize(
    ("leading", "losses", "expected"),
    [
        (0, [0.3, 0.03, 0.05, 0.0], 2),  # 0.03 is below two errors
        (3, [0.3, 0.03, 0.05, 0.0], 8),  # 0.05 is above
        (3, [0.3, 0.03, 0.01, 0.0], 4),
        (1, [0.0, 0.0, 0.0, 0.0], 1),
    ],
)
def test_the_smallest_number_with_all_that_lead_and_no_measurable_loss(leading, losses, expected):
    assert smallest_enough(CURVE.assign(loss=losses), leading) == expected


def test_without_errors_any_loss_counts():
    assert smallest_enough(CURVE.assign(loss_standard_error=np.nan), 0) == 8


def test_the_best_of_every_starred_unit_leads_and_the_first_others_that_are_used():
    order = np.array([4, 0, 3, 1, 2, 5])
    unit = np.array([0, 1, 1, 0, 2, 3])
    starred = np.array([True, True, True, True, False, True])
    none, used = np.zeros(6, dtype=bool), np.array([True, False, True, True, True, True])
    leading = leading_columns(order, unit, starred, none)
    assert leading.tolist() == [0, 1, 5]
    assert keeping_order(order, leading).tolist() == [0, 1, 5, 4, 3, 2]
    assert leading_columns(order, unit, none, none).tolist() == []
    assert leading_columns(order, unit, starred, used).tolist() == [0, 1, 5, 4]
    assert leading_columns(order, unit, none, used).tolist() == [4, 0]  # two at the most, of different units
    used[0] = False
    assert leading_columns(order, unit, none, used).tolist() == [4]  # a third does not move up


def test_the_curve_has_the_number_of_those_that_lead():
    assert numbers_on_curve(3, 0) == [1, 2, 3]
    assert 9 in numbers_on_curve(1000, 9)


def test_what_is_starred_is_kept_and_one_of_its_copies_is_enough():
    graph = generate(5, num_nodes=200, relevant=2, copies=1, smooth=0, white=2, signal=1.5)
    training = TrainingOptions(hidden=8, epochs=30)
    ranking = rank_features(graph, options=RankingOptions(seeds=1, permutations=99, training=training))
    starred = ranking.table[ranking.table["starred"]]
    leading = ranking.keeping[: starred["unit"].nunique()]
    assert len(leading) >= 1
    assert starred.groupby("unit")["feature"].first().isin(leading).all()
    assert set(leading) <= {graph.names()[column] for column in ranking.best(ranking.smallest)}
    assert sorted(ranking.keeping) == sorted(graph.names())
