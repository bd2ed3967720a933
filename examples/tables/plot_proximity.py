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
from sklearn.model_selection import train_test_split

import manifoldforest as mf

N_TREES = 300  # 20 in tests

X, y = load_wine(return_X_y=True)
X_train, X_new, y_train, y_new = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# Proximity
# ---------
# The proximity of two rows is the share of trees in which they share a leaf.
# Leaves hold at least 5 rows: in smaller ones few rows would meet. The map is
# drawn of wines that the forest has not seen: those that it learned from would
# lie too far apart.

forest = mf.named_forest(
    "table", n_estimators=N_TREES, min_samples_leaf=5, random_state=0
)
forest.fit(X_train, y_train)
proximity = forest.proximity(X_new).toarray()  # to the training rows
same = y_new[:, None] == y_train
own = (proximity * same).sum(axis=1) / same.sum(axis=1)
unusual = np.argsort(own)[:5]

# %%
# The map
# -------
# Beside it are the first two principal components of the same wines, where the
# column with the largest numbers (proline, some hundreds) decides nearly
# everything. Rings mark the five wines with the smallest proximity to their
# own grower's wines.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(7.6, 4), layout="constrained"
)
mf.plot.proximity_embedding(forest, X_new, y_new, ax=left, legend=False)
colors = mf.plot.class_colors(3)
components = PCA(2).fit_transform(X_new)
for label, color in enumerate(colors):
    chosen = y_new == label
    right.scatter(
        *components[chosen].T, s=16, color=color, label=f"grower {label + 1}"
    )
maps = {left: left.collections[0].get_offsets(), right: components}
for panel, points in maps.items():
    panel.scatter(
        *points[unusual].T,
        s=110,
        facecolors="none",
        edgecolors="black",
        label="unusual",
    )
left.set_title("Proximity of the forest")
right.set(
    xlabel="first component", ylabel="second component", xticks=[], yticks=[]
)
right.set_title("Principal components")
right.legend(fontsize="small")
plt.show()

# %%
probability = forest.predict_proba(X_new)
for row in unusual:
    chance = probability[row, y_new[row]]
    print(
        f"a wine of grower {y_new[row] + 1}: proximity {own[row]:.2f}, "
        f"probability of its grower {chance:.2f}"
    )

# %%
# Each grower has a region of its own, though nobody scaled the columns. The
# wines with a ring are those whose label is worth a second look.
