"""What goes wrong, in one line on standard error."""

from __future__ import annotations

import sys


class CommandError(Exception):
    """What was asked for cannot be done; the message names the reason and says what to do."""


def fail(message: str, status: int) -> int:
    """Write one line to standard error and return the status."""
    print("manifoldforest: " + " ".join(message.split()), file=sys.stderr)
    return status
