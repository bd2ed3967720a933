"""
Wind directions: north is one place, not two
============================================

A wind of 359 degrees blows from nearly the same direction as one of 1 degree.
A forest that takes directions as numbers does not know this: the mean of the
two is 180 degrees, the opposite direction. A forest whose responses lie on a
*circle* knows it.

The winds are simulated: high and low pressure drive them, and by day a breeze
from the sea.
"""

import matplotlib.pyplot as plt
import numpy as np

import manifoldforest as mf

N_TREES = 200  # 20 in tests
N_TRAIN = 800  # 150 in tests
N_TEST = 2000  # 60 in tests


def make_wind(n_samples, seed):
    """Return pressures, hours and clouds, and the direction of the wind."""
    rng = np.random.default_rng(seed)
    east, north = rng.normal(scale=2.0, size=(2, n_samples))  # hPa per 100 km
    hour = rng.uniform(0, 24, size=n_samples)
    cloud = rng.uniform(size=n_samples)
    noise = rng.normal(scale=0.5, size=(2, n_samples))
    # from the sea in the west by day, if the sun shines
    breeze = 2.5 * (1 - cloud) * np.sin(2 * np.pi * (hour - 9) / 24)
    # along the isobars, and by friction a little towards the low pressure
    to_east = -0.9 * north - 0.4 * east + breeze + noise[0]
    to_north = 0.9 * east - 0.4 * north + noise[1]
    degrees = np.degrees(np.arctan2(-to_east, -to_north)) % 360  # comes from
    return np.stack([east, north, hour, cloud], axis=1), degrees


X, wind = make_wind(N_TRAIN, 0)
X_test, wind_test = make_wind(N_TEST, 1)

# %%
# Two forests
# -----------

numbers = mf.ForestRegressor(N_TREES, min_samples_leaf=3, random_state=0).fit(
    X, wind
)
circle = mf.MetricForestRegressor(
    N_TREES,
    space=mf.spaces.Circle(360),
    projection="sporf",
    min_samples_leaf=3,
    oob_score=True,
    random_state=0,
).fit(X, wind)
predicted = {
    "as numbers": numbers.predict(X_test),
    "on a circle": circle.predict(X_test),
}

# %%
# The answer
# ----------
# Predicted over true directions of 250 winds. The upper end of an axis is the
# lower end again. The band holds half of the predictions.

shown = {name: values[:250] for name, values in predicted.items()}
figure, panels = plt.subplots(1, 2, figsize=(7.6, 4), layout="constrained")
mf.plot.responses(
    wind_test[:250], shown, space=mf.spaces.Circle(360), ax=panels
)
plt.show()

# %%
# How sure is it?
# ---------------
# :meth:`~manifoldforest.MetricForestRegressor.predict_region` returns arcs
# that should hold nine of ten directions.

centres, radius = circle.predict_region(X_test, coverage=0.9)
apart = np.abs((wind_test - centres + 180) % 360 - 180)
held = np.mean(apart <= radius)
print(f"arcs of ± {radius:.0f} degrees hold {held:.2f} of the test winds")

figure, axes = plt.subplots(
    figsize=(4.6, 4.4), subplot_kw={"polar": True}, layout="constrained"
)
axes.set_theta_zero_location("N")
axes.set_theta_direction(-1)
for row in range(8):
    arc = np.radians(centres[row] + np.linspace(-radius, radius, 60))
    axes.plot(
        arc,
        np.full(60, 1 + 0.25 * row),
        color="#56B4E9",
        linewidth=6,
        alpha=0.8,
    )
    axes.plot(
        np.radians(wind_test[row]),
        1 + 0.25 * row,
        "o",
        color="black",
        markersize=5,
    )
axes.set_xticks(np.arange(4) * np.pi / 2, ["N", "E", "S", "W"])
axes.set(
    yticks=[],
    ylim=(0, 3),
    title="Eight winds (dots) and their arcs of 90 per cent",
)
plt.show()

# %%
# The arcs have one length for all winds, from errors on winds that trees had
# not seen. Winds near north are no exception any more: the arcs simply go
# around.
