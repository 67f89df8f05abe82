"""The engine for models that cannot be traced: a part of the graph around the scored nodes, several copies in one pass.

Why it is exact: the copies are disjoint parts of one graph, so a model that passes messages along edges treats them
independently, and a ball of nodes that holds all a scored node can see gives it the same logits as the whole graph.
Whether both hold is not guessed from the module. They are tested: for x, for x with its rows shuffled, and for x
drowned in noise, all scored logits from one batched pass of the ball must equal those of full passes. A model that
pools or normalises over all nodes fails at once, and the reference engine takes over.
"""

import copy
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from graphsieve.importance.engines.cost import counted_cost
from graphsieve.importance.problem import Problem, call_model
from graphsieve.importance.verify import agree
from graphsieve.models.fast.convolutions import Unsupported

BATCH_BYTES = 2**24  # of copied features: beyond this, larger batches do not get faster
LARGEST_BALL = 0.7  # share of the graph beyond which restriction does not pay
SMALL_GRAPH_BYTES = 2**22  # below this, batching pays even without restriction


class RestrictedEngine:
    """Logits for ranges of (item, repeat) pairs from batched passes of a ball around the scored nodes."""

    name = "restricted"

    def __init__(self, problem: Problem):
        self.problem = problem
        self.edge_index = _plain_edge_index(problem)
        try:
            shared = {id(tensor): tensor for tensor in (*problem.model.parameters(), *problem.model.buffers())}
            self.model = copy.deepcopy(problem.model, shared)  # a layer's cache of the graph must not meet a subgraph
        except Exception as error:
            raise Unsupported(f"the model cannot be copied: {error}") from error
        self.ball = self._smallest_exact_ball()
        self.copies = self._copies_per_batch()

    def _smallest_exact_ball(self) -> Tensor:
        problem = self.problem
        probes = _probe_inputs(problem)
        expected = [problem.baseline, *(problem.call(probe, "a noisy copy of x") for probe in probes[1:])]
        for ball in self._balls():
            try:
                found = self._batched_logits(ball, [probe[ball] for probe in probes])
            except Exception:  # noqa: S112 - the model's own error on a subgraph only says that this ball will not do
                continue
            if all(agree(one, other) for one, other in zip(found, expected, strict=True)):
                return ball
        raise Unsupported("the logits depend on more than a small part of the graph")

    def _balls(self) -> Iterator[Tensor]:
        """Nodes within 1, 2, ... hops, in either direction; a small graph also as a whole."""
        problem, (source, target) = self.problem, self.edge_index
        inside = torch.zeros(problem.num_nodes, dtype=torch.bool, device=problem.x.device)
        inside[problem.nodes] = True
        limit, size = LARGEST_BALL * problem.num_nodes, 0
        while size < int(inside.sum()) <= limit:
            size = int(inside.sum())
            yield inside.nonzero()[:, 0]
            grown = inside.clone()
            grown[source[inside[target]]] = True
            grown[target[inside[source]]] = True
            inside = grown
        if problem.x.numel() * problem.x.element_size() <= SMALL_GRAPH_BYTES:
            yield torch.arange(problem.num_nodes, device=problem.x.device)

    def _subgraph(self, ball: Tensor, copies: int) -> Tensor:
        """Disjoint copies of the edges within the ball, in their original order."""
        place = torch.full((self.problem.num_nodes,), -1, device=ball.device)
        place[ball] = torch.arange(len(ball), device=ball.device)
        local = place[self.edge_index]
        local = local[:, (local >= 0).all(0)]
        shifts = len(ball) * torch.arange(copies, device=ball.device)
        return (local[:, None, :] + shifts[None, :, None]).reshape(2, -1)

    def _batched_logits(self, ball: Tensor, inputs: list[Tensor]) -> Tensor:
        """(copies, nodes, classes)"""
        logits = self.model(torch.cat(inputs), self._subgraph(ball, len(inputs)))
        return self._scored(logits, ball, len(inputs))

    def _scored(self, logits: Tensor, ball: Tensor, copies: int) -> Tensor:
        if logits.shape[0] != len(ball) * copies:
            raise Unsupported("the number of rows does not follow the graph")
        places = torch.searchsorted(ball, self.problem.nodes)
        return logits.view(copies, len(ball), -1)[:, places]

    def _copies_per_batch(self) -> int:
        problem = self.problem
        one_copy = len(self.ball) * problem.x.shape[1] * problem.x.element_size()
        # A model's own activations are taken to need eight times its input at most.
        copies = min(BATCH_BYTES, problem.memory_limit // 8) // one_copy
        return max(1, min(copies, problem.num_pairs))

    def cost_per_pair(self) -> float:
        return counted_cost(lambda: self.logits(range(self.copies))) / self.copies

    def logits(self, pairs: range) -> Tensor:
        """(classes, nodes, copies) of up to `copies` pairs."""
        problem, size = self.problem, len(self.ball)
        x = problem.x[self.ball].repeat(len(pairs), 1).view(len(pairs), size, -1)
        ball = self.ball.cpu().numpy()
        for copy_, pair in enumerate(pairs):
            position, repeat = divmod(pair, problem.repeats)
            for column, new in zip(problem.items[position], problem.draw(position), strict=True):
                values = new.dense(repeat, problem.num_nodes)[ball]
                x[copy_, :, column] = torch.from_numpy(values).to(x.device)
        edges = self._subgraph(self.ball, len(pairs))
        logits = call_model(self.model, x.view(-1, x.shape[2]), edges, "copies of a part of the graph")
        return self._scored(logits, self.ball, len(pairs)).permute(2, 1, 0).contiguous()

    def blocks(self, score: Callable[[Tensor], np.ndarray]) -> Iterator[tuple[range, np.ndarray]]:
        for start in range(0, self.problem.num_pairs, self.copies):
            block = range(start, min(start + self.copies, self.problem.num_pairs))
            yield block, score(self.logits(block))


def _plain_edge_index(problem: Problem) -> Tensor:
    edges = problem.edge_index
    if not problem.inputs.is_x or problem.inputs.model_kwargs or problem.target.level != "node":
        raise Unsupported("the model takes or returns more than rows of nodes")
    if problem.x.layout != torch.strided:
        raise Unsupported("x is sparse")
    if type(edges) is not Tensor or edges.layout != torch.strided or edges.dim() != 2 or edges.shape[0] != 2:
        raise Unsupported("edge_index is not a (2, edges) tensor")
    return edges


def _probe_inputs(problem: Problem) -> list[Tensor]:
    """x; its rows in another order; noise of its size with a few large values."""
    generator = torch.Generator(device="cpu").manual_seed(0)
    x = problem.x
    order = torch.randperm(len(x), generator=generator).to(x.device)
    noise = torch.randn(x.shape, generator=generator, dtype=x.dtype).to(x.device)
    return [x, x[order], x + 2 * x.std() * noise]
