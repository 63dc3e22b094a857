# SPDX-License-Identifier: Apache-2.0
"""TIFF files beside tifffile: every kind of pixels and stack, spacing, what is refused, damage, and our writer."""

import itertools
import os
import random
import resource
import signal
import struct
import subprocess
import unittest

from files import COMMAND, FilesTest, np, sys

try:
    import imagecodecs  # noqa: F401, which tifffile needs for compressed files
    import tifffile
    from PIL import Image as Picture
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

RANDOM = np.random.default_rng(7)
VOLUME = (RANDOM.random((5, 12, 10)) < 0.4) * RANDOM.integers(1, 120, (5, 12, 10))


class UnknownPredictorTest(FilesTest):
    def test_differences_that_the_library_does_not_undo_are_refused(self):
        image = np.zeros((4, 5), np.uint8)
        image[1:3, 1:4] = 7
        tifffile.imwrite(self.path("p.tif"), image, compression="packbits", predictor=True, photometric="minisblack")
        self.refuses(self.path("p.tif"), saying="predictor 2")


class TiffTest(FilesTest):
    def write(self, voxels, name="a.tif", **options):
        options.setdefault("photometric", "minisblack")
        tifffile.imwrite(self.path(name), voxels, **options)
        return self.path(name)

    def write_pages(self, pages, name="a.tif"):
        with tifffile.TiffWriter(self.path(name)) as writer:
            for voxels, options in pages:
                writer.write(voxels, **{"photometric": "minisblack", "metadata": None, "contiguous": False, **options})
        return self.path(name)

    def assert_voxels(self, path, voxels, *options):
        image = self.read(path, *options)
        np.testing.assert_array_equal(image.voxels, voxels)
        return image


class Pixels(TiffTest):
    def test_types_in_both_byte_orders(self):
        for kind, order in itertools.product("u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8".split(), "<>"):
            with self.subTest(kind=kind, order=order):
                voxels = (VOLUME - (60 if kind[0] != "u" else 0)).astype(kind)
                image = self.assert_voxels(self.write(voxels, byteorder=order, compression="zlib"), voxels)
                plain = self.assert_voxels(self.write(voxels, byteorder=order), voxels)
                expected = np.dtype("f4" if kind == "f2" else kind).name
                self.assertEqual((image.type, plain.type), (expected, expected))

    def test_compressions_layouts_and_predictors(self):
        voxels = (VOLUME * 300).astype("u2")
        layouts = ({}, {"tile": (16, 16)}, {"rowsperstrip": 5}, {"bigtiff": True}, {"byteorder": ">"})
        for compression, predictor, layout in itertools.product(
                ("zlib", "lzw", "packbits", "zstd", "lzma", None), (False, True), layouts):
            if predictor and compression not in ("zlib", "lzw", "zstd"):
                continue
            with self.subTest(compression=compression, predictor=predictor, layout=layout):
                self.assert_voxels(self.write(voxels, compression=compression, predictor=predictor, **layout), voxels)

    def test_facsimile_and_webp(self):
        voxels = RANDOM.integers(0, 2, (31, 45)).astype(bool)
        for compression in ("group3", "group4", "tiff_ccitt", "tiff_lzw", "tiff_adobe_deflate", "packbits"):
            with self.subTest(compression=compression):
                Picture.fromarray(voxels).save(self.path("fax.tif"), compression=compression)
                with tifffile.TiffFile(self.path("fax.tif")) as tiff:
                    stored = voxels if tiff.pages[0].photometric.name == "MINISBLACK" else ~voxels
                self.assert_voxels(self.path("fax.tif"), stored)
        rgb = RANDOM.integers(0, 255, (40, 48, 3)).astype("u1")
        self.assert_voxels(self.write(rgb, photometric="rgb", compression="webp",
                                      compressionargs={"lossless": True, "level": -1}), rgb)

    def test_predictor_of_floats(self):
        for kind, order in itertools.product(("f4", "f8", "f2"), "<>"):
            voxels = (VOLUME * 0.37).astype(kind)
            self.assert_voxels(self.write(voxels, compression="zlib", predictor=3, byteorder=order), voxels)

    def test_checksums_of_deflate(self):
        """A damaged byte of compressed pixels is found, with a predictor too. libtiff compares no checksum."""
        numbers = random.Random(3)
        whole = RANDOM.integers(0, 9, (1, 21, 37)).cumsum(axis=2)
        for kind, predictor, layout in itertools.product(("f8", "u2"), (False, True), ({}, {"tile": (16, 16)})):
            path = self.write(whole.astype(kind), compression="zlib", predictor=predictor, metadata=None, **layout)
            with open(path, "rb") as opened:
                content = opened.read()
            with tifffile.TiffFile(path) as file:
                begin, size = file.pages[0].dataoffsets[0], file.pages[0].databytecounts[0]
            for _ in range(25):
                damaged = bytearray(content)
                damaged[begin + numbers.randrange(size)] ^= 1 << numbers.randrange(8)
                with open(self.path("d.tif"), "wb") as opened:
                    opened.write(damaged)
                result, _ = self.run_dump(self.path("d.tif"))
                if result.returncode == 0:
                    self.assert_voxels(self.path("d.tif"), whole[0].astype(kind))

    def test_predictor_of_wide_integers_and_colors(self):
        self.assert_voxels(self.write(VOLUME.astype("u4") << 20, compression="zlib", predictor=2),
                           VOLUME.astype("u4") << 20)
        rgb = RANDOM.integers(0, 255, (20, 30, 3)).astype("u1")
        self.assert_voxels(self.write(rgb, photometric="rgb", compression="zlib", predictor=2), rgb)

    def test_few_and_odd_numbers_of_bits(self):
        voxels = RANDOM.integers(0, 2, (3, 7, 13)).astype(bool)
        for photometric in ("minisblack", "miniswhite"):
            image = self.assert_voxels(self.write(voxels, photometric=photometric), voxels)
            self.assertEqual(image.type, "uint8")
        high = RANDOM.integers(0, 2, (7, 13))
        self.assert_voxels(self.one_strip(13, 7, 1, np.packbits(high.astype(bool), axis=1).tobytes()), high)
        for bits in (2, 4, 6, 10, 12, 14, 20, 24, 40):
            path = self.one_strip(13, 7, bits, bytes(13 * 7 * 5))
            self.refuses(path, saying=["%d bits" % bits, "1 (unsigned), 8, 16, 32 and 64 bits are read"])
        path = self.one_strip(13, 7, 24, bytes(13 * 7 * 3), [(339, 3, 1, 3)])
        self.refuses(path, saying=["24 bits", "floating-point numbers of 16, 32 and 64 bits are read"])
        path = self.one_strip(13, 7, 1, bytes(9), [(317, 3, 1, 2)], compression=8)
        self.refuses(path, saying="1 bits are differences (predictor 2)")

    def one_strip(self, width, height, bits, data, more=(), compression=1):
        tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, bits), (259, 3, 1, compression), (262, 3, 1, 1),
                (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, len(data)), *more]
        data += b"\0" * (len(data) % 2)
        directory = struct.pack(">H", len(tags))
        for tag, kind, count, value in sorted(tags):
            directory += struct.pack(">HHI", tag, kind, count)
            directory += struct.pack(">HH", value, 0) if kind == 3 else struct.pack(">I", value)
        with open(self.path("bits.tif"), "wb") as stream:
            stream.write(b"MM\0*" + struct.pack(">I", 8 + len(data)) + data + directory + bytes(4))
        return self.path("bits.tif")

    def test_colors_planar_or_not(self):
        rgb = RANDOM.integers(0, 255, (4, 9, 8, 3)).astype("u2")
        image = self.assert_voxels(self.write(rgb, photometric="rgb"), rgb)
        self.assertEqual(image.channels, 3)
        self.assert_voxels(self.write(np.moveaxis(rgb, -1, 1), photometric="rgb", planarconfig="separate"), rgb)
        self.assert_voxels(self.write(np.moveaxis(rgb, -1, 1), photometric="rgb", planarconfig="separate",
                                      compression="lzw", tile=(16, 16)), rgb)

    def test_alpha_takes_no_part(self):
        rgba = RANDOM.integers(0, 255, (9, 8, 4)).astype("u1")
        image = self.assert_voxels(self.write(rgba, photometric="rgb", extrasamples=["unassalpha"]), rgba[..., :3])
        self.assertIn("3 channels are read", " ".join(image.notes))
        gray = rgba[..., :2]
        image = self.assert_voxels(self.write(gray, extrasamples=["unassalpha"], planarconfig="contig"), gray[..., 0])
        self.assertIn("1 channel is read", " ".join(image.notes))

    def test_orientations(self):
        voxels = np.arange(1, 7).reshape(2, 3).astype("u1")
        expected = {1: voxels, 2: voxels[:, ::-1], 3: voxels[::-1, ::-1], 4: voxels[::-1], 5: None, 6: None, 7: None, 8: None}
        for orientation, turned in expected.items():
            with self.subTest(orientation=orientation):
                path = self.write(voxels, metadata=None, extratags=[(274, 3, 1, orientation, True)],
                                  resolution=(10, 20), resolutionunit="CENTIMETER")
                if turned is None:
                    self.refuses(path, saying="its orientation is %d; 1 to 4 are read" % orientation)
                else:
                    self.assert_geometry(self.assert_voxels(path, turned), (1, 0.5))

    def test_palettes_are_indices(self):
        colors = RANDOM.integers(0, 65535, (3, 256)).astype("u2")
        image = self.assert_voxels(self.write(VOLUME.astype("u1"), photometric="palette", colormap=colors), VOLUME)
        self.assertIn("palette", " ".join(image.notes))

    def test_jpeg_colors_are_rgb(self):
        y, x = np.mgrid[0:64, 0:48]
        rgb = np.stack([4 * y, 5 * x, 128 + 0 * x], -1).astype("u1")
        path = self.write(rgb, photometric="rgb", compression="jpeg", compressionargs={"level": 95})
        image = self.read(path)
        self.assertEqual(image.channels, 3)
        self.assertLess(np.abs(image.voxels.astype(int) - rgb).max(), 30)
        self.assertIn("lossy", " ".join(image.notes))


class Stacks(TiffTest):
    def test_one_page_is_a_plane_and_several_are_a_volume(self):
        self.assertEqual(self.read(self.write(VOLUME[0].astype("u1"))).size, [10, 12])
        self.assertEqual(self.read(self.write(VOLUME.astype("u1"))).size, [10, 12, 5])

    def test_spacing_of_imagej(self):
        for unit, mm in (("mm", 1), ("um", 1e-3), ("micron", 1e-3), ("\\u00B5m", 1e-3), ("cm", 10), ("nm", 1e-6), ("pm", 1e-9)):
            with self.subTest(unit=unit):
                path = self.write(VOLUME.astype("u2"), imagej=True, resolution=(4, 5),
                                  metadata={"spacing": 2.0, "unit": unit, "axes": "ZYX"})
                image = self.assert_voxels(path, VOLUME)
                self.assert_geometry(image, (0.25 * mm, 0.2 * mm, 2 * mm))
                self.assertEqual(image.spacing_source, "file")

    def test_spacing_of_ome(self):
        for unit, mm in (("mm", 1), ("\u00b5m", 1e-3), (None, 1e-3), ("nm", 1e-6), ("\u00c5", 1e-7)):
            metadata = {"axes": "ZYX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.25, "PhysicalSizeZ": 3.0}
            if unit:
                metadata.update({"PhysicalSize%sUnit" % axis: unit for axis in "XYZ"})
            image = self.assert_voxels(self.write(VOLUME.astype("u2"), ome=True, metadata=metadata), VOLUME)
            self.assert_geometry(image, (0.5 * mm, 0.25 * mm, 3 * mm))

    def test_several_images_of_one_size_are_told(self):
        with tifffile.TiffWriter(self.path("s.tif")) as writer:
            for planes in (VOLUME[:3], VOLUME[3:]):
                writer.write(planes.astype("u1"), photometric="minisblack")
        image = self.assert_voxels(self.path("s.tif"), VOLUME)
        self.assertIn("first image 3 pages", " ".join(image.notes))
        path = self.write_pages([(plane.astype("u1"), {"description": '{"shape": [6, 12, 10]}'}) for plane in VOLUME])
        self.refuses(path, saying=["6 pages", "there are 5"])

    def test_what_imagej_says_otherwise_is_told(self):
        def pages(description):
            return self.write_pages([(VOLUME[0].astype("u1"), {"description": description}),
                                     *((plane.astype("u1"), {}) for plane in VOLUME[1:])])

        for text, note in (("ImageJ=1.53q\nimages=1\n", "has 1 image; all of its 5 pages"), ("ImageJ=1.53q\nimages=5\nslices=5\n", ""),
                           ("ImageJ=1.53q\nimages=5\nslices=5\nunit=mm\nspacing=-0.5\n", "spacing of its ImageJ description is negative")):
            image = self.assert_voxels(pages(text), VOLUME)
            self.assertIn(note, " ".join(image.notes))
            self.assertEqual("1 image;" in " ".join(image.notes), "images=1\n" in text)

    def test_calibration_of_imagej_is_told(self):
        image = self.assert_voxels(self.write(VOLUME.astype("u2"), imagej=True,
                                              metadata={"axes": "ZYX", "cf": 0, "c0": -32768, "c1": 1}), VOLUME)
        self.assertIn("c0=-32768", " ".join(image.notes))

    def test_spacing_of_tags(self):
        image = self.read(self.write(VOLUME.astype("u2"), resolution=(100, 50), resolutionunit="CENTIMETER"))
        self.assert_geometry(image, (0.1, 0.2, 1))
        self.assertIn("1 mm", " ".join(image.notes))
        image = self.read(self.write(VOLUME.astype("u2"), resolution=(254, 127), resolutionunit="INCH"))
        self.assert_geometry(image, (0.1, 0.2, 1))
        self.assertIn("per inch", " ".join(image.notes))
        self.assertEqual(self.read(self.write(VOLUME.astype("u2"))).spacing_source, "none")

    def test_imagej_stack_with_one_directory(self):
        for order in "<>":
            with tifffile.TiffWriter(self.path("a.tif"), byteorder=order) as writer:
                writer.write(VOLUME[0].astype("u2"), photometric="minisblack", metadata=None,
                             description="ImageJ=1.53q\nimages=5\nslices=5\nloop=false\n")
            with open(self.path("a.tif"), "ab") as stream:
                stream.write(VOLUME[1:].astype(order + "u2").tobytes())
            self.assert_voxels(self.path("a.tif"), VOLUME)
            with open(self.path("a.tif"), "r+b") as stream:
                stream.truncate(stream.seek(0, 2) - 1)
            self.refuses(self.path("a.tif"))

    def test_compressed_page_that_should_be_a_stack_is_refused(self):
        path = self.write_pages([(VOLUME[0].astype("u2"), {"compression": "zlib",
                                                           "description": "ImageJ=1.53q\nimages=5\nslices=5\n"})])
        self.refuses(path, saying="5 images")

    def test_channels_in_pages_are_refused(self):
        stack = np.stack([VOLUME, VOLUME], 1).astype("u2")
        self.refuses(self.write(stack, imagej=True, metadata={"axes": "ZCYX"}), saying="2 channels")
        self.refuses(self.write(stack, ome=True, metadata={"axes": "ZCYX"}), saying="2 channels")
        self.refuses(self.write(stack.swapaxes(0, 1), metadata={"axes": "CZYX"}), saying="channels")

    def test_time_points_are_a_fourth_axis(self):
        stack = np.stack([VOLUME, VOLUME[::-1]]).astype("u2")
        self.assert_voxels(self.write(stack, imagej=True, metadata={"axes": "TZYX"}), stack)
        self.assert_voxels(self.write(stack, ome=True, metadata={"axes": "TZYX"}), stack)
        self.refuses(self.write(stack.swapaxes(0, 1), ome=True, metadata={"axes": "ZTYX"}), saying="DimensionOrder XYCTZ")
        self.assert_voxels(self.write(stack, metadata={"axes": "TZYX"}), stack)

    def test_reduced_pages_and_masks_are_left_out(self):
        slices = [(plane.astype("u1"), {}) for plane in VOLUME]
        path = self.write_pages(slices + [(VOLUME[0, ::2, ::2].astype("u1"), {"subfiletype": 1})])
        self.assertIn("reduced", " ".join(self.assert_voxels(path, VOLUME).notes))
        path = self.write_pages(slices + [(VOLUME[0].astype("u1"), {"subfiletype": 1})])
        with tifffile.TiffFile(path, mode="r+b") as tiff:
            tiff.pages[-1].tags["NewSubfileType"].overwrite(4)
        self.assertIn("mask", " ".join(self.assert_voxels(path, VOLUME).notes))

    def test_unequal_pages_are_refused(self):
        plane = VOLUME[0].astype("u1")
        for other, text in ((plane[:6], "same size"), (plane.astype("u2"), "same type"), (plane.astype("i1"), "same type")):
            self.refuses(self.write_pages([(plane, {}), (other, {})]), saying=("page 2", text))
        self.refuses(self.write_pages([(plane, {}), (plane, {"photometric": "miniswhite"})]), saying="page 2")

    def test_loop_of_directories_is_refused(self):
        path = self.write_pages([(plane.astype("u1"), {}) for plane in VOLUME])
        with tifffile.TiffFile(path) as tiff:
            first, last = tiff.pages[0].offset, tiff.pages[-1].offset
        with open(path, "r+b") as stream:
            stream.seek(last)
            count = struct.unpack("<H", stream.read(2))[0]
            stream.seek(last + 2 + 12 * count)
            stream.write(struct.pack("<I", first))
        self.refuses(path)

    def test_complex_numbers_are_refused(self):
        self.refuses(self.write(VOLUME.astype("c8")), saying="complex")


class Writing(TiffTest):
    def test_label_maps_of_all_types(self):
        source = self.write((VOLUME > 0).astype("u2"), imagej=True, resolution=(1 / 0.7, 4),
                            metadata={"spacing": 1.3, "unit": "mm", "axes": "ZYX"})
        for kind, more in itertools.product(("uint8", "uint16", "uint32", "uint64"), ((), ("--no-compression",))):
            with self.subTest(kind=kind, more=more):
                out = self.path("out.tif")
                result = self.label(source, out, "--label-type", kind, *more)
                self.assertEqual(result.returncode, 0, result.stderr)
                labels = tifffile.imread(out)
                self.assertEqual(labels.dtype.name, kind)
                np.testing.assert_array_equal(labels > 0, VOLUME > 0)
                with tifffile.TiffFile(out) as tiff:
                    self.assertEqual(len(tiff.pages), 5)
                    metadata = tiff.imagej_metadata
                    self.assertEqual((metadata["images"], metadata["slices"], metadata["unit"]), (5, 5, "cm"))
                    self.assertAlmostEqual(metadata["spacing"], 0.13)
                    # The tags for readers that ignore ImageJ's description.
                    page = tiff.pages[0]
                    self.assertEqual(page.resolutionunit, 3)
                    np.testing.assert_allclose(page.resolution, (10 / 0.7, 10 / 0.25), rtol=1e-6)
                image = self.assert_voxels(out, labels)
                np.testing.assert_allclose(image.spacing, [0.7, 0.25, 1.3], rtol=1e-6)

    def test_pages_that_are_not_compressed_are_no_block(self):
        """What ImageJ and tifffile take for a block, they read shifted by the directories between the pages."""
        for shape in ((2, 70, 90), (2, 3, 5), (3, 2, 5), (5, 4, 2), (40, 1, 9), (3, 60, 70), (9, 700, 800)):
            with self.subTest(shape=shape):
                voxels = (RANDOM.random(shape) < 0.4).astype("u1")
                out = self.path("out.tif")
                result = self.label(self.write(voxels), out, "--label-type", "uint32", "--no-compression")
                self.assertEqual(result.returncode, 0, result.stderr)
                labels = tifffile.imread(out).reshape(shape)
                np.testing.assert_array_equal(labels > 0, voxels > 0)
                self.assert_voxels(out, labels)
                with tifffile.TiffFile(out) as tiff:
                    # ImageJ then reads all directories.
                    self.assertTrue(all("Orientation" in page.tags for page in tiff.pages))

    def test_plane_keeps_its_spacing(self):
        source = self.write((VOLUME[0] > 0).astype("u1"), resolution=(33, 50), resolutionunit="CENTIMETER")
        self.assertEqual(self.label(source, self.path("out.tif")).returncode, 0)
        self.assert_geometry(self.read(self.path("out.tif")), (10 / 33, 0.2))

    def test_many_strips(self):
        voxels = (RANDOM.random((3, 700, 900)) < 0.3).astype("u1")
        self.assertEqual(self.label(self.write(voxels), self.path("out.tif"), "--label-type", "uint32").returncode, 0)
        labels = tifffile.imread(self.path("out.tif"))
        np.testing.assert_array_equal(labels > 0, voxels > 0)
        self.assert_voxels(self.path("out.tif"), labels)


    def test_full_disk_is_an_error(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))

        source = self.write((RANDOM.random((3, 400, 500)) < 0.3).astype("u1"))
        for name in ("out.tif", "out.png"):
            if name == "out.png":
                source = self.write((RANDOM.random((900, 1000)) < 0.03).astype("u1"))
            result = subprocess.run([COMMAND, "label", source, self.path(name), "--no-compression", "--label-type", "uint16"],
                                    capture_output=True, text=True, preexec_fn=limit, timeout=60)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("File too large", result.stderr)
            self.assertFalse(os.path.exists(self.path(name)))


class Lzw(TiffTest):
    def test_long_short_and_repeated_strings(self):
        for voxels in (np.zeros((300, 700), "u1"), np.arange(300 * 700).astype("u4").reshape(300, 700),
                       RANDOM.integers(0, 256, (300, 700)).astype("u1"), np.resize(np.uint8([7, 7, 9]), (60, 500))):
            for predictor in (False, True):
                path = self.write(voxels, compression="lzw", predictor=predictor, rowsperstrip=7)
                np.testing.assert_array_equal(tifffile.imread(path), voxels)
                self.assert_voxels(path, voxels)


class Damage(TiffTest):
    def seeds(self):
        yield self.write(VOLUME.astype("u2"), "plain.tif")
        yield self.write(VOLUME.astype("u2"), "zlib.tif", compression="zlib", predictor=True)
        yield self.write(VOLUME.astype("u1"), "lzw.tif", compression="lzw", tile=(16, 16))
        yield self.write(VOLUME.astype("u2"), "imagej.tif", imagej=True, metadata={"axes": "ZYX"})
        yield self.write(VOLUME.astype("u2"), "ome.tif", ome=True, bigtiff=True)
        yield self.write(RANDOM.integers(0, 255, (40, 40, 3)).astype("u1"), "jpeg.tif", photometric="rgb",
                         compression="jpeg")

    def test_cut_files_are_errors(self):
        voxels = RANDOM.integers(0, 255, (12, 30, 30)).astype("u1")
        for options in ({}, {"compression": "zlib"}, {"compression": "lzw"}, {"compression": "packbits"}):
            path = self.write(voxels, **options)
            with open(path, "rb") as stream:
                data = stream.read()
            for length in (0, 1, 7, 8, 100, len(data) // 2, len(data) - 1):
                with open(path, "wb") as stream:
                    stream.write(data[:length])
                result, out = self.run_dump(path)
                if length == len(data) - 1 and result.returncode == 0:
                    # The last byte may fill up to an even place.
                    with open(out, "rb") as stream:
                        self.assertEqual(stream.read(), voxels.tobytes())
                else:
                    self.assertEqual(result.returncode, 1, result.stderr)

    def test_damaged_deflated_pixels_are_errors(self):
        path = self.write(VOLUME.astype("u2"), compression="zlib")
        with tifffile.TiffFile(path) as tiff:
            begin, count = tiff.pages[2].dataoffsets[0], tiff.pages[2].databytecounts[0]
        with open(path, "rb") as stream:
            data = stream.read()
        for place in range(begin, begin + count, 5):
            with open(path, "wb") as stream:
                stream.write(data[:place] + bytes([data[place] ^ 0x5A]) + data[place + 1:])
            self.refuses(path)

    def test_mutations_end_with_a_result_or_an_error(self):
        chance = random.Random(11)
        for path in list(self.seeds()):
            with open(path, "rb") as stream:
                data = stream.read()
            for number in range(100):
                with open(self.path("m.tif"), "wb") as stream:
                    stream.write(mutated(data, chance))
                result, _ = self.run_dump(self.path("m.tif"))
                self.assertIn(result.returncode, (0, 1), "%s, mutation %d: %s" % (path, number, result.stderr))
                self.assertNotIn("Sanitizer", result.stderr)


def mutated(data, chance):
    """Some bytes changed, removed or put in, most of them near the beginning; or the end cut off."""
    data = bytearray(data)
    if chance.random() < 0.15:
        return data[:chance.randrange(len(data))]
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(min(len(data), chance.choice((60, 400, len(data)))))
        kind = chance.random()
        if kind < 0.6:
            data[place] = chance.randrange(256)
        elif kind < 0.8:
            data[place:place + 4] = chance.choice((b"\xff\xff\xff\xff", b"\0\0\0\x80", b"\x7f\xff\xff\xff", bytes(4)))
        elif kind < 0.9:
            del data[place]
        else:
            data[place:place] = bytes([chance.randrange(256)])
    return data


if __name__ == "__main__":
    unittest.main()
