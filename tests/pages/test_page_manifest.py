"""Manifests: what is written is read again, from wherever the run lies now."""

from pathlib import Path

from graphsieve.pages.manifest import list_tables, read_manifest, write_manifest


def write(run: Path) -> Path:
    path = run / "notebooks/one.json"
    table = {"name": "t", "files": [run / "tables/t.md", run / "tables/t.csv"], "rows": [["é"]]}
    figure = {"name": "f", "files": [run / "figures/f 1.png"]}
    write_manifest(path, title="A & B", sentence="Words.", tables=[table], figures=[figure])
    return path


def test_files_are_found_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write(Path("results/default"))
    made = read_manifest(path)
    assert (made["title"], made["sentence"]) == ("A & B", "Words.")
    assert made["tables"][0]["files"] == [Path("results/default/tables/t.md"), Path("results/default/tables/t.csv")]
    assert made["tables"][0]["rows"] == [["é"]]
    Path("results/default").rename("moved")
    assert read_manifest(Path("moved/notebooks/one.json"))["figures"][0]["files"] == [Path("moved/figures/f 1.png")]


def test_tables_are_the_csv_files_in_order(tmp_path):
    one = write(tmp_path)
    other = tmp_path / "notebooks/other.json"
    files = [tmp_path / "tables/a.csv"]
    write_manifest(other, title="", sentence="", tables=[{"name": "a", "files": files}], figures=[])
    assert list_tables([other, one]) == [tmp_path / "tables/a.csv", tmp_path / "tables/t.csv"]
