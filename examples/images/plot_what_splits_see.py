"""
What do the splits look at?
===========================

After a forest has learned, two questions come up: *where* in the image does it look, and *what*
does it see there? The importances of a forest come back in the shape of the images, so both
answers are pictures.

The forests here tell a handwritten 4 from a 9.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import manifoldforest as mf

N_TREES = 200  # 10 in tests

digits = load_digits()
chosen = np.isin(digits.target, (4, 9))
images, y = (15 * digits.images[chosen]).astype("uint8"), digits.target[chosen]

# %%
# Where
# -----
# `feature_usage_` counts how often splits look at a pixel. Between the digits there is a
# difference of the means, and a forest should look where it is.

pixels = mf.ForestClassifier(N_TREES, projection="axis", random_state=0).fit(images, y)
patches = mf.ForestClassifier(
    N_TREES, projection=mf.projections.Patches(max_size=3), random_state=0
).fit(images, y)

difference = images[y == 9].mean(axis=0) - images[y == 4].mean(axis=0)
figure, panels = plt.subplots(1, 3, figsize=(8.4, 3.1), layout="constrained")
for panel, title, source in zip(
    panels,
    ("mean of 9 minus mean of 4", "pixels: where splits look", "patches: where splits look"),
    (difference, pixels, patches),
    strict=True,
):
    mf.plot.importance_map(source, panel)
    panel.set_title(title, fontsize="medium")

# %%
# What
# ----
# The recipe for images looks at edges. `view_importances_` tells how much splits gain from each
# pixel and each of 8 directions of edges; :func:`manifoldforest.plot.view_map` draws it.

edges = mf.named_forest("image", n_estimators=N_TREES, projection__raw=False, random_state=0)
edges.fit(images, y)

figure, panels = plt.subplots(2, 4, figsize=(8, 4.4), layout="constrained")
mf.plot.view_map(edges, ax=panels)
figure.suptitle("Gain of splits by the direction in which ink begins")

# %%
gains = edges.view_importances_[0].sum(axis=(1, 2))
for angle, gain in zip(range(0, 360, 45), gains / gains.sum(), strict=True):
    print(f"{angle:3}°: {gain:.2f} of the gain")

# %%
# Both forests of the first picture look most at the left, below the middle, where a 4 has its bar
# and a 9 has no ink. The edges tell more. Most of the gain comes from two slanted directions
# (angles turn clockwise from the right): 315°, ink that begins towards the upper right, as below
# the loop of a 9; and 45°, ink that begins towards the lower right, as along the left stroke of a
# 4.
