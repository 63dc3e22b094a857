# SPDX-License-Identifier: Apache-2.0
"""Slice images as the input of the command: a folder, a glob or a printf pattern, and slices that are none."""

import csv
import json
import os
import shutil
import unittest

from support import CommandTest, labels_of, run, write_nrrd


class SlicesTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.slices = self.path("slices")
        os.mkdir(self.slices)
        self.values = [(x + 2 * y + 3 * z) % 5 for z in range(12) for y in range(6) for x in range(7)]
        for z in range(12):
            self.put("s_%03d.tif" % z, z)
        self.volume = self.path("volume.nrrd")
        write_nrrd(self.volume, "uint8", (7, 6, 12), self.values)
        self.output = self.path("o.nrrd")

    def put(self, name, z):
        """Writes a slice as an image of its own."""
        plane = self.path("plane.nrrd")
        write_nrrd(plane, "uint8", (7, 6), self.values[42 * z:42 * (z + 1)])
        self.ok("clean", plane, os.path.join(self.slices, name), "--minimum-size", 0, "--largest", 0, "--fill-holes", 0, "--quiet")

    def labels(self, *arguments):
        self.ok("label", *arguments, self.output, "--quiet", "--range", 2, 3)
        return labels_of(self.output)

    def test_a_folder_a_glob_and_a_printf_pattern_are_the_volume(self):
        expected = self.labels(self.volume)
        os.rename(os.path.join(self.slices, "s_011.tif"), os.path.join(self.slices, "other_11.tif"))
        self.put("s_011.tif", 11)
        patterns = ("s_*.tif", "s_0*.tif", "s_%03d.tif", "s_%03i.tif", "s_0??.tif")
        for pattern in patterns:
            self.assertEqual(self.labels(os.path.join(self.slices, pattern)), expected, pattern)
        os.remove(os.path.join(self.slices, "other_11.tif"))
        self.assertEqual(self.labels(self.slices), expected)
        pattern = os.path.join(self.slices, "s_%03d.tif")
        summary = json.loads(self.ok("info", pattern, "--json").stdout)
        self.assertEqual(summary["extent"], [7, 6, 12])
        for command in (["stats", pattern, "--print"], ["clean", pattern, self.output, "--largest", 1],
                        ["sweep", pattern, "--range-from", 1, "--range-to", 3, "-o", self.path("c.csv")],
                        ["label", pattern, self.output, "--memory", "500MB"]):
            self.ok(*command)

    def test_folders_that_exist_are_taken_literally(self):
        expected = self.labels(os.path.join(self.slices, "s_*.tif"))
        for folder in ("run [2018-11-12]", "x[y", "a]b", "q?*", "back\\slash"):
            inner = os.path.join(self.path(folder), "in [1]")
            shutil.copytree(self.slices, inner)
            for pattern in ("s_*.tif", "s_%03d.tif", "s_0??.tif"):
                self.assertEqual(self.labels(os.path.join(inner, pattern)), expected, (folder, pattern))
            self.fails("label", os.path.join(inner, "none.tif"), self.output, saying=["no such file"])
            self.fails("label", os.path.join(inner, "s_*.tif"), os.path.join(inner, "s_000.tif"), saying=["part of the input"])

    def test_brackets_are_letters(self):
        for z in range(3):
            self.put("part[1]_%d.tif" % z, z)
        expected = self.labels(os.path.join(self.slices, "part[1]_*.tif"))
        self.put("part1_0.tif", 5)
        for pattern in ("part[1]_*.tif", "part[1]_%d.tif", "part[1]_?.tif"):
            self.assertEqual(self.labels(os.path.join(self.slices, pattern)), expected, pattern)
        where = os.path.join(self.slices, "part[1]_*.tif")
        self.fails("label", where, os.path.join(self.slices, "part[1]_1.tif"), saying=["part of the input"])
        self.fails("info", os.path.join(self.slices, "part[[]1]_*.tif"), saying="no file matches this pattern")

    def test_printf_patterns_take_the_names_that_printf_makes(self):
        for name, z in (("p7.tif", 0), ("p8.tif", 1), ("p10.tif", 3), ("px.tif", 7), ("100%_2.tif", 8)):
            self.put(name, z)
        where = os.path.join(self.slices, "")
        self.fails("label", where + "p%d.tif", self.output, saying="'p9.tif' is missing between 'p8.tif' and 'p10.tif'")
        self.put("p9.tif", 2)
        self.assertEqual(json.loads(self.ok("info", where + "p%d.tif", "--json").stdout)["extent"], [7, 6, 4])
        self.put("p09.tif", 5)
        for pattern, other in (("p%d.tif", "'p09.tif'"), ("p%02d.tif", "'p7.tif'")):
            self.fails("info", where + pattern, saying=["a part of the slices", other, "p*.tif"])
        self.assertEqual(json.loads(self.ok("info", where + "p%02d.tif", "--accept-irregular-slices", "--json").stdout)["extent"], [7, 6, 2])
        self.assertEqual(json.loads(self.ok("info", where + "100%%_%d.tif", "--json").stdout)["extent"], [7, 6, 1])
        self.assertEqual(json.loads(self.ok("info", where + "100%_2.tif", "--json").stdout)["extent"], [7, 6])
        for pattern, says in (("s_%d.tif", "no file matches this pattern"), ("s_%04d.tif", "no file matches this pattern")):
            self.fails("label", where + pattern, self.output, saying=[says, "'s_000.tif'", "s_*.tif"])
        for pattern in ("q_%03d.tif", "s_%03d.png"):
            self.fails("label", where + pattern, self.output, saying=[pattern, "no file matches this pattern"])
        for no_pattern in ("s_%d%d.tif", "s_%s.tif", "s_%03x.tif"):
            self.fails("label", where + no_pattern, self.output, saying=[no_pattern, "no such file"])

    def test_no_output_is_a_slice_of_a_pattern(self):
        pattern = os.path.join(self.slices, "s_%03d.tif")
        slice_path = os.path.join(self.slices, "s_004.tif")
        with open(slice_path, "rb") as stream:
            before = stream.read()
        self.fails("label", pattern, slice_path, "--range", 2, 3, saying=["s_004.tif", "a part of the input"])
        with open(slice_path, "rb") as stream:
            self.assertEqual(stream.read(), before)
        for given, name in ((pattern, "s_012.tif"), (os.path.join(self.slices, "s_*.tif"), "s_labels.tif")):
            self.fails("label", given, os.path.join(self.slices, name), "--range", 2, 3, saying=[name, given, "another name"])
            self.assertNotIn(name, os.listdir(self.slices))
        self.ok("label", pattern, os.path.join(self.slices, "labels.tif"), "--range", 2, 3, "--quiet")

    def test_no_output_becomes_a_slice_of_its_input(self):
        os.symlink(self.slices, self.path("link"))
        os.symlink(os.path.join(self.slices, "s_012.tif"), self.path("late.tif"))
        for given in (os.path.join(self.slices, "s_%03d.tif"), os.path.join(self.path("link"), "s_*.tif"),
                      self.slices, self.path("link")):
            for written in (os.path.join(self.slices, "s_012.tif"), os.path.join(self.path("link"), "s_012.tif"), self.path("late.tif")):
                self.fails("label", given, written, "--range", 2, 3, saying=[written, given, "the next time"])
                self.assertNotIn("s_012.tif", os.listdir(self.slices))
        picture = os.path.join(self.slices, "picture.png")
        self.fails("label", self.slices, self.output, "--range", 2, 3, "--picture", picture, saying=["--picture", "the next time"])
        self.ok("label", self.slices, os.path.join(self.slices, "labels.nrrd"), "--range", 2, 3, "--quiet")
        self.ok("info", self.slices)

    def test_slices_that_are_empty_or_no_images_are_named(self):
        for content, saying in ((b"", "the file is empty"), (b"hello, this is no image", "this is not in TIFF format"), (b"II*\0\x08", "TIFF")):
            for name in ("s_000.tif", "s_005.tif"):
                bad = os.path.join(self.slices, name)
                shutil.copy(bad, self.path("kept"))
                with open(bad, "wb") as stream:
                    stream.write(content)
                for given in (self.slices, os.path.join(self.slices, "s_*.tif"), os.path.join(self.slices, "s_%03d.tif")):
                    for command in (["label", given, self.output], ["info", given]):
                        self.fails(*command, saying=["'%s'" % name, saying])
                shutil.copy(self.path("kept"), bad)

    def test_a_batch_judges_no_stack_without_its_bad_slices(self):
        for content in (b"", b"hello"):
            with open(os.path.join(self.slices, "s_000.tif"), "wb") as stream:
                stream.write(content)
            shutil.rmtree(self.path("out"), ignore_errors=True)
            result = run("batch", "casting-porosity", self.slices, "-o", self.path("out"))
            self.assertEqual(result.returncode, 3, result.stderr)
            with open(self.path("out/items.csv"), newline="", encoding="utf-8") as stream:
                rows = list(csv.DictReader(stream))
            self.assertEqual([row["verdict"] for row in rows], ["error"])
            self.assertIn("s_000.tif", rows[0]["error"])


if __name__ == "__main__":
    unittest.main()
