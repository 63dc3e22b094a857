# SPDX-License-Identifier: Apache-2.0
"""`brickccl batch --memory`: items are planned before they start, and keep to their plan."""

import json
import os
import re
import shutil
import subprocess
import threading
import time
import unittest

import batch_support
from support import COMMAND, run

MEGABYTE = 1 << 20


def resident(process):
    """The bytes of a process that lie in memory; 0 if it is gone."""
    try:
        with open("/proc/%s/statm" % process, encoding="ascii") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def children_of(process):
    try:
        with open("/proc/%s/task/%s/children" % (process, process), encoding="ascii") as stream:
            return stream.read().split()
    except OSError:
        return []


def descendants_of(process):
    return [one for child in children_of(process) for one in [child, *descendants_of(child)]]


@unittest.skipUnless(os.path.exists("/proc/self/statm"), "this system does not tell what memory processes hold")
class MemoryTest(batch_support.BatchTest):
    def watched(self, *arguments):
        """Runs a batch; gives the most bytes that it and its items held together, and the most items that held much."""
        command = [COMMAND, "batch", self.path("r.toml"), self.input, "-o", self.output, *map(str, arguments)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        most = [0, 0]
        ended = threading.Event()

        def watch():
            while not ended.is_set():
                held = [resident(child) for child in descendants_of(process.pid)]
                most[0] = max(most[0], resident(process.pid) + sum(held))
                most[1] = max(most[1], sum(1 for size in held if size > 40 * MEGABYTE))
                time.sleep(0.002)

        watcher = threading.Thread(target=watch)
        watcher.start()
        output, errors = process.communicate(timeout=300)
        ended.set()
        watcher.join()
        return process.returncode, output, errors, most

    def needs(self, errors):
        """The bytes that the errors say items need."""
        sizes = re.findall(r"it needs about ([0-9.]+) (MB|GB) of memory", errors)
        return [float(size) * (1e6 if unit == "MB" else 1e9) for size, unit in sizes]

    def peaks(self):
        return [float(row["peak_memory_mb"]) * 1e6 for row in batch_support.rows_of(os.path.join(self.output, "timings.csv"))]

    def test_fewer_items_are_worked_on_where_more_do_not_fit(self):
        self.recipe("[labeling]\nconnectivity = 26\n[outputs]\npictures = false\n")
        first = os.path.join(self.input, "g0.nrrd")
        self.ok("phantom", "grains", first, "--size", 256, 256, 256, "--quiet")
        for i in (1, 2):
            shutil.copy(first, os.path.join(self.input, "g%d.nrrd" % i))
        need = self.needs(self.watched("--memory", "32MB")[2])
        self.assertEqual(len(need), 3)
        shutil.rmtree(self.output)
        for fit in (1, 2):
            limit = int(need[0] * (fit + 0.5))
            code, _, errors, most = self.watched("--jobs", 3, "--memory", limit)
            self.assertEqual(code, 0, errors)
            self.assertLessEqual(most[0], limit)
            self.assertLessEqual(most[1], fit)
            self.assertEqual(len(self.items()), 3)
            shutil.rmtree(self.output)

    def test_an_item_that_cannot_fit_says_what_it_needs(self):
        self.recipe()
        self.volume("small.nrrd", [(0, 0, 0, 1, 1, 1)])
        self.ok("phantom", "grains", os.path.join(self.input, "large.nii.gz"), "--size", 240, 240, 240, "--quiet")
        code, output, errors, most = self.watched("--memory", "120MB", "--json")
        self.assertEqual(code, 3, errors)
        items = self.items()
        self.assertEqual((items["small"]["verdict"], items["large"]["verdict"]), ("none", "error"))
        self.assertRegex(items["large"]["error"], r"it needs about [0-9]+ MB of memory, but --memory is 120 MB")
        self.assertLess(most[0], 120 * MEGABYTE)
        self.assertEqual(json.loads(output)["errors"], 1)
        need = self.needs(items["large"]["error"])[0]
        self.batch("--resume", "--memory", int(need * 1.05))
        self.assertLessEqual(max(self.peaks()), need)

    def test_a_report_keeps_to_the_memory(self):
        self.recipe("[labeling]\nconnectivity = 26\n")
        self.ok("phantom", "casting", os.path.join(self.input, "c.nrrd"), "--size", 64, 64, 64, "--quiet")
        need = self.needs(self.watched("--report", "--memory", "40MB")[2])[0]
        self.assertGreater(need, self.needs(self.watched("--resume", "--memory", "40MB")[2])[0])
        surfaces = os.path.join(self.output, "items", "c", "surface.png")
        hasProgram = os.path.exists(os.path.join(os.path.dirname(COMMAND), "brickccl-surfaces"))
        for _ in range(2):
            shutil.rmtree(self.output)
            limit = int(need * 1.02)
            code, _, errors, most = self.watched("--report", "--memory", limit)
            self.assertEqual(code, 0, errors)
            self.assertLessEqual(most[0], 1.05 * limit)
            self.assertTrue(os.path.exists(os.path.join(self.output, "report.html")))
            if os.path.exists(surfaces) or not hasProgram:
                break
            # The note says what surfaces need in addition to the command itself.
            notes = self.items()["c"]["notes"]
            self.assertIn("picture of surfaces is skipped", notes)
            need = float(re.search("need about ([0-9]+) MB", notes).group(1)) * 1e6 + 33 * MEGABYTE
        self.assertEqual(os.path.exists(surfaces), hasProgram, errors)

    def check_plan(self, recipe, *phantom):
        """An item is worked on with what was planned for it, and holds no more."""
        path = os.path.join(self.input, "s.nrrd")
        if not os.path.exists(path):
            self.ok("phantom", *phantom[:1], path, *phantom[1:], "--quiet")
        with self.subTest(recipe=recipe, phantom=phantom[0]):
            shutil.rmtree(self.output, ignore_errors=True)
            result = run("batch", recipe, self.input, "-o", self.output, "--memory", "64GB", "--jobs", 1)
            self.assertEqual(result.returncode, 0, result.stderr)
            row = batch_support.rows_of(os.path.join(self.output, "timings.csv"))[0]
            self.assertLessEqual(float(row["peak_memory_mb"]), float(row["planned_memory_mb"]))
            self.assertNotIn("were planned", result.stderr)

    PARTS = {"pores": "[part]\nmethod = \"pores\"\nrange = [1, inf]\n",
             "closed": "[part]\nmethod = \"pores\"\nrange = [1, inf]\nclose_mm = 3\nerode_mm = 2\n",
             "largest": "[part]\nmethod = \"largest\"\nrange = [1, inf]\n[threshold]\nrange = [0, 0]\n"
                        "[measuring]\ncolumns = [\"nearest_distance_mm\"]\n"}
    OTHERS = {"foam": "[labeling]\nconnectivity = 26\n[measuring]\ncolumns = [\"neighbors\", \"feret\", \"surface\", \"shape\"]\n",
              "thick": "[measuring]\ncolumns = [\"thickness\", \"inscribed\", \"topology\"]\n",
              "smooth": "[smoothing]\nfilter = \"median\"\n[threshold]\nmethod = \"otsu\"\n",
              "gauss": "[smoothing]\nfilter = \"gaussian\"\ndeviation_mm = 1\n[threshold]\nmethod = \"otsu\"\n",
              "rules": "[[acceptance]]\nrule = \"clusters\"\nwithin_mm = 1\nat_most_count = 0\n"
                       "[[acceptance]]\nrule = \"number-per-volume\"\nreference_mm = 9\nat_most_count = 0\n"}

    def test_what_items_hold_keeps_to_the_plan(self):
        for name, text in {**self.OTHERS, **self.PARTS}.items():
            self.check_plan(self.recipe(text, name + ".toml"), "casting", "--size", 160, 160, 160)
        for ready in ("casting-porosity", "log-defects"):
            self.check_plan(ready, "casting")

    def test_noise_keeps_to_the_plan(self):
        for name, text in {**self.OTHERS, **self.PARTS}.items():
            # Half of the voxels of a row are ends of runs; of parts the plan was once only for scans.
            if name != "closed":
                self.check_plan(self.recipe(text, name + ".toml"), "random", "--size", 160, 160, 160, "--density", 0.4)


if __name__ == "__main__":
    unittest.main()
