# SPDX-License-Identifier: Apache-2.0
"""What `brickccl select` does."""

import csv
import decimal
import json
import os
import struct
import unittest

from support import CommandTest, read_nrrd, write_nrrd


class ConditionTest(CommandTest):
    def test_infinite_values_compare_as_numbers_do(self):
        write_nrrd(self.path("l.nrrd"), "uint8", (4, 2), [1, 1, 0, 2, 1, 1, 0, 2])
        for condition, kept in (("voxel_count / 0 > 1", 2), ("voxel_count / 0 == 1", 0), ("voxel_count / 0 < 1", 0)):
            result = self.ok("select", self.path("l.nrrd"), self.path("o.nrrd"), "--where", condition, "--keep", "--json")
            self.assertEqual(json.loads(result.stdout)["components"], kept, condition)


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

    def test_that_nothing_is_kept_is_noted(self):
        for how, condition, said in (("--keep", "label > 1000", "holds for none of the 3"), ("--remove", "label > 1", "for each of the 3"),
                                     ("--keep", "label > 9", None)):
            result = self.ok("select", self.labels, self.path("out.nrrd"), "--where", condition, how, "--json")
            notes = " ".join(json.loads(result.stdout)["notes"])
            self.assertEqual("no component is kept" in notes, said is not None)
            self.assertIn(said or "", notes)

    def test_components_without_a_value_are_noted(self):
        write_nrrd(self.path("one.nrrd"), "uint8", (4, 2), [7, 7, 0, 0, 0, 0, 0, 0])
        for how, condition, kept, said in (("--keep", "nearest_distance_um > 1", 0, True), ("--keep", "nearest_distance_mm <= 1", 0, True),
                                           ("--remove", "nearest_distance_mm > 1", 1, True), ("--keep", "not nearest_distance_mm > 1", 1, False),
                                           ("--keep", "voxel_count > 1", 1, False)):
            summary = json.loads(self.ok("select", self.path("one.nrrd"), self.path("out.nrrd"), "--where", condition, how, "--json").stdout)
            self.assertEqual(summary["components"], kept)
            notes = [note for note in summary["notes"] if "1 component has no value for 'nearest_distance_" in note]
            self.assertEqual(len(notes), int(said), (condition, summary["notes"]))

    def test_conditions(self):
        for condition, kept in [("area_mm2 * 2 == 6", {9}), ("voxel_count == 1 || voxel_count == 2", {4, 300}),
                                ("!(label < 10) && 1 < 2", {300}), ("-label + 4 >= 0", {4}),
                                ("max(label, 9, 5) == 9", {4, 9}), ("sqrt(abs(-voxel_count * voxel_count)) >= 2", {9, 300}),
                                ("bbox_fill == 1 and axis_length_2_mm > 0", {9, 300}), ("label == 4 or label == 9 and 2 < 1", {4}),
                                ("nearest_distance_mm / 2 < 1", {9, 300, 4}), ("1e1 < label", {300})]:
            values = self.selected("--where", condition, "--keep", "--keep-labels")
            self.assertEqual(set(values) - {0}, kept, condition)

    def test_columns_in_other_units(self):
        write_nrrd(self.labels, "uint8", (5, 2, 1), [4, 0, 9, 9, 9, 0, 30, 30, 0, 0], spacing=(2, 2, 2))
        out = self.path("out.nrrd")
        for condition, kept in (("volume_cm3 > 0.02", 1), ("volume_cm3 == 0.024", 1), ("volume_um3 >= 16e9", 2),
                                ("volume_um3 == 1e9 * volume_mm3", 3), ("feret_diameter_um > 3500", 1),
                                ("feret_diameter_um == 1000 * feret_diameter_mm", 3)):
            for units in ((), ("--units", condition[7:9])) if condition.startswith("volume") else ((),):
                result = self.ok("select", self.labels, out, "--where", condition, "--keep", "--json", *units)
                self.assertEqual(json.loads(result.stdout)["components"], kept, condition)
        os.remove(out)
        self.fails("select", self.labels, out, "--where", "voxel_count > 1", "--keep", "--units", "cm",
                   saying=["--units cm", "--where"])
        for name in ("voxel_count_um", "volum_um3", "intensity_um"):
            self.fails("select", self.labels, out, "--where", name + " > 1", "--keep", saying="'%s'" % name)

    def test_whole_numbers_are_exact(self):
        big = 9007199254740992  # 2^53, the last number up to which doubles tell each from the next
        highest = 2**64 - 1
        write_nrrd(self.labels, "uint64", (9, 1), [big, 0, big + 1, 0, big + 2, 0, highest - 1, 0, highest])
        every = {big, big + 1, big + 2, highest - 1, highest}
        for text, holds in (("==", lambda a, b: a == b), ("!=", lambda a, b: a != b), ("<", lambda a, b: a < b),
                            ("<=", lambda a, b: a <= b), (">", lambda a, b: a > b), (">=", lambda a, b: a >= b)):
            for number in (big, big + 1, highest - 1, highest):
                for condition, kept in (("label %s %d" % (text, number), {x for x in every if holds(x, number)}),
                                        ("%d %s label" % (number, text), {x for x in every if holds(number, x)})):
                    with self.subTest(condition=condition):
                        out = self.path("out.nrrd")
                        self.ok("select", self.labels, out, "--where", condition, "--keep", "--keep-labels", "--label-type",
                                "uint64", "--quiet", "--no-compression")
                        self.assertEqual(set(struct.unpack("<9Q", read_nrrd(out)[1])) - {0}, kept)
        for condition, kept in (("label - 1 == %d" % big, {big + 1}), ("-label == -%d" % (big + 1), {big + 1}),
                                ("max(label, %d) == %d" % (big + 1, big + 1), {big, big + 1}), ("label < 1e16", every - {highest, highest - 1})):
            out = self.path("out.nrrd")
            self.ok("select", self.labels, out, "--where", condition, "--keep", "--keep-labels", "--label-type", "uint64",
                    "--quiet", "--no-compression")
            self.assertEqual(set(struct.unpack("<9Q", read_nrrd(out)[1])) - {0}, kept, condition)

    def test_measures_at_a_limit(self):
        """Decimal fractions that doubles do not hold: all six comparisons agree."""
        for spacing in ((0.1, 0.1, 0.1), (0.2, 0.2, 0.2), (0.3, 0.7, 0.1), (0.478516, 0.478516, 1.25)):
            write_nrrd(self.labels, "uint8", (12, 1, 1), [1, 0, 2, 2, 0, 3, 3, 3, 0, 0, 0, 0], spacing=spacing)
            voxel = decimal.Decimal(1)
            for step in spacing:
                voxel *= decimal.Decimal(repr(step))
            for count in (1, 2, 3):
                for sign, kept in (("==", {count}), ("!=", {1, 2, 3} - {count}), ("<", set(range(1, count))),
                                   ("<=", set(range(1, count + 1))), (">", set(range(count + 1, 4))),
                                   (">=", set(range(count, 4)))):
                    condition = "volume_mm3 %s %s" % (sign, format(voxel * count, "f"))
                    out = self.path("out.nrrd")
                    self.ok("select", self.labels, out, "--where", condition, "--keep", "--keep-labels", "--quiet",
                            "--no-compression")
                    self.assertEqual(set(read_nrrd(out)[1]) - {0}, kept, condition)

    def test_the_table_is_that_of_what_is_left(self):
        table = self.path("table.csv")
        self.selected("--where", "voxel_count != 3", "--keep", "--statistics", table, "--columns", "neighbors")
        with open(table) as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([(row["label"], row["voxel_count"], row["nearest_label"]) for row in rows],
                         [("1", "1", "2"), ("2", "2", "1")])
        self.selected("--where", "voxel_count != 3", "--keep", "--keep-labels", "--statistics", table, "--columns",
                      "neighbors")
        with open(table) as stream:
            self.assertEqual([(row["label"], row["nearest_label"]) for row in csv.DictReader(stream)],
                             [("4", "300"), ("300", "4")])

    def test_wrong_conditions_say_where_and_why(self):
        out = self.path("out.nrrd")
        for condition, said in [("voxel_count >", "missing at the end"), ("form > 2", "'form' is neither a column"),
                                ("voxel_count", "this is a number"), ("(label > 2) + 1 > 0", "a number is needed"),
                                ("label = 2", "write '=='"), ("1 < label < 3", "do not chain"), ("label > 2 label", "expected an operator"),
                                ("(label > 2", "expected ')'"), ("label > 2x", "not a number"), ("sqrt(1, 2) > 1", "one argument"),
                                ("", "is empty"), ("(" * 500 + "1 > 0" + ")" * 500, "too many levels"),
                                ("intensity_mean > 2", "--intensity"), ("surface_distance_mm > 2", "--part"),
                                ("__import__('os') > 1", "expected")]:
            self.fails("select", self.labels, out, "--where", condition, "--keep", saying=said)
        self.fails("select", self.labels, out, "--where", "label > 2", saying="--keep or --remove")
        self.fails("select", self.labels, out, "--where", "label > 2", "--keep", "--keep-labels", "--label-type",
                   "uint8", saying="300 does not fit")
        self.fails("select", self.labels, out, "--where", "volume_mm3 > 2", "--keep", saying="volume_mm3")


if __name__ == "__main__":
    unittest.main()
