# Prerequisites: Python 3.11 or later with venv, and make. Everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
CORPORA ?= $(KLYUCH_MIRROR)/corpora
# A file at a time in the order of the files: by the number of tests the long ones with few would come last. Three processes for
# two cores: a browser, a server or a job that a test waits for takes half of the time.
PROCESSES := -n 3 --dist loadfile --no-loadscope-reorder
# Tests start dozens of processes of Python: they read compiled modules instead of compiling each anew.
export PYTHONDONTWRITEBYTECODE :=
NEED_CORPORA = @test -d '$(CORPORA)' || { echo 'The corpora of data/catalogue.toml are not at $(CORPORA): set KLYUCH_MIRROR or CORPORA.'; exit 2; }

.PHONY: run docs pictures gallery test test-all count check bench bench-details load soak trials models networks browser clean

.venv/ready: requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.venv/ready-dev: .venv/ready requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

run: .venv/ready  ## the app on the models that ship
	MALLOC_ARENA_MAX=4 MALLOC_MMAP_THRESHOLD_=4194304 $(BIN)/streamlit run app/server.py

.venv/ready-docs: .venv/ready requirements-docs.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-docs.txt
	touch $@

docs: .venv/ready-docs  ## the documentation as a site, site/index.html; the installation aside, without a network
	$(BIN)/mkdocs build

pictures: .venv/ready-dev browser  ## the pictures of the documentation, from the pages as they are
	KLYUCH_PICTURES=docs/pictures $(BIN)/python -m pytest -m "slow" tests/browser/test_pictures.py

gallery: .venv/ready  ## answers of the shipped models as files that need no server, gallery/index.html
	$(BIN)/python -m benchmarks.gallery gallery

browser:  ## a chromium for the browser tests, unless there is one
	@sh tests/browser/install.sh

test: .venv/ready-dev browser  ## the default tests, the browser's among them
	$(BIN)/python -m pytest $(PROCESSES)

test-all: .venv/ready-dev browser  ## the long ones too; the corpora and test sets stand under KLYUCH_MIRROR
	$(BIN)/python -m pytest $(PROCESSES) -m "not gpu and not network"

count: .venv/ready-dev  ## how many tests there are, bookkeeping by parametrisation apart
	$(BIN)/python -m tests.count

check: .venv/ready-dev  ## lint, types and words
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tests.words
	$(BIN)/mypy

bench: .venv/ready-dev  ## every work beside its peer in one run, some 40 minutes on a free machine; then the tables that show it
	$(NEED_CORPORA)
	$(BIN)/python -m benchmarks.bench
	$(BIN)/python -m benchmarks.report

bench-details: .venv/ready-dev  ## what `make bench` has no room for: languages, formats, costs of clicks, quality; hours
	$(NEED_CORPORA)
	$(BIN)/python -m benchmarks.text_speed "$(CORPORA)"
	$(BIN)/python -m benchmarks.research.concordance_speed "$(CORPORA)"/ru_*
	$(BIN)/python -m benchmarks.gensim_speed
	$(BIN)/python -m benchmarks.glove_speed
	$(BIN)/python -m benchmarks.research.search_speed
	$(BIN)/python -m benchmarks.research.pca_speed
	$(BIN)/python -m benchmarks.page_speed
	$(BIN)/python -m benchmarks.clicks
	$(BIN)/python -m benchmarks.stillness
	$(BIN)/python -m benchmarks.quality
	$(BIN)/python -m benchmarks.report

load: .venv/ready-dev  ## what a class of 20 and of 100 waits for on one server, 35 minutes
	$(BIN)/python -m benchmarks.load --people 20 100 --minutes 10
	$(BIN)/python -m benchmarks.load --people 20 --minutes 10 --new 0.5 --add

soak: .venv/ready-dev  ## a class of 20 and of 100 for an hour each
	$(BIN)/python -m benchmarks.load --people 20 100 --minutes 60

trials: .venv/ready-dev  ## the trials behind the shipped settings; hours
	$(NEED_CORPORA)
	$(BIN)/python -m benchmarks.research.trials --corpora "$(CORPORA)" --cache .soak

models: .venv/ready  ## rebuild the shipped models from the corpora in $(CORPORA)
	$(NEED_CORPORA)
	$(BIN)/python -m benchmarks.build_models --corpora "$(CORPORA)" --output data/models

networks: .venv/ready  ## pretrain the shipped BERT and ALBERT from the corpora in $(CORPORA); hours, resumes where it stopped
	$(NEED_CORPORA)
	$(BIN)/python -m benchmarks.build_networks --corpora "$(CORPORA)" --work .soak/networks --output data/models

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
