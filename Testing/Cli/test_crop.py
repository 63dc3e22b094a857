# SPDX-License-Identifier: Apache-2.0
"""`brickccl crop`: the voxels, place and labels of what is cut out."""

import itertools
import json
import math
import os
import random
import unittest

from support import CommandTest, labels_of, read_nrrd, write_nrrd

SIZE = (12, 9, 7)
SPACING = (0.5, 0.25, 2)
ORIGIN = (-3, 2, 10)


class CropTest(CommandTest):
    def setUp(self):
        super().setUp()
        choose = random.Random(6)
        self.values = [choose.randint(-500, 500) for _ in range(math.prod(SIZE))]
        self.image = self.path("in.nrrd")
        write_nrrd(self.image, "int16", SIZE, self.values, SPACING, ORIGIN)
        self.labels = [0] * len(self.values)
        for label, box in ((3, (1, 2, 1, 3, 4, 2)), (7, (6, 1, 3, 8, 7, 5)), (300, (11, 8, 6, 11, 8, 6))):
            for place in self.places(box)[::2] + self.places(box)[-1:]:
                self.labels[place] = label
        self.map = self.path("labels.nrrd")
        write_nrrd(self.map, "uint16", SIZE, self.labels, SPACING, ORIGIN)

    @staticmethod
    def places(box):
        ranges = [range(box[axis], box[axis + 3] + 1) for axis in (2, 1, 0)]
        return [(k * SIZE[1] + j) * SIZE[0] + i for k, j, i in itertools.product(*ranges)]

    def crop(self, *arguments):
        return json.loads(self.ok("crop", *arguments, "--json").stdout)["crops"]

    def check(self, name, values, box, only=None):
        """The file has the voxels of a box, and their place."""
        fields, _ = read_nrrd(self.path(name))
        self.assertEqual(fields["sizes"], " ".join(str(box[axis + 3] - box[axis] + 1) for axis in range(3)))
        origin = [float(number) for number in fields["space origin"].strip("()").split(",")]
        self.assertEqual(origin, [o + s * first for o, s, first in zip(ORIGIN, SPACING, box)])
        expected = [values[place] if only is None or self.labels[place] == only else 0 for place in self.places(box)]
        self.assertEqual(labels_of(self.path(name))[1], expected)

    def box_of(self, label, margin=(0, 0, 0)):
        at = [(p % SIZE[0], p // SIZE[0] % SIZE[1], p // SIZE[0] // SIZE[1]) for p, own in enumerate(self.labels) if own == label]
        first = [max(0, min(a[axis] for a in at) - margin[axis]) for axis in range(3)]
        last = [min(SIZE[axis] - 1, max(a[axis] for a in at) + margin[axis]) for axis in range(3)]
        return first + last

    def test_boxes(self):
        out = self.path("out.nrrd")
        for box, options in (((2, 3, 1, 7, 8, 4), ()), ((0, 0, 0, 11, 8, 6), ()), ((5, 5, 5, 5, 5, 5), ("--no-compression",))):
            found = self.crop(self.image, out, "--box", ",".join(map(str, box)), *options)
            self.check("out.nrrd", self.values, box)
            self.assertEqual(found, [{"file": out, "label": None, "first": list(box[:3]), "last": list(box[3:])}])
        self.crop(self.image, out, "--box", "-2mm,2.5mm,12mm,0mm,3mm,14mm", "--margin", "1mm")
        self.check("out.nrrd", self.values, (0, 0, 0, 8, 8, 3))

    def test_round_shapes(self):
        self.crop(self.image, self.path("out.nrrd"), "--cylinder", "z:5,4,1mm")
        self.check("out.nrrd", self.values, (3, 0, 0, 7, 8, 6))
        self.crop(self.image, self.path("out.nrrd"), "--cylinder", "z:5,4,1mm", "--only")
        inside = [(p % SIZE[0] - 5) ** 2 * 0.25 + (p // SIZE[0] % SIZE[1] - 4) ** 2 * 0.0625 <= 1 for p in range(len(self.values))]
        self.check("out.nrrd", [value if own else 0 for value, own in zip(self.values, inside)], (3, 0, 0, 7, 8, 6))

    def test_components(self):
        out = self.path("out.nrrd")
        for label in (3, 7, 300):
            self.crop(self.map, out, "--component", label)
            self.check("out.nrrd", self.labels, self.box_of(label))
            for text, margin in (("2", (2, 2, 2)), ("0.6mm", (2, 3, 1)), ("500um", (1, 2, 1))):
                self.crop(self.image, out, "--component", label, "--labels", self.map, "--margin", text)
                self.check("out.nrrd", self.values, self.box_of(label, margin))
                self.crop(self.image, out, "--component", label, "--labels", self.map, "--margin", text, "--only")
                self.check("out.nrrd", self.values, self.box_of(label, margin), only=label)

    def test_what_it_says(self):
        """The size is the result's, a gray scan is no label map, and a missing folder is named."""
        out = self.path("out.nrrd")
        self.assertIn("image: 6 x 6 x 4 voxels", self.ok("crop", self.image, out, "--box", "2,3,1,7,8,4").stdout)
        self.assertNotIn("image:", self.ok("crop", self.map, out, "--each").stdout)
        result = self.ok("crop", self.map, out, "--component", 7)
        self.assertNotIn("grayscale", result.stderr)
        gray = self.path("gray.nrrd")
        write_nrrd(gray, "int16", (40, 30, 20), [i * 7919 % 1009 + 1 for i in range(40 * 30 * 20)])
        result = self.ok("crop", gray, out, "--component", 5)
        self.assertIn("looks like a grayscale scan", result.stderr)
        self.assertIn("by --labels FILE", result.stderr)
        for options in (("--box", "0,0,0,1,1,1", "--component", 5), ("--each", "--box", "0,0,0,1,1,1")):
            self.fails("crop", self.image, out, *options, saying="--component and --each cannot be combined with --box")
        self.fails("crop", self.image, out, saying="nothing to crop to: give --component or --each, or else --box")
        self.fails("crop", self.image, self.path("new/pore.nrrd"), "--labels", self.map, "--each",
                   saying="the folder '%s' does not exist" % self.path("new"))
        text = self.ok("crop", "--help-all").stdout
        self.assertNotIn("Porosity", text)
        self.assertNotIn("Which components stay", text)

    def test_an_image_for_each_component(self):
        os.mkdir(self.path("each"))
        found = self.crop(self.image, self.path("each/p.nrrd"), "--labels", self.map, "--each", "--only")
        self.assertEqual(sorted(os.listdir(self.path("each"))), ["p_3.nrrd", "p_300.nrrd", "p_7.nrrd"])
        self.assertEqual([one["label"] for one in found], [3, 7, 300])
        for label in (3, 7, 300):
            self.check("each/p_%d.nrrd" % label, self.values, self.box_of(label), only=label)

    def test_slices_and_formats(self):
        image = self.path("slice.nrrd")
        values = [(7 * place) % 251 for place in range(20 * 15)]
        write_nrrd(image, "uint8", (20, 15), values)
        for name in ("o.png", "o.tif", "o.nii.gz", "o.mha", "o.nrrd"):
            self.ok("crop", image, self.path(name), "--box", "3,4,10,8")
            self.ok("label", self.path(name), self.path("again.nrrd"), "--equal-value", "--background", "none")
            info = json.loads(self.ok("info", self.path(name), "--json").stdout)
            self.assertEqual(info["extent"][:2], [8, 5])
            own = [values[j * 20 + i] for j in range(4, 9) for i in range(3, 11)]
            self.assertEqual((info["minimum"], info["maximum"]), (min(own), max(own)))
        for name in ("v.nii.gz", "v.mha", "v.nhdr"):
            self.ok("crop", self.image, self.path(name), "--box", "2,3,1,7,8,4")
            info = json.loads(self.ok("info", self.path(name), "--json").stdout)
            self.assertEqual((info["extent"], info["spacing"]), ([6, 6, 4], list(SPACING)))
            self.assertEqual(info["origin"], [-2, 2.75, 12])

    def test_segments_keep_their_names_and_colors(self):
        self.ok("label", self.map, self.path("s.seg.nrrd"), "--equal-value", "--connectivity", 26)
        text = self.contents()["s.seg.nrrd"]
        self.assertIn(b"Segment2_Name:=", text)
        self.ok("crop", self.path("s.seg.nrrd"), self.path("c.seg.nrrd"), "--component", 2, "--margin", 1)
        header = self.contents()["c.seg.nrrd"].split(b"\n\n")[0].decode()
        box = self.box_of(7)
        self.assertIn("Segment0_LabelValue:=2", header)
        own = [end for first, last in zip(box[:3], box[3:]) for end in (1, last - first + 1)]
        self.assertIn("Segment0_Extent:=" + " ".join(map(str, own)), header)
        old = text.split(b"\n\n")[0].decode()
        color = [line.split(":=")[1] for line in old.splitlines() if line.startswith("Segment1_Color:=")]
        self.assertIn("Segment0_Color:=" + color[0], header)
        noted = self.ok("crop", self.path("s.seg.nrrd"), self.path("c.nrrd"), "--component", 2).stderr
        self.assertIn("names, colors and tags of the", noted)

    def test_bad_input(self):
        out = self.path("out.nrrd")
        for options, saying in (
                ((), "nothing to crop to: give --component or --each, or else --box, --cylinder, --sphere, --mask or --downsample"),
                (("--box", "0,0,0,3,3,3", "--component", 3), "--component and --each cannot be combined with --box"),
                (("--box", "0,0,0,12,3,3"), "reaches 12 along x, but the voxels there are 0 to 11"),
                (("--labels", self.map, "--component", 4), "labels.nrrd' has no component 4"),
                (("--labels", self.map, "--component", 3, "--margin", "1.5"), "--margin must be a number of voxels"),
                (("--labels", self.map, "--component", 3, "--margin", "-1"), "--margin must be a number of voxels"),
                (("--component", 3), "labels must be whole numbers")):
            self.fails("crop", self.image, out, *options, saying=saying)
        self.fails("crop", self.image, self.image, "--box", "0,0,0,3,3,3", saying="which is the input of IN")
        self.fails("crop", self.map, self.path("none/p.nrrd"), "--each", saying="none/p")
        write_nrrd(self.path("p_3.nrrd"), "uint16", SIZE, self.labels, SPACING, ORIGIN)
        self.fails("crop", self.path("p_3.nrrd"), self.path("p.nrrd"), "--each", saying="which is the input of IN")
        write_nrrd(self.path("flat.nrrd"), "uint8", (9, 7), [1] * 63)
        self.fails("crop", self.path("flat.nrrd"), out, "--component", 1, "--margin", "1mm",
                   saying="--margin must be a number of voxels, or a length")


if __name__ == "__main__":
    unittest.main()
