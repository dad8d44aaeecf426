# `make run` and `make test` set everything up in .venv by themselves.
# BACKEND=cuda takes MLX for CUDA instead of the CPU build (Linux only; `make clean` first).
PYTHON ?= python3
BACKEND ?= cpu
VENV := .venv
PY := $(VENV)/bin/python
ARGS ?=

.PHONY: run test lint format bench setup clean screenshots app

run: setup
	$(PY) -m app $(ARGS)

test: setup lint
	QT_QPA_PLATFORM=offscreen $(PY) tests/halves.py $(ARGS)

lint: setup
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m mypy --config-file tests/mypy.ini

format: setup
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: setup
	$(PY) -m engine bench $(ARGS)

screenshots: setup
	QT_QPA_PLATFORM=offscreen $(PY) -m app.bench.screenshots resources/screenshots $(ARGS)

app: setup
	$(PY) packaging/build.py $(ARGS)

setup:
	@$(PYTHON) packaging/bootstrap.py --backend $(BACKEND)

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis
