from pathlib import Path

import pytest
import yaml
from document_config import describe, with_keys

from graphsieve.errors import InputError

PROJECT = Path(__file__).parents[1]
SCHEMA = yaml.safe_load((PROJECT / "workflow/schemas/config.schema.yaml").read_text())


def test_the_page_says_what_the_schema_says():
    page = (PROJECT / "config/README.md").read_text()
    assert with_keys(page, SCHEMA) == page, "run: python scripts/maintain/document_config.py"


def test_defaults_ranges_and_choices_are_told():
    rows = {key: rest for key, *rest in describe(SCHEMA)}
    assert rows["scoring.n_repeats"][:2] == ["`10`", "integer ≥ 1"]
    assert rows["scoring.ties"][1] == "`loss`, `random`, `index`"
    assert rows["datasets.<name>.keep"][1] == "number > 0 and ≤ 1"
    assert rows["one_shot.seeds"][1] == "integer ≥ 1"
    assert rows["one_shot.scorers"][1] == "list of text"


def test_every_key_of_the_default_config_is_explained():
    keys = {key for key, *_ in describe(SCHEMA)}
    config = yaml.safe_load((PROJECT / "config/config.yaml").read_text())
    for section, values in config.items():
        assert section in keys
        for key in values if isinstance(values, dict) and section != "datasets" else []:
            assert f"{section}.{key}" in keys


def test_a_page_without_markers_is_refused():
    with pytest.raises(InputError, match="keys: start"):
        with_keys("# Configuration", SCHEMA)
