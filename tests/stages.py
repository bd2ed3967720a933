"""Single stages of the core, which the tests call one by one; no wheel has them."""

from manifoldforest import _core

try:
    from manifoldforest import _testing
except ImportError as error:
    raise ImportError(
        "the tests need manifoldforest._testing, which the installed package lacks: run "
        "`make test`, or `pip install . -Ccmake.define.MANIFOLDFOREST_TESTING=ON`"
    ) from error

add_codes = _testing.add_codes
boundary_order = _testing.boundary_order
boundary_pass_order = _testing.boundary_pass_order
column_codes = _testing.column_codes
cut_gradients = _testing.cut_gradients
derive_atoms = _testing.derive_atoms
distances = _testing.distances
draw_atoms = _testing.draw_atoms
draw_bag = _testing.draw_bag
evaluate_loss = _testing.evaluate_loss
find_among = _testing.find_among
find_split = _testing.find_split
haar_rotation = _testing.haar_rotation
largest_pair = _testing.largest_pair
nearest_rows = _testing.nearest_rows
node_impurity = _testing.node_impurity
partition_codes = _testing.partition_codes
partition_keys = _testing.partition_keys
pass_blocks = _testing.pass_blocks
deal_blocks = _testing.deal_blocks
portable_exp = _testing.portable_exp
portable_log = _testing.portable_log
project = _testing.project
project_groups = _testing.project_groups
random_stream = _testing.random_stream
round_pairs = _testing.round_pairs


def use_kernels(name):
    """Choose the instruction set of the stages and of the package: each has a core of its own."""
    _testing.use_kernels(name)
    _core.use_kernels(name)
