# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx for the whole documentation: the target `site`, or python -m sphinx -W -c Wrapping/Python/docs . OUTPUT.

Pages stay where they are in the repository. PAGES gives each its address on the site; a page that others link to needs one.
BRICKCCL in the environment is the command whose help is shown; without it, those pages are shorter. The Python package is taken
as installed, or else from its sources.
"""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import sphinx.project
from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging

logger = logging.getLogger(__name__)
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_links  # noqa: E402

if importlib.util.find_spec("brickccl") is None:
    sys.path.insert(0, str(ROOT / "Wrapping/Python"))
    autodoc_mock_imports = ["brickccl._core", "brickccl._files"]

project = "BrickCCL"
author = "the BrickCCL authors"
release = version = re.search(r'Version = "([0-9.]+)"', (ROOT / "Source/Engine/Core/Version.h").read_text())[1]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
html_theme = "furo"
html_title = f"{project} {release}"
if address := os.environ.get("BRICKCCL_ADDRESS"):
    html_theme_options = {"footer_icons": [{"name": "Source", "url": address, "html": "Source", "class": ""}]}
html_copy_source = html_show_copyright = False
html_static_path = ["site/site.css"]
html_css_files = ["site.css"]
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
myst_heading_anchors = 4
myst_url_schemes = {"http": None, "https": None, "cpp": {"url": "cpp/{{path}}.html", "title": "{{path}}"}}

#: The address of each page and its file, in the order of the navigation. NAME/index has the pages NAME/* below it.
_docs = "Wrapping/Python/docs/"
_tasks = re.findall(r"\(Examples/(\w+)/README.md\)", (ROOT / "README.md").read_text())
_algorithms = sorted(path.parent.name for path in ROOT.glob("Source/Engine/Algorithms/*/README.md"))
PAGES = {
    "index": "README.md",
    "install": _docs + "site/install.md",
    "tasks/index": _docs + "site/tasks.md",
    **{f"tasks/{name}": f"Examples/{name}/README.md" for name in _tasks},
    "command": _docs + "site/command.md",
    "recipes": _docs + "site/recipes.md",
    "columns": "Source/Engine/Tables/COLUMNS.md",
    "formats": "Source/FORMATS.md",
    "neighbors": "Source/Engine/Core/NEIGHBORS.md",
    "python/index": _docs + "index.md",
    "python/start": "Wrapping/Python/README.md",
    **{f"python/{name}": f"{_docs}{name}.md" for name in ("tasks", "arrays", "reference", "big", "stand-ins", "files", "speed", "building")},
    "cpp": _docs + "site/cpp.md",
    "itk/index": "Source/Fronts/Itk/README.md",
    "itk/module": "Wrapping/ITKModule/README.md",
    "slicer": "Source/Fronts/Slicer/README.md",
    "algorithms/index": _docs + "site/algorithms.md",
    **{f"algorithms/{name}": f"Source/Engine/Algorithms/{name}/README.md" for name in _algorithms},
    "algorithms/kernels": "Source/Engine/Algorithms/BundleMerging/KERNELS.md",
    "algorithms/bricks": "Source/Engine/Bricks/README.md",
    "algorithms/papers": "Testing/Benchmarks/PAPERS.md",
    "speed/index": "Testing/Benchmarks/RESULTS.md",
    "speed/gpu": "Testing/gpu/RESULTS.md",
    "speed/large": "Testing/Benchmarks/SCALE.md",
    "speed/decisions": "Testing/Benchmarks/DECISIONS.md",
    "contributing/index": "CONTRIBUTING.md",
    "contributing/source": "Source/README.md",
    **{f"contributing/{room.lower()}": f"Source/{room}/README.md" for room in ("Engine", "Files", "Inspection", "Fronts")},
    "contributing/host": "Source/Engine/Host/README.md",
    "contributing/wrapping": "Wrapping/README.md",
    "contributing/tests": "Testing/README.md",
    "contributing/fuzzers": "Testing/Fuzz/README.md",
    "contributing/security": "SECURITY.md",
    "contributing/changes": "CHANGELOG.md",
}
#: Names of pages in the navigation and above a page.
TITLES = {"columns": "Columns", "formats": "Formats", "neighbors": "Neighborhoods", "python/start": "Start",
          "itk/index": "ITK filters", "slicer": "3D Slicer", "speed/index": "How fast"}
CAPTIONS = {"tasks/index": "Use it", "python/index": "Program with it", "algorithms/index": "Behind it"}


class Project(sphinx.project.Project):
    """The pages of PAGES, under their addresses."""

    def discover(self, *unused):
        self._docname_to_path = {name: pathlib.Path(path) for name, path in PAGES.items()}
        self._path_to_docname = {path: name for name, path in self._docname_to_path.items()}
        self.docnames = set(PAGES)
        return self.docnames

    def path2doc(self, filename):
        return self._path_to_docname.get(pathlib.Path(os.path.relpath(ROOT / filename, ROOT)))


def toctrees(name):
    """The pages below a page, in Markdown."""
    folder = name.removesuffix("index")
    groups = []
    for page in PAGES if folder != name else ():
        if page == name or not page.startswith(folder) or page.removesuffix("/index").count("/") != folder.count("/"):
            continue
        if page in CAPTIONS or not groups:
            groups.append("\n\n```{toctree}\n:hidden:\n" + (f":caption: {CAPTIONS[page]}\n" if page in CAPTIONS else ""))
        groups[-1] += f"\n{TITLES[page]} </{page}>" if page in TITLES else f"\n/{page}"
    return "".join(group + "\n```" for group in groups)


def command(*words):
    return subprocess.run([os.environ["BRICKCCL"], *words], check=True, capture_output=True, text=True).stdout


def help_of_commands():
    """A section for each command, with all that its help says."""
    texts = {name: command(name, "--help") for name in re.findall(r"^  ([a-z]+) {2,}\w", command("--help"), re.MULTILINE)}
    texts = {name: command(name, "--help-all") if "--help-all" in text else text for name, text in texts.items()}
    return "\n".join(f"## {name}\n\n```text\n{text}```\n" for name, text in texts.items())


def keys_of_recipes():
    """A table for each table of a recipe, from the schema that editors use."""
    text = ""
    for name, table in json.loads(command("recipe", "schema"))["properties"].items():
        text += f"### {name}\n\n{table['description']}\n\n| key | meaning |\n| --- | --- |\n"
        for key, value in table.get("items", table).get("properties", {}).items():
            choice = ": " + ", ".join(f"`{word}`" for word in value["enum"]) if "enum" in value else ""
            text += f"| `{key}` | {value['description']}{choice} |\n"
    return text


def ready_recipes():
    files = sorted((ROOT / "Source/Inspection/Batch/Recipes").glob("*.toml"))
    return "\n".join(f"### {file.stem}\n\n```toml\n{file.read_text()}```\n" for file in files)


def read_source(app, name, source):
    makers = {"<!-- ready recipes -->": ready_recipes}
    if "BRICKCCL" in os.environ:
        makers |= {"<!-- commands -->": help_of_commands, "<!-- recipe keys -->": keys_of_recipes}
    for mark, make in makers.items():
        if mark in source[0]:
            source[0] = source[0].replace(mark, make())
    source[0] += toctrees(name)


def anchor_columns(app, doctree):
    """The row of each column gets an anchor, which a search for its name finds."""
    for row in doctree.findall(nodes.row) if app.env.docname == "columns" else []:
        name = row[0].astext()
        if re.fullmatch("[a-z0-9_]+", name) and isinstance(row[0][0][0], nodes.literal):
            row["ids"].append(name)
            row.parent.parent.parent["classes"] = ["columns"]
            row[0][0].insert(0, addnodes.index(entries=[("single", name, name, "main", None)]))


def check_site(app, failure):
    for line in [] if failure else check_links.broken_links(pathlib.Path(app.outdir)):
        logger.warning("a link that leads nowhere: %s", line)


def setup(app):
    sphinx.project.Project.discover, sphinx.project.Project.path2doc = Project.discover, Project.path2doc
    app.connect("source-read", read_source)
    app.connect("doctree-read", anchor_columns)
    app.connect("build-finished", check_site)
