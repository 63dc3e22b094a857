"""What `brickccl select` does."""

import csv
import struct
import unittest

from support import CommandTest, read_nrrd, write_nrrd


class SelectTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.labels = self.path("labels.nrrd")
        # Three components: 4 of 1 voxel, 9 of 3 voxels, 300 of 2 voxels.
        write_nrrd(self.labels, "uint16", (5, 2), [4, 0, 9, 9, 9, 0, 300, 300, 0, 0])

    def selected(self, *arguments):
        out = self.path("out.nrrd")
        self.ok("select", self.labels, out, *arguments, "--quiet", "--no-compression")
        fields, data = read_nrrd(out)
        code = {1: "B", 2: "H", 4: "I"}[len(data) // 10]
        return list(struct.unpack("<10" + code, data))

    def test_keeps_or_removes_and_numbers_anew(self):
        self.assertEqual(self.selected("--where", "voxel_count > 1", "--keep"), [0, 0, 1, 1, 1, 0, 2, 2, 0, 0])
        self.assertEqual(self.selected("--where", "voxel_count > 1", "--remove"), [1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        self.assertEqual(self.selected("--where", "voxel_count >= 2 and not voxel_count == 3", "--keep", "--keep-labels"),
                         [0, 0, 0, 0, 0, 0, 300, 300, 0, 0])
        self.assertEqual(self.selected("--where", "label > 1000", "--keep"), [0] * 10)

    def test_conditions(self):
        for condition, kept in [("area_mm2 * 2 == 6", {9}), ("voxel_count == 1 || voxel_count == 2", {4, 300}),
                                ("!(label < 10) && 1 < 2", {300}), ("-label + 4 >= 0", {4}),
                                ("max(label, 9, 5) == 9", {4, 9}), ("sqrt(abs(-voxel_count * voxel_count)) >= 2", {9, 300}),
                                ("bbox_fill == 1 and axis_length_2_mm > 0", {9, 300}), ("label == 4 or label == 9 and 2 < 1", {4}),
                                ("nearest_distance_mm / 2 < 1", {9, 300, 4}), ("1e1 < label", {300})]:
            values = self.selected("--where", condition, "--keep", "--keep-labels")
            self.assertEqual(set(values) - {0}, kept, condition)

    def test_the_table_is_that_of_what_is_left(self):
        table = self.path("table.csv")
        self.selected("--where", "voxel_count != 3", "--keep", "--statistics", table, "--columns", "neighbours")
        with open(table) as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([(row["label"], row["voxel_count"], row["nearest_label"]) for row in rows],
                         [("1", "1", "2"), ("2", "2", "1")])
        self.selected("--where", "voxel_count != 3", "--keep", "--keep-labels", "--statistics", table, "--columns",
                      "neighbours")
        with open(table) as stream:
            self.assertEqual([(row["label"], row["nearest_label"]) for row in csv.DictReader(stream)],
                             [("4", "300"), ("300", "4")])

    def test_wrong_conditions_say_where_and_why(self):
        out = self.path("out.nrrd")
        for condition, said in [("voxel_count >", "missing at the end"), ("form > 2", "'form' is no column"),
                                ("voxel_count", "this is a number"), ("(label > 2) + 1 > 0", "a number is needed"),
                                ("label = 2", "'==' is"), ("1 < label < 3", "do not chain"), ("label > 2 label", "expected an operator"),
                                ("(label > 2", "expected ')'"), ("label > 2x", "no number"), ("sqrt(1, 2) > 1", "one argument"),
                                ("", "missing at the end"), ("(" * 500 + "1 > 0" + ")" * 500, "too many levels"),
                                ("intensity_mean > 2", "--intensity"), ("surface_distance_mm > 2", "--part"),
                                ("__import__('os') > 1", "expected")]:
            self.fails("select", self.labels, out, "--where", condition, "--keep", saying=said)
        self.fails("select", self.labels, out, "--where", "label > 2", saying="--keep or --remove")
        self.fails("select", self.labels, out, "--where", "label > 2", "--keep", "--keep-labels", "--label-type",
                   "uint8", saying="300 does not fit")
        self.fails("select", self.labels, out, "--where", "volume_mm3 > 2", "--keep", saying="volume_mm3")


if __name__ == "__main__":
    unittest.main()
