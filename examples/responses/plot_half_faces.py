"""
The other half of a face
========================

A forest sees the upper half of a face and draws the lower half. A response is
then half an image, 308 numbers at once. Faces are drawn by a small program, so
nothing is downloaded. Brows tell the mood, wide eyes go with an open mouth,
and thick brows with a beard.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Ridge

import manifoldforest as mf

N_TREES = 50  # 10 in tests
N_TRAIN = 400  # 100 in tests
SHOWN = [0, 1, 2, 3, 6, 7]  # of the test faces

HEIGHT, WIDTH = 28, 22
ROWS, COLUMNS = np.mgrid[:HEIGHT, :WIDTH].astype(float)


def draw_face(rng):
    """Return one face, numbers from 0 (ink) to 1 (paper)."""
    width, height = rng.uniform(7.5, 10), rng.uniform(11, 13)
    gap, mood = rng.uniform(3.2, 4.2), rng.choice([-1, 1]) * rng.uniform(0.5, 1)
    astonished, bearded = rng.uniform(size=2) < 0.35
    x, y = COLUMNS - WIDTH / 2 + 0.5, ROWS - HEIGHT / 2 + 0.5
    face = np.ones((HEIGHT, WIDTH))

    def ink(distance, thickness, strength=1.0):
        face[:] -= strength * face * np.exp(-((distance / thickness) ** 2))

    outline = np.sqrt((x / width) ** 2 + (y / height) ** 2)
    ink((outline - 1) * width, 0.9)
    for side in (-1, 1):
        eye = np.hypot(x - side * gap, y + 3)
        ink(eye - 1.6 if astonished else np.maximum(eye - 0.8, 0), 0.7)
        brow = y + 7 - side * mood * (x - side * gap) / 3  # brows tell the mood
        ink(
            brow + 1e3 * (np.abs(x - side * gap) > 2.5), 1.4 if bearded else 0.7
        )
    if bearded:
        ink(10 * ((y < 2 + 0.5 * np.abs(x)) | (outline > 1)), 1.0, 0.6)
    if astonished:
        ink(np.hypot(x, y - 6.5) - 1.8, 0.8)
    else:
        curve = y - 6.5 + mood * 2.5 * ((2 * x / width) ** 2 - 0.5)
        ink(curve + 1e3 * (np.abs(x) > width / 2), 0.8)
    return np.clip(face + 0.03 * rng.normal(size=face.shape), 0, 1)


rng = np.random.default_rng(0)
faces = np.stack([draw_face(rng) for _ in range(N_TRAIN + 100)]).astype(
    "float32"
)
upper, lower = faces[:, : HEIGHT // 2], faces[:, HEIGHT // 2 :]
train, test = slice(N_TRAIN), slice(N_TRAIN, None)
numbers = lower.reshape(len(lower), -1)

# %%
# Three ways to complete a face
# -----------------------------
# Ridge regression is linear in the pixels. The forest looks at patches of the
# upper half, and takes the mean of the faces in its leaves.
# ``prediction="medoid"`` gives the lower half of the one training face that
# fits best instead, which cannot be blurred.

forest = mf.MetricForestRegressor(
    N_TREES,
    projection=mf.projections.Patches(max_size=5),
    max_features=20,
    random_state=0,
).fit(upper[train], numbers[train])
completed = {"forest": forest.predict(upper[test])}
forest.set_params(prediction="medoid")
completed["medoid"] = forest.predict(upper[test])
flat = upper.reshape(len(upper), -1)
completed["ridge"] = (
    Ridge(alpha=10.0).fit(flat[train], numbers[train]).predict(flat[test])
)

# %%
# The answer
# ----------

axes = mf.plot.responses(
    lower[test][SHOWN],
    {
        name: values.reshape(-1, HEIGHT // 2, WIDTH)[SHOWN]
        for name, values in completed.items()
    },
    known=upper[test][SHOWN],
    kind="images",
)
axes.set_title("Only the upper halves are known")
for name, values in completed.items():
    error = np.sqrt(((values - numbers[test]) ** 2).mean())
    print(f"{name:7} root mean squared error {error:.3f}")
plt.show()

# %%
# Where does the forest look?
# ---------------------------

figure, axes = plt.subplots(figsize=(4.6, 3.2), layout="constrained")
mf.plot.importance_map(forest, axes, kind="gain", colorbar=True)
axes.set_title("gain of splits in the upper half")
plt.show()

# %%
# The mean of the forest is closest to the truth on average. It is blurred
# where the forest doubts: half a smile and half a frown make a grey mouth. The
# medoid is always sharp, and sometimes sharply wrong. Splits look at the
# outline, which tells how wide the lower half is, and at the eyes and brows.
