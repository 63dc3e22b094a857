# SPDX-License-Identifier: Apache-2.0
"""`stats --intensity SCAN --resample`: the values of a scan on another grid, beside SimpleITK's Resample."""

import csv
import subprocess

from files import COMMAND, np, skip_without, unittest

sitk = skip_without("SimpleITK")
skip_without("pydicom")

from dicom_files import Dicom, segmentation  # noqa: E402

COLUMNS = "voxel_count,intensity_mean,intensity_std,intensity_min,intensity_max"


class ResampleTest(Dicom):
    def stats(self, labels, scan, *options):
        result = subprocess.run([COMMAND, "stats", labels, "--intensity", scan, "-o", self.path("t.csv"), "--columns", COLUMNS,
                                 *options], capture_output=True, text=True, timeout=120)
        if "needs a build with ITK" in result.stderr:
            self.skipTest("built without ITK")
        rows = []
        if result.returncode == 0:
            with open(self.path("t.csv"), newline="") as stream:
                rows = list(csv.DictReader(stream))
        return result, rows

    def image(self, name, voxels, spacing, origin, direction=(1, 0, 0, 0, 1, 0, 0, 0, 1)):
        image = sitk.GetImageFromArray(voxels)
        image.SetSpacing(spacing)
        image.SetOrigin(origin)
        image.SetDirection(direction)
        sitk.WriteImage(image, self.path(name))
        return image

    def expected(self, labels, scan, kind):
        values = sitk.GetArrayFromImage(sitk.Resample(scan, labels, sitk.Transform(), sitk.sitkLinear, float("nan"), kind))
        numbers = sitk.GetArrayFromImage(labels)
        return {n: values[numbers == n].astype(float) for n in np.unique(numbers) if n}

    def check(self, rows, expected):
        self.assertEqual([int(row["label"]) for row in rows], list(expected))
        for row, values in zip(rows, expected.values()):
            self.assertEqual(int(row["voxel_count"]), len(values))
            wanted = (values.mean(), values.std(ddof=1), np.nanmin(values), np.nanmax(values))
            np.testing.assert_allclose([float(row[name]) for name in COLUMNS.split(",")[1:]], wanted, rtol=1e-5)

    def test_beside_simpleitk(self):
        random = np.random.default_rng(3)
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)
        for kind in ("uint8", "int16", "int32", "float32", "float64"):
            with self.subTest(kind=kind):
                scan = self.image("scan.nrrd", (random.normal(size=(12, 20, 18)) * 40 + 60).clip(0, 200).astype(kind),
                                  (1.1, 0.9, 2), (-10, 3, 5), tuple(turn.ravel()))
                center = turn @ np.array([9 * 1.1, 10 * 0.9, 6 * 2]) + (-10, 3, 5)
                labels = self.image("labels.nrrd", random.integers(0, 4, (6, 7, 8)).astype(np.uint16), (0.7, 0.8, 0.6),
                                    tuple(center - (2.5, 2.5, 1.5)))
                result, rows = self.stats(self.path("labels.nrrd"), self.path("scan.nrrd"), "--resample")
                self.assertEqual((result.returncode, "outside" in result.stderr), (0, False), result.stderr)
                is_small = kind in ("uint8", "int16", "float32")
                self.check(rows, self.expected(labels, scan, sitk.sitkFloat32 if is_small else sitk.sitkFloat64))

    def test_voxels_outside_have_no_value(self):
        scan = self.image("scan.nrrd", np.arange(10 * 10 * 10, dtype=np.int16).reshape(10, 10, 10), (1, 1, 1), (0, 0, 0))
        voxels = np.zeros((6, 6, 6), np.uint8)
        voxels[1, 1, 1:4], voxels[4, 4, 3:6] = 1, 2
        # Up to half a voxel beyond the centers at the border is inside: label 2 ends at x = 9.4, and 10 is outside.
        labels = self.image("labels.nrrd", voxels, (1, 1, 1), (4.4, 4, 4))
        expected = self.expected(labels, scan, sitk.sitkFloat32)
        self.assertEqual([np.isnan(values).sum() for values in expected.values()], [0, 0])
        result, rows = self.stats(self.path("labels.nrrd"), self.path("scan.nrrd"), "--resample")
        self.check(rows, expected)
        labels = self.image("labels.nrrd", voxels, (1, 1, 1), (5, 4, 4))
        result, rows = self.stats(self.path("labels.nrrd"), self.path("scan.nrrd"), "--resample")
        self.assertIn("1 of 2 components have no mean intensity: their values include NaN or both infinities, or the sum is too large, or voxels are outside of '%s'"
                      % self.path("scan.nrrd"), result.stderr)
        self.check(rows, self.expected(labels, scan, sitk.sitkFloat32))
        self.assertEqual(rows[1]["intensity_mean"], "nan")
        self.image("labels.nrrd", voxels, (1, 1, 1), (50, 4, 4))
        result, rows = self.stats(self.path("labels.nrrd"), self.path("scan.nrrd"), "--resample")
        self.assertIn("no voxel of the labels is inside the image: they are elsewhere in space", result.stderr)
        self.assertEqual(result.returncode, 1)

    def test_a_segmentation_of_fewer_slices(self):
        ct, pixels = self.series([3 + 2 * z for z in range(-2, 10)], shape=(5, 7), spacing=(0.5, 0.5))
        data, _ = segmentation([(1, z) for z in range(7)] + [(2, z) for z in range(3)])
        for group in data.PerFrameFunctionalGroupsSequence:
            x, y, z = group.PlanePositionSequence[0].ImagePositionPatient
            group.PlanePositionSequence[0].ImagePositionPatient = [x - 1, y - 2, z]
        labels = self.save(data, "s.dcm")
        result, _ = self.stats(labels, ct)
        self.assertEqual(result.returncode, 1)
        self.assertIn("they must be the same; --resample samples it at the labels' voxels", result.stderr)
        result, rows = self.stats(labels, ct, "--resample")
        self.assertEqual(result.returncode, 0, result.stderr)
        numbers = self.read(labels).voxels
        self.check(rows, {n: pixels[2:9][numbers == n].astype(float) for n in (1, 2)})

    def test_what_does_not_fit(self):
        self.image("scan.nrrd", np.ones((4, 5, 6), np.int16), (1, 1, 1), (0, 0, 0))
        self.image("labels.nrrd", np.ones((4, 5, 5), np.uint8), (1, 1, 1), (0, 0, 0))
        for option, *values in (("--spacing", "1", "1", "1"), ("--nan", "ignore")):
            result, _ = self.stats(self.path("labels.nrrd"), self.path("scan.nrrd"), "--resample", option, *values)
            self.assertIn(option, result.stderr)
            self.assertNotEqual(result.returncode, 0)
        sitk.WriteImage(sitk.GetImageFromArray(np.ones((5, 5), np.uint8)), self.path("flat.png"))
        result, _ = self.stats(self.path("flat.png"), self.path("scan.nrrd"), "--resample")
        self.assertIn("of 3 dimensions with voxel sizes", result.stderr)


if __name__ == "__main__":
    unittest.main()
