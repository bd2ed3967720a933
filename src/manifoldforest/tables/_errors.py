"""The error of data that cannot be used."""

from __future__ import annotations


class TableError(ValueError):
    """Data are not what they should be; the message names the place and says what to do."""
