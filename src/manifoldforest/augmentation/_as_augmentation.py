"""What `augment` of an estimator may be, and the streams from which copies are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..io._parameter_codec import ParameterCodec
from ..validation._rules import instance_of, integer, none
from ._shifts import Shifts

AUGMENT = none | integer(1) | instance_of(Shifts, "an object of manifoldforest.augmentation")

AUGMENTATION_CODEC = ParameterCodec("augmentation", Shifts, {"Shifts": Shifts})


def as_augmentation(augment: Any) -> Shifts | None:
    """Return a new object for what was given: a number of cells stands for shifts by as many."""
    if augment is None:
        return None
    if isinstance(augment, Shifts):
        copied: Shifts = clone(augment)
        return copied
    return Shifts(int(augment))


def augment_to_json(given: Any, used: Shifts | None, arrays: dict[str, NDArray[Any]]) -> Any:
    """Return the parameter and what a fit made of it as JSON; None if there is neither."""
    if given is None and used is None:
        return None
    return {"augment": _encoded(given, arrays), "augmentation": _encoded(used, arrays)}


def augment_from_json(
    described: Any, arrays: Mapping[str, NDArray[Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameter and the fitted attribute that :func:`augment_to_json` described."""
    if described is None:
        return {}, {}
    given, used = (_decoded(described[key], arrays) for key in ("augment", "augmentation"))
    return {"augment": given}, {} if used is None else {"augmentation_": used}


def _encoded(augment: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    if isinstance(augment, Shifts):
        return AUGMENTATION_CODEC.encode(augment, arrays)
    return None if augment is None else int(augment)


def _decoded(stored: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    return AUGMENTATION_CODEC.decode(stored, arrays) if isinstance(stored, dict) else stored


def random_of_draw(seed: int, number: int) -> np.random.RandomState:
    """Return the generator of one draw of copies; both numbers are at least 0, below 2**64."""
    words = [word for part in (seed, number) for word in (part % 2**32, part // 2**32)]
    return np.random.RandomState(words)
