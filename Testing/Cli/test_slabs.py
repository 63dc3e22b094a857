# SPDX-License-Identifier: Apache-2.0
"""`brickccl label --memory`: volumes are labeled slab by slab, with the result of the volume in memory."""

import csv
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

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

    def start_and_kill(self, command, work, slabs):
        """Kills the command once it has labeled so many slabs."""
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            done = [name for name in os.listdir(work) if name.endswith(".record")] if os.path.isdir(work) else []
            if len(done) >= slabs:
                break
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def test_a_killed_run_goes_on(self):
        path = self.phantom("balls.mha")
        options = ["--statistics", self.path("slabs.csv"), "--columns", "shape", *LIMIT]
        expected = self.summary(path, self.path("slabs.nrrd"), *options)
        files = {name: self.bytes_of(name) for name in ("slabs.nrrd", "slabs.csv")}
        work = self.path("work")
        for slabs in (1, 2, expected["slabs"]["count"]):
            shutil.rmtree(work, ignore_errors=True)
            for name in files:
                os.remove(self.path(name))
            self.start_and_kill([COMMAND, "label", path, self.path("slabs.nrrd"), *options, "--work", work], work, slabs)
            self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("slabs.") and slabs == 1], [])
            summary = self.summary(path, self.path("slabs.nrrd"), *options, "--work", work, "--resume")
            self.assertGreaterEqual(summary["slabs"]["from_before"], slabs)
            for name, content in files.items():
                self.assertEqual(self.bytes_of(name), content, name)

    def test_lost_and_damaged_state_is_noticed(self):
        path = self.phantom("balls.nrrd")
        work = self.path("work")
        options = (*LIMIT, "--work", work)
        count = self.summary(path, self.path("slabs.nrrd"), *options)["slabs"]["count"]
        expected = self.bytes_of("slabs.nrrd")
        os.remove(os.path.join(work, "slab-000001.runs"))
        for name in ("slab-000002.record", "slab-000003.runs"):
            with open(os.path.join(work, name), "r+b") as stream:
                stream.seek(40)
                byte = stream.read(1)
                stream.seek(40)
                stream.write(bytes([byte[0] ^ 1]))
        result = self.ok("label", path, self.path("slabs.nrrd"), *options, "--resume", "--json")
        self.assertEqual(json.loads(result.stdout)["slabs"]["from_before"], count - 3)
        self.assertEqual(self.bytes_of("slabs.nrrd"), expected)

    def test_a_damaged_plan_is_refused(self):
        path = self.phantom("balls.nrrd")
        work = self.path("work")
        options = ("label", path, self.path("slabs.nrrd"), *LIMIT, "--work", work, "--resume")
        self.ok(*options)
        expected = self.bytes_of("slabs.nrrd")
        plan = os.path.join(work, "plan.txt")
        with open(plan, "rb") as stream:
            whole = stream.read()
        damaged = [whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1:] for place in range(len(whole))]
        for text in damaged[::7] + [whole[:-1], whole[: len(whole) // 2], b"", whole[whole.index(b"\n") + 1:], whole + b"\n"]:
            with open(plan, "wb") as stream:
                stream.write(text)
            self.fails(*options, saying=["plan.txt", "damaged", "use another one"])
        with open(plan, "wb") as stream:
            stream.write(whole)
        self.ok(*options)
        self.assertEqual(self.bytes_of("slabs.nrrd"), expected)

    @unittest.skipUnless(hasattr(os, "mkfifo"), "this system has no named pipes")
    def test_a_plan_that_is_no_file_is_refused_at_once(self):
        path, work = self.phantom("balls.nrrd"), self.path("work")
        plan = os.path.join(work, "plan.txt")
        for make in (lambda: os.mkfifo(plan), lambda: os.symlink("/dev/zero", plan)):
            os.mkdir(work)
            make()
            for options in ((), ("--resume",)):
                self.fails("label", path, self.path("slabs.nrrd"), *LIMIT, "--work", work, *options, saying=["plan.txt" if options else work])
            shutil.rmtree(work)

    @unittest.skipUnless(hasattr(os, "mkfifo"), "this system has no named pipes")
    def test_the_state_of_another_slab_is_not_used(self):
        path, work = self.phantom("balls.nrrd"), self.path("work")
        options = ("label", path, self.path("slabs.nrrd"), *LIMIT, "--work", work)
        self.ok(*options)
        expected = self.bytes_of("slabs.nrrd")
        for ending in (".record", ".runs"):
            shutil.copy(os.path.join(work, "slab-000000" + ending), os.path.join(work, "slab-000001" + ending))
        said = self.ok(*options, "--resume").stderr
        self.assertIn("slab-000001.record' belongs to", said)
        self.assertEqual(self.bytes_of("slabs.nrrd"), expected)
        # A slab of another image of the same size, labeled with the same options.
        other = self.path("other")
        self.ok("label", self.phantom("others.nrrd", seed=9), self.path("other.nrrd"), *LIMIT, "--work", other)
        for ending in (".record", ".runs"):
            shutil.copy(os.path.join(other, "slab-000001" + ending), os.path.join(work, "slab-000001" + ending))
        said = self.ok(*options, "--resume").stderr
        self.assertIn("slab-000001.record' is damaged, or belongs to other inputs", said)
        self.assertEqual(self.bytes_of("slabs.nrrd"), expected)
        # A pipe instead of a slab's state is an error, and nothing waits for it.
        os.remove(os.path.join(work, "slab-000001.runs"))
        os.mkfifo(os.path.join(work, "slab-000001.runs"))
        self.ok(*options, "--resume")
        self.assertEqual(self.bytes_of("slabs.nrrd"), expected)

    def test_a_device_that_is_not_there_is_noted(self):
        path = self.phantom("balls.nrrd")
        result = self.ok("label", path, self.path("slabs.nrrd"), *LIMIT, "--device", "cuda:99")
        self.assertIn("cuda:99 is not available", result.stderr)

    def test_other_inputs_and_options_are_refused_on_resume(self):
        path = self.phantom("balls.nrrd")
        work = self.path("work")
        options = ("label", path, self.path("slabs.nrrd"), *LIMIT, "--work", work)
        self.ok(*options)
        self.fails(*options, saying=["holds the state of an earlier run", "--resume"])
        self.fails(*options, "--resume", "--connectivity", 26, saying=["other inputs or options", "connectivity"])
        self.fails(*options, "--resume", "--minimum-size", 4, saying=["other inputs or options", "minimum size was 0 and is now 4"])
        self.fails(*options, "--resume", "--order", "size", saying=["other inputs or options", "order was raster and is now size"])
        self.fails(*options, "--resume", "--statistics", self.path("t.csv"), "--columns", "shape",
                   saying=["other inputs or options", "table (--statistics, --print, --columns) was no and is now yes shape"])
        time.sleep(0.01)
        os.utime(path)
        self.fails(*options, "--resume", saying=["other inputs or options", "changed"])
        self.fails("label", path, self.path("slabs.nrrd"), *LIMIT, "--work", self.folder,
                   saying="holds other files")

    def test_another_file_with_the_size_and_time_of_before_is_refused_on_resume(self):
        path, other = self.path("balls.nrrd"), self.path("others.nrrd")
        for name, seed in ((path, 5), (other, 9)):
            random.seed(seed)
            write_nrrd(name, "uint8", (SIDE, SIDE, SLICES), [random.randrange(2) for _ in range(64 * SIDE)] * (SIDE // 64 * SLICES))
        work = self.path("work")
        options = ("label", path, self.path("slabs.nrrd"), *LIMIT, "--work", work)
        self.ok(*options)
        expected = self.bytes_of("slabs.nrrd")
        status = os.stat(path)
        self.assertEqual(status.st_size, os.stat(other).st_size)
        for swap in (shutil.copyfile, os.replace):
            swap(other, path)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            self.assertEqual(os.stat(path).st_mtime_ns, status.st_mtime_ns)
            self.fails(*options, "--resume", saying=["balls.nrrd' was changed since", "another folder"])
        self.assertEqual(self.bytes_of("slabs.nrrd"), expected)

    def test_values_that_are_not_a_number_are_counted(self):
        path, work = self.path("nan.nrrd"), self.path("work")
        random.seed(4)
        values = [random.choice((0.0, 0.0, 1.0, float("nan"))) for _ in range(64 * SIDE)] * (SIDE // 64 * SLICES)
        write_nrrd(path, "float", (SIDE, SIDE, SLICES), values)
        count = sum(value != value for value in values)
        self.assertGreater(count, 1000)
        foreground = ("--range", 0.5, 2)
        whole = self.summary(path, self.path("whole.nrrd"), *foreground)
        self.assertEqual(whole["nan_values"], count)
        options = (path, self.path("slabs.nrrd"), *foreground, *LIMIT, "--work", work)
        slabs = self.summary(*options)
        self.assertGreater(slabs["slabs"]["count"], 1)
        again = self.summary(*options, "--resume")
        self.assertEqual(again["slabs"]["from_before"], slabs["slabs"]["count"])
        for summary in (slabs, again):
            self.assertEqual(summary["nan_values"], count)
            self.assertEqual(summary["notes"], whole["notes"])
        self.assertIn(f"{count} values are NaN", " ".join(slabs["notes"]))
        self.assertEqual(self.bytes_of("whole.nrrd"), self.bytes_of("slabs.nrrd"))

    def test_memory_that_is_too_little_is_refused_with_the_least(self):
        path = self.phantom("balls.nrrd")
        result = self.fails("label", path, self.path("out.nrrd"), "--memory", "20MB", "--threads", 2, saying="the minimum is")
        least = re.search(r"the minimum is ([\d.]+ [KMG]iB)", result.stderr).group(1)
        self.ok("label", path, self.path("out.nrrd"), "--memory", least, "--threads", 2)
        # Threads need memory as well: the error says how many fit, or what one of them needs.
        many = ("label", path, self.path("out.nrrd"), "--threads", 8, "--memory")
        alone = re.search(r"with 8 threads, and (\d+ MiB) with --threads 1$",
                          self.fails(*many, "20MB", saying="the minimum is").stderr.strip()).group(1)
        self.ok("label", path, self.path("out.nrrd"), "--memory", alone, "--threads", 1)
        self.fails(*many, least, saying="--threads 2 fits into the given memory")
        alone = self.fails("label", path, self.path("out.nrrd"), "--threads", 1, "--memory", 1000, saying="the minimum is")
        self.assertNotIn("--threads", alone.stderr)
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
        """One rule for both commands, before anything is read."""
        label = ("label", self.path("none.nrrd"), self.path("out.nrrd"))
        batch = ("batch", "casting-porosity", self.folder, "-o", self.path("out"), "--dry-run")
        for text in ("much", "-1", "-4GiB", "-5GB", "4XB", "nan", "inf", "1e30", "0.5", "1,5GB", "", "0x10", "GB", "5 5MB"):
            for command in (label, batch):
                self.fails(*command, "--memory=" + text, saying=["--memory", "'%s'" % text])
            if text:
                self.fails(*batch, "--memory", text, saying="not an amount of memory, such as 4GiB")
        self.fails(*label, "--memory", 0, saying="not an amount of memory")
        write_nrrd(self.path("a.nrrd"), "uint8", (2, 2, 2), [1] * 8)
        for text in ("0", "0.5GB", "1.5GiB", "1e9", "500 MB", "4gib", "2000000"):
            self.assertIn("1 item; ", self.ok(*batch, "--memory", text).stdout)

    def test_what_needs_the_whole_volume_is_refused_by_name(self):
        path = self.phantom("balls.nrrd")
        options = ("label", path, self.path("out.nrrd"), *LIMIT)
        self.fails(*options, "--picture", self.path("b.png"), saying=["--picture", "--memory"])
        result = self.fails(*options, "--algorithm", "foo", saying="algorithm 'foo' is unknown")
        self.assertNotIn("brick at", result.stderr)
        for name in ("TileMerging", "DirectionalSearch", "LinkPropagation:gather=64"):
            result = self.fails(*options, "--algorithm", name, saying=["--algorithm " + name, "--memory", "choose one of Auto, RunMerging"])
            self.assertNotIn("brick at", result.stderr)
        self.fails(*options, "--work", path, saying=[path, "is a file"])
        for refused in (("--fill-holes",), ("--close", 1, "--pores"), ("--smooth", "median:1"), ("--clear-border",),
                        ("--seeds", "1,1,1"), ("--touching", path), ("--picture", self.path("a.png"))):
            self.fails(*options, *refused, saying=[refused[0], "--memory"])
        table = ("--statistics", self.path("table.csv"))
        self.fails(*options, *table, "--periodic", "x", "--columns", "surface", saying=["'surface'", "periodic along x"])
        self.fails(*options, "--periodic", "t", saying="periodic along t")
        for group in ("thickness", "inscribed", "neighbors"):
            self.fails(*options, *table, "--columns", group, saying=["'" + group + "'", "cannot be measured by bricks"])
        self.fails(*options, *table, "--part", path, saying=["--part", "--memory"])
        self.fails("label", path, self.path("out.nrrd"), "--resume", saying="--work")
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
