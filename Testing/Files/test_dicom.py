# SPDX-License-Identifier: Apache-2.0
"""DICOM files, made by pydicom, beside what pydicom and the standard say of them."""

import random
import struct
import unittest

from dicom_files import Dicom, make, measures, one, pydicom, segmentation
from files import np

from pydicom.dataset import Dataset
from pydicom.encaps import encapsulate
from pydicom.sequence import Sequence
from pydicom.uid import (ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian, JPEG2000Lossless,
                         JPEGLosslessSV1, JPEGLSLossless, RLELossless)


class Single(Dicom):
    def test_types(self):
        for dtype in ("uint8", "int8", "uint16", "int16", "uint32", "int32"):
            for syntax in (ExplicitVRLittleEndian, ImplicitVRLittleEndian):
                pixels = self.random((6, 7), np.dtype(dtype))
                data = make(pixels, (-3.5, 4, 5), (0.5, 0.75), syntax=syntax, SliceThickness=2)
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

    def test_colors(self):
        for planar in (0, 1):
            pixels = self.random((4, 5, 3), np.uint8)
            stored = pixels.transpose(2, 0, 1) if planar else pixels
            data = make(pixels, SamplesPerPixel=3, PhotometricInterpretation="RGB", PlanarConfiguration=planar,
                        PixelData=np.ascontiguousarray(stored).tobytes())
            image = self.read(self.save(data, "c.dcm"))
            self.assertEqual(image.channels, 3)
            np.testing.assert_array_equal(image.voxels[0], pixels)

    def test_luminance_and_differences_are_refused(self):
        for kind in ("YBR_FULL", "YBR_FULL_422"):
            data = make(self.random((4, 5, 3), np.uint8), SamplesPerPixel=3, PhotometricInterpretation=kind, PlanarConfiguration=0)
            self.refuses(self.save(data, "c.dcm"), saying=[kind, "RGB"])

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
            self.refuses(path, saying=["c.dcm", "truncated"])
        self.refuses(self.save(make(self.random((8, 8)), Rows=9), "d.dcm"), saying="truncated")
        with open(path, "wb") as stream:
            stream.write(whole[:400])
        self.refuses(path, saying="c.dcm")

    def test_contours_are_no_image(self):
        data = make(self.random((4, 4)), Modality="RTSTRUCT")
        del data.PixelData
        self.refuses(self.save(data, "r.dcm"), saying=["contours (RTSTRUCT)", "plastimatch"])

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

    def test_preamble_of_another_format(self):
        """What begins as TIFF, for its readers, is DICOM all the same, unless its name says TIFF (PS3.10, 7.1)."""
        pixels = self.random((4, 5))
        for magic in (b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08"):
            for name in ("two.dcm", "two"):
                path = self.save(make(pixels, RescaleSlope=2, RescaleIntercept=-1000), name)
                with open(path, "r+b") as stream:
                    stream.write(magic)
                np.testing.assert_array_equal(self.read(path).voxels[0], pixels.astype(int) * 2 - 1000)

    def test_a_file_of_two_formats(self):
        """A file that is TIFF and DICOM with the same pixels (PS3.10, 7.1): its name decides, and a note says so."""
        pixels = self.random((4, 5))
        with open(self.save(make(pixels, RescaleSlope=2, RescaleIntercept=-1000), "a.dcm"), "rb") as stream:
            content = stream.read()
        entries = [(256, 5), (257, 4), (258, 16), (259, 1), (262, 1), (273, content.rindex(pixels.tobytes())), (277, 1), (278, 4),
                   (279, pixels.nbytes), (339, 2)]
        table = struct.pack("<H", len(entries)) + b"".join(struct.pack("<2H2I", tag, 4, 1, value) for tag, value in entries) + bytes(4)
        padding = struct.pack("<2H2s2xI", 0xFFFC, 0xFFFC, b"OB", len(table))
        content = b"II*\0" + struct.pack("<I", len(content) + len(padding)) + content[8:] + padding + table
        for name, expected, isTold in (("b.tif", pixels, True), ("b.dcm", pixels.astype(int) * 2 - 1000, False), ("b", pixels.astype(int) * 2 - 1000, False)):
            with open(self.path(name), "wb") as stream:
                stream.write(content)
            image = self.read(self.path(name))
            np.testing.assert_array_equal(image.voxels.reshape(4, 5), expected)
            self.assertEqual("it is also a DICOM file" in " ".join(image.notes), isTold)

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

    def test_rare_transfer_syntaxes_are_refused(self):
        for syntax in (ExplicitVRBigEndian, pydicom.uid.DeflatedExplicitVRLittleEndian):
            self.refuses(self.save(make(self.random((4, 5)), syntax=syntax), "r.dcm"), saying=[syntax, "dcmconv +te"])

    def test_mutations_never_crash(self):
        """A seeded loop over damaged files of several kinds: each is read or refused."""
        generator = random.Random(39)
        sources = []
        pixels = self.random((16, 16))
        compressed = make(pixels)
        compressed.compress(RLELossless)
        frames = make(self.random((3, 4, 4)), GridFrameOffsetVector=[0, 2, 4])
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
            data = make(pixels, GridFrameOffsetVector=[0, 2, 4, 6])
            data.compress(RLELossless)
            np.testing.assert_array_equal(self.read(self.save(data, "r.dcm")).voxels, pixels)
            del data.NumberOfFrames
            self.refuses(self.save(data, "r.dcm"), saying="4 fragments for 1 frame")
            path = self.save(data, "r.dcm")
            with open(path, "rb") as opened:
                content = opened.read()
            # The length of the pixel data is damaged: what is compressed would be read as pixels.
            place = content.index(b"\xe0\x7f\x10\x00") + 8
            self.assertEqual(content[place:place + 4], b"\xff" * 4)
            with open(path, "wb") as opened:
                opened.write(content[:place] + b"\xff\xff\x00\x00" + content[place + 4:] + bytes(70000))
            self.refuses(path, saying=["1.2.840.10008.1.2.5", "stored as uncompressed"])
        colors = self.random((6, 7, 3), np.uint8)
        data = make(colors, SamplesPerPixel=3, PhotometricInterpretation="RGB", PlanarConfiguration=0)
        data.compress(RLELossless)
        np.testing.assert_array_equal(self.read(self.save(data, "r.dcm")).voxels[0], colors)

    def test_lossless(self):
        try:
            codecs = list(self.codecs())
        except ImportError as missing:
            self.skipTest(str(missing))
        smooth = np.add.outer(np.arange(40), np.arange(33))
        for syntax, encode in codecs:
            for dtype, scale in ((np.uint8, 2), (np.uint16, 700)):
                frames = np.stack([(smooth * scale + 9 * k).astype(dtype) for k in range(3)])
                data = self.compressed(frames, syntax, [encode(frame) for frame in frames],
                                       GridFrameOffsetVector=[0, 2, 4])
                path = self.save(data, "c.dcm")
                image = self.read(path)
                self.assertEqual(image.type, np.dtype(dtype).name)
                np.testing.assert_array_equal(image.voxels, frames, "%s %s" % (syntax.name, dtype))
                # The command leaves out a part of what GDCM does at its start.
                labels, limit = self.path("labels.nrrd"), int(np.median(frames))
                self.label(path, labels, "--range", str(limit), "inf")
                np.testing.assert_array_equal(self.read(labels).voxels > 0, frames >= limit)
                # A series: a child process decodes several files.
                for index, frame in enumerate(frames):
                    self.save(self.compressed(frame, syntax, [encode(frame)], position=(0, 0, index),
                                              RescaleSlope=1, RescaleIntercept=-10), "series", "%d.dcm" % index)
                np.testing.assert_array_equal(self.read(self.path("series")).voxels, frames.astype(int) - 10)

    def test_forms_of_jpeg_2000_that_are_not_read_are_named(self):
        """A JP2 file in the place of the codestream, and HTJ2K: not damaged, and by a program that decompresses them."""
        pixels = self.random((4, 4), np.uint16)
        jp2 = b"\0\0\0\x0cjP  \r\n\x87\n" + b"\0\0\0\x14ftypjp2 \0\0\0\0jp2 " + bytes(80) + b"\xff\xd9"
        said = self.refuses(self.save(self.compressed(pixels, JPEG2000Lossless, [jp2]), "j.dcm"), saying=("JP2 file", "pydicom"))
        self.assertNotIn("damaged", said)
        path = self.save(self.compressed(pixels, "1.2.840.10008.1.2.4.201", [jp2]), "h.dcm")
        said = self.refuses(path, saying=("4.201 (HTJ2K)", "pylibjpeg-openjpeg"))
        self.assertNotIn("gdcmconv", said)

    def test_several_fragments_a_frame(self):
        try:
            codecs = list(self.codecs())
        except ImportError as missing:
            self.skipTest(str(missing))
        frames = np.stack([np.add.outer(np.arange(40), np.arange(50) * k).astype(np.uint16) for k in range(1, 4)])
        for syntax, encode in codecs:
            streams = [encode(frame) for frame in frames]
            for offsets in (True, False):
                data = self.compressed(frames, syntax, streams, GridFrameOffsetVector=[0, 2, 4])
                data.PixelData = encapsulate(streams, fragments_per_frame=2, has_bot=offsets)
                np.testing.assert_array_equal(self.read(self.save(data, "f.dcm")).voxels, frames)
            data.NumberOfFrames = 7
            self.refuses(self.save(data, "f.dcm"), saying="7 frames")
            data.NumberOfFrames = 2
            self.refuses(self.save(data, "f.dcm"), saying="3 frames instead of 2")
            data.NumberOfFrames = None
            for bytes_of_frames in (data.PixelData, encapsulate(streams)):
                data.PixelData = bytes_of_frames
                self.refuses(self.save(data, "f.dcm"), saying="3 frames instead of 1")

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
            self.refuses(path, saying=["d.dcm", "truncated"])
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

    def test_unknown_transfer_syntax(self):
        pixels = self.random((4, 4))
        data = self.compressed(pixels, "1.2.840.10008.1.2.4.102", [b"\xff\xd8\xff\xc0\0\x0b\x10\0\4\0\4\1\1\x11\0" * 2])
        self.refuses(self.save(data, "v.dcm"), saying="1.2.840.10008.1.2.4.102")


if __name__ == "__main__":
    unittest.main()
