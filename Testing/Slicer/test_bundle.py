# SPDX-License-Identifier: Apache-2.0
"""The archive of the modules: unpacked into a scratch folder, it runs where LD_LIBRARY_PATH holds other libraries of the same
names, and on a system with nothing but the C library."""

import os
import re
import shutil
import subprocess
import tarfile
import unittest

import oracle
from slicer import Module, read_table, read_volume
from support import COUNT, FOLDER, SIZES, ModuleTest, random_values

BUILD = os.environ["BRICKCCL_BUILD"]
NAMES = sorted(os.listdir(FOLDER))
VALUES = random_values(1, [0, 0, 0, 1])
OF_THE_MACHINE = re.compile(r"(libc|libm|libpthread|libdl|librt|libresolv|ld-linux.*|linux-vdso)\.so")


class BundleTest(ModuleTest):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run(["cmake", "--build", BUILD, "--target", "slicer-bundle"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.archive = re.search(r"^(.+\.tar\.gz): (\d+) MB", done.stdout, re.M)

    def setUp(self):
        super().setUp()
        with tarfile.open(self.archive.group(1)) as archive:
            archive.extractall(self.folder)
        (self.bundle,) = os.listdir(self.folder)
        self.modules = self.path(self.bundle + "/cli-modules")

    def poisoned(self):
        """An environment whose LD_LIBRARY_PATH holds files of the libraries' names that are none."""
        os.mkdir(self.path("poison"))
        for library in os.listdir(self.modules + "/lib"):
            with open(self.path("poison/" + library), "w", encoding="utf-8") as stream:
                stream.write("no library\n")
        return {**os.environ, "LD_LIBRARY_PATH": self.path("poison")}

    def run_all(self, environment):
        """Labels a volume and measures its labels; both are right."""
        volume = self.write("volume.nrrd", "uint8", VALUES)
        labels, table = self.path("labels.nrrd"), self.path("table.tsv")
        components = oracle.flood(SIZES, VALUES, oracle.steps_of(6, None), lambda a, b: True)
        result = Module(self.modules + "/BrickLabelVolume").run(self.folder, environment, inputVolume=volume,
                                                                outputLabels=labels)
        self.ok(result)
        self.assertEqual(read_volume(labels)[1], oracle.label_map(COUNT, components))
        result = Module(self.modules + "/BrickComponentStatistics").run(self.folder, environment, inputLabels=labels,
                                                                        outputTable=table)
        self.ok(result)
        self.assertEqual([row["voxel_count"] for row in read_table(table)[0]], list(map(len, components)))

    def test_slicer_sees_the_modules_and_nothing_else(self):
        runnable = [name for name in sorted(os.listdir(self.modules))
                    if os.path.isfile(self.modules + "/" + name) and os.access(self.modules + "/" + name, os.X_OK)]
        self.assertEqual(runnable, NAMES)
        self.assertLess(int(self.archive.group(2)), 60)
        self.assertTrue(os.path.exists(self.path(self.bundle + "/README.md")))
        self.assertIn("BrickCCL", os.listdir(self.path(self.bundle + "/licenses")))

    def test_runs_with_a_poisoned_library_path(self):
        environment = self.poisoned()
        # The poison works: a program without the bundle's libraries dies of it.
        other = self.path("BrickLabelVolume")
        shutil.copy(self.modules + "/BrickLabelVolume", other)
        self.assertNotEqual(subprocess.run([other, "--xml"], env=environment, capture_output=True).returncode, 0)
        self.run_all(environment)

    def test_two_modules_at_once_from_a_folder_with_an_odd_name(self):
        folder = self.path("Prüfkörper 雪 'ä' $ORIGIN")
        os.rename(self.path(self.bundle), folder)
        self.modules = folder + "/cli-modules"
        volume = self.write("Volumen ß.nrrd", "uint8", VALUES)
        components = oracle.flood(SIZES, VALUES, oracle.steps_of(6, None), lambda a, b: True)
        both = [Module(self.modules + "/BrickLabelVolume").start(folder, inputVolume=volume, outputLabels=folder + "/é.nrrd"),
                Module(self.modules + "/BrickCleanSegmentation").start(folder, inputSegmentation=volume, minimumSize=3,
                                                                       outputSegmentation=folder + "/ñ.nrrd")]
        for process in both:
            self.assertEqual((process.communicate(timeout=60)[1], process.returncode), ("", 0))
        self.assertEqual(read_volume(folder + "/é.nrrd")[1], oracle.label_map(COUNT, components))
        # Segments keep what is large enough, and holes are filled.
        kept = {voxel for component in components if len(component) >= 3 for voxel in component}
        cleaned = read_volume(folder + "/ñ.nrrd")[1]
        self.assertTrue(all(cleaned[voxel] == 1 for voxel in kept))
        self.assertLess(sum(cleaned), sum(VALUES))

    def test_every_library_is_the_bundles(self):
        for name in NAMES:
            traced = subprocess.run([self.modules + "/" + name], capture_output=True, text=True,
                                    env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}).stdout
            self.assertIn("libstdc++", traced)
            for line in traced.splitlines():
                if not OF_THE_MACHINE.match(os.path.basename(line.split()[0])):
                    self.assertIn("=> " + self.modules + "/", line)

    def test_installed_modules_run(self):
        subprocess.run(["cmake", "--install", BUILD, "--component", "slicer-modules", "--prefix", self.path("installed")],
                       check=True, capture_output=True)
        (library,) = os.listdir(self.path("installed"))
        self.modules = self.path("installed/" + library + "/BrickCCL/cli-modules")
        self.assertEqual(sorted(os.listdir(self.modules)), NAMES)
        self.run_all(None)

    def test_runs_where_nothing_is_installed(self):
        if os.geteuid() != 0:
            self.skipTest("only root may change the root of the file system")
        traced = subprocess.run([self.modules + "/BrickLabelVolume"], capture_output=True, text=True,
                                env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}).stdout
        root = self.path("root")
        for line in traced.splitlines():
            file = re.search(r"(/\S+) \(0x", line)
            if file and OF_THE_MACHINE.match(os.path.basename(file.group(1))):
                place = root + file.group(1)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copy(file.group(1), place)
        shutil.copytree(self.modules, root + "/cli-modules")
        shutil.copy(self.write("volume.nrrd", "uint8", VALUES), root + "/volume.nrrd")
        # There is no /proc, which gives the loader the program's folder.
        done = subprocess.run([shutil.which("chroot"), root, "/cli-modules/BrickLabelVolume", "/volume.nrrd", "/labels.nrrd"],
                              capture_output=True, text=True, env={"LD_ORIGIN_PATH": "/cli-modules"})
        if "Operation not permitted" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        components = oracle.flood(SIZES, VALUES, oracle.steps_of(6, None), lambda a, b: True)
        self.assertEqual(read_volume(root + "/labels.nrrd")[1], oracle.label_map(COUNT, components))


if __name__ == "__main__":
    unittest.main()
