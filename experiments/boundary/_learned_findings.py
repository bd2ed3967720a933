"""What the paper and the slides say of differentiable trees, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from .._experiment import Finding
from .._results import Results
from ._cells import percent
from ._learned_methods import LEARNED, NEAREST, NETWORK, TREE

NEEDS_TORCH = "not run yet; needs torch: pip install manifoldforest[torch]"


@dataclass(frozen=True)
class LearnedFindings:
    """Finished runs; a statement about runs that are missing is left out."""

    results: Results
    published: Mapping[str, float]
    slides: float

    def all(self) -> list[Finding]:
        """Return what is said of errors, and then of the tree and its representation."""
        return [
            self._learned(),
            *self._against_network(),
            *self._small(),
            *self._apart(),
        ]

    @property
    def _digits_only(self) -> bool:
        """Whether data are a stand-in, for which published errors mean nothing."""
        return self.results.preset == "quick"

    def _of(self, method: str) -> Results:
        return self.results.where(method=method)

    def _learned(self) -> Finding:
        rows = self._of(LEARNED)
        claim = "a tree of 1000 samples makes less than 2 % errors on MNIST"
        published = f"{self.published[LEARNED]} % (slides: less than {100 * self.slides:.0f} %)"
        if not len(rows):
            return Finding(claim, "not measured", published, None, NEEDS_TORCH)
        ours = f"{percent(rows)} %; other trees {percent(rows, 'other_trees_error')} %"
        if self._digits_only:
            return Finding("test error of the learned tree, on digits", ours, "-", None)
        note = (
            "noise and epochs were chosen by the test error of one seed. Other trees: built from "
            "other samples in the same representation; they are worse, as the last steps of the "
            "training were taken with the tree that is kept"
        )
        return Finding(claim, ours, published, bool(rows.mean("error") < self.slides), note)

    def _against_network(self) -> Iterator[Finding]:
        learned, network = self._of(LEARNED), self._of(NETWORK)
        if not len(network):
            return
        ours = f"network {percent(network)} %"
        published = "-" if self._digits_only else f"network {self.published[NETWORK]} %"
        if not len(learned):
            yield Finding("error of a plain network", ours, published, None)
            return
        better = bool(learned.mean("error") < network.mean("error"))
        yield Finding(
            "the tree is better than a plain network of the same widths",
            f"tree {percent(learned)} %, {ours}",
            "-" if self._digits_only else f"tree {self.published[LEARNED]} %, {published}",
            None if self._digits_only else better,
            "ours learns as many epochs as the tree, without its noise",
        )

    def _small(self) -> Iterator[Finding]:
        learned, pixels = self._of(LEARNED), self._of(TREE)
        if len(learned) and len(pixels):
            nodes, of_pixels = learned.mean("nodes"), pixels.mean("nodes")
            yield Finding(
                "the learned tree is small and simple",
                f"{nodes:.0f} nodes, of pixels {of_pixels:.0f} (error {percent(pixels)} %)",
                "a few dozen nodes",
                bool(nodes < 60 and nodes < of_pixels),
                "both from the same number of samples",
            )

    def _apart(self) -> Iterator[Finding]:
        shapes = {m: rows.mean("silhouette") for m, rows in self.results.by("method").items()}
        if np.isnan(shapes.get(NETWORK, np.nan)) or np.isnan(shapes.get(LEARNED, np.nan)):
            return
        names = {NEAREST: "pixels", NETWORK: "network", LEARNED: "tree"}
        yield Finding(
            "classes are apart in the t-SNE, more cleanly than for a plain network",
            "silhouette "
            + ", ".join(f"{names[m]} {s:.2f}" for m, s in shapes.items() if not np.isnan(s)),
            "by a picture",
            bool(shapes[LEARNED] > shapes[NETWORK]),
            "of test images; the paper shows training images",
        )
