# SPDX-License-Identifier: Apache-2.0
"""Volumes that are labeled in parts (`label --memory`), from files of other programs: the memory that errors name does."""

import json
import os
import re
import unittest

from files import FilesTest, np, skip_without

h5py = skip_without("h5py")
skip_without("pydicom")
tifffile = skip_without("tifffile")

from dicom_files import make

SHAPE = (24, 160, 160)


class PartsTest(FilesTest):
    def save(self, name, voxels):
        """Voxels as a file of a format."""
        path = self.path(name)
        if name.endswith(".h5"):
            with h5py.File(path, "w") as stream:
                chunks = (min(8, len(voxels)), *[64] * (voxels.ndim - 1))
                stream.create_dataset("thin", data=voxels, chunks=chunks, compression="gzip")
                stream.create_dataset("thick", data=voxels, chunks=(len(voxels), *chunks[1:]), compression="gzip")
                stream.create_dataset("plain", data=voxels)
            return [path + "::/" + name for name in ("thin", "thick", "plain")]
        if name.endswith(".tif"):
            tifffile.imwrite(path, voxels, photometric="minisblack", compression="zlib" if "zlib" in name else None,
                             rowsperstrip=10 if "strips" in name else voxels.shape[-2])
            return [path]
        os.mkdir(path)
        for z, plane in enumerate(voxels):
            if "dicom" in name:
                make(plane.astype("i2"), position=(0, 0, z), number=z + 1).save_as(
                    os.path.join(path, "%02d.dcm" % z), enforce_file_format=True)
            else:
                tifffile.imwrite(os.path.join(path, "%02d.tif" % z), plane, photometric="minisblack", compression="zlib")
        return [path]

    def check(self, path, *options):
        """An error that knows nothing of components, and one that knows them, name the memory that does."""
        command = (path, self.path("parts.nrrd"), *options, "--threads", 1, "--no-compression", "--json")
        result = self.label(*command, "--memory", "1MB")
        for _ in range(2):
            if result.returncode != 0:
                named = re.search(r"the minimum is (\d+) MiB|use --memory (\d+)MiB", result.stderr)
                self.assertIsNotNone(named, result.stderr)
                result = self.label(*command, "--memory", "%sMiB" % (named.group(1) or named.group(2)))
        self.assertEqual(result.returncode, 0, "%s %s: %s" % (path, options, result.stderr))
        whole = self.label(path, self.path("whole.nrrd"), *options, "--threads", 1, "--no-compression", "--json")
        self.assertEqual(json.loads(whole.stdout)["components"], json.loads(result.stdout)["components"])
        voxels = []
        for name in ("whole.nrrd", "parts.nrrd"):
            with open(self.path(name), "rb") as stream:
                voxels.append(stream.read())
        self.assertEqual(*voxels)

    def test_volumes(self):
        random = np.random.default_rng(5)
        noise = (random.random(SHAPE) < 0.2).astype("u1")
        mask = self.save("mask.h5", (random.random(SHAPE) < 0.9).astype("u1"))[0]
        table = ("--statistics", self.path("t.csv"), "--columns", "shape,surface")
        for name in ("zlib.tif", "plain.tif", "strips-zlib.tif", "volume.h5", "dicom", "slices"):
            for path in self.save(name, noise):
                with self.subTest(path):
                    self.check(path)
                    self.check(path, *table)
        # The mask has no spacing, as slices have none.
        self.check(self.path("slices"), "--mask", mask)

    def test_images_of_one_slice(self):
        flat = (np.random.default_rng(6).random((700, 900)) < 0.01).astype("u1")
        for name in ("zlib.tif", "plain.tif", "strips-zlib.tif", "strips.tif", "flat.h5"):
            for path in self.save(name, flat):
                with self.subTest(path):
                    self.check(path)
                    self.check(path, "--statistics", self.path("t.csv"))
        for name in ("one-dicom", "one-slice"):
            for path in self.save(name, flat[None]):
                with self.subTest(path):
                    self.check(path)


if __name__ == "__main__":
    unittest.main()
