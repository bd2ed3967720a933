"""
Handwritten digits: pixels or edges?
====================================

A forest can split on single pixels, on sums over small patches of pixels, or
on patches of the *edges* of an image. Which of them learns most from a few
handwritten digits?

The data are the 1797 digits of scikit-learn, 8 × 8 pixels each, so nothing is
downloaded.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import manifoldforest as mf

N_TREES = 100  # 10 in tests
SIZES = (50, 100, 200, 400, 800)  # (50, 100) in tests
N_REPEATS = 4  # 2 in tests

digits = load_digits()
images = (15 * digits.images).astype("uint8")  # bytes are fastest

# %%
# Three forests
# -------------
# ``"RF"`` splits on single pixels, ``"MORF"`` on sums over patches. The recipe
# ``"image"`` looks at edges: for each pixel it knows how strongly the image
# changes in each of 8 directions.

forests = {
    "RF": mf.named_forest("RF", n_estimators=N_TREES),
    "MORF": mf.named_forest("MORF", n_estimators=N_TREES),
    "edges": mf.named_forest("image", n_estimators=N_TREES),
}

# %%
# Every forest learns from the same few images and is tested on 900 others.
# This is repeated with other training images, to see how much of a difference
# is luck.

errors = {name: np.zeros((len(SIZES), N_REPEATS)) for name in forests}
for repeat in range(N_REPEATS):
    X_pool, X_test, y_pool, y_test = train_test_split(
        images, digits.target, test_size=900, random_state=repeat
    )
    for row, size in enumerate(SIZES):
        for name, forest in forests.items():
            forest.set_params(random_state=repeat).fit(
                X_pool[:size], y_pool[:size]
            )
            errors[name][row, repeat] = 1 - forest.score(X_test, y_test)

for name in forests:
    print(f"{name:5}", *(f"{error:.3f}" for error in errors[name].mean(axis=1)))

# %%
# The answer
# ----------
# The curves are means over the repetitions, in bands of one standard error.
# Below them is what the third forest looks at: one test image, and its edges
# in 8 directions.

figure = plt.figure(figsize=(7.5, 5.2), layout="constrained")
grid = figure.add_gridspec(2, 9, height_ratios=[4.2, 1])
axes = figure.add_subplot(grid[0, :])
mf.plot.error_curves(SIZES, errors, ax=axes)
axes.set_title("Edges need fewer examples than pixels")

panels = [figure.add_subplot(grid[1, column]) for column in range(9)]
panels[0].imshow(X_test[0], cmap="Greys")
panels[0].set_title("image")
mf.plot.view_map(mf.views.Gradients(), X_test[0], ax=panels[1:])
for panel in panels:
    panel.set(xticks=[], yticks=[])
    panel.title.set_fontsize("small")
plt.show()

# %%
# On these small images patches of pixels are no better than single pixels: the
# two curves lie on each other. Edges do help. From 100 images on their forest
# is about as good as the others are with twice as many.
