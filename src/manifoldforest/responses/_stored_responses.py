"""The space and the training responses in model files of response forests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..io._parameter_codec import Arrays, ParameterCodec
from ..spaces import Space, Wasserstein1D
from ..spaces._names import CLASSES
from ._kernel_space import KernelSpace
from ._training_responses import TrainingResponses

_STORED: dict[str, type[Space]] = {**CLASSES, "KernelSpace": KernelSpace}

# mypy accepts no abstract class as a type
SPACES: ParameterCodec[Space] = ParameterCodec("space", Space, _STORED)  # type: ignore[type-abstract]


def describe_responses(responses: TrainingResponses, arrays: Arrays) -> dict[str, Any]:
    """Return the description of a space; its arrays and the responses are added to `arrays`."""
    config = SPACES.encode(responses.space, arrays)
    arrays["responses"] = np.asarray(responses.values)
    return config


def restored_responses(config: Mapping[str, Any], arrays: Mapping[str, Any]) -> TrainingResponses:
    """Return the responses that were stored, after checking them as if they came from a user.

    They stay as they are, to the last bit, which a check may change.
    """
    space = SPACES.decode(config, arrays)
    stored = np.asarray(arrays["responses"])
    if isinstance(space, Wasserstein1D) and stored.shape[1:] != (space.n_quantiles,):
        raise ValueError("responses do not have the quantiles of their space")
    checked = space.check(stored)
    if checked.dtype != stored.dtype or not np.allclose(checked, stored, rtol=1e-6, atol=1e-9):
        raise ValueError("responses are not in the form of their space")
    return TrainingResponses(space, stored)
