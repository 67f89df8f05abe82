"""Tables: order, marks, deviations and the comparison with the published numbers, against values worked out by hand."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from graphsieve.files.reading import read_csv
from graphsieve.study import accuracy, dataset_table, labels

PUBLISHED = Path(__file__).parents[2] / "config" / "published"


def accuracies(**cells: list[float]) -> pd.DataFrame:
    """Records of the one-shot study from `scorer__dataset=[fractions]`."""
    rows = [
        {"dataset": name.split("__")[1], "model": "gcn", "scorer": name.split("__")[0], "seed": seed,
         "split": "random", "test_accuracy": value}
        for name, values in cells.items() for seed, value in enumerate(values)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_import_needs_no_torch():
    code = "import sys, graphsieve.study.accuracy, graphsieve.plots.style; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=PUBLISHED.parents[1] / "scripts").returncode == 0


def test_summary_is_mean_and_sample_deviation_in_percent():
    summary = accuracy.summarise(accuracies(npt__cora=[0.7, 0.8, 0.9], npt__texas=[0.5]), "scorer")
    assert list(summary.columns) == ["scorer", "dataset", "accuracy_mean", "accuracy_std", "runs"]
    assert summary.loc[0].tolist() == ["npt", "cora", 80.0, 10.0, 3]
    assert summary.loc[1, "runs"] == 1
    assert np.isnan(summary.loc[1, "accuracy_std"])


def test_order_is_the_papers_then_ours():
    names = ["pt", "zeta", "random", "npt_loss", "all", "tfi", "npt"]
    summary = accuracy.summarise(accuracies(**{f"{name}__digits": [0.5] for name in names}, npt__cora=[0.5]), "scorer")
    assert summary["scorer"].unique().tolist() == ["all", "npt", "tfi", "random", "npt_loss", "pt", "zeta"]
    assert summary["dataset"].tolist()[:3] == ["digits", "cora", "digits"]


@pytest.mark.parametrize(
    ("table", "row"), [("table1_perturbations", "setting"), ("table2_feature_selection", "scorer")]
)
def test_order_keeps_the_published_order(table, row):
    published = read_csv(PUBLISHED / f"{table}.csv")
    shuffled = published.sample(frac=1, random_state=0)
    assert labels.in_order(shuffled[row], labels.ROWS) == published[row].unique().tolist()
    assert labels.in_order(shuffled["dataset"], labels.DATASETS) == published["dataset"].unique().tolist()


def marked(table: str, row: str, reference: str, place: int) -> dict[str, set[str]]:
    published = read_csv(PUBLISHED / f"{table}.csv")
    chosen = published[accuracy.places(published, row, reference) == place]
    return {dataset: set(group[row]) for dataset, group in chosen.groupby("dataset")}


def test_marks_of_table_1_are_those_printed_in_the_paper():
    assert marked("table1_perturbations", "setting", "", 1) == {
        **{name: {"original"} for name in ("cora", "citeseer", "pubmed", "photo", "computers")},
        "cornell": {"mlp"}, "texas": {"original", "mlp"}, "wisconsin": {"mlp"},
    }  # fmt: skip
    second = marked("table1_perturbations", "setting", "", 2)
    assert {name: second[name] for name in ("cora", "citeseer", "pubmed", "photo", "computers", "texas")} == {
        "cora": {"gaussian_noise"}, "citeseer": {"mlp"}, "pubmed": {"mlp"}, "photo": {"gaussian_noise"},
        "computers": {"gaussian_noise"}, "texas": {"random_graph"},
    }  # fmt: skip


def test_marks_of_table_2_are_those_printed_in_the_paper():
    assert marked("table2_feature_selection", "scorer", "all", 1) == {
        **{name: {"npt"} for name in ("cora", "citeseer", "pubmed", "cornell", "texas", "wisconsin")},
        "photo": {"npt", "h_euc"}, "computers": {"mi"},
    }  # fmt: skip
    assert marked("table2_feature_selection", "scorer", "all", 2) == {
        **{name: {"npt_gaussian"} for name in ("cora", "citeseer", "pubmed", "cornell", "texas")},
        "photo": {"mi"}, "computers": {"npt", "tfi", "h_attr"}, "wisconsin": {"npt_mask"},
    }  # fmt: skip


def test_cells_carry_marks_and_deviations():
    records = accuracies(all__cora=[0.99], npt__cora=[0.8, 0.9], mi__cora=[0.7, 0.7], tfi__cora=[0.6], mi__texas=[0.5])
    summary = accuracy.summarise(records, "scorer")
    cells = accuracy.accuracy_cells(summary, "scorer", "all", "latex")
    assert cells.index.tolist() == ["all", "npt", "tfi", "mi"]
    assert cells["cora"].tolist() == [
        "99.00", r"\textbf{85.00} $\pm$ {\tiny 7.07}", "60.00", r"\underline{70.00} $\pm$ {\tiny 0.00}"
    ]  # fmt: skip
    assert cells["texas"].tolist() == ["", "", "", r"\textbf{50.00}"]
    assert accuracy.accuracy_cells(summary, "scorer", "all", "markdown").loc["mi", "cora"] == "<ins>70.00</ins> ± 0.00"


def test_models_and_splits_are_never_averaged_together():
    records = accuracies(npt__cora=[0.8, 0.6], npt__texas=[0.5, 0.7])
    records.loc[1, "model"] = "gin"
    summary = accuracy.summarise(records, "scorer")
    assert summary["dataset"].tolist() == ["cora (gcn)", "cora (gin)", "texas"]
    assert summary["accuracy_mean"].tolist() == [80, 60, 60]
    published = pd.DataFrame({"scorer": ["npt"], "dataset": ["cora"], "accuracy_mean": [70.0], "accuracy_std": [4.0]})
    assert accuracy.compare(summary, published, "scorer")["difference"].tolist() == [10, -10]


def test_a_dataset_reported_by_another_metric_is_named_with_it():
    """Records of one metric say nothing of it, or accuracy; a table has the columns that it always had."""
    records = accuracies(npt__cora=[0.8], npt__tolokers=[0.7], npt__texas=[0.5])
    plain = accuracy.summarise(records, "scorer")
    pd.testing.assert_frame_equal(accuracy.summarise(records.assign(metric="accuracy"), "scorer"), plain)
    assert accuracy.runs_sentence(plain) == "Test accuracy in percent, of a single run."
    mixed = records.assign(metric=["accuracy", "roc_auc", "accuracy"])
    summary = accuracy.summarise(mixed, "scorer")
    assert list(summary) == list(plain)
    assert summary["dataset"].tolist() == ["cora", "texas", "tolokers (ROC AUC)"]
    assert accuracy.accuracy_cells(summary, "scorer").columns.map(labels.label_dataset).tolist() == [
        "Cora", "Texas", "Tolokers (ROC AUC)"
    ]  # fmt: skip
    assert accuracy.runs_sentence(summary) == "Test accuracy or ROC AUC in percent, of a single run."
    assert accuracy.runs_sentence(summary[2:]) == "Test ROC AUC in percent, of a single run."
    two_models = pd.concat([mixed, mixed.assign(model="gin")])
    named = accuracy.summarise(two_models, "scorer")["dataset"].tolist()
    assert named[-2:] == ["tolokers (gcn) (ROC AUC)", "tolokers (gin) (ROC AUC)"]
    assert labels.measure_of(named[-1:]) == "ROC AUC"
    ties = accuracy.tie_cells(mixed.assign(ties=3), "all")  # counts of features, not of the metric
    assert ties.columns.tolist() == ["cora", "texas", "tolokers"]


def test_comparison_says_where_the_two_disagree():
    published = pd.DataFrame(
        [("npt", "cora", 70.0, 2.0), ("mi", "cora", 70.0, 6.0), ("tfi", "cora", np.nan, np.nan)],
        columns=["scorer", "dataset", "accuracy_mean", "accuracy_std"],
    )
    records = accuracies(npt__cora=[0.79], mi__cora=[0.61], tfi__cora=[0.5], npt__digits=[0.9])
    summary = accuracy.summarise(records, "scorer")
    comparison = accuracy.compare(summary, published, "scorer")
    # a single run: 79 lies 9 from 70, outside t(4) * 2.236 * sqrt(1.2) = 6.8; with a deviation of 6 it would be 20.4
    assert comparison[["scorer", "difference", "verdict"]].values.tolist() == [
        ["npt", 9.0, "higher"], ["mi", -9.0, "agrees"]
    ]  # fmt: skip
    (apart,) = accuracy.apart_cells(comparison, "scorer").reset_index().values.tolist()
    assert apart == ["NPT", "Cora", "79.00", "70.00 ± 2.00", "+9.00", "+2.2 to +15.8", "0.021"]
    cell = accuracy.comparison_cells(comparison, "scorer").loc["npt", "cora"]
    assert cell == "79.00<br><small>70.00 ± 2.00</small><br><b class='far'>+9.00</b>"
    printed = accuracy.printed_table(summary, "scorer", title="T", published=published)["cells"]
    assert printed["html"].loc["NPT", "Cora"] == "<b>79.00</b><br><small><span class='far'>70.00 ± 2.00</span></small>"
    assert printed["html"].loc["MI", "Cora"] == "<u>61.00</u><br><small>70.00 ± 6.00</small>"
    assert printed["markdown"].loc["MI", "Cora"] == "<ins>61.00</ins>"


def test_coverage_names_what_only_one_side_has():
    published = read_csv(PUBLISHED / "table2_feature_selection.csv")
    published = published[published["dataset"].isin(["cora", "texas"]) & published["scorer"].isin(["all", "npt", "mi"])]
    summary = accuracy.summarise(accuracies(all__texas=[0.5], npt__texas=[0.5], pt__digits=[0.5]), "scorer")
    assert accuracy.coverage(summary, published, "scorer") == (
        "Nothing was published for Digits. The paper has no row PT. The paper also has Cora, which this run does not. "
        "The paper also has the rows MI, which this run does not."
    )
    assert accuracy.coverage(published, published, "scorer") == ""


def test_kept_features_and_ties():
    records = accuracies(all__cora=[0.9, 0.9], npt__cora=[0.8, 0.8], mi__digits=[0.7]).assign(features=1433, kept=29)
    records["ties"] = [0, 0, 1000, 1001, 0]
    records.loc[4, ["features", "kept"]] = 64, 3
    assert "29 of 1,433 on Cora and 3 of 64 on Digits." in accuracy.kept_text(records, "all")
    cells = accuracy.tie_cells(records, "all")
    assert cells.loc["npt"].tolist() == ["1000.5", ""]
    assert cells.loc["mi"].tolist() == ["", "0"]


def test_accuracy_table_is_printed_in_three_markups_with_lines_and_notes():
    summary = accuracy.summarise(accuracies(all__cora=[0.9], npt__cora=[0.8], h_ge__digits=[0.5]), "scorer")
    assert summary.columns.tolist() == [*read_csv(PUBLISHED / "table2_feature_selection.csv").columns, "runs"]
    printed = accuracy.printed_table(summary, "scorer", title="Table 2: 5 % of them", reference="all")
    markdown, latex = printed["cells"]["markdown"], printed["cells"]["latex"]
    assert [markdown.index.name, *markdown.columns] == ["Method", "Cora", "Digits"]
    assert markdown.reset_index().to_numpy().tolist()[:2] == [["All features", "90.00", ""], ["NPT", "**80.00**", ""]]
    assert latex.reset_index().to_numpy().tolist()[1:] == [
        ["NPT", r"\textbf{80.00}", ""], [r"$h_{\mathrm{GE}}$", "", r"\textbf{50.00}"]
    ]  # fmt: skip
    assert printed["cells"]["html"].loc["h<sub>GE</sub>", "Digits"] == "<b>50.00</b>"
    assert (printed["rules"], printed["breaks"]) == (
        [1],
        [1],
    )  # below all features, before our own dataset
    assert printed["title"] == "Table 2: 5 % of them"
    assert printed["notes"].endswith("(the row All features does not compete).")


DATASETS = pd.DataFrame(
    [("cora", 2708, 10556, 1433, 7, 5278, 5069), ("photo", 7650, 238162, 745, 8, 119081, 119043),
     ("computers", 13752, 245778, 767, 10, 245778, 1), ("texas", 183, 325, 1703, 5, 279, 279),
     ("wisconsin", 250, 500, 1703, 5, 450, 449), ("digits", 1797, 20000, 64, 10, 10000, 10000)],
    columns=["dataset", "nodes", "edges", "features", "classes", "undirected_edges", "component_edges"],
).assign(homophily=0.5, isolated_nodes=0)  # fmt: skip


def test_edge_counts_are_explained_from_the_columns():
    published = read_csv(PUBLISHED / "table5_datasets.csv")
    comparison = dataset_table.compare_datasets(dataset_table.summarise_datasets(DATASETS), published)
    datasets = comparison.set_index("dataset").to_dict("index")
    explained = {name: dataset_table.explain_edges(dataset) for name, dataset in datasets.items()}
    assert explained["cora"] == "as loaded: every edge in both directions"
    assert explained["texas"] == "as loaded: directed, or with loops or repetitions"
    assert explained["photo"].startswith("undirected edges of the largest component, once")
    assert explained["wisconsin"] == "unexplained: nearest are the 500 edges (−15)"
    halved = datasets["photo"] | {"published_edges": 119081}
    assert dataset_table.explain_edges(halved).startswith("every undirected edge once")


def test_dataset_table_compares_with_the_paper():
    published = read_csv(PUBLISHED / "table5_datasets.csv")
    comparison = dataset_table.compare_datasets(dataset_table.summarise_datasets(DATASETS), published)
    assert dataset_table.agreement_sentence(comparison) == (
        "Nodes, features and classes differ from the paper's: Wisconsin has 250 nodes where the paper has 251."
    )
    assert "throughout" in dataset_table.agreement_sentence(comparison[comparison["dataset"] != "wisconsin"])
    cells = dataset_table.dataset_comparison_cells(comparison)
    assert cells.loc["Photo", "Difference"] == "<i>+119,119</i>"
    assert cells.loc["Wisconsin", "Difference"] == "<b class='far'>−15</b>"
    assert cells.loc["Cora", "Difference"] == "<i>0</i>"


def test_dataset_table_averages_graphs_drawn_per_seed():
    records = pd.concat([DATASETS[:1], DATASETS[-1:], DATASETS[-1:].assign(edges=20003)])
    summary = dataset_table.summarise_datasets(records)
    assert summary[["dataset", "edges", "runs"]].values.tolist() == [["cora", 10556, 1], ["digits", 20002, 2]]
    published = read_csv(PUBLISHED / "table5_datasets.csv")
    assert dataset_table.records(summary).columns.tolist() == [*published.columns, "runs"]
    printed = dataset_table.printed_table(summary, title="Table 5: the datasets")
    for cells in printed["cells"].values():
        assert cells.loc["Cora"].tolist() == ["2,708", "10,556", "1,433", "7"]
        assert cells.loc["Digits"].tolist() == ["1,797", "20,002", "64", "10"]
    assert printed["rules"] == [1]


def test_a_caption_names_the_datasets_with_fewer_runs():
    assert labels.runs_text(pd.Series({"cora": 5, "photo": 1, "texas": 5})) == "5 runs (Photo: 1)"
    assert labels.runs_text(pd.Series({"cora": 5, "texas": 5})) == "5 runs"
    assert labels.runs_text(pd.Series({"cora": 1})) == "1 run"
