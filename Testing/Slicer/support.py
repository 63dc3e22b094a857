# SPDX-License-Identifier: Apache-2.0
"""What the tests of the modules have in common: their programs, and a small volume with a tilted grid."""

import math
import os
import random
import shutil
import signal
import tempfile
import unittest

from slicer import Module, protocol_faults, write_volume

FOLDER = os.environ["BRICKCCL_SLICER_MODULES"]
COMMAND = os.environ["BRICKCCL"]

SIZES = (11, 9, 7)
COUNT = SIZES[0] * SIZES[1] * SIZES[2]
SPACING = (0.5, 0.75, 2.0)
VOXEL_VOLUME = SPACING[0] * SPACING[1] * SPACING[2]
ORIGIN = (-12.5, 3.25, 40)


def module(name):
    return Module(os.path.join(FOLDER, name))


def tilted_grid():
    """The steps along i, j and k of a grid that lies askew in space, at right angles."""
    a, b = math.radians(20), math.radians(35)
    axes = [(math.cos(a), math.sin(a), 0),
            (-math.sin(a) * math.cos(b), math.cos(a) * math.cos(b), math.sin(b)),
            (math.sin(a) * math.sin(b), -math.cos(a) * math.sin(b), math.cos(b))]
    return [tuple(component * step for component in axis) for axis, step in zip(axes, SPACING)]


def to_ras(vector):
    return (-vector[0], -vector[1], vector[2])


def random_values(seed, choices):
    generator = random.Random(seed)
    return [generator.choice(choices) for _ in range(COUNT)]


def point_of(voxel, columns, origin):
    """The physical point of a voxel's center."""
    place = (voxel % SIZES[0], voxel // SIZES[0] % SIZES[1], voxel // (SIZES[0] * SIZES[1]))
    return [origin[axis] + sum(place[k] * columns[k][axis] for k in range(3)) for axis in range(3)]


class ModuleTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="brickccl-slicer-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, kind, values, **options):
        options.setdefault("columns", tilted_grid())
        options.setdefault("origin", ORIGIN)
        write_volume(self.path(name), kind, SIZES, values, **options)
        return self.path(name)

    def write_noise(self, name, side):
        """A volume of uint8 with `side` voxels along each axis, in which all values are equally frequent."""
        path = self.path(name)
        write_volume(path, "uint8", (1, 1, 1), [0])
        with open(path, "rb") as stream:
            header = stream.read().split(b"\n\n")[0].replace(b"sizes: 1 1 1", b"sizes: %d %d %d" % (side, side, side))
        with open(path, "wb") as stream:
            stream.write(header + b"\n\n" + random.Random(5).randbytes(side ** 3))
        return path

    def assert_cancels(self, module, **values):
        """A run that is canceled half-way leaves no output."""
        before = set(os.listdir(self.folder))
        for kill in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(kill.name):
                progress, code, errors = module.cancel_at(0.5, self.folder, kill, **values)
                self.assertGreaterEqual(progress, 0.5)
                self.assertNotEqual(code, 0, "it ended before it was canceled")
                left = set(os.listdir(self.folder)) - before
                if kill == signal.SIGTERM:
                    self.assertEqual(left, set())
                    self.assertIn("stopped", errors)
                # A killed process cannot clean up; its output is in a hidden folder, under no name of an output.
                self.assertEqual([name for name in left if not name.startswith(".brickccl-")], [])
                for name in left:
                    shutil.rmtree(self.path(name))

    def check_cases(self, cases, check, depends=lambda parameter, settings: True):
        """Calls `check(settings, expected)` for each of a parameter's settings, in a subtest. What is expected without the
        parameter must be something else, where `depends` says so."""
        for parameter, all_settings in cases.items():
            for settings in all_settings:
                with self.subTest(parameter, **settings):
                    expected = self.expected(**settings)
                    others = {name: value for name, value in settings.items() if name != parameter}
                    if depends(parameter, settings):
                        self.assertTrue(expected != self.expected(**others), "the case shows nothing")
                    check(settings, expected)

    def ok(self, result):
        """The run succeeded, told its progress by the rules, and wrote nothing to the error stream."""
        self.assertEqual((result.code, result.stderr), (0, ""), result.stdout)
        self.assertEqual(protocol_faults(result.stdout), [])
        return result

    def fails(self, result, saying, outputs):
        """The run failed with an error that holds the text, returned nothing, and left no output."""
        self.assertGreater(result.code, 0, result.stdout)
        self.assertIn(saying, result.stderr)
        self.assertEqual(result.returned, {})
        for path in outputs:
            self.assertFalse(os.path.exists(path), path)

    def assert_close(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            self.assertAlmostEqual(a, b, delta=1e-9 * max(1, abs(b)))
