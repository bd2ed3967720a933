"""Forests for responses in metric spaces: dRF, kRF and Fréchet forests."""

from ._kernel import KernelForestRegressor
from ._regressor import MetricForestRegressor

__all__ = ["KernelForestRegressor", "MetricForestRegressor"]
