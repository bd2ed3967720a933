"""One tree of a flat forest read node by node: routing, summaries, pruning, prediction.

Everything here starts from the arrays that docs/architecture.md lists. `grids` are the shapes and
summed axes of the grids a forest refers to, `dictionary` a dense matrix with one row per atom.
"""

import numpy as np

from reference.criteria import impurity

SPARSE, PATCH, DICTIONARY, ROTATION = range(4)


def split_off(arrays, tree):
    """The arrays of one tree, nodes numbered from 0."""
    start, stop = arrays["tree_offsets"][tree : tree + 2]
    names = ("left", "kind", "threshold", "missing_left", "gain", "weight", "value")
    return {name: arrays[name][start:stop] for name in names}


def direction(arrays, tree, node, n_features, grids=(), dictionary=None):
    """The atom of a split as a dense vector over the features."""
    node = arrays["tree_offsets"][tree] + node
    ints = arrays["atom_ints"][slice(*arrays["atom_offsets"][node : node + 2])].tolist()
    weights = arrays["atom_weights"][slice(*arrays["weight_offsets"][node : node + 2])]
    kind = arrays["atom_kind"][node]
    vector = np.zeros(n_features)
    if kind == SPARSE:
        vector[ints] = weights
    elif kind == PATCH:
        shape, summed = grids[ints.pop(0)]
        cells = []
        for length, is_summed in zip(shape, summed, strict=True):
            first = ints.pop(0)
            if is_summed:
                cells.append([(first + step) % length for step in range(ints.pop(0))])
            else:
                cells.append([ints.pop(0) for _ in range(first)])
        assert not ints
        vector = vector.reshape(shape)
        vector[np.ix_(*cells)] = 1
    elif kind == DICTIONARY:
        vector[:] = dictionary[ints[0]]
    elif kind == ROTATION:
        dims = arrays["rotation_dims"][tree].tolist()
        if ints[0] in dims:
            vector[dims] = arrays["rotations"][tree][:, dims.index(ints[0])]
        else:
            vector[ints[0]] = 1
    return vector.ravel()


def project(X, vector):
    """Values of rows along a direction, NaN where a feature it touches is missing."""
    touched = vector != 0
    return X[:, touched].astype(np.float64) @ vector[touched]


def rows_of_nodes(arrays, tree, X, **geometry):
    """Indices of the rows of X that pass through each node of a tree."""
    flat = split_off(arrays, tree)
    rows = [None] * len(flat["left"])
    rows[0] = np.arange(len(X))
    for node in range(len(rows)):  # parents come before children
        left = flat["left"][node]
        if left == 0:
            continue
        assert left > node
        vector = direction(arrays, tree, node, X.shape[1], **geometry)
        values = project(X[rows[node]], vector)
        goes_left = np.where(
            np.isnan(values), flat["missing_left"][node] != 0, values <= flat["threshold"][node]
        )
        rows[left], rows[left + 1] = rows[node][goes_left], rows[node][~goes_left]
    return rows


def leaves_of_rows(arrays, tree, X, **geometry):
    """The leaf each row of X ends in."""
    leaves = np.full(len(X), -1)
    left = split_off(arrays, tree)["left"]
    for node, rows in enumerate(rows_of_nodes(arrays, tree, X, **geometry)):
        if left[node] == 0:
            leaves[rows] = node
    return leaves


def depths(left):
    """Depth of every node."""
    depth = np.zeros(len(left), int)
    for node, child in enumerate(left):
        if child:
            depth[child] = depth[child + 1] = depth[node] + 1
    return depth


def summary(y, weight, criterion, n_classes):
    """Value of a node: class shares of all outputs side by side, means, or medians."""
    value = []
    for output in range(y.shape[1]):
        column = y[:, output]
        if n_classes:
            shares = [weight[column == k].sum() / weight.sum() for k in range(n_classes[output])]
            value.extend(shares)
        elif criterion in ("squared_error", "poisson"):
            value.append(np.sum(weight * column) / weight.sum())
        else:
            value.append(weighted_median(column, weight))
    return np.array(value)


def weighted_median(y, weight):
    """Middle of the values m at which sum of weight * |y - m| is smallest."""
    candidates = np.unique(y)
    costs = np.array([np.sum(weight * np.abs(y - m)) for m in candidates])
    best = candidates[costs <= costs.min() * (1 + 1e-12)]
    return (best[0] + best[-1]) / 2


def prune_weakest_links(left, risk, alpha):
    """Nodes that become leaves by minimal cost-complexity pruning (Breiman et al. 1984).

    risk[t] is impurity times share of weight. As long as the weakest link, the split with the
    smallest (risk[t] - risk of its leaves) / (leaves - 1), is at most alpha, it is cut.
    """
    left = np.array(left)

    def leaves_below(node):
        if left[node] == 0:
            return [node]
        return leaves_below(left[node]) + leaves_below(left[node] + 1)

    def splits_below(node):
        if left[node] == 0:
            return []
        return [node, *splits_below(left[node]), *splits_below(left[node] + 1)]

    cut = set()
    while splits := splits_below(0):
        link = {}
        for node in splits:
            leaves = leaves_below(node)
            link[node] = (risk[node] - sum(risk[leaf] for leaf in leaves)) / (len(leaves) - 1)
        weakest = min(splits, key=lambda node: link[node])
        if link[weakest] > alpha:
            break
        left[weakest] = 0
        cut.add(weakest)
    return cut


def outline(flat, cut=(), node=0):
    """A tree as nested tuples (threshold, left, right), leaves as None; nodes in cut are leaves."""
    left = flat["left"][node]
    if left == 0 or node in cut:
        return None
    children = (outline(flat, cut, left), outline(flat, cut, left + 1))
    return (float(flat["threshold"][node]), *children)


def node_risk(y, weight, rows, criterion, n_classes, root_weight):
    """Impurity of a node times its share of the root's weight."""
    w = weight[rows]
    return w.sum() / root_weight * impurity(y[rows], w, criterion, n_classes)


def vote(values, n_classes):
    """Leaf values as hard votes: 1 for the first largest share of every output, 0 otherwise."""
    votes = np.zeros_like(values, dtype=np.float64)
    start = 0
    for k in n_classes:
        winner = np.argmax(values[:, start : start + k], axis=1)
        votes[np.arange(len(values)), start + winner] = 1
        start += k
    return votes


def average(values, used, fallback, n_classes=()):
    """Mean over trees of values (trees, rows, V) where used (trees, rows), else the fallback.

    Shares of classes are stored in single precision: those of each output are divided by their sum.
    """
    n_used = used.sum(axis=0)
    mean = np.where(used[:, :, None], values, 0).sum(axis=0) / np.maximum(n_used, 1)[:, None]
    for output in np.split(mean, np.cumsum(n_classes)[:-1], axis=1) if len(n_classes) else []:
        output[n_used > 0] /= output[n_used > 0].sum(axis=1, keepdims=True)  # a view of the mean
    return np.where(n_used[:, None] > 0, mean, fallback)
