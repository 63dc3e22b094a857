# SPDX-License-Identifier: Apache-2.0
"""`brickccl label --memory` with too little memory names an amount that does, and its summary is that of memory."""

import json
import random
import re
import unittest

from support import CommandTest, read_nrrd, run, write_nrrd

SIZE = (160, 160, 24)
TABLE = ("--columns", "shape,surface")


def noise(density, begin=0):
    """Voxels of 0 and 1; the first ones are 0."""
    random.seed(8)
    voxels = [0] * begin
    while len(voxels) < SIZE[0] * SIZE[1] * SIZE[2]:
        voxels.append(int(random.random() < density))
    return voxels


class SlabMemoryTest(CommandTest):
    def named(self, result):
        """The memory that an error names."""
        found = re.search(r"the minimum is (\d+) MiB|use --memory (\d+)MiB", result.stderr)
        self.assertIsNotNone(found, result.stderr)
        return int(found.group(1) or found.group(2))

    def label_as_named(self, path, *options, threads=1):
        """Labels in the memory that errors name. The first one knows nothing of components, the second one all. Returns the
        summary and how many errors there were."""
        command = ("label", path, self.path("slabs.nrrd"), *options, "--threads", threads, "--json")
        result = run(*command, "--memory", "1MB")
        errors = 0
        while result.returncode != 0 and errors < 4:
            errors += 1
            result = run(*command, "--memory", "%dMiB" % self.named(result))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLessEqual(errors, 2, "%s %s" % (path, options))
        return json.loads(result.stdout), errors

    def check(self, path, *options, **more):
        for table in ((), ("--statistics", self.path("slabs.csv"), *TABLE)):
            whole = json.loads(self.ok("label", path, self.path("whole.nrrd"), *options, "--json").stdout)
            slabs, errors = self.label_as_named(path, *options, *table, **more)
            self.assertEqual(read_nrrd(self.path("whole.nrrd")), read_nrrd(self.path("slabs.nrrd")), path)
            self.assertEqual(whole["components"], slabs["components"])
            if not table:
                # With the table, it takes more memory than the whole image.
                self.assertGreater(slabs["slabs"]["count"], 1, path)
                self.assertEqual(errors, 2, path)

    def test_info(self):
        """The values and thresholds of a scan that is read slab by slab are those of the whole scan."""
        for kind, scale in (("uint8", 1), ("float", 0.37)):
            write_nrrd(self.path("i.nrrd"), kind, SIZE, [scale * (i * 7919 % 251) for i in range(SIZE[0] * SIZE[1] * SIZE[2])])
            for region in ((), ("--box", "3,4,5,90,80,20"), ("--sphere", "80,80,12,60")):
                command = ("info", self.path("i.nrrd"), *region, "--threads", 1, "--json")
                least = self.named(run(*command, "--memory", "1MB"))
                self.assertEqual(self.ok(*command).stdout, self.ok(*command, "--memory", "%dMiB" % least).stdout)

    def test_values_of_a_mask_that_are_no_numbers_are_told(self):
        write_nrrd(self.path("i.nrrd"), "uint8", SIZE, noise(0.3))
        mask = [1.0] * (SIZE[0] * SIZE[1] * SIZE[2])
        for place in (0, 7, len(mask) // 2, len(mask) - 1):
            mask[place] = float("nan")
        write_nrrd(self.path("m.nrrd"), "float", SIZE, mask)
        command = ("label", self.path("i.nrrd"), self.path("o.nrrd"), "--json", "--mask")
        told = "'%s': 4 values are NaN and count as background" % self.path("m.nrrd")
        for memory in ((), ("--memory", "60MiB", "--threads", 1)):
            result = self.ok(*command, self.path("m.nrrd"), *memory)
            self.assertIn(told, json.loads(result.stdout)["notes"])
            self.assertGreater(json.loads(result.stdout).get("slabs", {"count": 2})["count"], 1)
        self.assertNotIn("NaN", self.ok(*command, self.path("i.nrrd"), "--memory", "60MiB", "--threads", 1).stdout)

    def test_the_formats_of_the_help_are_those_that_are_read_so(self):
        with open(self.path("p.png"), "wb") as stream:
            stream.write(b"\x89PNG\r\n\x1a\n")
        result = self.fails("label", self.path("p.png"), self.path("o.nrrd"), "--memory", "90MiB", saying="those that are: NRRD")
        names = re.search("those that are: (.*), and folders", result.stderr).group(1)
        self.assertIn("The files must be %s, or slice images" % names, run("manual").stdout.replace("\\-", "-"))

    def test_the_memory_that_is_named_does(self):
        """Of all formats that the command writes; other ones are in Files.parts."""
        first = self.path("noise.nrrd")
        write_nrrd(first, "uint8", SIZE, noise(0.2))
        for name in ("a.mhd", "b.nrrd", "c.mha", "d.nii.gz", "e.tif"):
            copy = first
            if name != "a.mhd":
                copy = self.path(name)
                self.ok("label", first, copy, "--equal-value", "--largest", 0, "--label-type", "uint16")
            self.check(copy)
        mask = self.path("mask.nrrd")
        write_nrrd(mask, "uint8", SIZE, noise(0.9))
        self.check(first, "--mask", mask)
        self.check(first, threads=2)
        for options in (("--equal-value", "--background", "none"), ("--periodic", "x,z", "--minimum-size", 2)):
            # Surfaces of unwrapped components are not measured.
            self.label_as_named(first, *options)
            self.label_as_named(first, *options, "--statistics", self.path("slabs.csv"), "--columns", "shape")

    def test_components_that_come_late(self):
        path = self.path("late.nrrd")
        write_nrrd(path, "uint8", SIZE, noise(0.2, begin=SIZE[0] * SIZE[1] * 18))
        self.check(path)

    def test_an_image_of_one_compressed_slice(self):
        path = self.path("flat.nrrd")
        random.seed(3)
        write_nrrd(path, "uint8", (900, 700), [int(random.random() < 0.001) for _ in range(900 * 700)])
        self.ok("label", path, self.path("flat.tif"))
        self.label_as_named(self.path("flat.tif"))
        self.label_as_named(self.path("flat.tif"), "--periodic", "y")
        # Rows of a mask are read as a whole with those of an image that has them one by one.
        self.label_as_named(path, "--mask", self.path("flat.tif"))

    def test_summaries_are_those_of_memory(self):
        path = self.path("values.nrrd")
        random.seed(9)
        write_nrrd(path, "int16", SIZE, [random.choice((-3, -3, -2, 0, 5)) if z % 4 else -2 for z in range(24)
                                         for _ in range(SIZE[0] * SIZE[1])])
        table = ("--statistics", self.path("t.csv"))
        for options in (("--threshold", -1, "--below"), ("--threshold", 0), ("--threshold", -2.5, "--below", "--largest", 9),
                        ("--range", -2, 0), ("--equal-value",), ()):
            for more in ((), table):
                whole = self.ok("label", path, self.path("w.nrrd"), *options, *more, "--json").stdout
                slabs = self.ok("label", path, self.path("s.nrrd"), *options, *more, "--json", "--memory", "256MiB").stdout
                whole, slabs = json.loads(whole), json.loads(slabs)
                self.assertEqual(whole.keys() - slabs.keys(), set())
                for key in whole.keys() - {"seconds", "peak_memory_bytes", "output"}:
                    self.assertEqual(whole[key], slabs[key], (key, options))
            texts = [self.ok("label", path, self.path("s.nrrd"), *options, *memory).stdout.splitlines()
                     for memory in ((), ("--memory", "256MiB"))]
            # Slabs have a line of their own, before the seconds and the next step.
            self.assertEqual(texts[0][:-2] + texts[0][-1:], texts[1][:-3] + texts[1][-1:], options)
        text = self.ok("label", path, self.path("s.nrrd"), "--threshold", -1, "--below", "--memory", "256MiB").stdout
        self.assertIn("(6 neighbors), foreground below -1\n", text)


if __name__ == "__main__":
    unittest.main()
