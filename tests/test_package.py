"""What the package shows of itself, and what its extras install."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import manifoldforest as mf

PUBLIC = {*mf.__all__, *mf._SUBMODULES} - {"__version__"}


def test_the_package_lists_what_it_has():
    assert set(mf.__all__) <= set(dir(mf))
    assert "plot" in dir(mf)
    assert dir(mf) == sorted(dir(mf))
    assert all(hasattr(mf, name) for name in dir(mf))


def run(code):
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_importing_and_listing_load_no_other_package():
    run(
        "import sys, manifoldforest as mf; assert 'plot' in dir(mf)\n"
        "packages = {name.partition('.')[0] for name in sys.modules}\n"
        "optional = {'dask', 'distributed', 'matplotlib', 'onnx', 'pandas', 'shap', 'xarray'}\n"
        "loaded = packages & {'numpy', 'scipy', 'sklearn', 'joblib', 'safetensors', *optional}\n"
        "assert not loaded, loaded"
    )


def test_estimators_load_no_optional_package():
    run(
        "import sys, manifoldforest as mf\n"
        "mf.ForestClassifier(2).fit([[0.0], [1.0]], [0, 1]).predict([[0.0]])\n"
        "mf.shap_values, mf.to_onnx, mf.evaluate\n"
        "loaded = {'dask', 'distributed', 'onnx', 'shap', 'xarray'} & sys.modules.keys()\n"
        "assert not loaded, loaded"
    )


def test_names_are_loaded_when_they_are_used():
    run(
        "import sys, manifoldforest as mf; mf.ForestClassifier; mf.datasets.make_bars\n"
        "assert 'sklearn' in sys.modules and 'manifoldforest.boundary' not in sys.modules"
    )


def test_threads_may_use_different_names_first():
    run(
        "import sys, threading, manifoldforest as mf\n"
        "sys.setswitchinterval(1e-5)\n"
        "names = ['plot', 'ForestClassifier', 'boundary', 'spaces', 'load', 'datasets']\n"
        "ready, failed = threading.Barrier(len(names)), []\n"
        "def use(name):\n"
        "    ready.wait()\n"
        "    try:\n"
        "        getattr(mf, name)\n"
        "    except BaseException as error:\n"
        "        failed.append(error)\n"
        "threads = [threading.Thread(target=use, args=(name,)) for name in names]\n"
        "[thread.start() for thread in threads]; [thread.join() for thread in threads]\n"
        "assert not failed, failed"
    )


def test_a_star_import_hides_nothing_of_the_standard_library():
    run("import io; from manifoldforest import *; io.StringIO(); ForestClassifier()")


@pytest.mark.parametrize(
    "name", sorted(name for name in (*dir(mf), "cli") if not name.startswith("_"))
)
def test_every_name_can_be_the_first_that_is_imported(name):
    run(f"from manifoldforest import {name}")


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'manifoldforest' has no attribute 'Forest'"):
        _ = mf.Forest


def test_editors_see_the_names_that_the_package_has():
    stub = ast.parse(read(Path(mf.__file__).with_suffix(".pyi")))
    seen = {}
    for statement in stub.body:
        if isinstance(statement, ast.ImportFrom):
            module = "." + (statement.module or "")
            seen |= {alias.asname: (module, alias.name) for alias in statement.names}
        else:
            assert ast.unparse(statement) == "__version__: str"
    assert set(seen) == PUBLIC
    for name, (module, original) in seen.items():
        if module == ".":
            found = importlib.import_module(f".{original}", "manifoldforest")
        else:
            found = getattr(importlib.import_module(module, "manifoldforest"), original)
        assert found is getattr(mf, name)


def test_the_extra_all_is_all():
    distribution = metadata.metadata("manifoldforest")
    for_users = set(distribution.get_all("Provides-Extra")) - {"all", "demo", "docs", "test"}
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
