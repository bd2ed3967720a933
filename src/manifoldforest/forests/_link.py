"""Links: what becomes of the sums of the values of leaves.

The trees of most forests are averaged, and their link is the identity. Trees whose values are
scores are added up, and a link makes predictions of the sums; `predict/link.hpp` of the core
defines them, with the same bits on every build.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from .. import _core

# "softmax": as many scores as classes; "logistic": the same, but one score, the log odds of the
# second class, for two classes; "exp": logarithms of what is predicted
Link: TypeAlias = Literal["identity", "softmax", "logistic", "exp"]

LINKS: tuple[Link, ...] = get_args(Link)
_OF_CLASSES = ("softmax", "logistic")


def linked(
    link: Link, scores: NDArray[np.float64], n_classes: Sequence[int]
) -> NDArray[np.float64]:
    """Return what is predicted of scores, rows × scores; outputs lie side by side in both."""
    if link == "identity":
        return scores
    return _core.link_scores(link, np.ascontiguousarray(scores), list(n_classes))


def n_scores(link: Link, n_classes: Sequence[int], n_outputs: int) -> int:
    """Return how many scores a row has; `n_classes` is empty for regression."""
    return _core.n_scores(link, list(n_classes), n_outputs)


def read_link(name: object, n_classes: Sequence[int]) -> Link:
    """Return the link that a model file names, or raise a ValueError."""
    for link in LINKS:
        if name == link and (n_classes or link not in _OF_CLASSES):
            return link
    raise ValueError(f"there is no link {name!r} for such a forest")
