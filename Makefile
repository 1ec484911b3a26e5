# Two commands do everything on a machine with Python >= 3.11, git and make:
#   make tour   the main job, on sample sessions, in a temporary home
#   make test   all tests
# Everything is installed into .venv, from requirements/*.lock, by pip; nothing else is touched.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell sh tools/find-python)

.PHONY: tour test fast long lint setup dev lock hosts bench clean

tour: setup
	@$(BIN)/reverie tour

test: dev lint
	$(BIN)/pytest -m "not long"

fast: dev
	$(BIN)/pytest -m "not slow and not hosts"

long: dev  ## kills and random games by the hundred, an hour or two; two of them need REVERIE_SHARED
	$(BIN)/pytest -m long

lint: dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

setup: $(VENV)/.core
dev: $(VENV)/.dev

$(VENV)/.core: requirements/core.lock pyproject.toml
	@sh tools/set-up "$(PYTHON)" $(VENV) requirements/core.lock
	@touch $@

$(VENV)/.dev: requirements/core.lock requirements/dev.lock pyproject.toml
	@sh tools/set-up "$(PYTHON)" $(VENV) requirements/core.lock requirements/dev.lock
	@touch $@ $(VENV)/.core

lock: dev  ## after a change of dependencies in pyproject.toml
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet pyproject.toml --universal --generate-hashes --no-header --no-emit-index-url --no-annotate -o requirements/core.lock
	$(BIN)/uv pip compile --quiet pyproject.toml --group dev --universal --generate-hashes --no-header --no-emit-index-url --no-annotate -o requirements/dev.lock

hosts: dev  ## drives the real clients that are installed; also needs REVERIE_SHARED
	$(BIN)/pytest -m hosts

bench: dev  ## what needs no data beside the checkout; the others say what they need
	$(BIN)/python benchmarks/conversations.py
	$(BIN)/python benchmarks/secrets.py
	$(BIN)/python benchmarks/transcripts.py
	$(BIN)/python benchmarks/hook.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
