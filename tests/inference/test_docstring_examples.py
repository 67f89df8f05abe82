"""The examples in the docstrings of the public functions run, and give what they say."""

import doctest
import importlib

import pytest

MODULES = [
    "graphsieve.models.classifier",
    "graphsieve.models.training",
    "graphsieve.importance.api",
    "graphsieve.scoring.scorers",
    "graphsieve.selection.top",
    "graphsieve.selection.adaptive",
    "graphsieve.inference.ranking",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
