"""Lower halves of faces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._datasets import faces
from .._experiment import Finding, Picture, Setting
from .._results import Results
from ._completion import Completion, CompletionParameters, Problem
from ._drawn_faces import draw_faces
from ._methods import BARYCENTRE, Array, count_wins, listed, paired, smallest

PHOTOGRAPHS, DRAWN = "faces", "drawn faces"
IMAGES_OF_ONE = 10  # images of a person


@dataclass(frozen=True, kw_only=True)
class Faces(Completion):
    """Predict lower halves of faces of people of whom no image was learned from."""

    def problem(self, given: CompletionParameters, seed: int, setting: Setting) -> Problem:
        """Choose people for training and for testing."""
        n_people = (given.n_train + given.n_test) // IMAGES_OF_ONE
        if given.images == PHOTOGRAPHS:
            images, people = faces(setting)
            images = images.astype(np.float64) / 255
        else:
            images, people = draw_faces(n_people, IMAGES_OF_ONE, seed=0)
        order = np.random.default_rng(seed).permutation(n_people)
        train = np.isin(people, order[: given.n_train // IMAGES_OF_ONE])
        test = np.isin(people, order[given.n_train // IMAGES_OF_ONE :])
        _, examples = np.unique(people[test], return_index=True)
        return Problem(images[train], people[train], images[test], people[test], examples[:5])

    def figures(self, results: Results) -> list[Picture]:
        """Completed faces, as Figure 4."""
        caption = (
            "Completed faces of the first repetition (Figure 4 of the paper), one of each of five "
            "test people. Above the line is what was given."
        )
        picture = self.draw(
            results, [*self.methods, BARYCENTRE], columns=5, inches=1.1, caption=caption
        )
        return [] if picture is None else [picture]

    def findings(self, results: Results) -> list[Finding]:
        """Compare with what the paper says of Figure 4."""
        rows, methods = self.main_rows(results), list(self.methods)
        sharp = paired(rows, "sharpness", [*methods, BARYCENTRE])
        seam = paired(rows, "seam", [*methods, BARYCENTRE])
        of_paper = {method: values for method, values in seam.items() if method in methods}
        return [
            *_best_seam(of_paper, rows),
            *_natural_seam(of_paper),
            *_less_blur(sharp),
            *_linear_regression(sharp),
            *_both(sharp, seam),
        ]


def _best_seam(seam: dict[str, Array], rows: Results) -> Iterator[Finding]:
    if {"1NN", "dRF"} <= set(seam):
        yield Finding(
            "dRF has the smoothest transition between the halves",
            f"mean jump at the seam: {listed(seam)} (real faces {rows.mean('real_seam'):.3g}); "
            f"smallest: {smallest(seam)}; dRF below 1NN in "
            f"{count_wins({m: seam[m] for m in ('1NN', 'dRF')}, 'dRF')}",
            "dRF (by eye)",
            smallest(seam) == "dRF",
            "dRF smooths the half of one training image (see D1), where 1NN takes another one.",
        )


def _natural_seam(seam: dict[str, Array]) -> Iterator[Finding]:
    if {"1NN", "RF"} <= set(seam):
        both = {method: seam[method] for method in ("1NN", "RF")}
        yield Finding(
            "Transitions of RF are smoother than those of 1NN",
            f"mean jump at the seam: {listed(both)}; RF smaller in {count_wins(both, 'RF')}",
            "by eye",
            smallest(both) == "RF",
        )


def _less_blur(sharp: dict[str, Array]) -> Iterator[Finding]:
    if {"RF", "dRF"} <= set(sharp):
        both = {method: sharp[method] for method in ("RF", "dRF")}
        yield Finding(
            "RF is blurred, dRF is less so",
            f"gradient energy relative to real faces: {listed(both, '.2f')}; RF less sharp in "
            f"{count_wins(both, 'RF')}",
            "by eye",
            smallest(both) == "RF",
        )


def _linear_regression(sharp: dict[str, Array]) -> Iterator[Finding]:
    if "LR" in sharp:
        energy = float(sharp["LR"].mean())
        yield Finding(
            "Linear regression is extremely blurry",
            f"gradient energy relative to real faces {energy:.2f}",
            "by eye",
            energy < 1,
            "Above 1 is noise, not blur: there are more pixels than training images, and "
            "the paper does not say which of the many solutions it takes.",
        )


def _both(sharp: dict[str, Array], seam: dict[str, Array]) -> Iterator[Finding]:
    if {"1NN", "RF", "dRF", BARYCENTRE} <= set(sharp):
        sharper = {method: sharp[method] for method in ("RF", BARYCENTRE)}
        smoother = {method: seam[method] for method in ("1NN", "dRF", BARYCENTRE)}
        yield Finding(
            "Ours: the weighted mean in the embedding, sharper than RF and smoother than 1NN",
            f"gradient energy: {listed(sharper, '.2f')}, RF less sharp in "
            f"{count_wins(sharper, 'RF')}; jump at the seam: {listed(smoother)}, smallest in "
            f"{count_wins(smoother, BARYCENTRE)}",
            "-",
            None,
            "The two properties that the paper claims for dRF.",
        )
