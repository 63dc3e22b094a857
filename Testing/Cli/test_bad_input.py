# SPDX-License-Identifier: Apache-2.0
"""Bad input gets an error that says what, which value and what would be right; nothing is lost or half-written."""

import gzip
import json
import os
import random
import re
import signal
import subprocess
import time
import unittest

from support import COMMAND, CommandTest, run, write_nrrd


class BadInputTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.input = self.path("input.nrrd")
        self.output = self.path("output.nrrd")
        write_nrrd(self.input, "int16", (6, 5, 4), list(range(120)))
        # An earlier result that a failing run must not touch.
        with open(self.output, "wb") as stream:
            stream.write(b"precious")

    def refuses(self, *options, saying):
        self.fails("label", self.input, self.output, *options, saying=saying)

    def test_missing_file(self):
        self.fails("label", self.path("none.nrrd"), self.output, saying=["none.nrrd", "no such file"])

    def test_unreadable_file(self):
        with open(self.input, "wb") as stream:
            stream.write(b"this is no image\n" * 10)
        self.refuses(saying="cannot read")
        write_nrrd(self.input, "int16", (2, 2), [1] * 4)
        os.chmod(self.input, 0)
        if not os.access(self.input, os.R_OK):
            result = run("label", self.input, self.output)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("Permission denied", result.stderr)
        os.chmod(self.input, 0o600)

    def test_truncated_files_of_every_format(self):
        write_nrrd(self.input, "int16", (6, 5, 4), list(range(120)), truncate=60)
        self.refuses(saying="cannot read")
        random_bytes = random.Random(4)
        write_nrrd(self.input, "int16", (40, 30, 20), [random_bytes.randrange(-9999, 9999) for _ in range(24000)])
        for name in ("a.mha", "a.nii", "a.nii.gz", "a.tif", "b.nrrd"):
            path = self.path(name)
            self.ok("label", self.input, path, "--equal-value", "--label-type", "uint16", "--quiet")
            size = os.path.getsize(path)
            # The last bytes of a TIFF file need not be voxels.
            for left in (size * 2 // 3, size // 3) if name == "a.tif" else (size - 5, size * 2 // 3, size // 3):
                os.truncate(path, left)
                with self.subTest(file=name, left=left, of=size):
                    self.fails("label", path, self.output, saying="cannot read")
        for name in ("c.mhd", "d.nhdr"):
            self.ok("label", self.input, self.path(name), "--equal-value", "--no-compression", "--quiet")
            os.truncate(self.path(name[0] + ".raw"), 30000)
            self.fails("label", self.path(name), self.output, saying="cannot read")

    def test_truncated_png(self):
        flat = self.path("flat.nrrd")
        numbers = random.Random(5)
        write_nrrd(flat, "uint8", (64, 64), [numbers.choice((0, 1)) for _ in range(4096)])
        self.ok("label", flat, self.path("a.png"), "--quiet")
        os.truncate(self.path("a.png"), os.path.getsize(self.path("a.png")) // 2)
        self.fails("label", self.path("a.png"), self.output, saying="cannot read")

    def test_folder_without_dicom(self):
        os.mkdir(self.path("empty"))
        self.fails("label", self.path("empty"), self.output, saying=["empty", "no DICOM"])

    def test_empty_extent(self):
        write_nrrd(self.input, "uint8", (0, 4, 4), [])
        self.refuses(saying="cannot read")

    def test_connectivity_that_does_not_fit(self):
        self.refuses("--connectivity", 8, saying=["connectivity 8", "6, 18 or 26"])
        self.refuses("--connectivity", 26, "--by-slice", "z", saying=["connectivity 26", "4 or 8"])
        write_nrrd(self.input, "uint8", (4, 4), [1] * 16)
        self.refuses("--connectivity", 6, saying=["connectivity 6", "4 or 8"])
        self.refuses("--by-slice", "z", saying="--by-slice z")

    def test_neighborhoods_without_meaning(self):
        self.refuses("--neighborhood", "8+q", saying=["8+q", "not a file or a neighborhood"])
        self.refuses("--neighborhood", "8+xz", saying=["8+xz", "connectivity 8 does not fit 1 dimension; use 2"])
        self.refuses("--neighborhood", "8+t", saying=["8+t", "an image of 3 dimensions lacks"])
        self.refuses("--neighborhood", "8+z", "--connectivity", 6, saying=["--neighborhood", "--connectivity"])
        self.refuses("--neighborhood", "8+z", "--by-slice", "z", saying=["--neighborhood", "--by-slice"])
        self.refuses("--neighborhood", "8+z", "--algorithm", "DirectionalSearch", "--device", "cpu",
                     saying=["10 (8+z), whose plain part is 8 within slices along z,", "DirectionalSearch"])
        path = self.path("n.txt")
        for content, saying in (("111\n" * 3, ["n.txt", "27 voxels", "not 9"]), ("1" * 26 + "2", ["holds '2'"]),
                                ("1" * 26 + "0", ["(-1, -1, -1)", "(1, 1, 1)", "symmetric"]), ("", ["27 voxels", "not 0"])):
            with open(path, "w") as stream:
                stream.write(content)
            self.refuses("--neighborhood", path, saying=saying)
        write_nrrd(self.path("n.nrrd"), "uint8", (3, 3, 3), [1] * 27)
        self.refuses("--neighborhood", self.path("n.nrrd"), saying=["holds 'N'", "must consist of 0 and 1"])

    def test_periodic_axes_without_meaning(self):
        self.refuses("--periodic", "w", saying=["'w'", "not axes"])
        self.refuses("--periodic", "x,x", saying=["'x,x'", "each once"])
        self.refuses("--periodic", "x, q", saying=["'x, q'", "not axes"])
        self.refuses("--periodic", "x; y", saying=["'x; y'", "not axes"])
        self.refuses("--periodic", ", ", saying=["', '", "not axes"])
        self.refuses("--periodic", "t", saying=["periodic along t", "3 dimensions"])
        self.refuses("--periodic", "z", "--by-slice", "z", saying=["periodic along z", "has no neighbors"])
        self.refuses("--periodic", "x,y,z", "--fill-holes", saying=["holes cannot be filled", "periodic along xyz"])
        self.refuses("--periodic", "x", "--pores", saying=["--pores", "--periodic"])
        self.refuses("--periodic", "x", "--statistics", self.path("t.csv"), "--columns", "feret",
                     saying=["'feret'", "cannot be measured", "periodic along x"])
        for option in ("--columns", "--sort"):
            self.refuses("--periodic", "x", "--statistics", self.path("t.csv"), option, "sphericity",
                         saying=["column 'sphericity': ", "periodic along x"])
        for option in ("--part", "--contacts"):
            for split in ((), ("--split",)):
                result = self.fails("label", self.input, self.output, "--periodic", "x", *split, option, self.path("t.csv"), "--print",
                                    saying=[option, "--periodic"])
                self.assertNotIn("reading", result.stderr)
        self.refuses("--periodic", "x", "--picture", self.path("p.png"), saying=["--picture", "--periodic"])

    def test_mask_of_another_size_or_place(self):
        mask = self.path("mask.nrrd")
        write_nrrd(mask, "uint8", (6, 5, 3), [1] * 90)
        self.refuses("--mask", mask, saying=["6 x 5 x 3", "6 x 5 x 4"])
        write_nrrd(mask, "uint8", (6, 5, 4), [1] * 120, spacing=(1, 1, 2))
        self.refuses("--mask", mask, saying=["spacing", "2"])
        write_nrrd(mask, "uint8", (6, 5, 4), [1] * 120, origin=(0, 7, 0))
        self.refuses("--mask", mask, saying=["origin", "7", "; resample it to the grid"])
        self.refuses("--intensity", mask, "--statistics", self.path("t.csv"), saying=["origin", "7"])
        self.refuses("--mask", self.path("none.nrrd"), saying="no such file")

    def test_criteria_without_meaning(self):
        self.refuses("--tolerance", -1, saying=["--tolerance", "'-1'", "at least 0"])
        self.refuses("--tolerance", "nan", saying="tolerance")
        self.refuses("--tolerance", "two", saying=["two", "--tolerance"])
        self.refuses("--range", 5, 2, saying=["'5 2'", "the lower one first"])
        self.refuses("--range", "nan", 2, saying="range")
        self.refuses("--range", 5, saying="--range")
        self.refuses("--equal-value", "--tolerance", 1, saying="--tolerance")
        self.refuses("--background", "nan", saying="background")
        self.refuses("--background", 1, "--range", 1, 2, saying="--background")

    def test_label_type_too_small(self):
        write_nrrd(self.input, "uint8", (32, 32), [(x + y) % 2 for y in range(32) for x in range(32)])
        self.refuses("--label-type", "uint8", saying=["512 components", "uint8", "255", "uint16"])
        self.refuses("--label-type", "int8", saying=["int8", "uint16"])

    def test_output_that_cannot_be_written(self):
        self.fails("label", self.input, self.path("none/out.nrrd"), saying=["none/out.nrrd", "does not exist"])
        self.fails("label", self.input, self.folder, saying="cannot write")
        self.fails("label", self.input, self.path("out.xyz"), saying=["out.xyz", ".nrrd"])
        self.fails("label", self.input, self.path("out.png"), saying="3 dimensions")
        self.fails("label", self.input, self.path("out.jpg"), saying="out.jpg")
        write_nrrd(self.path("flat.nrrd"), "uint8", (4, 4), [1] * 16)
        self.fails("label", self.path("flat.nrrd"), self.path("out.png"), "--label-type", "uint64", saying="uint64")
        self.refuses("--statistics", self.path("none/t.csv"), saying="none/t.csv")
        self.refuses("--statistics", self.path("t.xls"), saying=".csv, .tsv, .json or .xlsx")
        self.refuses("--picture", self.path("p.jpg"), saying=".png")
        self.refuses("--picture", self.path("none/p.png"), saying="none/p.png")

    def test_names_of_no_format_are_refused_before_anything_is_read(self):
        for command in (["label"], ["label", "--memory", "500MB"], ["clean", "--largest", 1], ["select", "--where", "label > 1", "--keep"]):
            for name in ("o", "o.nrrd.gz", "o.parquet"):
                said = self.fails(command[0], self.input, self.path(name), *command[1:], saying=["this extension is not a format", ".nii.gz"])
                self.assertNotIn("reading", said.stderr)

    def test_outputs_that_are_inputs(self):
        self.fails("label", self.input, self.input, saying="the input of INPUT")
        os.symlink(self.input, self.path("link.nrrd"))
        self.fails("label", self.input, self.path("link.nrrd"), saying="the input of INPUT")
        self.fails("label", self.input, self.path("o.png"), "--picture", self.path("o.png"), saying="also the output")
        self.fails("label", self.input, self.output, "--mask", self.output, saying="the input of --mask")

    def test_outputs_of_one_name_in_two_spellings(self):
        there = os.getcwd()
        os.chdir(self.folder)
        try:
            self.fails("label", self.input, "q.nrrd", "--statistics", "n.csv", "--contacts", self.path("n.csv"),
                       saying="also the output")
            self.fails("phantom", "casting", "p.nrrd", "--truth", "./p.nrrd", "--size", 20, 20, 20,
                       saying="also the output")
        finally:
            os.chdir(there)

    def test_headers_of_two_formats_with_one_data_file(self):
        for first, second in (("a.mhd", "a.nhdr"), ("a.nhdr", "a.mhd")):
            self.ok("label", self.input, self.path(first), "--no-compression", "--quiet")
            with open(self.path(first)) as stream:
                header = stream.read()
            with open(self.path("a.raw"), "rb") as stream:
                data = stream.read()
            missing = self.path("none.nrrd")
            # Before any work: it is not even seen that there is no input.
            self.fails("label", missing, self.path(second), saying=["a.raw", "exists already"])
            write_nrrd(self.path("other.nrrd"), "uint8", (2, 2), [1] * 4)
            with open(self.path(second), "w") as stream:
                stream.write("the header of another format of the same data")
            for image in (missing, self.path(first)):
                self.fails("label", image, self.path(second), saying=["a.raw", "'%s'" % self.path(first)])
                self.fails("label", image, self.path(first), saying="a." if image == missing else "input")
            self.fails("select", missing, self.path(second), "--where", "label > 0", "--keep", saying="a.raw")
            with open(self.path(first)) as stream:
                self.assertEqual(stream.read(), header)
            with open(self.path("a.raw"), "rb") as stream:
                self.assertEqual(stream.read(), data)
            for name in (first, second, "a.raw"):
                os.remove(self.path(name))
        # Its own data file may be replaced.
        for _ in range(2):
            self.ok("label", self.input, self.path("a.nhdr"), "--no-compression", "--quiet")

    def test_modes_of_outputs(self):
        names = ("a.nrrd", "a.nii.gz", "a.nhdr", "a.raw.gz", "a.tif", "a.csv", "a.png")

        def write_all(expected):
            for name in ("a.nrrd", "a.nii.gz", "a.nhdr", "a.tif"):
                self.ok("label", self.input, self.path(name), "--statistics", self.path("a.csv"), "--picture",
                        self.path("a.png"), "--quiet")
            for name in names:
                self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, expected, name)

        before = os.umask(0o027)
        try:
            write_all(0o640)
            for name in names:
                os.chmod(self.path(name), 0o664)
            write_all(0o664)
        finally:
            os.umask(before)

    def test_series_of_formats_that_have_none(self):
        self.refuses("--series", 1, saying=["--series 1", "input.nrrd", "DICOM"])
        self.fails("stats", self.input, "-o", self.path("t.csv"), "--intensity", self.input, "--series", "1.2.3",
                   saying=["--series 1.2.3", "input.nrrd"])
        self.fails("select", self.input, self.output, "--where", "label > 0", "--keep", "--series", 2,
                   saying="--series 2")
        os.mkdir(self.path("slices"))
        self.fails("label", self.path("slices"), self.output, "--series", 1, saying=["--series 1", "slices"])
        self.fails("label", self.path("none.dcm"), self.output, "--series", 1, saying=["none.dcm", "no such file"])

    def test_slices_of_a_folder_are_no_outputs(self):
        os.mkdir(self.path("slices"))
        write_nrrd(self.path("flat.nrrd"), "uint8", (8, 8), [1] * 64)
        for k in range(3):
            self.ok("label", self.path("flat.nrrd"), self.path("slices/s%d.png" % k), "--quiet")
        slice_ = self.path("slices/s1.png")
        with open(slice_, "rb") as stream:
            before = stream.read()
        os.symlink(slice_, self.path("t.csv"))
        for image in (self.path("slices"), self.path("slices/s*.png")):
            self.fails("label", image, self.output, "--picture", slice_, saying="a part of the input")
            self.fails("label", image, self.output, "--statistics", self.path("t.csv"), saying="a part of the input")
            self.fails("label", self.input, self.output, "--mask", image, "--statistics", self.path("t.csv"),
                       saying="a part of the input")
        with open(slice_, "rb") as stream:
            self.assertEqual(stream.read(), before)

    def test_links_and_pipes_as_outputs(self):
        os.symlink(self.path("later.nrrd"), self.path("dangling.nrrd"))
        self.ok("label", self.input, self.path("dangling.nrrd"), "--quiet")
        self.assertTrue(os.path.islink(self.path("dangling.nrrd")))
        self.assertTrue(os.path.isfile(self.path("later.nrrd")))
        os.symlink("circle.nrrd", self.path("circle.nrrd"))
        result = run("label", self.input, self.path("circle.nrrd"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("circle", result.stderr)
        os.mkfifo(self.path("pipe.nrrd"))
        result = run("label", self.input, self.path("pipe.nrrd"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("pipe", result.stderr)

    def test_a_summary_that_cannot_be_printed(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        for arguments in (("--help",), ("--version",), ("label", "--help"), ("stats", "--list-columns")):
            with open("/dev/full", "w") as full:
                result = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(1, result.returncode, arguments)
            self.assertIn("standard output", result.stderr)
        with open("/dev/full", "w") as full:
            result = subprocess.run([COMMAND, "label", self.input, self.output, "--json"], stdout=full,
                                    stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output", result.stderr)

    def test_names_that_are_no_unicode(self):
        name = os.fsencode(self.path("bad")) + b"\xff.nrrd"
        with open(self.input, "rb") as stream, open(name, "wb") as copy:
            copy.write(stream.read().replace(b"space origin", b"#space origin"))
        result = subprocess.run([os.fsencode(COMMAND), b"label", name, os.fsencode(self.output), b"--json"],
                                capture_output=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_reserved_flags_of_gzip(self):
        """RFC 1952: a reader that does not know what they announce must give an error."""
        random.seed(5)
        for side in (8, 160):
            values = random.choices((0, 1, 2, 3), k=side ** 3)
            write_nrrd(self.input, "uint8", (side, side, side), values)
            with open(self.input, "rb") as stream:
                header, voxels = stream.read().split(b"\n\n", 1)
            for flags in (0, 0x20, 0x40, 0x80):
                packed = bytearray(gzip.compress(voxels, 6))
                packed[3] |= flags
                with open(self.input, "wb") as stream:
                    stream.write(header.replace(b"encoding: raw", b"encoding: gzip") + b"\n\n" + packed)
                for threads in (1, 2):
                    if flags:
                        self.refuses("--threads", threads, saying=["damaged", "reserved flags"])
                    else:
                        self.ok("label", self.input, self.path("o.nrrd"), "--threads", threads)
                        os.remove(self.path("o.nrrd"))

    def test_labels_that_are_no_whole_numbers_are_shown_as_they_are(self):
        for value, shown in ((1e-320, "1e-320"), (1e308, "1e+308"), (0.1, "0.1"), (-2.0, "-2")):
            write_nrrd(self.input, "double", (2, 1), [1, value])
            result = self.fails("stats", self.input, "-o", self.path("t.csv"), saying="holds the value %s;" % shown)
            self.assertLess(len(result.stderr), 300)

    def test_one_is_no_plural(self):
        write_nrrd(self.input, "uint8", (4, 4), [1] * 16)
        result = self.fails("mesh", self.input, self.path("m.stl"), saying="") if "mesh" in run("--help").stdout else None
        if result:
            self.assertIn("2 dimensions and 1 channel;", result.stderr)
        write_nrrd(self.input, "uint8", (4,), [1] * 4)
        self.refuses("--by-slice", "z", saying="1 dimension\n")

    def test_unknown_names(self):
        self.refuses("--algorithm", "Magic", saying=["Magic", "RunMerging"])
        self.refuses("--algorithm", "RunMerging:fast=on", saying=["RunMerging", "fast", "none"])
        self.refuses("--algorithm", "LabelEquivalence:atomic=on", saying=["'atomic'", "atomics=off|on, first-scan=all|"])
        self.refuses("--algorithm", "LabelEquivalence:atomics=1", saying=["'atomics=1'", "atomics=off|on"])
        self.refuses("--algorithm", "LinkPropagation:gather=70000", saying=["gather=70000", "1..65535"])
        self.refuses("--algorithm", "LinkPropagation", "--device", "cpu", saying=["LinkPropagation", "on the CPU", "RunMerging"])
        self.refuses("--device", "gpu", saying=["gpu", "did you mean 'cuda'?", "cuda:N"])
        self.refuses("--device", "cuda:1,0,1", saying=["cuda:1,0,1", "device 1 twice"])
        for name in ("cuda:", "cuda:0,", "cuda:,1", "cuda:0,-1", "cuda:0;1", "cuda:0,x"):
            self.refuses("--device", name, saying=[f"'{name}'", "cuda:0,1", "cuda:all"])
        self.refuses("--order", "random", saying="--order")
        self.refuses("--threads", -2, saying="-2")
        self.refuses("--magic", saying="--magic")
        self.assertNotEqual(run("magic").returncode, 0)

    def test_counts_are_digits_alone_and_checked_before_any_work(self):
        missing = self.path("none.nrrd")
        for option in ("--minimum-size", "--maximum-size", "--largest", "--threads", "--connectivity"):
            for text in ("-1", "1e3", "12abc", "0x10", "2.5", "nan", "inf", " 5", "+5", "99999999999999999999",
                         "-99999999999999999999"):
                with self.subTest(option=option, text=text):
                    self.fails("label", missing, self.output, option, text,
                               saying=[option, "'%s'" % text, "number"])
        for option, texts in (("--threads", ("-2", "4097")), ("--bins", ("0", "-3", "1.5", "1000001", "4294967297"))):
            for text in texts:
                with self.subTest(option=option, text=text):
                    self.fails("stats", missing, "-o", self.path("t.csv"), "--histogram", "voxel_count", option, text,
                               saying=[option, "'%s'" % text, "number"])
        self.fails("select", missing, self.output, "--where", "label > 0", "--keep", "--threads", -2,
                   saying=["--threads", "'-2'"])
        for option, text in (("--seed", "-1"), ("--size", "-4"), ("--grain", "0")):
            self.fails("phantom", "random", self.path("p.nrrd"), option, text, saying=[option, text])
        # Zeros at the front make no octal number of it.
        self.ok("label", self.input, self.path("a.nrrd"), "--minimum-size", "010", "--threads", "01", "--quiet")
        for count, kept in ((8, 1), (10, 1)):
            write_nrrd(self.path("line.nrrd"), "uint8", (count, 1), [1] * count)
            result = self.ok("label", self.path("line.nrrd"), self.path("a.nrrd"), "--minimum-size", "0%d" % count, "--json")
            self.assertEqual(json.loads(result.stdout)["components"], kept)

    def test_other_numbers_are_decimal_fractions_and_checked_before_any_work(self):
        missing = self.path("none.nrrd")
        for text in ("-1", "nan", "inf", "-inf", "12abc", "0x1p3", "1e400", " 5"):
            with self.subTest(text=text):
                self.fails("label", missing, self.output, "--minimum-volume", text,
                           saying=["--minimum-volume", "'%s'" % text, "at least 0"])
        for text in ("0x10", "12abc", "1e9999", "", " 1", "nan(1)", "1,5"):
            with self.subTest(text=text):
                self.fails("label", missing, self.output, "--range", text, "inf", saying=["--range", "'%s'" % text])
                self.fails("label", missing, self.output, "--tolerance", text, saying=["--tolerance", "'%s'" % text])
                self.fails("label", missing, self.output, "--background", text, saying=["--background", "'%s'" % text])
        self.fails("label", missing, self.output, "--range", "nan", "nan", saying="range")
        for text in ("nan", "inf", "0", "-1", "0x1", "two"):
            self.fails("label", missing, self.output, "--spacing", 1, text, 1, saying=["--spacing", "'%s'" % text, "above 0"])
        scan = self.path("scan.nrrd")
        write_nrrd(scan, "uint8", (2, 1, 1), [1, 0])
        for text in ("1e-300", "1e300"):
            self.fails("label", scan, self.output, "--spacing", 1, text, 1, saying=[text.replace("e", "e+") if "e3" in text else text,
                                                                                    "from 1e-30 to 1e30 mm"])
        self.fails("phantom", "balls", self.path("p.nrrd"), "--spacing", "nan", 1, 1, saying=["--spacing", "'nan'"])
        self.fails("phantom", "balls", self.path("p.nrrd"), "--spacing", 0, 1, 1, saying=["--spacing", "'0'"])

    def test_disk_full(self):
        mount = self.path("small")
        os.mkdir(mount)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", mount], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("a small file system cannot be mounted here: " + mounted.stderr.decode().strip())
        try:
            big = self.path("big.nrrd")
            self.ok("phantom", "random", big, "--size", 128, 128, 64, "--density", 0.3, "--quiet")
            for name in ("out.nrrd", "out.nii", "out.nii.gz", "out.mha", "out.mhd", "out.tif", "out.nhdr"):
                target = os.path.join(mount, name)
                with open(target, "wb") as stream:
                    stream.write(b"precious")
                result = run("label", big, target, "--label-type", "uint32", "--quiet")
                self.assertGreater(result.returncode, 0, name + " was written to a full disk")
                self.assertIn("cannot write", result.stderr, name)
                with open(target, "rb") as stream:
                    self.assertEqual(stream.read(), b"precious", name)
                self.assertEqual(os.listdir(mount), [name], "something was left behind")
                os.remove(target)
            target = os.path.join(mount, "picture.png")
            subprocess.run(["dd", "if=/dev/zero", "of=" + os.path.join(mount, "filling"), "bs=1k", "count=250"],
                           capture_output=True)
            result = run("label", big, self.output, "--picture", target, "--quiet")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("No space left", result.stderr)
            self.assertEqual(os.listdir(mount), ["filling"])
            # Up to the last byte, since these files are small.
            subprocess.run(["dd", "if=/dev/zero", "of=" + os.path.join(mount, "filling"), "bs=1k", "count=300"], capture_output=True)
            small = self.path("small.nrrd")
            write_nrrd(small, "uint8", (30, 30, 30), [i // 9 % 200 for i in range(27000)])
            stats = ("stats", small, "--quiet")
            for name, command in (("p.png", (*stats, "--picture")), ("h.png", (*stats, "--histogram", "volume_mm3", "--plot")),
                                  ("h.svg", (*stats, "--histogram", "volume_mm3", "--plot")), ("t.xlsx", (*stats, "-o")),
                                  ("t.csv", (*stats, "-o")), ("r.png", ("render", small, "--style", "slices", "--quiet", "-o"))):
                target = os.path.join(mount, name)
                result = run(*command, target)
                if command[0] == "render" and "render" not in run("--help").stdout:
                    continue
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr, r"\Abrickccl(-surfaces)?: error: .*%s'.*No space left[^\n]*\n\Z" % re.escape(name))
                self.assertNotIn(".brickccl-", result.stderr)
                self.assertEqual(os.listdir(mount), ["filling"])
            os.remove(os.path.join(mount, "filling"))
            target = os.path.join(mount, "table.csv")
            result = run("label", big, self.output, "--statistics", target, "--quiet")
            self.assertGreater(result.returncode, 0)
            self.assertEqual(os.listdir(mount), [])
        finally:
            subprocess.run(["umount", mount], check=True)

    def test_a_killed_run_leaves_the_old_file_or_the_new_one(self):
        big = self.path("big.nrrd")
        self.ok("phantom", "random", big, "--size", 128, 128, 64, "--density", 0.2, "--quiet")
        begin = time.monotonic()
        self.ok("label", big, self.output, "--quiet")
        duration = time.monotonic() - begin
        with open(self.output, "rb") as stream:
            new = stream.read()
        old = b"precious"
        seen = set()

        def kill_after(delay):
            with open(self.output, "wb") as stream:
                stream.write(old)
            process = subprocess.Popen([COMMAND, "label", big, self.output, "--quiet"])
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.wait()
            with open(self.output, "rb") as stream:
                content = stream.read()
            self.assertIn(content, (old, new), "the file is half-written")
            seen.add(content == new)

        for step in range(24):
            kill_after(duration * step / 18)
        # On a machine that has become busy since, a run takes longer.
        while True not in seen and duration < 60:
            duration *= 2
            kill_after(duration)
        self.assertEqual(seen, {False, True}, "runs were killed before and after the file was replaced")

    def test_an_interrupt_stops_in_an_orderly_way(self):
        big = self.path("big.nrrd")
        self.ok("phantom", "random", big, "--size", 256, 256, 128, "--density", 0.4, "--quiet")
        process = subprocess.Popen([COMMAND, "label", big, self.output], stderr=subprocess.PIPE, text=True)
        process.stderr.readline()  # "reading ..."
        process.send_signal(signal.SIGINT)
        errors = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(), 130, errors)
        self.assertIn("stopped", errors)
        with open(self.output, "rb") as stream:
            self.assertEqual(stream.read(), b"precious")
        self.assertEqual(sorted(os.listdir(self.folder)), ["big.nrrd", "input.nrrd", "output.nrrd"])


if __name__ == "__main__":
    unittest.main()
