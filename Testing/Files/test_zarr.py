# SPDX-License-Identifier: Apache-2.0
"""Zarr arrays of versions 2 and 3, and OME-Zarr images, as zarr-python writes and reads them."""

import csv
import json
import os
import shutil
import subprocess
import unittest
import warnings

from files import COMMAND, FilesTest, np, skip_without, values

zarr = skip_without("zarr")
numcodecs = skip_without("numcodecs")
scipy = skip_without("scipy.ndimage")
from zarr.codecs import (BloscCodec, BytesCodec, Crc32cCodec, GzipCodec,  # noqa: E402
                         TransposeCodec, ZstdCodec)

warnings.simplefilter("ignore")
SHAPE = (9, 7, 11)
CHUNKS = (4, 3, 5)
KINDS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")
COMPRESSORS = {2: (None, numcodecs.Zlib(), numcodecs.GZip(), numcodecs.Zstd(),
                   *(numcodecs.Blosc(name, shuffle=shuffle) for name in ("lz4", "zstd", "blosclz", "zlib") for shuffle in (0, 1, 2))),
               3: (None, GzipCodec(), ZstdCodec(), ZstdCodec(checksum=True),
                   *(BloscCodec(cname=name, shuffle=shuffle) for name in ("lz4", "zstd", "lz4hc") for shuffle in ("noshuffle", "bitshuffle")))}


class ZarrTest(FilesTest):
    def store(self, voxels, version=3, name="a.zarr", chunks=CHUNKS, attributes=None, compressors=None, **options):
        shutil.rmtree(self.path(name), ignore_errors=True)
        array = zarr.create_array(self.path(name), shape=voxels.shape, dtype=voxels.dtype, chunks=chunks[-voxels.ndim:],
                                  zarr_format=version, compressors=compressors, **options)
        array[...] = voxels
        array.attrs.update(attributes or {})
        return self.path(name)

    def assert_zarr(self, path, voxels):
        image = self.read(path)
        np.testing.assert_array_equal(image.voxels, voxels)
        np.testing.assert_array_equal(image.voxels, zarr.open_array(path, mode="r")[...])
        return image

    def chunk_files(self, path):
        return sorted(os.path.join(at, name) for at, _, names in os.walk(path) for name in names
                      if name != "zarr.json" and name[0] != ".")

    def edit(self, path, change, name="zarr.json"):
        with open(os.path.join(path, name), "r+", encoding="utf-8") as stream:
            metadata = json.load(stream)
            change(metadata)
            stream.seek(0)
            stream.truncate()
            json.dump(metadata, stream)
        return path


class Arrays(ZarrTest):
    def test_types_in_both_byte_orders(self):
        for kind in KINDS:
            voxels = values(kind, SHAPE)
            image = self.assert_zarr(self.store(voxels), voxels)
            self.assertEqual((image.type, image.size, image.spacing_source), (kind, [11, 7, 9], "none"))
            self.assert_zarr(self.store(voxels, serializer=BytesCodec(endian="big")), voxels)
            for order in "<>":
                self.assert_zarr(self.store(voxels.astype(voxels.dtype.newbyteorder(order)), 2), voxels)
        for version in (2, 3):
            voxels = values("uint8", SHAPE) > 100
            self.assertEqual(self.assert_zarr(self.store(voxels, version), voxels).type, "uint8")

    def test_compressors(self):
        voxels = values("int16", SHAPE) // 1000
        for version, all_of_them in COMPRESSORS.items():
            for compressor in all_of_them:
                self.assert_zarr(self.store(voxels, version, compressors=compressor), voxels)

    def test_dimensions_and_chunks(self):
        for shape in ((7,), (6, 5), (2, 3, 4, 5), (1, 1, 3, 4, 5)):
            voxels = values("uint16", shape)
            for chunks in (shape, (1,) * len(shape), (3, 2, 100, 2, 3)[:len(shape)]):
                path = self.store(voxels, chunks=chunks)
                np.testing.assert_array_equal(self.read(path).voxels, voxels.reshape(shape[-4:] if len(shape) < 5 else shape[-3:]))

    def test_names_of_chunks(self):
        voxels = values("uint16", SHAPE)
        for version in (2, 3):
            for separator in "./":
                self.assert_zarr(self.store(voxels, version, chunk_key_encoding={"name": "v2", "separator": separator}), voxels)
        self.assert_zarr(self.store(voxels, chunk_key_encoding={"name": "default", "separator": "."}), voxels)

    def test_missing_chunks_have_the_fill_value(self):
        for version in (2, 3):
            for kind, fill in (("uint8", 0), ("int16", -7), ("float32", 1.5), ("float64", np.nan), ("float32", -np.inf), ("uint64", 2**64 - 1), ("bool", True)):
                voxels = np.full(SHAPE, fill, kind)
                voxels[:4, :3, :5] = 1
                image = self.assert_zarr(self.store(voxels, version, fill_value=fill), voxels)
                self.assertIn("of its 27 chunks are not stored", image.notes[0])
        path = self.store(np.zeros(SHAPE, "u1"), 2)
        self.assertIn("27 of its 27 chunks", self.read(path).notes[0])
        os.makedirs(os.path.join(path, "0/0"))
        self.assertIn("27 of its 27 chunks", self.read(path).notes[0])
        with open(os.path.join(path, "0/0/0"), "wb"):
            self.refuses(path, saying=["it has no chunk such as '0.0.0', but '0/0/0'"])

    def test_folders_of_chunks_that_are_gone(self):
        for version in (2, 3):
            path = self.store(np.ones(SHAPE, "u1"), version, chunk_key_encoding={"name": "v2", "separator": "/"})
            zarr.open_array(path)[...] = 0
            self.assertEqual((self.chunk_files(path), os.path.isdir(os.path.join(path, "0/0"))), ([], True))
            self.assert_zarr(path, np.zeros(SHAPE, "u1"))

    def test_by_slabs_and_regions(self):
        voxels = values("uint8", (40, 30, 50)) > 150
        for version, compressor in ((2, numcodecs.Blosc("lz4")), (3, ZstdCodec())):
            path = self.store(voxels.astype("u1"), version, chunks=(16, 16, 16), compressors=compressor)
            for name, options in (("whole", ()), ("slabs", ("--memory", "64MiB", "--threads", "1"))):
                result = self.label(path, self.path(name + ".nrrd"), *options)
                self.assertEqual(result.returncode, 0, result.stderr)
            result = self.label(path, self.path("raw.nrrd"), "--raw", "5x5x5:uint8")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("--raw", result.stderr)
            np.testing.assert_array_equal(self.read(self.path("whole.nrrd")).voxels > 0, voxels)
            np.testing.assert_array_equal(self.read(self.path("whole.nrrd")).voxels, self.read(self.path("slabs.nrrd")).voxels)

    def test_memory_counts_chunks(self):
        path = self.store(np.ones((64, 256, 256), "u2"), chunks=(64, 256, 256), compressors=ZstdCodec())
        result = self.label(path, self.path("o.nrrd"), "--memory", "76MiB", "--threads", "1")
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"the minimum is (8[0-9]|9[0-9]) MiB")  # 56 MiB, and 3 times a chunk of 8 MiB

    def test_changes_between_slabs(self):
        voxels = np.kron(np.random.default_rng(3).integers(0, 2, (40, 8, 8)), np.ones((5, 32, 32), int)).astype("u2")
        voxels[195:] = 0

        def rewrite(name):
            with open(name, "r+b") as stream:
                byte = stream.read(1)
                stream.seek(0)
                stream.write(byte)

        def copy(name):
            os.makedirs(os.path.dirname(name))
            shutil.copy(os.path.join(path, "c/38/0/0"), name)

        for way, name, said in ((rewrite, "c/38/0/0", "changed or replaced"), (os.remove, "c/38/3/3", None),
                                (copy, "c/39/0/0", "changed or replaced"), (rewrite, "zarr.json", "changed or replaced")):
            path = self.store(voxels, chunks=(5, 64, 64), compressors=ZstdCodec())
            work = self.path("work-%s-%s" % (way.__name__, os.path.basename(name)))
            code, errors = self.label_and_stop(path, self.path("out.nrrd"), work, lambda: way(os.path.join(path, name)))
            self.assertNotEqual(code, 0, name)
            self.assertIn("%s', which was %s while it was read" % (name, said) if said else "its data file '%s'" % name, errors)
            self.assertFalse(os.path.exists(self.path("out.nrrd")))
        self.assertEqual(self.label(self.store(voxels, chunks=(5, 64, 64)), self.path("out.nrrd"), "--memory", "64MB", "--threads", "1").returncode, 0)

    def test_in_batches_and_folders_of_masks(self):
        voxels = (values("uint8", SHAPE) > 100).astype("u1")
        for name in ("in/a.zarr", "in/b/c.ome.zarr"):
            self.store(voxels, name=name)
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write("[labeling]\nconnectivity = 6\n")
        command = [COMMAND, "batch", self.path("r.toml"), self.path("in"), "-o", self.path("out")]
        for options in ((), ("--resume",)):
            result = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(self.path("out", "items.csv"), newline="", encoding="utf-8") as stream:
                rows = list(csv.DictReader(stream))
            count = int(scipy.label(voxels)[1])
            self.assertEqual([(row["item"], int(row["components"])) for row in rows], [("a", count), ("b/c", count)])
        # A changed chunk is a changed input.
        self.store(voxels * 0, name="in/a.zarr")
        subprocess.run([*command, "--resume"], capture_output=True, text=True, check=True)
        with open(self.path("out", "items.csv"), newline="", encoding="utf-8") as stream:
            self.assertEqual([int(row["components"]) for row in csv.DictReader(stream)], [0, count])
        # One mask, not a folder of masks.
        self.store(voxels, name="in/a.zarr")
        for folder in ("in/a.zarr", "in/a.zarr/"):
            result = subprocess.run([COMMAND, "stats", self.path(folder), "-o", self.path("t.csv")], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(self.path("t.csv"), newline="", encoding="utf-8") as stream:
                self.assertEqual([("segment" in row, int(row["voxel_count"])) for row in csv.DictReader(stream)], [(False, voxels.sum())])

    def command(self, *arguments):
        result = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def column(self, name, table="t.csv"):
        with open(self.path(table), newline="", encoding="utf-8") as stream:
            return [row[name] for row in csv.DictReader(stream)]

    def test_names_are_those_of_the_folders(self):
        voxels = np.zeros(SHAPE, "u1")
        voxels[1:3, 1:3, 1:3], voxels[5:8, 3:6, 5:9] = 1, 2
        # Predictions of version 2 and truth of version 3.
        for name in ("p/a.zarr", "p/b/c.ome.zarr", "t/a.ome.zarr", "t/b/c.zarr"):
            self.store(voxels, 2 if name[0] == "p" else 3, name=name)
        self.command("score", self.path("p"), self.path("t"), "-o", self.path("t.csv"))
        self.assertEqual((self.column("case"), self.column("dice")), (["a", "b/c"], ["1", "1"]))
        self.command("score", self.path("p/b/c.ome.zarr/"), self.path("t/b/c.zarr"), "-o", self.path("t.csv"))
        self.assertEqual((self.column("case"), self.column("dice")), (["c"], ["1"]))
        self.command("stats", self.path("p"), "-o", self.path("t.csv"))
        self.assertEqual(self.column("name"), ["a 1", "a 2", "c 1", "c 2"])
        self.assertEqual(set(self.column("image")), {self.path("p/a.zarr"), self.path("p/b/c.ome.zarr")})
        for first in ("p/a.zarr", "p/a.zarr/", "p/a.zarr/.zarray"):
            self.command("merge", self.path(first), self.path("t/b/c.zarr"), "--overlap", "first", "-o", self.path("m.seg.nrrd"))
            self.command("stats", self.path("m.seg.nrrd"), "-o", self.path("t.csv"))
            self.assertEqual(self.column("name"), ["a 1", "a 2"])

    def test_compared_as_scans(self):
        voxels = np.zeros(SHAPE, "u1")
        voxels[1:3, 1:3, 1:3] = 1
        first = self.store(voxels, 2, name="a.zarr")
        voxels[5:8, 3:6, 5:9] = 2
        second = self.store(voxels, 3, name="b.zarr")
        self.assertIn("1 same, 1 new", self.command("compare", first, second))

    def test_cut_and_damaged_chunks(self):
        voxels = values("int16", SHAPE) // 1000
        numbers = np.random.default_rng(1)
        for version, all_of_them in COMPRESSORS.items():
            for compressor in all_of_them:
                path = self.store(voxels, version, compressors=compressor)
                chunk = self.chunk_files(path)[5]
                with open(chunk, "rb") as stream:
                    data = stream.read()
                for length in (0, 1, 8, 20, len(data) // 2, len(data) - 1):
                    with open(chunk, "wb") as stream:
                        stream.write(data[:length])
                    self.refuses(path, saying="truncated")
                for _ in range(5):
                    # Formats without a checksum may give other values, but nothing crashes.
                    damaged = bytearray(data)
                    damaged[numbers.integers(len(data))] ^= 1 << numbers.integers(8)
                    with open(chunk, "wb") as stream:
                        stream.write(damaged)
                    self.assertIn(self.run_dump(path)[0].returncode, (0, 1))
                with open(chunk, "wb") as stream:
                    stream.write(data + data[:1])
                if compressor is None:
                    self.refuses(path, saying="truncated")
                os.remove(chunk)
                os.symlink("gone", chunk)
                self.refuses(path, saying=["its data file '", "there is no such file"])

    def test_refused(self):
        voxels = values("uint16", SHAPE)
        self.refuses(self.store(voxels, 2, order="F"), saying="its order is 'F'; whole numbers")
        self.refuses(self.store(voxels, 2, filters=[numcodecs.Delta("u2")]), saying="its list of filters is")
        self.refuses(self.store(voxels, 2, compressors=numcodecs.LZMA()), saying="its compressor is 'lzma'; whole")
        self.refuses(self.store(voxels, filters=TransposeCodec(order=(2, 1, 0))), saying="transpose")
        self.refuses(self.store(voxels, compressors=Crc32cCodec()), saying="crc32c")
        self.refuses(self.store(voxels, shards=(8, 6, 10)), saying="sharding_indexed")
        self.refuses(self.store(voxels.astype("f2")), saying="float16")
        self.refuses(self.store(voxels.astype("c8"), 2), saying="<c8")
        self.refuses(self.store(voxels, attributes={"scale_factor": 2}), saying="its attribute, which may change its values, is 'scale_factor'")
        for key, value in (("shape", [9, 7]), ("shape", [9, 7, -1]), ("shape", [9, 7, 0]), ("shape", "a"), ("shape", [2**40] * 3), ("codecs", 3),
                           ("fill_value", 2**16), ("fill_value", "x"), ("data_type", {"name": "a"}), ("chunk_grid", {"name": "rectangles"}),
                           ("storage_transformers", [{"name": "a"}]), ("zarr_format", 4), ("chunk_key_encoding", None)):
            self.refuses(self.edit(self.store(voxels), lambda metadata: metadata.update({key: value})))
        for key, value, saying in (("extra", {"name": "a"}, "its unknown key, which must be understood, is 'extra'"), ("extra", 1, "'extra'"),
                                   ("node_type", "group", "its node_type is 'group'"), ("codecs", [], "its list of codecs is '[]'"),
                                   ("shape", [9, 7], "its shape is '[9,7]', but its chunks have 3 dimensions"),
                                   ("zarr_format", 2, "its metadata have no key 'dtype', which is required")):
            self.refuses(self.edit(self.store(voxels), lambda metadata: metadata.update({key: value})), saying=saying)
        self.assert_zarr(self.edit(self.store(voxels), lambda metadata: metadata.update(extra={"must_understand": False})), voxels)
        # Chunks may be larger than the array. Nothing is stored in these.
        large = self.edit(self.store(voxels), lambda metadata: metadata["chunk_grid"]["configuration"].update(chunk_shape=[2**44, 6, 7]))
        shutil.rmtree(os.path.join(large, "c"))
        np.testing.assert_array_equal(self.read(large).voxels, np.zeros(SHAPE))
        path = self.store(voxels)
        with open(os.path.join(path, "zarr.json"), "r+b") as stream:
            stream.truncate(100)
        self.refuses(path, saying="'zarr.json' is damaged")


class Ome(ZarrTest):
    AXES = [{"name": "t", "type": "time", "unit": "second"}, {"name": "c", "type": "channel"},
            *({"name": name, "type": "space", "unit": "micrometer"} for name in "zyx")]

    def image(self, voxels, version=3, axes="tczyx", datasets=None, **more):
        """A pyramid of two levels."""
        shutil.rmtree(self.path("o.zarr"), ignore_errors=True)
        group = zarr.create_group(self.path("o.zarr"), zarr_format=version)
        for level, step in enumerate((1, 2)):
            small = voxels[..., ::step, ::step]
            group.create_array(str(level), data=small, chunks=(5,) * voxels.ndim)
        scale = [3, 1, 2, 0.5, 0.25][-voxels.ndim:]
        datasets = datasets or [{"path": str(level), "coordinateTransformations": [
            {"type": "scale", "scale": [*scale[:-2], scale[-2] * step, scale[-1] * step]},
            {"type": "translation", "translation": [0, 0, 10, 20, 30][-voxels.ndim:]}]} for level, step in enumerate((1, 2))]
        image = {"axes": [axis for axis in self.AXES if axis["name"] in axes], "datasets": datasets, **more}
        if version == 3:
            group.attrs["ome"] = {"version": "0.5", "multiscales": [image]}
        else:
            group.attrs["multiscales"] = [dict(image, version="0.4")]
        return self.path("o.zarr")

    def test_spacing_and_origin(self):
        voxels = values("uint16", SHAPE)
        for version in (2, 3):
            path = self.image(voxels[None, None], version)
            for name in (path, path + "/", os.path.join(path, "zarr.json" if version == 3 else ".zgroup")):
                image = self.read(name)
                np.testing.assert_array_equal(image.voxels, voxels)
                self.assert_geometry(image, (0.00025, 0.0005, 0.002), (0.03, 0.02, 0.01), np.eye(3))
            self.assertEqual(self.read(os.path.join(path, "0")).spacing_source, "none")
            np.testing.assert_array_equal(self.read(os.path.join(path, "1")).voxels, voxels[:, ::2, ::2])
        self.assert_geometry(self.read(self.image(voxels, axes="zyx")), (0.00025, 0.0005, 0.002), (0.03, 0.02, 0.01))
        self.assert_geometry(self.read(self.image(voxels[0], axes="yx")), (0.00025, 0.0005), (0.03, 0.02))
        # The scale of all levels is applied after that of the level.
        image = self.read(self.image(voxels, axes="zyx", coordinateTransformations=[{"type": "scale", "scale": [10, 10, 10]}]))
        self.assert_geometry(image, (0.0025, 0.005, 0.02), (0.3, 0.2, 0.1))

    def test_largest_resolution(self):
        voxels = values("uint16", SHAPE)
        for version, name in ((2, ".zattrs"), (3, "zarr.json")):
            path = self.image(voxels, version, axes="zyx")
            multiscales = {2: lambda data: data["multiscales"], 3: lambda data: data["attributes"]["ome"]["multiscales"]}[version]
            self.edit(path, lambda data: multiscales(data)[0]["datasets"].reverse(), name)
            image = self.read(path)
            np.testing.assert_array_equal(image.voxels, voxels)
            self.assert_geometry(image, (0.00025, 0.0005, 0.002))
            # Smaller ones may be missing.
            self.edit(path, lambda data: multiscales(data)[0]["datasets"].reverse(), name)
            shutil.rmtree(os.path.join(path, "1"))
            np.testing.assert_array_equal(self.read(path).voxels, voxels)

    def test_units_of_some_axes(self):
        voxels = values("uint16", (3, *SHAPE[1:]))
        path = self.image(voxels, axes="zyx")
        axes = lambda data: data["attributes"]["ome"]["multiscales"][0]["axes"]  # noqa: E731
        for axis in (0, 2):
            unit = {}
            self.edit(path, lambda data: unit.update(unit=axes(data)[axis].pop("unit")))
            self.refuses(path, saying="some of its OME axes have a unit, and others none; all axes of space should have one")
            self.edit(path, lambda data: axes(data)[axis].update(unit))
        # The unit of time is none of space.
        self.edit(path, lambda data: (axes(data)[0].update(name="t", type="time"), axes(data)[1].pop("unit"), axes(data)[2].pop("unit")))
        image = self.read(path)
        self.assertIn("its OME scale has no unit; mm is assumed", image.notes)
        self.assert_geometry(image, (0.25, 0.5, 1))

    def test_as_ome_zarr_writes_it(self):
        try:
            from ome_zarr import format as fmt
            from ome_zarr import writer
        except ImportError as missing:
            self.skipTest(str(missing))
        voxels = values("uint8", SHAPE)
        for version, kind in ((2, fmt.FormatV04()), (3, fmt.FormatV05())):
            for scale in (None, (2, 0.5, 0.25)):
                name = self.path("w%d%s.zarr" % (version, scale is None))
                group = zarr.open_group(name, mode="w", zarr_format=version)
                options = {} if scale is None else {"coordinate_transformations": [[{"type": "scale", "scale": scale}]]}
                writer.write_multiscale([voxels], group, fmt=kind, axes="zyx", **options)
                image = self.read(name)
                np.testing.assert_array_equal(image.voxels, voxels)
                self.assert_geometry(image, (1, 1, 1) if scale is None else scale[::-1])
                self.assertIn("its OME scale has no unit; mm is assumed", image.notes)

    def test_times_and_channels(self):
        voxels = values("uint16", (3, 1, *SHAPE))
        image = self.read(self.image(voxels))
        np.testing.assert_array_equal(image.voxels, voxels[:, 0])
        self.assert_geometry(image, (0.00025, 0.0005, 0.002, 1))
        self.refuses(self.image(voxels.swapaxes(0, 1)), saying="its 3 channels are not its last axis, of tczyx (OME axes)")

    def test_old_versions(self):
        voxels = values("uint16", SHAPE)
        path = self.image(voxels[None, None], 2)
        self.edit(path, lambda data: data["multiscales"][0].pop("axes"), ".zattrs")
        np.testing.assert_array_equal(self.read(path).voxels, voxels)
        self.edit(path, lambda data: data["multiscales"][0].update(axes=list("tczyx"), datasets=[{"path": "0"}]), ".zattrs")
        self.assertEqual(self.read(path).spacing_source, "none")

    def test_refused(self):
        voxels = values("uint16", SHAPE)
        self.refuses(self.image(voxels, axes="zyx", datasets=[{"path": "7"}]), saying="its image '7' is missing")
        self.refuses(self.image(voxels, axes="yx"), saying="its axes are yx, but the array has 9 x 7 x 11 voxels")
        for change in ({"type": "rotation"}, {"type": "scale", "scale": [1, 2]}, {"type": "scale", "path": "a"}, {"type": "scale", "scale": [0, 0, 0]}):
            self.refuses(self.image(voxels, axes="zyx", coordinateTransformations=[change]))
        path = self.image(voxels, axes="zyx")
        self.edit(path, lambda data: data["attributes"]["ome"]["multiscales"][0]["axes"][0].update(unit="parsec"))
        self.refuses(path, saying="an axis has the unit 'parsec'")
        self.edit(path, lambda data: data["attributes"]["ome"]["multiscales"][0].update(datasets=[]))
        self.refuses(path, saying="its list of OME datasets is empty; there must be one at least")
        self.edit(path, lambda data: data.update(extra=1))
        self.refuses(path, saying="its unknown key, which must be understood, is 'extra'")
        self.edit(path, lambda data: data.pop("extra"))
        self.edit(path, lambda data: data["attributes"]["ome"].pop("multiscales"))
        self.refuses(path, saying="it is a group with 0 OME images; give the folder in it")


if __name__ == "__main__":
    unittest.main()
