"""Boundary trees and forests as Mathy et al. 2015 describe them, node by node.

Points may be anything that the distance function takes. Labels too: a forest is told when two of
them differ. Distances between rows of bytes are exact here and in the library, so trees agree even
where there are ties. Those between float32 rows may differ by rounding, a relative 1e-5 at most;
as random floats make no ties, the trees still agree.
"""

import functools
from dataclasses import dataclass, field

import numpy as np

import stages

# ---------------------------------------------------------------- distances


def distances(metric, A, B):
    """All distances between rows of A and rows of B, in double precision."""
    A, B = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    return np.array([DISTANCES[metric](a, B) for a in A])


def cosine(a, B):
    norms = np.sqrt(np.sum(a * a) * np.sum(B * B, axis=-1))
    with np.errstate(invalid="ignore"):  # 0 / 0
        cosine = np.sum(a * B, axis=-1) / norms
    both_zero = float(not a.any()) * ~B.any(axis=-1)
    return 1 - np.where(norms == 0, both_zero, cosine)


DISTANCES = {
    "euclidean": lambda a, B: np.sqrt(np.sum((a - B) ** 2, axis=-1)),
    "manhattan": lambda a, B: np.sum(np.abs(a - B), axis=-1),
    "chebyshev": lambda a, B: np.max(np.abs(a - B), axis=-1),
    "cosine": cosine,
    "hamming": lambda a, B: np.mean(a != B, axis=-1),
}


def edit_distance(a, b):
    """Least number of letters to insert, delete or replace."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


# ------------------------------------------------------------------- labels


def classes_differ(a, b):
    return a != b


def values_differ(tolerance):
    """Regression: the Euclidean norm of the difference of all outputs is above the tolerance."""
    return lambda a, b: np.linalg.norm(np.atleast_1d(np.subtract(a, b))) > tolerance


def always_differ(a, b):
    """Retrieval: every point is kept."""
    return True


# -------------------------------------------------------------------- trees


@dataclass
class Node:
    example: int
    children: list = field(default_factory=list)


@dataclass
class Walk:
    """Where a walk ended, at which distance, and all that it measured: [(node, distance)]."""

    node: Node
    distance: float
    measured: list


class BoundaryTree:
    """A tree of examples, which are numbers into the table of points of a forest."""

    def __init__(self, root, max_children):
        self.root = Node(root)
        self.max_children = max_children

    def walk(self, distance_to):
        """Go from the root to the closest child until the node itself is closer than all of them.

        A child is as good as its parent at equal distance, the first of several equal children is
        taken, and a node with max_children children is no place to stay.
        """
        node, distance = self.root, distance_to(self.root.example)
        measured = [(node, distance)]
        while node.children:
            candidates = [(child, distance_to(child.example)) for child in node.children]
            measured += candidates
            closest, least = min(candidates, key=lambda candidate: candidate[1])  # the first
            if len(node.children) < self.max_children and distance < least:
                break
            node, distance = closest, least
        return Walk(node, distance, measured)

    def preorder(self):
        """Examples in preorder, and for each the position of its parent there, -1 for the root."""
        examples, parents = [], []  # without recursion: trees may be deep
        stack = [(self.root, -1)]
        while stack:
            node, parent = stack.pop()
            here = len(examples)
            examples.append(node.example)
            parents.append(parent)
            stack += [(child, here) for child in reversed(node.children)]
        return examples, parents

    def nodes(self):
        nodes = [self.root]
        for node in nodes:
            nodes += node.children
        return nodes

    def depth(self):
        """Number of steps from the root to the deepest node."""
        level, depth = [self.root], -1
        while level:
            level, depth = [child for node in level for child in node.children], depth + 1
        return depth


def tree_of(view, max_children):
    """The tree that a read-only view of the library shows; its arrays must be in preorder."""
    example, parent = view.example.tolist(), view.parent.tolist()
    nodes = [Node(i) for i in example]
    for here, above in enumerate(parent[1:], 1):
        assert 0 <= above < here, "a node must come after its parent"
        nodes[above].children.append(nodes[here])
    tree = BoundaryTree(None, max_children)
    tree.root = nodes[0]
    assert tree.preorder() == (example, parent)
    return tree


def best_first(trees, distance_to, effort):
    """Examples in the order in which a search measures them: at most `effort`.

    It begins at the roots. Then the nearest example that was measured, of equally near ones the
    first, shows its children and its parent in one tree after the other, and so on.
    """
    neighbours = {}
    for tree in trees:
        nodes = tree.nodes()
        parent = {child.example: node.example for node in nodes for child in node.children}
        for node in nodes:
            shown = neighbours.setdefault(node.example, [])
            shown += [child.example for child in node.children]
            shown += [parent[node.example]] if node.example in parent else []
    measured, done = list(dict.fromkeys(tree.root.example for tree in trees))[:effort], set()
    while len(measured) < effort and len(done) < len(measured):
        nearest = min(set(measured) - done, key=lambda i: (distance_to(i), i))
        done.add(nearest)
        measured = list(dict.fromkeys(measured + neighbours[nearest]))[:effort]
    return measured


# ------------------------------------------------------------------ forests


class BoundaryForest:
    """Trees that differ by their roots, and learn one example at a time.

    start_order(tree, m) are the examples 0 to m - 1 without `tree`, pass_order(n_pass, n) the
    numbers 0 to n - 1; by default those of the library for a seed.
    """

    def __init__(
        self, n_trees, max_children, distance, differ, seed=0, start_order=None, pass_order=None
    ):
        self.n_trees = n_trees
        self.max_children = max_children
        self.distance = distance
        self.differ = differ
        self.start_order = start_order or (lambda tree, m: stages.boundary_order(seed, tree, m))
        self.pass_order = pass_order or (lambda p, n: stages.boundary_pass_order(seed, p, n))
        self.points, self.labels, self.trees = [], [], []

    def learn(self, points, labels):
        for point, label in zip(points, labels, strict=True):
            self.points.append(point)
            self.labels.append(label)
            m = len(self.points)
            if m <= self.n_trees:
                self.trees = [self._first_tree(tree, m) for tree in range(m)]
            else:
                for tree in self.trees:
                    self._show(tree, m - 1)
        return self

    def learn_again(self, max_passes):
        """Shuffled passes over all examples after a first one; returns the number of all passes.

        It ends with a pass that adds nothing, which is counted.
        """
        n_passes = 1
        while max_passes is None or n_passes < max_passes:
            order = [int(i) for i in self.pass_order(n_passes, len(self.points))]
            n_passes += 1
            if not any([self._show(tree, i, again=True) for i in order for tree in self.trees]):
                break
        return n_passes

    def _first_tree(self, root, m):
        tree = BoundaryTree(root, self.max_children)
        for example in self.start_order(root, m):
            self._show(tree, int(example))
        return tree

    def _show(self, tree, example, again=False):
        """Add an example to a tree if the walk to it ends at another label; was it added?"""
        label = self.labels[example]
        walk = self.walk(tree, self.points[example])
        if not self.differ(self.labels[walk.node.example], label):
            return False
        if again and walk.distance == 0 and self._met(walk, label):
            return False  # equal points with several labels would be added in every pass
        walk.node.children.append(Node(example))
        return True

    def _met(self, walk, label):
        """Did the walk pass an equal point with that label?"""
        return any(
            distance == 0 and not self.differ(self.labels[node.example], label)
            for node, distance in walk.measured
        )

    def walk(self, tree, point):
        return tree.walk(lambda example: self.distance(self.points[example], point))

    # --------------------------------------------------------------- answers

    def stored(self):
        return sorted({node.example for tree in self.trees for node in tree.nodes()})

    def nearest_on_walks(self, point, k):
        """The k nearest of all measured examples, or of all stored ones if those are too few."""
        walks = [self.walk(tree, point) for tree in self.trees]
        found = {node.example: distance for walk in walks for node, distance in walk.measured}
        if len(found) < k:
            found = {i: self.distance(self.points[i], point) for i in self.stored()}
        nearest = sorted(found, key=lambda example: (found[example], example))[:k]
        return [found[i] for i in nearest], nearest

    def nearest(self, point, k, effort, among=None):
        """The k nearest of as many examples as are measured, or of all if those are too few."""
        distance_to = functools.cache(lambda example: self.distance(self.points[example], point))
        stored = self.stored() if among is None else sorted(among)
        found = stored
        if len(stored) > effort:
            found = [i for i in best_first(self.trees, distance_to, effort) if i in stored]
            if len(found) < k:
                found = stored
        nearest = sorted(found, key=lambda example: (distance_to(example), example))[:k]
        return [distance_to(i) for i in nearest], nearest

    def weights(self, point, power=1.0):
        """Shepard's weights of the examples where walks end: [(example, weight)], one per tree."""
        walks = [self.walk(tree, point) for tree in self.trees]
        if any(walk.distance == 0 for walk in walks):
            weights = [float(walk.distance == 0) for walk in walks]
        else:
            weights = [walk.distance**-power for walk in walks]
        total = sum(weights)
        return [(w.node.example, weight / total) for w, weight in zip(walks, weights, strict=True)]

    def value(self, point, power=1.0):
        """The weighted mean of labels: responses, or shares of classes given as unit vectors."""
        return sum(w * np.asarray(self.labels[i], float) for i, w in self.weights(point, power))

    def shares(self, point, classes, power=1.0):
        weights = self.weights(point, power)
        return np.array([sum(w for i, w in weights if self.labels[i] == c) for c in classes])
