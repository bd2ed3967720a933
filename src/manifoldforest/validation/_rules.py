"""What one parameter may be: a small vocabulary of rules, and the check that applies them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import issparse

from ._suggestions import did_you_mean

T = TypeVar("T")

# characters of a value that a message shows
_MAX_SHOWN = 120


@dataclass(frozen=True)
class Rule:
    """What a parameter may be.

    Parameters
    ----------
    expected : str
        The same in words, for the message.
    admits : callable
        Whether the type of a value is right. For a sequence, that of its entries too.
    accepts : callable
        Whether a value of a right type is right. It is not called for other values.
    words : mapping of str to str
        Frequent wrong words, and what to write for each.
    hint : callable
        What to add to the message about a wrong value, such as ``": write Axis()"``.
    """

    expected: str
    admits: Callable[[Any], bool]
    accepts: Callable[[Any], bool] = lambda value: True
    words: Mapping[str, str] = field(default_factory=dict)
    hint: Callable[[Any], str] = lambda value: ""

    def __or__(self, other: Rule) -> Rule:
        """Return the rule that accepts what either of the two accepts."""
        return _Either(
            f"{self.expected} or {other.expected}",
            lambda value: self.admits(value) or other.admits(value),
            lambda value: self.allows(value) or other.allows(value),
            {**self.words, **other.words},
            lambda value: self.hint(value) or other.hint(value),
        )

    def allows(self, value: Any) -> bool:
        """Whether type and value are right."""
        return self.admits(value) and self.accepts(value)


class _Either(Rule):
    """Two rules, which look at the type themselves."""

    def allows(self, value: Any) -> bool:
        """Whether type and value are right for one of them."""
        return self.accepts(value)


def check_argument(name: str, value: T, rule: Rule) -> T:
    """Return `value`, or raise a TypeError or a ValueError unless it follows its rule."""
    if rule.allows(value):
        return value
    error = ValueError if rule.admits(value) else TypeError
    hint = did_you_mean(value, rule.words) or rule.hint(value)
    raise error(f"{name} must be {rule.expected}, got {shown(value)}{hint}")


def check_parameters(params: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Check the parameters that have a rule, in the order of the rules."""
    for name, rule in rules.items():
        check_argument(name, params[name], rule)


def shown(value: Any) -> str:
    """Return how a message shows a value: arrays by their shape, all else in short."""
    if issparse(value):
        return f"a sparse matrix of shape {value.shape}"
    if isinstance(getattr(value, "shape", None), tuple) and len(value.shape) > 1:
        kind = "an array" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
        return f"{kind} of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


# ------------------------------------------------------------------------------------- types


def is_boolean(value: Any) -> bool:
    """Whether a value is True or False, of Python or NumPy."""
    return isinstance(value, bool | np.bool_)


def is_integer(value: Any) -> bool:
    """Whether a value is an integer of Python or NumPy, and no boolean."""
    # the abstract class takes its time, and a query of one point few microseconds
    return type(value) is int or (isinstance(value, Integral) and not is_boolean(value))


def is_number(value: Any) -> bool:
    """Whether a value is a real number of Python or NumPy, and no boolean."""
    return type(value) is float or (isinstance(value, Real) and not is_boolean(value))


def is_sequence(value: Any) -> bool:
    """Whether a value is a list, a tuple or an array with one axis."""
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)


# ------------------------------------------------------------------------------------- rules


def integer(low: int | None = None, high: int | None = None) -> Rule:
    """Accept integers from `low` to `high`."""
    if high is not None:
        text = f"an integer in [{low}, {high}]"
    else:
        text = "an integer" if low is None else f"an integer >= {low}"
    return Rule(
        text,
        is_integer,
        lambda value: (low is None or value >= low) and (high is None or value <= high),
    )


def real(interval: str) -> Rule:
    """Accept numbers in an interval written as ``"(0, 1]"``."""
    low_text, high_text = interval[1:-1].split(",")
    low, high = float(low_text), float(high_text)

    def accepts(value: Any) -> bool:
        try:
            number = float(value)
        except OverflowError:  # an integer beyond all floats
            return False
        above = number >= low if interval[0] == "[" else number > low
        below = number <= high if interval[-1] == "]" else number < high
        return above and below

    return Rule(f"a number in {interval}", is_number, accepts)


def fraction(interval: str) -> Rule:
    """Accept floats in an interval, and no integers: 1 is a count where 1.0 is a fraction."""
    return Rule(
        f"a float in {interval}",
        lambda value: is_number(value) and not is_integer(value),
        real(interval).accepts,
    )


def one_of(*words: str) -> Rule:
    """Accept one of a few words."""
    return Rule(
        "one of " + ", ".join(map(repr, words)),
        lambda value: isinstance(value, str),
        lambda value: value in words,
        {word: repr(word) for word in words},
    )


def instance_of(kind: type, expected: str) -> Rule:
    """Accept objects of a class, `expected` in words."""

    def hint(value: Any) -> str:
        if isinstance(value, type) and issubclass(value, kind):
            return f": write {value.__name__}(), with parentheses"
        return ""

    return Rule(expected, lambda value: isinstance(value, kind), hint=hint)


def sequence_of(rule: Rule, *, at_least: int = 0) -> Rule:
    """Accept lists, tuples and arrays with one axis whose entries all follow a rule."""
    few = f" of at least {at_least}" if at_least else ""
    return Rule(
        f"a sequence{few}, each entry {rule.expected}",
        lambda value: is_sequence(value) and all(map(rule.admits, value)),
        lambda value: len(value) >= at_least and all(map(rule.accepts, value)),
    )


def range_of(rule: Rule) -> Rule:
    """Accept what follows a rule, or a pair of these in ascending order."""
    ends = sequence_of(rule)
    return rule | Rule(
        "a pair (min, max) of these with min <= max",
        ends.admits,
        lambda value: len(value) == 2 and ends.accepts(value) and value[0] <= value[1],
    )


boolean = Rule("True or False", is_boolean)
none = Rule("None", lambda value: value is None)
any_callable = Rule("a callable", callable)
nonzero_integer = Rule("an integer other than 0", is_integer, lambda value: value != 0)
any_path = Rule("a path", lambda value: isinstance(value, str | os.PathLike))
any_mapping = Rule("a mapping", lambda value: isinstance(value, Mapping))
