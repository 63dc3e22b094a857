# SPDX-License-Identifier: Apache-2.0
"""What `brickccl stats` does."""

import csv
import json
import math
import os
import random
import struct
import unittest
import xml.etree.ElementTree as tree

from support import CommandTest, run, write_nrrd

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Source")


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

    def test_what_is_not_a_number_is_outside_of_the_part(self):
        labels, part, table = self.path("labels.nrrd"), self.path("part.nrrd"), self.path("table.json")
        write_nrrd(labels, "uint8", (8, 1, 1), [0, 0, 1, 0, 0, 0, 2, 2], (1, 1, 1))
        for kind in ("float", "double"):
            for outside in (0, float("nan")):
                write_nrrd(part, kind, (8, 1, 1), [-1, 0.5, 1e-30, 1, outside, outside, outside, 3], (1, 1, 1))
                told = self.ok("stats", labels, "-o", table, "--part", part, "--columns", "surface_distance_mm")
                with open(table, encoding="utf-8") as stream:
                    rows = json.load(stream)["components"]
                self.assertEqual([row["surface_distance_mm"] for row in rows], [1, 0])
                self.assertIn("1 of 3 component voxels are outside the part", told.stderr)
                said = "'%s': 3 values are NaN and count as background" % part in told.stderr
                self.assertEqual(said, outside != 0)
        for command in (("stats", part, "-o", table), ("label", labels, self.path("o.nrrd"), "--mask", part), ("render", part, self.path("o.png")),
                        ("label", labels, self.path("o.nrrd"), "--touching", part), ("score", part, labels), ("score", labels, part)):
            write_nrrd(part, "float", (8, 1, 1), [0, 0, 1, 0, float("nan"), float("nan"), float("nan"), 2], (1, 1, 1))
            self.assertIn("'%s': 3 values are NaN and count as background" % part, self.ok(*command).stderr, command[0])
        write_nrrd(part, "float", (8, 1, 1), [0, 0, 1, 0, float("nan"), 0, 0, 2], (1, 1, 1))
        self.assertIn("'%s': 1 value is NaN and counts as background" % part, self.ok("stats", part, "-o", table).stderr)

    def test_a_scan_is_not_a_mask_of_a_part(self):
        labels, part, table = self.path("labels.nrrd"), self.path("part.nrrd"), self.path("table.csv")
        write_nrrd(labels, "uint8", (6, 2, 1), [0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0])
        for values in ([7] * 12, list(range(1, 13))):
            write_nrrd(part, "int16", (6, 2, 1), values)
            for command in (("stats", labels, "-o", table), ("label", labels, self.path("o.nrrd"), "--statistics", table)):
                self.fails(*command, "--part", part, saying=["'%s' (--part) is not a mask" % part, "no voxel is 0"])
        # Fewer than 100 pairs of neighbors do not make a scan.
        wide = self.path("wide.nrrd")
        write_nrrd(wide, "uint8", (24, 10, 1), [0, 1] * 120)
        write_nrrd(part, "int16", (24, 10, 1), [7 * i % 11 for i in range(240)])
        self.assertIn("looks like a grayscale scan", self.ok("stats", wide, "-o", table, "--part", part).stderr)
        write_nrrd(part, "int16", (6, 2, 1), [5, 5, 5, 0, 3, 3, 5, 5, 5, 0, 3, 3])
        self.assertNotIn("looks like a grayscale scan", self.ok("stats", labels, "-o", table, "--part", part).stderr)

    def test_parts_contacts_totals_and_histograms(self):
        labels, part, table = self.path("labels.nrrd"), self.path("part.nrrd"), self.path("table.json")
        write_nrrd(labels, "uint8", (6, 2, 1), [0, 3, 3, 5, 5, 0, 0, 3, 0, 5, 0, 7], (2, 1, 1))
        write_nrrd(part, "uint8", (6, 2, 1), [1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1], (2, 1, 1))
        summary = json.loads(self.ok("stats", labels, "-o", table, "--part", part, "--columns", "neighbors",
                                     "--contacts", self.path("contacts.csv"), "--histogram", "voxel_count", "--bins",
                                     2, "--json").stdout)
        self.assertEqual(summary["histogram"]["counts"], [1, 2])
        self.assertEqual(summary["histogram"]["edges"], [1, 2, 3])
        with open(table) as stream:
            content = json.load(stream)
        self.assertEqual(content["totals"], {"components": 3, "voxel_count": 7, "volume_mm3": 14, "region_volume_mm3": 22,
                                             "fraction": 7 / 11})
        self.assertEqual(summary["totals"]["fraction"], 7 / 11)
        rows = content["components"]
        self.assertEqual([row["surface_distance_mm"] for row in rows], [4, 0, 0])
        self.assertEqual([row["nearest_distance_mm"] for row in rows], [0, 0, 0])
        self.assertEqual([row["nearest_label"] for row in rows], [5, 3, 5])
        self.assertEqual([row["contact_area_mm2"] for row in rows], [1, 1, 0])
        with open(self.path("contacts.csv")) as stream:
            self.assertEqual(stream.read(), "label_1,label_2,faces,area_mm2\n3,5,1,1\n")
        self.assertIn("2 .. 3: 2", self.ok("stats", labels, "-o", table, "--histogram", "voxel_count", "--bins",
                                           2).stdout)
        self.fails("stats", labels, "-o", table, "--histogram", "form", saying="no column 'form'")
        self.fails("stats", labels, "-o", table, "--contacts", "c.json", saying=".csv or .tsv")
        self.ok("stats", labels, "-o", self.path("t.csv"), "--contacts", self.path("c.csv"), "--decimal", "comma", "--units", "cm")
        with open(self.path("c.csv")) as stream:
            self.assertEqual(stream.read(), "label_1;label_2;faces;area_cm2\n3;5;1;0,01\n")
        self.ok("stats", labels, "-o", self.path("t.csv"), "--contacts", self.path("c.csv"), "--csv-separator", "tab")
        with open(self.path("c.csv")) as stream:
            self.assertEqual(stream.read(), "label_1\tlabel_2\tfaces\tarea_mm2\n3\t5\t1\t1\n")

    def test_schema_of_a_table(self):
        labels, table, schema = self.path("labels.nrrd"), self.path("table.csv"), self.path("table.schema.csv")
        write_nrrd(labels, "uint32", (2, 2, 1), [0, 1, 1, 2 ** 31], (2, 1, 1))
        self.ok("stats", labels, "-o", table, "--schema", schema)
        with open(schema, newline="") as stream:
            rows = {row["columnName"]: row for row in csv.DictReader(stream)}
        with open(table, newline="") as stream:
            self.assertEqual(next(csv.reader(stream)), list(rows))
        self.assertEqual([rows[name]["type"] for name in ("label", "voxel_count", "volume_mm3", "touches_border")],
                         ["double", "int", "double", "int"])
        self.assertEqual(rows["volume_mm3"]["unitLabel"], "mm^3")
        # A comma within a field: the fields stay apart.
        self.assertEqual(rows["centroid_x_mm"]["description"],
                         "centroid in LPS (with spacing, origin and direction)")
        self.fails("stats", labels, "-o", table, "--schema", "schema.json", saying=".csv or .tsv")
        self.fails("stats", labels, "-o", table, "--schema", table, saying="also the output of --output")

    def test_plots(self):
        labels, drawing, picture = self.path("labels.nrrd"), self.path("plot.svg"), self.path("plot.png")
        write_nrrd(labels, "uint8", (6, 1, 1), [0, 3, 3, 5, 5, 7])
        arguments = ["stats", labels, "-o", self.path("t.csv"), "--histogram", "volume_mm3", "--bins", 2, "--plot"]
        without_display = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
        for plot in (drawing, picture):
            result = run(*arguments, plot, env=without_display)
            self.assertEqual(result.returncode, 0, result.stderr)
        root = tree.parse(drawing).getroot()
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, space + "svg")
        self.assertEqual((root.get("width"), root.get("height")), ("1000", "600"))
        texts = [text.text for text in root.iter(space + "text")]
        self.assertIn("volume [mm\u00b3]", texts)
        self.assertIn("components", texts)
        bars = [bar for bar in root.iter(space + "rect") if bar.get("fill") == "#3c6ea0"]
        self.assertEqual(len(bars), 2)
        self.assertAlmostEqual(float(bars[1].get("height")) / float(bars[0].get("height")), 2, delta=0.01)
        with open(picture, "rb") as stream:
            content = stream.read()
        self.assertEqual(content[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">2I", content[16:24]), (1000, 600))
        self.fails(*arguments, self.path("plot.pdf"), saying=".svg or .png")
        self.fails(*arguments, self.path("none/plot.svg"), saying="none/plot.svg")
        self.fails(*arguments[:4], "--plot", drawing, saying="--histogram")

    def test_histograms_with_round_bins_a_logarithmic_axis_and_weights(self):
        labels = self.path("labels.nrrd")
        write_nrrd(labels, "uint8", (130, 1, 1), [1] * 3 + [2] * 7 + [3] * 20 + [4] * 100)
        stats = ["stats", labels, "--histogram", "voxel_count", "--json"]
        histogram = json.loads(self.ok(*stats).stdout)["histogram"]
        self.assertEqual(histogram["edges"][:3], [2, 4, 6])
        self.assertEqual((histogram["counts"][0], histogram["counts"][-1]), (1, 1))
        histogram = json.loads(self.ok(*stats, "--log").stdout)["histogram"]
        self.assertEqual(histogram["edges"][:4], [2.5, 4, 5, 6.3])
        self.assertEqual(sum(histogram["counts"]), 4)
        for column, edges, counts in (("touches_border", [0, 1, 2], [2, 2]), ("bbox_min_x", None, [1] * 4)):
            histogram = json.loads(self.ok("stats", labels, "--histogram", column, "--json").stdout)["histogram"]
            self.assertTrue(all(high - low >= 1 for low, high in zip(histogram["edges"], histogram["edges"][1:])), column)
            self.assertEqual([count for count in histogram["counts"] if count > 0], counts)
            self.assertEqual(histogram["edges"], edges or histogram["edges"])
        histogram = json.loads(self.ok(*stats, "--bins", 1, "--weights", "volume_mm3").stdout)["histogram"]
        self.assertEqual((histogram["counts"], histogram["weights"]), ([4], [130]))
        self.assertIn("volume_mm3", self.ok(*stats[:-1], "--weights", "volume_mm3").stdout)
        self.ok(*stats, "--log", "--weights", "feret_diameter_mm", "--plot", self.path("plot.png"))
        self.fails(*stats, "--weights", "centroid_y_mm", "--spacing", 1, 1, 1, "--log", "--bins", 0, saying="--bins")
        self.fails(*stats, "--weights", "form", saying="no column 'form'")
        self.fails("stats", labels, "--log", "--print", saying="--histogram")

    def test_a_histogram_of_empty_bins_names_the_logarithmic_axis(self):
        labels = self.path("labels.nrrd")
        write_nrrd(labels, "uint8", (1100, 1, 1), list(range(1, 101)) + [101] * 1000)
        stats = ["stats", labels, "--histogram", "voxel_count"]
        self.assertIn("49 of 51 bins are empty; try --log", self.ok(*stats).stderr)
        self.assertNotIn("--log", self.ok(*stats, "--log").stderr + self.ok(*stats, "--bins", 2).stderr)

    def test_columns_of_histograms_are_checked_before_any_work(self):
        # The label map is not there: what is wrong with the column is said first.
        for column, saying in (("spericity", "did you mean 'sphericity'"), ("volum_um3", "did you mean 'volume_mm3'"),
                               ("intensity_mean", "needs --intensity FILE"), ("surface_distance_mm", "needs --part FILE")):
            for options in (("--histogram", column), ("--histogram", "volume_mm3", "--weights", column)):
                self.fails("stats", self.path("none.nrrd"), *options, saying=[options[-2], saying])
        labels = self.path("labels.nrrd")
        write_nrrd(labels, "uint8", (3, 2, 2), [1] * 12)
        self.fails("stats", labels, "--histogram", "area_mm2", saying="no column 'area_mm2'")
        self.fails("stats", labels, "--print", "--columns", "area_mm2", saying="no column 'area_mm2'")

    def test_a_histogram_of_nothing(self):
        labels, plot = self.path("labels.nrrd"), self.path("plot.svg")
        write_nrrd(labels, "uint8", (3, 2), [0] * 6)
        for options, edges in (((), [0, 1]), (("--log",), [1, 10]), (("--bins", 7), [0, 1])):
            summary = json.loads(self.ok("stats", labels, "--histogram", "area_mm2", *options, "--plot", plot, "--json").stdout)
            self.assertEqual((summary["histogram"]["edges"], summary["histogram"]["counts"]), (edges, [0]))
            self.assertIn("it is empty", " ".join(summary["notes"]))
        with open(plot, encoding="utf-8") as stream:
            self.assertIn("there are no components", stream.read())

    def test_histograms_in_other_units(self):
        labels = self.path("labels.nrrd")
        write_nrrd(labels, "uint8", (6, 1, 1), [0, 3, 3, 5, 5, 7], (0.5, 0.5, 0.5))
        stats = ["stats", labels, "--bins", 2, "--json", "--histogram"]
        for options in (("volume_mm3", "--units", "um"), ("volume_um3", "--units", "um"), ("volume_um3",)):
            histogram = json.loads(self.ok(*stats, *options, "--weights", "surface_area_mm2").stdout)["histogram"]
            self.assertEqual((histogram["column"], histogram["unit"]), ("volume_um3", "um^3"))
            self.assertEqual(histogram["counts"], [1, 2])
            for edge, expected in zip(histogram["edges"], (0.125e9, 0.1875e9, 0.25e9)):
                self.assertAlmostEqual(edge / expected, 1, places=12)
            self.assertEqual(histogram["weight_column"], "surface_area_%s2" % ("um" if "--units" in options else "mm"))
        self.ok("stats", labels, "--histogram", "volume_mm3", "--units", "um", "--plot", self.path("plot.svg"))
        with open(self.path("plot.svg"), encoding="utf-8") as stream:
            self.assertIn("volume [um\u00b3]", stream.read())
        self.fails("stats", labels, "--histogram", "volum_um3", "--units", "um", saying="no column 'volum_um3'")
        self.fails("stats", labels, "--picture", self.path("p.png"), "--units", "um", saying=["--units um", "--histogram"])
        self.fails("label", labels, self.path("o.nrrd"), "--units", "um", saying=["--units um", "--statistics"])

    def test_no_statistics_of_values_near_the_ends_of_doubles_are_wrong(self):
        labels, values, table = self.path("six.nrrd"), self.path("values.nrrd"), self.path("six.csv")
        write_nrrd(labels, "uint8", (6,), [1] * 6)
        shape = [1, 2, -3, 4, 5, 9]
        mean, deviation = 3, (82 / 5) ** 0.5
        cubes, fourths = (sum((x - mean) ** power for x in shape) / 6 for power in (3, 4))
        columns = ("mean", "std", "variance", "skewness", "kurtosis")
        most = 1.7976931348623157e308
        # The scale of the values, or other values, and which columns have a number.
        for what, has in ((1e150, "mean std variance skewness kurtosis"), (1e-140, "mean std variance skewness kurtosis"), (1e155, "mean"),
                          (5e306, "mean"), (1e-148, "mean"), (1e-160, "mean"), (1e-307, "mean"), ([most, -most] * 3, "mean"),
                          ([1e308, 1.1e308, 1.2e308, 0.9e308, 1.7e308, 1.5e308], "")):
            scale = what if isinstance(what, float) else 1
            write_nrrd(values, "double", (6,), what if isinstance(what, list) else [x * scale for x in shape])
            self.ok("stats", labels, "--intensity", values, "-o", table, "--columns", "intensity", "--quiet")
            with open(table, newline="", encoding="utf-8") as stream:
                row = next(csv.DictReader(stream))
            found = {name: float(row["intensity_" + name]) for name in columns}
            with self.subTest(what=what):
                self.assertEqual({name for name in columns if not math.isnan(found[name])}, set(has.split()), found)
                if isinstance(what, float):
                    right = {"mean": mean * scale, "std": deviation * scale, "variance": (deviation * scale) ** 2 if 1e-150 < scale < 1e151 else 0,
                             "skewness": cubes / deviation ** 3, "kurtosis": fourths / deviation ** 4 - 3}
                    for name in has.split():
                        self.assertLessEqual(abs(found[name] - right[name]), max(1e-9 * abs(right[name]), 1e-12 if name == "skewness" else 0), name)
                self.assertEqual(float(row["intensity_max"]), max(what) if isinstance(what, list) else 9 * what)
        # Equal ones do not deviate, however large or small they are.
        for value in (1e308, 1e-308, 5e-324):
            write_nrrd(values, "double", (6,), [value] * 6)
            self.ok("stats", labels, "--intensity", values, "-o", table, "--columns", "intensity", "--quiet")
            with open(table, newline="", encoding="utf-8") as stream:
                row = next(csv.DictReader(stream))
            self.assertEqual([float(row["intensity_" + name]) for name in columns[1:]], [0] * 4, value)
        # One voxel deviates by 0, unless its value is not a number.
        write_nrrd(labels, "uint8", (1,), [1])
        for value, deviation in ((5.5, 0), (math.nan, math.nan), (math.inf, math.nan)):
            write_nrrd(values, "double", (1,), [value])
            self.ok("stats", labels, "--intensity", values, "-o", table, "--columns", "intensity", "--quiet")
            with open(table, newline="", encoding="utf-8") as stream:
                row = next(csv.DictReader(stream))
            self.assertEqual([str(float(row["intensity_" + name])) for name in ("std", "variance")], [str(float(deviation))] * 2, value)

    def test_values_at_the_ends_of_doubles_have_percentiles(self):
        labels, values = self.path("labels.nrrd"), self.path("values.nrrd")
        numbers = random.Random(1)
        spread = [numbers.uniform(-1.7, 1.7) * 1e308 for _ in range(252)]
        nan, inf = math.nan, math.inf
        for given, right in (([1e308, -1e308], (-9e307, 0, 9e307)), ([1e308] * 3, (1e308,) * 3), (spread, None),
                             ([-inf, inf, 0], (nan, 0, inf)), ([1, nan, 2], (nan,) * 3), ([1e308] * 9 + [nan], (nan,) * 3), ([0.1, 0.7], (0.13, 0.4, 0.67))):
            # Sums of rows are infinite in either direction.
            sizes = (2, len(given) // 2) if right is None else (len(given),)
            write_nrrd(labels, "uint8", sizes, [1] * len(given))
            write_nrrd(values, "double", sizes, given)
            table = self.path("table.csv")
            self.ok("stats", labels, "--intensity", values, "-o", table, "--columns", "intensity", "--quiet")
            with open(table, newline="", encoding="utf-8") as stream:
                row = next(csv.DictReader(stream))
            if right is None:
                # Scaled, no difference overflows.
                places = [251 * share for share in (0.05, 0.5, 0.95)]
                ordered = [value / 4 for value in sorted(given)]
                right = [4 * (ordered[int(at)] + at % 1 * (ordered[int(at) + 1] - ordered[int(at)])) for at in places]
            for name, wanted in zip(("p5", "median", "p95"), right):
                found = float(row["intensity_" + name])
                with self.subTest(given=given[:4], name=name):
                    self.assertTrue(math.isclose(found, wanted, rel_tol=1e-13) or math.isnan(found) and math.isnan(wanted), found)

    def test_nan_is_ignored_on_request(self):
        # All but the counts are as if the map left these voxels out.
        numbers = random.Random(3)
        labels = [numbers.randrange(4) for _ in range(600)] + [4, 4]
        values = [math.nan if numbers.random() < 0.3 else numbers.uniform(-50, 90) for _ in range(600)] + [math.nan] * 2
        for kind in ("float", "double"):
            write_nrrd(self.path("values.nrrd"), kind, (7, 86), values)
            tables = []
            for name, own, more in (("all", labels, ("--nan", "ignore")), ("some", [0 if math.isnan(v) else l for v, l in zip(values, labels)], ())):
                write_nrrd(self.path("labels.nrrd"), "uint8", (7, 86), own)
                self.ok("stats", self.path("labels.nrrd"), "--intensity", self.path("values.nrrd"), "-o", self.path(name + ".csv"),
                        "--columns", "intensity", "--quiet", *more)
                with open(self.path(name + ".csv"), newline="", encoding="utf-8") as stream:
                    tables.append(list(csv.DictReader(stream)))
            self.assertEqual([row["voxel_count"] for row in tables[0]], [str(labels.count(label)) for label in (1, 2, 3, 4)])
            columns = [name for name in tables[0][0] if name.startswith(("intensity_", "weighted_"))]
            self.assertGreater(len(columns), 14)
            for column in columns:
                for ours, theirs in zip(tables[0], tables[1]):
                    self.assertTrue(math.isclose(float(ours[column]), float(theirs[column]), rel_tol=1e-11), column)
                self.assertEqual(tables[0][3][column], "nan", column)
        write_nrrd(self.path("labels.nrrd"), "uint8", (7, 86), labels)
        kept = self.ok("stats", self.path("labels.nrrd"), "--intensity", self.path("values.nrrd"), "--print", "--nan", "keep")
        self.assertIn("4 components have no mean intensity", kept.stderr + kept.stdout)
        asked = ("--intensity", self.path("values.nrrd"), "--nan", "ignore")
        # Labels in separate blocks are components, and objects.
        for command in (("label", "--equal-value", "--background", "0", "--connectivity", "8"), ("split", "--split-height", "9"), ("select", "--where", "label > 0", "--keep")):
            write_nrrd(self.path("blocks.nrrd"), "uint8", (7, 86), [0 if place // 7 % 9 == 8 else 1 for place in range(602)])
            self.ok(command[0], self.path("blocks.nrrd"), self.path("o.nrrd"), *command[1:], *asked, "--statistics", self.path("t.csv"))
            with open(self.path("t.csv"), newline="", encoding="utf-8") as stream:
                means = [float(row["intensity_mean"]) for row in csv.DictReader(stream)]
            blocks = [values[begin:begin + 56] for begin in range(0, 602, 63)] if len(means) > 1 else [[v for place, v in enumerate(values) if place // 7 % 9 != 8]]
            self.assertEqual(len(means), 1 if command[0] == "select" else 10)
            for mean, block in zip(means, blocks):
                numbers_of_block = [value for value in block if not math.isnan(value)]
                self.assertTrue(math.isclose(mean, sum(numbers_of_block) / len(numbers_of_block), rel_tol=1e-9), command)
        self.fails("label", self.path("blocks.nrrd"), self.path("n.nrrd"), *asked, "--statistics", self.path("n.csv"), "--memory", "1GB",
                   saying="--memory")
        self.fails("label", self.path("blocks.nrrd"), self.path("n.nrrd"), "--nan", "ignore", "--statistics", self.path("n.csv"), saying="--intensity")
        self.fails("stats", self.path("labels.nrrd"), "-o", self.path("n.csv"), "--nan", "ignore", saying="--intensity")
        self.fails("stats", self.path("labels.nrrd"), "--intensity", self.path("values.nrrd"), "--print", "--nan", "drop", saying="--nan")

    def test_equal_values_are_their_mean(self):
        labels, values = self.path("labels.nrrd"), self.path("values.nrrd")
        for given, mean in (([1e308] * 3, 1e308), ([-1.7e308] * 1000, -1.7e308), ([1e308] * 3 + [math.nan], math.nan), ([math.inf] * 3, math.inf),
                            ([1e308, 1e308, 1.1e308], math.nan), ([0.1] * 7, 0.1)):
            write_nrrd(labels, "uint8", (1, len(given)), [1] * len(given))
            write_nrrd(values, "double", (1, len(given)), given)
            for command in (("stats", labels, "-o"), ("label", labels, self.path("o.nrrd"), "--memory", "100MB", "--statistics")):
                table = self.path("table.csv")
                self.ok(*command, table, "--intensity", values, "--quiet")
                with open(table, newline="", encoding="utf-8") as stream:
                    self.assertEqual(str(float(next(csv.DictReader(stream))["intensity_mean"])), str(mean))

    def test_the_list_of_columns_is_the_documented_one(self):
        with open(os.path.join(SOURCE, "Engine", "Tables", "COLUMNS.md")) as stream:
            self.assertTrue(stream.read().endswith(self.ok("stats", "--list-columns-markdown").stdout),
                            "brickccl stats --list-columns-markdown prints the table")
        self.assertIn("sphericity", self.ok("stats", "--list-columns").stdout)

    def test_bad_input(self):
        labels = self.path("labels.nrrd")
        write_nrrd(labels, "int16", (2, 2), [1, -4, 0, 0])
        self.fails("stats", labels, "-o", self.path("t.csv"), saying="-4")
        write_nrrd(labels, "float", (2, 2), [1, 0.5, 0, 0])
        self.fails("stats", labels, "-o", self.path("t.csv"), saying="whole numbers")
        write_nrrd(labels, "uint8", (2, 2), [1, 1, 0, 0])
        self.fails("stats", labels, "-o", self.path("t.csv"), "--columns", "intensity", saying="need an intensity image")
        self.fails("stats", labels, "-o", self.path("t.xls"), saying=".csv, .tsv, .json or .xlsx")
        self.fails("stats", labels, "-o", self.path("t.csv"), "--columns", "form", saying="neither a column nor a group of columns")
        self.fails("stats", self.path("none.nrrd"), "-o", self.path("t.csv"), saying="no such file")


if __name__ == "__main__":
    unittest.main()
