"""Algorithm 1: against a plain loop that masks pruned columns with zeros, and counts and rules worked out by hand."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch_geometric.nn import GCNConv

import graphsieve
from graphsieve.data.graph import keep_columns, save_graph
from graphsieve.errors import InputError
from graphsieve.models.classifier import build_model
from graphsieve.models.layers import LAYERS
from graphsieve.models.training import train_model
from graphsieve.options import PruningOptions, ScoringOptions, TrainingOptions
from graphsieve.scoring import scorers
from graphsieve.scoring.scorers import Scores
from graphsieve.selection import adaptive
from graphsieve.selection.adaptive import adaptive_selection

TRAINING = TrainingOptions(hidden=16, epochs=24)
PRUNING = PruningOptions(interval=6)
SCORING = ScoringOptions(n_repeats=3)


def factory_of(name: str, graph, hidden: int = 16, seed: int = 0):
    return lambda num_features: build_model(name, num_features, graph.num_classes, hidden=hidden, seed=seed)


@pytest.fixture
def select(small_graph, small_split):
    def run(
        scorer="npt", pruning=PRUNING, training=TRAINING, graph=small_graph, factory=None, scoring=SCORING, **options
    ):
        factory = factory or factory_of("gcn", graph)
        return adaptive_selection(
            factory, graph, small_split, scorer=scorer, pruning=pruning, training=training, scoring=scoring, **options
        )

    return run


class Gated(nn.Module):
    """A module of the user's own, with three weights that follow the number of features."""

    def __init__(self, num_features: int):
        super().__init__()
        self.gate = nn.Parameter(torch.ones(num_features))
        self.first = GCNConv(num_features, 8)
        self.skip = nn.Linear(num_features, 3)
        self.last = nn.Linear(8, 3)

    def forward(self, x, edge_index):
        x = x * self.gate
        return self.last(torch.tanh(self.first(x, edge_index))) + self.skip(x)


def masked_training(model, graph, split, result, epochs: int) -> tuple[pd.DataFrame, nn.Module]:
    """A plain loop on all columns that sets those the run dropped to zero, at the same checkpoints."""
    x, edge_index, y = (torch.from_numpy(array) for array in (graph.x.copy(), graph.edge_index, graph.y))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    ends = result.checkpoints.set_index("epoch")["checkpoint"].to_dict()
    rows = []
    for epoch in range(1, epochs + 1):
        optimiser.zero_grad()
        loss = cross_entropy(model(x, edge_index)[split.train], y[split.train])
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            correct = (model(x, edge_index).argmax(1) == y).numpy()
        rows.append({"train_loss": loss.item(), "val_accuracy": correct[split.val].mean()})
        if epoch in ends:
            x[:, (result.features["dropped_at"] == ends[epoch]).fillna(False).to_numpy(dtype=bool)] = 0
    return pd.DataFrame(rows), model


@pytest.mark.parametrize("name", [*LAYERS, "own"])
def test_slicing_is_the_same_as_masking_with_zeros(name, select, small_graph, small_split):
    """In double precision, so that only the order of sums differs."""
    graph = replace(small_graph, x=small_graph.x.astype(np.float64))

    def factory(num_features):
        torch.manual_seed(0)
        module = Gated(num_features) if name == "own" else factory_of(name, graph)(num_features)
        return module.double()

    result = select(graph=graph, factory=factory, training=replace(TRAINING, epochs=30))
    masked, model = masked_training(factory(8), graph, small_split, result, epochs=30)
    assert result.checkpoints["features"].tolist() == [8, 4, 2, 1, 1]
    np.testing.assert_allclose(result.history["train_loss"], masked["train_loss"], rtol=1e-8)
    assert result.history["val_accuracy"].tolist() == masked["val_accuracy"].tolist()
    large, small = dict(model.named_parameters()), dict(result.model.named_parameters())
    for key, weight in small.items():
        found = large[key].detach()
        if found.shape != weight.shape:
            found = found.index_select(found.dim() - 1, torch.from_numpy(result.kept))
        torch.testing.assert_close(weight.detach(), found, rtol=1e-7, atol=1e-10)


def test_the_optimisers_moments_are_those_of_the_kept_features(small_graph, small_split):
    """Right after a cut, before any step could hide a difference."""
    kept = np.array([1, 4, 6])
    options = replace(TRAINING, epochs=5)
    before = adaptive.Trainer(
        factory_of("tagcn", small_graph)(8), small_graph, small_split, options, torch.device("cpu")
    )
    before.run(5, adaptive.epoch_bar(5, False))
    module = factory_of("tagcn", small_graph, seed=9)(3)
    after = adaptive._continue(before, module, keep_columns(small_graph, kept), small_split, options, kept)
    assert after.epochs_done == 5
    sliced = 0
    for (name, old), new in zip(before.model.named_parameters(), after.model.parameters(), strict=True):
        columns = kept if new.shape != old.shape else slice(None)
        sliced += new.shape != old.shape
        for moment in ("exp_avg", "exp_avg_sq"):
            old_moment, new_moment = before.optimiser.state[old][moment], after.optimiser.state[new][moment]
            assert old_moment.abs().sum() > 0, name
            assert torch.equal(new_moment, old_moment[..., columns] if old.dim() > 1 else old_moment)
        assert torch.equal(new, old[..., columns] if old.dim() > 1 else old)
        assert after.optimiser.state[new]["step"] == 5
    assert sliced == 4  # TAGCN has a weight for each of four hops


def test_without_pruning_the_loop_is_the_training_of_the_study(select, small_graph, small_split):
    result = select(pruning=replace(PRUNING, prune=0))
    plain = train_model("gcn", small_graph, small_split, options=TRAINING).history
    pd.testing.assert_frame_equal(result.history[plain.columns], plain)
    assert result.features["dropped_at"].isna().all()
    assert result.kept.tolist() == list(range(8))
    assert result.scores.groupby("checkpoint").size().tolist() == [8] * 4


def test_watching_does_not_change_the_training(select):
    often, seldom = (select(pruning=PruningOptions(interval=interval, prune=0)).history for interval in (2, 24))
    assert often["train_loss"].tolist() == seldom["train_loss"].tolist()


@pytest.mark.parametrize(
    ("fraction", "features", "counts"),
    [
        (0.5, 1433, [1433, 716, 358, 179, 90, 45, 22, 11]),  # 6.28, 3.14 and 1.54 % at the sixth checkpoint and so on
        (0.4, 128, [128, 77, 46, 28, 17, 10, 6, 4]),
        (0.75, 20, [20, 5, 1, 1, 1, 1, 1, 1]),
    ],
)
def test_exactly_the_fraction_is_pruned(select, small_graph, fraction, features, counts):
    """Even when every score is the same, which the paper's quantile would not prune at all."""
    x = np.random.default_rng(0).random((60, features), dtype=np.float32)
    pruning = PruningOptions(prune=fraction, interval=1)
    result = select(
        lambda task: Scores(np.zeros(task.graph.num_features)), pruning, replace(TRAINING, epochs=8),
        replace(small_graph, x=x),
    )  # fmt: skip
    assert result.checkpoints["features"].tolist() == counts
    assert result.checkpoints["pruned"].tolist() == [*-np.diff(counts), 0]
    tied = [count if pruned else 0 for count, pruned in zip(counts, result.checkpoints["pruned"], strict=True)]
    assert result.checkpoints["ties"].tolist() == tied
    assert len(result.kept) == counts[-1]


def test_ties_fall_as_the_rule_says(select):
    def flat(task):
        return Scores(np.zeros(task.graph.num_features), losses=-np.arange(task.graph.num_features, dtype=float))

    once = PruningOptions(interval=20)
    assert select(flat, once, scoring=replace(SCORING, ties="index")).kept.tolist() == [0, 1, 2, 3]
    by_loss = select(lambda task: replace(flat(task), losses=np.arange(task.graph.num_features)), once)
    assert by_loss.kept.tolist() == [4, 5, 6, 7]
    drawn = {tuple(select(flat, once, scoring=replace(SCORING, ties="random"), seed=seed).kept) for seed in range(6)}
    assert len(drawn) > 1


def test_checkpoints_follow_burn_in_and_interval():
    assert PruningOptions(interval=50, burn_in=50).checkpoints(400) == [50, 100, 150, 200, 250, 300, 350, 400]
    assert PruningOptions(interval=100, burn_in=100).checkpoints(800) == [*range(100, 801, 100)]
    assert PruningOptions(interval=50, burn_in=120).checkpoints(300) == [120, 170, 220, 270, 300]
    assert PruningOptions(interval=50, burn_in=10).checkpoints(120) == [50, 100, 120]
    assert PruningOptions(interval=50).checkpoints(20) == [20]


@pytest.mark.parametrize(("cap", "counts"), [(1.0, [8, 5, 5]), (0.25, [8, 6, 5]), (0.01, [8, 8, 8])])
def test_the_nonpositive_rule_prunes_what_does_not_help_up_to_its_cap(select, small_graph, cap, counts):
    scores = np.array([0.5, 0.0, 0.2, -0.1, 1e-17, 0.3, 0.1, 0.4])  # 1e-17 is a zero with rounding

    def fixed(task):
        return Scores(scores[[int(name) for name in task.graph.feature_names]])

    graph = replace(small_graph, feature_names=tuple("01234567"))
    pruning = PruningOptions(interval=8, rule="nonpositive", cap=cap)
    result = select(fixed, pruning, graph=graph)
    assert result.checkpoints["features"].tolist() == counts
    if cap == 1:
        assert result.kept.tolist() == [0, 2, 5, 6, 7]


def test_the_nonpositive_rule_keeps_one_feature(select):
    pruning = PruningOptions(interval=8, rule="nonpositive", cap=1)
    assert len(select(lambda task: Scores(-np.ones(task.graph.num_features)), pruning).kept) == 1


def test_pruning_stops_when_the_accuracy_has_fallen_too_far(select, monkeypatch):
    """Validation accuracies are made up: 0.8, then 0.75, then 0.6, then 0.9 again."""
    made_up = {1: 0.8, 2: 0.75, 3: 0.6, 4: 0.9, 5: 0.9}

    def run_epoch(self):
        self.epochs_done += 1
        return {"epoch": self.epochs_done, "val_accuracy": made_up[self.epochs_done], "test_accuracy": 0.5}

    monkeypatch.setattr(adaptive.Trainer, "run_epoch", run_epoch)
    training = replace(TRAINING, epochs=5)

    def counts(tolerance):
        pruning = PruningOptions(interval=1, tolerance=tolerance)
        return select("random", pruning, training).checkpoints["features"].tolist()

    assert counts(None) == [8, 4, 2, 1, 1]
    assert counts(0.1) == [8, 4, 2, 2, 2]  # 0.6 is 0.2 below; that it recovers does not matter
    assert counts(0.01) == [8, 4, 4, 4, 4]
    assert counts(0.3) == [8, 4, 2, 1, 1]


@pytest.mark.parametrize(("scorer", "times"), [("mi", 1), ("pt", 1), ("random", 1), ("npt", 4), ("npt_loss", 4)])
def test_scorers_that_know_no_training_score_once(select, monkeypatch, scorer, times):
    calls = []
    score = scorers.SCORERS[scorer]
    monkeypatch.setitem(scorers.SCORERS, scorer, lambda task: calls.append(task.graph.num_features) or score(task))
    result = select(scorer)
    assert calls == ([8] if times == 1 else [8, 4, 2, 1])
    assert result.checkpoints["features"].tolist() == [8, 4, 2, 1]
    if times == 1:
        assert (result.scores.groupby("feature")["score"].nunique() == 1).all()
        scores = result.scores.groupby("feature")["score"].first()
        assert scores[result.features.sort_values("rank")["feature"]].is_monotonic_decreasing


def test_every_checkpoint_has_permutations_of_its_own(select):
    seen = []

    def spy(task):
        seen.append(task.occasion)
        return scorers.npt(task)

    select(spy)
    assert seen == [(1,), (2,), (3,), (4,)]
    watched = select("npt_loss", PruningOptions(interval=6, prune=0), replace(TRAINING, learning_rate=1e-30))
    assert watched.scores.pivot(index="feature", columns="checkpoint", values="score").nunique(axis=1).max() == 4


def test_any_metric_can_be_scored(select, small_graph, small_split):
    def first_class(logits, y):
        return (logits.argmax(1) == y)[y == 0].double().mean()

    results = [
        adaptive_selection(
            factory_of("gcn", small_graph), small_graph, small_split, pruning=replace(PRUNING, prune=0),
            training=TRAINING, scoring=replace(SCORING, metric=metric),
        ).scores["score"]
        for metric in ("accuracy", "macro_f1", "cross_entropy", first_class)
    ]  # fmt: skip
    by_loss = select("npt_loss", replace(PRUNING, prune=0)).scores
    assert results[2].equals(by_loss["score"])
    assert len({tuple(result) for result in results}) == 4


def test_the_best_epoch_is_taken_within_each_interval(select):
    result = select()
    for row in result.checkpoints.itertuples():
        inside = result.history[result.history["checkpoint"] == row.checkpoint]
        best = inside.loc[inside["val_accuracy"].idxmax()]
        assert (row.best_epoch, row.test_accuracy) == (best["epoch"], best["test_accuracy"])
        assert row.epoch == inside["epoch"].max()
        assert set(inside["features"]) == {row.features}
    assert result.checkpoints["best_epoch"].is_monotonic_increasing


def test_the_tables_tell_when_each_feature_went(select):
    result = select()
    counts = result.features["dropped_at"].value_counts()
    assert counts.to_dict() == {1: 4, 2: 2, 3: 1}
    for checkpoint, scored in result.scores.groupby("checkpoint"):
        gone = result.features[(result.features["dropped_at"] < checkpoint).fillna(False)]["feature"]
        assert set(scored["feature"]) == set(range(8)) - set(gone)
    assert sorted(result.features["rank"]) == list(range(1, 9))
    assert result.features.sort_values("rank")["dropped_at"].fillna(4).is_monotonic_decreasing
    assert (result.timings[["training_seconds", "scoring_seconds"]] > 0).all(axis=None)
    assert result.scores["std"].notna().all()


def test_the_features_that_tell_the_class_stay(small_graph, small_split):
    result = graphsieve.adaptive_selection(
        factory_of("gcn", small_graph), small_graph, small_split, scorer="npt_loss",
        pruning=PruningOptions(interval=50), training=TrainingOptions(epochs=100), scoring=SCORING,
    )  # fmt: skip
    assert {0, 1, 2} <= set(result.kept)


@pytest.mark.parametrize("scorer", ["npt", "tfi"])
def test_the_same_seed_gives_the_same_tables(select, scorer, small_graph):
    def factory(num_features):
        model = build_model("gcn", num_features, 3, hidden=16, dropout=0.5)
        model.layers[0].reset_parameters()  # draws from torch's global state
        return model

    tables = []
    for state in (1, 2):
        torch.manual_seed(state)
        result = select(scorer, factory=factory)
        tables.append(
            [table.to_csv() for table in (result.history, result.checkpoints, result.scores, result.features)]
        )
    assert tables[0] == tables[1]
    assert select(scorer, factory=factory, seed=1).history.to_csv() != tables[0][0]


def test_modules_that_cannot_be_sliced_are_refused(select):
    class Wide(nn.Module):
        def __init__(self, num_features, hidden):
            super().__init__()
            self.first, self.last = nn.Linear(num_features, hidden), nn.Linear(hidden, 3)

        def forward(self, x, edge_index):
            return self.last(self.first(x[:, : self.first.in_features]))

    class Doubled(Wide):
        def forward(self, x, edge_index):
            return self.last(self.first(torch.cat([x, x], dim=1)))

    with pytest.raises(InputError, match="weight 'first.weight' belong to which feature: its shape is"):
        select("random", factory=lambda n: Wide(n, n))
    with pytest.raises(InputError, match="weight 'first.weight' belong"):
        select("random", factory=lambda n: Doubled(2 * n, 4))
    with pytest.raises(InputError, match="no weight of the factory's module changes"):
        select("random", factory=lambda n: Wide(1, 4))
    with pytest.raises(InputError, match="differ in their weights"):
        select("random", factory=lambda n: Wide(n, 4) if n == 8 else nn.Sequential(nn.Linear(n, 3)))


def test_a_hidden_width_equal_to_the_number_of_features_is_no_trouble(select, small_graph):
    assert len(select(factory=factory_of("gcn", small_graph, hidden=8)).kept) == 1


@pytest.mark.parametrize(
    ("option", "value"),
    [("prune", 1.0), ("interval", 0), ("burn_in", -1), ("rule", "half"), ("cap", 0.0), ("tolerance", -0.1)],
)
def test_bad_options_are_refused(option, value):
    with pytest.raises(InputError, match=f"pruning option {option} is"):
        PruningOptions(**{option: value})


def test_an_unknown_scorer_is_refused(select):
    with pytest.raises(InputError, match="scorer 'shap' is unknown"):
        select("shap")


PROGRAM = """
import sys
from pathlib import Path
import adaptive
from job_cases import make_job, one_result
folder, name = Path(sys.argv[1]), sys.argv[2]
run = {"dataset": "small", "model": "gcn", "split": "random", "seed": "0", "scorer": "npt"}
parts = ("history", "checkpoints", "scores", "features", "timings")
adaptive.main(make_job(
    folder,
    input={"graph": f"{folder}/graph.npz"},
    output={part: f"{folder}/{name}/{part}.csv" for part in parts},
    params=one_result(
        run, training={"hidden": 16, "epochs": 400}, scoring={"n_repeats": 10},
        pruning={"prune": 0.5, "interval": 50},
    ),
    wildcards=run,
))
"""


def test_an_interrupted_run_leaves_nothing_and_a_second_one_gives_the_same_files(small_graph, tmp_path, monkeypatch):
    save_graph(small_graph, tmp_path / "graph.npz")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    process = subprocess.Popen([*command, "broken"], stderr=subprocess.PIPE)
    with process, process.stderr as progress:
        assert b"epochs" in progress.read(7)  # the bar has begun
        process.kill()
    assert not list(tmp_path.glob("broken/*.csv"))
    for name in ("broken", "whole"):
        subprocess.run([*command, name], check=True, capture_output=True)
    for part in ("history", "checkpoints", "scores", "features"):
        assert (tmp_path / f"broken/{part}.csv").read_bytes() == (tmp_path / f"whole/{part}.csv").read_bytes()
