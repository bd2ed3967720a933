"""
Why this prediction?
====================

Importances tell what a forest looks at on the whole. Shapley values tell it
of a single prediction: they divide the difference between what is predicted
and the mean prediction of the forest among the features of the example. Their
sum is exact.

Here a forest reads handwritten digits, and a table of diabetes patients is
explained beside them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.model_selection import train_test_split

import manifoldforest as mf

N_TREES = 100  # 10 in tests

images, labels = load_digits(return_X_y=True)
images = (15 * images).astype("uint8").reshape(-1, 8, 8)
train, test, y_train, y_test = train_test_split(images, labels, random_state=0)

# %%
# Digits
# ------
# Splits look at patches of pixels. The value of a patch is divided among its
# pixels by their brightness, so that dark ink stands out.

patches = mf.projections.Patches(max_size=3)
forest = mf.ForestClassifier(N_TREES, projection=patches, random_state=0).fit(
    train, y_train
)
chosen = [int(np.flatnonzero(y_test == digit)[0]) for digit in (3, 4, 8, 9)]
explained = mf.shap_values(forest, test[chosen])
predicted = forest.predict_proba(test[chosen])
print(
    "sums to the probabilities:",
    np.allclose(
        explained.base_values + explained.values.sum(axis=(1, 2)), predicted
    ),
)

figure, panels = plt.subplots(2, 4, figsize=(8.4, 4.6), layout="compressed")
limit = float(np.abs(explained.values).max())
for column in range(4):
    ranked = np.argsort(-predicted[column])
    for panel, label in zip(panels[:, column], ranked[:2], strict=True):
        mf.plot.shap_map(
            explained, panel, example=column, output=str(label), limit=limit
        )
        panel.set_title(f"{label}: {predicted[column, label]:.2f}")
figure.colorbar(
    panels[0, 0].images[1], ax=panels, label="SHAP value", shrink=0.8
)
figure.suptitle("Above the most probable digit, below the second")
plt.show()

# %%
# Red ink speaks for the digit above a picture, blue ink against it: what makes
# a 9 a 9 also speaks against the digit that comes second.
#
# A table
# -------
# Bars are the features that matter most for one patient.

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
patients = mf.ForestRegressor(
    N_TREES, projection="axis", min_samples_leaf=5, random_state=0
)
patients.fit(X[:400], y[:400])
explained = mf.shap_values(patients, X[400:])
print(f"mean {explained.base_values[0]:.1f}")
print(f"predicted {patients.predict(X[400:])[0]:.1f}")
mf.plot.shap_map(explained, n_features=6)
plt.show()

# %%
# The mean size of the values over many examples is an importance of its own,
# in the unit of what is predicted.

mean_size = np.abs(explained.values).mean(axis=0)
for k in np.argsort(-mean_size)[:4]:
    print(f"{X.columns[k]:4} {mean_size[k]:5.1f}")
