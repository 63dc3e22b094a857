# SPDX-License-Identifier: Apache-2.0
"""Tries an installed wheel with numpy alone: runs the first script of the README, and compares what it prints."""

import contextlib
import io
import os
import pathlib
import re
import tempfile

page = (pathlib.Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
script, expected = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", page, re.DOTALL).groups()
before = os.getcwd()
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(script, "README.md", "exec"), {})
    lines = pathlib.Path("pores.csv").read_text(encoding="utf-8").splitlines()
    os.chdir(before)
assert printed.getvalue() == expected, printed.getvalue()
assert len(lines) == 13, lines
print("the README's first script prints what the page shows")
