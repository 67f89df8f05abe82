"""What a selection costs: CPU seconds of scoring and, where a scorer asks a trained model, of its training.

From what every job says at the end of its log; starting Python is not counted.
"""

import numpy as np
import pandas as pd

from graphsieve.scoring.scorers import MODEL_OF_SCORER
from graphsieve.study.labels import sort_as_paper

RUN = ["dataset", "split", "seed"]
MODEL = "model"


def selection_seconds(jobs: pd.DataFrame, own_models: dict[str, str]) -> pd.DataFrame:
    """Mean CPU seconds of a selection by dataset and scorer, and of the training among them.

    Parameters
    ----------
    jobs : as `study.cost.read_jobs` returns them.
    own_models : the model of every dataset; of several models that were asked, the cost of this one is told.
    """
    work = jobs.assign(work=(jobs["cpu_seconds"] - jobs["start_seconds"].fillna(0)).clip(lower=0))
    scored = work[(work["rule"] == "score") & (work[MODEL] == work["dataset"].map(own_models))]
    asked = scored["scorer"].map(MODEL_OF_SCORER).replace("own", np.nan).fillna(scored[MODEL])
    asked = asked.where(scored["scorer"].isin(MODEL_OF_SCORER), "")
    trained = work[work["rule"] == "train"].set_index([*RUN, MODEL])["work"].groupby(level=[*RUN, MODEL]).mean()
    places = pd.MultiIndex.from_frame(scored[RUN].assign(model=asked))
    training = trained.reindex(places).to_numpy()
    table = scored.assign(training=np.where(asked == "", 0.0, training))
    table["seconds"] = table["work"] + table["training"]  # unknown where the log of the training is gone
    means = table.groupby(["dataset", "scorer"], as_index=False)[["seconds", "training"]].mean()
    return sort_as_paper(means, "scorer")


def training_seconds(jobs: pd.DataFrame, own_models: dict[str, str]) -> pd.Series:
    """Mean CPU seconds of a training of every dataset's own model with all features."""
    trained = jobs[(jobs["rule"] == "train") & (jobs[MODEL] == jobs["dataset"].map(own_models))]
    return (trained["cpu_seconds"] - trained["start_seconds"].fillna(0)).groupby(trained["dataset"]).mean()


def cost_and_quality(standing: pd.DataFrame, seconds: pd.DataFrame) -> pd.DataFrame:
    """Of every scorer that is known on all graphs: the geometric mean of its seconds, and points behind the best."""
    seconds = seconds.dropna(subset="seconds")
    graphs = seconds.groupby("scorer")["dataset"].nunique()
    means = np.exp(np.log(seconds["seconds"].clip(lower=0.01)).groupby(seconds["scorer"]).mean())
    complete = graphs[graphs == graphs.max()].index
    table = standing.dropna(subset="mean_rank").assign(seconds=lambda rows: rows["scorer"].map(means))
    return table[table["scorer"].isin(complete)][["scorer", "seconds", "mean_regret", "mean_rank"]]


def unbeaten(table: pd.DataFrame) -> list[str]:
    """Scorers than which none is both cheaper and nearer to the best, the cheapest first."""
    ordered = table.sort_values(["seconds", "mean_regret"])
    best = ordered["mean_regret"].cummin().shift(fill_value=np.inf)
    return ordered.loc[ordered["mean_regret"] < best, "scorer"].tolist()
