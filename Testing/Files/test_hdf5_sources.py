# SPDX-License-Identifier: Apache-2.0
"""HDF5 datasets whose values come from elsewhere, files that change while they are read, and damaged lists of chunks."""

import glob
import os
import shutil
import re
import signal
import subprocess
import time
import unittest

from files import COMMAND, np, skip_without
from hdf5_files import BLOCKY, Hdf5Files

h5py = skip_without("h5py")


def has_children(process):
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as stream:
                # The state and the parent come after the name in parentheses.
                if int(stream.read().rsplit(")", 1)[1].split()[1]) == process:
                    return True
        except OSError:
            pass
    return False


class Hdf5SourcesTest(Hdf5Files):
    def refuses_in_both_ways(self, path, saying):
        self.refuses(path, saying=saying)
        result = self.label(path, self.path("out.nrrd"), "--memory", "96MB")
        self.assertNotEqual(result.returncode, 0)
        for text in ("cannot read '%s'" % path, *saying):
            self.assertIn(text, result.stderr)
        self.assertFalse(os.path.exists(self.path("out.nrrd")))

    def test_values_from_elsewhere(self):
        """Virtual datasets, external storage and external links are refused; a copy, as the sentence says, is read."""
        self.store("source.h5", {"d": BLOCKY, "g/d": BLOCKY})
        path = self.path("elsewhere.h5")
        with h5py.File(path, "w") as stream:
            for name, file in (("joined", "source.h5"), ("lost", "missing.h5"), ("own", ".")):
                layout = h5py.VirtualLayout(BLOCKY.shape, "u2")
                layout[...] = h5py.VirtualSource(file, "d", BLOCKY.shape)
                stream.create_virtual_dataset(name, layout, fillvalue=7)
            layout = h5py.VirtualLayout(BLOCKY.shape, "u2", maxshape=(None, *BLOCKY.shape[1:]))
            stream.create_virtual_dataset("empty", layout)
            stream.create_dataset("raw", data=BLOCKY, external=[(self.path("values.raw"), 0, h5py.h5f.UNLIMITED)])
            stream["far"] = h5py.ExternalLink("source.h5", "/d")
            stream["group"] = h5py.ExternalLink("source.h5", "/g")
            stream["soft"] = h5py.SoftLink("joined")
            stream["soft_far"] = h5py.SoftLink("group/d")
            stream["gone"] = h5py.ExternalLink("missing.h5", "/d")
            stream["d"] = BLOCKY
        for name in ("joined", "lost", "own", "empty", "raw", "far", "group/d", "soft", "soft_far"):
            with self.subTest(name=name):
                self.refuses_in_both_ways(path + "::/" + name, (
                    "its dataset /%s takes its values from other datasets or files" % name, "out['data'] = file['data'][:]"))
        self.refuses_in_both_ways(path + "::/gone", ("it has no dataset /gone",))
        self.assert_voxels(path + "::/d", BLOCKY)
        with h5py.File(path) as file, h5py.File(self.path("copy.h5"), "w") as out:
            out["data"] = file["joined"][:]
        self.assert_voxels(self.path("copy.h5"), BLOCKY)

    def test_filters_that_are_missing(self):
        path = self.path("packed.h5")
        with h5py.File(path, "w") as stream:
            storage = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            storage.set_chunk(BLOCKY.shape)
            # Optional, so that the library creates it without knowing it.
            storage.set_filter(32999, h5py.h5z.FLAG_OPTIONAL)
            h5py.h5d.create(stream.id, b"d", h5py.h5t.NATIVE_UINT16, h5py.h5s.create_simple(BLOCKY.shape), storage)
        self.refuses_in_both_ways(path, ("its dataset /d is compressed by the filter 32999", "h5repack"))

    def test_files_that_change_between_parts(self):
        """Slabs open the file anew: no two states of it are mixed."""
        volume = np.kron(np.random.default_rng(3).integers(0, 2, (40, 8, 8)), np.ones((5, 32, 32), int)).astype("u2")
        path = self.store("whole.h5", {"d": volume}, chunks=(5, 64, 64), compression=1)

        def replace():
            os.rename(path, path + ".away")
            with h5py.File(path, "w") as stream:
                stream["d"] = np.zeros((1, 1, 1), "u2")

        def swap():
            """Another file of the same values, size and time."""
            before = os.stat(path)
            shutil.copy2(path, path + ".copy")
            os.rename(path, path + ".away")
            os.rename(path + ".copy", path)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

        ways = ((lambda: os.rename(path, path + ".away"), "removed"), (replace, "changed or replaced"),
                (swap, "changed or replaced"))
        for number, (way, said) in enumerate(ways):
            code, errors = self.label_and_stop(path, self.path("out.nrrd"), self.path("work-%d" % number), way)
            self.assertNotEqual(code, 0)
            self.assertIn("whole.h5', which was %s while it was read" % said, errors)
            self.assertFalse(os.path.exists(self.path("out.nrrd")))
            os.replace(path + ".away", path)
        self.assertEqual(self.label(path, self.path("out.nrrd"), "--memory", "64MB", "--threads", "1").returncode, 0)

    def test_ctrl_c_in_a_terminal(self):
        """It reaches the processes that decompress as well; it is no damage of the file."""
        volume = np.random.default_rng(6).integers(0, 9, (300, 256, 256)).astype("u2")
        path = self.store("slow.h5", {"a": volume}, chunks=(20, 64, 64), compression=1)
        for memory in ((), ("--memory", "300MB")):
            process = subprocess.Popen([COMMAND, "label", path, self.path("out.nrrd"), "--threads", "1", *memory],
                                       stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
            for _ in range(10000):
                if process.poll() is not None or has_children(process.pid):
                    break
                time.sleep(0.001)
            time.sleep(0.1)
            self.assertIsNone(process.poll())
            os.killpg(process.pid, signal.SIGINT)
            said = process.communicate(timeout=60)[1]
            self.assertNotEqual(process.returncode, 0)
            self.assertNotIn("damaged", said)
            self.assertFalse(os.path.exists(self.path("out.nrrd")))

    def test_chunks_thicker_than_slabs(self):
        """They are decompressed again for each slab, as the plan tells; the labels are the same."""
        volume = np.kron(np.random.default_rng(4).integers(0, 3, (50, 12, 12)), np.ones((3, 16, 16), int)).astype("u1")
        mask = np.random.default_rng(5).random(volume.shape) < 0.9
        path = self.store("thick.h5", {"a": volume}, chunks=(60, 64, 64), compression=1)
        masks = self.store("mask.h5", {"a": mask.astype("u1")}, chunks=(30, 64, 64), compression=1)
        whole, parts = self.path("whole.nrrd"), self.path("parts.nrrd")
        self.assertEqual(self.label(path, whole, "--mask", masks, "--range", "1", "1").returncode, 0)
        expected = self.read(whole).voxels
        slabs = []
        for memory in ("68MB", "145MB"):
            result = self.label(path, parts, "--mask", masks, "--range", "1", "1", "--memory", memory, "--threads", "1")
            self.assertEqual(result.returncode, 0, result.stderr)
            slabs.append((int(re.search(r"plan: (\d+) slab", result.stdout + result.stderr)[1]),
                          "decompressed again" in result.stdout + result.stderr))
            np.testing.assert_array_equal(self.read(parts).voxels, expected)
        self.assertEqual([again for _, again in slabs], [True, False])
        self.assertTrue(all(count > 2 for count, _ in slabs), slabs)

    def test_the_file_is_an_input(self):
        """Labels do not replace it, by another name either."""
        path, link = self.store("plain.h5", {"d": BLOCKY}, chunks=(9, 12, 25)), self.path("link.nrrd")
        with open(path, "rb") as stream:
            before = stream.read()
        os.link(path, link)
        for name in (path, path + "::/d"):
            for memory in ((), ("--memory", "96MB")):
                result = self.label(name, link, *memory)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn("input", result.stderr)
        with open(path, "rb") as stream:
            self.assertEqual(stream.read(), before)

    def test_damaged_lists_of_chunks(self):
        """Each place of a chunk in the index, changed to one outside, between others, and that of another one."""
        path = self.store("chunks.h5", {"a": BLOCKY}, chunks=(9, 12, 25), compression=1)
        with open(path, "rb") as stream:
            data = stream.read()
        node = data.index(b"TREE\x01")
        keys = [node + 24 + 48 * number for number in range(18)]
        place = lambda key: np.frombuffer(data, "<u8", 3, key + 8)
        self.assertEqual([tuple(place(key)) for key in keys],
                         [(z, y, x) for z in (0, 9, 18) for y in (0, 12, 24) for x in (0, 25)])
        for key in keys[1:-1:3]:
            for other in ((9, 12, 2 ** 40 // 25 * 25), tuple(place(key) + np.array((0, 0, 3), "u8")), tuple(place(key) + np.array((1, 0, 0), "u8")),
                          tuple(place(key - 48))):
                with self.subTest(key=key, other=other):
                    changed = bytearray(data)
                    changed[key + 8:key + 32] = np.array(other, "<u8").tobytes()
                    with open(self.path("changed.h5"), "wb") as stream:
                        stream.write(changed)
                    # The library rounds places between others down, which may be right.
                    if any(np.array(other) % (9, 12, 25)) and self.run_dump(self.path("changed.h5"))[0].returncode == 0:
                        self.assert_voxels(self.path("changed.h5"), BLOCKY)
                    else:
                        self.refuses(self.path("changed.h5"), saying="its dataset /a has a damaged list of chunks")
        many = np.arange(100000, dtype="u4").reshape(100, 100, 10)
        self.assert_voxels(self.store("many.h5", {"a": many}, chunks=(1, 1, 1)), many)


if __name__ == "__main__":
    unittest.main()
