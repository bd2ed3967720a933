"""The parity of three bits among twenty, with few and with many candidates."""

from __future__ import annotations

from harness.task import Arrays, Forest, Task, split


def sparse_parity(n_train: int, n_test: int) -> Arrays:
    """Draw noisy bits."""
    from manifoldforest.datasets import make_sparse_parity

    X, y = make_sparse_parity(n_train + n_test, random_state=0)
    return split(X, y, n_train)


TASK = Task(
    name="sparse-parity",
    about="parity of three noisy bits",
    shape=(20,),
    n_train=10_000,
    n_test=10_000,
    n_classes=2,
    trees=100,
    forests=(
        Forest("RF", 4),  # sqrt(p)
        Forest("SPORF", 4),
        Forest("ET", 4),
        Forest("RF", 20),  # p
        Forest("SPORF", 20),
    ),
    data=sparse_parity,
)
