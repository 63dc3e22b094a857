# SPDX-License-Identifier: Apache-2.0
"""Which columns and rows of a table are written, and how."""

import csv
import json
import math
import os
import re
import resource
import unittest
import zipfile

from support import CommandTest, labels_of, read_nrrd, run, write_nrrd

# Components of 1, 3, 2 and 3 voxels.
LINE = [1, 0, 2, 2, 2, 0, 3, 3, 0, 4, 4, 4]


class TablesTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.labels = self.path("labels.nrrd")
        self.table = self.path("table.csv")
        write_nrrd(self.labels, "uint8", (12, 1, 1), LINE, spacing=(0.5, 0.5, 0.5))

    def read(self, *options, table=None, delimiter=","):
        table = table or self.table
        self.ok("stats", self.labels, "-o", table, *options)
        with open(table, newline="", encoding="utf-8") as stream:
            rows = list(csv.reader(stream, delimiter=delimiter))
        return rows[0], rows[1:]

    def test_parquet_is_refused(self):
        self.fails("stats", self.labels, "-o", self.path("table.parquet"), saying=".csv, .tsv, .json or .xlsx")

    def test_single_columns_leave_out_the_others_and_groups_add(self):
        everything, _ = self.read()
        self.assertGreater(len(everything), 10)
        self.assertEqual(self.read("--columns", "volume_mm3")[0], ["label", "volume_mm3"])
        self.assertEqual(self.read("--columns", "sphericity,label,voxel_count")[0], ["label", "sphericity", "voxel_count"])
        groups, _ = self.read("--columns", "topology")
        self.assertEqual(groups[:len(everything)], everything)
        self.assertIn("euler_number_26", groups)
        mixed, _ = self.read("--columns", "voxel_count,topology")
        self.assertEqual(mixed[:3], ["label", "voxel_count", "euler_number_26"])
        self.assertEqual(len(mixed), len(groups) - len(everything) + 2)
        self.fails("stats", self.labels, "-o", self.table, "--columns", "area_mm2", saying="no column 'area_mm2'")
        write_nrrd(self.path("flat.nrrd"), "uint8", (4, 3), [1] * 12)
        self.ok("stats", self.path("flat.nrrd"), "-o", self.table, "--columns", "feret,opening_mm", "--quiet")
        with open(self.table, encoding="utf-8") as stream:
            header = stream.readline().strip().split(",")
        self.assertEqual((header[0], header[-1]), ("label", "opening_mm"))
        self.assertIn("feret_diameter_mm", header)
        self.assertNotIn("enclosing_sphere_z_mm", header)

    def test_rows_are_sorted_and_cut(self):
        labels = lambda *options: [row[0] for row in self.read("--columns", "label", *options)[1]]
        self.assertEqual(labels(), ["1", "2", "3", "4"])
        self.assertEqual(labels("--sort", "voxel_count"), ["2", "4", "3", "1"])
        self.assertEqual(labels("--sort", "+voxel_count"), ["1", "3", "2", "4"])
        self.assertEqual(labels("--top", 2), ["2", "4"])
        self.assertEqual(labels("--top", 9, "--sort", "+label"), ["1", "2", "3", "4"])
        self.assertEqual(labels("--sort", "feret_diameter_mm", "--top", 1), ["2"])
        self.fails("stats", self.labels, "-o", self.table, "--sort", "volum_mm3", saying="did you mean 'volume_mm3'")
        self.fails("stats", self.labels, "-o", self.table, "--top", 0, saying="not a whole number")

    def test_units(self):
        for unit, factor in (("um", 1000), ("cm", 0.1)):
            header, rows = self.read("--columns", "volume_mm3,centroid_x_mm,surface_area_mm2,voxel_count", "--units", unit)
            self.assertEqual(header, ["label", "volume_%s3" % unit, "centroid_x_" + unit, "surface_area_%s2" % unit, "voxel_count"])
            self.assertAlmostEqual(float(rows[1][1]), 3 * 0.125 * factor ** 3)
            self.assertAlmostEqual(float(rows[1][2]), 1.5 * factor)
            self.assertEqual(rows[1][4], "3")
        header, rows = self.read("--columns", "volume_um3,sphericity", "--units", "um", "--sort", "+volume_um3")
        self.assertEqual(header, ["label", "volume_um3", "sphericity"])
        self.assertEqual(rows, sorted(rows, key=lambda row: float(row[1])))
        self.fails("stats", self.labels, "-o", self.table, "--columns", "volume_um3", saying="'volume_um3' is neither a column")
        self.fails("stats", self.labels, "-o", self.table, "--units", "nm", saying="mm, um, cm")

    def test_ras(self):
        """As LPS with the other sign of x and y: points, directions and covariances; the lowest becomes the highest."""
        write_nrrd(self.labels, "uint8", (4, 3, 3), [1, 1, 0, 0] + [0, 1, 1, 0] + [0] * 4 + [0, 0, 1, 1] + [0] * 16 + [2] * 4,
                   spacing=(0.5, 1, 2), origin=(10, -20, 30))
        lps, ras = ({name: [float(row[i]) for row in rows] for i, name in enumerate(header)}
                    for header, rows in (self.read("--columns", "shape", *more) for more in ((), ("--ras",))))
        self.assertEqual(lps["centroid_x_mm"][1], 10.75)
        self.assertEqual([ras["centroid_%s_mm" % axis][1] for axis in "ras"], [-10.75, 18, 34])
        self.assertEqual([ras["bbox_%s_r_mm" % end][0] for end in ("min", "max")], [-11.75, -9.75])
        letters = str.maketrans("xyz", "ras")
        for name, values in lps.items():
            signs = {"x": -1, "y": -1, "z": 1}
            found = re.fullmatch(r"(bbox_m..|\w*_)_?([xyz])_mm|(principal_axis_._)([xyz])|(covariance_)([xyz]+)_mm2", name)
            if not found:
                self.assertEqual(ras[name], values, name)
                continue
            axes = found[2] or found[4] or found[6]
            sign = math.prod(signs[axis] for axis in axes)
            other = name[:len(name) - name[::-1].index(axes[::-1]) - len(axes)] + axes.translate(letters)
            other += name[len(other):]
            if sign < 0 and "bbox" in name:
                other = other.replace("min", "?").replace("max", "min").replace("?", "max")
            self.assertNotIn(name, ras)
            self.assertEqual(ras[other], [sign * value for value in values], name)
        self.assertEqual(len(lps), len(ras))
        self.assertEqual(self.read("--columns", "centroid_x_mm", "--ras", "--units", "um", "--sort", "centroid_x_mm")[0],
                         ["label", "centroid_r_um"])
        for more, space in ((), "LPS"), (("--ras",), "RAS"):
            summary = self.ok("stats", self.labels, "-o", self.path("t.json"), "--schema", self.path("s.tsv"), "--json", *more).stdout
            self.assertEqual(json.loads(summary)["coordinates"], space)
            with open(self.path("t.json"), encoding="utf-8") as stream:
                table = json.load(stream)
            self.assertEqual(table["coordinates"], space + ", in mm")
            self.ok("stats", self.labels, "-o", self.path("u.json"), "--units", "um", *more)
            with open(self.path("u.json"), encoding="utf-8") as stream:
                self.assertEqual(json.load(stream)["coordinates"], space + ", in um")
            name = "centroid_%s_mm" % ("r" if more else "x")
            self.assertIn(space, table["columns"][name])
            with open(self.path("s.tsv"), encoding="utf-8") as stream:
                self.assertIn(space, next(line for line in stream if line.startswith(name)))
        self.fails("stats", self.labels, "--histogram", "voxel_count", "--ras", saying="--ras has no effect without --output or --print")

    def test_components_of_equal_values_have_their_value(self):
        for kind, values in (("uint8", [7, 7, 0, 9, 9, 7]), ("int64", [-2**63, -2**63, 0, 2**63 - 1, 5, 5]),
                             ("uint64", [2**64 - 1, 1, 0, 1, 1, 3]), ("float", [0.5, 0.5, 0, -1.25, 3, 0.5])):
            write_nrrd(self.labels, kind, (6, 1, 1), values)
            runs = [value for i, value in enumerate(values) if value and (i == 0 or values[i - 1] != value)]
            for options in ((), ("--columns", "value"), ("--columns", "topology"), ("--memory", "500MB"),
                            ("--memory", "500MB", "--columns", "place", "--intensity", self.labels)):
                said = self.ok("label", self.labels, "--equal-value", "--statistics", self.path("t.json"), "--json", *options)
                self.assertEqual(json.loads(said.stdout)["components"], len(runs))
                with open(self.path("t.json"), encoding="utf-8") as stream:
                    written = json.load(stream)
                self.assertEqual([row["value"] for row in written["components"]], runs, (kind, options))
        write_nrrd(self.labels, "uint8", (6, 1, 1), [7, 7, 0, 9, 9, 7])
        printed = self.ok("label", self.labels, "--equal-value", "--print", "--columns", "value", "--sort", "+value").stdout
        self.assertEqual([line.split() for line in printed.splitlines()[:4]], [["label", "value"], ["1", "7"], ["3", "7"], ["2", "9"]])
        smooth = ("label", self.labels, "--equal-value", "--smooth", "median:1", "--print", "--columns", "value")
        self.assertIn("label", self.ok(*smooth).stdout)
        self.fails("label", self.labels, "--print", "--columns", "value", saying="'value', which needs `brickccl label --equal-value`")
        self.fails("stats", self.labels, "--print", "--sort", "value", saying="`brickccl label --equal-value`")
        self.fails("select", self.labels, self.path("o.nrrd"), "--where", "value > 1", "--keep", saying="`brickccl label --equal-value`")

    def test_what_is_not_finite(self):
        """JSON has no such numbers: infinite ones are texts there, and what is not a number is null."""
        infinity, scan = float("inf"), self.path("scan.nrrd")
        write_nrrd(scan, "float", (12, 1, 1), [infinity, 0, -infinity, -infinity, -infinity, 0, infinity, -infinity, 0, 3, 3, 4],
                   spacing=(0.5, 0.5, 0.5))

        def read_strictly(text):
            return json.loads(text, parse_constant=lambda name: self.fail("%s is no JSON" % name))

        def rows_of(path):
            with open(path, encoding="utf-8") as stream:
                return read_strictly(stream.read())["components"]

        self.ok("label", scan, "--equal-value", "--statistics", self.path("t.json"))
        self.assertEqual([row["value"] for row in rows_of(self.path("t.json"))],
                         ["Infinity", "-Infinity", "Infinity", "-Infinity", 3, 4])
        self.assertEqual(float("-Infinity"), -infinity)
        columns = ("--columns", "label,intensity_min,intensity_max,intensity_mean,intensity_std", "--intensity", scan)
        header, rows = self.read(*columns)
        self.assertEqual(rows, [["1", "inf", "inf", "inf", "nan"], ["2", "-inf", "-inf", "-inf", "nan"],
                                ["3", "-inf", "inf", "nan", "nan"], ["4", "3", "4", rows[3][3], rows[3][4]]])
        self.assertNotIn("-nan", open(self.table).read())
        self.ok("stats", self.labels, "-o", self.path("u.json"), *columns)
        self.assertEqual([[row[name] for name in header[1:]] for row in rows_of(self.path("u.json"))][:3],
                         [["Infinity", "Infinity", "Infinity", None], ["-Infinity", "-Infinity", "-Infinity", None],
                          ["-Infinity", "Infinity", None, None]])
        self.ok("stats", self.labels, "-o", self.path("t.xlsx"), *columns)
        with zipfile.ZipFile(self.path("t.xlsx")) as archive:
            sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        cells = [re.findall(r"<[tv]>([^<]*)</[tv]>", row) for row in re.findall(r"<row.*?</row>", sheet)]
        self.assertEqual(cells[1:4], [["1", "inf", "inf", "inf"], ["2", "-inf", "-inf", "-inf"], ["3", "-inf", "inf"]])

    def test_separators(self):
        plain = self.read("--columns", "volume_mm3")
        comma = self.read("--columns", "volume_mm3", "--decimal", "comma", delimiter=";")
        self.assertEqual([[cell.replace(",", ".") for cell in row] for row in comma[1]], plain[1])
        self.assertIn(["1", "0,125"], comma[1])
        self.assertEqual(self.read("--columns", "volume_mm3", "--csv-separator", "tab", delimiter="\t"), plain)
        self.fails("stats", self.labels, "-o", self.table, "--csv-separator", ";", saying="comma, semicolon, tab")
        self.fails("stats", self.labels, "-o", self.table, "--csv-separator", "comma", "--decimal", "comma", saying="cannot be combined")

    def test_extensions_in_any_case(self):
        plain = self.read()
        self.assertEqual(self.read(table=self.path("TABLE.CSV")), plain)
        self.assertEqual(self.read(table=self.path("table.Tsv"), delimiter="\t"), plain)
        self.ok("stats", self.labels, "-o", self.path("table.JSON"), "--columns", "volume_mm3", "--top", 1)
        with open(self.path("table.JSON"), encoding="utf-8") as stream:
            written = json.load(stream)
        self.assertEqual(written["components"], [{"label": 2, "volume_mm3": 0.375}])
        self.assertIn("LPS", written["coordinates"])

    def test_tables_are_printed(self):
        printed = self.ok("stats", self.labels, "--print", "--columns", "voxel_count,volume_mm3", "--top", 2).stdout
        self.assertEqual(printed.splitlines()[:3],
                         ["label  voxel_count  volume_mm3", "    2            3       0.375", "    4            3       0.375"])
        self.assertEqual(os.listdir(self.folder), ["labels.nrrd"])
        output = self.path("o.nrrd")
        self.assertIn("label  voxel_count", self.ok("label", self.labels, "--print", "--columns", "voxel_count").stdout)
        self.ok("select", self.labels, output, "--where", "label > 1", "--keep", "--print", "--top", 1)
        self.fails("stats", self.labels, "--print", "--json", saying="excludes")
        self.fails("stats", self.labels, saying="give --output, --print, --histogram COLUMN, --picture or --zones FILE")

    def test_workbooks_hold_the_same_numbers(self):
        header, rows = self.read("--columns", "voxel_count,volume_mm3,nearest_distance_mm")
        book = self.path("table.xlsx")
        self.ok("stats", self.labels, "-o", book, "--columns", "voxel_count,volume_mm3,nearest_distance_mm")
        with zipfile.ZipFile(book) as archive:
            sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        self.assertEqual(re.findall(r"<t>([^<]*)</t>", sheet), header)
        self.assertEqual([float(cell) for cell in re.findall(r"<v>([^<]*)</v>", sheet)],
                         [float(cell) for row in rows for cell in row])

    def test_workbooks_are_the_same_whenever_they_are_written(self):
        books = []
        for name in ("a.xlsx", "b.xlsx"):
            self.ok("stats", self.labels, "-o", self.path(name), "--print")
            with open(self.path(name), "rb") as stream:
                books.append(stream.read())
        self.assertEqual(*books)
        # The two were written within a second, perhaps.
        with zipfile.ZipFile(self.path("a.xlsx")) as archive:
            self.assertEqual(re.findall(r">([^<]*Z)<", archive.read("docProps/core.xml").decode()), 2 * ["1980-01-01T00:00:00Z"])
            self.assertEqual({entry.date_time for entry in archive.infolist()}, {(1980, 1, 1, 0, 0, 0)})

    def test_rows_that_do_not_fit_among_temporary_files_are_missed(self):
        image, book = self.path("many.nrrd"), self.path("many.xlsx")
        write_nrrd(image, "uint16", (2000, 1), list(range(1, 2001)))
        # The workbook takes 0.12 MB, the file of its rows 1 MB.
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
        done = run("stats", image, "-o", book, "--quiet", preexec_fn=limit)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cannot write '%s': rows are missing" % book, done.stderr)
        self.assertFalse(os.path.exists(book))
        self.ok("stats", image, "-o", book)

    def test_workbooks_keep_labels_that_are_no_doubles(self):
        labels = [2**53 - 1, 2**53, 2**53 + 1, 2**64 - 1]
        image, book = self.path("large.nrrd"), self.path("large.xlsx")
        write_nrrd(image, "uint64", (4, 1), labels)
        self.ok("stats", image, "-o", book, "--columns", "label")
        with zipfile.ZipFile(book) as archive:
            sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        self.assertEqual(re.findall(r"<[tv]>([^<]*)</[tv]>", sheet), ["label", *map(str, labels)])

    def test_slicer_gets_segments_and_colors(self):
        output, colors = self.path("out.seg.nrrd"), self.path("out.ctbl")
        self.ok("label", self.labels, output, "--equal-value", "--color-table", colors)
        header = read_nrrd(output)[0]
        self.assertEqual(labels_of(output)[1], LINE)
        for label in range(1, 5):
            field = "Segment%d_" % (label - 1)
            with open(output, "rb") as stream:
                text = stream.read().split(b"\n\n")[0].decode()
            fields = dict(line.split(":=", 1) for line in text.splitlines() if ":=" in line)
            self.assertEqual(fields[field + "LabelValue"], str(label))
            self.assertEqual(fields[field + "Extent"], "0 11 0 0 0 0")
            self.assertTrue(all(0 <= float(channel) <= 1 for channel in fields[field + "Color"].split()))
            self.assertEqual(len({fields["Segment%d_Color" % i] for i in range(4)}), 4)
        self.assertNotIn("Segment4_ID", fields)
        self.assertEqual(header["dimension"], "3")
        with open(colors, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:]], ["0", "1", "2", "3", "4"])
        self.assertEqual(len({tuple(line.split()[2:]) for line in lines[1:]}), 5)
        self.fails("label", self.labels, self.path("o.nrrd"), "--color-table", self.path("c.txt"), saying=".ctbl")

    def test_histograms_and_conditions_bring_in_their_columns(self):
        result = self.ok("stats", self.labels, "--histogram", "feret_diameter_mm", "--bins", 2, "--json")
        self.assertEqual(sum(json.loads(result.stdout)["histogram"]["counts"]), 4)
        self.ok("select", self.labels, self.path("o.nrrd"), "--where", "feret_diameter_mm > 0.7", "--keep")
        part = self.path("part.nrrd")
        write_nrrd(part, "uint8", (12, 1, 1), [1] * 11 + [0], spacing=(0.5, 0.5, 0.5))
        self.ok("select", self.labels, self.path("p.nrrd"), "--where", "surface_distance_mm >= 0", "--keep", "--part", part)

    def test_extremes_over_all_components_are_refused(self):
        for function in ("min", "max"):
            self.fails("select", self.labels, self.path("o.nrrd"), "--where", "voxel_count == %s(voxel_count)" % function,
                       "--keep", saying="over all components")
        self.ok("select", self.labels, self.path("o.nrrd"), "--where", "max(voxel_count, 2) > 2", "--keep")

    def test_columns_that_will_be_lacking_are_found_before_labeling(self):
        scan = self.path("scan.nrrd")
        write_nrrd(scan, "uint8", (3, 3, 3), [0, 1, 0] * 9)
        out = self.path("out.nrrd")
        for options, column in ((("--by-slice", "z", "--columns", "volume_mm3"), "volume_mm3"),
                                (("--by-slice", "z", "--sort", "volume_mm3"), "volume_mm3"),
                                (("--columns", "area_mm2"), "area_mm2"), (("--columns", "intensity_mean"), "intensity_mean")):
            for memory in ((), ("--memory", "200MB")):
                result = self.fails("label", scan, out, "--statistics", self.path("t.csv"), *options, *memory, saying=column)
                self.assertNotIn("labeling", result.stderr)
        self.ok("label", scan, out, "--statistics", self.path("t.csv"), "--by-slice", "z", "--columns", "area_mm2")


if __name__ == "__main__":
    unittest.main()
