"""Which features matter, and why: tested by itself, beside the other columns, and beside these and the graph."""

import pandas as pd
import torch

from graphsieve.data.graph import Graph
from graphsieve.inference.correlated import closest_columns, correlations_of
from graphsieve.inference.evidence import ColumnTests
from graphsieve.inference.p_values import SIGNIFICANCE
from graphsieve.inference.ranking import prepare
from graphsieve.inference.scored import score_sides
from graphsieve.inference.sides import train_sides
from graphsieve.inference.trainings import MakeModel
from graphsieve.inference.verdicts import QUESTIONS, reason_of
from graphsieve.options import RankingOptions


def feature_reasons(
    graph: Graph,
    *,
    options: RankingOptions | None = None,
    device: str | torch.device = "cpu",
    progress: bool = False,
    make_model: MakeModel | None = None,
) -> pd.DataFrame:
    """Importance of every feature by itself and conditional on the others, with p-values and a reason.

    The p-values are those of `rank_features`: models learn on one half of the nodes and are scored on the other.

    Parameters
    ----------
    graph : Graph
        Its features are taken as they are, so scale them first.
    options : RankingOptions, optional
        Which model, how many seeds and permutations; what a draw keeps is settled here.
    device : str or torch.device
        Where to train and score.
    progress : bool
        Whether to show progress bars.
    make_model : callable, optional
        Makes a module of one's own for a number of features, as in `rank_features`.

    Returns
    -------
    DataFrame
        One row per feature, in the order of the columns: rise of the loss and p-value for each of QUESTIONS, the
        column that it correlates with most, and which of REASONS holds.

    Examples
    --------
    >>> from graphsieve.data.stand_ins import generate
    >>> from graphsieve.options import RankingOptions, TrainingOptions
    >>> graph = generate(0, num_nodes=120, relevant=1, copies=1, smooth=1, white=1)
    >>> options = RankingOptions(seeds=1, permutations=39, training=TrainingOptions(hidden=8, epochs=10))
    >>> table = feature_reasons(graph, options=options)
    >>> list(table["feature"]), list(table["closest"][:2])
    (['relevant 1', 'copy of 1', 'smooth 1', 'white 1'], ['copy of 1', 'relevant 1'])
    """
    device = torch.device(device)
    graph, split, options = prepare(graph, options or RankingOptions())
    tests = ColumnTests(graph, split, train_sides(graph, split, options, device, progress, make_model))
    table = pd.DataFrame({"feature": graph.names()})
    for question in QUESTIONS:
        scored = score_sides(tests.perturbed(question), graph.num_features)
        table[f"loss_{question}"], table[f"p_{question}"] = scored.losses, scored.p_values
    table["closest"], table["correlation"] = closest_columns(graph, correlations_of(graph, options.seed))
    table["reason"] = [reason_of(table.loc[row], SIGNIFICANCE) for row in table.index]
    return table
