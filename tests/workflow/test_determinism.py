"""The same seeds and the same number of threads give the same bytes, wherever a run is made."""

from pathlib import Path

import numpy as np
import pytest

from workflow_runs import differences, lasting_files, make_project, overlay, snakemake

# A run of every kind, drawn scores and trained ones, and the tables of two studies.
STUDIES = {
    "one_shot": {"datasets": ["digits"], "scorers": ["npt", "mi", "random"]},
    "perturbations": {"settings": ["original", "mlp", "gaussian_noise", "random_graph"]},
    "synthetic": {"scorers": ["npt", "mi"], "seeds": 1},
    "adaptive": {"scorers": ["full", "npt"]},
}
RECORDS = ["one_shot.csv", "perturbations.csv", "scores_synthetic.csv.gz", "motivation.csv", "fairness.csv"]
TABLES = ["table1_perturbations.csv", "table2_feature_selection.csv", "table3_adaptive_selection.csv"]
TARGETS = [f"results/tiny/records/{name}" for name in RECORDS] + [f"results/tiny/tables/{name}" for name in TABLES]


@pytest.mark.long
def test_two_folders_get_the_same_bytes(tmp_path):
    configs = overlay(tmp_path, STUDIES)
    projects = [make_project(tmp_path / name) for name in ("here", "there")]
    for project in projects:
        result = snakemake(project, *TARGETS, configs=configs)
        assert result.returncode == 0, result.stdout + result.stderr
    here, there = (project / "results/tiny" for project in projects)
    made = {name.split("/")[0] for name in lasting_files(here)}
    assert made == {
        *("graphs", "train", "scores", "selection", "retrain", "perturb", "synthetic", "adaptive", "records", "tables")
    }
    assert not differences(here, there), "\n".join(differences(here, there))


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_file_that_differs_is_named_with_its_first_other_line(tmp_path):
    same = {"records/same.csv": "a\n1\n", "logs/train.csv": "one\n", "adaptive/timings.csv": "0.1\n", ".hidden.csv": ""}
    one = write(tmp_path / "one", {**same, "scores/npt.csv": "feature,score\n0,0.5\n1,0.25\n", "tables/old.md": ""})
    other = {**same, "logs/train.csv": "other\n", "adaptive/timings.csv": "0.2\n"}
    two = write(tmp_path / "two", {**other, "scores/npt.csv": "feature,score\n0,0.5\n1,0.75\n", "tables/new.md": ""})
    assert differences(one, two) == [
        "tables/old.md is missing",
        "tables/new.md is there only now",
        "scores/npt.csv: line 3 is '1,0.75' instead of '1,0.25'",
    ]
    assert not differences(one, one)


def test_the_array_that_differs_is_named(tmp_path):
    for name, value in {"one": 1, "two": 2}.items():
        (tmp_path / name).mkdir()
        np.savez(tmp_path / name / "weights.npz", first=np.zeros(2), second=np.array([value]))
    (difference,) = differences(tmp_path / "one", tmp_path / "two")
    assert difference.startswith("weights.npz: line 2 is 'second 02")
