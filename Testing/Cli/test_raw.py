# SPDX-License-Identifier: Apache-2.0
"""Voxels without a header: what --raw describes, in which commands, and what is said without it."""

import json
import os
import pathlib
import struct
import unittest

from batch_support import BatchTest
from support import CommandTest, labels_of, write_nrrd

SIZE = (7, 6, 5)
VALUES = [(x + 2 * y + 3 * z) % 5 for z in range(5) for y in range(6) for x in range(7)]
CODES = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q",
         "float32": "f", "float64": "d"}


def raw_bytes(kind, order="<", values=VALUES):
    return struct.pack("%s%d%s" % (order, len(values), CODES[kind]), *values)


class RawTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.output = self.path("o.nrrd")
        self.nrrd = self.path("same.nrrd")
        write_nrrd(self.nrrd, "uint16", SIZE, VALUES, spacing=(0.5, 0.5, 2))
        self.scan = self.put("scan.raw", raw_bytes("uint16"))
        self.raw = ("--raw", "7x6x5:uint16", "--spacing", 0.5, 0.5, 2)

    def put(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as stream:
            stream.write(data)
        return self.path(name)

    def labels(self, *arguments):
        self.ok("label", *arguments, self.output, "--quiet", "--range", 2, 3)
        return labels_of(self.output)

    def notes(self, *arguments):
        return json.loads(self.ok(*arguments, "--json").stdout)["notes"]

    def test_all_types_orders_and_offsets_give_the_labels_of_the_same_nrrd(self):
        expected = self.labels(self.nrrd)
        for kind in CODES:
            for order, word in (("<", ""), ("<", ":little"), (">", ":big")):
                for skip in (0, 1, 16, 513):
                    path = self.put("x.vol", b"\xff" * skip + raw_bytes(kind, order))
                    self.assertEqual(self.labels(path, "--raw", "7x6x5:%s%s:skip=%d" % (kind, word, skip)), expected, (kind, word))

    def test_every_command_reads_it_under_any_name(self):
        for name in ("scan.bin", "scan.img", "scan.dat", "scan.vol", "scan", "scan.rec", "scan.i16", "scan.tif"):
            scan = self.put(name, raw_bytes("uint16"))
            self.assertEqual(self.labels(scan, *self.raw), self.labels(self.nrrd), name)
        for command in (["label", "{}", self.output, "--range", 2, 3, "--statistics", self.path("t.csv")],
                        ["label", "{}", self.output, "--memory", "500MB", "--statistics", self.path("t.csv")],
                        ["label", "{}", self.output, "--range", 2, 3, "--mask", "{}", "--intensity", "{}", "--statistics",
                         self.path("t.csv")],
                        ["stats", "{}", "-o", self.path("t.csv"), "--intensity", "{}"],
                        ["sweep", "{}", "--range-from", 1, "--range-to", 3, "-o", self.path("t.csv")],
                        ["clean", "{}", self.output, "--largest", 1],
                        ["select", "{}", self.output, "--where", "label > 1", "--keep"],
                        ["info", "{}"]):
            results = []
            for scan, options in ((self.nrrd, ()), (self.scan, self.raw)):
                printed = self.ok(*[scan if word == "{}" else word for word in command], *options).stdout
                files = [self.path(name) for name in ("o.nrrd", "t.csv") if os.path.exists(self.path(name))]
                results.append([printed.splitlines()[-1]] + [pathlib.Path(file).read_bytes() for file in files])
                for file in files:
                    os.remove(file)
            self.assertEqual(results[0][1:], results[1][1:], command)
        self.ok("render", self.scan, self.path("p.png"), *self.raw)
        self.ok("mesh", self.scan, self.path("m.stl"), *self.raw)

    def test_values_that_are_not_numbers_are_counted(self):
        values = [float("nan")] * 3 + [1.5] * 207
        path = self.put("f.raw", raw_bytes("float32", values=values))
        self.assertIn("3 values are NaN", " ".join(self.notes("label", path, self.output, "--raw", "7x6x5:float32", "--range", 1, 2)))

    def test_big_files_with_memory_are_the_same(self):
        values = [(x * 7 + y * 5 + z * 3) % 11 for z in range(64) for y in range(48) for x in range(40)]
        for order, skip in (("<", 0), ("<", 7), (">", 512)):
            path = self.put("b.raw", b"\1" * skip + raw_bytes("uint16", order, values))
            text = "40x48x64:uint16" + (":big" if order == ">" else "") + ":skip=%d" % skip
            results = []
            for memory in ((), ("--memory", "100MB")):
                self.ok("label", path, self.output, "--raw", text, "--threshold", 7, "--quiet", *memory)
                results.append(labels_of(self.output))
            self.assertEqual(*results)

    def test_a_size_that_does_not_fit_is_told_with_the_length(self):
        for size, text, saying in (
                (420, "7x6x5:uint8", "--raw 7x6x5:uint8 needs 210 bytes, but the file has 420"),
                (420, "7x6x9:uint16", "needs 756 bytes, but the file has 420"),
                (932, "7x6x5:uint16", "needs 420 bytes, but the file has 932"),
                (421, "7x6x5:uint16:skip=2", "needs 422 bytes, but the file has 421"),
                (3, "7x6x5:uint16:skip=999999999999999999", "needs 1000000000000000419 bytes, but the file has 3"),
                (0, "7x6x5:uint16", "needs 420 bytes, but the file has 0"),
                (420, "999999999x999999999x999999999:uint8", "too large for any memory")):
            path = self.put("x.raw", bytes(size))
            self.fails("label", path, self.output, "--raw", text, saying=["x.raw': ", saying])

    def test_texts_that_are_not_a_size_and_a_type(self):
        for text in ("7x6x5", "uint16", "7x6x0:uint16", "7x-6x5:uint16", "7,6,5:uint16", "7x6x5:uint16:huge", "7x6x5:uint16:skip=",
                     "7x6x5:uint16:skip=-1", "7x6x5:uint16:skip=1.5", "1x2x3x4x5:uint8", "7x6x5.0:uint8", "7x6x5:uint16:skip=auto",
                     "7x6x5:unsigned short", "7x6x5:uint16:skip=18446744073709551615", "7x6x5:uint8" + 100000 * "x"):
            self.fails("label", self.scan, self.output, "--raw", text,
                       saying=["--raw", "must be a size and a type, such as 1024x1024x800:uint16"])
        self.fails("info", self.scan, "--raw", "7x6x5:uint12", saying=["the voxel type 'uint12' is unknown; use uint8, int8"])
        self.fails("label", self.nrrd, self.output, *self.raw, saying=["--raw 7x6x5:uint16", "same.nrrd' has one"])
        self.fails("score", self.nrrd, self.nrrd, *self.raw, saying=["--raw 7x6x5:uint16", "same.nrrd' has one"])

    def test_without_it_the_option_is_proposed(self):
        for name, data, saying in (
                ("part_7x6x5_uint16_0.05mm.raw", bytes(420), "--raw 7x6x5:uint16 --spacing 0.05 0.05 0.05"),
                ("part-7X6X5-50um.vol", bytes(210), "--raw 7x6x5:uint8 --spacing 0.05 0.05 0.05"),
                ("part_7x6x5_uint16_0.1x0.1x0.2mm.raw", bytes(420), "--raw 7x6x5:uint16 --spacing 0.1 0.1 0.2"),
                ("part_7x6x5_uint16.raw.gz", bytes(420), "it is compressed; unpack it first"),
                ("part_7x6x5.bin", bytes(840), "--raw 7x6x5:float32"),
                ("part_7x6x5_int16.dat", bytes(420 + 512), "--raw XxYxZ:int16, where X * Y * Z is 466"),
                ("part_7x6x5_uint16", bytes(420), "--raw 7x6x5:uint16"),
                ("any.raw", bytes(420), "--raw XxYxZ:uint16, where X * Y * Z is 210"),
                ("99999999999999999999x99999999999x9_1e999mm.raw", bytes(5), "--raw XxYxZ:uint8, where X * Y * Z is 5")):
            path = self.put(name, data)
            for command in (("label", path, self.output), ("info", path)):
                self.fails(*command, saying=saying)
        self.fails("label", self.put("empty.raw", b""), self.output, saying="the file is empty")

    def header(self, name, data):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write("NDims = 3\nDimSize = 7 6 5\nElementType = MET_USHORT\nElementSpacing = 0.5 0.5 2\nElementDataFile = %s\n" % data)

    def test_a_header_next_to_it_wins_unless_it_is_overridden(self):
        expected = self.labels(self.nrrd)
        self.header("scan.mhd", "scan.raw")
        self.assertEqual(self.labels(self.scan), expected)
        summary = json.loads(self.ok("label", self.scan, self.output, "--json").stdout)
        self.assertEqual(summary["spacing"], [0.5, 0.5, 2])
        self.assertIn("read by its header '%s'" % self.path("scan.mhd"), " ".join(summary["notes"]))
        self.assertEqual(self.labels(self.scan, "--memory", "500MB"), expected)
        notes = " ".join(self.notes("label", self.scan, self.output, "--raw", "7x6x5:int16"))
        self.assertIn("--raw is used instead of the header '%s'" % self.path("scan.mhd"), notes)
        # Neither of the two files is an output.
        for output in ("scan.mhd", "scan.raw"):
            self.fails("label", self.scan, self.path(output), saying=["scan."])
            self.fails("label", self.scan, self.output, "--statistics", self.path(output), saying=["scan."])
        # A header of another file does not count.
        self.header("scan.mhd", "other.raw")
        self.put("other.raw", bytes(420))
        self.fails("label", self.scan, self.output, saying=["scan.mhd'", "--raw XxYxZ:uint16"])
        os.remove(self.path("other.raw"))
        self.fails("label", self.scan, self.output, saying=["scan.mhd'", "other.raw"])

    def test_outputs_are_not_inputs(self):
        for output in ("scan.mhd", "scan.nhdr"):
            self.fails("label", self.scan, self.path(output), *self.raw, saying=["scan.raw", "which is the input"])
        self.fails("label", self.scan, self.output, *self.raw, "--statistics", self.scan, saying="")

    def test_a_file_per_slice(self):
        expected = self.labels(self.nrrd)
        for z in range(5):
            self.put("slices/s_%03d.raw" % z, b"head" + raw_bytes("uint16", ">", VALUES[42 * z:42 * (z + 1)]))
        self.put("slices/scan.log", b"made by a scanner")
        raw = ("--raw", "7x6:uint16:big:skip=4", "--spacing", 0.5, 0.5, 2)
        slices = self.path("slices")
        for path in (slices, os.path.join(slices, "s_*.raw"), os.path.join(slices, "s_%03d.raw")):
            self.assertEqual(self.labels(path, *raw), expected, path)
            self.assertEqual(self.labels(path, *raw, "--memory", "500MB"), expected, path)
            self.fails("label", path, self.output, saying=["s_000.raw'", "it has no header", "--raw XxY:uint16"])
            for output in ("o.mhd", "o.nhdr", "s_005.tif") if path == slices else ("s_005.mhd",):
                self.fails("label", path, os.path.join(slices, output), *raw, saying=["would be one of the files"])
        self.put("slices/s_005.raw", bytes(84))
        self.fails("label", slices, self.output, *raw, saying=["s_005.raw'", "needs 88 bytes, but the file has 84"])
        os.remove(self.path("slices/s_005.raw"))
        os.remove(self.path("slices/s_002.raw"))
        self.fails("label", slices, self.output, *raw, saying="s_002.raw' is missing")
        self.fails("label", os.path.join(slices, "s_004.ra*"), self.output, "--raw", "7x3x2:uint16:skip=4",
                   saying="a slice image has two dimensions")

    def test_a_mask_with_a_header_is_read_by_it(self):
        mask = self.path("mask.nrrd")
        write_nrrd(mask, "uint8", SIZE, [i % 2 for i in range(210)], spacing=(0.5, 0.5, 2))
        expected = self.labels(self.nrrd, "--mask", mask)
        self.assertEqual(self.labels(self.scan, "--mask", mask, *self.raw), expected)
        self.fails("label", self.nrrd, self.output, "--mask", mask, *self.raw, saying="has one; leave it out")


class RawBatchTest(BatchTest):
    def put(self, name, data):
        path = os.path.join(self.input, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as stream:
            stream.write(data)
        return path

    def test_items_and_slices(self):
        self.recipe('[input]\nraw = "7x6x5:uint16"\nspacing_mm = [1, 1, 2]\n')
        for name in ("a.raw", "b.vol", "c.xyz"):
            self.put(name, raw_bytes("uint16"))
        self.put("d.raw", bytes(3))
        self.put("e.raw", raw_bytes("uint16"))
        self.put("e.mhd", b"NDims = 3\nDimSize = 7 6 5\nElementType = MET_USHORT\nElementDataFile = e.raw\n")
        self.put("notes.txt", b"x")
        self.batch(code=3)
        items = self.items()
        self.assertEqual({name: row["verdict"] == "error" for name, row in items.items()},
                         {"a": False, "b": False, "d": True, "e": False})
        self.assertIn("--raw 7x6x5:uint16 needs 420 bytes, but the file has 3", items["d"]["error"])
        self.assertEqual(self.summary("a")["input"]["raw"], "7x6x5:uint16")
        self.assertEqual(items["a"]["defects"], items["e"]["defects"])
        self.output = self.path("named")
        self.batch(inputs=[os.path.join(self.input, "c.xyz")])
        self.assertEqual(self.items()["c.xyz"]["defects"], items["a"]["defects"])
        os.remove(os.path.join(self.input, "d.raw"))
        self.recipe('[input]\nraw = "7x6:uint16"\n')
        for z in range(5):
            self.put("stack/s%d.raw" % z, raw_bytes("uint16", values=VALUES[42 * z:42 * (z + 1)]))
        self.output = self.path("slices")
        self.batch(inputs=[os.path.join(self.input, "stack")])
        self.assertEqual(self.items()["stack"]["defects"], items["a"]["defects"])

    def test_recipes_that_are_wrong_or_lack_it(self):
        self.put("a.raw", raw_bytes("uint16"))
        self.recipe()
        self.fails("batch", self.path("r.toml"), self.input, "-o", self.output, saying="raw voxels with input.raw")
        self.recipe('[input]\nraw = "7x6x5"\n')
        self.fails("batch", self.path("r.toml"), self.input, "-o", self.output,
                   saying=["input.raw", "'7x6x5' must be a size and a type"])


if __name__ == "__main__":
    unittest.main()
