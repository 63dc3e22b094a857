# SPDX-License-Identifier: Apache-2.0
"""Values that the fields of a GUI may hold: odd names of files, nothing at all, and one file for two purposes."""

import os
import random
import subprocess
import unittest

import oracle
from slicer import read_table, read_volume, write_volume
from support import COUNT, SIZES, ModuleTest, module, random_values

LABEL, STATISTICS = module("BrickLabelVolume"), module("BrickComponentStatistics")
CLEAN, DEFECTS = module("BrickCleanSegmentation"), module("BrickDefectAnalysis")
VALUES = random_values(1, [0, 0, 0, 0, 1])
COMPONENTS = oracle.flood(SIZES, VALUES, oracle.steps_of(6, None), lambda a, b: True)

# The name of every file without its extension, and the folder's name.
NAMES = ("with  two spaces", "quoted \"so\" and 'so'", "Prüfkörper 雪 Ω", "C:\\Users\\me\\part", "semi;colon & $HOME `x` *?[1]",
         "-rf", "--threads", "a.b.c", "per%20cent %s %n", "#1,2=3", "\u0061\u0308 decomposed")


def write_part(path):
    """A block with holes in air."""
    generator = random.Random(3)
    sizes = (16, 15, 14)
    voxels = [(x, y, z) for z in range(sizes[2]) for y in range(sizes[1]) for x in range(sizes[0])]
    values = [900 if all(2 <= c < side - 2 for c, side in zip(voxel, sizes)) and voxel not in ((5, 5, 5), (9, 9, 9)) else 100
              for voxel in voxels]
    write_volume(path, "int16", sizes, [value + generator.randrange(-40, 41) for value in values])


class HostileValuesTest(ModuleTest):
    def test_odd_names_of_files_and_folders(self):
        for name in NAMES:
            with self.subTest(name):
                folder = self.path(name)
                os.mkdir(folder)

                def file(end, folder=folder, name=name):
                    return os.path.join(folder, name + end)

                write_volume(file(".nrrd"), "uint8", SIZES, VALUES)
                result = self.ok(LABEL.run(folder, inputVolume=file(".nrrd"), outputLabels=file(" labels.nrrd"),
                                           outputTable=file(" table.tsv")))
                self.assertEqual(result.returned["componentCount"], str(len(COMPONENTS)))
                self.assertEqual(read_volume(file(" labels.nrrd"))[1], oracle.label_map(COUNT, COMPONENTS))
                self.assertEqual([row["voxel_count"] for row in read_table(file(" table.tsv"))[0]], list(map(len, COMPONENTS)))
                self.ok(STATISTICS.run(folder, inputLabels=file(" labels.nrrd"), intensityVolume=file(".nrrd"),
                                       partVolume=file(".nrrd"), outputTable=file(" statistics.tsv")))
                self.assertEqual(len(read_table(file(" statistics.tsv"))[0]), len(COMPONENTS))
                self.ok(CLEAN.run(folder, inputSegmentation=file(".nrrd"), outputSegmentation=file(" clean.nrrd"), minimumSize=2))
                self.assertEqual(sum(read_volume(file(" clean.nrrd"))[1]), sum(len(c) for c in COMPONENTS if len(c) > 1))
                write_part(file(" part.nrrd"))
                result = self.ok(DEFECTS.run(folder, inputVolume=file(" part.nrrd"), outputLabels=file(" pores.nrrd"),
                                             outputTable=file(" pores.tsv")))
                self.assertEqual(result.returned["componentCount"], "2")

    def test_two_modules_at_once_in_one_folder_of_an_odd_name(self):
        folder = self.path(NAMES[2])
        os.mkdir(folder)
        volume, part = os.path.join(folder, "雪.nrrd"), os.path.join(folder, "Teil.nrrd")
        write_volume(volume, "uint8", SIZES, VALUES)
        write_part(part)
        labels, pores = os.path.join(folder, "Größe.nrrd"), os.path.join(folder, "Pôren.nrrd")
        both = [LABEL.start(folder, inputVolume=volume, outputLabels=labels),
                DEFECTS.start(folder, inputVolume=part, outputLabels=pores)]
        for process in both:
            self.assertEqual((process.communicate(timeout=60)[1], process.returncode), ("", 0))
        self.assertEqual(read_volume(labels)[1], oracle.label_map(COUNT, COMPONENTS))
        self.assertEqual(max(read_volume(pores)[1]), 2)
        self.assertEqual(len(os.listdir(folder)), 4)

    def test_optional_files_that_are_empty_texts_are_none(self):
        volume, labels = self.write("v.nrrd", "uint8", VALUES), self.path("l.nrrd")
        self.ok(LABEL.run(self.folder, inputVolume=volume, outputLabels=labels, maskVolume="", outputTable=""))
        self.assertEqual(read_volume(labels)[1], oracle.label_map(COUNT, COMPONENTS))
        self.ok(STATISTICS.run(self.folder, inputLabels=labels, intensityVolume="", partVolume="",
                               outputTable=self.path("t.tsv")))
        self.assertNotIn("intensity_mean", read_table(self.path("t.tsv"))[1])
        self.assertEqual(sorted(os.listdir(self.folder)), ["l.nrrd", "t.schema.tsv", "t.tsv", "v.nrrd"])

    def test_needed_files_that_are_empty_texts_are_named(self):
        for one in (LABEL, STATISTICS, CLEAN, DEFECTS):
            needed = {name: parameter for name, parameter in one.parameters.items() if parameter.find("index") is not None}
            for empty, parameter in needed.items():
                with self.subTest(module=one.name, empty=empty):
                    values = {name: self.path(name + ".nrrd") for name in needed}
                    values[empty] = ""
                    self.fails(one.run(self.folder, **values), "'%s' (%s) is empty" % (parameter.findtext("label"), empty), [])
                    self.assertEqual(os.listdir(self.folder), [])

    def test_return_values_overwrite_no_file_of_the_run(self):
        volume = self.write("v.nrrd", "uint8", VALUES)
        with open(volume, "rb") as stream:
            before = stream.read()
        os.link(volume, self.path("link.params"))
        os.symlink("v.nrrd", self.path("other.params"))
        for name in ("v.nrrd", "l.nrrd", "t.tsv", "link.params", "other.params", "./v.nrrd"):
            with self.subTest(name):
                files = sorted(os.listdir(self.folder))
                line = LABEL.command({"inputVolume": volume, "outputLabels": self.path("l.nrrd"),
                                      "outputTable": self.path("t.tsv")}, os.path.join(self.folder, name))
                done = subprocess.run(line, capture_output=True, text=True, cwd=self.folder)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("--returnparameterfile would overwrite", done.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), files)
                with open(volume, "rb") as stream:
                    self.assertEqual(stream.read(), before)


if __name__ == "__main__":
    unittest.main()
