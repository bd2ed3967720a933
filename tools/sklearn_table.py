"""Run scikit-learn's tests of forests and trees on our classes, and write the outcome as a table.

Prints Markdown: how many tests pass, and for each reason why others cannot, which they are.

    python tools/sklearn_table.py > docs/scikit_learn_tests.md
"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import sklearn

TESTS = Path(__file__).parents[1] / "tests" / "forests"
MODULES = {
    "test_sklearn_forest.py": "sklearn/ensemble/tests/test_forest.py",
    "test_sklearn_tree.py": "sklearn/tree/tests/test_tree.py",
}
KINDS = {
    "NOT_APPLICABLE": "not applicable",
    "DIFFERENT": "different on purpose",
}


class Outcomes:
    """A plugin of pytest that keeps what became of each test, by module."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.reasons: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        self.kind_of: dict[str, str] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn which kind each reason is of."""
        for module in {item.getparent(pytest.Module) for item in session.items}:
            for table, kind in KINDS.items():
                self.kind_of |= dict.fromkeys(getattr(module.obj, table), kind)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count one test."""
        module, _, test = report.nodeid.rpartition("/")[2].partition("::")
        if (report.when != "call" and not report.skipped) or test.startswith("test_every_reason"):
            return
        reason = getattr(report, "wasxfail", None)
        if report.skipped and reason is None:
            self.counts[module]["without our classes"] += 1
        elif report.skipped:
            self.counts[module][self.kind_of.get(reason, "not compared")] += 1
            self.reasons[module][reason][test.partition("[")[0]] += 1
        else:
            self.counts[module][report.outcome] += 1


def table(outcomes: Outcomes) -> str:
    """Return the Markdown."""
    kinds = ["passed", *KINDS.values(), "failed", "without our classes"]
    lines = [
        "# scikit-learn's tests on our forests",
        "",
        f"The tests of forests and trees that scikit-learn {sklearn.__version__} installs, run on",
        '`ForestClassifier` and `ForestRegressor` (`projection="axis"`) through the adapter in',
        "`tests/sklearn_suite`. A test counts once for each of its parameters. Written by",
        "`tools/sklearn_table.py`; the reasons are in `tests/forests/test_sklearn_forest.py` and",
        "`tests/forests/test_sklearn_tree.py`, which fail when one is missing or no longer true.",
        "",
        f"| module | {' | '.join(kinds)} |",
        f"|---|{'---|' * len(kinds)}",
    ]
    for module, theirs in MODULES.items():
        counts = outcomes.counts[module]
        lines.append(f"| `{theirs}` | {' | '.join(str(counts[kind]) for kind in kinds)} |")
    for module, theirs in MODULES.items():
        lines += ["", f"## {theirs}", "", "| kind | reason | tests |", "|---|---|---|"]
        reasons = outcomes.reasons[module].items()
        order = [*KINDS.values(), "not compared"]
        kind_of = outcomes.kind_of
        by_kind = sorted(reasons, key=lambda pair: order.index(kind_of.get(pair[0], order[-1])))
        for reason, tests in by_kind:
            names = ", ".join(f"`{name}` ({count})" for name, count in tests.items())
            lines.append(f"| {kind_of.get(reason, order[-1])} | {reason} | {names} |")
    return "\n".join(lines)


def main() -> int:
    """Run the tests; print the table, and what pytest says on stderr."""
    outcomes = Outcomes()
    with contextlib.redirect_stdout(sys.stderr):
        status = pytest.main(
            ["-n0", "-p", "no:cacheprovider", *(str(TESTS / name) for name in MODULES)],
            plugins=[outcomes],
        )
    print(table(outcomes))
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
