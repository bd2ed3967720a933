"""Forests and other methods on archives of series; ``benchmarks/series.py`` runs them."""
