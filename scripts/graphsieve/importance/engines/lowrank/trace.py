"""A module's forward pass as a list of steps whose effect on single rows is known.

The pass is traced symbolically (torch.fx), so every operation on x is seen, not guessed from the module's attributes.
An operation is accepted only if it is a convolution of `convolutions.py`, maps each node's row by itself, or pools
rows of nodes into rows of graphs; anything else raises `Unsupported`, and a slower engine takes over.
"""

import copy
import inspect
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, fx, nn
from torch_geometric.nn import MaxAggregation, MeanAggregation, MessagePassing, SumAggregation
from torch_geometric.nn.pool import glob
from torch_geometric.utils import scatter

from graphsieve.models.fast.convolutions import CONVOLUTIONS, Unsupported, network_behind
from graphsieve.models.fast.nonzero_columns import MOST, without_zero_columns
from graphsieve.models.fast.products import product, rectified

ELEMENTWISE_MODULES = (
    *(nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.ELU, nn.SELU, nn.CELU, nn.GELU, nn.SiLU, nn.Mish, nn.Tanh, nn.Sigmoid),
    *(nn.Softplus, nn.Softsign, nn.Hardtanh, nn.Hardswish, nn.LogSigmoid),
)
IDENTITY_MODULES = (nn.Identity, nn.Dropout, nn.AlphaDropout)  # in evaluation mode
ELEMENTWISE_FUNCTIONS = {
    *(torch.relu, F.relu, F.relu6, F.leaky_relu, F.elu, F.selu, F.celu, F.gelu, F.silu, F.mish, F.softplus),
    *(torch.tanh, F.tanh, torch.sigmoid, F.sigmoid, F.logsigmoid, F.hardtanh, torch.exp, torch.abs, torch.square),
    *(torch.add, torch.sub, torch.mul, torch.div, operator.add, operator.sub, operator.mul, operator.truediv),
    *(operator.neg, torch.maximum, torch.minimum),
}
ELEMENTWISE_METHODS = {"relu", "relu_", "tanh", "sigmoid", "add", "sub", "mul", "div", "neg", "exp", "abs", "square"}
RELUS = {torch.relu, F.relu, "relu", "relu_", nn.ReLU}
LAST_DIMENSION = {-1, 1}
NARROW = 64  # outputs up to which the transposed product is the faster one on CPUs
FEW_OUTPUTS = 16
ALONG_DIMENSION = {  # the place, the name and the default of the argument that must be the last dimension
    torch.cat: (1, "dim", 0),
    torch.concat: (1, "dim", 0),
    F.normalize: (2, "dim", 1),
    **dict.fromkeys((F.softmax, F.log_softmax, torch.softmax, torch.log_softmax), (1, "dim", None)),
    **dict.fromkeys(("softmax", "log_softmax"), (1, "dim", None)),
}
REDUCTIONS = {"sum": "sum", "add": "sum", "mean": "mean", "max": "max"}
POOLING_MODULES = {SumAggregation: "sum", MeanAggregation: "mean", MaxAggregation: "max"}


@dataclass(frozen=True)
class Convolution:
    """A known layer called on the value of `source`."""

    node: fx.Node
    source: fx.Node
    module: nn.Module | None  # None for a plain linear map of x
    linear: tuple[Tensor, Tensor | None] | None = None  # a linear map (weight, bias) applied to the layer's output

    @property
    def is_plain_sum(self) -> bool:
        """Whether it has no weights yet, so that a linear map can be part of it."""
        return self.module is not None and network_behind(self.module) is not None and self.linear is None


@dataclass(frozen=True)
class Pooling:
    """Rows of nodes, the value of `source`, become rows of graphs."""

    source: fx.Node
    batch: str  # the name of the argument with the graph of each node
    num_graphs: int | None  # None where it is the highest number in `batch`, plus one
    reduction: str  # sum, mean or max


@dataclass(frozen=True)
class Program:
    """Convolutions in the order of their calls, the poolings after them, and the row-wise operations between them."""

    x: fx.Node
    output: fx.Node
    convolutions: dict[fx.Node, Convolution]
    poolings: dict[fx.Node, Pooling]
    rowwise: dict[fx.Node, "Step"]


@dataclass(frozen=True)
class Step:
    """A row-wise operation; its operands are numbers, tensors, or nodes whose rows it reads."""

    function: Callable
    args: tuple
    kwargs: dict

    @property
    def is_linear(self) -> bool:
        """Whether it is a linear map: (rows, weight, bias)."""
        return self.function is linear_rows

    @property
    def operands(self) -> list[fx.Node]:
        found: list[fx.Node] = []
        fx.node.map_arg((self.args, self.kwargs), found.append)
        return found


class Tracer(fx.Tracer):
    def __init__(self):
        super().__init__(autowrap_functions=(scatter,))
        self._autowrap_search.append(glob)  # the home of global_add_pool and its like, which all call `scatter`

    def is_leaf_module(self, module: nn.Module, name: str) -> bool:
        known = (MessagePassing, *POOLING_MODULES)
        return isinstance(module, known) or super().is_leaf_module(module, name)

    def call_module(self, module: nn.Module, forward: Callable, args: tuple, kwargs: dict) -> Any:
        network = network_behind(module)
        if network is not None:  # the filter stays one step, the network behind it is traced
            return network(self.create_proxy("call_module", self.path_of_module(module), args, kwargs))
        return super().call_module(module, forward, args, kwargs)


class SingleLayer(nn.Module):
    """A layer that is a model by itself: tracing looks at what a model calls."""

    def __init__(self, layer: MessagePassing, model_kwargs: dict[str, object]):
        super().__init__()
        self.layer, self.model_kwargs = layer, model_kwargs

    def forward(self, x: Tensor, edge_index: Any) -> Tensor:
        return self.layer(x, edge_index, **self.model_kwargs)


def twin_of(module: nn.Module) -> nn.Module:
    """A copy with the same parameters: what happens to its attributes does not reach the caller's module."""
    shared = {id(tensor): tensor for tensor in (*module.parameters(), *module.buffers())}
    return copy.deepcopy(module, shared)


def as_model(model: nn.Module, model_kwargs: dict[str, object]) -> tuple[nn.Module, dict[str, object]]:
    """A module whose forward pass can be traced, and what it is given beyond x and the graph."""
    if isinstance(model, MessagePassing):
        return SingleLayer(model, model_kwargs), {}
    others = list(inspect.signature(model.forward).parameters.values())[2:]
    return model, {p.name: p.default for p in others if p.default is not p.empty} | model_kwargs


def trace_program(model: nn.Module, model_kwargs: dict[str, object], sums_first: bool = False) -> Program:
    """The program of `model(x, edge_index, **model_kwargs)`; the model must be in evaluation mode.

    sums_first: whether linear maps behind a sum over neighbours are row-wise operations, where they make rows no
    narrower: so a ReLU that follows is one operation with them.
    """
    model, values = as_model(model, model_kwargs)
    fixed = {name: value for name, value in values.items() if not isinstance(value, Tensor)}
    try:
        twin = twin_of(model)
        graph = Tracer().trace(twin, concrete_args=fixed or None)
    except Exception as error:  # whatever a forward pass written for tensors raises when it meets a proxy
        raise Unsupported(f"forward cannot be traced: {error}") from error
    return Reader(model, graph, twin, sums_first).read()


class Reader:
    """Turns the traced calls into a program, or says which of them is not understood."""

    def __init__(self, model: nn.Module, graph: fx.Graph, twin: nn.Module, sums_first: bool = False):
        self.model, self.graph, self.twin, self.sums_first = model, graph, twin, sums_first
        self.x = next(node for node in graph.nodes if node.op == "placeholder")
        self.alias: dict[fx.Node, fx.Node] = {}
        self.convolutions: dict[fx.Node, Convolution] = {}
        self.poolings: dict[fx.Node, Pooling] = {}
        self.rowwise: dict[fx.Node, Step] = {}
        self.of_graphs: set[fx.Node] = set()  # whose rows are graphs, not nodes
        self.constants: dict[fx.Node, Tensor] = {}

    def read(self) -> Program:
        nodes = list(self.graph.nodes)
        result = nodes[-1].args[0]
        if not isinstance(result, fx.Node):
            raise Unsupported("forward returns more than the logits")
        needed = _ancestors(result)
        varying = {self.x}
        for node in nodes[:-1]:
            if node in needed and node is not self.x:
                if varying.intersection(node.all_input_nodes):
                    self._read_step(node)
                    self._note_rows(node, varying)
                    varying.add(node)
                elif node.op == "get_attr":
                    self.constants[node] = _attribute(self.twin, node.target)
        if result not in varying:
            raise Unsupported("the logits do not depend on x")
        return Program(self.x, self._resolve(result), self.convolutions, self.poolings, self.rowwise)

    def _note_rows(self, node: fx.Node, varying: set[fx.Node]) -> None:
        """Rows of graphs stay among themselves, and only row-wise operations follow."""
        follows = {operand in self.of_graphs for operand in varying.intersection(node.all_input_nodes)}
        if len(follows) > 1 or (follows == {True} and node not in self.rowwise and node not in self.alias):
            raise Unsupported("rows of graphs meet rows of nodes")
        if follows == {True} or node in self.poolings:
            self.of_graphs.add(node)

    def _resolve(self, node: fx.Node) -> fx.Node:
        return self.alias.get(node, node)

    def _read_step(self, node: fx.Node) -> None:
        if node.op == "call_module":
            self._read_module(node, self.model.get_submodule(node.target))
        elif node.op in ("call_function", "call_method"):
            self._read_function(node)
        else:
            raise Unsupported(f"operation {node.op}")

    def _read_module(self, node: fx.Node, module: nn.Module) -> None:
        if module._forward_hooks or module._forward_pre_hooks:
            raise Unsupported("a layer has hooks")
        kind = type(module)
        if kind in CONVOLUTIONS:
            self._read_convolution(node, module)
        elif not node.args:
            raise Unsupported("an operand given by name")
        elif kind in IDENTITY_MODULES:
            self.alias[node] = self._resolve(node.args[0])
        elif kind in POOLING_MODULES:
            size = argument(node, 3, "dim_size", None)
            self._read_pooling(node, argument(node, 1, "index", None), size, POOLING_MODULES[kind])
        elif kind is nn.Linear:
            self._read_linear(node, node.args[0], module.weight, module.bias)
        elif kind in ELEMENTWISE_MODULES:
            self._keep(node, module, kind is nn.ReLU, getattr(module, "inplace", False))
        elif _normalises_rows(module):
            self._keep(node, module)
        else:
            raise Unsupported(f"layer {kind.__name__}")

    def _read_function(self, node: fx.Node) -> None:
        target, is_method = node.target, node.op == "call_method"
        if not node.args:
            raise Unsupported("an operand given by name")
        if target is F.linear:
            weight, bias = argument(node, 1, "weight", None), argument(node, 2, "bias", None)
            self._read_linear(node, node.args[0], self._constant(weight), self._constant(bias))
        elif target is scatter:
            self._read_scatter(node)
        elif is_identity(node):
            self.alias[node] = self._resolve(node.args[0])
        elif target in (ELEMENTWISE_METHODS if is_method else ELEMENTWISE_FUNCTIONS):
            in_place = target == "relu_" or node.kwargs.get("inplace", False)
            self._keep(node, getattr(Tensor, target) if is_method else target, target in RELUS, in_place)
        elif target in ALONG_DIMENSION:
            if not self._within_rows(node, argument(node, *ALONG_DIMENSION[target])):
                raise Unsupported(f"operation {target} across nodes")
            self._keep(node, getattr(Tensor, target) if is_method else target)
        else:
            raise Unsupported(f"operation {getattr(target, '__name__', target)}")

    def _read_convolution(self, node: fx.Node, layer: nn.Module) -> None:
        """Only its first operand may depend on x: edge weights computed from x would change with it."""
        arguments = {**{str(place): value for place, value in enumerate(node.args)}, **node.kwargs}
        source = arguments.pop("x" if "x" in arguments else "0", None)
        others: list[fx.Node] = []
        fx.node.map_arg(arguments, others.append)
        if not isinstance(source, fx.Node) or any(map(self._varies, others)):
            raise Unsupported(f"{type(layer).__name__} is called on more than x and the graph")
        self.convolutions[node] = Convolution(node, self._resolve(source), layer)

    def _read_scatter(self, node: fx.Node) -> None:
        reduction = REDUCTIONS.get(argument(node, 4, "reduce", "sum"))
        if reduction is None or argument(node, 2, "dim", 0) not in (0, -2):
            raise Unsupported("a scatter that is no pooling")
        index, size = argument(node, 1, "index", None), argument(node, 3, "dim_size", None)
        self._read_pooling(node, index, size, reduction)

    def _read_pooling(self, node: fx.Node, batch: object, num_graphs: object, reduction: str) -> None:
        if not isinstance(batch, fx.Node) or batch.op != "placeholder" or isinstance(num_graphs, fx.Node):
            raise Unsupported("pooling by a computed batch")
        self.poolings[node] = Pooling(self._resolve(node.args[0]), batch.target, num_graphs, reduction)

    def _read_linear(self, node: fx.Node, source: fx.Node, weight: Tensor, bias: Tensor | None) -> None:
        source = self._resolve(source)
        earlier = self.convolutions.get(source)
        if source is self.x:
            self.convolutions[node] = Convolution(node, source, None, (weight, bias))
        elif earlier and earlier.is_plain_sum and self._is_sole_reader(node) and not self._sums_first(earlier, weight):
            del self.convolutions[source]
            self.convolutions[node] = Convolution(node, earlier.source, earlier.module, (weight, bias))
        else:
            self.rowwise[node] = Step(linear_rows, (source, weight, bias), {})

    def _sums_first(self, convolution: Convolution, weight: Tensor) -> bool:
        return self.sums_first and convolution.source is not self.x and weight.shape[0] >= weight.shape[1]

    def _keep(self, node: fx.Node, function: Callable, is_relu: bool = False, in_place: bool = False) -> None:
        """Accept a row-wise step whose other operands are numbers or the same for all rows."""
        sole_reader = self._is_sole_reader(node)
        if in_place and not sole_reader:
            raise Unsupported("a value is changed in place and used again")
        for operand in node.all_input_nodes:
            self._check_operand(node, operand)
        args, kwargs = fx.node.map_arg((node.args, node.kwargs), self._operand)
        if is_relu and sole_reader:
            earlier = self.rowwise.get(args[0])
            if earlier and earlier.is_linear:
                self.rowwise[node] = Step(rectified_rows, earlier.args, {})
                return
            function = relu_in_place  # the rows are a working copy that nobody else reads
        self.rowwise[node] = Step(function, args, kwargs)

    def _check_operand(self, node: fx.Node, operand: fx.Node) -> None:
        constant = self.constants.get(operand)
        if constant is not None and constant.dim() > 1 and constant.shape[0] != 1:
            raise Unsupported("a constant with one row per node")
        if constant is None and not self._varies(operand):
            raise Unsupported("an operand computed from the graph")

    def _within_rows(self, node: fx.Node, dimension: Any) -> bool:
        return dimension in LAST_DIMENSION

    def _is_sole_reader(self, node: fx.Node) -> bool:
        """Nothing else reads the first operand, nor what it is another name of."""
        operand = node.args[0]
        if not isinstance(operand, fx.Node):
            return False
        while len(operand.users) == 1 and operand in self.alias:
            operand = operand.args[0]
        return len(operand.users) == 1

    def _varies(self, node: fx.Node) -> bool:
        node = self._resolve(node)
        return node is self.x or any(node in known for known in (self.convolutions, self.poolings, self.rowwise))

    def _constant(self, value: fx.Node | None) -> Tensor | None:
        if value is None:
            return None
        if value not in self.constants:
            raise Unsupported("a weight that is computed")
        return self.constants[value]

    def _operand(self, node: fx.Node) -> fx.Node | Tensor:
        return self.constants[node] if node in self.constants else self._resolve(node)


def relu_in_place(rows: Tensor, *_: Any, **__: Any) -> Tensor:
    return rows.relu_()


def linear_rows(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Same as F.linear; many outputs without what is zero."""
    if len(weight) > NARROW:
        rows, weight = without_zero_columns(rows, weight, MOST)
    result = rows_times(rows, weight)
    return result if bias is None else result.add_(bias)


def rectified_rows(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """relu of `linear_rows`."""
    if bias is None or len(weight) > NARROW:
        return linear_rows(rows, weight, bias).relu_()
    return rectified(rows, weight, bias)


def rows_times(rows: Tensor, weight: Tensor) -> Tensor:
    """rows @ weight.T; for few outputs the transposed product is twice as fast on CPUs."""
    return (weight @ rows.T).T if len(weight) < FEW_OUTPUTS else product(rows, weight.T)


def _normalises_rows(module: nn.Module) -> bool:
    """Batch normalisation by stored statistics, or layer normalisation of each row."""
    if type(module) is nn.BatchNorm1d:
        return module.running_mean is not None and not module.training
    return type(module) is nn.LayerNorm and len(module.normalized_shape) == 1


def is_identity(node: fx.Node) -> bool:
    if node.target is F.dropout:
        return argument(node, 2, "training", True) is False
    if node.target in ("squeeze", torch.squeeze):  # of a single output per row
        return argument(node, 1, "dim", None) in LAST_DIMENSION and _only_scaled(node)
    return node.op == "call_method" and node.target == "contiguous"


def _only_scaled(node: fx.Node) -> bool:
    """Whether only elementwise operations with numbers follow, to which a missing column is all the same."""
    return all(
        user.op == "output"
        or (user.target in ELEMENTWISE_FUNCTIONS | ELEMENTWISE_METHODS and user.all_input_nodes == [node])
        and _only_scaled(user)
        for user in node.users
    )


def argument(node: fx.Node, place: int, name: str, default: Any) -> Any:
    return node.args[place] if len(node.args) > place else node.kwargs.get(name, default)


def _attribute(module: nn.Module, path: str) -> Tensor:
    for name in path.split("."):
        module = getattr(module, name)
    if not isinstance(module, Tensor):
        raise Unsupported("an attribute that is not a tensor")
    return module


def _ancestors(node: fx.Node) -> set[fx.Node]:
    found, queue = set(), [node]
    while queue:
        current = queue.pop()
        if current not in found:
            found.add(current)
            queue.extend(current.all_input_nodes)
    return found
