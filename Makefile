# Each target makes the environment when it is missing or out of date, then calls one command.
PYTHON ?= python3
CORES ?= all
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: run test lint bench paper drills

run: .venv
	snakemake --cores $(CORES)

paper: .venv
	snakemake --cores $(CORES) --configfile config/paper.yaml

# A file at a time on each core, so that the tests of a file share what they make.
test: .venv
	python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

lint: .venv
	ruff check
	ruff format --check
	snakefmt --check workflow
	snakemake --lint

drills: .venv
	PYTHONPATH=scripts:tests python tests/drills/drills.py --out results/drills

bench: .venv .venv/bench-installed
	python scripts/bench.py
	PYTHONPATH=scripts papermill --no-progress-bar notebooks/benchmark.ipynb results/bench/benchmark.ipynb
	jupyter nbconvert --to html --no-input results/bench/benchmark.ipynb

.venv/bench-installed: envs/requirements-bench.txt .venv/installed
	.venv/bin/python -m pip install --disable-pip-version-check --quiet --no-deps --requirement $<
	touch $@

# The stamp is written last, so an interrupted installation starts over.
.venv: .venv/installed

.venv/installed: envs/requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "graphsieve needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python -m pip install --disable-pip-version-check --quiet torch==$$(sed -n 's/^torch==//p' $<)
	.venv/bin/python -m pip install --disable-pip-version-check --quiet --requirement $<
	touch $@
