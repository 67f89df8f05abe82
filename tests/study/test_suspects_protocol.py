"""What a hypothesis changes, and which cells that concerns."""

import copy

import pytest

from graphsieve.study.suspects.protocol import CELLS, TABLE1, TABLE2, parent_of, protocol_of, relevant, trained_by

CONFIG = {
    "training": {"hidden": 512, "dropout": 0.0},
    "scoring": {
        "n_repeats": 10, "metric": "accuracy", "scored_model": "last", "label_nodes": "val", "estimator": "knn",
        "signed": False, "zscore": True, "ties": "loss", "magnitude": False, "perturbed_rows": "all",
        "shared_permutation": False, "edges": "undirected",
    },
    "selection": {"retrain": "scratch", "retrain_epochs": None, "pruned": "removed", "random_draws": 1},
    "perturbations": {"random_graph": "exact", "datasets": [], "seeds": 5},
    "datasets": {
        "cora": {"model": "gcn", "epochs": 400, "normalise": "row", "keep": 0.02},
        "texas": {"model": "tagcn", "epochs": 400, "normalise": "none", "keep": 0.02},
    },
    "suspects": {
        "hypotheses": {
            "dropout": {"says": "", "training": {"dropout": 0.5}},
            "best": {"says": "", "scoring": {"scored_model": "best"}},
            "both": {"says": "", "builds_on": "dropout", "scoring": {"scored_model": "best"}},
            "raw": {"says": "", "normalise": "none"},
            "short": {"says": "", "training": {"epochs": 100}},
            "gin": {"says": "", "model": "gin"},
        }
    },
}  # fmt: skip
MODEL = ["npt", "npt_gaussian", "npt_mask"]
GRAPH = ["tfi", "h_attr", "h_euc", "h_ge"]


def changed_cells(section, key, value):
    """The cells whose part of the protocol is another with this one change."""
    before = protocol_of(CONFIG, "cora")
    after = copy.deepcopy(before)
    if section:
        after[section][key] = value
    else:
        after[key] = value
    return [cell for cell in CELLS if relevant(before, cell) != relevant(after, cell)]


@pytest.mark.parametrize(
    ("section", "key", "value", "expected"),
    [
        ("training", "dropout", 0.5, CELLS),
        ("training", "epochs", 100, CELLS),
        ("", "normalise", "none", [cell for cell in CELLS if cell != "gaussian_noise"]),
        ("", "keep", 0.05, TABLE2),
        ("", "model", "gin", [cell for cell in CELLS if cell != "mlp"]),
        ("scoring", "n_repeats", 5, ["npt", "npt_gaussian"]),
        ("scoring", "metric", "macro_f1", MODEL),
        ("scoring", "scored_model", "best", MODEL),
        ("scoring", "magnitude", True, MODEL),
        ("scoring", "perturbed_rows", "scored", MODEL),
        ("scoring", "shared_permutation", True, ["npt"]),
        ("scoring", "label_nodes", "train", ["tfi", "mi"]),
        ("scoring", "estimator", "discrete", ["tfi", "mi"]),
        ("scoring", "edges", "out", GRAPH),
        ("scoring", "signed", True, ["h_euc"]),
        ("scoring", "zscore", False, ["h_ge"]),
        ("scoring", "ties", "index", [cell for cell in TABLE2 if cell != "random"]),
        ("selection", "retrain", "continue", TABLE2),
        ("selection", "retrain_epochs", 50, TABLE2),
        ("selection", "retrain_epochs", 400, []),
        ("selection", "pruned", "zeroed", TABLE2),
        ("selection", "random_draws", 5, ["random"]),
        ("perturbations", "random_graph", "gnp", ["random_graph"]),
    ],
)
def test_an_option_concerns_these_cells(section, key, value, expected):
    assert changed_cells(section, key, value) == list(expected)


def test_going_on_makes_every_selection_depend_on_the_scored_model():
    config = copy.deepcopy(CONFIG)
    config["selection"]["retrain"] = "continue"
    last, best = (protocol_of(config, "cora", name) for name in ("base", "best"))
    assert [cell for cell in CELLS if relevant(last, cell) != relevant(best, cell)] == list(TABLE2)
    assert set(CELLS) == {*TABLE1, *TABLE2}


def test_a_hypothesis_has_the_changes_of_what_it_builds_on():
    both = protocol_of(CONFIG, "cora", "both")
    assert (both["training"]["dropout"], both["scoring"]["scored_model"]) == (0.5, "best")
    assert both["scoring"]["ties"] == "loss"
    assert (parent_of(CONFIG, "both"), parent_of(CONFIG, "best")) == ("dropout", "base")
    assert protocol_of(CONFIG, "cora", "short")["training"] == {"hidden": 512, "dropout": 0.0, "epochs": 100}
    assert CONFIG["training"] == {"hidden": 512, "dropout": 0.0}


def test_the_model_with_all_features_is_trained_once_for_all_that_share_it():
    owners = {name: trained_by(CONFIG, "cora", name) for name in ("base", *CONFIG["suspects"]["hypotheses"])}
    assert owners == {
        "base": "base", "dropout": "dropout", "best": "base", "both": "dropout", "raw": "raw", "short": "short",
        "gin": "gin",
    }  # fmt: skip
    assert trained_by(CONFIG, "texas", "raw") == "base"  # texas is raw already
