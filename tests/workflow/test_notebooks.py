"""Every notebook template: stored clean, and executed whole on a few made-up records."""

from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

from graphsieve.data.motivation import KINDS
from graphsieve.data.synthetic import REGIMES
from graphsieve.inference.verdicts import NOTHING, OWN, QUESTIONS, STAND_IN
from graphsieve.study.suspects.protocol import CELLS
from notebook_records import RUN, adaptive_runs, one_shot, scores, watched, write

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_template_is_stored_clean(path):
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert [cell.metadata.get("tags") for cell in code].count(["parameters"]) == 1
    assert code[0].metadata.get("tags") == ["parameters"]
    assert "\nmanifest = " in code[0].source
    assert code[1].source.endswith("page.heading()")
    assert code[-1].source == "page.close()"


def test_accuracy_table_beside_published_numbers(execute, tmp_path):
    shown = execute(
        "accuracy_table", one_shot(["cora", "digits"]), table=str(tmp_path / "table2"), title="Table 2: mine",
        published=str(ROOT / "config/published/table2_feature_selection.csv"), row="scorer", reference="all",
        summary="One sentence.",
    )  # fmt: skip
    assert shown.startswith("# Table 2: mine\n\nOne sentence.")
    assert "<b>80.50</b> <small>± 0.71</small>" in shown
    assert "Nothing was published for Digits." in shown
    assert "+1.31" in shown  # npt on cora: 80.50 less 79.19
    # all features on cora: 90.50 is surely higher than 85.83 ± 0.46; npt is within Welch's margin of its 79.19 ± 2.45
    assert "Of the cells that both have: 1 of 2 cells agree with the published; 1 are higher, 0 lower." in shown
    assert "3 of 64 on Cora and 3 of 64 on Digits" in shown


def test_accuracy_table_without_published_numbers(execute, tmp_path):
    records = [
        {
            "dataset": "digits",
            "model": "gcn",
            "setting": "original",
            "seed": 0,
            "split": "random",
            "test_accuracy": 0.905,
        }
    ]
    shown = execute(
        "accuracy_table", records, table=str(tmp_path / "table1"), title="Table 1: mine", summary="One sentence.",
        published=str(ROOT / "config/published/table1_perturbations.csv"), row="setting", reference="",
    )  # fmt: skip
    assert "<b>90.50</b>" in shown
    assert "So there is nothing to compare here." in shown


def test_datasets_table(execute, tmp_path):
    columns = ["dataset", "nodes", "edges", "features", "classes", "undirected_edges", "component_edges"]
    rows = [("photo", 7650, 238162, 745, 8, 119081, 119043), ("digits", 1797, 20000, 64, 10, 10000, 10000)]
    records = [dict(zip(columns, row, strict=True), homophily=0.83, isolated_nodes=115) for row in rows]
    shown = execute(
        "datasets_table", records, table=str(tmp_path / "table5"),
        published=str(ROOT / "config/published/table5_datasets.csv"),
    )  # fmt: skip
    assert "+119,119" in shown
    assert "undirected edges of the largest component, once" in shown
    assert "83%" in shown


def test_pixel_importance(execute, tmp_path):
    shown = execute(
        "pixel_importance", scores(["digits"], ["npt", "random"], 64), "scores", figure=str(tmp_path / "pixels")
    )
    assert "image/png" in shown
    assert "Averages are over 2 runs." in shown


def test_regime_scores(execute, tmp_path):
    records = scores([f"synthetic_{regime}" for regime in REGIMES], ["npt", "mi"], 20)
    files = {name: str(tmp_path / name) for name in ("figure", "heatmap", "table")}
    shown = execute("regime_scores", records, "scores", **files, drawn_trials=1)
    assert shown.count("image/png") == 2
    assert "Averages are over 1 run." in shown
    assert "choosing at random finds 25%. Means over 2 trials" in shown
    found = pd.read_csv(tmp_path / "table.csv")
    assert set(found["dataset"]) == {f"synthetic_{regime}" for regime in "bdfh"}
    assert (found["mean"] == 1).all()


def test_motivation(execute, tmp_path):
    records = [
        {"kind": kind, "seed": seed, "model": model, "test_accuracy": accuracy, "same_class": 0.9, "same_sign": 0.5}
        for kind in KINDS for model, mean in {"gcn": 0.81, "mlp": 0.91}.items()
        for seed, accuracy in enumerate((mean - 0.01, mean + 0.01))
    ]  # fmt: skip
    shown = execute("motivation", records, figure=str(tmp_path / "fig01"), table=str(tmp_path / "table"))
    assert "image/png" in shown
    assert "Heterophilic features: the MLP is ahead by 10.0 points." in shown
    assert "81.0 ± 1.4" in shown


def test_stand_ins(execute, tmp_path):
    records = [
        {"seed": seed, "kind": kind, "column": f"{kind} {number}", "reason": reason,
         **{f"{what}_{question}": value for question in QUESTIONS for what, value in (("p", p_value), ("loss", 0.1))}}
        for seed in (0, 1) for kind, reason, p_value in (("relevant", OWN, 0.01), ("copy", STAND_IN, 0.5),
                                                         ("smooth", NOTHING, 0.5), ("white", NOTHING, 0.5))
        for number in (1, 2)
    ]  # fmt: skip
    shown = execute("stand_ins", records, figure=str(tmp_path / "figure"), table=str(tmp_path / "table"))
    assert "image/png" in shown
    assert "*a stand-in*: The model uses it, but other columns say the same." in shown
    found = pd.read_csv(tmp_path / "table.csv").set_index("kind")
    assert (found.loc["relevant", list(QUESTIONS)] == 1).all()
    assert (found.loc["copy", list(QUESTIONS)] == 0).all()


def test_fairness(execute, tmp_path):
    records = [
        {"seed": seed, "method": method, "features": features, "accuracy": 0.8 + 0.01 * seed, "gap": gap + 0.01 * seed,
         "honest": 2, "proxy": 1, "noise": features - 3}
        for method, gap in {"accuracy": 0.2, "gap": 0.1, "both": 0.1}.items() for seed in (0, 1)
        for features in (24, 18, 13, 9, 6, 4, 2)
    ]  # fmt: skip
    shown = execute("fairness", records, figure=str(tmp_path / "fairness"), table=str(tmp_path / "table"))
    assert "image/png" in shown
    assert "Pruned to 6 by accuracy: accuracy 80.5 %, gap 20.5 points, 1.0 proxies among them." in shown
    assert "the gap falls by 10.0 points" in shown
    assert "80.5 ± 0.7" in shown


def test_tasks(execute, tmp_path):
    records = [
        {"task": task, "metric": metric, "seed": seed, "ranking": ranking, "kept": kept,
         "test": 0.9 - 0.1 * (kept < 5) * (ranking == "random") + 0.01 * seed}
        for task, metric in {"mutag": "accuracy", "planted": "r2"}.items() for ranking in ("importance", "random")
        for kept in (20, 5, 2) for seed in (0, 1)
    ]  # fmt: skip
    scored = [
        {"task": "planted", "seed": seed, "column": f"{kind} {number}", "score": 1 / (number + 1)}
        for seed in (0, 1) for number, kind in enumerate(["own"] * 5 + ["noise"] * 3)
    ]  # fmt: skip
    pd.DataFrame(scored).to_csv(tmp_path / "scores.csv", index=False)
    stems = {name: str(tmp_path / name) for name in ("figure", "columns_figure", "table")}
    shown = execute("tasks", records, scores=str(tmp_path / "scores.csv"), **stems)
    assert shown.count("image/png") == 2
    assert "*MUTAG* (accuracy): whether a molecule causes mutations." in shown
    assert "5.0 of the 5 planted columns are among the 5 with the highest scores" in shown


def test_adaptive_table(execute, tmp_path):
    runs = pd.DataFrame(adaptive_runs(["cora", "digits"])).drop_duplicates(["dataset", "scorer", "seed", "checkpoint"])
    shown = execute(
        "adaptive_table", runs.to_dict("records"), table=str(tmp_path / "table3"),
        published=str(ROOT / "config/published/table3_adaptive_selection.csv"),
    )  # fmt: skip
    assert "No interval near 3.13 % on Cora and Digits. No interval near 1.56 % on Cora and Digits." in shown
    assert "Nothing was published for Digits." in shown
    assert "82.47 ± 1.68" in shown  # npt on cora at 6.25 %


def test_training_curves(execute, tmp_path):
    shown = execute(
        "training_curves", adaptive_runs(["cora", "digits"]), "history", figure=str(tmp_path / "curves"),
        datasets=["cora", "citeseer"], extras=True, title="Figure 5: mine", summary="One sentence.",
    )  # fmt: skip
    assert shown.startswith("# Figure 5: mine\n\nOne sentence.")
    assert "The paper also shows CiteSeer, which this run does not have." in shown
    assert "image/png" in shown


def test_importance_heatmaps_and_rank_stability(execute, tmp_path):
    watched(["cora", "digits"]).to_csv(tmp_path / "scores.csv", index=False)
    history = adaptive_runs(["cora", "digits"])
    parameters = {"scores": str(tmp_path / "scores.csv"), "figure": str(tmp_path / "drawn")}
    shown = execute("importance_heatmaps", history, "history", **parameters, features=[], correlated=[])
    assert "The paper also shows PubMed, which this run does not have." in shown
    assert "Averages are over 2 runs." in shown
    shown = execute("rank_stability", history, "history", **parameters, table=str(tmp_path / "stability"))
    assert "image/png" in shown
    assert len(pd.read_csv(tmp_path / "stability.csv")) == 2 * 4  # the last checkpoint is not compared with itself


def test_last_checkpoints(execute, tmp_path):
    records = [
        {**RUN, "dataset": "texas", "scorer": "npt", "seed": seed, "feature": feature, "dropped_at": dropped}
        for seed in (0, 1) for feature, dropped in enumerate([1, 1, 2, None])
    ]  # fmt: skip
    shown = execute(
        "last_checkpoints", records, "features", figure=str(tmp_path / "fig09"), ranking_figure=str(tmp_path / "fig10")
    )
    assert "The paper also shows Cora, CiteSeer, PubMed" in shown
    assert shown.count("image/png") == 2
    assert len(list(tmp_path.glob("fig*"))) == 4


def test_score_correlation(execute, tmp_path):
    records = scores(["cora", "digits"], ["npt", "mi", "tfi"], 30)
    records = [{**row, "score": row["score"] - 8 * (row["scorer"] == "npt")} for row in records]  # most below zero
    shown = execute(
        "score_correlation", records, "scores",
        table=str(tmp_path / "table4"), spearman_table=str(tmp_path / "table4_spearman"),
        figure=str(tmp_path / "fig11"), published=str(ROOT / "config/published/table4_score_correlation.csv"),
    )  # fmt: skip
    assert "<small>0.6178</small>" in shown
    assert "Nothing was published for Digits." in shown
    cora = pd.DataFrame(records).query("dataset == 'cora'")
    away = []
    for reading in (np.asarray, np.abs):
        npt, mi, tfi = (cora[cora["scorer"] == name].pivot(index="feature", columns="seed", values="score").to_numpy()
                        for name in ("npt", "mi", "tfi"))  # fmt: skip
        found = np.corrcoef([reading(npt).mean(axis=1), mi.mean(axis=1), tfi.mean(axis=1)])[0, 1:]
        away.append(np.abs(found - [0.6178, 0.6234]).mean())
    assert f"**{away[0]:.2f}** with the scores as they are and **{away[1]:.2f}** with their sizes" in shown
    assert abs(away[0] - away[1]) > 0.1
    assert len(list(tmp_path.glob("table4*"))) == 6
    assert "image/png" in shown


@pytest.mark.parametrize("timed", [True, False])
def test_ablation(execute, tmp_path, timed):
    records = pd.concat(
        [pd.DataFrame(adaptive_runs(["digits"])).query("scorer == 'npt'").assign(prune=prune, repeats=repeats)
         for prune, repeats in ((0.25, 10), (0.5, 10), (0.5, 5))]
    )  # fmt: skip
    times = records.drop_duplicates(["seed", "checkpoint"]).assign(scoring_seconds=0.5, training_seconds=2.0)
    times.to_csv(tmp_path / "times.csv", index=False)
    shown = execute(
        "ablation", records.to_dict("records"), "history", timings=[str(tmp_path / "times.csv")] if timed else [],
        figure=str(tmp_path / "fig04"), grid_figure=str(tmp_path / "fig13"),
    )  # fmt: skip
    expected = "Digits 0.5 s at the first checkpoint, 2.5 s at all" if timed else "no adaptive study that was timed"
    assert expected in shown
    assert len(list(tmp_path.glob("fig*"))) == 4


def suspect_runs(dataset: str, shifts: dict[str, float]) -> list[dict]:
    """Two seeds of every cell: accuracies of one half, and so much more under each hypothesis."""
    run = {"dataset": dataset, "model": "gcn", "split": "random", "best_epoch": 3, "val_accuracy": 0.5}
    run |= {"kept": 3, "ties": 0, "fingerprint": "1234"}
    return [
        {
            **run,
            "hypothesis": name,
            "made_by": name,
            "setting": cell,
            "seed": seed,
            "test_accuracy": 0.5 + shift + seed / 100,
        }
        for name, shift in shifts.items()
        for cell in CELLS
        for seed in (0, 1)
    ]


SUSPECTS = ["table", "cells_table", "figure", "others_figure"]


def suspects_page(execute, tmp_path, records: list[dict], **settings) -> str:
    published = {
        f"published_table{number}": str(ROOT / f"config/published/table{number}_{name}.csv")
        for number, name in enumerate(("perturbations", "feature_selection"), 1)
    }
    stems = {name: str(tmp_path / f"suspects_{name}") for name in SUSPECTS}
    hypotheses = {"other": {"says": "It is another.", "scoring": {"scored_model": "best"}}}
    return execute("suspects", records, hypotheses=hypotheses, **published, **stems, **settings)


def test_suspects(execute, tmp_path):
    records = suspect_runs("cora", {"base": 0.0, "other": 0.1}) + suspect_runs("texas", {"other": 0.15})
    chosen_on = {"datasets": ["cora"], "seeds": [0, 1]}
    shown = suspects_page(execute, tmp_path, records, chosen_on=chosen_on, screening={"cora": [0]})
    published = [
        pd.read_csv(ROOT / f"config/published/{name}.csv").query("dataset == 'cora'")
        for name in ("table1_perturbations", "table2_feature_selection")
    ]
    both = pd.concat([published[0], published[1].query("scorer != 'all'")])
    deviation = both["accuracy_std"].clip(lower=0.5)
    totals = {
        name: ((mean - both["accuracy_mean"]).abs() / deviation).mean()
        for name, mean in (("base", 50.5), ("other", 60.5))
    }
    best = min(totals, key=totals.get)
    assert f"**Nearest: `{best}`**, at a mean distance of {totals[best]:.2f}" in shown
    ranked = pd.read_csv(tmp_path / "suspects_table.csv").set_index("hypothesis")
    assert ranked["total"].to_dict() == pytest.approx(totals, abs=1e-4)
    assert "<details>" in shown
    assert "scoring.scored_model: best" in shown
    assert "Texas" in shown


def test_suspects_without_published_numbers(execute, tmp_path):
    chosen_on = {"datasets": ["digits"], "seeds": [0, 1]}
    records = suspect_runs("digits", {"base": 0.0, "other": 0.1})
    shown = suspects_page(execute, tmp_path, records, chosen_on=chosen_on)
    assert "Nothing was published for these graphs, so none is chosen." in shown


@pytest.mark.parametrize("measured", [True, False])
def test_cost(execute, tmp_path, measured):
    empty = dict.fromkeys(["model", "split", "scorer", "setting", "prune", "repeats", "seed"], "")
    used = {"seconds": 10.0, "cpu_seconds": 14.5, "max_rss_mb": 500}
    jobs = [{"rule": "train", "dataset": "cora", **empty, "model": "gcn", "split": "random", "seed": 0, **used}]
    jobs += [{"rule": "check_bounds", "dataset": "", **empty, **used}]
    times = pd.DataFrame({"dataset": ["cora"], "training_seconds": [3.0], "scoring_seconds": [1.0]})
    scoring = pd.DataFrame({"dataset": ["cora"], "model": ["gcn"], "ratio_full": [100.0]})
    training = pd.DataFrame({"dataset": ["cora"], "model": ["gcn"], "ratio": [8.0]})
    ratios = [write(scoring, tmp_path / "scoring.csv"), write(training, tmp_path / "training.csv")]
    shown = execute(
        "cost", jobs, "jobs", timings=[write(times, tmp_path / "times.csv")], speedups=ratios if measured else [],
        epochs={"cora": 200}, table=str(tmp_path / "cost"), requests=str(tmp_path / "cost_requests"),
    )  # fmt: skip
    costs = pd.read_csv(tmp_path / "cost.csv").set_index("study")
    assert costs.loc["All", "core_hours"] == pytest.approx(29 / 3600, abs=5e-4)
    # 10 of the 14.5 seconds of training are work, eight times as long the plain way
    assert (f"taken {(29 + 70) / 29:.1f} times as long" in shown) == measured
    assert ("`make bench` has not been run here" in shown) != measured
    assert pd.read_csv(tmp_path / "cost_requests.csv")["rule"].tolist() == ["train"]
