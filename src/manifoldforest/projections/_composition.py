"""Projections made of other projections.

Their parts have names, so that a search reaches parameters of parts as
``projection__patches__max_size``, in the manner of scikit-learn's pipelines.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from manifoldforest import _core
from manifoldforest.validation._rules import check_argument, real

from ._base import Projection
from ._random_combinations import Rotation

Self = TypeVar("Self", bound="_Composite")


class _Composite(Projection):
    """Named parts that can be read, tuned and replaced through get_params and set_params."""

    parts: Sequence[Any]
    _part_form: str

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with `deep` also the parts by name and their parameters.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add the parts as ``name`` and their parameters as ``name__parameter``.

        Returns
        -------
        params : dict
            Values by name.

        Examples
        --------
        >>> from manifoldforest.projections import MeanDifference, Sporf
        >>> projection = Sporf(rate=2) + MeanDifference()
        >>> projection.get_params()["sporf__rate"]
        2
        >>> list(projection.get_params(deep=False))
        ['parts']
        """
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            for name, projection in self._readable_parts():
                params.setdefault(name, projection)
                for key, value in projection.get_params(deep=True).items():
                    params[f"{name}__{key}"] = value
        return params

    def set_params(self: Self, **params: Any) -> Self:
        """Set parameters; a part's name replaces the part, ``name__parameter`` changes it.

        Parameters
        ----------
        **params : dict
            New values by name.

        Returns
        -------
        self : Projection
            This object.

        Examples
        --------
        >>> from manifoldforest.projections import MeanDifference, RerF, Sporf
        >>> projection = Sporf() + MeanDifference()
        >>> projection.set_params(sporf__rate=3)
        Sum(parts=[('sporf', Sporf(rate=3)), ('mean_difference', MeanDifference())])
        >>> projection.set_params(sporf=RerF())
        Sum(parts=[('sporf', RerF()), ('mean_difference', MeanDifference())])
        """
        # From the outside in: a new list of parts, then whole parts, then parameters of parts.
        if "parts" in params:
            self.parts = params.pop("parts")
        names = {name for name, _ in self._readable_parts()}
        new = {name: params.pop(name) for name in names & params.keys()}
        if new:
            self.parts = [(part[0], new.get(part[0], part[1]), *part[2:]) for part in self.parts]
        super().set_params(**params)
        return self

    def _readable_parts(self) -> list[tuple[str, Projection]]:
        """Return the parts that are well formed; `_checked_parts` raises for others, at fit."""
        if not isinstance(self.parts, (list, tuple)):
            return []
        return [
            (part[0], part[1])
            for part in self.parts
            if isinstance(part, (list, tuple)) and len(part) >= 2
            if isinstance(part[0], str) and isinstance(part[1], Projection)
        ]

    @property
    def _is_dense(self) -> bool:
        return any(part._is_dense for _, part in self._readable_parts())

    @property
    def _rotates(self) -> bool:
        return any(part._rotates for _, part in self._readable_parts())

    @property
    def _reads_series(self) -> bool:
        parts = self._readable_parts()
        return bool(parts) and all(part._reads_series for _, part in parts)

    def _learned(
        self: Self,
        rows: NDArray[np.generic],
        feature_shape: tuple[int, ...],
        weight: NDArray[np.float64],
    ) -> Self:
        parts = self._checked_parts()
        learned = [part[1]._learned(rows, feature_shape, weight) for part in parts]
        if all(new is part[1] for new, part in zip(learned, parts, strict=True)):
            return self
        copy: Self = clone(self)
        copy.parts = [(part[0], new, *part[2:]) for new, part in zip(learned, parts, strict=True)]
        return copy

    def _bank(self, feature_shape: tuple[int, ...]) -> list[tuple[str, list[int], list[int]]]:
        parts = self._readable_parts()
        of_parts = [part._bank(feature_shape) for _, part in parts]
        without = [name for (name, _), views in zip(parts, of_parts, strict=True) if not views]
        if without and len(without) < len(parts):
            raise ValueError(
                f"{type(self).__name__}.parts must all make cells of series (Intervals, "
                f"DilatedKernels) if one of them does, got {without[0]!r}, which looks at features"
            )
        return [view for views in of_parts for view in views]

    def _columns(
        self, rows: NDArray[Any], feature_shape: tuple[int, ...]
    ) -> list[NDArray[np.float32] | None]:
        return [
            block
            for _, part in self._readable_parts()
            for block in part._columns(rows, feature_shape)
        ]

    def _advice(self, feature_shape: tuple[int, ...]) -> list[str]:
        return [text for _, part in self._readable_parts() for text in part._advice(feature_shape)]

    def _grids(self, feature_shape: tuple[int, ...]) -> list[str]:
        return [text for _, part in self._readable_parts() for text in part._grids(feature_shape)]

    def _checked_parts(self) -> list[Any]:
        """Return the parts, or raise unless all are well formed and their names can be used."""
        name = f"{type(self).__name__}.parts"
        if not isinstance(self.parts, (list, tuple)):
            raise TypeError(f"{name} must be a list of {self._part_form}, got {self.parts!r}")
        if len(self.parts) == 0:
            raise ValueError(f"{name} must have at least one part, got none")
        length = self._part_form.count(",") + 1
        for part in self.parts:
            if (
                not isinstance(part, (list, tuple))
                or len(part) != length
                or not isinstance(part[0], str)
                or not isinstance(part[1], Projection)
            ):
                raise TypeError(f"{name} must be a list of {self._part_form}, got {part!r} in it")
        names = [part[0] for part in self.parts]
        for part_name, count in Counter(names).items():
            if count > 1:
                raise ValueError(
                    f"{name} must have distinct names, got {part_name!r} {count} times"
                )
            if part_name in ("", "parts", "weight") or "__" in part_name:
                raise ValueError(
                    f"{name} must have names that are not empty, not 'parts' or 'weight' and "
                    f"without '__', got {part_name!r}"
                )
        if (count := _count_rotations(self)) > 1:
            # A tree has one rotation, which all parts would share.
            raise ValueError(f"{name} must have at most one Rotation, got {count}")
        return list(self.parts)


class Sum(_Composite):
    """All candidates of several projections together, written ``a + b``.

    With d candidates per node, every random part draws d and every part that is derived from the
    data gives all it has. If one part fills in missing values (:class:`Rotation`,
    :class:`MeanDifference`, :class:`PrincipalAxes`), they are filled in for all.

    Parameters
    ----------
    parts : list of (str, Projection)
        Parts with their names.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from manifoldforest.projections import MeanDifference, Sporf, Sum
    >>> projection = Sporf() + MeanDifference()
    >>> projection == Sum([("sporf", Sporf()), ("mean_difference", MeanDifference())])
    True
    >>> projection
    Sum(parts=[('sporf', Sporf()), ('mean_difference', MeanDifference())])
    >>> forest = mf.ForestClassifier(10, projection=projection)
    >>> forest.set_params(projection__sporf__rate=3).projection.parts[0]
    ('sporf', Sporf(rate=3))
    """

    _part_form = "(name, projection)"

    def __init__(self, parts: Sequence[tuple[str, Projection]]) -> None:
        self.parts = parts

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        parts = self._checked_parts()
        if self._bank(feature_shape):  # cells of all parts are columns of one table
            return _core.axis_sampler(geometry.n_features)
        return _core.sum_sampler([part._build(geometry, feature_shape) for _, part in parts])


class Mixture(_Composite):
    """Candidates drawn from one of several projections, chosen anew for each candidate.

    If one part fills in missing values (:class:`Rotation`, :class:`MeanDifference`,
    :class:`PrincipalAxes`), they are filled in for all.

    Parameters
    ----------
    parts : list of (str, Projection, float)
        Parts with their names and weights, which are at least 0 and not all 0; a part is chosen
        with probability weight / sum of weights. In `get_params` and `set_params` the weight of a
        part is ``name__weight``, as if it were a parameter of the part.

    Examples
    --------
    Patches, and now and then a single feature, as proofs of consistency ask for (Perry 2020):

    >>> import manifoldforest as mf
    >>> from manifoldforest.projections import Axis, Mixture, Patches
    >>> projection = Mixture([("axis", Axis(), 0.1), ("patches", Patches(), 0.9)])
    >>> forest = mf.ForestClassifier(10, projection=projection)
    >>> forest.set_params(projection__patches__max_size=3).projection.parts[1]
    ('patches', Patches(max_size=3), 0.9)
    >>> forest.set_params(projection__patches__weight=0.4).projection.parts[1]
    ('patches', Patches(max_size=3), 0.4)
    """

    _part_form = "(name, projection, weight)"

    def __init__(self, parts: Sequence[tuple[str, Projection, float]]) -> None:
        self.parts = parts

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with `deep` also the parts by name, their parameters and weights.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add the parts as ``name``, their parameters as ``name__parameter`` and
            their weights as ``name__weight``.

        Returns
        -------
        params : dict
            Values by name.

        Examples
        --------
        >>> from manifoldforest.projections import Axis, Mixture, Patches
        >>> projection = Mixture([("axis", Axis(), 0.1), ("patches", Patches(max_size=5), 0.9)])
        >>> params = projection.get_params()
        >>> params["axis__weight"], params["patches__max_size"]
        (0.1, 5)
        """
        params = super().get_params(deep=deep)
        return params | self._weights() if deep else params

    def set_params(self, **params: Any) -> Mixture:
        """Set parameters, those of parts as ``name__parameter``, their weights as ``name__weight``.

        Parameters
        ----------
        **params : dict
            New values by name.

        Returns
        -------
        self : Mixture
            This object.

        Examples
        --------
        >>> from manifoldforest.projections import Axis, Mixture, Patches
        >>> projection = Mixture([("axis", Axis(), 0.1), ("patches", Patches(), 0.9)])
        >>> projection.set_params(axis__weight=0.5, patches__max_size=3).parts
        [('axis', Axis(), 0.5), ('patches', Patches(max_size=3), 0.9)]
        """
        if "parts" in params:
            self.parts = params.pop("parts")
        new = {key: params.pop(key) for key in self._weights().keys() & params.keys()}
        if new:
            self.parts = [
                (*part[:2], new.get(f"{part[0]}__weight", part[2]), *part[3:])
                for part in self.parts
            ]
        return super().set_params(**params)

    def _bank(self, feature_shape: tuple[int, ...]) -> list[tuple[str, list[int], list[int]]]:
        if super()._bank(feature_shape):
            raise ValueError(
                "Mixture.parts must look at features, got parts that make cells of series "
                "(Intervals, DilatedKernels): put them together as a sum, a + b"
            )
        return []

    def _weights(self) -> dict[str, Any]:
        """Return the weights of parts by their nested name, if all parts have one."""
        readable = self._readable_parts()
        if not readable or len(readable) < len(self.parts) or any(len(p) < 3 for p in self.parts):
            return {}
        return {f"{part[0]}__weight": part[2] for part in self.parts}

    def _build(self, geometry: _core.Geometry, feature_shape: tuple[int, ...]) -> _core.Sampler:
        parts = self._checked_parts()
        for name, _, weight in parts:
            check_argument(f"Mixture.parts: the weight of {name!r}", weight, real("[0, inf)"))
        weights = [float(weight) for _, _, weight in parts]
        check_argument("Mixture.parts: the sum of weights", math.fsum(weights), real("(0, inf)"))
        samplers = [part._build(geometry, feature_shape) for _, part, _ in parts]
        return _core.mixture_sampler(samplers, weights)


def _count_rotations(projection: Projection) -> int:
    if isinstance(projection, _Composite):
        return sum(_count_rotations(part) for _, part in projection._readable_parts())
    return int(isinstance(projection, Rotation))


def add(a: Projection, b: Projection) -> Sum:
    """Return the flat sum of two projections, which may be sums themselves.

    Parts are copies: changing one later must not change what it was made from, nor its copy in
    ``a + a``.
    """
    terms: list[tuple[str, Projection]] = []
    for term in (a, b):
        terms += term._checked_parts() if isinstance(term, Sum) else [("", term)]
    stems = [_stem(name, projection) for name, projection in terms]
    names = _distinct(stems)
    return Sum([(name, clone(part)) for name, (_, part) in zip(names, terms, strict=True)])


def _stem(name: str, projection: Projection) -> str:
    """Return the name of a part without the number that an earlier addition gave it."""
    from ._names import name_of

    kind = name_of(projection)
    stem, _, number = name.rpartition("-")
    return kind if name == "" or (stem == kind and number.isdecimal()) else name


def _distinct(stems: list[str]) -> list[str]:
    """Return `stems` with -1, -2, ... appended to those that occur more than once."""
    counts = Counter(stems)
    taken = {stem for stem, count in counts.items() if count == 1}
    names = []
    for stem in stems:
        name, number = stem, 0
        while counts[stem] > 1 and (number == 0 or name in taken):
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        names.append(name)
    return names
