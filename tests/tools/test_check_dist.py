"""What the check of a release's files finds (tools/check_dist.py)."""

from __future__ import annotations

import importlib.util
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
METADATA = """\
Metadata-Version: 2.4
Name: manifoldforest
Author: The manifoldforest developers
Keywords: forest
License-Expression: BSD-3-Clause
Project-URL: Homepage, https://example.org
Requires-Python: >=3.10

[the guide](https://example.org/guide.md), [below](#below)
"""
FILES_OF_SDIST = (
    *("CITATION.cff", "CMakeLists.txt", "LICENSE", "Makefile", "README.md", "pyproject.toml"),
    *("cpp/bindings/module.cpp", "cpp/core/base/bits.hpp", "cpp/core/split/kernels/body.inc"),
    *("cpp/testing/module.cpp", "docs/start.md", "examples/images/plot.py", "experiments/run.py"),
    *("src/manifoldforest/__init__.pyi", "src/manifoldforest/py.typed", "tools/install.py"),
    *("tests/conftest.py", "tests/golden/format4/a.mf", "tests/oldest.txt"),
)
FILES_OF_WHEEL = (
    *("manifoldforest/__init__.py", "manifoldforest/_core.pyi", "manifoldforest/py.typed"),
    "manifoldforest-0.1.0.dist-info/licenses/LICENSE",
)
STABLE = "manifoldforest-0.1.0-cp312-abi3-linux_x86_64.whl"
ORDINARY = "manifoldforest-0.1.0-cp310-cp310-linux_x86_64.whl"


def _load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = _load("check_dist")


def sdist(folder, files=FILES_OF_SDIST, metadata=METADATA):
    path = folder / "manifoldforest-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("PKG-INFO", *files):
            content = metadata.encode() if name == "PKG-INFO" else b""
            member = tarfile.TarInfo(f"manifoldforest-0.1.0/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def wheel(folder, name, files, metadata=METADATA):
    with zipfile.ZipFile(folder / name, "w") as archive:
        for file in (*FILES_OF_WHEEL, *files):
            archive.writestr(file, "")
        archive.writestr("manifoldforest-0.1.0.dist-info/METADATA", metadata)
    return folder / name


def test_files_that_are_right_pass(tmp_path):
    assert tool.wrong_in(sdist(tmp_path)) == []
    assert tool.wrong_in(wheel(tmp_path, STABLE, ["manifoldforest/_core.abi3.so"])) == []
    module = "manifoldforest/_core.cpython-310-x86_64-linux-gnu.so"
    assert tool.wrong_in(wheel(tmp_path, ORDINARY, [module])) == []
    windows = STABLE.replace("linux_x86_64", "win_amd64")
    assert tool.wrong_in(wheel(tmp_path, windows, ["manifoldforest/_core.pyd"])) == []


@pytest.mark.parametrize("file", FILES_OF_SDIST)
def test_a_file_that_an_sdist_lacks_is_named(tmp_path, file):
    files = [name for name in FILES_OF_SDIST if name != file]
    (complaint,) = tool.wrong_in(sdist(tmp_path, files))
    assert complaint.endswith(" is missing")


@pytest.mark.parametrize(
    "file",
    [
        *("benchmarks/run.py", "docs/images/demo.png", ".github/workflows/tests.yml"),
        *("src/manifoldforest/_core.abi3.so", "tests/data/mnist.npz", "build/CMakeCache.txt"),
    ],
)
def test_a_file_too_many_in_an_sdist_is_named(tmp_path, file):
    path = sdist(tmp_path, (*FILES_OF_SDIST, file))
    assert tool.wrong_in(path) == [f"{file} must not be there"]


@pytest.mark.parametrize(
    ("name", "files", "complaint"),
    [
        (STABLE, [], "the modules must be _core alone"),
        (
            STABLE,
            ["manifoldforest/_core.abi3.so", "manifoldforest/_testing.abi3.so"],
            "the modules must be _core alone",
        ),
        (ORDINARY, ["manifoldforest/_core.abi3.so"], "the ABI is cp310"),
        (STABLE, ["manifoldforest/_core.cpython-312-x86_64-linux-gnu.so"], "the ABI is abi3"),
        (STABLE, ["manifoldforest/_core.abi3.so", "tests/conftest.py"], "tests/conftest.py must"),
    ],
)
def test_a_module_or_file_that_a_wheel_must_not_have_is_named(tmp_path, name, files, complaint):
    assert tool.wrong_in(wheel(tmp_path, name, files))[0].startswith(complaint)


def test_relative_links_and_missing_fields_of_the_metadata_are_named(tmp_path):
    metadata = METADATA.replace("Keywords: forest\n", "") + "![demo](docs/images/demo.png)\n"
    complaints = tool.wrong_in(sdist(tmp_path, metadata=metadata))
    assert complaints == [
        "the description links to docs/images/demo.png, which is relative",
        "the metadata have no Keywords",
    ]


def test_a_folder_without_sdist_or_wheel_is_refused(tmp_path, capsys):
    sdist(tmp_path)
    assert tool.main([str(tmp_path)]) == 1
    assert "must have one sdist and a wheel" in capsys.readouterr().err


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib is new in Python 3.11")
def test_the_description_on_pypi_has_no_relative_links():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert tool.RELATIVE_LINK.search(text)
    for rule in project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    assert not tool.RELATIVE_LINK.search(text)
    picture = "https://raw.githubusercontent.com/manifoldforest/manifoldforest/v$HFPR_VERSION/docs"
    assert f"]({picture}/images/demo.png)" in text


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib is new in Python 3.11")
def test_the_citation_has_the_version_of_the_package():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation
