"""The workflow as its users run it: whole runs of small studies, and what a change makes run again."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
import torch
import yaml
from sklearn.metrics import roc_auc_score

from graphsieve.data.graph import read_graph
from graphsieve.data.splits import choose_split
from graphsieve.models.classifier import load_model
from graphsieve.study.suspects.protocol import TABLE1, TABLE2
from workflow_runs import PROJECT, jobs, make_project, overlay, snakemake

PUBLISHED = PROJECT / "config" / "published"
REPORTED_BY_AUC = "synthetic_h (ROC AUC)"


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A project in which the tiny study has run."""
    project = make_project(tmp_path_factory.mktemp("project"))
    result = snakemake(project)
    assert result.returncode == 0, result.stdout + result.stderr
    return project


@pytest.mark.long
def test_every_table_has_the_published_columns_and_the_number_of_runs(finished):
    for path in sorted(PUBLISHED.glob("table*.csv")):
        name, published = path.stem, pd.read_csv(path)
        table = pd.read_csv(finished / "results/tiny/tables" / f"{name}.csv")
        assert list(table.columns) == [*published.columns, "runs"]
    selected = pd.read_csv(finished / "results/tiny/tables/table2_feature_selection.csv")
    assert {tuple(row) for row in selected[["scorer", "dataset"]].to_numpy()} == {
        (scorer, dataset) for scorer in ("all", "npt", "pt", "random") for dataset in ("digits", REPORTED_BY_AUC)
    }


@pytest.mark.long
def test_the_table_is_the_mean_of_the_records(finished):
    records = pd.read_csv(finished / "results/tiny/records/one_shot.csv")
    table = pd.read_csv(finished / "results/tiny/tables/table2_feature_selection.csv")
    means = (
        100 * records.replace({"synthetic_h": REPORTED_BY_AUC}).groupby(["scorer", "dataset"])["test_accuracy"].mean()
    )
    for row in table.itertuples():
        assert row.accuracy_mean == pytest.approx(means[row.scorer, row.dataset], abs=1e-4)


@pytest.mark.long
def test_a_dataset_is_chosen_and_reported_by_its_own_metric(finished):
    """From the saved weights of the best epoch, with scikit-learn; the pages say what it is."""
    results = finished / "results/tiny"
    records = pd.read_csv(results / "records/one_shot.csv").set_index(["dataset", "scorer"])
    assert records["metric"].groupby("dataset").unique().map(list).to_dict() == {
        "digits": ["accuracy"], "synthetic_h": ["roc_auc"]
    }  # fmt: skip
    graph = read_graph(results / "graphs/synthetic_h/seed0.npz")
    split = choose_split(graph, "random", 0)
    model = load_model(results / "train/synthetic_h/gcn/random/seed0/weights.npz", "best")
    logits = model(torch.from_numpy(graph.x), torch.from_numpy(graph.edge_index)).detach().double().numpy()
    reported = records.loc[("synthetic_h", "all")]
    for part in ("val", "test"):
        nodes = getattr(split, part)
        auc = roc_auc_score(graph.y[nodes], logits[nodes, 1] - logits[nodes, 0])
        assert reported[f"{part}_accuracy"] == pytest.approx(auc, abs=1e-6)
    page = (results / "notebooks/table2_feature_selection.html").read_text()
    assert "Table 2: accuracy or ROC AUC with the selected features alone" in page
    assert "Synthetic (h) (ROC AUC)" in page


@pytest.mark.long
def test_selection_keeps_the_configured_fraction(finished):
    records = pd.read_csv(finished / "results/tiny/records/one_shot.csv").set_index(["dataset", "scorer"])
    assert records.loc[("digits", "npt"), "kept"].item() == round(0.1 * 64)
    assert records.loc[("synthetic_h", "npt"), "kept"].item() == round(0.02 * 50)
    assert records.loc[("digits", "all"), "kept"].item() == 64


@pytest.mark.long
def test_adaptive_runs_prune_the_configured_fraction_at_the_configured_epochs(finished):
    checkpoints = pd.read_csv(finished / "results/tiny/records/adaptive_checkpoints.csv.gz").set_index("scorer")
    assert checkpoints.loc["npt", "epoch"].tolist() == [2, 4, 5]
    assert checkpoints.loc["npt", "features"].tolist() == checkpoints.loc["mi", "features"].tolist() == [64, 32, 16]
    assert checkpoints.loc["full", "features"].tolist() == [64, 64, 64]
    scores = pd.read_csv(finished / "results/tiny/records/adaptive_scores.csv.gz")
    assert len(scores) == 3 * 64
    ablation = pd.read_csv(finished / "results/tiny/records/ablation_history.csv.gz")
    assert set(ablation["repeats"]) == {2, 3}


@pytest.mark.long
def test_every_page_is_rendered_and_linked_from_the_index(finished):
    results = finished / "results/tiny"
    index = (results / "index.html").read_text()
    pages = {path.stem for path in (results / "notebooks").glob("*.html")}
    explorers = {"explore_scores", "explore_curves"}  # made by scripts
    assert pages == {path.stem for path in (results / "notebooks").glob("*.ipynb")} | explorers
    assert {path.stem for path in PUBLISHED.glob("table*.csv")} <= pages
    assert {"fig01_motivation", "fairness", "conditional_importance", "tutorial", "tasks", "theory_bounds"} <= pages
    assert {"fig02_training_curves", "fig03_importance_heatmaps", "fig04_method_performance"} <= pages
    assert {"fig09_last_checkpoints", "fig12_regime_scores", "rank_stability", "suspects"} <= pages
    assert all(f"{page}.html" in index for page in pages)
    assert (results / "figures/digits_pixel_importance.png").stat().st_size > 10_000


@pytest.mark.long
def test_the_tutorial_shows_its_code_but_not_what_makes_the_page(finished):
    pages = finished / "results/tiny/notebooks"
    shown = (pages / "tutorial.html").read_text()
    assert "make_model" in shown
    assert "feature_reasons" in shown
    assert "NotebookPage" not in shown
    assert "NotebookPage" not in (pages / "fairness.html").read_text()
    reasons = pd.read_csv(finished / "results/tiny/tables/tutorial.csv")
    assert {"feature", "p_alone", "p_beside_columns_and_graph", "reason"} <= set(reasons)
    assert len(reasons) == 13


@pytest.mark.long
def test_every_collected_table_says_what_it_came_from(finished):
    records = finished / "results/tiny/records"
    sessions = json.loads((records / "sessions.json").read_text())
    assert sessions[0]["threads"]["digits"] == 1
    for name in ("one_shot.csv", "adaptive_scores.csv.gz", "features.csv.gz", "tasks_records.csv"):
        said = json.loads((records / f"{name}.json").read_text())
        assert said["rows"] == len(pd.read_csv(records / name))
        assert {origin["commit"] for origin in said["origins"]} == {sessions[0]["commit"]}
        assert all(origin["files"] > 0 and origin["cpu"] for origin in said["origins"])


@pytest.mark.long
def test_suspects_begin_where_the_ordinary_studies_are(finished):
    """The base has their accuracies; a hypothesis has those of what it builds on, but where it says otherwise."""
    records = finished / "results/tiny/records"
    found = pd.read_csv(records / "suspects.csv").set_index(["hypothesis", "setting"])
    ordinary = pd.concat(
        [
            pd.read_csv(records / "perturbations.csv"),
            pd.read_csv(records / "one_shot.csv").query("dataset == 'digits'").rename(columns={"scorer": "setting"}),
        ]
    ).set_index("setting")["test_accuracy"]
    cells = [*TABLE1, "npt", "random"]
    assert found.loc["base"].loc[cells, "test_accuracy"].tolist() == pytest.approx(ordinary[cells].tolist())
    makers = found["made_by"].unstack("hypothesis")
    assert set(makers["going_on"][list(TABLE1)]) == {"base"}
    assert set(makers["going_on"][list(TABLE2)]) == {"going_on"}
    assert makers.index[makers["row_going_on"] == "base"].tolist() == ["gaussian_noise"]  # however x is scaled
    assert (makers["row_going_on"].drop("gaussian_noise") == "row_going_on").all()
    assert found.loc[("going_on", "npt"), "best_epoch"] <= 3


@pytest.mark.long
def test_a_second_run_has_nothing_to_do(finished):
    assert not jobs(finished)


@pytest.mark.long
def test_another_seed_runs_only_what_is_new(finished, tmp_path):
    new = jobs(finished, configs=overlay(tmp_path, {"perturbations": {"seeds": 2}}))
    assert new["perturb"] == 1  # all settings
    assert new["train"] == 1  # the graph as it is, and an MLP
    assert new["collect"] == 1
    assert not {"prepare_graph", "score", "retrain", "score_regime", "tabulate_selection"} & set(new)
    assert {"tabulate_perturbations", "build_index"} <= set(new)


@pytest.mark.long
def test_a_run_that_starts_from_another_makes_only_what_that_has_not(finished, tmp_path):
    """Its tables are those of both."""
    more = {"run": "more", "start_from": "results/tiny", "one_shot": {"scorers": ["npt", "pt", "random", "h_attr"]}}
    configs = overlay(tmp_path, more)
    new = jobs(finished, configs=configs)
    assert new["score"] == new["retrain"] == 2  # h_attr on two datasets
    assert not {"train", "perturb", "adaptive", "apply_bounds"} & set(new)
    assert {"tabulate_selection", "tabulate_adaptive", "judge_claims", "account_cost", "build_index"} <= set(new)
    tables = (
        "tables/table2_feature_selection.csv",
        "tables/table3_adaptive_selection.csv",
        "records/perturbations.csv",
    )
    result = snakemake(finished, *(f"results/more/{name}" for name in tables), configs=configs)
    assert result.returncode == 0, result.stdout + result.stderr
    for name in tables[1:]:
        assert (finished / "results/more" / name).read_bytes() == (finished / "results/tiny" / name).read_bytes()
    before, after = (pd.read_csv(finished / "results" / run / tables[0]) for run in ("tiny", "more"))
    assert set(after["scorer"]) - set(before["scorer"]) == {"h_attr"}
    assert after[after["scorer"] != "h_attr"]["accuracy_mean"].tolist() == before["accuracy_mean"].tolist()


@pytest.mark.long
def test_a_hyper_parameter_reruns_only_what_depends_on_it(finished, tmp_path):
    new = jobs(finished, configs=overlay(tmp_path, {"datasets": {"digits": {"keep": 0.2}}}))
    assert new["retrain"] == 1
    assert not {"train", "score", "perturb", "score_regime"} & set(new)
    new = jobs(finished, configs=overlay(tmp_path, {"datasets": {"digits": {"epochs": 6}}}))
    assert new["train"] == new["score"] == new["adaptive"] == 1
    assert not {"prepare_graph", "score_regime"} & set(new)


@pytest.mark.long
def test_a_deleted_output_rebuilds_only_its_descendants(finished):
    lost = finished / "results/tiny/retrain/digits/gcn/random/seed0/random.csv"
    saved = lost.read_bytes()
    lost.unlink()
    new = jobs(finished)
    assert new["retrain"] == 1
    assert not {"train", "score", "perturb", "tabulate_perturbations"} & set(new)
    assert {"collect", "tabulate_selection", "build_index"} <= set(new)
    result = snakemake(finished)
    assert result.returncode == 0, result.stdout + result.stderr
    assert lost.read_bytes() == saved
    assert made(finished, "retrain") == ["random"]


def made(project: Path, rule: str) -> list[str]:
    """The scorers whose results the last job of this rule on digits made, as its log says."""
    logs = (project / "results/tiny/logs").glob(f"{rule}_bundle*/digits/gcn/random/seed0.log")
    newest = max(logs, key=lambda log: log.stat().st_mtime_ns)
    return re.findall(r"digits gcn random 0 (\w+):$", newest.read_text(), flags=re.MULTILINE)


@pytest.mark.long
def test_a_process_makes_only_the_scores_that_are_new_or_change(finished, tmp_path):
    project = make_project(tmp_path / "copy")
    for name in ("results", ".snakemake"):
        shutil.copytree(finished / name, project / name)
    target = "results/tiny/scores/digits/gcn/random/seed0/h_attr.csv"
    scorers = {"scorers": ["npt", "h_attr", "pt", "random"]}

    def after(settings: dict, *arguments: object) -> list[str]:
        """What is made of the run with these settings."""
        configs = overlay(tmp_path, {"one_shot": scorers, **settings})
        result = snakemake(project, target, *arguments, configs=configs)
        assert result.returncode == 0, result.stdout + result.stderr
        return made(project, "score")

    assert after({}) == ["h_attr"]
    assert after({"scoring": {"n_repeats": 3}}) == ["npt", "pt"]
    assert after({"scoring": {"n_repeats": 3}}, "--force") == ["npt", "h_attr", "pt", "random"]
    before, now = (folder / "results/tiny/scores/digits/gcn/random/seed0" for folder in (finished, project))
    assert (before / "random.csv").read_bytes() == (now / "random.csv").read_bytes()
    assert (before / "npt.csv").read_bytes() != (now / "npt.csv").read_bytes()


@pytest.mark.long
@pytest.mark.skipif("GRAPHSIEVE_MIRROR" not in os.environ, reason="needs the real graphs: set GRAPHSIEVE_MIRROR")
def test_a_real_graph_runs_through_to_its_table(tmp_path):
    project = make_project(tmp_path)
    study = {"datasets": ["texas"], "seeds": 1}
    one_shot = {**study, "scorers": ["mi", "tfi", "h_attr", "h_euc", "h_ge", "random"]}
    settings = {"one_shot": one_shot, "perturbations": study, "training": {"hidden": 16}}
    settings |= {"synthetic": {"datasets": []}, "datasets": {"texas": {"epochs": 20, "interval": 5, "burn_in": 5}}}
    settings |= {
        "motivation": {"seeds": 0},
        "stand_ins": {"graphs": 0},
        "tutorial": {"nodes": 0},
        "adaptive": {**study, "scorers": ["full", "npt"]},
    }
    settings |= {other: {"datasets": []} for other in ("theory", "public_splits", "ablation", "correlations")}
    configs = (PROJECT / "config/paper.yaml", overlay(tmp_path, settings)[1])
    result = snakemake(project, configs=configs)
    assert result.returncode == 0, result.stdout + result.stderr
    table = pd.read_csv(tmp_path / "results/paper/tables/table5_datasets.csv").iloc[0]
    assert (table["dataset"], table["nodes"], table["edges"]) == ("texas", 183, 325)
    assert (tmp_path / "results/paper/notebooks/table2_feature_selection.html").exists()


def test_a_study_can_begin_at_a_later_seed(tmp_path):
    study = {"datasets": ["digits"], "scorers": ["mi"], "seeds": 2, "first_seed": 5}
    project = make_project(tmp_path)
    listed = snakemake(project, "--summary", configs=overlay(tmp_path, {"one_shot": study})).stdout
    found = set(re.findall(r"^results/tiny/retrain/digits/\S+/seed(\d+)/", listed, flags=re.MULTILINE))
    assert found == {"5", "6"}


def test_an_empty_list_of_seeds_leaves_out_a_dataset_of_the_study_of_suspects(tmp_path):
    project, study = make_project(tmp_path), {"datasets": {"digits": [], "synthetic_h": [0]}}
    settings = {"suspects": study, "one_shot": {"datasets": []}, "perturbations": {"datasets": []}}
    command = (project, "results/tiny/records/suspects.csv")
    announced = jobs(*command, configs=overlay(tmp_path, settings))
    assert announced["suspect"] > 0
    study["datasets"]["synthetic_h"] = []
    assert "suspect" not in jobs(*command, configs=overlay(tmp_path, settings))


def test_the_paper_expands_to_its_datasets_seeds_and_scorers(tmp_path):
    """A result per dataset, seed and scorer; short ones of a run go together, long ones (Photo, Computers) do not."""
    project, configs = make_project(tmp_path), (PROJECT / "config/paper.yaml",)
    announced = jobs(project, configs=configs)
    assert announced["prepare_graph"] == 9
    assert announced["draw_training_curves"] == 5
    listed = snakemake(project, "--summary", configs=configs).stdout
    results = Counter(re.findall(r"^results/paper/(\w+)/\S+/(?:record|\w+)\.csv\t", listed, flags=re.MULTILINE))
    assert results["train"] == 2 * (8 * 5 * 2 + 5)  # record and history of its own model and an MLP; arxiv for Table 4
    assert results["retrain"] == results["selection"] == 8 * 5 * 13
    assert results["scores"] == 8 * 5 * 13 + 5 * 6
    assert results["perturb"] == 8 * 5 * 3
    curves, public, ablation = 9 * 4 * 20, 3 * 4 * 20, 3 * (2 + 3) * 5  # r = 0.5 with K = 10 is among the curves
    assert results["adaptive"] == 5 * (curves + public + ablation)
    for rule, made, long in (("score", "scores", 0), ("retrain", "retrain", 2 * 5 * 13), ("adaptive", "adaptive", 60)):
        assert long < announced[rule] < results[made] / 2


def write_own_graph(folder: Path) -> None:
    folder.mkdir()
    rows = [f"n{i},{'ab'[i % 2]},{i % 2}.5,{'xyz'[i % 3]}" for i in range(40)]
    (folder / "nodes.csv").write_text("\n".join(["id,label,size,colour", *rows]) + "\n")
    edges = [f"n{i},n{(i + 2) % 40}" for i in range(40)]
    (folder / "edges.csv").write_text("\n".join(["source,target", *edges]) + "\n")


def test_an_own_graph_needs_nothing_but_its_path_relative_to_the_config(tmp_path):
    project = make_project(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    write_own_graph(tmp_path / "elsewhere/shop")
    configs = overlay(tmp_path / "elsewhere", {"datasets": {"shop": {"path": "shop", "normalise": "columns"}}})
    announced = jobs(project, "results/tiny/records/one_shot.csv", configs=configs)
    assert announced["retrain"] == 1 + 1 + 3  # digits, synthetic_h; of the size of the shop nothing is known
    result = snakemake(project, "results/tiny/graphs/shop.npz", configs=configs)
    assert result.returncode == 0, result.stdout + result.stderr
    graph = read_graph(tmp_path / "results/tiny/graphs/shop.npz")
    assert graph.name == "shop"
    assert graph.names() == ["size", "colour=x", "colour=y", "colour=z"]
    assert graph.x[:, 0].mean() == pytest.approx(0, abs=1e-6)


def test_a_dataset_that_cannot_be_had_fails_with_one_sentence_in_the_log(tmp_path):
    project = make_project(tmp_path)
    environment = {**os.environ, "GRAPHSIEVE_MIRROR": str(tmp_path / "nowhere")}
    graph = "results/paper/graphs/texas.npz"
    command = [sys.executable, "-m", "snakemake", "--cores", "1", graph, "--configfile", PROJECT / "config/paper.yaml"]
    result = subprocess.run(command, cwd=project, env=environment, text=True, capture_output=True, check=False)
    assert result.returncode == 1
    repeat, *errors = (project / "results/paper/logs/prepare_graph/texas.log").read_text().splitlines()
    assert repeat.startswith("To repeat this job: snakemake --cores 1 --force --configfile results/paper/config.yaml")
    assert len(errors) == 1
    assert errors[0].startswith("error: ")
    assert "nowhere" in errors[0]
    assert not (project / graph).exists()


def test_pip_and_conda_get_the_same_versions():
    lines = (PROJECT / "envs/requirements.txt").read_text().splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w-]+==[\w.]+", line) for line in pinned)
    conda = yaml.safe_load((PROJECT / "envs/graphsieve.yaml").read_text())
    assert conda["dependencies"][-1]["pip"] == pinned
