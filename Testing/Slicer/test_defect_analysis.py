# SPDX-License-Identifier: Apache-2.0
"""BrickDefectAnalysis as Slicer runs it: a part with pores, a crack and noise, every parameter beside a plain flood fill."""

import json
import os
import random
import re
import shlex
import subprocess
import unittest

import oracle
from slicer import read_table, read_volume, write_volume
from support import COMMAND, ORIGIN, SPACING, VOXEL_VOLUME, ModuleTest, module, tilted_grid

DEFECTS = module("BrickDefectAnalysis")
SIZES = (20, 17, 14)
COUNT = SIZES[0] * SIZES[1] * SIZES[2]


def place(x, y, z):
    return x + SIZES[0] * (y + SIZES[1] * z)


def make_scan():
    """A block with pores of different sizes, two of which touch at an edge, a crack that is open to the outside, a smaller
    block beside it, and noise."""
    generator = random.Random(11)
    scan = [100] * COUNT

    def fill(value, xs, ys, zs):
        for x in xs:
            for y in ys:
                for z in zs:
                    scan[place(x, y, z)] = value

    fill(900, range(2, 15), range(2, 15), range(2, 12))
    fill(900, range(17, 19), range(3, 7), range(3, 6))
    fill(120, range(4, 7), range(4, 7), range(4, 7))
    fill(120, range(9, 11), range(5, 6), range(8, 9))
    fill(120, range(9, 10), range(9, 10), range(4, 5))
    fill(120, range(10, 11), range(10, 11), range(4, 5))
    fill(120, range(12, 15), range(12, 13), range(6, 9))
    return [value + generator.randrange(-60, 61) for value in scan]


SCAN = make_scan()
CRACK = place(13, 12, 7)
NUMBERS = ("componentCount", "porosity_percent", "largestDefectVolume", "partVolume", "threshold")

CASES = {
    "medianRadius": [{"medianRadius": 1}],
    "minimumSize": [{"minimumSize": 3}, {"minimumSize": 2, "connectivity": 6}],
    "minimumVolume": [{"minimumVolume": 2 * VOXEL_VOLUME, "connectivity": 6}, {"minimumVolume": 2}],
    "connectivity": [{"connectivity": 6}, {"connectivity": 6, "minimumSize": 2}],
}
ELSEWHERE = {"inputVolume", "outputLabels", "outputTable", "thresholdMethod", "manualThreshold", "darkMaterial",
             "closeWidth", "parts", "regions", "threads", "device", "limitPorosity", "maximumPorosity", "limitDefectVolume", "maximumDefectVolume",
             "limitDefectCount", "maximumDefectCount"}


class DefectAnalysisTest(ModuleTest):
    def setUp(self):
        super().setUp()
        self.input = self.path("scan.nrrd")
        self.output = self.path("defects.nrrd")
        self.write_scan(SCAN)

    def write_scan(self, values, **options):
        write_volume(self.input, "int16", SIZES, values, columns=tilted_grid(), origin=ORIGIN, **options)

    def expected(self, scan=SCAN, start=None, **settings):
        p = {"medianRadius": 0, "darkMaterial": False, "connectivity": 26, "minimumSize": 0, "minimumVolume": 0,
             "voxelVolume": VOXEL_VOLUME, **settings}
        smooth = oracle.median(SIZES, scan, p["medianRadius"]) if p["medianRadius"] else scan
        return oracle.defects(SIZES, scan, oracle.otsu(smooth) if start is None else start, p)

    def analyze(self, **settings):
        return self.ok(DEFECTS.run(self.folder, inputVolume=self.input, outputLabels=self.output, **settings))

    def assert_found(self, result, expected):
        found, part = expected
        kind, labels, columns, origin = read_volume(self.output)
        self.assertTrue(labels == oracle.label_map(COUNT, found), "the defects are not those of the oracle")
        voxels = sum(map(len, found))
        values = {name: float(result.returned[name]) for name in NUMBERS}
        self.assertEqual(values["componentCount"], len(found))
        self.assert_close([values["porosity_percent"], values["largestDefectVolume"], values["partVolume"]],
                          [100 * voxels / len(part), VOXEL_VOLUME * max(map(len, found), default=0),
                           VOXEL_VOLUME * len(part)])
        self.assert_close(origin, ORIGIN)
        for a, b in zip(columns, tilted_grid()):
            self.assert_close(a, b)
        return kind

    def test_every_parameter_and_return_value_has_a_case(self):
        self.assertEqual(set(CASES) | ELSEWHERE | set(NUMBERS) | {"verdict"}, set(DEFECTS.parameters))
        self.assertEqual(set(self.analyze().returned), set(NUMBERS) | {"verdict"})

    def test_defects_of_the_part(self):
        expected = self.expected()
        self.assertEqual([len(defect) for defect in expected[0]], [27, 2, 2])
        result = self.analyze()
        self.assertEqual(self.assert_found(result, expected), "uint8")
        self.assertEqual(result.returned["verdict"], "none")
        self.assertTrue(200 < float(result.returned["threshold"]) < 800)

    def test_parameters_do_what_they_say(self):
        self.check_cases(CASES, lambda settings, expected: self.assert_found(self.analyze(**settings), expected))

    def test_thresholds_by_hand(self):
        for start in (500, 850):
            result = self.analyze(thresholdMethod="manual", manualThreshold=start)
            self.assert_found(result, self.expected(start=start))
            self.assertEqual(float(result.returned["threshold"]), start)
        self.assertNotEqual(self.expected(start=500), self.expected(start=850))

    def test_methods_of_thresholds_are_those_of_the_command(self):
        other = self.path("other.nrrd")
        found = set()
        for element in DEFECTS.parameters["thresholdMethod"].findall("element"):
            if element.text == "manual":
                continue
            result = self.analyze(thresholdMethod=element.text)
            summary = json.loads(subprocess.run(
                [COMMAND, "label", self.input, other, "--pores", "--threshold", element.text, "--connectivity", "26",
                 "--order", "size", "--json"], capture_output=True, check=True).stdout)
            self.assertEqual(read_volume(self.output)[1], read_volume(other)[1])
            self.assertEqual(float(result.returned["threshold"]), summary["threshold"]["value"])
            found.add(summary["threshold"]["value"])
        self.assertGreater(len(found), 2)

    def test_dark_material(self):
        dark = [1000 - value for value in SCAN]
        self.write_scan(dark)
        self.assert_found(self.analyze(darkMaterial=True, thresholdMethod="manual", manualThreshold=500),
                          self.expected(dark, 500, darkMaterial=True))

    def test_open_cracks_count_once_they_are_closed(self):
        self.analyze()
        self.assertEqual(read_volume(self.output)[1][CRACK], 0)
        before = self.analyze().returned
        after = self.analyze(closeWidth=2 * SPACING[1]).returned
        self.assertGreater(read_volume(self.output)[1][CRACK], 0)
        self.assertGreater(float(after["porosity_percent"]), float(before["porosity_percent"]))

    def test_table(self):
        table = self.path("table.tsv")
        self.analyze(outputTable=table)
        rows, schema = read_table(table)
        found, part = self.expected()
        self.assertEqual([row["voxel_count"] for row in rows], [len(defect) for defect in found])
        self.assertTrue(all(row["surface_distance_mm"] > 0 for row in rows))
        self.assertLess(abs(rows[0]["sphericity"] - 0.9), 0.2)
        self.assertIn("sphericity", schema)

    def test_several_parts(self):
        size = (18, 8, 8)
        inside = lambda x, y, z: (0 < x < 9 or 10 < x < 17) and 0 < y < 7 and 0 < z < 7
        scan = [1000 if inside(x, y, z) and (x, y, z) not in ((4, 4, 4), (13, 4, 4)) else 0 for z in range(8) for y in range(8) for x in range(18)]
        write_volume(self.input, "int16", size, scan, columns=[(0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)], origin=ORIGIN)
        table = self.path("table.tsv")
        for parts, expected in (("largest", None), ("all", [1, 2]), ("2", [1, 2]), ("1", [1])):
            result = self.analyze(parts=parts, outputTable=table)
            rows, _ = read_table(table)
            self.assertEqual([row.get("part") for row in rows], expected or [None])
            self.assertAlmostEqual(float(result.returned["partVolume"]), 0.504 if len(rows) == 2 else 0.288)

    def test_regions(self):
        # The part ends at the middle of the region along x, and so do its volume and its pores.
        inside = lambda x, y, z: 0 < x < 9 and 0 < y < 7 and 0 < z < 7
        scan = [1000 if inside(x, y, z) and (x, y, z) not in ((2, 4, 4), (6, 4, 4)) else 0 for z in range(8) for y in range(8) for x in range(10)]
        write_volume(self.input, "int16", (10, 8, 8), scan)
        result = self.analyze(regions=[[2, 4, 4, 2, 9, 9]])
        self.assertEqual([float(result.returned[name]) for name in ("componentCount", "partVolume")], [1, 4 * 36])
        self.assertEqual(read_volume(self.output)[1].index(1), 2 + 10 * (4 + 8 * 4))

    def test_verdicts(self):
        porosity = float(self.analyze().returned["porosity_percent"])
        for settings, verdict in (
                ({"limitPorosity": True, "maximumPorosity": porosity + 0.01}, "pass"),
                ({"limitPorosity": True, "maximumPorosity": 0.5}, "fail: porosity in % above 0.5"),
                ({"maximumPorosity": 0}, "none"),
                ({"limitDefectVolume": True, "maximumDefectVolume": 27 * VOXEL_VOLUME}, "pass"),
                ({"limitDefectVolume": True, "maximumDefectVolume": 20}, "fail: largest defect in mm3 above 20"),
                ({"limitDefectVolume": True, "maximumDefectVolume": 0}, "fail: largest defect in mm3 above 0"),
                ({"limitDefectCount": True, "maximumDefectCount": 3}, "pass"),
                ({"limitDefectCount": True, "maximumDefectCount": 2}, "fail: number of defects above 2"),
                ({"limitPorosity": True, "maximumPorosity": 100, "limitDefectCount": True}, "fail: number of defects above 0"),
                ({"limitDefectVolume": True, "maximumDefectVolume": 1, "limitDefectCount": True},
                 "fail: largest defect in mm3 above 1, number of defects above 0")):
            with self.subTest(**settings):
                self.assertEqual(self.analyze(**settings).returned["verdict"], verdict)

    def test_a_defect_at_the_limit_passes(self):
        """3 voxels of 0.1 mm a side are 0.0030000000000000005 mm3."""
        size = (9, 9, 9)
        scan = [1000 if all(0 < voxel // step % 9 < 8 for step in (1, 9, 81)) else 0 for voxel in range(729)]
        for x in (3, 4, 5):
            scan[4 * 81 + 4 * 9 + x] = 0
        write_volume(self.input, "int16", size, scan, columns=[(0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)], origin=ORIGIN)
        for limit, verdict in ((0.003, "pass"), (0.0029, "fail: largest defect in mm3 above 0.0029")):
            self.assertEqual(self.analyze(limitDefectVolume=True, maximumDefectVolume=limit).returned["verdict"], verdict)

    def test_the_example_of_the_page(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        with open(os.path.join(root, "Source", "Fronts", "Slicer", "README.md"), encoding="utf-8") as stream:
            page = stream.read()
        (example,) = re.findall(r"```sh\n(build/release/cli-modules/[^`]*)```", page)
        words = shlex.split(example.replace("\\\n", " "))
        words = [DEFECTS.path] + [os.path.join(root, word) if word.startswith("Data/") else word for word in words[1:]]
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.folder, check=True)
        (promised,) = re.findall(r"`(verdict = .*?)`", page)
        self.assertIn("\n" + promised + "\n", done.stdout)
        self.assertEqual(set(os.listdir(self.folder)), {"scan.nrrd", "cracks.nrrd", "cracks.tsv", "cracks.schema.tsv"})

    def test_threads_and_compression_change_nothing(self):
        self.write_scan(SCAN, compressed=True)
        for threads in (1, 2):
            self.assert_found(self.analyze(threads=threads, device="cpu"), self.expected())

    def test_errors_leave_nothing(self):
        table = self.path("table.tsv")
        for settings, saying in (({"inputVolume": self.path("none.nrrd")}, "none.nrrd"), ({"closeWidth": -1}, "-1"),
                                 ({"thresholdMethod": "manual", "manualThreshold": 5000}, "material"),
                                 ({"maximumPorosity": 101}, "101"), ({"outputTable": self.input}, "scan.nrrd")):
            with self.subTest(**settings):
                values = {"inputVolume": self.input, "outputLabels": self.output, "outputTable": table, **settings}
                self.fails(DEFECTS.run(self.folder, **values), saying, [self.output, table])

    def test_a_canceled_run_leaves_no_output(self):
        self.assert_cancels(DEFECTS, inputVolume=self.write_noise("noise.nrrd", 128), outputLabels=self.output,
                            thresholdMethod="manual", manualThreshold=60)


if __name__ == "__main__":
    unittest.main()
