"""Experiments on boundary forests (B1 to B8), differentiable ones among them."""
