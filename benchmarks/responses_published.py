"""Repeat the experiments of the dRF paper, with numbers in place of pictures.

The question: are the predictions of distance forests closer to the manifold of the responses, as
Tsagkrasoulis and Montana (Random Forest regression for manifold-valued responses) say?

    python benchmarks/responses_published.py
    python benchmarks/responses_published.py --only swiss_roll,noise --seeds 3
    python benchmarks/responses_published.py --only digits --variants

swiss_roll  600 training and 300 test points, the parameters of section 3.1 (the number of
            dimensions is not printed there; 2). "to roll" is the mean distance of predictions to
            the roll without noise, "RMSE" the error against the noisy test responses, "to truth"
            the same against the responses without noise, "radius" the mean error of the distance
            from the axis of the roll. kNN averages and is the yardstick for all.
noise       "to roll" for other variances of the noise.
digits      Lower halves of 1000 digits, 100 of each class at random (or the first 100:
            digits_first), 800 for training; section 3.2.1. "RMSE" is the mean over images of the
            root mean squared error, in grey values 0..16, to which the column "MSE" of Table 1 is
            closest. "misread" is the share of completed images that the nearest training image
            takes for another digit; "bad", in place of those counted by eye, the share that is
            misread, or more blurred or less smooth between the halves than 95 % of the training
            images; "retrieved" the share of predictions taken from images of another digit.
            "sharpness" is the gradient energy of the lower half relative to real images, "seam"
            the mean jump between the halves. kRF and dRF see grey values in [0, 1] or, as /16, in
            0..16.
faces       Lower halves of the Olivetti faces, 30 people for training and 10 for testing; section
            3.2.2. Grey values in [0, 1].

All forests have leaves of at least --leaf rows, which the paper does not state. "barycentre" is
dRF with the weighted mean in the embedding in place of Algorithm 1, and the default bandwidth.
--variants adds what else dRF could be: the ridge that equation (8) prints, Algorithm 1 in
increasing order, barycentres with the bandwidth of the paper (narrow), responses that are not
centred, affinities of rows in the bag, and medoids; and kRF with the weights of OK3. Faces come
from ``manifoldforest.datasets.load_faces`` (set MANIFOLDFOREST_DATA to the folder of olivetti.npz).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from harness.command_line import add_json, add_n_jobs, add_names, save_line, script_parser
from manifoldforest.datasets import load_faces, make_swiss_roll_responses
from responses import images, methods, report
from responses.methods import BackScoring, Method, Trees
from responses.report import Result
from responses.roll import distance_to_roll, radius_error

Array = NDArray[Any]
Measure = Callable[[Array], dict[str, float]]

NOISE_VARIANCES = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class Settings:
    """What is the same for all experiments of a run."""

    seeds: int
    leaf: int
    variants: bool
    n_jobs: int | None
    json: Path | None


@dataclass(frozen=True)
class Task:
    """One training set, the inputs to predict for, and how predictions are judged."""

    experiment: str
    seed: int
    X_train: Array
    Y_train: Array
    X_test: Array
    truth: Array
    measure: Measure


def run(task: Task, candidates: list[Method], settings: Settings) -> Iterator[Result]:
    """Judge the truth, then what each method predicts, with a progress line for each."""
    yield Result(task.experiment, "(truth)", task.seed, task.measure(task.truth))
    for method in candidates:
        start = time.perf_counter()
        predicted = method.predict(task.X_train, task.Y_train, task.X_test, task.seed)
        result = Result(task.experiment, method.name, task.seed, task.measure(predicted))
        report.progress(
            f"{task.experiment} {task.seed} {method.name}: "
            + ", ".join(f"{name} {value:.4f}" for name, value in result.figures.items())
            + f", {time.perf_counter() - start:.1f} s"
        )
        save_line(settings.json, asdict(result))
        yield result


def variants_of(
    trees: Trees, back: BackScoring, settings: Settings, name: str = "dRF", scale: float = 1.0
) -> list[Method]:
    """Return the distance forest of the paper, its barycentre, and what else it could have been."""
    options: dict[str, dict[str, Any]] = {
        name: {},
        f"{name} barycentre": {"prediction": "barycentre", "bandwidth": None},
    }
    if settings.variants:
        options |= {
            f"{name} eq8": {"ridge": "eq8"},
            f"{name} increasing": {"rule": "increasing"},
            f"{name} narrow": {"prediction": "barycentre"},
            f"{name} uncentred": {"center": False},
            f"{name} inbag": {"affinity": "inbag"},
            f"{name} medoid": {"prediction": "medoid"},
        }
    return [methods.distance_forest(trees, back, n, scale, **o) for n, o in options.items()]


def kernel_variants(
    trees: Trees, sigma: float, settings: Settings, name: str = "kRF", scale: float = 1.0
) -> list[Method]:
    """Return the kernel forest of the paper and, if asked for, that with the weights of OK3."""
    found = [methods.kernel_forest(trees, sigma, name, scale)]
    if settings.variants:
        found.append(methods.kernel_forest(trees, sigma, f"{name} OK3", scale, "weights"))
    return found


# ---------------------------------------------------------------------------------- swiss roll


def roll_task(experiment: str, seed: int, noise_variance: float) -> Task:
    """Draw 900 points; the same integer seed without noise gives their places on the roll."""
    X, Y = make_swiss_roll_responses(noise_variance=noise_variance, random_state=seed)
    _, on_roll = make_swiss_roll_responses(noise_variance=0, random_state=seed)
    order = np.random.default_rng(seed).permutation(len(X))
    train, test = order[:600], order[600:]

    def measure(predicted: Array) -> dict[str, float]:
        return {
            "to roll": float(np.mean(distance_to_roll(predicted))),
            "RMSE": float(np.sqrt(np.mean(np.sum((predicted - Y[test]) ** 2, axis=1)))),
            "to truth": float(np.sqrt(np.mean(np.sum((predicted - on_roll[test]) ** 2, axis=1)))),
            "radius": float(np.mean(radius_error(predicted, on_roll[test]))),
        }

    return Task(experiment, seed, X[train], Y[train], X[test], Y[test], measure)


def roll_methods(settings: Settings) -> list[Method]:
    """Section 3.1."""
    trees = Trees(150, 3, settings.leaf, settings.n_jobs)
    back = BackScoring(n_neighbors=7, embedding_dim=2, bandwidth=100, smoothness=200)
    return [
        methods.nearest(5),
        methods.forest(trees),
        *kernel_variants(trees, 2.5, settings),
        *variants_of(trees, back, settings),
    ]


def swiss_roll(settings: Settings) -> None:
    """Figure 2."""
    candidates = roll_methods(settings)
    results = [
        result
        for seed in range(settings.seeds)
        for result in run(roll_task("swiss roll", seed, 0.5), candidates, settings)
    ]
    report.print_tables(results, wins=["to roll", "to truth"])


def noise(settings: Settings) -> None:
    """Figure 2 for responses with less and with more noise."""
    candidates = roll_methods(settings)
    results = [
        result
        for variance in NOISE_VARIANCES
        for seed in range(settings.seeds)
        for result in run(
            roll_task(f"swiss roll, noise variance {variance}", seed, variance),
            candidates,
            settings,
        )
    ]
    report.print_tables(results, wins=["to roll", "to truth"])


# -------------------------------------------------------------------------------------- digits

PUBLISHED_DIGITS = {
    "1NN": "3.3665, class error 0.165, 40 of 200 bad",
    "RF": "2.7651, 54 of 200 bad",
    "kRF": "3.2675, class error 0.21, 48 of 200 bad",
    "dRF": "3.3287, 37 of 200 bad",
}


def hundred_of_each(digits: Array, rng: np.random.Generator | None) -> Array:
    """Return the rows of 100 images of each class, the first or any."""
    of_class = [np.flatnonzero(digits == digit) for digit in range(10)]
    if rng is None:
        return np.concatenate([rows[:100] for rows in of_class])
    return np.concatenate([rng.choice(rows, 100, replace=False) for rows in of_class])


def digits_task(seed: int, *, first: bool) -> Task:
    """Choose 1000 images and divide them."""
    pictures, classes = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(hundred_of_each(classes, None if first else rng))
    train, test = rows[:800], rows[800:]
    pictures = pictures.reshape(-1, 8, 8)
    upper, lower = images.halves(pictures)

    def measure(predicted: Array) -> dict[str, float]:
        whole = images.completed(upper[test], predicted, 8)
        misread = images.misread(whole, classes[test], pictures[train], classes[train])
        bad = misread | images.suspicious(whole, pictures[train])
        figures = {
            "RMSE": images.rmse(predicted, lower[test]),
            "MSE": images.mse(predicted, lower[test]),
            "bad": float(np.mean(bad)),
            "misread": float(np.mean(misread)),
            "sharpness": images.sharpness(whole, pictures[test]),
            "seam": images.seam(whole),
        }
        found = images.of_other_digits(predicted, classes[test], lower[train], classes[train])
        return figures if found is None else figures | {"retrieved": found}

    name = "digits, first 100 of each" if first else "digits, 100 of each"
    return Task(name, seed, upper[train], lower[train], upper[test], lower[test], measure)


def digits(settings: Settings, *, first: bool = False) -> None:
    """Table 1, for 100 images of each class drawn at random."""
    trees = Trees(300, 5, settings.leaf, settings.n_jobs)
    back = BackScoring(n_neighbors=5, embedding_dim=25, bandwidth=3, smoothness=20)
    candidates = [
        methods.nearest(1),
        methods.forest(trees),
        *kernel_variants(trees, 5, settings, scale=16),
        *kernel_variants(trees, 5, settings, "kRF/16"),
        *variants_of(trees, back, settings, scale=16),
        *variants_of(trees, back, settings, "dRF/16"),
    ]
    results = []
    for seed in range(settings.seeds):
        results += run(digits_task(seed, first=first), candidates, settings)
    report.print_tables(results, wins=["RMSE", "bad", "misread"], published=PUBLISHED_DIGITS)


def digits_first(settings: Settings) -> None:
    """Table 1, for the first 100 images of each class."""
    digits(settings, first=True)


# --------------------------------------------------------------------------------------- faces


def faces_task(seed: int) -> Task:
    """Choose 30 people for training."""
    pictures, people = load_faces()
    pictures = pictures.astype(np.float64) / 255
    known = np.isin(people, np.random.default_rng(seed).permutation(40)[:30])
    upper, lower = images.halves(pictures)

    def measure(predicted: Array) -> dict[str, float]:
        whole = images.completed(upper[~known], predicted, 64)
        return {
            "RMSE": images.rmse(predicted, lower[~known]),
            "MSE": images.mse(predicted, lower[~known]),
            "sharpness": images.sharpness(whole, pictures[~known]),
            "seam": images.seam(whole),
        }

    return Task("faces", seed, upper[known], lower[known], upper[~known], lower[~known], measure)


def faces(settings: Settings) -> None:
    """Figure 4."""
    trees = Trees(300, 8, settings.leaf, settings.n_jobs)
    back = BackScoring(n_neighbors=5, embedding_dim=25, bandwidth=9, smoothness=50)
    candidates = [
        methods.nearest(1),
        methods.linear(),
        methods.forest(trees),
        *variants_of(trees, back, settings),
    ]
    results = []
    for seed in range(settings.seeds):
        results += run(faces_task(seed), candidates, settings)
    report.print_tables(results, wins=["RMSE", "seam"])


EXPERIMENTS: dict[str, Callable[[Settings], None]] = {
    experiment.__name__: experiment
    for experiment in (swiss_roll, noise, digits, digits_first, faces)
}


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = script_parser(__doc__)
    add_names(parser, "--only", EXPERIMENTS, "experiments")
    parser.add_argument("--seeds", type=int, default=10, help="repetitions")
    parser.add_argument("--leaf", type=int, default=5, help="min_samples_leaf of all forests")
    parser.add_argument("--variants", action="store_true", help="dRF with other rules, too")
    add_n_jobs(parser)
    add_json(parser, "results")
    return parser.parse_args()


def main() -> None:
    """Run the experiments."""
    options = parse_options()
    settings = Settings(options.seeds, options.leaf, options.variants, options.n_jobs, options.json)
    for name in options.only:
        EXPERIMENTS[name](settings)


if __name__ == "__main__":
    main()
