"""How much each feature moves a prediction.

`shap_values` divides the predictions of a fitted forest among the features of each example.
"""

from ._shap_values import ShapValues
from ._tree_shap import shap_values

__all__ = ["ShapValues", "shap_values"]
