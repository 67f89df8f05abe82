"""The registry of models: a name and the function that makes one of its layers.

To add a model, write such a function and name it in `LAYERS`. The imports are inside the functions because the workflow
reads the names before any job runs, and importing torch_geometric takes seconds.
"""

from graphsieve.errors import InputError


def gcn_layer(inputs: int, outputs: int, hidden: int):
    from torch_geometric.nn import GCNConv

    return GCNConv(inputs, outputs)


def gin_layer(inputs: int, outputs: int, hidden: int):
    from torch.nn import Linear, ReLU, Sequential
    from torch_geometric.nn import GINConv

    return GINConv(Sequential(Linear(inputs, hidden), ReLU(), Linear(hidden, outputs)))


def gin_linear_layer(inputs: int, outputs: int, hidden: int):
    """GIN with a linear map where its network is; the paper does not say which it has."""
    from torch.nn import Linear
    from torch_geometric.nn import GINConv

    return GINConv(Linear(inputs, outputs))


def tagcn_layer(inputs: int, outputs: int, hidden: int):
    from torch_geometric.nn import TAGConv

    return TAGConv(inputs, outputs)


def graphsage_layer(inputs: int, outputs: int, hidden: int):
    from torch_geometric.nn import SAGEConv

    return SAGEConv(inputs, outputs)


def gat_layer(inputs: int, outputs: int, hidden: int):
    from torch_geometric.nn import GATConv

    return GATConv(inputs, outputs)


def mlp_layer(inputs: int, outputs: int, hidden: int):
    from graphsieve.models.graph_free import GraphFreeLinear

    return GraphFreeLinear(inputs, outputs)


def graphconv_layer(inputs: int, outputs: int, hidden: int):
    """GraphSAGE's mean over neighbours, weighted where edges have weights."""
    from torch_geometric.nn import GraphConv

    return GraphConv(inputs, outputs, aggr="mean")


def gated_layer(inputs: int, outputs: int, hidden: int, edge_dim: int):
    """A mean over neighbours through gates that read the edge's attributes."""
    from torch_geometric.nn import ResGatedGraphConv

    return ResGatedGraphConv(inputs, outputs, edge_dim=edge_dim, aggr="mean")


LAYERS = {
    "gcn": gcn_layer,
    "gin": gin_layer,
    "gin_linear": gin_linear_layer,
    "tagcn": tagcn_layer,
    "graphsage": graphsage_layer,
    "gat": gat_layer,
    "mlp": mlp_layer,
    "graphconv": graphconv_layer,
}
# Layers for graphs whose edges have attributes, so many of them as `edge_dim` says.
EDGE_LAYERS = {"gated": gated_layer}


def make_layer(name: str, inputs: int, outputs: int, hidden: int, edge_dim: int = 0):
    """One layer of this name; whether its graph has edge attributes decides which names there are."""
    if name in EDGE_LAYERS and edge_dim:
        return EDGE_LAYERS[name](inputs, outputs, hidden, edge_dim)
    if name in EDGE_LAYERS:
        raise InputError(f"model '{name}' reads attributes of edges, and there are none: choose another")
    if name not in LAYERS:
        raise InputError(f"model '{name}' is unknown: choose one of {', '.join([*LAYERS, *EDGE_LAYERS])}")
    return LAYERS[name](inputs, outputs, hidden)
