"""D3: completion of faces ([DRF] section 3.2.2, Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..datasets import faces
from ..experiment import Finding, Picture, Setting
from ..registry import DRF
from ..results import Results
from .completion import Cell, Completion, CompletionSize, Problem
from .methods import BARYCENTRE, Array, Forests, Paired

PHOTOGRAPHS, DRAWN = "faces", "drawn faces"
IMAGES_OF_ONE = 10  # images of a person
SIDE = 32  # pixels of a drawn face


def draw_faces(n_people: int, images_of_one: int, *, seed: int) -> tuple[Array, Array]:
    """Return smooth pictures of faces, grey values in [0, 1], and whose they are.

    They stand in for photographs. People differ in their features, of which upper and lower halves
    share the width of the head and the skin; images of one person in place, light and smile.
    """
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(n_people), images_of_one)
    looks = rng.normal(size=(n_people, 7))[people]
    moods = rng.normal(size=(len(people), 4))
    drawn = [_face(look, mood) for look, mood in zip(looks, moods, strict=True)]
    noise = 0.01 * rng.normal(size=(len(people), SIDE, SIDE))
    return np.clip(np.array(drawn) + noise, 0, 1), people


def _face(look: Array, mood: Array) -> Array:
    """Draw one face: features of the person and of the moment, each about standard normal."""
    blob = lambda x, y, width, height: np.exp(-((x / width) ** 2) - (y / height) ** 2)
    edge = lambda distance: 1 / (1 + np.exp(-20 * distance))  # rises smoothly from 0 to 1
    head, eyes, nose, mouth, hair, skin, brows = look
    shift, tilt, light, smile = mood
    y, x = np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j]
    x, y = x - 0.04 * shift, y - 0.04 * tilt
    width = 0.66 + 0.05 * head
    inside = edge(1 - (x / width) ** 2 - (y / 0.92) ** 2)
    picture = 0.15 + inside * (0.5 + 0.06 * skin + 0.1 * light * x)
    picture -= 0.35 * edge(-0.55 + 0.06 * hair - y) * inside
    apart = 0.28 + 0.04 * eyes + 0.2 * (width - 0.66)
    for side in (-apart, apart):
        picture -= 0.4 * blob(x - side, y + 0.2, 0.09, 0.05)
        picture -= 0.2 * blob(x - side, y + 0.36 + 0.02 * brows, 0.14, 0.03)
    picture -= 0.12 * blob(x - 0.05, y - 0.05, 0.04, 0.18 + 0.03 * nose)
    curve = y - 0.5 + 0.3 * smile * x**2 - 0.03 * nose
    picture -= 0.35 * blob(x, curve, 0.2 + 0.03 * mouth + 0.02 * smile, 0.04)
    return np.asarray(picture)


@dataclass(frozen=True, kw_only=True)
class Faces(Completion):
    """Predict lower halves of faces of people of whom no image was learned from."""

    def problem(self, images: str, n_train: int, n_test: int, seed: int, of: Setting) -> Problem:
        """Choose people for training and for testing."""
        n_people = (n_train + n_test) // IMAGES_OF_ONE
        if images == PHOTOGRAPHS:
            pixels, people = faces(of)
            pixels = pixels.astype(np.float64) / 255
        else:
            pixels, people = draw_faces(n_people, IMAGES_OF_ONE, seed=0)
        order = np.random.default_rng(seed).permutation(n_people)
        train = np.isin(people, order[: n_train // IMAGES_OF_ONE])
        test = np.isin(people, order[n_train // IMAGES_OF_ONE :])
        _, examples = np.unique(people[test], return_index=True)
        return Problem(pixels[train], pixels[test], people[train], people[test], examples[:5])

    def figures(self, results: Results) -> list[Picture]:
        """Completed faces, as Figure 4."""
        caption = (
            "Completed faces of the first repetition (Figure 4 of the paper), one of each of five "
            "test people. Above the line is what was given."
        )
        return self.draw(results, columns=5, inches=1.1, caption=caption)

    def findings(self, results: Results) -> list[Finding]:
        """Compare with what the paper says of Figure 4."""
        rows = self.main_rows(results)
        sharp = Paired.of(rows, "sharpness", [*self.methods, BARYCENTRE])
        seam = Paired.of(rows, "seam", [*self.methods, BARYCENTRE])
        paper = seam.only(*(method for method in self.methods if method in seam))
        return list(_claims(sharp, seam, paper, rows.mean("real_seam")))


def _claims(sharp: Paired, seam: Paired, paper: Paired, real_seam: float) -> Iterator[Finding]:
    if {"1NN", "dRF"} <= set(paper):
        wins = paper.only("1NN", "dRF").wins("dRF")
        yield Finding(
            "dRF has the smoothest transition between the halves",
            f"mean jump at the seam: {paper} (real faces {real_seam:.3g}); smallest: "
            f"{paper.smallest}; dRF below 1NN in {wins}",
            "dRF (by eye)",
            paper.smallest == "dRF",
            "dRF smooths the half of one training image (see D1), where 1NN takes another one.",
        )
    if {"1NN", "RF"} <= set(paper):
        both, claim = seam.only("1NN", "RF"), "Transitions of RF are smoother than those of 1NN"
        ours = f"mean jump at the seam: {both}; RF smaller in {both.wins('RF')}"
        yield Finding(claim, ours, "by eye", both.smallest == "RF")
    energy = "gradient energy relative to real faces"
    if {"RF", "dRF"} <= set(sharp):
        both = sharp.only("RF", "dRF")
        ours = f"{energy}: {both:.2f}; RF less sharp in {both.wins('RF')}"
        yield Finding("RF is blurred, dRF is less so", ours, "by eye", both.smallest == "RF")
    if "LR" in sharp:
        ours, agrees = f"{energy} {sharp['LR'].mean():.2f}", float(sharp["LR"].mean()) < 1
        note = (
            "Above 1 is noise, not blur: there are more pixels than training images, and "
            "the paper does not say which of the many solutions it takes."
        )
        yield Finding("Linear regression is extremely blurry", ours, "by eye", agrees, note)
    if {"1NN", "RF", "dRF", BARYCENTRE} <= set(sharp):
        sharper, smoother = sharp.only("RF", BARYCENTRE), seam.only("1NN", "dRF", BARYCENTRE)
        yield Finding(
            "Ours: the weighted mean in the embedding, sharper than RF and smoother than 1NN",
            f"gradient energy: {sharper:.2f}, RF less sharp in {sharper.wins('RF')}; jump at the "
            f"seam: {smoother}, smallest in {smoother.wins(BARYCENTRE)}",
            "-",
            None,
            "The two properties that the paper claims for dRF.",
        )


D3 = Faces(
    id="D3",
    title="Completion of faces",
    paper=DRF,
    source="Figure 4",
    question="Which method predicts the lower half of a face that is sharp and fits the upper "
    "half?",
    stand_in="drawn faces of 32 × 32 pixels in place of the Olivetti faces",
    methods=("1NN", "LR", "RF", "dRF"),
    cells=tuple(Cell(method, "0..1", 5) for method in ("1NN", "LR", "RF", "dRF", BARYCENTRE)),
    columns={
        "mse": "MSE of a pixel",
        "rmse": "RMSE of an image",
        "sharpness": "sharpness",
        "seam": "jump at the seam",
        "seconds": "CPU s",
    },
    units={"0..1": 1.0},
    forests=Forests(8, n_neighbors=5, embedding_dim=25, sigma_g=9, smoothness=50),
    full=CompletionSize(300, 100, 300, 10, images=(PHOTOGRAPHS,), needs="olivetti.npz"),
    quick=CompletionSize(150, 50, n_trees=40, repetitions=2, images=(DRAWN,)),
)
