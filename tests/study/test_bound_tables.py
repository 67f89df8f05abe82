"""The page on the bounds: numbers shortened, and counted in sentences."""

import numpy as np
import pandas as pd

from graphsieve.study import bound_tables


def test_page_shortens_numbers_and_leaves_gaps():
    table = pd.DataFrame({"dataset": ["texas"], "npt": [np.nan], "mi": [0.123456], "nodes": [183]})
    page = bound_tables.page(table, "ranks").to_html()
    assert all(f">{text}<" in page for text in ("texas", "–", "0.123", "183"))


def test_only_covered_cases_count():
    cases = pd.DataFrame(
        [(True, True, True, False, 1.0), (True, False, True, True, -1.0), (False, False, False, True, 1.0)],
        columns=["covered", "stated_holds", "repaired_holds", "signed_hops", "stated"],
    )
    summary = pd.DataFrame({"stated_tightness": [0.1, 0.3], "repaired_tightness": [0.01, 0.03]})
    assert bound_tables.cases_sentence(cases, summary) == (
        "2 random cases: 1 break the stated bound, 1 of them with hop weights that may be negative and 1 with a bound "
        "of zero or less; 0 break the repaired one. The median error is 2.0e-01 of the stated bound and 2.0e-02 of the "
        "repaired one."
    )


def test_the_search_tells_its_examples():
    searches = pd.DataFrame({"tried": [1000, 500], "violated": [True, False], "example": ["three nodes", np.nan]})
    text = bound_tables.search_text(searches)
    assert text.startswith("1,500 cases tried, violations in 1 of 2 searches.")
    assert text.endswith(":\n\n- three nodes")
