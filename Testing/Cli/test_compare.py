"""`brickccl compare`: defects of two batches, matched by overlap."""

import os
import unittest

from support import CommandTest, write_nrrd


class CompareTest(CommandTest):
    def batch(self, name, volumes, size=(12, 3, 1)):
        os.mkdir(self.path(name))
        for item, values in volumes.items():
            write_nrrd(os.path.join(self.path(name), item + ".nrrd"), "uint8", size, values)
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write("[outputs]\npictures = false\n")
        self.ok("batch", self.path("r.toml"), self.path(name), "-o", self.path(name + "-out"))
        return self.path(name + "-out")

    #          same       grown                vanished
    BEFORE = [1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0]
    AFTER = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0,
             0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
             1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0]

    def test_by_hand(self):
        before = self.batch("one", {"a": self.BEFORE, "b": [0] * 36, "only-before": [1] * 36})
        after = self.batch("two", {"a": self.AFTER, "b": [0] * 36, "only-after": [1] * 36})
        result = self.ok("compare", before, after, "-o", self.path("c.csv"))
        self.assertIn("a: 1 same, 2 grown, 1 shrunk, 1 new, 1 vanished, 1 split, 1 merged\n", result.stdout)
        self.assertIn("b: no defects\n", result.stdout)
        self.assertIn("only-before: not compared", result.stdout)
        self.assertIn("only-after: not compared", result.stdout)
        with open(self.path("c.csv"), encoding="utf-8") as stream:
            rows = stream.read().splitlines()
        self.assertEqual(rows, ["item,change,label_1,label_2,voxel_count_1,voxel_count_2,common_voxels",
                                "a,same,1,1,2,2,2", "a,grown,2,2,2,3,2", "a,vanished,3,,1,0,0", "a,grown,4,4,1,3,1",
                                "a,merged,5,4,1,3,1", "a,shrunk,6,5,5,2,2", "a,new,,3,0,1,0", "a,split,6,6,5,1,1"])
        result = self.ok("compare", before, after, "--tolerance", 0.5)
        self.assertIn("a: 2 same, 1 grown, 1 shrunk", result.stdout)

    def test_what_does_not_fit(self):
        before = self.batch("one", {"a": self.BEFORE})
        after = self.batch("two", {"a": self.BEFORE[:24]}, size=(12, 2, 1))
        self.fails("compare", before, after, saying="no item of")
        self.fails("compare", before, self.folder, saying="is not the folder of a batch")
        self.fails("compare", before, before, "-o", self.path("x.txt"), saying=".csv")


if __name__ == "__main__":
    unittest.main()
