# SPDX-License-Identifier: Apache-2.0
"""Files of scanners and laboratories: Volume Graphics, Scanco, NumPy, FreeSurfer and GIPL, compared with numpy, nibabel and
SimpleITK, or built byte by byte where no independent reader exists."""

import itertools
import struct
import unittest

from files import FilesTest, np, skip_without, values

nibabel = skip_without("nibabel")
SimpleITK = skip_without("SimpleITK")

SHAPE = (4, 6, 5)
KINDS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")


class ScannersTest(FilesTest):
    def put(self, data, name):
        with open(self.path(name), "wb") as stream:
            stream.write(data)
        return self.path(name)

    def assert_voxels(self, path, voxels, *options):
        image = self.read(path, *options)
        np.testing.assert_array_equal(image.voxels, voxels)
        return image

    def refuses_cuts(self, path):
        """No beginning of the file is an image."""
        with open(path, "rb") as stream:
            data = stream.read()
        for length in itertools.chain(range(0, min(300, len(data)), 7), (len(data) - 1,)):
            self.refuses(self.put(data[:length], "cut" + path[path.rindex("."):]))

    def assert_by_slabs(self, path):
        """Labels are the same when the file is read in parts."""
        for name, options in (("whole", ()), ("slabs", ("--memory", "64MiB", "--threads", "1"))):
            result = self.label(path, self.path(name + ".nrrd"), "--range", "1", "inf", *options)
            self.assertEqual(result.returncode, 0, result.stderr)
        whole, slabs = (SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(self.path(name + ".nrrd"))) for name in ("whole", "slabs"))
        np.testing.assert_array_equal(whole, slabs)


class Npy(ScannersTest):
    def test_all_types_in_both_byte_orders(self):
        for kind, order in itertools.product(KINDS, "<>"):
            voxels = values(kind, SHAPE)
            np.save(self.path("a.npy"), voxels.astype(voxels.dtype.newbyteorder(order)))
            image = self.assert_voxels(self.path("a.npy"), voxels)
            self.assertEqual((image.type, image.size), (kind, [5, 6, 4]))
        self.assert_by_slabs(self.path("a.npy"))

    def test_bool_and_other_dimensions(self):
        for shape in ((7,), (6, 5), (2, 3, 4, 5)):
            voxels = values("uint8", shape) > 100
            np.save(self.path("b.npy"), voxels)
            self.assertEqual(self.assert_voxels(self.path("b.npy"), voxels.astype("u1")).type, "uint8")

    def test_arrays_whose_first_axis_is_the_fastest(self):
        for kind, shape, order in itertools.product(("uint8", "int16", "float64"), ((7,), (6, 5), SHAPE, (2, 3, 4, 5)), "<>"):
            voxels = values(kind, shape)
            np.save(self.path("f.npy"), np.asfortranarray(voxels.astype(voxels.dtype.newbyteorder(order))))
            image = self.assert_voxels(self.path("f.npy"), voxels)
            self.assertEqual(image.size, list(shape[::-1]))
        result = self.label(self.path("f.npy"), self.path("out.nrrd"), "--memory", "64MiB")
        self.assertIn("fortran_order) are not read in parts", result.stderr)

    def test_a_last_axis_of_length_1_is_noted(self):
        np.save(self.path("c.npy"), values("uint8", SHAPE + (1,)))
        self.assertIn("its last axis has length 1 and is read as x of 4 dimensions", " ".join(self.read(self.path("c.npy")).notes))
        np.save(self.path("c.npy"), values("uint8", SHAPE))
        self.assertNotIn("length 1", " ".join(self.read(self.path("c.npy")).notes))

    def test_refused(self):
        voxels = values("uint16", SHAPE)
        for array in (voxels.astype("f2"), voxels.astype("c8"), np.array([("a", 1)], "U1,i4"), np.array(7)):
            np.save(self.path("t.npy"), array)
            self.refuses(self.path("t.npy"))
        np.save(self.path("a.npy"), voxels)
        self.refuses_cuts(self.path("a.npy"))


class FreeSurfer(ScannersTest):
    def image(self, voxels, name):
        turn = np.array([[0, 0.8, 0.6], [-1, 0, 0], [0, -0.6, 0.8]])
        affine = np.eye(4)
        affine[:3, :3] = turn * (0.5, 0.75, 2)
        affine[:3, 3] = (10, -20, 30)
        nibabel.save(nibabel.MGHImage(voxels.T, affine), self.path(name))
        return self.path(name), affine

    def test_beside_nibabel(self):
        for kind, name in itertools.product(("uint8", "int16", "int32", "float32"), ("a.mgh", "a.mgz")):
            for shape in (SHAPE, (2, 3, 4, 5)):
                voxels = values(kind, shape)
                path, affine = self.image(voxels, name)
                image = self.assert_voxels(path, voxels)
                self.assertEqual(image.type, kind)
                lps = np.diag((-1, -1, 1)) @ affine[:3]
                np.testing.assert_allclose(np.array(image.direction)[:3, :3] * np.array(image.spacing)[:3], lps[:, :3], atol=1e-5)
                np.testing.assert_allclose(np.array(image.origin)[:3], lps[:, 3], atol=1e-4)
        for name in ("a.mgh", "a.mgz"):
            self.assert_by_slabs(self.image(values("int16", SHAPE), name)[0])

    def test_tags_behind_the_voxels_are_passed(self):
        path, _ = self.image(values("int16", SHAPE), "a.mgh")
        with open(path, "ab") as stream:
            stream.write(bytes(44))
        self.assertEqual(self.assert_voxels(path, values("int16", SHAPE)).notes, [])

    def test_refused(self):
        path, _ = self.image(values("int16", SHAPE), "a.mgh")
        with open(path, "rb") as stream:
            data = stream.read()
        self.refuses(self.put(data[:20] + struct.pack(">i", 7) + data[24:], "t.mgh"), saying="type 7")
        self.refuses(self.put(data[:284 + 239], "cut.mgh"))
        path, _ = self.image(values("int16", SHAPE), "a.mgz")
        self.refuses_cuts(path)


class Gipl(ScannersTest):
    def test_beside_simpleitk(self):
        for kind in ("uint8", "int8", "uint16", "int16", "float32", "float64"):
            for shape in (SHAPE, (1, 6, 5)):
                voxels = values(kind, shape)
                image = SimpleITK.GetImageFromArray(voxels)
                image.SetSpacing((0.5, 0.75, 2.0))
                image.SetOrigin((1.0, -2.0, 3.0))
                SimpleITK.WriteImage(image, self.path("a.gipl"))
                # A single slice is an image of two dimensions here.
                axes = 3 if shape[0] > 1 else 2
                ours = self.assert_voxels(self.path("a.gipl"), voxels if axes == 3 else voxels[0])
                self.assert_geometry(ours, (0.5, 0.75, 2.0)[:axes], (1.0, -2.0, 3.0)[:axes])
        self.refuses_cuts(self.path("a.gipl"))
        with open(self.path("a.gipl"), "rb") as stream:
            head = stream.read()[:256]
        for number, kind in ((31, ">u4"), (32, ">i4")):
            data = values({"u": "uint32", "i": "int32"}[kind[1]], (1, 6, 5)).astype(kind)
            path = self.put(head[:8] + struct.pack(">H", number) + head[10:] + data.tobytes(), "i.gipl")
            self.assert_voxels(path, data[0])
        SimpleITK.WriteImage(SimpleITK.GetImageFromArray(values("int16", SHAPE)), self.path("b.gipl"))
        self.assert_by_slabs(self.path("b.gipl"))


class Isq(ScannersTest):
    def scan(self, voxels, blocks=2, kind=3, lengths=(50, 90, 160)):
        z, y, x = voxels.shape
        head = struct.pack("<16s8i3i3i", b"CTDATA-HEADER_V1", kind, 0, 0, 1, 2, 0, 0, x * 0, 0, 0, 0, 0, 0, 0)[:44]
        head += struct.pack("<3i3i", x, y, z, *lengths) + struct.pack("<6i", 0, 0, 0, -5, 9, 4096)
        head = head.ljust(508, b"\0") + struct.pack("<i", blocks)
        return self.put(head + bytes(512 * max(blocks, 0)) + voxels.astype("<i2").tobytes(), "a.isq")

    def test_voxels_and_spacing(self):
        voxels = values("int16", SHAPE)
        image = self.assert_voxels(self.scan(voxels), voxels)
        self.assert_geometry(image, (0.01, 0.015, 0.04))
        self.assertIn("times 4096", image.notes[0])
        self.assert_by_slabs(self.path("a.isq"))
        self.assertEqual(self.read(self.scan(voxels, lengths=(0, 0, 0))).spacing, [1, 1, 1])

    def test_refused(self):
        self.refuses(self.scan(values("int16", SHAPE), kind=5), saying="type 5")
        self.refuses(self.scan(values("int16", SHAPE), blocks=-1), saying="blocks")
        self.refuses_cuts(self.scan(values("int16", SHAPE)))


class VolumeGraphics(ScannersTest):
    def scan(self, voxels, kind="unsigned integer", extra="", geometry="resolution = 0.01 0.015 0.04\nunit = mm", size=None, name="scan.vol"):
        size = size or "%d %d %d" % voxels.shape[::-1]
        last = "%d %d %d" % tuple(n - 1 for n in voxels.shape[::-1])
        self.put(b"12345" * ("SkipHeader" in extra) + voxels.tobytes(), "scan.vol")
        text = ("{volume1}\n[representation]\nsize = %s\n[file1]\nRegionOfInterestStart = 0 0 0\nRegionOfInterestEnd = %s\n"
                "FileFormat = raw\nSize = %s\nName = %s\nDatatype = %s\ndatarange = 0 -1\nBitsPerElement = %d\n%s\n"
                "{volumeprimitive12}\n[geometry]\n%s\n[volume]\nvolume = volume1\n"
                % (size, last, size, name, kind, 8 * voxels.itemsize, extra, geometry))
        return self.put(text.replace("\n", "\r\n").encode(), "scan.vgi")

    def test_types_and_spacing(self):
        for kind in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32"):
            words = {"u": "unsigned integer", "i": "signed integer", "f": "float"}[np.dtype(kind).kind]
            voxels = values(kind, SHAPE)
            image = self.assert_voxels(self.scan(voxels, words), voxels)
            self.assertEqual((image.type, image.size), (kind, [5, 6, 4]))
            self.assert_geometry(image, (0.01, 0.015, 0.04))
        voxels = values("uint16", SHAPE)
        self.assert_geometry(self.read(self.scan(voxels, geometry="resolution = 10 15 40\nunit = um")), (0.01, 0.015, 0.04))
        self.assert_voxels(self.scan(voxels, extra="SkipHeader = 5"), voxels)
        # The folder of another computer.
        image = self.assert_voxels(self.scan(voxels, name="D:\\ct\\scan.vol"), voxels)
        self.assertIn("next to it", image.notes[0])
        # The file of voxels leads to its header.
        self.assert_voxels(self.scan(voxels).replace(".vgi", ".vol"), voxels)
        self.assert_by_slabs(self.path("scan.vgi"))

    def test_one_of_several_volumes(self):
        first, second = values("uint16", SHAPE), values("uint16", SHAPE, 1)
        path = self.scan(first)
        with open(path, "r", encoding="utf-8") as stream:
            text = stream.read()
        self.put(second.tobytes(), "other.vol")
        self.put((text + text.replace("volume1", "volume2").replace("scan.vol", "other.vol").replace("12}", "13}")).encode(), "scan.vgi")
        self.refuses(path, saying=["2 volumes", "volume1, volume2", "FILE.vgi::/volume2"])
        self.assert_voxels(path + "::/volume2", second)
        self.assert_voxels(path + "::/volume1", first)
        self.refuses(path + "::/volume3", saying="it has volume1, volume2")

    def test_refused(self):
        voxels = values("uint16", SHAPE)
        self.refuses(self.scan(voxels, "complex"), saying="complex")
        self.refuses(self.scan(voxels, extra="Mirror = 1 0 0"), saying="mirror")
        self.refuses(self.scan(voxels, size="50 6 4"), saying="regionofinterestend")
        self.refuses(self.scan(voxels, extra="[file2]\nName = b.vol"), saying="several files")
        for key in ("Endian", "ByteOrder", "DataOffset", "HeaderSkip"):
            self.refuses(self.scan(voxels, extra=key + " = 1"), saying="its file1/%s is '1', which is not read" % key.lower())
        self.refuses(self.scan(voxels, name="none.vol"), saying="none.vol")
        self.refuses(self.scan(voxels, geometry="resolution = 1 1 1\nunit = parsec"), saying="parsec")
        path = self.scan(voxels)
        self.put(voxels.tobytes()[:-1], "scan.vol")
        self.refuses(path, saying="truncated")
        self.refuses(self.put(b"{volume1}\n[file1]\n", "e.vgi"))


if __name__ == "__main__":
    unittest.main()
