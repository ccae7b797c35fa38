# Everything a person types. Needs GNU make and Python 3.11 or newer; the rest is installed into .venv.
.SHELLFLAGS := -eu -c
.DEFAULT_GOAL := help

PORT ?= 8501
API_PORT ?= 8000
# Processes that serve the page, or the API, on one port.
WORKERS ?= 1
# Others are let in by `make app HOST=…` only, as some shells export a HOST of their own.
HOST := 127.0.0.1
FUZZ_SECONDS ?= 600
# Sizes of the sample bank that `make bench` measures; 80 has 50 million transactions, takes 6 GB of disk and ten minutes.
SCALES ?= 1,20
# Tests wait for processes and servers half of their time: two at once use two processors.
TEST_PROCESSES ?= 2

VENV := .venv
BIN := $(VENV)/bin
SAMPLE_BANK := data/sample_bank.duckdb

# A stamp carries the checksum of what it was made from: unchanged content means nothing to do, however files are dated.
checksum = $(firstword $(shell cat $(1) | cksum))
APP_STAMP := $(VENV)/.installed/app-$(call checksum,requirements.txt)
DEV_STAMP := $(VENV)/.installed/dev-$(call checksum,requirements.txt requirements-dev.txt)
ENGINES_STAMP := $(VENV)/.installed/engines-$(call checksum,requirements.txt requirements-engines.txt)
SAMPLE_STAMP := .cache/sample-bank-$(call checksum,$(sort $(shell find data -name '*.py')))

.PHONY: help install install-engines app api ask sample-bank test lint fuzz bench screenshots fit lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(APP_STAMP) ## Install what the app needs into .venv

install-engines: $(ENGINES_STAMP) ## Install the clients of Trino and Spark too, and a Spark to start here (half a gigabyte)

app: $(APP_STAMP) sample-bank ## Start the page on PORT (default 8501), with the sample bank and its services unless another database is named
	@echo "Banking Assistant: http://$(HOST):$(PORT)"
	@if [ -z "$${BANK_DATABASE_URL:-}$${BANK_MCP_DATABASE_URL:-}$${BANK_SERVICES_FILE:-}$${BANK_SERVICES_BASE_URL:-}" ]; then \
		$(BIN)/python -m data.example_services --while-parent-runs & \
	fi; \
	exec $(BIN)/python server.py page --host $(HOST) --port $(PORT) --workers $(WORKERS)

api: $(APP_STAMP) sample-bank ## Start the HTTP API on API_PORT (default 8000)
	@echo "Banking Assistant API: http://$(HOST):$(API_PORT)/docs"
	@exec $(BIN)/python server.py api --host $(HOST) --port $(API_PORT) --workers $(WORKERS)

ask: export ASK_QUESTION = $(value Q)
ask: $(APP_STAMP) sample-bank ## Ask one question: make ask Q="How many customers are there?"
	@exec $(BIN)/python -m backend.cli ask "$$ASK_QUESTION"

sample-bank: $(APP_STAMP) ## Build the sample bank, when it is needed and missing or its generator changed
	@if [ -z "$${BANK_DATABASE_URL:-}$${BANK_MCP_DATABASE_URL:-}" ] && { [ ! -f $(SAMPLE_BANK) ] || [ ! -f $(SAMPLE_STAMP) ]; }; then \
		echo "Building the sample bank (once, about half a minute) ..."; \
		$(BIN)/python -m data.build_sample_bank --out $(SAMPLE_BANK); \
		mkdir -p .cache && rm -f .cache/sample-bank-* && touch $(SAMPLE_STAMP); \
	fi

test: $(DEV_STAMP) ## Install what the tests need and run them all
	@exec $(BIN)/python -m pytest --numprocesses $(TEST_PROCESSES) --dist worksteal

lint: $(DEV_STAMP) ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fuzz: $(DEV_STAMP) ## Attack the guard with generated statements, FUZZ_SECONDS (default 600) per way and engine
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/python -m pytest tests/ai_engine/guard -k long_random_run --timeout 0
	for engine in duckdb sqlite postgres mysql; do \
		$(BIN)/python -m tests.ai_engine.guard.long_run $$engine --indexed --seconds $(FUZZ_SECONDS); \
	done

bench: $(DEV_STAMP) sample-bank ## Measure, and rewrite the tables in benchmarks/
	$(BIN)/python -m benchmarks.question_latency
	$(BIN)/python -m benchmarks.guard --write
	$(BIN)/python -m benchmarks.runner > benchmarks/runner.md
	$(BIN)/python -m benchmarks.sample_bank
	$(BIN)/python -m benchmarks.large_schema
	$(BIN)/python -m benchmarks.browser
	$(BIN)/python -m benchmarks.orchestrator > benchmarks/orchestrator.md
	$(BIN)/python -m benchmarks.chat > benchmarks/chat.md
	$(BIN)/python -m benchmarks.routing > benchmarks/routing.md
	$(BIN)/python -m benchmarks.mcp_server > benchmarks/mcp_server.md
	$(BIN)/python -m benchmarks.many_users > benchmarks/many_users.md
	$(BIN)/python -m benchmarks.scale --scales $(SCALES) --write

screenshots: $(DEV_STAMP) sample-bank ## Make the pictures of the README anew, by clicks in Chromium
	@exec $(BIN)/python -m scripts.screenshots

fit: $(DEV_STAMP) ## Fit the prices of the grammar to the project's own cases
	@exec $(BIN)/python -m benchmarks.fit_prices

lock: ## Pin the newest versions of what requirements*.in name (needs uv)
	uv pip compile --universal --python-version 3.11 --no-annotate -q requirements.in -o requirements.txt
	uv pip compile --universal --python-version 3.11 --no-annotate -q requirements-dev.in -o requirements-dev.txt
	uv pip compile --universal --python-version 3.11 --no-annotate -q requirements-engines.in -o requirements-engines.txt

clean: ## Remove what was installed, built and cached here
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis $(SAMPLE_BANK)

$(BIN)/python:
	@PYTHON='$(PYTHON)' sh scripts/create_venv.sh $(VENV)

$(APP_STAMP): $(BIN)/python
	@sh scripts/install_packages.sh $(VENV) requirements.txt
	@mkdir -p $(@D) && rm -f $(@D)/app-* && touch $@

$(DEV_STAMP): $(BIN)/python
	@sh scripts/install_packages.sh $(VENV) requirements-dev.txt
	@mkdir -p $(@D) && rm -f $(@D)/* && touch $@ $(APP_STAMP)

$(ENGINES_STAMP): $(APP_STAMP)
	@sh scripts/install_packages.sh $(VENV) requirements-engines.txt
	@mkdir -p $(@D) && rm -f $(@D)/engines-* && touch $@
