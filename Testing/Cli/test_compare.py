"""`brickccl compare`: defects of two batches, matched by overlap."""

import os
import unittest

from support import CommandTest, run, write_nrrd


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

    def test_the_batches_own_files_are_not_overwritten(self):
        batch = self.batch("one", {"a": self.BEFORE})
        other = self.batch("two", {"a": self.BEFORE})
        for output in ("items.csv", "items/a/defects.csv", "new.csv", "../one-out/items/../defects.csv"):
            for first, second in ((batch, other), (other, batch)):
                self.fails("compare", first, second, "-o", os.path.join(batch, output), saying="the folder of a batch; name a file outside")
        self.assertNotIn("new.csv", os.listdir(batch))
        with open(os.path.join(batch, "items.csv"), encoding="utf-8") as stream:
            self.assertTrue(stream.read().startswith("item,folder,verdict"))
        self.ok("compare", batch, other, "-o", batch + "-2.csv")

    def test_skipped_items_are_not_compared(self):
        before = self.batch("one", {"a": self.BEFORE, "b": self.BEFORE})
        after = self.batch("two", {"a": self.BEFORE, "b": self.BEFORE})
        write_nrrd(self.path("two/b.nrrd"), "uint8", (12, 3, 1), [0] * 36, truncate=8)
        result = run("batch", self.path("r.toml"), self.path("two"), "-o", after, "--resume")
        self.assertEqual(result.returncode, 3, result.stderr)
        result = self.ok("compare", before, after)
        self.assertIn("a: 6 same", result.stdout)
        self.assertIn("b: not compared: skipped", result.stdout)
        with open(os.path.join(after, "items/a/labels.nrrd"), "ab") as stream:
            stream.write(b"x")
        self.fails("compare", before, after, saying="no item of")
        os.remove(os.path.join(after, "items/a/labels.nrrd"))
        self.assertIn("labels.nrrd' is not what the batch wrote", run("compare", before, after).stdout)
        with open(os.path.join(after, "items/a/summary.json"), "w", encoding="utf-8") as stream:
            stream.write("{")
        self.fails("compare", before, after, saying="summary.json' is damaged")


if __name__ == "__main__":
    unittest.main()
