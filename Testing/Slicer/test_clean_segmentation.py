# SPDX-License-Identifier: Apache-2.0
"""BrickCleanSegmentation as Slicer runs it, every parameter beside a plain flood fill."""

import os
import struct
import unittest

import oracle
from slicer import read_volume
from support import ORIGIN, SIZES, SPACING, VOXEL_VOLUME, ModuleTest, module, random_values, tilted_grid

CLEAN = module("BrickCleanSegmentation")
# Three segments side by side along x, with holes, specks of the others in them, and more holes.
VALUES = [(1, 2, 7)[voxel % SIZES[0] * 3 // SIZES[0]] if value is None else value
          for voxel, value in enumerate(random_values(6, [0, 1, 2, 7] + [None] * 30))]
RETURNED = ("removedComponents", "removedVoxels", "filledHoles", "filledVoxels")

CASES = {
    "segments": [{"segments": "2"}, {"segments": "1,7", "minimumSize": 2}],
    "minimumSize": [{"minimumSize": 2}, {"minimumSize": 6, "connectivity": 18}],
    "minimumVolume": [{"minimumVolume": 3 * VOXEL_VOLUME}, {"minimumVolume": 2.3}],
    "largest": [{"largest": 1}, {"largest": 3, "fillHoles": "No"}],
    "fillHoles": [{"fillHoles": "No", "minimumSize": 1}, {"fillHoles": "InSlicesX"}, {"fillHoles": "InSlicesY"},
                  {"fillHoles": "InSlicesZ"}],
    "maximumHoleVolume": [{"maximumHoleVolume": VOXEL_VOLUME}, {"maximumHoleVolume": 0.4, "fillHoles": "InSlicesZ"}],
    "connectivity": [{"connectivity": 18, "minimumSize": 3}, {"connectivity": 26, "largest": 1},
                     {"connectivity": 26, "fillHoles": "InSlicesZ"}],
}
ELSEWHERE = {"inputSegmentation", "outputSegmentation", "threads"}


class CleanSegmentationTest(ModuleTest):
    def setUp(self):
        super().setUp()
        self.input = self.write("input.nrrd", "uint8", VALUES)
        self.output = self.path("output.nrrd")

    def expected(self, values=VALUES, **settings):
        p = {"segments": "", "minimumSize": 0, "minimumVolume": 0, "largest": 0, "fillHoles": "InVolume",
             "maximumHoleVolume": 0, "connectivity": 6, **settings}
        return oracle.clean(SIZES, SPACING, values, p)

    def clean(self, **settings):
        return self.ok(CLEAN.run(self.folder, inputSegmentation=self.input, outputSegmentation=self.output, **settings))

    def assert_cleaned(self, result, expected):
        kind, values, columns, origin = read_volume(self.output)
        self.assertTrue(values == expected[0], "the segmentation is not that of the oracle")
        self.assertEqual(tuple(float(result.returned[name]) for name in RETURNED), expected[1])
        self.assert_close(origin, ORIGIN)
        for a, b in zip(columns, tilted_grid()):
            self.assert_close(a, b)
        return kind

    def test_every_parameter_and_return_value_has_a_case(self):
        self.assertEqual(set(CASES) | ELSEWHERE | set(RETURNED), set(CLEAN.parameters))
        self.assertEqual(set(self.clean().returned), set(RETURNED))

    def test_every_parameter_does_what_it_says(self):
        self.check_cases(CASES, lambda settings, expected: self.assert_cleaned(self.clean(**settings), expected))

    def test_defaults_fill_holes(self):
        expected = self.expected()
        self.assertGreater(expected[1][2], 0, "the volume has no holes")
        self.assertEqual(self.assert_cleaned(self.clean(), expected), "uint8")

    def test_holes_between_segments_stay(self):
        values = [0] * len(VALUES)
        for voxel in range(len(values)):
            x, y, z = voxel % SIZES[0], voxel // SIZES[0] % SIZES[1], voxel // (SIZES[0] * SIZES[1])
            values[voxel] = 0 if (x, y, z) in ((2, 3, 3), (5, 3, 3), (8, 3, 3)) else 1 if x < 6 else 2
        self.write("input.nrrd", "uint8", values)
        self.assertEqual(self.clean().returned["filledHoles"], "2")
        left = [voxel for voxel, value in enumerate(read_volume(self.output)[1]) if value == 0]
        self.assertEqual(left, [(3 * SIZES[1] + 3) * SIZES[0] + 5])

    def test_names_stay_in_segmentations(self):
        os.rename(self.input, self.path("input.seg.nrrd"))
        with open(self.path("input.seg.nrrd"), "rb") as stream:
            header, data = stream.read().split(b"\n\n", 1)
        with open(self.path("input.seg.nrrd"), "wb") as stream:
            stream.write(header + b"\nSegment0_Name:=liver\nSegment0_LabelValue:=7\n\n" + data)
        output = self.path("output.seg.nrrd")
        self.ok(CLEAN.run(self.folder, inputSegmentation=self.path("input.seg.nrrd"), outputSegmentation=output))
        with open(output, "rb") as stream:
            self.assertIn(b"\nSegment0_Name:=liver\n", stream.read())

    def test_threads_change_nothing(self):
        for threads in (1, 3):
            self.assert_cleaned(self.clean(threads=threads, minimumSize=2), self.expected(minimumSize=2))

    def test_the_type_stays(self):
        for kind in ("uint16", "int16", "uint32", "float"):
            self.write("input.nrrd", kind, VALUES, compressed=True)
            self.assertEqual(self.assert_cleaned(self.clean(minimumSize=3), self.expected(minimumSize=3)), kind)

    def test_types_that_slicer_does_not_map_are_errors(self):
        with open(self.input, "rb") as stream:
            header = stream.read().split(b"\n\n")[0].replace(b"unsigned char", b"int64")
        with open(self.input, "wb") as stream:
            stream.write(header + b"\n\n" + struct.pack("<%dq" % len(VALUES), *VALUES))
        result = CLEAN.run(self.folder, inputSegmentation=self.input, outputSegmentation=self.output)
        self.fails(result, "int64", [self.output])

    def test_errors_leave_nothing(self):
        for settings, saying in (({"fillHoles": "No"}, "nothing to do: give 'Keep the largest', 'Fewest voxels', 'Smallest volume"),
                                 ({"segments": "one"}, "one"),
                                 ({"inputSegmentation": self.path("none.nrrd")}, "none.nrrd"),
                                 ({"outputSegmentation": self.input}, "is the same as 'Input segmentation'"), ({"largest": -1}, "-1"),
                                 ({"connectivity": 4}, "4"), ({"maximumHoleVolume": "big"}, "big"),
                                 ({"maximumHoleVolume": -1}, "'Largest hole (mm3)' is -1; it must be at least 0")):
            with self.subTest(**settings):
                values = {"inputSegmentation": self.input, "outputSegmentation": self.output, **settings}
                self.fails(CLEAN.run(self.folder, **values), saying, [self.output])

    def test_a_segment_that_is_not_there_is_told(self):
        result = CLEAN.run(self.folder, inputSegmentation=self.input, outputSegmentation=self.output, segments="1,99")
        self.fails(result, "has no class 99 (from 'Segments')", [self.output])

    def test_a_canceled_run_leaves_no_output(self):
        self.assert_cancels(CLEAN, inputSegmentation=self.write_noise("noise.nrrd", 160), outputSegmentation=self.output,
                            minimumSize=2)


if __name__ == "__main__":
    unittest.main()
