# SPDX-License-Identifier: Apache-2.0
"""What .ci/choose.py chooses: changed files and the steps and tests that they need."""

import importlib.util
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

# A hook of git names its own repository and index, which the tests must not use.
for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
    os.environ.pop(name, None)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("choose", ROOT / ".ci" / "choose.py")
choose = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(choose)

COMMAND = "Batch Cli Pictures Report Slicer SlicerModule Examples Python.wheel Python.package Python.rows Python.run"
#: Changed files, the steps besides `release`, and the tests besides those that always run.
TABLE = (
    ("", "", ""),
    ("LICENSE CHANGELOG.md", "docs", "Examples"),
    ("README.md", "docs", "Examples"),
    ("Examples/Grains/run.sh", "docs", "Examples Python"),
    ("Source/Fronts/Cli/LabelCommand.cxx", "clang", COMMAND),
    ("Source/Fronts/Cli/Options.h", "clang docs", COMMAND),
    ("Source/Fronts/Cli/CMakeLists.txt", "clang", COMMAND),
    ("Source/Inspection/Batch/Recipes/casting-porosity.toml", "clang", COMMAND),
    ("Source/Files/Formats/Bmp.cxx", "fuzz clang", "FileParts Files Python " + COMMAND),
    ("Source/Files/Formats/Bmp.cxx Source/Engine/Host/System.cxx", "fuzz clang core-only asan-ubsan tsan cuda mingw", "*"),
    ("Source/Fronts/Slicer/BrickLabelVolume.xml", "clang", "Slicer SlicerModule"),
    ("Source/Fronts/Itk/itkBrickBinaryFillholeImageFilter.h", "asan-ubsan clang docs", "Itk Consumer " + COMMAND),
    ("Source/Inspection/Phantoms/Log.cxx", "core-only asan-ubsan clang", "*"),
    ("Source/Engine/Bricks/MatchFaces.cxx", "core-only asan-ubsan tsan clang", "*"),
    ("Source/Engine/Labels/Relabel.cxx", "core-only asan-ubsan tsan clang cuda", "*"),
    ("Source/Engine/Labels/Labels.h", "core-only asan-ubsan tsan clang cuda docs", "*"),
    ("Source/Engine/Runs/ListRuns-simd.cxx", "core-only asan-ubsan tsan clang cuda aarch64", "*"),
    ("Source/Engine/Core/Extent.cxx", "core-only asan-ubsan tsan clang cuda aarch64 corpus", "*"),
    ("Source/Engine/Host/ThreadPool.h", "core-only asan-ubsan tsan clang cuda mingw corpus docs", "*"),
    ("Testing/Cli/test_label.py", "", "Cli Report Files"),
    ("Testing/Unit/Engine/Clean/SweepTest.cxx", "asan-ubsan tsan clang", "Unit Bricks Segmenting FileParts Pictures Batch"),
    ("Testing/Unit/Engine/Host/HostTest.cxx", "asan-ubsan tsan mingw clang", "Unit Bricks Segmenting FileParts Pictures Batch"),
    ("Testing/Fuzz/FuzzImage.cxx", "fuzz clang", ""),
    ("Testing/gpu/DeviceTest.cxx", "cuda clang", ""),
    ("Wrapping/Python/tests/test_io.py", "clang", "Python"),
    ("Wrapping/Python/docs/conf.py", "docs clang", "Python"),
    (".github/ISSUE_TEMPLATE/bug.yml", "", ""),
    (".ci/passed", "", ""),
) + tuple((path, "all", "*") for path in (
    ".ci/run", "CMakeLists.txt", "CMakePresets.json", "Source/CMakeLists.txt", "Testing/CMakeLists.txt", "Testing/run.sh",
    "Source/Documentation.cmake", "Testing/Support/FloodFill.cxx", "a/file/that/no/row/names",
    "Source/ANewRoom/File.cxx"))


def git(folder, *arguments):
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@b", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


class RulesTest(unittest.TestCase):
    def test_table(self):
        for paths, steps, tests in TABLE:
            with self.subTest(paths=paths):
                every = set(choose.STEPS) - {"corpus"}
                found, found_tests = choose.choose(paths.split())
                self.assertEqual(set(found), every if steps == "all" else {"release", *steps.split()})
                self.assertEqual({"*"} if "*" in found_tests else found_tests - set(choose.ALWAYS.split()), set(tests.split()))

    def test_every_file_of_a_folder_has_a_row(self):
        files = git(ROOT, "ls-files").split("\n")
        self.assertEqual([path for path in files if "/" in path and not choose.rows_of(path)], [])

    def test_every_row_names_files_and_known_steps(self):
        files = git(ROOT, "ls-files").split("\n") + [".ci/passed"]
        for patterns, steps, _ in choose.RULES:
            self.assertTrue(any(choose.fnmatch.fnmatchcase(path, pattern) for path in files for pattern in patterns.split()))
            self.assertLessEqual(set(steps.split()), set(choose.STEPS))

    def test_rooms_with_threads_and_cuda_are_complete(self):
        for path in git(ROOT, "ls-files", "Source").split("\n"):
            if not re.search(r"\.(h|cxx|cu|cuh)$", path):
                continue
            text = (ROOT / path).read_text(encoding="utf-8")
            steps = choose.choose([path])[0]
            if "core-only" in steps and not re.search(r"\.cuh?$", path) and re.search("ParallelFor|ThreadPool|std::thread|std::atomic", text):
                self.assertIn("tsan", steps, path)
            if re.search(r"\.cuh?$", path):
                self.assertIn("cuda", steps, path)
                for room in re.findall(r'#include "BrickCCL/(\w+)/', text):
                    self.assertIn("cuda", choose.choose([f"Source/Engine/{room}/X.h"])[0], f"{path} includes {room}")

    def test_the_filter_takes_whole_groups(self):
        option, pattern = choose.filter_of({"Cli", "Python.wheel"}).split()
        self.assertEqual(option, "-R")
        for name, runs in (("Cli.label", True), ("Python.wheel", True), ("Python.big", False), ("CliX.a", False), ("A.Cli.a", False)):
            self.assertEqual(re.search(pattern, name) is not None, runs, name)
        self.assertEqual(choose.filter_of({"Cli", "*"}), "")


class HistoryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="brickccl-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "a clone"
        self.root.mkdir()
        git(self.root, "init", "-q")
        self.commit("a")

    def commit(self, name):
        (self.root / name).write_text(name)
        git(self.root, "add", ".")
        git(self.root, "commit", "-q", "-m", "ENH: " + name)
        return git(self.root, "rev-parse", "HEAD")

    def record(self, text):
        (self.root / ".ci").mkdir(exist_ok=True)
        (self.root / ".ci" / "passed").write_text(text)

    def assert_everything(self, reason):
        passed, found = choose.changes(self.root)
        self.assertIsNone(passed)
        self.assertIn(reason, found)

    def test_changes_since_the_recorded_commit(self):
        passed = self.commit("b")
        self.record(passed + "\n")
        self.commit("ü c")
        (self.root / "b").unlink()
        (self.root / "new").write_text("")
        self.assertEqual(choose.changes(self.root), (passed, [".ci/passed", "b", "new", "ü c"]))

    def test_everything_without_a_record(self):
        self.assert_everything("is missing")

    def test_everything_if_the_record_is_no_ancestor(self):
        for text in ("", "HEAD", "0" * 40, "--help"):
            self.record(text)
            self.assert_everything("is not an ancestor")
        aside = self.commit("b")
        git(self.root, "reset", "-q", "--hard", "HEAD~")
        self.record(aside)
        self.assert_everything("is not an ancestor")

    def test_everything_in_a_shallow_clone_without_the_recorded_commit(self):
        self.record(git(self.root, "rev-parse", "HEAD"))
        self.commit("b")
        shallow = self.root.parent / "shallow"
        git(self.root, "clone", "-q", "--depth", "1", self.root.as_uri(), str(shallow))
        self.root = shallow
        self.assert_everything("is not an ancestor")

    def test_everything_after_many_commits(self):
        self.record(git(self.root, "rev-parse", "HEAD"))
        for count in range(choose.MOST_COMMITS):
            git(self.root, "commit", "-q", "--allow-empty", "-m", "ENH: more")
        self.assertIsNotNone(choose.changes(self.root)[0])
        git(self.root, "commit", "-q", "--allow-empty", "-m", "ENH: more")
        self.assert_everything("31 commits followed")


if __name__ == "__main__":
    unittest.main()
