"""A finished run to start from: the runs that its records hold are not made again, and join the new ones."""

import functools
import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from graphsieve.errors import InputError
from graphsieve.files.checks import RUN, damaged
from graphsieve.files.reading import read_csv
from graphsieve.options import (
    DatasetOptions,
    PerturbationOptions,
    PruningOptions,
    ScoringOptions,
    SelectionOptions,
    TrainingOptions,
)

SETTINGS = "settings.json"
RAW_FILES = "raw_files"
# Sections that both runs must agree in, and those of the datasets and hypotheses that both have.
COMPARED = {
    "training": TrainingOptions,
    "scoring": ScoringOptions,
    "selection": SelectionOptions,
    "pruning": PruningOptions,
    "perturbations": PerturbationOptions,
}
OPTIONS = {**COMPARED, "datasets": DatasetOptions}
BEFORE_IT_EXISTED = {"classifier": "none"}  # what runs did before an option existed, where today's default is other
SCORING_METRIC = ("scoring", "metric")  # compared as it takes effect
# Of a dataset, where it lies and how often it is run change no result; of a hypothesis, its words and its datasets.
NOT_COMPARED = {"datasets": ("path", "seeds"), "hypotheses": ("says", "datasets")}


def settings_of(config: dict, checksums: dict[str, str]) -> dict:
    """What a run's results depend on: beside its records, so that nobody mixes them with others unawares.

    checksums: of the raw files of every dataset that has any.
    """
    sections = {
        section: {key: value for key, value in config[section].items() if key in vars(kind())}
        for section, kind in COMPARED.items()
    }
    named = {"datasets": config["datasets"], "hypotheses": config["suspects"]["hypotheses"]}
    for section, entries in named.items():
        sections[section] = {
            name: {key: value for key, value in settings.items() if key not in NOT_COMPARED[section]}
            for name, settings in entries.items()
        }
    return {**sections, RAW_FILES: checksums}


class EarlierRun:
    """The folder of a finished run, such as results/paper; without one it has nothing."""

    def __init__(self, folder: str | Path | None, own: str | Path):
        """own: the folder of the new run."""
        self.folder = folder and Path(folder)
        if self.folder and self.folder.resolve() == Path(own).resolve():
            raise InputError(f"config key start_from: {folder} is this run's own folder, give the run another name")
        if self.folder and not (self.folder / "records" / SETTINGS).exists():
            raise InputError(
                f"config key start_from: {self.folder} has no records/{SETTINGS}, give the folder of a finished run, "
                "such as results/paper"
            )

    def records(self, name: str) -> list[Path]:
        """Its table of this name, if it has one."""
        path = self.folder and self.folder / "records" / name
        return [path] if path and path.is_file() else []

    def outdated_datasets(self, checksums: dict[str, str]) -> list[str]:
        """Datasets of its records that were made from other raw files than those with these checksums."""
        if not self.folder:
            return []
        settings = self._settings()
        known = settings.get(RAW_FILES, {})
        return [name for name in settings["datasets"] if name in checksums and known.get(name) != checksums[name]]

    def has_run(self, name: str | None, run: dict) -> bool:
        """Whether its table of this name has a run with these values, of which the table need not know all."""
        for path in self.records(name or ""):
            columns = tuple(column for column in _known_runs(path) if column in run)
            if tuple(str(run[column]) for column in columns) in _values(path, columns):
                return True
        return False

    def check_settings(self, config: dict) -> None:
        """Records made in another way do not belong in the same table."""
        if not self.folder:
            return
        theirs, ours = self._settings(), settings_of(config, {})
        places = [(section,) for section in COMPARED]
        for section in NOT_COMPARED:
            places += [(section, name) for name in theirs.get(section, {}) if name in ours[section]]
        for place in places:
            before, now = (functools.reduce(dict.get, place, settings) or {} for settings in (theirs, ours))
            for key in {**before, **now}:
                old = before.get(key, BEFORE_IT_EXISTED.get(key, getattr(OPTIONS.get(place[0]), key, None)))
                if (*place, key) != SCORING_METRIC:
                    self._compare((*place, key), old, now.get(key))
        for name in theirs["datasets"]:
            if name in ours["datasets"]:
                self._compare(SCORING_METRIC, *(_scored_by(settings, name) for settings in (theirs, ours)))

    def _compare(self, key: tuple[str, ...], before: object, now: object) -> None:
        if before != now:
            raise InputError(
                f"config key {'.'.join(key)} is {now!r}, but {self.folder} (start_from) was made with {before!r}: give "
                "the same, or start from nothing"
            )

    def _settings(self) -> dict:
        path = self.folder / "records" / SETTINGS
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise damaged(path, str(error)) from None


def _scored_by(settings: dict, dataset: str) -> str:
    """The metric of a dataset's scores: where `scoring` names none, that by which the dataset is reported."""
    return settings["scoring"].get("metric") or settings["datasets"][dataset].get("metric", DatasetOptions.metric)


@functools.cache
def _known_runs(path: Path) -> pd.DataFrame:
    table = read_csv(path)
    return table[[column for column in RUN if column in table]].drop_duplicates().astype(str)


@functools.cache
def _values(path: Path, columns: tuple[str, ...]) -> set[tuple[str, ...]]:
    return set(_known_runs(path)[list(columns)].itertuples(index=False, name=None))


def with_earlier(table: pd.DataFrame, paths: Sequence[str | Path], *, without: Sequence[str] = ()) -> pd.DataFrame:
    """The table, and below it the rows of runs that it does not have from the same table of an earlier run.

    without: datasets whose earlier rows are left out.
    """
    for path in paths:
        earlier = read_csv(path)
        if without and "dataset" in earlier:
            earlier = earlier[~earlier["dataset"].isin(without)]
        if table.empty:  # joining an empty table would turn its whole numbers into others
            table = earlier
        else:
            columns = [column for column in (*RUN, "rule") if column in earlier]
            if "metric" in table and "metric" not in earlier:  # all runs were reported by one before there were others
                earlier = earlier.assign(metric=TrainingOptions.metric)
            known, found = (_index(one[columns]) for one in (table, earlier))
            table = pd.concat([table, earlier[~found.isin(known)]], ignore_index=True)
    if table.empty:
        raise InputError("there is nothing to collect: name records of this run, or the table of an earlier one")
    return table


def _index(columns: pd.DataFrame) -> pd.MultiIndex:
    """As text, because a column without a value is read as numbers."""
    return pd.MultiIndex.from_frame(columns.astype(object).fillna("").astype(str))
