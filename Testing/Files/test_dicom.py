"""DICOM files, made by pydicom, beside what pydicom and the standard say of them."""

import glob
import json
import os
import random
import shutil
import sys
import tarfile
import unittest

from files import FilesTest, np

try:
    import pydicom
    from pydicom.dataset import Dataset, FileMetaDataset
    from pydicom.encaps import encapsulate
    from pydicom.sequence import Sequence
    from pydicom.uid import (CTImageStorage, ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian,
                             JPEG2000Lossless, JPEGBaseline8Bit, JPEGLosslessSV1, JPEGLSLossless, RLELossless,
                             SegmentationStorage, generate_uid)
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

SERIES = "1.2.826.1"


def make(pixels, position=(0, 0, 0), spacing=(1.0, 1.0), orientation=(1, 0, 0, 0, 1, 0), number=1, syntax=None,
         **attributes):
    """A CT image; `spacing` along x, y; attributes of None are left out."""
    data = Dataset()
    data.file_meta = FileMetaDataset()
    data.file_meta.MediaStorageSOPClassUID = attributes.get("SOPClassUID", CTImageStorage)
    data.file_meta.MediaStorageSOPInstanceUID = generate_uid()
    data.file_meta.TransferSyntaxUID = syntax or ExplicitVRLittleEndian
    data.SOPClassUID = CTImageStorage
    data.SOPInstanceUID = data.file_meta.MediaStorageSOPInstanceUID
    data.SeriesInstanceUID = SERIES
    data.Modality = "CT"
    data.InstanceNumber = number
    if position is not None:
        data.ImagePositionPatient = ["%.8g" % value for value in position]
        data.ImageOrientationPatient = [("%.10f" % value)[:16] for value in orientation]
    if spacing is not None:
        data.PixelSpacing = [spacing[1], spacing[0]]
    data.SamplesPerPixel = 1
    data.PhotometricInterpretation = "MONOCHROME2"
    shape = pixels.shape
    if len(shape) == 3 and attributes.get("SamplesPerPixel", 1) == 1:
        data.NumberOfFrames = shape[0]
        shape = shape[1:]
    data.Rows, data.Columns = shape[:2]
    bits = 8 * pixels.itemsize
    data.BitsAllocated = data.BitsStored = bits
    data.HighBit = bits - 1
    data.PixelRepresentation = int(pixels.dtype.kind == "i")
    data.PixelData = pixels.tobytes() + b"\0" * (pixels.nbytes % 2)
    data["PixelData"].VR = "OB" if bits == 8 else "OW"
    for name, value in attributes.items():
        if value is None:
            if name in data:
                delattr(data, name)
        else:
            setattr(data, name, value)
    return data


def measures(spacing=(1.0, 1.0), between=None, thickness=None):
    item = Dataset()
    item.PixelSpacing = [spacing[1], spacing[0]]
    if between is not None:
        item.SpacingBetweenSlices = between
    if thickness is not None:
        item.SliceThickness = thickness
    return item


def one(**attributes):
    item = Dataset()
    for name, value in attributes.items():
        setattr(item, name, value)
    return Sequence([item])


class Dicom(FilesTest):
    def save(self, data, *names):
        path = self.path(*names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data.save_as(path, enforce_file_format=True)
        return path

    def random(self, shape, dtype=np.int16, seed=1):
        information = np.iinfo(dtype)
        return np.random.default_rng(seed).integers(information.min, information.max, shape, dtype, endpoint=True)

    def series(self, places, folder="series", names=None, change=None, shape=(4, 5), **attributes):
        """Slices at `places` along z; returns their pixels in the order of `places`."""
        pixels = self.random((len(places),) + shape)
        for index, place in enumerate(places):
            position = place if isinstance(place, tuple) else (0, 0, place)
            data = make(pixels[index], position, number=index + 1, **attributes)
            if change:
                change(index, data)
            self.save(data, folder, names[index] if names else "i%d.dcm" % index)
        return self.path(folder), pixels


class Pattern(Dicom):
    def test_files_of_a_pattern_lie_where_their_headers_say(self):
        self.series([8, 6, 4, 2])
        folder = self.read(self.path("series"))
        pattern = self.read(self.path("series", "*"))
        np.testing.assert_array_equal(pattern.voxels, folder.voxels)
        self.assert_geometry(pattern, folder.spacing, folder.origin, folder.direction)
        self.series([0, 1, 2, 4, 5], folder="gap")
        self.refuses(self.path("gap", "*"), saying="distance")


class Single(Dicom):
    def test_types_and_byte_orders(self):
        for dtype in ("uint8", "int8", "uint16", "int16", "uint32", "int32"):
            for syntax in (ExplicitVRLittleEndian, ImplicitVRLittleEndian, ExplicitVRBigEndian):
                if syntax == ExplicitVRBigEndian and dtype.endswith("8"):
                    continue
                pixels = self.random((6, 7), np.dtype(dtype))
                stored = pixels.byteswap() if syntax == ExplicitVRBigEndian else pixels
                data = make(pixels, (-3.5, 4, 5), (0.5, 0.75), syntax=syntax, SliceThickness=2,
                            PixelData=stored.tobytes())
                if syntax == ImplicitVRLittleEndian:
                    data["PixelData"].VR = "OW"
                image = self.read(self.save(data, "a.dcm"))
                self.assertEqual(image.type, dtype)
                np.testing.assert_array_equal(image.voxels[0], pixels, dtype)
                self.assert_geometry(image, [0.5, 0.75, 2], [-3.5, 4, 5], np.eye(3))
                self.assertTrue(any("SliceThickness" in note for note in image.notes), image.notes)

    def test_spacing_between_slices_before_thickness(self):
        image = self.read(self.save(make(self.random((4, 4)), SliceThickness=2, SpacingBetweenSlices=3), "a.dcm"))
        self.assert_geometry(image, [1, 1, 3])
        self.assertTrue(any("SpacingBetweenSlices" in note for note in image.notes))

    def test_float_and_double(self):
        for dtype, name in (("float32", "FloatPixelData"), ("float64", "DoubleFloatPixelData")):
            pixels = np.random.default_rng(2).normal(size=(4, 5)).astype(dtype)
            data = make(np.zeros((4, 5), np.uint16))
            del data.PixelData
            data.BitsAllocated = 8 * pixels.itemsize
            del data.BitsStored, data.HighBit, data.PixelRepresentation
            setattr(data, name, pixels.tobytes())
            image = self.read(self.save(data, "f.dcm"))
            self.assertEqual(image.type, dtype)
            np.testing.assert_array_equal(image.voxels[0], pixels)

    def test_bits_beside_the_value_are_masked(self):
        for signed in (0, 1):
            stored = self.random((8, 8), np.uint16)
            data = make(stored, BitsStored=12, HighBit=13, PixelRepresentation=signed)
            value = (stored.astype(int) >> 2) & 0xFFF
            want = np.where(value >= 2048, value - 4096, value) if signed else value
            image = self.read(self.save(data, "m.dcm"))
            self.assertEqual(image.type, "int16" if signed else "uint16")
            np.testing.assert_array_equal(image.voxels[0], want)

    def test_monochrome1_keeps_stored_values(self):
        pixels = self.random((4, 4))
        image = self.read(self.save(make(pixels, PhotometricInterpretation="MONOCHROME1"), "m.dcm"))
        np.testing.assert_array_equal(image.voxels[0], pixels)

    def test_colours(self):
        for planar in (0, 1):
            pixels = self.random((4, 5, 3), np.uint8)
            stored = pixels.transpose(2, 0, 1) if planar else pixels
            data = make(pixels, SamplesPerPixel=3, PhotometricInterpretation="RGB", PlanarConfiguration=planar,
                        PixelData=np.ascontiguousarray(stored).tobytes())
            image = self.read(self.save(data, "c.dcm"))
            self.assertEqual(image.channels, 3)
            np.testing.assert_array_equal(image.voxels[0], pixels)

    def test_luminance_and_differences_become_colours(self):
        pixels = self.random((4, 5, 3), np.uint8)
        data = make(pixels, SamplesPerPixel=3, PhotometricInterpretation="YBR_FULL", PlanarConfiguration=0)
        from pydicom.pixels import convert_color_space
        want = convert_color_space(pixels, "YBR_FULL", "RGB")
        image = self.read(self.save(data, "c.dcm"))
        self.assertLessEqual(np.abs(image.voxels[0].astype(int) - want.astype(int)).max(), 1)
        data.PhotometricInterpretation = "YBR_FULL_422"
        self.refuses(self.save(data, "c.dcm"), saying="YBR_FULL_422")

    def test_palette_gives_indices(self):
        pixels = self.random((4, 4), np.uint8)
        image = self.read(self.save(make(pixels, PhotometricInterpretation="PALETTE COLOR"), "p.dcm"))
        np.testing.assert_array_equal(image.voxels[0], pixels)
        self.assertTrue(any("palette" in note for note in image.notes))

    def test_cut_pixel_data(self):
        path = self.save(make(self.random((64, 64))), "c.dcm")
        with open(path, "rb") as stream:
            whole = stream.read()
        for size in (len(whole) - 1000, len(whole) - 1):
            with open(path, "wb") as stream:
                stream.write(whole[:size])
            self.refuses(path, saying=["c.dcm", "cut"])
        self.refuses(self.save(make(self.random((8, 8)), Rows=9), "d.dcm"), saying="cut")
        with open(path, "wb") as stream:
            stream.write(whole[:400])
        self.refuses(path, saying="c.dcm")

    def test_longer_pixel_data_are_told(self):
        pixels = self.random((4, 4))
        image = self.read(self.save(make(pixels, PixelData=pixels.tobytes() + b"\1" * 40), "l.dcm"))
        np.testing.assert_array_equal(image.voxels[0], pixels)
        self.assertTrue(any("longer" in note for note in image.notes))

    def test_odd_number_of_bytes_is_padded(self):
        pixels = self.random((3, 3), np.uint8)
        image = self.read(self.save(make(pixels), "o.dcm"))
        np.testing.assert_array_equal(image.voxels[0], pixels)
        self.assertFalse(any("longer" in note for note in image.notes))

    def test_file_without_preamble(self):
        pixels = self.random((4, 4))
        for implicit in (False, True):
            path = self.path("bare")
            data = make(pixels, syntax=ImplicitVRLittleEndian if implicit else None)
            del data.file_meta
            pydicom.dcmwrite(path, data, implicit_vr=implicit, little_endian=True, enforce_file_format=False)
            np.testing.assert_array_equal(self.read(path).voxels[0], pixels)

    def test_spacing_of_the_detector(self):
        image = self.read(self.save(make(self.random((4, 4)), None, None, ImagerPixelSpacing=[0.2, 0.3]), "x.dcm"))
        self.assert_geometry(image, [0.3, 0.2, 1], [0, 0, 0], np.eye(3))
        self.assertTrue(any("ImagerPixelSpacing" in note for note in image.notes))
        image = self.read(self.save(make(self.random((4, 4)), None, None), "x.dcm"))
        self.assert_geometry(image, [1, 1, 1])
        self.assertEqual(image.spacing_source, "none")

    def test_bad_headers(self):
        self.refuses(self.save(make(self.random((4, 4)), orientation=(1, 0, 0, 0.5, 1, 0)), "o.dcm"),
                     saying="ImageOrientationPatient")
        self.refuses(self.save(make(self.random((4, 4)), RescaleSlope=0, RescaleIntercept=0), "o.dcm"),
                     saying="RescaleSlope")
        self.refuses(self.save(make(self.random((4, 4)), spacing=(0, 1)), "o.dcm"), saying="PixelSpacing")
        self.refuses(self.save(make(self.random((4, 4)), BitsStored=17), "o.dcm"), saying="BitsStored")
        self.refuses(self.save(make(self.random((4, 4)), Rows=None), "o.dcm"), saying="Rows")

    def test_modality_table_is_refused(self):
        table = one(LUTDescriptor=[2, 0, 16], ModalityLUTType="HU", LUTData=b"\0\0\1\0")
        table[0]["LUTDescriptor"].VR = "US"
        table[0]["LUTData"].VR = "OW"
        self.refuses(self.save(make(self.random((4, 4)), ModalityLUTSequence=table), "t.dcm"),
                     saying="ModalityLUTSequence")

    def test_nested_sequences_of_undefined_length(self):
        pixels = self.random((4, 4))
        data = make(pixels, PixelData=pixels.tobytes())
        inner = one(CodeValue="1")
        data.ReferencedImageSequence = one(PurposeOfReferenceCodeSequence=inner)
        purpose = data.ReferencedImageSequence[0]["PurposeOfReferenceCodeSequence"]
        for element in (data["ReferencedImageSequence"], purpose):
            element.is_undefined_length = True
            element.value[0].is_undefined_length_sequence_item = True
        np.testing.assert_array_equal(self.read(self.save(data, "n.dcm")).voxels[0], pixels)

    def test_deflated_data_sets(self):
        for shape in ((4, 5), (3, 40, 50)):
            # Numbers that can be compressed, more than one step of decompression takes.
            pixels = self.random(shape) // 512
            data = make(pixels, (1, 2, 3), (0.5, 0.25), syntax=pydicom.uid.DeflatedExplicitVRLittleEndian,
                        SpacingBetweenSlices=2)
            path = self.save(data, "d.dcm")
            np.testing.assert_array_equal(pydicom.dcmread(path).pixel_array, pixels)
            image = self.read(path)
            np.testing.assert_array_equal(image.voxels.reshape(shape), pixels)
            self.assertEqual(list(image.spacing)[:2], [0.5, 0.25])
            self.assertEqual(list(image.origin)[:2], [1, 2])
        with open(path, "rb") as stream:
            content = stream.read()
        changed = self.path("c.dcm")
        for damaged, saying in ((content[:-100], "truncated"), (content[:400], "truncated"),
                                (content + b"more", "something else"), (content[:-3000] + b"\xff" * 3000, "c.dcm")):
            with open(changed, "wb") as stream:
                stream.write(damaged)
            self.refuses(changed, saying=saying)

    def test_series_of_deflated_slices(self):
        folder, pixels = self.series(range(4), syntax=pydicom.uid.DeflatedExplicitVRLittleEndian)
        np.testing.assert_array_equal(self.read(folder).voxels, pixels)
        chosen = self.label(folder, self.path("o.nrrd"), "--range", 0, "inf", "--series", SERIES)
        self.assertEqual(chosen.returncode, 0, chosen.stderr)
        # One input with series is enough, also beside a file that has none.
        beside = self.label(folder, self.path("p.nrrd"), "--range", 0, "inf", "--series", 1, "--mask",
                            self.path("o.nrrd"))
        self.assertEqual(beside.returncode, 0, beside.stderr)
        single = self.label(self.path("series", "i0.dcm"), self.path("o.nrrd"), "--series", 1)
        self.assertEqual(single.returncode, 1)
        self.assertIn("--series 1", single.stderr)

    def test_mutations_never_crash(self):
        """A seeded loop over damaged files of several kinds: each is read or refused."""
        generator = random.Random(39)
        sources = []
        pixels = self.random((16, 16))
        compressed = make(pixels)
        compressed.compress(RLELossless)
        frames = make(self.random((3, 4, 4)), SpacingBetweenSlices=2)
        frames.SharedFunctionalGroupsSequence = Sequence([Dataset()])
        frames.SharedFunctionalGroupsSequence[0].PixelMeasuresSequence = Sequence([measures()])
        for data in (make(pixels), make(pixels, syntax=ImplicitVRLittleEndian), compressed, frames,
                     segmentation([(1, 0), (2, 1)])[0]):
            with open(self.save(data, "source.dcm"), "rb") as stream:
                sources.append(stream.read())
        path = self.path("mutated.dcm")
        for _ in range(400):
            contents = bytearray(generator.choice(sources))
            for _ in range(generator.randint(1, 6)):
                value = generator.choice((0, 1, 0x7F, 0x80, 0xFF, generator.randrange(256)))
                contents[generator.randrange(132, len(contents))] = value
            if generator.random() < 0.2:
                del contents[generator.randrange(140, len(contents)):]
            with open(path, "wb") as stream:
                stream.write(contents)
            result, _ = self.run_dump(path)
            self.assertIn(result.returncode, (0, 1), (result.stderr, bytes(contents).hex()))


class Values(Dicom):
    def check_scaled(self, slopes, intercepts, dtype, **attributes):
        def change(index, data):
            data.RescaleSlope = str(slopes[index])
            data.RescaleIntercept = str(intercepts[index])
        folder, pixels = self.series(range(len(slopes)), change=change, **attributes)
        image = self.read(folder)
        self.assertEqual(image.type, dtype)
        for index, (slope, intercept) in enumerate(zip(slopes, intercepts)):
            want = pixels[index].astype(float) * slope + intercept
            np.testing.assert_allclose(image.voxels[index], want, rtol=1e-6)
        return image

    def test_slopes_and_intercepts_of_each_slice(self):
        self.check_scaled([1, 1, 1], [0, 0, 0], "int16")
        self.check_scaled([1, 1, 1], [0, 40000, 40000], "int32")
        self.check_scaled([1, 1000, 1000], [0, 0, 0], "int32")
        for slopes, intercepts in (([1, .25, .25], [0] * 3), ([1] * 3, [0, .5, .5]), ([.25, 1, 1], [0] * 3)):
            image = self.check_scaled(slopes, intercepts, "float32")
            self.assertTrue(any("fractions" in note for note in image.notes), image.notes)

    def test_several_slopes_are_refused(self):
        pixels = self.random((4, 4), np.int16)
        path = self.path("slopes.dcm")
        make(pixels, RescaleSlope=[1, 2], RescaleIntercept=0).save_as(path, enforce_file_format=True)
        self.refuses(path, saying="RescaleSlope has 2 different values")
        make(pixels, RescaleSlope=[2, 2], RescaleIntercept=0).save_as(path, enforce_file_format=True)
        np.testing.assert_array_equal(np.squeeze(self.read(path).voxels), pixels.astype(int) * 2)

    def test_twelve_bits_stay_small(self):
        pixels = self.random((4, 4), np.uint16) & 0xFFF
        data = make(pixels, BitsStored=12, HighBit=11, RescaleSlope=1, RescaleIntercept=-1024)
        image = self.read(self.save(data, "c.dcm"))
        self.assertEqual(image.type, "int16")
        np.testing.assert_array_equal(image.voxels[0], pixels.astype(int) - 1024)


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
        self.assertTrue(any("file names" in note for note in image.notes))

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
            self.assertTrue(any("left out" in note for note in image.notes))

    def test_uneven_distances(self):
        self.refuses(self.series([0, 1, 2.002, 3.002])[0], saying=["uneven", "i1.dcm", "i2.dcm", "1.002 mm"])
        self.read(self.series([0, 1, 2.0005, 3.0005], "even")[0])

    def test_doubled_slices_and_points_in_time(self):
        message = self.refuses(self.series([0, 1, 1, 2])[0], saying=["i1.dcm", "i2.dcm", "same position"])
        self.assertIn("doubled", message)
        folder = self.series([0, 1, 2, 0, 1, 2], "times")[0]
        for options in ((), ("--accept-irregular-slices",)):
            self.refuses(folder, *options, saying=["2 slices at each of 3 positions", "points in time"])

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
        self.save(make(pixels, SpacingBetweenSlices=2), "m", "a.dcm")
        image = self.read(self.path("m"))
        np.testing.assert_array_equal(image.voxels, pixels)
        self.assert_geometry(image, [1, 1, 2])

    def test_folder_without_images(self):
        report = make(np.zeros((1, 1), np.uint16), SOPClassUID="1.2.840.10008.5.1.4.1.1.88.11", PixelData=None,
                      Rows=None, Columns=None)
        self.save(report, "r", "report.dcm")
        self.refuses(self.path("r"), saying="none with an image")


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


def segmentation(frames, kind="BINARY", shape=(5, 7), overlap=False, between=2, step=2):
    """Frames (segment, slice) with pixels of their own; the label map that they stand for."""
    generator = np.random.default_rng(4)
    slices = max(place for _, place in frames) + 1
    labels = np.zeros((slices,) + shape, np.uint16)
    bits = np.zeros((len(frames),) + shape, np.uint8)
    for index, (segment, place) in enumerate(frames):
        mask = generator.random(shape) < 0.4
        mask[0, 0] = True
        if not overlap:
            mask &= labels[place] == 0
        bits[index] = mask
        labels[place][mask] = segment
    data = make(bits, None, None, SOPClassUID=SegmentationStorage, Modality="SEG", BitsAllocated=1, BitsStored=1,
                HighBit=0, PixelRepresentation=0, SegmentationType=kind)
    packed = np.packbits(bits.reshape(-1), bitorder="little").tobytes()
    data.PixelData = packed + b"\0" * (len(packed) % 2)
    data["PixelData"].VR = "OB"
    shared = Dataset()
    shared.PixelMeasuresSequence = Sequence([measures((0.5, 0.5), between, thickness=between)])
    shared.PlaneOrientationSequence = one(ImageOrientationPatient=[1, 0, 0, 0, 1, 0])
    data.SharedFunctionalGroupsSequence = Sequence([shared])
    data.SegmentSequence = Sequence(
        [one(SegmentNumber=number, SegmentLabel="organ %d" % number)[0] for number in sorted({s for s, _ in frames})])
    groups = []
    for segment, place in frames:
        group = Dataset()
        group.PlanePositionSequence = one(ImagePositionPatient=[1, 2, 3 + step * place])
        group.SegmentIdentificationSequence = one(ReferencedSegmentNumber=segment)
        groups.append(group)
    data.PerFrameFunctionalGroupsSequence = Sequence(groups)
    return data, labels


class Segmentations(Dicom):
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


class Compressed(Dicom):
    def compressed(self, pixels, syntax, streams, **attributes):
        data = make(pixels, syntax=syntax, **attributes)
        data.PixelData = encapsulate(streams)
        data["PixelData"].VR = "OB"
        data["PixelData"].is_undefined_length = True
        return data

    def codecs(self):
        import imagecodecs
        yield JPEGLosslessSV1, lambda a: imagecodecs.ljpeg_encode(a)
        yield JPEGLSLossless, lambda a: imagecodecs.jpegls_encode(a)
        yield JPEG2000Lossless, lambda a: imagecodecs.jpeg2k_encode(a, codecformat="j2k", reversible=True, level=0)

    def test_run_lengths(self):
        for dtype in (np.uint8, np.int16, np.uint16):
            pixels = self.random((4, 20, 30), dtype) // 64 * 64
            data = make(pixels, SpacingBetweenSlices=2)
            data.compress(RLELossless)
            np.testing.assert_array_equal(self.read(self.save(data, "r.dcm")).voxels, pixels)
        colours = self.random((6, 7, 3), np.uint8)
        data = make(colours, SamplesPerPixel=3, PhotometricInterpretation="RGB", PlanarConfiguration=0)
        data.compress(RLELossless)
        np.testing.assert_array_equal(self.read(self.save(data, "r.dcm")).voxels[0], colours)

    def test_lossless(self):
        try:
            codecs = list(self.codecs())
        except ImportError as missing:
            self.skipTest(str(missing))
        smooth = np.add.outer(np.arange(40), np.arange(33))
        for syntax, encode in codecs:
            for dtype, scale in ((np.uint8, 2), (np.uint16, 700)):
                frames = np.stack([(smooth * scale + 9 * k).astype(dtype) for k in range(3)])
                data = self.compressed(frames, syntax, [encode(frame) for frame in frames], SpacingBetweenSlices=2)
                path = self.save(data, "c.dcm")
                image = self.read(path)
                self.assertEqual(image.type, np.dtype(dtype).name)
                np.testing.assert_array_equal(image.voxels, frames, "%s %s" % (syntax.name, dtype))
                # A series: a child process decodes several files.
                for index, frame in enumerate(frames):
                    self.save(self.compressed(frame, syntax, [encode(frame)], position=(0, 0, index),
                                              RescaleSlope=1, RescaleIntercept=-10), "series", "%d.dcm" % index)
                np.testing.assert_array_equal(self.read(self.path("series")).voxels, frames.astype(int) - 10)

    def test_several_fragments_a_frame(self):
        try:
            codecs = list(self.codecs())
        except ImportError as missing:
            self.skipTest(str(missing))
        frames = np.stack([np.add.outer(np.arange(40), np.arange(50) * k).astype(np.uint16) for k in range(1, 4)])
        for syntax, encode in codecs:
            streams = [encode(frame) for frame in frames]
            for offsets in (True, False):
                data = self.compressed(frames, syntax, streams, SpacingBetweenSlices=2)
                data.PixelData = encapsulate(streams, fragments_per_frame=2, has_bot=offsets)
                np.testing.assert_array_equal(self.read(self.save(data, "f.dcm")).voxels, frames)
            data.NumberOfFrames = 7
            self.refuses(self.save(data, "f.dcm"), saying="7 frames")
            data.NumberOfFrames = 2
            self.refuses(self.save(data, "f.dcm"), saying="3 frames instead of 2")

    def test_damaged(self):
        try:
            codecs = list(self.codecs())
        except ImportError as missing:
            self.skipTest(str(missing))
        pixels = (np.add.outer(np.arange(64), np.arange(64)) * 37 % 5000).astype(np.uint16)
        generator = random.Random(5)
        for syntax, encode in codecs:
            stream = encode(pixels)
            wrong = self.compressed(pixels, syntax, [stream], Rows=32)
            self.refuses(self.save(wrong, "w.dcm"), saying=["64 x 32", "64 x 64"])
            path = self.save(self.compressed(pixels, syntax, [stream]), "d.dcm")
            with open(path, "rb") as opened:
                whole = opened.read()
            with open(path, "wb") as opened:
                opened.write(whole[:-len(stream) // 2])
            self.refuses(path, saying=["d.dcm", "cut"])
            self.refuses(self.save(self.compressed(pixels, syntax, [stream[:len(stream) // 2]]), "e.dcm"),
                         saying="FFD9")
            for part in (0.3, 0.6, 0.9):
                ended = stream[:max(200, int(len(stream) * part))] + b"\xff\xd9"
                self.refuses(self.save(self.compressed(pixels, syntax, [ended]), "e.dcm"), saying="damaged")
            self.refuses(self.save(self.compressed(pixels, syntax, [b"\0" * 100]), "z.dcm"), saying="damaged")
            for _ in range(20):
                mutated = bytearray(stream)
                for _ in range(3):
                    mutated[generator.randrange(len(mutated))] = generator.randrange(256)
                result, _ = self.run_dump(self.save(self.compressed(pixels, syntax, [bytes(mutated)]), "m.dcm"))
                self.assertIn(result.returncode, (0, 1), result.stderr)
        for index in range(3):
            self.save(self.compressed(pixels, syntax, [stream if index != 1 else stream[:60] + b"\xff" * 50],
                                      position=(0, 0, index)), "series", "s%d.dcm" % index)
        self.refuses(self.path("series"), saying="s1.dcm")

    def test_baseline_colours(self):
        try:
            import imagecodecs
        except ImportError as missing:
            self.skipTest(str(missing))
        y, x = np.mgrid[0:32, 0:40]
        colours = np.stack([x * 6, y * 7, 255 - x * 3 - y * 3], -1).astype(np.uint8)
        stream = imagecodecs.jpeg8_encode(colours, level=95, subsampling="422")
        want = imagecodecs.jpeg8_decode(stream)
        data = self.compressed(colours, JPEGBaseline8Bit, [stream], SamplesPerPixel=3, PlanarConfiguration=0,
                               PhotometricInterpretation="YBR_FULL_422")
        image = self.read(self.save(data, "j.dcm"))
        self.assertEqual(image.channels, 3)
        self.assertLess(np.abs(image.voxels[0].astype(int) - want.astype(int)).mean(), 2)

    def test_unknown_transfer_syntax(self):
        pixels = self.random((4, 4))
        data = self.compressed(pixels, "1.2.840.10008.1.2.4.102", [b"\xff\xd8\xff\xc0\0\x0b\x10\0\4\0\4\1\1\x11\0" * 2])
        self.refuses(self.save(data, "v.dcm"), saying="1.2.840.10008.1.2.4.102")


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
        self.same(self.save(make(pixels, SpacingBetweenSlices=2), "frames.dcm"), "--range", 1, "inf")

    def test_segmentations_are_refused(self):
        data = make(np.ones((2, 4, 4), np.uint8), SegmentationType="BINARY")
        result = self.label(self.save(data, "s.dcm"), self.path("parts.nrrd"), "--memory", "1GB")
        self.assertEqual(result.returncode, 1)
        self.assertIn("segmentations are not read in parts", result.stderr)


if __name__ == "__main__":
    unittest.main()
