"""A call that changes something happens as a whole or not at all, whatever fails on the way.

Every allocation of C++ in every such call is made to fail, one after the other, and every start of
a thread. The call must raise, and the object must be what it was, down to the last byte of its
record; in the end, after hundreds of failed calls, the same call must succeed with the same result
as on an object that saw none of them.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FAULTS = Path(__file__).parents[1] / "faults"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
PATIENCE = 240  # seconds

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is needed, which is for Linux"),
    pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler"),
    pytest.mark.skipif(
        "libasan" in os.environ.get("LD_PRELOAD", ""),
        reason="the address sanitizer has an operator new of its own",
    ),
]

CHANGES = ("add", "remove", "update")
ESTIMATORS = ("BoundaryForestClassifier", "BoundaryForestRegressor")
FORESTS = (
    *("ForestClassifier", "ForestRegressor", "MetricForestRegressor"),
    "BoostedForestClassifier",
)
NAMES = {
    "index": [
        *(f"index {change}" for change in CHANGES),
        *(f"index {change} with threads" for change in CHANGES),
        *(f"index {change} with a function" for change in CHANGES),
        *(f"brute force {change}" for change in CHANGES),
        "index query with threads",
        "index add to an empty one",
        "index add to few points",
        "index add one",
        "index remove one",
        "index remove from few points",
        "index update of few points",
        "index update of all points",
    ],
    "estimators": [
        f"{kind} {call}"
        for kind in ESTIMATORS
        for call in (
            "partial_fit",
            "fit again",
            "with a function partial_fit",
            "with a function fit again",
            "first partial_fit",
        )
    ],
    "forests": [
        f"{kind} {call}, n_jobs={n}"
        for kind in FORESTS
        for call in ("fit again", "predict")
        for n in (1, 2)
    ],
}


@pytest.fixture(scope="module")
def outcome_of(tmp_path_factory):
    """Return what became of a scenario; those of one group run in one process."""
    library = tmp_path_factory.mktemp("faults") / "failing_new.so"
    command = [COMPILER, "-std=c++17", "-O1", "-shared", "-fPIC"]
    command += [str(FAULTS / "failing_new.cpp"), "-o", str(library), "-ldl", "-pthread"]
    subprocess.run(command, check=True, capture_output=True)

    @functools.cache
    def outcomes(group):
        done = subprocess.run(
            [sys.executable, str(FAULTS / "campaign.py"), str(library), group],
            env=os.environ | {"LD_PRELOAD": str(library)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return {line["name"]: line for line in lines if "name" in line}, lines[-1:], done.stderr

    def outcome(group, name):
        finished, last, errors = outcomes(group)
        assert name in finished, f"the process died: {last}, {errors[-2000:]}"
        return finished[name]

    return outcome


@pytest.mark.parametrize(
    ("group", "name"), [(group, name) for group, names in NAMES.items() for name in names]
)
def test_a_failed_call_changes_nothing(outcome_of, group, name):
    outcome = outcome_of(group, name)
    assert outcome["problem"] is None, outcome["problem"]
    if not name.startswith("brute force"):  # which is Python and NumPy: nothing is allocated by new
        assert outcome["counts"]["memory"] > 5
    if "threads" in name or "n_jobs=2" in name:
        assert outcome["counts"]["threads"] > 0


def test_every_scenario_is_tested(outcome_of):
    """The names above are those of the campaign."""
    sys.path.insert(0, str(FAULTS))
    try:
        from campaign import GROUPS
    finally:
        sys.path.remove(str(FAULTS))
    assert {group: sorted(make()) for group, make in GROUPS.items()} == {
        group: sorted(names) for group, names in NAMES.items()
    }
