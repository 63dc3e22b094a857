# SPDX-License-Identifier: Apache-2.0
"""The pages of README.md and Examples/: what they show is what the scripts and sources beside them hold, which run.

A block marked as sh, cmake or cpp stands in a file of the page's folder, line for line, up to indentation (one of
README.md in a file of any example). A block marked as text is what the page's run.sh prints. Blocks marked as python
are not looked at: the tests of Wrapping/Python are for these."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
EXAMPLES = os.path.join(ROOT, "Examples")
SOURCES = (".sh", ".cxx", ".txt")
# The pages of frequent jobs, each done by at most two commands, with what makes the samples apart.
JOBS = ("CastingPores", "EngineBlock", "RockPores", "BoneVolume", "CleanSegmentation", "LogSlices", "Grains", "Spreadsheets",
        "NearSurfacePores", "Batch", "LabelMap")


def text_of(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def page_names():
    return sorted(name for name in os.listdir(EXAMPLES) if os.path.isdir(os.path.join(EXAMPLES, name)))


def blocks_of(page):
    """The language and the lines of every fenced block of a page."""
    return [(language, lines_of(body)) for language, body in re.findall(r"^```(.*)\n((?:.*\n)*?)```$", page, re.M)]


def lines_of(text):
    """What of a text is compared: its lines without indentation, empty ones left out."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def holds(lines, part):
    """Whether a list of lines has the part, one line after the other."""
    return any(lines[i:i + len(part)] == part for i in range(len(lines) - len(part) + 1))


def sources_of(folder):
    """The lines of each script and source of a folder."""
    return [lines_of(text_of(os.path.join(folder, name)))
            for name in sorted(os.listdir(folder)) if name.endswith(SOURCES)]


class PagesTest(unittest.TestCase):
    def assert_block(self, language, lines, sources):
        """A block stands in a source, or names executable files of the repository, a comment behind each."""
        self.assertIn(language, ("sh", "cmake", "cpp", "text", "python"))
        if language in ("text", "python"):
            return
        if language == "sh" and all(os.access(os.path.join(ROOT, line.split("#")[0].strip()), os.X_OK) for line in lines):
            return
        self.assertTrue(any(holds(source, lines) for source in sources),
                        "in no script or source:\n" + "\n".join(lines))

    def test_blocks_of_pages_stand_in_scripts_and_sources(self):
        for name in page_names():
            folder = os.path.join(EXAMPLES, name)
            blocks = blocks_of(text_of(os.path.join(folder, "README.md")))
            self.assertGreater(len(blocks), 1, name)
            for language, lines in blocks:
                with self.subTest(page=name):
                    self.assert_block(language, lines, sources_of(folder))

    def test_blocks_of_the_readme_stand_in_scripts_and_sources(self):
        sources = [source for name in page_names() for source in sources_of(os.path.join(EXAMPLES, name))]
        for language, lines in blocks_of(text_of(os.path.join(ROOT, "README.md"))):
            with self.subTest(block=lines):
                self.assert_block(language, lines, sources)

    def test_jobs_take_two_commands(self):
        for name in JOBS:
            script = lines_of(text_of(os.path.join(EXAMPLES, name, "run.sh")))
            commands = [line for line in script if re.match(r"brickccl (?!phantom )", line)]
            self.assertIn(len(commands), (1, 2), "%s: %s" % (name, commands))

    def test_the_readme_is_short(self):
        readme = text_of(os.path.join(ROOT, "README.md"))
        self.assertLessEqual(len(readme.splitlines()), 90)
        self.assertLessEqual(len(readme.split()), 700)

    def test_the_formats_of_the_page_are_those_of_the_command(self):
        listed = subprocess.run([os.environ["BRICKCCL"], "info", "--formats"], capture_output=True, text=True, check=True).stdout
        self.assertIn("```text\n%s```\n" % listed, text_of(os.path.join(ROOT, "Source", "FORMATS.md")))

    def test_every_page_can_be_found(self):
        readme = text_of(os.path.join(ROOT, "README.md"))
        for name in page_names():
            self.assertIn("(Examples/%s/README.md)" % name, readme)

    def test_names_of_the_kernels_page_are_those_of_the_sources(self):
        """Every name in backticks occurs in the sources, and the page's table has every flag of them."""
        folder = os.path.join(ROOT, "Source", "Engine", "Algorithms", "BundleMerging")
        page = text_of(os.path.join(folder, "KERNELS.md"))
        names = os.listdir(folder)
        sources = "".join(text_of(os.path.join(folder, name)) for name in names if name.endswith((".h", ".cuh", ".cu")))
        known = set(re.findall(r"\w+", sources))
        for name in re.findall(r"`([\w:.]+)`", page):
            if not (name in names if "." in name else known.issuperset(re.findall(r"\w+", name))):
                self.fail("KERNELS.md names %s" % name)
        flags = set(re.findall(r"static constexpr bool\s+(\w+)", sources))
        self.assertEqual(flags, set(re.findall(r"^\| `(\w+)` \|", page.split("| flag |")[1].split("| parameter |")[0], re.M)))

    def test_links_lead_to_files(self):
        pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "Source/README.md",
                 "Source/Engine/README.md", "Source/Files/README.md", "Source/Inspection/README.md", "Source/Fronts/README.md",
                 "Source/FORMATS.md", "Testing/README.md",
                 "Testing/Benchmarks/RESULTS.md", "Testing/Benchmarks/DECISIONS.md",
                 "Source/Engine/Algorithms/BundleMerging/README.md", "Source/Engine/Algorithms/BundleMerging/KERNELS.md",
                 "Source/Engine/Algorithms/RunMerging/README.md"]
        pages += ["Examples/%s/README.md" % name for name in page_names()]
        for page in pages:
            for link in re.findall(r"\]\(([^)#]+)\)", text_of(os.path.join(ROOT, page))):
                if "://" not in link:
                    target = os.path.join(ROOT, os.path.dirname(page), link)
                    self.assertTrue(os.path.exists(target), "%s links %s" % (page, link))


class ScriptsTest(unittest.TestCase):
    """Each script runs in a folder of its own, prints what its page shows, and draws the page's picture."""

    def run_example(self, name):
        results = tempfile.mkdtemp(prefix="brickccl-example-")
        self.addCleanup(shutil.rmtree, results)
        done = subprocess.run([os.path.join(EXAMPLES, name, "run.sh"), results], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        page = text_of(os.path.join(EXAMPLES, name, "README.md"))
        printed = lines_of(done.stdout)
        shown = [lines for language, lines in blocks_of(page) if language == "text"]
        self.assertTrue(shown, "the page shows no output")
        for lines in shown:
            self.assertTrue(holds(printed, lines), "not printed:\n%s\nbut:\n%s" % ("\n".join(lines), done.stdout))
        pictures = re.findall(r"^!\[.*\]\((.*)\)$", page, re.M)
        self.assertTrue(pictures, "a page has a picture")
        for picture in pictures:
            for path in (os.path.join(results, picture), os.path.join(EXAMPLES, name, picture)):
                with open(path, "rb") as stream:
                    self.assertEqual(stream.read(8), b"\x89PNG\r\n\x1a\n", path)


def add_tests():
    """A test for each script, with the page's name."""
    for name in page_names():
        setattr(ScriptsTest, "test_" + name, lambda self, name=name: self.run_example(name))


add_tests()

if __name__ == "__main__":
    unittest.main()
