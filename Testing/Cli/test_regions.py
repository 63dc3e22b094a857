# SPDX-License-Identifier: Apache-2.0
"""The rules of acceptance on reference areas, reference volumes and clusters, beside a search over every place and every pair."""

import itertools
import json
import math
import os
import random
import shutil
import unittest

import batch_support
from support import labels_of, write_nrrd

SIZE = (13, 10, 9)
SPACING = (0.5, 0.5, 1)
PART = "[part]\nmethod = \"largest\"\nrange = [1, 9]\n[threshold]\nrange = [1, 1]\n"


class RegionsTest(batch_support.BatchTest):
    def make(self, seed, boxes=14):
        """Small boxes of 1 in a part of 2, at random places."""
        draw = random.Random(seed)
        values = [0] * math.prod(SIZE)
        for x, y, z in itertools.product(*map(range, SIZE)):
            if 1 <= x < 12 and 1 <= y < 9 and 1 <= z < 8 and x + y > 4:
                values[self.place(x, y, z)] = 2
        for _ in range(boxes):
            begin = [draw.randrange(1, size - 2) for size in SIZE]
            sides = [draw.choice((1, 1, 2, 3)) for _ in range(3)]
            for at in itertools.product(*(range(b, min(b + s, size - 1)) for b, s, size in zip(begin, sides, SIZE))):
                if values[self.place(*at)] == 2:
                    values[self.place(*at)] = 1
        write_nrrd(os.path.join(self.input, "a.nrrd"), "uint8", SIZE, values, SPACING)
        return values

    @staticmethod
    def place(x, y, z):
        return (z * SIZE[1] + y) * SIZE[0] + x

    def judge(self, rule, head=PART, code=0):
        shutil.rmtree(self.output, ignore_errors=True)
        self.recipe(head + "[labeling]\nconnectivity = 6\n[[acceptance]]\n" + rule)
        self.batch(code=code)
        if code != 0:
            return None, None
        with open(os.path.join(self.output, "items/a/summary.json"), encoding="utf-8") as stream:
            found = json.load(stream)["rules"][0]
        _, labels = labels_of(os.path.join(self.output, "items/a/labels.nrrd"))
        return found, labels

    def windows(self, window):
        """The first voxel of every place of a window, in raster order, with the places of its voxels."""
        for z, y, x in itertools.product(*(range(SIZE[axis] - window[axis] + 1) for axis in (2, 1, 0))):
            yield (x, y, z), [self.place(x + i, y + j, z + k) for k in range(window[2]) for j in range(window[1])
                              for i in range(window[0])]

    def worst(self, window, measure):
        """The highest measure of a window and where it is first."""
        best = None
        for first, voxels in self.windows(window):
            value = measure(voxels)
            if value is not None and (best is None or value > best[0]):
                best = (value, first)
        return best

    # The mm, the keys and the voxels of windows.
    WINDOWS = [("area", 2, "across = \"z\"\n", (4, 4, 1)), ("area", 1.6, "across = \"y\"\n", (3, 1, 2)),
               ("area", 3, "across = \"x\"\n", (1, 6, 3)), ("volume", 2.9, "", (6, 6, 3)), ("volume", 1, "", (2, 2, 1)),
               ("volume", 5, "", (10, 10, 5))]
    NONE_IN_PART = (10, 10, 5)

    def test_porosity_at_its_worst_place(self):
        for seed, (kind, mm, keys, window) in enumerate(self.WINDOWS):
            values = self.make(seed)
            count = math.prod(window)
            for least in (0, 60, 100):
                rule = "rule = \"porosity-per-%s\"\nreference_mm = %g\nat_most_percent = 20\n%s" % (kind, mm, keys)
                rule += "least_part_percent = %d\n" % least if least else ""
                if window == self.NONE_IN_PART and least == 100:
                    self.judge(rule, code=3)
                    continue
                found, labels = self.judge(rule)

                def share(voxels):
                    pores = sum(1 for v in voxels if labels[v])
                    part = sum(1 for v in voxels if values[v]) if least else count
                    return pores / part if part and part >= least / 100 * count else None
                value, first = self.worst(window, share)
                self.assertAlmostEqual(found["value"], 100 * value, msg=rule)
                self.assertEqual(found["window"], {"first_voxel": list(first), "voxels": list(window)}, rule)
                self.assertEqual(found["passes"], value <= 0.2)
                self.check_labels(found, window, first, labels)

    def check_labels(self, found, window, first, labels):
        inside = [voxels for place, voxels in self.windows(window) if place == first][0]
        expected = sorted({labels[v] for v in inside} - {0})
        self.assertEqual(found["labels"], expected)
        self.assertEqual(found["label"], max(expected, key=lambda label: (labels.count(label), -label)))
        self.assertTrue(first[2] <= found["slice"] < first[2] + window[2])

    def test_number_at_its_worst_place(self):
        for seed, (kind, mm, keys, window) in enumerate(self.WINDOWS):
            self.make(seed + 10)
            for where in ("", "where = \"voxel_count > 2\"\n"):
                rule = "rule = \"number-per-%s\"\nreference_mm = %g\nat_most_count = 3\n%s%s" % (kind, mm, keys, where)
                found, labels = self.judge(rule)
                counts = {label for label in set(labels) - {0} if not where or labels.count(label) > 2}
                counted = [label if label in counts else 0 for label in labels]
                value, first = self.worst(window, lambda voxels: len({counted[v] for v in voxels} - {0}))
                self.assertEqual(found["value"], value, rule)
                self.assertEqual(found["window"]["first_voxel"], list(first), rule)
                self.assertEqual(found["passes"], value <= 3)
                self.check_labels(found, window, first, counted)

    def clusters(self, labels, reach):
        """The components as lists of labels that have a gap below reach(size a, size b); voxels are boxes."""
        boxes = {}
        for x, y, z in itertools.product(*map(range, SIZE)):
            boxes.setdefault(labels[self.place(x, y, z)], []).append((x, y, z))
        boxes.pop(0, None)
        parents = {label: label for label in boxes}

        def root(label):
            return label if parents[label] == label else root(parents[label])

        for a, b in itertools.combinations(sorted(boxes), 2):
            gap = min(math.sqrt(sum((max(0, abs(i - j) - 1) * step) ** 2 for i, j, step in zip(p, q, SPACING)))
                      for p in boxes[a] for q in boxes[b])
            if gap < reach(len(boxes[a]), len(boxes[b])) - 1e-12:
                low, high = sorted((root(a), root(b)))
                parents[high] = low
        groups = {}
        for label in sorted(boxes):
            groups.setdefault(root(label), []).append(label)
        return boxes, list(groups.values())

    def test_clusters(self):
        volume = math.prod(SPACING)

        def diameter(count):
            return (6 * count * volume / math.pi) ** (1 / 3)
        for seed, (key, reach) in enumerate((("within_mm = 0.5", lambda a, b: 0.5), ("within_mm = 0.75", lambda a, b: 0.75),
                                             ("within_mm = 1.01", lambda a, b: 1.01),
                                             ("within_diameters = 0.45", lambda a, b: 0.45 * diameter(max(a, b))),
                                             ("within_diameters = 0.7", lambda a, b: 0.7 * diameter(max(a, b))))):
            # Of the images that come, the first one in which some components are joined and others are not.
            for number in itertools.count(10 * seed):
                self.assertLess(number, 10 * seed + 10)
                self.make(number, 11)
                _, labels = self.judge("rule = \"number\"\nat_most_count = 1\n")
                boxes, groups = self.clusters(labels, reach)
                if max(map(len, groups)) > 1 and len(groups) > 1:
                    break
            voxels = [[v for label in group for v in boxes[label]] for group in groups]
            sizes = [max(math.dist([i * s for i, s in zip(p, SPACING)], [i * s for i, s in zip(q, SPACING)])
                         for p in own for q in own) for own in voxels]
            for rule, measures in (("number-per-cluster\"\nat_most_count = 2", list(map(len, groups))),
                                   ("volume-of-cluster\"\nat_most_mm3 = 2", [len(own) * volume for own in voxels]),
                                   ("size-of-cluster\"\nat_most_mm = 2", sizes)):
                found, _ = self.judge("rule = \"%s\n%s\n" % (rule, key))
                self.assertAlmostEqual(found["value"], max(measures))
                group = groups[max(range(len(groups)), key=lambda i: (round(measures[i], 9), -i))]
                self.assertEqual(found["labels"], group)
                self.assertEqual(found["passes"], max(measures) <= 2)
                self.assertEqual(found["label"], max(group, key=lambda label: (len(boxes[label]), -label)))
            found, _ = self.judge("rule = \"clusters\"\nat_most_count = 1\n%s\n" % key)
            several = [group for group in groups if len(group) > 1]
            self.assertEqual((found["value"], found["passes"]), (len(several), len(several) <= 1))
            self.assertEqual(found["labels"], max(several, key=len))

    def test_a_gap_of_the_limit_is_no_cluster(self):
        for spacing, within in ((0.1, "0.3"), (0.7, "2.1"), (0.1, "\"0.03 cm\"")):
            values = [0] * 12
            values[2] = values[6] = 1
            write_nrrd(os.path.join(self.input, "a.nrrd"), "uint8", (12, 1, 1), values, (spacing, 1, 1))
            found, _ = self.judge("rule = \"clusters\"\nat_most_count = 0\nwithin_mm = %s\n" % within, "")
            self.assertEqual((found["value"], found["passes"], found["label"]), (0, True, None))
            self.assertNotIn("labels", found)

    def test_nothing_that_counts(self):
        write_nrrd(os.path.join(self.input, "a.nrrd"), "uint8", SIZE, [0] * math.prod(SIZE), SPACING)
        for rule in ("porosity-per-area\"\nat_most_percent = 0\nreference_mm = 2", "number-per-volume\"\nat_most_count = 0\nreference_mm = 2",
                     "volume-of-cluster\"\nat_most_mm3 = 0\nwithin_mm = 1", "clusters\"\nat_most_count = 0\nwithin_mm = 1"):
            found, _ = self.judge("rule = \"" + rule, "")
            self.assertEqual((found["value"], found["passes"], found["label"], found["slice"]), (0, True, None, None))
            self.assertNotIn("window", found)

    def test_the_item_table_and_the_log_name_the_place(self):
        self.make(3)
        self.recipe(PART + "[[acceptance]]\nname = \"Worst square\"\nrule = \"number-per-area\"\nreference_mm = 2\nat_most_count = 0\n")
        result = self.batch()
        self.assertIn("Worst square", result.stderr)
        item = self.items()["a"]
        rule = self.summary("a")["rules"][0]
        self.assertEqual((item["decided_by"], item["defect_label"], item["slice"]),
                         ("Worst square", str(rule["label"]), str(rule["slice"])))

    def test_windows_that_do_not_fit_are_errors(self):
        self.make(1)
        for keys, saying in (("reference_mm = 6", "is larger than the image, which has 10 voxels of 0.5 mm along y"),
                             ("reference_mm = 0.1", "is less than half a voxel, which has 0.5 mm along x"),
                             ("reference_mm = 5\nleast_part_percent = 100", "no window of reference_mm is inside the part by 100 %")):
            shutil.rmtree(self.output, ignore_errors=True)
            self.recipe(PART + "[[acceptance]]\nrule = \"porosity-per-area\"\nat_most_percent = 1\n" + keys + "\n")
            self.batch(code=3)
            self.assertIn(saying, self.items()["a"]["error"])
        write_nrrd(os.path.join(self.input, "a.nrrd"), "uint8", (12, 10), [1] * 120)
        shutil.rmtree(self.output)
        self.recipe("[[acceptance]]\nrule = \"number-per-volume\"\nat_most_count = 1\nreference_mm = 1\n")
        self.batch(code=3)
        self.assertIn("needs a volume, not images of 2 dimensions", self.items()["a"]["error"])


class DepthsTest(batch_support.BatchTest):
    """What lies just as deep as a limit is neither nearer nor deeper, whatever the spacing's decimals."""

    def judge(self, head, rule, spacing, depth):
        """A defect of one voxel, `depth` voxels below the surface of a cube."""
        side = 2 * depth + 3
        place = range(1, side + 1)
        values = [0] * (side + 2) ** 3
        for x, y, z in itertools.product(place, place, place):
            values[(z * (side + 2) + y) * (side + 2) + x] = 2
        middle = side // 2 + 1
        values[(middle * (side + 2) + middle) * (side + 2) + 1 + depth] = 1
        write_nrrd(os.path.join(self.input, "a.nrrd"), "uint8", (side + 2,) * 3, values, spacing)
        shutil.rmtree(self.output, ignore_errors=True)
        self.recipe("[part]\nmethod = \"largest\"\nrange = [1, 9]\n%s[threshold]\nrange = [1, 1]\n%s" % (head, rule))
        self.batch()
        return self.summary("a")

    def test_a_defect_at_the_limit_is_not_nearer_to_the_surface(self):
        for hundredths, depth in ((15, 3), (30, 3), (35, 3), (9, 5), (100, 2), (20, 4)):
            spacing = (hundredths / 100,) * 3
            for within, near in ((hundredths * depth / 100, 0), ((hundredths * depth + 1) / 100, 1)):
                rule = "[[acceptance]]\nrule = \"near-surface\"\nwithin_mm = %g\nat_most_count = 0\n" % within
                with self.subTest(spacing=spacing, within=within):
                    self.assertEqual(self.judge("", rule, spacing, depth)["rules"][0]["value"], near)

    def verdict(self, kind, values, size, spacing, text, code=0):
        write_nrrd(os.path.join(self.input, "a.nrrd"), kind, size, values, spacing)
        shutil.rmtree(self.output, ignore_errors=True)
        self.recipe("[threshold]\nrange = [1, inf]\n" + text)
        self.batch(code=code)
        return self.summary("a")["verdict"] if code == 0 else None

    def test_volumes_of_clusters_at_the_limit_pass(self):
        values = [1, 0] * 288
        for limit, verdict in ((7.776, "pass"), (7.775, "fail")):
            text = "[[acceptance]]\nrule = \"volume-of-cluster\"\nat_most_mm3 = %g\nwithin_mm = 1\n" % limit
            self.assertEqual(self.verdict("uint8", values, (576, 1, 1), (0.3, 0.3, 0.3), text), verdict)

    def test_the_least_part_of_a_window(self):
        values = [2] * 55 + [1] + [0] * 44
        text = "[part]\nmethod = \"largest\"\nrange = [1, 2]\n[labeling]\nminimum_size = 1\n[[acceptance]]\n" \
               "rule = \"porosity-per-volume\"\nreference_mm = 1\nat_most_percent = 1\nleast_part_percent = %g\n"
        self.assertEqual(self.verdict("uint8", values, (100, 1, 1), (0.01, 1, 1), text % 56), "fail")
        self.verdict("uint8", values, (100, 1, 1), (0.01, 1, 1), text % 57, code=3)
        self.assertIn("is inside the part by 57 %", self.items()["a"]["error"])

    def test_infinite_values_are_above_every_limit(self):
        text = "[measuring]\nintensity = true\n[[acceptance]]\nrule = \"largest\"\ncolumn = \"intensity_max\"\nat_most = 5\n"
        for highest, verdict in ((4, "pass"), (6, "fail"), (math.inf, "fail")):
            self.assertEqual(self.verdict("float", [0, 1, highest, 0], (4, 1, 1), (1, 1, 1), text), verdict)

    def test_a_voxel_at_the_limit_is_not_in_the_core(self):
        voxels = [self.core(scale) for scale in (1, 0.21, 0.31, 0.42, 0.62, 0.79)]
        self.assertEqual(voxels, voxels[:1] * len(voxels))

    def core(self, scale):
        """The voxels of the core. Those of the part are 4 x 3: a center lies 2.5 from the corner of a voxel beside it
        along both axes."""
        size = (9, 9, 9)
        values = [2 if 0 < x < 8 and 0 < y < 8 and 0 < z < 8 and (x < 4 or y < 4) else 0
                  for z, y, x in itertools.product(range(9), repeat=3)]
        values[(4 * 9 + 2) * 9 + 2] = 1
        write_nrrd(os.path.join(self.input, "a.nrrd"), "uint8", size, values, (4 * scale, 3 * scale, 9 * scale))
        shutil.rmtree(self.output, ignore_errors=True)
        self.recipe("[part]\nmethod = \"largest\"\nrange = [1, 9]\nerode_mm = %g\n[threshold]\nrange = [1, 1]\n" % (2.5 * scale))
        self.batch()
        return round(self.summary("a")["region_volume_mm3"] / (108 * scale ** 3), 6)


if __name__ == "__main__":
    unittest.main()
