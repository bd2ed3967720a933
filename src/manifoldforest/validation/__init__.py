"""Checks of what users pass: parameters, examples, targets.

One distinction holds in the whole package. A value whose type no alternative of a rule admits is a
TypeError; a value of an admitted type that is out of range, of a wrong shape or otherwise refused
is a ValueError. Both say ``{name} must be {expected}, got {value}``.

- `_rules`: what a parameter may be. Classes have one table of rules each (`_rules`, beside the
  class); functions check their arguments with `check_argument`.
- `_parameters`: what `n_jobs` and `random_state` stand for.
- `_parameter_object`: objects that are their parameters, projections and spaces.
- `_arrays`: arrays of numbers, and of indices.
- `_inputs`, `_columns`, `_precision`: examples X and targets y of estimators.
- `_tables`, `_named_dims`: X that is a table of pandas, polars or Arrow, or an array of xarray.
- `_distances`: what functions of users return.
- `_suggestions`: "did you mean".

A boolean is no number, a float no integer, and NaN is a number with a wrong value.
"""
