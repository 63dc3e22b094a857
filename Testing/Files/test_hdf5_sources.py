# SPDX-License-Identifier: Apache-2.0
"""HDF5 datasets whose values are in another file (external links), behind filters or in large chunks; damaged lists of chunks."""

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

    def test_filters_that_are_missing(self):
        source = self.path("packed.h5")
        with h5py.File(source, "w") as stream:
            storage = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            storage.set_chunk(BLOCKY.shape)
            # Optional, so that the library creates it without knowing it.
            storage.set_filter(32999, h5py.h5z.FLAG_OPTIONAL)
            h5py.h5d.create(stream.id, b"d", h5py.h5t.NATIVE_UINT16, h5py.h5s.create_simple(BLOCKY.shape), storage)
        self.refuses_in_both_ways(source, ("its dataset /d", "is compressed by the filter 32999", "h5repack"))

    def label_and_stop(self, path, output, work, change):
        """Labels by slabs, and calls change() while it is stopped after the first of them."""
        process = subprocess.Popen([COMMAND, "label", path, output, "--memory", "64MB", "--threads", "1", "--work", work],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(60000):
            if len(glob.glob(os.path.join(work, "**", "*"), recursive=True)) > 3 or process.poll() is not None:
                break
            time.sleep(0.001)
        self.assertIsNone(process.poll(), "it ended before a source could be changed")
        process.send_signal(signal.SIGSTOP)
        change()
        process.send_signal(signal.SIGCONT)
        said = process.communicate(timeout=120)[1]
        return process.returncode, said

    def test_sources_that_go_between_parts(self):
        """A file behind a link that changes between two slabs is an error."""
        part = np.kron(np.random.default_rng(3).integers(0, 2, (10, 8, 8)), np.ones((5, 32, 32), int)).astype("u2")
        last = self.store("far.h5", {"d": np.concatenate(4 * [part])}, chunks=(5, 64, 64), compression=1)
        with h5py.File(self.path("near.h5"), "w") as stream:
            stream["d"] = h5py.ExternalLink("far.h5", "/d")
        path = self.path("near.h5") + "::/d"

        def replace():
            os.rename(last, last + ".away")
            with h5py.File(last, "w") as stream:
                stream["d"] = np.zeros((1, 1, 1), "u2")

        def swap():
            """Other values in a file of the same size and time."""
            before = os.stat(last)
            shutil.copy2(last, last + ".away")
            with h5py.File(last, "r+") as stream:
                stream["d"].attrs["note"] = "other"
            with open(last, "r+b") as stream:
                stream.truncate(before.st_size)
            os.utime(last, ns=(before.st_atime_ns, before.st_mtime_ns))

        ways = ((lambda: os.rename(last, last + ".away"), "removed"), (replace, "changed or replaced"),
                (swap, "changed or replaced"))
        for number, (way, said) in enumerate(ways):
            code, errors = self.label_and_stop(path, self.path("out.nrrd"), self.path("work-%d" % number), way)
            self.assertNotEqual(code, 0)
            self.assertIn("far.h5', which was %s while it was read" % said, errors)
            self.assertFalse(os.path.exists(self.path("out.nrrd")))
            os.replace(last + ".away", last)
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
        """They are decompressed once, if the memory for that is given, and else for each slab; the labels are the same."""
        volume = np.kron(np.random.default_rng(4).integers(0, 3, (50, 12, 12)), np.ones((3, 16, 16), int)).astype("u1")
        mask = np.random.default_rng(5).random(volume.shape) < 0.9
        path = self.store("thick.h5", {"a": volume}, chunks=(60, 64, 64), compression=1)
        masks = self.store("mask.h5", {"a": mask.astype("u1")}, chunks=(37, 64, 64), compression=1)
        whole, parts = self.path("whole.nrrd"), self.path("parts.nrrd")
        self.assertEqual(self.label(path, whole, "--mask", masks, "--range", "1", "1").returncode, 0)
        expected = self.read(whole).voxels
        slabs = []
        for memory in ("68MB", "76MB", "100MB"):
            result = self.label(path, parts, "--mask", masks, "--range", "1", "1", "--memory", memory, "--threads", "1")
            self.assertEqual(result.returncode, 0, result.stderr)
            slabs.append((int(re.search(r"plan: (\d+) slab", result.stdout + result.stderr)[1]),
                          "decompressed again" in result.stdout + result.stderr))
            np.testing.assert_array_equal(self.read(parts).voxels, expected)
        self.assertEqual([again for _, again in slabs], [True, False, False])
        self.assertTrue(all(count > 2 for count, _ in slabs[:2]), slabs)

    def test_files_of_values_are_inputs(self):
        source = self.store("source.h5", {"d": BLOCKY})
        with h5py.File(self.path("linked.h5"), "w") as stream:
            stream["far"] = h5py.ExternalLink("source.h5", "/d")
        path = self.path("linked.h5") + "::/far"
        self.assert_voxels(path, BLOCKY)
        with open(source, "rb") as stream:
            before = stream.read()
        os.link(source, self.path("link.nrrd"))
        for memory in ((), ("--memory", "96MB")):
            result = self.label(path, self.path("link.nrrd"), *memory)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("a part of the input", result.stderr)
        with open(source, "rb") as stream:
            self.assertEqual(stream.read(), before)
        options = ("--memory", "96MB", "--work", self.path("work"))
        self.assertEqual(self.label(path, self.path("out.nrrd"), *options).returncode, 0)
        os.utime(source, (1, 1))
        result = self.label(path, self.path("out.nrrd"), *options, "--resume")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(os.path.basename(source), result.stderr)

    def test_links_by_way_of_other_files(self):
        self.store("last.h5", {"g/d": BLOCKY})
        with h5py.File(self.path("middle.h5"), "w") as stream:
            stream["group/far"] = h5py.ExternalLink("last.h5", "/g")
            stream["group/near"] = h5py.SoftLink("far")
        with h5py.File(self.path("first.h5"), "w") as stream:
            stream["start"] = h5py.ExternalLink("middle.h5", "group")
            stream["itself"] = h5py.ExternalLink("first.h5", "/itself")
            stream["lost"] = h5py.SoftLink("/nothing/here")
            stream["far_lost"] = h5py.ExternalLink("last.h5", "/nothing")
        path = self.path("first.h5") + "::/"
        self.assert_voxels(path + "start/near/d", BLOCKY)
        os.link(self.path("last.h5"), self.path("last.nrrd"))
        result = self.label(path + "start/near/d", self.path("last.nrrd"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("a part of the input", result.stderr)
        for name in ("itself", "lost", "far_lost"):
            self.refuses(path + name, saying=("it has no dataset /" + name,))
        os.remove(self.path("last.h5"))
        self.refuses(path + "start/near/d", saying=("it has no dataset",))

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
