"""
Series with several channels
============================

A recording has 6 channels and 80 times. In the second class a weak wave goes
through two of the channels, at the same time, and the other four hold nothing
but noise. Which channels, and when?

Channels have no order: channel 2 is no closer to channel 3 than to channel 5.
Times have one. ``contiguous=(False, True)`` tells patches so: a patch takes
*any* few channels, and *neighbouring* times.
"""

import matplotlib.pyplot as plt
import numpy as np

import manifoldforest as mf

N_TREES = 200  # 10 in tests
N_TRAIN = 200  # 40 in tests
N_TEST = 1000  # 100 in tests


def make_recordings(n_samples, seed):
    """Return noise, with a bump in channels 1 and 4 for the second class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    X = rng.normal(size=(n_samples, 6, 80)).astype("float32")
    bump = 0.6 * np.exp(-(((np.arange(80) - 50) / 6) ** 2))
    X[:, [1, 4]] += y[:, None, None] * bump
    return X, y


X, y = make_recordings(N_TRAIN, 0)
X_test, y_test = make_recordings(N_TEST, 1)

# %%
# Three forests
# -------------

projections = {
    "single numbers": mf.projections.Axis(),
    "one channel": mf.projections.Patches(max_size=12, channel_axis=0),
    "any channels": mf.projections.Patches(
        max_size=(3, 12), contiguous=(False, True)
    ),
}
forests = {}
for name, projection in projections.items():
    forests[name] = mf.ForestClassifier(
        N_TREES, projection=projection, random_state=0
    ).fit(X, y)
    print(f"{name:15} test error {1 - forests[name].score(X_test, y_test):.3f}")

# %%
# Which channels, and when?
# -------------------------
# Importances have the shape of an example: six curves over time. They are
# drawn beside one recording of the second class; the wave cannot be seen by
# eye.

colors = mf.plot.class_colors(6)
names = [f"channel {channel}" for channel in range(6)]
figure, (recording, use) = plt.subplots(
    1, 2, figsize=(7.4, 4), layout="constrained"
)
for channel in range(6):
    recording.plot(
        X_test[1, channel] + 7 * channel, color=colors[channel], linewidth=0.9
    )
recording.set_yticks(7 * np.arange(6), names)
recording.set(xlabel="time", title="One recording with a wave")
mf.plot.importance_map(
    forests["any channels"], use, channel_axis=0, channel_names=names
)
for line, color in zip(use.lines, colors, strict=True):
    line.set(color=color)
use.set(xlabel="time", ylabel="use by splits", title="Where the forest looks")
use.legend(frameon=False, fontsize="small")
plt.show()

# %%
# The forest found channels 1 and 4, around time 50. The other channels rise
# there a little as well: a patch that takes two or three channels at once
# brings others along. Patches of a single channel are nearly as good here;
# both make about half the errors of single numbers.
