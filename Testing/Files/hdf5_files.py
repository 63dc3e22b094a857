# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of HDF5 files."""

from files import FilesTest, np, skip_without

h5py = skip_without("h5py")

RANDOM = np.random.default_rng(11)
BLOCKY = np.kron(RANDOM.integers(0, 3, (9, 12, 10)), np.ones((3, 3, 5), int)).astype("u2")


class Hdf5Files(FilesTest):
    def store(self, name, datasets, userblock=0, **options):
        """A file of datasets; those of options alike."""
        path = self.path(name)
        with h5py.File(path, "w", userblock_size=userblock) as stream:
            for dataset, values in datasets.items():
                stream.create_dataset(dataset, data=values, **options)
        return path

    def with_attributes(self, path, dataset, **attributes):
        with h5py.File(path, "r+") as stream:
            stream[dataset].attrs.update(attributes)
        return path

    def assert_voxels(self, path, voxels, *options):
        image = self.read(path, *options)
        np.testing.assert_array_equal(image.voxels, voxels)
        self.assertEqual(np.dtype({"float32": "f4", "float64": "f8"}.get(image.type, image.type)), voxels.dtype)
        return image
