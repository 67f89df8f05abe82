"""The pages on claims and on agreement with the published, executed whole on a few made-up records."""

from pathlib import Path

import numpy as np
import pandas as pd

from notebook_records import CLAIMS, adaptive_runs, one_shot, scores, watched, write

ROOT = Path(__file__).parents[2]


def test_claims(execute, tmp_path):
    selected = pd.DataFrame(one_shot(["cora", "digits"])).replace({"scorer": {"pt": "mi"}})
    adaptive = pd.DataFrame(adaptive_runs(["cora", "digits"]))
    checkpoints = adaptive.drop_duplicates(["dataset", "scorer", "seed", "checkpoint"])
    npt = adaptive[adaptive["scorer"] == "npt"]
    inputs = {
        "checkpoints": checkpoints,
        "scores": watched(["cora", "digits"]),
        "correlated": pd.DataFrame(scores(["cora", "digits"], ["npt", "mi"], 20)),
        "ablation": pd.concat([npt, npt.assign(repeats=20)]),
        "features": pd.concat(
            pd.DataFrame({"feature": range(20), "frequency": np.arange(20) / 20, "dataset": name})
            for name in ("cora", "digits")
        ),
    }
    parameters = {name: write(table, tmp_path / f"{name}_in.csv") for name, table in inputs.items()}
    parameters["published_table3"] = str(ROOT / "config/published/table3_adaptive_selection.csv")
    parameters |= {name: str(tmp_path / name) for name in CLAIMS}
    shown = execute("claims", selected.to_dict("records"), "one_shot", **parameters, reference=10)
    assert "NPT is shown to be ahead of every rival in 2 of 2 cases (Cora and Digits), and behind one in 0." in shown
    assert "It is in 2 of 2 cases." in shown  # K = 20 is as good as K = 10
    assert "This run has none of them." in shown  # fair rivals
    best = pd.read_csv(tmp_path / "best.csv")
    assert best[["dataset", "rival", "mean", "verdict"]].values.tolist() == [
        ["cora", "mi", 10, "best"], ["digits", "mi", 10, "best"]
    ]  # fmt: skip


def test_agreement(execute, tmp_path):
    """Table 1's first row is Table 2's: one cell; npt's other two are off by much and by little."""
    cell = {"dataset": "cora", "accuracy_std": 0.5, "runs": 5}
    table1 = pd.DataFrame([{"setting": "original", **cell, "accuracy_mean": 85.8}])
    table2 = pd.DataFrame(
        [{"scorer": name, **cell, "accuracy_mean": 85.8 - 20 * (name == "npt")} for name in ("all", "npt")]
    )
    tables = [
        write(table1, tmp_path / "table1_perturbations.csv"),
        write(table2, tmp_path / "table2_feature_selection.csv"),
    ]
    published = [str(ROOT / f"config/published/{Path(path).name}") for path in tables]
    files = {"figure": str(tmp_path / "figure"), "table": str(tmp_path / "table")}
    shown = execute("agreement", [], "unused", tables=tables, published=published, **files)
    assert "Of 2 distinct published accuracies 1 agree with ours by Welch's test" in shown
    assert "- Table 2: 1 of 2 cells agree with the published; 0 are higher, 1 lower." in shown
    assert "image/png" in shown
    assert len(pd.read_csv(tmp_path / "table.csv")) == 3
