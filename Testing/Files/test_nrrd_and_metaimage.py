# SPDX-License-Identifier: Apache-2.0
"""NRRD and MetaImage files that are written here field by field; headers and data that are wrong are errors."""

import gzip
import os
import unittest
import zlib

from files import FilesTest, np, values


class NrrdTest(FilesTest):
    def write(self, fields, data, name="a.nrrd"):
        with open(self.path(name), "wb") as stream:
            stream.write(("NRRD0005\n" + "\n".join(fields) + "\n\n").encode() + data)
        return self.path(name)

    def setUp(self):
        super().setUp()
        self.voxels = values("int16", (4, 5, 6))
        self.raw = self.voxels.astype("<i2").tobytes()
        self.fields = ["type: short", "dimension: 3", "sizes: 6 5 4", "endian: little"]

    def test_encodings(self):
        text = " ".join(map(str, self.voxels.ravel())).encode()
        for encoding, data in (("raw", self.raw), ("gzip", gzip.compress(self.raw)), ("hex", self.raw.hex(" ").encode()),
                               ("ascii", text), ("text", text.replace(b" ", b", "))):
            with self.subTest(encoding=encoding):
                ours = self.read(self.write(self.fields + ["encoding: " + encoding], data))
                np.testing.assert_array_equal(ours.voxels, self.voxels)
        for encoding in ("zstd", "bzip2"):
            self.refuses(self.write(self.fields + ["encoding: " + encoding], self.raw), saying=[encoding, "save it with gzip"])
        for numbers in ("0 -9223372036854775808 -1", "9223372036854775807 -9223372036854775808 1"):
            header = self.fields + ["encoding: raw", "data file: p_%02d.raw " + numbers]
            self.refuses(self.write(header, b""), saying="do not make a list of files")
        self.refuses(self.write(self.fields + ["encoding: hex"], b"0g" * 240), saying="the value 103")
        self.refuses(self.write(self.fields + ["encoding: hex"], b"00" * 200), saying=["truncated", "400 hexadecimal digits"])
        self.refuses(self.write(self.fields + ["encoding: text"], text + b" 7"), saying="more numbers")
        self.refuses(self.write(self.fields + ["encoding: text"], text.replace(b" ", b" x", 1)), saying="not a number")
        self.refuses(self.write(self.fields + ["encoding: text"], b"99999 " * 120), saying="int16")

    def test_zero_bytes(self):
        """Zero bytes in a number or a word are damage; zero bytes at the end of a text fill up its file."""
        text = b" ".join(b"%d" % value for value in self.voxels.ravel())
        ours = self.read(self.write(self.fields + ["encoding: text"], text + b"\0" * 7))
        np.testing.assert_array_equal(ours.voxels, self.voxels)
        place = text.index(b" ", 300)
        damaged = text[:place - 1] + b"\0\0" + text[place + 1:]
        self.refuses(self.write(self.fields + ["encoding: text"], damaged), saying=["\\x00\\x00", "not a number"])
        for field in ("type: i\0\0\0\0", "type: short\0", "kinds: \0 domain domain"):
            fields = [line for line in self.fields if line[:4] != field[:4]] + [field, "encoding: raw"]
            self.refuses(self.write(fields, self.raw), saying="\\x00")

    def test_spaces_and_units(self):
        directions = ["space directions: (0.5,0,0) (0,2,0) (0,0,3)", "space origin: (10,20,30)", "encoding: raw"]
        for space, origin, signs in (("left-posterior-superior", (10, 20, 30), (1, 1, 1)),
                                     ("right-anterior-superior", (-10, -20, 30), (-1, -1, 1)),
                                     ("LAS", (10, -20, 30), (1, -1, 1))):
            ours = self.read(self.write(self.fields + ["space: " + space] + directions, self.raw))
            self.assert_geometry(ours, (0.5, 2, 3), origin, np.diag(signs))
        ours = self.read(self.write(self.fields + ["space: LPS", 'space units: "um" "um" "um"'] + directions, self.raw))
        self.assert_geometry(ours, (0.5e-3, 2e-3, 3e-3), (10e-3, 20e-3, 30e-3))
        self.refuses(self.write(self.fields + ["space: nowhere"] + directions, self.raw), saying="nowhere")
        self.refuses(self.write(self.fields + ["space: LPS", "space directions: (1,0,0) (2,0,0) (0,0,1)",
                                               "encoding: raw"], self.raw), saying="space directions")

    def test_axes_without_a_spacing_are_told(self):
        ours = self.read(self.write(self.fields + ["encoding: raw", "spacings: 0.5 nan 2"], self.raw))
        self.assert_geometry(ours, (0.5, 1, 2))
        self.assertIn("no spacing along y: 1 mm is assumed", " ".join(ours.notes))
        ours = self.read(self.write(self.fields + ["encoding: raw", "spacings: 0.5 2 2"], self.raw))
        self.assertEqual(ours.notes, [])
        ours = self.read(self.write(self.fields + ["encoding: raw", "spacings: 0.5 2 2", 'space units: "um" "um" "um"'], self.raw))
        self.assert_geometry(ours, (0.5, 2, 2))
        self.assertIn("its space units are ignored", " ".join(ours.notes))
        units = ["encoding: raw", 'units: "cm" "cm" "cm"']
        self.assert_geometry(self.read(self.write(self.fields + units, self.raw)), (1, 1, 1))
        ours = self.read(self.write(self.fields + units + ["spacings: 1 nan 1", "axis mins: 1 2 3"], self.raw))
        self.assert_geometry(ours, (10, 1, 10), (10, 20, 30))
        ours = self.read(self.write(self.fields + units + ["space: LPS", "space directions: (1,0,0) (0,1,0) (0,0,1)"], self.raw))
        self.assert_geometry(ours, (1, 1, 1))
        self.assertIn("its units are ignored", " ".join(ours.notes))

    def test_the_ends_of_axes(self):
        raw, ends = self.fields + ["encoding: raw"], ["axis mins: 10 20 30", "axis maxs: 13 30 42"]
        self.refuses(self.write(raw + ends, self.raw), saying=["axis maxs", "write it into the field 'spacings'"])
        self.assert_geometry(self.read(self.write(raw + ends + ["spacings: 1 2 3"], self.raw)), (1, 2, 3), (10, 20, 30))
        ours = self.read(self.write(raw + ["spacings: 1 2 3", "axis mins: 10 20 30", "centers: cell cell cell"], self.raw))
        self.assert_geometry(ours, (1, 2, 3), (10.5, 21, 31.5))
        self.assertEqual(self.read(self.write(raw + ["axis mins: 10 20 30"], self.raw)).spacing_source, "none")

    def test_bytes_after_the_voxels(self):
        for more, told in ((b"m", "after the voxels comes 1 byte that"), (b"more", "after the voxels come 4 bytes that")):
            ours = self.read(self.write(self.fields + ["encoding: raw", "spacings: 1 1 1"], self.raw + more))
            self.assertEqual(ours.notes, [told + " its header does not mention"])

    def test_detached_data(self):
        for k in range(4):
            with open(self.path("s%02d.raw" % (k + 1)), "wb") as stream:
                stream.write(self.voxels[k].astype("<i2").tobytes())
        pattern = self.fields + ["encoding: raw", "data file: s%02d.raw 1 4 1"]
        np.testing.assert_array_equal(self.read(self.write(pattern, b"", "p.nhdr")).voxels, self.voxels)
        names = "\n".join("s%02d.raw" % (k + 1) for k in range(4))
        listed = self.fields + ["encoding: raw", "data file: LIST\n" + names]
        np.testing.assert_array_equal(self.read(self.write(listed, b"", "l.nhdr")).voxels, self.voxels)
        os.truncate(self.path("s03.raw"), 11)
        self.refuses(self.path("p.nhdr"), saying=["truncated", "s03.raw"])
        os.remove(self.path("s03.raw"))
        self.refuses(self.path("l.nhdr"), saying=["s03.raw", "no such file"])
        os.mkfifo(self.path("pipe"))
        self.refuses(self.write(self.fields + ["encoding: raw", "data file: pipe"], b"", "f.nhdr"), saying="pipe")
        for name in ("a%d.raw 1 4 1" + " 1" * 150, "a" * 300 + ".raw"):
            fields = self.fields + ["encoding: raw", "data file: " + name]
            self.refuses(self.write(fields, b"", "n.nhdr"), saying=("its data file '" + name, "too long"))

    def test_the_dimension_of_each_data_file_is_not_used(self):
        for k in range(4):
            with open(self.path("d%d.raw" % k), "wb") as stream:
                stream.write(self.voxels[k].astype("<i2").tobytes())
        for data in ("d%d.raw 0 3 1 2", "LIST 2" + "".join("\nd%d.raw" % k for k in range(4))):
            path = self.write(self.fields + ["encoding: raw", "data file: " + data], b"", "d.nhdr")
            np.testing.assert_array_equal(self.read(path).voxels, self.voxels)

    def test_names_with_a_byte_of_value_0_are_not_cut(self):
        with open(self.path("z.raw"), "wb") as stream:
            stream.write(self.raw)
        for data in ("z.raw\0", "z.raw\0.gz", "LIST\nz.raw\0x"):
            path = self.write(self.fields + ["encoding: raw", "data file: " + data], b"", "z.nhdr")
            self.refuses(path, saying=["'z.raw\\x00", "a NUL byte"])

    def test_control_characters_of_names_are_escaped(self):
        self.refuses(self.write(self.fields + ["encoding: raw", "data file: a\\b.raw"], b"", "c.nhdr"), saying="a\\b.raw")
        for name, shown in (("a\rb.raw", "a\\x0db.raw"), ("\x1b[31m.raw", "\\x1b[31m.raw")):
            error = self.refuses(self.write(self.fields + ["encoding: raw", "data file: " + name], b"", "c.nhdr"), saying=shown)
            self.assertNotIn(name, error)
        error = self.refuses(self.write(self.fields, b"", "line\nbreak.nrrd"), saying="line\\x0abreak.nrrd': its header")
        self.assertEqual(error.count("\n"), 1)

    def test_data_files_that_are_not_the_right_ones(self):
        for k in range(5):
            with open(self.path("t%d.raw" % k), "wb") as stream:
                stream.write(self.voxels[0].astype("<i2").tobytes())
        with open(self.path("t3.raw"), "ab") as stream:
            stream.write(b"more")
        for last, saying in ((4, "divided evenly"), (2, "divided evenly"), (1, "truncated"), (3, "the wrong files")):
            fields = self.fields + ["encoding: raw", "data file: t%%d.raw 0 %d 1" % last]
            self.refuses(self.write(fields, b"", "t.nhdr"), saying=saying)
        fields = self.fields + ["encoding: raw", "byte skip: 0", "data file: self.nhdr"]
        self.refuses(self.write(fields, bytes(500), "self.nhdr"), saying="the header itself")

    def test_a_list_as_the_last_axis_is_told(self):
        ours = self.read(self.write(self.fields + ["encoding: raw", "kinds: domain domain list"], self.raw))
        self.assertIn("kind list", " ".join(ours.notes))

    def test_headers_that_are_wrong(self):
        good = self.fields + ["encoding: raw"]
        for wrong, saying in ((["sizes: 6 5"], "sizes"), (["sizes: 6 5 0"], "6 x 5 x 0"),
                              (["sizes: 6 5 -4"], "6 x 5 x -4"), (["type: block"], "block"), (["dimension: 99"], "99"),
                              (["sizes: 4000000000 4000000000 4000000000"], "too large"),
                              (["byte skip: 99999999999"], "truncated"), (["line skip: 7"], "line skip"),
                              (["endian: middle"], "middle"), (["spacings: 1 2"], "spacings"),
                              (["spacings: 1 2 zero"], "zero"), (["kinds: complex domain domain"], "complex")):
            name = wrong[0].split(":")[0]
            fields = [field for field in good if not field.startswith(name)] + wrong
            with self.subTest(wrong=wrong):
                self.refuses(self.write(fields, self.raw), saying=saying)
        self.refuses(self.write(good + ["type: short"], self.raw), saying="twice")


class MetaImageTest(FilesTest):
    def write(self, data, name="a.mha", **fields):
        header = {"ObjectType": "Image", "NDims": "3", "BinaryData": "True", "BinaryDataByteOrderMSB": "False",
                  "DimSize": "6 5 4", "ElementType": "MET_SHORT", "ElementDataFile": "LOCAL"}
        header.update(fields)
        header["ElementDataFile"] = header.pop("ElementDataFile")
        with open(self.path(name), "wb") as stream:
            stream.write("".join("%s = %s\n" % item for item in header.items()).encode() + data)
        return self.path(name)

    def setUp(self):
        super().setUp()
        self.voxels = values("int16", (4, 5, 6))
        self.raw = self.voxels.astype("<i2").tobytes()

    def test_scaled_values_are_refused(self):
        field = "ElementToIntensityFunction"
        ours = self.read(self.write(self.raw, **{field + "Slope": "1", field + "Offset": "0.0"}))
        np.testing.assert_array_equal(ours.voxels, self.voxels)
        for name, value in (("Slope", "2"), ("Offset", "-1024")):
            self.refuses(self.write(self.raw, **{field + name: value}), saying="its values are scaled (%s%s)" % (field, name))

    def test_a_long_has_four_bytes(self):
        """Programs that write eight for each would else be read as twice as many voxels, the first half of them."""
        for name, kind in (("MET_LONG", "<i4"), ("MET_ULONG", "<u4")):
            ours = self.read(self.write(self.voxels.astype(kind).tobytes(), ElementType=name))
            np.testing.assert_array_equal(ours.voxels, self.voxels.astype(kind))
            eight = self.voxels.astype(kind.replace("4", "8")).tobytes()
            for length in (481, 484, 959, 960, 961):
                self.refuses(self.write((eight + b"7")[:length], ElementType=name),
                             saying="its voxels need 480 bytes as %s, or 960 as %s_LONG; it has %d" % (name, name, length))
            ours = self.read(self.write(eight, ElementType=name + "_LONG"))
            np.testing.assert_array_equal(ours.voxels, self.voxels.astype(kind.replace("4", "8")))
            self.refuses(self.write(zlib.compress(eight), ElementType=name, CompressedData="True"), saying="a.mha")

    def test_compressed_data(self):
        packed = zlib.compress(self.raw)
        for size in ({}, {"CompressedDataSize": str(len(packed))}, {"CompressedDataSize": "0"}):
            ours = self.read(self.write(packed, CompressedData="True", **size))
            np.testing.assert_array_equal(ours.voxels, self.voxels)
        self.refuses(self.write(packed, CompressedData="True", CompressedDataSize="99999"), saying="truncated")
        for place in range(2, len(packed)):
            damaged = bytearray(packed)
            damaged[place] ^= 0x40
            path = self.write(bytes(damaged), CompressedData="True")
            if place == 2 and packed[2] & 6 == 0:
                # Bits that the format leaves unused before stored bytes.
                np.testing.assert_array_equal(self.read(path).voxels, self.voxels)
            else:
                self.refuses(path, saying="'a.mha'")
        self.refuses(self.write(packed[:-30], CompressedData="True"), saying="truncated")

    def test_bytes_behind_compressed_data_are_counted(self):
        """The library reads ahead. A stream ends at any of its steps; zeros fill up and count as nothing."""
        for length in (1, 2, 3, 5, 64, 239):
            for compress in (zlib.compress, gzip.compress):
                packed = compress(self.raw[:length])
                for behind in (1, 2, 3, 4, 7, 9):
                    path = self.write(packed + b"x" * behind, CompressedData="True", ElementType="MET_UCHAR",
                                      DimSize="%d 1 1" % length)
                    self.refuses(path, saying="followed by %d byte%s of" % (behind, "s" if behind > 1 else ""))
                path = self.write(packed + b"\0" * 3, CompressedData="True", ElementType="MET_UCHAR",
                                  DimSize="%d 1 1" % length)
                self.assertEqual(self.read(path).voxels.tobytes(), self.raw[:length])

    def test_units_and_doubled_fields(self):
        geometry = {"ElementSpacing": "1 2 3", "Offset": "4 5 6"}
        for unit, factor in (("um", 1e-3), ("mm", 1), ("cm", 10), ("?", 1)):
            ours = self.read(self.write(self.raw, DistanceUnits=unit, **geometry))
            self.assert_geometry(ours, np.multiply((1, 2, 3), factor), np.multiply((4, 5, 6), factor))
            self.assertEqual("DistanceUnits" in " ".join(ours.notes), factor != 1)
        ours = self.read(self.write(self.raw, DistanceUnits="parsec", **geometry))
        self.assert_geometry(ours, (1, 2, 3))
        self.assertIn("parsec", " ".join(ours.notes))
        path = self.write(self.raw)
        with open(path, "rb") as stream:
            data = stream.read()
        for line, isRefused in ((b"DimSize = 6 5 4\n", False), (b"DimSize = 6 4 5\n", True)):
            with open(path, "wb") as stream:
                stream.write(line + data)
            if isRefused:
                self.refuses(path, saying=["DimSize", "twice"])
            else:
                np.testing.assert_array_equal(self.read(path).voxels, self.voxels)

    def test_negative_spacings_are_told(self):
        ours = self.read(self.write(self.raw, ElementSpacing="1 -2 3"))
        self.assert_geometry(ours, (1, 2, 3), direction=np.diag((1, -1, 1)))
        self.assertIn("spacing along y is negative", " ".join(ours.notes))
        self.assertNotIn("negative", " ".join(self.read(self.write(self.raw, ElementSpacing="1 2 3")).notes))

    def test_names_that_look_like_something_else(self):
        for name in ("LISTED.raw", "LIST of all.raw", "100%.raw", "a%d.raw", "local.raw"):
            with open(self.path(name), "wb") as stream:
                stream.write(self.raw)
            ours = self.read(self.write(b"", "h.mhd", ElementDataFile=name))
            np.testing.assert_array_equal(ours.voxels, self.voxels)

    def test_names_that_no_disk_takes(self):
        for name in ("a%d.raw 1 4 1" + " 1" * 150, "a" * 300 + ".raw"):
            self.refuses(self.write(b"", "h.mhd", ElementDataFile=name), saying=("its data file '" + name, "too long"))

    def test_lists(self):
        for k in range(4):
            with open(self.path("m%d.raw" % k), "wb") as stream:
                stream.write(self.voxels[k].astype("<i2").tobytes())
        names = "\n".join("m%d.raw" % k for k in range(4))
        for word in ("LIST", "LIST 2", "LIST 2D"):
            ours = self.read(self.write(b"", "l.mhd", ElementDataFile=word + "\n" + names))
            np.testing.assert_array_equal(ours.voxels, self.voxels)
        self.refuses(self.write(b"", "l.mhd", ElementDataFile="LIST\n" + names + "\nm0.raw"), saying="divided evenly")
        self.refuses(self.write(b"", "l.mhd", ElementDataFile="m0.raw\0"), saying=["'m0.raw\\x00'", "a NUL byte"])

    def test_headers_that_are_wrong(self):
        for wrong, saying in (({"NDims": "x"}, "NDims"), ({"DimSize": "6 5"}, "DimSize"), ({"DimSize": "6 5 0"}, "x 0"),
                              ({"ElementType": "MET_STRING"}, "MET_STRING"), ({"BinaryData": "perhaps"}, "perhaps"),
                              ({"ElementSpacing": "1 1 nan"}, "axis z"), ({"HeaderSize": "-2"}, "HeaderSize"),
                              ({"ElementNumberOfChannels": "0"}, "Channels"), ({"ObjectType": "Mesh"}, "Mesh"),
                              ({"TransformMatrix": "1 0 0 0 1 0 0 0 0"}, "axis z")):
            with self.subTest(wrong=wrong):
                self.refuses(self.write(self.raw, **wrong), saying=saying)


if __name__ == "__main__":
    unittest.main()
