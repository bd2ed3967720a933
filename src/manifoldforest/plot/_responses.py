"""True and predicted responses of any kind that can be seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from manifoldforest.spaces import SPD, Circle, Euclidean, Isomap, Space, Sphere, as_space
from manifoldforest.validation._rules import boolean, check_argument, none, one_of

from ._angles import draw_angles, draw_ring
from ._completions import draw_images
from ._ellipsoids import draw_ellipsoids
from ._sphere import draw_sphere
from ._vectors import draw_vectors

Kind = Literal["vectors", "images", "angles", "ring", "sphere", "ellipsoids"]

# kind -> what draws it, and the options it has
_KINDS: dict[str, tuple[Callable[..., Any], set[str]]] = {
    "vectors": (draw_vectors, {"plane", "background"}),
    "images": (draw_images, {"known", "side", "shape", "marked", "columns", "cmap"}),
    "angles": (draw_angles, {"period"}),
    "ring": (draw_ring, {"period"}),
    "sphere": (draw_sphere, {"projection", "view"}),
    "ellipsoids": (draw_ellipsoids, {"positions", "view", "columns"}),
}
_KIND_OF_SPACE: dict[type[Space], str] = {
    Euclidean: "vectors",
    Isomap: "vectors",
    Circle: "angles",
    Sphere: "sphere",
    SPD: "ellipsoids",
}


def responses(
    truth: ArrayLike,
    predicted: ArrayLike | Mapping[str, ArrayLike],
    *,
    space: Space | str | None = None,
    kind: Kind | None = None,
    plane: Sequence[int] | None = None,
    background: ArrayLike | None = None,
    known: ArrayLike | None = None,
    side: Literal["below", "above", "right", "left"] | None = None,
    shape: Sequence[int] | None = None,
    marked: Mapping[str, ArrayLike] | None = None,
    cmap: str | None = None,
    period: float | None = None,
    projection: Literal["mollweide", "orthographic"] | None = None,
    view: ArrayLike | None = None,
    positions: ArrayLike | None = None,
    columns: int | None = None,
    legend: bool | None = None,
    ax: Any = None,
) -> Any:
    """Draw true and predicted responses in the way that suits them.

    Parameters
    ----------
    truth : array-like of shape (n, ...)
        True responses.
    predicted : array-like in the shape of truth, or mapping of str to these
        Predictions of one method, or of several by their names.
    space : Space or str, optional
        Where the responses live, as forests for such responses take it; it chooses the kind:
        "vectors" for ``Euclidean`` and ``Isomap``, "angles" for ``Circle``, "sphere" for ``Sphere``
        and "ellipsoids" for ``SPD``.
    kind : str, optional
        The picture, if not the one of the space. Without both, "images" if `known` is given, else
        "vectors".

        * "vectors": points with two or more coordinates; an arrow from each to its prediction.
        * "images": parts of images, completed by the parts that were known; the truth and the
          methods are rows of a grid, examples are columns.
        * "angles": predicted over true angles, where the band holds half of the predictions, and
          below the rose of the errors: their histogram around a circle, in which areas are shares.
        * "ring": lines from true angles on an inner circle to predictions on an outer one.
        * "sphere": unit vectors of three coordinates on a map, with the arcs between them.
        * "ellipsoids": positive definite matrices of two or three rows, coloured by the direction
          of the longest axis, grey if they are round. The half axes are the square roots of the
          eigenvalues.
    plane : (int, int), default=(0, 1)
        Vectors: the two coordinates that are drawn, counted from 0; the labels count from 1.
    background : array-like of shape (m, n_coordinates), optional
        Vectors: points to draw faintly instead of the truth, such as the training responses.
    known : array-like of shape (n, height, width) or (n, n_pixels)
        Images: the parts that the predictions complete.
    side : {"below", "above", "right", "left"}, default="below"
        Images: where the predicted part lies, seen from the known one.
    shape : (height, width), optional
        Images: of a whole one, if parts are flat rows.
    marked : mapping of str to array-like of bool, shape (n,), optional
        Images: by method, which completions to frame, such as bad ones.
    cmap : str, default="gray"
        Images: colours, on the scale of the known and the true parts.
    period : float, optional
        Angles and ring: the full turn; by default that of the space, or 2 pi.
    projection : {"mollweide", "orthographic"}, default="mollweide"
        Sphere: the whole on a map of true areas, or the half that one sees; what is behind is pale.
    view : array-like of shape (3,), optional
        Sphere: the direction in the middle of the map; by default the first axis on a Mollweide
        map and the mean of the truth on an orthographic one. Ellipsoids: where one looks from.
    positions : array-like of shape (n, 2) or (n, 3), optional
        Ellipsoids: where they lie. There is one panel for the truth and one for each method, on
        one scale, by which the largest tenth may reach their neighbours; without, a grid as of
        images, where each example has a scale of its own.
    columns : int, optional
        Images (by default 16) and ellipsoids (10): examples beside each other; more go to another
        group of rows below.
    legend : bool, optional
        Whether to add a legend; by default to new figures, which have room below the panels.
    ax : matplotlib Axes or array of these, optional
        Where to draw, one for each panel; a new figure if not given. Angles: one for each method,
        and then as many polar ones, without which there are no roses.

    Returns
    -------
    ax : matplotlib Axes or ndarray of these
        Images and ellipsoids without positions: one axes. Ellipsoids with positions: an array, the
        truth first. Otherwise an array with one axes for each method if they have names, else one
        axes. Angles with roses: an array of two rows, or of two axes.

    Notes
    -----
    The arrows and the grids are those of Tsagkrasoulis and Montana, "Random forest regression for
    manifold-valued responses", figures 2 to 4. Mean errors in the titles are of Euclidean distance
    in all coordinates, or of the angle.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> X, Y = mf.datasets.make_swiss_roll_responses(random_state=0)
    >>> predicted = KNeighborsRegressor(5).fit(X[:600], Y[:600]).predict(X[600:])
    >>> panels = mf.plot.responses(Y[600:], {"5NN": predicted}, plane=(0, 2))
    >>> [ax.get_title() for ax in panels]
    ['5NN']

    Lower halves of digits that are predicted from upper halves:

    >>> from sklearn.datasets import load_digits
    >>> images = load_digits().images
    >>> upper, lower = images[:, :4].reshape(-1, 32), images[:, 4:].reshape(-1, 32)
    >>> predicted = KNeighborsRegressor(1).fit(upper[:-8], lower[:-8]).predict(upper[-8:])
    >>> ax = mf.plot.responses(lower[-8:], {"1NN": predicted}, known=upper[-8:], shape=(8, 8))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['truth', '1NN']
    """
    check_argument("legend", legend, boolean | none)
    place = None if space is None else as_space(space)
    chosen = _kind(kind, place, known)
    draw, own = _KINDS[chosen]
    options: dict[str, Any] = {
        "plane": plane,
        "background": background,
        "known": known,
        "side": side,
        "shape": shape,
        "marked": marked,
        "cmap": cmap,
        "period": period,
        "projection": projection,
        "view": view,
        "positions": positions,
        "columns": columns,
    }
    if period is None and "period" in own:
        options["period"] = getattr(place, "period", None)
    given = {name: value for name, value in options.items() if value is not None}
    foreign = [name for name in given if name not in own]
    if foreign:
        raise ValueError(
            f"{foreign[0]} is no option of kind={chosen!r}, which has {', '.join(sorted(own))}"
        )
    return draw(truth, predicted, ax, legend=ax is None if legend is None else legend, **given)


def _kind(kind: str | None, space: Space | None, known: ArrayLike | None) -> str:
    check_argument("kind", kind, one_of(*_KINDS) | none)
    if kind is not None:
        return kind
    if known is not None:
        return "images"
    if space is None:
        return "vectors"
    for of_class, of_space in _KIND_OF_SPACE.items():
        if isinstance(space, of_class):
            return of_space
    names = ", ".join(of_class.__name__ for of_class in _KIND_OF_SPACE)
    raise ValueError(
        f"space must be one of {names} to choose a picture, got "
        f"{type(space).__name__}: give kind, one of {', '.join(_KINDS)}"
    )
