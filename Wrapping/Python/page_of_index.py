# SPDX-License-Identifier: Apache-2.0
"""The page of the package index and its links, for scikit-build-core. Links in PYPI.md go to files next to it. In the package they
begin with the address of the project (BRICKCCL_ADDRESS, as in CMake). Without an address they are plain text, and the paragraph
that has nothing but links is left out."""

import os
import pathlib
import posixpath
import re

FOLDER = "Wrapping/Python"


def dynamic_metadata(field, settings, project=None):
    address = os.environ.get("BRICKCCL_ADDRESS", "").rstrip("/")

    def of_file(name):
        return f"{address}/blob/HEAD/{posixpath.normpath(posixpath.join(FOLDER, name))}"

    if field == "urls":
        return {"Source": address, "Changes": of_file("../../CHANGELOG.md")} if address else {}
    text = pathlib.Path(__file__).with_name("PYPI.md").read_text(encoding="utf-8")
    if not address:
        text = re.sub(r"^Read more: .*?\n\n", "", text, flags=re.MULTILINE | re.DOTALL)
    link = re.compile(r"\[([^]\n]+)\]\((?!https?:)([^)\n]+)\)")
    text = link.sub(lambda found: f"[{found[1]}]({of_file(found[2])})" if address else found[1], text)
    return {"text": text, "content-type": "text/markdown"}
