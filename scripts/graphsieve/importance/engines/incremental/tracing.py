"""A model's program on a given graph: what it does to rows, and where it passes messages.

Other than for `lowrank`, the pass is traced on the real graph and with real values beside the symbols. So whatever a
layer computes from the graph alone (self-loops, degrees, norms) is simply computed; the shape of every value is known;
and a layer that nobody has described is followed into its forward pass, up to its calls of `propagate`.
"""

import contextlib
import inspect
import operator
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, fx, nn
from torch_geometric.nn import MessagePassing

from graphsieve.importance.engines.incremental.attention import is_described
from graphsieve.importance.engines.lowrank.trace import (
    Convolution,
    Reader,
    Step,
    Tracer,
    argument,
    as_model,
    is_identity,
    twin_of,
)
from graphsieve.models.fast.convolutions import CONVOLUTIONS, Unsupported, network_behind

RESHAPES = {
    *("view", "reshape", "flatten", "unsqueeze", "squeeze"),
    *(torch.reshape, torch.flatten, torch.unsqueeze, torch.squeeze),
}
PRODUCTS = {operator.matmul, torch.matmul, torch.mm, "matmul", "mm"}
REDUCTIONS = {torch.sum, torch.mean, torch.amax, "sum", "mean", "amax"}
WHOLE, OF_NODES, OF_EDGES = "forward", "propagate", "edge_updater"  # what may be called of a layer
EDGE_CONSTANTS = ("edge_weight", "edge_attr")


@dataclass(frozen=True)
class Call:
    """A layer nobody has described, or a method of it that passes messages.

    Operands that depend on x are nodes, or calls that give values of edges; all others are values.
    """

    path: str
    method: str
    args: tuple
    kwargs: dict

    @property
    def operands(self) -> list[fx.Node]:
        found: list[fx.Node] = []

        def note(value: Any) -> Any:
            found.extend(value.operands if isinstance(value, Call) else [value] * isinstance(value, fx.Node))
            return value

        fx.node.map_aggregate((self.args, self.kwargs), note)
        return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Traced:
    """Steps in the order in which they are taken; `calls_of` has the edges that a known layer was seen to use."""

    model: nn.Module
    x: fx.Node
    output: fx.Node
    order: list[fx.Node]
    rowwise: dict[fx.Node, Step]
    convolutions: dict[fx.Node, Convolution]
    calls: dict[fx.Node, Call]
    per_node: dict[fx.Node, Tensor]  # constants with one row per node
    edges_of: dict[fx.Node, list[tuple]]


def trace_on_graph(
    model: nn.Module,
    x: Tensor,
    edge_index: object,
    model_kwargs: dict[str, object],
    inside: bool,
    unknown: frozenset[str] = frozenset(),
) -> Traced:
    """Layers that nobody has described are followed up to `propagate` (`inside`), or are one step as a whole.

    `unknown` names layers to which no description is to be applied.
    """
    model, values = as_model(model, model_kwargs)
    names = list(inspect.signature(model.forward).parameters)
    concrete = {names[1]: edge_index, **values} if len(names) > 1 else {}
    try:
        twin = twin_of(model)
        tracer = _ValueTracer(names[0], x, concrete, inside, unknown)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Was not able to add assertion")
            graph = tracer.trace(twin, concrete_args=concrete)
    except Exception as error:  # whatever a forward pass written for tensors raises when it meets a proxy
        raise Unsupported(f"forward cannot be traced: {error}") from error
    return _RowReader(model, graph, twin, len(x), unknown).trace()


class _ValueProxy(fx.Proxy):
    """A symbol that passes for a tensor and knows its value: its shape and type may be asked for, its entries not."""

    _is_param = False

    def __init__(self, node: fx.Node, tracer: fx.Tracer):
        super().__init__(node, tracer)
        self.value: Any = None

    @property
    def __class__(self) -> type:
        return Tensor

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)
    device = property(lambda self: self.value.device)
    layout = property(lambda self: self.value.layout)
    is_sparse = property(lambda self: self.value.is_sparse)
    ndim = property(lambda self: self.value.ndim)

    def size(self, *dimension: int) -> Any:
        return self.value.size(*dimension)

    def dim(self) -> int:
        return self.value.dim()


@dataclass(frozen=True)
class _Method:
    """A method by which a layer passes messages, as one step."""

    layer: MessagePassing
    path: str
    __name__: str

    def __call__(self, edge_index: Tensor, **kwargs: Any) -> Tensor:
        return getattr(type(self.layer), self.__name__)(self.layer, edge_index, **kwargs)


class _ValueTracer(Tracer):
    def __init__(self, x_name: str, x: Tensor, concrete: dict[str, Any], inside: bool, unknown: frozenset[str]):
        super().__init__()
        self.inputs = {x_name: x, **{f"{name}_1": value for name, value in concrete.items()}}
        self.inside, self.unknown = inside, unknown
        self.computing = False

    def proxy(self, node: fx.Node) -> fx.Proxy:
        return _ValueProxy(node, self)

    def create_arg(self, value: Any) -> Any:
        return value.node if isinstance(value, fx.Proxy) else super().create_arg(value)

    def getattr(self, _name: str, value: Any, _cache: dict) -> Any:
        return value  # so that what is computed from parameters alone is computed

    def call_module(self, module: nn.Module, forward: Callable, args: tuple, kwargs: dict) -> Any:
        if self.computing:
            return forward(*args, **kwargs)
        if not isinstance(module, MessagePassing) or self._knows(module):
            return super().call_module(module, forward, args, kwargs)
        if not self.inside:
            return self.create_proxy("call_module", self.path_of_module(module), args, kwargs)
        with self._methods_as_steps(module):
            return forward(*args, **kwargs)

    def _knows(self, layer: MessagePassing) -> bool:
        return _is_known(layer, self.path_of_module(layer), self.unknown)

    @contextlib.contextmanager
    def _methods_as_steps(self, layer: MessagePassing) -> Iterator[None]:
        for name in (OF_NODES, OF_EDGES):
            setattr(layer, name, self._as_step(_Method(layer, self.path_of_module(layer), name)))
        try:
            yield
        finally:
            for name in (OF_NODES, OF_EDGES):
                delattr(layer, name)

    def _as_step(self, method: _Method) -> Callable:
        def step(edge_index: Tensor, size: Any = None, **kwargs: Any) -> Any:
            found: list[fx.Proxy] = []
            fx.node.map_aggregate(kwargs, lambda value: found.append(value) if isinstance(value, fx.Proxy) else value)
            if not found:  # it depends on the graph alone
                return method(edge_index, size=size, **kwargs)
            return self.create_proxy("call_function", method, (edge_index,), {"size": size, **kwargs})

        return step

    def create_proxy(self, kind: str, target: Any, args: tuple, kwargs: dict, *names: Any, **more: Any) -> fx.Proxy:
        proxy = super().create_proxy(kind, target, args, kwargs, *names, **more)
        self.computing = True
        try:
            proxy.value = self._value(proxy.node, *fx.node.map_aggregate((args, kwargs), _value_of))
        finally:
            self.computing = False
        if isinstance(proxy.value, Tensor):
            proxy.node.meta["shape"] = tuple(proxy.value.shape)
        return proxy

    def _value(self, node: fx.Node, args: tuple, kwargs: dict) -> Any:
        if node.op == "placeholder":
            return self.inputs.get(node.target)
        if node.op == "call_method":
            return getattr(args[0], node.target)(*args[1:], **kwargs)
        if node.op == "call_module":
            module = self.root.get_submodule(node.target)
            if not isinstance(module, MessagePassing) or not self._knows(module):
                return module(*args, **kwargs)
            with _watched(module) as node.meta["edges"], _without_network(module):
                return module(*args, **kwargs)
        return node.target(*args, **kwargs)


def _is_known(module: nn.Module, path: str, unknown: frozenset[str]) -> bool:
    return path not in unknown and (type(module) in CONVOLUTIONS or is_described(module))


def _value_of(argument: Any) -> Any:
    if type(argument) is _ValueProxy:
        return argument.value
    if isinstance(argument, fx.proxy.Attribute):
        return getattr(argument.root.value, argument.attr)
    return argument


@contextlib.contextmanager
def _watched(module: MessagePassing) -> Iterator[list[tuple]]:
    """The edges, and what it knows of them, that a layer hands to `edge_updater` and `propagate`."""
    seen: list[tuple] = []

    def note(_: MessagePassing, arguments: tuple) -> None:
        edge_index, _, kwargs = arguments
        seen.append((edge_index, {name: kwargs[name] for name in EDGE_CONSTANTS if kwargs.get(name) is not None}))

    handles = [module.register_propagate_forward_pre_hook(note), module.register_edge_update_forward_pre_hook(note)]
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()


@contextlib.contextmanager
def _without_network(module: MessagePassing) -> Iterator[None]:
    """The network behind a known layer is traced by itself."""
    network = network_behind(module)
    if network is not None:
        module.nn = nn.Identity()
    try:
        yield
    finally:
        if network is not None:
            module.nn = network


class _RowReader(Reader):
    def __init__(self, model: nn.Module, graph: fx.Graph, twin: nn.Module, num_nodes: int, unknown: frozenset[str]):
        super().__init__(model, graph, twin)
        self.num_nodes, self.unknown = num_nodes, unknown
        self.calls: dict[fx.Node, Call] = {}
        self.of_edges: dict[fx.Node, Call] = {}
        self.per_node: dict[fx.Node, Tensor] = {}

    def trace(self) -> Traced:
        program = self.read()
        if self.poolings:
            raise Unsupported("rows of graphs")
        steps = (self.rowwise, self.convolutions, self.calls)
        order = [node for node in self.graph.nodes if any(node in kind for kind in steps)]
        edges = {node: node.meta["edges"] for node, layer in self.convolutions.items() if layer.module is not None}
        return Traced(self.model, program.x, program.output, order, *steps, self.per_node, edges)

    def _read_step(self, node: fx.Node) -> None:
        shape = node.meta.get("shape")
        if isinstance(node.target, _Method) and node.target.__name__ == OF_EDGES:
            self.of_edges[node] = self._call(node, node.target.path, OF_EDGES)
            return
        if not shape or shape[0] != self.num_nodes:
            raise Unsupported(f"{node.target} does not give one row per node")
        super()._read_step(node)

    def _read_module(self, node: fx.Node, module: nn.Module) -> None:
        if not isinstance(module, MessagePassing):
            super()._read_module(node, module)
        elif module._forward_hooks or module._forward_pre_hooks:
            raise Unsupported("a layer has hooks")
        elif _is_known(module, node.target, self.unknown):
            self._read_convolution(node, module)
        else:
            self.calls[node] = self._call(node, node.target, WHOLE)

    def _call(self, node: fx.Node, path: str, method: str) -> Call:
        for operand in node.all_input_nodes:
            if not self._varies(operand) and operand not in self.constants:
                raise Unsupported("an operand computed from the graph")
        args, kwargs = fx.node.map_arg((node.args, node.kwargs), self._operand)
        return Call(path, method, args, kwargs)

    def _read_function(self, node: fx.Node) -> None:
        target = node.target
        if isinstance(target, _Method):
            self.calls[node] = self._call(node, target.path, OF_NODES)
        elif target in RESHAPES and not is_identity(node):
            self.rowwise[node] = Step(_reshape, (self._resolve(node.args[0]), node.meta["shape"][1:]), {})
        elif target in PRODUCTS:
            self._read_linear(node, node.args[0], _matrix(self._constant(node.args[1])).T, None)
        elif target is operator.getitem:
            self._read_columns(node)
        elif target in REDUCTIONS:
            if not self._within_rows(node, argument(node, 1, "dim", None)):
                raise Unsupported(f"operation {target} across nodes")
            function = getattr(Tensor, target) if node.op == "call_method" else target
            args, kwargs = fx.node.map_arg((node.args, node.kwargs), self._operand)
            self.rowwise[node] = Step(function, args, kwargs)
        else:
            super()._read_function(node)

    def _read_columns(self, node: fx.Node) -> None:
        """x[:, part] takes the same part of every row."""
        source, index = node.args
        plain = isinstance(index, tuple) and index[0] == slice(None) and source.meta.get("shape")
        if not plain or not all(part is None or isinstance(part, (int, slice)) for part in index):
            raise Unsupported("rows are selected")
        self.rowwise[node] = Step(operator.getitem, (self._resolve(source), index), {})

    def _read_linear(self, node: fx.Node, source: fx.Node, weight: Tensor, bias: Tensor | None) -> None:
        if not isinstance(source, fx.Node) or not self._varies(source):
            raise Unsupported("a weight that depends on x")
        if len(source.meta["shape"]) == 2:
            node.meta["edges"] = self._resolve(source).meta.get("edges")  # the map may become part of the layer
            super()._read_linear(node, source, weight, bias)
        else:
            self.rowwise[node] = Step(F.linear, (self._resolve(source), weight, bias), {})

    def _check_operand(self, node: fx.Node, operand: fx.Node) -> None:
        """Broadcasting must not mix rows: what has one row per node has as many dimensions as the result."""
        dimensions, constant = len(node.meta["shape"]), self.constants.get(operand)
        if constant is not None:
            if constant.dim() == dimensions and constant.shape[0] == self.num_nodes:
                self.per_node[operand] = constant
            elif constant.dim() >= dimensions and constant.shape[0] != 1:
                raise Unsupported("a constant that does not fit the rows")
        elif not self._varies(operand):
            raise Unsupported("an operand computed from the graph")
        elif len(operand.meta["shape"]) != dimensions:
            raise Unsupported("operands of different dimensions")

    def _within_rows(self, node: fx.Node, dimension: Any) -> bool:
        like = node.args[0] if isinstance(node.args[0], fx.Node) else node
        several = dimension if isinstance(dimension, (tuple, list)) else (dimension,)
        return all(isinstance(one, int) and one % len(like.meta["shape"]) > 0 for one in several)

    def _varies(self, node: fx.Node) -> bool:
        return super()._varies(node) or self._resolve(node) in self.calls or self._resolve(node) in self.of_edges

    def _operand(self, node: fx.Node) -> fx.Node | Call | Tensor:
        if self._resolve(node) in self.of_edges:
            return self.of_edges[self._resolve(node)]
        return node if node in self.per_node else super()._operand(node)


def _reshape(rows: Tensor, shape: tuple[int, ...]) -> Tensor:
    return rows.reshape(len(rows), *shape)


def _matrix(weight: Tensor | None) -> Tensor:
    if weight is None or weight.dim() != 2:
        raise Unsupported("a product with more than a matrix")
    return weight
