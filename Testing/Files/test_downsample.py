# SPDX-License-Identifier: Apache-2.0
"""`--downsample`: voxels are means over boxes, worked out by numpy; labels, tables and places follow."""

import json
import os
import subprocess
import unittest
from fractions import Fraction

from files import COMMAND, FilesTest, np, values

KINDS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
NAMES = {"float32": "float", "float64": "double"}


def means(array, step):
    """The means of boxes: of whole numbers as fractions, halves up."""
    steps = [min(step, size) if axis >= array.ndim - 3 else 1 for axis, size in enumerate(array.shape)]
    result = np.empty([-(-size // one) for size, one in zip(array.shape, steps)], array.dtype)
    for place in np.ndindex(result.shape):
        box = array[tuple(slice(at * one, (at + 1) * one) for at, one in zip(place, steps))]
        if array.dtype.kind == "f":
            result[place] = box.astype("f8").mean()
        else:
            twice = 2 * Fraction(sum(map(int, box.ravel())), box.size) + 1
            result[place] = twice // 2
    return result


class DownsampleTest(FilesTest):
    def put(self, name, array, spacing=(0.5, 0.25, 2), origin=(-3, 2, 10)):
        """Writes an NRRD file of up to 3 dimensions with a place, others without."""
        lines = ["NRRD0004", "type: " + NAMES.get(str(array.dtype), str(array.dtype)), "dimension: %d" % array.ndim,
                 "sizes: " + " ".join(map(str, array.shape[::-1])), "endian: little", "encoding: raw"]
        if array.ndim == 3:
            vectors = ["(%s)" % ",".join(str(step if axis == row else 0) for row in range(3)) for axis, step in enumerate(spacing)]
            lines += ["space: left-posterior-superior", "space directions: " + " ".join(vectors),
                      "space origin: (%s)" % ",".join(map(str, origin))]
        with open(self.path(name), "wb") as stream:
            stream.write("\n".join(lines + ["", ""]).encode() + array.tobytes())
        return self.path(name)

    def command(self, *arguments, fails=False):
        result = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(result.returncode != 0, fails, result.stderr)
        return result.stderr if fails else result.stdout

    def table(self):
        with open(self.path("t.csv"), encoding="utf-8") as stream:
            return stream.read()

    def test_all_types_and_sizes(self):
        for number, kind in enumerate(KINDS):
            for shape, step in (((7, 9, 12), 2), ((6, 4, 8), 4), ((5, 6, 7), 3), ((2, 30, 31), 5), ((1, 9, 8), 2), ((7, 5, 6), 64)):
                array = values(kind, shape, number)
                self.command("crop", self.put("in.nrrd", array), self.path("out.nrrd"), "--downsample", step, "--quiet")
                image = self.read(self.path("out.nrrd"))
                wanted = means(array, step)
                self.assertEqual((image.type, image.size), (kind, list(wanted.shape[::-1])))
                if kind.startswith("float"):
                    np.testing.assert_allclose(image.voxels, wanted, rtol=1e-6 if kind == "float32" else 1e-12, atol=1e-4)
                else:
                    np.testing.assert_array_equal(image.voxels, wanted)
                steps = [min(step, size) for size in shape[::-1]]
                self.assert_geometry(image, [one * by for one, by in zip((0.5, 0.25, 2), steps)],
                                     [at + one * (by - 1) / 2 for at, one, by in zip((-3, 2, 10), (0.5, 0.25, 2), steps)])

    def test_ends_of_types_and_other_dimensions(self):
        for kind in ("int64", "uint64", "int8", "uint8"):
            info = np.iinfo(kind)
            array = np.array([info.min, info.min, info.max, info.max, info.min, info.max] * 6, kind).reshape(3, 3, 4)
            for step in (2, 3):
                self.command("crop", self.put("in.nrrd", array), self.path("out.nrrd"), "--downsample", step, "--quiet")
                np.testing.assert_array_equal(self.read(self.path("out.nrrd")).voxels, means(array, step))
        for shape in ((50,), (10, 12), (2, 5, 6, 7)):
            array = values("int16", shape)
            self.command("crop", self.put("in.nrrd", array), self.path("out.nrrd"), "--downsample", 3, "--quiet")
            np.testing.assert_array_equal(self.read(self.path("out.nrrd")).voxels, means(array, 3).reshape(self.read(self.path("out.nrrd")).voxels.shape))
        infinite = np.array([[[1, np.inf, np.nan, 2]]], "f4")
        self.command("crop", self.put("in.nrrd", infinite), self.path("out.nrrd"), "--downsample", 2, "--quiet")
        np.testing.assert_array_equal(self.read(self.path("out.nrrd")).voxels.ravel(), [np.inf, np.nan])

    def test_commands_see_the_averaged_image(self):
        array = values("uint8", (21, 30, 40))
        array[4:15, 5:25, 6:30] |= 128
        scan, coarse = self.put("in.nrrd", array), self.put("coarse.nrrd", means(array, 2), (1, 0.5, 4), (-2.75, 2.125, 11))
        for words in (["label", "--threshold", "otsu"], ["label", "--threshold", 150, "--box", "2,2,2,15,12,8"],
                      ["label", "--range", 10, 120, "--box", "1mm,3mm,12mm,12mm,8mm,40mm"], ["label", "--pores", "--threshold", 120]):
            summaries, maps, tables = [], [], []
            for name, more in ((scan, ["--downsample", 2]), (coarse, [])):
                summaries.append(json.loads(self.command(words[0], name, "map.nrrd", *words[1:], *more, "--statistics", "t.csv", "--json")))
                maps.append(self.read(self.path("map.nrrd")))
                tables.append(self.table())
            self.assertEqual(tables[0], tables[1])
            np.testing.assert_array_equal(maps[0].voxels, maps[1].voxels)
            self.assert_geometry(maps[0], [1, 0.5, 4], [-2.75, 2.125, 11])
            for key in ("extent", "spacing", "components", "kept_voxels", "threshold"):
                self.assertEqual(summaries[0].get(key), summaries[1].get(key), key)
            self.assertIn("each voxel is the mean of 2 voxels along each axis; the file has 40 x 30 x 21", " ".join(summaries[0]["notes"]))
        infos = [json.loads(self.command("info", name, *more, "--json")) for name, more in ((scan, ["--downsample", 2]), (coarse, []))]
        for key in ("extent", "spacing", "origin", "minimum", "maximum", "percentiles", "thresholds"):
            self.assertEqual(infos[0][key], infos[1][key], key)
        curves = [json.loads(self.command("sweep", name, "--range-from", 50, "--range-to", 200, "--steps", 9, "-o", "c.csv", *more, "--json"))
                  for name, more in ((scan, ["--downsample", 2]), (coarse, []))]
        self.assertEqual(curves[0]["steps"], curves[1]["steps"])
        means_of = [self.command("label", name, "--threshold", 150, "--intensity", name, "--statistics", "t.csv", "--quiet", *more)
                    or self.table() for name, more in ((scan, ["--downsample", 2]), (coarse, []))]
        self.assertEqual(means_of[0], means_of[1])
        self.command("crop", scan, "c.nrrd", "--downsample", 2, "--box", "1,2,3,8,9,7", "--quiet")
        np.testing.assert_array_equal(self.read(self.path("c.nrrd")).voxels, means(array, 2)[3:8, 2:10, 1:9])

    def test_recipes(self):
        array = values("uint8", (12, 14, 16))
        scan, coarse = self.put("in.nrrd", array), self.put("coarse.nrrd", means(array, 3), (1.5, 0.75, 6), (-2.5, 2.25, 12))
        rest = "[threshold]\nmethod = 140\nside = \"above\"\n"
        tables = []
        for number, (name, key) in enumerate(((scan, "[input]\ndownsample = 3\n"), (coarse, ""))):
            recipe, out = self.path("r%d.toml" % number), self.path("out%d" % number)
            with open(recipe, "w", encoding="utf-8") as stream:
                stream.write("[recipe]\nschema = 1\nname = \"r\"\n" + key + rest)
            self.command("batch", recipe, name, "-o", out, "--quiet")
            folder = os.path.join(out, "items", os.listdir(os.path.join(out, "items"))[0])
            with open(os.path.join(folder, "defects.csv"), encoding="utf-8") as stream:
                tables.append([line.split(",")[1:] for line in stream])
            with open(os.path.join(folder, "summary.json"), encoding="utf-8") as stream:
                summary = json.load(stream)
            self.assertEqual(summary["input"]["extent"], [6, 5, 4])
            self.assertEqual(summary["input"]["spacing_mm"], [1.5, 0.75, 6])
        self.assertEqual(tables[0], tables[1])
        self.assertIn("Boxes of 3 voxels along each axis are averaged first.", self.command("recipe", "explain", self.path("r0.toml")))
        with open(self.path("bad.toml"), "w", encoding="utf-8") as stream:
            stream.write("[recipe]\nschema = 1\nname = \"r\"\n[input]\ndownsample = 2\n[labeling]\ncriterion = \"equal-value\"\n")
        self.assertIn("cannot be combined", self.command("recipe", "check", self.path("bad.toml"), fails=True))

    def test_what_is_refused(self):
        array = values("uint8", (4, 5, 6))
        scan, out = self.put("in.nrrd", array), self.path("out.nrrd")
        for words in (["--downsample", 0], ["--downsample", 65], ["--downsample", 1.5], ["--downsample", 2, "--mask", scan],
                      ["--downsample", 2, "--equal-value"], ["--downsample", 2, "--zones", scan], ["--downsample", 2, "--part", scan],
                      ["--downsample", 2, "--touching", scan], ["--downsample", 2, "--memory", "1GB"]):
            self.assertIn("--downsample", self.command("label", scan, out, *words, fails=True))
        for words in (["--each"], ["--component", 1]):
            self.assertIn("--downsample", self.command("crop", scan, out, "--downsample", 2, *words, fails=True))
        self.assertIn("nothing to crop to", self.command("crop", scan, out, fails=True))
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
