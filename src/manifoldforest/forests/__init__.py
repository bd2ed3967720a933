"""Forests for classes and numbers, on random projections of the features."""
