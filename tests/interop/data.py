"""The estimators, and the same numbers in every package that holds tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import xarray as xr

import manifoldforest as mf

NAMES = ["age", "height", "weight"]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
LABELS = np.array(["no", "yes"])[(X[:, 0] + X[:, 1] > 0).astype(int)]
NUMBERS = X[:, 0] + 0.1 * X[:, 2]

ESTIMATORS = {
    "ForestClassifier": mf.ForestClassifier,
    "ForestRegressor": mf.ForestRegressor,
    "BoostedForestClassifier": mf.BoostedForestClassifier,
    "BoostedForestRegressor": mf.BoostedForestRegressor,
    "MetricForestRegressor": mf.MetricForestRegressor,
    "KernelForestRegressor": mf.KernelForestRegressor,
    "BoundaryForestClassifier": mf.BoundaryForestClassifier,
    "BoundaryForestRegressor": mf.BoundaryForestRegressor,
}
# those that take missing values and weights
FORESTS = [name for name in ESTIMATORS if not name.startswith("Boundary")]
TABLES = ["pandas", "polars", "arrow", "record batch", "xarray"]


def small(name, **params):
    return ESTIMATORS[name](**{"n_estimators": 3, "random_state": 0} | params)


def y_of(name):
    return LABELS if name.endswith("Classifier") else NUMBERS


def as_table(kind, columns, names=NAMES):
    """Return columns, a list of arrays or lists with None, as a table of a package."""
    named = dict(zip(names, columns, strict=True))
    if kind == "pandas":
        return pd.DataFrame(named)
    if kind == "polars":
        return pl.DataFrame(named)
    if kind == "arrow":
        return pa.table(named)
    if kind == "record batch":
        return pa.RecordBatch.from_arrays(list(map(pa.array, columns)), names=names)
    return xr.DataArray(np.stack(columns, 1), dims=("row", "name"), coords={"name": names})
