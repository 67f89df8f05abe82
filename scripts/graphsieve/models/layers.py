"""The registry of models: a name and the function that makes one of its layers.

To add a model, write such a function and name it in `LAYERS`. The imports are inside the functions because the workflow
reads the names before any job runs, and importing torch_geometric takes seconds.
"""


def gcn_layer(inputs: int, outputs: int, hidden: int):
    from torch_geometric.nn import GCNConv

    return GCNConv(inputs, outputs)


def gin_layer(inputs: int, outputs: int, hidden: int):
    from torch.nn import Linear, ReLU, Sequential
    from torch_geometric.nn import GINConv

    return GINConv(Sequential(Linear(inputs, hidden), ReLU(), Linear(hidden, outputs)))


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


LAYERS = {
    "gcn": gcn_layer,
    "gin": gin_layer,
    "tagcn": tagcn_layer,
    "graphsage": graphsage_layer,
    "gat": gat_layer,
    "mlp": mlp_layer,
}
