"""`brickccl batch --memory`: items are planned before they start, and keep to their plan."""

import json
import os
import re
import subprocess
import threading
import time
import unittest

import test_batch
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


@unittest.skipUnless(os.path.exists("/proc/self/statm"), "this system does not tell what memory processes hold")
class MemoryTest(test_batch.BatchTest):
    def watched(self, *arguments):
        """Runs a batch; gives the most bytes that it and its items held together, and the most items that held much."""
        command = [COMMAND, "batch", self.path("r.toml"), self.input, "-o", self.output, *map(str, arguments)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        most = [0, 0]
        ended = threading.Event()

        def watch():
            while not ended.is_set():
                held = [resident(child) for child in children_of(process.pid)]
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
        return [float(row["peak_memory_mb"]) * 1e6 for row in test_batch.rows_of(os.path.join(self.output, "timings.csv"))]

    def test_fewer_items_are_worked_on_where_more_do_not_fit(self):
        self.recipe("[labeling]\nconnectivity = 26\n[outputs]\npictures = false\n")
        for i in range(4):
            self.ok("phantom", "grains", os.path.join(self.input, "g%d.nrrd" % i), "--size", 320, 320, 240, "--seed", i, "--quiet")
        need = self.needs(self.watched("--memory", "32MB")[2])
        self.assertEqual(len(need), 4)
        test_batch.shutil.rmtree(self.output)
        for fit in (1, 2):
            limit = int(need[0] * (fit + 0.5))
            code, _, errors, most = self.watched("--jobs", 4, "--memory", limit)
            self.assertEqual(code, 0, errors)
            self.assertLessEqual(most[0], limit)
            self.assertLessEqual(most[1], fit)
            self.assertEqual(len(self.items()), 4)
            test_batch.shutil.rmtree(self.output)
        whole = self.watched("--jobs", 2)
        self.assertEqual(whole[0], 0)

    def test_an_item_that_cannot_fit_says_what_it_needs(self):
        self.recipe()
        self.volume("small.nrrd", [(0, 0, 0, 1, 1, 1)])
        self.ok("phantom", "grains", os.path.join(self.input, "large.nii.gz"), "--size", 300, 300, 300, "--quiet")
        code, output, errors, most = self.watched("--memory", "120MB", "--json")
        self.assertEqual(code, 3, errors)
        items = self.items()
        self.assertEqual((items["small"]["verdict"], items["large"]["verdict"]), ("none", "error"))
        self.assertRegex(items["large"]["error"], r"it needs about [0-9]+ MB of memory, but --memory is 120 MB")
        self.assertLess(most[0], 120 * MEGABYTE)
        self.assertEqual(json.loads(output)["skipped"], 1)
        need = self.needs(items["large"]["error"])[0]
        self.batch("--resume", "--memory", int(need * 1.05))
        self.assertLessEqual(max(self.peaks()), need)

    def test_what_items_hold_keeps_to_the_plan(self):
        """Each recipe on a scan of its kind, and on noise: with the memory that the plan asks for, and not one byte more."""
        parts = "[part]\nmethod = \"%s\"\nrange = [1, inf]\n"
        texts = {"foam": "[labeling]\nconnectivity = 26\n[measuring]\ncolumns = [\"neighbours\", \"feret\", \"surface\", \"shape\"]\n",
                 "thick": "[measuring]\ncolumns = [\"thickness\", \"inscribed\", \"topology\"]\n",
                 "smooth": "[smoothing]\nfilter = \"median\"\n[threshold]\nmethod = \"otsu\"\n",
                 "gauss": "[smoothing]\nfilter = \"gaussian\"\ndeviation_mm = 1\n[threshold]\nmethod = \"otsu\"\n",
                 "pores": parts % "pores" + "close_mm = 3\nerode_mm = 2\n",
                 "largest": parts % "largest" + "[threshold]\nrange = [0, 0]\n",
                 "rules": "[[acceptance]]\nrule = \"clusters\"\nwithin_mm = 1\nat_most_count = 0\n"
                          "[[acceptance]]\nrule = \"number-per-volume\"\nreference_mm = 9\nat_most_count = 0\n"}
        for image in (("casting", "--size", 160, 160, 160), ("random", "--size", 160, 160, 160, "--density", 0.3)):
            path = os.path.join(self.input, "s.nrrd")
            self.ok("phantom", image[0], path, *image[1:], "--quiet")
            # Noise all over is no part.
            ofNoise = ("foam", "thick", "smooth", "gauss", "rules")
            for name in ofNoise if image[0] == "random" else [*texts, "casting-porosity", "log-defects"]:
                recipe = self.recipe(texts[name], name + ".toml") if name in texts else name
                with self.subTest(recipe=name, image=image[0]):
                    self.output = self.path("%s-%s" % (name, image[0]))
                    needed = [32.0 * MEGABYTE]
                    # What a first look at the header does not tell is asked for later.
                    for _ in range(4):
                        result = run("batch", recipe, self.input, "-o", self.output, "--memory", int(needed[0]), "--jobs", 1,
                                     *(["--resume"] if os.path.exists(self.output) else []))
                        asked = self.needs(result.stderr)
                        if not asked:
                            break
                        needed = [asked[0] + 1e6]
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertLessEqual(self.peaks()[0], needed[0])
                    self.assertNotIn("were planned", result.stderr)


if __name__ == "__main__":
    unittest.main()
