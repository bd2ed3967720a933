"""The vocabulary of rules: which values each accepts, and which error the others are."""

import os
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from manifoldforest.validation._parameters import N_JOBS, RANDOM_STATE
from manifoldforest.validation._rules import (
    any_callable,
    any_mapping,
    any_path,
    boolean,
    check_argument,
    check_parameters,
    fraction,
    instance_of,
    integer,
    none,
    nonzero_integer,
    one_of,
    range_of,
    real,
    sequence_of,
    shown,
)

NAN, INF = float("nan"), float("inf")
THING = object()

# rule: (expected, accepted, wrong values, wrong types)
RULES = {
    "integer(1)": (
        integer(1),
        "an integer >= 1",
        [1, 7, np.int8(3), np.uint64(2**63), 10**400],
        [0, -1, np.int32(0), -(10**400)],
        [True, np.True_, 1.0, np.float32(2), "1", None, [1], np.array(1), Decimal(1), THING, NAN],
    ),
    "integer()": (integer(), "an integer", [-5, 0, 5], [], [0.0, "a", False]),
    "integer(2, 9)": (integer(2, 9), "an integer in [2, 9]", [2, 9], [1, 10], [2.0, None]),
    "nonzero_integer": (nonzero_integer, "an integer other than 0", [-1, 4], [0], [0.0, True]),
    "real": (
        real("(0, 1]"),
        "a number in (0, 1]",
        [1, 0.5, np.float16(0.5), np.int8(1), Fraction(1, 3)],
        [0, 0.0, 1.5, -1, NAN, INF, np.float32("nan"), 10**400],
        [True, np.False_, "0.5", None, 1j, [0.5], np.array(0.5), Decimal("0.5"), THING],
    ),
    "real, open end": (real("[0, inf)"), "a number in [0, inf)", [0, 1e300], [INF, -1e-9], ["0"]),
    "fraction": (
        fraction("(0, 1)"),
        "a float in (0, 1)",
        [0.5, np.float32(0.5)],
        [0.0, 1.0, NAN],
        [1, 0, np.int64(1), True, "a"],
    ),
    "boolean": (boolean, "True or False", [True, np.False_], [], [0, 1, "yes", None]),
    "none": (none, "None", [None], [], [0, "None", False]),
    "one_of": (
        one_of("soft", "hard"),
        "one of 'soft', 'hard'",
        ["soft", np.str_("hard")],
        ["", "Soft", "medium"],
        [None, 1, b"soft", ["soft"], {"soft"}, THING],
    ),
    "any_path": (any_path, "a path", ["a", Path("a")], [], [b"a", 1, None, THING]),
    "any_callable": (any_callable, "a callable", [len, print], [], ["len", None]),
    "any_mapping": (any_mapping, "a mapping", [{}, os.environ], [], [[], None]),
    "instance_of": (
        instance_of(Fraction, "a fraction"),
        "a fraction",
        [Fraction(1, 2)],
        [],
        [0.5, Fraction],
    ),
    "sequence_of": (
        sequence_of(integer(1)),
        "a sequence, each entry an integer >= 1",
        [[], (1,), [1, 2], np.array([3, 4])],
        [[0], (1, -1), np.array([0])],
        ["12", 1, {1}, [1.0], [1, None], np.array([1.0]), np.ones((1, 1), dtype=int), THING],
    ),
    "sequence_of, not empty": (
        sequence_of(boolean, at_least=1),
        "a sequence of at least 1, each entry True or False",
        [[True]],
        [[], ()],
        [True, [1]],
    ),
    "range_of": (
        range_of(integer(0)),
        "an integer >= 0 or a pair (min, max) of these with min <= max",
        [0, (1, 2), [2, 2], np.array([0, 5])],
        [-1, (2, 1), (1,), (1, 2, 3), [-1, 2], ()],
        [1.5, (1, 2.0), "12", None, np.eye(2)],
    ),
    "integer | fraction | one_of | none": (
        integer(1) | fraction("(0, 1]") | one_of("sqrt") | none,
        "an integer >= 1 or a float in (0, 1] or one of 'sqrt' or None",
        [1, 1.0, "sqrt", None],
        [0, 1.5, "all"],
        [True, [1], THING],
    ),
    "N_JOBS": (N_JOBS, "an integer other than 0 or None", [1, -1, None], [0], [1.0, True]),
    "RANDOM_STATE": (
        RANDOM_STATE,
        "None, an integer in [0, 2**32 - 1] or a numpy RandomState",
        [None, 0, np.uint32(2**32 - 1), np.random.RandomState(0), np.random],
        [-1, 2**32],
        ["seed", 1.5, True, np.random.default_rng(0), [1]],
    ),
}


def cases(column):
    # no repr in the names of tests: those of objects hold addresses, other ones in each process
    return [
        pytest.param(rule[0], rule[1], value, id=f"{name}: {type(value).__name__} {i}")
        for name, rule in RULES.items()
        for i, value in enumerate(rule[column])
    ]


@pytest.mark.parametrize(("rule", "expected", "value"), cases(2))
def test_right_values_are_returned_as_they_came(rule, expected, value):
    assert rule.expected == expected
    assert check_argument("size", value, rule) is value


@pytest.mark.parametrize(("rule", "expected", "value"), cases(3))
def test_wrong_values_of_right_types_are_value_errors(rule, expected, value):
    with pytest.raises(ValueError) as caught:
        check_argument("Grid.size", value, rule)
    assert str(caught.value).startswith(f"Grid.size must be {expected}, got {shown(value)}")


@pytest.mark.parametrize(("rule", "expected", "value"), cases(4))
def test_wrong_types_are_type_errors_with_the_same_words(rule, expected, value):
    with pytest.raises(TypeError) as caught:
        check_argument("Grid.size", value, rule)
    assert str(caught.value).startswith(f"Grid.size must be {expected}, got {shown(value)}")


def test_the_first_parameter_that_breaks_its_rule_is_named():
    rules = {"a": integer(1), "b": integer(1)}
    check_parameters({"a": 1, "b": 1, "c": THING}, rules)
    with pytest.raises(ValueError, match=r"^b must be an integer >= 1, got 0$"):
        check_parameters({"a": 1, "b": 0}, rules)
    with pytest.raises(TypeError, match=r"^a must be an integer >= 1, got '1'$"):
        check_parameters({"b": 0, "a": "1"}, rules)


def test_words_that_are_nearly_right_are_suggested():
    with pytest.raises(ValueError, match=r"got 'Log_Euclidean': did you mean 'log-euclidean'\?$"):
        check_argument("metric", "Log_Euclidean", none | one_of("log-euclidean", "frobenius"))
    with pytest.raises(ValueError, match="got 'manhattan'$"):
        check_argument("metric", "manhattan", one_of("log-euclidean", "frobenius"))


def test_a_class_in_place_of_an_object_is_explained():
    rule = one_of("a") | instance_of(Fraction, "a fraction")
    with pytest.raises(TypeError, match=r"got <class .*>: write Fraction\(\), with parentheses$"):
        check_argument("space", Fraction, rule)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros((200, 300)), "an array of shape (200, 300)"),
        (pd.DataFrame({"a": [1.0], "b": [2.0]}), "a DataFrame of shape (1, 2)"),
        (csr_array((4, 4)), "a sparse matrix of shape (4, 4)"),
        ("x" * 1000, repr("x" * 1000)[:119] + "…"),
        ([1, 2], "[1, 2]"),
    ],
)
def test_messages_are_short(value, message):
    assert shown(value) == message
