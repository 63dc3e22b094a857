# SPDX-License-Identifier: Apache-2.0
"""Voxels without a header, written by NumPy's tofile, and read by their size and type."""

import os
import unittest

from files import FilesTest, np, values

KINDS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")


class RawTest(FilesTest):
    def put(self, name, array, before=b""):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as stream:
            stream.write(before)
            array.tofile(stream)
        return self.path(name)

    def test_all_types_orders_and_offsets(self):
        for number, kind in enumerate(KINDS):
            array = values(kind, (5, 6, 7), number)
            for order, word in (("<", ""), (">", ":big")):
                for skip in (0, 4, 13):
                    path = self.put("a.raw", array.astype(np.dtype(kind).newbyteorder(order)), b"\xff" * skip)
                    image = self.read(path, "--raw", "7x6x5:%s%s:skip=%d" % (kind, word, skip))
                    self.assertEqual((image.type, image.size, image.spacing_source), (kind, [7, 6, 5], "none"))
                    np.testing.assert_array_equal(image.voxels.view("u1"), array.view("u1"))

    def test_one_to_four_dimensions(self):
        array = values("uint16", 120)
        for shape in ((120,), (10, 12), (4, 5, 6), (2, 3, 4, 5)):
            path = self.put("a.bin", array)
            image = self.read(path, "--raw", "x".join(map(str, shape[::-1])) + ":uint16")
            np.testing.assert_array_equal(image.voxels, array.reshape(shape))
        image = self.read(path, "--raw", "6x5x4:uint16", "--spacing", 0.5, 0.25, 2)
        self.assertEqual((image.spacing, image.spacing_source), ([0.5, 0.25, 2], "--spacing"))

    def test_voxels_that_begin_like_another_format(self):
        for mark in (b"BM", b"NRRD0004\n", b"\xff\xd8\xff\xe0", b"II*\0", b"\x89PNG\r\n\x1a\n", b"\x1f\x8b\x08", b"\x89HDF\r\n\x1a\n"):
            array = np.frombuffer(mark.ljust(120, b"\1"), "u1").reshape(4, 5, 6)
            for name in ("a.raw", "a.xyz", "a.img"):
                np.testing.assert_array_equal(self.read(self.put(name, array), "--raw", "6x5x4:uint8").voxels, array)
        preamble = np.frombuffer((bytes(128) + b"DICM").ljust(240, b"\1"), "u2").reshape(4, 5, 6)
        np.testing.assert_array_equal(self.read(self.put("d.raw", preamble), "--raw", "6x5x4:uint16").voxels, preamble)

    def test_files_of_a_format_keep_it(self):
        array = values("uint8", (4, 5, 6))
        self.put("a.nrrd", array, b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 6 5 4\nencoding: raw\n\n")
        np.testing.assert_array_equal(self.read(self.path("a.nrrd"), "--raw", "10x10x10:float32").voxels, array)

    def test_slices(self):
        array = values("int16", (12, 6, 7))
        for z in range(12):
            self.put("stack/s%d.bin" % z, array[z].astype(">i2"), b"12")
        for path in (self.path("stack"), self.path("stack", "s*.bin")):
            image = self.read(path, "--raw", "7x6:int16:big:skip=2")
            np.testing.assert_array_equal(image.voxels, array)
        self.refuses(self.path("stack"), "--raw", "7x6:uint8", saying=["s0.bin'", "needs 42 bytes, but the file has 86"])

    def test_lengths_that_do_not_fit(self):
        path = self.put("a.raw", values("uint16", (5, 6, 7)))
        for text, saying in (("7x6x5:uint8", "needs 210 bytes, but the file has 420"),
                             ("7x6x5:float64", "needs 1680 bytes, but the file has 420"),
                             ("7x6x5:uint16:skip=1", "needs 421 bytes, but the file has 420"),
                             ("1000000x1000000x1000:uint16", "bytes, but the file has 420")):
            self.refuses(path, "--raw", text, saying=saying)


if __name__ == "__main__":
    unittest.main()
