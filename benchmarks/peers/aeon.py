"""aeon's interval forest."""

from __future__ import annotations

from typing import Any

from harness.peer import Peer
from harness.task import Forest, Task


class Aeon(Peer):
    """TimeSeriesForestClassifier, where the examples are series."""

    name = "aeon"
    module = "aeon.classification.interval_based"
    distribution = "aeon"
    environment = "aeon"
    requirements = ("aeon==1.6.0",)
    forests = ("MORF",)
    takes_shape = True
    quick = False
    note = (
        "sqrt(time) intervals per tree instead of d per node, with mean, standard deviation and "
        "slope of each"
    )

    def fits(self, task: Task, forest: Forest) -> bool:
        """Take series of one channel or of several."""
        return super().fits(task, forest) and (len(task.shape) == 1 or _is_series(forest))

    def build(self, task: Task, forest: Forest, trees: int, seed: int) -> Any:
        """Return the classifier."""
        from aeon.classification.interval_based import TimeSeriesForestClassifier

        assert forest.patch is not None
        return TimeSeriesForestClassifier(
            n_estimators=trees,
            min_interval_length=max(3, forest.patch.min_size[-1]),
            max_interval_length=forest.patch.max_size[-1],
            n_jobs=1,
            random_state=seed,
        )

    def fit(self, estimator: Any, X: Any, y: Any) -> Any:
        """Fit on floats; it takes (n, channels, times)."""
        return estimator.fit(_as_series(X), y)

    def predict(self, model: Any, X: Any) -> Any:
        """Return the class of every series."""
        return model.predict(_as_series(X))

    def predict_proba(self, model: Any, X: Any) -> Any:
        """Return the probabilities of the classes."""
        return model.predict_proba(_as_series(X))


def _is_series(forest: Forest) -> bool:
    return forest.patch is not None and forest.patch.free_channels


def _as_series(X: Any) -> Any:
    return X.reshape(len(X), -1, X.shape[-1]).astype("float64")


PEER = Aeon()
