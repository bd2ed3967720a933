"""What can be asked of a fitted forest: leaves, trees, importances, pruning paths."""
