# SPDX-License-Identifier: Apache-2.0
"""What `brickccl label` does with good input."""

import csv
import decimal
import json
import math
import os
import random
import struct
import tarfile
import unittest

from support import LabelCommandTest, labels_of, read_nrrd, run, write_nrrd

# Two squares that touch at a corner, and a voxel of another value next to the second.
SQUARES = [
    1, 1, 0, 0, 0,
    1, 1, 0, 0, 0,
    0, 0, 2, 2, 3,
    0, 0, 2, 2, 0,
]


class LabelTest(LabelCommandTest):
    def squares(self, kind="int16"):
        write_nrrd(self.input, kind, (5, 4), SQUARES)

    def test_face_connectivity_is_the_default(self):
        self.squares()
        summary, labels = self.label()
        self.assertEqual(summary["connectivity"], 4)
        self.assertEqual(summary["components"], 2)
        self.assertEqual(summary["foreground_voxels"], 9)
        self.assertEqual(labels, [1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 2, 2, 2, 0, 0, 2, 2, 0])

    def test_summary_has_every_promised_field(self):
        self.squares()
        summary, _ = self.label()
        for field in ("components", "foreground_voxels", "extent", "spacing", "connectivity", "criterion",
                      "algorithm", "device", "seconds", "peak_memory_bytes"):
            self.assertIn(field, summary)
        self.assertEqual(set(summary["seconds"]), {"read", "label", "measure", "write", "total"})
        self.assertEqual(summary["extent"], [5, 4])
        self.assertGreater(summary["peak_memory_bytes"], 1 << 20)

    def test_full_connectivity(self):
        self.squares()
        summary, labels = self.label("--connectivity", 8)
        self.assertEqual(summary["components"], 1)
        self.assertEqual(max(labels), 1)

    def test_criteria(self):
        self.squares()
        cases = {
            ("--equal-value",): [1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 2, 2, 3, 0, 0, 2, 2, 0],
            ("--range", 2, "inf"): [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0],
            ("--range", "-inf", 0): [0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 2, 2, 0, 0, 0, 2, 2, 0, 0, 3],
            ("--tolerance", 0, "--range", 1, 3): [1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 2, 2, 3, 0, 0, 2, 2, 0],
            ("--tolerance", 1, "--background", "none"):
                [1] * 10 + [1, 1, 2, 2, 2, 1, 1, 2, 2, 3],
            ("--background", 2): [1] * 12 + [0, 0, 1, 1, 1, 0, 0, 1],
        }
        for options, expected in cases.items():
            _, labels = self.label(*options)
            self.assertEqual(labels, expected, options)

    def test_negative_bounds_and_tolerances_are_values_not_options(self):
        write_nrrd(self.input, "int16", (4,  1), [-1000, -900, 5, -20000])
        summary, labels = self.label("--range", -1000, -900)
        self.assertEqual(labels, [1, 1, 0, 0])
        for low, high, expected in ((-1000, "inf", [1, 1, 1, 0]), ("-inf", -900, [1, 1, 0, 1]), ("-inf", "inf", [1] * 4),
                                    ("-inf", "-inf", [0] * 4)):
            self.assertEqual([min(label, 1) for label in self.label("--range", low, high)[1]], expected, (low, high))
        self.fails("label", self.input, self.output, "--range", 1, "-inf", saying="'1 -inf'")
        summary, labels = self.label("--tolerance", 10, "--background", -1000)
        self.assertEqual(labels, [0, 1, 2, 3])

    def test_int16_differences_do_not_wrap(self):
        write_nrrd(self.input, "int16", (2, 1), [-20000, 20000])
        self.assertEqual(self.label("--tolerance", 25536)[0]["components"], 2)
        self.assertEqual(self.label("--tolerance", 40000)[0]["components"], 1)

    def test_more_labels_than_the_format_holds(self):
        size = 520
        write_nrrd(self.path("board.nrrd"), "uint8", (size, size), [(x % 2) * (y % 2) for y in range(size) for x in range(size)])
        result = run("label", self.path("board.nrrd"), self.path("o.png"), "--statistics", self.path("t.csv"))
        self.assertEqual(result.returncode, 1)
        for text in ("uint32", ".nrrd"):
            self.assertIn(text, result.stderr)
        self.assertFalse(os.path.exists(self.path("o.png")))

    def test_mask(self):
        self.squares()
        write_nrrd(self.path("mask.nrrd"), "uint8", (5, 4), [1, 0, 1, 1, 1] * 4)
        _, labels = self.label("--mask", self.path("mask.nrrd"))
        self.assertEqual(labels, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 2, 2, 0, 0, 2, 2, 0])
        # Components are a share of the region. A hole that is filled where the mask is 0 belongs to both.
        for options, voxels, region in (((), 7, 16), (("--largest", 1), 5, 16)):
            for table in ("t.csv", "t.json"):
                totals = self.label("--mask", self.path("mask.nrrd"), "--statistics", self.path(table), *options)[0]["totals"]
                self.assertEqual((totals["voxel_count"], totals["region_area_mm2"], totals["fraction"]), (voxels, region, voxels / region))
        with open(self.path("t.json"), encoding="utf-8") as stream:
            self.assertEqual(json.load(stream)["totals"]["fraction"], 5 / 16)
        frame = [1, 1, 1, 1, 0, 1, 1, 1, 1]
        for options in ((), ("--equal-value",)):
            write_nrrd(self.input, "uint8", (3, 3), frame)
            write_nrrd(self.path("mask.nrrd"), "uint8", (3, 3), frame)
            totals = self.label("--mask", self.path("mask.nrrd"), "--fill-holes", "--statistics", self.path("t.csv"), *options)[0]["totals"]
            self.assertEqual((totals["voxel_count"], totals["region_area_mm2"], totals["fraction"]), (9, 9, 1))

    def table(self, *arguments):
        self.label(*arguments, "--statistics", self.path("t.csv"))
        with open(self.path("t.csv")) as stream:
            return list(csv.DictReader(stream))

    def test_slices_order_and_size_filters(self):
        write_nrrd(self.input, "uint8", (3, 2, 2), [1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0], spacing=(1, 2, 3))
        self.assertEqual(self.label()[1], [1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0])
        summary, labels = self.label("--by-slice", "z", "--statistics", self.path("t.csv"))
        self.assertEqual(labels, [1, 0, 2, 0, 0, 2, 3, 3, 3, 0, 0, 0])
        self.assertEqual(summary["connectivity"], 4)
        with open(self.path("t.csv")) as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([row["slice"] for row in rows], ["0", "0", "1"])
        self.assertEqual(self.label("--by-slice", "x", "--connectivity", 8)[1],
                         [1, 0, 2, 0, 0, 2, 1, 3, 2, 0, 0, 0])
        self.assertEqual(self.label("--by-slice", "z", "--order", "size")[1], [3, 0, 2, 0, 0, 2, 1, 1, 1, 0, 0, 0])
        self.assertEqual(self.label("--by-slice", "z", "--minimum-size", 2)[1], [0, 0, 1, 0, 0, 1, 2, 2, 2, 0, 0, 0])
        self.assertEqual(self.label("--by-slice", "z", "--minimum-volume", 6)[1],
                         [0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0])
        self.assertEqual(self.label("--by-slice", "z", "--maximum-size", 1)[1], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        self.assertEqual(self.label("--by-slice", "z", "--largest", 1)[1], [0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0])
        self.assertEqual(self.label("--by-slice", "z", "--largest", 1, "--per-slice")[1],
                         [0, 0, 1, 0, 0, 1, 2, 2, 2, 0, 0, 0])
        self.assertEqual(self.label("--by-slice", "x", "--largest", 1, "--per-slice", "--clear-border")[1],
                         [0] * 12, "all touch the border of their slice")
        self.assertEqual(self.label("--by-slice", "x", "--largest", 1, "--per-slice", "--order", "size")[1],
                         [2, 0, 1, 0, 0, 1, 2, 3, 1, 0, 0, 0])
        self.fails("label", self.input, self.output, "--largest", 1, "--per-slice", saying="--by-slice")
        # Slices have areas and disks.
        rows = self.table("--by-slice", "z")
        self.assertEqual([float(row["area_mm2"]) for row in rows], [2, 4, 6])
        self.assertAlmostEqual(float(rows[1]["equivalent_circular_diameter_mm"]), 2 * math.sqrt(4 / math.pi))
        self.assertNotIn("volume_mm3", rows[0])
        self.assertEqual(list(self.table("--by-slice", "z", "--columns", "slice,area_mm2")[0]), ["label", "slice", "area_mm2"])
        self.assertEqual([float(row["area_mm2"]) for row in self.table("--by-slice", "x")], [12, 18, 6])

    def test_neighborhoods(self):
        # Two voxels that share a face across slices, two that share an edge, and two of one slice that share a corner.
        voxels = [0] * 27
        for x, y, z in ((0, 0, 0), (0, 0, 1), (1, 0, 2), (2, 1, 2), (2, 2, 0)):
            voxels[x + 3 * y + 9 * z] = 1
        write_nrrd(self.input, "uint8", (3, 3, 3), voxels)
        labels = lambda *options: [label for label in self.label(*options)[1] if label]
        self.assertEqual(labels(), [1, 2, 1, 3, 4])
        self.assertEqual(labels("--connectivity", "full"), [1, 2, 1, 1, 1])
        summary, found = self.label("--neighborhood", "8+z")
        self.assertEqual([label for label in found if label], [1, 2, 1, 3, 3])
        self.assertEqual((summary["connectivity"], summary["neighborhood"], summary["periodic"]), (10, "8+z", None))
        element = [[[0] * 3 for _ in range(3)] for _ in range(3)]
        element[1][1] = [1, 1, 1]
        element[0][1][0] = element[2][1][2] = 1
        flat = [value for plane in element for line in plane for value in line]
        with open(self.path("n.txt"), "w") as stream:
            stream.write("# x fastest\n" + "\n".join("".join(map(str, flat[i:i + 3])) + " # line" for i in range(0, 27, 3)))
        self.assertEqual(labels("--neighborhood", self.path("n.txt")), [1, 2, 3, 3, 4])
        # A neighborhood without neighbors is allowed, with a note.
        for name, center in (("zero.txt", "0"), ("center.txt", "1")):
            with open(self.path(name), "w") as stream:
                stream.write("0" * 13 + center + "0" * 13)
            summary, found = self.label("--neighborhood", self.path(name))
            self.assertEqual([label for label in found if label], [1, 2, 3, 4, 5])
            self.assertEqual(summary["notes"], ["the neighborhood '" + self.path(name) + "' names no neighbor, so that every voxel is a component of its own"])
        # The same as a rank.
        with open(self.path("full.txt"), "w") as stream:
            stream.write("1" * 27)
        self.assertEqual(labels("--neighborhood", self.path("full.txt")), labels("--connectivity", 26))
        text = self.ok("label", self.input, self.output, "--neighborhood", "8+z").stdout
        self.assertIn("3 components (10 neighbors: 8+z)", text)

    def test_periodic_axes(self):
        write_nrrd(self.input, "uint8", (4, 3), [1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0])
        self.assertEqual(self.label()[1], [1, 0, 0, 2, 0, 0, 3, 0, 4, 0, 0, 0])
        summary, labels = self.label("--periodic", "x,y", "--statistics", self.path("t.csv"), "--columns", "shape",
                                     "--spacing", 2, 3)
        self.assertEqual(labels, [1, 0, 0, 1, 0, 0, 2, 0, 1, 0, 0, 0])
        self.assertEqual((summary["periodic"], summary["connectivity"]), ("xy", 4))
        with open(self.path("t.csv")) as stream:
            first, second = csv.DictReader(stream)
        # Unwrapped, the first has the voxels (3, 3), (4, 3) and (4, 2).
        for column, value in (("voxel_count", 3), ("area_mm2", 18), ("bbox_min_x", 3), ("bbox_max_x", 4), ("bbox_min_y", 2),
                              ("bbox_max_y", 3), ("bbox_min_x_mm", 5), ("centroid_x", 11 / 3), ("centroid_y_mm", 8),
                              ("wraps_x", 0), ("wraps_y", 0), ("touches_border", 0), ("covariance_xx_mm2", 8 / 9)):
            self.assertAlmostEqual(float(first[column]), value, msg=column)
        self.assertEqual((second["bbox_min_x"], second["wraps_x"]), ("2", "0"))
        self.assertEqual(self.label("--periodic", "y")[1], [1, 0, 0, 2, 0, 0, 3, 0, 1, 0, 0, 0])
        self.assertEqual(max(self.label("--periodic", "xy", "--connectivity", 8)[1]), 1)
        write_nrrd(self.input, "uint8", (4, 3), [1, 1, 1, 1] + [0] * 8)
        self.ok("label", self.input, self.output, "--periodic", "x", "--statistics", self.path("t.csv"))
        with open(self.path("t.csv")) as stream:
            (row,) = csv.DictReader(stream)
        self.assertEqual([row[name] for name in ("wraps_x", "bbox_min_x", "bbox_max_x", "centroid_x", "centroid_x_mm", "centroid_y")],
                         ["1", "0", "3", "nan", "nan", "0"])

    def test_label_types(self):
        board = [(x + y) % 2 for y in range(32) for x in range(32)]
        write_nrrd(self.input, "uint8", (32, 32), board)
        summary, _ = self.label()
        self.assertEqual((summary["components"], summary["label_type"]), (512, "uint16"))
        for kind in ("uint16", "uint32", "uint64"):
            self.label("--label-type", kind)
            self.assertEqual(labels_of(self.output)[0], kind)

    def test_every_voxel_type(self):
        for kind in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float", "double"):
            self.squares(kind)
            self.assertEqual(self.label("--equal-value")[0]["components"], 3, kind)

    def test_output_formats_keep_labels_and_place(self):
        values = [random.Random(1).choice((0, 0, 1)) for _ in range(6 * 5 * 4)]
        write_nrrd(self.input, "uint8", (6, 5, 4), values, spacing=(0.5, 1, 2.5), origin=(-10, 20, 30))
        expected = self.label()[1]
        direct = read_nrrd(self.output)[0]
        self.assertEqual(direct["space origin"], "(-10,20,30)")
        self.assertEqual(direct["encoding"], "gzip")
        for name in ("map.nii.gz", "map.nii", "map.mha", "map.mhd", "map.tif", "map.nhdr"):
            self.ok("label", self.input, self.path(name), "--quiet")
            # Every label is its own value, so labeling the map by equal values must give it back.
            again = self.path("again.nrrd")
            self.ok("label", self.path(name), again, "--equal-value", "--quiet")
            self.assertEqual(labels_of(again)[1], expected, name)
            if not name.endswith(".tif"):
                fields = read_nrrd(again)[0]
                for field in ("space directions", "space origin"):
                    self.assertEqual(fields[field].replace("-0,", "0,").replace("-0)", "0)"), direct[field], name)
        self.ok("label", self.input, self.output, "--no-compression", "--quiet")
        self.assertEqual(read_nrrd(self.output)[0]["encoding"], "raw")

    def test_2d_png(self):
        self.squares("uint8")
        self.ok("label", self.input, self.path("map.png"), "--quiet")
        self.ok("label", self.path("map.png"), self.output, "--equal-value", "--quiet")
        self.assertEqual(max(labels_of(self.output)[1]), 2)

    def test_4d(self):
        values = [0] * 81
        values[0] = values[40] = values[80] = 1
        write_nrrd(self.input, "uint8", (3, 3, 3, 3), values)
        self.assertEqual(self.label()[0]["components"], 3)
        self.assertEqual(self.label("--connectivity", 64)[0]["components"], 3)
        self.assertEqual(self.label("--connectivity", 80)[0]["components"], 1)

    def test_table_as_csv_tsv_and_json(self):
        self.squares("float")
        tables = {}
        for extension in ("csv", "tsv", "json"):
            path = self.path("table." + extension)
            self.label("--statistics", path, "--intensity", self.input)
            with open(path) as stream:
                if extension == "json":
                    content = json.load(stream)
                    self.assertEqual(list(content["columns"]), list(content["components"][0]))
                    tables[extension] = [{k: float(v) for k, v in row.items()} for row in content["components"]]
                else:
                    reader = csv.DictReader(stream, delimiter="," if extension == "csv" else "\t")
                    tables[extension] = [{k: float(v) for k, v in row.items()} for row in reader]
        self.assertEqual(tables["csv"], tables["tsv"])
        self.assertEqual(tables["csv"], tables["json"])
        first, second = tables["csv"]
        self.assertEqual((first["voxel_count"], first["area_mm2"], first["centroid_x"]), (4, 4, 0.5))
        self.assertEqual((second["intensity_mean"], second["intensity_max"], second["intensity_sum"]), (2.2, 3, 11))

    def test_nan_is_background_and_counted(self):
        nan = float("nan")
        for kind in ("float", "double"):
            for options in ((), ("--range", "-inf", "inf"), ("--equal-value",), ("--tolerance", 1),
                            ("--background", "none"), ("--background", "none", "--tolerance", "inf")):
                write_nrrd(self.input, kind, (5, 1), [1, nan, 1, 1, nan])
                summary, labels = self.label(*options)
                self.assertEqual(labels, [1, 0, 2, 2, 0], options)
                self.assertEqual(summary["nan_values"], 2)

    def test_volume_limits_are_decimal_fractions(self):
        """What doubles lose of 3 x 0.1 x 0.1 x 0.1 drops no component of that volume."""
        lengths = range(1, 9)
        row = [voxel for length in lengths for voxel in [1] * length + [0]]
        for spacing in ((0.1, 0.1, 0.1), (0.2, 0.2, 0.2), (0.3, 0.7, 0.1), (0.478516, 0.478516, 1.25), (0.001, 0.001, 0.001)):
            write_nrrd(self.input, "uint8", (len(row), 1, 1), row, spacing=spacing)
            voxel = decimal.Decimal(1)
            for step in spacing:
                voxel *= decimal.Decimal(repr(step))
            for length in lengths:
                for limit, kept in ((voxel * length, 9 - length), (voxel * length * decimal.Decimal("1.000001"), 8 - length)):
                    with self.subTest(spacing=spacing, limit=limit):
                        result = self.ok("label", self.input, self.output, "--minimum-volume", format(limit, "f"), "--json")
                        self.assertEqual(json.loads(result.stdout)["components"], kept)

    def test_the_unit_of_a_minimum_volume_is_repeated(self):
        write_nrrd(self.input, "uint8", (4, 4, 4), [1] * 64)
        for text, saying in (("0.5cm3", "1 dropped by --minimum-volume 500 mm3"), ("500", "1 dropped by --minimum-volume 500\n")):
            self.assertIn(saying, self.ok("label", self.input, self.output, "--minimum-volume", text).stdout)

    def test_a_summary_or_a_picture_needs_no_label_map(self):
        write_nrrd(self.input, "uint8", (4, 4, 4), [0] * 20 + [1] * 44)
        before = set(self.contents())
        self.assertEqual(json.loads(self.ok("label", self.input, "--json").stdout)["components"], 1)
        self.assertEqual(set(self.contents()), before)
        self.ok("label", self.input, "--picture", self.path("p.png"))
        self.assertEqual(set(self.contents()), before | {"p.png"})
        self.assertIn("1 component (6 neighbors)", self.ok("label", self.input).stdout)
        self.fails("label", self.input, "--quiet", saying="nothing to do: give OUTPUT")

    def test_lengths_and_volumes_have_units(self):
        random.seed(7)
        write_nrrd(self.input, "uint8", (12, 11, 10), [random.random() < 0.6 for _ in range(1320)], spacing=(0.5, 0.5, 1))
        for options, inUnits in ((("--minimum-volume", 0.5), ("--minimum-volume", "500000000um3")),
                                 (("--fill-holes", 0.25), ("--fill-holes", "0.00025 cm^3")), (("--fill-holes", 0.25), ("--fill-holes", "0.25mm3")),
                                 (("--smooth", "gaussian:0.5"), ("--smooth", "gaussian:500um")),
                                 (("--by-slice", "z", "--minimum-volume", 0.5), ("--by-slice", "z", "--minimum-volume", "0.5 mm2")),
                                 (("--by-slice", "z", "--fill-holes", 0.25), ("--by-slice", "z", "--fill-holes", "0.0025cm2")),
                                 (("--fill-holes", 0.25, "--holes-by-slice", "z"), ("--fill-holes", "0.25 mm2", "--holes-by-slice", "z")),
                                 (("--spacing", 0.5, 2, 10, "--minimum-volume", 20),
                                  ("--spacing", "500um", "2 mm", "1cm", "--minimum-volume", "20 mm3"))):
            with self.subTest(inUnits=inUnits):
                (plain, labels), (summary, found) = self.label(*options), self.label(*inUnits)
                self.assertEqual((labels, plain["spacing"]), (found, summary["spacing"]))
        # The last length is not the name of a file.
        self.ok("label", "--spacing", "500um", "500um", "1mm", self.input, self.output, "--quiet")
        for options, saying in ((("--minimum-volume", "2 mm2"), "--minimum-volume is in mm2, but the components have 3 dimensions; give mm3"),
                                (("--by-slice", "z", "--minimum-volume", "2 mm3"), "--minimum-volume is in mm3, but the components have 2 dimensions; give mm2"),
                                (("--by-slice", "z", "--fill-holes", "2mm3"), "--fill-holes is in mm3"),
                                (("--fill-holes", "2mm2"), "--fill-holes is in mm2"), (("--fill-holes", "2 mm"), "a number of at least 0"),
                                (("--smooth", "gaussian:2mm3"), "gaussian:MM"), (("--spacing", "1mm2", "1", "1"), "lengths such as"),
                                (("--close", "2mm2", "--pores"), "or with a unit")):
            os.path.exists(self.output) and os.remove(self.output)
            self.fails("label", self.input, self.output, *options, saying=saying)

    def test_limits_that_keep_nothing_are_noted(self):
        write_nrrd(self.input, "uint8", (9, 2), [1] * 18)
        result = self.ok("label", self.input, self.output, "--minimum-size", 6, "--maximum-size", 5)
        self.assertIn("--minimum-size 6 is above --maximum-size 5: no component is kept", result.stderr)
        self.assertIn("0 components", result.stdout)

    def test_threads_and_device_do_not_change_the_labels(self):
        self.ok("phantom", "random", self.input, "--size", 200, 60, 50, "--density", 0.3, "--quiet")
        expected = self.label("--threads", 1)[1]
        for options in (("--threads", 2), ("--device", "cuda"), ("--device", "cpu"), ("--algorithm", "RunMerging"),
                        ("--algorithm", "LabelEquivalence:flag=global")):
            self.assertEqual(self.label(*options)[1], expected, options)

    def test_asking_for_cuda_without_a_gpu_says_so_and_uses_the_cpu(self):
        self.squares()
        summary, _ = self.label("--device", "cuda:0")
        if summary["device"] == "cpu":
            self.assertIn("cuda:0", summary["device_remark"])
            text = self.ok("label", self.input, self.output, "--device", "cuda:0")
            self.assertIn("the CPU is used", text.stderr)
        else:
            self.assertEqual(summary["device"], "cuda:0")

    def test_what_is_printed(self):
        self.squares()
        result = self.ok("label", self.input, self.output)
        self.assertIn("2 components (4 neighbors), foreground: values other than 0", result.stdout)
        self.assertIn("labeling\n", result.stderr)
        self.assertNotIn("\r", result.stderr, "no progress bar outside of a terminal")
        result = self.ok("label", self.input, self.output, "--quiet")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_picture(self):
        self.ok("phantom", "log", self.input, "--size", 48, 40, 30, "--spacing", 1, 1, 1, "--quiet")
        for options in ((), ("--range", 0, "inf"), ("--range", 30000, "inf")):
            self.ok("label", self.input, self.output, "--picture", self.path("p.png"), "--quiet", *options)
            with open(self.path("p.png"), "rb") as stream:
                header = stream.read(24)
            self.assertEqual(header[:8], b"\x89PNG\r\n\x1a\n")
            width, height = struct.unpack(">II", header[16:])
            # Slices of 48 x 40 and, below, of 48 x 30 and 40 x 30 voxels, 10 pixels each.
            self.assertGreater(width, 480 + 400)
            self.assertGreater(height, 400 + 300)
            self.assertLess(max(width, height), 1200)

    def test_picture_without_display_and_of_few_dimensions(self):
        without_display = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
        for size in ((7,), (7, 1), (1, 7), (4, 3, 1), (3, 3, 3)):
            count = 1
            for length in size:
                count *= length
            write_nrrd(self.input, "uint8", size, [i % 2 for i in range(count)])
            result = run("label", self.input, self.output, "--picture", self.path("p.png"), "--quiet", env=without_display)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_picture_of_four_dimensions_is_refused_before_any_work(self):
        write_nrrd(self.input, "uint8", (2, 2, 2, 2), [1] * 16)
        self.fails("label", self.input, self.output, "--picture", self.path("p.png"), saying="1 to 3 dimensions, not 4")

    def test_dicom_folder(self):
        archive = os.path.join(os.environ.get("BRICKCCL_REFERENCE_DATA", "/nowhere"), "dicom", "lidc0314_dicom12.tar.gz")
        if not os.path.exists(archive):
            self.skipTest("no DICOM sample: set BRICKCCL_REFERENCE_DATA to the folder of the reference data")
        with tarfile.open(archive) as files:
            files.extractall(self.path("dicom"))
        folder = self.path("dicom")
        while not any(name.endswith(".dcm") for name in os.listdir(folder)):
            folder = os.path.join(folder, os.listdir(folder)[0])
        summary = json.loads(self.ok("label", folder, self.output, "--range", 200, "inf", "--json").stdout)
        self.assertEqual(summary["extent"], [512, 512, 12])
        self.assertEqual(summary["spacing"], [0.78125, 0.78125, 1.0])
        self.assertGreater(summary["components"], 10)

    def test_info(self):
        info = json.loads(self.ok("info", "--json").stdout)
        self.assertTrue(info["devices"][0].startswith("cpu"))
        self.assertIn("RunMerging", [algorithm["name"] for algorithm in info["algorithms"]])
        self.assertIn(info["version"], self.ok("info").stdout)
        equivalence = [row for row in info["algorithms"] if row["name"] == "LabelEquivalence"][0]
        self.assertEqual(equivalence["runs_on"], ["cpu", "cuda"])
        self.assertEqual(equivalence["options"][0],
                         {"name": "atomics", "syntax": "atomics=off|on", "default": "off",
                          "summary": "write references with atomicMin (CUCCL) or with plain stores (Kalentev)"})
        self.assertIn("LinkPropagation (cuda)", self.ok("info").stdout)
        self.assertIn(":gather=1..65535 (default 128)", self.ok("info").stdout)
        self.assertEqual(run("--version").stdout.strip(), info["version"])


if __name__ == "__main__":
    unittest.main()
