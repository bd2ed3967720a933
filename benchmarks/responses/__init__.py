"""Forests for responses on manifolds: the methods, data and measures of their experiments."""
