"""The figures of the user guide that no other script measures.

    python benchmarks/guide.py [NAMES ...]

Every measurement is named like the page of ``docs/guide`` or ``docs/howto`` that quotes it, uses
data that need no download, and takes seconds to two minutes of one core. Errors are shares of wrong
labels, or 1 - R², with the standard error over training sets.
"""

from __future__ import annotations

from advice import costs, distances, inputs, practice, probabilities
from harness.command_line import script_parser

MEASUREMENTS = {
    **inputs.MEASUREMENTS,
    **distances.MEASUREMENTS,
    **practice.MEASUREMENTS,
    **probabilities.MEASUREMENTS,
    **costs.MEASUREMENTS,
}


def main() -> None:
    """Print the measurements that are named, or all."""
    parser = script_parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAMES", help=", ".join(MEASUREMENTS))
    names = parser.parse_args().names
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown:
        parser.error(f"NAMES must be among {', '.join(MEASUREMENTS)}, got {', '.join(unknown)}")
    for name in names or MEASUREMENTS:
        print(f"--- {name}: {MEASUREMENTS[name].__doc__}")
        MEASUREMENTS[name]()


if __name__ == "__main__":
    main()
