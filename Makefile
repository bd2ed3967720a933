# Every target makes its own virtual environment: on a fresh machine one command is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src -name '*.cpp' -o -name '*.hpp' -o -name '*.py' -o -name '*.pyi' -o -name '*.css')

.PHONY: help demo test test-oldest sanitize lint format stubs reproduce check-report bench bench-quick clean

help:
	@echo "make demo         build, fit RF, SPORF and MORF, print the errors and draw demo.png"
	@echo "make test         build and run the whole test suite"
	@echo "make test-oldest  the same on the oldest versions the package admits"
	@echo "make sanitize     the tests with the address and undefined-behaviour sanitizers of gcc"
	@echo "make lint         ruff, clang-format, mypy and the freshness of the type stubs"
	@echo "make format       apply ruff and clang-format"
	@echo "make stubs        regenerate src/manifoldforest/_core.pyi"
	@echo "make reproduce    repeat the experiments of the papers in small sizes, write reproduction/report.html"
	@echo "make check-report the same, and look at the page in Chromium"
	@echo "make bench        compare speed, memory and error with other libraries (hours)"
	@echo "make bench-quick  a part of it in three minutes"
	@echo "make clean        remove everything the other targets made"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

$(VENV)/installed: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ".[test]" \
	  -Ccmake.define.MANIFOLDFOREST_WERROR=ON
	@touch $@

$(VENV)/lint-tools: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "ruff>=0.6" "mypy>=1.11" "clang-format==19.1.7" "nanobind==3.1.0"
	@touch $@

demo: $(VENV)/installed
	$(BIN)/manifoldforest demo --output demo.png

test: $(VENV)/installed
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest tests --pyargs manifoldforest

test-oldest:
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip install --quiet --disable-pip-version-check ".[test]" -c tests/oldest.txt
	SCIPY_ARRAY_API=1 $(VENV)-oldest/bin/python -m pytest tests --pyargs manifoldforest

# Python itself is not instrumented, so the runtime of the address sanitizer is loaded before it, and
# with it the C++ library in which it looks for `throw`. What Python never frees is no leak of ours.
$(VENV)-sanitize/installed: $(SOURCES)
	$(PYTHON) -m venv $(VENV)-sanitize
	$(VENV)-sanitize/bin/python -m pip install --quiet --disable-pip-version-check ".[test]" \
	  -Cbuild-dir=build/sanitize -Ccmake.build-type=RelWithDebInfo -Ccmake.define.MANIFOLDFOREST_SANITIZE=ON
	@touch $@

sanitize: $(VENV)-sanitize/installed
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so.6)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 SCIPY_ARRAY_API=1 \
	  $(VENV)-sanitize/bin/python -m pytest tests

lint: $(VENV)/installed $(VENV)/lint-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	find cpp -name '*.hpp' -o -name '*.cpp' | xargs $(BIN)/clang-format --dry-run --Werror
	$(BIN)/mypy
	$(BIN)/python -m nanobind.stubgen -m manifoldforest._core -q -o $(VENV)/_core.pyi
	diff -u src/manifoldforest/_core.pyi $(VENV)/_core.pyi

format: $(VENV)/lint-tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	find cpp -name '*.hpp' -o -name '*.cpp' | xargs $(BIN)/clang-format -i

stubs: $(VENV)/installed
	$(BIN)/python -m nanobind.stubgen -m manifoldforest._core -o src/manifoldforest/_core.pyi

# REPRODUCE="M1 M5 --preset full --data DIR" chooses other experiments and sizes.
reproduce: $(VENV)/installed
	$(BIN)/manifoldforest reproduce $(REPRODUCE)

# Needs Chromium and its driver (Debian: chromium, chromium-driver).
check-report: reproduce
	$(BIN)/python tools/check_report.py reproduction/report.html

# BENCH="--tasks mnist-uint8 --forests RF" chooses a part.
bench: $(VENV)/installed
	$(BIN)/python benchmarks/run.py $(BENCH)
	$(BIN)/python benchmarks/scaling.py
	$(BIN)/python benchmarks/boundary_peers.py
	$(BIN)/python benchmarks/boundary_growth.py

bench-quick: $(VENV)/installed
	$(BIN)/python benchmarks/run.py --quick $(BENCH)

clean:
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-sanitize benchmarks/.environments build dist .mypy_cache .ruff_cache .pytest_cache demo.png reproduction
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
