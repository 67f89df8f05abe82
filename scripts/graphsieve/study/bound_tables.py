"""The page on the bounds: its numbers as tables and in sentences."""

import pandas as pd
from pandas.io.formats.style import Styler

from graphsieve.study.markup import page_table


def page(table: pd.DataFrame, name: str) -> Styler:
    """A table for the notebook: three significant digits, the first column as head of each row."""
    return page_table(table.map(_as_text).set_index(table.columns[0]), name)


def _as_text(value: object) -> str:
    if pd.isna(value):
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def cases_sentence(cases: pd.DataFrame, summary: pd.DataFrame) -> str:
    """How many of the random cases break the stated and the repaired bounds, and how near they come."""
    covered = cases[cases["covered"]]
    broken = covered[~covered["stated_holds"]]
    return (
        f"{len(covered):,} random cases: {len(broken)} break the stated bound, {broken['signed_hops'].sum()} of them "
        f"with hop weights that may be negative and {(broken['stated'] <= 0).sum()} with a bound of zero or less; "
        f"{(~covered['repaired_holds']).sum()} break the repaired one. The median error "
        f"is {summary['stated_tightness'].median():.1e} of the stated bound and "
        f"{summary['repaired_tightness'].median():.1e} of the repaired one."
    )


def search_text(searches: pd.DataFrame) -> str:
    """How often the search succeeded, and the smallest counterexample for each network."""
    examples = "\n".join(f"- {words}" for words in searches["example"].dropna())
    return (
        f"{searches['tried'].sum():,} cases tried, violations in {searches['violated'].sum()} of {len(searches)} "
        "searches. All but those with hop weights of both signs break the step ‖Ã_rw‖₂ = 1 of the recursion over "
        "layers (and, for polynomials, over hops): one node's error reaches many nodes that listen to it. "
        f"The smallest for each network:\n\n{examples}"
    )
