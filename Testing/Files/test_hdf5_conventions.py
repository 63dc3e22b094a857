# SPDX-License-Identifier: Apache-2.0
"""What attributes of HDF5's and netCDF's conventions say of axes and values."""

import csv
import unittest

from files import np, values
from hdf5_files import BLOCKY, Hdf5Files, h5py


class ConventionTest(Hdf5Files):
    def test_imaris_is_refused(self):
        name = "DataSet/ResolutionLevel 0/TimePoint 0/Channel 0/Data"
        self.refuses(self.store("a.ims", {name: BLOCKY}), saying="it is an Imaris file, which pads its chunks; export it as TIFF")

    def test_attributes_of_netcdf_are_refused(self):
        """They change stored values, mark missing ones or name axes."""
        stored = values("int16", (3, 4, 5))
        for name in ("scale_factor", "add_offset", "_Unsigned", "_FillValue", "missing_value", "valid_min", "valid_max", "valid_range"):
            path = self.with_attributes(self.store("a.nc", {"d": stored}), "d", **{name: 1})
            self.refuses(path, saying=["/d has the attribute " + name, "save the changed values"])
        path = self.store("s.nc", {"d": stored})
        with h5py.File(path, "r+") as file:
            file.create_dataset("z", data=np.arange(3, dtype="f4")).make_scale("z")
            file["d"].dims[0].attach_scale(file["z"])
        self.refuses(path + "::/d", saying="the attribute DIMENSION_LIST")
        path = self.store("l.h5", {"d": stored})
        with h5py.File(path, "r+") as file:
            file["d"].dims[0].label = "z"
        self.refuses(path, saying="the attribute DIMENSION_LABELS")

    def test_values_that_are_no_number(self):
        """They are foreground nowhere."""
        stored = values("float32", (3, 4, 5))
        stored[0, 1] = np.nan
        path = self.store("a.nc", {"d": stored})
        for options in ((), ("--range", "-inf", "inf"), ("--memory", "96MB")):
            result = self.label(path, self.path("out.nrrd"), *options)
            self.assertEqual(result.returncode, 0, result.stderr)
            np.testing.assert_array_equal(self.read(self.path("out.nrrd")).voxels == 0, np.isnan(stored))
        ones = self.store("ones.h5", {"d": np.ones(stored.shape, "u1")})
        for options in ((), ("--memory", "96MB")):
            for scan, isTold in ((path, True), (ones, False)):
                result = self.label(ones, self.path("out.nrrd"), "--intensity", scan, "--statistics", self.path("t.csv"), *options)
                self.assertEqual("1 of 1 components have no mean intensity" in result.stderr, isTold, result.stderr)
                with open(self.path("t.csv")) as stream:
                    self.assertEqual(next(csv.DictReader(stream))["intensity_mean"], "nan" if isTold else "1")


if __name__ == "__main__":
    unittest.main()
