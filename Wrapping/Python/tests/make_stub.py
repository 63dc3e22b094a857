# SPDX-License-Identifier: Apache-2.0
"""Writes a stub of the bindings: python tests/make_stub.py brickccl/_core.pyi, with the package installed. `_files.pyi` needs one
with the command's readers."""

import pathlib
import subprocess
import sys


def main(path):
    stub = pathlib.Path(path).resolve()
    # stubgen imports from the current folder first, where the sources of the package may be.
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", f"brickccl.{stub.stem}", "-o", str(stub)]
    subprocess.run(command, cwd=stub.parent, check=True)
    # nanobind leaves out what an array of any type consists of, which strict type checkers take for unknown.
    stub.write_text(stub.read_text(encoding="utf-8").replace("[NDArray, ", "[NDArray[Any], "), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
