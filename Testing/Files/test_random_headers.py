# SPDX-License-Identifier: Apache-2.0
"""Right headers of NIfTI, NRRD and MetaImage in the many forms that the formats allow, drawn at random: type, byte order, encoding,
order and spelling of fields, axes, units, extensions, places of the voxels. Voxels and geometry are known from making them."""

import gzip
import os
import struct
import unittest
import zlib

from files import FilesTest, np

SEED, NUMBER = int(os.environ.get("SEED", 20261127)), int(os.environ.get("NUMBER", 60))
TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")


class RandomHeadersTest(FilesTest):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(SEED)

    def one_of(self, *choices):
        return choices[self.random.integers(len(choices))]

    def maybe(self, share=0.5):
        return self.random.random() < share

    def voxels(self, shape):
        kind = self.one_of(*TYPES)
        if kind.startswith("float"):
            return self.random.normal(0, 99, shape).astype(kind)
        info = np.iinfo(kind)
        return self.random.integers(info.min, info.max, shape, kind, endpoint=True)

    def rotation(self):
        return np.linalg.qr(self.random.normal(size=(3, 3)))[0]

    def numbers(self, values, separator=" "):
        return separator.join("%.9g" % value for value in np.ravel(values))

    def packed(self, data):
        """A gzip stream of two parts, with any level, window, memory and strategy."""
        level, bits, memory, strategy = (int(self.random.integers(*ends)) for ends in ((0, 10), (9, 16), (1, 10), (0, 5)))
        packer, cut = zlib.compressobj(level, 8, 16 + bits, memory, strategy), len(data) // 3
        return packer.compress(data[:cut]) + packer.flush(zlib.Z_FULL_FLUSH) + packer.compress(data[cut:]) + packer.flush()

    def check(self, name, content, want, **geometry):
        with open(self.path(name), "wb") as stream:
            stream.write(content)
        with self.subTest(header=bytes(content[:600]) if b".gz" not in name.encode() else name, seed=SEED):
            ours = self.read(self.path(name))
            self.assertEqual(ours.type, str(want.dtype))
            np.testing.assert_array_equal(ours.voxels, want)
            for key, value in geometry.items():
                np.testing.assert_allclose(getattr(ours, key)[:len(value)] if key != "direction" else np.array(ours.direction)[:3, :3],
                                           value, rtol=1e-4, atol=1e-4)

    def test_nifti(self):
        for _ in range(NUMBER):
            order, is_second = self.one_of("<", ">"), self.maybe(0.4)
            shape = tuple(int(size) for size in self.random.integers(2, 6, int(self.random.integers(1, 5))))
            voxels = self.voxels(tuple(reversed(shape)))
            code = {"uint8": 2, "int16": 4, "int32": 8, "float32": 16, "float64": 64, "int8": 256, "uint16": 512, "uint32": 768,
                    "int64": 1024, "uint64": 1280}[str(voxels.dtype)]
            spacing, origin, rotation = self.random.uniform(0.1, 5, 3), self.random.uniform(-200, 200, 3), self.rotation()
            unit, factor = self.one_of((0, 1), (2, 1), (1, 1e3), (3, 1e-3))
            size = 540 if is_second else 348
            extension = b""
            if self.maybe(0.4):
                body = bytes(self.random.integers(0, 256, int(self.random.integers(1, 40)), "u1"))
                length = (len(body) + 8 + 15) // 16 * 16
                extension = struct.pack(order + "2i", length, 6) + body.ljust(length - 8, b"\0")
            begin = size + 4 + len(extension) + 16 * int(self.random.integers(3))
            header, has_form = bytearray(size), self.maybe(0.7)
            dimensions = ([len(shape), *shape] + [1] * 8)[:8]
            steps = [1, *spacing, 1, 1, 1, 1]
            rows = np.hstack([rotation * spacing, origin[:, None]]).ravel()
            places = ((0, "i", [size]), (16, "8q", dimensions), (12, "2h", [code, voxels.itemsize * 8]), (104, "8d", steps),
                      (168, "q", [begin]), (348, "i", [2 * has_form]), (400, "12d", rows), (500, "i", [unit])) if is_second else (
                          (0, "i", [size]), (40, "8h", dimensions), (70, "2h", [code, voxels.itemsize * 8]), (76, "8f", steps),
                          (108, "f", [begin]), (254, "h", [2 * has_form]), (280, "12f", rows), (123, "B", [unit]))
            for place, kind, values in places:
                struct.pack_into(order + kind, header, place, *values)
            header[(4 if is_second else 344):(12 if is_second else 348)] = b"n+2\0\r\n\x1a\n" if is_second else b"n+1\0"
            content = bytes(header) + bytes([extension != b"", 0, 0, 0]) + extension
            content = content.ljust(begin, b"\0") + voxels.astype(voxels.dtype.newbyteorder(order)).tobytes()
            known = {"spacing": spacing[:len(shape)] * factor}
            if has_form and len(shape) >= 3:
                known.update(origin=origin * factor * (-1, -1, 1), direction=np.diag([-1, -1, 1]) @ rotation)
            elif has_form:
                continue
            is_packed = self.maybe(0.4)
            self.check("a.nii" + ".gz" * is_packed, self.packed(content) if is_packed else content, voxels, **known)

    def test_nrrd(self):
        names = {"int8": ("signed char", "int8_t"), "uint8": ("uchar", "unsigned char"), "int16": ("short", "signed short int"),
                 "uint16": ("ushort", "unsigned short"), "int32": ("int", "int32"), "uint32": ("unsigned int", "uint32_t"),
                 "int64": ("longlong", "signed long long"), "uint64": ("ulonglong", "unsigned long long int"), "float32": ("float",),
                 "float64": ("double",)}
        further = ["# a: comment", "key:=value: x", "content: some thing", "kinds: domain domain domain", "number: 7",
                   "centerings: cell cell cell", "thicknesses: nan nan 1", 'labels: "x" "y" "z : w"', "min: 0", "old min: 0"]
        for _ in range(NUMBER):
            order, line = self.one_of("<", ">"), self.one_of("\n", "\r\n")
            shape = tuple(int(size) for size in self.random.integers(2, 6, 3))
            voxels = self.voxels(shape)
            data = voxels.astype(voxels.dtype.newbyteorder(order)).tobytes()
            encoding = self.one_of("raw", "gzip", "gz", "ascii", "text", "GZIP")
            data = {"r": lambda: data, "g": lambda: self.packed(data),
                    "a": lambda: " ".join(repr(value.item()) for value in voxels.ravel()).encode(),
                    "t": lambda: "\n".join(repr(value.item()) for value in voxels.ravel()).encode()}[encoding[0].lower()]()
            spacing, origin, rotation = self.random.uniform(0.1, 5, 3), self.random.uniform(-200, 200, 3), self.rotation()
            space, signs = self.one_of(("left-posterior-superior", (1, 1, 1)), ("RAS", (-1, -1, 1)), ("LAS", (1, -1, 1)))
            fields = ["type: " + self.one_of(*names[str(voxels.dtype)]), "sizes:  %d\t%d %d " % shape[::-1], "encoding: " + encoding,
                      "endian: " + ("little" if order == "<" else "big")]
            vectors = ["(" + self.numbers(step, self.one_of(",", ", ")) + ")" for step in (rotation * spacing).T]
            fields += ["space directions: " + " ".join(vectors), "space origin: (" + self.numbers(origin, ",") + ")"]
            fields += [further[i] for i in self.random.permutation(len(further))[:int(self.random.integers(5))]]
            fields = ["dimension: 3", "space: " + space] + [fields[i] for i in self.random.permutation(len(fields))]
            header = line.join(["NRRD000%d" % self.random.integers(4, 6)] + fields) + line
            name = "a.nrrd"
            if self.maybe(0.25):
                with open(self.path("a.dat"), "wb") as stream:
                    stream.write(b"no voxels\n" * 2 + data)
                header += "line skip: 2" + line + self.one_of("data file: ", "datafile: ") + "a.dat" + line
                name, data = "a.nhdr", b""
            self.check(name, (header + line * (name == "a.nrrd")).encode() + data, voxels, spacing=spacing, origin=origin * signs,
                       direction=np.diag(signs) @ rotation)

    def test_metaimage(self):
        names = {"int8": "CHAR", "uint8": "UCHAR", "int16": "SHORT", "uint16": "USHORT", "int32": "INT", "uint32": "UINT",
                 "int64": "LONG_LONG", "uint64": "ULONG_LONG", "float32": "FLOAT", "float64": "DOUBLE"}
        for _ in range(NUMBER):
            is_big, line, sign = self.maybe(), self.one_of("\n", "\r\n"), self.one_of(" = ", "=", "\t=\t", ": ")
            shape, channels = tuple(int(size) for size in self.random.integers(2, 6, 3)), int(self.one_of(1, 1, 2, 3))
            voxels = self.voxels(shape + ((channels,) if channels > 1 else ()))
            data = voxels.astype(voxels.dtype.newbyteorder(">" if is_big else "<")).tobytes()
            spacing, origin, rotation = self.random.uniform(0.1, 5, 3), self.random.uniform(-200, 200, 3), self.rotation()
            kind = self.one_of("raw", "zlib", "gzip", "text")
            fields = {"ObjectType": "Image", "NDims": 3, self.one_of("BinaryDataByteOrderMSB", "ElementByteOrderMSB"): is_big,
                      self.one_of("TransformMatrix", "Rotation", "Orientation"): self.numbers(rotation.T),
                      self.one_of("Offset", "Position", "Origin"): self.numbers(origin),
                      self.one_of("ElementSpacing", "ElementSize"): self.numbers(spacing), "DimSize": "%d %d %d" % shape[::-1],
                      "ElementType": "MET_" + names[str(voxels.dtype)], "BinaryData": self.one_of("True", "T", "1")}
            if kind == "text":
                fields["BinaryData"], data = "False", " ".join(repr(value.item()) for value in voxels.ravel()).encode()
            elif kind != "raw":
                fields["CompressedData"], data = "True", zlib.compress(data) if kind == "zlib" else gzip.compress(data)
            if channels > 1:
                fields["ElementNumberOfChannels"] = channels
            if self.maybe():
                fields.update({"Comment": "a = b: c", "CenterOfRotation": "0 0 0", "AnatomicalOrientation": "RAI", "ElementMin": 0})
            name, skipped = "a.mha", int(self.random.integers(30)) if self.maybe() else None
            fields["ElementDataFile"] = self.one_of("LOCAL", "Local", "local")
            if skipped is not None:
                with open(self.path("a.raw"), "wb") as stream:
                    stream.write(bytes(skipped) + data)
                name, data, fields["ElementDataFile"] = "a.mhd", b"", "a.raw"
                fields = {"HeaderSize": skipped, **fields}
            header = "".join("%s%s%s%s" % (key, sign, value, line) for key, value in fields.items())
            self.check(name, header.encode() + data, voxels, spacing=spacing, origin=origin, direction=rotation)


if __name__ == "__main__":
    unittest.main()
