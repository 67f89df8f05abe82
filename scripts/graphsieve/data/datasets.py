"""A dataset's name in, one checked `Graph` out. To add a dataset: one function, one line in `DATASETS`, one test.

torch_geometric and ogb are imported only by the loaders that need them, because that takes seconds.
"""

import contextlib
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from graphsieve.data.graph import Graph, Split, check_graph
from graphsieve.data.own.reader import read_own_graph
from graphsieve.data.raw_files import MIRROR_VARIABLE, RawFile, ensure_raw_files, read_manifest
from graphsieve.errors import InputError
from graphsieve.files.reading import read_npz
from graphsieve.options import ReadingOptions

HETEROPHILOUS = "HeterophilousGraphDataset"  # the folder of the raw files of this collection


@dataclass(frozen=True)
class Request:
    """All that a loader may need to know."""

    name: str
    seed: int
    root: Path
    mirror: Path | None
    manifest: Sequence[RawFile]

    @contextlib.contextmanager
    def raw_files(self) -> Iterator[str]:
        """A throw-away folder with links to the dataset's checked raw files, in the layout its loader expects.

        Loaders leave processed files beside the raw ones and later trust them blindly; here they are read by nobody.
        """
        wanted = [row for row in self.manifest if row.dataset == self.name]
        ensure_raw_files(wanted, self.root, self.mirror)
        with tempfile.TemporaryDirectory(prefix="graphsieve-") as folder:
            for row in wanted:
                link = Path(folder, row.file)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to((self.root / row.file).resolve())
            yield folder


def load_graph(
    name: str,
    *,
    root: str | Path = "data",
    mirror: str | Path | None = None,
    seed: int = 0,
    manifest: Sequence[RawFile] | None = None,
    path: str | Path | None = None,
) -> Graph:
    """The graph called `name`, with features as its loader gives them.

    Parameters
    ----------
    name : one of `DATASETS`; with a `path`, what to call the graph that is read from there.
    root : folder in which raw files are kept; what is missing is copied from the mirror or downloaded.
    mirror : folder with raw files in the same layout, which is only read; by default the environment's
        GRAPHSIEVE_MIRROR.
    seed : seed of the synthetic graphs; no other graph depends on it.
    manifest : the raw files that are known, by default those of `manifest.csv`.
    path : a graph of one's own: a folder with nodes.csv and edges.csv, an .npz or a .pt.

    Returns
    -------
    Graph, checked: features are finite, edges join nodes that exist, every node has a label or is marked as unlabelled.

    Examples
    --------
    >>> graph = load_graph("digits")
    >>> graph.num_nodes, graph.num_features, graph.num_classes
    (1797, 64, 10)
    """
    if path is not None:
        return read_own_graph(path, name, ReadingOptions(task="classification"))
    if name not in DATASETS:
        raise InputError(f"dataset '{name}' is unknown: choose one of {', '.join(DATASETS)}")
    return check_graph(DATASETS[name](make_request(name, seed=seed, root=root, mirror=mirror, manifest=manifest)))


def make_request(
    name: str,
    *,
    seed: int = 0,
    root: str | Path,
    mirror: str | Path | None,
    manifest: Sequence[RawFile] | None,
) -> Request:
    """Where nothing is said, the environment's mirror and the files of `manifest.csv`."""
    mirror = mirror or os.environ.get(MIRROR_VARIABLE)
    manifest = read_manifest() if manifest is None else manifest
    return Request(name, seed, Path(root), Path(mirror) if mirror else None, manifest)


def _planetoid(request: Request, pyg_name: str) -> Graph:
    from torch_geometric.datasets import Planetoid

    with request.raw_files() as folder:
        data = Planetoid(f"{folder}/Planetoid", pyg_name)[0]
    split = Split(*(np.flatnonzero(mask.numpy()) for mask in (data.train_mask, data.val_mask, data.test_mask)))
    return _from_pyg(request.name, data, split)


def _amazon(request: Request) -> Graph:
    from torch_geometric.datasets import Amazon

    with request.raw_files() as folder:
        return _from_pyg(request.name, Amazon(f"{folder}/Amazon", request.name)[0])


def _webkb(request: Request) -> Graph:
    """Ten splits come with each graph and none is the public one, so none is kept."""
    from torch_geometric.datasets import WebKB

    with request.raw_files() as folder:
        return _from_pyg(request.name, WebKB(f"{folder}/WebKB", request.name)[0])


def _actor(request: Request) -> Graph:
    """Directed, as the web graphs are, and with ten splits of which none is kept, too."""
    from torch_geometric.datasets import Actor

    with request.raw_files() as folder:
        return _from_pyg(request.name, Actor(f"{folder}/Actor")[0])


def _heterophilous(request: Request) -> Graph:
    """Of its ten splits none is kept."""
    from torch_geometric.datasets import HeterophilousGraphDataset

    with request.raw_files() as folder:
        return _from_pyg(request.name, HeterophilousGraphDataset(f"{folder}/{HETEROPHILOUS}", request.name)[0])


def _filtered(request: Request) -> Graph:
    """A Wikipedia graph without its duplicate nodes: the same format, but a name that PyG's class does not know."""
    with request.raw_files() as folder:
        arrays = read_npz(f"{folder}/{HETEROPHILOUS}/{request.name}/raw/{request.name}.npz")
    edges, y = arrays["edges"], arrays["node_labels"]
    both_directions = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0).T
    return Graph(request.name, arrays["node_features"], both_directions, y, num_classes=int(y.max()) + 1)


def _from_pyg(name: str, data, public_split: Split | None = None) -> Graph:
    y = data.y.numpy()
    return Graph(
        name, data.x.numpy(), data.edge_index.numpy(), y, num_classes=int(y.max()) + 1, public_split=public_split
    )


def _arxiv(request: Request) -> Graph:
    """Directed, as OGB gives it. Its files have no known checksum, so here unreadable ones are the user's to mend."""
    ogb_dataset = _import_ogb_dataset()
    with request.raw_files() as folder:
        Path(folder, "ogbn_arxiv/processed").mkdir()  # comes empty with OGB's archive and is expected to be there
        try:
            dataset = ogb_dataset("ogbn-arxiv", folder)
            parts = dataset.get_idx_split()
        except (OSError, EOFError, ValueError, IndexError, zlib.error) as error:
            raise InputError(
                f"dataset '{request.name}': the raw files in {request.root / 'ogbn_arxiv'} cannot be read ({error}): "
                "delete them and run again"
            ) from None
    graph, labels = dataset[0]
    return Graph(
        request.name,
        graph["node_feat"].astype(np.float32),
        graph["edge_index"],
        labels.ravel().astype(np.int64),
        dataset.num_classes,
        public_split=Split(*(np.sort(parts[part]).astype(np.int64) for part in ("train", "valid", "test"))),
    )


def _arxiv_standin(request: Request) -> Graph:
    from graphsieve.data.arxiv_standin import generate_standin

    def read(folder: str, file: str) -> np.ndarray:
        return np.loadtxt(Path(folder, "ogbn_arxiv", f"{file}.csv.gz"), dtype=np.int64)

    with request.raw_files() as folder:
        labels, years, edges = (read(folder, f"raw/{name}") for name in ("node-label", "node_year", "num-edge-list"))
        split = Split(*(np.sort(read(folder, f"split/time/{part}")) for part in ("train", "valid", "test")))
    return generate_standin(request.name, labels, years, int(edges), split)


def _import_ogb_dataset() -> type:
    """Importing ogb asks the network for a newer version in a thread that can hold up the exit, unless `outdated` is
    not to be had."""
    hidden = sys.modules.pop("outdated", None)
    sys.modules["outdated"] = None
    try:
        from ogb.nodeproppred import NodePropPredDataset
    finally:
        del sys.modules["outdated"]
        if hidden is not None:
            sys.modules["outdated"] = hidden
    return NodePropPredDataset


def _digits(request: Request) -> Graph:
    from graphsieve.data.digits import make_digits

    return make_digits(request.name)


def _synthetic(request: Request, regime: str) -> Graph:
    from graphsieve.data.synthetic import generate

    return generate(regime, request.seed)


def _hard_regime(request: Request, regime: str) -> Graph:
    from graphsieve.data.hard_regimes import generate_hard

    return generate_hard(regime, request.seed)


DATASETS: dict[str, Callable[[Request], Graph]] = {
    "cora": partial(_planetoid, pyg_name="Cora"),
    "citeseer": partial(_planetoid, pyg_name="CiteSeer"),
    "pubmed": partial(_planetoid, pyg_name="PubMed"),
    "photo": _amazon,
    "computers": _amazon,
    "cornell": _webkb,
    "texas": _webkb,
    "wisconsin": _webkb,
    "actor": _actor,
    "minesweeper": _heterophilous,
    "tolokers": _heterophilous,
    "chameleon_filtered": _filtered,
    "squirrel_filtered": _filtered,
    "arxiv": _arxiv,
    "arxiv_standin": _arxiv_standin,
    "digits": _digits,
    **{f"synthetic_{regime}": partial(_synthetic, regime=regime) for regime in "abcdefgh"},
    **{
        f"synthetic_{regime}": partial(_hard_regime, regime=regime)
        for regime in ("copies", "neighbours", "interaction", "smooth")
    },
}
