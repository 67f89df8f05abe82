"""What is to be predicted: classes, or a quantity. Which of them is guessed where nobody says."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from graphsieve.data.graph import UNLABELLED
from graphsieve.errors import InputError
from graphsieve.options import TASKS

CLASSIFICATION, REGRESSION = TASKS
MANY_CLASSES = 20  # whole numbers with more values than these are a quantity, unless they number classes without gaps


@dataclass(frozen=True)
class Labels:
    """`y` as in a Graph: class numbers, or quantities; `classes` are the labels of the former, in order."""

    y: np.ndarray
    classes: tuple
    notes: tuple[str, ...] = ()


def encode_labels(labels: np.ndarray, task: str | None, path: Path) -> Labels:
    """Labels are texts ("": none), whole numbers (-1 is no class) or floats (NaN: none)."""
    guessed = task or guess_task(labels)
    notes = ()
    if task is None and guessed == REGRESSION:
        example = _known(labels)[0]
        notes = (
            f"labels such as {example:g} are taken for a quantity, and predicted as one (regression): "
            "--task classification makes classes of them",
        )
    encoded = _quantities(labels, path) if guessed == REGRESSION else _classes(labels, path)
    return Labels(*encoded, notes)


def guess_task(labels: np.ndarray) -> str:
    """Texts, few whole numbers, and whole numbers without gaps from 0 or 1 are classes."""
    known = _known(labels)
    if labels.dtype.kind not in "iuf" or not known.size or not np.isfinite(known).all():
        return CLASSIFICATION
    values = np.unique(known)
    if (values != np.round(values)).any():
        return REGRESSION
    without_gaps = values[0] in (0, 1) and values[-1] - values[0] + 1 == len(values)
    return CLASSIFICATION if len(values) <= MANY_CLASSES or without_gaps else REGRESSION


def _known(labels: np.ndarray) -> np.ndarray:
    return labels[~_missing(labels)]


def _missing(labels: np.ndarray) -> np.ndarray:
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    return labels == (UNLABELLED if labels.dtype.kind in "iub" else "")


def _classes(labels: np.ndarray, path: Path) -> tuple[np.ndarray, tuple]:
    """Class numbers from 0 in the order of the labels, UNLABELLED where there is none; and the labels themselves."""
    missing = _missing(labels)
    known = labels[~missing]
    if not known.size:
        raise InputError(f"{path}: no node has a label: label at least two classes of nodes")
    if known.dtype.kind == "f" and (known == np.round(known)).all() and np.abs(known).max() < 2**53:
        known = known.astype(np.int64)
    classes, encoded = np.unique(known, return_inverse=True)
    if len(classes) < 2:
        raise InputError(f"{path}: all {len(known)} labelled nodes are of one class, '{classes[0]}': label another too")
    y = np.full(len(labels), UNLABELLED)
    y[~missing] = encoded
    return y, tuple(classes.tolist())


def _quantities(labels: np.ndarray, path: Path) -> tuple[np.ndarray, tuple]:
    """The numbers themselves, NaN where there is none; every whole number counts, -1 too."""
    if labels.dtype.kind not in "iufb":
        text = next(one for one in labels if one and not _is_number(one))
        raise InputError(f"{path}: the label '{text}' is no number: regression needs numbers, or --task classification")
    with np.errstate(over="ignore"):
        y = labels.astype(np.float32)
    known = y[~np.isnan(y)]
    if not known.size:
        raise InputError(f"{path}: no node has a label: label some nodes with numbers")
    if not np.isfinite(known).all():
        raise InputError(f"{path}: {np.sum(~np.isfinite(known))} labels are infinite or too large: mend or drop them")
    if len(np.unique(known)) < 2:
        raise InputError(f"{path}: all {len(known)} labelled nodes have the label {known[0]:g}: label another too")
    return y, ()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
