# SPDX-License-Identifier: Apache-2.0
"""What `brickccl sweep` writes, beside a labeling for each threshold."""

import csv
import json
import os
import random
import struct
import unittest

from support import CommandTest, labels_of, write_nrrd


class SweepTest(CommandTest):
    def setUp(self):
        super().setUp()
        choose = random.Random(3)
        self.values = [choose.randint(-50, 50) // 7 * 7 for _ in range(11 * 9 * 7)]
        self.image = self.path("in.nrrd")
        write_nrrd(self.image, "int16", (11, 9, 7), self.values, spacing=(0.5, 1, 2))

    def rows(self, name, separator=","):
        with open(self.path(name), encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream, delimiter=separator))

    def test_is_what_a_labeling_for_each_threshold_gives(self):
        for below in (False, True):
            for connectivity in (6, 26):
                arguments = ["--below"] if below else []
                self.ok("sweep", self.image, "--range-from", -40.5, "--range-to", 40.5, "--steps", 10, "-o", self.path("c.csv"),
                        "--connectivity", connectivity, "--quiet", *arguments)
                rows = self.rows("c.csv")
                self.assertEqual([float(row["threshold"]) for row in rows], [-40.5 + 9 * i for i in range(10)])
                for row in rows:
                    result = self.ok("label", self.image, self.path("l.nrrd"), "--threshold", row["threshold"], *arguments,
                                     "--order", "size", "--json", "--connectivity", connectivity)
                    labels = labels_of(self.path("l.nrrd"))[1]
                    self.assertEqual(int(row["components"]), json.loads(result.stdout)["components"])
                    self.assertEqual(int(row["largest_voxel_count"]), labels.count(1))
                    voxels = sum(label != 0 for label in labels)
                    self.assertEqual(int(row["voxel_count"]), voxels)
                    self.assertEqual(float(row["volume_mm3"]), voxels)
                    self.assertEqual(float(row["fraction"]), voxels / len(labels))

    def test_formats_agree_and_the_plot_is_drawn(self):
        arguments = ["sweep", self.image, "--range-from", 0, "--range-to", 1, "--steps", 3]
        summary = json.loads(self.ok(*arguments, "-o", self.path("c.tsv"), "--plot", self.path("c.svg"), "--json").stdout)
        self.ok(*arguments, "--output", self.path("c.json"), "--plot", self.path("c.png"), "--quiet")
        with open(self.path("c.json"), encoding="utf-8") as stream:
            rows = json.load(stream)
        self.assertEqual(rows, summary["steps"])
        text = self.rows("c.tsv", "\t")
        self.assertEqual([{name: float(value) for name, value in row.items()} for row in text], rows)
        self.assertEqual(list(text[0]), ["threshold", "components", "largest_voxel_count", "largest_volume_mm3", "voxel_count",
                                         "volume_mm3", "fraction"])
        # 0 is a value of the image, 0.5 and 1 are between values.
        self.assertEqual(rows[0]["voxel_count"], sum(value >= 0 for value in self.values))
        self.assertEqual(rows[1]["voxel_count"], rows[2]["voxel_count"])
        with open(self.path("c.svg"), encoding="utf-8") as stream:
            self.assertIn("share of the image in %", stream.read())
        with open(self.path("c.png"), "rb") as stream:
            self.assertEqual(stream.read(8), b"\x89PNG\r\n\x1a\n")

    def test_slices(self):
        self.ok("sweep", self.image, "--range-from", -40, "--range-to", 40, "--steps", 2, "--by-slice", "z", "--connectivity", 8,
                "-o", self.path("c.csv"), "--quiet")
        result = self.ok("label", self.image, self.path("l.nrrd"), "--range", -40, "inf", "--by-slice", "z", "--connectivity", 8, "--json")
        self.assertEqual(int(self.rows("c.csv")[0]["components"]), json.loads(result.stdout)["components"])

    def test_periodic_axes_and_other_neighbors(self):
        for arguments in (["--periodic", "x,z"], ["--neighborhood", "8+z"], ["--neighborhood", "8+z", "--periodic", "z"]):
            text = self.ok("sweep", self.image, "--range-from", -10, "--range-to", 20, "--steps", 2, "-o", self.path("c.csv"),
                           "--json", *arguments).stdout
            result = json.loads(self.ok("label", self.image, self.path("l.nrrd"), "--range", -10, "inf", "--json", *arguments).stdout)
            self.assertEqual(int(self.rows("c.csv")[0]["components"]), result["components"])
            for name in ("connectivity", "neighborhood", "periodic"):
                self.assertEqual(json.loads(text)[name], result[name])

    def test_a_row_of_the_curve_is_what_label_finds(self):
        # Voxels that are the nearest values to the thresholds, and their neighbors.
        image, steps = self.path("decimal.nrrd"), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
        for kind, code in (("float", "f"), ("double", "d")):
            near = [struct.unpack(code, struct.pack(code, step))[0] for step in steps]
            integer = "i" if kind == "float" else "q"
            bits = [struct.unpack(integer, struct.pack(code, value))[0] for value in near]
            values = [struct.unpack(code, struct.pack(integer, one + away))[0] for one in bits for away in (-1, 0, 1)]
            write_nrrd(image, kind, (len(values) * 2, 1), [value for one in values for value in (one, -5)])
            for options in ((), ("--below",)):
                self.ok("sweep", image, "--range-from", 0.1, "--range-to", 0.7, "--steps", 7, *options, "-o", self.path("c.csv"))
                rows = self.rows("c.csv")
                for row in rows:
                    found = json.loads(self.ok("label", image, self.path("l.nrrd"), "--threshold", row["threshold"], *options,
                                               "--json").stdout)
                    self.assertEqual((int(row["components"]), int(row["voxel_count"])),
                                     (found["components"], found["foreground_voxels"]), (kind, options, row))
                # A voxel that is the nearest value to a threshold is at it, not below it.
                if kind == "float":
                    self.assertEqual(int(rows[2]["voxel_count"]), 3 * 4 + 2 if not options else 3 * 2 + 1 + len(values))

    def test_ends_that_are_no_doubles_are_refused(self):
        image = self.path("large.nrrd")
        write_nrrd(image, "int64", (4, 3), [2**53 + i for i in range(12)])
        self.fails("sweep", image, "--range-from", str(2**53 + 1), "--range-to", str(2**53 + 4), "--steps", 3,
                   "-o", self.path("s.csv"), saying=["--range-from", "9007199254740992"])
        self.ok("sweep", image, "--range-from", str(2**53 + 2), "--range-to", str(2**53 + 8), "--steps", 2,
                "--connectivity", "full", "-o", self.path("s.csv"))

    def test_bad_input(self):
        def fails(*arguments, saying):
            self.fails("sweep", self.image, *arguments, "-o", self.path("c.csv"), saying=saying)

        fails("--range-from", 5, "--range-to", 5, saying="the first threshold (5) must be below the last (5)")
        fails("--range-from", 1e6, "--range-to", 5, saying="(1000000)")
        fails("--range-from", "-inf", "--range-to", 5, saying="both must be finite")
        fails("--range-from", 1, "--range-to", 5, "--steps", 1, saying="whole number from 2")
        fails("--range-from", 1, saying="--range-to")
        fails("--range-from", 1, "--range-to", 2, "--plot", self.path("c.gif"), saying="c.gif")
        fails("--range-from", 1, "--range-to", 2, "--connectivity", 7, saying="'7' is not a number of neighbors")
        limits = ["--range-from", 1, "--range-to", 2]
        self.fails("sweep", self.image, *limits, "-o", self.path("c.txt"), saying="c.txt")
        self.fails("sweep", self.image, *limits, "-o", os.path.join(self.folder, "absent", "c.csv"), saying="absent")
        self.fails("sweep", self.path("absent.nrrd"), *limits, "-o", self.path("c.csv"), saying="absent.nrrd")


if __name__ == "__main__":
    unittest.main()
