"""Drawn faces, where photographs are not at hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SIZE = 32  # pixels of a side


def draw_faces(n_people: int, images_of_one: int, *, seed: int) -> tuple[Array, Array]:
    """Return smooth pictures of faces, grey values in [0, 1], and whose they are.

    People differ in the width of the head, the distance of the eyes, the length of the nose, the
    width of the mouth, and in hair and skin; upper and lower halves share the width and the skin.
    Images of one person differ in where the head is, in the light and in the smile.
    """
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(n_people), images_of_one)
    looks = rng.normal(size=(n_people, 7))[people]
    moods = rng.normal(size=(len(people), 4))
    faces = [_face(look, mood) for look, mood in zip(looks, moods, strict=True)]
    noise = 0.01 * rng.normal(size=(len(people), SIZE, SIZE))
    return np.clip(np.array(faces) + noise, 0, 1), people


def _face(look: Array, mood: Array) -> Array:
    """Draw one face: features of the person and of the moment, each about standard normal."""
    head, eyes, nose, mouth, hair, skin, brows = look
    shift, tilt, light, smile = mood
    y, x = np.mgrid[-1 : 1 : SIZE * 1j, -1 : 1 : SIZE * 1j]
    x, y = x - 0.04 * shift, y - 0.04 * tilt
    width = 0.66 + 0.05 * head
    inside = _edge(1 - (x / width) ** 2 - (y / 0.92) ** 2)
    picture = 0.15 + inside * (0.5 + 0.06 * skin + 0.1 * light * x)
    picture -= 0.35 * _edge(-0.55 + 0.06 * hair - y) * inside
    apart = 0.28 + 0.04 * eyes + 0.2 * (width - 0.66)
    for side in (-apart, apart):
        picture -= 0.4 * _blob(x - side, y + 0.2, 0.09, 0.05)
        picture -= 0.2 * _blob(x - side, y + 0.36 + 0.02 * brows, 0.14, 0.03)
    picture -= 0.12 * _blob(x - 0.05, y - 0.05, 0.04, 0.18 + 0.03 * nose)
    curve = y - 0.5 + 0.3 * smile * x**2 - 0.03 * nose
    picture -= 0.35 * _blob(x, curve, 0.2 + 0.03 * mouth + 0.02 * smile, 0.04)
    return np.asarray(picture)


def _blob(x: Array, y: Array, width: float, height: float) -> Array:
    return np.asarray(np.exp(-((x / width) ** 2) - (y / height) ** 2))


def _edge(distance: Array) -> Array:
    """Rise smoothly from 0 to 1 where the distance becomes positive."""
    return np.asarray(1 / (1 + np.exp(-20 * distance)))
