"""What `brickccl phantom` makes, and that the sample of Data/ is made by it."""

import hashlib
import json
import os
import unittest

from support import CommandTest, read_nrrd

DATA = os.path.join(os.path.dirname(__file__), "..", "..", "Data")


class PhantomTest(CommandTest):
    def test_every_kind(self):
        for kind in ("balls", "random", "spiral", "checkerboard", "grains", "log", "casting"):
            out = self.path(kind + ".nrrd")
            self.ok("phantom", kind, out, "--size", 40, 32, 24)
            fields, data = read_nrrd(out)
            self.assertEqual(fields["sizes"], "40 32 24", kind)
            scan = kind in ("grains", "log", "casting")
            self.assertEqual(fields["type"], "short" if scan else "unsigned char")
            self.assertEqual(len(data), 40 * 32 * 24 * (2 if scan else 1))
            self.assertGreater(len(set(data)), 1)

    def test_seed_density_and_truth(self):
        first, again, other = (self.path(name) for name in ("a.nrrd", "b.nrrd", "c.nrrd"))
        self.ok("phantom", "random", first, "--size", 64, 64, "--density", 0.25, "--seed", 5)
        self.ok("phantom", "random", again, "--size", 64, 64, "--density", 0.25, "--seed", 5)
        self.ok("phantom", "random", other, "--size", 64, 64, "--density", 0.25, "--seed", 6)
        a, b, c = (read_nrrd(path)[1] for path in (first, again, other))
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)
        self.assertAlmostEqual(sum(a) / 4096, 0.25, delta=0.04)
        self.ok("phantom", "log", first, "--truth", again, "--size", 64, 64, 40)
        self.assertEqual(set(read_nrrd(again)[1]), {0, 1, 2})

    def test_families_of_ridge_patterns(self):
        out = self.path("ridge.nrrd")
        self.ok("phantom", "ridge", out)
        self.assertEqual(read_nrrd(out)[0]["sizes"], "512 512")
        for family, subdivisions, parameter, components in (("leveling", 0, 1, 1), ("scaling", 0, 0.5, 1),
                                                            ("subdivision", 3, 1, 64), ("random-instancing", 3, 0, 0),
                                                            ("random-merging", 3, 1, 1), ("spiral", 0, 0.9, 1)):
            self.ok("phantom", "ridge", out, "--family", family, "--size", 256, 256, "--level", 3,
                    "--subdivisions", subdivisions, "--parameter", parameter)
            labels = self.path("labels.nrrd")
            done = self.ok("label", out, labels, "--connectivity", 8, "--json")
            self.assertEqual(json.loads(done.stdout)["components"], components, family)
        self.fails("phantom", "ridge", out, "--family", "levelling", saying="random-merging")
        self.fails("phantom", "ridge", out, "--size", 100, 100, saying="power of two")
        self.fails("phantom", "ridge", out, "--level", 9, saying="at most 8")
        self.fails("phantom", "balls", out, "--family", "leveling", saying="--family")

    def test_bad_requests(self):
        out = self.path("out.nrrd")
        self.fails("phantom", "cube", out, saying="KIND")
        self.fails("phantom", "random", out, "--density", 2, saying="between 0 and 1")
        self.fails("phantom", "random", out, "--size", 0, 4, saying="at least 1")
        self.fails("phantom", "balls", out, "--truth", out, saying="--truth")
        self.fails("phantom", "balls", out, "--size", 9, 9, "--spacing", 1, saying="--spacing")
        self.fails("phantom", "balls", self.path("out.xyz"), saying="extension")

    def test_the_sample_is_regenerated_bit_for_bit(self):
        with open(os.path.join(DATA, "log.json")) as stream:
            sample = json.load(stream)
        for name in ("log.nrrd", "log_truth.nrrd"):
            fields, data = read_nrrd(os.path.join(DATA, name))
            self.assertEqual(hashlib.sha256(data).hexdigest(), sample["sha256"][name], name)
        self.ok(*[argument.replace("Data", self.folder) for argument in sample["command"].split()[1:]])
        for name in ("log.nrrd", "log_truth.nrrd"):
            fields, data = read_nrrd(self.path(name))
            self.assertEqual(hashlib.sha256(data).hexdigest(), sample["sha256"][name], name)


if __name__ == "__main__":
    unittest.main()
