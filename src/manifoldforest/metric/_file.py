"""What model files hold of forests in metric spaces: the space and the training responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._codec import Arrays, Codec
from ..spaces import Space
from ..spaces._names import CLASSES
from ._kernel_space import KernelSpace
from ._responses import TrainingResponses

_STORED: dict[str, type[Space]] = {**CLASSES, "KernelSpace": KernelSpace}

# mypy takes an abstract class for no type
SPACES: Codec[Space] = Codec("space", Space, _STORED)  # type: ignore[type-abstract]


def responses_out(responses: TrainingResponses, arrays: Arrays) -> dict[str, Any]:
    """Return the description of a space; its arrays and the responses are added to `arrays`."""
    config = SPACES.take_apart(responses.space, arrays)
    arrays["responses"] = np.asarray(responses.values)
    return config


def responses_in(config: Mapping[str, Any], arrays: Mapping[str, Any]) -> TrainingResponses:
    """Return the responses that were stored, checked as if they came from a user."""
    space = SPACES.put_together(config, arrays)
    return TrainingResponses(space, space.check(arrays["responses"]))
