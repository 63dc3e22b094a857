# SPDX-License-Identifier: Apache-2.0
"""Checks the links of a folder of HTML pages: each leads to a file of the folder, and to an anchor in it.

    python check_links.py FOLDER
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The anchors and the links of a page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = {""}, set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value and not urllib.parse.urlsplit(value)[0]:
                self.links.add(value)


def broken_links(folder):
    """A line for each link that leads nowhere; those within Doxygen's pages are its own."""
    folder = folder.resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    broken = []
    for path in (path for path in pages if folder / "cpp" != path.parent or path.name == "index.html"):
        for link in sorted(pages[path].links):
            parts = urllib.parse.urlsplit(link)
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file() or (target in pages and anchor not in pages[target].anchors):
                broken.append(f"{path.relative_to(folder)}: {link}")
    return broken


if __name__ == "__main__":
    found = broken_links(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "all links lead to a page")
    sys.exit(1 if found else 0)
