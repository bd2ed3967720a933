"""scikit-learn's diabetes data, 442 rows of 10 floats: what a tree costs by itself counts."""

from __future__ import annotations

from harness.task import Arrays, Forest, Task, split


def data(n_train: int, n_test: int) -> Arrays:
    """Return the rows in their order, which is random; the test rows are the first ones again."""
    import numpy as np
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    X, y = X.astype(np.float32), y.astype(np.float64)
    return split(np.vstack([X, X[:n_test]]), np.concatenate([y, y[:n_test]]), n_train)


TASK = Task(
    name="diabetes",
    about="a number, all features",
    shape=(10,),
    n_train=442,
    n_test=442,
    n_classes=0,
    n_outputs=1,
    trees=100,
    forests=(Forest("RF", 10), Forest("ET", 10)),
    data=data,
    quick=442,
)
