"""Parameter objects as JSON and arrays, for model files.

An object is written as its class name and its parameters. Values that JSON does not know are
objects with one key that says what they are: ``{"tuple": [...]}``, ``{"array": key}``,
``{"sparse": key}`` or, for a parameter object, its kind. Arrays go to a dictionary of their own.
Reading makes objects of the classes in tables and nothing else: no file can run code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np
from scipy import sparse

from ..validation._parameter_object import ParameterObject

Arrays = dict[str, np.ndarray]

Kind = TypeVar("Kind", bound=ParameterObject)


class ParameterCodec(Generic[Kind]):
    """Encodes parameter objects of one family for JSON, and decodes them.

    Parameters
    ----------
    kind : str
        What an object of the family is called.
    base : type
        Class of all of them.
    classes : mapping of str to type
        The only classes that may be stored, by name.
    parts : tuple of ParameterCodec
        Codecs of other families whose objects may be among the parameters.
    """

    def __init__(
        self,
        kind: str,
        base: type[Kind],
        classes: Mapping[str, type[Kind]],
        parts: tuple[ParameterCodec[Any], ...] = (),
    ) -> None:
        self.kind = kind
        self.base = base
        self.classes = classes
        self.parts = parts

    def encode(self, value: Kind, arrays: Arrays) -> dict[str, Any]:
        """Return what JSON can hold of an object; its arrays are added to `arrays`."""
        return self._encode_object(value, self.kind, arrays)

    def decode(self, config: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Kind:
        """Return the object that was encoded."""
        try:
            return self._decode_object(config, arrays)
        except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            raise ValueError(f"damaged description of a {self.kind}: {error!r}") from error

    def _encode_object(self, value: Kind, key: str, arrays: Arrays) -> dict[str, Any]:
        name = type(value).__name__
        if self.classes.get(name) is not type(value):
            raise TypeError(
                f"{self.kind} must be one of manifoldforest's own that are not made of code, to be "
                f"stored, got {value!r}"
            )
        params = value.get_params(deep=False)
        return {
            "class": name,
            "params": {
                n: self._encode_value(item, f"{key}.{n}", arrays) for n, item in params.items()
            },
        }

    def _encode_value(self, value: Any, key: str, arrays: Arrays) -> Any:
        """Return `value` for JSON; `key`, its place in the object, names its arrays."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        for codec in (self, *self.parts):
            if isinstance(value, codec.base):
                return {codec.kind: codec._encode_object(value, key, arrays)}
        if isinstance(value, (list, tuple)):
            items = [self._encode_value(item, f"{key}.{i}", arrays) for i, item in enumerate(value)]
            return {"tuple": items} if isinstance(value, tuple) else items
        if sparse.issparse(value):
            columns = sparse.csc_array(value)
            arrays[f"{key}.data"] = columns.data
            arrays[f"{key}.indices"] = columns.indices
            arrays[f"{key}.indptr"] = columns.indptr
            arrays[f"{key}.shape"] = np.array(columns.shape, dtype=np.int64)
            return {"sparse": key}
        if hasattr(value, "__array__"):
            array = np.ascontiguousarray(value)
            if array.dtype.kind in "buif":
                arrays[key] = array
                return {"array": key}
        raise TypeError(f"{key} cannot be stored: got {value!r}")

    def _decode_object(self, config: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Kind:
        found = self.classes.get(config["class"])
        if found is None:
            raise ValueError(f"unknown class of {self.kind}: {config['class']!r}")
        return found(
            **{name: self._decode_value(item, arrays) for name, item in config["params"].items()}
        )

    def _decode_value(self, value: Any, arrays: Mapping[str, np.ndarray]) -> Any:
        if isinstance(value, list):
            return [self._decode_value(item, arrays) for item in value]
        if not isinstance(value, dict):
            return value
        ((tag, content),) = value.items()
        if tag == "tuple":
            return tuple(self._decode_value(item, arrays) for item in content)
        for codec in (self, *self.parts):
            if tag == codec.kind:
                return codec._decode_object(content, arrays)
        if tag == "array":
            return arrays[content]
        if tag == "sparse":
            return _decode_sparse(content, arrays)
        raise ValueError(f"unknown kind of value in the description of a {self.kind}: {tag!r}")


def _decode_sparse(key: str, arrays: Mapping[str, np.ndarray]) -> sparse.csc_array:
    data, indices, indptr, shape = (
        arrays[f"{key}.{part}"] for part in ("data", "indices", "indptr", "shape")
    )
    matrix = sparse.csc_array((data, indices, indptr), shape=tuple(shape.tolist()))
    matrix.check_format(full_check=True)  # indices out of range would be read unchecked later
    return matrix
