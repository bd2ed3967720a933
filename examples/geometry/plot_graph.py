"""
Features on a graph
===================

The features of this example are sensors of a network of roads. When there is a
jam, a crossing and those next to it report a little more traffic than usual;
every single sensor is too noisy to tell. The network is no grid, but it says
which sensors are neighbours, and that is all a forest needs to know.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from scipy.spatial import Delaunay

import manifoldforest as mf

N_TREES = 100  # 10 in tests
N_REPEATS = 4  # 2 in tests
SIZES = (50, 100, 200, 400)  # (30, 60) in tests

# %%
# A network
# ---------
# 120 crossings at random places; roads join those that are close.

rng = np.random.default_rng(3)
places = rng.uniform(size=(120, 2))
triangles = Delaunay(places).simplices
edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]])
lengths = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
edges = edges[lengths < 0.2]
adjacency = np.zeros((120, 120))
adjacency[edges[:, 0], edges[:, 1]] = adjacency[edges[:, 1], edges[:, 0]] = 1

# %%
# In the second class one region is jammed: a crossing in the middle and all
# within two steps.

centre = int(np.argmin(np.linalg.norm(places - (0.62, 0.6), axis=1)))
steps = np.linalg.matrix_power(adjacency + np.eye(120), 2)
jammed = steps[centre] > 0


def make_traffic(n_samples, seed):
    """Return noise, and more traffic in the jam for the second class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    X = rng.normal(size=(n_samples, 120))
    return X + 0.5 * np.outer(y, jammed), y


X_test, y_test = make_traffic(2000, 1000)

# %%
# Three forests
# -------------
# ``GraphBalls`` sums over all sensors within some steps of one of them.

forests = {
    "RF": mf.named_forest("RF", n_estimators=N_TREES),
    "SPORF": mf.named_forest("SPORF", n_estimators=N_TREES),
    "graph balls": mf.ForestClassifier(
        N_TREES, projection=mf.projections.GraphBalls(adjacency, radius=(0, 3))
    ),
}
errors = {name: np.zeros((len(SIZES), N_REPEATS)) for name in forests}
for row, size in enumerate(SIZES):
    for repeat in range(N_REPEATS):
        X, y = make_traffic(size, repeat)
        for name, forest in forests.items():
            forest.set_params(random_state=repeat).fit(X, y)
            errors[name][row, repeat] = 1 - forest.score(X_test, y_test)

# %%
# The answer
# ----------
# On the left is the network, coloured by how often the splits of the third
# forest look at a sensor. Sensors of the jammed region have a ring around
# them.

figure, (network, curves) = plt.subplots(
    1, 2, figsize=(7.6, 3.9), layout="constrained"
)
network.add_collection(
    LineCollection(places[edges], colors="0.75", linewidths=0.8, zorder=0)
)
dots = network.scatter(
    *places.T,
    c=forests["graph balls"].feature_usage_,
    s=60,
    cmap="viridis",
    edgecolors=np.where(jammed, "#D55E00", "none").tolist(),
    linewidths=2.2,
)
figure.colorbar(dots, ax=network, label="use by splits", shrink=0.8)
network.set(xticks=[], yticks=[], aspect="equal", title="where splits look")
mf.plot.error_curves(SIZES, errors, ax=curves)
curves.set_title("test error")
for name in forests:
    print(
        f"{name:12}", *(f"{error:.3f}" for error in errors[name].mean(axis=1))
    )
plt.show()

# %%
# With 50 examples the sums over neighbourhoods are already better than the
# other two forests are with 400. The map shows why: the sensors that splits
# use most lie in the jammed region.
