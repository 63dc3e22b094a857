# SPDX-License-Identifier: Apache-2.0
"""BrickComponentStatistics as Slicer runs it, every parameter."""

import re
import subprocess
import unittest

from slicer import read_table, write_volume
from support import (COMMAND, COUNT, ORIGIN, SIZES, VOXEL_VOLUME, ModuleTest, module, point_of, random_values,
                     tilted_grid)

STATISTICS = module("BrickComponentStatistics")
LABELS = random_values(3, [0, 0, 1, 2, 2, 7, 250])
SCAN = random_values(4, list(range(-1000, 1000)))


def columns_of_groups():
    """The columns of every group, as the command lists them."""
    listed = subprocess.run([COMMAND, "stats", "--list-columns"], capture_output=True, text=True, check=True).stdout
    groups = {}
    for line in listed.splitlines():
        group = re.match(r"--columns (\w+):", line)
        column = re.match(r"  (\w+)", line)
        if group:
            current = groups.setdefault(group.group(1), [])
        elif column and groups:
            current.append(in_ras(column.group(1)))
    return groups


def in_ras(column):
    """The name of a column of coordinates in Slicer's tables."""
    axes = re.fullmatch(r".*_([xyz])_mm|principal_axis_\d_([xyz])|covariance_([xyz]{2})_mm2", column)
    begin, end = axes.span(axes.lastindex) if axes else (0, 0)
    return column[:begin] + column[begin:end].translate(str.maketrans("xyz", "ras")) + column[end:]


class ComponentStatisticsTest(ModuleTest):
    def setUp(self):
        super().setUp()
        self.labels = self.write("labels.nrrd", "uint8", LABELS)
        self.scan = self.write("scan.nrrd", "int16", SCAN)
        self.table = self.path("table.tsv")

    def measure(self, **settings):
        result = self.ok(STATISTICS.run(self.folder, inputLabels=self.labels, outputTable=self.table, **settings))
        rows, schema = read_table(self.table)
        return rows, schema, result.returned

    def test_every_parameter_has_a_case(self):
        groups = columns_of_groups()
        switches = {"measure" + name.capitalize() for name in groups}
        self.assertGreater(len(groups), 5)
        self.assertEqual(set(STATISTICS.parameters), switches | {
            "inputLabels", "outputTable", "intensityVolume", "partVolume", "threads", "componentCount",
            "componentVolume", "porosity_percent"})

    def test_default_columns_and_return_values(self):
        rows, schema, returned = self.measure()
        self.assertEqual([(row["label"], row["voxel_count"]) for row in rows],
                         [(label, LABELS.count(label)) for label in (1, 2, 7, 250)])
        columns = tilted_grid()
        for row in rows:
            points = [point_of(i, columns, ORIGIN) for i in range(COUNT) if LABELS[i] == row["label"]]
            mean = [sum(point[axis] for point in points) / len(points) for axis in range(3)]
            self.assert_close([row["centroid_%s_mm" % axis] for axis in "ras"], [-mean[0], -mean[1], mean[2]])
        voxels = COUNT - LABELS.count(0)
        self.assertEqual(set(returned), {"componentCount", "componentVolume", "porosity_percent"})
        self.assertEqual(int(returned["componentCount"]), 4)
        self.assert_close([float(returned["componentVolume"]), float(returned["porosity_percent"])],
                          [voxels * VOXEL_VOLUME, 100 * voxels / COUNT])
        self.assertNotIn("intensity_mean", schema)

    def test_each_switch_adds_the_columns_of_its_group(self):
        for group, columns in columns_of_groups().items():
            with self.subTest(group):
                scan = {"intensityVolume": self.scan} if group == "intensity" else {}
                before = self.measure(**scan)[1]
                _, schema, _ = self.measure(**{"measure" + group.capitalize(): True}, **scan)
                self.assertEqual([name for name in schema if name not in before], columns)

    def test_all_switches_at_once_match_the_command(self):
        switches = {"measure" + group.capitalize(): True for group in columns_of_groups()}
        self.measure(intensityVolume=self.scan, **switches)
        other = self.path("other.tsv")
        subprocess.run([COMMAND, "stats", self.labels, "-o", other, "--intensity", self.scan, "--ras", "--columns",
                        ",".join(columns_of_groups()), "--quiet"], check=True)
        with open(self.table, encoding="utf-8") as a, open(other, encoding="utf-8") as b:
            self.assertEqual(a.read(), b.read())

    def test_intensities(self):
        rows, _, _ = self.measure(intensityVolume=self.scan)
        for row in rows:
            values = [SCAN[i] for i in range(COUNT) if LABELS[i] == row["label"]]
            self.assert_close([row["intensity_min"], row["intensity_max"], row["intensity_mean"]],
                              [min(values), max(values), sum(values) / len(values)])

    def test_percentiles_without_a_scan_are_an_error(self):
        result = STATISTICS.run(self.folder, inputLabels=self.labels, outputTable=self.table, measureIntensity=True)
        self.fails(result, "intensity", [self.table])

    def test_porosity_of_a_part(self):
        part = [1 if i % SIZES[0] < 6 else 0 for i in range(COUNT)]
        path = self.write("part.nrrd", "uint8", part)
        rows, schema, returned = self.measure(partVolume=path)
        self.assertIn("surface_distance_mm", schema)
        inside = sum(1 for i in range(COUNT) if part[i] and LABELS[i])
        self.assert_close([float(returned["porosity_percent"])], [100 * inside / sum(part)])

    def test_threads_change_nothing(self):
        self.assertEqual(self.measure(threads=1, measureShape=True), self.measure(threads=3, measureShape=True))

    def test_labels_without_a_component(self):
        self.write("labels.nrrd", "uint8", [0] * COUNT)
        rows, _, returned = self.measure()
        self.assertEqual((rows, returned["componentCount"], float(returned["porosity_percent"])), ([], "0", 0))

    def test_compressed_input(self):
        plain = self.measure()
        self.write("labels.nrrd", "uint8", LABELS, compressed=True)
        self.assertEqual(self.measure(), plain)

    def test_errors_leave_nothing(self):
        small = self.path("small.nrrd")
        write_volume(small, "uint8", (2, 2, 2), [1] * 8)
        negative = self.write("negative.nrrd", "int16", [-1] * COUNT)
        for settings, saying in (({"intensityVolume": small}, "small.nrrd"), ({"inputLabels": negative}, "-1"),
                                 ({"partVolume": self.path("none.nrrd")}, "none.nrrd"),
                                 ({"outputTable": self.labels}, "labels.nrrd")):
            with self.subTest(**settings):
                values = {"inputLabels": self.labels, "outputTable": self.table, **settings}
                self.fails(STATISTICS.run(self.folder, **values), saying, [self.table])

    def test_a_canceled_run_leaves_no_table(self):
        side = 100
        path = self.path("blocks.nrrd")
        write_volume(path, "uint16", (side,) * 3, [x // 2 + 50 * (y // 2) + 1 for z in range(side) for y in range(side)
                                                   for x in range(side)])
        self.assert_cancels(STATISTICS, inputLabels=path, outputTable=self.table, measureThickness=True, measureFeret=True)


if __name__ == "__main__":
    unittest.main()
