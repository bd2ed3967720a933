"""
Find similar images, remove some, filter others
===============================================

:class:`~manifoldforest.BoundaryIndex` keeps points with ids and finds
neighbours. Points can be added and removed at any time, and a search can be
limited to some of them. Here the points are handwritten digits, so one can see
at a glance which are alike.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import manifoldforest as mf

N_TREES = 50  # 5 in tests
K = 6  # neighbours
WANTED = 1510  # the image we search with

digits = load_digits()
images, labels = digits.images.astype("uint8"), digits.target
ids = np.arange(1500)

index = mf.BoundaryIndex(N_TREES, random_state=0)
index.add(images[ids], ids=ids)
query = images[[WANTED]]  # not in the index
print(f"{len(index.ids)} images in the index; the query is a {labels[WANTED]}")

# %%
# Three searches
# --------------
# First among all images; then again after the three nearest have been removed;
# and last among the images of another digit only.

found = {}
_, nearest = index.query(query, k=K)
found["nearest of all"] = nearest[0]

index.remove(nearest[0, :3])
_, nearest = index.query(query, k=K)
found["after three were removed"] = nearest[0]

other = 8
_, nearest = index.query(query, k=K, where=lambda i: labels[i] == other)
found[f"only among the {other}s"] = nearest[0]

# %%
# The answer
# ----------

figure, panels = plt.subplots(3, K + 1, figsize=(7, 4.2), layout="constrained")
for row, (title, neighbours) in zip(panels, found.items(), strict=True):
    row[0].imshow(query[0], cmap="Greys")
    row[0].set_title("query", fontsize="small")
    for panel, neighbour in zip(row[1:], neighbours, strict=True):
        panel.imshow(images[neighbour], cmap="Greys")
        panel.set_title(f"id {neighbour}", fontsize="small")
    row[(K + 1) // 2].set_xlabel(title, fontsize="medium")
    for panel in row:
        panel.set(xticks=[], yticks=[])
    row[0].spines[:].set_color("#D55E00")
    row[0].spines[:].set_linewidth(2)
plt.show()

# %%
# Are the answers exact?
# ----------------------
# Trees measure only some of the points. ``BruteForceIndex`` has the same
# methods and measures all of them, so the two can be compared.

index = mf.BoundaryIndex(N_TREES, random_state=0)
exact = mf.boundary.BruteForceIndex()
for each in (index, exact):
    each.add(images[ids], ids=ids)
_, found = index.query(images[1500:], k=10)
_, truth = exact.query(images[1500:], k=10)
shared = [
    len(np.intersect1d(a, b)) / 10 for a, b in zip(found, truth, strict=True)
]
print(f"share of the 10 nearest that are found: {np.mean(shared):.3f}")

# %%
# All six neighbours show the same digit as the query, also after the nearest
# are gone. The filter gives the images of the other digit that come closest.
# About 97 of 100 neighbours are the true ones: the trees answer approximately.
# ``BruteForceIndex`` is the choice where that is too little.
