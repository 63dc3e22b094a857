# SPDX-License-Identifier: Apache-2.0
"""What attributes of HDF5's and netCDF's conventions say of axes and values."""

import csv
import unittest

from files import np, values
from hdf5_files import BLOCKY, Hdf5Files, h5py


class ConventionTest(Hdf5Files):
    def labeled(self, labels, scales=False, voxels=BLOCKY):
        """A file whose dimensions have names: labels, or those of netCDF's dimensions."""
        path = self.store("a.h5", {"d": voxels})
        with h5py.File(path, "r+") as file:
            for axis, label in enumerate(labels):
                if not scales:
                    file["d"].dims[axis].label = label
                elif label:
                    file.create_dataset(label, data=np.arange(voxels.shape[axis], dtype="f4")).make_scale(label)
                    file["d"].dims[axis].attach_scale(file[label])
        return path + "::/d"

    def test_names_of_dimensions(self):
        colors = values("uint8", (4, 5, 6, 3))
        for scales in (False, True):
            for labels in (("x", "y", "z"), ("z", "x", "y"), ("Y", "Z", "X"), ("x", "y", "")):
                with self.subTest(labels=labels, scales=scales):
                    self.refuses(self.labeled(labels, scales), saying=("names of its dimensions", "transpose"))
            for labels in (("z", "y", "x"), ("Z", "Y", "X"), ("", "", ""), ("", "y", "x"), ("", "", "x"), ("a", "b", "c"), ("c", "t", "b")):
                with self.subTest(labels=labels, scales=scales):
                    self.assertEqual(self.assert_voxels(self.labeled(labels, scales), BLOCKY).notes, [])
            self.assertEqual(self.assert_voxels(self.labeled("zyxc", scales, colors), colors).channels, 3)
            self.refuses(self.labeled(("channel", "y", "x"), scales), saying="channels are not its last axis")
            many = np.zeros((1, 2, 1000001), "u1")
            self.refuses(self.labeled(("y", "x", "c"), scales, many), saying="it has 1000001 channels; up to 1000000 are read")
            for labels, saying in ((("energy", "y", "x"), "named 'energy'"), (("time", "y", "x"), "time is labeled")):
                image = self.assert_voxels(self.labeled(labels, scales), BLOCKY)
                self.assertIn(saying, " ".join(image.notes))

    def test_names_of_places_on_the_earth(self):
        for scales in (False, True):
            for labels in (("z", "lat", "lon"), ("Z", "Latitude", "Longitude"), ("", "lat", "lon")):
                with self.subTest(labels=labels, scales=scales):
                    self.assertEqual(self.assert_voxels(self.labeled(labels, scales), BLOCKY).notes, [])
            for labels in (("time", "lat", "lon"), ("t", "latitude", "longitude"), ("t", "y", "x")):
                with self.subTest(labels=labels, scales=scales):
                    notes = self.assert_voxels(self.labeled(labels, scales), BLOCKY).notes
                    self.assertEqual(len(notes), 1, notes)
                    self.assertIn("its axes are tyx (the names of its dimensions); time is labeled", notes[0])
                    first = BLOCKY[:1]
                    self.assertEqual(self.assert_voxels(self.labeled(labels, scales, first), first[0]).notes, [])
            self.refuses(self.labeled(("z", "lon", "lat"), scales), saying=("names of its dimensions", "transpose"))

    def test_imaris_is_refused(self):
        name = "DataSet/ResolutionLevel 0/TimePoint 0/Channel 0/Data"
        self.refuses(self.store("a.ims", {name: BLOCKY}), saying="it is an Imaris file, which pads its chunks; export it as TIFF")

    def test_vigra_goes_before_names_of_dimensions(self):
        path = self.labeled("xyz")
        self.with_attributes(self.path("a.h5"), "d", axistags='{"axes": [{"key": "z"}, {"key": "y"}, {"key": "x"}]}')
        self.assert_voxels(path, BLOCKY)

    def test_unsigned_values_in_a_signed_type_are_refused(self):
        """netCDF's _Unsigned says which values the stored bytes stand for."""
        for size in (1, 2, 4, 8):
            signed = values("int%d" % (8 * size), (3, 4, 5))
            for stored, agrees, other in ((signed, "false", "true"), (signed.view("u%d" % size), "true", "false")):
                for value in (other, "yes", 1, np.bytes_(other.encode())):
                    path = self.with_attributes(self.store("a.nc", {"d": stored}), "d", _Unsigned=value)
                    self.refuses(path, saying=["/d", "_Unsigned", "save the changed values"])
                self.assert_voxels(self.with_attributes(self.store("a.nc", {"d": stored}), "d", _Unsigned=agrees), stored)
        floats = values("float32", (3, 4, 5))
        self.assert_voxels(self.with_attributes(self.store("f.nc", {"d": floats}), "d", _Unsigned="true"), floats)

    def test_values_that_are_said_to_be_missing(self):
        stored = values("int16", (3, 4, 5))
        path = self.store("a.nc", {"d": stored})
        self.assertEqual(self.assert_voxels(path, stored).notes, [])
        self.with_attributes(path, "d", _FillValue=np.array([-1], "i2"), valid_range=np.array([0, 100], "i2"))
        self.assertIn("_FillValue -1, valid_range 0 100", " ".join(self.assert_voxels(path, stored).notes))

    def test_missing_values_that_are_no_number(self):
        """They are foreground nowhere, so that there is nothing to say."""
        stored = values("float32", (3, 4, 5))
        stored[0, 1] = np.nan
        path = self.store("a.nc", {"d": stored})
        for name in ("_FillValue", "missing_value"):
            self.with_attributes(path, "d", **{name: np.array([np.nan], "f4")})
            self.assertEqual(self.assert_voxels(path, stored).notes, [])
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
        self.with_attributes(path, "d", missing_value=np.array([np.nan, -999], "f4"))
        notes = self.assert_voxels(path, stored).notes
        self.assertIn("(missing_value -999);", " ".join(notes))


if __name__ == "__main__":
    unittest.main()
