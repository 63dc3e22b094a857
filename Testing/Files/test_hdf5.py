# SPDX-License-Identifier: Apache-2.0
"""HDF5 files beside h5py and SimpleITK: datasets as a whole and in parts, what they say of axes, and what is refused."""

import ctypes
import itertools
import json
import os
import random
import re
import subprocess
import unittest
import zlib

from files import COMMAND, ON_WINDOWS, np, skip_without, values
from hdf5_files import BLOCKY, RANDOM, Hdf5Files

h5py = skip_without("h5py")
SimpleITK = skip_without("SimpleITK")

ENCODERS = {"gzip": zlib.compress, "shuffle": lambda stored: stored[::2] + stored[1::2]}
TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]


class Hdf5Test(Hdf5Files):
    def test_types_and_storage(self):
        for kind in TYPES:
            voxels = RANDOM.integers(0, 100, (5, 7, 13)).astype(kind)
            for order in "<>":
                stored = voxels.astype(np.dtype(kind).newbyteorder(order))
                for number, options in enumerate(({}, {"chunks": (2, 3, 5)}, {"chunks": (5, 7, 13), "compression": 9},
                                                  {"chunks": (1, 7, 13), "compression": 4, "shuffle": True},
                                                  {"chunks": (2, 2, 2), "fletcher32": True})):
                    with self.subTest(kind=kind, order=order, number=number):
                        self.assert_voxels(self.store("a.h5", {"data": stored}, **options), voxels)
        self.assert_voxels(self.store("half.h5", {"d": np.array([[0.5, -2], [np.inf, 3]], "f2")}),
                           np.array([[0.5, -2], [np.inf, 3]], "f4"))
        self.assert_voxels(self.store("bool.h5", {"d": BLOCKY > 1}, chunks=True), (BLOCKY > 1).astype("i1"))

    def test_all_dimensions_and_sizes(self):
        for shape in ((7,), (5, 7), (3, 5, 7), (2, 3, 5, 7), (1, 4, 5, 6), (1, 1, 9), (1200, 3, 2), (2, 600, 900)):
            voxels = RANDOM.integers(0, 60000, shape).astype("u2")
            expected = voxels.reshape(voxels.shape[1:]) if voxels.ndim == 4 and shape[0] == 1 else voxels
            for options in ({}, {"chunks": tuple(max(1, size // 3) for size in shape), "compression": 1}):
                self.assert_voxels(self.store("a.hdf5", {"g/data": voxels}, **options), expected)

    def test_blocks_before_the_file_and_missing_values(self):
        path = self.store("matlab.mat", {"A": BLOCKY}, userblock=1024)
        self.assert_voxels(path, BLOCKY)
        path = self.path("sparse.h5")
        with h5py.File(path, "w") as stream:
            data = stream.create_dataset("a", (20, 30, 40), "i4", chunks=(7, 8, 9), fillvalue=-5)
            data[3:9, 11:20, 5] = 7
            expected = data[...]
        self.assert_voxels(path, expected)
        path = self.path("never.h5")
        with h5py.File(path, "w") as stream:
            stream.create_dataset("a", (4, 5, 6), "u1", fillvalue=3)
        self.assert_voxels(path, np.full((4, 5, 6), 3, "u1"))

    def test_one_dataset_is_chosen_or_all_are_listed(self):
        path = self.store("several.h5", {"entry/data": BLOCKY, "entry/mask": (BLOCKY > 1).astype("u1"), "times": [1.0, 2.0]})
        saying = self.refuses(path, saying=("/entry/data (uint16, 27 x 36 x 50)", "/entry/mask (uint8, 27 x 36 x 50)",
                                            "FILE.h5::/DATASET", "2 datasets"))
        self.assertNotIn("times", saying)
        for name in ("::/entry/data", "::entry/data"):
            self.assert_voxels(path + name, BLOCKY)
        self.assert_voxels(path + "::/times", np.array([1.0, 2.0]))
        self.refuses(path + "::/entry/nothing", saying=("no dataset /entry/nothing", "/entry/data", "/times"))
        self.refuses(path + "::/entry", saying="no dataset /entry")
        # A list next to one image is not a second image.
        self.assert_voxels(self.store("one.h5", {"volume": BLOCKY, "angles": np.arange(5.0), "note": "text"}), BLOCKY)
        # A dataset with several hard links counts once; soft links may be named.
        path = self.store("linked.h5", {"a/data": BLOCKY})
        with h5py.File(path, "r+") as stream:
            stream["hard"] = stream["a/data"]
            stream["soft"] = h5py.SoftLink("/a/data")
        self.assert_voxels(path, BLOCKY)
        self.assert_voxels(path + "::/soft", BLOCKY)
        self.refuses(self.store("empty.h5", {}), saying="has no numeric dataset")
        self.refuses(self.store("text.h5", {"words": "text"}), saying=("no numeric dataset", "/words (text"))
        self.refuses(self.store("record.h5", {"c": np.zeros((3, 4), "c8")}) + "::/c", saying="records or complex numbers")
        self.refuses(self.store("number.h5", {"c": 5}) + "::/c", saying="a single number")
        self.refuses(self.store("five.h5", {"c": np.zeros((2, 2, 2, 2, 2), "u1")}), saying="5")
        self.refuses(self.store("none.h5", {"c": np.zeros((0, 4, 4), "u1")}))
        other = self.path("a.mha")
        SimpleITK.WriteImage(SimpleITK.GetImageFromArray(BLOCKY), other)
        self.refuses(other + "::/data", saying=("only HDF5, .vgi and .vti files have datasets", "MetaImage"))

    def test_axes_channels_and_sizes_of_ilastik(self):
        tags = lambda letters: json.dumps({"axes": [{"key": letter, "typeFlags": 2} for letter in letters]})
        volume = self.store("v.h5", {"exported_data": BLOCKY[None, ..., None]})
        self.with_attributes(volume, "exported_data", axistags=tags("tzyxc"), element_size_um=[1, 4.0, 2.0, 0.5, 1])
        image = self.assert_voxels(volume, BLOCKY)
        self.assert_geometry(image, [0.0005, 0.002, 0.004])
        self.assertEqual(image.spacing_source, "file")
        colors = RANDOM.integers(0, 200, (4, 5, 6, 3)).astype("u1")
        path = self.with_attributes(self.store("c.h5", {"d": colors}, chunks=(2, 2, 2, 1)), "d", axistags=tags("zyxc"),
                                    element_size_um=[3.0, 2.0, 1.0])
        image = self.assert_voxels(path, colors)
        self.assertEqual(image.channels, 3)
        self.assert_geometry(image, [0.001, 0.002, 0.003])
        path = self.with_attributes(self.store("x.h5", {"d": BLOCKY}), "d", axistags=tags("xyz"))
        self.refuses(path, saying=("in the order xyz", "transpose"))
        path = self.with_attributes(self.store("cz.h5", {"d": BLOCKY}), "d", axistags=tags("cyx"))
        self.refuses(path, saying="channels are not its last axis")
        path = self.with_attributes(self.store("bad.h5", {"d": BLOCKY}), "d", axistags="no json")
        self.refuses(path, saying="axistags")
        path = self.with_attributes(self.store("zero.h5", {"d": BLOCKY}), "d", element_size_um=[1.0, 0.0, 1.0])
        self.refuses(path, saying="element_size_um")
        self.assertEqual(self.read(self.store("p.h5", {"d": BLOCKY})).spacing_source, "none")

    def test_minc_is_refused(self):
        path = self.store("minc.mnc", {"minc-2.0/image/0/image": BLOCKY})
        self.refuses(path, saying="MINC")

    def test_images_of_itk(self):
        image = SimpleITK.GetImageFromArray(BLOCKY)
        image.SetSpacing((0.5, 0.75, 2))
        image.SetOrigin((10, -20, 30))
        image.SetDirection((0, -1, 0, 1, 0, 0, 0, 0, 1))
        path = self.path("itk.h5")
        SimpleITK.WriteImage(image, path, useCompression=True)
        ours = self.assert_voxels(path, BLOCKY)
        self.assert_geometry(ours, image.GetSpacing(), image.GetOrigin(), np.reshape(image.GetDirection(), (3, 3)))

    def test_channels_of_itk(self):
        """ITK stores the channels of a voxel as one more axis, the last one."""
        for shape in ((16, 3), (5, 6, 3), (4, 5, 6, 3), (3, 4, 5, 6, 2), (1, 5, 6, 2)):
            for kind in ("uint8", "int16", "float32"):
                with self.subTest(shape=shape, kind=kind):
                    path, axes = self.path("vector.h5"), len(shape) - 1
                    if axes == 1:
                        # SimpleITK has no such images, but ITK has.
                        stored = values(kind, shape)
                        self.store("vector.h5", {"ITKImage/0/VoxelData": stored, "ITKImage/0/Spacing": [0.5], "ITKImage/0/Origin": [0.0],
                                                 "ITKImage/0/Directions": [[1.0]]})
                    else:
                        image = SimpleITK.GetImageFromArray(values(kind, shape), isVector=True)
                        image.SetSpacing((0.5, 0.75, 2, 3)[:axes])
                        SimpleITK.WriteImage(image, path)
                        with h5py.File(path) as file:
                            self.assertEqual(file["ITKImage/0/VoxelData"].shape, shape)
                        stored = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(path))
                    ours = self.assert_voxels(path, stored)
                    self.assertEqual((ours.channels, ours.spacing[:axes]), (shape[-1], [0.5, 0.75, 2, 3][:axes]))
                    self.assertEqual(ours.notes, [])

    def test_channels_of_itk_in_parts(self):
        """Labels of a scan of three channels: background where all of them are 0."""
        stored = np.kron(RANDOM.integers(0, 4, (40, 12, 12, 1)) == 0, np.ones((1, 8, 8, 3), int)).astype("u1") * np.array([0, 3, 7], "u1")
        path = self.path("vector.h5")
        SimpleITK.WriteImage(SimpleITK.GetImageFromArray(stored, isVector=True), path)
        foreground = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(path)).any(axis=-1)
        expected = SimpleITK.ConnectedComponent(SimpleITK.GetImageFromArray(foreground.astype("u1")))
        for memory in ((), ("--memory", "66MB", "--threads", 1)):
            result = self.label(path, self.path("out.nrrd"), "--json", *memory)
            self.assertEqual(result.returncode, 0, result.stderr)
            summary = json.loads(result.stdout)
            self.assertEqual(summary["channels"], 3)
            np.testing.assert_array_equal(self.read(self.path("out.nrrd")).voxels, SimpleITK.GetArrayFromImage(expected))
        self.assertGreater(summary["slabs"]["count"], 1)

    def test_in_parts(self):
        """By slabs as in memory: files, a mask and an intensity image that lie in datasets; chunks that slabs cut."""
        voxels = np.kron(RANDOM.integers(0, 4, (12, 56, 56)), np.ones((2, 8, 8), int)).astype("u2")
        for number, options in enumerate(({}, {"chunks": (7, 100, 448), "compression": 1}, {"chunks": (24, 64, 64)},
                                          {"chunks": (1, 448, 448), "shuffle": True, "compression": 1})):
            with self.subTest(options=options):
                path = self.store("scan%d.h5" % number, {"ct": voxels, "mask": (voxels % 2).astype("u1")}, **options)
                arguments = [path + "::/ct", "--range", 2, 9, "--mask", path + "::/mask", "--intensity", path + "::/ct"]
                tables = []
                for name, memory in (("whole", ()), ("parts", ("--memory", "96MB", "--threads", 2))):
                    result = self.label(*arguments[:1], self.path(name + ".nrrd"), *arguments[1:], "--statistics",
                                        self.path(name + ".csv"), "--no-compression", "--json", *memory)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    with open(self.path(name + ".nrrd"), "rb") as labels, open(self.path(name + ".csv")) as table:
                        tables.append((labels.read(), table.read()))
                self.assertEqual(*tables)
                self.assertGreater(json.loads(result.stdout)["slabs"]["count"], 3)

    def test_damaged_files_are_refused(self):
        """Truncated at every power, and mutated: the same voxels, others, or an error; nothing crashes or hangs."""
        chance = random.Random(3)
        path = self.store("whole.h5", {"a": BLOCKY}, chunks=(9, 12, 25), compression=1)
        with open(path, "rb") as stream:
            data = stream.read()
        for size in (8, 100, 600, 2000, len(data) // 2, len(data) - 1):
            with open(self.path("cut.h5"), "wb") as stream:
                stream.write(data[:size])
            self.refuses(self.path("cut.h5"))
        refused = 0
        for _ in range(60):
            mutated = bytearray(data)
            for _ in range(chance.randrange(1, 5)):
                mutated[chance.randrange(8, 3000)] = chance.randrange(256)
            with open(self.path("mutated.h5"), "wb") as stream:
                stream.write(mutated)
            result, _ = self.run_dump(self.path("mutated.h5"))
            self.assertIn(result.returncode, (0, 1), result.stderr)
            refused += result.returncode
        self.assertGreater(refused, 5)
        path = self.store("sums.h5", {"a": BLOCKY}, chunks=(27, 36, 50), fletcher32=True)
        with open(path, "r+b") as stream:
            stream.seek(os.path.getsize(path) - 5000)
            stream.write(b"\x55" * 9)
        self.refuses(path, saying="cannot be read")

    def test_chunks_of_other_sizes(self):
        """Chunks that decode to too few or too many bytes are refused; chunks that skip filters are read."""
        chunks = {(0, 0, 0): BLOCKY[:9, :12, :25], (9, 12, 25): BLOCKY[9:18, 12:24, 25:]}
        expected = np.full(BLOCKY.shape, 9, "u2")
        expected[:9, :12, :25], expected[9:18, 12:24, 25:] = chunks.values()
        for options in ({"compression": 4}, {"compression": 4, "shuffle": True}, {"shuffle": True}):
            for skipped in range(2 ** len(options)):
                for change in ("none", "short", "long"):
                    path = self.path("chunks.h5")
                    with h5py.File(path, "w") as stream:
                        stream.create_dataset("a", BLOCKY.shape, "u2", chunks=(9, 12, 25), fillvalue=9, **options)
                        for place, voxels in chunks.items():
                            stored = voxels.tobytes()
                            if change != "none" and place[0] > 0:
                                stored = stored[:-100] if change == "short" else stored + bytes(100)
                            for number, name in enumerate(stream["a"]._filters):
                                stored = stored if skipped >> number & 1 else ENCODERS[name](stored)
                            stream["a"].id.write_direct_chunk(place, stored, filter_mask=skipped)
                    with self.subTest(options=options, skipped=skipped, change=change):
                        if change == "none":
                            self.assert_voxels(path, expected)
                        else:
                            self.refuses(path, saying="/a cannot be read from 9 x 12 x 25 on as 9 x 12 x 25 values")

    def test_chunks_without_filters(self):
        """Chunks at the ends that the filters left out are read; so are chunks of which the file tells another size."""
        with open("/proc/self/maps", encoding="utf-8") as maps:
            library = next(line.split()[-1] for line in maps if re.search(r"/libhdf5[-_.](?!hl)[^/]*$", line))
        for options in ({"compression": 4}, {"shuffle": True}):
            path = self.path("ends.h5")
            with h5py.File(path, "w", libver=("earliest", "v110")) as stream:
                chunking = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                chunking.set_chunk((9, 12, 25))
                chunking.set_shuffle() if "shuffle" in options else chunking.set_deflate(4)
                ctypes.CDLL(library).H5Pset_chunk_opts(ctypes.c_int64(chunking.id), ctypes.c_uint(2))
                space = h5py.h5s.create_simple((16, 20, 30))
                h5py.h5d.create(stream.id, b"a", h5py.h5t.STD_U16LE, space, chunking).write(
                    h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(BLOCKY[:16, :20, :30]))
            with self.subTest(options=options):
                self.assert_voxels(path, BLOCKY[:16, :20, :30])
        for size in (64, 20000):
            path = self.store("plain.h5", {"a": BLOCKY}, chunks=(9, 12, 25))
            with open(path, "r+b") as stream:
                data = stream.read()
                # The second key of the tree of chunks.
                tree = next(at.start() for at in re.finditer(b"TREE", data) if data[at.start() + 4] == 1)
                stream.seek(tree + 24 + 48)
                self.assertEqual(int.from_bytes(stream.read(4), "little"), 9 * 12 * 25 * 2)
                stream.seek(tree + 24 + 48)
                stream.write(size.to_bytes(4, "little"))
            with self.subTest(size=size):
                self.assert_voxels(path, BLOCKY)

    def test_filters_under_every_index_of_chunks(self):
        """The library has an index of its own for no, one or several axes that may grow; 9 is a fill value, too."""
        voxels = np.where(RANDOM.random(BLOCKY.shape) < 0.2, 9, BLOCKY % 97).astype("u2")
        growing = (BLOCKY.shape, (None, *BLOCKY.shape[1:]), (BLOCKY.shape[0], None, BLOCKY.shape[2]), (None, None, None))
        for maxshape, version in itertools.product(growing, ("earliest", "v110")):
            for options in ({"compression": 4}, {"shuffle": True}, {"fletcher32": True}, {"scaleoffset": 0}):
                for chunks in ((4, 11, 50), (27, 36, 50)):
                    path = self.path("index.h5")
                    with h5py.File(path, "w", libver=(version, "v110")) as stream:
                        stream.create_dataset("a", data=voxels, maxshape=maxshape, chunks=chunks, fillvalue=9, **options)
                    with self.subTest(maxshape=maxshape, version=version, options=options, chunks=chunks):
                        self.assert_voxels(path, voxels)

    def test_files_that_are_being_written(self):
        path = self.path("open.h5")
        with h5py.File(path, "w", libver="latest") as stream:
            stream["a"] = BLOCKY
            stream.flush()
            self.refuses(path, saying="another program has it open for writing")
        self.assert_voxels(path, BLOCKY)

    def test_lzf(self):
        """Also where a block takes more room than its voxels, so that it skips the filter."""
        for voxels in (BLOCKY, values("uint16", BLOCKY.shape), np.zeros((9, 50, 200), "f4")):
            path = self.store("lzf.h5", {"a": voxels}, chunks=(7, 33, 48), compression="lzf")
            self.assert_voxels(path, voxels)

    def test_files_of_newer_libraries(self):
        """A layout message of a version that is not known, as HDF5 2.0 writes."""
        path = self.path("newer.h5")
        with h5py.File(path, "w") as stream:
            stream["a"] = BLOCKY
        with open(path, "rb") as stream:
            data = bytearray(stream.read())
        # A message of type 8 and 24 bytes, of version 3 and contiguous.
        layout = data.index(b"\x08\x00\x18\x00")
        self.assertEqual(bytes(data[layout + 8:layout + 10]), b"\x03\x01")
        data[layout + 8] = 5
        with open(path, "wb") as stream:
            stream.write(data)
        self.refuses(path, saying=("bad version number", "newer than the HDF5 library here, version 1.",
                                   "h5repack", "libver=('earliest', 'v110')"))
        data[8] = 9
        with open(path, "wb") as stream:
            stream.write(data)
        self.refuses(path, saying=("superblock version", "newer than the HDF5"))

    def test_unusual_names(self):
        names = ("[1]", "a*", "s_%d", "%03d", "x::y", "what?", "g/[2]")
        path = self.store("names.h5", {name: np.full((3, 4, 5), number, "u1") for number, name in enumerate(names)})
        for number, name in enumerate(names):
            for between in ("::/", "::"):
                self.assert_voxels(path + between + name, np.full((3, 4, 5), number, "u1"))
            result = self.label(path + "::/" + name, self.path("out.nrrd"))
            self.assertEqual(result.returncode, 0, result.stderr)
        self.refuses(self.path("names*.h5") + "::/a", saying="there is no such file")
        os.rename(path, self.path("odd[1]_%d.h5"))
        self.assert_voxels(self.path("odd[1]_%d.h5") + "::/s_%d", np.full((3, 4, 5), 2, "u1"))
        self.refuses(path.replace("names.h5", "odd[1]_%d.h5") + "::/back\\x1b", saying="no dataset /back\\x1b")
        # Control characters of names, also of two bytes, do not reach the terminal.
        path = self.store("colors.h5", {"red\x1b[31m": BLOCKY, "line\nbreak": BLOCKY, "next\u009b2J": BLOCKY,
                                         "grün": BLOCKY, "text\x1b[0m": "text"})
        for named in (path, path + "::/no\x1b[1mthing", path + "::/text\x1b[0m"):
            saying = self.refuses(named)
            for letter in "\x1b\u009b":
                self.assertNotIn(letter, saying.replace(named, ""))
            self.assertNotIn("line\nbreak", saying)
        self.assertIn("grün", self.refuses(path, saying=("/red\\x1b[31m", "/line\\x0abreak", "/next\\x9b2J")))

    def test_names_longer_than_those_of_files(self):
        for length in (300, 5000):
            name = "n" * length
            path = self.store("long.h5", {name: BLOCKY, "other": BLOCKY[:2]})
            for between in ("::/", "::"):
                self.assert_voxels(path + between + name, BLOCKY)
            result = self.label(path + "::/" + name, self.path("out.nrrd"))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.refuses(path + "::/" + name + "n", saying="no dataset")
        self.refuses(self.path("n" * 300 + ".h5"), saying="no such file" if ON_WINDOWS else "too long")

    def test_the_manual_names_it(self):
        """Volumes that are read in parts."""
        result = subprocess.run([COMMAND, "manual"], capture_output=True, text=True)
        self.assertIn("HDF5", re.search(r"memory SIZE\n(.*)", result.stdout)[1])


if __name__ == "__main__":
    unittest.main()
