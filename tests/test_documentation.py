"""What the documents name exists: files, sections, make targets, options, keys of the config."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml

PROJECT = Path(__file__).parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "REPRODUCTION.md", "config/README.md")
FOLDERS = ("scripts", "workflow", "notebooks", "config", "envs", "tests", ".ci")
# A run that is published with the project; without it there is nothing to link to.
PUBLISHED = PROJECT / "results/paper"


def read(page: str) -> str:
    return (PROJECT / page).read_text()


def code(page: str) -> list[str]:
    """Everything that is set as code, in fences and in lines."""
    fenced = r"^```\w*\n(.*?)^```$"
    return re.findall(fenced, read(page), re.M | re.S) + re.findall(r"`([^`\n]+)`", re.sub(fenced, "", read(page)))


def links(page: str) -> list[str]:
    prose = re.sub(r"^```.*?^```$", "", read(page), flags=re.M | re.S)
    return re.findall(r"\]\(([^)\s]+)\)", prose)


def anchors(path: Path) -> set[str]:
    """The names that a page's headings have in links to them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problem_of(link: str, page: str) -> str | None:
    if re.match(r"https?://\w", link):
        return None
    target, _, anchor = link.partition("#")
    path = (PROJECT / page).parent / target if target else PROJECT / page
    if path.is_relative_to(PUBLISHED) and not PUBLISHED.exists():
        return None
    if not path.exists():
        return f"{page} links to {target}, which does not exist"
    if anchor and anchor not in anchors(path):
        return f"{page} links to #{anchor}, which {target} does not have"
    return None


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    assert [problem for link in links(page) if (problem := problem_of(link, page))] == []


def test_a_link_that_leads_nowhere_is_found():
    assert problem_of("nowhere.md", "README.md")
    assert problem_of("config/README.md#nowhere", "README.md")
    assert problem_of("README.md", "config/README.md") is None


@pytest.mark.parametrize("page", PAGES)
def test_make_targets_exist(page):
    targets = set(re.findall(r"^([.\w/-]+):", read("Makefile"), re.M))
    named = {target for text in code(page) for target in re.findall(r"\bmake ([.a-z]+)", text)}
    assert named <= targets


@pytest.mark.parametrize("page", PAGES)
def test_files_named_in_code_exist(page):
    pattern = rf"(?<![\w./])(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./-]*"
    named = {path for text in code(page) for path in re.findall(pattern, text)}
    assert named, "the pattern finds nothing"
    assert {path for path in named if not (PROJECT / path).exists()} == set()


def test_options_of_rank_exist():
    section = read("README.md").split("## A graph of your own")[1].split("\n## ")[0]
    command = [sys.executable, PROJECT / "scripts/rank.py", "--help"]
    known = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    named = set(re.findall(r"`(--[a-z-]+)", section))
    assert len(named) > 1
    assert named <= set(re.findall(r"--[a-z-]+", known))


@pytest.mark.parametrize("page", ["README.md", "config/README.md"])
def test_example_configs_obey_the_schema(page):
    schema = yaml.safe_load(read("workflow/schemas/config.schema.yaml"))
    found = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", read(page), re.M | re.S)]
    examples = [settings for settings in found if "run" in settings]  # the others are Snakemake's profiles
    assert examples
    for settings in examples:
        jsonschema.validate({"datasets": {}, **settings}, schema)


def test_every_column_that_is_explained_is_in_a_published_table_or_a_score_file():
    rows = read("README.md").split("| column | means |")[1].split("\n\n")[0]
    explained = {name for cell in re.findall(r"^\|([^|]+)", rows, re.M) for name in re.findall(r"`(\w+)`", cell)}
    tables = [path.read_text().splitlines()[0].split(",") for path in PROJECT.glob("config/published/table*.csv")]
    known = {"runs", "score", "std", "loss"}.union(*tables)
    assert {"accuracy_mean", "retained_percent"} <= explained <= known


def test_the_citation_has_what_the_format_requires():
    citation = yaml.safe_load(read("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    paper = citation["preferred-citation"]
    assert {"type", "title", "authors", "year"} <= set(paper)
    for author in paper["authors"]:
        assert f"{author['family-names']}, {author['given-names']}" in read("README.md")
    assert paper["title"] in read("README.md")


def test_version_and_licence_are_the_same_everywhere():
    project = tomllib.loads(read("pyproject.toml"))["project"]
    citation = yaml.safe_load(read("CITATION.cff"))
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert read("LICENSE").startswith(f"{project['license']} License")
    assert (PROJECT / project["readme"]).exists()


def test_the_workflow_catalogue_gets_what_it_asks_for():
    """Standardised usage: a Snakefile and a description of the config in their places, and how to deploy software."""
    usage = yaml.safe_load(read(".snakemake-workflow-catalog.yml"))["usage"]
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    assert usage["software-stack-deployment"] == {"conda": True, "report": True}
    assert (PROJECT / "workflow/Snakefile").exists()
    assert (PROJECT / "config/README.md").exists()
