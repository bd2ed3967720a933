"""Boundary trees of digits: in a learned representation, and in that of pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._datasets import digits, mnist
from .._experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized
from .._results import Results
from ._cells import beside, percent
from ._growth import spread
from ._learned_figures import draw_tree, draw_tsne
from ._learned_findings import NEEDS_TORCH, LearnedFindings
from ._learned_methods import (
    FOREST,
    LEARNED,
    METHODS,
    NEAREST,
    NETWORK,
    TREE,
    Data,
    LearnedSize,
    train_and_test,
)

WHAT = {
    LEARNED: "learned representation, a tree of {n_samples} samples",
    NETWORK: "plain network of the same widths",
    TREE: "pixels, one tree of {n_samples} samples",
    FOREST: "pixels, 50 trees of {n_samples} samples",
    NEAREST: "pixels, {n_samples} samples",
}


@dataclass(frozen=True, kw_only=True)
class LearnedTree(Sized[LearnedSize]):
    """The differentiable tree beside what can be done without learning a representation."""

    published: Mapping[str, float]  # errors in per cent, by method
    slides: float  # the error that the slides say the tree is below

    def runs(self, setting: Setting) -> list[Run]:
        """Return the runs of all methods; the differentiable tree needs torch."""
        size = self.size(setting)
        found = []
        for method in METHODS:
            parameters: dict[str, str | int] = {"method": method, "n_train": size.n_train}
            if method in (LEARNED, NETWORK):
                parameters["n_epochs"] = size.n_epochs
            if method != NETWORK:
                parameters["n_samples"] = size.n_samples
            n_seeds = 1 if method == NETWORK else size.n_seeds  # known well, and slow
            package = "torch" if method == LEARNED else None
            found += [Run(seed, parameters, size.needs, package) for seed in range(n_seeds)]
        return found

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Train, test, and project some test images to the plane."""
        size = self.size(setting)
        data = load_digits(setting, size.n_train)
        return train_and_test(str(run.parameters["method"]), data, size, run.seed)

    # ------------------------------------------------------------------ what it says

    def findings(self, results: Results) -> list[Finding]:
        """Compare errors with the published ones, and what the representation is like."""
        return LearnedFindings(results, self.published, self.slides).all()

    def sheets(self, results: Results) -> list[Sheet]:
        """Errors and sizes of all methods."""
        lines = []
        for method, rows in results.by("method").items():
            published = self.published.get(method) if results.preset == "full" else None
            shape = rows.mean("silhouette")
            lines.append(
                (
                    method,
                    WHAT[method].format(n_samples=rows.rows[0].get("n_samples")),
                    beside(percent(rows), published),
                    percent(rows, "other_trees_error"),
                    spread(rows, "nodes", 0),
                    "-" if np.isnan(shape) else f"{shape:.2f}",
                    f"{rows.mean('train_seconds'):.1f}",
                )
            )
        if not len(results.where(method=LEARNED)):
            missing = f"- ({self.published[LEARNED]})" if results.preset == "full" else "-"
            lines.insert(0, (LEARNED, NEEDS_TORCH, missing, "-", "-", "-", "-"))
        columns = (
            *("method", "with", "test error, %", "other trees, %", "nodes of a tree"),
            *("silhouette of the t-SNE", "CPU s to train"),
        )
        return [Sheet("Errors, ours (published)", columns, tuple(lines))]

    def figures(self, results: Results) -> list[Picture]:
        """Draw the tree (figure 5 of the paper) and the t-SNE (figure 7)."""
        pictures = []
        for method in (LEARNED, TREE):
            kept = [row for row in results.where(method=method) if "images" in row.arrays]
            if kept:
                pictures.append(draw_tree(kept[0]))
        shown = [row for row in results if "tsne" in row.arrays]
        return [*pictures, draw_tsne(shown)] if shown else pictures


def load_digits(setting: Setting, n_train: int) -> Data:
    """Return MNIST, or in quick runs scikit-learn's digits, of which some are to train."""
    if setting.preset == "full":
        X, y, X_test, y_test = mnist(setting)
    else:
        images, labels = digits()
        order = np.random.default_rng(0).permutation(len(images))  # writers come in turn
        images, labels = images[order], labels[order]
        X, X_test = images[:n_train], images[n_train:]
        y, y_test = labels[:n_train], labels[n_train:]
    return Data(_rows(X), y.astype(np.int64), _rows(X_test), y_test.astype(np.int64), X.shape[-1])


def _rows(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return images.reshape(len(images), -1)
