"""Packages import only from those below them; what reaches higher is imported when it is called."""

import ast
from pathlib import Path

import manifoldforest

ROOT = Path(manifoldforest.__file__).parent
# From the lowest to the highest. Those of one line do not import each other.
LAYERS = (
    ("_core", "_fitted_state", "_probabilities", "_progress", "_units"),
    ("_described",),
    ("validation",),
    ("io",),
    ("tables",),
    ("views",),
    ("augmentation", "projections", "spaces", "datasets", "boundary"),
    ("inspection",),
    ("forests",),
    ("responses", "boosting"),
    ("evaluation", "explanation", "export", "dask"),
    ("plot",),
    ("report",),
    ("demo",),
    ("cli",),
    ("__main__",),
)
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}


def imported(path):
    """Names of the parts of the package that a module imports when it is imported itself."""
    inside = path.relative_to(ROOT).parts[:-1]
    for node in ast.parse(path.read_text()).body:  # not in functions, not for type checkers
        if not isinstance(node, ast.ImportFrom | ast.Import):
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            above = ["manifoldforest", *inside][: len(inside) + 2 - node.level]
            module = [*(above if node.level else []), *((node.module or "").split("."))]
            names = [".".join([*module, alias.name]).replace("..", ".") for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "manifoldforest":
                yield parts[1]


def test_every_part_of_the_package_has_a_layer():
    parts = {path.stem for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    parts |= {path.stem for path in ROOT.glob("*.py") if path.stem != "__init__"}
    assert parts - {"_core"} == HEIGHT.keys() - {"_core"}


def test_packages_import_only_from_lower_layers():
    for path in ROOT.rglob("*.py"):
        part = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if part == "__init__":
            continue
        for other in imported(path):
            assert other == part or HEIGHT[other] < HEIGHT[part], f"{path} imports {other}"
