# SPDX-License-Identifier: Apache-2.0
"""`brickccl label --memory` with thresholds that are found and with `--pores`: the result is that of the volume in memory."""

import json
import os
import random
import re
import shutil
import unittest

from support import CommandTest, read_nrrd, write_nrrd

NOT_SEARCHED = "with --memory, cracks and cavities that are open to the outside through narrow gaps are not searched; " \
               "they count as outside"
OPENING = re.compile("(crack or cavity|cracks or cavities) .* open to the outside through gaps")


class PoresBySlabsTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.scan = self.path("scan.nrrd")

    def run_both(self, *options, more=0, table=True, work=()):
        """Labels in memory and by slabs of as little memory as can be, and more MiB; compares all. Returns both summaries."""
        found = []
        tables = lambda name: ("--statistics", self.path(name + ".csv")) if table else ()
        memory = (*(("--threads", 1) if "--threads" not in options else ()), "--memory")
        least = self.fails("label", self.scan, self.path("s.nrrd"), *options, *tables("s"), *memory, 1000,
                           saying="the minimum is").stderr
        least = int(re.search(r"the minimum is (\d+) MiB", least).group(1)) + more
        for name, limit in (("w", ()), ("s", (*memory, "%dMiB" % least, *work))):
            found.append(json.loads(self.ok("label", self.scan, self.path(name + ".nrrd"), *options, *tables(name),
                                            *limit, "--json").stdout))
        whole, slabs = found
        self.assertEqual(read_nrrd(self.path("w.nrrd")), read_nrrd(self.path("s.nrrd")), options)
        for key in whole.keys() - {"seconds", "peak_memory_bytes", "output", "notes",
                                  *(("device", "algorithm") if work else ())}:
            self.assertEqual(whole[key], slabs[key], (key, options))
        self.assertEqual(NOT_SEARCHED in slabs["notes"], "--pores" in options)
        self.assertEqual([note for note in whole["notes"] if not OPENING.search(note)],
                         [note for note in slabs["notes"] if note != NOT_SEARCHED])
        if table:
            with open(self.path("w.csv"), "rb") as first, open(self.path("s.csv"), "rb") as second:
                self.assertEqual(first.read(), second.read(), options)
        return whole, slabs

    def test_pores_of_castings(self):
        for seed, size in ((1, (96, 80, 40)), (2, (24, 400, 30)), (3, (90, 260, 5))):
            self.ok("phantom", "casting", self.scan, "--size", *size, "--seed", seed, "--spacing", 0.5, 0.5, 0.25 * seed)
            for options in ((), ("--threshold", "valley", "--columns", "surface,shape"), ("--range", 500, "inf")):
                whole, slabs = self.run_both("--pores", *options)
                self.assertGreater(slabs["slabs"]["count"], 2)
                self.assertGreater(slabs["pores"]["pore_voxels"], 0)
            self.run_both("--pores", "--minimum-volume", 1, "--order", "size", "--connectivity", 26, "--largest", 9, more=1)
            self.run_both("--pores", "--by-slice", "z", table=False)
            self.run_both("--pores", "--columns", "label,surface_distance_mm", "--sort", "surface_distance_mm", "--top", 5)

    def test_a_log_in_several_memories(self):
        shutil.copy(os.path.join(os.path.dirname(__file__), "..", "..", "Data", "log.nrrd"), self.scan)
        counts = []
        for more in (0, 3, 20):
            whole, slabs = self.run_both("--pores", more=more)
            counts.append(slabs["slabs"]["count"])
        self.assertGreater(counts[0], counts[1])
        self.assertGreater(counts[1], counts[2])
        self.run_both("--threshold", "multi-otsu:3", "--by-slice", "z", "--threads", 2, more=3)

    def test_a_mask_and_every_way_of_finding_thresholds(self):
        self.ok("phantom", "casting", self.scan, "--size", 90, 70, 40, "--seed", 5)
        mask = self.path("mask.nrrd")
        write_nrrd(mask, "int16", (90, 70, 40), [int(x > 30 and z > 7) for z in range(40) for _ in range(70) for x in range(90)])
        several = ((), ("--mask", mask, "--below"), ("--pores", "--mask", mask))
        for number, method in enumerate(("otsu", "multi-otsu:3", "multi-otsu:4:1", "valley", "iso50", "400")):
            for options in (several if number == 0 else several[number % 3:][:1]):
                whole, slabs = self.run_both("--threshold", method, *options)
                self.assertGreater(slabs["slabs"]["count"], 2)
        self.run_both("--pores", "--mask", mask, "--intensity", self.scan, "--threads", 3)

    def test_values_of_other_types(self):
        size = (80, 70, 20)
        random.seed(6)
        inside = [8 < x < 70 and 8 < y < 60 and 2 < z < 17 and (x * y + z) % 97 for z in range(20) for y in range(70) for x in range(80)]
        for kind, low, high in (("float", 0.125, 3.5), ("int64", 2 ** 40, 2 ** 40 + 900), ("uint16", 20, 60000), ("int16", -1000, 300)):
            values = [(high if one else low) + random.choice((0, 1, 2, 5)) for one in inside]
            if kind == "float":
                values[::1001] = [float("nan")] * len(values[::1001])
                values[7] = 1e30
            if kind == "int16":
                # What the scanner did not see.
                values[:3 * 5600] = [-3024] * (3 * 5600)
            write_nrrd(self.scan, kind, size, values)
            for options in (("--pores",), ("--threshold", "otsu"), ("--threshold", "multi-otsu:3", "--below")):
                self.run_both(*options)

    def test_parts_that_slabs_cut(self):
        """Random pieces: holes in faces, bores along each axis, further pieces, pores that slabs cut, and images of 1 to 3 axes."""
        for seed, size in enumerate(((40, 60, 30), (60, 40, 31), (30, 30, 60), (200, 300), (70, 1, 90), (4000,), (1, 200, 90))):
            random.seed(seed)
            axes = list(size) + [1] * (3 - len(size))
            values = [1] * (axes[0] * axes[1] * axes[2])
            for _ in range(60 if len(size) == 3 and 1 not in size else 9):
                low = [random.randrange(-3, axis) for axis in axes]
                high = [begin + random.choice((2, 4, 12)) for begin in low]
                if random.random() < 0.3:
                    along = random.randrange(3)
                    low[along], high[along] = 0, axes[along]
                fill = random.choice((0, 0, 0, 1))
                for z in range(max(0, low[2]), min(axes[2], high[2])):
                    for y in range(max(0, low[1]), min(axes[1], high[1])):
                        for x in range(max(0, low[0]), min(axes[0], high[0])):
                            values[(z * axes[1] + y) * axes[0] + x] = fill
            write_nrrd(self.scan, "uint8", size, values)
            with self.subTest(size=size):
                whole, slabs = self.run_both("--pores", "--range", 1, 1)
                self.assertTrue(slabs["slabs"]["count"] > 1 or 1 in size or len(size) < 3)

    def pieces(self, seed, size):
        """Random blocks, hollow ones among them with others inside, with pores and bores, and zones of the same size."""
        chance = random.Random(seed)
        values = [0] * (size[0] * size[1] * size[2])

        def fill(low, high, value):
            for z in range(max(0, low[2]), min(size[2], high[2])):
                for y in range(max(0, low[1]), min(size[1], high[1])):
                    begin = (z * size[1] + y) * size[0]
                    own = range(begin + max(0, low[0]), begin + min(size[0], high[0]))
                    values[own.start:own.stop] = [value] * len(own)

        for _ in range(9):
            low = [chance.randrange(-2, axis) for axis in size]
            high = [begin + chance.randrange(3, 4 + axis // 2) for begin, axis in zip(low, size)]
            fill([begin - 1 for begin in low], [end + 1 for end in high], 0)
            fill(low, high, 1)
            for _ in range(chance.randrange(5)):
                at = [chance.randrange(begin, end) for begin, end in zip(low, high)]
                fill(at, [begin + chance.choice((1, 2, 3)) for begin in at], 0)
            for shell in range(1, chance.choice((1, 3, 4))):
                fill([begin + shell for begin in low], [end - shell for end in high], 1 - shell % 2)
            if chance.random() < 0.3:
                axis, middle = chance.randrange(3), [(begin + end) // 2 for begin, end in zip(low, high)]
                fill([low[a] if a == axis else middle[a] - 1 for a in range(3)], [high[a] if a == axis else middle[a] + 1 for a in range(3)], 0)
        write_nrrd(self.scan, "uint8", size, values, (0.5, 1, 0.75))
        self.zones = self.path("zones.nrrd")
        ids = chance.choice(((0, 1, 2, 300), (0, 0, 7), (2 ** 40, 3)))
        zones = [ids[(x // 7 + y // 9 + z // 5 + (x * y * z) % 11 // 10) % len(ids)]
                 for z in range(size[2]) for y in range(size[1]) for x in range(size[0])]
        write_nrrd(self.zones, "int64" if max(ids) > 300 else "float" if len(ids) == 3 else "uint16", size, zones, (0.5, 1, 0.75))

    def test_several_parts_and_zones(self):
        most = counts = 0
        for seed, size in enumerate(((50, 40, 30), (34, 60, 40), (60, 33, 70), (90, 80, 9), (41, 43, 50))):
            self.pieces(seed, size)
            with self.subTest(seed=seed):
                whole, slabs = self.run_both("--pores", "--range", 1, 1, "--parts", "all", "--zones", self.zones, more=seed)
                most, counts = max(most, len(slabs["parts"])), counts + slabs["slabs"]["count"]
                self.assertEqual(sum(one["pore_voxels"] for one in slabs["parts"]), slabs["pores"]["pore_voxels"])
                self.assertGreater(len(slabs["zones"]), 0)
                self.run_both("--pores", "--range", 1, 1, "--parts", 2, "--box", "not:3,4,2,20,19,8", more=1, table=seed % 2 == 0)
                self.run_both("--pores", "--range", 1, 1, "--zones", self.zones, "--minimum-size", 3, "--order", "size", table=seed % 2 == 1)
        self.assertGreater(most, 4)
        self.assertGreater(counts, 12)
        options = ("--pores", "--range", 1, 1, "--parts", len(whole["zones"]) + 40)
        refused = [self.fails("label", self.scan, self.path("w.nrrd"), *options, *limit, saying="parts are asked for").stderr.splitlines()[-1]
                   for limit in ((), ("--memory", "90MiB"))]
        self.assertEqual(*refused)

    def test_zones_of_components(self):
        for seed, size in ((7, (50, 40, 60)), (8, (90, 35, 30))):
            self.pieces(seed, size)
            for options in (("--zones", self.zones, "--columns", "label,zone,voxel_count"), ("--zones", self.zones, "--sphere", "not:9mm,20mm,9mm,8mm"),
                            ("--zones", self.zones, "--split"), ("--zones", self.scan, "--equal-value", "--columns", "surface")):
                whole, slabs = self.run_both("--range", 1, 1, *options) if "--equal-value" not in options else self.run_both(*options)
                self.assertGreater(slabs["slabs"]["count"], 2)
                self.assertGreater(sum(one["components"] for one in slabs["zones"]), 0)
        self.run_both("--zones", self.zones, table=False)
        for kind, value, saying in (("uint8", 0, "every voxel is 0"), ("float", 0.5, "0.5"), ("float", float("nan"), "4500 voxels are NaN")):
            write_nrrd(self.zones, kind, (90, 35, 30), [0] * 90000 + [value] * 4500, (0.5, 1, 0.75))
            self.fails("label", self.scan, self.path("s.nrrd"), "--range", 1, 1, "--zones", self.zones, "--memory", "60MiB", "--threads", 1,
                       saying=["(--zones) is not a label map of zones", saying])

    def test_a_large_bore_is_outside(self):
        for along in range(3):
            size = (50, 60, 40)
            def value(*at):
                beside = [at[axis] for axis in range(3) if axis != along]
                return int(not 20 < beside[0] < 30 or not 20 < beside[1] < 30) if sum(at) % 31 else 0
            write_nrrd(self.scan, "uint8", size, [value(x, y, z) for z in range(40) for y in range(60) for x in range(50)])
            whole, slabs = self.run_both("--pores", "--range", 1, 1)
            self.assertEqual(slabs["pores"]["bores"], 1)

    def test_what_is_no_part(self):
        limit = ("--pores", "--memory", "90MiB")
        write_nrrd(self.scan, "uint8", (20, 20, 20), [1] * 8000)
        self.fails("label", self.scan, self.path("s.nrrd"), *limit, "--range", 1, 1, saying="the part fills the image")
        self.fails("label", self.scan, self.path("s.nrrd"), *limit, "--range", 2, 3, saying="the image has no material")
        self.fails("label", self.scan, self.path("s.nrrd"), *limit, saying="same value")
        write_nrrd(self.scan, "uint8", (20, 20, 20), [int(place > 4000) for place in range(8000)])
        write_nrrd(self.path("m.nrrd"), "uint8", (20, 20, 20), [int(place < 4000) for place in range(8000)])
        self.fails("label", self.scan, self.path("s.nrrd"), *limit, "--mask", self.path("m.nrrd"), "--range", 1, 1,
                   saying="no voxel of the part is in the region")
        self.fails("label", self.scan, self.path("s.nrrd"), *limit, "--close", 2, saying=["--close", "--memory"])

    def test_memory_is_kept(self):
        self.ok("phantom", "casting", self.scan, "--size", 384, 384, 300)
        for limit in (75, 120):
            result = self.ok("label", self.scan, self.path("s.nrrd"), "--pores", "--statistics", self.path("s.csv"),
                             "--memory", "%dMiB" % limit, "--threads", 1, "--json")
            self.assertLessEqual(json.loads(result.stdout)["peak_memory_bytes"], 1.05 * limit * 2 ** 20)


if __name__ == "__main__":
    unittest.main()
