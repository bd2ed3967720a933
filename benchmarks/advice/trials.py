"""Means and standard errors over repetitions, and the lines that show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification

Array = NDArray[Any]
# (X, y) of so many examples, drawn with a seed
Generator = Callable[[int, int], tuple[Array, Array]]


class Problem(NamedTuple):
    """Examples to learn from, how many of them, and how many to test on."""

    draw: Generator
    n_train: int
    n_test: int = 2000


def noisy_table(n: int, seed: int, **parameters: object) -> tuple[Array, Array]:
    """Return a table of 20 columns, 5 of which tell the class, with a tenth of wrong labels."""
    settings = {"n_features": 20, "n_informative": 5, "flip_y": 0.2} | parameters
    return make_classification(n, random_state=seed, **settings)


def mean_and_error(values: list[float]) -> str:
    """Return the mean with its standard error, as text."""
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1) / len(values) ** 0.5:.3f}"


def errors_of(problem: Problem, forest: Any, repetitions: int) -> list[float]:
    """Return 1 minus the score (share of wrong labels, 1 - R²) on each of the training sets."""
    errors = []
    for seed in range(repetitions):
        X, y = problem.draw(problem.n_train + problem.n_test, seed)
        forest.set_params(random_state=seed).fit(X[: problem.n_train], y[: problem.n_train])
        errors.append(1 - forest.score(X[problem.n_train :], y[problem.n_train :]))
    return errors


def print_errors(problem: Problem, forests: Mapping[str, Any], repetitions: int = 10) -> None:
    """Print the mean error of each forest, with the standard error over training sets."""
    print(f"n = {problem.n_train}, {repetitions} training sets")
    for name, forest in forests.items():
        print(f"  {name:<42}{mean_and_error(errors_of(problem, forest, repetitions))}")


def print_means(name: str, results: Sequence[Sequence[float]]) -> None:
    """Print the mean of each measure over training sets, one row of `results` for each set."""
    columns = zip(*results, strict=True)
    print(f"  {name:<36}" + "   ".join(mean_and_error(list(column)) for column in columns))
