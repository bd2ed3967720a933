"""What the package shows of itself, and what its extras install."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import manifoldforest as mf


def test_the_package_lists_what_it_has():
    assert set(mf.__all__) <= set(dir(mf))
    assert "plot" in dir(mf)
    assert dir(mf) == sorted(dir(mf))
    assert all(hasattr(mf, name) for name in dir(mf))


def test_listing_does_not_import_matplotlib():
    code = (
        "import sys, manifoldforest as mf; "
        "assert 'plot' in dir(mf) and 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_extra_all_is_all():
    distribution = metadata.metadata("manifoldforest")
    for_users = set(distribution.get_all("Provides-Extra")) - {"all", "demo", "test", "lint"}
    (everything,) = [
        requirement
        for requirement in metadata.requires("manifoldforest")
        if re.search(r"extra == .all.", requirement)
    ]
    assert set(re.search(r"\[(.*?)\]", everything)[1].split(",")) == for_users


def test_no_wheel_has_the_stages_that_tests_call():
    root = Path(__file__).parents[1]
    assert re.search(
        r"^option\(MANIFOLDFOREST_TESTING .* OFF\)$", read(root / "CMakeLists.txt"), re.M
    )
    # said once more: CMake remembers ON from a build for tests in the same folder
    said = 'cmake.define.MANIFOLDFOREST_TESTING = "OFF"'
    assert said in read(root / "pyproject.toml").splitlines()


def read(path):
    return path.read_text(encoding="utf-8")
