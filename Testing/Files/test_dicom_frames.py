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
        image = self.read(self.save(make(pixels, (1, 2, 3), SliceThickness=2), "m.dcm"))
        self.assert_geometry(image, [1, 1, 2])
        self.assertTrue(any("SliceThickness" in note for note in image.notes))
        image = self.read(self.save(make(pixels, None), "m.dcm"))
        self.assertEqual(image.spacing_source, "none")

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

    def test_moments_in_time(self):
        data = make(self.random((3, 4, 5)), FrameTime=40)
        data.FrameIncrementPointer = 0x00181063
        self.refuses(self.save(data, "t.dcm"), saying="moments in time")
        data.FrameIncrementPointer, data.FrameTimeVector = 0x00181065, [0, 40, 40]
        self.refuses(self.save(data, "t.dcm"), saying="FrameTimeVector")

    def test_films_that_do_not_say_what_frames_are(self):
        """FrameIncrementPointer must be there, but is missing."""
        pixels = self.random((3, 4, 5), np.uint8)
        film = "1.2.840.10008.5.1.4.1.1.3.1"
        for attributes in ({"FrameTime": 40}, {"FrameTimeVector": [0, 40, 40]}, {"SOPClassUID": film, "Modality": "US"}):
            self.refuses(self.save(make(pixels, **attributes), "f.dcm"), saying="moments in time")
        for kind, pointer in (("12.1", 0x00181520), ("12.1", 0x00280008), ("12.2", 0x00541000)):
            data = make(pixels, SOPClassUID="1.2.840.10008.5.1.4.1.1." + kind, FrameIncrementPointer=pointer, FrameTime=40)
            self.refuses(self.save(data, "f.dcm"), saying="FrameIncrementPointer names no slices")
        for kind in ("1.2", "20", "77.1.5.1", "481.1"):
            data = make(pixels, SOPClassUID="1.2.840.10008.5.1.4.1.1." + kind)
            self.refuses(self.save(data, "f.dcm"), saying=["nothing says that its 3 frames are slices", "no SpacingBetweenSlices"])
            data.SpacingBetweenSlices = 2
            self.assert_geometry(self.read(self.save(data, "f.dcm")), [1, 1, 2])
        data.NumberOfTemporalPositions = 2
        self.refuses(self.save(data, "f.dcm"), saying="2 moments in time")
        one = self.read(self.save(make(pixels[0], SOPClassUID=film, Modality="US", FrameTime=40), "one.dcm"))
        np.testing.assert_array_equal(one.voxels, pixels[0][None])
        # A dose says by its offsets that frames are slices, and others by another pointer.
        for attributes in ({"GridFrameOffsetVector": [0, 2, 4]}, {"FrameIncrementPointer": 0x00540080, "SpacingBetweenSlices": 2}):
            self.assert_geometry(self.read(self.save(make(pixels, FrameTime=40, **attributes), "s.dcm")), [1, 1, 2])

    def test_negative_distances_of_frames(self):
        pixels = self.random((3, 4, 5))
        for attributes, name in (({"SpacingBetweenSlices": -2}, "SpacingBetweenSlices"), ({"SliceThickness": -2}, "SliceThickness")):
            for place in ((1, 2, 3), None):
                image = self.read(self.save(make(pixels, place, **attributes), "a.dcm"))
                np.testing.assert_array_equal(image.voxels, pixels)
                self.assert_geometry(image, [1, 1, 2])
                self.assertIn(name + " is negative", " ".join(image.notes))
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
            for frame in data.PerFrameFunctionalGroupsSequence:
                del frame.PlanePositionSequence
            self.refuses(self.save(data, "p.dcm"), saying=["3 frames", "no positions"])
            if kind.startswith("12"):
                self.refuses(self.save(make(pixels, None, SOPClassUID=data.SOPClassUID), "x.dcm"), saying="X rays")
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

    def test_frames_of_nuclear_medicine(self):
        """FrameIncrementPointer names vectors of what frames differ in; slices alone are a volume."""
        pixels = self.random((3, 4, 5))
        windows, detectors, angles, times, slices = 0x00540010, 0x00540020, 0x00540090, 0x00540100, 0x00540080
        same = {"EnergyWindowVector": [1, 1, 1], "DetectorVector": [1, 1, 1]}

        def path(pointers, **attributes):
            data = make(pixels, (1, 2, 3), Modality="NM", SpacingBetweenSlices=2, **{**same, **attributes})
            data.FrameIncrementPointer = pointers
            return self.save(data, "n.dcm")

        self.refuses(path([windows, detectors], EnergyWindowVector=[1, 2, 3]), saying="energy windows (EnergyWindowVector)")
        self.refuses(path([windows, detectors], DetectorVector=[1, 1, 2]), saying="detectors")
        self.refuses(path([windows, detectors, angles], AngularViewVector=[1, 2, 3]), saying="angles")
        self.refuses(path([windows, detectors, times], TimeSliceVector=[1, 2, 3]), saying="moments in time")
        for wrong in ([3, 2, 1], [1, 2, 4], [1, 1, 2]):
            self.refuses(path([slices], SliceVector=wrong), saying="SliceVector")
        self.refuses(path([slices], SliceVector=[1, 2]), saying="2 numbers for 3 frames")
        self.refuses(path([windows, detectors, angles]), saying="angles (AngularViewVector)")
        # What the pointer does not name may be left from the projections.
        image = self.read(path([windows, detectors, slices], SliceVector=[1, 2, 3], AngularViewVector=[1, 2, 3]))
        np.testing.assert_array_equal(image.voxels, pixels)
        self.assert_geometry(image, [1, 1, 2], [1, 2, 3])

    def test_projections_of_nuclear_medicine(self):
        """ImageType tells projections from slices, if no vector names slices."""
        pixels = self.random((3, 4, 5))
        for kind in ("STATIC", "DYNAMIC", "WHOLE BODY", "TOMO", "GATED TOMO", "RECON TOMO"):
            data = make(pixels, (1, 2, 3), SOPClassUID="1.2.840.10008.5.1.4.1.1.20", Modality="NM", SpacingBetweenSlices=2,
                        ImageType=["ORIGINAL", "PRIMARY", kind, "EMISSION"])
            if kind.startswith("RECON"):
                self.assert_geometry(self.read(self.save(data, "n.dcm")), [1, 1, 2], [1, 2, 3])
                continue
            self.refuses(self.save(data, "n.dcm"), saying=["projections", kind, "RECON TOMO"])
            data.FrameIncrementPointer, data.SliceVector = 0x00540080, [1, 2, 3]
            np.testing.assert_array_equal(self.read(self.save(data, "n.dcm")).voxels, pixels)
            data.SOPClassUID, data.FrameIncrementPointer = "1.2.840.10008.5.1.4.1.1.7", None
            np.testing.assert_array_equal(self.read(self.save(data, "n.dcm")).voxels, pixels)

    def test_other_distances_by_vectors(self):
        pixels = self.random((3, 4, 5))
        for vector, taken in (("SliceLocationVector", 3), ("GridFrameOffsetVector", 2)):
            for values, tells in (([0, 2, 4], True), ([0, 3, 6], False), ([0, 3.001, 6.002], False)):
                data = make(pixels, (1, 2, 3), SpacingBetweenSlices=3, **{vector: values})
                image = self.read(self.save(data, "v.dcm"))
                self.assert_geometry(image, [1, 1, taken if tells else values[1] if taken == 2 else 3], [1, 2, 3])
                self.assertEqual("but 3 mm by SpacingBetweenSlices" in " ".join(image.notes), tells, image.notes)
        # Left over, and wrong: the spacing goes first.
        image = self.read(self.save(make(pixels, (1, 2, 3), SpacingBetweenSlices=3, SliceLocationVector=[0, 0, 0]), "v.dcm"))
        self.assertIn("by SliceLocationVector", " ".join(image.notes))
        for more in ({}, {"SpacingBetweenSlices": 2}):
            image = self.read(self.save(make(pixels, (1, 2, 3), SliceLocationVector=[4, 2, 0], **more), "v.dcm"))
            self.assertIn("SliceLocationVector falls from 4 to 0", " ".join(image.notes))
            self.assertEqual(image.origin[2], -1)
            image = self.read(self.save(make(pixels, None, SliceLocationVector=[4, 2, 0], **more), "v.dcm"))
            self.assertNotIn("falls", " ".join(image.notes))
            # Where the spacing is known, places may be rounded.
            rounded = self.save(make(pixels, (1, 2, 3), SliceLocationVector=[0, 1.9, 4], **more), "v.dcm")
            if more:
                self.assertEqual(self.read(rounded).notes, [])
                short = self.read(self.save(make(pixels, (1, 2, 3), SliceLocationVector=[0, 2], **more), "v.dcm"))
                self.assertIn("SliceLocationVector has 2 numbers for 3 frames and is passed over", " ".join(short.notes))
                for places in ([0, 2, 4], [4, 2, 0], [0, 2, 1]):
                    nuclear = make(pixels, (1, 2, 3), SliceLocationVector=places, Modality="NM", SpacingBetweenSlices=-2)
                    if places[1] > places[2] and places[0] == 0:
                        self.refuses(self.save(nuclear, "v.dcm"), saying="uneven")
                        continue
                    image = self.read(self.save(nuclear, "v.dcm"))
                    self.assertEqual(image.origin[2], -1)
                    self.assertEqual("the other way than the sign" in " ".join(image.notes), places[0] == 0)
                self.rounded_places()
            else:
                self.refuses(rounded, saying="SliceLocationVector")
            for wrong in ([0, 2, 1], [0, 1, 3]):
                self.refuses(self.save(make(pixels, (1, 2, 3), SliceLocationVector=wrong, **more), "v.dcm"), saying="SliceLocationVector")

    def rounded_places(self):
        """Places with few digits pass beside a spacing; a missing frame does not."""
        for step, digits in ((0.625, 1), (2.5, 0), (0.3125, 2), (1.25, 1)):
            for count in (4, 9, 40):
                pixels = self.random((count, 4, 5))
                places = ["%.*f" % (digits, step * i) for i in range(count)]
                save = lambda places: self.save(make(pixels, (1, 2, 3), SliceLocationVector=places, SpacingBetweenSlices=step), "r.dcm")
                self.assert_geometry(self.read(save(places)), [1, 1, step])
                for missing in {1, count // 2, count - 2}:
                    gap = ["%.*f" % (digits, step * (i + (i >= missing))) for i in range(count)]
                    self.refuses(save(gap), saying="uneven")
        for step, wrong in ((2.4, [0, 2, 4, 8, 10, 12]), (4, [0, 3, 9, 12]), (3, [0, 4, 5, 9]), (2, [0, "nan", 4, 6])):
            pixels = self.random((len(wrong), 4, 5))
            data = make(pixels, (1, 2, 3), SliceLocationVector=list(map(str, wrong)), SpacingBetweenSlices=step)
            self.refuses(self.save(data, "r.dcm"), saying="uneven")

    def test_why_frames_without_positions_are_refused(self):
        data = self.enhanced(self.random((3, 4, 5)), [0, 2, 4])
        for frame in data.PerFrameFunctionalGroupsSequence:
            del frame.PlanePositionSequence
        data.SOPClassUID = "1.2.840.10008.5.1.4.1.1.6.2"
        self.refuses(self.save(data, "u.dcm"), saying="PlanePositionVolumeSequence")
        data, _ = segmentation([(1, 0), (2, 0), (1, 1)])
        for frame in data.PerFrameFunctionalGroupsSequence:
            del frame.PlanePositionSequence
        self.refuses(self.save(data, "s.dcm"), saying="segments of a picture")

    def test_locations_and_pages_of_secondary_captures(self):
        pixels = self.random((3, 4, 5))
        for place in ((1, 2, 3), None):
            image = self.read(self.save(make(pixels, place, SliceLocationVector=[10, 12.5, 15], FrameIncrementPointer=0x00182005), "s.dcm"))
            np.testing.assert_array_equal(image.voxels, pixels)
            self.assert_geometry(image, [1, 1, 2.5])
            self.assertEqual(image.spacing_source, "file")
            for wrong in ([0, 2, 5], [4, 0, 2], [1, 1, 1]):
                self.refuses(self.save(make(pixels, place, SliceLocationVector=wrong), "s.dcm"), saying="SliceLocationVector")
        self.refuses(self.save(make(pixels, SliceLocationVector=[0, 2]), "s.dcm"), saying="2 numbers for 3 frames")
        pages = {"FrameIncrementPointer": 0x00182001, "PageNumberVector": [1, 2, 3]}
        self.refuses(self.save(make(pixels, **pages), "p.dcm"), saying=["pages", "SpacingBetweenSlices"])
        self.assert_geometry(self.read(self.save(make(pixels, SpacingBetweenSlices=2, **pages), "p.dcm")), [1, 1, 2])
        angles = make(pixels, FramePrimaryAngleVector=[0, 10, 20], SpacingBetweenSlices=2)
        self.refuses(self.save(angles, "a.dcm"), saying="angles")

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
        for more, text in (({}, "value -2000 stands"), ({"PixelPaddingRangeLimit": -1900}, "values from -2000 to -1900 stand")):
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
            self.assertIn("value %d stands" % told, " ".join(self.read(self.save(data, "p.dcm")).notes))
        data = make(self.random((4, 5)))
        data.add_new("PixelPaddingValue", "US", 63536)
        data.add_new("PixelPaddingRangeLimit", "US", 63636)
        self.assertIn("values from -2000 to -1900 stand", " ".join(self.read(self.save(data, "p.dcm")).notes))

    def test_padding_of_series_is_one_note(self):
        """Also where each slice has another one."""
        def change(index, data):
            if index >= skipped:
                data.add_new("PixelPaddingValue", "SS", first + step * index)

        for skipped, first, step, told in ((0, -2000, 0, "its stored value -2000 stands"),
                                           (4, -2000, 0, "8 slices: its stored value -2000 stands"),
                                           (11, -2000, 0, "1 slice: its stored value -2000 stands"),
                                           (0, -2000, 1, "12 slices: their stored values from -2000 to -1989, others in")):
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
        self.assertIn("SpacingBetweenSlices is 3 mm, but its frames lie at multiples of 4 mm", " ".join(image.notes))

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
