"""
Colour images: which photograph is this from?
=============================================

Two photographs come with scikit-learn: a Chinese temple and a flower. We cut
them into small square tiles, and ask a forest which photograph a tile is from.
It learns from the left half of each photograph and is tested on the right
half.

A colour image has a third axis, its channels. ``channel_axis=-1`` says that
the last axis is this one: a patch then lies in one channel, and does not add
red to green as if they were neighbours.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_images

import manifoldforest as mf

N_TREES = 100  # 10 in tests
SIDE = 16  # 40 in tests

photos = load_sample_images().images  # two arrays of shape (427, 640, 3), bytes


def tiles_of(photo):
    """Return the tiles of a photograph: (rows, columns, SIDE, SIDE, 3)."""
    rows, columns = photo.shape[0] // SIDE, photo.shape[1] // SIDE
    cut = photo[: rows * SIDE, : columns * SIDE].reshape(
        rows, SIDE, columns, SIDE, 3
    )
    return cut.swapaxes(1, 2)


halves = [np.array_split(tiles_of(photo), 2, axis=1) for photo in photos]
left, right = (
    [half[side].reshape(-1, SIDE, SIDE, 3) for half in halves]
    for side in (0, 1)
)
X_train, X_test = np.concatenate(left), np.concatenate(right)
y_train = np.repeat([0, 1], [len(part) for part in left])
y_test = np.repeat([0, 1], [len(part) for part in right])
print("tiles to learn from:", X_train.shape, " to be tested:", X_test.shape)

# %%
# Three forests
# -------------
# Single numbers, patches of one channel, and the recipe for images, which
# looks at edges and finds by a trial whether the colours themselves help as
# well.

forests = {
    "single pixels": mf.ForestClassifier(
        N_TREES, projection="axis", random_state=0
    ),
    "patches in a channel": mf.ForestClassifier(
        N_TREES,
        projection=mf.projections.Patches(max_size=6, channel_axis=-1),
        random_state=0,
    ),
    "edges and colours": mf.named_forest(
        "image", n_estimators=N_TREES, random_state=0
    ),
}
predicted = {}
for name, forest in forests.items():
    predicted[name] = forest.fit(X_train, y_train).predict(X_test)
    print(f"{name:22} test error {np.mean(predicted[name] != y_test):.3f}")

# %%
# Where the last forest errs
# --------------------------
# The right halves of both photographs. Tiles that the forest takes for the
# other photograph are framed.

wrong = np.split(predicted["edges and colours"] != y_test, [len(right[0])])
figure, panels = plt.subplots(1, 2, figsize=(7, 4.6), layout="constrained")
for panel, half, mistakes, name in zip(
    panels, halves, wrong, ("temple", "flower"), strict=True
):
    rows, columns = half[1].shape[:2]
    picture = half[1].swapaxes(1, 2).reshape(rows * SIDE, columns * SIDE, 3)
    panel.imshow(picture)
    for place in np.flatnonzero(mistakes):
        corner = (place % columns * SIDE, place // columns * SIDE)
        panel.add_patch(
            plt.Rectangle(
                corner, SIDE, SIDE, fill=False, edgecolor="white", linewidth=1.6
            )
        )
    panel.set(xticks=[], yticks=[])
    panel.set_title(f"{name}: {mistakes.sum()} of {mistakes.size} tiles wrong")
plt.show()

# %%
# Most of its mistakes are in dark leaves below the temple, which look like the
# dark leaves around the flower. Patches of one channel alone are not better
# than single pixels here: leaves, sky and petals differ by their colours
# everywhere. What helps are the edges.
