# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of image files: what our readers make of a file, beside independent readers.

Needs numpy and the readers that the tests name; a test program without them exits with 77 and is skipped."""

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)


def skip_without(module):
    """The module; a test program that needs it ends here where it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        print("skipped:", error)
        sys.exit(77)


DUMP = os.environ["BRICKCCL_DUMP_IMAGE"]
COMMAND = os.environ["BRICKCCL"]
ON_WINDOWS = os.environ.get("BRICKCCL_SYSTEM") == "windows"
# Shells start background jobs with SIGINT ignored, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def values(kind, shape, seed=0):
    """Random voxels of a type: over all of its range, of floating-point types around 0."""
    numbers = np.random.default_rng(seed)
    if kind.startswith("float"):
        return numbers.normal(0, 1000, shape).astype(kind)
    info = np.iinfo(kind)
    return numbers.integers(info.min, info.max, shape, dtype=kind, endpoint=True)


class Image:
    """What brickccl-dump-image says of a file: `voxels` has the axes (t,) z, y, x (, channel)."""

    def __init__(self, summary, voxels):
        self.__dict__.update(summary)
        shape = tuple(reversed(self.size)) + ((self.channels,) if self.channels > 1 else ())
        kind = {"float32": "f4", "float64": "f8"}.get(self.type, self.type)
        self.voxels = np.frombuffer(voxels, dtype=kind).reshape(shape)


class FilesTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="brickccl-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_dump(self, image, *options):
        out = self.path("dumped.bin")
        result = subprocess.run([DUMP, *map(str, options), str(image), out], capture_output=True, text=True,
                                errors="replace", timeout=120)
        return result, out

    def read(self, image, *options):
        """The image as our readers see it."""
        result, out = self.run_dump(image, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(out, "rb") as stream:
            return Image(json.loads(result.stdout), stream.read())

    def refuses(self, image, *options, saying=()):
        """Our readers refuse the file with an error that holds all the texts; nothing crashes."""
        result, _ = self.run_dump(image, *options)
        self.assertEqual(result.returncode, 1, "not refused: %s %s" % (result.stdout, result.stderr))
        for text in [saying] if isinstance(saying, str) else saying:
            self.assertIn(text, result.stderr)
        return result.stderr

    def label(self, *arguments):
        return subprocess.run([COMMAND, "label", *map(str, arguments)], capture_output=True, text=True,
                              errors="replace", timeout=300)

    def label_and_stop(self, path, output, work, change):
        """Labels by slabs, and calls change() while it is stopped after the first of them."""
        os.mkdir(work)
        process = subprocess.Popen([COMMAND, "label", path, output, "--memory", "64MB", "--threads", "1", "--work", work],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(60000):
            if sum(len(files) for _, _, files in os.walk(work)) > 2 or process.poll() is not None:
                break
            time.sleep(0.001)
        self.assertIsNone(process.poll(), "it ended before a source could be changed")
        process.send_signal(signal.SIGSTOP)
        change()
        process.send_signal(signal.SIGCONT)
        said = process.communicate(timeout=120)[1]
        return process.returncode, said

    def assert_geometry(self, image, spacing, origin=None, direction=None):
        np.testing.assert_allclose(image.spacing, spacing, rtol=1e-5)
        if origin is not None:
            np.testing.assert_allclose(image.origin, origin, rtol=1e-5, atol=1e-5)
        if direction is not None:
            np.testing.assert_allclose(image.direction, direction, atol=1e-5)
