# SPDX-License-Identifier: Apache-2.0
"""`brickccl label --memory`: volumes are labeled slab by slab, with the result of the volume in memory."""

import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

from support import COMMAND, CommandTest, labels_of, read_nrrd, write_nrrd

# Slices so large that the least memory holds few of them.
SIDE = 448
SLICES = 24
LIMIT = ("--memory", "96MB", "--threads", "2")


class SlabsTest(CommandTest):
    def phantom(self, name, *options, seed=5):
        path = self.path(name)
        self.ok("phantom", "balls", path, "--size", SIDE, SIDE, SLICES, "--seed", seed, *options)
        return path

    def summary(self, *arguments):
        return json.loads(self.ok("label", *arguments, "--json").stdout)

    def bytes_of(self, name):
        """What a file holds; compressed voxels as they were before."""
        if name.endswith(".nrrd"):
            return read_nrrd(self.path(name))
        with open(self.path(name), "rb") as stream:
            return stream.read()

    def same(self, path, *options, table=(), extra=()):
        """Labels in memory and by slabs; the files must be the same. Returns the summary of slabs."""
        whole = self.summary(path, self.path("whole.nrrd"), *options, *table and ("--statistics", self.path("whole.csv")),
                             *table)
        slabs = self.summary(path, self.path("slabs.nrrd"), *options, *table and ("--statistics", self.path("slabs.csv")),
                             *table, *LIMIT, *extra)
        self.assertGreater(slabs["slabs"]["count"], 3)
        for key in ("components", "foreground_voxels", "components_found", "dropped", "kept_voxels", "label_type",
                    "connectivity", "extent", "spacing"):
            self.assertEqual(whole[key], slabs[key], key)
        self.assertEqual(self.bytes_of("whole.nrrd"), self.bytes_of("slabs.nrrd"))
        if table:
            self.assertEqual(self.bytes_of("whole.csv"), self.bytes_of("slabs.csv"))
            self.assertEqual(whole["totals"], slabs["totals"])
        return slabs

    def test_files_are_those_of_the_volume_in_memory(self):
        path = self.phantom("balls.nrrd")
        summary = self.same(path, table=("--columns", "place,shape,surface,topology"))
        self.assertGreater(summary["components"], 100)
        self.same(path, "--connectivity", 26, "--order", "size", "--minimum-size", 30, "--largest", 50,
                  table=("--sort", "voxel_count"))
        self.same(path, "--minimum-volume", 40, "--maximum-size", 900, table=("--columns", "shape"))
        self.same(path, "--by-slice", "z", "--connectivity", 8, "--largest", 5, "--per-slice")

    def test_periodic_axes(self):
        path = self.phantom("balls.nrrd")
        without = self.summary(path, self.path("whole.nrrd"))
        for axes, options in (("z", ()), ("x", ("--connectivity", 26, "--minimum-size", 40)),
                              ("x,y,z", ("--connectivity", 26, "--order", "size")), ("yz", ("--equal-value",)),
                              ("y", ("--tolerance", 0.5, "--background", "none", "--neighborhood", "8+z"))):
            summary = self.same(path, "--periodic", axes, *options, table=("--columns", "place,shape"))
            self.assertEqual(summary["periodic"], axes.replace(",", ""))
            self.assertNotEqual(summary["components"], without["components"])
        with open(self.path("slabs.csv"), newline="") as stream:
            rows = list(csv.DictReader(stream))
        # Boxes reach beyond the upper end along y, and not along the others.
        self.assertTrue(any(int(row["bbox_max_y"]) >= SIDE for row in rows))
        self.assertTrue(all(int(row["bbox_max_x"]) < SIDE and int(row["bbox_max_z"]) < SLICES for row in rows))
        self.assertIn("wraps_y", rows[0])
        self.assertNotIn("wraps_x", rows[0])
        self.assertIn("(6 neighbors, periodic along z)", self.ok("label", path, self.path("out.nrrd"), "--periodic", "z", *LIMIT).stdout)

    def test_criteria_mask_and_intensity(self):
        random.seed(3)
        values = []
        for z in range(SLICES):
            if z % 3 == 0:
                blocks = [[random.randrange(5) for _ in range(SIDE // 64)] for _ in range(SIDE // 32)]
            for y in range(SIDE):
                for value in blocks[y // 32]:
                    values += [value] * 64
        for place in random.sample(range(len(values)), 300):
            values[place] = 7
        write_nrrd(self.path("values.nrrd"), "int16", (SIDE, SIDE, SLICES), values, spacing=(0.5, 0.5, 2))
        mask = self.phantom("mask.nrrd", "--spacing", 0.5, 0.5, 2)
        path = self.path("values.nrrd")
        for options in (("--equal-value",), ("--tolerance", 1, "--background", "none"), ("--range", 2, 4),
                        ("--threshold", 3, "--below")):
            self.same(path, *options, "--mask", mask, table=("--intensity", path, "--columns", "topology"))

    def test_every_streaming_format_gives_the_same(self):
        path = self.phantom("balls.nrrd")
        self.summary(path, self.path("expected.nrrd"))
        _, expected = labels_of(self.path("expected.nrrd"))
        names = ["a.nrrd", "b.nhdr", "c.mha", "d.mhd", "e.nii.gz", "f.tif"]
        for name in names:
            for compression in ((), ("--no-compression",)):
                if name == "e.nii.gz" and compression:
                    name = "e.nii"
                copy = self.path(name)
                self.ok("label", path, copy, "--label-type", "uint16", *compression)
                summary = self.summary(copy, self.path("slabs.nrrd"), *LIMIT)
                self.assertGreater(summary["slabs"]["count"], 3, name)
                self.assertEqual(labels_of(self.path("slabs.nrrd"))[1], expected, name)

    def test_slice_images(self):
        path = self.phantom("balls.nrrd")
        fields, data = read_nrrd(path)
        self.assertEqual(fields["type"], "unsigned char")
        os.mkdir(self.path("slices"))
        size = SIDE * SIDE
        for z in range(SLICES):
            write_nrrd(self.path("one.nrrd"), "uint8", (SIDE, SIDE), list(data[z * size:(z + 1) * size]))
            self.ok("label", self.path("one.nrrd"), self.path("slices/s%02d.tif" % z), "--label-type", "uint16")
        self.ok("label", self.path("slices"), self.path("whole.nrrd"))
        summary = self.summary(self.path("slices"), self.path("slabs.nrrd"), *LIMIT)
        self.assertGreater(summary["slabs"]["count"], 3)
        self.assertEqual(self.bytes_of("whole.nrrd"), self.bytes_of("slabs.nrrd"))

    def test_memory_is_kept(self):
        # The volume has more voxels than the memory has bytes.
        for limit, kind, options in ((96, "balls", ()), (160, "random", ("--minimum-size", "3", "--order", "size"))):
            path = self.path(kind + ".nrrd")
            self.ok("phantom", kind, path, "--size", 640, 640, 420, "--density", 0.2 if kind == "balls" else 0.01)
            # The peak of a program is told as no less than that of the one that starts it, so a small one does.
            starter = ("import resource, subprocess, sys\ncode = subprocess.run(sys.argv[1:]).returncode\n"
                       "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\nsys.exit(code)")
            done = subprocess.run([sys.executable, "-c", starter, COMMAND, "label", path, self.path("out.nrrd"),
                                   "--memory", "%dMiB" % limit, "--threads", "2", "--quiet", *options],
                                  stdout=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 0, kind)
            self.assertLessEqual(int(done.stdout) * 1024, 1.05 * limit * 2 ** 20, kind)
            os.remove(path)

    def test_temporary_files_are_where_they_are_wanted(self):
        path, work = self.phantom("balls.mha"), self.path("work")
        options = ["--statistics", self.path("slabs.csv"), "--columns", "shape", *LIMIT]
        self.summary(path, self.path("slabs.nrrd"), *options)
        files = {name: self.bytes_of(name) for name in ("slabs.nrrd", "slabs.csv")}
        self.fails("label", path, self.path("slabs.nrrd"), *options, "--work", work, saying=[work, "No such file"])
        os.mkdir(work)
        command = [COMMAND, "label", path, self.path("slabs.nrrd"), *options, "--work", work]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            if any(name.endswith(".record") for _, _, names in os.walk(work) for name in names):
                break
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertEqual(len(os.listdir(work)), 1)
        # The next run removes what the kill left.
        self.summary(path, self.path("slabs.nrrd"), *options, "--work", work)
        self.assertEqual(os.listdir(work), [])
        for name, content in files.items():
            self.assertEqual(self.bytes_of(name), content, name)

    def test_a_device_that_is_not_there_is_noted(self):
        path = self.phantom("balls.nrrd")
        result = self.ok("label", path, self.path("slabs.nrrd"), *LIMIT, "--device", "cuda:99")
        self.assertIn("cuda:99 is not available", result.stderr)

    def test_values_that_are_not_a_number_are_counted(self):
        path = self.path("nan.nrrd")
        random.seed(4)
        values = [random.choice((0.0, 0.0, 1.0, float("nan"))) for _ in range(64 * SIDE)] * (SIDE // 64 * SLICES)
        write_nrrd(path, "float", (SIDE, SIDE, SLICES), values)
        count = sum(value != value for value in values)
        self.assertGreater(count, 1000)
        foreground = ("--range", 0.5, 2)
        whole = self.summary(path, self.path("whole.nrrd"), *foreground)
        self.assertEqual(whole["nan_values"], count)
        slabs = self.summary(path, self.path("slabs.nrrd"), *foreground, *LIMIT)
        self.assertGreater(slabs["slabs"]["count"], 1)
        self.assertEqual(slabs["nan_values"], count)
        self.assertEqual(slabs["notes"], whole["notes"])
        self.assertIn(f"{count} values are NaN", " ".join(slabs["notes"]))
        self.assertEqual(self.bytes_of("whole.nrrd"), self.bytes_of("slabs.nrrd"))

    def test_a_chunk_that_is_too_large_for_the_memory_is_named(self):
        path = self.path("scan.zarr")
        os.mkdir(path)
        with open(os.path.join(path, ".zarray"), "w", encoding="utf-8") as stream:
            json.dump({"zarr_format": 2, "shape": [300, 512, 512], "chunks": [256, 512, 512], "dtype": "|u1", "order": "C",
                       "fill_value": 0, "compressor": None, "filters": None}, stream)
        for threads in (1, 2):
            self.fails("label", path, self.path("out.nrrd"), "--memory", "64MiB", "--threads", threads,
                       saying="each thread reads whole chunks of the scan, of 64.00 MiB")

    def test_memory_that_is_too_little_is_refused_with_the_least(self):
        path = self.phantom("balls.nrrd")
        result = self.fails("label", path, self.path("out.nrrd"), "--memory", "20MB", "--threads", 2, saying="the minimum is")
        least = re.search(r"the minimum is ([\d.]+ [KMG]iB)", result.stderr).group(1)
        self.ok("label", path, self.path("out.nrrd"), "--memory", least, "--threads", 2)
        # Threads need memory as well.
        self.fails("label", path, self.path("out.nrrd"), "--threads", 8, "--memory", least, saying="fewer --threads need less")
        alone = self.fails("label", path, self.path("out.nrrd"), "--threads", 1, "--memory", 1000, saying="the minimum is")
        self.assertNotIn("--threads", alone.stderr)
        self.assertNotIn("chunks", result.stderr)
        # What is known of slabs takes some memory from the first component on.
        voxels = [0] * (96 * 96 * 90)
        voxels[5] = voxels[-7] = 1
        write_nrrd(self.path("two.nrrd"), "uint8", (96, 96, 90), voxels)
        for threads, options in ((2, ()), (2, ("--equal-value", "--background", "none")), (1, ())):
            command = ("label", self.path("two.nrrd"), self.path("out.nrrd"), "--threads", threads, *options)
            result = self.fails(*command, "--memory", 1000, saying="the minimum is")
            least = re.search(r"the minimum is ([\d.]+ [KMG]iB)", result.stderr).group(1)
            found = json.loads(self.ok(*command, "--memory", least, "--json").stdout)
            self.assertEqual(found["components"], 3 if "none" in options else 2)

    def test_what_is_no_amount_of_memory(self):
        label = ("label", self.path("a.nrrd"), self.path("out.nrrd"))
        for text in ("much", "-1", "-4GiB", "-5GB", "4XB", "nan", "inf", "1e30", "0.5", "1,5GB", "", "0x10", "GB", "5 5MB"):
            self.fails(*label, "--memory=" + text, saying=["--memory", "'%s'" % text])
        self.fails(*label, "--memory", 0, saying="not an amount of memory")
        write_nrrd(self.path("a.nrrd"), "uint8", (2, 2, 2), [1] * 8)
        for text in ("0.5GB", "1.5GiB", "1e9", "500 MB", "4gib", "200000000"):
            self.ok(*label, "--memory", text)

    def test_what_needs_the_whole_volume_is_refused_by_name(self):
        path = self.phantom("balls.nrrd")
        options = ("label", path, self.path("out.nrrd"), *LIMIT)
        self.fails(*options, "--picture", self.path("b.png"), saying=["--picture", "--memory"])
        result = self.fails(*options, "--algorithm", "foo", saying="algorithm 'foo' is unknown")
        self.assertNotIn("brick at", result.stderr)
        for name in ("TileMerging", "DirectionalSearch", "LinkPropagation:gather=64"):
            result = self.fails(*options, "--algorithm", name, saying=["--algorithm " + name, "--memory", "choose one of Auto, RunMerging"])
            self.assertNotIn("brick at", result.stderr)
        self.fails(*options, "--work", path, saying=[path, "Not a directory"])
        for refused in (("--fill-holes",), ("--close", 1, "--pores"), ("--smooth", "median:1"), ("--clear-border",),
                        ("--seeds", "1,1,1"), ("--touching", path), ("--picture", self.path("a.png"))):
            self.fails(*options, *refused, saying=[refused[0], "--memory"])
        table = ("--statistics", self.path("table.csv"))
        self.fails(*options, *table, "--periodic", "x", "--columns", "surface", saying=["'surface'", "periodic along x"])
        self.fails(*options, "--periodic", "t", saying="periodic along t")
        for group in ("thickness", "inscribed", "neighbors"):
            self.fails(*options, *table, "--columns", group, saying=["'" + group + "'", "cannot be measured by bricks"])
        self.fails(*options, *table, "--columns", "volume_mm3,thickness_mean_mm", saying="column 'thickness_mean_mm': the columns 'thickness'")
        self.fails(*options, *table, "--part", path, saying=["--part", "--memory"])
        self.fails("label", path, self.path("out.nrrd"), "--work", self.path("w"), saying="--memory")

    def test_files_that_do_not_stream_are_refused_with_those_that_do(self):
        write_nrrd(self.path("one.nrrd"), "uint8", (8, 8), [1] * 64)
        self.ok("label", self.path("one.nrrd"), self.path("one.png"))
        self.fails("label", self.path("one.png"), self.path("out.nrrd"), "--memory", "1GiB",
                   saying=["PNG files are not read in parts", "NRRD", "MetaImage"])

    def test_truncated_input_leaves_nothing(self):
        for name in ("balls.nrrd", "balls.mha"):
            path = self.phantom(name)
            with open(path, "rb") as stream:
                content = stream.read()
            with open(path, "wb") as stream:
                stream.write(content[:len(content) * 2 // 3])
            self.fails("label", path, self.path("out.nrrd"), *LIMIT, "--statistics", self.path("t.csv"),
                       saying="truncated")
            self.assertEqual([entry for entry in os.listdir(self.folder) if entry.startswith(".")], [])

    def test_label_types_that_are_too_small(self):
        path = self.phantom("balls.nrrd")
        self.fails("label", path, self.path("out.nrrd"), *LIMIT, "--label-type", "uint8",
                   saying=["do not fit label type uint8", "uint16"])

    def test_the_table_alone(self):
        path = self.phantom("balls.nrrd")
        self.ok("label", path, "--statistics", self.path("slabs.csv"), *LIMIT)
        self.ok("label", path, "--statistics", self.path("whole.csv"))
        self.assertEqual(self.bytes_of("whole.csv"), self.bytes_of("slabs.csv"))
        with open(self.path("slabs.csv"), newline="", encoding="utf-8") as stream:
            self.assertGreater(len(list(csv.DictReader(stream))), 100)
