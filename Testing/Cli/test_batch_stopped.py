# SPDX-License-Identifier: Apache-2.0
"""How a batch ends before its end, what it says then, and folders of batches that were moved."""

import ctypes
import json
import os
import shutil
import signal
import struct
import subprocess
import time
import unittest

from batch_support import BatchTest
from support import COMMAND

try:
    import resource
except ImportError:
    resource = None


class BatchOfNoise(BatchTest):
    def fill(self, count, size=64):
        self.recipe("[labeling]\nconnectivity = 26\n[outputs]\npictures = false\n")
        for i in range(count):
            self.ok("phantom", "random", os.path.join(self.input, "v%02d.nrrd" % i), "--seed", i + 1, "--size", size, size,
                    size, "--density", 0.3, "--quiet")

    def command(self, *arguments):
        return [COMMAND, "batch", self.path("r.toml"), self.input, "-o", self.output, *arguments]

    def finished(self):
        folder = os.path.join(self.output, "items")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


class InterruptTest(BatchOfNoise):
    def test_an_interrupt_names_how_to_go_on(self):
        self.fill(20, 128)
        for options in ((), ("--quiet",), ("--json",)):
            shutil.rmtree(self.output, ignore_errors=True)
            for stop in (signal.SIGINT, signal.SIGTERM):
                process = subprocess.Popen(self.command("--jobs", "2", "--resume", *options), stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True)
                before = len(self.finished())
                limit = time.time() + 60
                while len(self.finished()) == before and process.poll() is None and time.time() < limit:
                    time.sleep(0.002)
                process.send_signal(stop)
                output, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 130, errors)
                self.assertEqual(output, "")
                self.assertEqual(errors.splitlines()[-1],
                                 "brickccl: stopped; finished items stay in '%s'; continue with the same command and --resume"
                                 % self.output)
        self.batch("--resume")
        self.assertEqual(len(self.finished()), 20)

    def test_an_interrupt_while_results_are_looked_at_names_resume(self):
        self.fill(1, 64)
        self.batch("--quiet")
        # To look at a large result takes longer than the moment that an interrupt waits.
        labels = os.path.join(self.output, "items", "v00", "labels.nrrd")
        size = os.path.getsize(labels)
        os.truncate(labels, 8 << 30)
        process = subprocess.Popen(self.command("--resume"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        os.truncate(labels, size)
        if process.returncode == 0:
            self.skipTest("this machine is too fast")
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("finished items stay in '%s'; continue with the same command and --resume" % self.output, errors)
        self.batch("--resume")


class MovedFolders(BatchTest):
    def test_a_folder_without_its_state_says_what_is_missing(self):
        self.recipe()
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
        self.batch("--report")
        moved = self.path("moved")
        os.mkdir(moved)
        for name in os.listdir(self.output):
            if not name.startswith("."):
                copy = shutil.copytree if os.path.isdir(os.path.join(self.output, name)) else shutil.copy
                copy(os.path.join(self.output, name), os.path.join(moved, name))
        for options in (("--resume",), ()):
            self.fails("batch", self.path("r.toml"), self.input, "-o", moved, *options,
                       saying=["holds the results of a batch, but its folder '.batch'", "it is hidden", "copy '.batch' as well",
                               "choose a new folder"])
        # Commands without a state work.
        self.assertIn("1 same", self.ok("compare", self.output, moved).stdout)
        self.ok("report", moved)
        # Its label maps are not scans.
        shutil.copytree(moved, os.path.join(self.input, "before"))
        result = self.ok("batch", self.path("r.toml"), self.input, "-o", self.path("new"))
        self.assertIn("before' holds the results of another batch and is skipped", result.stderr)
        self.assertIn(": 1 item, ", result.stdout)
        # A stopped batch may have no manifest.
        os.remove(os.path.join(self.input, "before", "manifest.json"))
        result = self.ok("batch", self.path("r.toml"), self.input, "-o", self.path("newer"))
        self.assertIn("before' holds the results of another batch and is skipped", result.stderr)
        self.assertIn(": 1 item, ", result.stdout)
        shutil.copytree(os.path.join(self.output, ".batch"), os.path.join(moved, ".batch"))
        shutil.rmtree(os.path.join(self.input, "before"))
        result = self.ok("batch", self.path("r.toml"), self.input, "-o", moved, "--resume")
        self.assertIn("1 item is finished already", result.stderr)

    def test_a_folder_of_something_else_is_not_called_a_batch(self):
        self.recipe()
        self.volume("a.nrrd", [])
        os.mkdir(self.output)
        shutil.copy(self.path("r.toml"), os.path.join(self.output, "recipe.toml"))
        self.fails("batch", self.path("r.toml"), self.input, "-o", self.output, "--resume", saying="not the folder of a batch")
        # A user's folder may have a recipe next to a folder of items.
        project = os.path.join(self.input, "project")
        os.makedirs(os.path.join(project, "items"))
        shutil.copy(self.path("r.toml"), os.path.join(project, "recipe.toml"))
        shutil.copy(os.path.join(self.input, "a.nrrd"), os.path.join(project, "items", "b.nrrd"))
        result = json.loads(self.ok("batch", self.path("r.toml"), self.input, "-o", self.path("new"), "--json", "--quiet").stdout)
        self.assertEqual((result["items"], result["ignored_batches"]), (2, []))
        shutil.copytree(self.path("new"), os.path.join(self.input, "before"))
        result = json.loads(self.ok("batch", self.path("r.toml"), self.input, "-o", self.path("newer"), "--json", "--quiet").stdout)
        self.assertEqual((result["items"], result["ignored_batches"]), (2, [os.path.join(self.input, "before")]))


class Opened:
    """The names of the files of a folder that are opened while a command runs (inotify of Linux)."""

    def __init__(self, folder):
        self.library = ctypes.CDLL(None, use_errno=True)
        if not hasattr(self.library, "inotify_init1"):
            raise unittest.SkipTest("this system has no inotify")
        self.descriptor = self.library.inotify_init1(os.O_NONBLOCK)
        opened = 0x20
        if self.descriptor < 0 or self.library.inotify_add_watch(self.descriptor, os.fsencode(folder), opened) < 0:
            raise unittest.SkipTest("inotify does not work here")

    def names(self):
        names = []
        try:
            while True:
                data, at = os.read(self.descriptor, 1 << 16), 0
                while at < len(data):
                    size = struct.unpack_from("iIII", data, at)[3]
                    names.append(data[at + 16:at + 16 + size].rstrip(b"\0").decode())
                    at += 16 + size
        except BlockingIOError:
            return names

    def close(self):
        os.close(self.descriptor)


class FullDiskTest(BatchOfNoise):
    @unittest.skipUnless(resource, "this system has no limits of files")
    def test_no_item_begins_after_a_full_disk(self):
        self.fill(3, 64)
        self.recipe("[labeling]\nconnectivity = 6\n[outputs]\npictures = false\n")
        watch = Opened(self.input)
        self.addCleanup(watch.close)
        self.ok(*self.command("--dry-run")[1:])
        at_search = watch.names()
        for jobs in (1, 2):
            shutil.rmtree(self.output, ignore_errors=True)
            # A file that cannot grow is reported like a full disk.
            limited = subprocess.run(self.command("--jobs", str(jobs)), capture_output=True, text=True,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
            self.assertEqual(limited.returncode, 1, limited.stderr)
            self.assertIn("continue with --resume", limited.stderr)
            opened = watch.names()
            begun = sorted({name for name in opened if opened.count(name) > at_search.count(name)})
            self.assertLessEqual(len(begun), jobs, begun)
            self.assertEqual(os.listdir(os.path.join(self.output, ".batch", "unfinished")), [])
        self.batch("--resume")
        self.assertEqual(len(self.finished()), 3)

    @unittest.skipUnless(resource and os.path.exists("/proc/thread-self/children"), "this system tells no children of a process")
    def test_items_that_meet_a_full_disk_together_leave_nothing(self):
        self.fill(2, 128)
        process = subprocess.Popen(self.command("--jobs", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))

        def children():
            with open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="utf-8") as stream:
                return stream.read().split()

        def reasons():
            unfinished = os.path.join(self.output, ".batch", "unfinished")
            return [name for name in os.listdir(unfinished) if os.path.exists(os.path.join(unfinished, name, "error.txt"))]

        limit = time.time() + 60
        while process.poll() is None and len(children()) < 2 and time.time() < limit:
            time.sleep(0.001)
        self.assertIsNone(process.poll(), "the batch ended before both items had begun")
        # Both items end while the batch is stopped.
        process.send_signal(signal.SIGSTOP)
        while len(reasons()) < 2 and time.time() < limit:
            time.sleep(0.01)
        time.sleep(0.1)
        process.send_signal(signal.SIGCONT)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("continue with --resume", errors)
        self.assertEqual(os.listdir(os.path.join(self.output, ".batch", "unfinished")), [])


class EarlySignals(BatchOfNoise):
    def test_a_signal_at_any_early_time_leaves_nothing_half_written(self):
        self.fill(2, 48)
        self.batch("--quiet")
        whole, output = self.tree(), self.output
        label = self.path("labels.nrrd")
        self.ok("label", os.path.join(self.input, "v00.nrrd"), label, "--quiet")
        with open(label, "rb") as stream:
            labels = stream.read()
        signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
        for turn in range(60):
            stop, wait = signals[turn % 3], turn * 0.0005
            with self.subTest(stop=stop, wait=wait):
                shutil.rmtree(output, ignore_errors=True)
                os.remove(label) if os.path.exists(label) else None
                for command in (self.command("--quiet"), [COMMAND, "label", os.path.join(self.input, "v00.nrrd"), label, "--quiet"]):
                    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                    time.sleep(wait)
                    process.send_signal(stop)
                    errors = process.communicate(timeout=60)[1]
                    # Before it can say so, the signal itself ends it.
                    self.assertIn(process.returncode, (0, 130, -stop), errors)
                if os.path.exists(label):
                    with open(label, "rb") as stream:
                        self.assertEqual(stream.read(), labels)
                self.assertEqual([name for name in os.listdir(self.folder) if name not in ("in", "out", "r.toml", "labels.nrrd")], [])
                self.batch("--resume", "--quiet")
                self.assertEqual(self.tree(), whole)


if __name__ == "__main__":
    unittest.main()
