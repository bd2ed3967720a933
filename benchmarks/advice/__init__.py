"""The small measurements behind the advice of the user guide."""
