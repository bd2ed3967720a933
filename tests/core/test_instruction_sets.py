"""The environment variable that caps the instruction set, which a process reads once."""

import os
import subprocess
import sys

import pytest

from manifoldforest import _core

ALL = ["baseline", "avx2", "avx512", "avx512vnni"]
# What this process may use: a suite that runs under a cap of its own tests those up to it.
SUPPORTED = _core.supported_kernels()


def run(code, value):
    """Run code in a process with this value of the variable; None leaves it out."""
    variables = {k: v for k, v in os.environ.items() if k != "MANIFOLDFOREST_INSTRUCTIONS"}
    if value is not None:
        variables["MANIFOLDFOREST_INSTRUCTIONS"] = value
    return subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False
    )


def supported_with(value, module="_core"):
    code = f"from manifoldforest import {module}; print(*{module}.supported_kernels())"
    finished = run(code, value)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.split()


@pytest.mark.parametrize("module", ["_core", "_testing"])
@pytest.mark.parametrize("cap", ALL)
def test_the_cap_is_the_best_set_that_is_used_or_the_machine_has_no_better(cap, module, request):
    if module == "_testing" and request.config.getoption("--without-stages"):
        pytest.skip("wheels do not have it")
    allowed = ALL[: ALL.index(cap) + 1]
    best_of_machine = supported_with(None)
    assert supported_with(cap, module) == [name for name in best_of_machine if name in allowed]


def test_an_empty_value_is_no_cap():
    assert supported_with("") == supported_with(None)


@pytest.mark.parametrize("value", ["sse2", "AVX2", "avx2 ", "avx", "0"])
def test_an_unknown_value_is_an_error_of_the_import_that_names_all(value):
    finished = run("import manifoldforest._core", value)
    last = finished.stderr.strip().splitlines()[-1]
    assert finished.returncode == 1
    assert last == (
        "ImportError: the environment variable MANIFOLDFOREST_INSTRUCTIONS must be one of "
        f"'baseline', 'avx2', 'avx512', 'avx512vnni', got '{value}'"
    )


def test_the_variable_is_read_once():
    finished = run(
        "import os; from manifoldforest import _core; before = _core.supported_kernels()\n"
        "os.environ['MANIFOLDFOREST_INSTRUCTIONS'] = 'wrong'\n"
        "assert _core.supported_kernels() == before",
        None,
    )
    assert finished.returncode == 0, finished.stderr


def test_sets_above_the_cap_cannot_be_chosen():
    finished = run("from manifoldforest import _core; _core.use_kernels('avx2')", "baseline")
    assert "ValueError: this machine cannot run the kernels avx2" in finished.stderr


def test_every_cap_grows_the_same_forests():
    code = (
        "import hashlib, numpy as np, manifoldforest as mf\n"
        "rng = np.random.default_rng(0)\n"
        "X = rng.integers(0, 256, (300, 70), dtype=np.uint8)\n"
        "y = rng.integers(0, 3, 300)\n"
        "forest = mf.ForestClassifier(5, random_state=0).fit(X, y)\n"
        "found = mf.BoundaryIndex(n_estimators=5)\n"
        "found.add(X)\n"
        "answers = [forest.predict_proba(X), *found.query(X, k=3)]\n"
        "print(hashlib.sha256(b''.join(a.tobytes() for a in answers)).hexdigest())"
    )
    answers = {run(code, cap).stdout for cap in SUPPORTED}
    assert len(answers) == 1
    assert len(answers.pop().strip()) == 64
