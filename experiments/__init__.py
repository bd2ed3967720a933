"""Experiments of the papers, repeated with one command and shown beside the published results."""

from ._reproduce import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
