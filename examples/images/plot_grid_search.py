"""
How large should patches be?
============================

The size of patches is a parameter of the projection, and can be tuned like any
other: a nested name such as ``projection__max_size`` reaches it. Here a grid
search tries patches of all heights and widths up to 5 pixels, on handwritten
digits that are hidden in noise. A sum over a patch averages the noise; a patch
that is too large averages the digit as well.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import manifoldforest as mf

N_TREES = 50  # 4 in tests
N_IMAGES = 800  # 120 in tests
N_FOLDS = 3  # 2 in tests

digits = load_digits()
rng = np.random.default_rng(0)
noise = rng.normal(scale=6.0, size=(N_IMAGES, 8, 8))  # ink is 0 to 16
images = (digits.images[:N_IMAGES] + noise).astype("float32")
y = digits.target[:N_IMAGES]

# %%
# The search
# ----------
# ``min_size`` and ``max_size`` take one number for all axes, or one for each:
# (height, width). A patch is drawn with any height from 1 to the largest, and
# any width likewise.

sides = range(1, 6)
sizes = [(height, width) for height in sides for width in sides]
search = GridSearchCV(
    mf.named_forest("MORF", n_estimators=N_TREES, random_state=0),
    {"projection__max_size": sizes},
    cv=StratifiedKFold(N_FOLDS, shuffle=True, random_state=0),
)
search.fit(images, y)
print("best:", search.best_params_, f"accuracy {search.best_score_:.3f}")

# %%
# The heat map
# ------------
# Each cell is the error of cross-validation in per cent. 1 × 1 is the ordinary
# random forest.

error = 100 * (1 - search.cv_results_["mean_test_score"]).reshape(
    len(sides), len(sides)
)
spread = 100 * search.cv_results_["std_test_score"].mean() / np.sqrt(N_FOLDS)

figure, axes = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
picture = axes.imshow(error, cmap="viridis_r", origin="lower")
for (row, column), value in np.ndenumerate(error):
    dark = value > error.min() + 0.55 * np.ptp(error)
    ink = "white" if dark else "black"
    axes.text(column, row, f"{value:.1f}", ha="center", va="center", color=ink)
row, column = np.unravel_index(error.argmin(), error.shape)
corner = (column - 0.5, row - 0.5)
axes.add_patch(
    plt.Rectangle(corner, 1, 1, fill=False, color="#D55E00", linewidth=3)
)
axes.set_xticks(range(len(sides)), sides)
axes.set_yticks(range(len(sides)), sides)
axes.set(
    xlabel="largest width",
    ylabel="largest height",
    title="Error of patches, per cent",
)
figure.colorbar(picture, label="error, per cent")
print(f"a standard error of a cell: {spread:.1f} per cent")
plt.show()

# %%
# Small patches do best: 2 × 2 makes some four errors fewer in a hundred than
# single pixels, and patches up to 5 × 5 lose the gain again. Do not read more
# out of a heat map than there is: cells that differ by about a standard error
# cannot be told apart.
