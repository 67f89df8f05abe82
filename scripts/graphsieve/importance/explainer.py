"""Permutation importance as an algorithm of PyG's `Explainer`: scores of the features, for all nodes together."""

import logging
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import nll_loss
from torch_geometric.explain import Explanation
from torch_geometric.explain.algorithm import ExplainerAlgorithm
from torch_geometric.explain.config import MaskType, ModelMode, ModelReturnType

from graphsieve.errors import InputError
from graphsieve.importance.api import permutation_importance


class PermutationExplainer(ExplainerAlgorithm):
    """Explains a model by how much worse it does when a column of x is permuted.

    For the explanation type "phenomenon" that is measured against the labels that the caller gives as `target`, for
    "model" against the model's own predictions. The explanation has `node_mask` of shape (1, features), the mean over
    repeats, and `node_mask_std`, the deviation; `index` names the scored nodes. Importances may be negative. Pairs of
    nodes, whole graphs and numbers are explained, too: what the model takes by name (`edge_label_index`, `batch`,
    `edge_attr`, ...) is given to the explainer, and a metric that fits, such as "r2", to the algorithm.

    Parameters
    ----------
    n_repeats, metric, perturbation, random_state, engine
        As in `graphsieve.permutation_importance`. A function as metric is given what the model returns.

    Examples
    --------
    A layer that looks at the first column only:

    >>> import torch
    >>> from torch_geometric.explain import Explainer
    >>> from torch_geometric.nn import GCNConv
    >>> from graphsieve import PermutationExplainer
    >>> model = GCNConv(2, 2, bias=False)
    >>> model.lin.weight.data = torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
    >>> explainer = Explainer(
    ...     model,
    ...     algorithm=PermutationExplainer(n_repeats=20),
    ...     explanation_type="phenomenon",
    ...     node_mask_type="common_attributes",
    ...     model_config={"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"},
    ... )
    >>> x = torch.tensor([[1.0, 3.0], [-1.0, 5.0]]).repeat(50, 1)
    >>> explanation = explainer(x, torch.tensor([[0, 1], [2, 3]]), target=(x[:, 0] < 0).long())
    >>> explanation.node_mask.numpy().round(1)
    array([[0.5, 0. ]], dtype=float32)
    >>> explanation.visualize_feature_importance("importance.png", feat_labels=["first", "second"])
    """

    def __init__(
        self,
        *,
        n_repeats: int = 10,
        metric: str | Callable[[Tensor, Tensor], float] = "accuracy",
        perturbation: str = "permute",
        random_state: int | np.random.SeedSequence | None = 0,
        engine: str = "auto",
    ):
        super().__init__()
        self.metric = metric
        self.options = {
            "n_repeats": n_repeats, "perturbation": perturbation, "random_state": random_state, "engine": engine
        }  # fmt: skip

    def forward(
        self,
        model: nn.Module,
        x: Tensor,
        edge_index: Tensor,
        *,
        target: Tensor,
        index: int | Tensor | None = None,
        **kwargs: object,
    ) -> Explanation:
        if not isinstance(x, Tensor):
            raise InputError("x is given by type of node: explain a homogeneous graph")
        level, nodes = self.model_config.task_level.value, None
        if level == "node":
            nodes = torch.arange(len(x), device=x.device) if index is None else torch.as_tensor(index).reshape(-1)
        elif index is not None:
            raise InputError(f"index names scored nodes, and at task_level '{level}' all are scored: leave it out")
        options = {"metric": self._metric(), "task_level": level, **self.options, **kwargs}
        result = permutation_importance(model, x, edge_index, target, nodes, **options)
        mean, std = (
            torch.as_tensor(values, dtype=x.dtype, device=x.device)[None]
            for values in (result.importances_mean, result.importances_std)
        )
        return Explanation(node_mask=mean, node_mask_std=std)

    def _metric(self) -> str | Callable[[Tensor, Tensor], float]:
        """The loss is one of logits; those of log-probabilities are themselves, probabilities need their logarithm."""
        probabilities = self.model_config.return_type == ModelReturnType.probs
        return negative_log_loss if self.metric == "cross_entropy" and probabilities else self.metric

    def supports(self) -> bool:
        """Says why not where the settings are not supported, as PyG's own algorithms do."""
        asked, model = self.explainer_config, self.model_config
        wanted = {
            "node_mask_type": (asked.node_mask_type, MaskType.common_attributes),
            "edge_mask_type": (asked.edge_mask_type, None),
        }
        if model.mode == ModelMode.binary_classification:  # the metrics read the sign of one number
            wanted["return_type"] = (model.return_type, ModelReturnType.raw)
        for name, (found, supported) in wanted.items():
            if found != supported:
                named = getattr(supported, "value", None)
                logging.error(f"{type(self).__name__} needs {name}={named!r}, not {getattr(found, 'value', None)!r}")
                return False
        return True


def negative_log_loss(probabilities: Tensor, y: Tensor) -> float:
    """Higher is better, as a function must have it."""
    return -float(nll_loss(probabilities.log(), y))
