from pathlib import Path

import pandas as pd
import pytest
from document_reproduction import blocks, with_results

from graphsieve.errors import InputError

PUBLISHED = Path(__file__).parents[1] / "config/published"
INTERVAL = {"mean": 1.24, "low": -0.5, "high": 3.0, "runs": 5, "p_holm": 0.031, "detectable": 4.44}
CELL = {"dataset": "cora", "accuracy_mean": 76.04, "runs": 5, "accuracy_mean_published": 75.0, "verdict": "agrees"}
CELL |= {"p_holm": 1.0, "detectable": 2.0, "repeats": False}
CELLS = [
    {"table": "Table 1", "row": "mlp", **CELL},
    {"table": "Table 2", "row": "npt", **CELL, "verdict": "higher"},
    {"table": "Table 3", "retained_percent": 6.25, "row": "npt", **CELL},
]


@pytest.fixture
def tables(tmp_path):
    """One row a table, as the pages on claims and cost write them."""
    rival = {"dataset": "cora", "rival": "mi", **INTERVAL, "verdict": "best"}
    rows = {
        "claims_best_one_shot": rival,
        "claims_fair": {**rival, "p_holm": 0.31},
        "table1_perturbations": {"setting": "mlp", "dataset": "cora", "accuracy_mean": 77.0, "runs": 5},
        "table2_feature_selection": {"scorer": "npt", "dataset": "cora", "accuracy_mean": 74.0, "runs": 5},
    }
    for name, row in rows.items():
        pd.DataFrame([row]).to_csv(tmp_path / f"{name}.csv", index=False)
    correlations = {"scorer": "tfi", "dataset": ["cora", "citeseer"], "pearson_r": [0.5, 0.3], "runs": 5}
    pd.DataFrame(correlations).to_csv(tmp_path / "table4_score_correlation.csv", index=False)
    pd.DataFrame(CELLS).to_csv(tmp_path / "agreement.csv", index=False)
    return tmp_path


def test_every_part_says_what_its_table_holds(tables):
    parts = blocks(tables, PUBLISHED)
    assert parts["agreement"].startswith("Of 3 distinct published accuracies 2 agree with ours")
    assert "| MLP(X), no graph | 76.0 (75.0) |" in parts["table1"]
    assert "| NPT | **76.0 (75.0)** |" in parts["table2"]
    assert "| NPT, 6.25 % | 76.0 (75.0) |" in parts["table3"]
    assert "Table 3: 1 of 1 cells agree" in parts["table3"]
    assert parts["table4"] == "Mean r over 2 datasets: TFI 0.40 (0.56)."  # (0.5 + 0.3) / 2, (0.62 + 0.50) / 2
    assert parts["fair"].endswith("\n\nWhere nothing is shown, a difference of 4.4 points could have been seen.")
    assert "| Cora | MI | +1.2 [−0.5, +3.0] | 0.031 | 4.4 | 5 | best |" in parts["best"]


def test_the_text_around_the_parts_stays(tables):
    names = list(blocks(tables, PUBLISHED))
    page = "\n".join(f"about {name}\n<!-- {name}: start -->\noutdated\n<!-- {name}: end -->" for name in names)
    written = with_results(page, tables, PUBLISHED)
    assert "outdated" not in written
    assert all(f"about {name}\n" in written for name in names)
    assert with_results(written, tables, PUBLISHED) == written


def test_a_missing_folder_or_marker_is_told(tables):
    with pytest.raises(InputError, match="make paper"):
        with_results("", tables / "absent", PUBLISHED)
    with pytest.raises(InputError, match="agreement: start"):
        with_results("# What came out", tables, PUBLISHED)
