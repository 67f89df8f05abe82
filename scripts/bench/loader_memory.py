"""Peak memory of permutation importance on mini-batches of a random graph of ogbn-arxiv's size.

The whole process counts, with the graph and torch itself. All nodes are scored; how many columns are matters to the
seconds alone, because columns are permuted a few at a time.
"""

import argparse

import torch
from measure import resident_mebibytes
from torch_geometric.data import Data
from torch_geometric.loader import RandomNodeLoader
from torch_geometric.nn import GraphSAGE

from bench import ARXIV_SIZE, random_graph
from graphsieve import permutation_importance
from models import HIDDEN

PARTS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--columns", type=int, default=ARXIV_SIZE["features"], help="so many of all are scored")
    parser.add_argument("--repeats", type=int, default=1)
    given = parser.parse_args()
    graph = random_graph(**ARXIV_SIZE, density=1.0)
    x, edge_index, y = (torch.from_numpy(array) for array in (graph.x, graph.edge_index, graph.y))
    data = Data(x=x, edge_index=edge_index, y=y, n_id=torch.arange(len(x)))
    torch.manual_seed(0)
    model = GraphSAGE(x.shape[1], HIDDEN, num_layers=2, out_channels=graph.num_classes)
    result = permutation_importance(
        model,
        RandomNodeLoader(data, PARTS),
        n_repeats=given.repeats,
        features=range(given.columns),
        metric="cross_entropy",
        progress=True,
    )
    print(f"{result}\npeak memory: {resident_mebibytes('VmHWM') / 1024:.2f} GiB")


if __name__ == "__main__":
    main()
