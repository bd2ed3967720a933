"""Checks of what users pass: parameters, examples, targets."""
