"""What `augment` of an estimator may be, and the streams from which copies are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
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


def random_of_draw(seed: int, number: int) -> np.random.RandomState:
    """Return the generator of one draw of copies; both numbers are at least 0, below 2**64."""
    words = [word for part in (seed, number) for word in (part % 2**32, part // 2**32)]
    return np.random.RandomState(words)
