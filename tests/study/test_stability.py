"""How early the final ranking is known, against SciPy and values counted by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from graphsieve.study import stability


def watched(*checkpoints: np.ndarray) -> pd.DataFrame:
    """The scores of one run, one array per checkpoint; the rise of the loss goes with them."""
    return pd.concat(
        pd.DataFrame({"feature": range(len(scores)), "score": scores, "loss": 2 * scores}).assign(
            dataset="cora", seed=0, checkpoint=number
        )
        for number, scores in enumerate(checkpoints, 1)
    )


def test_rank_stability_is_spearmans_and_the_overlap_of_the_top():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 100))
    final = second + 0.5 * first
    table = stability.rank_stability(watched(first, second, final), share=0.1)
    assert table["spearman"].tolist() == pytest.approx(
        [stats.spearmanr(first, final)[0], stats.spearmanr(second, final)[0], 1]
    )
    top = [set(np.argsort(-values)[:10]) for values in (first, second, final)]
    assert table["overlap"].tolist() == [len(top[0] & top[2]) / 10, len(top[1] & top[2]) / 10, 1]
    summary = stability.summarise(table)
    assert summary["checkpoint"].tolist() == [1, 2]  # the last agrees with itself
    assert summary["spearman_std"].isna().all()
