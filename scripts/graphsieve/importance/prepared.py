"""Permutation importance of one model on one graph, asked for several times."""

from collections.abc import Mapping, Sequence

import numpy as np
from torch import Tensor, nn

from graphsieve.importance.api import GIBIBYTE
from graphsieve.importance.conditional import Conditional
from graphsieve.importance.inputs import read_inputs
from graphsieve.importance.request import Posed, Request
from graphsieve.importance.result import PermutationImportance
from graphsieve.importance.rounds import Clock
from graphsieve.importance.sampling import Sampling
from graphsieve.importance.tasks import read_target


class PreparedImportance:
    """Gives what `permutation_importance` gives, and prepares but once what does not depend on the draws.

    On a large graph the unperturbed pass, and finding the fastest exact engine, take as long as a hundred permutations.
    """

    def __init__(
        self,
        model: nn.Module,
        x: Tensor,
        edge_index: Tensor,
        y: Tensor,
        nodes: np.ndarray,
        *,
        metric: Sequence[str],
        perturbation: str | Conditional = "permute",
        **model_kwargs: object,
    ):
        inputs = read_inputs(x, edge_index, model_kwargs, "x")
        self._asked = {
            "model": model,
            "posed": Posed(inputs, read_target("node", inputs, y, nodes, None)),
            "metric": list(metric),
            "perturbation": perturbation,
            "given": (),
            "within": None,
            "perturbed_rows": "all",
            "shared_permutation": False,
            "engine": "auto",
            "sampling": Sampling(),
            "clock": Clock(None),
            "n_jobs": None,
            "progress": False,
            "memory_limit": GIBIBYTE // 2,
            "engines": {},
        }
        self.baselines: dict[str, float] = {}  # unperturbed, by metric; known from the first importance on

    def importance(
        self,
        *,
        n_repeats: int,
        random_state: np.random.SeedSequence,
        features: Sequence[int] | None = None,
        groups: Mapping[str, Sequence[int]] | None = None,
    ) -> dict[str, PermutationImportance]:
        """By metric."""
        request = Request(n_repeats=n_repeats, seed=random_state, **self._asked)
        results = request.results(request.posed.inputs, features, groups, None)
        self.baselines = {name: result.baseline for name, result in results.items()}
        return results
