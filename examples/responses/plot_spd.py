"""
Matrices as responses: a field of ellipses
==========================================

A covariance matrix, a diffusion tensor, the stiffness of a material: symmetric
matrices whose eigenvalues are positive. Drawn as ellipses they are easy to
compare. Between a matrix that is long to the east and one that is long to the
north lies, for the ordinary mean, a fat round one, fatter than both. Means in
the space ``SPD`` do not swell.

Here a forest learns a field of such matrices from noisy ones at random places.
"""

import matplotlib.pyplot as plt
import numpy as np

import manifoldforest as mf

N_TREES = 100  # 10 in tests
N_TRAIN = 300  # 60 in tests


def field(places):
    """Return true matrices: long ellipses that turn around the middle."""
    x, z = places.T
    angle = np.arctan2(z, x) + np.pi / 2
    turn = np.stack(
        [np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)], axis=-1
    )
    turn = turn.reshape(-1, 2, 2)
    return turn @ (np.diag([1.0, 0.08]) @ turn.transpose(0, 2, 1))


def noisy(matrices, seed):
    """Return the covariance matrices of 12 points drawn from each."""
    rng = np.random.default_rng(seed)
    roots = np.linalg.cholesky(matrices)
    points = roots @ rng.normal(size=(len(matrices), 2, 12))
    return points @ points.swapaxes(1, 2) / 12


rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(N_TRAIN, 2))
Y = noisy(field(X), 1)

# %%
# Two forests
# -----------
# The first takes matrices as vectors of numbers, the second knows the space.

forests = {
    "as numbers": mf.MetricForestRegressor(
        N_TREES, space="frobenius", random_state=0
    ),
    "SPD": mf.MetricForestRegressor(N_TREES, space="spd", random_state=0),
}
side = np.linspace(-0.9, 0.9, 9)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
predicted = {
    name: forest.fit(X, Y).predict(grid) for name, forest in forests.items()
}

# %%
# The answer
# ----------

truth = field(grid)
panels = mf.plot.responses(truth, predicted, space="spd", positions=grid)
plt.show()

# %%
# Colours are directions of the longest axis. How much do the ellipses swell?
# The area of an ellipse is proportional to the square root of the determinant.

area = np.sqrt(np.linalg.det(truth)).mean()
space = mf.spaces.SPD()
figure, (areas, errors) = plt.subplots(
    1, 2, figsize=(7, 3), layout="constrained"
)
for axes, ylabel in (
    (areas, "mean area, truth = 1"),
    (errors, "mean distance to the truth"),
):
    axes.set(ylabel=ylabel)
for name, color in zip(predicted, ("#5F5F5F", "#D55E00"), strict=True):
    values = predicted[name]
    ratio = np.sqrt(np.linalg.det(values)).mean() / area
    distance = np.mean(
        [space.distance(a, b) for a, b in zip(truth, values, strict=True)]
    )
    areas.bar(name, ratio, color=color)
    errors.bar(name, distance, color=color)
    print(f"{name:11} area {ratio:.2f}, distance {distance:.2f}")
areas.axhline(1, color="0.3", linewidth=1)
plt.show()

# %%
# Both fields look right at first sight. Taken as numbers, ellipses become too
# large near the middle, where directions change. Means in SPD are too small
# instead, as the noise of the training matrices makes their logarithms too
# small on average. They are a little closer to the truth.
