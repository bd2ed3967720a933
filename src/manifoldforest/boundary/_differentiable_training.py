"""Training of the network of a differentiable boundary tree. Only this module needs torch."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._numpy_tree import NumpyTree, build_tree

_BATCH = 2**14  # examples that are read at a time
_MIN_EPOCHS, _MIN_STEPS = 20, 2000  # if n_epochs is None
_FINAL_SHARE = 0.2  # share of the steps that are taken with the final tree


class Training:
    """The training of a network.

    Parameters
    ----------
    params : DifferentiableBoundaryTree
        The estimator, whose parameters are read.
    rows : ndarray of shape (n_samples, n_features)
        Training examples.
    codes : ndarray of int64, shape (n_samples,)
        Their classes, counted from 0.
    rng : RandomState
        The generator of all random numbers.
    """

    def __init__(
        self,
        params: Any,
        rows: NDArray[Any],
        codes: NDArray[np.int64],
        rng: np.random.RandomState,
    ) -> None:
        self.params = params
        self.rows = rows
        self.codes = codes
        self.rng = rng
        self.torch = _torch()
        # The examples of a step must not be nodes of its tree: their distance would be 0.
        n = len(rows)
        self.batch_size = min(params.batch_size, max(1, n // 4))
        self.n_batches = max(1, min(params.steps_per_tree, n // (2 * self.batch_size)))
        self.n_tree = max(1, min(params.n_tree_samples, n - self.n_batches * self.batch_size))
        self.n_steps = n // self.batch_size  # in an epoch
        self.n_epochs = params.n_epochs or max(_MIN_EPOCHS, math.ceil(_MIN_STEPS / self.n_steps))
        self.center = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
        self.scale = _spread(rows, self.center)
        greedy = params.paths == "greedy"
        self.log_likelihood = greedy_log_likelihood if greedy else full_log_likelihood
        self.linear: list[Any] = []  # the layers of the network
        self.final: tuple[NDArray[np.int64], NumpyTree] | None = None

    def run(self) -> list[float]:
        """Train, and return the mean loss of each epoch."""
        torch, params = self.torch, self.params
        # torch's global generator is neither read nor changed
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(self.rng.randint(2**31)))
            widths = [self.rows.shape[1], *params.hidden, params.n_components]
            self.linear = [torch.nn.Linear(*pair) for pair in itertools.pairwise(widths)]
            weights = [weight for layer in self.linear for weight in layer.parameters()]
            optimiser = torch.optim.Adam(weights)
            curve = []
            for epoch in range(self.n_epochs if self.codes.any() else 0):
                losses, sizes = zip(*self._epoch(epoch, optimiser), strict=True)
                curve.append(float(np.mean(losses)))
                if params.verbose:
                    print(
                        f"epoch {epoch + 1} of {self.n_epochs}: loss {curve[-1]:.4f}, "
                        f"{np.mean(sizes):.0f} nodes",
                        file=sys.stderr,
                    )
        return curve

    def _epoch(self, epoch: int, optimiser: Any) -> Iterator[tuple[float, int]]:
        """Take the steps of one epoch and yield the losses and the sizes of the trees."""
        torch, params = self.torch, self.params
        n = len(self.rows)
        order = self.rng.permutation(n)
        for step in range(self.n_steps):
            done = (epoch + step / self.n_steps) / self.n_epochs
            rate = params.learning_rate * (1 + math.cos(math.pi * done)) / 2
            optimiser.param_groups[0]["lr"] = rate
            first = step * self.batch_size
            batch = order[first : first + self.batch_size]
            if done >= 1 - _FINAL_SHARE:
                drawn, tree = self.final_tree()
            elif step % self.n_batches == 0:
                after = first + self.n_batches * self.batch_size
                drawn = order[np.arange(after, after + self.n_tree) % n]
                tree = self._tree(drawn)
            inputs = self._inputs(np.concatenate([batch, drawn[tree.example]]))
            if params.noise > 0:
                inputs[: len(batch)] += params.noise * torch.randn(len(batch), inputs.shape[1])
            points = self._points(inputs)
            distances = torch.cdist(
                points[: len(batch)],
                points[len(batch) :],
                compute_mode="donot_use_mm_for_euclid_dist",
            )
            likelihood = self.log_likelihood(tree, distances, self.codes[batch], params.sigma)
            loss = -likelihood.mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            yield loss.item(), len(tree.parent)

    def final_tree(self) -> tuple[NDArray[np.int64], NumpyTree]:
        """Return the final tree, and the rows from which it was built.

        The last steps are taken with this tree, so that the network adapts to it. Some of its nodes
        are untypical examples, and a few dozen nodes do not average them out.
        """
        if self.final is None:
            drawn = self.rng.permutation(len(self.rows))[: self.params.n_tree_samples]
            self.final = drawn, self._tree(drawn)
        return self.final

    def _tree(self, drawn: NDArray[np.int64]) -> NumpyTree:
        with self.torch.no_grad():
            return build_tree(self._points(self._inputs(drawn)).numpy(), self.codes[drawn])

    def _inputs(self, rows: NDArray[np.int64]) -> Any:
        return self.torch.from_numpy((self.rows[rows] - self.center) / self.scale)

    def _points(self, values: Any) -> Any:
        for layer in self.linear[:-1]:
            values = layer(values).relu()
        return self.linear[-1](values)

    def layers(self) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Return weights and bias of each layer; the first one includes centring and scaling."""
        layers = [
            (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())
            for layer in self.linear
        ]
        weights = layers[0][0] / self.scale
        layers[0] = (weights, layers[0][1] - self.center @ weights)
        return layers


def _spread(rows: NDArray[Any], center: NDArray[np.float32]) -> float:
    """Return the root mean square of all centred features; 1 if they are constant."""
    squares = sum(
        float(np.square(rows[i : i + _BATCH] - center, dtype=np.float64).sum())
        for i in range(0, len(rows), _BATCH)
    )
    return math.sqrt(squares / rows.size) or 1.0


def greedy_log_likelihood(
    tree: NumpyTree, distances: Any, codes: NDArray[np.int64], sigma: float
) -> Any:
    """Return the log-likelihood of the class of each example on its greedy path.

    Parameters
    ----------
    tree : NumpyTree
        The tree.
    distances : torch.Tensor of shape (n_samples, n_nodes)
        Distances of the examples from the nodes.
    codes : ndarray of int64, shape (n_samples,)
        Classes of the examples.
    sigma : float
        Scale of distances.

    Returns
    -------
    likelihood : torch.Tensor of shape (n_samples,)
        See the notes of DifferentiableBoundaryTree. It is 0, without gradient, for an example whose
        class is no option on its path.
    """
    torch = _torch()
    logits = -distances / sigma
    so_far = logits.new_zeros(len(logits))  # log-probability of the choices before this step
    likelihood = logits.new_zeros(len(logits))
    for step in tree.walk(distances.detach().numpy()):
        rows = torch.from_numpy(step.rows)
        options = tree.options[step.node]
        log_p = _log_choice(logits[rows[:, None], torch.from_numpy(options)], options)
        right = (tree.label[options] == codes[step.rows, None]) & (options >= 0)
        some, of_class = _log_sum(log_p, right)
        likelihood = likelihood.index_put((rows[some],), so_far[rows[some]] + of_class)
        chosen = torch.from_numpy(step.choice)[:, None]
        so_far = so_far.index_add(0, rows, log_p.gather(1, chosen)[:, 0])
    return likelihood


def full_log_likelihood(
    tree: NumpyTree, distances: Any, codes: NDArray[np.int64], sigma: float
) -> Any:
    """Return the log-probability that the random walk of each example ends at a node of its class.

    Parameters and result are those of `greedy_log_likelihood`. The result is 0, without gradient,
    for an example whose class is not in the tree.
    """
    torch = _torch()
    inner = np.flatnonzero(tree.options[:, 1:2].max(axis=1, initial=-1) >= 0)  # nodes with children
    options = tree.options[inner]
    log_p = _log_choice((-distances / sigma)[:, torch.from_numpy(options)], options)
    # positions in the table of the option to go to each node, and of the option to stay there
    table_row, column = np.nonzero(options >= 0)
    stays = options[table_row, column] == inner[table_row]
    go, stay = np.zeros((2, 2, len(tree.parent)), dtype=np.int64)
    go[:, options[table_row, column][~stays]] = table_row[~stays], column[~stays]
    stay[:, inner] = table_row[stays], column[stays]

    log_reach = distances.new_zeros(distances.shape)
    for level in range(1, tree.node_depth.max() + 1):
        nodes = np.flatnonzero(tree.node_depth == level)
        reached = log_reach[:, tree.parent[nodes]] + log_p[:, go[0, nodes], go[1, nodes]]
        log_reach = log_reach.index_copy(1, torch.from_numpy(nodes), reached)
    log_end = log_reach.index_add(
        1, torch.from_numpy(inner), log_p[:, stay[0, inner], stay[1, inner]]
    )
    some, of_class = _log_sum(log_end, tree.label[None, :] == codes[:, None])
    return distances.new_zeros(len(distances)).index_put((some.nonzero()[:, 0],), of_class)


def _log_choice(logits: Any, options: NDArray[np.int64]) -> Any:
    """Return log-probabilities of options; minus infinity where the table is padded."""
    torch = _torch()
    return logits.masked_fill(torch.from_numpy(options < 0), -torch.inf).log_softmax(dim=-1)


def _log_sum(log_p: Any, right: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Return which rows have right options, and the log of the sums of their probabilities."""
    torch = _torch()
    some = torch.from_numpy(right.any(axis=1))
    return some, log_p.masked_fill(torch.from_numpy(~right), -torch.inf)[some].logsumexp(dim=1)


def _torch() -> Any:
    try:
        import torch
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"fitting a DifferentiableBoundaryTree needs {missing.name}, which is not installed: "
            "pip install 'manifoldforest[torch]'",
            name=missing.name,
        ) from missing
    return torch
