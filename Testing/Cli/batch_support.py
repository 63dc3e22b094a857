# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of `brickccl batch`."""

import csv
import json
import os

from support import CommandTest, run, write_nrrd

FACES = "[labeling]\nconnectivity = 6\n"


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


class BatchTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.input = self.path("in")
        self.output = self.path("out")
        os.mkdir(self.input)

    def recipe(self, text=FACES, name="r.toml"):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(text)
        return self.path(name)

    def volume(self, name, boxes, size=(12, 10, 8), spacing=(1, 1, 1), value=1):
        """A volume of 0 with boxes (x, y, z, width, height, depth) of a value."""
        values = [0] * (size[0] * size[1] * size[2])
        for x, y, z, width, height, depth in boxes:
            for k in range(z, z + depth):
                for j in range(y, y + height):
                    for i in range(x, x + width):
                        values[(k * size[1] + j) * size[0] + i] = value
        write_nrrd(os.path.join(self.input, name), "uint8", size, values, spacing)

    def batch(self, *arguments, code=0, recipe=None, inputs=None):
        result = run("batch", recipe or self.path("r.toml"), *(inputs or [self.input]), "-o", self.output, *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def items(self):
        return {row["item"]: row for row in rows_of(os.path.join(self.output, "items.csv"))}

    def summary(self, item):
        with open(os.path.join(self.output, "items", item, "summary.json"), encoding="utf-8") as stream:
            return json.load(stream)

    def tree(self, folder=None):
        """All results but those that tell of time."""
        folder = folder or self.output
        found = {}
        for where, folders, files in os.walk(folder):
            if where == folder:
                folders.remove(".batch")
            for name in files:
                if name not in ("timings.csv", "log.txt", "record.json"):
                    with open(os.path.join(where, name), "rb") as stream:
                        found[os.path.relpath(os.path.join(where, name), folder)] = stream.read()
        return found
