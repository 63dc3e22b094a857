# SPDX-License-Identifier: Apache-2.0
"""The sentences for people at the end of each command."""

import fcntl
import itertools
import os
import pty
import struct
import subprocess
import termios
import unittest

from support import COMMAND, CommandTest, run, write_nrrd

NEXT_STEP = "open %s in 3D Slicer"
COLUMNS = "what the columns mean: brickccl stats --list-columns"


class SummariesTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.image, self.output, self.table = self.path("in.nrrd"), self.path("out.nrrd"), self.path("t.csv")

    def block(self, pores, spacing=(2, 2, 2), side=14):
        """Writes a cube of material in air, with pores: places of voxels."""
        inside = range(2, side - 2)
        values = [200 if x in inside and y in inside and z in inside and (x, y, z) not in pores else 10
                  for z, y, x in itertools.product(range(side), repeat=3)]
        write_nrrd(self.image, "uint8", (side, side, side), values, spacing=spacing)

    def plane(self, rows, name="in.nrrd"):
        """Writes a plane, which has no spacing, of the digits of rows."""
        write_nrrd(self.path(name), "uint8", (len(rows[0]), len(rows)), [int(digit) for row in rows for digit in row])

    def lines(self, *arguments):
        """The lines of the summary without the time."""
        lines = self.ok(*arguments).stdout.splitlines()
        return [line for line in lines if not (line.endswith(" on cpu)") and " s (" in line)]

    def test_a_share_of_the_mask(self):
        self.plane(["1100", "1100", "0000"])
        self.plane(["1110", "1110", "1110"], "mask.nrrd")
        label = ["label", self.image, self.output, "--mask", self.path("mask.nrrd")]
        self.assertIn("44.44 % of the mask", self.lines(*label, "--statistics", self.table)[1])
        self.assertNotIn("%", "".join(self.lines(*label)))

    def test_pores_of_a_part(self):
        self.block({(5, 5, 5), (8, 5, 5), (8, 6, 5)})
        label = ["label", self.image, self.output, "--pores"]
        self.assertEqual(self.lines(*label, "--connectivity", "full"), [
            "2 pores (26 neighbors), material from 105 up (otsu)",
            "part 8000 mm3, pores 24.00 mm3, porosity 0.3000 %, largest pore 16.00 mm3",
            "image: 14 x 14 x 14 voxels, spacing 2 x 2 x 2 mm",
            self.output + ": labels of type uint8",
            NEXT_STEP % self.output])
        self.assertEqual(self.lines(*label, "--minimum-volume", 8.5, "--largest", 1, "--statistics", self.table), [
            "1 pore (6 neighbors), material from 105 up (otsu)",
            "part 8000 mm3, pores 16.00 mm3, porosity 0.2000 %, largest pore 16.00 mm3",
            "with the dropped pores: porosity 0.3000 %",
            "2 found, 1 kept, 1 dropped by --minimum-volume 8.5",
            "image: 14 x 14 x 14 voxels, spacing 2 x 2 x 2 mm",
            self.output + ": labels of type uint8",
            (NEXT_STEP + "; " + COLUMNS) % self.output])
        self.assertIn("2 found, 1 kept, 1 dropped by --largest 1", self.lines(*label, "--largest", 1))
        self.assertIn("2 found, 0 kept, 2 dropped by --minimum-size 3 and --minimum-volume 1",
                      self.lines(*label, "--minimum-size", 3, "--minimum-volume", 1))
        self.block(set(), spacing=(0.01, 0.01, 0.01))
        self.assertEqual(self.lines(*label)[:2], ["0 pores (6 neighbors), material from 105 up (otsu)",
                                                  "part 0.001000 mm3, pores 0 mm3, porosity 0 %, largest pore 0 mm3"])

    def test_slices_have_areas(self):
        self.block({(5, 5, 5), (5, 5, 6), (8, 5, 5), (8, 6, 5)})
        self.assertEqual(self.lines("label", self.image, self.output, "--pores", "--by-slice", "z")[:2], [
            "3 pores (4 neighbors within slices along z), material from 105 up (otsu)",
            "part 8000 mm3, pores 32.00 mm3, porosity 0.4000 %, largest pore 8.000 mm2"])

    def test_in_memory_and_by_slabs(self):
        self.block({(5, 5, 5)})
        expected = ["1 component (6 neighbors), foreground from 100 up",
                    "together 7.992 cm3, 36.41 % of the image",
                    "image: 14 x 14 x 14 voxels, spacing 2 x 2 x 2 mm",
                    self.output + ": labels of type uint8"]
        label = ["label", self.image, self.output, "--threshold", 100]
        self.assertEqual(self.lines(*label), expected + [NEXT_STEP % self.output])
        slabs = self.lines(*label, "--memory", "500MB")
        self.assertEqual(slabs[:4] + slabs[5:], expected + [NEXT_STEP % self.output])
        self.assertRegex(slabs[4], r"^1 slab, [0-9.]+ \S+ on disk, peak memory [0-9.]+ \S+$")

    def test_planes_and_no_spacing(self):
        self.plane(["1100", "0000", "0011", "0010"])
        label = ["label", self.image, self.output]
        self.assertEqual(self.lines(*label), [
            "2 components (4 neighbors), foreground: values other than 0",
            "together 5 voxels, 31.25 % of the image",
            "image: 4 x 4 voxels, spacing 1 x 1 mm (assumed: the file has none)",
            self.output + ": labels of type uint8",
            NEXT_STEP % self.output])
        self.assertIn("no voxel size in the file: 1 mm assumed; set it with --spacing X Y Z", run(*label).stderr)
        self.assertEqual(self.lines(*label, "--spacing", 10, 20)[1:3],
                         ["together 10.00 cm2, 31.25 % of the image", "image: 4 x 4 voxels, spacing 10 x 20 mm"])
        self.plane(["11111", "10101", "11011", "11111"])
        self.assertEqual(self.lines(*label, "--pores", "--range", 1, 1)[:2],
                         ["3 pores (4 neighbors), material of value 1",
                          "part 20 voxels, pores 3 voxels, porosity 15.00 %, largest pore 1 voxel"])

    def test_nothing_and_one_voxel(self):
        self.plane(["00"])
        self.assertEqual(self.lines("label", self.image, self.output), [
            "0 components (4 neighbors), foreground: values other than 0",
            "together 0 voxels, 0 % of the image",
            "image: 2 x 1 voxels, spacing 1 x 1 mm (assumed: the file has none)",
            self.output + ": labels of type uint8"])
        self.plane(["1"])
        self.assertEqual(self.lines("label", self.image, self.output)[:2],
                         ["1 component (4 neighbors), foreground: values other than 0",
                          "together 1 voxel, 100.0 % of the image"])

    def test_criteria(self):
        self.plane(["0123", "4567"])
        for said, options in (("foreground from 2 to 5", ("--range", 2, 5)), ("foreground up to 3.25", ("--range", "-inf", 3.25)),
                              ("foreground: every voxel, equal values joined", ("--equal-value", "--background", "none")),
                              ("foreground: values other than 3, values joined if at most 1.5 apart",
                               ("--tolerance", 1.5, "--background", 3)),
                              ("foreground below 3.5 (otsu)", ("--threshold", "otsu", "--below")),
                              ("foreground from 4.5 up (multi-otsu:3:2 of 1.5, 4.5)", ("--threshold", "multi-otsu:3:2"))):
            line = self.lines("label", self.image, self.output, *options)[0]
            self.assertEqual(line.split(" (4 neighbors), ")[1], said)
        self.assertIn("(4 neighbors, periodic along x)", self.lines("label", self.image, self.output, "--periodic", "x")[0])

    def test_filters(self):
        self.plane(["0000000", "0110111", "0110101", "0000111", "1000000"])
        self.assertIn("1 hole filled (1 voxel), 3 components before the filters, 1 without a seed removed, 1 at the border removed",
                      self.lines("label", self.image, self.output, "--fill-holes", "--clear-border", "--seeds", "1,1;0,4"))
        self.assertIn("3 components before the filters, 1 seed in no component, 3 without a seed removed",
                      self.lines("label", self.image, self.output, "--seeds", "0,0"))

    def test_other_commands(self):
        self.plane(["1100", "0000", "0022", "0020"])
        grid = "image: 4 x 4 voxels, spacing 1 x 1 mm (assumed: the file has none)"
        written = self.output + ": labels of type uint8"
        self.assertEqual(self.lines("stats", self.image, "-o", self.table),
                         ["2 labels measured: " + self.table, "together 5 voxels, 31.25 % of the image", grid, COLUMNS])
        self.assertEqual(self.lines("select", self.image, self.output, "--where", "voxel_count > 2", "--keep"),
                         ["1 of 2 components kept", grid, written, NEXT_STEP % self.output])
        self.assertEqual(self.lines("clean", self.image, self.output, "--minimum-size", 3),
                         ["class 1: 1 component, 1 removed (2 voxels), 0 holes filled (0 voxels)",
                          "all: 2 components, 1 removed (2 voxels), 0 holes filled (0 voxels)",
                          "1 of 2 classes changed (4 neighbors)", grid, written, NEXT_STEP % self.output])
        self.assertEqual(self.lines("sweep", self.image, "--range-from", 0.5, "--range-to", 2, "--steps", 2, "-o", self.table),
                         ["2 thresholds from 0.5 to 2 (4 neighbors)", "most components (2) at 0.5", grid, self.table + ": one row per threshold"])
        self.assertIn("no components", self.lines("sweep", self.image, "--range-from", 5, "--range-to", 6, "-o", self.table))

    def test_many_classes(self):
        write_nrrd(self.image, "uint8", (80, 1, 1), [i // 2 + 1 if i % 2 else 0 for i in range(80)])
        lines = self.lines("clean", self.image, self.output, "--minimum-size", 2)
        self.assertEqual(lines[29:33], ["class 30: 1 component, 1 removed (1 voxel), 0 holes filled (0 voxels)",
                                        "and 10 more classes (--json lists all)",
                                        "all: 40 components, 40 removed (40 voxels), 0 holes filled (0 voxels)",
                                        "40 of 40 classes changed (6 neighbors)"])

    def test_score(self):
        self.plane(["1100", "0000", "0022", "0020"])
        self.plane(["1100", "0000", "0000", "3000"], "found.nrrd")
        self.assertEqual(self.lines("score", self.path("found.nrrd"), self.image),
                         ["1 of 2 true defects found (recall 50.00 %)", "1 of 2 labels right (precision 50.00 %)",
                          "Dice 0.5000 of all voxels, F1 0.5000 of all defects, volume error -40.00 %",
                          "image: 4 x 4 voxels, spacing 1 x 1 mm (assumed: the file has none)",
                          "found by diameter: 1 of 1 from 1.596 voxels, 0 of 1 from 1.858 voxels"])
        self.plane(["0000"], "found.nrrd")
        self.assertEqual(self.lines("score", self.path("found.nrrd"), self.path("found.nrrd"))[:3],
                         ["0 of 0 true defects found", "0 of 0 labels right",
                          "image: 4 x 1 voxels, spacing 1 x 1 mm (assumed: the file has none)"])

    def test_quiet_and_json_have_no_last_line(self):
        self.plane(["1100"])
        label = ["label", self.image, self.output, "--statistics", self.table]
        self.assertEqual(self.ok(*label, "--quiet").stdout, "")
        self.assertNotIn("Slicer", self.ok(*label, "--json").stdout)
        self.assertNotIn("Slicer", self.ok("label", self.image, self.path("out.png")).stdout)

    def shown(self, columns, *arguments):
        """What a command shows on a terminal, and its notes."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([COMMAND, *map(str, arguments)], stdout=theirs, stderr=subprocess.PIPE)
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65536)
            except OSError:
                break
        os.close(ours)
        notes = process.communicate()[1].decode()
        self.assertEqual(process.returncode, 0, notes)
        return shown.decode().splitlines(), notes

    def test_a_printed_table_fits_the_terminal(self):
        self.block({(5, 5, 5)})
        stats = ["stats", self.image, "--print"]
        lines, notes = self.shown(80, *stats)
        self.assertEqual(lines[0].split(), ["label", "voxel_count", "volume_mm3", "centroid_x_mm", "centroid_y_mm", "centroid_z_mm"])
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertIn("6 of 24 columns fit the terminal; choose others with --columns", notes)
        self.assertEqual(self.shown(10, *stats)[0][0].split(), ["label"])
        for columns, options in ((1000, ()), (30, ("--columns", "voxel_count,bbox_min_x,centroid_x,volume_mm3"))):
            lines, notes = self.shown(columns, *stats, *options)
            self.assertEqual(lines[:3], self.ok(*stats, *options).stdout.splitlines()[:3])
            self.assertNotIn("fit the terminal", notes)


if __name__ == "__main__":
    unittest.main()
