"""A graph of ONNX operators under construction."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

# The operators of version 20, which runtimes have known since 2023, and those of trees.
OPSET, TREE_DOMAIN, TREE_OPSET = 20, "ai.onnx.ml", 5
IR_VERSION = 10


def require_onnx() -> None:
    """Raise an ImportError unless the package onnx is installed."""
    if importlib.util.find_spec("onnx") is None:
        raise ImportError(
            "to_onnx needs onnx, which is not installed: pip install 'manifoldforest[onnx]'",
            name="onnx",
        )


class Graph:
    """Operators in the order in which they run; names of tensors are chosen here.

    Constants lie in the outermost graph, where all graphs inside of it see them.
    """

    def __init__(self, outer: Graph | None = None) -> None:
        self.nodes: list[Any] = []
        self.outermost: Graph = self if outer is None else outer.outermost
        self.constants: list[Any] = []
        self.n_names = 0
        self.n_bytes = 0  # of constants and trees, which are nearly all of a model
        self._known: dict[tuple[Any, ...], str] = {}

    def new_name(self, word: str) -> str:
        """Return a name that no other tensor has."""
        root = self.outermost
        root.n_names += 1
        return f"{word}_{root.n_names}"

    def constant(self, values: Any, dtype: Any = None, word: str = "constant") -> str:
        """Return the name of a constant; those that are equal are one."""
        from onnx import numpy_helper

        root, array = self.outermost, np.asarray(values, dtype=dtype, order="C")
        content = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
        key = (array.dtype.str, array.shape, hashlib.sha256(content).digest())
        if key not in root._known:
            root._known[key] = self.new_name(word)
            root.constants.append(numpy_helper.from_array(array, root._known[key]))
            root.n_bytes += root.constants[-1].ByteSize()
        return root._known[key]

    def op(self, kind: str, *inputs: str, word: str | None = None, **attributes: Any) -> str:
        """Append an operator with one output, and return the name of that."""
        from onnx import helper

        name = self.new_name(word or kind.lower())
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        if kind == "TreeEnsemble":
            self.outermost.n_bytes += self.nodes[-1].ByteSize()
        return name

    def cast(self, tensor: str, dtype: Any) -> str:
        """Return a tensor with entries of another type."""
        from onnx import helper

        return self.op("Cast", tensor, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def reshape(self, tensor: str, shape: Sequence[int]) -> str:
        """Return a tensor in another shape; 0 keeps an axis, -1 is what is left."""
        return self.op("Reshape", tensor, self.constant(list(shape), np.int64))

    def gather(self, table: str, at: str, axis: int = 0) -> str:
        """Return entries of a table."""
        return self.op("Gather", table, at, axis=axis)

    def slice(self, tensor: str, begin: int, end: int, axis: int) -> str:
        """Return a part of a tensor along one axis."""
        ends = (self.constant([value], np.int64) for value in (begin, end, axis))
        return self.op("Slice", tensor, *ends)

    def sum(self, tensor: str, axis: int, *, keep: bool = False) -> str:
        """Return the sums along one axis."""
        return self.op("ReduceSum", tensor, self.constant([axis], np.int64), keepdims=int(keep))

    def largest(self, tensor: str, axis: int) -> str:
        """Return the largest entries along one axis, which stays."""
        return self.op("ReduceMax", tensor, self.constant([axis], np.int64), keepdims=1)

    def as_inner(self, name: str, inputs: list[Any], outputs: list[Any]) -> Any:
        """Return the graph as an attribute of an operator; its constants lie in the outermost."""
        from onnx import helper

        return helper.make_graph(self.nodes, name, inputs, outputs)


def tensor_info(name: str, dtype: Any, shape: Sequence[int | str | None] | None) -> Any:
    """Return the description of an input or output; an axis that has a name or None is free."""
    from onnx import helper

    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return helper.make_tensor_value_info(name, kind, shape)
