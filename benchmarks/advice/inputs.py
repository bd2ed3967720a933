"""What forests that know the geometry of their input gain, and what wrong geometry costs."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import manifoldforest as mf
from manifoldforest.projections import Dictionary, GraphBalls, GraphEdges, Patches
from manifoldforest.views import Difference, FromTransformer, Spectrum

from .trials import Array, Problem, print_errors

TREES = 100


def forest(projection: object, **parameters: object) -> mf.ForestClassifier:
    """Return a forest with this projection."""
    return mf.ForestClassifier(TREES, projection=projection, **parameters)


def digits(n: int, seed: int) -> tuple[Array, Array]:
    """Return scikit-learn's digits in random order."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(X))[:n]
    return X.reshape(-1, 8, 8).astype("uint8")[order], y[order]


def images() -> None:
    """Digits of 8 × 8 pixels: what the recipe for images gains on small images."""
    for n in (50, 200, 1000):
        print_errors(
            Problem(digits, n, 700),
            {
                "axis": forest("axis"),
                "sporf": forest("sporf"),
                "patches, default sizes": forest("patches"),
                "patches of 2 to 4 pixels a side": forest(Patches(min_size=2, max_size=4)),
                'named_forest("image")': mf.named_forest("image"),
            },
            5,
        )


def colour(n: int, seed: int) -> tuple[Array, Array]:
    """Return noise with a patch that is brighter in one of three channels, which is the class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(128, 40, size=(n, 16, 16, 3))
    y = rng.integers(3, size=n)
    for i, (row, column) in enumerate(rng.integers(4, 9, size=(n, 2))):
        X[i, row : row + 4, column : column + 4, y[i]] += 25
    return X.clip(0, 255).astype("uint8"), y


def sensors(n: int, seed: int) -> tuple[Array, Array]:
    """Return six sensors over 60 times: in class 1 sensors 1 and 4 rise together for a while."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6, 60)).astype("float32")
    y = rng.integers(2, size=n)
    X[np.ix_(y == 1, [1, 4], range(20, 35))] += 0.35
    return X, y


def channels() -> None:
    """Colour images and sensors, with the channels said and not said."""
    print("colour images, 16 × 16 × 3")
    print_errors(
        Problem(colour, 300),
        {
            "axis": forest("axis"),
            "patches, channel_axis=None": forest(Patches(max_size=(5, 5, 3), channel_axis=None)),
            "patches, channel_axis=-1": forest(Patches(max_size=5, channel_axis=-1)),
            'named_forest("image")': mf.named_forest("image"),
        },
        5,
    )
    print("sensors, 6 × 60")
    print_errors(
        Problem(sensors, 200),
        {
            "axis": forest("axis"),
            "sporf": forest("sporf"),
            "patches over neighbouring sensors": forest(Patches(max_size=(3, 20))),
            "patches, channel_axis=0": forest(Patches(max_size=20, channel_axis=0)),
            "patches, contiguous=(False, True)": forest(
                Patches(max_size=(3, 20), contiguous=(False, True))
            ),
        },
    )


def tones(n: int, seed: int) -> tuple[Array, Array]:
    """Return noisy waves of one of two frequencies, at any phase."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    phase = rng.uniform(0, 2 * np.pi, size=(n, 1))
    turns = np.arange(128) / 128 * np.where(y, 9, 7)[:, None]
    return (np.cos(2 * np.pi * turns + phase) + rng.normal(0, 2, size=(n, 128))).astype("f4"), y


def steps(n: int, seed: int) -> tuple[Array, Array]:
    """Return series on any level: in class 1 they rise between times 40 and 60."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    ramp = np.clip((np.arange(100) - 40) / 20, 0, 1)
    level = rng.normal(0, 5, size=(n, 1))
    noise = rng.normal(0, 1, size=(n, 100))
    return (level + noise + y[:, None] * ramp).astype("f4"), y


def impulse(n: int, seed: int) -> tuple[Array, Array]:
    """Return the impulse in noise of the MORF paper."""
    return mf.datasets.make_impulse(n, random_state=seed)


def series() -> None:
    """Series: an impulse at a fixed time, waves at any phase, a rise from any level."""
    for name, draw in (("impulse", impulse), ("waves", tones), ("rise", steps)):
        print(name)
        print_errors(
            Problem(draw, 200),
            {
                "axis": forest("axis"),
                "sporf": forest("sporf"),
                "patches": forest(Patches(min_size=2, max_size=20)),
                "patches on Difference()": forest(
                    Patches(min_size=2, max_size=20, view=Difference())
                ),
                "patches on Spectrum()": forest(Patches(max_size=3, view=Spectrum())),
            },
        )


def torus(n: int, seed: int) -> tuple[Array, Array]:
    """Return 12 × 12 noise on a torus: in class 1 the block around its corner is brighter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 12, 12)).astype("f4")
    y = rng.integers(2, size=n)
    block = np.zeros((12, 12), dtype="f4")
    block[:4, :4] = 0.3
    X[y == 1] += np.roll(block, (-2, -2), axis=(0, 1))
    return X, y


def circle(n: int, seed: int) -> tuple[Array, Array]:
    """Return the segments on a circle of the MORF paper."""
    return mf.datasets.make_circle(n, random_state=seed)


def circles() -> None:
    """Segments on a circle, and a block that lies over all four corners of a torus."""
    print("circle, 400 examples of 100 positions")
    print_errors(
        Problem(circle, 400),
        {
            "axis": forest("axis", max_features=50),
            "patches, sizes 3 to 12": forest(Patches(min_size=3, max_size=12), max_features=50),
            "the same, wrap=True": forest(
                Patches(min_size=3, max_size=12, wrap=True), max_features=50
            ),
            "wrap=True, sizes 1 to 5": forest(
                Patches(min_size=1, max_size=5, wrap=True), max_features=50
            ),
            "patches on Spectrum()": forest(Patches(view=Spectrum())),
        },
        5,
    )
    print("torus, 12 × 12")
    print_errors(
        Problem(torus, 200),
        {
            "axis": forest("axis"),
            "patches, sizes 2 to 5": forest(Patches(min_size=2, max_size=5)),
            "the same, wrap=True": forest(Patches(min_size=2, max_size=5, wrap=True)),
        },
    )


def neighbours(p: int, seed: int) -> Array:
    """Return which of p random places in a square are among the four nearest of another."""
    places = np.random.default_rng(seed).uniform(size=(p, 2))
    distance = np.linalg.norm(places[:, None] - places, axis=2)
    return (distance <= np.sort(distance, axis=1)[:, 4:5]) & ~np.eye(p, dtype=bool)


def on_graph(n: int, seed: int) -> tuple[Array, Array]:
    """Return noise on 200 nodes: in class 1 a node and its neighbours are a little larger."""
    rng = np.random.default_rng(seed)
    A = neighbours(200, 0)
    near = (A | A.T)[0]
    near = near | (A | A.T)[near].any(axis=0)
    X = rng.normal(size=(n, 200)).astype("f4")
    y = rng.integers(2, size=n)
    X[y == 1] += 0.35 * near
    return X, y


def edges(n: int, seed: int) -> tuple[Array, Array]:
    """Return symmetric 20 × 20 matrices: in class 1 edges of node 3 are a little stronger."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 20, 20)).astype("f4")
    y = rng.integers(2, size=n)
    X[y == 1, 3] += 0.4
    X = np.triu(X, 1)
    return X + X.transpose(0, 2, 1), y


def graphs() -> None:
    """Values on the nodes of a graph, with its edges and with those of another; whole graphs."""
    A = neighbours(200, 0)
    names = np.random.default_rng(1).permutation(200)
    print("values on 200 nodes")
    print_errors(
        Problem(on_graph, 200),
        {
            "axis": forest("axis"),
            "sporf": forest("sporf"),
            "balls of radius 1 to 3": forest(GraphBalls(A)),
            "balls of radius 1": forest(GraphBalls(A, radius=1)),
            "the same, nodes renamed at random": forest(GraphBalls(A[names][:, names])),
        },
    )
    print("graphs of 20 nodes")
    print_errors(
        Problem(edges, 200),
        {
            "axis": forest("axis"),
            "sporf": forest("sporf"),
            "1 to 3 edges at a node": forest(GraphEdges()),
            "5 to 19 edges at a node": forest(GraphEdges((5, 19))),
        },
    )


def groups(n: int, seed: int) -> tuple[Array, Array]:
    """Return 300 columns in 50 known groups of 6: in class 1 three groups are larger."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 300)).astype("f4")
    y = rng.integers(2, size=n)
    X[y == 1] += 0.3 * (np.arange(300) % 50 < 3)
    return X, y


def group_atoms() -> Array:
    """Return the groups as atoms: column j holds the members of group j."""
    return (np.arange(300)[:, None] % 50 == np.arange(50)).astype("f4")


def flat_digits(n: int, seed: int) -> tuple[Array, Array]:
    """Return digits as rows of a table."""
    X, y = digits(n, seed)
    return X.reshape(len(X), -1), y


def own_geometry() -> None:
    """Known groups of columns as a dictionary; principal components as a view."""
    print("300 columns in 50 groups")
    print_errors(
        Problem(groups, 200),
        {
            "axis": forest("axis"),
            "sporf": forest("sporf"),
            "dictionary of the groups": forest(Dictionary(group_atoms())),
            "dictionary of groups, 50 candidates": forest(
                Dictionary(group_atoms()), max_features=50
            ),
            "dictionary of wrong groups": forest(
                Dictionary(np.random.default_rng(1).permutation(group_atoms()))
            ),
        },
    )
    print("digits, 64 columns")
    components = FromTransformer(PCA(20, random_state=0))
    print_errors(
        Problem(flat_digits, 200, 1000),
        {
            "axis": forest("axis"),
            "sporf": forest("sporf"),
            "single principal components": forest(Patches(view=components, max_size=1)),
        },
        5,
    )


MEASUREMENTS = {f.__name__: f for f in (images, channels, series, circles, graphs, own_geometry)}
