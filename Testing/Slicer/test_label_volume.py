# SPDX-License-Identifier: Apache-2.0
"""BrickLabelVolume as Slicer runs it, every parameter beside a plain flood fill."""

import json
import math
import os
import subprocess
import unittest

import oracle
from slicer import read_table, read_volume, write_volume
from support import (COMMAND, COUNT, ORIGIN, SIZES, VOXEL_VOLUME, ModuleTest, module, point_of, random_values, tilted_grid, to_ras)

LABEL = module("BrickLabelVolume")
VALUES = random_values(1, [-900, -20, 0, 0, 0, 0, 0, 0, 0, 5, 8, 8, 300])

# For each parameter: what it is set to, and what is set with it so that it counts.
CASES = {
    "foreground": [{"foreground": "AtMostUpper", "upperThreshold": -1},
                   {"foreground": "AtLeastLower", "lowerThreshold": 8},
                   {"foreground": "FromLowerToUpper", "lowerThreshold": -20, "upperThreshold": 5},
                   {"foreground": "AtLeastFoundThreshold"}, {"foreground": "BelowFoundThreshold"}],
    "medianRadius": [{"medianRadius": 1, "foreground": "AtLeastFoundThreshold"},
                     {"medianRadius": 2, "foreground": "AtMostUpper", "upperThreshold": 0}],
    "lowerThreshold": [{"lowerThreshold": value, "foreground": "AtLeastLower"} for value in (-20, 5.5, 299)],
    "upperThreshold": [{"upperThreshold": value, "foreground": "AtMostUpper"} for value in (-900, -20.5, 7)],
    "connectivity": [{"connectivity": 18}, {"connectivity": 26}, {"connectivity": 18, "bySlice": "z"},
                     {"connectivity": 26, "bySlice": "y"}],
    "bySlice": [{"bySlice": axis} for axis in "xyz"],
    "joining": [{"joining": "EqualValues"}, {"joining": "SimilarValues", "tolerance": 3}],
    "tolerance": [{"tolerance": value, "joining": "SimilarValues"} for value in (3, 28, 880)],
    "minimumSize": [{"minimumSize": 2, "joining": "EqualValues"}, {"minimumSize": 5, "joining": "EqualValues"}],
    "maximumSize": [{"maximumSize": 3, "joining": "EqualValues"}, {"maximumSize": 1}],
    "minimumVolume": [{"minimumVolume": 2 * VOXEL_VOLUME, "joining": "EqualValues"}, {"minimumVolume": 2.3}],
    "largest": [{"largest": 1}, {"largest": 7, "joining": "EqualValues"}],
    "clearBorder": [{"clearBorder": True, "joining": "EqualValues"}],
    "fillHoles": [{"fillHoles": True, "foreground": "AtMostUpper", "upperThreshold": 4, "connectivity": 18},
                  {"fillHoles": True, "foreground": "AtMostUpper", "upperThreshold": 4, "connectivity": 26, "largest": 1}],
    "order": [{"order": "size", "joining": "EqualValues"}],
}
# Parameters with tests of their own below.
ELSEWHERE = {"inputVolume", "outputLabels", "maskVolume", "outputTable", "labelType", "threads", "thresholdMethod", "device", "seeds",
             "regions", "split", "splitHeight"}


class LabelVolumeTest(ModuleTest):
    def setUp(self):
        super().setUp()
        self.input = self.write("input.nrrd", "int16", VALUES)
        self.output = self.path("output.nrrd")

    def expected(self, values=VALUES, mask=None, **settings):
        """The components by the oracle, with the defaults of the XML for what is not set."""
        p = {name: parameter.findtext("default") for name, parameter in LABEL.parameters.items()}
        p = {name: value == "true" if LABEL.parameters[name].tag == "boolean" else float(value) if LABEL.parameters[name].tag == "double" else
             int(value) if LABEL.parameters[name].tag == "integer" else value for name, value in p.items()}
        p.update(settings)
        return oracle.label_volume(SIZES, values, mask, VOXEL_VOLUME, p)

    def label(self, **settings):
        return self.ok(LABEL.run(self.folder, inputVolume=self.input, outputLabels=self.output, **settings))

    def assert_labels(self, result, components, region=COUNT):
        kind, labels, _, _ = read_volume(self.output)
        self.assertTrue(labels == oracle.label_map(COUNT, components), "the labels are not those of a flood fill")
        voxels = sum(map(len, components))
        self.assertEqual(int(result.returned["componentCount"]), len(components))
        self.assert_close([float(result.returned["componentVolume"]), float(result.returned["volumeFraction"])],
                          [voxels * VOXEL_VOLUME, voxels / region])
        return kind

    def test_every_parameter_and_return_value_has_a_case(self):
        returned = {name for name, parameter in LABEL.parameters.items()
                    if parameter.findtext("channel") == "output" and parameter.tag in ("integer", "double", "string")}
        self.assertEqual(set(CASES) | ELSEWHERE | returned, set(LABEL.parameters))
        self.assertEqual(set(self.label().returned), returned)

    def test_every_parameter_does_what_it_says(self):
        def depends(parameter, settings):
            return parameter not in ("connectivity", "bySlice") or len(settings) == 1

        self.check_cases(CASES, lambda settings, components: self.assert_labels(self.label(**settings), components), depends)

    def test_defaults_label_what_is_not_zero(self):
        self.assertEqual(self.assert_labels(self.label(), self.expected()), "uint8")

    def test_zeros_in_any_writing_mean_what_0_means(self):
        for settings in ({"maximumSize": "00"}, {"medianRadius": "00"}, {"minimumVolume": "-0.0"}):
            self.assert_labels(self.label(**settings), self.expected())

    def test_mask(self):
        mask = random_values(2, [0, 1, 1, 255])
        path = self.write("mask.nrrd", "uint8", mask)
        self.assert_labels(self.label(maskVolume=path), self.expected(mask=mask), sum(value != 0 for value in mask))

    def test_methods_of_thresholds_are_those_of_the_command(self):
        values = [(100 if voxel // 7 % 3 else 1000) + 300 * (voxel // 50 % 4 == 0) + noise
                  for voxel, noise in enumerate(random_values(7, list(range(-40, 41))))]
        self.write("input.nrrd", "int16", values)
        other = self.path("other.nrrd")
        found = set()
        methods = [element.text for element in LABEL.parameters["thresholdMethod"].findall("element")]
        for method in methods:
            result = self.label(foreground="AtLeastFoundThreshold", thresholdMethod=method)
            summary = json.loads(subprocess.run([COMMAND, "label", self.input, other, "--threshold", method, "--json"],
                                                capture_output=True, check=True).stdout)
            self.assertEqual(read_volume(self.output)[1], read_volume(other)[1])
            self.assertEqual(float(result.returned["threshold"]), summary["threshold"]["value"])
            found.add(summary["threshold"]["value"])
        self.assertGreater(len(found), 2)
        self.assertTrue(math.isnan(float(self.label().returned["threshold"])))

    def test_notes_name_parameters_and_choices(self):
        for values, saying in (
                (sorted(random_values(4, [0, 3, 5, 9])),
                 "'Join neighbors: EqualValues' keeps them apart, `brickccl stats` measures"),
                (random_values(5, list(range(1, 1000))), "'Foreground: AtLeastFoundThreshold' or 'Foreground: FromLowerToUpper' "
                 "(`brickccl info` proposes thresholds)")):
            self.write("input.nrrd", "int16", values)
            self.assertIn(saying, self.label().stdout)

    def test_seeds(self):
        components = self.expected(joining="EqualValues")
        columns = tilted_grid()
        for chosen in ([3], [2, 5, 20]):
            points = [point_of(components[i][len(components[i]) // 2], columns, ORIGIN) for i in chosen]
            result = self.label(joining="EqualValues", seeds=points)
            self.assert_labels(result, [components[i] for i in sorted(chosen)])

    def test_touching_objects_are_split(self):
        # Two blocks whose peaks are 2.61 mm high, and a neck of one voxel that is 0.75 mm high.
        self.write("input.nrrd", "int16", [int(voxel % 11 != 5 or voxel == COUNT // 2) for voxel in range(COUNT)])
        table = self.path("table.tsv")
        for count, settings in ((2, {}), (2, {"splitHeight": 1.85}), (1, {"splitHeight": 1.87}), (0, {"minimumSize": 317}),
                                (1, {"split": False, "splitHeight": 1.85}), (2, {"connectivity": 26, "bySlice": "z", "minimumSize": 45})):
            returned = self.label(**{"split": True, "outputTable": table, **settings}).returned
            rows, labels = read_table(table)[0], read_volume(self.output)[1]
            if "bySlice" in settings:
                # The slice with the neck, and six others with two components each.
                self.assertEqual((int(returned["componentCount"]), [row["parent"] for row in rows][6:8]), (14, [7, 7]))
                continue
            self.assertEqual(int(returned["componentCount"]), count)
            self.assertEqual([row.get("parent") for row in rows], [None if "split" in settings else 1] * count)
            for voxel in range(COUNT):
                self.assertTrue(voxel % 11 == 5 or labels[voxel] == min(count, 1 + voxel % 11 // 5), (settings, voxel))

    def test_regions(self):
        columns = tilted_grid()
        points = [point_of(voxel, columns, ORIGIN) for voxel in range(COUNT)]
        center = point_of(COUNT // 2, columns, ORIGIN)
        boxes = [[*center, 2, 1.5, 4], [center[0] + 1.3, center[1], center[2] - 3, 1, 2, 2]]

        def mask_of(regions):
            return [int(any(all(abs(point[k] - region[k]) <= region[3 + k] for k in range(3)) for region in regions))
                    for point in points]

        # Slicer writes a matrix behind a region that is turned by quarters: from the region's axes to the axes of space.
        turned = boxes[0][:3] + [4, 2, 1.5] + [0, -1, 0, 0, 0, 1, -1, 0, 0]
        for regions, same in ((boxes[:1], boxes[:1]), (boxes, boxes), ([turned], boxes[:1])):
            mask = mask_of(same)
            self.assertTrue(0 < sum(mask) < COUNT / 2)
            result = self.label(joining="EqualValues", regions=regions)
            self.assert_labels(result, self.expected(mask=mask, joining="EqualValues"), sum(mask))
        # With a mask, voxels in both count; a threshold is found in them.
        other = random_values(2, [0, 1, 1, 255])
        mask = [a and b for a, b in zip(mask_of(boxes[:1]), other)]
        settings = {"foreground": "AtLeastFoundThreshold", "connectivity": 26}
        result = self.label(maskVolume=self.write("mask.nrrd", "uint8", other), regions=boxes[:1], **settings)
        self.assert_labels(result, self.expected(mask=mask, **settings), sum(value != 0 for value in mask))

    def test_regions_that_cannot_be_boxes_are_refused(self):
        half = math.sqrt(0.5)
        for region, saying in (([0, 0, 0, 9, 9, 9, half, -half, 0, half, half, 0, 0, 0, 1], "is rotated"),
                               ([0, 0, 0, 9, 9], "must have 6 numbers"), ([1e6, 0, 0, 1, 1, 1], "no voxel of the image"),
                               ([0, 0, 0, -1, 1, 1], "ends before it begins")):
            result = LABEL.run(self.folder, inputVolume=self.input, outputLabels=self.output, regions=[region])
            self.fails(result, saying, [self.output])

    def test_threads_change_nothing(self):
        for threads in (1, 2, 5):
            self.assert_labels(self.label(threads=threads, joining="EqualValues"), self.expected(joining="EqualValues"))

    def test_devices_give_the_same_labels(self):
        self.assert_labels(self.label(device="cpu", connectivity=26), self.expected(connectivity=26))
        os.remove(self.output)
        result = LABEL.run(self.folder, inputVolume=self.input, outputLabels=self.output, device="cuda", connectivity=26)
        if result.code == 0:
            self.assert_labels(self.ok(result), self.expected(connectivity=26))
        else:
            self.fails(result, "CUDA", [self.output])

    def test_types_of_labels_are_those_that_slicer_maps(self):
        for kind in ("uint8", "uint16", "uint32"):
            self.assertEqual(self.assert_labels(self.label(labelType=kind), self.expected()), kind)

    def test_a_type_that_is_too_small_is_an_error(self):
        checkers = [(voxel % 11 + voxel // 11) % 2 for voxel in range(COUNT)]
        self.write("input.nrrd", "uint8", checkers)
        result = LABEL.run(self.folder, inputVolume=self.input, outputLabels=self.output, labelType="uint8",
                           bySlice="z")
        self.fails(result, "do not fit label type uint8", [self.output])
        result = self.label(bySlice="z")
        self.assertEqual(self.assert_labels(result, self.expected(checkers, bySlice="z")), "uint16")

    def test_table_and_its_schema(self):
        table = self.path("table.tsv")
        self.label(joining="EqualValues", outputTable=table)
        rows, schema = read_table(table)
        components = self.expected(joining="EqualValues")
        self.assertEqual([row["label"] for row in rows], list(range(1, len(components) + 1)))
        self.assertEqual([row["voxel_count"] for row in rows], [len(component) for component in components])
        columns = tilted_grid()
        for row, component in zip(rows, components):
            points = [point_of(voxel, columns, ORIGIN) for voxel in component]
            mean = [sum(point[axis] for point in points) / len(points) for axis in range(3)]
            self.assert_close([row["centroid_%s_mm" % axis] for axis in "ras"], [-mean[0], -mean[1], mean[2]])
            self.assert_close([row["volume_mm3"]], [len(component) * VOXEL_VOLUME])
        self.assertEqual(schema["voxel_count"]["type"], "int")
        self.assertEqual((schema["volume_mm3"]["type"], schema["volume_mm3"]["unitLabel"]), ("double", "mm^3"))
        self.assertTrue(all(column["description"] for column in schema.values()))

    def test_compressed_or_not_in_lps_or_ras(self):
        columns = tilted_grid()
        for compressed in (False, True):
            for space in ("left-posterior-superior", "right-anterior-superior"):
                with self.subTest(compressed=compressed, space=space):
                    turn = to_ras if space.startswith("right") else tuple
                    self.write("input.nrrd", "int16", VALUES, columns=[turn(column) for column in columns],
                               origin=turn(ORIGIN), space=space, compressed=compressed)
                    self.assert_labels(self.label(), self.expected())
                    _, _, found, origin = read_volume(self.output)
                    for a, b in zip(found, columns):
                        self.assert_close(a, b)
                    self.assert_close(origin, ORIGIN)

    def test_kinds_of_volumes_that_slicer_writes(self):
        for kind in ("uint8", "uint16", "float"):
            values = [abs(value) % 250 for value in VALUES]
            self.write("input.nrrd", kind, values)
            self.assert_labels(self.label(joining="EqualValues"), self.expected(values, joining="EqualValues"))

    def test_errors_leave_nothing(self):
        table = self.path("table.tsv")
        small = self.path("small.nrrd")
        write_volume(small, "uint8", (2, 2, 2), [1] * 8)
        with open(self.path("cut.nrrd"), "wb") as cut, open(self.input, "rb") as whole:
            cut.write(whole.read()[:-100])
        for settings, saying in (({"inputVolume": self.path("none.nrrd")}, "none.nrrd"),
                                 ({"inputVolume": self.path("cut.nrrd")}, "cut.nrrd"),
                                 ({"maskVolume": small}, "small.nrrd"),
                                 ({"outputLabels": self.path("no/folder.nrrd")}, "folder.nrrd"),
                                 ({"outputTable": self.path("table.xls")}, ".xls"),
                                 ({"outputLabels": self.input}, "'Output labels' is the same as 'Input volume'"),
                                 ({"seeds": [(0, 0, 500)]}, "outside"),
                                 ({"foreground": "FromLowerToUpper", "lowerThreshold": 2, "upperThreshold": 1}, "2"),
                                 ({"tolerance": -1}, "-1"), ({"splitHeight": -1}, "'Split height (mm)' is -1"), ({"connectivity": 7}, "7"), ({"largest": "1.5"}, "1.5"),
                                 ({"order": "Best"}, "Best"), ({"upperThreshold": ""}, "upperThreshold"),
                                 ({"connectivity": 4}, "4")):
            with self.subTest(**settings):
                files = sorted(os.listdir(self.folder))
                values = {"inputVolume": self.input, "outputLabels": self.output, "outputTable": table, **settings}
                self.fails(LABEL.run(self.folder, **values), saying, [self.output, table])
                self.assertEqual(sorted(os.listdir(self.folder)), files)

    def test_echo_and_process_information(self):
        line = LABEL.command({"inputVolume": self.input, "outputLabels": self.output, "largest": 3})
        line[1:1] = ["--processinformationaddress", "0x7ffd0001", "--echo"]
        done = subprocess.run(line, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("largest: 3\n", done.stdout)
        self.assertIn("inputVolume: " + self.input, done.stdout)
        self.assertEqual(read_volume(self.output)[1], oracle.label_map(COUNT, self.expected(largest=3)))

    def test_return_file_that_cannot_be_written_is_an_error(self):
        line = LABEL.command({"inputVolume": self.input, "outputLabels": self.output}, self.path("no/such/folder"))
        done = subprocess.run(line, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no/such/folder", done.stderr)
        self.assertFalse(os.path.exists(self.output))

    def test_not_a_number_is_told_but_is_no_error(self):
        values = [float("nan") if voxel % 50 == 0 else float(value) for voxel, value in enumerate(VALUES)]
        self.write("input.nrrd", "float", values)
        result = self.label()
        self.assertIn("NaN and count", result.stdout)
        self.assert_labels(result, self.expected([0 if value != value else value for value in values]))

    def test_two_modules_at_once(self):
        runs = [(self.path("labels%d.nrrd" % i), self.path("table%d.tsv" % i), {"connectivity": connectivity})
                for i, connectivity in enumerate((6, 18, 26, 6))]
        processes = [LABEL.start(self.folder, inputVolume=self.input, outputLabels=labels, outputTable=table, **settings)
                     for labels, table, settings in runs]
        for process, (labels, table, settings) in zip(processes, runs):
            _, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, errors), (0, ""))
            components = self.expected(**settings)
            self.assertEqual(read_volume(labels)[1], oracle.label_map(COUNT, components))
            self.assertEqual([row["voxel_count"] for row in read_table(table)[0]], list(map(len, components)))

    def test_a_canceled_run_leaves_no_output(self):
        # Noise: many components to measure, and labels that take long to compress.
        self.assert_cancels(LABEL, inputVolume=self.write_noise("noise.nrrd", 192),
                            outputLabels=self.path("output.nrrd"), outputTable=self.path("table.tsv"),
                            foreground="AtMostUpper", upperThreshold=70)


if __name__ == "__main__":
    unittest.main()
