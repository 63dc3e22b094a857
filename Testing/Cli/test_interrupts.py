# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends every step within a second, with exit code 130, and leaves nothing that is partial."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
import unittest

from support import COMMAND, CommandTest, run


class InterruptTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.scan = self.path("scan.nii.gz")
        self.noise = self.path("noise.nrrd")
        self.ok("phantom", "casting", self.scan, "--size", 300, 300, 200, "--quiet")
        self.ok("phantom", "random", self.noise, "--size", 200, 200, 200, "--density", 0.3, "--quiet")

    def files(self):
        return sorted(os.path.join(place, name) for place, folders, files in os.walk(self.folder) for name in folders + files)

    def seconds_to_end(self, command, delay):
        """The seconds from Ctrl-C to the end; nothing if the command had ended before."""
        before = self.files()
        process = subprocess.Popen([COMMAND, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        # The handler is installed once a step is reported.
        process.stderr.readline()
        time.sleep(delay)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=120)[1]
        seconds = time.monotonic() - begin
        if process.returncode == 0:
            for name in set(self.files()) - set(before):
                os.remove(name)
            return None
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("stopped", errors)
        self.assertNotIn("error", errors)
        self.assertEqual(self.files(), before, command)
        return seconds

    def test_every_step_ends_within_a_second(self):
        out, table = self.path("o.nrrd"), self.path("t.csv")
        commands = {
            "reading": ["info", self.scan, "--threads", 1],
            "smoothing": ["label", self.scan, out, "--threshold", 0, "--smooth", "median:4", "--threads", 1],
            "gaussian": ["label", self.scan, out, "--threshold", 0, "--smooth", "gaussian:9", "--threads", 1],
            "pores": ["label", self.scan, out, "--pores", "--close", 9, "--threads", 1],
            "thickness": ["label", self.noise, "--statistics", table, "--columns", "thickness,inscribed", "--threads", 1],
            "feret": ["label", self.noise, "--statistics", table, "--columns", "feret,neighbors", "--threads", 1],
            "workbook": ["label", self.noise, "--statistics", self.path("t.xlsx"), "--threads", 1],
            "writing": ["label", self.noise, self.path("o.nii.gz"), "--label-type", "uint64", "--threads", 1],
            "parts": ["label", self.noise, out, "--memory", "200MB", "--threads", 1],
            "sweep": ["sweep", self.scan, "--range-from", -1000, "--range-to", 2000, "-o", table, "--threads", 1],
            "split": ["split", self.noise, out, "--threads", 1],
            "distance": ["distance", self.noise, out, "--threads", 1],
            "walls": ["thickness", self.noise, out, "--threads", 1],
            "morph": ["morph", self.noise, out, "--dilate", 3, "--threads", 1],
            "picture": ["label", self.scan, out, "--threshold", 0, "--picture", self.path("p.png"), "--threads", 1],
        }
        for name, command in commands.items():
            for delay in (0.2, 1.5):
                # A busy machine may be slow once.
                for attempt in range(3):
                    seconds = self.seconds_to_end(command, delay)
                    if seconds is None or seconds < 1:
                        break
                self.assertTrue(seconds is None or seconds < 1, "%s after %g s took %s s" % (name, delay, seconds))

    def assert_soon_ended(self, command, delay, most, is_left_over):
        """Of three times the command ends once within so many seconds; a busy machine may be slow."""
        for attempt in range(3):
            process = subprocess.Popen([COMMAND, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(delay)
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=120)
            seconds = time.monotonic() - begin
            self.assertIn(process.returncode, (0, 130))
            self.assertEqual([name for name in self.files() if is_left_over(name)], [])
            if process.returncode == 0 or seconds < most:
                return
        self.fail("%s took %s s" % (command, seconds))

    def test_phantoms_and_batches_end_as_well(self):
        before = self.files()
        self.assert_soon_ended(["phantom", "casting", self.path("p.nrrd"), "--size", 700, 700, 700], 1.5, 2,
                               lambda name: name not in before)
        results = self.path("results")
        self.assert_soon_ended(["batch", "casting-porosity", self.scan, "-o", results, "--resume"], 1, 3,
                               lambda name: os.path.basename(name).startswith(".brickccl"))

    def test_more_signals_change_nothing(self):
        before = self.files()
        command = [COMMAND, "label", self.noise, self.path("o.nrrd"), "--label-type", "uint64", "--no-compression"]
        for pause in (0, 0.003, 0.02):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            for line in process.stderr:
                if "writing" in line:
                    break
            for name in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
                process.send_signal(name)
                time.sleep(pause)
            process.communicate(timeout=120)
            self.assertIn(process.returncode, (0, 130))
            self.assertEqual([name for name in self.files() if name not in before and not name.endswith("o.nrrd")], [])

    def test_outputs_are_all_new_or_all_old(self):
        outputs = [self.path(name) for name in ("o.nrrd", "t.csv", "s.tsv", "c.ctbl")]
        command = [COMMAND, "label", self.noise, outputs[0], "--statistics", outputs[1], "--schema", outputs[2],
                   "--color-table", outputs[3], "--no-compression", "--threads", "1"]
        before, codes = self.files(), set()
        for slabs in ((), ("--memory", "300MB")):
            for last, pause in (("writing " + outputs[0], 0), ("writing " + outputs[0], 0.05), ("writing " + outputs[1], 0),
                                ("writing " + outputs[1], 0.1), ("writing " + outputs[1], 0.3), ("seconds", 0)):
                for signals in (1, 3):
                    for output in outputs:
                        with open(output, "w", encoding="utf-8") as stream:
                            stream.write("old")
                    process = subprocess.Popen([*command, *slabs], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                    for line in process.stdout:
                        if last in line:
                            break
                    time.sleep(pause)
                    for _ in range(signals):
                        process.send_signal(signal.SIGINT)
                    process.communicate(timeout=120)
                    are_new = [os.path.getsize(output) > 3 for output in outputs]
                    self.assertEqual(len(set(are_new)), 1, (slabs, last, pause, are_new))
                    self.assertIn(process.returncode, (0, 130))
                    self.assertTrue(are_new[0] or process.returncode == 130, "nothing was written, and yet it is a success")
                    self.assertEqual(self.files(), sorted(before + outputs))
                    codes.add(process.returncode)
        self.assertIn(130, codes)

    def test_a_mesh_for_each_component_is_there_for_all_or_none(self):
        if "mesh" not in run("--help").stdout:
            self.skipTest("this build has no meshes")
        image, labels, meshes = self.path("dots.nrrd"), self.path("labels.nrrd"), self.path("meshes")
        self.ok("phantom", "random", image, "--size", 40, 40, 40, "--density", 0.05, "--quiet")
        count = json.loads(self.ok("label", image, labels, "--json").stdout)["components"]
        self.assertGreater(count, 1500)
        os.mkdir(meshes)
        ends = set()
        for pause in (0.1, 0.3, 0.5, 0.7, 0.9, 1.3, 2):
            # A busy machine may be slow once.
            for attempt in range(3):
                process = subprocess.Popen([COMMAND, "mesh", labels, os.path.join(meshes, "m.stl"), "--one-file-each"],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                for line in process.stderr:
                    if "making" in line:
                        break
                time.sleep(pause)
                begin = time.monotonic()
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=120)
                seconds = time.monotonic() - begin
                ends.add(process.returncode)
                self.assertEqual(len(os.listdir(meshes)), {0: count, 130: 0}[process.returncode], pause)
                shutil.rmtree(meshes)
                os.mkdir(meshes)
                if process.returncode == 0 or seconds < 1:
                    break
            self.assertTrue(process.returncode == 0 or seconds < 1, "after %g s it took %s s" % (pause, seconds))
        self.assertIn(130, ends)

    @unittest.skipUnless(os.path.exists("/proc/sys/kernel/random/boot_id"), "this system does not tell its start")
    def test_what_a_kill_leaves_goes_with_the_next_run(self):
        results = self.path("results")
        os.mkdir(results)
        outputs = [os.path.join(results, name) for name in ("o.nrrd", "t.csv", "c.ctbl")]
        command = [COMMAND, "label", self.noise, outputs[0], "--statistics", outputs[1], "--color-table", outputs[2],
                   "--no-compression", "--threads", "1"]
        subprocess.run(command, capture_output=True, check=True)
        done = [os.path.getsize(output) for output in outputs]
        left = 0
        for options in ((), ("--memory", "300MB")):
            for last, pause in (("labeling", 0.1), ("writing " + outputs[0], 0.02), ("writing " + outputs[1], 0.1),
                                ("writing " + outputs[1], 0.3), ("writing " + outputs[2], 0.05)):
                for output in outputs:
                    with open(output, "w", encoding="utf-8") as stream:
                        stream.write("old")
                process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                for line in process.stderr:
                    if last in line:
                        break
                time.sleep(pause)
                process.kill()
                process.communicate()
                left += any(name.startswith(".") for name in os.listdir(results))
                for output, size in zip(outputs, done):
                    self.assertIn(os.path.getsize(output), (3, size), "it is whole")
                # Only now is there nothing that is alive.
                self.ok("label", self.noise, "--statistics", outputs[1], "--quiet")
                self.assertEqual(sorted(os.listdir(results)), sorted(map(os.path.basename, outputs)))
        self.assertGreater(left, 0, "no kill left anything, so nothing is shown")

    @unittest.skipUnless(os.path.exists("/proc/sys/kernel/random/boot_id"), "this system does not tell its start")
    def test_a_run_leaves_alone_what_others_write(self):
        process = subprocess.Popen([COMMAND, "label", self.noise, self.path("o.nrrd"), "--memory", "200MB", "--threads", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        runs = 0
        while process.poll() is None:
            self.ok("phantom", "random", self.path("small.nrrd"), "--size", 9, 9, 9, "--quiet")
            runs += 1
        self.assertEqual(process.returncode, 0)
        self.assertGreater(runs, 1)
        self.ok("info", self.path("o.nrrd"))

    def seen_by_a_terminal(self, *command):
        """What a terminal shows within 8 seconds, and when."""
        main, other = pty.openpty()
        process = subprocess.Popen([COMMAND, *map(str, command)], stdout=subprocess.DEVNULL, stderr=other)
        os.close(other)
        self.addCleanup(os.close, main)
        shown, times = b"", []
        begin = time.monotonic()
        while process.poll() is None and time.monotonic() - begin < 8:
            if select.select([main], [], [], 0.2)[0]:
                try:
                    shown += os.read(main, 65536)
                except OSError:
                    break
                times.append(time.monotonic())
        process.send_signal(signal.SIGINT)
        process.wait(60)
        return shown, times

    def test_a_terminal_sees_that_files_are_read(self):
        shown, _ = self.seen_by_a_terminal("info", self.scan, "--threads", 1)
        self.assertGreater(len(set(re.findall(rb"reading [^\r]*? \[#*\.*\] (\d+) %", shown))), 5, shown)

    def test_a_terminal_is_told_what_is_new_alone(self):
        shown, _ = self.seen_by_a_terminal("label", self.scan, self.path("o.nrrd"), "--pores", "--close", 6, "--threads", 1)
        lines = [line for line in re.split(rb"[\r\n]", shown) if b"finding the part" in line]
        self.assertGreater(len(lines), 1)
        self.assertLess(len(lines), 200, "every percent once, and every second")

    def test_a_terminal_sees_every_long_step_move(self):
        shown, times = self.seen_by_a_terminal("label", self.noise, "--statistics", self.path("t.csv"), "--columns", "thickness",
                                               "--threads", 1)
        pauses = [later - earlier for earlier, later in zip(times, times[1:])]
        self.assertLess(max(pauses, default=0), 4)
        self.assertRegex(shown, rb"measuring \.\.\. [1-9] s|measuring \[#*\.*\] \d+ %")


if __name__ == "__main__":
    unittest.main()
