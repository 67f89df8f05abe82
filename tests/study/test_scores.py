"""Scores averaged over runs."""

import pandas as pd
import pytest

from graphsieve.errors import InputError
from graphsieve.study.scores import mean_scores, runs_sentence


def scores(dataset: str, scorer: str, *trials: list[float]) -> pd.DataFrame:
    rows = [
        {"dataset": dataset, "model": "gcn", "scorer": scorer, "seed": seed, "feature": feature, "score": score}
        for seed, trial in enumerate(trials)
        for feature, score in enumerate(trial)
    ]
    return pd.DataFrame(rows)


def test_mean_scores_by_feature():
    means = mean_scores(scores("digits", "npt", [1, 5], [3, 5]))
    assert means[["feature", "mean", "runs"]].values.tolist() == [[0, 2, 2], [1, 5, 2]]
    assert means["spread"].tolist() == pytest.approx([2**0.5, 0])


def test_mean_scores_refuse_to_mix_models():
    mixed = pd.concat([scores("digits", "npt", [1, 5]), scores("digits", "npt", [1, 5]).assign(model="gin")])
    with pytest.raises(InputError, match="'npt' on 'digits' come from 2 models"):
        mean_scores(mixed)


def test_the_number_of_runs_in_words():
    assert runs_sentence(pd.DataFrame({"runs": [1, 1]})) == "Averages are over 1 run."
    assert runs_sentence(pd.DataFrame({"runs": [2, 5]})) == "Averages are over 2 to 5 runs."
