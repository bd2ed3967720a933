# On a machine with Python, a C++20 compiler, make and git one command is enough. All targets share the
# virtual environment .venv and add what they need; test-oldest and sanitize have one of their own.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src -name '*.cpp' -o -name '*.hpp' -o -name '*.inc' -o -name '*.py' -o -name '*.pyi')

# WERROR=ON makes compiler warnings errors, as CI does; a newer compiler must not spoil a first try.
WERROR ?= OFF

# What the Makefile installs is for development and has the module _testing that tests need; a plain
# `pip install .` and wheels have it not.
TESTING := -Ccmake.define.MANIFOLDFOREST_TESTING=ON

# One worker per core, each taking whole files, so that a fixture of a module is made once; one
# thread of BLAS and OpenMP in each. SCIPY_ARRAY_API is for scikit-learn's checks of estimators.
# PYTEST="-k patch" chooses tests.
PYTEST_ENV := SCIPY_ARRAY_API=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
PYTEST_ARGUMENTS := -n auto --dist loadfile $(PYTEST)

.PHONY: help demo test test-oldest sanitize lint format hooks stubs sklearn-table reproduce check-report docs check-docs dist bench bench-quick clean

# The text behind ## is what `make help` lists.
help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "make %-15s%s\n", $$1, $$2}'

$(BIN)/python:
	@echo "Making the virtual environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(PIP) --upgrade pip

$(VENV)/installed: $(BIN)/python $(SOURCES)
	@$(BIN)/python tools/install.py "$(CURDIR)[demo]" $(TESTING) -Ccmake.define.MANIFOLDFOREST_WERROR=$(WERROR)
	@touch $@

# The package is there already: this adds what its extra lists.
$(VENV)/test-tools: $(VENV)/installed
	@echo "Adding the packages that tests need to $(VENV)"
	@$(BIN)/python $(PIP) "manifoldforest[test]"
	@touch $@

$(VENV)/lint-tools: $(BIN)/python pyproject.toml
	@echo "Adding ruff, clang-format and mypy to $(VENV)"
	@$(BIN)/python $(PIP) "ruff>=0.6" "mypy>=1.11" "clang-format==19.1.7" "nanobind==3.1.0"
	@touch $@

demo: $(VENV)/installed ## build, fit RF, SPORF and MORF, print the errors and draw demo.png (3 minutes on 2 cores)
	@echo "Fitting 300 forests of 500 trees (about a minute on two cores)"
	$(BIN)/manifoldforest demo --output demo.png

test: $(VENV)/test-tools ## build and run the whole test suite on all cores (7 minutes on 2, 5 once built)
	$(PYTEST_ENV) $(BIN)/python -m pytest tests --pyargs manifoldforest $(PYTEST_ARGUMENTS)

test-oldest: ## the same on the oldest versions the package admits, in .venv-oldest
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python $(PIP) --upgrade pip
	$(VENV)-oldest/bin/python tools/install.py "$(CURDIR)[test]" $(TESTING) -c tests/oldest.txt
	$(PYTEST_ENV) $(VENV)-oldest/bin/python -m pytest tests --pyargs manifoldforest $(PYTEST_ARGUMENTS)

# Python itself is not instrumented, so the runtime of the address sanitizer is loaded before it, and
# with it the C++ library in which it looks for `throw`. What Python never frees is no leak of ours.
$(VENV)-sanitize/installed: $(SOURCES)
	$(PYTHON) -m venv $(VENV)-sanitize
	$(VENV)-sanitize/bin/python $(PIP) --upgrade pip
	$(VENV)-sanitize/bin/python tools/install.py "$(CURDIR)[test]" $(TESTING) \
	  -Cbuild-dir=build/sanitize -Ccmake.build-type=RelWithDebInfo -Ccmake.define.MANIFOLDFOREST_SANITIZE=ON \
	  -Ccmake.define.MANIFOLDFOREST_UNITY=OFF
	@touch $@

sanitize: $(VENV)-sanitize/installed ## the same with the address and undefined-behaviour sanitizers, in .venv-sanitize
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so.6)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 $(PYTEST_ENV) \
	  $(VENV)-sanitize/bin/python -m pytest tests $(PYTEST_ARGUMENTS)

lint: $(VENV)/test-tools $(VENV)/lint-tools ## ruff, clang-format, mypy, links of Markdown files and the freshness of the type stubs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	find cpp -name '*.hpp' -o -name '*.cpp' | xargs $(BIN)/clang-format --dry-run --Werror
	$(BIN)/mypy
	$(BIN)/python tools/check_links.py
	$(BIN)/python -m nanobind.stubgen -m manifoldforest._core -q -o $(VENV)/_core.pyi
	diff -u src/manifoldforest/_core.pyi $(VENV)/_core.pyi

format: $(VENV)/lint-tools ## let ruff and clang-format rewrite
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	find cpp -name '*.hpp' -o -name '*.cpp' | xargs $(BIN)/clang-format -i

hooks: $(VENV)/test-tools $(VENV)/lint-tools ## check what is committed: ruff, clang-format and mypy before each commit
	@$(BIN)/python $(PIP) "pre-commit>=3.7"
	$(BIN)/pre-commit install

stubs: $(VENV)/installed ## regenerate src/manifoldforest/_core.pyi after a change of the bindings
	$(BIN)/python -m nanobind.stubgen -m manifoldforest._core -o src/manifoldforest/_core.pyi

sklearn-table: $(VENV)/test-tools ## run scikit-learn's own tests on our forests, write docs/scikit_learn_tests.md
	$(PYTEST_ENV) $(BIN)/python tools/sklearn_table.py > docs/scikit_learn_tests.md

# REPRODUCE="M1 M5 --preset full --data DIR" chooses other experiments and sizes.
reproduce: $(VENV)/installed ## repeat the experiments of the papers in small sizes, write reproduction/report.html
	$(BIN)/python -m experiments $(REPRODUCE)

# Needs Chromium and its driver (Debian: chromium, chromium-driver), and says so before the long part.
check-report: $(VENV)/installed ## the same, and look at the page in Chromium
	$(BIN)/python tools/check_report.py
	$(BIN)/python -m experiments $(REPRODUCE)
	$(BIN)/python tools/check_report.py reproduction/report.html

$(VENV)/docs-tools: $(VENV)/installed
	@echo "Adding the packages that the documentation needs to $(VENV)"
	@$(BIN)/python $(PIP) "manifoldforest[docs]"
	@touch $@

# SPHINX="-D plot_gallery=0" leaves the examples out and takes a minute.
docs: $(VENV)/docs-tools ## build the documentation into docs/_build/html (warnings are errors)
	rm -rf docs/api/generated  # pages of names that are gone
	MPLBACKEND=agg OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -E -b html -n -W --keep-going $(SPHINX) docs docs/_build/html

# Needs Chromium and its driver, as check-report does.
check-docs: $(VENV)/installed ## look at every page of it in Chromium, screenshots in docs/_build/screenshots
	$(BIN)/python tools/check_docs.py docs/_build/html

# For the platform at hand; .github/workflows/wheels.yml makes those of all others.
dist: $(BIN)/python ## build the sdist and a wheel from it into dist, check what they contain
	@$(BIN)/python $(PIP) "build>=1.2" "twine>=6.1" "check-wheel-contents>=0.6"
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python tools/check_dist.py dist

# BENCH="--tasks mnist-uint8 --forests RF" chooses a part.
bench: $(VENV)/installed ## compare speed, memory and error with other libraries (hours)
	$(BIN)/python benchmarks/run.py $(BENCH)
	$(BIN)/python benchmarks/scaling.py
	$(BIN)/python benchmarks/boundary_peers.py
	$(BIN)/python benchmarks/boundary_growth.py

bench-quick: $(VENV)/installed ## a part of it in three minutes
	$(BIN)/python benchmarks/run.py --quick $(BENCH)

clean: ## remove everything the other commands made
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-sanitize benchmarks/.environments build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis demo.png reproduction docs/_build docs/auto_examples docs/api/generated
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
