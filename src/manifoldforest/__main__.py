"""``python -m manifoldforest`` is the command ``manifoldforest``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
