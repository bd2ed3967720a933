"""The documentation site: `make docs` builds it into docs/_build/html, without network."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_sphinx"))  # our own small extensions

from docstrings import documented_attributes  # noqa: E402

project = "manifoldforest"
author = "the manifoldforest authors"
project_copyright = author
version = release = installed_version("manifoldforest")
language = "en_GB"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "local_mathjax",
    "docstrings",
    "repository_links",
]

exclude_patterns = ["_build", "_static", "README.md", "auto_examples/backreferences"]
templates_path = ["_templates"]
default_role = "literal"  # `name` in a docstring is code
smartquotes = False  # "axis" in a docstring is code
toc_object_entries_show_parents = "hide"
nitpicky = True
# Names in docstrings that have no page: those of other packages, which an offline build cannot ask.
nitpick_ignore_regex = [
    ("py:.*", r"(numpy|scipy|sklearn|matplotlib|pandas|xarray|torch|geomstats)\..*")
]

# Markdown. Anchors of headings are those of GitHub, so that links work in both places.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline", "fieldlist"]
myst_heading_anchors = 4

# Reference. Docstrings tell types, so signatures do not.
autosummary_generate = True
autosummary_context = {"documented": documented_attributes()}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Gallery
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "subsection_order": [
        f"../examples/{folder}"
        for folder in ("images", "series", "geometry", "tables", "responses", "boundary", "tools")
    ],
    "first_notebook_cell": "# pip install manifoldforest matplotlib",
    "thumbnail_size": (480, 320),
    # "Examples that use it" on pages of the reference
    "backreferences_dir": "auto_examples/backreferences",
    "doc_module": ("manifoldforest",),
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
}

# Pages
html_theme = "pydata_sphinx_theme"
html_title = "manifoldforest"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "manifoldforest"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "estimators": []},
}
html_sidebars = {"index": [], "start": [], "estimators": [], "faq": [], "glossary": []}
html_context = {"default_mode": "auto"}  # light or dark as the reader's system is


def setup(app: Sphinx) -> None:
    """With `-D plot_gallery=0` pages lack the pictures of the gallery, which is no error then."""

    def allow_missing_pictures(app: Sphinx, config: Config) -> None:
        if not config.plot_gallery or config.plot_gallery in ("0", "False"):
            config.suppress_warnings = [*config.suppress_warnings, "image.not_readable"]

    app.connect("config-inited", allow_missing_pictures)
