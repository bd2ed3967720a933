"""Forests for responses in metric spaces, literally as in the papers.

[DRF] is Tsagkrasoulis & Montana, Random Forest regression for manifold-valued responses; OK3 is
Geurts, Wehenkel & d'Alche-Buc, Kernelizing the output of tree-based methods (2006). D are
distances, D2 their squares, G values of a kernel, each for all pairs of training responses.
"""

import numpy as np

from reference.criteria import candidate_splits, first_best

# ------------------------------------------------------------------- splits


def sum_of_squares(D2, weight):
    """SS(S) = 1 / (2 W) sum_ij w_i w_j D2_ij, each term of equation (1) of [DRF]."""
    n = len(D2)
    pairs = sum(weight[i] * weight[j] * D2[i, j] for i in range(n) for j in range(n))
    return pairs / (2 * sum(weight))


def pairwise(D2):
    """Impurity of rows of a node, to be used where criteria.py takes the name of one.

    The responses y that go with it are the numbers of the rows, in a single column.
    """

    def impurity(y, weight):
        rows = y[:, 0]
        return sum_of_squares(D2[np.ix_(rows, rows)], weight) / weight.sum()

    return impurity


def best_split(columns, D2, weight=None, count=None, **limits):
    """Number of the best column of a node and its best split, by trying all thresholds of all.

    columns: one array of values for each candidate, of the rows of the node; limits as in
    criteria.candidate_splits. None if no split has a positive gain.
    """
    rows = np.arange(len(D2))[:, None]
    weight = np.ones(len(D2)) if weight is None else weight
    count = np.ones(len(D2), int) if count is None else count
    best = None
    for number, values in enumerate(columns):
        splits = candidate_splits(values, rows, weight, count, pairwise(D2), **limits)
        split = first_best(splits)
        if split is not None and (best is None or split.gain > best[1].gain):
            best = number, split
    return best


# ---------------------------------------------------------------- Algorithm 1


def algorithm_1(a, D, order="decreasing"):
    """Distances of the new response from affinities a; i = j is left out of the minimum."""
    n = len(D)
    closest = int(np.argmax(a))
    d = {closest: min((D[i, j] for i in range(n) for j in range(n) if i != j), default=0.0)}
    left = [i for i in range(n) if i != closest]
    while left:
        pick = max if order == "decreasing" else min
        p = pick(left, key=lambda i: D[i, closest])
        d[p] = min(max(d[i], D[i, p]) for i in d)
        left.remove(p)
    return np.array([d[i] for i in range(n)])


def barycentre(weights, D2):
    """Squared distances to the weighted mean, if that had a place: sum_j w_j D2_ij - spread."""
    spread = 0.5 * weights @ D2 @ weights
    return D2 @ weights - spread


# ------------------------------------------------------------ the embedding


def centred(D2):
    """K_ij = -1/2 (D2_ij - S_i / n - S_j / n + S / n^2)."""
    n = len(D2)
    S_i, S_j, S = D2.sum(axis=1), D2.sum(axis=0), D2.sum()
    return np.array(
        [
            [-0.5 * (D2[i, j] - S_i[i] / n - S_j[j] / n + S / n**2) for j in range(n)]
            for i in range(n)
        ]
    )


def largest_eigenpairs(K, m):
    values, vectors = np.linalg.eigh(K)
    return values[::-1][:m], vectors[:, ::-1][:, :m]


def embedding(D2, m):
    """z_il = sqrt(lambda_l) u_li, with any signs."""
    values, vectors = largest_eigenpairs(centred(D2), m)
    return np.sqrt(values) * vectors


def k_mds(D2, d2, i):
    """Equation (3) of [DRF]: kernel of the new response, squared distances d2, and response i."""
    N = len(D2)
    return (
        -0.5 * d2[i]
        + 1 / (2 * (N + 1)) * sum(d2[j] for j in range(N))
        + 1 / (2 * (N + 1)) * (sum(D2[j, i] for j in range(N)) + d2[i])
        - 1 / (2 * (N + 1) ** 2) * (D2.sum() + 2 * sum(d2[j] for j in range(N)))
    )


def out_of_sample(D2, d2, m):
    """Equation (2) of [DRF], for the eigenvectors of largest_eigenpairs."""
    values, vectors = largest_eigenpairs(centred(D2), m)
    kernel = [k_mds(D2, d2, i) for i in range(len(D2))]
    return np.array(
        [
            sum(vectors[i, k] * kernel[i] for i in range(len(D2))) / np.sqrt(values[k])
            for k in range(m)
        ]
    )


# -------------------------------------------------------------- back-scoring


def back_score(Z, Y, z, sigma, gamma, ridge=None):
    """Equations (4) to (9) of [DRF] at z, with the matrix of N q rows; ridge: N / gamma if None."""
    N, q = Y.shape

    def k_G(r, v, t, w):  # (4), (9)
        return np.exp(-np.sum((v - w) ** 2) / sigma) if r == t else 0.0

    def g(r, v, w):  # (6)
        return np.array([k_G(r, v, t, w) for t in range(q)])

    K = np.empty((N * q, N * q))
    for r in range(q):
        for i in range(N):
            for t in range(q):
                for j in range(N):
                    K[N * r + i, N * t + j] = k_G(r, Z[i], t, Z[j])
    ridge = N / gamma if ridge is None else ridge
    vec_C = np.linalg.solve(K + ridge * np.eye(N * q), Y.T.ravel())  # (8)
    C = vec_C.reshape(q, N).T
    return sum(C[i, r] * g(r, Z[i], z) for i in range(N) for r in range(q))  # (7)


def back_scoring_objective(Z, Y, C, sigma, gamma):
    """gamma sum |g(z_i) - y_i|^2 + |g|^2 of the function g with the coefficients C."""
    K = np.array([[np.exp(-np.sum((v - w) ** 2) / sigma) for w in Z] for v in Z])
    return gamma * np.sum((K @ C - Y) ** 2) + np.trace(C.T @ K @ C)


# --------------------------------------------------------------- kernels, OK3


def kernel_distances(G):
    """Squared distances between the images of the responses in the space of the kernel."""
    n = len(G)
    return np.array([[G[i, i] + G[j, j] - 2 * G[i, j] for j in range(n)] for i in range(n)])


def kernel_variance(G, rows):
    N = len(rows)
    diagonal = sum(G[i, i] for i in rows) / N
    return diagonal - sum(G[i, j] for i in rows for j in rows) / N**2


def ok3_score(G, left):
    """Reduction of the output variance by a split; left is a mask."""
    everything, left, right = np.arange(len(G)), np.flatnonzero(left), np.flatnonzero(~left)
    N = len(G)
    return (
        kernel_variance(G, everything)
        - len(left) / N * kernel_variance(G, left)
        - len(right) / N * kernel_variance(G, right)
    )


def ok3_pre_image(G, a):
    """Training response y for which g(y, y) - 2 sum_i a_i g(y, y_i) is smallest."""
    n = len(G)
    return min(range(n), key=lambda y: G[y, y] - 2 * sum(a[i] * G[y, i] for i in range(n)))
