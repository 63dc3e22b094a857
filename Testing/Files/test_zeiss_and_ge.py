# SPDX-License-Identifier: Apache-2.0
"""Scans of Zeiss and GE: compound files, written byte by byte and read by olefile too, and .vff."""

import itertools
import random
import struct
import unittest

from compound_files import compound
from files import FilesTest, np, skip_without, values

olefile = skip_without("olefile")


class ZeissTest(FilesTest):
    def scan(self, voxels, size=512, pixel=0.7, kind=None, name="a.txm", leave=()):
        z, y, x = voxels.shape
        kind = kind or {"uint8": 3, "uint16": 5, "float32": 10}[voxels.dtype.name]
        streams = {"ImageInfo/" + key: struct.pack("<" + form, value) for key, form, value in (
            ("ImageWidth", "I", x), ("ImageHeight", "I", y), ("NoOfImages", "I", z), ("DataType", "I", kind), ("PixelSize", "f", pixel))}
        streams.update(("ImageData%d/Image%d" % (i // 100 + 1, i + 1), plane.astype(plane.dtype.newbyteorder("<")).tobytes())
                       for i, plane in enumerate(voxels))
        with open(self.path(name), "wb") as stream:
            stream.write(compound({key: data for key, data in streams.items() if key not in leave}, size))
        return self.path(name)

    def by_olefile(self, path, dtype, shape):
        with olefile.OleFileIO(path) as ole:
            planes = [np.frombuffer(ole.openstream("ImageData%d/Image%d" % (i // 100 + 1, i + 1)).read(), dtype) for i in range(shape[0])]
        return np.stack(planes).reshape(shape)

    def test_beside_olefile(self):
        for kind, shape, size in itertools.product(("uint8", "uint16", "float32"), ((4, 6, 5), (1, 80, 70), (3, 70, 80)), (512, 4096)):
            voxels = values(kind, shape)
            path = self.scan(voxels, size)
            np.testing.assert_array_equal(self.by_olefile(path, kind, shape), voxels)
            image = self.read(path)
            self.assertEqual(image.type, kind)
            np.testing.assert_array_equal(image.voxels.reshape(shape), voxels)
            np.testing.assert_allclose(image.spacing, [0.0007] * 3, rtol=1e-6)

    def test_many_slices_and_a_long_list_of_sectors(self):
        for voxels in (values("uint8", (230, 5, 6)), values("float32", (2, 1000, 1024))):
            path = self.scan(voxels)
            np.testing.assert_array_equal(self.by_olefile(path, voxels.dtype, voxels.shape), voxels)
            np.testing.assert_array_equal(self.read(path).voxels, voxels)

    def test_read_in_parts(self):
        path = self.scan(values("uint16", (5, 50, 60)))
        for name, options in (("whole", ()), ("slabs", ("--memory", "64MiB", "--threads", "1"))):
            result = self.label(path, self.path(name + ".nrrd"), "--range", "30000", "inf", *options)
            self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(self.read(self.path("whole.nrrd")).voxels, self.read(self.path("slabs.nrrd")).voxels)

    def test_refused(self):
        voxels = values("uint16", (3, 70, 80))
        self.refuses(self.scan(voxels, kind=6), saying="type 6")
        self.refuses(self.scan(voxels, kind=10), saying="no stream 'ImageData1/Image1' of 22400 bytes")
        self.refuses(self.scan(voxels, name="a.txrm"), saying="projections")
        self.refuses(self.scan(voxels, leave=("ImageInfo/DataType",)), saying="ImageInfo/DataType")
        self.refuses(self.scan(voxels, leave=("ImageData1/Image3",)), saying="ImageData1/Image3")
        self.refuses(self.scan(voxels, pixel=float("nan")), saying="spacing")
        self.assertEqual(self.read(self.scan(voxels, pixel=0)).spacing_source, "none")
        path = self.scan(voxels)
        with open(path, "rb") as stream:
            data = stream.read()
        for length in (*range(8, 600, 97), *range(600, len(data), 1999), len(data) - 1):
            with open(path, "wb") as stream:
                stream.write(data[:length])
            self.refuses(path)

    def test_damage_of_the_lists(self):
        """Damaged chains and entries are refused, or lead to the voxels that olefile reads."""
        chance = random.Random(1)
        voxels = values("uint8", (3, 70, 64))
        path = self.scan(voxels)
        with open(path, "rb") as stream:
            data = stream.read()
        begin = data.index("Root Entry".encode("utf-16le"))
        refused = 0
        for _ in range(100):
            changed = bytearray(data)
            changed[chance.choice((chance.randrange(24, 120), chance.randrange(begin, len(data))))] = chance.choice((0, 1, 255, chance.randrange(256)))
            with open(path, "wb") as stream:
                stream.write(changed)
            result, out = self.run_dump(path)
            self.assertIn(result.returncode, (0, 1), result.stderr)
            refused += result.returncode
            if result.returncode == 0 and not np.array_equal(np.fromfile(out, np.uint8), voxels.ravel()):
                np.testing.assert_array_equal(np.fromfile(out, np.uint8), self.by_olefile(path, np.uint8, voxels.shape).ravel())
        self.assertGreater(refused, 5)


class Vff(FilesTest):
    def scan(self, voxels, head="spacing=1 1.5 4;\norigin=1 -2 3;\nelementsize=0.5;\n", bits=None, rest=b""):
        text = "ncaa\nrank=3;\ntype=raster;\nformat=slice;\nbands=1;\nbits=%d;\nsize=%d %d %d;\n%s\f\n" % (
            bits or 8 * voxels.itemsize, *voxels.shape[::-1], head)
        with open(self.path("a.vff"), "wb") as stream:
            stream.write(text.encode() + voxels.astype(voxels.dtype.newbyteorder(">")).tobytes() + rest)
        return self.path("a.vff")

    def test_types_and_geometry(self):
        for kind in ("uint8", "int16", "float32"):
            voxels = values(kind, (4, 6, 5))
            image = self.read(self.scan(voxels))
            self.assertEqual((image.type, image.notes), (kind, []))
            np.testing.assert_array_equal(image.voxels, voxels)
            # The origin counts voxels.
            self.assert_geometry(image, (0.5, 0.75, 2), (0.5, -1.5, 6))
        self.assertEqual(self.read(self.scan(voxels, "")).spacing_source, "none")
        self.assertIn("3 bytes", self.read(self.scan(voxels, rest=b"abc")).notes[0])

    def test_refused(self):
        voxels = values("int16", (4, 6, 5))
        for head, saying in (("bands=1;\n", "'bands=1'"), ("data_scale=2;\n", "data_scale"), ("spacing=1 1;\n", "three"), ("spacing 1;\n", "spacing 1"),
                             ("elementsize=0;\n", "spacing"), ("origin=1 2 x;\n", "origin")):
            self.refuses(self.scan(voxels, head), saying=saying)
        self.refuses(self.scan(voxels, bits=12), saying="'12' bits")
        path = self.scan(voxels)
        with open(path, "rb") as stream:
            data = stream.read()
        for length in range(4, len(data), 11):
            with open(path, "wb") as stream:
                stream.write(data[:length])
            self.refuses(path)


if __name__ == "__main__":
    unittest.main()
