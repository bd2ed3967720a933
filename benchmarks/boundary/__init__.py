"""Boundary forests against a plain loop and against nearest-neighbour libraries."""
