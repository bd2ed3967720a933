"""Say what is wrong with the files of a release: the sdist and the wheels of a folder.

A wheel holds the package, its metadata and one module of C++, whose name has the ABI of the wheel;
the module `_testing` is for tests alone. An sdist holds what a build and the tests need, and no
pictures or benchmarks. The description that PyPI shows links to nothing relative. Then
`twine check` and `check-wheel-contents`, which must be installed, have their say.

    python tools/check_dist.py dist
"""

from __future__ import annotations

import fnmatch
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from email import message_from_string
from pathlib import Path

NEEDED_BY_SDIST = (
    *("CITATION.cff", "CMakeLists.txt", "LICENSE", "Makefile", "PKG-INFO", "README.md"),
    *("cpp/bindings/module.cpp", "cpp/core/*/*.hpp", "cpp/core/*/kernels/*.inc"),
    *("cpp/testing/*.cpp", "docs/*.md", "examples/*/*.py", "experiments/*.py", "pyproject.toml"),
    *("src/manifoldforest/__init__.pyi", "src/manifoldforest/py.typed", "tools/install.py"),
    *("tests/conftest.py", "tests/golden/*/*.mf", "tests/oldest.txt"),
)
NOT_IN_SDIST = (
    *(".ci/*", ".git/*", ".github/*", ".venv*", "benchmarks/*", "build/*", "dist/*"),
    *("docs/_build/*", "docs/images/*", "*.so", "*.pyd", "*.npz", "*.npy", "*.csv", "*.pyc"),
)
MOST_BYTES = {".tar.gz": 3_000_000, ".whl": 10_000_000}

NEEDED_BY_WHEEL = (
    *("manifoldforest/__init__.py", "manifoldforest/_core.pyi", "manifoldforest/py.typed"),
    *("*.dist-info/METADATA", "*.dist-info/licenses/LICENSE"),
)
MODULE = re.compile(r"manifoldforest/(_\w+)\.(?:[\w.-]+\.)?(?:so|pyd)")

RELATIVE_LINK = re.compile(r"\]\((?!https?:|#)([^)]*)\)")


def wrong_in_sdist(path: Path) -> list[str]:
    """Return one line for each thing that is wrong with an sdist."""
    with tarfile.open(path) as archive:
        files = [name for name in archive.getnames() if archive.getmember(name).isfile()]
        folder = path.name.removesuffix(".tar.gz")
        info = archive.extractfile(f"{folder}/PKG-INFO")
        metadata = info.read().decode() if info is not None else ""
    names = [name.removeprefix(f"{folder}/") for name in files]
    return [
        *(f"{pattern} is missing" for pattern in NEEDED_BY_SDIST if not _match(names, pattern)),
        *(f"{name} must not be there" for p in NOT_IN_SDIST for name in _match(names, p)),
        *wrong_in_metadata(metadata),
    ]


def wrong_in_wheel(path: Path) -> list[str]:
    """Return one line for each thing that is wrong with a wheel."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        (info,) = _match(names, "*.dist-info/METADATA")
        metadata = archive.read(info).decode()
    modules = {name: found[1] for name in names if (found := MODULE.fullmatch(name))}
    abi, platform = path.stem.split("-")[-2:]
    complaints = [f"{p} is missing" for p in NEEDED_BY_WHEEL if not _match(names, p)]
    complaints += [
        f"{name} must not be there"
        for name in names
        if not re.match(r"manifoldforest(-[^/]+\.dist-info)?/", name)
    ]
    if sorted(modules.values()) != ["_core"]:
        complaints.append(f"the modules must be _core alone, got {sorted(modules)}")
    stable = [name for name in modules if ".abi3." in name]
    if not platform.startswith("win") and bool(stable) != (abi == "abi3"):
        complaints.append(f"the ABI is {abi}, the modules are {sorted(modules)}")
    return complaints + wrong_in_metadata(metadata)


def wrong_in_metadata(text: str) -> list[str]:
    """Return one line for each thing that is wrong with the metadata."""
    message = message_from_string(text)
    description = message.get_payload()
    assert isinstance(description, str)
    complaints = [
        f"the description links to {target}, which is relative"
        for target in RELATIVE_LINK.findall(description)
    ]
    needed = ("Author", "Keywords", "License-Expression", "Project-URL", "Requires-Python")
    complaints += [f"the metadata have no {field}" for field in needed if field not in message]
    return complaints


def _match(names: Sequence[str], pattern: str) -> list[str]:
    return [name for name in names if fnmatch.fnmatchcase(name, pattern)]


def wrong_in(path: Path) -> list[str]:
    """Return one line for each thing that is wrong with an sdist or a wheel."""
    is_wheel = path.suffix == ".whl"
    complaints = wrong_in_wheel(path) if is_wheel else wrong_in_sdist(path)
    most = MOST_BYTES[".whl" if is_wheel else ".tar.gz"]
    if path.stat().st_size > most:
        complaints.append(f"has {path.stat().st_size} bytes, more than {most}")
    return complaints


def main(arguments: Sequence[str]) -> int:
    """Check the files of a folder; the exit status is 1 if something is wrong."""
    (folder,) = arguments
    wheels, sdists = (sorted(Path(folder).glob(kind)) for kind in ("*.whl", "*.tar.gz"))
    if not wheels or len(sdists) != 1:
        print(f"{folder} must have one sdist and a wheel at least", file=sys.stderr)
        return 1
    complaints = [f"{p.name}: {wrong}" for p in (*sdists, *wheels) for wrong in wrong_in(p)]
    print("\n".join(complaints), end="\n" if complaints else "")
    files = [str(path) for path in (*sdists, *wheels)]
    checks = (["twine", "check", "--strict", *files], ["check_wheel_contents", *map(str, wheels)])
    failed = [
        check[0] for check in checks if subprocess.run([sys.executable, "-m", *check]).returncode
    ]
    return 1 if complaints or failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
