"""Pictures of a report, as data that a page can hold."""

from __future__ import annotations

import base64
import io
import warnings
from importlib.util import find_spec
from typing import Any

from ._content import Picture

# The fonts of the page; widths were measured with the first one, the widest of them.
_MEASURED_FONT = "'DejaVu Sans'"
_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # letters, which are small and can be read by programs
    "svg.hashsalt": "manifoldforest",  # equal reports are equal pages
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.edgecolor": "0.4",
    "axes.labelcolor": "0.2",
    "xtick.color": "0.3",
    "ytick.color": "0.3",
    "savefig.transparent": True,
}

# No date, so that equal reports are equal pages.
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))

# Points beyond so many are drawn as pixels: as shapes they would take megabytes.
_MAX_SHAPES = 400
_DPI = 160  # of these


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    try:
        return find_spec("matplotlib") is not None
    except ValueError:  # sys.modules says that it is not
        return False


def data_uri(picture: Picture) -> str:
    """Draw a picture and return it as the address of an image that holds all of it."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context(), warnings.catch_warnings():
        # Letters that the measuring font lacks are there in the fonts of the reader.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        figure = Figure(figsize=picture.size)
        FigureCanvasSVG(figure)
        if picture.is_bare:  # so that fonts are chosen for the size that the axes will have
            figure.subplots_adjust(0.005, 0.005, 0.995, 0.995)
        axes = figure.subplots()
        figure.set_layout_engine("constrained")
        picture.draw(axes)
        _rasterize_crowds(figure)
        file = io.StringIO()
        figure.savefig(file, format="svg", dpi=_DPI, metadata=_NO_METADATA)
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :].replace(_MEASURED_FONT, _FONTS)
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _rasterize_crowds(figure: Any) -> None:
    """Draw collections of very many shapes as pixels."""
    for axes in figure.axes:
        for collection in axes.collections:
            if max(len(collection.get_offsets()), len(collection.get_paths())) > _MAX_SHAPES:
                collection.set_rasterized(True)
