"""What `brickccl stats` does."""

import csv
import unittest

from support import CommandTest, write_nrrd


class StatsTest(CommandTest):
    def test_measures_every_value_once(self):
        labels, table = self.path("labels.nrrd"), self.path("table.csv")
        write_nrrd(labels, "uint16", (4, 2), [9, 0, 0, 9, 0, 300, 300, 0])
        self.ok("stats", labels, "-o", table, "--intensity", labels, "--quiet")
        with open(table) as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([(row["label"], row["voxel_count"], row["intensity_mean"]) for row in rows],
                         [("9", "2", "9"), ("300", "2", "300")])

    def test_agrees_with_the_table_of_label(self):
        image, labels = self.path("image.nrrd"), self.path("labels.nrrd")
        self.ok("phantom", "casting", image, "--size", 60, 60, 40, "--quiet")
        self.ok("label", image, labels, "--range", "-inf", 0, "--statistics", self.path("a.json"), "--intensity",
                image, "--quiet")
        self.ok("stats", labels, "-o", self.path("b.json"), "--intensity", image, "--quiet")
        with open(self.path("a.json")) as a, open(self.path("b.json")) as b:
            self.assertEqual(a.read(), b.read())

    def test_shape_columns_where_asked_for(self):
        labels, table = self.path("labels.nrrd"), self.path("table.csv")
        write_nrrd(labels, "uint16", (4, 2), [9, 9, 9, 9, 0, 300, 300, 0])
        self.ok("stats", labels, "-o", table, "--columns", "shape", "--quiet")
        with open(table) as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([float(row["covariance_xx_mm2"]) for row in rows], [1.25, 0.25])
        self.assertEqual([float(row["principal_axis_2_x"]) for row in rows], [1, 1])
        self.ok("stats", labels, "-o", table, "--quiet")
        with open(table) as stream:
            self.assertNotIn("covariance_xx_mm2", stream.readline())
        image = self.path("image.nrrd")
        write_nrrd(image, "uint8", (4, 2), [1, 1, 1, 1, 0, 0, 0, 0])
        self.ok("label", image, self.path("out.nrrd"), "--statistics", table, "--columns", "shape", "--quiet")
        with open(table) as stream:
            self.assertEqual(float(next(csv.DictReader(stream))["covariance_xx_mm2"]), 1.25)
        self.fails("label", image, self.path("out.nrrd"), "--columns", "shape", saying="--statistics")

    def test_bad_input(self):
        labels = self.path("labels.nrrd")
        write_nrrd(labels, "int16", (2, 2), [1, -4, 0, 0])
        self.fails("stats", labels, "-o", self.path("t.csv"), saying="-4")
        write_nrrd(labels, "float", (2, 2), [1, 0.5, 0, 0])
        self.fails("stats", labels, "-o", self.path("t.csv"), saying="whole numbers")
        write_nrrd(labels, "uint8", (2, 2), [1, 1, 0, 0])
        self.fails("stats", labels, "-o", self.path("t.csv"), "--columns", "intensity", saying="need an intensity image")
        self.fails("stats", labels, "-o", self.path("t.xls"), saying=".csv, .tsv or .json")
        self.fails("stats", labels, "-o", self.path("t.csv"), "--columns", "form", saying="there are: intensity, place, shape, surface")
        self.fails("stats", self.path("none.nrrd"), "-o", self.path("t.csv"), saying="no such file")


if __name__ == "__main__":
    unittest.main()
