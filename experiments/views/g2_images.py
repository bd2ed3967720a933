"""G2: images other than MNIST: small digits, faces, both in colour, and bars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from manifoldforest.datasets import make_bars

from ..datasets import Array, Split, digits, faces
from ..experiment import Finding, Setting
from ..registry import BEYOND
from ..results import Results
from .comparison import Comparison, Sizes, Task, difference, not_worse

FACES_FILE = "olivetti.npz"
OURS, OTHERS = ("image", "boosted"), ("MORF", "RF")
BARS_BOUND = 0.12  # at ten training images
N_DIGITS = 400  # training images of the digits


def coloured(images: Array, seed: int) -> Array:
    """Paint every image from one random colour, where it is dark, to another, where it is bright.

    The two are far apart in at least one channel, and no colour tells anything of the class.
    """
    rng = np.random.default_rng([seed, 1])
    dark = rng.integers(0, 256, (len(images), 1, 1, 3))
    bright = (dark + rng.integers(96, 160, dark.shape)) % 256
    share = (images / images.max())[..., None]
    painted: Array = np.rint(dark + (bright - dark) * share).astype(np.uint8)
    return painted


def _digits(seed: int, setting: Setting) -> Split:
    X, y = digits()
    order = np.random.default_rng(seed).permutation(len(X))
    train, test = order[:N_DIGITS], order[1200:]
    return X[train], y[train], X[test], y[test]


def _faces(seed: int, setting: Setting) -> Split:
    """Five images of each person to learn from, five to test on."""
    X, y = faces(setting)
    rng = np.random.default_rng(seed)
    train = np.concatenate([rng.permutation(np.flatnonzero(y == k))[:5] for k in np.unique(y)])
    test = np.setdiff1d(np.arange(len(X)), train)
    return X[train], y[train], X[test], y[test]


def _bars(n_test: int) -> Task:
    def draw(seed: int, setting: Setting) -> Split:
        X, y = make_bars(10, random_state=seed)
        return X, y, *make_bars(n_test, random_state=1000 + seed)

    return Task(draw)


def _in_colour(task: Task) -> Task:
    def draw(seed: int, setting: Setting) -> Split:
        X, y, X_test, y_test = task.draw(seed, setting)
        return coloured(X, 2 * seed), y, coloured(X_test, 2 * seed + 1), y_test

    return Task(draw, task.needs)


DIGITS, FACES = Task(_digits), Task(_faces, FACES_FILE)


def _few(setting: Setting) -> Mapping[str, Task]:
    return {"digits": DIGITS, "digits in colour": _in_colour(DIGITS), "bars": _bars(500)}


def _all(setting: Setting) -> Mapping[str, Task]:
    in_colour = {"faces": FACES, "faces in colour": _in_colour(FACES)}
    return {**_few(setting), "bars": _bars(5000), **in_colour}


@dataclass(frozen=True, kw_only=True)
class _Images(Comparison):
    def findings(self, results: Results) -> list[Finding]:
        findings = []
        for name, rows in results.by("data").items():
            for method in OURS:
                for other in OTHERS:
                    claim = f"{name}: “{method}” is not worse than {other} by more than noise"
                    findings.append(not_worse(claim, difference(rows, method, other)))
        bars = results.where(data="bars", method="image")
        if len(bars):
            error = bars.mean("error")
            claim = f"Bars, n = 10: the recipe for images has an error of at most {BARS_BOUND}"
            findings.append(Finding(claim, f"{error:.3f}", "–", error <= BARS_BOUND))
        return findings


G2 = _Images(
    id="G2",
    title="Other images: digits, faces, colour, bars",
    paper=BEYOND,
    source="our own comparison",
    question="Is the recipe for images, and boosting on them, safe on images that it was not "
    "tuned for?",
    quick=Sizes(_few, (*OURS, *OTHERS), repetitions=2, rounds=30, trees=30),
    full=Sizes(_all, (*OURS, *OTHERS), repetitions=10),
)
