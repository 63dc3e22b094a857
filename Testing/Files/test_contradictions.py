# SPDX-License-Identifier: Apache-2.0
"""Files of which one part contradicts another one, or whose first part alone looks like the whole, are errors or told."""

import struct
import unittest

from files import FilesTest, np, skip_without, values

tifffile = skip_without("tifffile")


def tiff(pages, entries=()):
    """A little-endian TIFF of uint16 pages, each one strip; `entries` of the first page are (tag, type, count, bytes)."""
    content = bytearray(b"II*\0" + bytes(4))
    previous = 4
    for number, page in enumerate(pages):
        place = len(content)
        content += page.tobytes()
        own = {256: page.shape[1], 257: page.shape[0], 258: 16, 259: 1, 262: 1, 273: place, 277: 1, 278: page.shape[0],
               279: page.nbytes, 339: 1}
        rows = [(tag, 4, 1, struct.pack("<I", value)) for tag, value in own.items()]
        for tag, kind, count, data in entries if number == 0 else ():
            rows = [row for row in rows if row[0] != tag]
            if len(data) > 4:
                content += data
                data = struct.pack("<I", len(content) - len(data))
            rows.append((tag, kind, count, data.ljust(4, b"\0")))
        content[previous:previous + 4] = struct.pack("<I", len(content))
        content += struct.pack("<H", len(rows))
        for tag, kind, count, data in sorted(rows):
            content += struct.pack("<HHI", tag, kind, count) + data
        previous = len(content)
        content += bytes(4)
    return bytes(content)


class ContradictionTest(FilesTest):
    def put(self, content, name):
        with open(self.path(name), "wb") as stream:
            stream.write(content)
        return self.path(name)

    def test_stacks_of_metamorph(self):
        """One directory stands for all planes; UIC2Tag has a value for each."""
        planes = values("uint16", (3, 5, 6))
        uic2 = (33629, 5, 3, struct.pack("<6I", *[1] * 6))
        stack = tiff([planes.reshape(15, 6)], [(257, 4, 1, struct.pack("<I", 5)), (279, 4, 1, struct.pack("<I", 60)), uic2])
        self.refuses(self.put(stack, "a.tif"), saying=["MetaMorph", "3 planes in 1 page"])
        np.testing.assert_array_equal(self.read(self.put(tiff(planes, [uic2]), "b.tif")).voxels, planes)
        one = (33629, 5, 1, struct.pack("<2I", 1, 1))
        np.testing.assert_array_equal(self.read(self.put(tiff(planes[:1], [one]), "c.tif")).voxels, planes[0])

    def test_files_of_zeiss(self):
        """Their pages may be channels, points in time or positions."""
        info = struct.pack("<7I", 0x0400494C, 28, 6, 5, 2, 1, 2)
        path = self.put(tiff(values("uint16", (4, 5, 6)), [(34412, 1, len(info), info)]), "a.tif")
        self.refuses(path, saying=["Zeiss", "save its slices as OME-TIFF"])

    def test_an_only_strip_that_is_too_short(self):
        """libtiff would take the bytes behind it for pixels."""
        plane = values("uint16", (5, 6))
        for count in (58, 2):
            path = self.put(tiff([plane], [(279, 4, 1, struct.pack("<I", count))]), "a.tif")
            self.refuses(path, saying="a strip of %d bytes instead of 60" % count)
        for count in (0, 60, 62):
            path = self.put(tiff([plane], [(279, 4, 1, struct.pack("<I", count))]), "a.tif")
            np.testing.assert_array_equal(self.read(path).voxels, plane)

    def test_strips_and_tiles_that_are_too_long(self):
        """The bytes behind the pixels are passed over."""
        long = lambda *numbers: struct.pack("<%dI" % len(numbers), *numbers)
        plane = values("uint16", (5, 6))
        two = [(278, 4, 1, long(3)), (273, 4, 2, long(8, 8 + 36))]
        square = np.zeros((16, 16), "uint16")
        square[:5, :6] = plane
        tiled = [(256, 4, 1, long(6)), (257, 4, 1, long(5)), (322, 4, 1, long(16)), (323, 4, 1, long(16)), (324, 4, 1, long(8))]
        for page, entries in (
                (plane, [(279, 4, 1, long(62))]), (plane, [(279, 4, 1, long(0xffffffff))]),
                (plane, [*two, (279, 4, 2, long(36, 40))]), (plane, [*two, (279, 4, 2, long(1000, 24))]),
                (square, [*tiled, (325, 4, 1, long(600))]),
                # A last strip may be as long as the others.
                (plane, [*two, (279, 4, 2, long(36, 36))]), (plane, [*two, (279, 4, 2, long(36, 24))])):
            ours = self.read(self.put(tiff([page], entries), "a.tif"))
            with self.subTest(entries=entries):
                np.testing.assert_array_equal(ours.voxels, plane)
                self.assertEqual(ours.notes, [])

        # Writers may round an odd number of bytes up.
        odd = values("uint8", (5, 5))
        ours = self.read(self.put(tiff([odd], [(258, 3, 1, struct.pack("<H", 8)), (279, 4, 1, long(26))]), "a.tif"))
        np.testing.assert_array_equal(ours.voxels, odd)
        self.assertEqual(ours.notes, [])

    def test_gray_under_pixarlog(self):
        """The library's decoder loses the first pixel of each row."""
        tifffile.imwrite(self.path("p.tif"), np.zeros((4, 5), np.uint8), photometric="minisblack")
        with tifffile.TiffFile(self.path("p.tif"), mode="r+b") as tiff:
            tiff.pages[0].tags[259].overwrite(32909)
        self.refuses(self.path("p.tif"), saying=["PixarLog"])

    def test_palettes_without_colors(self):
        """libtiff tells of gray pages."""
        plane = values("uint8", (5, 6))
        palette = [(258, 3, 1, struct.pack("<H", 8)), (262, 3, 1, struct.pack("<H", 3))]
        colors = (320, 3, 768, bytes(1536))
        for entries, saying in ((palette, ""), ([*palette, colors], "numbers of colors"), (palette[:1], "")):
            ours = self.read(self.put(tiff([plane], entries), "a.tif"))
            np.testing.assert_array_equal(ours.voxels, plane)
            self.assertEqual(len(ours.notes), int(saying != ""))
            self.assertIn(saying, " ".join(ours.notes))

    def test_sizes_of_ome(self):
        planes = values("uint16", (2, 5, 6))
        for size, isTold in ((5, False), (10, True)):
            text = ('<?xml version="1.0"?><OME><Image><Pixels DimensionOrder="XYZCT" SizeX="6" SizeY="%d" SizeZ="2" SizeC="1" SizeT="1" '
                    'Type="uint16" PhysicalSizeX="1"><TiffData/></Pixels></Image></OME>' % size).encode() + b"\0"
            ours = self.read(self.put(tiff(planes, [(270, 2, len(text), text)]), "a.tif"))
            np.testing.assert_array_equal(ours.voxels, planes)
            self.assertEqual("6 x 10 pixels but its pages have 6 x 5" in " ".join(ours.notes), isTold)

    def nrrd(self, *fields):
        header = ["NRRD0004", "type: uint8", "dimension: 3", "sizes: 3 4 5", "encoding: raw", *fields]
        return self.put(("\n".join(header) + "\n\n").encode() + bytes(range(60)), "a.nrrd")

    def test_kinds_of_nrrd(self):
        for kinds, saying in (("vector domain domain", None), ("3-color domain domain", None), ("space space space", None),
                              ("foo domain domain", "'foo'"), ("domain domain", "2 kinds for 3 axes"), ("domain", "1 kind for"),
                              ("domain domain domain domain", "4 kinds for 3 axes")):
            with self.subTest(kinds=kinds):
                if saying is None:
                    self.assertEqual(self.read(self.nrrd("kinds: " + kinds)).channels, 1 if kinds.startswith("space") else 3)
                else:
                    self.refuses(self.nrrd("kinds: " + kinds), saying=saying)

    def test_units_of_nrrd(self):
        directions = ["space: LPS", "space directions: (1,0,0) (0,1,0) (0,0,1)"]
        self.assert_geometry(self.read(self.nrrd(*directions, 'space units: "um" "um" "um"')), (1e-3, 1e-3, 1e-3))
        self.refuses(self.nrrd(*directions, 'space units: "um" "um"'), saying=["space units", "2 units for 3 axes"])
        self.refuses(self.nrrd("spacings: 1 1 1", 'units: "um"'), saying=["units", "1 unit for 3 axes"])

    def test_the_space_of_nrrd_said_twice(self):
        directions = "space directions: (1,0,0) (0,2,0) (0,0,3)"
        for fields in (["space: LPS", directions], ["space dimension: 3", directions], ["space: LPS", "space dimension: 3", directions]):
            self.assert_geometry(self.read(self.nrrd(*fields)), (1, 2, 3))
        for count in (2, 4):
            self.refuses(self.nrrd("space dimension: %d" % count, directions), saying=["axis 0 has 3 numbers", "%d dimensions" % count])

    def test_two_names_of_one_field_of_metaimage(self):
        base = "ObjectType = Image\nNDims = 3\nDimSize = 3 4 5\nElementType = MET_UCHAR\n"
        for fields, saying in (("Offset = 1 2 3\nPosition = 1 2 3\n", None), ("Offset = 1 2 3\nPosition = 1 2 4\n", "'Position' and another one"),
                               ("Offset = 1 2 3\nOrigin = 0 0 0\n", "'Origin' and another one"),
                               ("BinaryDataByteOrderMSB = False\nElementByteOrderMSB = True\nElementType = MET_SHORT\n", None),
                               ("TransformMatrix = 1 0 0 0 1 0 0 0 1\nRotation = 0 1 0 1 0 0 0 0 1\n", "'Rotation'"),
                               ("ElementSpacing = 1 2 3\nElementSize = 4 5 6\n", None)):
            if "MET_SHORT" in fields:
                saying, header = "'ElementByteOrderMSB' and another one", base.replace("ElementType = MET_UCHAR\n", "") + fields
            else:
                header = base + fields
            path = self.put((header + "ElementDataFile = LOCAL\n").encode() + bytes(120 if "SHORT" in header else 60), "a.mha")
            with self.subTest(fields=fields):
                if saying is None:
                    ours = self.read(path)
                    self.assertEqual(list(ours.spacing), [1, 2, 3] if "Spacing" in fields else [1, 1, 1])
                else:
                    self.refuses(path, saying=saying)

    def nifti(self, bits=16):
        header = bytearray(352)
        struct.pack_into("<i", header, 0, 348)
        struct.pack_into("<8h", header, 40, 3, 3, 4, 5, 1, 1, 1, 1)
        struct.pack_into("<hh", header, 70, 4, bits)
        struct.pack_into("<8f", header, 76, 1, 1, 1, 1, 1, 1, 1, 1)
        struct.pack_into("<f", header, 108, 352)
        header[344:348] = b"n+1\0"
        return header

    def test_codes_of_forms_of_nifti(self):
        """A form is used if its code is above 0. The standard has 0 to 5."""
        for qform, sform, origin in ((0, 0, (0, 0, 0)), (5, 0, (-1, -2, 3)), (0, 5, (-10, -20, 30)), (6, 0, (-1, -2, 3)),
                                     (-1, 0, (0, 0, 0)), (0, 99, (-10, -20, 30)), (1, -3, (-1, -2, 3)), (-1, 1, (-10, -20, 30))):
            header = self.nifti()
            struct.pack_into("<hh", header, 252, qform, sform)
            struct.pack_into("<6f", header, 256, 0, 0, 0, 1, 2, 3)
            struct.pack_into("<12f", header, 280, 1, 0, 0, 10, 0, 1, 0, 20, 0, 0, 1, 30)
            ours = self.read(self.put(bytes(header) + bytes(120), "a.nii"))
            self.assert_geometry(ours, (1, 1, 1), origin)

    def test_line_ends_of_the_second_nifti(self):
        """Four bytes of the magic in which transfers as text change the line ends."""
        header = bytearray(544)
        for order in "<>":
            struct.pack_into(order + "i4s4shh", header, 0, 540, b"n+2\0", b"\r\n\x1a\n", 4, 16)
            struct.pack_into(order + "8q", header, 16, 3, 3, 4, 5, 1, 1, 1, 1)
            struct.pack_into(order + "8d", header, 104, 1, 1, 1, 1, 1, 1, 1, 1)
            struct.pack_into(order + "q", header, 168, 544)
            voxels = values("int16", (5, 4, 3))
            whole = bytes(header) + voxels.astype(order + "i2").tobytes()
            ours = self.read(self.put(whole, "a.nii"))
            np.testing.assert_array_equal(ours.voxels, voxels)
            self.assertNotIn("magic", " ".join(ours.notes))
            for damaged in (whole.replace(b"\r\n", b"\n"), whole.replace(b"\n", b"\r\n"),
                            whole[:10] + b"\x1b" + whole[11:]):
                self.refuses(self.put(damaged, "b.nii"), saying=["0D 0A 1A 0A", "transfer as text"])
            # Some programs leave them at 0.
            ours = self.read(self.put(whole[:8] + bytes(4) + whole[12:], "c.nii"))
            np.testing.assert_array_equal(ours.voxels, voxels)

    def test_arrays_of_metaimage(self):
        header = "ObjectType = Image\nNDims = 3\nDimSize = 3 4 5\nElementType = %s\nElementDataFile = LOCAL\n"
        for kind in ("MET_UCHAR_ARRAY", "MET_FLOAT_ARRAY"):
            self.refuses(self.put((header % kind).encode() + bytes(240), "a.mha"), saying=[kind, "ElementNumberOfChannels"])

    def test_bmp_of_16_bits(self):
        for compression, masks in ((0, b""), (3, struct.pack("<3I", 0xf800, 0x7e0, 0x1f))):
            header = struct.pack("<IiiHHIIiiII", 40, 6, 5, 1, 16, compression, 60, 0, 0, 0, 0) + masks
            path = self.put(b"BM" + struct.pack("<IHHI", 74 + len(masks), 0, 0, 14 + len(header)) + header + bytes(60), "a.bmp")
            self.refuses(path, saying=["16 bits", "24-bit"])

    def test_bits_of_nifti(self):
        for bits in (0, 8, 16, 32):
            path = self.put(bytes(self.nifti(bits)) + bytes(120), "a.nii")
            if bits % 16 == 0 and bits < 32:
                self.read(path)
            else:
                self.refuses(path, saying="bitpix")

    def test_scale_factors_of_hdf5_that_are_no_number(self):
        try:
            import h5py
        except ImportError as error:
            self.skipTest(str(error))
        voxels = values("int16", (3, 4, 5))
        for name in ("scale_factor", "add_offset"):
            for value in ("2", [2.0, 3.0]):
                with h5py.File(self.path("a.h5"), "w") as file:
                    file["other"] = voxels
                    file["d"] = voxels
                    file["d"].attrs[name] = value
                np.testing.assert_array_equal(self.read(self.path("a.h5") + "::/other").voxels, voxels)
                self.refuses(self.path("a.h5") + "::/d", saying=["/d", name])


if __name__ == "__main__":
    unittest.main()
