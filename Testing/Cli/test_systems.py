# SPDX-License-Identifier: Apache-2.0
"""What must hold on every system alike; the preset mingw runs it with the command for Windows in wine (BRICKCCL_SYSTEM=windows)."""

import csv
import hashlib
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest
import urllib.request

from support import COMMAND, LabelCommandTest, labels_of, run, write_nrrd

ON_WINDOWS = os.environ.get("BRICKCCL_SYSTEM") == "windows"
ROOT = pathlib.Path(__file__).resolve().parents[2]
LOG = ROOT / "Data" / "log.nrrd"
LINUX = ROOT / "build" / "release" / "bin" / "brickccl"
#: Commands whose outputs are the same bytes on Windows, a batch's records of times, computers and memory excepted.
OUTPUTS = (
    "phantom casting part.nrrd --seed 1 --size 64 64 48 --spacing 0.2 0.2 0.2",
    "label part.nrrd pores.nrrd --pores --intensity part.nrrd --statistics pores.csv --picture pores.png --contacts contacts.csv "
    "--columns place,shape,feret,hull,geodesic,skeleton,surface,topology,inscribed,thickness,neighbors,intensity",
    "label part.nrrd smooth.nii.gz --pores --smooth bilateral:0.2:200 --order size --statistics smooth.xlsx",
    "stats pores.nrrd -o stats.json --histogram volume_mm3 --plot sizes.svg",
    "sweep part.nrrd --range-from 100 --range-to 1000 --steps 30 -o curve.tsv --plot curve.png",
    "thickness part.nrrd walls.mha --threshold iso50 --picture walls.png",
    "compare pores.nrrd pores.nrrd --report changes.html -o changes.csv",
    "batch casting-porosity part.nrrd -o out --report --xlsx",
)
TIMES = ("out/record.json", "out/log.txt", "out/timings.csv", "out/.batch/done/part.json")
#: Columns whose last digit depends on the system's atan2 and hypot.
LAST_DIGITS = ("azimuth_deg", "inclination_deg", "geodesic_diameter_mm", "skeleton_length_mm")
#: The SHA-256 of what Linux writes for knots of the sample log.
SAME = {
    "labels.nrrd": "84cddc6b4e28f7b9d2e70f8d8a3d015fe5554cbcb522295191df9bd7fca15775",
    "labels.nii": "e008803030f6d104378f3bb38ef59a37a1052636bfe33e29e591b209d1d97a33",
    "labels.mha": "a8b4ec7291edcd5b21d377a8c2a763fcd03a3506ae387104f1d17737ee6e4c2e",
    "labels.tif": "c17ee3d10031866327ffe84ee67759bbb389d2e99f48742e1bb89e68bb13420e",
    "table.csv": "3c04523b757853902a32a47135f7813c0633e483d45973337fa449f3c3d931da",
}


class SystemsTest(LabelCommandTest):
    def scan(self, *folders):
        """A scan of two components in a new folder."""
        folder = os.path.join(self.folder, *folders)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "scan.nrrd")
        write_nrrd(path, "uint8", (5, 1, 1), (1, 1, 0, 1, 0))
        return path

    def test_label_maps_and_tables_are_the_same_bytes(self):
        found = {}
        for name in SAME:
            output = self.path(name)
            columns = "label,voxel_count,volume_mm3,bbox_min_x,bbox_max_z_mm,centroid_x,centroid_z_mm,touches_border"
            how = ("--statistics", output, "--columns", columns) if name.startswith("table") else (output, "--no-compression")
            self.ok("label", LOG, "--threshold", 100, *how)
            with open(output, "rb") as stream:
                found[name] = hashlib.sha256(stream.read()).hexdigest()
        self.assertEqual(found, SAME)

    def outputs_of(self, command):
        """What the commands write in a folder that has the same name each time."""
        work = pathlib.Path(self.path("work"))
        work.mkdir()
        for words in OUTPUTS:
            result = subprocess.run([command, *words.split()], cwd=work, capture_output=True, text=True, timeout=300)
            self.assertEqual(result.returncode, 0, result.stderr)
        found = {path.relative_to(work).as_posix(): path.read_bytes() for path in work.rglob("*") if path.is_file()}
        shutil.rmtree(work)
        return found

    @unittest.skipUnless(ON_WINDOWS and LINUX.exists(), "compares with the command for Linux, build/release/bin/brickccl")
    def test_tables_pictures_and_reports_are_the_same_bytes_as_on_linux(self):
        # Without the program for surfaces next to it, the reports of Linux have no picture of surfaces, either.
        linux, windows = (self.outputs_of(command) for command in (shutil.copy(LINUX, self.path("linux")), COMMAND))
        self.assertEqual(linux.keys(), windows.keys())
        tables = [list(csv.DictReader(found.pop("pores.csv").decode().splitlines())) for found in (linux, windows)]
        self.assertEqual([name for name in linux if linux[name] != windows[name] and name not in TIMES], [])
        self.assertGreater(len(tables[0]), 10)
        self.assertEqual(len(tables[0]), len(tables[1]))
        for row, other in zip(*tables):
            for name, value in row.items():
                alike = name in LAST_DIGITS and math.isclose(float(value), float(other[name]), rel_tol=1e-14)
                self.assertTrue(alike or value == other[name], (name, value, other[name]))

    @unittest.skipUnless(ON_WINDOWS and shutil.which("script"), "only Windows has double clicks")
    def test_a_double_click_opens_a_page_that_lists_scans(self):
        # The program has a console of its own. What it prints comes with the console's own sequences between letters.
        self.scan()
        process = subprocess.Popen(["script", "-qfc", COMMAND, "/dev/null"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, start_new_session=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(os.killpg, process.pid, signal.SIGTERM)
        shown, found, end = b"", None, time.monotonic() + 60
        while not found:
            self.assertLess(time.monotonic(), end, shown)
            shown += process.stdout.read(1)
            found = re.search(r"http://127[.0-9]*:[0-9]+/[0-9a-f]{32}/", re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", shown.decode()))
        with urllib.request.urlopen(found[0], timeout=20) as page:
            self.assertIn(">scan.nrrd</a>", page.read().decode())

    def test_names_have_any_letters(self):
        scan = self.scan("Größe 試 \N{GRINNING FACE}")
        output = self.path("Poren π 穴.nrrd")
        self.ok("label", scan, output, "--statistics", self.path("Œuvre.csv"))
        self.assertEqual(labels_of(output)[1], [1, 1, 0, 2, 0])
        self.assertTrue(os.path.exists(self.path("Œuvre.csv")))
        self.assertIn("there is no such file", self.fails("info", self.path("naïve \N{GRINNING FACE}.nrrd"), saying="naïve").stderr)

    def test_patterns_of_names_that_no_shell_replaces(self):
        for z in range(3):
            write_nrrd(self.path("s_%d.nrrd" % z), "uint8", (3, 1), (z == 1, 1, 1))
        self.ok("label", self.path("s_*.nrrd"), self.output, "--spacing", 1, 1, 1)
        self.assertEqual(labels_of(self.output)[1], [0, 1, 1, 1, 1, 1, 0, 1, 1])

    def test_recipes_may_have_line_ends_of_windows(self):
        self.scan("in")
        recipe = self.path("r.toml")
        with open(recipe, "w", encoding="utf-8", newline="\r\n") as stream:
            stream.write('[recipe]\nname = "Größe"\n\n[labeling]\nconnectivity = "faces"\n')
        self.ok("batch", recipe, self.path("in"), "-o", self.path("out"))
        with open(self.path("out/items.csv"), "rb") as stream:
            self.assertNotIn(b"\r", stream.read())

    def test_an_output_replaces_a_file_as_a_whole(self):
        scan = self.scan()
        for _ in range(2):
            self.ok("label", scan, self.output)
        self.assertEqual(labels_of(self.output)[1], [1, 1, 0, 2, 0])
        self.fails("label", scan, self.output, "--threshold", "1e999", saying="1e999")
        self.assertEqual(sorted(os.listdir(self.folder)), ["output.nrrd", "scan.nrrd"])

    @unittest.skipUnless(ON_WINDOWS, "paths of Windows")
    def test_both_slashes_lead_to_files(self):
        scan = self.scan("in", "x")
        for path in (scan, "Z:" + scan, "Z:" + scan.replace("/", "\\")):
            self.ok("label", path, self.output)
            self.assertEqual(labels_of(self.output)[1], [1, 1, 0, 2, 0])

    @unittest.skipUnless(ON_WINDOWS, "paths of Windows")
    def test_long_paths(self):
        scan = self.scan(*["d" * 100] * 3)
        self.ok("label", scan, self.output)
        self.assertEqual(labels_of(self.output)[1], [1, 1, 0, 2, 0])
        self.fails("label", scan, os.path.join(os.path.dirname(scan), "o.nrrd"), saying="too long")
        self.assertEqual(os.listdir(os.path.dirname(scan)), ["scan.nrrd"])

    @unittest.skipUnless(ON_WINDOWS, "the command for Windows is built without ITK and VTK")
    def test_what_is_missing_is_refused(self):
        scan, grid, recipe, output = (self.path(name) for name in ("scan.nrrd", "grid.nrrd", "r.toml", "o.csv"))
        write_nrrd(scan, "uint8", (9, 9, 9), [int(i % 9 > 3) for i in range(729)])
        write_nrrd(grid, "uint8", (5, 5, 5), [1] * 125)
        for saying, *words in (("needs VTK", "mesh", scan, self.path("o.stl")), ("needs VTK", "render", scan, self.path("o.png")),
                               ("need a build with ITK", "label", scan, self.output, "--smooth", "gaussian:1mm", "--statistics", output),
                               ("need a build with ITK", "thickness", scan, self.output, "--threshold", 1, "--smooth", "median:1"),
                               ("needs a build with ITK", "stats", scan, "--intensity", grid, "--resample", "-o", output),
                               ("needs a build with ITK", "compare", scan, scan, "--align", "-o", output),
                               ("--pdf needs", "batch", "casting-porosity", scan, "-o", self.path("out"), "--report", "--pdf")):
            self.fails(*words, saying=saying)
            self.assertFalse(os.path.exists(self.path("out")))
        with open(recipe, "w", encoding="utf-8") as stream:
            stream.write('[recipe]\nname = "r"\n[threshold]\nmethod = 1\n[smoothing]\nfilter = "median"\n')
        self.assertEqual(run("batch", recipe, scan, "-o", self.path("out")).returncode, 3)
        with open(self.path("out/log.txt"), encoding="utf-8") as stream:
            self.assertIn("scan: error: a median and a Gaussian need a build with ITK", stream.read())


if __name__ == "__main__":
    unittest.main()
