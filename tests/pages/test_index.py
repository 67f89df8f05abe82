"""The index page: every notebook, table and figure is linked, under what wrote it, and no link is dead."""

import json
import urllib.parse
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from PIL import Image

import build_index as script
from graphsieve.pages.index import build_index
from graphsieve.pages.manifest import list_tables, write_manifest
from graphsieve.study.headlines import Headline
from html_page import parse_page, table_texts, words
from job_cases import make_job

FILES = (
    "tables/table1.csv", "tables/table1.md", "tables/table1.tex", "tables/table1_more.csv", "tables/table10.csv",
    "tables/stray.csv", "tables/stray.md", "figures/fig 1.png", "figures/fig 1.pdf", "notebooks/one.html",
    "notebooks/two.html",
)  # fmt: skip


@pytest.fixture
def run(tmp_path, monkeypatch) -> Path:
    """A run of two notebooks, one with tables and one with a figure, beside tables that belong to neither."""
    monkeypatch.chdir(tmp_path)
    run = Path("results/default")
    for name in FILES:
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).touch()
    for path in run.glob("tables/*.csv"):
        path.write_text("scorer,accuracy\nnpt,96.5\n")
    Image.new("RGB", (1200, 300)).save(run / "figures/fig 1.png")
    table = {
        "name": "table1",
        "files": [run / f"tables/table1{suffix}" for suffix in (".csv", ".md", ".tex")],
        "title": "Accuracy",
        "notes": "A note.",
        "header": ["Method", "<script>alert(1)</script>"],
        "rows": [["h<sub>attr</sub>", "<b>96.5</b>"]],
    }
    more = {"name": "table1_more", "files": [run / "tables/table1_more.csv"], "title": "", "notes": ""}
    figure = {"name": "fig 1", "files": [run / "figures/fig 1.png", run / "figures/fig 1.pdf"]}
    write_manifest(
        run / "notebooks/one.json",
        title="Table 1: <mine>",
        sentence="A sentence about **two** things.",
        tables=[table, more],
        figures=[],
    )
    write_manifest(run / "notebooks/two.json", title="Figure", sentence="A picture.", tables=[], figures=[figure])
    return run


def build(run: Path, *names: str, **options) -> Element:
    manifests = [run / "notebooks" / f"{name}.json" for name in names]
    return parse_page(build_index(manifests, title="My run", out=run / "index.html", **options))


def links(element: Element) -> list[str]:
    """In order, each once, without those within the page."""
    targets = [urllib.parse.unquote(link.get("href")) for link in element.iter("a")]
    return list(dict.fromkeys(target for target in targets if not target.startswith("#")))


def test_everything_is_linked_and_every_link_leads_somewhere(run):
    page = build(run, "one", "two")
    assert set(links(page)) == set(FILES)
    assert words(page.find("head/title")) == words(page.find("body/h1")) == "My run"


def test_products_are_listed_under_their_notebook_in_the_given_order(run):
    articles = build(run, "two", "one").findall(".//article")
    assert {article.get("id"): links(article) for article in articles} == {
        "two": ["notebooks/two.html", "figures/fig 1.png", "figures/fig 1.pdf"],
        "one": [
            "notebooks/one.html", "tables/table1.csv", "tables/table1.md", "tables/table1.tex",
            "tables/table1_more.csv",
        ],
        "other-files": ["tables/stray.csv", "tables/stray.md", "tables/table10.csv"],
    }  # fmt: skip
    assert [article.get("id") for article in articles] == ["two", "one", "other-files"]


def test_contents_lead_to_the_articles(run):
    page = build(run, "one", "two")
    contents = {link.get("href"): words(link) for link in page.findall(".//nav/a")}
    assert contents == {"#one": "Table 1: <mine>", "#two": "Figure", "#other-files": "Other files"}


def test_nothing_is_left_for_other_files(run):
    for name in ("stray.csv", "stray.md", "table10.csv"):
        (run / "tables" / name).unlink()
    (run / "tables/.table1_half-written.csv").touch()
    assert [article.get("id") for article in build(run, "one", "two").iter("article")] == ["one", "two"]


def test_an_article_says_what_the_manifest_says(run):
    article = build(run, "one").find(".//article")
    assert words(article.find("h2")) == "Table 1: <mine>"
    assert words(article.find("p")) == "A sentence about two things. Open the page."
    assert [words(heading) for heading in article.iter("h3")] == ["Accuracy", "table1 more"]
    assert words(article.find("p[@class='soft note']")) == "A note."


def test_tables_come_from_the_manifest_or_else_from_numbers(run):
    shown, numbers = [table_texts(table) for table in build(run, "one").findall(".//article[@id='one']//table")]
    assert shown == [["Method", "<script>alert(1)</script>"], ["hattr", "96.5"]]
    assert numbers == [["scorer", "accuracy"], ["npt", "96.5"]]


def test_names_are_text_and_marks_are_marks(run):
    page = build(run, "one")
    assert len(list(page.iter("script"))) == 1  # that which sorts
    assert page.find(".//td/sub").text == "attr"
    assert page.find(".//td/b").text == "96.5"


def test_a_title_is_not_said_twice(run):
    path = run / "notebooks/one.json"
    made = json.loads(path.read_text())
    made["title"] = made["tables"][0]["title"] = "It's A & B"
    path.write_text(json.dumps(made))
    article = build(run, "one").find(".//article")
    assert words(article.find("h2")) == "It's A & B"
    assert [words(heading) for heading in article.iter("h3")] == ["table1 more"]


def test_a_long_table_starts_folded(run):
    (run / "tables/table1_more.csv").write_text("step\n" + "1\n" * 17)
    folded = build(run, "one").find(".//article[@id='one']/details")
    assert words(folded.find("summary")) == "table1 more: 17 rows"
    assert len(table_texts(folded.find(".//table"))) == 18
    assert "open" not in folded.attrib


def test_a_picture_is_small_and_leads_to_the_large_one(run):
    figure = build(run, "two").find(".//figure")
    assert figure.find("a").get("href") == "figures/fig%201.png"
    picture = figure.find("a/img")
    assert picture.get("alt") == "fig 1"
    assert picture.get("src").startswith("data:image/webp;base64,")


def test_nothing_is_loaded_from_elsewhere(run):
    page = build(run, "one", "two")
    assert list(page.iter("link")) == []
    assert all(script.get("src") is None for script in page.iter("script"))
    assert not any("http" in text or "@import" in text for text in page.itertext())


def test_findings_rest_on_the_tables_of_the_given_notebooks_alone(run):
    assert [path.name for path in list_tables([run / "notebooks/one.json"])] == ["table1.csv", "table1_more.csv"]


def test_findings_notice_and_origin_are_on_the_page(run):
    found = [Headline(f"{n} %", f"words <b>{n}</b>", (f"Sentence {n}.", f"More of {n}.")) for n in range(4)]
    facts = {"Made": "<now>", "Commit": ""}
    page = build(run, headlines=found, notice="A & B are absent.", provenance=facts, config="a: <1>\nb: 2")
    assert [words(card) for card in page.findall(".//div[@class='cards']/div")] == [
        f"{n} % words {n}" for n in range(3)
    ]
    assert [words(item) for item in page.findall(".//ul/li")][-2:] == ["Sentence 3.", "More of 3."]
    assert words(page.find(".//p[@class='warning']")) == "A & B are absent."
    assert [(words(name), words(value)) for name, value in zip(page.iter("dt"), page.iter("dd"), strict=True)] == [
        ("Made", "<now>")
    ]
    assert page.find(".//footer//pre").text == "a: <1>\nb: 2"


def test_what_there_is_not_leaves_no_trace(run):
    page = build(run)
    assert "Findings" not in [words(heading) for heading in page.iter("h2")]
    assert page.find(".//p[@class='warning']") is None
    assert page.find(".//dl") is None
    assert page.find(".//footer//details") is None


def test_the_script_writes_the_page_and_the_findings(run):
    (run / "jobs.csv").write_text("rule,dataset,seconds\ntrain,cora,600\nscore,cora,1200\n")
    inputs = {"manifests": [f"{run}/notebooks/one.json"], "published": [], "one_shot": [], "jobs": f"{run}/jobs.csv"}
    outputs = {"page": f"{run}/index.html", "findings": f"{run}/findings.txt"}
    params = {"title": "A & B", "config": {"run": "default", "device": "auto"}}
    script.main(make_job(run, input=inputs, output=outputs, params=params))
    assert (run / "findings.txt").read_text() == ""
    page = parse_page((run / "index.html").read_text())
    assert words(page.find("body/h1")) == "A & B"
    assert page.find(".//footer//pre").text == "run: default\ndevice: auto\n"
    facts = {words(name): words(value) for name, value in zip(page.iter("dt"), page.iter("dd"), strict=True)}
    assert {"Made", "Versions", "Machine"} <= facts.keys()
    assert facts["Duration"] == "2 measured jobs took 30 min together"
    notice = words(page.find(".//p[@class='warning']"))
    assert "This run has none of the paper's nine datasets" in notice
