# The README's commands. `make help` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help book install pdf test test-site serve lab bench pair hooks lock clean distclean prerequisites

PYTHON ?= python3
PORT ?= 8000
SCALE ?= published
VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready

# Each chapter has a process of its own. Where Python may not keep the modules that it compiles, as in some containers,
# every process compiles torch, pandas and the rest again, and its imports take three times as long.
unexport PYTHONDONTWRITEBYTECODE

help: ## list what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)$$/  make \1\t\2/' | expand -t 20

book: $(READY) ## execute the chapters, judge the verdicts, build the site into _build/html
	@$(RUN) -m support book --scale $(SCALE)

install: $(READY) ## install the environment into .venv, and no more

pdf: $(READY) ## print the built site into one PDF, with headless Chromium (minutes)
	@$(RUN) -m support pdf --scale $(SCALE)

# Three processes keep two cores busy, for some tests mostly wait.
test: $(READY) ## check style and code (minutes)
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy & mypy=$$!; $(RUN) -m pytest -n 3 --dist worksteal --cov --cov-report= --cov-fail-under=0 --durations=20 --durations-min=5 && wait $$mypy
	@$(RUN) -m coverage report

test-site: $(READY) ## check the built site in real browsers, headless Chromium and WebKit (minutes)
	@test -f _build/html/index.html || { echo "There is no site yet: run 'make book' first." >&2; exit 1; }
	@$(RUN) -m pytest -n 2 --dist loadscope --no-loadscope-reorder tests/website

serve: ## serve the built site on this machine
	@test -f _build/html/index.html || { echo "There is no site yet: run 'make book' first." >&2; exit 1; }
	@echo "http://127.0.0.1:$(PORT)/  (Ctrl-C ends)"
	@$(RUN) -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

lab: $(READY) ## open the paired notebooks in JupyterLab
	@$(RUN) -m jupyterlab notebooks

bench: $(READY) ## measure speed, fast beside plain, in one run
	@$(RUN) -m benchmarks

pair: $(READY) ## bring the two halves of every notebook in step, without outputs
	@$(RUN) -m support pair

hooks: $(READY) ## let git check the pairs before each commit
	@git config core.hooksPath .githooks && echo "git now runs .githooks/pre-commit before each commit"

lock: prerequisites ## resolve the dependencies anew into requirements.lock
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && $(PYTHON) -m venv "$$tmp" && \
	  "$$tmp/bin/python" -m pip install -q -U 'pip>=25.1' && "$$tmp/bin/python" tools/lock.py $(UPGRADE)

clean: ## remove what was built, keep the environment
	@rm -rf _build .coverage

distclean: clean ## remove the environment too
	@rm -rf $(VENV) *.egg-info

prerequisites:
	@command -v git >/dev/null || { echo "This needs git, which was not found on the PATH." >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "This needs Python 3.11 or newer; '$(PYTHON)' was not found. Set PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "This needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1). Set PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "This needs Python's venv module (on Debian and Ubuntu: apt install python3-venv)." >&2; exit 1; }

# The marker is written last, so that an interrupted installation is taken up again. pip compiles nothing: Python compiles
# a module when it is first imported, and few of the 18,000 ever are.
$(READY): requirements.lock pyproject.toml | prerequisites
	@echo "Installing the environment into $(VENV) (a few minutes, once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(RUN) -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.lock
	@$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@$(RUN) -m support.book.running
	@touch $@
