"""Compressed images on a device, to which voxels go while others are decompressed: label maps, tables and errors are those
of the CPU and of files that are not compressed. Without a device, the CPU is compared with itself."""

import gzip
import itertools
import os
import pathlib
import random
import struct
import unittest
import zlib

from support import CommandTest, TYPES, run

META = {"uint8": "MET_UCHAR", "int16": "MET_SHORT", "uint32": "MET_UINT", "float": "MET_FLOAT", "double": "MET_DOUBLE"}
NIFTI = {"uint8": 2, "int16": 4, "uint32": 768, "float": 16, "double": 64}


def voxels_of(kind, sizes, seed):
    """Values 0 to 3 in short runs along x, and a byte pattern that does not compress to nothing."""
    source = random.Random(seed)
    values = []
    while len(values) < sizes[0] * sizes[1] * sizes[2]:
        values += [source.randrange(4)] * source.randrange(1, 7)
    del values[sizes[0] * sizes[1] * sizes[2]:]
    return values


def packed_values(kind, values, order):
    return struct.pack("%s%d%s" % (order, len(values), TYPES[kind][0]), *values)


def nrrd(kind, sizes, data, order, compressed):
    header = "NRRD0004\ntype: %s\ndimension: 3\nsizes: %d %d %d\nendian: %s\nencoding: %s\n\n" % (
        TYPES[kind][1], *sizes, "little" if order == "<" else "big", "gzip" if compressed else "raw")
    return header.encode() + (gzip.compress(data) if compressed else data)


def meta(kind, sizes, data, order, compressed):
    header = ("ObjectType = Image\nNDims = 3\nDimSize = %d %d %d\nBinaryData = True\nBinaryDataByteOrderMSB = %s\n"
              "CompressedData = %s\nElementType = %s\nElementDataFile = LOCAL\n") % (
                  *sizes, order == ">", compressed, META[kind])
    return header.encode() + (zlib.compress(data) if compressed else data)


def nifti(kind, sizes, data, order, compressed):
    header = bytearray(352)
    struct.pack_into(order + "i", header, 0, 348)
    struct.pack_into(order + "8h", header, 40, 3, *sizes, 1, 1, 1, 1)
    struct.pack_into(order + "2h", header, 70, NIFTI[kind], 8 * struct.calcsize(TYPES[kind][0]))
    struct.pack_into(order + "8f", header, 76, 1, 1, 1, 1, 1, 1, 1, 1)
    struct.pack_into(order + "3f", header, 108, 352, 1, 0)
    header[344:348] = b"n+1\0"
    content = bytes(header) + data
    return gzip.compress(content) if compressed else content


FORMATS = {".nrrd": nrrd, ".mha": meta, ".nii": nifti}


class Arriving(CommandTest):
    def label(self, name, device, *options):
        """What the command says, writes and prints: its exit code, label map, table and errors."""
        outputs = [self.path("labels.nrrd"), self.path("table.csv")]
        for output in outputs:
            if os.path.exists(output):
                os.remove(output)
        done = run("label", self.path(name), outputs[0], "--statistics", outputs[1], "--device", device, "--quiet", *options)
        contents = []
        for output in outputs:
            contents.append(pathlib.Path(output).read_bytes() if os.path.exists(output) else None)
        errors = [line for line in done.stderr.splitlines() if "is not available" not in line]
        return done.returncode, contents, errors

    def write(self, name, content):
        with open(self.path(name), "wb") as stream:
            stream.write(content)

    def test_labels_are_those_of_the_cpu_and_of_plain_files(self):
        criteria = itertools.cycle([(), ("--equal-value", "--connectivity", 26), ("--range", 1, 2), ("--tolerance", 1)])
        for seed, sizes in enumerate([(5, 3, 2), (70, 60, 50)]):
            for kind in META:
                values = voxels_of(kind, sizes, seed)
                for order in "<>":
                    data = packed_values(kind, values, order)
                    for extension, make in FORMATS.items():
                        with self.subTest(sizes=sizes, kind=kind, order=order, extension=extension):
                            name = "a" + extension + (".gz" if extension == ".nii" else "")
                            self.write(name, make(kind, sizes, data, order, True))
                            self.write("plain" + extension, make(kind, sizes, data, order, False))
                            options = next(criteria)
                            found = self.label(name, "cuda", *options)
                            self.assertEqual(found[0], 0, found[2])
                            self.assertEqual(found[:2], self.label(name, "cpu", *options)[:2])
                            self.assertEqual(found[:2], self.label("plain" + extension, "cuda", *options)[:2])

    def test_damaged_and_cut_files_are_refused_as_on_the_cpu(self):
        source = random.Random(3)
        sizes = (70, 60, 50)
        data = packed_values("int16", voxels_of("int16", sizes, 3), "<")
        for extension, make in FORMATS.items():
            name = "a" + extension + (".gz" if extension == ".nii" else "")
            whole = make("int16", sizes, data, "<", True)
            for turn in range(6):
                place = source.randrange(len(whole) // 4, len(whole))
                damaged = bytearray(whole)
                damaged[place] ^= source.randrange(1, 256)
                self.write(name, whole[:place] if turn % 2 else bytes(damaged))
                with self.subTest(extension=extension, turn=turn, place=place):
                    found = self.label(name, "cuda")
                    self.assertNotEqual(found[0], 0)
                    self.assertEqual(found[1], [None, None])
                    self.assertEqual(found, self.label(name, "cpu"))

    def test_what_is_labeled_instead_of_the_image_is_that(self):
        sizes = (70, 60, 50)
        data = packed_values("int16", voxels_of("int16", sizes, 4), "<")
        self.write("a.nrrd", nrrd("int16", sizes, data, "<", True))
        self.write("mask.nrrd", nrrd("uint8", sizes, bytes([0, 1, 1, 1, 1] * (len(data) // 10)), "<", True))
        for options in (("--pores", "--range", 1, 3), ("--mask", self.path("mask.nrrd")), ("--threshold", "otsu"),
                        ("--threads", 1), ("--minimum-size", 4), ("--fill-holes",), ("--clear-border",)):
            with self.subTest(options=options):
                found = self.label("a.nrrd", "cuda", *options)
                self.assertEqual(found[0], 0, found[2])
                self.assertEqual(found[:2], self.label("a.nrrd", "cpu", *options)[:2])


if __name__ == "__main__":
    unittest.main()
