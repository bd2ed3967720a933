"""
The C++ core of manifoldforest. Everything here is private; see docs/architecture.md.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Geometry:
    """Grids and dictionary that stored atoms refer to."""

    def __init__(self, n_features: int) -> None: ...

    def add_view(self, kind: str, shape: Sequence[int], numbers: Sequence[int]) -> int:
        """Register a view of the examples; returns its number."""

    def add_grid(self, shape: Sequence[int], summed: Sequence[bool], view: int = -1) -> int:
        """
        Register a grid of features, or of the cells of a view; returns its number.
        """

    def add_dictionary(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """Append sparse atoms; returns the number of the first."""

    @property
    def n_features(self) -> int: ...

    @property
    def grids(self) -> list[tuple[list[int], list[bool], int]]:
        """
        Shape, summed axes and view of each grid; -1 for the features themselves.
        """

    @property
    def views(self) -> list[tuple[str, list[int], list[int]]]:
        """Kind, shape and numbers of each view."""

    def cell_shape(self, view: int) -> list[int]:
        """Shape of the cells of a view."""

    @overload
    def cells(self, view: int, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> NDArray[numpy.uint8]:
        """Cells of a view, rows x cells."""

    @overload
    def cells(self, view: int, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> NDArray[numpy.float32]: ...

    @property
    def n_cells(self) -> int:
        """Cells of all views together."""

    def bank(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> NDArray[numpy.float32]:
        """Cells of all views side by side, rows x cells."""

    def cell_features(self, cells: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]]:
        """
        Features of some of all cells: those of cell i are features[offsets[i]:offsets[i + 1]].
        """

    def cell_text(self, cell: int) -> str:
        """What one of all cells is, for people."""

    @property
    def takes_bytes(self) -> bool:
        """Whether rows may be uint8."""

    @property
    def row_width(self) -> int:
        """Columns of a row: features, and what views take from behind them."""

    @property
    def dictionary(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
        """Copies of offsets, features and weights; row a is atom a."""

class Sampler:
    """Draws the candidate atoms of a node."""

    @property
    def reads_node(self) -> bool:
        """Whether atoms depend on the rows of the node."""

def axis_sampler(n_features: int) -> Sampler: ...

def forest_rc_sampler(n_features: int, n_nonzeros: int, factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Sampler: ...

def rerf_sampler(n_features: int, variant: str, factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Sampler: ...

def sporf_sampler(n_features: int, rate: float, count: str, factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Sampler: ...

def rotation_sampler(n_features: int, max_dims: int) -> Sampler: ...

def principal_axes_sampler(n_features: int, n_components: int, max_rows: int) -> Sampler: ...

def mean_difference_sampler(n_features: int) -> Sampler: ...

def patch_sampler(shape: Sequence[int], grid: int, axes: Sequence[str], min_size: Sequence[int], max_size: Sequence[int], placement: str) -> Sampler: ...

def dictionary_sampler(first: int, n_atoms: int) -> Sampler: ...

def edge_sampler(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], min_edges: int, max_edges: int) -> Sampler: ...

def sum_sampler(parts: Sequence[Sampler]) -> Sampler: ...

def mixture_sampler(parts: Sequence[Sampler], weights: Sequence[float]) -> Sampler: ...

class Objective:
    """What a forest learns, and what belongs to it."""

    @property
    def name(self) -> str: ...

    @property
    def view(self) -> str:
        """What is seen of a target: classes, numbers, points or derivatives."""

    @property
    def power(self) -> int:
        """Responses times c have gains times c**power."""

    @property
    def gain_unit(self) -> float:
        """The gain of the core that users call 1."""

    def check(self, y: Annotated[NDArray, dict(shape=(None, None), order='C', writable=False)], n_classes: Sequence[int] = ()) -> None:
        """Raise a ValueError unless y can be learned."""

    def fallback(self, y: Annotated[NDArray, dict(shape=(None, None), order='C', writable=False)] | None, n_classes: Sequence[int], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, squared_distances: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> NDArray[numpy.float64]:
        """
        The value of a row of which no tree knows anything: that of a node with all rows.
        """

def objective(name: str, parameters: dict[str, float] = {}) -> Objective:
    """The objective of that name, with parameters of its own, if it has any."""

def objectives(view: str) -> list[str]:
    """
    Names of all objectives that learn classes, numbers, points or derivatives.
    """

def balanced_weights(y: Annotated[NDArray, dict(shape=(None, None), order='C', writable=False)], n_classes: Sequence[int], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """Factors of rows that give all classes the same weight."""

class GrowOptions:
    """Everything that can be set about growing."""

    def __init__(self) -> None: ...

    @property
    def n_trees(self) -> int: ...

    @n_trees.setter
    def n_trees(self, arg: int, /) -> None: ...

    @property
    def first_tree(self) -> int: ...

    @first_tree.setter
    def first_tree(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def objective(self) -> Objective: ...

    @objective.setter
    def objective(self, arg: Objective, /) -> None: ...

    @property
    def splitter(self) -> str: ...

    @splitter.setter
    def splitter(self, arg: str, /) -> None: ...

    @property
    def n_classes(self) -> list[int]: ...

    @n_classes.setter
    def n_classes(self, arg: Sequence[int], /) -> None: ...

    @property
    def n_candidates(self) -> int: ...

    @n_candidates.setter
    def n_candidates(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def min_samples_split(self) -> int: ...

    @min_samples_split.setter
    def min_samples_split(self, arg: int, /) -> None: ...

    @property
    def min_samples_leaf(self) -> int: ...

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: int, /) -> None: ...

    @property
    def min_weight_fraction_leaf(self) -> float: ...

    @min_weight_fraction_leaf.setter
    def min_weight_fraction_leaf(self, arg: float, /) -> None: ...

    @property
    def min_balance(self) -> float: ...

    @min_balance.setter
    def min_balance(self, arg: float, /) -> None: ...

    @property
    def min_impurity_decrease(self) -> float: ...

    @min_impurity_decrease.setter
    def min_impurity_decrease(self, arg: float, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int: ...

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

    @property
    def ccp_alpha(self) -> float: ...

    @ccp_alpha.setter
    def ccp_alpha(self, arg: float, /) -> None: ...

    @property
    def bootstrap(self) -> bool: ...

    @bootstrap.setter
    def bootstrap(self, arg: bool, /) -> None: ...

    @property
    def n_draws(self) -> int: ...

    @n_draws.setter
    def n_draws(self, arg: int, /) -> None: ...

    @property
    def stratify(self) -> bool: ...

    @stratify.setter
    def stratify(self, arg: bool, /) -> None: ...

    @property
    def balanced_subsample(self) -> bool: ...

    @balanced_subsample.setter
    def balanced_subsample(self, arg: bool, /) -> None: ...

    @property
    def honest(self) -> bool: ...

    @honest.setter
    def honest(self, arg: bool, /) -> None: ...

    @property
    def honest_fraction(self) -> float: ...

    @honest_fraction.setter
    def honest_fraction(self, arg: float, /) -> None: ...

    @property
    def empty_leaf(self) -> str: ...

    @empty_leaf.setter
    def empty_leaf(self, arg: str, /) -> None: ...

    @property
    def keep_samples(self) -> bool: ...

    @keep_samples.setter
    def keep_samples(self, arg: bool, /) -> None: ...

    @property
    def find_pruning_path(self) -> bool: ...

    @find_pruning_path.setter
    def find_pruning_path(self, arg: bool, /) -> None: ...

class Trainer:
    """Examples, prepared for growing any number of forests."""

    @overload
    def __init__(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], geometry: Geometry, sampler: Sampler, n_threads: int) -> None: ...

    @overload
    def __init__(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], geometry: Geometry, sampler: Sampler, n_threads: int) -> None: ...

    def grow(self, y: Annotated[NDArray, dict(shape=(None, None), order='C', writable=False)] | None, strata: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], draw_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], row_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], row_count: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], options: GrowOptions, progress: Callable[[int, int], None] | None = None, signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, squared_distances: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, last: bool = False) -> dict:
        """
        Grow a forest; returns the arrays of docs/architecture.md. After the last one columns
        are freed, before trees become arrays; another forest would have to copy them anew.
        """

class Booster:
    """Grows trees on the derivatives of a loss, one by one."""

    def __init__(self, trainer: Trainer, loss: str, y: Annotated[NDArray, dict(shape=(None, None), order='C', writable=False)], strata: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], row_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], row_count: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], held_out_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, options: GrowOptions, learning_rate: float, l2: float) -> None: ...

    @property
    def start(self) -> NDArray[numpy.float64]:
        """Scores of all rows before the first tree."""

    @property
    def losses(self) -> tuple[float, float]:
        """
        Mean losses of the rows that are learned and of those that are held out.
        """

    def grow_tree(self) -> tuple[float, float]:
        """Grow one tree; returns the losses after it."""

    def take_trees(self, n: int) -> dict:
        """
        Take out the first n trees that were grown, as the arrays of docs/architecture.md.
        """

def losses() -> list[str]:
    """Names of all losses."""

def check_children(tree_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """
    Raise a ValueError unless every node but a root is the child of one node before it.
    """

class Predictor:
    """Compiled form of a flat forest."""

    def __init__(self, arrays: dict, geometry: Geometry, n_classes: Sequence[int], skip_empty: bool, fallback: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def apply(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> NDArray[numpy.int32]: ...

    @overload
    def apply(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> NDArray[numpy.int32]: ...

    @overload
    def predict(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], aggregation: str, n_threads: int) -> NDArray[numpy.float64]: ...

    @overload
    def predict(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], aggregation: str, n_threads: int) -> NDArray[numpy.float64]: ...

    def predict_oob(self, leaf_of_row: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], inbag: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], aggregation: str) -> tuple[NDArray[numpy.float64], NDArray[numpy.int32]]: ...

    @overload
    def shap_values(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], aggregation: str, n_threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]: ...

    @overload
    def shap_values(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], aggregation: str, n_threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """Shapley values, rows x features x values, and the mean of the forest."""

    def has_empty_leaves(self) -> bool:
        """Whether a leaf holds no training weight."""

    def importances(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], list[NDArray[numpy.float64]]]:
        """
        Usage counts and gain importances per feature, and gains per cell of each view.
        """

    def nonlinear_kind(self, tree: int) -> str | None:
        """
        Name of a kind among the atoms of a tree that is no weighted sum; None if all are.
        """

    def expand_atoms(self, tree: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        Atoms of a tree as CSR over nodes and features: offsets, features, weights.
        """

    def compile_atoms(self, nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        Atoms of splits as sums of terms: the grid whose summed-area table each reads, -1 for features, and as CSR offsets, columns of that table, weights.
        """

    def atom_text(self, tree: int, node: int) -> str:
        """What the atom of a split computes, for people."""

def link_scores(link: str, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_classes: Sequence[int]) -> NDArray[numpy.float64]:
    """From scores, rows x scores, to what is predicted."""

def n_scores(link: str, n_classes: Sequence[int], n_outputs: int) -> int:
    """How many scores a link takes for each row."""

def refine_leaves(arrays: dict, leaf_of_row: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray, dict(shape=(None, None), order='C', writable=False)], n_classes: Sequence[int], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int) -> NDArray[numpy.float64]:
    """Scores of all nodes by softmax regression on leaf indicators."""

def supported_kernels() -> list[str]:
    """Instruction sets that this machine can run and the environment allows."""

def use_kernels(name: str) -> None:
    """Choose the instruction set of the hot loops."""

def end_idle_threads() -> None:
    """
    End the threads that sleep between calls; the next calls start new ones.
    """

class UnknownIdError(KeyError):
    pass

class BoundaryForest:
    """Boundary trees over one table of points."""

    def __init__(self, task: str, n_trees: int, max_children: int, metric: object, dtype: str, width: int, n_outputs: int, tolerance: float, seed: int) -> None: ...

    @overload
    def learn(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> None: ...

    @overload
    def learn(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> None: ...

    @overload
    def learn(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> None: ...

    @overload
    def learn(self, X: list, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> None: ...

    @overload
    def learn_in_passes(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, max_passes: int, n_threads: int) -> tuple[int, bool]: ...

    @overload
    def learn_in_passes(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, max_passes: int, n_threads: int) -> tuple[int, bool]: ...

    @overload
    def learn_in_passes(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, max_passes: int, n_threads: int) -> tuple[int, bool]: ...

    @overload
    def learn_in_passes(self, X: list, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, max_passes: int, n_threads: int) -> tuple[int, bool]: ...

    @overload
    def predict(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_columns: int, power: float, n_threads: int) -> NDArray[numpy.float64]: ...

    @overload
    def predict(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_columns: int, power: float, n_threads: int) -> NDArray[numpy.float64]: ...

    @overload
    def predict(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_columns: int, power: float, n_threads: int) -> NDArray[numpy.float64]: ...

    @overload
    def predict(self, X: list, n_columns: int, power: float, n_threads: int) -> NDArray[numpy.float64]: ...

    @overload
    def nearest(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, effort: int, among: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, may_be_gone: bool, n_threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64]]: ...

    @overload
    def nearest(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, effort: int, among: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, may_be_gone: bool, n_threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64]]: ...

    @overload
    def nearest(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, effort: int, among: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, may_be_gone: bool, n_threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64]]: ...

    @overload
    def nearest(self, X: list, k: int, effort: int, among: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, may_be_gone: bool, n_threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64]]: ...

    @overload
    def replace(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> None: ...

    @overload
    def replace(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> None: ...

    @overload
    def replace(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> None: ...

    @overload
    def replace(self, X: list, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> None: ...

    def remove(self, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> None: ...

    def refuse_from_inside(self) -> None:
        """Raise a RuntimeError if a method of the forest has called the caller."""

    def contains(self, id: int) -> bool: ...

    def points_of(self, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object: ...

    def n_stored(self) -> int: ...

    def n_seen(self) -> int: ...

    def n_bytes(self) -> int: ...

    def ids(self) -> NDArray[numpy.int64]: ...

    def n_nodes(self) -> NDArray[numpy.int64]: ...

    def depths(self) -> NDArray[numpy.int64]: ...

    def record(self) -> dict: ...

    def restore(self, arrays: dict) -> None: ...

class Metric:
    """What is to be known of a metric between rows of numbers."""

    @property
    def name(self) -> str: ...

    @property
    def non_negative(self) -> bool:
        """
        Whether no distance is below 0, so that predictions can weigh examples by them.
        """

    @property
    def of_differences(self) -> bool:
        """Whether it depends on nothing but the differences of entries."""

    @property
    def exact_for_bytes(self) -> bool:
        """
        Whether what is measured between rows of bytes are exact whole numbers.
        """

    @property
    def largest_entry(self) -> float:
        """Doubles up to this magnitude have finite distances."""

def metrics() -> list[Metric]:
    """All metrics that have names."""
