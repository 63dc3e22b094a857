# SPDX-License-Identifier: Apache-2.0
"""What `brickccl split` and `brickccl distance` write, beside distances pair by pair."""

import collections
import csv
import json
import math
import os
import random
import shutil
import struct
import unittest

from support import CommandTest, labels_of, read_nrrd, write_nrrd


def distances_by_pairs(values, sizes, spacing):
    """The distance of each voxel to the nearest one with another value; 0 where the value is."""
    places = [(i % sizes[0], i // sizes[0] % sizes[1], i // sizes[0] // sizes[1]) for i in range(len(values))]
    return [min((math.sqrt(sum((s * (p - q)) ** 2 for p, q, s in zip(here, there, spacing)))
                 for there, other in zip(places, values) if other != value), default=math.inf) if value else 0
            for here, value in zip(places, values)]


class SplitTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.mask = self.path("mask.nrrd")
        self.output = self.path("objects.nrrd")
        # Two disks of radius 5 whose centers are 8 apart, and a line alone.
        self.sizes = (24, 15, 3)
        self.values = [1 if min((x - 6) ** 2, (x - 14) ** 2) + (y - 7) ** 2 <= 25 or x == 22 else 0
                       for _ in range(3) for y in range(15) for x in range(24)]
        write_nrrd(self.mask, "uint8", self.sizes, self.values, spacing=(0.5, 0.5, 0.5))

    def objects(self, *options):
        summary = json.loads(self.ok("split", self.mask, self.output, "--json", *options).stdout)
        labels = labels_of(self.output)[1]
        self.assertEqual(summary["components"], max(labels))
        self.assertEqual(set(labels) | {0}, set(range(max(labels) + 1)))
        return labels, summary

    def test_touching_disks_become_two_objects(self):
        labels, summary = self.objects()
        self.assertEqual((summary["components"], summary["parents"], summary["label_type"]), (3, 1, "uint8"))
        self.assertEqual((summary["connectivity"], summary["spacing"]), (26, [0.5, 0.5, 0.5]))
        # The first voxel of the line comes first in raster order. Voxels between the disks may belong to either.
        for i, (value, label) in enumerate(zip(self.values, labels)):
            x = i % 24
            self.assertIn(label, ([1] if x == 22 else [2] if x < 10 else [3] if x > 10 else [2, 3]) if value else [0])
        lines = self.ok("split", self.mask, self.output).stdout.splitlines()
        self.assertEqual(lines[0], "3 objects from 1 label (26 neighbors)")
        self.assertEqual(lines[2], self.output + ": labels of type uint8")

    def test_height_by_slice_and_neighbors(self):
        self.assertEqual(self.objects("--split-height", 5)[1]["components"], 2)
        # The peaks are 2.55 mm high, the pass 2 mm.
        self.assertEqual(self.objects("--split-height", 0.54)[1]["components"], 3)
        self.assertEqual(self.objects("--split-height", 0.56)[1]["components"], 2)
        self.assertEqual(self.objects("--split-height", "540um")[1]["components"], 3)
        self.assertEqual(self.objects("--split-height", "560um")[1]["components"], 2)
        # Squares of 25.96 and 16 steps of 1 mm/2: the pass is at 78.45 % of the lower peak.
        self.assertEqual(self.objects("--split-height", "21%")[1]["components"], 3)
        self.assertEqual(self.objects("--split-height", "22 %")[1]["components"], 2)
        for text, expected in (("21% ", 3), (" 22%", 2), ("0.54 ", 3), (" 560um\t", 2), ("auto ", 3)):
            self.assertEqual(self.objects("--split-height", text)[1]["components"], expected, text)
            self.ok("label", self.mask, self.output, "--split", text, "--connectivity", 26)
        for options in (("1kg",), ("-1",), ("0%",), ("100%",), ("-5%",), ("10%%",), ("%",), ("nan%",), (" ",), ("1 0%",)):
            self.fails("split", self.mask, self.output, "--split-height", *options,
                       saying=["height of a split is", "it must be a height in mm of at least 0, a share"])
        for text in ("540um", "10%"):
            self.fails("split", self.mask, self.output, "--split-height", text, "--split-by", self.mask,
                       saying=["in gray values", "a number of at least 0", text])
        self.assertEqual(self.objects("--by-slice", "z")[1]["components"], 9)
        self.assertEqual(self.objects("--connectivity", 6)[1]["components"], 3)
        self.assertEqual(self.objects("--threads", 1)[0], self.objects("--threads", 3)[0])

    def test_objects_go_on_through_periodic_ends(self):
        ends = self.path("ends.nrrd")
        moved = [self.values[i - i % 24 + (i + 10) % 24] for i in range(len(self.values))]
        write_nrrd(ends, "uint8", self.sizes, moved, spacing=(0.5, 0.5, 0.5))
        # The line is at 12 now, the disks around 20 and, through the end, around 4.
        for command, options in (("split", ()), ("label", ("--split", "--statistics", self.path("t.csv")))):
            summary = json.loads(self.ok(command, ends, self.output, "--periodic", "x", "--json", *options).stdout)
            self.assertEqual((summary["components"], summary["periodic"]), (3, "x"))
            labels = labels_of(self.output)[1]
            for i, (value, label) in enumerate(zip(moved, labels)):
                x = i % 24
                among = [1] if x == 12 else [2] if x < 12 and x > 0 else [3] if 12 < x else [2, 3]
                self.assertIn(label, among if value else [0], i)
        with open(self.path("t.csv"), newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([row["parent"] for row in rows], ["1", "2", "2"])
        self.assertEqual(sum(int(row["voxel_count"]) for row in rows), sum(self.values))
        self.fails("label", ends, self.output, "--split", "--periodic", "x", "--memory", "200MiB", saying=["periodic ends", "leave out"])
        self.fails("split", ends, self.output, "--periodic", "x", "--print", saying="label --split --periodic")
        result = self.fails("split", ends, self.output, "--periodic", "x", "--contacts", self.path("c.csv"), saying=["--contacts", "--periodic"])
        self.assertNotIn("--statistics", result.stderr)
        self.fails("split", ends, self.output, "--periodic", "x", "--by-slice", "x", saying="cannot be periodic along x")

    def test_a_rise_of_the_height_stays_at_every_spacing(self):
        # Two squares whose peaks are 8 voxels high, and a path one voxel wide.
        values = [int(0 < x < 16 and 0 < y < 16 or 16 < x < 32 and 0 < y < 16 or (x == 16 and y == 8)) for y in range(17) for x in range(33)]
        write_nrrd(self.mask, "uint8", (33, 17), values)
        for spacing in (1, 0.3, 0.6, 0.7, 0.35, 0.03, 0.1):
            height = float("%.12g" % (7 * spacing))
            for option, objects in ((height, 2), (1.001 * height, 1), ("87.4%", 2), ("87.6%", 1)):
                self.assertEqual(self.objects("--spacing", spacing, spacing, "--split-height", option)[1]["components"], objects,
                                 (spacing, option))

    def test_the_table_has_each_parent(self):
        values = [value * (7 if i % 24 < 20 else 300) for i, value in enumerate(self.values)]
        write_nrrd(self.mask, "uint16", self.sizes, values)
        labels, summary = self.objects("--statistics", self.path("t.csv"))
        self.assertEqual(summary["parents"], 2)
        with open(self.path("t.csv"), encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([row["parent"] for row in rows], ["300", "7", "7"])
        self.assertNotIn("value", rows[0])
        self.assertEqual([int(row["voxel_count"]) for row in rows], [labels.count(label) for label in (1, 2, 3)])
        self.assertIn("label", self.ok("split", self.mask, self.output, "--print").stdout)

    def test_without_a_cuda_device_the_cpu_splits(self):
        expected = self.objects()[0]
        labels, summary = self.objects("--device", "cuda:97")
        self.assertEqual(labels, expected)
        self.assertTrue(any("cuda:97 is not available" in note for note in summary["notes"]), summary["notes"])
        noted = self.ok("distance", self.mask, self.output, "--device", "cuda:97")
        self.assertIn("cuda:97 is not available", noted.stderr)
        self.fails("split", self.mask, self.output, "--device", "gpu", saying="did you mean 'cuda'")

    def test_the_curve_has_the_objects_of_every_height(self):
        draw = random.Random(9)
        self.sizes = (30, 20, 4)
        self.values = [1 if draw.random() < 0.85 else 0 for _ in range(30 * 20 * 4)]
        write_nrrd(self.mask, "uint8", self.sizes, self.values, spacing=(0.5, 0.5, 0.5))
        curve = self.path("curve.csv")
        told = self.ok("split", self.mask, "--curve", curve).stdout
        self.assertIn("curve.csv: the number of objects above each height", told)
        self.assertNotIn("labels of type", told)
        with open(curve, encoding="utf-8", newline="") as stream:
            rows = [(float(row["height_mm"]), int(row["objects"])) for row in csv.DictReader(stream)]
        self.assertGreater(len(rows), 3)
        self.assertEqual(rows[0][0], 0)
        self.assertTrue(all(a[0] < b[0] and a[1] > b[1] for a, b in zip(rows, rows[1:])), rows)
        for (height, objects), end in zip(rows, [row[0] for row in rows[1:]] + [99]):
            for at in (height + (end - height) / 1000, (height + end) / 2):
                self.assertEqual(self.objects("--split-height", repr(at))[1]["components"], objects, at)
        summary = self.objects("--curve", self.path("curve.json"), "--split-by", self.mask)[1]
        self.assertEqual(summary["curve"][-1]["objects"], self.objects("--split-by", self.mask, "--split-height", 1000)[1]["components"])
        with open(self.path("curve.json"), encoding="utf-8") as stream:
            self.assertEqual(json.load(stream), summary["curve"])
        self.fails("split", self.mask, saying="OUTPUT is missing")
        self.fails("split", self.mask, "--curve", self.path("c.png"), saying="c.png")
        self.fails("split", self.mask, "--curve", curve, "--split-seeds", self.mask, saying="--split-seeds")

    def test_seeds_keep_their_numbers(self):
        seeds = self.path("seeds.nrrd")

        def flood(places, kind="uint16"):
            write_nrrd(seeds, kind, self.sizes, [places.get(i, 0) for i in range(len(self.values))], spacing=(0.5, 0.5, 0.5))
            summary = json.loads(self.ok("split", self.mask, self.output, "--split-seeds", seeds, "--json",
                                         "--statistics", self.path("t.csv")).stdout)
            labels = labels_of(self.output)[1]
            with open(self.path("t.csv"), encoding="utf-8", newline="") as stream:
                self.assertEqual([int(row["label"]) for row in csv.DictReader(stream)], sorted(set(labels) - {0}))
            self.assertEqual(summary["components"], len(set(labels) - {0}))
            return labels, summary
        middle = 24 * 15 + 24 * 7
        # A seed for each disk; nothing reaches the line.
        labels, summary = flood({middle + 6: 900, middle + 14: 7})
        for i, (value, label) in enumerate(zip(self.values, labels)):
            x = i % 24
            self.assertIn(label, [0] if not value or x == 22 else [900] if x < 10 else [7] if x > 10 else [7, 900])
        self.assertEqual((summary["label_type"], summary["parents"]), ("uint16", 1))
        self.assertTrue(any("no seed reaches 45 voxels" in note for note in summary["notes"]), summary["notes"])
        # One seed for both disks, one for the line, one in the background.
        labels, summary = flood({middle + 6: 2, middle + 22: 1, 0: 3}, "int8")
        self.assertEqual(labels, [value * (1 if i % 24 == 22 else 2) for i, value in enumerate(self.values)])
        self.assertEqual([note for note in summary["notes"] if "seed" in note],
                         ["seeds in the background make no object: 1 of 3"])
        # Two seeds in one disk: the upper one floods it.
        labels, _ = flood({middle + 6: 1, middle + 3: 2, middle + 14: 3})
        self.assertEqual((labels[middle + 3], labels[middle + 7], labels[middle + 16]), (2, 1, 3))
        self.fails("split", self.mask, self.output, "--split-seeds", seeds, "--split-height", 1, saying="--split-height")
        write_nrrd(seeds, "float", self.sizes, [0.5] * len(self.values), spacing=(0.5, 0.5, 0.5))
        self.fails("split", self.mask, self.output, "--split-seeds", seeds, saying="a seed is 0.5")
        write_nrrd(seeds, "uint8", self.sizes, [0] * len(self.values), spacing=(0.5, 0.5, 0.5))
        self.fails("split", self.mask, self.output, "--split-seeds", seeds, saying="the seeds are 0 everywhere")
        write_nrrd(seeds, "uint8", (24, 15, 2), [1] * 720)
        self.fails("split", self.mask, self.output, "--split-seeds", seeds, saying="seeds.nrrd")

    def test_label_splits_what_it_labels(self):
        def label(*options):
            summary = json.loads(self.ok("label", self.mask, self.path("l.nrrd"), "--json", *options).stdout)
            return labels_of(self.path("l.nrrd"))[1], summary
        labels, summary = label("--connectivity", 26, "--split")
        self.assertEqual(labels, self.objects()[0])
        self.assertEqual((summary["components"], summary["parents"]), (3, 2))
        self.assertEqual(label("--connectivity", 26, "--split", 5)[1]["components"], 2)
        self.assertEqual(label("--split", "560um", "--connectivity", 26)[1]["components"], 2)
        self.assertEqual(label("--split")[0], self.objects("--connectivity", 6)[0])
        # Limits on sizes are for objects: the line has 45 voxels, each disk more than 180.
        labels = label("--split", "--minimum-size", 100, "--order", "size", "--statistics", self.path("t.csv"))[0]
        self.assertEqual(max(labels), 2)
        self.assertGreaterEqual(labels.count(1), labels.count(2))
        with open(self.path("t.csv"), encoding="utf-8", newline="") as stream:
            self.assertEqual([row["parent"] for row in csv.DictReader(stream)], ["2", "2"])
        self.fails("label", self.mask, self.output, "--columns", "parent", "--statistics", self.path("t.csv"),
                   saying="which needs `brickccl label --split`")
        self.assertEqual(label("--split", "--seeds", "22,7,1")[1]["components"], 1)
        self.assertEqual(label("--split", "21%", "--connectivity", 26)[0], self.objects("--split-height", "21%")[0])
        self.assertEqual(label("--split", "22%", "--connectivity", 26)[1]["components"], 2)
        for text in ("-1", "0%", "100%", "1e400%"):
            self.fails("label", self.mask, self.output, "--split", text, saying="at least 0, a share")
        self.assertIn("image uncompressed", self.ok("distance", "--help").stdout)
        self.fails("label", self.mask, self.output, "--split", "--pores", "--threshold", 1, "--memory", "500MB", saying=["--pores", "--memory"])

    def test_label_splits_along_valleys_and_from_seeds(self):
        """As `brickccl split` does with the components."""
        draw = random.Random(5)
        gray, seeds = self.path("gray.nrrd"), self.path("seeds.nrrd")
        self.sizes = (30, 20, 4)
        self.values = [int(draw.random() < 0.75) for _ in range(30 * 20 * 4)]
        write_nrrd(self.mask, "uint8", self.sizes, self.values)
        write_nrrd(gray, "int16", self.sizes, [draw.randrange(-50, 50) for _ in self.values])
        self.ok("label", self.mask, self.path("parts.nrrd"))
        for height in ([], ["30"]):
            self.ok("label", self.mask, self.output, "--split", *height, "--split-by", gray, "--statistics", self.path("t.csv"))
            self.ok("split", self.path("parts.nrrd"), self.path("o.nrrd"), "--connectivity", 6, "--split-by", gray, *["--split-height"][:len(height)], *height)
            self.assertEqual(labels_of(self.output)[1], labels_of(self.path("o.nrrd"))[1])
            self.assertGreater(max(labels_of(self.output)[1]), 3)
            with open(self.path("t.csv"), encoding="utf-8", newline="") as stream:
                parents = [int(row["parent"]) for row in csv.DictReader(stream)]
            self.assertEqual({(a, b) for a, b in zip(labels_of(self.output)[1], labels_of(self.path("parts.nrrd"))[1]) if a},
                             set(enumerate(parents, 1)))
        # Seeds of one voxel each: what they flood is connected.
        places = draw.sample([i for i, value in enumerate(self.values) if value], 12)
        write_nrrd(seeds, "uint8", self.sizes, [100 - places.index(i) if i in places else 0 for i in range(len(self.values))])
        told = self.ok("label", self.mask, self.output, "--split", "--split-seeds", seeds).stderr
        self.assertIn("no seed reaches", told)
        self.ok("split", self.path("parts.nrrd"), self.path("o.nrrd"), "--connectivity", 6, "--split-seeds", seeds)
        numbers = {}
        self.assertEqual(labels_of(self.output)[1],
                         [numbers.setdefault(label, len(numbers) + 1) if label else 0 for label in labels_of(self.path("o.nrrd"))[1]])
        self.assertEqual(len(numbers), 12)
        new = self.path("new.nrrd")
        self.fails("label", self.mask, new, "--split-by", gray, saying="--split-by has no effect without --split")
        self.fails("label", self.mask, new, "--split", "--split-by", gray, "--memory", "1GB", saying=["--split-by", "--memory"])
        self.fails("label", self.mask, new, "--split", "--split-seeds", gray, "--memory", "1GB", saying=["--split-seeds", "--memory"])
        self.fails("label", self.mask, new, "--split", "10%", "--split-by", gray, saying=["in gray values", "10%"])
        self.fails("label", self.mask, new, "--split", "1", "--split-seeds", seeds, saying="has no height")
        self.fails("label", self.mask, gray, "--split", "--split-by", gray, saying="--split-by")
        write_nrrd(seeds, "uint8", self.sizes, [0] * len(self.values))
        self.fails("label", self.mask, new, "--split", "--split-seeds", seeds, saying="the seeds are 0 everywhere")
        write_nrrd(seeds, "uint8", (30, 20, 3), [1] * 1800)
        self.fails("label", self.mask, new, "--split", "--split-seeds", seeds, saying="seeds.nrrd")
        self.assertFalse(os.path.exists(new))

    def same_by_slabs(self, path, *options, kibi, least=2):
        """Labels and splits in memory and by slabs in 56 MiB and some KiB more; the files must be the same. Returns the summary."""
        def label(name, *more):
            summary = json.loads(self.ok("label", path, self.path(name + ".nrrd"), "--json", *options, "--threads", 1,
                                         *() if "--split" in options else ("--split",),
                                         "--statistics", self.path(name + ".csv"), *more).stdout)
            with open(self.path(name + ".csv"), encoding="utf-8") as stream:
                return summary, read_nrrd(self.path(name + ".nrrd")), stream.read()
        whole, *files = label("whole")
        for more in kibi:
            slabs, *found = label("slabs", "--memory", (56 << 20) + (more << 10))
            self.assertGreaterEqual(slabs["slabs"]["count"], least)
            self.assertEqual(found, files, (path, options, more))
            for key in ("components", "parents", "foreground_voxels", "kept_voxels", "label_type", "totals", "algorithm"):
                self.assertEqual(whole.get(key), slabs.get(key), key)
        return whole

    def test_slabs_have_the_objects_of_the_whole_volume(self):
        path = self.path("volume.nrrd")
        for seed, spacing, options in ((1, (1, 1, 1), ("--connectivity", "full")), (2, (0.5, 0.5, 0.5), ("--minimum-size", 30, "--order", "size")),
                                       (3, (1, 2, 1.5), ("--connectivity", 18, "--split", 0.3)),
                                       (4, (0.7031, 1, 1.4142), ("--connectivity", 26, "--split", 0)),
                                       (7, (1, 1, 1), ("--connectivity", 26, "--split", "10%")),
                                       (5, (1, 1, 2), ("--by-slice", "z", "--connectivity", 8)), (6, (1, 1, 1), ("--by-slice", "x"))):
            self.ok("phantom", "balls", path, "--size", 64, 60, 44, "--density", 0.5, "--seed", seed, "--spacing", *spacing)
            summary = self.same_by_slabs(path, *options, kibi=(3000, 3600, 4400))
            self.assertGreater(summary["components"], summary["parents"])
        # Peaks far away from where steps begin, and plateaus: a cone, and a plate of ties.
        values = [int((x - 30) ** 2 + (y - 30) ** 2 <= (4 + z // 8) ** 2 or (x < 60 and y < 4 and z % 9 < 7))
                  for z in range(50) for y in range(60) for x in range(64)]
        write_nrrd(path, "uint8", (64, 60, 50), values)
        for kind in (6, 26):
            self.same_by_slabs(path, "--connectivity", kind, "--split", 0.01, kibi=(3600, 4600))
        # Noise, in which everything is a tie; labels that touch; a mask; a slice and four dimensions.
        draw = random.Random(4)
        noise = [int(draw.random() < 0.8) * (1 + (i // 7000) % 3) for i in range(64 * 60 * 30)]
        for shape in ((64, 60, 30), (1920, 60), (40, 8, 12, 30)):
            write_nrrd(path, "uint8", shape, noise)
            for options in ((), ("--equal-value", "--connectivity", "full"), ("--mask", path)):
                self.same_by_slabs(path, *options, kibi=(7000, 9000))
        self.fails("label", path, self.output, "--split", "--threads", 1, "--memory", (56 << 20) + (1900 << 10), saying="use --memory")

    def test_memory_that_is_too_small_for_deep_objects_is_told(self):
        path = self.path("volume.nrrd")
        write_nrrd(path, "uint8", (64, 60, 80), [int((x - 30) ** 2 + (y - 30) ** 2 + (z - 40) ** 2 < 28 ** 2)
                                                 for z in range(80) for y in range(60) for x in range(64)])
        told = self.fails("label", path, self.output, "--split", "--threads", 1, "--memory", (56 << 20) + (1900 << 10),
                          saying=["slices deep needs about", "use --memory"]).stderr
        self.assertEqual(sorted(os.listdir(self.folder)), ["mask.nrrd", "volume.nrrd"])
        self.ok("label", path, self.output, "--split", "--threads", 1, "--memory", told.rpartition("--memory ")[2].strip())

    def test_the_memory_that_is_asked_for_is_enough_for_deep_objects(self):
        path = self.path("volume.nrrd")
        for kind, options in (("powder", ()), ("foam", ()), ("foam", ("--grain", 60)), ("balls", ("--density", 0.6))):
            self.ok("phantom", kind, path, "--size", 90, 80, 100, *options)
            for neighbors in (6, 26):
                arguments = ("label", path, self.output, "--split", "--connectivity", neighbors, "--threads", 1, "--quiet")
                told = self.fails(*arguments, "--memory", (58 << 20) + (200 << 10), saying="use --memory").stderr
                self.ok(*arguments, "--memory", told.rpartition("use --memory ")[2].split(",")[0].strip())

    def test_shares_are_of_the_mask(self):
        write_nrrd(self.path("m.nrrd"), "uint8", self.sizes, [int(i % 24 < 20) for i in range(len(self.values))], spacing=(0.5, 0.5, 0.5))
        for more in ((), ("--split",)):
            summary = json.loads(self.ok("label", self.mask, "--mask", self.path("m.nrrd"), "--statistics", self.path("t.csv"), "--json", *more).stdout)
            self.assertEqual(summary["totals"]["region_volume_mm3"], 20 * 15 * 3 / 8)

    def test_recipes_split_as_the_command_does(self):
        recipe, out = self.path("r.toml"), self.path("out")
        for height, options in (('"auto"', ["--split"]), ('"560 um"', ["--split", "0.56"]), ("0.56", ["--split", "0.56"]), ('"22%"', ["--split", "22%"])):
            with open(recipe, "w", encoding="utf-8") as stream:
                stream.write('[labeling]\nconnectivity = 26\nminimum_size = 100\nsplit = %s\n' % height)
            self.ok("batch", recipe, self.mask, "-o", out, "--quiet")
            with open(self.path("out/items/mask/summary.json"), encoding="utf-8") as stream:
                summary = json.load(stream)
            found = json.loads(self.ok("label", self.mask, self.output, "--connectivity", 26, "--minimum-size", 100, "--json", *options).stdout)
            self.assertEqual((summary["defects"], summary["parents"]), (found["components"], found["parents"]))
            self.assertEqual(labels_of(self.path("out/items/mask/labels.nrrd"))[1], labels_of(self.output)[1])
            with open(self.path("out/items/mask/defects.csv"), encoding="utf-8", newline="") as stream:
                self.assertEqual([row["parent"] for row in csv.DictReader(stream)], ["2"] * summary["defects"])
            with open(recipe, "a", encoding="utf-8") as stream:
                stream.write('[selection]\nkeep = "parent == 1"\n')
            self.ok("batch", recipe, self.mask, "-o", self.path("kept"), "--quiet")
            with open(self.path("kept/items/mask/summary.json"), encoding="utf-8") as stream:
                self.assertEqual(json.load(stream)["defects"], 0)
            shutil.rmtree(self.path("kept"))
            self.assertIn("split where they narrow", " ".join(self.ok("recipe", "explain", recipe).stdout.split()))
            shutil.rmtree(out)
        with open(recipe, "w", encoding="utf-8") as stream:
            stream.write('[labeling]\nsplit = "wide"\n')
        self.fails("recipe", "check", recipe, saying=["a height in mm of at least 0, a share", "or auto"])
        for text, saying in (('[measuring]\ncolumns = ["parent"]\n', "set labeling.split"),
                             ('[labeling]\nsplit = "auto"\n[[acceptance]]\nrule = "largest"\ncolumn = "parent"\nat_most = 1\n', "a number of a component")):
            with open(recipe, "w", encoding="utf-8") as stream:
                stream.write(text)
            self.fails("recipe", "check", recipe, saying=saying)

    def test_labels_of_every_type(self):
        first = self.objects()[0]
        for kind in ("int8", "int16", "uint32", "int64", "float", "double"):
            write_nrrd(self.mask, kind, self.sizes, self.values, spacing=(0.5, 0.5, 0.5))
            self.assertEqual(self.objects()[0], first, kind)

    def test_known_balls_are_found(self):
        draw = random.Random(8)
        side, balls = 84, []
        while len(balls) < 60:
            radius = draw.uniform(5, 12)
            center = [draw.uniform(radius, side - 1 - radius) for _ in range(3)]
            if balls:
                # It overlaps another ball by 10 % of the smaller radius.
                near, other = draw.choice(balls)
                way = [draw.gauss(0, 1) for _ in range(3)]
                length = (other + radius - 0.1 * min(other, radius)) / math.hypot(*way)
                center = [a + length * b for a, b in zip(near, way)]
            if all(radius <= c <= side - 1 - radius for c in center) and all(
                    math.dist(center, one) >= radius + other - 0.1 * min(other, radius) - 1e-9 for one, other in balls):
                balls.append((center, radius))
        truth = [0] * side**3
        nearest = [0.0] * side**3
        for number, (center, radius) in enumerate(balls, 1):
            ranges = [range(math.ceil(c - radius), math.floor(c + radius) + 1) for c in center]
            for z in ranges[2]:
                for y in ranges[1]:
                    for x in ranges[0]:
                        depth = math.dist((x, y, z), center) - radius
                        place = (z * side + y) * side + x
                        if depth < nearest[place]:
                            nearest[place], truth[place] = depth, number
        self.sizes = (side, side, side)
        write_nrrd(self.mask, "uint8", self.sizes, [int(number > 0) for number in truth])
        labels, summary = self.objects()
        self.assertEqual((summary["components"], summary["parents"]), (60, 1))
        # The adjusted Rand index by its definition.
        pairs = [sum(n * (n - 1) / 2 for n in collections.Counter(of).values())
                 for of in ([(a, b) for a, b in zip(truth, labels) if a], filter(None, truth), filter(None, labels))]
        count = sum(number > 0 for number in truth)
        expected = pairs[1] * pairs[2] / (count * (count - 1) / 2)
        self.assertGreater((pairs[0] - expected) / ((pairs[1] + pairs[2]) / 2 - expected), 0.99)

    def test_by_values(self):
        gray = self.path("gray.nrrd")
        write_nrrd(gray, "int16", self.sizes, [abs(i % 24 - 6) * (-10 if i % 24 < 14 else 1) for i in range(len(self.values))],
                   spacing=(0.5, 0.5, 0.5))
        labels, summary = self.objects("--split-by", gray)
        # The values fall from x = 6 to 13, from where it goes up to the right.
        self.assertEqual(summary["components"], 3)
        self.assertTrue(all(label == 2 for i, label in enumerate(labels) if label and i % 24 < 13))
        self.assertEqual(self.objects("--split-by", gray, "--split-height", 1000)[1]["components"], 2)
        write_nrrd(gray, "int16", (24, 15, 2), [1] * 720)
        self.fails("split", self.mask, self.output, "--split-by", gray, saying="gray.nrrd")

    def test_distances_are_those_by_pairs(self):
        choose = random.Random(5)
        sizes = (9, 8, 5)
        for spacing in ((1, 1, 1), (0.5, 0.75, 1.25), (0.7031, 1, 1.4142)):
            values = [choose.choice((0, 1, 1, 1, 2, 2)) for _ in range(9 * 8 * 5)]
            write_nrrd(self.mask, "uint8", sizes, values, spacing=spacing)
            summary = json.loads(self.ok("distance", self.mask, self.output, "--json").stdout)
            fields, found = read_nrrd(self.output)
            self.assertEqual(fields["type"], "float")
            found = struct.unpack("<%df" % len(values), found) if isinstance(found, bytes) else found
            expected = distances_by_pairs(values, sizes, spacing)
            for one, other in zip(found, expected):
                self.assertAlmostEqual(one, other, delta=1e-6 * other)
            self.assertAlmostEqual(summary["largest_distance_mm"], max(expected), delta=1e-6)

    def test_without_background_distances_are_infinite(self):
        write_nrrd(self.mask, "uint8", (4, 3, 2), [1] * 24)
        summary = json.loads(self.ok("distance", self.mask, self.output, "--json").stdout)
        notes = summary["notes"]
        self.assertIsNone(summary["largest_distance_mm"])
        self.assertTrue(any("infinite" in note for note in notes), notes)
        self.assertEqual(self.objects()[1]["components"], 1)

    def test_wrong_input_is_refused(self):
        self.fails("split", self.mask, self.output, "--split-height", -1, saying="at least 0")
        self.fails("split", self.mask, self.mask, saying="OUTPUT")
        self.fails("split", self.mask, self.output, "--by-slice", "t", saying="t")
        self.fails("split", self.mask, self.output, "--connectivity", 8, saying="8")
        self.fails("distance", self.mask, self.path("d.png"), saying="d.png")
        for kind, value, text in (("int16", -3, "a label is -3"), ("float", 0.5, "a label is 0.5"), ("double", math.nan, "a label is nan"),
                                  ("double", 1e-300, "a label is 1e-300;")):
            write_nrrd(self.mask, kind, (2, 2, 2), [0, 1, 1, 1, 1, 1, 1, value])
            for command in ("split", "distance"):
                self.assertNotIn("note", self.fails(command, self.mask, self.path("new.nrrd"), saying=text).stderr)


if __name__ == "__main__":
    unittest.main()
