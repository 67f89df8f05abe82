"""The page of a ranking: its sentences have the ranking's numbers, and names of columns are text."""

import ast
import json
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
import pandas as pd
import pytest

from browser import look_at, needs_chromium
from graphsieve.data.graph import Graph
from graphsieve.inference.ranking import Ranking
from graphsieve.options import RankingOptions
from graphsieve.pages.ranking_page import build_page
from html_page import parse_page, table_texts, words

NAMES = ["<script>alert(1)</script>", "age", 'a "b" & c']


@pytest.fixture
def ranking() -> Ranking:
    graph = Graph(
        x=np.eye(4, 3, dtype=np.float32),
        edge_index=np.array([[0, 1], [1, 0]]),
        y=np.array([0, 1, 0, 1]),
        num_classes=2,
        name="<i>mine</i>",
    )
    numbers = {
        "importance": [0.25, 0.1, -0.01],
        "low": [0.2, 0.1, np.nan],
        "high": [0.3, 0.1, np.nan],
        "p_alone": [0.002, 0.02, 0.7],
        "p_value": [0.001, 0.02, 0.7],
        "p_adjusted": [0.003, 0.03, 0.7],
        "starred": [True, True, False],
    }
    words_of = {
        "reason": ["together", "its own", "no sign"],
        "sentence": [f"Matters only together with {NAMES[2]}.", "Matters by itself.", "No sign that it matters."],
        "judged_with": [NAMES[2], "", NAMES[0]],
        "unit_size": [2, 1, 2],
    }
    table = pd.DataFrame({"rank": [1, 2, 3], "feature": NAMES, **numbers, **words_of})
    groups = pd.DataFrame(
        {"group": ["<script> + c"], "kind": ["correlated"], "size": [2], **{k: v[:1] for k, v in numbers.items()}}
    )
    curve = pd.DataFrame(
        {
            "kept": [1, 2, 3],
            "accuracy": [0.5, 0.805, 0.81],
            "standard_error": [0.01, 0.02, np.nan],
            "loss_standard_error": [0.03, 0.02, 0.0],
        }
    )
    return Ranking(
        graph=graph,
        options=RankingOptions(model="graphsage", metric="accuracy"),
        table=table,
        groups=groups,
        curve=curve,
        keeping=tuple(NAMES),
        smallest=2,
        majority=0.5,
        scored_nodes=1234,
        scored_accuracy=0.876,
        test_nodes=4321,
    )


def page_of(ranking: Ranking, *warnings: str) -> Element:
    return parse_page(build_page(ranking, warnings))


def headings(page: Element) -> list[str]:
    return [words(heading) for heading in page.iter("h2")]


def test_names_are_text(ranking):
    page = page_of(ranking, "a <b>warning</b>")
    data, _ = page.iter("script")  # of ours: none that a name has made
    assert data.get("type") == "application/json"
    assert [row["name"] for row in json.loads(data.text)["rows"]] == NAMES
    assert words(page.find("body/h1")) == "What matters in <i>mine</i>"
    assert words(page.find(".//p[@class='warning']")) == "a <b>warning</b>"
    first = page.find(".//div[@class='bar']")
    assert words(first.find("span[@class='name']")) == f"★ {NAMES[0]}"
    assert words(first.find("span[@class='why']")) == f"Matters only together with {NAMES[2]}."


def test_cards_have_the_ranking_in_numbers(ranking):
    accuracy, found, enough = [words(card) for card in page_of(ranking).findall(".//div[@class='cards']/div")]
    assert accuracy.startswith("81.0 % of 4,321 test nodes")
    assert accuracy.endswith("gives 50.0 %")
    assert found.startswith("2 of 3 features are starred")
    assert enough.startswith("2 of 3 features are enough: they have all that is starred")


def test_the_whole_table_is_there(ranking):
    folded = page_of(ranking).find(".//details")
    assert words(folded.find("summary")) == "All features as a table"
    assert table_texts(folded.find(".//table")) == [
        ["rank", "feature", "importance", "interval", "p alone", "p value", "p adjusted", "reason", "judged with"],
        ["1", NAMES[0], "25.00", "20.00 to 30.00", "0.0020", "0.0010", "0.0030", "together", NAMES[2]],
        ["2", "age", "10.00", "10.00 to 10.00", "0.0200", "0.0200", "0.0300", "its own", ""],
        ["3", NAMES[2], "-1.00", "", "0.70", "0.70", "0.70", "no sign", NAMES[0]],
    ]


def test_words_stand_at_the_left(ranking):
    header = page_of(ranking).find(".//details//thead/tr")
    assert [words(cell) for cell in header if cell.get("class") == "text"] == ["feature", "reason", "judged with"]


def test_a_long_table_is_cut(ranking):
    many = pd.concat([ranking.table.assign(judged_with="")] * 200, ignore_index=True)
    page = page_of(replace(ranking, table=many))
    assert words(page.find(".//details/summary")) == "The first 500 of 600 features as a table"
    assert len(table_texts(page.find(".//details//table"))) == 501
    assert "judged with" not in words(page.find(".//details//thead"))
    assert headings(page)[0] == "The most important features"


def test_groups_are_shown_where_there_are_any(ranking):
    page = page_of(ranking)
    assert headings(page) == [
        "The most important features",
        "How few features are enough?",
        "Correlated columns",
        "What the p-values mean",
    ]
    assert table_texts(page.find(".//table")) == [
        ["columns", "of", "importance", "interval", "p value", "p adjusted"],
        ["<script> + c", "2", "25.00", "20.00 to 30.00", "0.0010", "0.0030"],
    ]
    assert "groups.csv" in words(page.find(".//footer"))
    text = page_of(replace(ranking, groups=ranking.groups.assign(kind="values")))
    assert "Whole columns" in headings(text)
    without = page_of(replace(ranking, groups=ranking.groups[:0]))
    assert not {"Whole columns", "Correlated columns"} & set(headings(without))
    assert "groups.csv" not in words(without.find(".//footer"))


def test_importance_is_told_in_the_metric_that_was_asked_for(ranking):
    assert "how far accuracy at 1,234 nodes falls" in words(page_of(ranking))
    assert "accuracy is 87.6 % there" in words(page_of(ranking))
    loss = page_of(replace(ranking, options=replace(ranking.options, metric="cross_entropy")))
    assert "by how much loss (cross entropy) at 1,234 nodes rises" in words(loss)
    assert "loss (cross entropy) is 0.876 there" in words(loss)
    assert "percentage points. The line" not in words(loss)


def test_how_few_are_enough_is_told_with_numbers(ranking):
    text = words(page_of(ranking))
    assert "With 2, accuracy is 80.5 % against 81.0 % with all 3" in text
    assert "losses below about 4.0 percentage points" in text


def test_the_limit_of_few_permutations_is_told(ranking):
    assert "--permutations" not in words(page_of(ranking))
    few = words(page_of(replace(ranking, options=replace(ranking.options, permutations=39))))
    # Two units, and 1 / 40 / 0.8 at the least
    assert "the smallest possible p-value is 0.031; adjusted for 2 columns and groups" in few
    assert "at least 2 are that small together" in few


def test_a_bar_for_each_feature_and_a_dot_for_each_number_kept(ranking):
    page = page_of(ranking)
    bars = page.findall(".//div[@class='bar']/svg")
    assert [bar.get("aria-label") for bar in bars] == ["25.00", "10.00", "-1.00"]
    assert [bar.find("rect").get("fill") for bar in bars] == ["var(--strong)"] * 2 + ["var(--weak)"]
    assert [words(dot) for dot in page.findall(".//figure//circle/title")] == [
        "1 features: 50.0 %",
        "2 features: 80.5 %",
        "3 features: 81.0 %",
    ]


def test_nothing_is_loaded_from_elsewhere(ranking):
    page = page_of(ranking)
    assert not [element.tag for element in page.iter() if {"src", "href"} & element.attrib.keys()]
    assert "http" not in build_page(ranking)


def test_what_draws_keep_is_said(ranking):
    assert "shuffling keeps what is known" not in words(page_of(ranking))
    options = replace(ranking.options, perturbation="conditional", given=("graph",))
    kept = words(page_of(replace(ranking, options=options)))
    assert "shuffling keeps what is known of a column (the other columns, graph)" in kept


def test_a_ranking_of_quantities_speaks_of_r2(ranking):
    curve = ranking.curve.rename(columns={"accuracy": "r2"})
    graph = replace(ranking.graph, y=np.array([0.5, 1.5, 2.5, np.nan], np.float32), num_classes=0)
    options = replace(ranking.options, metric="r2")
    page = page_of(replace(ranking, graph=graph, curve=curve, options=options, majority=-0.01))
    text = words(page)
    assert "3 labelled, with a quantity to predict" in text
    assert "0.810 of the variance of 4,321 test nodes' labels (r2) is explained with all features" in text
    assert "always naming the mean gives -0.010" in text
    assert "no loss of r2 can be measured" in text
    assert "With 2, r2 is 0.805 against 0.810" in text
    assert "losses below about 0.040 go unnoticed" in text
    assert "accuracy" not in text.lower()
    assert "percentage" not in text
    assert [words(title) for title in page.iter("title")][-1] == "3 features: 0.810"
    assert table_texts(page.find(".//details//table"))[1][2:4] == ["0.2500", "0.2000 to 0.3000"]
    error = replace(ranking, graph=graph, curve=curve, options=replace(options, metric="mean_squared_error"))
    assert "by how much the mean squared error at 1,234 nodes rises" in words(page_of(error))
    assert "Labels are scaled to a deviation of 1" in words(page_of(error))


def test_what_the_model_was_given_of_the_edges(ranking):
    assert "directed edges, 3 feature columns" in words(page_of(ranking))
    weighted = replace(ranking.graph, edge_weight=np.ones(2, np.float32))
    used = words(page_of(replace(ranking, graph=weighted, edge_values=("edge_weight",))))
    assert "2 directed edges (weights are used), 3 feature columns" in used
    assert "(weights are not used by model graphsage)" in words(page_of(replace(ranking, graph=weighted)))
    rich = replace(weighted, edge_attr=np.ones((2, 2), np.float32), edge_names=("weight", "<b>kind</b>"))
    text = words(page_of(replace(ranking, graph=rich, edge_values=("edge_attr",))))
    assert "(attributes (weight, <b>kind</b>) are used)" in text


# What a user does: search, sort, ask for more, copy and save; the numbers are those of the ranking below.
LOOK = """
const form = page.forms[0];
const names = () => [...page.querySelectorAll(".bar .label")].map((label) => label.textContent);
const change = (field, value) => { field.value = value; form.dispatchEvent(new Event("input")); };
const found = { first: names().slice(0, 3), shown: names().length, elements: page.querySelectorAll("*").length };
page.getElementById("more").click();
found.more = names().length;
change(form.order, "name");
found.sorted = names().slice(0, 3);
change(form.order, "p");
found.surest = names()[0];
change(form.order, "rank");
change(form.search, "COLUMN 499");
found.searched = names();
found.count = page.getElementById("count").textContent;
change(form.search, "no such name");
found.none = names();
change(form.search, "<b>");
found.bold = [names(), page.querySelectorAll(".bar b b").length, page.querySelectorAll("img").length];
change(form.search, "");
form.starred.checked = true;
form.dispatchEvent(new Event("input"));
found.starred = names();
page.getElementById("copy").click();
found.list = page.getElementById("list").value;
found.download = [page.getElementById("save").download, page.getElementById("save").href.slice(0, 5)];
found.wide = page.documentElement.scrollWidth - page.documentElement.clientWidth;
return found;
"""


@pytest.fixture
def large(ranking) -> Ranking:
    """5,000 columns, two of them with HTML and quotes in their names."""
    names = ["<b>bold</b>", 'a "quoted" \\ name<img src=x onerror=alert(1)>', *(f"column {n}" for n in range(2, 5000))]
    falling = np.linspace(0.3, -0.1, 5000)
    table = pd.DataFrame({"rank": np.arange(1, 5001), "feature": names, "importance": falling})
    table = table.assign(low=falling - 0.01, high=falling + 0.01, judged_with="", unit_size=1)
    table = table.assign(p_alone=0.5, p_value=0.5, p_adjusted=np.linspace(0.04, 1, 5000), reason="no sign")
    table = table.assign(starred=table["rank"] <= 2, sentence="No sign that it matters: shuffled, it does as well.")
    table.loc[4000, "p_adjusted"] = 0.001
    return replace(ranking, table=table, groups=ranking.groups[:0], keeping=tuple(names))


@needs_chromium
@pytest.mark.parametrize("width", [1200, 390])
def test_thousands_of_columns_are_searched_sorted_and_copied(large, tmp_path, width):
    path = Path(tmp_path, "page.html")
    path.write_text(build_page(large), encoding="utf-8")
    seen = look_at(path, LOOK, width)
    found, names = seen.found, large.table["feature"].tolist()
    assert seen.complaints == []
    assert found["first"] == names[:3]
    assert (found["shown"], found["more"]) == (50, 100)
    assert found["elements"] < 10_000  # 500 rows of the table, and few bars
    assert found["sorted"] == ["<b>bold</b>", names[1], "column 2"]
    assert found["surest"] == names[4000]
    assert found["searched"] == ["column 499", *(f"column 499{n}" for n in range(10))]
    assert found["count"] == "11 of 5,000 features"
    assert found["none"] == []
    assert found["bold"] == [["<b>bold</b>"], 0, 0]
    assert found["starred"] == names[:2]
    assert ast.literal_eval(found["list"]) == names[: large.smallest]
    assert found["download"] == ["kept_columns.txt", "blob:"]
    assert found["wide"] <= 0
