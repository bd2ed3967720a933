"""Suggestions for an unknown word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any


def did_you_mean(word: Any, choices: Iterable[str] | Mapping[str, str]) -> str:
    """Return ``": did you mean ...?"`` to be added to an error, or nothing.

    Parameters
    ----------
    word : object
        What was written. Capitals, spaces, hyphens and underscores make no difference.
    choices : iterable of str, or mapping of str to str
        The words that are known; or these, and for each of them what to write.

    Returns
    -------
    text : str
        Empty if `word` is not a string or unlike all choices.

    Examples
    --------
    >>> from manifoldforest.validation._suggestions import did_you_mean
    >>> did_you_mean("Log_Euclidean", ["log-euclidean", "affine-invariant"])
    ": did you mean 'log-euclidean'?"
    >>> did_you_mean("manhattan", ["log-euclidean", "affine-invariant"])
    ''
    """
    if not isinstance(word, str):
        return ""
    meant = choices if isinstance(choices, Mapping) else {name: repr(name) for name in choices}
    plain = {_plain(name): text for name, text in meant.items()}
    close = get_close_matches(_plain(word), plain, n=1, cutoff=0.7)
    return f": did you mean {plain[close[0]]}?" if close else ""


def _plain(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalnum())
