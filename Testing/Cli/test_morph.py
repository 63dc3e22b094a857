# SPDX-License-Identifier: Apache-2.0
"""What `brickccl morph` writes, beside balls drawn voxel by voxel."""

import json
import random
import unittest

from support import CommandTest, labels_of, read_nrrd, write_nrrd


class MorphTest(CommandTest):
    sizes = (14, 11, 6)
    spacing = (0.5, 0.5, 1)

    def setUp(self):
        super().setUp()
        self.mask = self.path("mask.nrrd")
        self.output = self.path("out.nrrd")
        draw = random.Random(7)
        self.values = [draw.choice([0, 1, 1, 1, 1, 5]) for _ in range(14 * 11 * 6)]
        write_nrrd(self.mask, "int16", self.sizes, self.values, spacing=self.spacing)

    def morph(self, *options):
        told = json.loads(self.ok("morph", self.mask, self.output, "--json", *options).stdout)
        labels = labels_of(self.output)[1]
        self.assertEqual(told["added_voxels"], sum(a == 0 and b != 0 for a, b in zip(self.values, labels)))
        self.assertEqual(told["removed_voxels"], sum(a != 0 and b == 0 for a, b in zip(self.values, labels)))
        return labels

    def ball(self, voxel, radius):
        """The squares and values of the voxels in the ball around one, inside the image."""
        place = (voxel % 14, voxel // 14 % 11, voxel // 154)
        for z in range(6):
            for y in range(11):
                for x in range(14):
                    square = sum((s * (p - q)) ** 2 for p, q, s in zip(place, (x, y, z), self.spacing))
                    if square <= radius**2:
                        yield square, self.values[(z * 11 + y) * 14 + x]

    def test_grown_and_shrunk(self):
        for radius in (0.5, 1):
            grown = self.morph("--dilate", radius)
            self.assertEqual(grown, [value or min((near for near in self.ball(i, radius) if near[1]), default=(0, 0))[1]
                                     for i, value in enumerate(self.values)])
            shrunk = self.morph("--erode", radius)
            self.assertEqual(shrunk, [value if all(near[1] == value for near in self.ball(i, radius)) else 0
                                      for i, value in enumerate(self.values)])

    def test_header_units_slices_and_words(self):
        self.morph("--open", "500um")
        self.assertEqual(read_nrrd(self.output)[0]["space directions"], read_nrrd(self.mask)[0]["space directions"])
        self.assertEqual(read_nrrd(self.output)[0]["type"], read_nrrd(self.mask)[0]["type"])
        self.assertEqual(self.morph("--dilate", 0.5, "--by-slice", "z", "--threads", 1), self.morph("--dilate", 0.5, "--by-slice", "z"))
        done = self.ok("morph", self.mask, self.output, "--close", 0.2)
        self.assertEqual(done.stdout.splitlines()[0], "0 voxels added, 0 voxels removed")
        self.assertIn("nothing changed; the radius is 0.2 mm", done.stderr)

    def test_spacings_in_single_precision_lose_no_voxel(self):
        write_nrrd(self.mask, "uint8", (5, 5, 5), [i == 62 for i in range(125)], spacing=(0.1, 0.1, 0.1))
        self.ok("crop", self.mask, self.path("mask.nii"), "--box", "0,0,0,4,4,4")
        for file in (self.mask, self.path("mask.nii")):
            for radius, voxels in ((0.1, 6), (0.2, 32)):
                told = json.loads(self.ok("morph", file, self.output, "--json", "--dilate", radius).stdout)
                self.assertEqual(told["added_voxels"], voxels, file)

    def test_thick_images_are_those_with_the_axes_exchanged(self):
        draw = random.Random(3)
        sizes, turned = (5, 4, 300), (300, 4, 5)
        values = [draw.choice([0, 0, 0, 1, 1, 1, 7]) for _ in range(5 * 4 * 300)]
        exchange = lambda voxels: [voxels[(x * 4 + y) * 5 + z] for z in range(5) for y in range(4) for x in range(300)]
        write_nrrd(self.mask, "uint8", sizes, values, (1, 0.5, 0.25))
        write_nrrd(self.path("turned.nrrd"), "uint8", turned, exchange(values), (0.25, 0.5, 1))
        for operation, radius in (("--dilate", 0.5), ("--erode", 0.25), ("--open", 0.25), ("--close", 0.5), ("--close", 1), ("--dilate", 4)):
            said = [json.loads(self.ok("morph", path, out, operation, radius, "--json").stdout)
                    for path, out in ((self.mask, self.output), (self.path("turned.nrrd"), self.path("o.nrrd")))]
            changed = exchange(labels_of(self.output)[1])
            self.assertEqual(changed, labels_of(self.path("o.nrrd"))[1], (operation, radius))
            self.assertNotEqual(changed, exchange(values))
            for name in ("added_voxels", "removed_voxels"):
                self.assertEqual(said[0][name], said[1][name])

    def test_refusals(self):
        self.fails("morph", self.mask, self.output, saying="nothing to do; give one of --open, --close, --dilate and --erode")
        self.fails("morph", self.mask, self.output, "--open", 1, "--erode", 1, saying="several operations are given")
        self.fails("morph", self.mask, self.output, "--open", "1kg", saying="--open")
        write_nrrd(self.mask, "float", self.sizes, [0.5] * len(self.values))
        self.fails("morph", self.mask, self.output, "--open", 1, saying="0.5")
        # A file that is refused is not described first.
        nan = self.fails("morph", self.mask, self.output, "--open", 1, "--by-slice", "t", saying="the image has no axis t")
        self.assertNotIn("note", nan.stderr)
        self.fails("distance", self.mask, self.output, "--by-slice", "t", saying="the image has no axis t")
        write_nrrd(self.mask, "float", self.sizes, [float("nan")] + [0.5 + i for i in range(len(self.values) - 1)])
        self.assertNotIn("note", self.fails("morph", self.mask, self.output, "--open", 1, saying="a label is nan").stderr)


if __name__ == "__main__":
    unittest.main()
