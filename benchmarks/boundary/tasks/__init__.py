"""The tasks, one file each: a record ``TASK`` and the function that makes its data."""
