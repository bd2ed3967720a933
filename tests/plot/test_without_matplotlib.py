"""Every function that draws says how to install matplotlib where it is missing."""

import subprocess
import sys

SCRIPT = """
import sys
sys.modules["matplotlib"] = None  # as if it were not installed
import numpy as np
import manifoldforest as mf
from manifoldforest import plot

X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
boundary = mf.BoundaryForestClassifier(2, random_state=0).fit(X, y)
forest = mf.ForestClassifier(2, random_state=0).fit(X, y)
numbers = mf.ForestRegressor(2, random_state=0).fit(X, y)
series = mf.named_forest("QUANT", n_estimators=2, random_state=0).fit(X, y)
matrices, unit = np.stack([np.eye(2)] * 3), np.eye(3)
calls = {
    "importance_map": lambda **p: plot.importance_map([1, 2, 3], **p),
    "shap_map": lambda **p: plot.shap_map(mf.shap_values(numbers, X), **p),
    "time_curves": lambda **p: plot.time_curves(series, **p),
    "view_map": lambda **p: plot.view_map(mf.views.Gradients(), matrices[0], **p),
    "error_curves": lambda **p: plot.error_curves([1, 2], {"RF": [0.1, 0.2]}, **p),
    "class_colors": lambda ax=None: plot.class_colors(2),
    "atoms": lambda **p: plot.atoms(forest, **p),
    "tree": lambda **p: plot.tree(forest, **p),
    "boundary_tree": lambda **p: plot.boundary_tree(boundary, **p),
    "boundary_growth": lambda **p: plot.boundary_growth(boundary, **p),
    "decision_boundary": lambda **p: plot.decision_boundary(boundary, X, resolution=3, **p),
    "error_over_trees": lambda **p: plot.error_over_trees(forest, X, y, **p),
    "calibration": lambda **p: plot.calibration(y, y / 2, **p),
    "confusion_matrix": lambda **p: plot.confusion_matrix(y, y, **p),
    "residuals": lambda **p: plot.residuals(y, y, **p),
    "quantile_band": lambda **p: plot.quantile_band(numbers, X, **p),
    "proximity_embedding": lambda **p: plot.proximity_embedding(forest, X, **p),
    "responses": lambda **p: plot.responses(X, X, **p),
    "images": lambda **p: plot.responses(
        matrices, matrices, known=matrices, cmap="gray", **p
    ),
    "angles": lambda **p: plot.responses(y, y, kind="angles", **p),
    "ring": lambda **p: plot.responses(y, y, kind="ring", **p),
    "sphere": lambda **p: plot.responses(unit, unit, kind="sphere", **p),
    "ellipsoids": lambda **p: plot.responses(matrices, matrices, kind="ellipsoids", **p),
    "ellipsoids with positions": lambda **p: plot.responses(
        matrices, matrices, kind="ellipsoids", positions=X[:3], **p
    ),
}
functions = {name for name in plot.__all__ if callable(getattr(plot, name))}
assert functions - {"method_colors"} <= calls.keys()
assert plot.method_colors(["RF"])
expected = (
    "drawing needs matplotlib, which is not installed: pip install 'manifoldforest[plot]'"
)
for name, call in calls.items():
    for params in ({}, {"ax": object()}):
        try:
            call(**params)
        except ModuleNotFoundError as error:
            assert str(error) == expected, (name, params, error)
        else:
            raise AssertionError((name, params))
"""


def test_the_message_names_the_extra():
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
