# SPDX-License-Identifier: Apache-2.0
"""`brickccl batch`: what it writes, and its rules of acceptance."""

import gzip
import hashlib
import itertools
import json
import os
import shutil
import struct
import unittest
import zlib

from batch_support import BatchTest, FACES, rows_of
from support import labels_of, run, write_nrrd


def write_png(path, width, height, values):
    """Writes a gray picture of 8 bits."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(values[y * width:(y + 1) * width]) for y in range(height))
    with open(path, "wb") as stream:
        stream.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class ResultsTest(BatchTest):
    def test_what_is_written(self):
        self.recipe()
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2), (6, 5, 4, 3, 1, 1)])
        self.volume("b.nrrd", [])
        self.batch("--json")
        self.assertEqual(sorted(os.listdir(self.output)),
                         [".batch", "defects.csv", "items", "items.csv", "log.txt", "manifest.json", "recipe.toml", "record.json", "timings.csv"])
        self.assertEqual(sorted(os.listdir(os.path.join(self.output, "items", "a"))),
                         ["defects.csv", "labels.nrrd", "picture.png", "summary.json"])
        kind, labels = labels_of(os.path.join(self.output, "items", "a", "labels.nrrd"))
        self.assertEqual((kind, labels.count(1), labels.count(2)), ("uint8", 8, 3))
        defects = rows_of(os.path.join(self.output, "defects.csv"))
        self.assertEqual([(d["item"], d["slice"], d["label"], d["voxel_count"]) for d in defects],
                         [("a", "2", "1", "8"), ("a", "4", "2", "3")])
        items = self.items()
        self.assertEqual((items["a"]["verdict"], items["a"]["defects"], items["b"]["defects"]), ("none", "2", "0"))
        self.assertAlmostEqual(float(items["a"]["porosity_percent"]), 100 * 11 / 960)
        times = rows_of(os.path.join(self.output, "timings.csv"))
        self.assertEqual([row["item"] for row in times], ["a", "b"])
        self.assertGreater(float(times[0]["total_seconds"]), 0)

    def test_the_manifest_has_the_hashes_of_all_files(self):
        self.recipe()
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
        with open(os.path.join(self.input, "b.nhdr"), "w", encoding="utf-8") as stream:
            stream.write("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 1 1\nencoding: gzip\ndata file: b.raw.gz\n")
        with open(os.path.join(self.input, "b.raw.gz"), "wb") as stream:
            stream.write(gzip.compress(b"\0\1\1\0"))
        self.batch()
        with open(os.path.join(self.output, "manifest.json"), encoding="utf-8") as stream:
            manifest = json.load(stream)
        self.assertTrue(manifest["complete"])
        named = {entry["path"]: entry["sha256"] for entry in manifest["outputs"]}
        written = {path: hashlib.sha256(data).hexdigest() for path, data in self.tree().items() if path != "manifest.json"}
        self.assertEqual(named, written)
        read = [file for item in manifest["items"] for file in item["input"]["files"]]
        self.assertEqual([os.path.basename(file["path"]) for file in read], ["a.nrrd", "b.nhdr", "b.raw.gz"])
        for file in read:
            with open(file["path"], "rb") as stream:
                self.assertEqual(file["sha256"], hashlib.sha256(stream.read()).hexdigest())

    def test_results_do_not_depend_on_jobs(self):
        self.recipe("[labeling]\nconnectivity = 26\n[measuring]\ncolumns = [\"shape\", \"surface\", \"neighbors\"]\n")
        for seed in range(3):
            self.ok("phantom", "balls", os.path.join(self.input, "b%d.nrrd" % seed), "--seed", seed + 1, "--size", 64, 64, 64)
        self.batch("--jobs", 1)
        one = self.tree()
        self.output = self.path("two")
        self.batch("--jobs", 3)
        self.assertEqual(one, self.tree())
        self.assertEqual(len(one), 3 * 4 + 4)

    def test_intensities_that_are_nan_are_ignored_on_request(self):
        # A part of 5 x 5 x 5 voxels with a pore of 3, of which one is not a number.
        places = itertools.product(range(7), repeat=3)
        values = [100 if all(0 < at < 6 for at in place) else 0 for place in places]
        values[3 * 49 + 3 * 7 + 2:3 * 49 + 3 * 7 + 5] = float("nan"), 10, 20
        write_nrrd(os.path.join(self.input, "a.nrrd"), "float", (7, 7, 7), values)
        for more, mean in (("", "nan"), ("nan = \"keep\"\n", "nan"), ("nan = \"ignore\"\n", "15")):
            with self.subTest(more):
                self.recipe("[part]\nmethod = \"pores\"\nrange = [50, 150]\n[measuring]\nintensity = true\n" + more)
                shutil.rmtree(self.output, ignore_errors=True)
                self.batch()
                row, = rows_of(os.path.join(self.output, "defects.csv"))
                self.assertEqual((row["voxel_count"], row["intensity_mean"]), ("3", mean))

    def test_progress_has_the_time_left(self):
        self.recipe()
        for name in "abc":
            self.volume(name + ".nrrd", [])
        lines = self.batch("--jobs", 1).stderr.splitlines()
        self.assertEqual(len(lines), 3)
        for number, line in enumerate(lines[:2]):
            self.assertRegex(line, r"^\[%d/3\] .: 0 defects \([0-9]+ s left\)$" % (number + 1))
        self.assertEqual(lines[2], "[3/3] c: 0 defects")

    def test_selection_and_labels(self):
        self.recipe(FACES + "[selection]\nkeep = \"voxel_count > 2\"\n")
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1), (4, 4, 4, 3, 1, 1), (9, 9, 7, 1, 1, 1)])
        self.batch()
        summary = self.summary("a")
        self.assertEqual((summary["components"], summary["defects"]), (3, 1))
        _, labels = labels_of(os.path.join(self.output, "items", "a", "labels.nrrd"))
        self.assertEqual((labels.count(1), max(labels)), (3, 1))

    def test_a_cavity_with_a_narrow_opening_is_noted(self):
        # A part of 11 x 11 x 11 voxels with a cavity of 5 x 5 x 5 that a channel of this many voxels a side opens.
        for width, text, pores, noted in ((0, "", 125, False), (1, "", 0, True), (2, "", 0, True), (4, "", 0, True), (5, "", 0, False),
                                          (1, "close_mm = 1.5\n", 125, False)):
            values = []
            for z in range(15):
                for y in range(15):
                    for x in range(15):
                        isPart = all(2 <= at < 13 for at in (x, y, z))
                        isCavity = all(5 <= at < 10 for at in (x, y, z))
                        isOpening = z < 5 and 5 <= x < 5 + width and 5 <= y < 5 + width
                        values.append(200 if isPart and not isCavity and not isOpening else 0)
            write_nrrd(os.path.join(self.input, "p.nrrd"), "uint8", (15, 15, 15), values)
            shutil.rmtree(self.output, ignore_errors=True)
            self.recipe("[part]\nmethod = \"pores\"\nrange = [100, 255]\n" + text)
            self.batch()
            notes = "; ".join(self.summary("p")["notes"])
            self.assertEqual(self.summary("p")["defect_voxels"] >= 125, pores == 125, (width, text))
            self.assertEqual("1 crack or cavity (%d voxels" % (125 + 3 * width ** 2) in notes, noted, (width, text, notes))
            self.assertEqual("open to the outside through gaps of up to 4 mm" in notes, noted, (width, text, notes))
            self.assertEqual(self.items()["p"]["notes"], notes)

    def test_part_with_holes_filled_and_eroded(self):
        # Material of 10 x 8 x 6 voxels with a pore of 8 voxels in the middle and one of 1 voxel below the skin.
        size = (12, 10, 8)
        values = [0] * 960
        inside = [(x, y, z) for x in range(1, 11) for y in range(1, 9) for z in range(1, 7)]
        pore = [(x, y, z) for x in (5, 6) for y in (4, 5) for z in (3, 4)] + [(2, 2, 2)]
        for x, y, z in inside:
            values[(z * 10 + y) * 12 + x] = 0 if (x, y, z) in pore else 100
        write_nrrd(os.path.join(self.input, "p.nrrd"), "uint8", size, values, (1, 1, 1))
        text = "[threshold]\nrange = [0, 50]\n[part]\nmethod = \"largest\"\nrange = [50, 255]\n"
        self.recipe(text)
        self.batch()
        summary = self.summary("p")
        self.assertEqual((summary["defects"], summary["region_volume_mm3"]), (2, len(inside)))
        self.assertAlmostEqual(summary["porosity_percent"], 100 * 9 / len(inside))
        self.output = self.path("eroded")
        self.recipe(text + "erode_mm = \"2 mm\"\n")
        self.batch()
        summary = self.summary("p")
        self.assertEqual((summary["defects"], summary["defect_voxels"], summary["region"]), (1, 8, "core"))
        # 10 x 8 x 6 voxels lose 2 at each side.
        self.assertEqual(summary["region_volume_mm3"], 6 * 4 * 2)
        self.assertAlmostEqual(summary["porosity_percent"], 100 * 8 / 48)
        self.assertIn("1 of 2 components are not as deep as part.erode_mm and do not count", summary["notes"])
        self.output = self.path("deeper")
        self.recipe(text + "erode_mm = 3\n")
        self.batch(code=3)
        self.assertIn("no voxel of the part is deeper than part.erode_mm = 3 mm; its innermost voxel is 2.5 mm deep",
                      self.items()["p"]["error"])
        self.output = self.path("open")
        self.recipe(text + "fill_holes = \"none\"\n")
        self.batch()
        self.assertEqual((self.summary("p")["defects"], self.summary("p")["region_volume_mm3"]), (0, len(inside) - 9))

    def test_defects_count_as_a_whole_or_not_at_all(self):
        # Pores of 7 and 3 voxels along x in a part of 11 x 9 x 9; the long one begins 1 mm below the surface.
        values = [0] * (13 * 11 * 11)
        pores = [(x, 4, 4) for x in range(2, 9)] + [(x, 6, 6) for x in range(4, 7)]
        for x in range(1, 12):
            for y in range(1, 10):
                for z in range(1, 10):
                    values[(z * 11 + y) * 13 + x] = 0 if (x, y, z) in pores else 100
        write_nrrd(os.path.join(self.input, "p.nrrd"), "uint8", (13, 11, 11), values, (1, 1, 1))
        self.recipe("[part]\nmethod = \"pores\"\nrange = [50, 255]\nerode_mm = 2\n"
                    "[[acceptance]]\nrule = \"porosity\"\nat_most_percent = 1\n"
                    "[[acceptance]]\nrule = \"porosity-per-slice\"\nat_most_percent = 50\n")
        self.batch()
        summary = self.summary("p")
        core = 7 * 5 * 5
        self.assertEqual((summary["components"], summary["defects"], summary["defect_voxels"]), (2, 1, 3))
        self.assertAlmostEqual(summary["porosity_percent"], 100 * 3 / core)
        self.assertAlmostEqual(summary["rules"][0]["value"], 100 * 3 / core)
        self.assertAlmostEqual(summary["rules"][1]["value"], 100 * 3 / 35)
        self.assertFalse(summary["rules"][0]["passes"])

    def test_an_unknown_distance_to_the_surface_is_an_error(self):
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
        part = "[threshold]\nrange = [1, 1]\n[part]\nmethod = \"largest\"\nrange = [0, 0]\nfill_holes = \"volume\"\n"
        for text in ("[[acceptance]]\nrule = \"near-surface\"\nwithin_mm = 1\nat_most_count = 0\n",
                     "[selection]\nkeep = \"surface_distance_mm < 2\"\n",
                     "[[acceptance]]\nrule = \"number\"\nat_most_count = 0\nwhere = \"surface_distance_mm < 2\"\n"):
            shutil.rmtree(self.output, ignore_errors=True)
            self.recipe(part + text)
            self.batch(code=3)
            self.assertIn("the distance to the surface is not known, since the part reaches everywhere", self.items()["a"]["error"])
        shutil.rmtree(self.output)
        self.recipe(part)
        self.batch()
        self.assertEqual(self.items()["a"]["defects"], "1")
        self.assertIn("the part fills the whole image", self.items()["a"]["notes"])

    def test_a_part_of_every_voxel_has_no_verdict(self):
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
        rule = "[[acceptance]]\nrule = \"porosity\"\nat_most_percent = 1\n"
        for method, rules in itertools.product(("pores", "largest", "largest-inside"), (rule, "")):
            shutil.rmtree(self.output, ignore_errors=True)
            self.recipe("[threshold]\nrange = [1, 1]\n[part]\nmethod = \"%s\"\nthreshold = -5\n%s" % (method, rules))
            self.batch(code=3)
            self.assertIn("the part fills the image: every voxel is in", self.items()["a"]["error"])
            self.assertEqual(self.items()["a"]["verdict"], "error")

    def test_further_pieces_and_slits_are_noted(self):
        values = [0 if (x == 9 and y > 3) or x == 20 or not all(1 <= at < 29 for at in (x, y, z)) else 100
                  for z in range(30) for y in range(30) for x in range(30)]
        write_nrrd(os.path.join(self.input, "p.nrrd"), "uint8", (30, 30, 30), values, (1, 1, 1))
        self.recipe("[part]\nmethod = \"pores\"\nthreshold = 50\n[[acceptance]]\nrule = \"porosity\"\nat_most_percent = 1\n")
        self.batch()
        notes = self.summary("p")["notes"]
        self.assertEqual(len(notes), 2)
        self.assertIn("1 further piece of 6.272 cm3 was left out; part.parts = \"all\" takes it", notes[0])
        self.assertIn("1 crack or cavity (700 voxels, 700 mm3) is open to the outside through gaps of up to 4 mm", notes[1])
        self.assertIn("part.close_mm closes such gaps", notes[1])

    def test_threshold_is_found_in_the_part(self):
        self.recipe("[smoothing]\nfilter = \"median\"\n[threshold]\nmethod = \"otsu\"\n"
                    "[part]\nmethod = \"largest\"\nthreshold = \"otsu\"\n[labeling]\nconnectivity = 26\n")
        self.ok("phantom", "casting", os.path.join(self.input, "c.nrrd"), "--size", 96, 96, 64)
        self.batch()
        summary = self.summary("c")
        self.assertTrue(-500 < summary["threshold"] < 1800, summary["threshold"])
        self.assertEqual(summary["region"], "part")
        self.assertGreater(summary["defects"], 3)
        self.assertLess(summary["porosity_percent"], 5)

    def test_slices_of_a_folder_are_a_volume_or_items(self):
        self.recipe("[input]\nspacing_mm = [0.5, 0.5, 2]\n")
        folder = os.path.join(self.input, "stack")
        os.mkdir(folder)
        for z in range(11):
            write_png(os.path.join(folder, "s%d.png" % z), 8, 6, [1 if i == z else 0 for i in range(48)])
        self.batch()
        summary = self.summary("stack")
        # In natural order, the voxels of neighboring slices lie one step along x apart.
        _, labels = labels_of(os.path.join(self.output, "items", "stack", "labels.nrrd"))
        self.assertEqual([labels[z * 48 + z] for z in range(11)], list(range(1, 12)))
        self.assertEqual(summary["input"]["spacing_mm"], [0.5, 0.5, 2])
        self.output = self.path("single")
        self.recipe("[input]\nslices = \"single\"\n")
        self.batch()
        self.assertEqual(list(self.items()), ["stack/s%d" % z for z in range(11)])

    def test_dicom_series_are_told_apart_by_uid(self):
        self.recipe()
        seeds = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Fuzz", "seeds", "dicom")
        for where in ("one", "two/deep"):
            os.makedirs(os.path.join(self.input, where))
        shutil.copy(os.path.join(seeds, "explicit.dcm"), os.path.join(self.input, "one", "no-extension"))
        shutil.copy(os.path.join(seeds, "explicit.dcm"), os.path.join(self.input, "one", "b.dcm"))
        with open(os.path.join(seeds, "explicit.dcm"), "rb") as stream:
            content = stream.read()
        uid = content.index(b"\x20\x00\x0e\x00UI") + 8
        length = content[uid - 2] - 1 if content[uid + content[uid - 2] - 1] == 0 else content[uid - 2]
        other = content[:uid + length - 1] + (b"7" if content[uid + length - 1:uid + length] != b"7" else b"8") + content[uid + length:]
        with open(os.path.join(self.input, "two/deep", "c.dcm"), "wb") as stream:
            stream.write(other)
        listed = self.batch("--dry-run").stdout.splitlines()
        self.assertEqual(len(listed), 3, listed)
        self.assertEqual(sum("2 files of a DICOM series" in line for line in listed), 1, listed)

    def test_a_folder_does_not_hide_a_ready_recipe(self):
        self.ok("phantom", "casting", os.path.join(self.input, "c.nrrd"), "--size", 32, 32, 32, "--quiet")
        os.mkdir(self.path("casting-porosity"))
        result = run("batch", "casting-porosity", "in", "-o", "out", "--dry-run", cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout.count("c.nrrd")), (0, 1), result.stderr)
        self.fails("batch", self.input, self.input, "-o", self.output, saying="it is neither a file nor a ready recipe")

    def test_patterns_and_ignored_files(self):
        self.recipe()
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1)])
        self.volume("b.nrrd", [])
        with open(os.path.join(self.input, "notes.txt"), "w", encoding="utf-8") as stream:
            stream.write("x")
        with open(os.path.join(self.input, ".hidden.nrrd"), "w", encoding="utf-8") as stream:
            stream.write("x")
        result = json.loads(self.batch("--json").stdout)
        self.assertEqual(result["items"], 2)
        self.assertEqual([os.path.basename(path) for path in result["ignored_files"]], ["notes.txt"])
        # Voxels next to their header are no file of an unknown format.
        os.mkdir(self.path("pair"))
        self.ok("phantom", "balls", self.path("pair/c.mhd"), "--size", 8, 8, 8, "--quiet")
        self.ok("label", self.path("pair/c.mhd"), self.path("pair/d.mhd"), "--no-compression", "--quiet")
        self.output = self.path("pairs")
        found = json.loads(self.batch("--json", inputs=[self.path("pair")]).stdout)
        self.assertEqual((found["items"], found["ignored_files"]), (2, []))
        self.fails("batch", self.path("r.toml"), self.path("pair/d.raw"), "-o", self.path("x"),
                   saying=["pair/d.raw' is next to its header '", "d.mhd'; name the header instead"])
        self.output = self.path("pattern")
        self.batch(inputs=[os.path.join(self.input, "a*.nrrd")])
        self.assertEqual(list(self.items()), ["a"])
        self.fails("batch", self.path("r.toml"), self.path("nothing"), "-o", self.path("x"), saying="there is no input")
        self.assertFalse(os.path.exists(self.path("x")))

    def stack(self, names):
        folder = os.path.join(self.input, "stack")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for name in names:
            write_png(os.path.join(folder, name), 3, 3, [1] * 9)
        shutil.rmtree(self.output, ignore_errors=True)

    def test_slices_with_gaps_or_names_of_two_kinds_are_errors(self):
        self.recipe()
        for names, saying in (
                (["s_%03d.png" % z for z in range(30) if z != 12], "'s_012.png' is missing between 's_011.png' and 's_013.png'"),
                (["s%d.png" % z for z in (8, 9, 11, 12)], "'s10.png' is missing between 's9.png' and 's11.png'"),
                (["a_%d.png" % z for z in range(4)] + ["b_%d.png" % z for z in range(4)], "'a_0.png' and 'b_0.png' have names of different kinds"),
                (["t%d_z%d.png" % (t, z) for t in (1, 2) for z in (1, 2)], "more than one number changes"),
                (["s1.png", "s01.png"], "do not have rising numbers")):
            self.stack(names)
            self.batch(code=3)
            item = self.items()["stack"]
            self.assertEqual(item["verdict"], "error")
            self.assertIn(saying, item["error"])
        for names in (["s_%d.png" % z for z in range(0, 50, 10)], ["2024-11_%d_x2.png" % z for z in range(8, 12)]):
            self.stack(names)
            self.batch()
        self.recipe("[input]\naccept_irregular_names = true\n")
        self.stack(["s_%03d.png" % z for z in range(30) if z != 12])
        self.batch()
        self.assertIn("'s_012.png' is missing", self.items()["stack"]["notes"])
        self.assertEqual(self.summary("stack")["input"]["extent"], [3, 3, 29])

    def test_results_of_other_batches_are_no_inputs(self):
        self.recipe()
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1)])
        first = self.output = os.path.join(self.input, "first")
        self.batch()
        self.output = self.path("second")
        self.assertIn("note: '%s' holds the results of another batch" % first, self.batch().stderr)
        self.assertEqual(list(self.items()), ["a"])
        self.fails("batch", self.path("r.toml"), first, "-o", self.path("x"), saying="holds the results of a batch; name the files")
        self.assertFalse(os.path.exists(self.path("x")))

    def test_an_input_that_gives_no_image_is_an_error(self):
        self.recipe()
        self.volume("a.nrrd", [])
        with open(self.path("notes.txt"), "w", encoding="utf-8") as stream:
            stream.write("x")
        os.mkdir(self.path("empty"))
        os.symlink(self.path("nowhere"), self.path("dead.nrrd"))
        os.mkfifo(self.path("pipe.nrrd"))
        for name, saying in (("notes.txt", "no image comes from"), ("empty", "no image comes from"), ("*.txt", "no image comes from"),
                             ("dead.nrrd", "there is no input"), ("pipe.nrrd", "is neither a file nor a folder")):
            self.fails("batch", self.path("r.toml"), self.input, self.path(name), "-o", self.path("x"), saying=[saying, name])
            self.assertFalse(os.path.exists(self.path("x")))
        self.batch(inputs=[self.input, os.path.join(self.input, "a.nrrd")])
        self.assertEqual(list(self.items()), ["a"])

    def test_links_to_nothing_are_errors_of_their_items(self):
        self.recipe()
        self.volume("a.nrrd", [])
        os.symlink(self.path("nowhere"), os.path.join(self.input, "dead.nrrd"))
        os.symlink("loop.nrrd", os.path.join(self.input, "loop.nrrd"))
        self.batch(code=3)
        self.assertEqual({name: row["verdict"] for name, row in self.items().items()}, {"a": "none", "dead": "error", "loop": "error"})
        self.assertIn("dead.nrrd", self.items()["dead"]["error"])

    def test_items_say_where_they_come_from_and_what_was_noted(self):
        self.recipe()
        for folder in ("x", "y"):
            os.mkdir(os.path.join(self.input, folder))
            self.volume(folder + "/p.nrrd", [(0, 0, 0, 1, 1, 1)])
        os.mkdir(os.path.join(self.input, "stack"))
        for z in range(2):
            write_png(os.path.join(self.input, "stack", "s%d.png" % z), 3, 3, [0] * 9)
        inputs = [os.path.join(self.input, name) for name in ("x", "y", "stack")]
        self.batch(inputs=inputs)
        rows = rows_of(os.path.join(self.output, "items.csv"))
        self.assertEqual([(row["item"], row["input"]) for row in rows],
                         [("p", os.path.join(inputs[0], "p.nrrd")), ("p-2", os.path.join(inputs[1], "p.nrrd")),
                          ("stack", inputs[2])])
        self.assertEqual(rows[0]["notes"], "")
        self.assertIn("no voxel size in the file: 1 mm assumed", rows[2]["notes"])

    def test_output_inside_of_the_input_is_not_searched(self):
        self.recipe()
        self.volume("a.nrrd", [(0, 0, 0, 1, 1, 1)])
        self.output = os.path.join(self.input, "results")
        self.batch()
        self.batch("--resume")
        self.assertEqual(list(self.items()), ["a"])


class AcceptanceTest(BatchTest):
    # Boxes of 8, 3 and 1 voxels; the first two are 3 mm apart, the last one is in the corner.
    BOXES = [(1, 1, 1, 2, 2, 2), (6, 1, 1, 3, 1, 1), (11, 9, 7, 1, 1, 1)]

    def judge(self, rule, part=False):
        text = FACES + "[[acceptance]]\n" + rule
        if part:
            text += "\n[part]\nmethod = \"largest\"\nrange = [0, 1]\n"
        self.recipe(text)
        shutil.rmtree(self.output, ignore_errors=True)
        self.volume("a.nrrd", self.BOXES)
        self.batch()
        judged = self.summary("a")["rules"][0]
        self.assertEqual(self.items()["a"]["verdict"], "pass" if judged["passes"] else "fail")
        return judged["passes"], judged["value"], judged["label"], judged["slice"]

    def test_largest_and_smallest(self):
        rule = "rule = \"largest\"\ncolumn = \"voxel_count\"\nat_most = "
        self.assertEqual(self.judge(rule + "8"), (True, 8, 1, 2))
        self.assertEqual(self.judge(rule + "7.9"), (False, 8, 1, 2))
        self.assertEqual(self.judge(rule + "2\nwhere = \"voxel_count < 3\""), (True, 1, 3, 7))
        self.assertEqual(self.judge(rule + "2\nwhere = \"voxel_count > 99\""), (True, None, None, None))
        self.assertEqual(self.judge("rule = \"smallest\"\ncolumn = \"voxel_count\"\nat_least = 2"), (False, 1, 3, 7))

    def test_porosity(self):
        passes, value, label, _ = self.judge("rule = \"porosity\"\nat_most_percent = 1.25")
        self.assertEqual((passes, label), (True, 1))
        self.assertAlmostEqual(value, 100 * 12 / 960)
        passes, value, _, where = self.judge("rule = \"porosity-per-slice\"\nat_most_percent = 5")
        self.assertEqual((passes, where), (False, 1))
        self.assertAlmostEqual(value, 100 * 7 / 120)

    def test_numbers(self):
        self.assertEqual(self.judge("rule = \"number\"\nat_most_count = 2"), (False, 3, 1, 2))
        self.assertEqual(self.judge("rule = \"number\"\nat_most_count = 3"), (True, 3, 1, 2))
        self.assertEqual(self.judge("rule = \"number-per-slice\"\nat_most_count = 1"), (False, 2, 1, 1))
        self.assertEqual(self.judge("rule = \"number-per-slice\"\nat_most_count = 0\nwhere = \"voxel_count == 1\""),
                         (False, 1, 3, 7))

    def test_spacing(self):
        self.assertEqual(self.judge("rule = \"spacing\"\nat_least_mm = 3")[:3], (True, 3, 1))
        self.assertEqual(self.judge("rule = \"spacing\"\nat_least_mm = \"0.31 cm\"")[:3], (False, 3, 1))

    def test_wall_thickness(self):
        # A plate of 18 x 9 x 3 voxels with a pore in its middle, and a rib of 6 voxels on it.
        values = [1 if 1 <= x < 19 and 1 <= y < 10 and 1 <= z < (8 if x > 12 else 4) and (x, y, z) != (5, 4, 2) else 0
                  for z in range(9) for y in range(11) for x in range(20)]
        write_nrrd(os.path.join(self.input, "p.nrrd"), "uint8", (20, 11, 9), values, (0.5, 0.5, 0.5))
        part = "[part]\nmethod = \"pores\"\nrange = [1, 1]\n"
        rule = "[[acceptance]]\nname = \"Wall\"\nrule = \"wall-thickness\"\nat_least_mm = %s\n"
        for limit, passes in ((1.5, True), (1.6, False)):
            self.recipe(FACES + part + rule % limit)
            shutil.rmtree(self.output, ignore_errors=True)
            self.batch()
            judged = self.summary("p")["rules"][0]
            self.assertAlmostEqual(judged["value"], 1.5, delta=1e-6)
            self.assertEqual((judged["passes"], judged["label"], judged["slice"]), (passes, None, 2))
        self.assertIn("every wall of the part is at least 1.6 mm thick", " ".join(self.ok("recipe", "explain", self.path("r.toml")).stdout.split()))
        for text, saying in ((rule % 1, "needs the whole part"), (part + "erode_mm = 1\n" + rule % 1, "part.erode_mm"),
                             (part + "[region]\nbox = \"0,0,0,3,3,3\"\n" + rule % 1, "[region]"),
                             (part + rule % 1 + "where = \"label > 1\"\n", "where")):
            self.recipe(FACES + text)
            self.fails("recipe", "check", self.path("r.toml"), saying=saying)

    def test_near_surface(self):
        # A part of 10 x 8 x 6 voxels: one pore of 1 voxel lies 1 mm, one of 8 voxels at least 2 mm below the surface.
        values = [0] * 960
        pores = [(2, 2, 2)] + [(x, y, z) for x in (5, 6) for y in (4, 5) for z in (3, 4)]
        for x in range(1, 11):
            for y in range(1, 9):
                for z in range(1, 7):
                    values[(z * 10 + y) * 12 + x] = 0 if (x, y, z) in pores else 100
        write_nrrd(os.path.join(self.input, "p.nrrd"), "uint8", (12, 10, 8), values, (1, 1, 1))
        for within, expected in ((1, 0), (1.5, 1), (2.5, 2)):
            shutil.rmtree(self.output, ignore_errors=True)
            self.recipe("[threshold]\nrange = [0, 50]\n[part]\nmethod = \"largest\"\nrange = [50, 255]\n"
                        "[[acceptance]]\nrule = \"near-surface\"\nwithin_mm = %g\nat_most_count = 0\n" % within)
            self.batch()
            rule = self.summary("p")["rules"][0]
            self.assertEqual((rule["value"], rule["passes"]), (expected, expected == 0), within)

    def test_the_first_rule_that_fails_decides(self):
        self.recipe(FACES + "[[acceptance]]\nrule = \"number\"\nat_most_count = 9\n[[acceptance]]\nname = \"Second\"\n"
                    "rule = \"number\"\nat_most_count = 1\n")
        self.volume("a.nrrd", self.BOXES)
        self.batch()
        item = self.items()["a"]
        self.assertEqual((item["verdict"], item["decided_by"], item["value"], item["limit"], item["defect_label"], item["slice"]),
                         ("fail", "Second", "3.0", "1.0", "1", "2"))


if __name__ == "__main__":
    unittest.main()
