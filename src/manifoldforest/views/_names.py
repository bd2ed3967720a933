"""The classes of views, for model files."""

from __future__ import annotations

from manifoldforest.io._parameter_codec import ParameterCodec

from ._base import View
from ._gradients import Gradients
from ._identity import Identity
from ._series import Difference, Spectrum

_STORABLE: tuple[type[View], ...] = (Identity, Gradients, Difference, Spectrum)

#: All views that a model file may ask for, by class name: those that are not made of code.
CLASSES: dict[str, type[View]] = {kind.__name__: kind for kind in _STORABLE}

# mypy accepts no abstract class as a type
VIEW_CODEC: ParameterCodec[View] = ParameterCodec("view", View, CLASSES)  # type: ignore[type-abstract]
