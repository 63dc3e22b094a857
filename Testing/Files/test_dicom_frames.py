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

    def test_frames_at_a_distance(self):
        pixels = self.random((3, 4, 5))
        image = self.read(self.save(make(pixels, (1, 2, 3), SpacingBetweenSlices=2.5), "m.dcm"))
        np.testing.assert_array_equal(image.voxels, pixels)
        self.assert_geometry(image, [1, 1, 2.5], [1, 2, 3], np.eye(3))
        for attributes in ({"SliceThickness": 2}, {}):
            self.refuses(self.save(make(pixels, (1, 2, 3), **attributes), "m.dcm"),
                         saying=["its 3 frames", "no SpacingBetweenSlices", "extract one frame"])

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

    def test_frames_that_need_not_be_slices(self):
        """Moments in time, projections, energies and pages; FrameIncrementPointer names what frames differ in."""
        pixels, films = self.random((3, 4, 5), np.uint8), "1.2.840.10008.5.1.4.1.1."
        slices, angles, time, pages = 0x00540080, 0x00540090, 0x00181063, 0x00182001
        for attributes, reason in (
                ({"FrameIncrementPointer": time, "FrameTime": 40}, "FrameIncrementPointer names no slices"),
                ({"FrameIncrementPointer": [0x00540010, angles], "AngularViewVector": [1, 2, 3]}, "names no slices"),
                ({"FrameIncrementPointer": pages, "PageNumberVector": [1, 2, 3]}, "names no slices"),
                ({"FrameTime": 40}, "FrameTime"), ({"FrameTimeVector": [0, 40, 40]}, "FrameTime"),
                ({"SOPClassUID": films + "3.1", "Modality": "US"}, "ultrasound"), ({"SOPClassUID": films + "12.1.1"}, "X rays"),
                ({"SOPClassUID": films + "20", "ImageType": ["ORIGINAL", "PRIMARY", "TOMO", "EMISSION"]}, "not RECON TOMO"),
                ({"NumberOfTemporalPositions": 2}, "NumberOfTemporalPositions is 2"), ({"NumberOfSlices": 1}, "NumberOfSlices is 1"),
                ({"FrameIncrementPointer": slices, "SliceVector": [1, 1, 2]}, "SliceVector is not 1, 2, 3"),
                ({"FrameIncrementPointer": slices, "SliceVector": [3, 2, 1]}, "SliceVector is not 1, 2, 3"),
                ({"FrameIncrementPointer": slices, "SliceVector": [1, 2]}, "SliceVector is not 1, 2, 3")):
            data = make(pixels, (1, 2, 3), SpacingBetweenSlices=2, **attributes)
            self.refuses(self.save(data, "f.dcm"), saying=["its 3 frames may be", reason, "extract one frame"])
        one = self.read(self.save(make(pixels[0], SOPClassUID=films + "3.1", Modality="US", FrameTime=40), "one.dcm"))
        np.testing.assert_array_equal(one.voxels, pixels[0][None])
        # Offsets and pointers that name slices say that frames are slices, whatever else is left over.
        for attributes in ({"GridFrameOffsetVector": [0, 2, 4]}, {"FrameIncrementPointer": slices, "SpacingBetweenSlices": 2},
                           {"FrameIncrementPointer": [0x00540010, slices], "SliceVector": [1, 2, 3], "SpacingBetweenSlices": 2},
                           {"FrameIncrementPointer": 0x00182005, "SliceLocationVector": [0, 2, 4]}):
            self.assert_geometry(self.read(self.save(make(pixels, FrameTime=40, **attributes), "s.dcm")), [1, 1, 2])
        recon = make(pixels, (1, 2, 3), SOPClassUID=films + "20", Modality="NM", SpacingBetweenSlices=2,
                     ImageType=["ORIGINAL", "PRIMARY", "RECON TOMO", "EMISSION"])
        self.assert_geometry(self.read(self.save(recon, "n.dcm")), [1, 1, 2], [1, 2, 3])

    def test_negative_distances_of_frames(self):
        pixels = self.random((3, 4, 5))
        for place in ((1, 2, 3), None):
            image = self.read(self.save(make(pixels, place, SpacingBetweenSlices=-2), "a.dcm"))
            np.testing.assert_array_equal(image.voxels, pixels)
            self.assert_geometry(image, [1, 1, 2])
            self.assertIn("SpacingBetweenSlices is negative", " ".join(image.notes))
        # In nuclear medicine the slices follow each other against the normal.
        image = self.read(self.save(make(pixels, (1, 2, 3), SpacingBetweenSlices=-2, Modality="NM"), "n.dcm"))
        np.testing.assert_array_equal(image.voxels, pixels[::-1])
        self.assertNotIn("negative", " ".join(image.notes))

    def test_frames_without_positions_of_their_own(self):
        """Projections, and moments of one slice whose position all frames share: their groups say that they are no slices."""
        pixels = self.random((3, 4, 5))
        for kind in ("12.1.1", "12.2.1", "13.1.4", "4.1"):
            data = self.enhanced(pixels, [0, 2, 4])
            data.SOPClassUID = "1.2.840.10008.5.1.4.1.1." + kind
            said = ["3 frames", "their groups lack the position or the orientation"]
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

    def test_distances_by_vectors(self):
        pixels = self.random((3, 4, 5))
        for vector in ("SliceLocationVector", "GridFrameOffsetVector"):
            for values, isTold in (([0, 2, 4], True), ([0, 3, 6], False), ([0, 3.001, 6.002], False)):
                data = make(pixels, (1, 2, 3), SpacingBetweenSlices=3, **{vector: values})
                image = self.read(self.save(data, "v.dcm"))
                self.assert_geometry(image, [1, 1, values[1]], [1, 2, 3])
                self.assertEqual("but 3 mm by SpacingBetweenSlices" in " ".join(image.notes), isTold, image.notes)
            self.refuses(self.save(make(pixels, (1, 2, 3), **{vector: [0, 2]}), "v.dcm"), saying=[vector, "2 numbers for 3 frames"])
        self.refuses(self.save(make(pixels, None, GridFrameOffsetVector=[0, 2, 4]), "v.dcm"), saying="no ImagePositionPatient")
        for place in ((1, 2, 3), None):
            image = self.read(self.save(make(pixels, place, SliceLocationVector=[10, 12.5, 15]), "v.dcm"))
            np.testing.assert_array_equal(image.voxels, pixels)
            self.assert_geometry(image, [1, 1, 2.5])
            self.assertEqual(image.spacing_source, "file")
            for wrong in ([0, 2, 5], [1, 1, 1], [0, "nan", 2]) + (() if place else ([4, 0, 2],)):
                data = make(pixels, place, SliceLocationVector=list(map(str, wrong)))
                self.refuses(self.save(data, "v.dcm"), saying=() if place else "SliceLocationVector is uneven")
        image = self.read(self.save(make(pixels, (1, 2, 3), SliceLocationVector=[4, 2, 0]), "v.dcm"))
        self.assertIn("SliceLocationVector falls", " ".join(image.notes))
        self.assertEqual(image.origin[2], -1)
        # In nuclear medicine the sign of the spacing is that of the way.
        nuclear = make(pixels, (1, 2, 3), SliceLocationVector=[0, 2, 4], Modality="NM", SpacingBetweenSlices=-2)
        self.assertEqual(self.read(self.save(nuclear, "v.dcm")).origin[2], -1)

    def test_offsets_of_dose_that_begin_elsewhere(self):
        data = make(self.random((3, 4, 5), np.uint32), (1, 2, 3), GridFrameOffsetVector=[5, 7, 9], Modality="RTDOSE")
        self.refuses(self.save(data, "d.dcm"), saying=["begins with 5", "with 0", "ImagePositionPatient, 3"])
        data.GridFrameOffsetVector = [3.004, 5.004, 7.004]
        self.assert_geometry(self.read(self.save(data, "d.dcm")), [1, 1, 2], [1, 2, 3])

    def test_mosaics_are_refused(self):
        data = make(self.random((8, 10)), ImageType=["ORIGINAL", "PRIMARY", "M", "ND", "MOSAIC"], Modality="MR")
        self.refuses(self.save(data, "m.dcm"), saying="MOSAIC")

    def test_padding_is_told(self):
        pixels = self.random((4, 5))
        for more, text in (({}, "value -2000 is padding"), ({"PixelPaddingRangeLimit": -1900}, "values from -2000 to -1900 are padding")):
            for syntax in (ExplicitVRLittleEndian, ImplicitVRLittleEndian):
                image = self.read(self.save(make(pixels, syntax=syntax, PixelPaddingValue=-2000, **more), "p.dcm"))
                np.testing.assert_array_equal(image.voxels, pixels[None])
                self.assertIn(text, " ".join(image.notes))

    def test_padding_of_the_other_sign(self):
        """Many files store the padding of signed pixels as unsigned, whatever the standard says."""
        for kind, vr, stored, told in ((np.int16, "US", 63536, -2000), (np.int16, "US", 2000, 2000), (np.int16, "SS", -1, -1),
                                       (np.int8, "US", 65408, -128), (np.uint16, "SS", -1, 65535),
                                       (np.uint16, "US", 63536, 63536), (np.int32, "US", 63536, 63536)):
            data = make(self.random((4, 5), kind))
            data.add_new("PixelPaddingValue", vr, stored)
            self.assertIn("value %d is padding" % told, " ".join(self.read(self.save(data, "p.dcm")).notes))
        data = make(self.random((4, 5)))
        data.add_new("PixelPaddingValue", "US", 63536)
        data.add_new("PixelPaddingRangeLimit", "US", 63636)
        self.assertIn("values from -2000 to -1900 are padding", " ".join(self.read(self.save(data, "p.dcm")).notes))

    def test_padding_of_series_is_one_note(self):
        """Also where each slice has another one."""
        def change(index, data):
            if index >= skipped:
                data.add_new("PixelPaddingValue", "SS", first + step * index)

        for skipped, first, step, told in ((0, -2000, 0, "its stored value -2000 is padding"),
                                           (4, -2000, 0, "8 slices: its stored value -2000 is padding"),
                                           (11, -2000, 0, "1 slice: its stored value -2000 is padding"),
                                           (0, -2000, 1, "12 slices: their stored values from -2000 to -1989 are padding")):
            notes = self.read(self.series(range(12), folder="%d%d" % (skipped, step), change=change)[0]).notes
            self.assertEqual([note[:len(told)] for note in notes if "Padding" in note], [told])


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
        self.assertIn("SpacingBetweenSlices is 3 mm, but its frames are at multiples of 4 mm", " ".join(image.notes))

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
