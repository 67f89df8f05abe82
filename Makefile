# Each target makes the environment when it is missing or out of date, then calls one command.
PYTHON ?= python3
CORES ?= all
PIP_INSTALL := -m pip install --disable-pip-version-check --quiet
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: run test lint bench paper drills lock

run: .venv
	snakemake --cores $(CORES)

paper: .venv
	snakemake --cores $(CORES) --configfile config/paper.yaml

# One file at a time on each core, so that the tests of a file share what they make.
test: .venv .venv/bench-installed
	python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

lint: .venv
	ruff check
	ruff format --check
	lint-imports
	snakefmt --check workflow
	snakemake --lint

drills: .venv
	PYTHONPATH=tests python tests/drills/drills.py --out results/drills

bench: .venv .venv/bench-installed
	python scripts/bench/bench.py
	papermill --no-progress-bar notebooks/benchmark.ipynb results/bench/benchmark.ipynb
	jupyter nbconvert --to html --no-input results/bench/benchmark.ipynb

.venv/bench-installed: envs/requirements-bench.txt .venv/installed
	.venv/bin/python $(PIP_INSTALL) --no-deps --requirement $<
	touch $@

# The stamps are written last, so an interrupted installation starts over.
.venv: .venv/installed

.venv/installed: pyproject.toml .venv/locked
	.venv/bin/python $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

# torch brings its own dependencies, which differ between its builds; all others are in the lock.
.venv/locked: envs/requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "graphsieve needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python $(PIP_INSTALL) $$(grep '^torch==' $<)
	.venv/bin/python $(PIP_INSTALL) --no-deps --requirement $<
	touch $@

# After a change of envs/requirements.txt: all versions that it leads to, found in an environment of their own.
lock:
	$(PYTHON) -m venv --clear .venv/lock
	.venv/lock/bin/python $(PIP_INSTALL) $$(grep '^torch==' envs/requirements.txt)
	.venv/lock/bin/python $(PIP_INSTALL) --requirement envs/requirements.txt
	echo '# Made by `make lock` from requirements.txt: that and everything it needs, installed by `make .venv`.' > envs/requirements.lock
	.venv/lock/bin/python -m pip freeze --all --exclude pip | sed -E '/^(nvidia|cuda|triton)/d; s/\+[a-z0-9]+$$//' >> envs/requirements.lock
