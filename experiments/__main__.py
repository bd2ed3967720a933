"""``python -m experiments``: repeat the experiments of the papers."""

from __future__ import annotations

import sys
from importlib.util import find_spec

# What the command needs, and the extra of manifoldforest that brings it.
NEEDED = {"manifoldforest": "", "typer": "cli", "rich": "cli", "matplotlib": "plot"}


def main() -> int:
    """Run the command, or say in one line which packages are missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        extras = ",".join(dict.fromkeys(filter(None, NEEDED.values())))
        print(
            f"experiments: {', '.join(missing)} is not installed; in the folder of the repository: "
            f"pip install '.[{extras}]'",
            file=sys.stderr,
        )
        return 1
    from ._command import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
