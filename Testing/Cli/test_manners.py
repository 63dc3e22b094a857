# SPDX-License-Identifier: Apache-2.0
"""What the command says to someone who does not know it yet: misspelled words, doubtful results, what was kept."""

import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest

from support import COMMAND, CommandTest, labels_of, run, write_nrrd


class SpellingTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.image = self.path("image.nrrd")
        self.output = self.path("labels.nrrd")
        write_nrrd(self.image, "uint8", (4, 3), [0, 1, 1, 0, 2, 2, 0, 0, 0, 3, 3, 3])

    def test_commands_and_options(self):
        for arguments, meant in ((["lable", self.image, self.output], "'label'"), (["Stats", self.image], "'stats'"),
                                 (["label", self.image, self.output, "--treshold", "0", "100"], "'--threshold'"),
                                 (["label", self.image, "--treshold", "otsu"], "'--threshold'"),
                                 (["label", self.image, self.output, "--conectivity=8"], "'--connectivity'"),
                                 (["stats", self.image, "--ouput", "t.csv"], "'--output'"),
                                 (["select", self.image, self.output, "--were", "label > 1", "--keep"], "'--where'"),
                                 (["info", self.image, "--jason"], "'--json'")):
            self.fails(*arguments, saying="did you mean " + meant)
        self.fails("label", self.image, self.output, "--zzzzzzzz", saying="'--zzzzzzzz' is not an option")
        self.fails("frobnicate", saying="the commands are label")

    def test_empty_texts_are_no_way_to_leave_an_option_out(self):
        for option in ("--threshold", "--smooth", "--mask", "--touching", "--statistics", "--fill-holes", "--picture",
                       "--minimum-size", "--minimum-volume", "--threads", "--connectivity"):
            self.fails("label", self.image, self.output, option, "", saying=[option, "is empty"])
        self.fails("label", "", self.output, saying="is empty")
        self.fails("stats", self.image, "-o", self.path("t.csv"), "--histogram", "", saying="is empty")
        self.fails("info", "", saying="is empty")
        self.assertFalse(os.path.exists(self.output))

    def test_values(self):
        table = self.path("t.csv")
        for options, meant in ((("--order", "sise"), "'size'"), (("--connectivity", "ful"), "'full'"), (("--by-slice", "Z"), "'z'"), (("--threshold", "otzu"), "'otsu'"),
                               (("--label-type", "unit8"), "'uint8'"), (("--statistics", table, "--columns", "spericity"), "'sphericity'"),
                               (("--statistics", table, "--columns", "surfaces"), "'surface'"),
                               (("--statistics", table, "--columns", "area"), "'area_mm2'"),
                               (("--statistics", table, "--columns", "label,mean"), "'intensity_mean'")):
            self.fails("label", self.image, self.output, *options, saying="did you mean " + meant)
        self.fails("select", self.image, self.output, "--where", "area_mm > 1", "--keep", saying="did you mean 'area_mm2'")
        self.fails("stats", self.image, "-o", table, "--histogram", "voxelcount", saying="did you mean 'voxel_count'")
        self.fails("stats", self.image, "--print", "--columns", "intensity_mean", saying="needs --intensity FILE")
        self.fails("stats", self.image, "--print", "--columns", "surface_distance_mm", saying="needs --part FILE")
        self.fails("phantom", "ball", self.path("p.nrrd"), saying="did you mean 'balls'")
        for options, meant in ((("--algorithm", "RunMergin"), "'RunMerging'"), (("--device", "cudda"), "'cuda'"),
                               (("--algorithm", "LinkPropagation:gathr=64"), "'gather'")):
            self.fails("label", self.image, self.output, *options, saying="did you mean " + meant)
        self.fails("recipe", "new", "casting-porosty", saying="did you mean 'casting-porosity'")
        self.fails("batch", "casting-porosty", self.folder, "-o", self.path("b"), saying="did you mean 'casting-porosity'")
        self.fails("info", self.image, "-o", "x", saying="'-o' is not an option")

    def test_options_without_effect(self):
        table, mark = self.path("t.csv"), " has no effect without "
        label, stats, select = ["label", self.image], ["stats", self.image], ["select", self.image, self.output, "--where", "label > 0", "--keep"]
        for arguments, saying in (
                ([*label, "--print", "--label-type", "uint8"], "--label-type" + mark + "OUTPUT"),
                ([*label, "--print", "--no-compression"], "--no-compression" + mark + "OUTPUT"),
                ([*label, self.output, "--intensity", self.image], "--intensity" + mark + "--statistics, --print or --picture"),
                ([*label, self.output, "--decimal", "comma"], "--decimal" + mark + "--statistics or --print"),
                ([*label, self.output, "--per-slice"], "--per-slice" + mark),
                ([*stats, "-o", self.path("t.json"), "--decimal", "comma"], "--decimal" + mark + "a table in a .csv or .tsv file"),
                ([*stats, "-o", self.path("t.xlsx"), "--decimal", "comma"], "--decimal" + mark),
                ([*stats, "-o", self.path("t.tsv"), "--csv-separator", "semicolon"], "--csv-separator" + mark + "a table in a .csv file"),
                ([*stats, "--print", "--csv-separator", "tab"], "--csv-separator" + mark),
                ([*stats, "-o", table, "--plot", self.path("p.png")], "--plot" + mark + "--histogram"),
                ([*stats, "--histogram", "voxel_count", "--intensity", self.image], "--intensity" + mark),
                ([*select, "--intensity", self.image], "--intensity" + mark + "--statistics, --print, --picture, or a column"),
                ([*select, "--part", self.image], "--part" + mark + "--statistics, --print, or surface_distance_mm"),
                ([*select, "--csv-separator", "tab"], "--csv-separator" + mark),
                (["clean", self.image, self.output, "--largest", 1, "--holes-by-slice", "z"], "--holes-by-slice" + mark + "--fill-holes")):
            with self.subTest(arguments):
                self.fails(*arguments, saying=saying)
        self.ok(*stats, "-o", self.path("t.json"), "--contacts", self.path("c.csv"), "--decimal", "comma", "--quiet")
        self.ok(*label, self.output, "--label-type", "uint8", "--no-compression", "--quiet")
        self.ok("select", self.image, self.output, "--where", "intensity_mean > 0", "--keep", "--intensity", self.image, "--quiet")

    def test_numbers(self):
        for option in ("--minimum-volume", "--tolerance"):
            self.fails("label", self.image, self.output, option, "0,5", saying="write 0.5")
        self.fails("label", self.image, self.output, "--range", "0,5", "1", saying="write 0.5")
        self.fails("label", self.image, self.output, "--connectivity", "some", saying="faces or full")
        self.fails("select", self.image, self.output, "--where", "area_mm2 > 0,5", "--keep", saying="as in 0.5")
        for number, hint in (("1e-400", "too close to 0"), ("-2.5e-400", "too close to 0"), ("0.1E-5000", "too close to 0"),
                             ("1e400", "too large"), ("-1.8e308", "too large"), ("1e5000", "too large")):
            for option in ("--threshold=%s", "--tolerance=%s", "--background=%s", "--minimum-volume=%s", "--fill-holes=%s",
                           "--smooth=gaussian:%s", "--memory=%s"):
                self.fails("label", self.image, self.output, option % number, saying=[number, hint])
            self.fails("label", self.image, self.output, "--range", number, "inf", saying=["'%s'" % number, hint])
            self.fails("select", self.image, self.output, "--where", "area_mm2 > " + number, "--keep", saying=hint)
            self.fails("score", self.image, self.image, "--overlap=" + number, saying=["'%s'" % number, hint])
        result = self.fails("label", self.image, self.output, "--spacing", "1e-400", 1, 1, saying=["'1e-400'", "too close to 0"])
        self.assertNotIn("write 0", result.stderr)
        self.ok("label", self.image, self.output, "--range", "0e-400", "1e-300", "--quiet")
        self.fails("label", self.image, self.output, "--range", 300, "-inf", saying="the lower one first")

    def test_faces_and_full(self):
        for name, count in (("faces", 4), ("full", 8)):
            summary = json.loads(self.ok("label", self.image, self.output, "--json", "--connectivity", name).stdout)
            self.assertEqual(summary["connectivity"], count)

    def test_words_of_conditions_may_be_in_capitals(self):
        self.ok("select", self.image, self.output, "--where", "label > 1 AND NOT label == 3 Or label == 1", "--keep",
                "--keep-labels")
        self.assertEqual(set(labels_of(self.output)[1]), {0, 1, 2})
        self.fails("select", self.image, self.output, "--where", "label > 1 ANDROID", "--keep", saying="ANDROID")


class HelpTest(CommandTest):
    def test_options_are_grouped_by_task_with_an_example(self):
        shown = self.ok("label", "--help-all").stdout
        for text in ("Foreground:", "Which components stay:", "The table:", "Examples:", "--threshold METHOD"):
            self.assertIn("\n  " * text.startswith("--") + text, shown)
        self.assertIn("Exit codes: 0", self.ok("--help").stdout)
        for option in ("--touching FILE", "--clear-border", "--contacts FILE", "--smooth FILTER"):
            self.assertRegex(shown, option + r"[^-]*\(not together with (--downsample,\s+)?--memory(,\s+--periodic)?\)")

    def test_the_help_of_every_command_fits_a_screen_and_leaves_nothing_out(self):
        def commands_of(*command):
            shown = self.ok(*command, "--help").stdout.split("\nCommands:\n")[1:]
            names = re.findall(r"^  (\w+) ", shown[0].split("\n\n")[0], re.M) if shown else []
            return [found for name in names for found in [(*command, name), *commands_of(*command, name)]]

        commands = commands_of()
        self.assertLess({("phantom",), ("label",), ("recipe", "new")}, set(commands))
        completion, manual = self.ok("completion", "bash").stdout, self.ok("manual").stdout.replace("\\-", "-")
        for command in [(), *commands]:
            shown, everything = (self.ok(*command, option).stdout for option in ("--help", "--help-all"))
            self.assertLessEqual(len(shown.splitlines()), 48, command)
            for line in (shown + everything).splitlines():
                self.assertLessEqual(len(line), 80, (command, line))
                self.assertEqual(line, line.rstrip(), command)
            self.assertIn(".SH BRICKCCL \\&%s\n" % " ".join(command) if command else ".SH NAME", manual)
            everything = everything.split("\n____")[0]
            if command:
                self.assertTrue(len(command) > 1 or "\nExamples:\n  " in shown, command)
                words = re.search(r'^    %s\) options="(.*)"' % command[0], completion, re.M)[1].split()
                page = manual.split(".SH BRICKCCL \\&%s\n" % " ".join(command))[1].split(".SH ")[0]
                names = re.findall(r"^  (?:-\w, )?(--[\w-]+)", everything, re.M)
                self.assertLessEqual({*names, "--help-all"}, set(words), command)
                # Every option has a group, and so the help has it.
                self.assertLessEqual(set(re.findall(r"^\.B \\&(?:-\w, )?(--[\w-]+)", page, re.M)), {*names, "--help-all"}, command)
                self.assertLessEqual({*names, "--help-all"}, set(re.findall(r"--[\w-]+", page)), command)
                # The short help names what it does not explain.
                self.assertLessEqual(set(names) - {"--help", "--help-all"}, set(re.findall(r"--[\w-]+", shown)), command)

    def test_the_kinds_of_phantoms_in_the_help_are_those_that_are_made(self):
        text = " ".join(self.ok("phantom", "--help").stdout.split("  KIND ")[1].split("  OUT ")[0].split())
        refused = self.fails("phantom", "spiral", self.path("p.nrrd"), saying="'spiral' is not ").stderr
        made = refused.split("'spiral' is not ")[1].split(";")[0]
        shown, made = (set(re.split(", | or ", re.sub(r" \([^)]*\)", "", names))) for names in (text, made))
        self.assertEqual(shown, made)

    def test_formats_are_listed_once(self):
        listed = self.ok("info", "--formats").stdout
        self.fails("info", "scan.nrrd", "--formats", saying="--formats lists the formats and takes no scan")
        for text in ("NRRD", ".nii.gz", "FILE.h5::/DATASET", "up to 2-D", "in parts"):
            self.assertIn(text, listed)
        self.assertLessEqual(max(map(len, listed.splitlines())), 80)
        self.assertNotIn(".nii.gz,", self.ok("--help-all").stdout)

    def has_surfaces(self):
        return "render" in self.ok("--help").stdout

    def test_help_needs_no_program_for_surfaces(self):
        shutil.copy(COMMAND, self.path("brickccl"))
        for command in ("mesh", "render") if self.has_surfaces() else ():
            for option, code in (("--help", 0), ("--help-all", 0), ("--ras", 1)):
                done = subprocess.run([self.path("brickccl"), command, option], capture_output=True, text=True)
                self.assertEqual((done.returncode, "Usage: brickccl " + command in done.stdout), (code, code == 0), done.stderr)

    def test_shells_complete_commands_and_options(self):
        script = self.ok("completion", "bash").stdout
        ask = script + """
            complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _brickccl; echo "${COMPREPLY[@]}"; }
            complete_words brickccl la
            complete_words brickccl label image.nrrd --thresh
            complete_words brickccl stats --hist
            complete_words brickccl mesh labels.nrrd --one
            complete_words brickccl render --sty"""
        done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
        shown = done.stdout.split()
        self.assertEqual(shown[:3], ["label", "--threshold", "--histogram"])
        if self.has_surfaces():
            self.assertEqual(shown[3:], ["--one-file-each", "--style"])
        self.assertIn("bashcompinit", self.ok("completion", "zsh").stdout)
        if shutil.which("zsh"):
            script = "autoload -U compinit && compinit -u -d " + self.path("dump") + "\n" + self.ok("completion", "zsh").stdout
            done = subprocess.run(["zsh", "-fc", script + "print $_comps[brickccl]"], capture_output=True, text=True)
            self.assertIn("_brickccl", done.stdout, done.stderr)
        self.fails("completion", "fish", saying="bash or zsh")

    def test_the_manual_has_every_command(self):
        manual = self.ok("manual").stdout
        for command in ("label", "stats", "select", "clean", "split", "distance", "thickness", "morph", "info", "phantom"):
            self.assertIn(".SH BRICKCCL \\&%s\n" % command, manual)
        for text in ("\\-\\-threshold", "EXIT STATUS", "130"):
            self.assertIn(text, manual)
        if self.has_surfaces():
            for text in (".SH BRICKCCL \\&mesh\n", ".SH BRICKCCL \\&render\n", "\\-\\-one\\-file\\-each", "\\-\\-color\\-by"):
                self.assertIn(text, manual)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=manual, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_interrupt_ends_with_130_and_leaves_nothing(self):
        scan = self.path("scan.nrrd")
        self.ok("phantom", "casting", scan, "--size", 200, 200, 200)
        before = self.contents()
        for delay in (0.05, 0.3):
            process = subprocess.Popen([os.environ["BRICKCCL"], "label", scan, self.path("o.nrrd"), "--smooth", "median:4",
                                        "--threads", "1", "--quiet"], stderr=subprocess.PIPE)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            begin = time.time()
            process.communicate(timeout=60)
            self.assertIn(process.returncode, (130, -signal.SIGINT))
            self.assertLess(time.time() - begin, 5)
            self.assertEqual(self.contents(), before)

    @unittest.skipUnless(hasattr(signal, "SIGHUP"), "this system has no terminals that hang up")
    def test_a_closed_terminal_leaves_nothing_unless_it_is_ignored(self):
        scan, output = self.path("scan.nrrd"), self.path("o.nrrd")
        self.ok("phantom", "random", scan, "--size", 300, 300, 300, "--density", 0.3, "--quiet")
        before = sorted(os.listdir(self.folder))
        command = [os.environ["BRICKCCL"], "label", scan, output, "--memory", "400MB", "--threads", "1", "--quiet"]
        for ignored in (False, True):
            process = subprocess.Popen(command, stderr=subprocess.PIPE,
                                       preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL))
            # The folder of the work, with the first slab in it; what only tries whether one can write comes and goes before.
            deadline = time.monotonic() + 60
            begun = False
            while not begun and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.001)
                begun = bool(glob.glob(self.path(os.path.join(".brickccl-*", "*.*"))))
            process.send_signal(signal.SIGHUP)
            process.communicate(timeout=120)
            self.assertTrue(begun, "the work had begun")
            self.assertEqual(process.returncode, 0 if ignored else 130)
            self.assertEqual(sorted(os.listdir(self.folder)), sorted([*before, *(["o.nrrd"] if ignored else [])]))


class DoubtsTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.image = self.path("image.nrrd")
        self.output = self.path("labels.nrrd")

    def notes(self, *options):
        summary = json.loads(self.ok("label", self.image, self.output, "--json", *options).stdout)
        return " ".join(summary["notes"])

    def test_a_gray_scan_without_a_criterion(self):
        write_nrrd(self.image, "int16", (10, 10, 3), [1 + i * 7919 % 500 for i in range(300)])
        self.assertIn("without a criterion", self.notes())
        self.assertIn("its values range from 1 to", self.notes("--range", "-inf", "inf"))
        self.assertNotIn("foreground", self.notes("--threshold", "otsu"))
        for memory in ((), ("--memory", "96MB", "--threads", 2)):
            self.assertEqual(self.notes("--background", "none", *memory), "")
        self.assertNotIn("foreground", self.notes("--equal-value"))
        # Some single voxels and the large component, and a background of zeros.
        write_nrrd(self.image, "int16", (10, 10, 3), [0 if i in (1, 10, 100) else 1 + i * 7919 % 500 for i in range(300)])
        self.assertIn("without a criterion", self.notes())
        write_nrrd(self.image, "float", (20, 10, 3), [0 if i % 20 < 10 else 1 + i * 7919 % 500 for i in range(600)])
        self.assertIn("looks like a grayscale scan", self.notes())
        self.assertNotIn("looks like", self.notes("--range", 1, "inf"))
        write_nrrd(self.image, "uint8", (20, 10, 3), [0 if i % 20 < 10 else 1 for i in range(600)])
        self.assertEqual(self.notes(), "")

    def test_slabs_are_doubted_as_well(self):
        write_nrrd(self.image, "int16", (10, 10, 3), [1 + i * 7919 % 500 for i in range(300)])
        self.assertIn("without a criterion", self.notes("--memory", "500MB"))
        self.assertIn("no voxel is in the range", self.notes("--memory", "500MB", "--range", 1000, 2000))
        self.assertEqual(self.notes("--memory", "500MB", "--range", 1, 100), "")
        values = [7] * 300
        values[5], values[-5] = -3, 20
        write_nrrd(self.image, "float", (10, 10, 3), values)
        for options in (("--range", 100, 200), ("--threshold", 1), ("--range", "-inf", "inf"), ("--range", 7, 7)):
            noted = self.notes(*options)
            self.assertIn("; its values range from -3 to 20", noted)
            self.assertEqual(self.notes("--memory", "96MB", *options), noted.replace("; its values range from -3 to 20", ""))
        write_nrrd(self.image, "float", (10, 10, 3), [float("nan")] * len(values))
        self.assertIn("it has no finite values", self.notes("--range", 0, 1))

    def test_a_label_map_that_is_read_in_parts(self):
        side, slices = 448, 16
        touching = [0, *[1] * 222, *[2] * 224, 0]
        write_nrrd(self.image, "uint8", (side, side, slices), touching * side * slices)
        for memory in ((), ("--memory", "96MB", "--threads", 2)):
            self.assertIn("looks like a label map", self.notes(*memory))
        self.assertNotIn("looks like", self.notes("--memory", "96MB", "--equal-value"))
        gray = [0, *[1 + x * 7919 % 200 for x in range(side - 2)], 0]
        write_nrrd(self.image, "uint8", (side, side, slices), gray * (side // 2) * slices + [0] * (side * side // 2 * slices))
        self.assertIn("looks like a grayscale scan", self.notes("--memory", "96MB", "--threads", 2))

    def test_a_range_outside_of_the_values(self):
        write_nrrd(self.image, "int16", (10, 10, 3), [i - 100 for i in range(300)])
        self.assertIn("its values range from -100 to 199", self.notes("--range", 500, 600))

    def test_a_label_map_taken_for_an_image(self):
        values = [0 if x in (0, 39) else 1 + x // 10 for _ in range(10) for x in range(40)]
        write_nrrd(self.image, "uint8", (40, 10), values)
        self.assertIn("looks like a label map", self.notes())
        self.assertNotIn("looks like", self.notes("--equal-value"))
        write_nrrd(self.image, "uint8", (40, 10), [1 + x // 10 for _ in range(10) for x in range(40)])
        self.assertIn("100 % of the voxels are foreground", self.notes())
        self.assertIn("looks like a label map", self.notes())
        write_nrrd(self.image, "uint8", (40, 10), [min(1, value) for value in values])
        self.assertNotIn("looks like", self.notes())

    def test_parts_with_holes_and_components_outside(self):
        write_nrrd(self.image, "uint8", (6, 5), [1 if i in (1, 8, 29) else 0 for i in range(30)])
        part = self.path("part.nrrd")
        write_nrrd(part, "uint8", (6, 5), [0 if i in (14,) or i > 24 else 1 for i in range(30)])
        notes = self.notes("--statistics", self.path("t.csv"), "--part", part)
        self.assertIn("has 1 holes of 1 voxels", notes)
        self.assertIn("1 of 3 component voxels are outside the part", notes)
        summary = json.loads(self.ok("stats", self.image, "-o", self.path("t.csv"), "--part", part, "--json").stdout)
        self.assertIn("are outside the part", " ".join(summary["notes"]))

    def test_what_was_found_dropped_and_kept(self):
        values = [1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1]
        write_nrrd(self.image, "uint8", (22, 1, 1), values, spacing=(10, 10, 20))
        options = ("--minimum-size", 2, "--maximum-size", 4, "--largest", 2)
        summary = json.loads(self.ok("label", self.image, self.output, "--json", *options).stdout)
        self.assertEqual((summary["components_found"], summary["components"]), (6, 2))
        self.assertEqual(summary["dropped"], {"too_small": 1, "too_large": 1, "beyond_largest": 2})
        self.assertEqual((summary["kept_voxels"], summary["kept_volume_mm3"]), (7, 14000))
        self.assertEqual(summary["coordinates"], "LPS")
        shown = self.ok("label", self.image, self.output, *options).stdout
        self.assertIn("together 14.00 cm3, 31.82 % of the image\n6 found, 2 kept, 1 dropped by --minimum-size 2, "
                      "1 dropped by --maximum-size 4, 2 dropped by --largest 2\n", shown)
        self.assertIn("spacing 10 x 10 x 20 mm\n", shown)

    def test_every_summary_says_the_spacing_and_where_it_comes_from(self):
        write_nrrd(self.image, "uint8", (4, 3, 2), [1, 1, 0, 2] * 6, spacing=(10, 10, 20))
        curve = self.path("curve.csv")
        surfaces = [["mesh", self.image, self.path("m.stl")], ["render", self.image, self.path("p.png")]]
        has_surfaces = "render" in self.ok("--help").stdout
        for arguments in (["label", self.image, self.output], ["stats", self.image, "--print"],
                          ["select", self.image, self.output, "--where", "label > 1", "--keep"],
                          ["clean", self.image, self.output, "--largest", 1], ["score", self.image, self.image],
                          ["sweep", self.image, "--range-from", 1, "--range-to", 2, "-o", curve],
                          ["split", self.image, self.output], ["distance", self.image, self.output],
                          ["thickness", self.image, self.output], ["morph", self.image, self.output, "--open", 1],
                          ["label", self.image, self.output, "--memory", "500MB"], *(surfaces if has_surfaces else [])):
            self.assertIn("spacing 10 x 10 x 20 mm\n", self.ok(*arguments).stdout, arguments)
            self.assertIn("spacing 1 x 2 x 3 mm\n", self.ok(*arguments, "--spacing", 1, 2, 3).stdout, arguments)
            json_arguments = [one for one in arguments if one != "--print"] + (["--histogram", "label"] if arguments[0] == "stats" else [])
            summary = json.loads(self.ok(*json_arguments, "--json").stdout)
            self.assertEqual((summary["spacing"], summary["spacing_source"]), ([10, 10, 20], "file"), arguments)

    @unittest.skipIf(os.name == "nt", "names of files have no control characters on this system")
    def test_control_characters_of_names_break_no_line_and_steer_no_terminal(self):
        """Names of inputs, outputs and datasets, and texts from headers, in steps, notes, errors and summaries."""
        odd = "a\nnote: all is well\x1b[2J\x9b\r\x7f\u2028\u202e"
        shown = "a\\x0anote: all is well\\x1b[2J\\x9b\\x0d\\x7f\\xe2\\x80\\xa8\\xe2\\x80\\xae"
        source, target = self.path(odd + ".nrrd"), self.path(odd + "_o.nrrd")
        with open(source, "wb") as stream:
            stream.write(b"NRRD0004\ntype: uint8\ndimension: 2\nsizes: 4 3\nencoding: raw\nspace units: \"\x1b[31m\" \"mm\"\n"
                         b"spacings: 1 2\n\n" + bytes([0, 1] * 6))
        curve = self.path(odd + ".csv")
        printed = ""
        for arguments in (["label", source, target], ["label", source, target, "--memory", "500MB"],
                          ["clean", source, target, "--largest", 1], ["split", source, target], ["info", source],
                          ["select", source, target, "--where", "label > 0", "--keep"],
                          ["sweep", source, "--range-from", 1, "--range-to", 2, "-o", curve]):
            result = self.ok(*arguments)
            printed += result.stdout + result.stderr
        summary = self.ok("info", source, "--json").stdout
        self.assertIn("reading " + self.path(shown), printed)
        self.assertIn("writing " + self.path(shown), printed)
        self.assertIn(self.path(shown) + "_o.nrrd: labels of type", printed)
        for arguments in (["label", self.path(odd), target], ["label", source, source], ["label", source, self.path(odd)],
                          ["stats", source, "-o", self.path(odd)], ["label", source, target, "--seeds", odd],
                          ["batch", self.path(odd), source, "-o", self.path("b")], ["label", source, target, "--mask", self.path(odd)],
                          ["label", source, target, "--" + odd], ["compare", self.path(odd), self.path(odd)],
                          ["label", source, target, "--algorithm", odd], ["label", source, target, "--threshold", odd]):
            printed += self.fails(*arguments, saying="all is well\\x1b[2J").stderr
        with open(source, "wb") as stream:
            stream.write(b"NRRD0004\ntype: \x1b[2J\rx\ndimension: 2\nsizes: 4 3\nencoding: raw\n\n" + bytes(12))
        printed += self.fails("label", source, target, saying="of type '\\x1b[2J\\x0dx'").stderr
        for letter in "\x1b\x9b\r\x7f\u2028\u202e":
            self.assertNotIn(letter, printed)
        for letter in "\x1b\x9b\r\x7f":
            self.assertNotIn(letter, summary)
        self.assertEqual(json.loads(summary)["file"], source)
        self.assertNotIn("\nnote: all is well", printed)

    @unittest.skipUnless(hasattr(signal, "SIGXFSZ"), "this system has no limits of files")
    def test_a_limit_on_the_size_of_files_is_an_error(self):
        import resource
        source, target = self.path("image.nrrd"), self.path("o.nrrd")
        write_nrrd(source, "uint8", (64, 64, 16), [1, 0] * 32768)
        result = subprocess.run([COMMAND, "label", source, target, "--no-compression"], capture_output=True, text=True,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("File too large", result.stderr)
        self.assertEqual(os.listdir(os.path.dirname(target)), ["image.nrrd"])

    @unittest.skipUnless(hasattr(os, "mkfifo"), "this system has no named pipes")
    def test_pipes_devices_and_sockets_are_no_inputs(self):
        """Not of any option: none waits for what may never come, or reads what never ends."""
        write_nrrd(self.image, "uint8", (4, 3, 2), [1, 1, 0, 2] * 6)
        recipe = self.path("r.toml")
        self.ok("recipe", "new", "casting-porosity", "-o", recipe)
        table, kept, label = self.path("t.csv"), ["--where", "label > 0", "--keep"], ["label", self.image, self.output]
        for kind in ("pipe", "device", "socket"):
            odd = {extension: self.path("%s.%s" % (kind, extension)) for extension in ("nrrd", "txt", "toml")}
            for path in odd.values():
                if kind == "pipe":
                    os.mkfifo(path)
                elif kind == "device":
                    os.symlink("/dev/zero", path)
                else:
                    with socket.socket(socket.AF_UNIX) as opened:
                        opened.bind(path)
            image = odd["nrrd"]
            uses = [["label", image, self.output], ["label", image, self.output, "--memory", "500MB"], [*label, "--mask", image],
                    [*label, "--touching", image], [*label, "--statistics", table, "--intensity", image],
                    [*label, "--statistics", table, "--part", image], [*label, "--seeds", odd["txt"]], ["info", image],
                    *([*label, "--neighborhood", odd[extension]] for extension in ("nrrd", "txt")),
                    ["stats", image, "-o", table], ["select", image, self.output, *kept],
                    ["clean", image, self.output, "--largest", 1], ["split", image, self.output],
                    ["split", self.image, self.output, "--split-by", image], ["distance", image, self.output],
                    ["thickness", image, self.output], ["morph", image, self.output, "--close", 1],
                    ["score", image, self.image], ["score", self.image, image],
                    ["sweep", image, "--range-from", 1, "--range-to", 2, "-o", table], ["recipe", "check", odd["toml"]],
                    ["batch", odd["toml"], self.image, "-o", self.path("b")], ["batch", recipe, image, "-o", self.path("b")]]
            for arguments in uses:
                result = run(*arguments)
                self.assertGreater(result.returncode, 0, arguments)
                self.assertRegex(result.stderr, "it is not a (regular )?file|is neither a file nor|is not a file or", arguments)


if __name__ == "__main__":
    unittest.main()
