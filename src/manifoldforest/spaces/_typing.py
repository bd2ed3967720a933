"""Type aliases."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

#: Responses as :meth:`Space.check` returns them: an array with one response along its first axis,
#: or a list of objects.
Responses: TypeAlias = Any
