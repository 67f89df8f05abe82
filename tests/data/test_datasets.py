"""Every loader reads a small graph in its raw format, and refuses what makes no sense."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_datasets import SMALL, assert_same_graph, files, make_small, on

from graphsieve.data.datasets import load_graph
from graphsieve.data.raw_files import MIRROR_VARIABLE
from graphsieve.errors import InputError
from raw_formats import sha256, small_graph, write_webkb

pytestmark = [
    pytest.mark.filterwarnings("ignore:no checksum is known"),
    pytest.mark.usefixtures("no_mirror_from_outside"),
]


def contents(folder: Path) -> dict[str, tuple]:
    """Everything that writing to the folder would change."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.is_dir() or sha256(path))
        for path in [folder, *folder.rglob("*")]
    }


@on(argvalues=SMALL)
def test_small_graph_is_read_twice_and_the_mirror_stays_untouched(small, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("a loader asked a question"))
    for folder in [small.mirror, *small.mirror.rglob("*")]:
        folder.chmod(0o555 if folder.is_dir() else 0o444)
    before = contents(small.mirror)
    assert_same_graph(small.load(), small.graph)
    assert contents(small.mirror) == before
    assert files(small.root) == [row.file for row in small.manifest]
    assert_same_graph(small.load(mirror=None), small.graph)


@on(argvalues=["cornell"])
def test_mirror_is_taken_from_the_environment(small, monkeypatch):
    monkeypatch.setenv(MIRROR_VARIABLE, str(small.mirror))
    assert_same_graph(small.load(mirror=None), small.graph)


@on(argvalues=["arxiv"])
@pytest.mark.parametrize("file", ["raw/node-feat.csv.gz", "split/time/valid.csv.gz"])
@pytest.mark.parametrize("damage", [lambda content: content[:-12], lambda _: b"<html>", lambda _: b""])
def test_unreadable_file_without_a_checksum_is_refused(small, file, damage):
    small.manifest = [replace(row, sha256="") for row in small.manifest]
    path = small.mirror / "ogbn_arxiv" / file
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=r"'arxiv': the raw files in .*ogbn_arxiv cannot be read .*: delete them"):
        small.load()


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(InputError, match="dataset 'core' is unknown: choose one of cora, .*, synthetic_smooth"):
        load_graph("core")


def test_impossible_features_and_edges_are_refused(tmp_path):
    graph = small_graph("texas", directed=True)
    beyond = replace(graph, edge_index=np.array([[0, 1], [1, 30]]))
    graph.x[2, 5] = np.nan
    with pytest.raises(InputError, match="'texas': 1 features have NaN or infinite values, the first is '5'"):
        make_small(tmp_path / "nan", graph, write_webkb).load()
    beyond.x[2, 5] = 1
    with pytest.raises(InputError, match="'texas': edge_index names node 30"):
        make_small(tmp_path / "edge", beyond, write_webkb).load()
