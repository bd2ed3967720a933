"""Forests for responses in metric spaces."""
