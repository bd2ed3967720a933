"""Forests for responses in metric spaces: dRF, kRF and Fréchet forests."""

from ._kernel_forest import KernelForestRegressor
from ._metric_forest import MetricForestRegressor

__all__ = ["KernelForestRegressor", "MetricForestRegressor"]
