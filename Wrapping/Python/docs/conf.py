"""Settings of Sphinx: python -m sphinx -W -b html Wrapping/Python/docs OUTPUT, with brickccl[docs] installed."""

import brickccl

project = "BrickCCL for Python"
author = "the BrickCCL authors"
release = version = brickccl.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
html_theme = "furo"
html_title = f"{project} {release}"
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
myst_heading_anchors = 3
exclude_patterns = ["_build"]
suppress_warnings = ["myst.xref_missing"]
