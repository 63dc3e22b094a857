# SPDX-License-Identifier: Apache-2.0
"""PNG, JPEG and BMP files, and folders of slice images, beside Pillow, imagecodecs and SimpleITK."""

import itertools
import json
import os
import random
import struct
import unittest
import zlib

from files import FilesTest, np, sys
from test_tiff import mutated

try:
    import imagecodecs
    import SimpleITK
    import tifffile
    from PIL import Image as Picture
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

RANDOM = np.random.default_rng(5)
GRAY = RANDOM.integers(0, 255, (23, 17)).astype("u1")
COLOR = RANDOM.integers(0, 255, (23, 17, 3)).astype("u1")


def png(width, height, bits, color, rows, before=b"", interlaced=0):
    """A PNG file of packed rows, unfiltered."""
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, interlaced))
            + before + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b""))


class PicturesTest(FilesTest):
    def put(self, data, name):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as stream:
            stream.write(data)
        return self.path(name)

    def save(self, picture, name, **options):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        picture.save(self.path(name), **options)
        return self.path(name)

    def assert_voxels(self, path, voxels, *options):
        image = self.read(path, *options)
        np.testing.assert_array_equal(image.voxels, voxels)
        return image

    def survives_mutations(self, paths, count, suffix):
        chance = random.Random(3)
        for path in paths:
            with open(path, "rb") as stream:
                data = stream.read()
            for number in range(count):
                changed = self.put(mutated(data, chance), "m" + suffix)
                result, _ = self.run_dump(changed)
                self.assertIn(result.returncode, (0, 1), "%s, mutation %d: %s" % (path, number, result.stderr))
                self.assertNotIn("Sanitizer", result.stderr)

    def refuses_every_cut(self, path, step=97):
        with open(path, "rb") as stream:
            data = stream.read()
        for length in list(range(0, len(data), step)) + [len(data) - 1]:
            self.refuses(self.put(data[:length], "cut" + os.path.splitext(path)[1]))


class Png(PicturesTest):
    def test_gray_and_color(self):
        for name, voxels in (("g8", GRAY), ("g16", GRAY.astype("u2") * 257 + 3), ("rgb8", COLOR),
                             ("rgb16", COLOR.astype("u2") * 251 + 5)):
            image = self.assert_voxels(self.put(imagecodecs.png_encode(voxels), name + ".png"), voxels)
            self.assertEqual(image.spacing_source, "none")

    def test_few_bits_are_stored_values(self):
        for bits in (1, 2, 4):
            voxels = RANDOM.integers(0, 2**bits, (9, 13))
            rows = []
            for row in voxels:
                text = "".join(format(int(value), "0%db" % bits) for value in row)
                text += "0" * (-len(text) % 8)
                rows.append(int(text, 2).to_bytes(len(text) // 8, "big"))
            self.assert_voxels(self.put(png(13, 9, bits, 0, rows), "few.png"), voxels)

    def test_transparency_takes_no_part(self):
        for voxels in (np.dstack([COLOR, GRAY]), np.dstack([GRAY, GRAY[::-1]])):
            kept = voxels[..., :-1].squeeze()
            image = self.assert_voxels(self.put(imagecodecs.png_encode(voxels), "alpha.png"), kept)
            self.assertIn("read", " ".join(image.notes))

    def test_palettes(self):
        picture = Picture.fromarray(GRAY % 7, "P")
        colors = RANDOM.integers(0, 255, (256, 3)).astype("u1")
        picture.putpalette(colors.tobytes())
        path = self.save(picture, "p.png", transparency=2)
        self.assertIn("numbers", " ".join(self.assert_voxels(path, GRAY % 7, "--as-labels").notes))
        self.refuses(path, saying="save it as gray or RGB")

    def test_interlaced(self):
        passes = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
        rows = [GRAY[y, x::dx].tobytes() for x, y0, dx, dy in passes for y in range(y0, 23, dy) if GRAY[y, x::dx].size]
        self.assert_voxels(self.put(png(17, 23, 8, 0, rows, interlaced=1), "i.png"), GRAY)
        self.refuses(self.put(png(17, 23, 8, 0, rows[:-1], interlaced=1), "i.png"))

    def test_spacing(self):
        image = self.read(self.save(Picture.fromarray(GRAY), "s.png", dpi=(254, 127)))
        np.testing.assert_allclose(image.spacing, (0.1, 0.2), rtol=1e-4)

    def test_damage(self):
        path = self.put(imagecodecs.png_encode(GRAY), "a.png")
        self.refuses_every_cut(path, 31)
        with open(path, "rb") as stream:
            data = stream.read()
        for place in range(8, len(data), 7):
            self.refuses(self.put(data[:place] + bytes([data[place] ^ 0x41]) + data[place + 1:], "d.png"))
        self.refuses(self.put(png(17, 23, 8, 0, [b"0" * 17] * 22), "short.png"))
        self.refuses(self.put(png(2**30, 2**30, 8, 0, [b"0"]), "huge.png"), saying="truncated")
        rgb = self.put(imagecodecs.png_encode(COLOR), "b.png")
        self.survives_mutations((path, rgb), 150, ".png")

    def test_labels_are_written(self):
        source = self.path("s.tif")
        for kind, resolution in (("uint8", (20, 25)), ("uint16", (20, 25)), ("uint16", (30.3, 25))):
            tifffile.imwrite(source, (GRAY > 150).astype("u1"), resolution=resolution, resolutionunit="CENTIMETER")
            result = self.label(source, self.path("l.png"), "--label-type", kind)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(self.path("l.png"), "rb") as stream:
                labels = imagecodecs.png_decode(stream.read())
            self.assertEqual(labels.dtype.name, kind)
            np.testing.assert_array_equal(labels > 0, GRAY > 150)
            self.assert_geometry(self.assert_voxels(self.path("l.png"), labels), [10 / x for x in resolution])
            np.testing.assert_array_equal(np.array(Picture.open(self.path("l.png"))), labels)


class Jpeg(PicturesTest):
    def test_gray_and_color(self):
        for voxels in (GRAY, COLOR):
            for progressive in (False, True):
                path = self.save(Picture.fromarray(voxels), "a.jpg", progressive=progressive, dpi=(254, 254))
                image = self.read(path)
                expected = np.array(Picture.open(path)).astype(int)
                self.assertLessEqual(np.abs(image.voxels - expected).max(), 3)
                self.assertIn("lossy", " ".join(image.notes))
                self.assert_geometry(image, (0.1, 0.1))

    def test_masks_whose_edges_are_blurred_are_noted(self):
        mask = np.zeros((96, 96), "u1")
        for y, x in ((7, 9), (13, 61), (58, 30)):
            mask[y:y + 21, x:x + 19] = 255
        path = self.save(Picture.fromarray(mask), "mask.jpg", quality=80)
        for more, isNoted in ((), True), (("--range", "128", "255"), False):
            found = json.loads(self.label(path, self.path("l.png"), *more, "--json").stdout)
            self.assertEqual(found["components"] > 3, isNoted)
            self.assertEqual("is a JPEG, whose compression" in " ".join(found["notes"]), isNoted)

    def test_damage(self):
        path = self.save(Picture.fromarray(COLOR), "a.jpg")
        self.refuses_every_cut(path)
        progressive = self.save(Picture.fromarray(GRAY), "b.jpg", progressive=True)
        self.refuses_every_cut(progressive)
        self.survives_mutations((path, progressive), 150, ".jpg")
        self.refuses(self.save(Picture.fromarray(np.dstack([COLOR, GRAY]), "CMYK"), "c.jpg"), saying="components")


class Bmp(PicturesTest):
    def test_kinds_of_pixels(self):
        image = self.assert_voxels(self.save(Picture.fromarray(GRAY), "g.bmp", dpi=(254, 127)), GRAY)
        np.testing.assert_allclose(image.spacing, (0.1, 0.2), rtol=1e-4)
        self.assert_voxels(self.save(Picture.fromarray(COLOR), "c.bmp"), COLOR)
        self.assert_voxels(self.save(Picture.fromarray(GRAY > 100), "b.bmp"), (GRAY > 100) * 255)
        rgba = Picture.fromarray(np.dstack([COLOR, GRAY]))
        self.refuses(self.save(rgba, "a.bmp"), saying=["32 bits; 1, 8 and 24 are read", "24-bit"])

    def test_palettes(self):
        picture = Picture.fromarray(GRAY % 7, "P")
        colors = RANDOM.integers(0, 255, (256, 3)).astype("u1")
        picture.putpalette(colors.tobytes())
        path = self.save(picture, "p.bmp")
        self.assert_voxels(path, GRAY % 7, "--as-labels")
        self.refuses(path, saying=["a palette of colors", "24-bit"])

    def header(self, width, height, bits, compression=0, colors=0, palette=b""):
        start = 54 + len(palette)
        return struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 0, 0, 0, start, 40, width, height, 1, bits, compression, 0, 0, 0,
                           colors, 0) + palette

    def test_top_down_and_one_bit(self):
        palette = bytes([16] * 3 + [0] + [32] * 3 + [0])
        rows = bytes([0b10100000, 0, 0, 0, 0b01100000, 0, 0, 0])
        gray = np.array([[32, 16, 32], [16, 32, 32]])
        self.assert_voxels(self.put(self.header(3, -2, 1, 0, 2, palette) + rows, "t.bmp"), gray)
        self.assert_voxels(self.put(self.header(3, 2, 1, 0, 2, palette) + rows, "t.bmp"), gray[::-1])
        self.assert_voxels(self.put(self.header(3, -2, 1, 0, 2, palette) + rows, "t.bmp"), gray // 16 - 1, "--as-labels")
        self.refuses(self.put(self.header(3, -2, 1, 0, 1, palette[:4]) + rows, "t.bmp"), saying="palette")

    def test_damage(self):
        for method in (1, 2, 4):
            self.refuses(self.put(self.header(3, 2, 8, method, 256, bytes(1024)) + bytes(64), "r.bmp"),
                         saying=["compressed (method %d)" % method, "save it as uncompressed BMP or as PNG"])
        self.refuses(self.put(self.header(2**30, 2**30, 24) + bytes(64), "h.bmp"), saying="truncated")
        self.refuses(self.put(self.header(3, -2**31, 24) + bytes(64), "h.bmp"))
        whole = self.header(3, 2, 24) + bytes(64)
        self.refuses(self.put(whole[:14] + b"\x2a" + whole[15:], "s.bmp"), saying=["42 bytes", "as PNG"])
        self.refuses(self.put(whole[:10] + b"\x14" + whole[11:], "o.bmp"), saying="begin at byte 20, within its header")
        path = self.save(Picture.fromarray(GRAY), "g.bmp")
        self.refuses_every_cut(path)
        self.survives_mutations((path, self.save(Picture.fromarray(COLOR), "c.bmp")), 150, ".bmp")



class Slices(PicturesTest):
    VOXELS = RANDOM.integers(0, 255, (12, 9, 8)).astype("u1")

    def test_natural_order_in_folders_and_patterns(self):
        for suffix in ("png", "tif", "bmp"):
            for number, plane in enumerate(self.VOXELS):
                name = self.path("folder-" + suffix, "ct_%d.%s" % (number + 1, suffix))
                self.save(Picture.fromarray(plane), name)
            for path in (self.path("folder-" + suffix), self.path("folder-" + suffix, "ct_*." + suffix)):
                image = self.assert_voxels(path, self.VOXELS)
                notes = " ".join(image.notes)
                self.assertIn("12 slice images", notes)
                self.assertIn("'ct_1.%s' to 'ct_12.%s'" % (suffix, suffix), notes)
                # Pillow writes 96 dpi to BMP files.
                self.assertEqual(image.spacing_source, "file" if suffix == "bmp" else "none")
            self.assert_geometry(self.read(self.path("folder-" + suffix), "--spacing", 0.5, 0.25, 2), (0.5, 0.25, 2))

    def test_what_is_no_file_is_no_slice(self):
        """Neither in a folder nor among what a pattern stands for."""
        for number, plane in enumerate(self.VOXELS):
            self.save(Picture.fromarray(plane), self.path("some", "ct_%d.png" % number))
        os.mkdir(self.path("some", "ct_12.png"))
        os.mkfifo(self.path("some", "ct_14.png"))
        for path in (self.path("some"), self.path("some", "ct_*.png")):
            self.assert_voxels(path, self.VOXELS)
            result = self.label(path, self.path("out.nrrd"), "--memory", "96MB", "--threads", "1")
            self.assertEqual(result.returncode, 0, result.stderr)
            np.testing.assert_array_equal(self.read(self.path("out.nrrd")).voxels > 0, self.VOXELS > 0)
        os.rmdir(self.path("some", "ct_12.png"))
        os.symlink("nowhere", self.path("some", "ct_12.png"))
        for path in (self.path("some"), self.path("some", "ct_*.png")):
            self.refuses(path, saying="ct_12.png")

    def test_spacing_and_merged_notes(self):
        for number, plane in enumerate(self.VOXELS):
            tifffile.imwrite(self.path("%02d.tif" % number), plane, resolution=(254, 127), resolutionunit="INCH")
        image = self.read(self.path("*.tif"))
        self.assert_geometry(image, (0.1, 0.2, 1))
        self.assertEqual(sum("per inch" in note for note in image.notes), 1)
        tifffile.imwrite(self.path("05.tif"), self.VOXELS[0], resolution=(100, 127), resolutionunit="INCH")
        self.refuses(self.path("*.tif"), saying=("05.tif", "00.tif", "spacing"))
        self.assert_geometry(self.read(self.path("*.tif"), "--spacing", 1, 2, 3), (1, 2, 3))

    def test_slices_with_gaps_or_other_names_are_refused(self):
        for number in (1, 2, 4):
            tifffile.imwrite(self.path("ct_%d.tif" % number), self.VOXELS[0])
        self.refuses(self.path("ct_*.tif"), saying=("'ct_3.tif' is missing between", "--accept-irregular-slices"))
        image = self.read(self.path("ct_*.tif"), "--accept-irregular-slices")
        self.assertIn("'ct_3.tif' is missing", " ".join(image.notes))
        os.remove(self.path("ct_4.tif"))
        tifffile.imwrite(self.path("mask_3.tif"), self.VOXELS[0])
        self.refuses(self.path("*.tif"), saying=("'ct_1.tif' and 'mask_3.tif'", "different kinds"))

    def test_unequal_slices_are_refused(self):
        for other in (self.VOXELS[0, :5], self.VOXELS[0].astype("u2"), COLOR[:9, :8]):
            tifffile.imwrite(self.path("1.tif"), self.VOXELS[0])
            tifffile.imwrite(self.path("2.tif"), other)
            self.refuses(self.path("?.tif"), saying=("1.tif", "2.tif", "alike"))
            parts = self.label(self.path("?.tif"), self.path("out.nrrd"), "--memory", "96MB")
            self.assertEqual(parts.returncode, 1)
            self.assertRegex(parts.stderr, r"cannot read '.*\?\.tif': the slice '2\.tif' .* alike")
        tifffile.imwrite(self.path("2.tif"), self.VOXELS, photometric="minisblack")
        self.refuses(self.path("?.tif"), saying=("2.tif", "two dimensions"))
        self.put(b"II*\0", "2.tif")
        self.refuses(self.path("?.tif"), saying="2.tif")

    def test_slices_whose_values_have_other_meanings_are_refused(self):
        colors = np.zeros((3, 256), "u2")
        for other, options in (("counted from white", {"photometric": "miniswhite"}),
                               ("numbers of palette colors", {"photometric": "palette", "colormap": colors})):
            tifffile.imwrite(self.path("1.tif"), self.VOXELS[0], photometric="minisblack")
            tifffile.imwrite(self.path("2.tif"), self.VOXELS[1], **options)
            self.refuses(self.path("?.tif"), saying=("2.tif", other, "alike"))
            tifffile.imwrite(self.path("1.tif"), self.VOXELS[0], **options)
            self.assert_voxels(self.path("?.tif"), self.VOXELS[:2])
        for suffix in ("png", "bmp"):
            self.save(Picture.fromarray(GRAY), "1." + suffix)
            indexed = Picture.fromarray(GRAY[::-1], "P")
            indexed.putpalette([value // 2 for value in range(256) for _ in range(3)][::-1])
            self.save(indexed, "2." + suffix)
            self.refuses(self.path("?." + suffix), "--as-labels", saying=("palette", "gray values that count"))


if __name__ == "__main__":
    unittest.main()
