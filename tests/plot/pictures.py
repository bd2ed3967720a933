"""What every picture must be: labelled, finite, complete, and readable.

One call checks a picture: ``assert_good_picture(ax, lines=2, collections=1)``.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text

_TOUCH = 1.0  # pixels that the boxes of two texts may share, or that a text may leave the figure by


def assert_good_picture(axes, *, labels=True, inside=True, **numbers):
    """Draw a figure and check what it shows.

    Parameters
    ----------
    axes : Axes or sequence of Axes
        What a function of `manifoldforest.plot` has returned.
    labels : bool
        Whether every axis with a scale must have a label. The names of rows are no scale, which
        no check can know.
    inside : bool
        Whether all texts must lie inside the figure.
    **numbers : int
        Expected numbers of lines, collections, patches, images and texts, of all axes together.
    """
    panels = [axes] if isinstance(axes, Axes) else list(np.ravel(np.asarray(axes, dtype=object)))
    figure = panels[0].figure
    figure.canvas.draw()
    for panel in panels:
        assert not labels or has_label(panel, panel.xaxis), "the horizontal axis has no label"
        assert not labels or has_label(panel, panel.yaxis), "the vertical axis has no label"
        assert_finite(panel)
    for kind, expected in numbers.items():
        found = sum(len(getattr(panel, kind)) for panel in panels)
        assert found == expected, f"{found} {kind}, not {expected}"
    boxes = text_boxes(figure)
    assert boxes, "no text at all"
    assert not (overlaps := overlapping(boxes)), f"texts overlap: {overlaps[:5]}"
    if inside:
        outside = [text for text, box in boxes if not _lies_in(box, figure.bbox.extents)]
        assert not outside, f"texts leave the figure: {outside[:5]}"


def has_label(axes, axis):
    """Whether an axis tells what its numbers are, if it shows any; angles need no label."""
    shown = [
        label
        for tick in axis._update_ticks()
        for label in (tick.label1, tick.label2)
        if label.get_visible() and label.get_text()
    ]
    hidden = not (axes.axison and axis.get_visible() and shown) or axes.name == "polar"
    return hidden or bool(axis.get_label_text())


def assert_finite(axes):
    """Check that all data of all artists are finite numbers."""
    for line in axes.lines:
        assert len(line.get_xydata()), f"{line} is empty"
        assert np.isfinite(np.asarray(line.get_xydata(), dtype=float)).all(), line
    for image in axes.images:
        assert np.isfinite(np.ma.filled(image.get_array(), np.nan)).all(), image
    for collection in axes.collections:
        offsets = np.ma.filled(np.ma.asarray(collection.get_offsets(), dtype=float), np.nan)
        paths = [path.vertices for path in collection.get_paths()]
        assert len(offsets) or paths, f"{collection} is empty"
        assert np.isfinite(offsets).all(), collection
        assert all(np.isfinite(vertices).all() for vertices in paths), collection
    for patch in axes.patches:
        assert np.isfinite(patch.get_path().vertices).all(), patch
    assert np.isfinite([*axes.get_xlim(), *axes.get_ylim()]).all()


def text_boxes(figure):
    """Return the texts that are seen, each with its box (left, bottom, right, top) in pixels."""
    renderer = figure._get_renderer()
    of_ticks, seen = set(), []
    for axes in figure.axes:
        for axis in axes._axis_map.values():
            drawn = axis._update_ticks() if axes.axison and axis.get_visible() else []
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            of_ticks |= {label for tick in ticks for label in (tick.label1, tick.label2)}
            # ticks beyond the limits have labels too, which are not drawn
            seen += [label for tick in drawn for label in (tick.label1, tick.label2)]
            if not (axes.axison and axis.get_visible()):
                of_ticks |= {axis.label, axis.get_offset_text()}
    seen += [text for text in figure.findobj(Text) if text not in of_ticks]
    return [
        (text.get_text(), text.get_window_extent(renderer).extents)
        for text in dict.fromkeys(seen)
        if text.get_visible() and text.get_text().strip()
    ]


def overlapping(boxes):
    """Return the pairs of texts whose boxes share more than their edges."""
    left, bottom, right, top = np.array([box for _, box in boxes]).T
    across = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    upward = np.minimum(top[:, None], top) - np.maximum(bottom[:, None], bottom)
    both = np.triu((across > _TOUCH) & (upward > _TOUCH), 1)
    return [(boxes[i][0], boxes[j][0]) for i, j in zip(*np.nonzero(both), strict=True)]


def _lies_in(box, whole):
    left, bottom, right, top = box
    return (
        left >= whole[0] - _TOUCH
        and bottom >= whole[1] - _TOUCH
        and right <= whole[2] + _TOUCH
        and top <= whole[3] + _TOUCH
    )
