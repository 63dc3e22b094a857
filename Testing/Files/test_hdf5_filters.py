# SPDX-License-Identifier: Apache-2.0
"""HDF5 datasets behind filters that the library has as plugins, beside those of hdf5plugin."""

import random
import unittest

from files import np, skip_without, values
from hdf5_files import BLOCKY, Hdf5Files

h5py = skip_without("h5py")
plugins = skip_without("hdf5plugin")

FILTERS = {"lzf": {"compression": "lzf"},
           **{"blosc " + name: plugins.Blosc(cname=name, shuffle=shuffle)
              for name, shuffle in (("blosclz", 0), ("lz4", 1), ("zlib", 2), ("zstd", 1))},
           **{"bitshuffle %s %d" % (name, size): plugins.Bitshuffle(nelems=size, cname=name)
              for name, size in (("none", 0), ("none", 64), ("lz4", 0), ("lz4", 8), ("zstd", 64))},
           **{"lz4 %d" % size: plugins.LZ4(nbytes=size) for size in (0, 1000)}, "zstd": plugins.Zstd()}


class Hdf5FilterTest(Hdf5Files):
    def test_all_types_and_sizes_of_chunks(self):
        """Chunks at the ends, of fewer than 8 voxels, and of more voxels than a block; others keep their bytes."""
        kinds = ("u1", "i1", "<u2", ">u2", ">i4", "<u4", ">u8", "<f4", ">f4", "<f8")
        for number, (name, options) in enumerate(FILTERS.items()):
            for chunks in ((27, 36, 50), (5, 11, 17), (1, 1, 7)):
                kind = kinds[(number + chunks[0]) % len(kinds)]
                flat = (BLOCKY if chunks[2] > 7 else BLOCKY[:3, :4]) * 3
                for voxels in (flat.astype(kind), values(np.dtype(kind).name, flat.shape).astype(kind)):
                    for more in ({}, {"fletcher32": True}, {"shuffle": True})[:3 if chunks[0] == 5 else 1]:
                        path = self.store("a.h5", {"a": voxels}, chunks=chunks, **options, **more)
                        with self.subTest(name=name, chunks=chunks, kind=kind, more=more):
                            self.assert_voxels(path, voxels.astype(np.dtype(kind).newbyteorder("=")))

    def test_chunks_of_other_sizes(self):
        """Chunks that decode to fewer or more bytes than theirs, or that are cut or too long, are refused."""
        for name, options in FILTERS.items():
            for chunks in ((9, 12, 25), (9, 12, 24), (9, 12, 26)):
                other = self.store("other.h5", {"a": BLOCKY[:9, :12, :chunks[2]]}, chunks=chunks, **options)
                with h5py.File(other) as stream:
                    mask, stored = stream["a"].id.read_direct_chunk((0, 0, 0))
                ends = ("as it is", "cut", "long") if chunks[2] == 25 else ("as it is",)
                for change in ends:
                    path = self.store("a.h5", {"a": BLOCKY[:9, :12, :25]}, chunks=(9, 12, 25), **options)
                    with h5py.File(path, "r+") as stream:
                        stream["a"].id.write_direct_chunk(
                            (0, 0, 0), {"as it is": stored, "cut": stored[:-1], "long": stored + b"\0"}[change], mask)
                    with self.subTest(name=name, chunks=chunks, change=change):
                        if chunks[2] == 25 and change == "as it is":
                            self.assert_voxels(path, BLOCKY[:9, :12, :25])
                        else:
                            self.refuses(path, saying="/a cannot be read from 0 x 0 x 0 on as 9 x 12 x 25 values")

    def test_damaged_chunks(self):
        """What is read is what the plugins read; a damaged byte never ends the program in another way."""
        numbers = random.Random(1)
        refused = 0
        for name, options in FILTERS.items():
            for change in range(6):
                path = self.store("a.h5", {"a": BLOCKY}, chunks=BLOCKY.shape, **options)
                with h5py.File(path) as stream:
                    chunk = stream["a"].id.get_chunk_info(0)
                with open(path, "r+b") as stream:
                    stream.seek(chunk.byte_offset + numbers.randrange(20 if change < 4 else chunk.size))
                    stream.write(bytes([numbers.randrange(256)]))
                result, out = self.run_dump(path)
                with self.subTest(name=name, change=change):
                    if result.returncode != 0:
                        refused += 1
                        self.assertIn("/a cannot be read from 0 x 0 x 0 on", result.stderr)
                        continue
                    with h5py.File(path) as stream:
                        np.testing.assert_array_equal(np.fromfile(out, "u2"), stream["a"][()].ravel())
        self.assertGreater(refused, 20)


if __name__ == "__main__":
    unittest.main()
