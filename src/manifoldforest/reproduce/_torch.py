"""Torch, which is optional: whether it is there, and on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


def torch_available() -> bool:
    """Return whether networks can be trained here."""
    return find_spec("torch") is not None


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Let torch compute on one thread, as all methods do that are timed."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
