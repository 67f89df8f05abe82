"""What is known of columns besides their importance: whether one, or its group, says something that nothing else says.

Columns that say nearly the same, or were made of one column of a table, form a unit, and units are tested: no test can
tell which member of a unit matters if each says what the others say. A unit is starred where its p-value, adjusted for
the number of units, says so; only then its members are tested, each beside the others. A strict test is made only where
an easy one has found something, and the p-value is that of the last one made, so that up to SIGNIFICANCE it holds.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph, Split
from graphsieve.importance import Conditional
from graphsieve.importance.spectrum import EXACT_NODES
from graphsieve.inference.groups import units_of
from graphsieve.inference.p_values import SIGNIFICANCE, adjust_benjamini_hochberg, adjust_holm, most_permutations
from graphsieve.inference.sides import Side, perturbed_by, progress_bar
from graphsieve.inference.smoothness import smooth_columns
from graphsieve.inference.stopping import HITS, sequential_p_value
from graphsieve.inference.trainings import LARGE
from graphsieve.inference.unexplained import Unexplained
from graphsieve.inference.verdicts import BESIDE, BESIDE_AND_GRAPH, QUESTIONS

UNUSED = 0.5  # a unit that the model does so well without, by its p-values, is not tested further
SHARE_OF_LOSS = 0.2  # of the level, for what only the model's loss shows; the rest is for what is left unexplained
SURELY = 3.0  # deviations from zero of correlations that count among what other columns say
VALUES_OF_LOSS = 2**27  # that are drawn for a unit whose loss is tested
VALUES_BESIDE = 2**20  # that are drawn of a column to measure its importance beside the others
MOST_BESIDE = 50  # columns, the best ones, whose importance beside the others is measured
ENOUGH_TO_SCREEN = 99  # draws, to see whether a test has found anything at all
ALONE, SCREENING, AMONG_UNITS, IN_UNIT = range(4)  # occasions of drawing


class ColumnTests:
    """The tests of one graph's columns. What takes long to set up is set up when it is first needed."""

    def __init__(self, graph: Graph, split: Split, sides: list[Side]):
        self.graph, self.split, self.trained, self.options = graph, split, sides, sides[0].options
        self.unexplained = Unexplained(graph, split, sides)
        self.smooth = smooth_columns(graph, np.union1d(split.train, split.val))
        self.plain = self.unexplained.conditional(others=False)
        self.untested_losses = 0  # of units that the model uses, and of which nothing else is known

    @cached_property
    def beside(self) -> Conditional:
        return self.unexplained.conditional(surely=SURELY)

    @cached_property
    def given_graph(self) -> Conditional:
        return self.unexplained.conditional(others=False, given="graph")

    @cached_property
    def beside_and_graph(self) -> Conditional:
        return self.unexplained.conditional(surely=SURELY, given="graph")

    @cached_property
    def sides(self) -> dict[str, list[Side]]:
        """The trained models, to be scored as each strict question asks."""
        return {question: self.perturbed(question) for question in (BESIDE, BESIDE_AND_GRAPH)}

    def perturbed(self, question: str) -> list[Side]:
        return perturbed_by(replace(self.options, **QUESTIONS[question]), self.trained, self.graph, self.split)

    def question_for(self, columns: np.ndarray) -> str:
        return BESIDE_AND_GRAPH if self.smooth[columns].any() else BESIDE

    def p_alone(self, columns: np.ndarray, limit: int) -> float:
        return self.unexplained.p_value(columns, self.plain, ALONE, limit)

    def p_beside(self, columns: np.ndarray, occasion: int, limit: int) -> float:
        """Given all other columns, and the graph where one of these is smooth on it.

        Smooth columns go with one another by chance, and models learn it: in what is left unexplained, none of them may
        take part. Draws beside the others are a little rougher than the columns were, so those by the graph count too.
        """
        if not self.smooth[columns].any():
            return self.unexplained.p_value(columns, self.beside, occasion, limit)
        held = np.union1d(columns, np.flatnonzero(self.smooth))
        by_graph = self.unexplained.p_value(columns, self.given_graph, occasion, limit, held)
        if by_graph > SIGNIFICANCE:
            return by_graph
        return max(by_graph, self.unexplained.p_value(columns, self.beside_and_graph, occasion, limit, held))

    def can_test_loss(self, columns: np.ndarray) -> bool:
        """Not where too few draws can be afforded to show anything, and not that of smooth columns of large graphs.

        The models that lose have learnt from the other half, whose values of a smooth column say much of this half's.
        Draws for a large graph are only nearly as smooth, and a little of it that they do not keep makes them all lose.
        """
        smallest_p = len(self.trained) / (self._draws_of_loss + 1) / SHARE_OF_LOSS
        are_smooth = self.graph.num_nodes <= EXACT_NODES or not self.smooth[columns].any()
        return smallest_p <= SIGNIFICANCE and are_smooth

    @property
    def _draws_of_loss(self) -> int:
        """So many more as its share of the level is smaller, unless the graph is large."""
        return min(round(self.options.permutations / SHARE_OF_LOSS), VALUES_OF_LOSS // self.graph.num_nodes)

    def p_loss(self, columns: np.ndarray) -> float:
        """Of what the model loses without a unit, if all is kept that other columns, and the graph, say of it."""

        def of_side(side: Side) -> float:
            def draw(number: int, count: int) -> np.ndarray:
                return side.importance((number,), count, groups={"unit": columns})[1].mean(axis=0)[0]

            return sequential_p_value(draw, self.options.n_repeats, self._draws_of_loss)

        return min(1.0, len(self.trained) * min(map(of_side, self.sides[self.question_for(columns)])))

    def importance_beside(self, columns: np.ndarray) -> np.ndarray:
        """The fall of the metric if only that of a column is permuted which nothing else says.

        In a large graph a single draw is a mean over many nodes already, and models differ less by chance: there only
        one of each side is asked, because each must be set up anew for this.
        """
        repeats = int(np.clip(VALUES_BESIDE // self.graph.num_nodes, 1, self.options.n_repeats))
        found, smooth = np.empty(len(columns)), self.smooth[columns]
        for question, chosen in ((BESIDE, ~smooth), (BESIDE_AND_GRAPH, smooth)):
            if chosen.any():
                asked = {"features": columns[chosen]}
                sides = self.sides[question]
                if self.graph.num_nodes > LARGE:
                    sides = [replace(side, models=side.models[:1]) for side in sides]
                falls = [side.importance((0,), repeats, **asked)[0] for side in sides]
                found[chosen] = np.mean(falls, axis=(0, 1, 3))
        return found


def unit_p_values(
    tests: ColumnTests, units: Sequence[np.ndarray], used: np.ndarray, progress: bool = False
) -> np.ndarray:
    """One p-value per unit; `used` are p-values of what the model loses where a unit is permuted."""
    found, budget = np.ones(len(units)), tests.trained[0].budget
    with progress_bar(progress, "testing", len(units)) as bar:
        for number, columns in enumerate(units):
            if not budget.allows("scoring"):
                budget.cut(f"{len(units) - number} columns and groups were not tested")
                break
            if used[number] <= UNUSED:
                found[number] = _screened(tests, columns)
            bar.update()
    hopeful = np.flatnonzero(found <= SIGNIFICANCE)
    # So many draws that one more or less that does as well decides nothing, if all that are hopeful are found.
    limit = round(HITS * len(units) / (SIGNIFICANCE * max(len(hopeful), 1)))
    limit = max(ENOUGH_TO_SCREEN, min(limit, tests.options.permutations))
    for number in hopeful:
        found[number] = tests.p_beside(units[number], AMONG_UNITS, limit)
    found /= 1 - SHARE_OF_LOSS
    # What is left unexplained does not show a unit that the model uses in combination with others; its loss does.
    for number in np.flatnonzero((found > SIGNIFICANCE) & (used <= SIGNIFICANCE)):
        if not tests.can_test_loss(units[number]):
            tests.untested_losses += 1
        elif budget.allows("scoring"):
            found[number] = min(found[number], tests.p_loss(units[number]) / SHARE_OF_LOSS)
    return np.minimum(found, 1)


def _screened(tests: ColumnTests, columns: np.ndarray) -> float:
    easy = tests.p_alone(columns, ENOUGH_TO_SCREEN)
    return easy if easy > SIGNIFICANCE else tests.p_beside(columns, SCREENING, ENOUGH_TO_SCREEN)


def gather_evidence(
    tests: ColumnTests,
    groups: pd.DataFrame,
    ranking: np.ndarray,
    p_columns: pd.Series,
    p_groups: pd.Series,
    progress: bool,
) -> pd.DataFrame:
    """One row per column of x, in their order.

    Parameters
    ----------
    groups : of `find_groups`
    ranking : all columns, best first
    p_columns, p_groups : p-values of what the model loses where a column, and where a group, is permuted
    """
    units = units_of(tests.graph, groups)
    unit = np.empty(tests.graph.num_features, dtype=int)
    for number, columns in enumerate(units):
        unit[columns] = number
    used = np.ones(len(units))
    np.minimum.at(used, unit, p_columns)
    np.minimum.at(used, unit[[columns[0] for columns in groups["columns"]]], p_groups)
    found = unit_p_values(tests, units, used, progress)
    of_units = pd.DataFrame(
        {"p_value": found, "p_adjusted": adjust_benjamini_hochberg(found), "p_holm": adjust_holm(found)}
    )
    of_units["starred"] = of_units["p_adjusted"] <= SIGNIFICANCE
    table = of_units.iloc[unit].reset_index(drop=True)
    table["p_own"], table["importance_beside"] = np.nan, np.nan
    for number in np.flatnonzero(of_units["starred"]):
        table.loc[units[number], "p_own"] = own_p_values(tests, units[number], found[number])
    asked = ranking[p_columns.to_numpy()[ranking] <= SIGNIFICANCE][:MOST_BESIDE]
    if tests.trained[0].budget.allows("scoring"):
        table.loc[asked, "importance_beside"] = tests.importance_beside(asked)
    names = np.array(tests.graph.names())
    table["judged_with"] = [
        names[units[number][units[number] != column]].tolist() for column, number in enumerate(unit)
    ]
    table["unit"] = unit
    table["unit_size"] = [len(units[number]) for number in unit]
    table["is_smooth"] = tests.smooth
    return table


def own_p_values(tests: ColumnTests, columns: np.ndarray, p_unit: float) -> np.ndarray:
    """Of each member of a unit beside all other columns, adjusted such that hardly any unit has a false one (Holm)."""
    if len(columns) == 1:
        return np.array([p_unit])
    limit = most_permutations(len(columns), tests.options.permutations)
    return adjust_holm(np.array([tests.p_beside(columns[[place]], IN_UNIT, limit) for place in range(len(columns))]))
