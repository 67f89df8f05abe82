"""The list of raw files, against what the loaders themselves ask for."""

from pathlib import Path

import pytest

from graphsieve.data.datasets import DATASETS
from graphsieve.data.raw_files import read_manifest
from raw_formats import MIRRORED


def test_manifest_has_a_checksum_for_all_but_arxiv():
    rows = read_manifest()
    assert len({row.file for row in rows}) == len(rows)
    assert {row.dataset for row in rows} == {*MIRRORED, "arxiv"} <= set(DATASETS)
    for row in rows:
        assert len(row.sha256) == (0 if row.dataset == "arxiv" else 64), row.file


def test_manifest_names_the_files_and_addresses_of_the_loaders(tmp_path, monkeypatch):
    """Let PyG's own classes download, and only write down what they ask for."""
    from torch_geometric.datasets import Amazon, Planetoid, WebKB

    asked = {}

    def write_down(url, folder, **_):
        asked[Path(folder, url.rsplit("/", 1)[1]).relative_to(tmp_path).as_posix()] = url

    monkeypatch.setattr("torch_geometric.datasets.amazon.download_url", write_down)
    monkeypatch.setattr("torch_geometric.datasets.webkb.download_url", write_down)
    monkeypatch.setattr("torch_geometric.datasets.planetoid.fs.cp", write_down)
    loaders = [(Planetoid, name) for name in ("Cora", "CiteSeer", "PubMed")]
    loaders += [(Amazon, name) for name in ("photo", "computers")]
    loaders += [(WebKB, name) for name in ("cornell", "texas", "wisconsin")]
    for loader, name in loaders:
        with pytest.raises(FileNotFoundError):
            loader(str(tmp_path / loader.__name__), name)
    assert asked == {row.file: row.sources[0] for row in read_manifest() if row.dataset != "arxiv"}
