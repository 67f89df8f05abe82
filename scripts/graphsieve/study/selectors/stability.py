"""Whether a scorer selects the same features again with another split: Jaccard's index and Kuncheva's, over seeds."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from graphsieve.selection.top import count_to_keep
from graphsieve.study.labels import base, sort_as_paper
from graphsieve.study.runs import models_apart


def stability(tops: pd.DataFrame, features: pd.Series, shares: Sequence[float]) -> pd.DataFrame:
    """Of every scorer, graph and share: the mean of both indices over all pairs of seeds.

    Parameters
    ----------
    tops : the best features of every run by `place`, as `benchmark_tops.csv.gz` has them.
    features : how many each dataset has.
    shares : of the features that are looked at; those beyond what `tops` holds are left out.
    """
    tops, rows = models_apart(tops), []
    for (dataset, scorer), runs in tops.groupby(["dataset", "scorer"], sort=False):
        total = int(features[base(dataset)])
        held = runs["place"].max()
        for count in dict.fromkeys(count_to_keep(total, share) for share in sorted(shares)):
            if count <= held:
                chosen = _membership(runs[runs["place"] <= count], total)
                rows.append({"dataset": dataset, "scorer": scorer, "kept": count, **agreement(chosen)})
    columns = ["dataset", "scorer", "kept", "jaccard", "kuncheva", "runs"]
    return sort_as_paper(pd.DataFrame(rows, columns=columns), "scorer")


def agreement(chosen: np.ndarray) -> dict[str, float]:
    """Of sets of equal size, as rows of zeros and ones: both indices, the mean over all pairs of sets.

    Jaccard: features in common as a share of those in either. Kuncheva (2007): features in common beyond those that two
    random sets have, as a share of what is possible; 0 for chance, 1 for the same. NaN where all features are chosen.

    >>> agreement(np.array([[1, 1, 0, 0], [1, 0, 1, 0]])) == {"jaccard": 1 / 3, "kuncheva": 0.0, "runs": 2}
    True
    """
    runs, total = chosen.shape
    size = int(chosen[0].sum())
    common = (chosen.astype(int) @ chosen.T.astype(int))[np.triu_indices(runs, k=1)]
    expected = size**2 / total
    return {
        "jaccard": float(np.mean(common / (2 * size - common))) if runs > 1 else np.nan,
        "kuncheva": float(np.mean((common - expected) / (size - expected))) if runs > 1 and size < total else np.nan,
        "runs": runs,
    }


def _membership(runs: pd.DataFrame, total: int) -> np.ndarray:
    """Seeds by features: whether it is among the best."""
    seeds, rows = np.unique(runs["seed"], return_inverse=True)
    chosen = np.zeros((len(seeds), total), dtype=bool)
    chosen[rows, runs["feature"]] = True
    return chosen


def at_share(table: pd.DataFrame, features: pd.Series, share: float) -> pd.DataFrame:
    """The rows in which this share of the features is kept."""
    wanted = table["dataset"].map(lambda name: count_to_keep(int(features[base(name)]), share))
    return table[table["kept"] == wanted]
