# SPDX-License-Identifier: Apache-2.0
"""Series of DICOM files: which files are slices of one volume and where they lie; parts of a volume."""

import glob
import json
import os
import shutil
import tarfile
import unittest

from dicom_files import Dicom, SERIES, make, pydicom
from files import np

from pydicom.uid import RLELossless


class Pattern(Dicom):
    def test_files_of_a_pattern_lie_where_their_headers_say(self):
        self.series([8, 6, 4, 2])
        folder = self.read(self.path("series"))
        pattern = self.read(self.path("series", "*"))
        np.testing.assert_array_equal(pattern.voxels, folder.voxels)
        self.assert_geometry(pattern, folder.spacing, folder.origin, folder.direction)
        self.series([0, 1, 2, 4, 5], folder="gap")
        self.refuses(self.path("gap", "*"), saying="distance")


class Series(Dicom):
    def test_slices_by_position(self):
        folder, pixels = self.series([10, 12.5, 15, 17.5], spacing=(0.5, 0.75))
        image = self.read(folder)
        np.testing.assert_array_equal(image.voxels, pixels)
        self.assert_geometry(image, [0.5, 0.75, 2.5], [0, 0, 10], np.eye(3))
        self.assertEqual(image.notes, [])
        folder, pixels = self.series([17.5, 15, 12.5, 10], "down")
        image = self.read(folder)
        np.testing.assert_array_equal(image.voxels, pixels[::-1])
        self.assertEqual(image.notes, [])

    def test_order_of_names_is_natural(self):
        names = ["s%d" % index for index in range(12)]
        folder, _ = self.series(range(12), names=names)
        self.assertEqual(self.read(folder).notes, [])

    def test_order_of_names_is_not_the_order_of_positions(self):
        folder, pixels = self.series([0, 2, 1, 3])
        image = self.read(folder)
        np.testing.assert_array_equal(image.voxels, pixels[[0, 2, 1, 3]])
        self.assertTrue(any("file name" in note for note in image.notes))

    def test_sagittal_slices(self):
        orientation = (0, 1, 0, 0, 0, -1)
        folder, pixels = self.series([(x, 3.0, 4.0) for x in (2, 0, -2)], orientation=orientation)
        image = self.read(folder)
        # The normal is (-1, 0, 0): slices ascend along it.
        np.testing.assert_array_equal(image.voxels, pixels)
        self.assert_geometry(image, [1, 1, 2], [2, 3, 4], [[0, 0, -1], [1, 0, 0], [0, -1, 0]])

    def test_missing_slice(self):
        folder, pixels = self.series([0, 1, 2, 4, 5])
        self.refuses(folder, saying=["i2.dcm", "i3.dcm", "2 mm", "1 slice is missing", "--accept-irregular-slices"])
        image = self.read(folder, "--accept-irregular-slices")
        np.testing.assert_array_equal(image.voxels, pixels)
        self.assert_geometry(image, [1, 1, 1.25])
        self.assertTrue(any("mean distance" in note for note in image.notes))

    def test_slices_that_are_no_dicom_any_more(self):
        for index, content in ((3, b""), (0, b"hello"), (3, b"\0" * 100)):
            folder, pixels = self.series(range(4), "o%d%d" % (index, len(content)))
            with open(os.path.join(folder, "i%d.dcm" % index), "wb") as stream:
                stream.write(content)
            with open(os.path.join(folder, "readme.txt"), "w", encoding="utf-8") as stream:
                stream.write("no slice")
            self.refuses(folder, saying=["'i%d.dcm'" % index, "named like the slices", "--accept-irregular-slices"])
            image = self.read(folder, "--accept-irregular-slices")
            np.testing.assert_array_equal(image.voxels, np.delete(pixels, index, 0))
            self.assertTrue(any("skipped" in note for note in image.notes))

    def test_uneven_distances(self):
        self.refuses(self.series([0, 1, 2.002, 3.002])[0], saying=["uneven", "i1.dcm", "i2.dcm", "1.002 mm"])
        self.read(self.series([0, 1, 2.0005, 3.0005], "even")[0])

    def test_doubled_slices_and_points_in_time(self):
        message = self.refuses(self.series([0, 1, 1, 2])[0], saying=["i1.dcm", "i2.dcm", "same position"])
        self.assertIn("duplicate", message)
        folder = self.series([0, 1, 2, 0, 1, 2], "times")[0]
        for options in ((), ("--accept-irregular-slices",)):
            self.refuses(folder, *options, saying=["are at the same position", "points in time"])

    def test_one_slice_that_differs(self):
        def differing(**attributes):
            def change(index, data):
                if index == 2:
                    for name, value in attributes.items():
                        setattr(data, name, value)
            return change
        cases = ((dict(PixelSpacing=[1, 1.01]), "pixel spacing"),
                 (dict(ImageOrientationPatient=[1, 0, 0, 0, 0, -1]), "orientation"),
                 (dict(Rows=2, Columns=10), "size"),
                 (dict(PhotometricInterpretation="MONOCHROME1"), "MONOCHROME1"),
                 (dict(RescaleSlope=2, RescaleIntercept=0), "RescaleSlope"),
                 (dict(PixelRepresentation=0), "type"))
        for index, (attributes, word) in enumerate(cases):
            folder, _ = self.series(range(4), "d%d" % index, change=differing(**attributes))
            self.refuses(folder, "--accept-irregular-slices", saying=["i2.dcm", word])

    def test_one_slice_without_intercept(self):
        def change(index, data):
            data.RescaleSlope = 1
            if index != 2:
                data.RescaleIntercept = -1024
        self.refuses(self.series(range(4), change=change)[0], saying=["i2.dcm", "no RescaleIntercept"])

    def test_values_of_two_meanings(self):
        for index, (name, first, other) in enumerate((("Units", "BQML", "CNTS"), ("RescaleType", "HU", "OD"),
                                                      ("Modality", "CT", "MR"))):
            folder, _ = self.series([0, 2, 4], "v%d" % index, change=lambda i, data: setattr(data, name, other if i == 1 else first))
            self.refuses(folder, "--accept-irregular-slices",
                         saying=["slice 'i1.dcm' has the %s '%s', but slice 'i0.dcm' has '%s'" % (name, other, first),
                                 "mean different things"])
            # Some may not say it.
            folder, pixels = self.series([0, 2, 4], "w%d" % index, change=lambda i, data: setattr(data, name, "" if i == 1 else first))
            image = self.read(folder)
            np.testing.assert_array_equal(image.voxels, pixels)
            self.assertIn("slice 'i1.dcm' says no %s, but slice 'i0.dcm' has '%s'" % (name, first), " ".join(image.notes))
            folder, pixels = self.series([0, 2, 4], "x%d" % index, change=lambda i, data: setattr(data, name, first))
            self.assertNotIn(name, " ".join(self.read(folder).notes))
        for other, told in (("hu", False), ("US", True)):
            folder, _ = self.series([0, 2, 4], "u" + other, change=lambda i, data: setattr(data, "RescaleType", other if i == 1 else "HU"))
            self.assertEqual("slice 'i1.dcm' says no RescaleType" in " ".join(self.read(folder).notes), told)

    def test_slices_of_two_patients_or_studies(self):
        """Copies of one number of a series lie in one folder where programs gave it twice."""
        for owners in ("AAB", [None, "A", "B"]):
            folder, _ = self.series([0, 2, 4], "two", change=lambda index, data: owners[index] and setattr(data, "PatientID", owners[index]))
            other = "i0.dcm" if owners[0] else "i1.dcm"
            self.refuses(folder, saying=["slice 'i2.dcm' has another PatientID than slice '%s'" % other, "in one series"])
        # GDCM gives each file a new study, unless one is set.
        folder, pixels = self.series([0, 2, 4], "studies", change=lambda index, data: setattr(data, "StudyInstanceUID", "1.%d" % (index + 2)))
        image = self.read(folder)
        np.testing.assert_array_equal(image.voxels, pixels)
        folder, pixels = self.series([0, 2, 4], "said", change=lambda index, data: index and setattr(data, "PatientID", "A"))
        np.testing.assert_array_equal(self.read(folder).voxels, pixels)

    def test_negative_thickness(self):
        folder, pixels = self.series([0, 2, 4], SliceThickness=-3)
        image = self.read(folder)
        self.assert_geometry(image, [1, 1, 2])
        self.assertEqual(image.notes, [])
        unplaced = lambda _, data: [delattr(data, "Image%sPatient" % name) for name in ("Position", "Orientation")]
        folder, pixels = self.series([0, 2, 4], "unplaced", change=unplaced, SliceThickness=-3)
        image = self.read(folder)
        np.testing.assert_array_equal(image.voxels, pixels)
        self.assert_geometry(image, [1, 1, 3])

    def test_another_frame_of_reference_is_told(self):
        def change(index, data):
            data.FrameOfReferenceUID = "1.2.%d" % (index == 2)
        image = self.read(self.series(range(4), change=change)[0])
        self.assertIn("i2.dcm' has another FrameOfReferenceUID", " ".join(image.notes))

    def test_gantry_tilt(self):
        shear = np.tan(np.radians(15))
        folder, pixels = self.series([(0, shear * z, z) for z in (0.0, 2.0, 4.0, 6.0)])
        self.refuses(folder, saying=["sheared", "--accept-sheared"])
        image = self.read(folder, "--accept-sheared")
        np.testing.assert_array_equal(image.voxels, pixels)
        self.assert_geometry(image, [1, 1, 2], [0, 0, 0], np.eye(3))
        self.assertTrue(any("sheared" in note for note in image.notes))

    def test_slice_shifted_in_its_plane(self):
        self.refuses(self.series([(0, 0, 0), (0, 0, 1), (0, 5, 2), (0, 0, 3)])[0], saying=["i2.dcm", "5 mm"])

    def test_several_series(self):
        self.series([0, 1, 2], os.path.join("all", "a"), SeriesDescription="thin", SeriesNumber=3)
        _, pixels = self.series([0, 2], os.path.join("all", "b"), SeriesDescription="thick", SeriesNumber=5,
                                SeriesInstanceUID="1.2.3.9")
        folder = self.path("all")
        self.refuses(folder, saying=["2 DICOM series", "--series", SERIES, "1.2.3.9", "thin", "thick", "CT", "3 slices",
                                     "2 slices"])
        for choice in ("2", "1.2.3.9"):
            np.testing.assert_array_equal(self.read(folder, "--series", choice).voxels, pixels)
        self.refuses(folder, "--series", "7", saying=["'7'", "1.2.3.9"])

    def test_other_files_are_passed_over(self):
        folder, pixels = self.series([0, 1])
        with open(os.path.join(folder, "notes.txt"), "w") as stream:
            stream.write("none of DICOM")
        open(os.path.join(folder, "empty"), "w").close()
        report = make(np.zeros((1, 1), np.uint16), SOPClassUID="1.2.840.10008.5.1.4.1.1.88.11")
        for name in ("PixelData", "Rows", "Columns"):
            delattr(report, name)
        self.save(report, "series", "report.dcm")
        np.testing.assert_array_equal(self.read(folder).voxels, pixels)

    def test_damaged_file_is_named(self):
        folder, _ = self.series([0, 1, 2])
        path = os.path.join(folder, "i1.dcm")
        with open(path, "rb") as stream:
            whole = stream.read()
        for size in (len(whole) - 3, len(whole) - 60, 300, 200):
            with open(path, "wb") as stream:
                stream.write(whole[:size])
            self.refuses(folder, saying="i1.dcm")

    def test_slices_without_positions(self):
        numbers = [3, 1, 2]
        pixels = self.random((3, 4, 4))
        for index, number in enumerate(numbers):
            self.save(make(pixels[index], None, number=number, SpacingBetweenSlices=4), "s", "%d.dcm" % index)
        image = self.read(self.path("s"))
        np.testing.assert_array_equal(image.voxels, pixels[[1, 2, 0]])
        self.assert_geometry(image, [1, 1, 4])
        self.assertTrue(any("InstanceNumber" in note for note in image.notes))
        self.assertTrue(any("SpacingBetweenSlices" in note for note in image.notes))
        self.save(make(pixels[0], None, number=2), "s", "3.dcm")
        self.refuses(self.path("s"), saying="InstanceNumber")

    def test_folder_of_one_file(self):
        pixels = self.random((3, 4, 4))
        self.save(make(pixels, GridFrameOffsetVector=[2 * index for index in range(len(pixels))]), "m", "a.dcm")
        image = self.read(self.path("m"))
        np.testing.assert_array_equal(image.voxels, pixels)
        self.assert_geometry(image, [1, 1, 2])

    def test_folder_without_images(self):
        report = make(np.zeros((1, 1), np.uint16), SOPClassUID="1.2.840.10008.5.1.4.1.1.88.11", PixelData=None,
                      Rows=None, Columns=None)
        self.save(report, "r", "report.dcm")
        self.refuses(self.path("r"), saying="none with an image")


class Reference(Dicom):
    def test_chest(self):
        folder = os.environ.get("BRICKCCL_REFERENCE_DATA", "")
        archive = os.path.join(folder, "dicom", "lidc0314_dicom12.tar.gz")
        if not os.path.exists(archive):
            self.skipTest("BRICKCCL_REFERENCE_DATA is not set to the folder of the reference data")
        with tarfile.open(archive) as opened:
            opened.extractall(self.folder, filter="data")
        paths = [path for path in glob.glob(self.path("**"), recursive=True) if os.path.isfile(path)]
        slices = []
        for path in paths:
            try:
                slices.append(pydicom.dcmread(path))
            except pydicom.errors.InvalidDicomError:
                pass
        slices.sort(key=lambda data: float(data.ImagePositionPatient[2]))
        want = np.stack([data.pixel_array * float(data.RescaleSlope) + float(data.RescaleIntercept) for data in slices])
        image = self.read(self.folder)
        np.testing.assert_array_equal(image.voxels, want)
        z = [float(data.ImagePositionPatient[2]) for data in slices]
        spacing = [float(value) for value in slices[0].PixelSpacing]
        self.assert_geometry(image, [spacing[1], spacing[0], (z[-1] - z[0]) / (len(z) - 1)],
                             [float(value) for value in slices[0].ImagePositionPatient], np.eye(3))
        import SimpleITK
        volume = SimpleITK.GetArrayFromImage(
            SimpleITK.ReadImage(os.path.join(folder, "vol", "lidc0314crop_512x512x32.nrrd")))
        np.testing.assert_array_equal(image.voxels, volume[:len(slices)])


class Parts(Dicom):
    """What is read slice by slice (`--memory`), beside what is read as a whole."""

    def same(self, path, *options):
        texts = []
        for name, more in (("whole.nrrd", ()), ("parts.nrrd", ("--memory", "96MB", "--threads", 2))):
            result = self.label(path, self.path(name), *options, *more, "--json", "--statistics", self.path("t.csv"))
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(self.path(name), "rb") as labels, open(self.path("t.csv"), "rb") as table:
                texts.append((labels.read(), table.read()))
        self.assertEqual(texts[0], texts[1])
        return json.loads(result.stdout)

    def blobs(self, shape):
        blocks = np.random.default_rng(7).random([size // 8 for size in shape]) < 0.3
        return np.kron(blocks, np.ones((8, 8, 8))).astype(np.int16) * 100

    def test_series(self):
        pixels = self.blobs((24, 448, 448))
        for index, values in enumerate(pixels):
            data = make(values, (0, 0, 2.5 * index), number=index + 1, RescaleSlope=1 + index % 2, RescaleIntercept=-50)
            self.save(data, "series", "%02d.dcm" % (23 - index))
        summary = self.same(self.path("series"), "--range", 100, "inf")
        self.assertGreater(summary["slabs"]["count"], 3)
        self.assertGreater(summary["components"], 100)
        for index in range(2):
            other = make(pixels[index], (0, 0, index), number=index + 1, SeriesInstanceUID="1.2.3")
            self.save(other, "series", "other", "%d.dcm" % index)
        refused = self.label(self.path("series"), self.path("parts.nrrd"), "--memory", "96MB")
        self.assertIn("2 DICOM series", refused.stderr)
        chosen = self.same(self.path("series"), "--range", 100, "inf", "--series", SERIES)
        self.assertEqual(chosen["components"], summary["components"])
        shutil.rmtree(self.path("series", "other"))
        with open(self.path("series", "07.dcm"), "r+b") as stream:
            stream.truncate(stream.seek(0, 2) - 1)
        os.remove(self.path("parts.nrrd"))
        result = self.label(self.path("series"), self.path("parts.nrrd"), "--memory", "96MB", "--threads", 2)
        self.assertEqual(result.returncode, 1)
        self.assertIn("07.dcm", result.stderr)
        self.assertFalse(os.path.exists(self.path("parts.nrrd")))

    def test_compressed_slices_and_frames(self):
        pixels = self.blobs((16, 64, 64))
        for index, values in enumerate(pixels):
            data = make(values, (0, 0, index), number=index + 1)
            data.compress(RLELossless)
            self.save(data, "packed", "%02d.dcm" % index)
        self.same(self.path("packed"), "--range", 1, "inf")
        self.same(self.save(make(pixels, GridFrameOffsetVector=[2 * index for index in range(16)]), "frames.dcm"), "--range", 1, "inf")

    def test_segmentations_are_refused(self):
        data = make(np.ones((2, 4, 4), np.uint8), SegmentationType="BINARY")
        result = self.label(self.save(data, "s.dcm"), self.path("parts.nrrd"), "--memory", "1GB")
        self.assertEqual(result.returncode, 1)
        self.assertIn("segmentations are not read in parts", result.stderr)


if __name__ == "__main__":
    unittest.main()
