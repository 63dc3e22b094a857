# SPDX-License-Identifier: Apache-2.0
"""What Slicer asks of every module before it runs: its name, its XML, its answers."""

import filecmp
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

from slicer import faults_of
from support import COMMAND, FOLDER, ModuleTest, module

NAMES = sorted(os.listdir(FOLDER))
SOURCES = pathlib.Path(__file__).resolve().parents[2] / "Source" / "Fronts" / "Slicer"


class RulesTest(ModuleTest):
    def test_the_folder_holds_modules_alone(self):
        self.assertLessEqual({"BrickLabelVolume", "BrickComponentStatistics"}, set(NAMES))
        for name in NAMES:
            self.assertTrue(os.access(os.path.join(FOLDER, name), os.X_OK), name)
            # Slicer leaves out names with dots and hides those of tests, and it shortens some others.
            self.assertRegex(name, r"\A(?!lib|qSlicer)[A-Za-z]+\Z")
            self.assertNotRegex(name, r"(Module|Lib|Tests?)\Z")

    def test_stored_xml_is_what_the_rows_of_parameters_give(self):
        subprocess.run([sys.executable, SOURCES / "make_xml.py", COMMAND, self.folder], check=True)
        written = sorted(os.listdir(self.folder))
        self.assertEqual(written, sorted(path.name for path in SOURCES.glob("*.xml")))
        self.assertEqual(written, [name + ".xml" for name in NAMES])
        _, mismatch, errors = filecmp.cmpfiles(self.folder, SOURCES, written, shallow=False)
        self.assertEqual((mismatch, errors), ([], []), "run Source/Fronts/Slicer/make_xml.py, as the README there says")

    def test_xml_keeps_the_rules_of_slicers_parser(self):
        for name in NAMES:
            with self.subTest(name):
                self.assertEqual(faults_of(module(name).xml), [])

    def test_the_check_of_rules_finds_what_breaks_them(self):
        good = module("BrickLabelVolume").xml
        for old, new in (("<longflag>minimumSize<", "<longflag>minimum-size<"), ("<longflag>tolerance</longflag>", "<flag>to</flag>"),
                         ('type="label"', 'type="labelmap"'), ("<index>0</index>", "<index>0</index><flag>i</flag>"),
                         ("<category>", "<brick></brick><category>"), ("<name>order<", "<name>largest<"),
                         ("<default>NotZero<", "<default>Zero<"), ("<channel>input</channel>", ""),
                         ("<minimum>0<", "<least>0</least><minimum>0<"), ("<index>1<", "<index>2<"),
                         ('reference="inputVolume"', 'reference="volume"'),
                         ('"lps"', '"xyz"')):
            with self.subTest(new):
                self.assertIn(old, good)
                self.assertNotEqual(faults_of(good.replace(old, new, 1)), [])

    def test_xml_answers_at_once_and_silently(self):
        for name in NAMES:
            with self.subTest(name):
                program = os.path.join(FOLDER, name)
                seconds = []
                for _ in range(5):
                    begin = time.perf_counter()
                    answer = subprocess.run([program, "--xml"], capture_output=True, timeout=5)
                    seconds.append(time.perf_counter() - begin)
                    self.assertEqual((answer.returncode, answer.stderr), (0, b""))
                    self.assertTrue(answer.stdout.startswith(b"<?xml "))
                self.assertLess(min(seconds), 0.2)

    def test_xml_loads_no_driver_of_a_gpu(self):
        for name in NAMES:
            answer = subprocess.run([os.path.join(FOLDER, name), "--xml"], capture_output=True, text=True,
                                    env={**os.environ, "LD_DEBUG": "files"})
            self.assertIn("file=libc.so", answer.stderr, "the loader does not tell which files it loads")
            self.assertNotRegex(answer.stderr, r"file=lib(cuda|nvidia)")

    def test_help_names_every_parameter_and_version_is_that_of_the_xml(self):
        for name in NAMES:
            one = module(name)
            answer = subprocess.run([one.path, "--help"], capture_output=True, text=True)
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            for parameter in one.parameters.values():
                flag = parameter.findtext("longflag")
                shown = "--" + flag if flag else parameter.findtext("name") if parameter.find("index") is not None else ""
                self.assertIn(shown, answer.stdout)
            for flag in ("--xml", "--returnparameterfile", "--processinformationaddress", "--echo", "--help"):
                self.assertIn(flag, answer.stdout)
            version = subprocess.run([one.path, "--version"], capture_output=True, text=True).stdout.strip()
            self.assertEqual(version, one.root.findtext("version"))
            self.assertTrue(re.match(r"\d+\.\d+\.\d+\Z", version), version)

    def test_wrong_arguments_are_errors(self):
        for name in NAMES:
            program = os.path.join(FOLDER, name)
            for arguments, saying in ((["--noSuchFlag", "a", "b"], "noSuchFlag"), ([], "required"),
                                      (["a", "b", "c", "d", "e"], "d"), (["--threads", "two", "a", "b"], "'two'"),
                                      (["--threads", "-1", "a", "b"], "-1"), (["--threads"], "threads")):
                with self.subTest(name=name, arguments=arguments):
                    answer = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=self.folder)
                    self.assertGreater(answer.returncode, 0)
                    self.assertIn(saying, answer.stderr)
                    self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
