# SPDX-License-Identifier: Apache-2.0
"""DICOM files of several frames and segmentations, made by pydicom."""

import unittest

from dicom_files import Dicom, make, measures, one, segmentation
from files import np

from pydicom.dataset import Dataset
from pydicom.sequence import Sequence
from pydicom.uid import ExplicitVRLittleEndian, ImplicitVRLittleEndian


class MultiFrame(Dicom):
    def enhanced(self, pixels, places, slopes=None):
        data = make(pixels, None, None)
        shared = Dataset()
        shared.PixelMeasuresSequence = Sequence([measures((0.5, 0.75), thickness=9)])
        shared.PlaneOrientationSequence = one(ImageOrientationPatient=[1, 0, 0, 0, 1, 0])
        data.SharedFunctionalGroupsSequence = Sequence([shared])
        frames = []
        for index, place in enumerate(places):
            frame = Dataset()
            frame.PlanePositionSequence = one(ImagePositionPatient=[1, 2, place])
            if slopes:
                frame.PixelValueTransformationSequence = one(RescaleSlope=slopes[index], RescaleIntercept=-5)
            frames.append(frame)
        data.PerFrameFunctionalGroupsSequence = Sequence(frames)
        return data

    def test_enhanced(self):
        pixels = self.random((3, 4, 5))
        for syntax in (ExplicitVRLittleEndian, ImplicitVRLittleEndian):
            data = self.enhanced(pixels, [4, 0, 2], [1, 2, 3])
            data.file_meta.TransferSyntaxUID = syntax
            image = self.read(self.save(data, "e.dcm"))
            self.assert_geometry(image, [0.5, 0.75, 2], [1, 2, 0], np.eye(3))
            want = np.stack([pixels[i].astype(int) * slope - 5 for i, slope in ((1, 2), (2, 3), (0, 1))])
            np.testing.assert_array_equal(image.voxels, want)

    def test_enhanced_that_is_no_volume(self):
        pixels = self.random((4, 4, 5))
        path = self.save(self.enhanced(pixels, [0, 2, 4, 7]), "e.dcm")
        self.refuses(path, saying=["frame 3", "frame 4", "uneven"])
        self.assert_geometry(self.read(path, "--accept-irregular-slices"), [0.5, 0.75, 7 / 3])
        self.refuses(self.save(self.enhanced(pixels, [0, 1, 0, 1]), "e.dcm"), "--accept-irregular-slices",
                     saying="points in time")

    def test_dose(self):
        pixels = self.random((3, 4, 5), np.uint32)
        data = make(pixels, (1, 2, 3), GridFrameOffsetVector=[0, 2, 4], DoseGridScaling=1e-4, Modality="RTDOSE")
        image = self.read(self.save(data, "d.dcm"))
        np.testing.assert_allclose(image.voxels, pixels * 1e-4, rtol=1e-9)
        self.assert_geometry(image, [1, 1, 2], [1, 2, 3])
        data.GridFrameOffsetVector = [0, -2, -4]
        image = self.read(self.save(data, "d.dcm"))
        np.testing.assert_allclose(image.voxels, pixels[::-1] * 1e-4, rtol=1e-9)
        self.assert_geometry(image, [1, 1, 2], [1, 2, -1])
        data.GridFrameOffsetVector = [3, 5, 7]
        self.assert_geometry(self.read(self.save(data, "d.dcm")), [1, 1, 2], [1, 2, 3])
        data.GridFrameOffsetVector = [0, 2, 5]
        self.refuses(self.save(data, "d.dcm"), saying="uneven")
        data.GridFrameOffsetVector = [0, 2]
        self.refuses(self.save(data, "d.dcm"), saying="GridFrameOffsetVector")

    def test_frames_without_positions_of_their_own(self):
        """Projections, moments of one slice whose position all frames share, and frames with a distance alone are no slices."""
        pixels = self.random((3, 4, 5), np.uint8)
        for place, attributes in (((1, 2, 3), {"SpacingBetweenSlices": 2}), (None, {"SpacingBetweenSlices": 2}), ((1, 2, 3), {}),
                                  ((1, 2, 3), {"FrameTime": 40}), (None, {"GridFrameOffsetVector": [0, 2, 4]}),
                                  ((1, 2, 3), {"SliceLocationVector": [0, 2, 4]})):
            self.refuses(self.save(make(pixels, place, **attributes), "f.dcm"),
                         saying=["its 3 frames have no positions", "GridFrameOffsetVector", "extract one frame"])
        for kind in ("12.1.1", "12.2.1", "13.1.4", "4.1"):
            data = self.enhanced(pixels, [0, 2, 4])
            data.SOPClassUID = "1.2.840.10008.5.1.4.1.1." + kind
            said = ["3 frames", "PlanePositionSequence"]
            for frame in data.PerFrameFunctionalGroupsSequence:
                del frame.PlanePositionSequence[0].ImagePositionPatient
            self.refuses(self.save(data, "e.dcm"), saying=said)
            for frame in data.PerFrameFunctionalGroupsSequence:
                del frame.PlanePositionSequence
            self.refuses(self.save(data, "p.dcm"), saying=said)
        data.SharedFunctionalGroupsSequence[0].PlanePositionSequence = one(ImagePositionPatient=[1, 2, 3])
        self.refuses(self.save(data, "t.dcm"), "--accept-irregular-slices", saying="points in time")

    def test_frames_of_which_some_have_no_position(self):
        for missing, other in ((0, 4), (3, 3)):
            data = self.enhanced(self.random((4, 4, 5)), [0, 2, 4, 6])
            data.ImagePositionPatient = [1, 2, 2 * missing]
            data.SpacingBetweenSlices = 2
            del data.PerFrameFunctionalGroupsSequence[missing].PlanePositionSequence
            self.refuses(self.save(data, "p.dcm"), "--accept-irregular-slices",
                         saying="frame %d has no position in its functional groups, but frame %d has one" % (missing + 1, other))

    def test_offsets_of_dose_that_begin_elsewhere(self):
        data = make(self.random((3, 4, 5), np.uint32), (1, 2, 3), GridFrameOffsetVector=[5, 7, 9], Modality="RTDOSE")
        self.refuses(self.save(data, "d.dcm"), saying=["begins with 5", "with 0", "ImagePositionPatient, 3"])
        data.GridFrameOffsetVector = [3.004, 5.004, 7.004]
        self.assert_geometry(self.read(self.save(data, "d.dcm")), [1, 1, 2], [1, 2, 3])

    def test_mosaics_are_refused(self):
        data = make(self.random((8, 10)), ImageType=["ORIGINAL", "PRIMARY", "M", "ND", "MOSAIC"], Modality="MR")
        self.refuses(self.save(data, "m.dcm"), saying="MOSAIC")

    def test_padding_is_told_once(self):
        for padded in (range(12), (11,)):
            folder, pixels = self.series(range(12), folder=str(len(padded)), change=lambda index, data: index in padded and
                                         data.add_new("PixelPaddingValue", "US", 63536))
            image = self.read(folder)
            np.testing.assert_array_equal(image.voxels, pixels)
            self.assertEqual(sum("PixelPaddingValue" in note for note in image.notes), 1)


class Segmentations(Dicom):
    def test_segments_at_one_position(self):
        """The position of a single slice may stand in the groups that all frames share."""
        data, labels = segmentation([(1, 0), (2, 0)])
        shared = data.SharedFunctionalGroupsSequence[0]
        shared.PlanePositionSequence = data.PerFrameFunctionalGroupsSequence[0].PlanePositionSequence
        for frame in data.PerFrameFunctionalGroupsSequence:
            del frame.PlanePositionSequence
        image = self.read(self.save(data, "s.dcm"))
        np.testing.assert_array_equal(image.voxels, labels)
        self.assert_geometry(image, [0.5, 0.5, 2], [1, 2, 3])

    def test_distances_that_frames_do_not_tell(self):
        """Slices without a frame may lie between any two."""
        frames = [(1, 0), (1, 2), (2, 4)]
        image = self.read(self.save(segmentation(frames)[0], "s.dcm"))
        self.assertEqual((image.size, image.notes), ([7, 5, 5], []))
        image = self.read(self.save(segmentation(frames, between=None)[0], "s.dcm"))
        self.assertEqual(image.size, [7, 5, 3])
        self.assertIn("the least distance of its frames, 4 mm", " ".join(image.notes))
        image = self.read(self.save(segmentation(frames, between=3)[0], "s.dcm"))
        self.assertIn("4 mm, is used as the slice spacing, not the SpacingBetweenSlices of 3 mm", " ".join(image.notes))

    def test_label_map_with_missing_slices(self):
        data, labels = segmentation([(1, 0), (1, 1), (3, 1), (3, 4), (2, 0)])
        image = self.read(self.save(data, "s.dcm"))
        self.assertEqual(image.type, "uint8")
        np.testing.assert_array_equal(image.voxels, labels)
        self.assert_geometry(image, [0.5, 0.5, 2], [1, 2, 3], np.eye(3))

    def test_large_segment_numbers(self):
        data, labels = segmentation([(1, 0), (300, 1)])
        image = self.read(self.save(data, "folder", "s.dcm"))
        self.assertEqual(image.type, "uint16")
        np.testing.assert_array_equal(image.voxels, labels)
        np.testing.assert_array_equal(self.read(self.path("folder")).voxels, labels)

    def test_what_is_no_label_map(self):
        data, _ = segmentation([(1, 0), (2, 0)], overlap=True)
        self.refuses(self.save(data, "s.dcm"), saying=["overlap", "1 ('organ 1')", "2 ('organ 2')"])
        data, _ = segmentation([(1, 0), (1, 1)], kind="FRACTIONAL")
        self.refuses(self.save(data, "s.dcm"), saying="FRACTIONAL")
        data, _ = segmentation([(1, 0), (1, 1), (1, 3)])
        data.PerFrameFunctionalGroupsSequence[2].PlanePositionSequence[0].ImagePositionPatient = [1, 2, 8.1]
        self.refuses(self.save(data, "s.dcm"), saying="multiples")

    def test_label_map_object(self):
        data, _ = segmentation([(1, 0), (1, 1)])
        labels = self.random((2, 5, 7), np.uint8)
        data.SegmentationType = "LABELMAP"
        data.BitsAllocated, data.BitsStored, data.HighBit = 8, 8, 7
        data.PixelData = labels.tobytes()
        np.testing.assert_array_equal(self.read(self.save(data, "s.dcm")).voxels, labels)


if __name__ == "__main__":
    unittest.main()
