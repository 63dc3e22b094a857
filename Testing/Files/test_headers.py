# SPDX-License-Identifier: Apache-2.0
"""NRRD, NIfTI and MetaImage files beside SimpleITK and nibabel: voxels, types, geometry, both ways; damage is an error."""

import gzip
import os
import random
import struct
import subprocess
import unittest

from files import COMMAND, FilesTest, np, skip_without, values

sitk = skip_without("SimpleITK")
nib = skip_without("nibabel")

TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
LABEL_TYPES = ("uint8", "uint16", "uint32", "uint64")
WRITTEN = (".nrrd", ".nhdr", ".nii", ".nii.gz", ".hdr", ".img", ".hdr.gz", ".img.gz", ".mha", ".mhd")


def rotation(*angles):
    """A rotation about x, y and z."""
    matrix = np.eye(3)
    for axis, angle in enumerate(angles):
        c, s = np.cos(angle), np.sin(angle)
        i, j = [k for k in range(3) if k != axis]
        turn = np.eye(3)
        turn[i, i], turn[i, j], turn[j, i], turn[j, j] = c, -s, s, c
        matrix = matrix @ turn
    return matrix


class ReadTest(FilesTest):
    def test_files_of_simpleitk_in_every_type_dimension_and_compression(self):
        shapes = ((5, 7), (4, 5, 7), (3, 4, 5, 7))
        for kind in TYPES:
            for shape in shapes:
                voxels = values(kind, shape)
                image = sitk.GetImageFromArray(voxels, isVector=False)
                dimension = len(shape)
                spacing = (0.5, 0.75, 2.5, 3)[:dimension]
                origin = (-10, 20.5, 30, 4)[:dimension]
                image.SetSpacing(spacing)
                image.SetOrigin(origin)
                direction = np.eye(dimension)
                if dimension == 3:
                    direction = rotation(0.2, -0.4, 0.9)
                    image.SetDirection(direction.ravel())
                for extension in (".nrrd", ".nhdr", ".nii", ".nii.gz", ".mha", ".mhd"):
                    for compress in (False, True):
                        with self.subTest(type=kind, shape=shape, extension=extension, compress=compress):
                            path = self.path("a" + extension)
                            sitk.WriteImage(image, path, compress)
                            ours = self.read(path)
                            self.assertEqual(ours.type, kind)
                            np.testing.assert_array_equal(ours.voxels, voxels)
                            self.assert_geometry(ours, spacing, origin, direction)

    def test_pairs_that_are_compressed_beside_pairs_that_are_not(self):
        for name, value in (("q.hdr", 1), ("q.hdr.gz", 2)):
            subprocess.run([COMMAND, "label", self.image_of(value), self.path(name), "--quiet"], check=True)
        for name, value in (("q.hdr", 1), ("q.img", 1), ("q.hdr.gz", 2), ("q.img.gz", 2)):
            with self.subTest(name=name):
                ours = self.read(self.path(name))
                self.assertEqual((int(ours.voxels.max()), ours.spacing[0]), (value, value))

    def image_of(self, count):
        """So many components, at distances of so many mm."""
        voxels = np.zeros((2, 3, 7), "uint8")
        voxels[0, 0, :2 * count:2] = 1
        image = sitk.GetImageFromArray(voxels)
        image.SetSpacing([count, 1, 1])
        sitk.WriteImage(image, self.path("i%d.nrrd" % count))
        return self.path("i%d.nrrd" % count)

    def test_nibabel_in_both_byte_orders_and_versions(self):
        affine = np.eye(4)
        affine[:3, :3] = rotation(0.3, 0.1, -0.7) @ np.diag([0.5, 1.25, 3])
        affine[:3, 3] = [-11, 7, 90]
        # The affine matrix is one of right, anterior, superior.
        lps = np.diag([-1, -1, 1, 1]) @ affine
        for make in (nib.Nifti1Image, nib.Nifti2Image, nib.Nifti1Pair, nib.Nifti2Pair):
            for order in "<>":
                for kind in ("uint8", "int16", "float64", "int64"):
                    voxels = values(kind, (7, 5, 4))
                    header = make.header_class(endianness=order)
                    header.set_data_dtype(np.dtype(kind).newbyteorder(order))
                    image = make(voxels, affine, header=header)
                    image.header.set_slope_inter(1, 0)
                    path = self.path("a.hdr" if "Pair" in make.__name__ else "a.nii.gz")
                    nib.save(image, path)
                    with self.subTest(make=make.__name__, order=order, type=kind):
                        ours = self.read(path)
                        self.assertEqual(ours.type, kind)
                        np.testing.assert_array_equal(ours.voxels, voxels.T)
                        self.assert_geometry(ours, (0.5, 1.25, 3), lps[:3, 3], lps[:3, :3] / (0.5, 1.25, 3))

    def test_quaternion_alone_reflected_and_disagreeing(self):
        affine = np.diag([2.0, 3, -4, 1])
        affine[:3, 3] = [5, 6, 7]
        image = nib.Nifti1Image(np.ones((4, 3, 2), np.uint8), None)
        image.set_qform(affine, 1)
        image.set_sform(None, 0)
        nib.save(image, self.path("q.nii"))
        ours = self.read(self.path("q.nii"))
        self.assert_geometry(ours, (2, 3, 4), (-5, -6, 7), np.diag([-1, -1, -1]))
        moved = affine.copy()
        moved[0, 3] += 30
        image.set_sform(moved, 2)
        nib.save(image, self.path("both.nii"))
        ours = self.read(self.path("both.nii"))
        self.assert_geometry(ours, (2, 3, 4), (-35, -6, 7))

    def test_half_turns(self):
        """The first number of the quaternion follows from three that are rounded, and is 0 if it is next to it."""
        for degrees in (10, 30, 77):
            angle = np.radians(degrees)
            turned = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
            turned = turned @ np.diag([-1, 1, -1])
            image = nib.Nifti1Image(np.ones((4, 3, 2), np.uint8), None)
            image.set_qform(np.block([[turned, np.zeros((3, 1))], [np.zeros((1, 3)), 1]]), 1)
            image.set_sform(None, 0)
            nib.save(image, self.path("q.nii"))
            affine = nib.load(self.path("q.nii")).affine[:3, :3]
            np.testing.assert_allclose(affine, turned, atol=1e-6)
            np.testing.assert_allclose(self.read(self.path("q.nii")).direction, np.diag([-1, -1, 1]) @ affine, atol=1e-6)

    def test_sheared_and_unscaled_matrices(self):
        affine = np.array([[1, 0.5, 0, 0], [0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1.0]])
        image = nib.Nifti1Image(np.ones((4, 3, 2), np.uint8), None)
        image.set_sform(affine, 1)
        image.header["pixdim"][1:4] = np.sqrt((affine[:3, :3] ** 2).sum(0))
        nib.save(image, self.path("s.nii"))
        self.refuses(self.path("s.nii"), saying=["sheared", "--accept-sheared"])
        ours = self.read(self.path("s.nii"), "--accept-sheared")
        # A voxel keeps its volume.
        self.assertAlmostEqual(np.prod(ours.spacing), 2, places=5)
        self.assertIn("sheared", " ".join(ours.notes))
        image = nib.Nifti1Image(np.ones((4, 3, 2), np.uint8), None)
        image.set_sform(np.diag([400, 300, 500, 1]), 1)
        nib.save(image, self.path("u.nii"))
        self.refuses(self.path("u.nii"), saying=["pixdim", "unscaled"])

    def test_channels(self):
        """Those of a voxel are read where they are side by side."""
        voxels = values("float32", (6, 5, 4, 1, 3))
        image = nib.Nifti1Image(voxels, np.eye(4))
        image.header.set_intent("vector")
        nib.save(image, self.path("v.nii.gz"))
        self.refuses(self.path("v.nii.gz"), saying="5 dimensions")
        colors = values("uint8", (4, 5, 6, 3))
        sitk.WriteImage(sitk.GetImageFromArray(colors, isVector=True), self.path("c.nrrd"))
        np.testing.assert_array_equal(self.read(self.path("c.nrrd")).voxels, colors)
        for kinds, saying in (("domain domain domain vector", "axis 4 (kind vector)"), ("RGBA-color domain domain domain", "alpha")):
            with open(self.path("k.nrrd"), "wb") as stream:
                stream.write(("NRRD0004\ntype: uint8\ndimension: 4\nsizes: 4 2 2 4\nkinds: %s\nencoding: raw\n\n" % kinds).encode() +
                             bytes(64))
            self.refuses(self.path("k.nrrd"), saying=saying)

    def test_slopes(self):
        stored = values("int16", (6, 5, 4))
        for slope, intercept, kind in ((1, -1024, "int32"), (2, 0, "int32"), (0.5, 3, "float32")):
            header = nib.Nifti1Header()
            header.set_data_dtype("int16")
            header.set_data_shape(stored.shape)
            header["scl_slope"], header["scl_inter"], header["vox_offset"] = slope, intercept, 352
            header["magic"] = b"n+1"
            with open(self.path("s.nii"), "wb") as stream:
                stream.write(header.binaryblock + b"\0" * 4 + stored.tobytes(order="F"))
            ours = self.read(self.path("s.nii"))
            self.assertEqual(ours.type, kind)
            np.testing.assert_allclose(ours.voxels, stored.T.astype("f8") * slope + intercept, rtol=1e-6)
            self.assertIn("scl_slope", " ".join(ours.notes))

    def test_slopes_that_are_no_numbers_and_matrices_of_zeros(self):
        image = nib.Nifti1Image(values("int16", (6, 5, 4)), np.diag([2, 3, 4, 1]))
        nib.save(image, self.path("a.nii"))
        with open(self.path("a.nii"), "rb") as stream:
            content = bytearray(stream.read())
        want = self.read(self.path("a.nii")).voxels
        for slope, intercept in ((np.nan, 0), (np.inf, 0), (np.nan, np.nan), (1, np.nan)):
            content[112:120] = struct.pack("<2f", slope, intercept)
            with open(self.path("s.nii"), "wb") as stream:
                stream.write(content)
            ours = self.read(self.path("s.nii"))
            np.testing.assert_array_equal(ours.voxels, want)
            self.assertIn("not both numbers", " ".join(ours.notes))
        image.set_qform(np.diag([2, 3, 4, 1]), 1)
        image.header["sform_code"] = 1
        image.header["srow_x"] = image.header["srow_y"] = image.header["srow_z"] = 0
        with open(self.path("z.nii"), "wb") as stream:
            image.header["vox_offset"], image.header["magic"] = 352, b"n+1"
            stream.write(image.header.binaryblock + b"\0" * 4 + bytes(240))
        ours = self.read(self.path("z.nii"))
        self.assert_geometry(ours, (2, 3, 4))
        self.assertIn("qform is used", " ".join(ours.notes))

    def test_several_members_of_gzip_and_zeros_after_them(self):
        nib.save(nib.Nifti1Image(values("int16", (9, 8, 7)), np.eye(4)), self.path("a.nii"))
        with open(self.path("a.nii"), "rb") as stream:
            content = stream.read()
        want = self.read(self.path("a.nii")).voxels
        for rest, good in ((b"", True), (bytes(512), True), (b"junk", False)):
            with open(self.path("m.nii.gz"), "wb") as stream:
                stream.write(gzip.compress(content[:500]) + gzip.compress(content[500:]) + rest)
            if good:
                np.testing.assert_array_equal(self.read(self.path("m.nii.gz")).voxels, want)
            else:
                self.refuses(self.path("m.nii.gz"), saying="something else")


class WriteTest(FilesTest):
    """What the command writes, read by others."""

    def labels(self, path, kind, *options):
        result = subprocess.run([COMMAND, "label", self.source, path, "--label-type", kind, "--connectivity", "26",
                                 "--quiet", *options], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_every_format_type_and_compression(self):
        mask = (np.random.default_rng(3).random((9, 11, 13)) < 0.08).astype(np.uint8)
        image = sitk.GetImageFromArray(mask)
        direction = rotation(-0.5, 0.25, 2)
        direction[:, 2] *= -1  # left-handed
        spacing, origin = (0.25, 0.5, 1.5), (-100, 33.25, 7)
        image.SetSpacing(spacing)
        image.SetOrigin(origin)
        image.SetDirection(direction.ravel())
        self.source = self.path("mask.nrrd")
        sitk.WriteImage(image, self.source)
        want = sitk.GetArrayFromImage(sitk.ConnectedComponent(image, True))
        for extension in WRITTEN:
            for kind in LABEL_TYPES:
                for options in ((), ("--no-compression",)):
                    with self.subTest(extension=extension, type=kind, options=options):
                        path = self.path("%s%d_%s%s" % (kind, len(options), extension[1], extension))
                        self.labels(path, kind, *options)
                        back = sitk.ReadImage(path)
                        self.assertEqual(sitk.GetArrayFromImage(back).dtype, kind)
                        np.testing.assert_array_equal(sitk.GetArrayFromImage(back), want)
                        np.testing.assert_allclose(back.GetSpacing(), spacing, rtol=1e-6)
                        np.testing.assert_allclose(back.GetOrigin(), origin, rtol=1e-6)
                        np.testing.assert_allclose(back.GetDirection(), direction.ravel(), atol=1e-6)
                        ours = self.read(path)
                        np.testing.assert_array_equal(ours.voxels, want)
                        self.assert_geometry(ours, spacing, origin, direction)
                        if ".nii" in extension or ".hdr" in extension or ".img" in extension:
                            theirs = nib.load(path)
                            np.testing.assert_array_equal(np.asanyarray(theirs.dataobj).T, want)
                            lps = np.diag([-1, -1, 1, 1]) @ theirs.affine
                            np.testing.assert_allclose(lps[:3, :3], direction * spacing, atol=1e-5)
                            np.testing.assert_allclose(theirs.header.get_sform(), theirs.header.get_qform(), atol=1e-4)
        with gzip.open(self.path("uint320_n.nii.gz")) as stream:
            self.assertEqual(len(stream.read()), 352 + want.size * 4)

    def test_dimensions(self):
        for shape in ((13,), (11, 13), (3, 5, 7, 6)):
            mask = (np.random.default_rng(3).random(shape) < 0.4).astype(np.uint8)
            header = ["NRRD0004", "type: uint8", "dimension: %d" % len(shape),
                      "sizes: " + " ".join(map(str, reversed(shape))), "encoding: raw"]
            self.source = self.path("mask.nrrd")
            with open(self.source, "wb") as stream:
                stream.write(("\n".join(header) + "\n\n").encode() + mask.tobytes())
            for extension in WRITTEN:
                with self.subTest(shape=shape, extension=extension):
                    path = self.path("d%d%s" % (len(shape), extension))
                    result = subprocess.run([COMMAND, "label", self.source, path, "--quiet"], capture_output=True,
                                            text=True)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    ours = self.read(path)
                    np.testing.assert_array_equal(ours.voxels > 0, mask > 0)
                    self.assertEqual(ours.voxels.shape, shape)

    def test_more_voxels_than_the_first_nifti_counts(self):
        self.source = self.path("long.nrrd")
        mask = (np.random.default_rng(5).random((2, 40000)) < 0.3).astype(np.uint8)
        sitk.WriteImage(sitk.GetImageFromArray(mask), self.source)
        path = self.path("long.nii.gz")
        result = subprocess.run([COMMAND, "label", self.source, path], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("NIfTI-2", result.stderr)
        np.testing.assert_array_equal(np.asanyarray(nib.load(path).dataobj).T > 0, mask > 0)

    def test_a_data_file_of_something_else_is_kept(self):
        self.source = self.path("mask.nrrd")
        sitk.WriteImage(sitk.GetImageFromArray(np.ones((3, 4, 5), np.uint8)), self.source)
        with open(self.path("o.raw"), "wb") as stream:
            stream.write(b"precious")
        for extension in (".mhd", ".nhdr"):
            result = self.label(self.source, self.path("o" + extension), "--no-compression")
            self.assertEqual(result.returncode, 1)
            self.assertIn("exists already", result.stderr)
        with open(self.path("o.raw"), "rb") as stream:
            self.assertEqual(stream.read(), b"precious")
        # The data file of an input under another header's name.
        sitk.WriteImage(sitk.GetImageFromArray(np.ones((3, 4, 5), np.uint8)), self.path("scan.mhd"))
        os.rename(self.path("scan.mhd"), self.path("other.mhd"))
        with open(self.path("scan.mhd"), "wb") as stream:
            stream.write(b"an earlier header")
        result = self.label(self.path("other.mhd"), self.path("scan.mhd"), "--no-compression")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("a part of the input", result.stderr)


class DamageTest(FilesTest):
    def test_mutated_files_never_crash_and_compressed_ones_are_never_wrong(self):
        numbers = random.Random(11)
        voxels = (np.random.default_rng(1).random((9, 14, 17)) < 0.4).astype(np.int16) * 300
        image = sitk.GetImageFromArray(voxels)
        for extension, compress in ((".nrrd", 0), (".nrrd", 1), (".nii", 0), (".nii.gz", 1), (".mha", 0), (".mha", 1)):
            path = self.path("a" + extension)
            sitk.WriteImage(image, path, bool(compress))
            with open(path, "rb") as stream:
                good = stream.read()
            for _ in range(60):
                bad = bytearray(good)
                if numbers.random() < 0.25:
                    bad = bad[:numbers.randrange(len(bad))]
                else:
                    for _ in range(numbers.randint(1, 4)):
                        bad[numbers.randrange(min(len(bad), numbers.choice((60, 400, len(bad)))))] = numbers.randrange(256)
                with open(path, "wb") as stream:
                    stream.write(bad)
                result, _ = self.run_dump(path)
                self.assertIn(result.returncode, (0, 1), (extension, result.stderr))

    def test_compressed_voxels_that_change_are_an_error(self):
        voxels = (np.random.default_rng(1).random((9, 14, 17)) < 0.4).astype(np.int16) * 300
        for extension in (".nrrd", ".nii.gz", ".mha"):
            path = self.path("a" + extension)
            sitk.WriteImage(sitk.GetImageFromArray(voxels), path, True)
            with open(path, "rb") as stream:
                good = stream.read()
            begin = good.index(b"\n\n") + 2 + 12 if extension == ".nrrd" else len(good) // 2
            for place in np.linspace(begin, len(good) - 1, 40).astype(int):
                bad = bytearray(good)
                bad[place] ^= 0x5A
                with open(path, "wb") as stream:
                    stream.write(bad)
                with self.subTest(extension=extension, place=place):
                    self.refuses(path)


if __name__ == "__main__":
    unittest.main()
