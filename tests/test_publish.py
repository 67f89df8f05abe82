"""Publishing a run: its files and no others, and nothing that nobody could make again."""

import pytest
from publish import publish

from graphsieve.errors import InputError
from graphsieve.pages import origins


@pytest.fixture
def run(tmp_path):
    """A finished run, with files that are not published."""
    folder = tmp_path / "results/final"
    names = ["notebooks/a.html", "notebooks/a.ipynb", "tables/a.csv", "figures/a.png", "graphs/a.npz", "records/a.csv"]
    for name in ["index.html", *names]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    note = origins.describe_table(folder / "records/a.csv", 1, [{"commit": "abc"}])
    (folder / "records/a.csv.json").write_text(note)
    return folder


def test_a_run_replaces_what_was_published(run, tmp_path):
    target = tmp_path / "results/paper"
    (target / "tables").mkdir(parents=True)
    (target / "tables/outdated.csv").touch()
    assert publish(run, target, commit="abc") == 6
    found = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert found == {
        "index.html", "notebooks/a.html", "tables/a.csv", "figures/a.png", "records/a.csv", "records/a.csv.json"
    }  # fmt: skip


def test_modified_code_and_too_large_results_are_refused(run, tmp_path, monkeypatch):
    target = tmp_path / "results/paper"
    with pytest.raises(InputError, match="commit it, make the run again"):
        publish(run, target, commit="abc, modified")
    monkeypatch.setattr("publish.LARGEST_MIB", 0)
    with pytest.raises(InputError, match="publish fewer records"):
        publish(run, target, commit="abc")
    (run / "index.html").unlink()
    with pytest.raises(InputError, match="give the folder of a finished run"):
        publish(run, target, commit="abc")
    assert not target.exists()
