"""Maps of the sphere: where its points lie on paper, and lines that break at the edge."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._panels import checked

MapName = Literal["mollweide", "orthographic"]

_ARC_STEPS = 64
_BISECTIONS = 48


def frame(view: ArrayLike) -> NDArray[np.float64]:
    """Return the directions right, up and towards a viewer at `view`, as rows.

    The third coordinate axis points upwards; seen along that axis, the second one does.
    """
    toward = checked("view", view, (3,))
    length = np.linalg.norm(toward)
    if length == 0:
        raise ValueError("view must be a direction, got zeros")
    toward = toward / length
    upward = np.array([0.0, 0.0, 1.0])
    if np.linalg.norm(np.cross(upward, toward)) < 1e-6:
        upward = np.array([0.0, 1.0, 0.0])
    right = np.cross(upward, toward)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(toward, right), toward])


class SphereMap:
    """A map whose middle is the direction `view`.

    Parameters
    ----------
    name : {"mollweide", "orthographic"}
        The whole sphere with true areas, or one half as it is seen from afar.
    view : array-like of shape (3,)
        Direction in the middle of the map.
    """

    def __init__(self, name: MapName, view: ArrayLike) -> None:
        self.name = name
        self.half_width = 2.0 if name == "mollweide" else 1.0  # the height is 2
        self._frame = frame(view)

    def __call__(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return places (..., 2) of unit vectors (..., 3)."""
        right, up, toward = np.moveaxis(points @ self._frame.T, -1, 0)
        if self.name == "orthographic":
            return np.stack([right, up], axis=-1)
        theta = _auxiliary_angle(np.clip(up, -1, 1))
        longitude = np.arctan2(right, toward)
        return np.stack([2 / np.pi * longitude * np.cos(theta), np.sin(theta)], axis=-1)

    def in_sight(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which points are not behind the sphere; a Mollweide map shows all."""
        if self.name == "mollweide":
            return np.ones(points.shape[:-1], dtype=bool)
        seen: NDArray[np.bool_] = points @ self._frame[2] >= 0
        return seen

    def pieces(
        self, line: NDArray[np.float64]
    ) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
        """Return the parts of a line on the sphere (k, 3) in sight, and those behind."""
        places, seen = self(line), self.in_sight(line)
        breaks = seen[1:] != seen[:-1]
        if self.name == "mollweide":  # from one end of the map to the other
            breaks |= np.abs(np.diff(places[:, 0])) > self._widest_step(places)
        cuts = np.flatnonzero(breaks) + 1
        parts = np.split(places, cuts)
        in_sight = np.split(seen, cuts)
        near = [part for part, sight in zip(parts, in_sight, strict=True) if sight[0]]
        far = [part for part, sight in zip(parts, in_sight, strict=True) if not sight[0]]
        return near, far

    def _widest_step(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return half of the map's width at the height of each step."""
        height = np.minimum(np.abs(places[1:, 1]), np.abs(places[:-1, 1]))
        width: NDArray[np.float64] = 2.0 * np.sqrt(np.maximum(1 - height**2, 0))
        return width

    def outline(self) -> NDArray[np.float64]:
        """Return the edge of the map."""
        turn = np.linspace(0, 2 * np.pi, 181)
        return np.stack([self.half_width * np.cos(turn), np.sin(turn)], axis=1)


def great_circle(start: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points (k, 3) along the shortest way; between opposite points over any one way."""
    across = end - start * (start @ end)
    length = np.linalg.norm(across)
    angle = np.arctan2(length, start @ end)
    if length < 1e-12:  # the same point, or the opposite one: every way is as short
        across = np.cross(start, np.eye(3)[np.argmin(np.abs(start))])
        length = np.linalg.norm(across)
    along = angle * np.linspace(0, 1, _ARC_STEPS)[:, None]
    arc: NDArray[np.float64] = np.cos(along) * start + np.sin(along) * (across / length)
    return arc


def graticule() -> list[NDArray[np.float64]]:
    """Return parallels every 30 degrees and meridians every 60."""
    turn = np.linspace(-np.pi, np.pi, 181)
    lines = []
    for latitude in np.deg2rad([-60, -30, 0, 30, 60]):
        lines.append(_unit(turn, np.full_like(turn, latitude)))
    for longitude in np.deg2rad([-180, -120, -60, 0, 60, 120]):
        lines.append(_unit(np.full(91, longitude), np.linspace(-np.pi / 2, np.pi / 2, 91)))
    return lines


def _unit(longitude: NDArray[np.float64], latitude: NDArray[np.float64]) -> NDArray[np.float64]:
    flat = np.cos(latitude)
    return np.stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)], axis=-1)


def _auxiliary_angle(height: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve 2 t + sin 2 t = pi sin(latitude) for t, where `height` is sin(latitude).

    By bisection: Newton's steps are slow at the poles, where the derivative is zero.
    """
    low = np.full_like(height, -np.pi / 2)
    high = np.full_like(height, np.pi / 2)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        below = 2 * middle + np.sin(2 * middle) < np.pi * height
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2
