"""``python -m experiments``: repeat the experiments of the papers."""

import sys
from importlib.util import find_spec

NEEDED = ("manifoldforest", "rich", "matplotlib")  # the package, and its extras


def main() -> int:
    """Run the command, or say in one line which packages are missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        add = "in the folder of the repository: pip install '.[cli,plot]'"
        print(f"experiments: {', '.join(missing)} is not installed; {add}", file=sys.stderr)
        return 1
    from .command import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
