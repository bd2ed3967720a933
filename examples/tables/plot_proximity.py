"""
A map of a table: which rows are alike?
=======================================

Two rows are alike, for a forest, if many trees put them into the same leaf.
This *proximity* needs no scaling of columns and ignores columns that do not
matter. Here it draws a map of 178 wines from three growers, and finds wines
that do not look like their own grower's.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA

import manifoldforest as mf

N_TREES = 300  # 20 in tests

wine = load_wine()
X, y = wine.data, wine.target

# %%
# Proximity
# ---------
# Entry (i, j) is the share of trees in which rows i and j share a leaf. Small
# leaves would make all rows lonely, so leaves hold at least 5.

forest = mf.named_forest(
    "table", n_estimators=N_TREES, min_samples_leaf=5, random_state=0
)
proximity = forest.fit(X, y).proximity(X).toarray()
print(f"two wines of grower 1: {proximity[y == 0][:, y == 0].mean():.2f}")
print(f"of growers 1 and 2:    {proximity[y == 0][:, y == 1].mean():.2f}")

# %%
# A map
# -----
# Classical scaling finds places in the plane whose distances are as close as
# possible to the square roots of 1 - proximity. Beside it are the first two
# principal components of the table itself, where the column with the largest
# numbers (proline, some hundreds) decides everything.


def classical_scaling(squared_distances):
    """Return points of the plane with about these distances."""
    n = len(squared_distances)
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ squared_distances @ centre)
    return vectors[:, -2:] * np.sqrt(values[-2:])


places = classical_scaling(1 - proximity)
own = np.array([proximity[row, y == y[row]].mean() for row in range(len(X))])
lonely = np.argsort(own)[:5]

figure, panels = plt.subplots(1, 2, figsize=(7.4, 4), layout="constrained")
colors = mf.plot.class_colors(3)
maps = {
    "proximity of the forest": places,
    "principal components": PCA(2).fit_transform(X),
}
for panel, (title, points) in zip(panels, maps.items(), strict=True):
    for label in range(3):
        chosen = y == label
        panel.scatter(
            *points[chosen].T,
            s=22,
            color=colors[label],
            label=f"grower {label + 1}",
        )
    panel.scatter(
        *points[lonely].T,
        s=110,
        facecolors="none",
        edgecolors="black",
        label="unusual",
    )
    panel.set(
        title=title,
        xticks=[],
        yticks=[],
        xlabel="first axis",
        ylabel="second axis",
    )
panels[0].legend(frameon=False, fontsize="small")
for row in lonely:
    print(f"wine {row} of grower {y[row] + 1}: proximity {own[row]:.2f}")
plt.show()

# %%
# Each grower has a branch of its own, and the wines with a ring lie between
# the branches: they are the ones whose label is worth a second look. Keep in
# mind that the forest was told the growers. It shows its training rows further
# apart than new wines would be.
