"""
A stream in which a new class appears
=====================================

Digits arrive one after the other. At first there are only 0 to 6; after a
while 7, 8 and 9 turn up, which nobody had announced. A boundary forest learns
each example when it comes, and needs no list of classes and no second look.
How soon does it know the new ones?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import manifoldforest as mf

N_TREES = 30  # 5 in tests
BATCH = 20

images, labels = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
old, new = np.flatnonzero(labels < 7), np.flatnonzero(labels >= 7)
early, later = np.split(rng.permutation(old), [600])
order = np.concatenate([early, rng.permutation(np.concatenate([later, new]))])
order = order[:1600]

# %%
# First ask, then learn
# ---------------------
# Each batch is a test before it is learned, so every digit counts once and
# honestly.

forest = mf.BoundaryForestClassifier(N_TREES, random_state=0)
correct = np.zeros(len(order), dtype=bool)
stored = []
for start in range(0, len(order), BATCH):
    batch = order[start : start + BATCH]
    if start:
        answer = forest.predict(images[batch])
        correct[start : start + BATCH] = answer == labels[batch]
    forest.partial_fit(images[batch], labels[batch])
    stored.append(len(forest.stored_))
print("known classes:", forest.classes_)
print(f"stored: {stored[-1]} of {forest.n_seen_} digits")

# %%
# The answer
# ----------
# Accuracy over the last 60 digits of each group.

is_new = labels[order] >= 7
figure, (accuracy, memory) = plt.subplots(
    2,
    1,
    figsize=(7.2, 4.8),
    sharex=True,
    height_ratios=[2, 1],
    layout="constrained",
)
for group, name, color in (
    (~is_new, "digits 0 to 6", "#0072B2"),
    (is_new, "7, 8, 9", "#D55E00"),
):
    places = np.flatnonzero(group)
    sums = np.concatenate([[0], np.cumsum(correct[places])])
    first = np.maximum(np.arange(1, len(places) + 1) - 60, 0)
    running = (sums[1:] - sums[first]) / (np.arange(1, len(places) + 1) - first)
    accuracy.plot(
        places[10:], running[10:], color=color, linewidth=2, label=name
    )
    n_needed = np.argmax(running >= 0.9)
    print(f"{name}: {running[-1]:.2f} at the end, 0.9 after {n_needed} digits")
accuracy.axvline(600, color="0.4", linestyle="--", linewidth=1)
accuracy.text(590, 0.1, "new digits from here on", ha="right", color="0.3")
accuracy.set(
    ylabel="accuracy", ylim=(0, 1.03), title="A class is learned when it comes"
)
accuracy.legend(frameon=False, loc="lower right")
memory.plot(np.arange(1, len(stored) + 1) * BATCH, stored, color="0.3")
memory.axvline(600, color="0.4", linestyle="--", linewidth=1)
memory.set(xlabel="digits seen", ylabel="digits stored", ylim=(0, None))
plt.show()

# %%
# Both groups take about as long: after some 80 of its digits nine of ten are
# recognised. The old digits hardly suffer while the new ones are learned.
# Memory grows more slowly than the stream: what all trees get right is not
# stored.
