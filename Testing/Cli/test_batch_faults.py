# SPDX-License-Identifier: Apache-2.0
"""`brickccl batch` when something goes wrong: items, processes, disks, and what an earlier run left."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from batch_support import BatchTest, FACES, rows_of
from support import COMMAND, write_nrrd


class FaultsTest(BatchTest):
    def fill(self, count, size=64):
        self.recipe("[labeling]\nconnectivity = 26\n")
        for i in range(count):
            self.ok("phantom", "random", os.path.join(self.input, "v%02d.nrrd" % i), "--seed", i + 1, "--size", size, size,
                    size, "--density", 0.3, "--quiet")

    def start(self, *arguments):
        return subprocess.Popen([COMMAND, "batch", self.path("r.toml"), self.input, "-o", self.output, *arguments],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for(self, condition, process):
        limit = time.time() + 60
        while not condition() and time.time() < limit:
            self.assertIsNone(process.poll(), "the batch ended early")
            time.sleep(0.002)
        self.assertTrue(condition())

    def finished(self):
        folder = os.path.join(self.output, "items")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def test_corrupt_items_have_an_error(self):
        self.recipe()
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1)])
        write_nrrd(os.path.join(self.input, "bad.nrrd"), "uint8", (12, 10, 8), [0] * 960, truncate=100)
        with open(os.path.join(self.input, "empty.tif"), "wb"):
            pass
        result = self.batch(code=3)
        self.assertIn("bad: error: cannot read", result.stderr)
        items = self.items()
        self.assertEqual([items[name]["verdict"] for name in ("a", "bad", "empty")], ["none", "error", "error"])
        self.assertIn("bad.nrrd", items["bad"]["error"])
        self.assertEqual(self.finished(), ["a"])
        # Failed items are tried again.
        self.volume("bad.nrrd", [(0, 0, 0, 2, 1, 1)])
        self.assertIn("1 item is finished already", self.batch("--resume", code=3).stderr)
        self.assertEqual(self.items()["bad"]["verdict"], "none")

    def test_an_item_that_the_recipe_does_not_fit_has_an_error_before_any_work(self):
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
        write_nrrd(os.path.join(self.input, "b.nrrd"), "uint8", (6, 5), [1] * 30)
        cube = "[[acceptance]]\nrule = \"number-per-volume\"\nat_most_count = 1\nreference_mm = 2\n"
        square = "[[acceptance]]\nrule = \"number-per-area\"\nacross = \"x\"\nat_most_count = 1\nreference_mm = 2\n"
        for text, item, said in ((cube, "b", "the rule number-per-volume needs a volume, not images of 2 dimensions"),
                                 (square, "b", "the rule number-per-area across x needs a volume"),
                                 ("[selection]\nkeep = \"volume_um3 > 1\"\n", "b", "'volume_um3', which images of 2 dimensions do not have"),
                                 ("[selection]\nkeep = \"area_mm2 > 1\"\n", "a", "'area_mm2', which images of 3 dimensions do not have"),
                                 ("[labeling]\nconnectivity = 26\n", "b", "labeling.connectivity: "),
                                 ("[labeling]\nminimum_volume_mm3 = \"1 mm2\"\n", "a", "labeling.minimum_volume_mm3: it is in mm2")):
            with self.subTest(text):
                self.recipe(text)
                self.assertRegex(self.batch("--quiet", code=3).stderr, r"^brickccl: 1 item with errors, which '.*log\.txt' lists\n$")
                errors = {name: row["error"] for name, row in self.items().items()}
                self.assertIn(said, errors[item])
                self.assertNotIn("cannot read", errors.pop(item))
                self.assertEqual(list(errors.values()), [""])
                shutil.rmtree(self.output)

    def test_a_process_that_dies_ends_no_other(self):
        self.fill(3, 160)
        process = self.start("--jobs", "1")
        children = "/proc/%d/task/%d/children" % (process.pid, process.pid)
        if not os.path.exists(children):
            process.wait()
            self.skipTest("this system does not list children")

        def child():
            with open(children, encoding="ascii") as stream:
                return stream.read().split()

        self.wait_for(lambda: child(), process)
        os.kill(int(child()[0]), signal.SIGSEGV)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3, errors)
        self.assertIn("v00: error: its process ended with signal 11", errors)
        self.assertEqual(self.finished(), ["v01", "v02"])

    def test_kill_and_resume(self):
        self.fill(6, 96)
        self.batch("--jobs", 2)
        whole = self.tree()
        self.output = self.path("killed")
        process = self.start("--jobs", "2")
        self.wait_for(lambda: len(self.finished()) >= 2, process)
        process.kill()
        process.communicate()
        done = self.finished()
        self.assertLess(len(done), 6, "it was killed too late")
        before = {name: os.stat(os.path.join(self.output, "items", name, "labels.nrrd")).st_mtime_ns for name in done}
        self.assertFalse(os.path.exists(os.path.join(self.output, "manifest.json")))
        self.assertIn("%d items are finished already" % len(done), self.batch("--resume", "--jobs", 2).stderr)
        self.assertEqual(whole, self.tree())
        for name in done:
            self.assertEqual(before[name], os.stat(os.path.join(self.output, "items", name, "labels.nrrd")).st_mtime_ns)
        self.assertEqual(os.listdir(os.path.join(self.output, ".batch", "unfinished")), [])

    def test_interrupt_and_resume(self):
        self.fill(6, 128)
        process = self.start("--jobs", "2")
        self.wait_for(lambda: len(self.finished()) >= 1, process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(os.listdir(os.path.join(self.output, ".batch", "unfinished")), [])
        verdicts = [row["verdict"] for row in self.items().values()]
        self.assertEqual(verdicts.count("none"), len(self.finished()))
        self.assertEqual(verdicts.count("not done"), 6 - len(self.finished()))
        self.batch("--resume")
        self.assertEqual(len(self.finished()), 6)

    def test_changed_recipe_and_input_are_noticed(self):
        self.recipe()
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1)])
        self.volume("b.nrrd", [(0, 0, 0, 2, 1, 1)])
        self.batch()
        self.fails("batch", self.path("r.toml"), self.input, "-o", self.output, saying="continue it with --resume")
        self.recipe("[labeling]\nconnectivity = 26\n")
        self.fails("batch", self.path("r.toml"), self.input, "-o", self.output, "--resume",
                   saying=["the recipe is not the one that"])
        self.recipe()
        self.volume("a.nrrd", [(0, 0, 0, 3, 1, 1)])
        os.utime(os.path.join(self.input, "b.nrrd"))
        errors = self.batch("--resume").stderr
        self.assertIn("a: its input has changed; it is processed again", errors)
        self.assertIn("1 item is finished already", errors)
        self.assertEqual(self.summary("a")["defect_voxels"], 3)
        os.remove(os.path.join(self.input, "b.nrrd"))
        self.fails("batch", self.path("r.toml"), self.input, "-o", self.output, "--resume",
                   saying="'b', which is not among the inputs now")

    def test_no_old_report_or_item_stays(self):
        self.recipe(FACES + "[[acceptance]]\nrule = \"number\"\nat_most_count = 1\n")
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1)])
        self.volume("b.nrrd", [])
        self.batch("--report")
        report = os.path.join(self.output, "report.html")
        before = os.stat(report).st_mtime_ns
        self.batch("--resume")
        self.assertEqual(os.stat(report).st_mtime_ns, before, "a run that changes nothing keeps the report")
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1), (5, 5, 5, 1, 1, 1)])
        self.assertIn("report.html was outdated", self.batch("--resume").stderr)
        self.assertEqual(self.items()["a"]["verdict"], "fail")
        self.assertFalse(os.path.exists(report))
        self.batch("--resume", "--report")
        write_nrrd(os.path.join(self.input, "a.nrrd"), "uint8", (12, 10, 8), [0] * 960, truncate=100)
        self.batch("--resume", code=3)
        self.assertEqual((self.finished(), self.items()["a"]["verdict"]), (["b"], "error"))
        self.assertFalse(os.path.exists(report))
        self.assertEqual(os.listdir(os.path.join(self.output, ".batch", "done")), ["b.json"])

    def test_a_report_asked_for_later_has_all_pictures(self):
        self.recipe()
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1), (5, 5, 5, 2, 2, 2)])
        self.volume("b.nrrd", [])
        self.batch("--report")
        whole, self.output = self.tree(), self.path("later")
        self.batch()
        self.assertFalse(os.path.exists(os.path.join(self.output, "items", "a", "slices.jpg")))
        errors = self.batch("--resume", "--report").stderr
        for item in "ab":
            self.assertIn(item + ": it has no pictures for the report; it is processed again", errors)
        self.assertEqual(self.tree(), whole)
        self.assertIn("2 items are finished already", self.batch("--resume", "--report").stderr)
        # Without the report nothing is missing, and where the recipe wants no pictures, neither.
        self.assertIn("2 items are finished already", self.batch("--resume").stderr)
        self.output = self.path("plain")
        self.recipe(FACES + "[outputs]\npictures = false\n")
        self.batch()
        self.assertIn("2 items are finished already", self.batch("--resume", "--report").stderr)

    def test_nothing_old_stays_when_a_resumed_run_is_killed(self):
        self.fill(2, 200)
        # Pictures of noise take long, and are not what this is about.
        self.recipe("[labeling]\nconnectivity = 26\n[outputs]\npictures = false\n")
        self.batch("--report")
        shutil.copy(os.path.join(self.input, "v01.nrrd"), os.path.join(self.input, "v00.nrrd"))
        process = self.start("--resume")
        self.wait_for(lambda: self.finished() == ["v01"], process)
        process.kill()
        process.communicate()
        self.assertEqual(sorted(os.listdir(self.output)), [".batch", "items", "log.txt", "recipe.toml"])

    def test_results_that_were_changed_are_done_anew(self):
        self.recipe()
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1)])
        self.volume("b.nrrd", [(0, 0, 0, 1, 1, 1)])
        self.batch()
        whole = self.tree()
        own = lambda name: os.path.join(self.output, "items", "a", name)
        done = os.path.join(self.output, ".batch", "done", "a.json")

        def write(path, text):
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)

        with open(own("summary.json"), encoding="utf-8") as stream:
            summary = stream.read()
        with open(own("defects.csv"), encoding="utf-8") as stream:
            defects = stream.read()
        made = {"brickccl": json.loads(summary)["brickccl"], "stamps": {}, "outputs": []}
        for change, saying in (
                (lambda: os.remove(own("labels.nrrd")), "a: its 'labels.nrrd' is gone; it is processed again"),
                (lambda: write(own("defects.csv"), defects.replace("1", "2")), "a: its 'defects.csv' was changed"),
                (lambda: write(own("summary.json"), summary.replace("\"defects\": 1", "\"defects\": 0")),
                 "a: its 'summary.json' was changed"),
                (lambda: os.remove(own("summary.json")), "a: its 'summary.json' is gone"),
                (lambda: write(done, "{"), "a.json' is damaged; it is processed again"),
                (lambda: write(done, "[]"), "a.json' is damaged; it is processed again"),
                (lambda: write(done, json.dumps({**made, "seconds": {"read": "x"}})), "a.json' is damaged"),
                (lambda: write(done, json.dumps({**made, "seconds": {}})), "a.json' is damaged"),
                (lambda: os.remove(done), "a.json': there is no such file")):
            change()
            errors = self.batch("--resume").stderr
            self.assertIn(saying, errors)
            self.assertIn("1 item is finished already", errors)
            self.assertEqual(whole, self.tree(), saying)

    def test_another_version_does_items_anew(self):
        self.recipe()
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1)])
        self.volume("b.nrrd", [(0, 0, 0, 1, 1, 1)])
        self.batch()
        whole = self.tree()
        version = self.summary("a")["brickccl"]
        done = os.path.join(self.output, ".batch", "done", "a.json")
        with open(done, encoding="utf-8") as stream:
            state = json.load(stream)
        for earlier, saying in (("0.0.1", "a: it was made by version 0.0.1, and this is %s; it is processed again" % version),
                                (None, "a: it was made by an earlier version, and this is %s" % version)):
            state["brickccl"] = earlier
            if earlier is None:
                del state["brickccl"]
            with open(done, "w", encoding="utf-8") as stream:
                json.dump(state, stream)
            errors = self.batch("--resume").stderr
            self.assertIn(saying, errors)
            self.assertIn("1 item is finished already", errors)
            self.assertEqual(whole, self.tree())

    def test_an_empty_output_name_is_refused(self):
        self.recipe()
        self.volume("a.nrrd", [])
        os.mkdir(self.path("here"))
        result = subprocess.run([COMMAND, "batch", self.path("r.toml"), self.input, "-o", ""], cwd=self.path("here"),
                                capture_output=True, text=True)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("-o: '' is empty", result.stderr)
        self.assertEqual(os.listdir(self.path("here")), [])

    def test_two_runs_in_one_folder_are_refused(self):
        self.recipe()
        self.volume("a.nrrd", [])
        self.batch()
        with open(os.path.join(self.output, ".batch", "lock"), "r+b") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            self.fails("batch", self.path("r.toml"), self.input, "-o", self.output, "--resume",
                       saying=["another batch seems to be running", "number %d" % os.getpid()])
        self.batch("--resume")

    def test_folders_of_others_are_refused(self):
        self.recipe()
        self.volume("a.nrrd", [])
        os.mkdir(self.output)
        with open(os.path.join(self.output, "thesis.txt"), "w", encoding="utf-8") as stream:
            stream.write("precious")
        self.fails("batch", self.path("r.toml"), self.input, "-o", self.output, saying="not the folder of a batch")
        self.assertEqual(os.listdir(self.output), ["thesis.txt"])

    def test_nothing_is_written_before_the_recipe_is_right(self):
        self.recipe("[labeling]\nconnectivity = 5\n")
        self.volume("a.nrrd", [])
        self.fails("batch", self.path("r.toml"), self.input, "-o", self.output, saying="r.toml:2: ")
        self.recipe()
        self.assertIn("1 item; nothing was written", self.batch("--dry-run").stdout)
        self.assertFalse(os.path.exists(self.output))

    def test_a_full_disk_stops_cleanly(self):
        self.fill(4, 96)
        mount = self.path("small")
        os.mkdir(mount)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("a small file system cannot be mounted here: " + mounted.stderr.decode().strip())
        try:
            self.output = os.path.join(mount, "out")
            result = self.batch("--jobs", 2, code=1)
            self.assertIn("No space left", result.stderr)
            self.assertIn("continue with --resume", result.stderr)
            self.assertEqual(os.listdir(os.path.join(self.output, ".batch", "unfinished")), [])
            subprocess.run(["mount", "-o", "remount,size=100m", mount], check=True)
            self.batch("--resume")
            self.assertEqual(len(self.finished()), 4)
        finally:
            subprocess.run(["umount", mount], check=True)

    def test_evil_names_harm_nothing(self):
        self.recipe()
        names = ["<script>alert(1)", "=1+1", "+1", "-1", "@x", "a b", "x..", "A B", "$(touch x)"]
        for name in names:
            self.volume(name + ".nrrd", [(0, 0, 0, 1, 1, 1)])
        self.batch()
        with open(os.path.join(self.output, "items.csv"), encoding="utf-8") as stream:
            cells = [line.split(",")[0].strip('"') for line in stream.read().splitlines()[1:]]
        self.assertEqual(len(cells), len(names))
        for cell in cells:
            self.assertNotIn(cell[0], "=+-@")
        for name in os.listdir(os.path.join(self.output, "items")):
            self.assertRegex(name, r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$")
        self.assertEqual(len(self.finished()), len(names))
        self.assertEqual(sorted(os.listdir(self.folder)), ["in", "out", "r.toml"])


class Names(BatchTest):
    def test_names_that_tables_cannot_show_are_refused(self):
        self.recipe()
        for name in (b"a\xff.nrrd", b"a\n.nrrd", b"a\x1b[2J.nrrd", b"a\x7f.nrrd", b"a\xc2\x9b31m.nrrd"):
            self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
            path = os.path.join(os.fsencode(self.input), name)
            os.rename(os.path.join(self.input, "a.nrrd"), path)
            said = self.batch(code=1).stderr
            self.assertIn("is not UTF-8 or has control characters; tables and reports cannot show it: rename the file", said)
            self.assertEqual(len(said.splitlines()), 1, said)
            os.remove(path)

    def test_a_folder_named_as_another_item_makes_no_two_items_of_one_name(self):
        self.recipe()
        for name in ("a-2.nrrd", "b.nrrd", "a.nrrd"):
            self.volume(name, [(1, 1, 1, 2, 2, 2)])
        os.mkdir(self.path("more"))
        os.rename(os.path.join(self.input, "b.nrrd"), self.path("more/a.nrrd"))
        self.batch(inputs=[os.path.join(self.input, "a.nrrd"), self.path("more/a.nrrd"), os.path.join(self.input, "a-2.nrrd")])
        names = [row["item"] for row in rows_of(os.path.join(self.output, "items.csv"))]
        self.assertEqual(len(names), 3)
        self.assertEqual(len(set(names)), 3, names)
        self.assertIn("a-2", names)


class DamagedFolders(BatchTest):
    def test_what_is_damaged_is_named(self):
        self.recipe()
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
        self.batch("--report")
        good = self.path("good")
        shutil.copytree(self.output, good)
        os.remove(os.path.join(self.output, "items", "a", "slices.jpg"))
        self.fails("report", self.output, saying=["items/a/slices.jpg", "was changed after the batch", "--resume"])
        for text in ("[]", "{\"items\": 5}", "{\"items\": [5]}", "{"):
            with open(os.path.join(self.output, "manifest.json"), "w", encoding="utf-8") as stream:
                stream.write(text)
            self.fails("compare", self.output, good, saying="out/manifest.json' is damaged")
            self.fails("report", self.output, saying="damaged")


class ChangedInput(BatchTest):
    def change_while_worked_on(self, change):
        """Changes the input after it was read and before its item is finished."""
        self.recipe()
        size = (160, 160, 120)
        self.volume("a.nrrd", [(x, y, z, 3, 3, 3) for x in range(2, 150, 9) for y in range(2, 150, 9) for z in range(2, 110, 9)], size)
        path = os.path.join(self.input, "a.nrrd")
        process = subprocess.Popen([COMMAND, "batch", self.path("r.toml"), self.input, "-o", self.output, "--report"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        begun = os.path.join(self.output, ".batch", "unfinished", "a")
        while process.poll() is None and not any(name.startswith("labels") for name in self.names_in(begun)):
            time.sleep(0.001)
        change(path)
        self.assertEqual(process.wait(), 0, process.stderr.read())
        process.stderr.close()

    @staticmethod
    def names_in(folder):
        try:
            return os.listdir(folder)
        except OSError:
            return []

    def test_an_input_that_is_changed_meanwhile_is_noticed(self):
        def change(path):
            with open(path, "r+b") as stream:
                stream.seek(-1, os.SEEK_END)
                stream.write(b"\1")

        self.change_while_worked_on(change)
        before = self.summary("a")["components"]
        self.batch("--resume")
        self.assertEqual(self.summary("a")["components"], before + 1)

    def test_an_input_that_goes_meanwhile_ends_no_batch(self):
        self.change_while_worked_on(os.remove)
        self.assertEqual(self.summary("a")["verdict"], "none")


if __name__ == "__main__":
    unittest.main()
