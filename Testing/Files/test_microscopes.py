# SPDX-License-Identifier: Apache-2.0
"""What TIFF files of ImageJ and of microscopes say of their voxels, and where it contradicts their tags."""

import struct
import unittest

from files import FilesTest, np, skip_without, values
from test_contradictions import tiff

tifffile = skip_without("tifffile")


def resolution(x, y, unit):
    return [(282, 5, 1, struct.pack("<2I", x, 1)), (283, 5, 1, struct.pack("<2I", y, 1)),
            (296, 3, 1, struct.pack("<H", unit))]


class MicroscopeTest(FilesTest):
    def put(self, content, name="a.tif"):
        with open(self.path(name), "wb") as stream:
            stream.write(content)
        return self.path(name)

    def imagej(self, *lines, entries=(), slices=2):
        text = "\n".join(("ImageJ=1.53t", "images=%d" % slices, "slices=%d" % slices, *lines, "")).encode() + b"\0"
        pages = values("uint16", (slices, 5, 6))
        return self.put(tiff(pages, [(270, 2, len(text), text), *entries]))

    def test_units_that_tiff_does_not_have(self):
        """tifffile writes 4 for the millimeter and 5 for the micrometer."""
        pages = values("uint16", (2, 5, 6))
        for unit, spacing, saying in ((4, 0.5, "1 mm is assumed"), (5, 5e-4, "0.001 mm is assumed"),
                                      (7, 1, "no spacing is read"), (0, 1, "no spacing is read")):
            ours = self.read(self.put(tiff(pages, resolution(2, 2, unit))))
            self.assert_geometry(ours, (spacing, spacing, 1))
            np.testing.assert_array_equal(ours.voxels, pages)
            self.assertIn("its ResolutionUnit is %d, which is not in TIFF; %s" % (unit, saying), " ".join(ours.notes))
        path = self.path("t.tif")
        for unit, spacing in (("MILLIMETER", 0.5), ("MICROMETER", 5e-4), ("CENTIMETER", 5)):
            tifffile.imwrite(path, pages[0], resolution=(2, 2), resolutionunit=unit)
            self.assert_geometry(self.read(path), (spacing, spacing))

    def test_a_field_of_imagej_twice(self):
        unit = resolution(2, 2, 1)
        self.assert_geometry(self.read(self.imagej("unit=mm", "spacing=3", "spacing=3", entries=unit)), (0.5, 0.5, 3))
        for lines in (("spacing=2", "spacing=3"), ("spacing=3", "unit=um"), ("spacing=3", "slices=1")):
            second = lines[1].split("=")
            self.refuses(self.imagej("unit=mm", *lines, entries=unit),
                         saying=["ImageJ description", second[0] + "=" + second[1], "one of them"])

    def test_a_spacing_of_imagej_that_is_no_number(self):
        for text in ("2,5", "2 mm", "abc"):
            self.refuses(self.imagej("unit=mm", "spacing=" + text, entries=resolution(2, 2, 1)),
                         saying=["spacing", "'%s'" % text, "number"])

    def test_a_spacing_of_imagej_that_is_no_distance(self):
        for text in ("NaN", "nan", "Infinity", "inf", "0", "0.0", "1e400"):
            ours = self.read(self.imagej("unit=mm", "spacing=" + text, entries=resolution(2, 2, 1)))
            self.assert_geometry(ours, (0.5, 0.5, 1))
            self.assertIn("its ImageJ description is %s, which is not a slice spacing" % text, " ".join(ours.notes))
        for text in ("", "2"):
            ours = self.read(self.imagej("unit=mm", "spacing=" + text, entries=resolution(2, 2, 1)))
            self.assertNotIn("no distance", " ".join(ours.notes))

    def test_numbers_of_imagej_that_are_not_those_of_the_pages(self):
        path = self.path("n.tif")
        pages = values("uint8", (4, 5, 6))
        for lines, saying in (("images=4\nslices=2\n", "says 2 slices but there are 4 pages"), ("images=4\nframes=3\n", "says 3 frames but"),
                              ("images=4\nslices=1\nframes=1\n", "says 1 slice but there are 4 pages"),
                              ("images=4\nslices=1\n", "says 1 slice but"), ("images=4\nframes=1\n", None),
                              ("images=4\nslices=1\nframes=4\n", None),
                              ("images=4\nslices=4\n", None), ("images=4\n", None)):
            tifffile.imwrite(path, pages, description="ImageJ=1.53t\n" + lines, metadata=None, photometric="minisblack")
            ours = self.read(path)
            np.testing.assert_array_equal(ours.voxels.reshape(pages.shape), pages)
            self.assertEqual(any("its ImageJ description says" in note for note in ours.notes), saying is not None)
            self.assertIn(saying or "", " ".join(ours.notes))

    def test_a_unit_of_imagej_beside_that_of_the_resolution(self):
        for unit, tag, spacing in (("mm", 3, 0.5), ("um", 2, 5e-4), ("cm", 3, 5), ("inch", 2, 12.7), ("mm", 1, 0.5)):
            with self.subTest(unit=unit, tag=tag):
                ours = self.read(self.imagej("unit=" + unit, "spacing=0.5", entries=resolution(2, 2, tag)))
                self.assert_geometry(ours, (spacing,) * 3)

    def test_a_resolution_per_inch_without_a_unit_of_imagej(self):
        """ImageJ takes the inch, but 72 per inch, which many programs write anywhere, for no resolution."""
        for lines, entries, spacing, told in (((), resolution(300, 150, 2), (25.4 / 300, 25.4 / 150, 12.7), "300 x 150 pixels per inch"),
                                              ((), resolution(72, 72, 2), None, "no spacing in ImageJ"),
                                              ((), resolution(300, 300, 2)[:2], None, ""), ((), (), None, ""),
                                              (["unit=inch"], resolution(72, 72, 2), (25.4 / 72, 25.4 / 72, 12.7), ""),
                                              (["unit=inch"], resolution(300, 300, 1), (25.4 / 300, 25.4 / 300, 12.7), ""),
                                              (["unit=pixel"], resolution(300, 300, 2), None, "")):
            with self.subTest(lines=lines, entries=entries):
                ours = self.read(self.imagej(*lines, "spacing=0.5", entries=entries))
                self.assert_geometry(ours, spacing or (1, 1, 1))
                self.assertEqual(ours.spacing_source, "file" if spacing else "none")
                self.assertIn(told, " ".join(ours.notes))
                self.assertEqual("per inch" in " ".join(ours.notes), told != "")

    def test_units_of_imagej_for_single_axes(self):
        ours = self.read(self.imagej("unit=um", "yunit=mm", "zunit=nm", "spacing=500", entries=resolution(2, 4, 1)))
        self.assert_geometry(ours, (5e-4, 0.25, 5e-4))
        time = self.read(self.imagej("unit=um", "zunit=sec", "spacing=500", entries=resolution(2, 4, 1)))
        self.assert_geometry(time, (5e-4, 2.5e-4, 1))
        self.assertIn("unit of length is unknown", " ".join(time.notes))


if __name__ == "__main__":
    unittest.main()
