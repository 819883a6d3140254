# Every target works on a bare clone: Python >= 3.11, make and a package index are all it needs (but for
# page and bench-page, which need Node.js, and lock, which needs uv).
PYTHON ?= python3
VENV := .venv
JOBS ?= 2
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
CLIENTS_READY := $(VENV)/.clients-ready
PANDAS2 := .venv-clients-pandas2
LOWEST := .venv-lowest
LOWEST_READY := $(LOWEST)/.ready
LOWEST_CLIENTS := .venv-clients-lowest
COMPARE := .venv-compare
# Fast tests that cross every package and every dependency, optional ones too.
SMOKE := tests/text/test_weight.py tests/corpus/test_folders.py tests/pages/test_serve.py \
  tests/test_examples.py::test_public_name_has_an_example_that_runs \
  $(addprefix tests/cli/test_commands.py::,test_help_and_version test_standard_input test_json_quiet_and_config \
    test_what_can_be_tolerated_is_counted_and_named test_bad_arguments_are_refused) \
  $(addprefix tests/backends/test_every_backend.py::,test_constraints_hold \
    test_estimators_end_where_they_end_in_memory) \
  $(addprefix tests/places/test_dask.py::,test_kept_and_told test_from_a_file_to_a_run) \
  tests/places/test_dask_clusters.py::test_a_scheduler_of_others_is_left_as_it_is \
  tests/studies/test_choose.py::test_a_choice_is_saved_and_drawn tests/runs/test_need.py \
  tests/runs/test_round_trip.py

ifdef UV
  MAKE_VENV = $(UV) venv --quiet --clear --seed --python $(PYTHON)
  INSTALL_INTO = $(UV) pip install --quiet --python $(1)/bin/python
else
  MAKE_VENV = $(PYTHON) -m venv --clear
  INSTALL_INTO = $(1)/bin/python -m pip install --quiet --disable-pip-version-check
endif
INSTALL = $(call INSTALL_INTO,$(VENV))

MINUTES ?= 60

.PHONY: help setup demo test test-python test-page test-all test-lowest test-clients test-clients-lowest torture page bench bench-page quality compare lint format docs pictures gallery release-check lock clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: $(READY)  ## make .venv with everything pinned, install Quire, compile its kernels

$(READY): pyproject.toml requirements/dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Quire needs Python 3.11 or newer: run make PYTHON=python3.12 (or newer)."; exit 2; }
	$(MAKE_VENV) $(VENV)
	$(INSTALL) --require-hashes -r requirements/dev.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	$(BIN)/quire warm
	@touch $@

$(BENCH_READY): $(READY) requirements/bench.lock
	$(INSTALL) --require-hashes -r requirements/bench.lock
	@touch $@

$(CLIENTS_READY): $(READY) requirements/clients.lock
	$(INSTALL) --require-hashes -r requirements/clients.lock
	@touch $@

demo: $(READY)  ## topics of the docstrings of the scientific Python packages
	$(BIN)/quire demo

# Browser tests wait more than they compute: beside the others they cost little more than their own CPU time.
test: $(READY)  ## the tests, under 10 minutes on 2 cores
	$(MAKE) -j2 --output-sync=target test-python test-page

test-python: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow"

test-page: $(READY)
	$(BIN)/python web/check.py

test-all: $(READY)  ## also the slow and data-heavy tests
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal
	$(BIN)/python web/check.py
	$(MAKE) test-lowest

test-lowest: $(LOWEST_READY)  ## a few tests of each package with the lowest versions that pyproject.toml allows
	$(LOWEST)/bin/python -m pytest -m "not slow" $(SMOKE)

test-clients: $(CLIENTS_READY) $(PANDAS2)/.ready  ## what other packages do with Quire, and scikit-learn's own tests with our classes
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests/clients
	$(PANDAS2)/bin/python -m pytest -n $(JOBS) --dist worksteal tests/clients

# Loading with skops turns on what the lowest scikit-learn takes only with this variable.
test-clients-lowest: $(LOWEST_CLIENTS)/.ready  ## the same with the lowest versions, of theirs and of what Quire needs
	SCIPY_ARRAY_API=1 $(LOWEST_CLIENTS)/bin/python -m pytest -n $(JOBS) --dist worksteal tests/clients

# An environment of its own, from the lock file of the same name.
.venv-%/.ready: requirements/%.lock pyproject.toml
	$(MAKE_VENV) .venv-$*
	$(call INSTALL_INTO,.venv-$*) --require-hashes -r requirements/$*.lock
	$(call INSTALL_INTO,.venv-$*) --no-deps --no-build-isolation -e .
	.venv-$*/bin/quire warm
	@touch $@

page:  ## build the page from web/ into the package (needs Node.js)
	cd web && npm ci --no-audit --no-fund --loglevel=error && npm run build

bench: $(BENCH_READY)  ## time Quire beside its peers; writes docs/benchmarks.md
	$(BIN)/python benchmarks/engine_beats_sklearn.py
	$(BIN)/python benchmarks/counts_beat_countvectorizer.py
	$(BIN)/python benchmarks/cluster_beats_sklearn.py
	$(BIN)/python benchmarks/methods_beat_peers.py
	$(BIN)/python benchmarks/objectives_beside_sklearn.py
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/whole_command.py
	$(BIN)/python benchmarks/tree_beats_flat.py

bench-page: $(READY)  ## time the page in a real Chromium; writes docs/benchmarks.md (needs Node.js)
	cd web && npm ci --no-audit --no-fund --loglevel=error
	$(BIN)/python benchmarks/page_opens_at_once.py

quality: $(BENCH_READY)  ## measure topics against classes; writes docs/quality.md
	$(BIN)/python -m benchmarks.quality

# PyTorch comes first, by pip, which takes the build for CPUs where it is told of one; the rest is locked.
$(COMPARE)/.ready: requirements/compare.lock requirements/compare-torch.txt
	$(PYTHON) -m venv --clear $(COMPARE)
	$(COMPARE)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/compare-torch.txt
	$(COMPARE)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/compare.lock
	@touch $@

compare: $(READY) $(COMPARE)/.ready  ## what is not measured yet of Quire beside BERTopic, gensim …; writes docs/compare.md
	$(BIN)/python -m benchmarks.compare
	$(BIN)/python -m benchmarks.compare --installs

torture: $(READY)  ## crash, fuzz and attack for MINUTES (60); writes docs/reliability.md
	@test -d web/node_modules || ! command -v npm >/dev/null || (cd web && npm ci --no-audit --no-fund --loglevel=error)
	$(BIN)/python -m torture --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

lint: $(READY)  ## ruff and mypy, Biome for the page, known holes in what is pinned
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python web/check.py --lint
	$(BIN)/python requirements/audit.py

format: $(READY)  ## let ruff, and Biome for the page, rewrite the files
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python web/check.py --format

docs: $(READY)  ## build the documentation into docs/_build
	$(BIN)/sphinx-build -q -W -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

pictures: $(READY)  ## run the tutorials and photograph their pages (needs Chromium)
	$(BIN)/python docs/pictures.py

gallery: $(READY)  ## gather and photograph five real corpora; writes docs/gallery.md (needs Chromium and the corpora)
	$(BIN)/python docs/gallery.py

release-check: $(READY)  ## build twice, look inside, install with every Python, lowest versions and each extra, try offline
	$(BIN)/python release/check.py

lock:  ## pin the newest versions that fit pyproject.toml (needs uv)
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --custom-compile-command "make lock" --group dev pyproject.toml -o requirements/dev.lock
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --custom-compile-command "make lock" -c requirements/dev.lock --group bench -o requirements/bench.lock
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --custom-compile-command "make lock" -c requirements/dev.lock --group clients -o requirements/clients.lock
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --custom-compile-command "make lock" --excludes requirements/compare-excludes.txt \
	  --group compare -o requirements/compare.lock
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --custom-compile-command "make lock" --extra all --group clients-pandas2 \
	  pyproject.toml -o requirements/clients-pandas2.lock
	uv pip compile --quiet --upgrade --resolution lowest-direct --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --extra all --group clients-pandas2 \
	  pyproject.toml -o requirements/clients-lowest.lock
	uv pip compile --quiet --upgrade --resolution lowest-direct --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --extra all --group lowest \
	  pyproject.toml -o requirements/lowest.lock

clean:  ## remove what the other targets made
	rm -rf $(VENV) $(LOWEST) $(PANDAS2) $(LOWEST_CLIENTS) $(COMPARE) quire-demo quire-compare docs/_build web/node_modules web/dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
