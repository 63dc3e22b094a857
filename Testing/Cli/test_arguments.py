# SPDX-License-Identifier: Apache-2.0
"""Arguments that are missing, twice there or too many: each error says what would be right. Limits that the help names."""

import json
import os
import re
import subprocess
import unittest

from support import COMMAND, CommandTest, run, write_nrrd


class ArgumentsTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.image = self.path("image.nrrd")
        self.output = self.path("labels.nrrd")
        write_nrrd(self.image, "uint8", (4, 3, 2), [0, 1, 1, 0, 2, 2, 0, 0, 0, 3, 3, 3] * 2)
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write("[labeling]\nconnectivity = 6\n")
        # A call of every command that is right, without its options.
        recipe = self.path("r.toml")
        self.calls = {
            "label": [self.image, self.output], "stats": [self.image, "--print"],
            "select": [self.image, self.output, "--where", "label > 1", "--keep"], "clean": [self.image, self.output, "--largest", "1"],
            "split": [self.image, self.output], "merge": [self.image, "-o", self.output], "distance": [self.image, self.output],
            "thickness": [self.image, self.output],
            "morph": [self.image, self.output, "--open", "1"],
            "sweep": [self.image, "--range-from", "0", "--range-to", "1", "-o", self.path("c.csv")], "info": [self.image],
            "phantom": ["random", self.path("p.nrrd")], "batch": [recipe, self.image, "-o", self.path("out")],
            "recipe new": ["casting-porosity", "-o", self.path("n.toml")], "recipe check": [recipe], "recipe explain": [recipe],
            "recipe schema": [], "report": [self.path("out")], "score": [self.image, self.image],
            "compare": [self.path("out"), self.path("out")], "completion": ["bash"], "manual": []}
        shown = run("--help").stdout
        for command in ("mesh", "render"):
            if re.search("^  %s " % command, shown, re.MULTILINE):
                self.calls[command] = [self.image, self.path("o." + ("stl" if command == "mesh" else "png"))]

    def options_of(self, command):
        """The options of a command, and whether each takes a value, from its help."""
        return re.findall(r"^  ((?:-\w, )?--[\w-]+)( [^\s\[]\S*)?", run(*command.split(), "--help-all").stdout, re.MULTILINE)

    def refuses(self, command, arguments, *saying):
        result = run(*command.split(), *arguments, cwd=self.folder)
        self.assertGreaterEqual(result.returncode, 100, (command, arguments, result.stdout))
        self.assertLess(result.returncode, 130)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("brickccl: error: "), result.stderr)
        for text in saying:
            self.assertIn(text, result.stderr)
        self.assertIn("brickccl %s" % command, result.stderr)
        return result.stderr

    def test_every_command_needs_its_arguments(self):
        for command in self.calls:
            usage = re.search(r"^Usage: brickccl %s \[OPTIONS\](.*)$" % command, run(*command.split(), "--help").stdout, re.MULTILINE)[1].split(" -")[0]
            required = [word.rstrip(".") for word in usage.split() if word[0].isupper()]
            if required:
                self.refuses(command, [], *required, "required: `brickccl " + command)
        self.refuses("batch", [self.path("r.toml"), self.image], "-o OUTDIR is required: `brickccl batch RECIPE INPUT... -o OUTDIR`")
        self.refuses("sweep", [self.image], "--range-from A, --range-to B and -o FILE are required")
        self.refuses("select", [self.image, self.output], "--where CONDITION is required")
        self.refuses("recipe", [], "a command is required", "new, check, explain and schema")
        for asked, same in (((), "--help"), (("help",), "--help"), (("-V",), "--version"), (("help", "label"), "label --help"),
                            (("help", "label", "--all"), "label --help-all"), (("help", "recipe", "new"), "recipe new --help"),
                            (("help", "--all"), "--help-all"), (("report", "--help-all"), "report --help")):
            result = run(*asked)
            self.assertEqual((result.returncode, result.stdout), (0, run(*same.split()).stdout), asked)

    def test_too_many_arguments_of_every_command(self):
        for command, right in self.calls.items():
            if command not in ("batch", "compare", "merge", "stats"):
                self.refuses(command, [*right, "one", "two"], "'one' and 'two' are not expected: `brickccl " + command)
        self.refuses("label", [self.image, self.output, "-threads", "3"], "two dashes", "did you mean '--threads'")

    def test_every_option_once_and_with_its_value(self):
        for command, right in self.calls.items():
            for names, value in self.options_of(command):
                name = names.split(", ")[-1]
                if not value or name in ("--help", "--fill-holes"):
                    continue
                with self.subTest(command=command, option=name):
                    without = [self.image] if command == "label" else right
                    self.refuses(command, [*without, name], name + " needs ")
                    # Another option is not a value.
                    self.refuses(command, [*without, name, "--help"], name + " needs ", "the option --help stands there")
                    # These take several values or may be repeated.
                    if name not in ("--range", "--spacing", "--size", "--diameters", "--report-field"):
                        told = self.refuses(command, [*without, name, "1", name + "=1", name + "=1"])
                        # Some do not take 1 as a value.
                        self.assertRegex(told, name + "( is given more than once; give it once|: )")
        self.assertEqual(sorted(os.listdir(self.folder)), ["image.nrrd", "r.toml"])

    def summary(self, *arguments):
        told = json.loads(self.ok("label", "--json", *arguments).stdout)
        return {key: value for key, value in told.items() if key not in ("seconds", "peak_memory_bytes")}

    def test_files_may_stand_behind_options_of_several_values(self):
        expected = self.summary(self.image, self.output, "--range", -1, 2, "--spacing", 2, 3, 4)
        self.assertEqual((expected["components"], expected["spacing"]), (1, [2, 3, 4]))
        with open(self.output, "rb") as stream:
            labels = stream.read()
        lo_hi, spacing, files = ["--range", "-1", "2"], ["--spacing", "2", "3", "4"], [self.image, self.output]
        for words in (lo_hi + files + spacing, files[:1] + lo_hi + files[1:] + spacing, ["--range=-1", "2"] + files + spacing,
                      lo_hi + spacing + files, spacing + lo_hi + files, spacing + files + lo_hi, ["--spacing=2", "3", "4"] + files + lo_hi,
                      files[:1] + spacing + files[1:] + lo_hi, lo_hi + spacing + ["--"] + files, spacing + lo_hi + ["--"] + files):
            with self.subTest(words=words):
                if os.path.exists(self.output):
                    os.remove(self.output)
                self.assertEqual(self.summary(*words), expected)
                with open(self.output, "rb") as stream:
                    self.assertEqual(stream.read(), labels)
        curve = ["--range-from", "0", "--range-to", "1", "-o", self.path("c.csv")]
        for command, rest in (("stats", ["--print"]), ("info", []), ("sweep", curve), ("label", ["--print"])):
            self.assertIn("spacing 2 x 3 x 4 mm", self.ok(command, *spacing, self.image, *rest).stdout, command)
        for words in ((self.output, "--size", 8, 7, 6), ("--size", 8, 7, 6, self.output), ("--size=8", 7, 6, self.output)):
            self.assertIn("8 x 7 x 6", self.ok("phantom", "random", *words).stdout)
        self.ok("phantom", "--size", 8, "--spacing", 1, "random", self.output)

    def test_files_may_stand_behind_an_option_of_one_value_or_none(self):
        expected = self.summary(self.image, self.output, "--fill-holes")
        self.assertEqual(self.summary(self.image, self.output, "--fill-holes", "inf"), expected)
        for words in (["--fill-holes", self.image, self.output], [self.image, "--fill-holes", self.output],
                      ["--fill-holes", "--", self.image, self.output], ["--fill-holes", "inf", self.image, self.output]):
            self.assertEqual(self.summary(*words), expected, words)
        for number in ("1.e3", "1.E3", "+1.e3"):
            self.assertEqual(self.summary(self.image, self.output, "--fill-holes", number), expected, number)
        limited = self.summary(self.image, self.output, "--fill-holes=0.5")
        self.assertEqual(self.summary("--fill-holes", "0.5", self.image, self.output), limited)
        for text in ("5mm", "1,5", "2.5e", "abc", "1.5.2"):
            self.refuses("label", [self.image, self.output, "--fill-holes", text], "--fill-holes: '%s' is not a number" % text)

        for name in ("5mm3.nrrd", "3mm_filled.nrrd", "1.5um.nrrd"):
            self.assertEqual(run("label", self.image, "--fill-holes", name, cwd=self.folder).returncode, 0, name)
            self.assertTrue(os.path.exists(self.path(name)))

    def test_an_option_on_reading_without_a_scan(self):
        # An option that says how to read a scan is of no use without one.
        self.fails("info", "--spacing", 1, 1, 1, 2, saying=["--spacing needs a SCAN"])
        self.assertEqual(run("info", "--threads", 1, "--json").returncode, 0)

    def test_numbers_of_values(self):
        files = [self.image, self.output]
        self.fails("label", "--range", "1", *files, saying="--range: '%s' is not two numbers" % self.image)
        self.refuses("label", [*files, "--range", "1"], "--range needs 2 values, LO HI")
        self.refuses("label", [*files, "--range", "1", "2", "3"], "'3' is not expected")
        self.refuses("label", [*files, "--spacing", "1"], "--spacing needs 2 to 4 values, X Y [Z [T]]")
        self.refuses("label", [*files, "--spacing", "1", "1", "1", "1", "5"], "'5' is not expected")
        for words in ((1, 1, -1), (1, 1, "1,5"), (1, "1mm2", "1mm"), (1, 1, "nan"), (1, 1, 1, "-inf"), (1, 1, 0)):
            self.refuses("label", ["--spacing", *words, *files], "--spacing: '", "is not up to 4 numbers above 0")
        for again in (["1", "1"], ["1", "1", "1"], []):
            self.refuses("label", [*files, "--spacing", "1", "1", "1", "--spacing", *again], "--spacing ")
        self.refuses("label", ["--spacing", "1", "1", "1", "--spacing=2", "2", *files], "--spacing is given more than once; give it once")

    def test_a_command_behind_two_dashes(self):
        for words in (["label", self.image, self.output], ["recipe", "check"], ["labl"], []):
            result = run("--", *words)
            self.assertGreaterEqual(result.returncode, 100)
            self.assertIn("a command is required after `brickccl`, before `--`; there are label, ", result.stderr)
        self.ok("label", "--", self.image, self.output)

    def test_an_option_in_the_place_of_a_folder_makes_none(self):
        self.refuses("batch", [self.path("r.toml"), self.image, "-o", "--resume"], "-o needs a value, OUTDIR, and the option --resume stands there")
        self.assertFalse(os.path.exists(self.path("--resume")))
        result = run("batch", self.path("r.toml"), self.image, "-o", "./--resume", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_misspelled_options_of_every_command(self):
        for command, right in self.calls.items():
            for names, _ in self.options_of(command):
                name = names.split(", ")[-1]
                wrong = name[:-2] + name[-1] if len(name) > 6 else name + "x"
                result = run(*command.split(), *right, wrong)
                self.assertGreaterEqual(result.returncode, 100)
                self.assertIn("'%s' is not an option of `brickccl %s`" % (wrong, command), result.stderr)
                self.assertIn("did you mean '--", result.stderr)
        for option in ("-o", "--output"):
            self.refuses("label", [self.image, option, self.output], "OUTPUT needs no option before it")
        self.assertNotIn("did you mean", run("label", self.image, "-q").stderr)


class LimitsTest(CommandTest):
    def test_what_the_help_names_is_taken_and_the_next_is_not(self):
        image, output = self.path("image.nrrd"), self.path("o.nrrd")
        write_nrrd(image, "uint8", (12, 3, 2), [i % 12 for i in range(72)])
        label, sweep = ["label", image, output], ["sweep", image, "--range-from", 0, "--range-to", 1, "-o", self.path("c.csv")]
        stats, phantom = ["stats", image, "--histogram", "voxel_count", "-o", self.path("t.csv")], ["phantom", "random", output, "--size", 8]
        cases = [([*label, "--threshold", "multi-otsu:%s"], "between N classes (2 to 8)", (2, 8), (1, 9)),
                 ([*label, "--smooth", "median:%s"], "R is 1 to 50", (1, 50), (0, 51)),
                 ([*sweep, "--steps", "%s"], "2 to 65536", (2, 65536), (1, 65537)),
                 ([*stats, "--bins", "%s"], "up to 1000000", (1, 1000000), (0, 1000001)),
                 ([*phantom, "--density", "%s"], "0 to 1", (0, 1), (-1e-9, 1.000000001)),
                 (["score", image, image, "--overlap", "%s"], "from 0 (one voxel) to 1", (0, 1), (-1e-9, 1.000000001))]
        self.manual = self.ok("manual").stdout.replace("\\-", "-")
        for command, said, taken, refused in cases:
            self.assertIn(said, self.manual)
            for number in taken + refused:
                with self.subTest(command=command, number=number):
                    result = run(*[str(word).replace("%s", str(number)) for word in command])
                    self.assertEqual(result.returncode == 0, number in taken, result.stderr)
        self.assertNotRegex(run("label", "--help-all").stdout, r"--\S+ 1e8|\] x 2")

    def test_radius_of_recipes(self):
        for radius, code in ((1, 0), (50, 0), (0, 1), (51, 1)):
            with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
                stream.write("[smoothing]\nfilter = \"median\"\nradius = %d\n" % radius)
            self.assertEqual(run("recipe", "check", self.path("r.toml")).returncode, code, radius)


if __name__ == "__main__":
    unittest.main()
