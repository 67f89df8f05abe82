"""Configs with a fault: each stops before any job, with one sentence that names the key and what is allowed."""

import copy
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config, validate

from graphsieve.errors import InputError
from graphsieve.jobs.config_checks import check_files, check_meaning, check_schema
from workflow_runs import PROJECT, TINY, make_project, overlay, snakemake

SCHEMA = PROJECT / "workflow/schemas/config.schema.yaml"
KEYS = yaml.safe_load(SCHEMA.read_text())
BASE = [yaml.safe_load(path.read_text()) for path in (PROJECT / "config/config.yaml", TINY)]

BROKEN = {
    # hypotheses
    "suspects.hypotheses.mine: says must be given": {"suspects": {"hypotheses": {"mine": {}}}},
    "suspects.hypotheses.mine.trainning is unknown (do you mean training?), choose from says": {
        "suspects": {"hypotheses": {"mine": {"says": "", "trainning": {}}}}
    },
    "suspects.hypotheses.mine.training.droput is unknown (do you mean dropout?), choose from hidden": {
        "suspects": {"hypotheses": {"mine": {"says": "", "training": {"droput": 0.5}}}}
    },
    "suspects.hypotheses.mine.training.epochs: 0 is not allowed, give an integer at least 1": {
        "suspects": {"hypotheses": {"mine": {"says": "", "training": {"epochs": 0}}}}
    },
    "suspects.hypotheses.mine.perturbations.seeds is unknown, choose from random_graph": {
        "suspects": {"hypotheses": {"mine": {"says": "", "perturbations": {"seeds": 3}}}}
    },
    "suspects.hypotheses.mine.normalise: 'rows' is unknown (do you mean row?), choose from none, row": {
        "suspects": {"hypotheses": {"mine": {"says": "", "normalise": "rows"}}}
    },
    "suspects.hypotheses.mine.model: 'ginn' is unknown (do you mean gin?), choose from gcn": {
        "suspects": {"hypotheses": {"mine": {"says": "", "model": "ginn"}}}
    },
    "suspects.hypotheses.mine.builds_on: 'bse' is unknown (do you mean base?), choose from base": {
        "suspects": {"hypotheses": {"mine": {"says": "", "builds_on": "bse"}}}
    },
    "suspects.hypotheses.one.builds_on: one on two on one is a circle, build on base": {
        "suspects": {"hypotheses": {"one": {"says": "", "builds_on": "two"}, "two": {"says": "", "builds_on": "one"}}}
    },
    "suspects.hypotheses.base: this name is taken": {"suspects": {"hypotheses": {"base": {"says": ""}}}},
    "suspects.hypotheses: 'my-own' is not allowed, give letters, digits and _": {
        "suspects": {"hypotheses": {"my-own": {"says": ""}}}
    },
    "suspects.datasets: 'corra' is unknown": {"suspects": {"datasets": {"corra": [0]}}},
    "suspects.finalists: 'mine' is unknown": {"suspects": {"finalists": ["mine"]}},
    "suspects.confirmation.hypotheses: 'mine' is unknown": {"suspects": {"confirmation": {"hypotheses": ["mine"]}}},
    "suspects.chosen_on.datasets: 'texas' is unknown, choose from digits": {
        "suspects": {"chosen_on": {"datasets": ["texas"]}}
    },
    "selection.retrain: 'again' is unknown, choose from scratch, continue": {"selection": {"retrain": "again"}},
    # wrong types
    "training.hidden: 'wide' is not allowed, give an integer at least 1": {"training": {"hidden": "wide"}},
    "training.hidden: 2.0 is not allowed, give an integer at least 1": {"training": {"hidden": 2.0}},
    "training.num_layers: true is not allowed, give an integer at least 1": {"training": {"num_layers": True}},
    "training: null is not allowed, give a mapping with any of the keys hidden, num_layers": {"training": None},
    "scoring.zscore: 'often' is not allowed, give true or false": {"scoring": {"zscore": "often"}},
    "one_shot.seeds: [0, 1, 1] is not allowed, give an integer at least 1": {"one_shot": {"seeds": [0, 1, 1]}},
    "one_shot.datasets: 'digits' is not allowed, give a list": {"one_shot": {"datasets": "digits"}},
    "datasets: [digits] is not allowed, give a mapping": {"datasets": ["digits"]},
    "datasets.digits: null is not allowed, give a mapping with any of the keys path, model": {
        "datasets": {"digits": None}
    },
    "datasets.digits.model: null is not allowed, give text (The graph neural network": {
        "datasets": {"digits": {"model": None}}
    },
    "datasets: the name 7 is no text, put it in quotes": {"datasets": {7: {"path": "seven"}}},
    "training.learning_rate: '1e-3' is not allowed, give a number above 0; YAML reads 1e-3 as text, write 0.001": {
        "training": {"learning_rate": "1e-3"}
    },
    # out of range
    "training.hidden: 0 is not allowed, give an integer at least 1": {"training": {"hidden": 0}},
    "training.learning_rate: 0 is not allowed, give a number above 0": {"training": {"learning_rate": 0}},
    "training.learning_rate: -0.1 is not allowed, give a number above 0": {"training": {"learning_rate": -0.1}},
    "training.learning_rate: inf is not allowed, give a finite": {"training": {"learning_rate": float("inf")}},
    "training.dropout: 1.5 is not allowed, give a number at least 0 and below 1": {"training": {"dropout": 1.5}},
    "scoring.n_repeats: 0 is not allowed, give an integer at least 1": {"scoring": {"n_repeats": 0}},
    "adaptive.seeds: -3 is not allowed, give an integer at least 1": {"adaptive": {"seeds": -3}},
    "datasets.digits.epochs: -5 is not allowed, give an integer at least 1": {"datasets": {"digits": {"epochs": -5}}},
    "datasets.digits.keep: 1.5 is not allowed, give a number above 0 and at most 1": {
        "datasets": {"digits": {"keep": 1.5}}
    },
    "datasets.digits.prune: 1 is not allowed, give a number at least 0.001 and below 1": {
        "datasets": {"digits": {"prune": 1}}
    },
    "datasets.digits.prune: 0 is not allowed, give a number at least 0.001": {"datasets": {"digits": {"prune": 0}}},
    "datasets.digits.keep: nan is not allowed, give a finite number": {"datasets": {"digits": {"keep": float("nan")}}},
    "ablation.prune: 1.2 is not allowed, give a number at least 0.001 and below 1": {"ablation": {"prune": [0.5, 1.2]}},
    "ablation.n_repeats: 0 is not allowed, give an integer at least 1": {"ablation": {"n_repeats": [0, 5]}},
    "ablation.n_repeats: the list is empty, name at least 1": {"ablation": {"n_repeats": []}},
    "pruning.tolerance: 2 is not allowed, give a number at least 0 and at most 1 or null": {
        "pruning": {"tolerance": 2}
    },
    "datasets.digits.seeds: 0 is not allowed, give an integer at least 1 or null": {
        "datasets": {"digits": {"seeds": 0}}
    },
    # unknown names
    "trainning is unknown (do you mean training?), choose from run, device": {"trainning": {}},
    "training.learning_rat is unknown (do you mean learning_rate?), choose from hidden": {
        "training": {"learning_rat": 0.1}
    },
    "datasets.digits.epoch is unknown (do you mean epochs?)": {"datasets": {"digits": {"epoch": 5}}},
    "one_shot.datasets: 'coraa' is unknown (do you mean cora?), choose from cora": {
        "one_shot": {"datasets": ["cora", "coraa"]}
    },
    "one_shot.scorers: 'shap' is unknown, choose from npt": {"one_shot": {"scorers": ["shap"]}},
    "one_shot.scorers: 'full' is unknown": {"one_shot": {"scorers": ["npt", "full"]}},
    "adaptive.scorers: 'npt_los' is unknown (do you mean npt_loss?), choose from full, npt": {
        "adaptive": {"scorers": ["npt_los"]}
    },
    "one_shot.models: 'gpt' is unknown, choose from gcn": {"one_shot": {"models": ["gpt"]}},
    "transfer.models: the list is empty, name at least 2": {"transfer": {"models": []}},
    "transfer.scorers: none of these asks a model": {"transfer": {"scorers": ["mi", "random"]}},
    "benchmark.only_on.loco: 'coraa' is unknown": {"benchmark": {"only_on": {"loco": ["coraa"]}}},
    "benchmark.tuned_on: 'shap' is unknown": {"benchmark": {"tuned_on": {"shap": ["cora"]}}},
    "benchmark.shares: 1.0 is not allowed, give a number above 0 and below 1": {"benchmark": {"shares": [0.1, 1.0]}},
    "synthetic.tests: 'bonferroni' is unknown": {"synthetic": {"tests": ["bonferroni"]}},
    "datasets.digits.model: 'gpt' is unknown, choose from gcn": {"datasets": {"digits": {"model": "gpt"}}},
    "datasets: 'mystery' is unknown, choose from": {"datasets": {"mystery": {}}},
    "perturbations.settings: 'shuffled' is unknown, choose from original, mlp": {
        "perturbations": {"settings": ["shuffled"]}
    },
    "device: 'gpu' is unknown, choose from auto, cpu, cuda": {"device": "gpu"},
    "scoring.estimator: 'kde' is unknown, choose from knn, discrete": {"scoring": {"estimator": "kde"}},
    "scoring.ties: 'first' is unknown, choose from loss, random, index": {"scoring": {"ties": "first"}},
    "synthetic.datasets: 'synthetic_z' is not allowed, give synthetic_a to synthetic_h": {
        "synthetic": {"datasets": ["synthetic_z"]}
    },
    "theory.datasets: 'synthetic_a' is not allowed, give a dataset that is not synthetic": {
        "theory": {"datasets": ["synthetic_a"]}
    },
    # names that would make bad paths
    "run: 'a/b' is not allowed, give letters, digits, _ and -": {"run": "a/b"},
    "run: '' is not allowed, give letters, digits, _ and -": {"run": ""},
    "datasets: 'my graph' is not allowed, give letters, digits, _ and -": {"datasets": {"my graph": {"path": "x"}}},
    "datasets.synthetic_mine.path: this name is taken": {"datasets": {"synthetic_mine": {"path": "x"}}},
    "datasets.cora.path: this name is taken": {"datasets": {"cora": {"path": "x"}}},
    # lists
    "one_shot.datasets: 'digits' is listed twice, name each once": {"one_shot": {"datasets": ["digits", "digits"]}},
    "adaptive.scorers: 'npt' is listed twice": {"adaptive": {"scorers": ["npt", "mi", "npt"]}},
    "ablation.prune: 0.5 is listed twice": {"ablation": {"prune": [0.5, 0.50]}},
    "one_shot.scorers: the list is empty, name at least 1": {"one_shot": {"scorers": []}},
    "correlations.scorers: npt is what the others are compared with": {"correlations": {"scorers": ["npt", "mi"]}},
    # what does not go together
    "public_splits.split: 'texas' has no public split, set it to random or name only cora, citeseer": {
        "public_splits": {"datasets": ["texas"]}
    },
    "one_shot.split: 'digits' has no public split": {"one_shot": {"split": "public", "datasets": ["digits"]}},
    "datasets.digits.burn_in: adaptive prunes 'digits' first after 9 epochs, but its training has 5": {
        "datasets": {"digits": {"burn_in": 9}}
    },
    "datasets.digits.interval: adaptive prunes 'digits' first after 5 epochs, but its training has 5": {
        "datasets": {"digits": {"interval": 5}}
    },
}


def check(settings: dict) -> None:
    """As the workflow does it, with the tiny config under the settings."""
    config = {}
    for layer in (*BASE, settings):
        update_config(config, copy.deepcopy(layer))
    check_schema(config, KEYS)
    validate(config, str(SCHEMA))
    check_meaning(config)


@pytest.mark.parametrize(("message", "settings"), BROKEN.items(), ids=list(BROKEN))
def test_a_broken_config_is_refused_with_a_sentence(message, settings):
    with pytest.raises(InputError) as refusal:
        check(settings)
    assert str(refusal.value).startswith(f"config key {message}")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("settings", [{}, {"datasets": {"digits": {"prune": 0.001}}}, {"adaptive": {"datasets": []}}])
def test_a_sound_config_is_not_refused(settings):
    check(settings)


def test_the_paper_is_a_sound_config():
    check(yaml.safe_load((PROJECT / "config/paper.yaml").read_text()))


def test_a_key_that_stands_twice_is_refused(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("one_shot:\n  seeds: 3\n  split: random\n  seeds: 5\n")
    with pytest.raises(InputError, match=r"config key one_shot.seeds: it stands twice in .*mine.yaml, keep one"):
        check_files([path])
    path.write_text("one_shot: { seeds: 3 }\nadaptive: { seeds: 3 }\n")
    check_files([path])


def stopped(project: Path, configs: tuple) -> str:
    """What Snakemake prints about a config that it must refuse before it makes anything."""
    result = snakemake(project, configs=configs)
    printed = result.stdout + result.stderr
    assert result.returncode != 0
    assert "Traceback" not in printed
    assert not (project / "results").exists()
    return printed


def test_the_workflow_stops_at_a_name_before_any_job(tmp_path):
    configs = overlay(tmp_path, {"adaptive": {"scorers": ["shap"]}})
    printed = stopped(make_project(tmp_path), configs)
    assert "config key adaptive.scorers: 'shap' is unknown, choose from full, npt" in printed


def test_the_workflow_stops_at_an_own_graph_that_is_not_there(tmp_path):
    configs = overlay(tmp_path, {"datasets": {"shop": {"path": "nowhere"}}})
    printed = stopped(make_project(tmp_path), configs)
    assert f"config key datasets.shop.path: {tmp_path}/nowhere does not exist" in printed


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "keys at top level"), ("run: [a\n", "not valid JSON or YAML"), ("run: a\nrun: b\n", "run: it stands twice")],
    ids=["empty", "no YAML", "a key twice"],
)
def test_the_workflow_stops_at_a_file_that_is_no_config(text, message, tmp_path):
    (tmp_path / "mine.yaml").write_text(text)
    assert message in stopped(make_project(tmp_path), (tmp_path / "mine.yaml",))
