"""Forests for responses on manifolds: data and measures of experiments beside the paper's."""
