"""Experiments beyond the papers: views, boosting and recipes, beside networks and other peers."""
