"""Execute a notebook template with the rule's inputs, outputs and settings as parameters, and render it as a page."""

import os
from pathlib import Path

import nbconvert
import papermill
from markupsafe import Markup
from nbconvert.preprocessors import TagRemovePreprocessor

import graphsieve
from graphsieve.files.writing import atomic_path, write_text
from graphsieve.jobs.running import run_job
from graphsieve.pages.rendering import render

PAGE_MAKING = {"parameters", "injected-parameters", "page"}  # tags of cells whose code teaches nobody
KERNEL_START = 600  # seconds that a notebook's process may take to start: a minute is too short on a busy machine
OWN = ("template", "notebook", "page")  # inputs and outputs that are the notebook itself, not a parameter of it


def main(job) -> None:
    # The notebook's kernel, a process of its own, is to import the very package that this one does, on as many cores.
    os.environ["PYTHONPATH"] = str(Path(graphsieve.__file__).parents[1])
    os.environ["OMP_NUM_THREADS"] = str(job.threads)
    with atomic_path(job.output.notebook) as executed:
        options = {"progress_bar": False, "start_timeout": KERNEL_START}
        papermill.execute_notebook(job.input.template, executed, parameters(job), **options)
    write_text(render_executed(job.output.notebook, job.params.get("shows_code", False)), job.output.page)


def render_executed(notebook: str | Path, shows_code: bool = False) -> str:
    """A notebook's outputs and prose in the style of all pages.

    nbconvert's own pages carry 280 KB of style each and fetch scripts from the network: only its body is used.
    """
    body, _ = exporter(shows_code).from_filename(str(notebook))
    return render("notebook.html.j2", title=Path(notebook).stem.replace("_", " "), body=Markup(body))


def exporter(shows_code: bool) -> nbconvert.HTMLExporter:
    """Pages show results; a page that teaches shows its code as well, but for what makes the page."""
    hidden = {"exclude_input": not shows_code, "exclude_input_prompt": True, "exclude_output_prompt": True}
    made = nbconvert.HTMLExporter(template_name="basic", **hidden)
    made.register_preprocessor(TagRemovePreprocessor(remove_input_tags=PAGE_MAKING), enabled=True)
    return made


def parameters(job) -> dict:
    """Inputs as paths, tables and figures (each in several formats) as paths without an ending, and the settings."""
    inputs = {name: as_parameter(files) for name, files in job.input.items() if name not in OWN}
    outputs = {name: as_stem(files) for name, files in job.output.items() if name not in OWN}
    return {**inputs, **outputs, **job.params.settings}


def as_parameter(files) -> str | list[str]:
    return str(files) if isinstance(files, str) else [str(file) for file in files]


def as_stem(files) -> str:
    """The manifest is one file; of the others all formats lie beside each other."""
    if isinstance(files, str):
        return str(files)
    return str(Path(files[0]).with_suffix(""))


if __name__ == "__main__":
    run_job(snakemake, main)
