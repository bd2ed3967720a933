"""Formulas without network: MathJax is copied from the package sphinx-mathjax-offline.

Of its 24 MB pages need one script and the fonts.
"""

from __future__ import annotations

import shutil
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

PACKAGE = "sphinx-mathjax-offline"
SCRIPT = "mathjax/tex-chtml-full.js"
NEEDED = (SCRIPT, "mathjax/output/chtml/fonts/woff-v2/")


def copy_mathjax(app: Sphinx, error: Exception | None) -> None:
    """Put what pages load into _static."""
    if error is not None or app.builder.format != "html":
        return
    try:
        packaged = files(PACKAGE) or []
    except PackageNotFoundError:
        logging.getLogger(__name__).warning(
            "%s is not installed: formulas are shown as TeX", PACKAGE
        )
        return
    for file in packaged:
        inside = str(file).partition("/static/")[2]
        if inside.startswith(NEEDED):
            target = Path(app.outdir, "_static", inside)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), target)


def setup(app: Sphinx) -> dict[str, bool]:
    """Let sphinx.ext.mathjax name our copy."""
    app.config.mathjax_path = SCRIPT
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
