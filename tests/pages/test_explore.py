"""Pages to look around in: what they show is what the records say, and in a browser they answer."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from browser import look_at, needs_chromium
from graphsieve.pages.explore import build_curve_page, build_score_page

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """Two graphs, the second with one more method; two seeds; feature 3 of Cora is named and ranks first."""
    rows = []
    for dataset, scorers in {"cora": ("npt", "mi"), "digits": ("npt", "mi", "h_ge")}.items():
        for scorer in scorers:
            for seed in (0, 1):
                values = np.arange(6) / 10 + 0.01 * seed
                values[3] = 5.0
                table = pd.DataFrame({"feature": range(6), "name": [f"word{i}" for i in range(6)], "score": values})
                rows.append(table.assign(dataset=dataset, scorer=scorer, seed=seed, model="gcn"))
    table = pd.concat(rows, ignore_index=True)
    table.loc[table["feature"] == 3, "name"] = "</script>"
    return table


@pytest.fixture(scope="module")
def history() -> pd.DataFrame:
    rows = [
        {"dataset": dataset, "model": "gcn", "split": "random", "scorer": scorer, "prune": 0.5, "repeats": 10,
         "seed": seed, "epoch": epoch, "checkpoint": -(-epoch // 5),
         "features": 32 if scorer == "full" else 32 // 2 ** (-(-epoch // 5) - 1),
         "val_accuracy": 0.9, "test_accuracy": {"full": 0.9, "npt": 0.8}[scorer] + 0.02 * seed}
        for dataset in ("cora", "texas") for scorer in ("full", "npt") for seed in (0, 1) for epoch in range(1, 11)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def embedded(page: str) -> dict:
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_scores_are_means_over_runs_by_name(scores):
    data = embedded(build_score_page(scores))
    cora = data["datasets"]["cora"]
    assert cora["names"] == ["word0", "word1", "word2", "</script>", "word4", "word5"]
    assert cora["scores"]["npt"] == pytest.approx([0.005, 0.105, 0.205, 5.0, 0.405, 0.505])
    assert data["datasets"]["digits"]["scorers"] == ["npt", "mi", "h_ge"]
    assert data["labels"]["h_ge"] == "h GE"


def test_curves_are_means_and_deviations_in_percent(history):
    cora = embedded(build_curve_page(history))["datasets"]["cora"]
    assert cora["epochs"] == list(range(1, 11))
    assert cora["prunings"] == [6]
    assert cora["left"] == [100.0] * 5 + [50.0] * 5
    assert cora["curves"]["npt"]["test"] == {"mean": [81.0] * 10, "spread": [1.4] * 10}
    single = embedded(build_curve_page(history[history["seed"] == 0]))["datasets"]["cora"]
    assert single["curves"]["npt"]["test"]["spread"] is None


@pytest.mark.parametrize("build", ["scores", "history"])
def test_nothing_is_fetched(build, request):
    page = {"scores": build_score_page, "history": build_curve_page}[build](request.getfixturevalue(build))
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
    assert "import(" not in page
    assert "fetch(" not in page


LOOK_AT_SCORES = """
const get = (id) => page.getElementById(id);
const change = (id, value) => { get(id).value = value; get(id).dispatchEvent(new Event("change")); };
const dots = () => [...page.querySelectorAll(".dot")];
const point = (name) => {
  const box = dots().find((dot) => dot.dataset.name === name).getBoundingClientRect();
  const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
  get("picture").dispatchEvent(new PointerEvent("pointermove", at));
  return get("words").textContent;
};
const result = { datasets: [...get("dataset").options].map((option) => option.text), count: dots().length };
result.said = point("<\\/script>");
result.before = [...get("up").options].map((option) => option.value);
change("dataset", "digits");
result.after = [...get("up").options].map((option) => option.value);
change("up", "h_ge");
result.said_elsewhere = point("word5");
const left = (name) => Number(dots().find((dot) => dot.dataset.name === name).getAttribute("cx"));
const byScore = left("word5") - left("word4");
get("ranks").checked = true;
get("ranks").dispatchEvent(new Event("change"));
result.rank_is_farther = left("word5") - left("word4") > byScore;
get("find").value = "WORD1";
get("find").dispatchEvent(new Event("input"));
result.found = dots().filter((dot) => dot.classList.contains("found")).map((dot) => dot.dataset.name);
result.wide = page.documentElement.scrollWidth;
result.tick = page.querySelector(".tick").getBoundingClientRect().height;
return result;
"""


@needs_chromium
@pytest.mark.parametrize("width", [390, 1200])
def test_scores_answer_to_pointer_and_menus(scores, tmp_path, width):
    path = tmp_path / "scores.html"
    path.write_text(build_score_page(scores))
    seen = look_at(path, LOOK_AT_SCORES, width)
    assert seen.complaints == []
    assert seen.found["datasets"] == ["Cora", "Digits"]
    assert seen.found["count"] == 6
    assert seen.found["said"] == "Feature </script>: NPT 5, MI 5."
    assert (seen.found["before"], seen.found["after"]) == (["npt", "mi"], ["npt", "mi", "h_ge"])
    assert seen.found["said_elsewhere"] == "Feature word5: NPT 0.505, MI 0.505, h GE 0.505."
    assert seen.found["rank_is_farther"]
    assert seen.found["found"] == ["word1"]
    assert seen.found["wide"] <= width
    assert seen.found["tick"] >= 10  # pixels: readable on a phone, too


LOOK_AT_CURVES = """
const get = (id) => page.getElementById(id);
const change = (id, value) => { get(id).value = value; get(id).dispatchEvent(new Event("change")); };
const count = (what) => page.querySelectorAll(what).length;
const result = { lines: count("polyline"), bands: count("polygon"), cuts: count(".cut") };
result.first = get("words").textContent;
change("dataset", "texas");
result.second = get("words").textContent;
const box = get("picture").getBoundingClientRect();
get("picture").dispatchEvent(new PointerEvent("pointermove", { clientX: box.right - 2, clientY: box.top + 50 }));
result.said = get("words").textContent;
change("part", "validation");
get("bands").checked = false;
get("bands").dispatchEvent(new Event("change"));
result.without = count("polygon");
result.label = [...page.querySelectorAll(".name")].map((one) => one.textContent);
result.legend = [...get("legend").children].map((one) => one.textContent);
return result;
"""


@needs_chromium
def test_curves_switch_graph_and_part(history, tmp_path):
    path = tmp_path / "curves.html"
    path.write_text(build_curve_page(history))
    seen = look_at(path, LOOK_AT_CURVES)
    assert seen.complaints == []
    assert (seen.found["lines"], seen.found["bands"], seen.found["cuts"]) == (2, 2, 1)
    assert seen.found["first"].startswith("Cora: Averages are over 2 runs.")
    assert seen.found["second"].startswith("Texas: ")
    assert seen.found["said"] == "Epoch 10, 50 % of the features left: Full 91.0, NPT 81.0."
    assert seen.found["without"] == 0
    assert seen.found["label"] == ["epoch", "validation accuracy (%)"]
    assert seen.found["legend"] == ["Full", "NPT"]
