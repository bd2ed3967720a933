"""Forests in the format of other programs: ONNX; it needs the extra ``manifoldforest[onnx]``."""

from ._to_onnx import to_onnx

__all__ = ["to_onnx"]
