"""How long forests on two cores train, and how long a network needs to its best error.

    python benchmarks/network.py [--data DIR] [--sizes 1000 10000 60000] [--threads 2]

MNIST (``mnist.npz`` in DIR). The network is the one of the thesis on MORF, trained by the rules of
``experiments/morf/cnn.py`` on as many threads as the forests. After each epoch it predicts the
test set, whose time is not counted: what is printed is its smallest error over all epochs, and
the seconds of training up to there. That flatters the network, which could not know when to stop;
forests have their default parameters, and nothing is chosen by their test error. Forests and the
network take turns, and times are those of the clock. It needs torch.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf
from harness.command_line import script_parser

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.morf import cnn

Images = NDArray[np.uint8]
Labels = NDArray[Any]
Epoch = tuple[float, Labels]


def forests(threads: int) -> dict[str, Any]:
    """Return what is compared with the network, by name."""
    return {
        "boosted": mf.BoostedForestClassifier(n_jobs=threads, random_state=0),
        "boosted, augment=1": mf.BoostedForestClassifier(augment=1, n_jobs=threads, random_state=0),
        "image, 200 trees": mf.named_forest(
            "image", n_estimators=200, n_jobs=threads, random_state=0
        ),
    }


def predictions(X: Images, y: Labels, X_test: Images, threads: int) -> Iterator[Epoch]:
    """Yield the seconds of training so far and the predicted labels, after each epoch."""
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    network = cnn.network_of(cnn.ARCHITECTURES["mnist"], 10)
    center, scale = float(X.mean()), float(X.std())
    inputs, tests = (
        torch.from_numpy((images.astype(np.float32) - center)[:, None] / scale)
        for images in (X, X_test)
    )
    seconds, start = 0.0, time.perf_counter()
    for _ in cnn.epochs(network, inputs, torch.from_numpy(y.astype(np.int64))):
        seconds += time.perf_counter() - start
        network.eval()
        with torch.no_grad():
            scores = torch.cat([network(part) for part in tests.split(cnn.PREDICTED_AT_ONCE)])
        yield seconds, scores.argmax(dim=1).numpy()
        start = time.perf_counter()


def main() -> None:
    """Compare and print."""
    parser = script_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 60_000])
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    with np.load(arguments.data / "mnist.npz") as data:
        X, y, X_test, y_test = (data[k] for k in ("X_train", "y_train", "X_test", "y_test"))
    order = np.random.default_rng(0).permutation(len(X))
    print(f"{'n':>6} {'method':<20} {'error':>7} {'seconds':>8}")
    for n in arguments.sizes:
        rows = order[:n]
        for name, forest in forests(arguments.threads).items():
            start = time.perf_counter()
            forest.fit(X[rows], y[rows])
            seconds = time.perf_counter() - start
            error = float(np.mean(forest.predict(X_test) != y_test))
            print(f"{n:>6} {name:<20} {error:>7.4f} {seconds:>8.1f}", flush=True)
        trained = list(predictions(X[rows], y[rows], X_test, arguments.threads))
        curve = [(float(np.mean(labels != y_test)), seconds) for seconds, labels in trained]
        error, seconds = min(curve)
        whole = f"of {len(curve)} epochs in {curve[-1][1]:.1f} s, last error {curve[-1][0]:.4f}"
        print(
            f"{n:>6} {'network, best epoch':<20} {error:>7.4f} {seconds:>8.1f}  {whole}", flush=True
        )


if __name__ == "__main__":
    main()
