"""
What do the splits look at?
===========================

After a forest has learned, two questions come up: *where* in the image does it
look, and *what* does it see there? The importances of a forest come back in
the shape of the images, so both answers are pictures.

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
# ``feature_usage_`` counts how often splits look at a pixel. The two digits
# differ in their means, and a forest should look where they do. Three forests
# look at single pixels, at patches of pixels, and at edges.

forests = {
    "pixels": mf.named_forest("RF"),
    "patches": mf.named_forest("MORF", projection__max_size=3),
    "edges": mf.named_forest("image", projection__raw=False),
}
for forest in forests.values():
    forest.set_params(n_estimators=N_TREES, random_state=0).fit(images, y)

difference = images[y == 9].mean(axis=0) - images[y == 4].mean(axis=0)
figure, panels = plt.subplots(2, 2, figsize=(6, 6.2), layout="constrained")
mf.plot.importance_map(difference, panels[0, 0])
panels[0, 0].set_title("mean of 9 minus mean of 4")
for panel, name in zip(panels.flat[1:], forests, strict=True):
    mf.plot.importance_map(forests[name], panel)
    panel.set_title(f"splits on {name}")
plt.show()

# %%
# What
# ----
# The third forest knows more than the place: ``view_importances_`` tells how
# much splits gain from each pixel and each of 8 directions of edges.
# :func:`manifoldforest.plot.view_map` draws it.

figure, panels = plt.subplots(2, 4, figsize=(7.6, 4.4), layout="constrained")
mf.plot.view_map(forests["edges"], ax=panels)
figure.suptitle("Gain of splits by the direction in which ink begins")
plt.show()

# %%
gains = forests["edges"].view_importances_[0].sum(axis=(1, 2))
for angle, gain in zip(range(0, 360, 45), gains / gains.sum(), strict=True):
    print(f"{angle:3}°: {gain:.2f} of the gain")

# %%
# On pixels and patches forests look most at the left, below the middle, where
# a 4 has its bar and a 9 has no ink. On edges they look at the whole middle.
# What they see there tells more: most of the gain comes from two slanted
# directions (angles turn clockwise from the right). 315° is ink that begins
# towards the upper right, as below the loop of a 9; 45° is ink that begins
# towards the lower right, as along the left stroke of a 4.
