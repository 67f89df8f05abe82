"""Findings in sentences: their numbers are those one gets by hand, and a study that did not run says nothing."""

import pandas as pd
import pytest

from graphsieve.files.writing import write_csv
from graphsieve.study.headlines import absent_datasets, headlines, plain, read_tables


def accuracies(row: str, **rows: dict[str, float]) -> pd.DataFrame:
    """A table of accuracies over five runs, each with a standard deviation of 1."""
    cells = [(name, dataset, value, 1.0, 5) for name, values in rows.items() for dataset, value in values.items()]
    return pd.DataFrame(cells, columns=[row, "dataset", "accuracy_mean", "accuracy_std", "runs"])


SELECTION = accuracies(
    "scorer",
    all={"cora": 80.0, "shop": 50.0},
    npt={"cora": 72.0, "shop": 40.0},
    mi={"cora": 60.0, "shop": 45.0},
    random={"cora": 30.0, "shop": 20.0},
)
ADAPTIVE = pd.concat(
    [
        accuracies("scorer", full={"cora": 80.0}).assign(retained_percent=100.0),
        accuracies("scorer", npt={"cora": 60.0}, mi={"cora": 70.0}).assign(retained_percent=6.25),
    ]
)
KEPT = pd.DataFrame(
    [("cora", "npt", 1433, 29), ("shop", "npt", 10, 1), ("cora", "all", 1433, 1433)],
    columns=["dataset", "scorer", "features", "kept"],
)
PUBLISHED = {
    "table1_perturbations": accuracies("setting", original={"cora": 78.5}, mlp={"cora": 70.0}),
    "table2_feature_selection": accuracies("scorer", npt={"cora": 76.5}, mi={"cora": 61.0}),
    "table3_adaptive_selection": accuracies("scorer", npt={"cora": 82.4}, mi={"cora": 71.0}).assign(
        retained_percent=6.25
    ),
}


def first(**ours: pd.DataFrame) -> tuple[str, str, str]:
    """Number, words and sentences of the first finding that a study gives."""
    found = next(one for one in headlines(ours, {"one_shot": KEPT}, PUBLISHED) if "published" not in one.words)
    return plain(found.number), plain(found.words), plain(" ".join(found.sentences))


def test_selection_tells_what_was_kept_what_it_reaches_and_what_was_published():
    number, words, sentences = first(table2_feature_selection=SELECTION)
    assert number == "85.0\u00a0%"  # the mean of 72 / 80 and 40 / 50
    assert words.endswith("NPT keeps (mean of 2 datasets)")
    assert sentences == (
        "NPT keeps 29 of Cora's 1,433 features (2.0\u00a0%) and reaches 72.0\u00a0% test accuracy (all features: "
        "80.0\u00a0%; as many at random: 30.0\u00a0%; published: 76.5\u00a0%). NPT keeps 1 of shop's 10 features "
        "(10.0\u00a0%) and reaches 40.0\u00a0% test accuracy (all features: 50.0\u00a0%; as many at random: "
        "20.0\u00a0%)."
    )


def test_findings_name_the_metric_of_each_dataset():
    by_auc = SELECTION.replace({"dataset": {"shop": "shop (ROC AUC)"}})
    _, words, sentences = first(table2_feature_selection=by_auc)
    assert words.startswith("of the accuracy or ROC AUC with all features is left")
    assert "NPT keeps 1 of shop's 10 features (10.0\u00a0%) and reaches 40.0\u00a0% test ROC AUC (all" in sentences
    assert "reaches 72.0\u00a0% test accuracy (all features: 80.0" in sentences
    alone = by_auc[by_auc["dataset"] != "cora"]
    assert first(table2_feature_selection=alone)[1].startswith("of the ROC AUC with all features is left")


def test_the_first_method_stands_in_where_npt_did_not_run():
    table = SELECTION[SELECTION["scorer"] != "npt"]
    assert first(table2_feature_selection=table)[0] == "82.5\u00a0%"  # mi: the mean of 60 / 80 and 45 / 50


def test_the_best_method_of_each_dataset_is_named():
    found = headlines({"table2_feature_selection": SELECTION}, {"one_shot": KEPT}, PUBLISHED)
    best = next(one for one in found if "best" in one.words)
    assert best.number == "1 of 2"
    assert best.sentences == ("Of 3 one-shot methods the best is NPT on Cora (72.0\u00a0%); MI on shop (45.0\u00a0%).",)


def test_published_accuracies_are_counted_table_by_table():
    ours = {"table2_feature_selection": SELECTION, "table3_adaptive_selection": ADAPTIVE}
    ours["table1_perturbations"] = accuracies("setting", original={"cora": 80.0}, mlp={"cora": 70.0, "shop": 1.0})
    found = next(one for one in headlines(ours, {"one_shot": KEPT}, PUBLISHED) if "published" in one.words)
    # Table 1: both; Table 2: mi is 1 off, npt 4.5; Table 3: mi is 1 off, npt 22.4. Welch's margin is 1.55 throughout.
    assert found.number == "4 of 6"
    assert found.sentences[0].startswith("Of 6 distinct published accuracies 4 agree with ours by Welch's test")
    assert found.sentences[0].endswith("Agreeing: 2 of 2 in Table 1, 1 of 2 in Table 2 and 1 of 2 in Table 3.")
    assert found.words.endswith("corrected for their number, 2 differ")


def test_the_claims_lead_where_they_were_judged():
    """Agreement, what is shown of the paper's first claim, and what its fair rivals do: the first three findings."""
    tested = {"mean": 1.0, "low": -1.0, "high": 3.0, "p_holm": 0.01, "detectable": 2.0, "runs": 5}
    verdicts = {"cora": "best", "texas": "ahead, not shown", "photo": "one run only", "pubmed": "behind"}
    best = [{"dataset": name, "rival": "mi", **tested, "verdict": verdict} for name, verdict in verdicts.items()]
    fair = [
        {"dataset": name, "rival": "pt", **tested, "mean": mean} for name, mean in {"cora": -1.0, "texas": 1}.items()
    ]
    ours = {"table2_feature_selection": SELECTION, "claims_best_one_shot": pd.DataFrame(best)}
    found = headlines({**ours, "claims_fair": pd.DataFrame(fair)}, {"one_shot": KEPT}, PUBLISHED)
    assert [one.number for one in found[:3]] == ["1 of 2", "1 of 3", "1 of 2"]
    assert found[1].words.endswith("on 1 more its mean is the highest, on 1 it is shown to be behind")
    assert found[2].words.endswith("selects better than NPT; shown in 1")
    assert found[2].sentences == (
        "PT selects better than NPT on 1 of 2 datasets (Cora), shown on Cora; NPT is shown to select better on Texas.",
    )


def test_adaptive_selection_stands_beside_the_full_model():
    found = headlines({"table3_adaptive_selection": ADAPTIVE.query("scorer != 'mi'")}, {}, PUBLISHED)
    assert [one.number for one in found if "pruned" in one.words] == ["75.0\u00a0%"]  # 60 of 80
    sentence = next(one.sentences[0] for one in found if "pruned" in one.words)
    assert "60.0\u00a0% on Cora (nothing pruned: 80.0\u00a0%; published: 82.4\u00a0%)" in sentence


def test_recovery_averages_the_regimes():
    rows = [("npt", "b", 0.2), ("npt", "d", 0.4), ("pt", "b", 0.5), ("pt", "d", 0.9), ("random", "b", 0.1)]
    table = pd.DataFrame(rows, columns=["scorer", "dataset", "mean"]).assign(measure="average_precision")
    table["dataset"] = "synthetic_" + table["dataset"]
    other = table.assign(measure="recall", mean=1.0)
    number, words, sentence = first(fig12_recovered_features=pd.concat([table, other]))
    assert number == "0.70"
    assert words.endswith("(NPT 0.30; Rnd. 0.10)")
    assert "in the regimes (b) and (d), PT finds them best" in sentence


def test_the_graph_is_worth_what_the_mlp_lacks():
    table = accuracies(
        "setting",
        original={"cora": 85.0, "texas": 60.0},
        mlp={"cora": 70.0, "texas": 65.0},
        permuted_rows={"cora": 50.0},
    )
    found = [one for one in headlines({"table1_perturbations": table}, {}, PUBLISHED) if "graph" in one.words]
    assert [one.number for one in found] == ["+5.0"]  # the mean of 15 and -5
    assert "+15.0 on Cora and −5.0 on Texas" in found[0].sentences[0]
    assert "−35.0 on Cora" in found[0].sentences[0]


def test_the_strongest_correlation_counts_in_either_direction():
    rows = [("mi", "cora", 0.4), ("h_ge", "cora", -0.6), ("mi", "texas", 0.5), ("h_ge", "texas", 0.1)]
    table = pd.DataFrame(rows, columns=["scorer", "dataset", "pearson_r"])
    number, words, sentence = first(table4_score_correlation=table)
    assert number == "0.45"
    assert "MI" in words
    assert "hGE on Cora (r = −0.60); MI on Texas (r = 0.50)" in sentence


def test_broken_bounds_are_counted():
    cases = pd.DataFrame({"cases": [1000, 286], "stated_violations": [50, 3], "repaired_violations": [0, 0]})
    search = pd.DataFrame({"violated": [True, False, True]})
    number, _, sentence = first(theory_bounds_cases=cases, theory_bounds_search=search)
    assert number == "2 of 3"
    assert sentence.startswith("Of 1,286 random cases 53 break the bound that the theorems state, none the repaired")


def test_a_run_without_studies_has_no_findings():
    assert headlines({"table5_datasets": pd.DataFrame({"dataset": ["digits"]})}, {}, PUBLISHED) == []


def test_names_of_own_graphs_are_text_not_markup():
    table = accuracies("scorer", all={"<b>": 50.0}, npt={"<b>": 25.0})
    kept = pd.DataFrame([("<b>", "npt", 4, 1)], columns=["dataset", "scorer", "features", "kept"])
    (found,) = headlines({"table2_feature_selection": table}, {"one_shot": kept}, PUBLISHED)
    assert "&lt;b&gt;'s 4 features" in found.sentences[0]


@pytest.mark.parametrize(
    ("datasets", "sentence"),
    [
        (["digits"], "This run has none of the paper's nine datasets: Cora, CiteSeer, PubMed, Photo, Computers, "
         "ArXiv, Cornell, Texas and Wisconsin are absent."),
        (["cora", "citeseer", "pubmed", "photo (gcn)", "computers", "cornell", "texas", "wisconsin"],
         "This run has eight of the paper's nine datasets: ArXiv is absent."),
        (["cora", "citeseer", "pubmed", "photo", "computers", "arxiv", "cornell", "texas", "wisconsin"], ""),
    ],
)  # fmt: skip
def test_absent_datasets_are_named(datasets, sentence):
    assert absent_datasets({"table5_datasets": pd.DataFrame({"dataset": datasets})}) == sentence


def test_a_run_without_datasets_has_none_of_the_papers():
    assert absent_datasets({}).startswith("This run has none of the paper's nine datasets")


def test_findings_are_made_from_tables_read_by_their_names(tmp_path):
    for name, table in PUBLISHED.items():
        write_csv(table, tmp_path / f"{name}.csv")
    found = headlines({"table2_feature_selection": SELECTION}, {"one_shot": KEPT}, read_tables(tmp_path.glob("*.csv")))
    assert [one.number for one in found] == ["1 of 2", "85.0\u00a0%", "1 of 2"]


def test_the_selector_of_the_best_mean_rank_leads_and_the_papers_stands_beside_it():
    table = pd.DataFrame(
        [("mrmr", 3, 1.5, 0.4, 0), ("npt", 3, 2.5, 3.2, 1), ("loco", 1, float("nan"), 1.0, 0)],
        columns=["scorer", "graphs", "mean_rank", "mean_regret", "behind_on"],
    )
    (found,) = headlines({"selector_ranks": table}, {}, {})
    assert (found.number, found.words) == ("mRMR", "has the best mean rank of 2 selectors on 3 graphs, 1.5")
    assert found.sentences[0].endswith("another: mRMR. NPT has 2.5, 3.2 points behind the best of each graph.")
