# SPDX-License-Identifier: Apache-2.0
"""Thresholds that are found in the values of a scan, smoothing, and `brickccl info SCAN`."""

import csv
import json
import os
import random
import statistics
import unittest

from support import TYPES, CommandTest, LabelCommandTest, labels_of, write_nrrd


def plain_otsu(values):
    """Otsu's threshold by trying every division; the middle between the two values beside it."""
    occurring = sorted(set(values))
    best = None
    for low, high in zip(occurring, occurring[1:]):
        below = [v for v in values if v <= low]
        above = [v for v in values if v > low]
        between = len(below) * len(above) * (statistics.fmean(below) - statistics.fmean(above)) ** 2
        if best is None or between > best[0]:
            best = (between, (low + high) / 2)
    return best[1]


def plain_local(values, size, reach, percent):
    """Which values are at or above their local threshold: plain loops over the windows."""
    otsu = plain_otsu(values)
    level = [value - min(values) for value in values]
    material = [value >= otsu for value in values]
    below = [one for one, is_material in zip(level, material) if not is_material]
    air = (2 * sum(below) + len(below)) // (2 * len(below))
    above = []
    for place in range(len(values)):
        at = (place % size[0], place // size[0] % size[1], place // size[0] // size[1])
        ranges = [range(max(0, a - r), min(n, a + r + 1)) for a, r, n in zip(at, reach, size)]
        window = [(z * size[1] + y) * size[0] + x for z in ranges[2] for y in ranges[1] for x in ranges[0]]
        around = [level[i] for i in window if material[i]]
        above.append(bool(around) and 100 * (level[place] - air) * len(around) >= percent * sum(one - air for one in around))
    return above


class ThresholdTest(LabelCommandTest):
    def write_two_materials(self, kind, size=(12, 10)):
        """Writes an image of two materials; returns its values."""
        generator = random.Random(5)
        low, high = (-1000, 60) if kind in ("int16", "int32", "int64", "float", "double") else (10, 90)
        values = [generator.choice((low, high)) + generator.randint(-9, 9) for _ in range(size[0] * size[1])]
        write_nrrd(self.input, kind, size, values)
        return values

    def test_otsu_of_every_type_is_that_of_a_plain_search(self):
        for kind in TYPES:
            values = self.write_two_materials(kind)
            summary, labels = self.label("--threshold", "otsu")
            expected = plain_otsu(values)
            self.assertAlmostEqual(summary["threshold"]["value"], expected, msg=kind)
            self.assertEqual([label > 0 for label in labels], [value >= expected for value in values], kind)

    def test_every_method_parts_two_materials_and_is_told(self):
        values = self.write_two_materials("int16", (40, 50))
        for method in ("otsu", "multi-otsu:2", "multi-otsu:3:1", "valley", "iso50", -300):
            summary, labels = self.label("--threshold", method)
            self.assertEqual(summary["threshold"]["method"], str(method))
            if method != "multi-otsu:3:1":
                self.assertEqual([label > 0 for label in labels], [value > 0 for value in values], method)
            _, below = self.label("--threshold", method, "--below")
            self.assertTrue(all((a > 0) != (b > 0) for a, b in zip(labels, below)), method)
            shown = self.ok("label", self.input, self.output, "--threshold", method).stdout
            self.assertIn("foreground from ", shown)
            self.assertIn(" from -300 up\n" if method == -300 else " up (" + method, shown)

    def test_a_number_is_at_or_above(self):
        write_nrrd(self.input, "uint8", (5, 1), [3, 4, 5, 6, 5])
        self.assertEqual(self.label("--threshold", 5)[1], [0, 0, 1, 1, 1])
        self.assertEqual(self.label("--threshold", 5, "--below")[1], [1, 1, 0, 0, 0])

    def test_below_is_told_as_it_is(self):
        write_nrrd(self.input, "int16", (5, 1), [-30, -20, -10, -21, 5])
        summary, labels = self.label("--threshold", "-20", "--below")
        self.assertEqual([1, 0, 0, 2, 0], labels)
        self.assertIn("below -20", summary["criterion"])
        self.assertNotIn("within", summary["criterion"])

    def test_padding_is_told_and_two_values_have_none(self):
        write_nrrd(self.input, "int16", (20, 20), [-2000] * 100 + [0, 500] * 150)
        summary, labels = self.label("--threshold", "otsu")
        self.assertEqual(250, summary["threshold"]["value"])
        self.assertTrue(any("-2000" in note and "padding" in note for note in summary["notes"]), summary["notes"])
        write_nrrd(self.input, "int16", (20, 20), [-2000] * 100 + [500] * 300)
        summary, labels = self.label("--threshold", "otsu")
        self.assertEqual(300, sum(label != 0 for label in labels))

    def test_whole_numbers_that_doubles_do_not_tell_apart(self):
        write_nrrd(self.input, "uint64", (20, 20), [2**63 + i % 200 for i in range(400)])
        self.fails("label", self.input, self.output, "--threshold", "otsu", saying="too close together")
        self.ok("label", self.input, self.output, "--threshold", str(2**63 + 100), "--quiet")
        self.assertEqual(200, sum(label != 0 for label in labels_of(self.output)[1]))
        write_nrrd(self.input, "double", (20, 20), [2.0**60 + 256 * (i % 200) for i in range(400)])
        for method in ("otsu", "multi-otsu:3", "valley", "iso50"):
            self.fails("label", self.input, self.output, "--threshold", method, saying="too close together")

    def test_batches_tell_thresholds_of_64_bits_with_all_digits(self):
        os.mkdir(self.path("scans"))
        image, recipe = self.path("scans/large.nrrd"), self.path("own.toml")
        first = 2**60 + 1
        write_nrrd(image, "int64", (8, 8, 8), [first + (2 * (i % 3) if i % 8 < 4 else 1001 + 2 * (i % 3)) for i in range(512)])
        with open(recipe, "w") as stream:
            stream.write('[threshold]\nmethod = %d\n' % (first + 500))
        self.ok("batch", recipe, self.path("scans"), "-o", self.path("out"))
        with open(self.path("out/items/large/summary.json")) as stream:
            told = json.load(stream)["threshold"]
        self.assertEqual(told, first + 500)
        self.assertNotEqual(told, int(float(told)), "the threshold is no double, so that rounding would show")

    def test_the_threshold_is_found_in_the_mask(self):
        write_nrrd(self.input, "int16", (6, 1), [0, 0, 10, 20, 1000, 1000])
        mask = self.path("mask.nrrd")
        write_nrrd(mask, "uint8", (6, 1), [0, 0, 1, 1, 0, 0])
        summary, labels = self.label("--threshold", "otsu", "--mask", mask)
        self.assertEqual(summary["threshold"]["value"], 15)
        self.assertEqual(labels, [0, 0, 0, 1, 0, 0])

    def test_local_thresholds_are_those_of_plain_loops_on_any_number_of_threads(self):
        generator = random.Random(8)
        for kind, size, spacing, option, reach, percent in (
                ("int16", (13, 9, 11), (1, 1, 2.5), "local:5", (2, 2, 1), 50), ("uint8", (23, 17, 1), (1, 1, 1), "local:6mm:85", (3, 3, 0), 85),
                ("float", (9, 8, 7), (1, 1, 1), "local:99:70", (49, 49, 49), 70), ("int64", (12, 5, 6), (1, 2, 1), "local:2000um:60", (1, 0, 1), 60)):
            # Material that is brighter to the right, in air.
            values = [generator.randint(0, 70) + (generator.random() < 0.7) * (70 + 4 * (i % size[0])) for i in range(size[0] * size[1] * size[2])]
            write_nrrd(self.input, kind, size[:2] if size[2] == 1 else size, values, spacing=spacing[:2] if size[2] == 1 else spacing)
            above = plain_local(values, size, reach, percent)
            otsu = plain_otsu(values)
            self.assertTrue(any(is_above != (value >= otsu) for is_above, value in zip(above, values)))
            for threads in (1, 5):
                summary, labels = self.label("--threshold", option, "--threads", threads)
                self.assertEqual([label > 0 for label in labels], above, (kind, threads))
            self.assertEqual(summary["threshold"]["value"], otsu)
            self.assertEqual([label == 0 for label in self.label("--threshold", option, "--below")[1]], above)
        self.assertIn("at or above the local threshold (local:2:60)",
                      self.ok("label", self.input, self.output, "--threshold", option).stdout)
        for bad, saying in (("local:0", "local:MM"), ("local:5:0", "local:MM"), ("local:5:100", "local:MM"), ("local:x", "local:MM"),
                            ("local:1.5", "1 voxel wide"), ("local:600", "too wide")):
            self.fails("label", self.input, self.output, "--threshold", bad, saying=saying)
        self.fails("label", self.input, self.output, "--threshold", "local:5", "--memory", "1GB", saying="whole volume")
        self.fails("label", self.input, self.output, "--threshold", "local:5", "--equal-value", saying="cannot be combined")

    def test_local_thresholds_find_nine_of_ten_pores_where_beams_harden(self):
        scan, truth = self.path("scan.nrrd"), self.path("truth.nrrd")
        recipe = self.path("own.toml")
        with open(recipe, "w") as stream:
            stream.write('[part]\nmethod = "pores"\nthreshold = "local:9:85"\n[labeling]\nconnectivity = 26\nminimum_size = 2\n')
        for seed in (31, 32):
            self.ok("phantom", "casting", scan, "--truth", truth, "--blur", 0.7, "--rings", 200, "--hardening", 1500, "--seed", seed)

            def score(labels):
                found = json.loads(self.ok("score", labels, truth, "--json").stdout)
                return found["recall"], found["precision"]

            options = ("--pores", "--connectivity", "full")
            self.ok("label", scan, self.output, *options)
            self.assertLess(score(self.output)[0], 0.8)
            self.ok("label", scan, self.output, *options, "--threshold", "local:9:85", "--minimum-size", 2)
            recall, precision = score(self.output)
            self.assertGreaterEqual((recall, precision), (0.9, 0.95))
            self.assertGreaterEqual(precision, 0.95)
            self.ok("batch", recipe, scan, "-o", self.path("out%d" % seed))
            self.assertEqual(score(self.path("out%d/items/scan/labels.nrrd" % seed)), (recall, precision))

    def test_median_removes_specks(self):
        values = [0] * 81
        for speck in (0, 20, 44):
            values[speck] = 100
        for y in range(3, 7):
            for x in range(5, 9):
                values[y * 9 + x] = 100
        write_nrrd(self.input, "uint8", (9, 9), values)
        self.assertEqual(self.label("--threshold", "otsu")[0]["components"], 3)
        summary, labels = self.label("--threshold", "otsu", "--smooth", "median:1")
        self.assertEqual(summary["components"], 1)
        self.assertEqual(labels[5 * 9 + 6], 1)
        self.assertEqual(labels[20], 0)

    def test_two_filters_follow_each_other_and_are_saved(self):
        generator = random.Random(3)
        write_nrrd(self.input, "int16", (14, 12, 10), [generator.randint(0, 99) for _ in range(1680)], spacing=(1, 1, 2))
        one, both, second = self.path("one.nrrd"), self.path("both.nrrd"), self.path("second.nrrd")

        def smooth(source, filters, result, threads=1):
            self.ok("label", source, self.output, "--threshold", 50, "--smooth", filters, "--save-smoothed", result,
                    "--threads", threads)
            return labels_of(result)

        for first, then in (("median:1", "bilateral:1.5mm:40"), ("nlm:30", "median:1"), ("bilateral:1:20", "nlm:9")):
            smooth(self.input, first, one)
            expected = smooth(one, then, second)
            self.assertEqual(smooth(self.input, first + "," + then, both, 3), expected)
            self.assertNotEqual(labels_of(one), expected)
            above = [value >= 50 for value in expected[1]]
            self.assertEqual([label > 0 for label in labels_of(self.output)[1]], above)
            with open(self.path("own.toml"), "w") as stream:
                stream.write('[smoothing]\nfilter = "%s,%s"\n[threshold]\nmethod = 50\nside = "above"\n[part]\nmethod = "none"\n'
                             % (first, then))
            self.ok("batch", self.path("own.toml"), self.input, "-o", self.path("out" + first[:3]))
            self.assertEqual([label > 0 for label in labels_of(self.path("out%s/items/input/labels.nrrd" % first[:3]))[1]], above)
        self.fails("label", self.input, self.output, "--threshold", 50, "--smooth", "median:1,nlm:1,nlm:1", saying="one or two")
        self.fails("label", self.input, self.output, "--threshold", 50, "--smooth", "median:1,", saying="unknown filter")
        self.fails("label", self.input, self.output, "--threshold", 50, "--smooth", "bilateral:6:1", saying="wider than 5 voxels")
        self.fails("label", self.input, self.output, "--threshold", 50, "--save-smoothed", both, saying="--smooth")
        self.fails("label", self.input, self.output, "--smooth", "nlm:9", "--save-smoothed", self.input, saying="INPUT")

    def test_a_filter_that_removes_sizes_that_are_asked_for_is_noted(self):
        write_nrrd(self.input, "uint8", (9, 9, 9), [255 if i == 364 else 0 for i in range(729)])
        for options, is_noted in (((), True), (("--minimum-size", 13), True), (("--minimum-size", 14), False)):
            notes = self.label("--threshold", 99, "--smooth", "median:1", *options)[0]["notes"]
            self.assertEqual(any("the median removes components of up to 13 voxels" in note for note in notes), is_noted, notes)
        notes = self.label("--threshold", 99, "--smooth", "gaussian:1", "--minimum-volume", 16)[0]["notes"]
        self.assertFalse(any("removes" in note for note in notes), notes)
        self.assertFalse(any("removes" in note for note in self.label("--threshold", 99, "--smooth", "nlm:9")[0]["notes"]))

    def test_gaussian_is_in_mm(self):
        write_nrrd(self.input, "uint8", (9, 9, 9), [255 if i == 364 else 0 for i in range(729)], spacing=(1, 1, 4))
        summary, labels = self.label("--threshold", 5, "--smooth", "gaussian:1")
        inside = [i for i, label in enumerate(labels) if label]
        self.assertEqual({i // 81 for i in inside}, {4})
        self.assertGreater(len(inside), 9)

    def test_bad_methods_are_refused_before_any_work(self):
        self.write_two_materials("int16")
        for method, saying in (("otzu", "multi-otsu:N"), ("0,5", "0.5"), ("multi-otsu:1", "2 to 8"), ("inf", "unknown threshold")):
            self.fails("label", self.input, self.output, "--threshold", method, saying=saying)
        self.fails("label", self.input, self.output, "--threshold", "otsu", "--range", 1, 2, saying="excludes")
        self.fails("label", self.input, self.output, "--threshold", 1, "--background", 3, saying="excludes")
        self.fails("label", self.input, self.output, "--below", saying="--threshold")
        self.fails("label", self.input, self.output, "--smooth", "median", saying="median:R")
        self.fails("label", self.input, self.output, "--smooth", "gaussian:0", saying="gaussian:MM")

    def test_images_without_two_materials_are_refused(self):
        write_nrrd(self.input, "uint8", (4, 4), [7] * 16)
        self.fails("label", self.input, self.output, "--threshold", "otsu", saying="all voxels have the same value")
        self.fails("label", self.input, self.output, "--threshold", "valley", saying="all voxels have the same value")
        write_nrrd(self.input, "uint8", (4, 4), [7] * 8 + [8] * 8)
        self.fails("label", self.input, self.output, "--threshold", "valley", saying="does not have two clear peaks")
        write_nrrd(self.input, "float", (4, 4), [0, float("inf")] * 8)
        for method in ("otsu", "local:2"):
            self.fails("label", self.input, self.output, "--threshold", method, saying="all finite voxels have the same value")


class InfoTest(CommandTest):
    def test_a_scan_is_shown(self):
        scan = self.path("scan.nrrd")
        self.ok("phantom", "casting", scan, "--size", 40, 36, 20, "--spacing", 0.5, 0.5, 2)
        values = labels_of(scan)[1]
        info = json.loads(self.ok("info", scan, "--json").stdout)
        self.assertEqual(info["extent"], [40, 36, 20])
        self.assertEqual(info["spacing"], [0.5, 0.5, 2])
        self.assertEqual((info["type"], info["orientation"], info["coordinates"]), ("int16", "LPS", "LPS"))
        self.assertEqual((info["minimum"], info["maximum"]), (min(values), max(values)))
        ordered = sorted(values)
        for percent, value in info["percentiles"].items():
            rank = -(-float(percent) * len(values) // 100)
            self.assertEqual(value, ordered[int(rank) - 1], percent)
        self.assertEqual(sum(bar["count"] for bar in info["histogram"]), len(values))
        for bar in info["histogram"]:
            self.assertEqual(bar["count"], sum(bar["low"] <= value <= bar["high"] for value in values))
        proposed = {row["method"]: row for row in info["thresholds"]}
        self.assertEqual(set(proposed), {"otsu", "multi-otsu:3", "multi-otsu:4", "valley", "iso50"})
        for method in ("otsu", "valley", "iso50"):
            self.assertTrue(0 < proposed[method]["value"] < 1000, method)
            share = sum(value >= proposed[method]["value"] for value in values) / len(values)
            self.assertAlmostEqual(proposed[method]["share_at_or_above"], share)
        shown = self.ok("info", scan).stdout
        for text in ("40 x 36 x 20 voxels of int16", "0.5 x 0.5 x 2 mm", "x to left", "50 %: ", "histogram", "|#", "otsu"):
            self.assertIn(text, shown)

    def test_the_proposal_is_what_label_takes(self):
        scan = self.path("scan.nrrd")
        self.ok("phantom", "log", scan, "--size", 48, 48, 24)
        for row in json.loads(self.ok("info", scan, "--json").stdout)["thresholds"]:
            summary = json.loads(self.ok("label", scan, self.path("o.nrrd"), "--json", "--threshold", row["method"]).stdout)
            self.assertEqual(summary["threshold"]["value"], row["value"])

    def test_a_threshold_of_several_numbers_of_classes_is_shown_once(self):
        scan = self.path("scan.nrrd")
        write_nrrd(scan, "uint8", (4, 4, 1), [0, 1, 2, 100] * 4)
        found = {row["method"]: row["value"] for row in json.loads(self.ok("info", scan, "--json").stdout)["thresholds"]}
        self.assertEqual(found["multi-otsu:3"], found["multi-otsu:4"])
        shown = self.ok("info", scan).stdout
        self.assertEqual(("multi-otsu:3" in shown, "multi-otsu:4" in shown), (True, False))

    def test_odd_images_are_shown(self):
        scan = self.path("scan.nrrd")
        nan = float("nan")
        for kind, values in (("float", [nan] * 4), ("float", [1.5, nan, float("inf"), 2]), ("uint8", [0] * 4),
                             ("uint64", [0, 2 ** 64 - 1, 5, 2 ** 63]), ("int64", [-2 ** 63, 0, 1, 2 ** 63 - 1])):
            write_nrrd(scan, kind, (4, 1), values)
            info = json.loads(self.ok("info", scan, "--json").stdout)
            self.ok("info", scan)
            if kind == "uint64":
                self.assertEqual(info["maximum"], 2 ** 64 - 1)
            if kind == "int64":
                self.assertEqual(info["minimum"], -2 ** 63)

    def test_decimal_fractions_mean_the_nearest_values_of_float_voxels(self):
        scan = self.path("scan.nrrd")
        write_nrrd(scan, "float", (4, 1), [0.7, 0, 0.1, 0])
        for options, count in ((("--background", "0.7"), 3), (("--threshold", "0.7"), 1), (("--range", "0.1", "0.1"), 1),
                               (("--range", "0.1", "0.7"), 2), (("--threshold", "0.1", "--below"), 2)):
            for memory in ((), ("--memory", "200MB")):
                summary = json.loads(self.ok("label", scan, self.path("o.nrrd"), "--json", *options, *memory).stdout)
                self.assertEqual(summary["foreground_voxels"], count, (options, memory))
        # 0.1 as a voxel differs from 0 by more than the double 0.1.
        everywhere = ("--json", "--background", "none", "--tolerance")
        for tolerance, count in (("0.1", 2), ("0.0999", 4), ("0.7", 1)):
            summary = json.loads(self.ok("label", scan, self.path("o.nrrd"), *everywhere, tolerance).stdout)
            self.assertEqual(summary["components"], count, tolerance)
        report = json.loads(self.ok("clean", scan, self.path("c.nrrd"), "--values", "0.7", "--minimum-size", 2, "--json").stdout)
        self.assertEqual([one["removed_voxels"] for one in report["classes"]], [1])
        self.ok("sweep", scan, "--range-from", "0.1", "--range-to", "0.7", "--steps", 3, "-o", self.path("curve.csv"))
        with open(self.path("curve.csv"), encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([row["voxel_count"] for row in rows], ["2", "1", "1"])

    def test_fractions_beyond_the_digits_of_floating_point_numbers(self):
        image = self.path("large.nrrd")
        for kind, first in (("uint64", 2**64 - 4), ("uint64", 2**53), ("int64", 2**63 - 4), ("int64", -2**63)):
            write_nrrd(image, kind, (4, 1), [first + i for i in range(4)])
            for place in range(4):
                for fraction in ("1", "5", "50000000000000000000001", "00000000000000000000000000001", "9999999999999999999999"):
                    whole = first + place
                    below = whole >= 0
                    border = "%d.%s" % (whole, fraction)
                    # A negative border is below its integer part.
                    counts = (3 - place, place + 1) if below else (4 - place, place)
                    for bounds, count in (((border, "inf"), counts[0]), (("-inf", border), counts[1])):
                        found = json.loads(self.ok("label", image, self.path("o.nrrd"), "--range", *bounds, "--json").stdout)
                        self.assertEqual(found["foreground_voxels"], count, (kind, bounds))
        write_nrrd(image, "int16", (4, 1), [99, 100, 101, 102])
        for border, count in (("100.00000000000000000000000001", 2), ("10.000000000000000000000000001e1", 2), ("100.0", 3),
                              ("1000000000000000000000e-19", 3), ("99.99999999999999999999999999", 3)):
            found = json.loads(self.ok("label", image, self.path("o.nrrd"), "--threshold", border, "--json").stdout)
            self.assertEqual(found["foreground_voxels"], count, border)

    def test_decimal_fractions_mean_the_nearest_values_of_double_voxels(self):
        image = self.path("double.nrrd")
        write_nrrd(image, "double", (3, 1), [0.1, 0.3, 0.7])
        for low, high, count in (("0.3", "inf", 2), ("-inf", "0.1", 1), ("0.1", "0.7", 3), ("0.7", "0.7", 1)):
            found = json.loads(self.ok("label", image, self.path("o.nrrd"), "--range", low, high, "--json").stdout)
            self.assertEqual(found["foreground_voxels"], count, (low, high))

    def test_what_is_no_scan_is_refused(self):
        self.fails("info", self.path("missing.nrrd"), saying="missing.nrrd")


if __name__ == "__main__":
    unittest.main()
