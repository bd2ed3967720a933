"""Single stages of the core, which the tests call one by one; no wheel has them."""

from manifoldforest import _core

try:
    from manifoldforest import _stages
except ImportError as error:
    raise ImportError(
        "the tests need manifoldforest._stages, which the installed package lacks: run "
        "`make test`, or `pip install . -Ccmake.define.MANIFOLDFOREST_STAGES=ON`"
    ) from error

boundary_order = _stages.boundary_order
boundary_pass_order = _stages.boundary_pass_order
derive_atoms = _stages.derive_atoms
distances = _stages.distances
draw_atoms = _stages.draw_atoms
draw_bag = _stages.draw_bag
find_split = _stages.find_split
haar_rotation = _stages.haar_rotation
node_impurity = _stages.node_impurity
project = _stages.project
project_groups = _stages.project_groups
random_stream = _stages.random_stream


def use_kernels(name):
    """Choose the instruction set of the stages and of the package: each has a core of its own."""
    _stages.use_kernels(name)
    _core.use_kernels(name)
