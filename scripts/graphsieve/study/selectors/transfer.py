"""Features that one model selects, kept for another: how much of a ranking is the model's and how much the data's.

Three answers. Accuracy: what a model loses with features that another selects, against those that it selects itself.
Rank correlation and overlap: of rankings by two models of one split, and by one model of two splits. Parts of the
variance of ranks: what all models and splits agree in is the data's; what belongs to a model, whatever the split, is
the model's; what belongs to a split, whatever the model, is the split's; the rest is noise.
"""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from graphsieve.scoring.scorers import DATA, asked_by
from graphsieve.selection.top import count_to_keep, keep_top
from graphsieve.study.families import overlap_of
from graphsieve.study.labels import DATASETS, ROWS, in_order
from graphsieve.study.selectors.stability import agreement
from graphsieve.study.statistics import mean_test, spearman

PARTS = {"data": "the data's", "model": "the model's", "split": "the split's", "noise": "neither's"}


def accuracies(records: pd.DataFrame, share: float) -> pd.DataFrame:
    """In percent, of every dataset, scorer, model asked, model retrained and seed; `all` keeps all features."""
    wanted = np.isclose(records["share"], share) | (records["scorer"] == "all")
    return records[wanted].assign(accuracy=100 * records["test_accuracy"])


def matrix(runs: pd.DataFrame, dataset: str, scorer: str) -> pd.DataFrame:
    """Models asked (rows) by models retrained (columns): mean accuracy."""
    part = runs[(runs["dataset"] == dataset) & (runs["scorer"] == scorer)]
    return part.pivot_table(index="asked", columns="model", values="accuracy")


def means(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy and its deviation of every dataset, scorer, model asked and model retrained."""
    grouped = runs.groupby(["dataset", "scorer", "asked", "model"], sort=False)["accuracy"]
    return grouped.agg(accuracy_mean="mean", accuracy_std="std", runs="size").reset_index()


def losses(runs: pd.DataFrame) -> pd.DataFrame:
    """What a model loses, in points, with features that others select, against those that it selects itself.

    Of every dataset and scorer that asks models, the mean over all pairs of different models; and of scorers that ask
    the data alone, the mean over models, against what each selects by the first scorer that asks it. Positive is lost.
    """
    rows, overlap = [], overlap_of(runs)
    for dataset in in_order(runs["dataset"], DATASETS):
        part = runs[(runs["dataset"] == dataset) & (runs["scorer"] != "all")]
        own = part[part["asked"] == part["model"]].set_index(["scorer", "model", "seed"])["accuracy"]
        reference = next(name for name in dict.fromkeys(part["scorer"]) if name in own.index)
        for scorer in in_order(part["scorer"], ROWS):
            others = part[(part["scorer"] == scorer) & (part["asked"] != part["model"])]
            against = scorer if scorer in own.index else reference
            lost = own[against].reindex(pd.MultiIndex.from_frame(others[["model", "seed"]])).to_numpy()
            by_seed = (lost - others["accuracy"]).groupby(others["seed"]).mean()
            named = {"dataset": dataset, "scorer": scorer, "against": against}
            rows.append({**named, **mean_test(by_seed, overlap)})
    return pd.DataFrame(rows)


def variance_parts(ranks: np.ndarray) -> dict[str, float]:
    """Shares of the variance of ranks by feature, model and split (the axes, in this order) that sum to 1.

    They are those of rank = feature + feature x model + feature x split + noise, all random effects; ranks of one model
    and split have the same mean, so there is nothing else. Mean squares give the parts; a negative one counts as 0.

    >>> agreed = np.arange(5.0)[:, None, None] * np.ones((1, 3, 2))
    >>> variance_parts(agreed)
    {'data': 1.0, 'model': 0.0, 'split': 0.0, 'noise': 0.0}
    """
    features, models, splits = ranks.shape
    of_feature = ranks.mean(axis=(1, 2), keepdims=True)
    of_model = ranks.mean(axis=2, keepdims=True) - of_feature
    of_split = ranks.mean(axis=1, keepdims=True) - of_feature
    rest = ranks - of_feature - of_model - of_split
    free = features - 1
    noise = (rest**2).sum() / (free * (models - 1) * (splits - 1))
    by_model = splits * (of_model**2).sum() / (free * (models - 1))
    by_split = models * (of_split**2).sum() / (free * (splits - 1))
    by_feature = models * splits * ((of_feature - ranks.mean()) ** 2).sum() / free
    parts = {
        "data": (by_feature - by_model - by_split + noise) / (models * splits),
        "model": (by_model - noise) / splits,
        "split": (by_split - noise) / models,
        "noise": noise,
    }
    kept = {name: max(0.0, float(value)) for name, value in parts.items()}
    total = sum(kept.values())
    return {name: value / total if total else np.nan for name, value in kept.items()}


def compare_rankings(scores: pd.DataFrame, share: float) -> pd.DataFrame:
    """Of every dataset and scorer that asks models: correlation and overlap of rankings, and parts of their variance.

    `spearman` and `kuncheva` (of the best `share`) are means over pairs: `models`, two models of one split; `splits`,
    one model of two splits. Shares of variance need two of each.
    """
    rows = []
    for (dataset, scorer), part in scores.groupby(["dataset", "scorer"], sort=False):
        if asked_by(scorer, "model") == DATA:
            continue
        tables = _tables(part)
        models, seeds = (sorted({key[place] for key in tables}) for place in (0, 1))
        ranks = {key: stats.rankdata(run["score"]) for key, run in tables.items()}
        tops = {key: _top(run, share) for key, run in tables.items()}
        pairs = {
            "models": [((one, seed), (other, seed)) for one, other in combinations(models, 2) for seed in seeds],
            "splits": [((model, one), (model, other)) for model in models for one, other in combinations(seeds, 2)],
        }
        row = {"dataset": dataset, "scorer": scorer, "models": len(models), "runs": len(seeds)}
        for between, chosen in pairs.items():
            chosen = [pair for pair in chosen if set(pair) <= set(tables)]
            row[f"spearman_{between}"] = _mean(spearman(ranks[one], ranks[other]) for one, other in chosen)
            overlaps = (agreement(np.stack([tops[one], tops[other]]))["kuncheva"] for one, other in chosen)
            row[f"kuncheva_{between}"] = _mean(overlaps)
        if len(models) > 1 and len(seeds) > 1 and len(tables) == len(models) * len(seeds):
            stacked = [[ranks[model, seed] for seed in seeds] for model in models]
            row |= variance_parts(np.moveaxis(np.array(stacked), 2, 0))
        rows.append(row)
    columns = ["dataset", "scorer", "models", "runs"]
    columns += [f"{name}_{between}" for name in ("spearman", "kuncheva") for between in ("models", "splits")]
    return pd.DataFrame(rows, columns=[*columns, *PARTS])


def _tables(part: pd.DataFrame) -> dict[tuple[str, int], pd.DataFrame]:
    """The scores of every model and seed, in the order of the features."""
    return {key: run.sort_values("feature") for key, run in part.groupby(["model", "seed"])}


def _top(run: pd.DataFrame, share: float) -> np.ndarray:
    """Which features are kept, ties broken by the loss where there is one."""
    losses = None if run["loss"].isna().all() else run["loss"].to_numpy()
    kept = keep_top(run["score"].to_numpy(), count_to_keep(len(run), share), losses=losses).kept
    return np.isin(np.arange(len(run)), kept)


def _mean(values) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else np.nan
