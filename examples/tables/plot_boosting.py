"""
Boosting and bagging
====================

A random forest grows its trees independently and takes their mean (*bagging*).
A boosted forest grows them one after the other, each where those before it
err. How do both improve with the number of trees, and when should boosting
stop?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_hastie_10_2
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import manifoldforest as mf

N_ROUNDS = 400  # 30 in tests
N_ROWS = 4000  # 400 in tests

# Ten columns: is the sum of their squares large? A few labels are wrong.
X, y = make_hastie_10_2(N_ROWS, random_state=0)
flipped = np.random.default_rng(0).uniform(size=N_ROWS) < 0.03
y = (y > 0) ^ flipped
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, random_state=0
)

# %%
# Loss per round
# --------------
# With ``early_stopping`` a tenth of the rows is held out. When their loss has
# not fallen for ``n_iter_no_change`` rounds, boosting stops, and keeps the
# trees up to the smallest loss.

stopped = mf.BoostedForestClassifier(
    N_ROUNDS, early_stopping=True, n_iter_no_change=20, random_state=0
).fit(X_train, y_train)
n_grown = len(stopped.validation_loss_)
print(f"{stopped.n_estimators_} of {n_grown} trees are kept")

# %%
# Test error over the number of trees
# -----------------------------------
# ``staged_predict_proba`` gives the probabilities after each tree. For the
# random forest they are running means over ``predict_proba_per_tree``.

boosted = mf.BoostedForestClassifier(N_ROUNDS, random_state=0).fit(
    X_train, y_train
)
bagged = mf.named_forest("table", n_estimators=N_ROUNDS, random_state=0).fit(
    X_train, y_train
)
stages = {
    "boosting": np.stack(
        [proba[:, 1] for proba in boosted.staged_predict_proba(X_test)]
    ),
    "bagging": bagged.predict_proba_per_tree(X_test)[..., 1],
}
running = stages["bagging"].cumsum(axis=0)
stages["bagging"] = running / np.arange(1, N_ROUNDS + 1)[:, None]
errors = {
    name: ((p > 0.5) != y_test).mean(axis=1) for name, p in stages.items()
}

# %%
# The answer
# ----------

figure, (losses, curves) = plt.subplots(
    1, 2, figsize=(7.4, 3.9), layout="constrained"
)
rounds = np.arange(1, len(stopped.train_loss_) + 1)
losses.plot(
    rounds, stopped.train_loss_, color="0.5", label="rows that are learned"
)
losses.plot(
    rounds, stopped.validation_loss_, color="#D55E00", label="rows held out"
)
losses.axvline(
    stopped.n_estimators_,
    color="0.3",
    linestyle="--",
    linewidth=1,
    label="trees that are kept",
)
losses.set(
    xlabel="round",
    ylabel="log loss",
    ylim=(0, 0.95),
    title="Boosting: loss per round",
)
losses.legend(loc="upper right", fontsize="small")
for (name, values), color in zip(
    errors.items(), ("#D55E00", "#0072B2"), strict=True
):
    curves.plot(np.arange(1, N_ROUNDS + 1), values, color=color, label=name)
    loss = log_loss(y_test, stages[name][-1])
    print(f"{name}: error {values[-1]:.3f}, log loss {loss:.3f}")
curves.set(
    xlabel="trees",
    ylabel="test error",
    ylim=(0, 0.35),
    title="Test error over trees",
)
curves.legend(frameon=False)
plt.show()

# %%
# The loss of the rows that are learned falls on and on; that of the rows held
# out does not, and boosting stops. On these data it ends below bagging, and
# has passed it within 50 trees. Bagging has an advantage of its own: its curve
# is flat at the end, so there is nothing to stop.
