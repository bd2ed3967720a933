"""
A geometry of your own: chords
==============================

A chord sounds major or minor. Of its three notes the middle one decides, one
key higher or lower, but only relative to the other two: no single key of a
piano tells. And a note may be played in any octave.

No grid or graph describes this. A *dictionary* does: a matrix in which each
column is a sum of features that may be useful. Splits draw from these columns.
"""

import matplotlib.pyplot as plt
import numpy as np

import manifoldforest as mf

N_TREES = 100  # 10 in tests
N_REPEATS = 3  # 2 in tests
SIZES = (50, 100, 200, 400, 800)  # (50, 100) in tests
N_KEYS = 36  # three octaves


def make_chords(n_samples, seed):
    """Return how loud each key is, and whether the chord is minor."""
    rng = np.random.default_rng(seed)
    minor = np.arange(n_samples) % 2
    root = rng.integers(12, size=n_samples)
    third = root + np.where(minor, 3, 4)
    notes = np.stack([root, third, root + 7], axis=1) % 12
    octaves = rng.integers(3, size=(n_samples, 3))
    keys = notes + 12 * octaves
    X = rng.exponential(0.1, size=(n_samples, N_KEYS))  # noise
    np.put_along_axis(X, keys, 1 + 0.2 * rng.normal(size=keys.shape), axis=1)
    return X, minor


X_test, y_test = make_chords(2000, 1000)

# %%
# The dictionary
# --------------
# A column for each of the 24 chords of three notes that musicians know: 12
# roots, major and minor. A note stands for its keys in all octaves. Which
# column belongs to which class is not said.

notes = [
    (np.array([0, third, 7]) + root) % 12
    for third in (4, 3)
    for root in range(12)
]
atoms = np.zeros((N_KEYS, len(notes)))
for column, chord in enumerate(notes):
    atoms[np.isin(np.arange(N_KEYS) % 12, chord), column] = 1
print("atoms:", atoms.shape)

# %%
# Three forests
# -------------

forests = {
    "RF": mf.named_forest("RF", n_estimators=N_TREES),
    "SPORF": mf.named_forest("SPORF", n_estimators=N_TREES),
    "dictionary": mf.ForestClassifier(
        N_TREES, projection=mf.projections.Dictionary(atoms)
    ),
}
errors = {name: np.zeros((len(SIZES), N_REPEATS)) for name in forests}
for row, size in enumerate(SIZES):
    for repeat in range(N_REPEATS):
        X, y = make_chords(size, repeat)
        for name, forest in forests.items():
            forest.set_params(random_state=repeat).fit(X, y)
            errors[name][row, repeat] = 1 - forest.score(X_test, y_test)
for name in forests:
    print(
        f"{name:11}", *(f"{error:.3f}" for error in errors[name].mean(axis=1))
    )

# %%
# The answer
# ----------

figure, (keyboard, curves) = plt.subplots(
    1, 2, figsize=(7.4, 3.9), layout="constrained"
)
two = mf.plot.class_colors(2)
for label, shift in ((0, 0), (1, 1.8)):
    loudness = X_test[y_test == label][0]
    keyboard.bar(
        np.arange(N_KEYS), loudness, bottom=shift, color=two[label], width=0.8
    )
    keyboard.text(
        -0.5, shift + 1.38, ("major", "minor")[label], color=two[label]
    )
keyboard.set_xticks(range(0, N_KEYS, 12), ["C"] * 3)
keyboard.set(
    xlabel="key",
    yticks=[],
    ylabel="loudness",
    ylim=(0, 3.5),
    title="One chord of each kind",
)
mf.plot.error_curves(SIZES, errors, ax=curves)
curves.set_title("Test error")
plt.show()

# %%
# Single keys and random sums of keys learn nothing: they guess. With the 24
# chords the forest errs in about 4 of 100 chords after 800 examples. The
# knowledge came from us; a dictionary is the way to hand it over.
