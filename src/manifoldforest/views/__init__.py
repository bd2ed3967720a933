"""Views: what patches may be drawn on in place of the example itself.

Every view is a small parameter object in the manner of scikit-learn, as a projection is.
:class:`~manifoldforest.projections.Patches` takes one as `view=`, and boundary forests and indexes
as `embedding=`.

* images: :class:`Gradients`;
* series: :class:`Difference`, :class:`Spectrum`;
* anything else: :class:`FromTransformer`, from a transformer of scikit-learn or a function;
* the example as it is: :class:`Identity`.
"""

from ._base import View
from ._from_transformer import FromTransformer
from ._gradients import Gradients
from ._identity import Identity
from ._series import Difference, Spectrum

__all__ = ["Difference", "FromTransformer", "Gradients", "Identity", "Spectrum", "View"]
