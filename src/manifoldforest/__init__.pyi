from . import augmentation as augmentation
from . import boosting as boosting
from . import boundary as boundary
from . import datasets as datasets
from . import forests as forests
from . import inspection as inspection
from . import io as io
from . import plot as plot
from . import projections as projections
from . import responses as responses
from . import spaces as spaces
from . import views as views
from .boosting import BoostedForestClassifier as BoostedForestClassifier
from .boosting import BoostedForestRegressor as BoostedForestRegressor
from .boundary import BoundaryForestClassifier as BoundaryForestClassifier
from .boundary import BoundaryForestRegressor as BoundaryForestRegressor
from .boundary import BoundaryIndex as BoundaryIndex
from .boundary import DifferentiableBoundaryTree as DifferentiableBoundaryTree
from .forests import ForestClassifier as ForestClassifier
from .forests import ForestRegressor as ForestRegressor
from .forests import RankTransformer as RankTransformer
from .forests import named_forest as named_forest
from .io import ModelFileError as ModelFileError
from .io import load as load
from .responses import KernelForestRegressor as KernelForestRegressor
from .responses import MetricForestRegressor as MetricForestRegressor

__version__: str
