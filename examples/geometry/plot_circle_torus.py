"""
Data on a circle and on a torus
===============================

Hours of a day, angles of a scan, columns of a map that goes around the world:
where the last position is next to the first, a patch must not end at the seam.
``wrap=True`` lets patches go around. How much does that help?
"""

import matplotlib.pyplot as plt
import numpy as np

import manifoldforest as mf

N_TREES = 100  # 10 in tests
N_TRAIN = 300  # 40 in tests
N_TEST = 1000  # 100 in tests
N_REPEATS = 4  # 1 in tests

# %%
# A circle
# --------
# A ring has 100 positions and two segments of ones. In one class both are 5
# long, in the other they are 4 and 6 long. They lie anywhere, also across the
# seam, so no single position tells the class.


def mean_errors(make, projections):
    """Return the mean test error of a forest for each projection."""
    X_test, y_test = make(N_TEST, random_state=100)
    errors = dict.fromkeys(projections, 0.0)
    for repeat in range(N_REPEATS):
        X, y = make(N_TRAIN, random_state=repeat)
        for name, projection in projections.items():
            forest = mf.ForestClassifier(
                N_TREES,
                projection=projection,
                max_features=50,
                random_state=repeat,
            )
            error = 1 - forest.fit(X, y).score(X_test, y_test)
            errors[name] += error / N_REPEATS
    return errors


projections = {
    "single positions": mf.projections.Axis(),
    "patches, cut open": mf.projections.Patches(min_size=3, max_size=12),
    "patches, around": mf.projections.Patches(
        min_size=3, max_size=12, wrap=True
    ),
}
errors = {"circle": mean_errors(mf.datasets.make_circle, projections)}

# %%
# A torus
# -------
# An image of 16 × 16 that goes around in both directions, like the screen of
# an old video game. It holds noise and a bright bar, 2 × 7 pixels: flat in one
# class, upright in the other.


def make_torus(n_samples, random_state):
    """Return noise with a bright bar, flat or upright, anywhere on a torus."""
    rng = np.random.default_rng(random_state)
    y = np.arange(n_samples) % 2
    X = rng.normal(scale=0.3, size=(n_samples, 16, 16)).astype("float32")
    X[y == 0, :2, :7] += 1
    X[y == 1, :7, :2] += 1
    shifts = rng.integers(16, size=(n_samples, 2))
    for image, shift in zip(X, shifts, strict=True):
        image[:] = np.roll(image, shift, axis=(0, 1))
    return X, y


projections = {
    "single positions": mf.projections.Axis(),
    "patches, cut open": mf.projections.Patches(max_size=8),
    "patches, around": mf.projections.Patches(max_size=8, wrap=True),
}
errors["torus"] = mean_errors(make_torus, projections)

# %%
# The answer
# ----------

figure = plt.figure(figsize=(7.6, 5), layout="constrained")
panels = figure.subplot_mosaic(
    [["ring", "bars"], ["image", "bars"]], width_ratios=[1, 1.5]
)
ring, image, bars = panels["ring"], panels["image"], panels["bars"]
two = mf.plot.class_colors(2)
rows, labels = mf.datasets.make_circle(400, random_state=0)
angle = 2 * np.pi * (np.arange(100) + 0.5) / 100
for label, radius in ((0, 1.0), (1, 0.7)):
    across_seam = (labels == label) & (rows[:, 0] == 1) & (rows[:, -1] == 1)
    row = rows[across_seam][0]
    x, z = radius * np.sin(angle), radius * np.cos(angle)
    ring.scatter(x, z, s=10, color="0.85")
    ring.scatter(
        x[row == 1],
        z[row == 1],
        s=26,
        color=two[label],
        label=("5 + 5", "4 + 6")[label],
    )
ring.plot([0, 0], [0.6, 1.1], color="0.4", linewidth=1)
ring.text(0, 1.15, "seam", ha="center", color="0.4")
ring.set(
    xticks=[],
    yticks=[],
    aspect="equal",
    ylim=(-1.1, 1.35),
    title="circle: one of each class",
)
ring.spines[:].set_visible(False)
ring.legend(frameon=False, loc="center", fontsize="small")

flat = make_torus(60, 0)[0][::2]
across_seam = flat[:, :, [0, -1]].sum(axis=(1, 2)) > 3
image.imshow(flat[across_seam][0], cmap="Greys")
image.set(xticks=[], yticks=[], title="torus: a bar across the seam")

colors = ("0.6", "#0072B2", "#D55E00")
for place, (name, color) in enumerate(zip(projections, colors, strict=True)):
    values = [errors[problem][name] for problem in errors]
    drawn = bars.bar(
        np.arange(2) + 0.27 * (place - 1), values, 0.25, color=color, label=name
    )
    bars.bar_label(drawn, fmt="%.2f", fontsize="small")
bars.set_xticks(range(2), errors)
bars.set(ylabel="test error", ylim=(0, 0.68), title="test error")
bars.legend(frameon=False, fontsize="small", loc="upper center", ncols=2)
for problem, values in errors.items():
    print(problem, {name: round(value, 3) for name, value in values.items()})
plt.show()

# %%
# Single positions are hardly better than guessing: every position is bright
# equally often. Patches find the answer, and more often if they may go around.
# On the circle few examples lie across the seam, so the gain is small; on the
# torus many bars lie across one of the two seams.
