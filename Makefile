# Two commands set up and use a fresh machine: `make run` and `make test`. Both make the environment themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help run demo browser test check format torture bench eval docs pictures clean

help: ## Show what can be made.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): pyproject.toml constraints.txt
	@echo "==> Setting up $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Recollect needs Python 3.11 or newer: make PYTHON=python3.11 …"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@echo "==> Installing dependencies (a minute or so the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

run: $(READY) ## Serve an embedded memory on this machine, and print how to try it.
	@$(BIN)/recollect serve --root .recollect

demo: $(READY) ## Run the guided demo on a temporary memory.
	@$(BIN)/recollect demo

check: $(READY) ## Lint, format check, types, layers.
	@echo "==> ruff"; $(BIN)/ruff check . && $(BIN)/ruff format --check .
	@echo "==> mypy"; $(BIN)/mypy
	@echo "==> layers"; $(BIN)/lint-imports --no-cache | tail -n 6

browser: ## Install Chromium for the tests of the inspector, where that can be done.
	@command -v chromium chromium-browser google-chrome >/dev/null 2>&1 || { echo "==> Installing Chromium"; \
	  as=$$( [ "$$(id -u)" = 0 ] || echo "sudo -n" ); \
	  { $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >/dev/null 2>&1 \
	  || echo "    no Chromium can be had here: the tests of the inspector will be skipped"; }

test: check browser ## Everything above, then all tests with coverage.
	@echo "==> tests"; $(BIN)/python -m pytest -n 2 --cov --cov-report=term

format: $(READY) ## Format and fix the code.
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

torture: $(READY) ## Hours of faults, all rounds.
	@$(BIN)/python -m pytest -m torture --timeout=0 -s tests/faults tests/property

bench: $(READY) ## Measure, next to a bare loop in the same run; fails in the end if a bound was missed.
	@missed=""; for each in adds startup preload bulletin vectors "recall $(SIZES)" remember turns engines serve; do \
	  set -- $$each; file=$$1; shift; $(BIN)/python benchmarks/$$file.py "$$@" || missed="$$missed $$file"; done; \
	  [ -z "$$missed" ] || { echo "a bound was missed:$$missed"; exit 1; }

eval: $(READY) ## Measure recall on a data set: make eval DATA=locomo.json
	@test -n "$(DATA)" || { echo "which data set? make eval DATA=file.json"; exit 1; }
	@$(BIN)/recollect eval $(DATA) --ablation
	@$(BIN)/python benchmarks/holdout.py $(DATA)
	@$(BIN)/python benchmarks/shapes.py $(DATA)

pictures: $(READY) browser ## Take the pictures of the inspector that the docs show.
	@$(BIN)/python -m pytest -q tests/browser/test_inspector.py
	@for name in search memory graph timeline prompt search-dark 390-search; do \
	  cp artefacts/screenshots/$$name.png docs/pictures/; done

docs: $(READY) ## Write the generated reference pages.
	@$(BIN)/python docs/generate.py

clean: ## Remove the environment and all caches.
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.* .import_linter_cache
