# SPDX-License-Identifier: Apache-2.0
"""Images of VTK, beside VTK's own readers and writers."""

import itertools
import random
import unittest

from files import FilesTest, np, skip_without, values

vtk = skip_without("vtk")
support = skip_without("vtk.util.numpy_support")

SHAPE = (4, 6, 5)
KINDS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")
TURN = (0, -1, 0, 0, 0, 1, -1, 0, 0)
# Name, value of SetDataMode, zlib, base64 of appended data.
FORMS = tuple((name, mode, packed, encoded) for name, mode in (("ascii", 0), ("binary", 1), ("appended", 2))
              for packed, encoded in itertools.product((False, True), (False, True)) if name == "appended" or not encoded)
vtk.vtkObject.GlobalWarningDisplayOff()


def grid(arrays, begin=(0, 0, 0), cells=()):
    """An image of VTK with arrays of points and cells by their names."""
    image = vtk.vtkImageData()
    z, y, x = next(iter(arrays.values())).shape if arrays else np.array(next(iter(cells.values())).shape) + 1
    image.SetExtent(*(part for first, size in zip(begin, (x, y, z)) for part in (first, first + int(size) - 1)))
    image.SetSpacing(0.5, 0.75, 2)
    image.SetOrigin(1, -2, 3)
    for data, named in ((image.GetPointData(), arrays), (image.GetCellData(), dict(cells))):
        for name, voxels in named.items():
            array = support.numpy_to_vtk(voxels.ravel(), deep=True)
            array.SetName(name)
            data.AddArray(array)
            data.SetActiveScalars(name)
    return image


class VtkTest(FilesTest):
    def write(self, image, name="a.vti", mode=2, packed=True, encoded=False, big=False, block=None, words=32):
        writer = vtk.vtkXMLImageDataWriter()
        writer.SetInputData(image)
        writer.SetFileName(self.path(name))
        writer.SetDataMode(mode)
        writer.SetCompressorTypeToLZ4() if packed == "lz4" else writer.SetCompressorTypeToZLib() if packed else writer.SetCompressorTypeToNone()
        writer.SetEncodeAppendedData(encoded)
        writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
        writer.SetHeaderTypeToUInt64() if words == 64 else writer.SetHeaderTypeToUInt32()
        if block:
            writer.SetBlockSize(block)
        self.assertEqual(writer.Write(), 1)
        return self.path(name)

    def lines(self, image, binary, name="a.vtk"):
        writer = vtk.vtkStructuredPointsWriter()
        writer.SetInputData(image)
        writer.SetFileName(self.path(name))
        writer.SetFileTypeToBinary() if binary else writer.SetFileTypeToASCII()
        self.assertEqual(writer.Write(), 1)
        return self.path(name)

    def change(self, path, old, new):
        with open(path, "rb") as stream:
            data = stream.read()
        self.assertIn(old, data)
        with open(path, "wb") as stream:
            stream.write(data.replace(old, new))
        return path

    def assert_voxels(self, path, voxels):
        image = self.read(path)
        np.testing.assert_array_equal(image.voxels, voxels)
        self.assertEqual(image.type, voxels.dtype.name)
        return image

    def by_vtk(self, path):
        """The voxels as VTK reads them; none where it finds no array of the image's size."""
        reader = vtk.vtkXMLImageDataReader() if path.endswith(".vti") else vtk.vtkStructuredPointsReader()
        reader.SetFileName(path)
        reader.Update()
        if reader.GetErrorCode():
            return None
        output = reader.GetOutput()
        data = output.GetPointData() if output.GetPointData().GetNumberOfArrays() else output.GetCellData()
        return support.vtk_to_numpy(data.GetArray(0)).ravel() if data.GetNumberOfArrays() and data.GetArray(0) else None


class Xml(VtkTest):
    def test_all_types_and_forms(self):
        for kind, (name, mode, packed, encoded) in itertools.product(KINDS, FORMS):
            with self.subTest(kind=kind, form=name, packed=packed, encoded=encoded):
                voxels = values(kind, SHAPE)
                big, words = (KINDS.index(kind) + mode) % 2 == 1, 64 if kind.endswith("8") or packed else 32
                path = self.write(grid({"x": voxels}), "a.vti", mode, packed, encoded, big, words=words)
                image = self.assert_voxels(path, voxels)
                self.assert_geometry(image, (0.5, 0.75, 2), (1, -2, 3), np.eye(3))

    def test_many_blocks(self):
        voxels = values("uint16", (9, 40, 41)) % 7
        for block in (8, 1000, 4096, voxels.nbytes, voxels.nbytes // 4):
            for packed in (True, "lz4"):
                self.assert_voxels(self.write(grid({"x": voxels.astype("uint16")}), packed=packed, block=block), voxels)

    def test_lz4(self):
        for kind, encoded in itertools.product(KINDS, (False, True)):
            for voxels in (values(kind, SHAPE), np.zeros((9, 30, 31), kind)):
                path = self.write(grid({"x": voxels}), packed="lz4", encoded=encoded, big=encoded)
                self.assert_voxels(path, voxels)
        with open(self.write(grid({"x": voxels}), packed="lz4", words=64), "rb") as stream:
            data = stream.read()
        blocks = data.index(b"_") + 1 + 4 * 8
        for place, value in ((blocks, 255), (blocks + 5, 255), (blocks - 8, data[blocks - 8] ^ 1), (blocks - 24, 1)):
            with open(self.path("a.vti"), "wb") as stream:
                stream.write(data[:place] + bytes([value]) + data[place + 1:])
            self.refuses(self.path("a.vti"))

    def test_place_of_points_and_cells(self):
        image = grid({"x": values("int16", SHAPE)}, (2, -1, 7))
        image.SetDirectionMatrix(*TURN)
        ours = self.read(self.write(image))
        self.assert_geometry(ours, (0.5, 0.75, 2), image.GetPoint(0), np.reshape(TURN, (3, 3)))
        cells = values("int16", SHAPE)
        image = grid({}, (2, -1, 7), {"c": cells})
        image.SetDirectionMatrix(*TURN)
        for path in (self.write(image), ):
            ours = self.assert_voxels(path, cells)
            bounds = np.reshape(image.GetCell(0).GetBounds(), (3, 2))
            self.assert_geometry(ours, (0.5, 0.75, 2), bounds.mean(1), np.reshape(TURN, (3, 3)))
        flat = grid({"x": values("uint8", (1, 6, 5))})
        self.assertEqual(self.read(self.write(flat)).size, [5, 6, 1])

    def test_one_of_several_arrays(self):
        voxels = {"first": values("int16", SHAPE), "second, 2": values("float32", SHAPE)}
        for _, mode, packed, encoded in FORMS:
            path = self.write(grid(voxels, cells={"of cells": values("uint8", (3, 5, 4))}), "a.vti", mode, packed, encoded)
            self.refuses(path, saying=["the arrays 'of cells', 'first', 'second, 2'", "FILE.vti::/NAME"])
            np.testing.assert_array_equal(self.read(path + "::/first").voxels, voxels["first"])
            np.testing.assert_array_equal(self.read(path + "::of cells").voxels, values("uint8", (3, 5, 4)))
            self.refuses(path + "::/third", saying="'first'")

    def test_read_in_parts(self):
        path = self.write(grid({"x": values("int16", SHAPE)}), packed=False)
        for name, options in (("whole", ()), ("slabs", ("--memory", "64MiB", "--threads", "1"))):
            result = self.label(path, self.path(name + ".nrrd"), "--range", "1", "inf", *options)
            self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(self.read(self.path("whole.nrrd")).voxels, self.read(self.path("slabs.nrrd")).voxels)
        result = self.label(self.write(grid({"x": values("int16", SHAPE)})), self.path("a.nrrd"), "--memory", "64MiB")
        self.assertIn("compressed blocks are not read in parts", result.stderr)

    def test_refused(self):
        image = grid({"x": values("int16", SHAPE)})
        for old, new, saying in ((b'type="ImageData"', b'type="PolyData" ', "PolyData"), (b"vtkZLib", b"vtkLZMA", "vtkLZMADataCompressor"),
                                 (b"header_type", b"header_tipe", "header_type"), (b'Extent="0 4 0 5 0 3"  ', b'Extent="0 4 0 5 0 2"  ', "Extent"),
                                 (b"<PointData", b"<!-- a --><PointData", "comments"), (b'"Int16"', b'"Bit"', "Bit"),
                                 (b'Name="x"', b'Name="x" NumberOfComponents="3"', "NumberOfComponents"), (b"</Piece>", b"</Piece><Piece>", "2 elements Piece"),
                                 (b'Spacing="0.5', b'Spacing="nan', "nan"), (b'_', b'-', "")):
          with self.subTest(old=old):
            path = self.change(self.write(image, words=64), old, new)
            self.change(path, b'version="1.0"', b'version="2.0"') if old == b"header_type" else None
            self.refuses(path, saying=saying)
        path = self.write(image)
        with open(path, "rb") as stream:
            data = stream.read()
        for length in range(0, len(data) - 2, 41):
            with open(path, "wb") as stream:
                stream.write(data[:length])
            self.refuses(path)


class Lines(VtkTest):
    def test_all_types(self):
        for kind, binary in itertools.product(KINDS, (True, False)):
            voxels = values(kind, SHAPE)
            path = self.lines(grid({"x": voxels}), binary)
            if kind == "uint8" and not binary:
                # VTK writes colors from 0 to 1.
                self.refuses(path, saying="COLOR_SCALARS")
                continue
            # VTK writes six digits of a number as text.
            image = self.assert_voxels(path, voxels if binary or kind[0] != "f" else self.by_vtk(path).reshape(SHAPE))
            self.assert_geometry(image, (0.5, 0.75, 2), (1, -2, 3))

    def test_of_itk(self):
        sitk = skip_without("SimpleITK")
        for kind in ("uint8", "int16", "uint16", "float32"):
            image = sitk.GetImageFromArray(values(kind, SHAPE))
            image.SetSpacing((0.5, 0.75, 2.0))
            sitk.WriteImage(image, self.path("b.vtk"))
            self.assert_geometry(self.assert_voxels(self.path("b.vtk"), values(kind, SHAPE)), (0.5, 0.75, 2), (0, 0, 0))

    def test_cells(self):
        cells = values("int16", SHAPE)
        ours = self.assert_voxels(self.lines(grid({}, cells={"c": cells}), True), cells)
        self.assert_geometry(ours, (0.5, 0.75, 2), (1.25, -1.625, 4))

    def test_one_of_several_arrays(self):
        """Also arrays with names of keys."""
        voxels = {"first": values("int16", SHAPE), "scalars": values("float64", SHAPE).round(), "metadata": values("uint16", SHAPE)}
        for binary in (True, False):
            image = grid(voxels)
            three = support.numpy_to_vtk(np.zeros((image.GetNumberOfPoints(), 3), "f4"), deep=True)
            three.SetName("vector")
            image.GetPointData().AddArray(three)
            for active in (None, "scalars"):
                image.GetPointData().SetActiveScalars(active)
                path = self.lines(image, binary)
                self.refuses(path, saying=["'first'", "'scalars'", "'metadata'", "choose one as FILE.vtk::/NAME"])
                for name, expected in voxels.items():
                    np.testing.assert_array_equal(self.read(path + "::" + name).voxels, expected)
                self.refuses(path + "::/vector", saying="3 components")
                self.refuses(path + "::/fourth", saying="'first'")

    def test_refused(self):
        voxels = values("int16", SHAPE)
        for old, new, saying in ((b"STRUCTURED_POINTS", b"POLYDATA", "STRUCTURED_POINTS"), (b" short", b" bit", "'bit'"), (b"POINT_DATA 120", b"POINT_DATA 119", "119"),
                                 (b"ORIGIN", b"VECTORS", "VECTORS"), (b"DIMENSIONS 5 6 4", b"DIMENSIONS 5 24", "too few"),
                                 (b"DIMENSIONS 5", b"DIMENSIONS -5", "its size is -5 x 6 x 4;"),
                                 (b"DIMENSIONS 5", b"DIMENSIONS -9223372036854775807", "its size is -9223372036854775807 x 6 x 4;")):
            self.refuses(self.change(self.lines(grid({"x": voxels}), True), old, new), saying=saying)
        self.refuses(self.change(self.lines(grid({"x": voxels}), True), b"POINT_DATA", b"\x1b\xff[31m DATA"), saying="'\\x1b")
        for binary in (True, False):
            path = self.lines(grid({"x": voxels}), binary)
            with open(path, "rb") as stream:
                data = stream.read()
            for length in range(0, len(data) - 8, 23):
                with open(path, "wb") as stream:
                    stream.write(data[:length])
                self.refuses(path)


class Damage(VtkTest):
    def test_no_other_voxels_than_vtk(self):
        """Files with one damaged byte are refused, or have the voxels that VTK reads or that were written."""
        chance = random.Random(1)
        voxels = values("int16", SHAPE)
        forms = [self.write(grid({"x": voxels}), "%s%d%d.vti" % (name, packed, encoded), mode, packed, encoded) for name, mode, packed, encoded in FORMS]
        forms += [self.lines(grid({"x": voxels}), binary, "%d.vtk" % binary) for binary in (True, False)]
        refused = 0
        for path in forms:
            with open(path, "rb") as stream:
                data = stream.read()
            for _ in range(12):
                changed = bytearray(data)
                changed[chance.randrange(len(data))] = chance.choice((chance.randrange(256), ord(chance.choice('0123456789" <>/='))))
                other = self.path("damaged" + path[path.rindex("."):])
                with open(other, "wb") as stream:
                    stream.write(changed)
                result, out = self.run_dump(other)
                self.assertIn(result.returncode, (0, 1), result.stderr)
                refused += result.returncode
                if result.returncode == 0:
                    ours = np.fromfile(out, np.uint8)
                    theirs = self.by_vtk(other)
                    self.assertTrue(np.array_equal(ours, voxels.ravel().view(np.uint8)) or
                                    (theirs is not None and np.array_equal(ours, np.ascontiguousarray(theirs).view(np.uint8))), bytes(changed))
        self.assertGreater(refused, 20)


if __name__ == "__main__":
    unittest.main()
