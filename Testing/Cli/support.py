# SPDX-License-Identifier: Apache-2.0
"""Helpers of the command-line tests: running the command, and reading and writing small NRRD files without ITK."""

import gzip
import itertools
import json
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
import zlib

COMMAND = os.environ["BRICKCCL"]
# Shells start background jobs with SIGINT ignored, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

TYPES = {
    "int8": ("b", "signed char"), "uint8": ("B", "unsigned char"), "int16": ("h", "short"),
    "uint16": ("H", "unsigned short"), "int32": ("i", "int"), "uint32": ("I", "unsigned int"),
    "int64": ("q", "longlong"), "uint64": ("Q", "ulonglong"), "float": ("f", "float"), "double": ("d", "double"),
}
NRRD_NAMES = {"int8_t": "int8", "uint8_t": "uint8", "uchar": "uint8", "int16_t": "int16", "uint16_t": "uint16",
              "ushort": "uint16", "int32_t": "int32", "uint32_t": "uint32", "uint": "uint32", "int64_t": "int64",
              "uint64_t": "uint64", "long long int": "int64", "unsigned long long int": "uint64",
              "long long": "int64", "unsigned long long": "uint64"}
NRRD_NAMES.update({nrrd: name for name, (_, nrrd) in TYPES.items()})


def run(*arguments, **options):
    """Runs the command; returns its completed process with text output."""
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)


def write_nrrd(path, kind, sizes, values, spacing=None, origin=None, truncate=0):
    """Writes a NRRD file, x fastest; `truncate` bytes are missing at the end."""
    code, name = TYPES[kind]
    data = struct.pack("<%d%s" % (len(values), code), *values)
    lines = ["NRRD0004", "type: " + name, "dimension: %d" % len(sizes), "sizes: " + " ".join(map(str, sizes)),
             "endian: little", "encoding: raw"]
    if len(sizes) == 3:
        spacing = spacing or (1, 1, 1)
        origin = origin or (0, 0, 0)
        lines.append("space: left-posterior-superior")
        lines.append("space directions: (%g,0,0) (0,%g,0) (0,0,%g)" % tuple(spacing))
        lines.append("space origin: (%g,%g,%g)" % tuple(origin))
    with open(path, "wb") as stream:
        stream.write(("\n".join(lines) + "\n\n").encode() + data[:len(data) - truncate])


def read_nrrd(path):
    """Reads the header fields and the raw bytes of a NRRD file."""
    with open(path, "rb") as stream:
        content = stream.read()
    header, data = content.split(b"\n\n", 1)
    fields = {}
    for line in header.decode().splitlines()[1:]:
        if ": " in line:
            key, value = line.split(": ", 1)
            fields[key] = value
    if fields["encoding"] in ("gzip", "gz"):
        data = gzip.decompress(data)
    return fields, data


def labels_of(path):
    """The type and the labels of a NRRD label map."""
    fields, data = read_nrrd(path)
    kind = NRRD_NAMES[fields["type"]]
    code = TYPES[kind][0]
    return kind, list(struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data))


def read_png(path):
    """The width and height of a PNG of 8-bit colors, and its rows of (red, green, blue)."""
    with open(path, "rb") as stream:
        content = stream.read()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    place, packed = 8, b""
    while place < len(content):
        length, kind = struct.unpack_from(">I4s", content, place)
        chunk = content[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colors, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
            assert (depth, colors, interlaced) == (8, 2, 0)
        packed += chunk if kind == b"IDAT" else b""
        place += 12 + length
    data, stride = zlib.decompress(packed), 3 * width
    before, rows = bytearray(stride), []
    for y in range(height):
        kind, line = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride if kind else 0):
            left, up, corner = (line[i - 3], before[i], before[i - 3]) if i >= 3 else (0, before[i], 0)
            if kind == 4:
                guess = left + up - corner
                away = (abs(guess - left), abs(guess - up), abs(guess - corner))
                line[i] = (line[i] + (left, up, corner)[away.index(min(away))]) & 255
            else:
                line[i] = (line[i] + (left, up, (left + up) // 2)[kind - 1]) & 255
        rows.append(list(zip(line[0::3], line[1::3], line[2::3])))
        before = line
    return width, height, rows


def place_in(size):
    """The places of an image in raster order."""
    return [at[::-1] for at in itertools.product(*[range(n) for n in size[::-1]])]


class CommandTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="brickccl-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def contents(self):
        """The files of the folder with their bytes."""
        found = {}
        for name in os.listdir(self.folder):
            if os.path.isfile(self.path(name)):
                with open(self.path(name), "rb") as stream:
                    found[name] = stream.read()
        return found

    def ok(self, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def fails(self, *arguments, saying):
        """The command fails, its error holds every one of the texts, and the folder has only the files it had."""
        before = self.contents()
        result = run(*arguments)
        self.assertNotEqual(result.returncode, 0, "the command succeeded")
        self.assertGreater(result.returncode, 0, "the command was killed by a signal")
        for text in [saying] if isinstance(saying, str) else saying:
            self.assertIn(text, result.stderr)
        after = self.contents()
        self.assertEqual(before.keys(), after.keys())
        for name, content in before.items():
            self.assertEqual(content, after[name], name + " was changed")
        return result


class LabelCommandTest(CommandTest):
    """A test that labels an input."""

    def setUp(self):
        super().setUp()
        self.input = self.path("input.nrrd")
        self.output = self.path("output.nrrd")

    def label(self, *options):
        """Labels the input; returns the summary and the labels."""
        result = self.ok("label", self.input, self.output, "--json", *options)
        return json.loads(result.stdout), labels_of(self.output)[1]
