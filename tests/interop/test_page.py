"""Every claim of the page on other tools names tests that exist, or gives a reason."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "howto" / "interoperability.md"
ANSWERS = {"yes", "partly", "by hand", "no"}


def table_rows(text):
    """Return the cells of all rows of all tables."""
    rows = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[1] != "works" and set(cells[0]) != {"-"}:
            rows.append(cells)
    return rows


def known_tests():
    return {
        node.name
        for path in HERE.glob("test_*.py")
        if path.name != Path(__file__).name
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def problem_of(cells, known):
    """Return what is wrong with a row, None if nothing is."""
    tool, works, reason, proof = cells
    named = re.findall(r"`(\w+)`", proof)
    missing = sorted(set(named) - known)
    if works not in ANSWERS:
        return f"{tool}: {works!r} is none of {ANSWERS}"
    if missing:
        return f"{tool}: there is no test {missing[0]}"
    if works in ("yes", "partly") and not named:
        return f"{tool}: no test is named"
    if works != "yes" and not reason:
        return f"{tool}: no reason is given"
    if works == "by hand" and not re.search(r"\d+\.\d+\.\d+", reason):
        return f"{tool}: the version is missing"
    return None


ROWS = table_rows(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("cells", [pytest.param(row, id=row[0]) for row in ROWS])
def test_every_row_has_a_proof_or_a_reason(cells):
    assert problem_of(cells, known_tests()) is None


def test_every_test_is_a_proof_of_something():
    named = {name for row in ROWS for name in re.findall(r"`(test_\w+)`", row[3])}
    assert len(ROWS) > 40
    assert known_tests() - named == NOT_ON_THE_PAGE


# what is no claim about a tool
NOT_ON_THE_PAGE = {
    "test_an_index_that_refuses_points_keeps_no_names",
    "test_columns_that_single_precision_merges_are_named",
    "test_dims_in_a_file_that_do_not_fit_are_refused",
    "test_evaluations_and_suggestions_take_tables",
    "test_integers_of_arrow_that_doubles_would_round_are_refused_by_column",
    "test_types_and_missing_values_stay",
}


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (["tool", "perhaps", "why", "`test_a`"], "is none of"),
        (["tool", "yes", "", "`test_b`"], "no test test_b"),
        (["tool", "yes", "how", ""], "no test is named"),
        (["tool", "partly", "", "`test_a`"], "no reason"),
        (["tool", "by hand", "it worked", ""], "version"),
        (["tool", "no", "", ""], "no reason"),
    ],
)
def test_wrong_rows_are_found(cells, problem):
    assert problem in problem_of(cells, {"test_a"})
    assert problem_of(["tool", "yes", "", "`test_a`"], {"test_a"}) is None
