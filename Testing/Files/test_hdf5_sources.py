# SPDX-License-Identifier: Apache-2.0
"""HDF5 datasets whose values come from elsewhere (virtual ones, external links and files), and damaged lists of chunks."""

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
    def virtual(self, name, sources, shape=BLOCKY.shape):
        """A virtual dataset of slabs along z, each from (file, dataset, the shape that it is taken for)."""
        path = self.path(name)
        with h5py.File(path, "w") as stream:
            layout = h5py.VirtualLayout(shape, "u2")
            begin = 0
            for file, dataset, size in sources:
                layout[begin:begin + size[0]] = h5py.VirtualSource(file, dataset, size)
                begin += size[0]
            stream.create_virtual_dataset("joined", layout, fillvalue=7)
        return path

    def refuses_in_both_ways(self, path, saying):
        self.refuses(path, saying=saying)
        result = self.label(path, self.path("out.nrrd"), "--memory", "96MB")
        self.assertNotEqual(result.returncode, 0)
        for text in ("cannot read '%s'" % path, *saying):
            self.assertIn(text, result.stderr)
        self.assertFalse(os.path.exists(self.path("out.nrrd")))

    def test_sources_of_virtual_datasets(self):
        half = BLOCKY.shape[0] // 3
        parts = (BLOCKY[:half], BLOCKY[half:2 * half], BLOCKY[2 * half:])
        for number, part in enumerate(parts):
            self.store("s%d.h5" % number, {"d": part}, chunks=(3, 9, 9), compression=1)
        sources = [("s%d.h5" % number, "d", part.shape) for number, part in enumerate(parts)]
        path = self.virtual("v.h5", sources)
        self.assert_voxels(path, BLOCKY)
        # A virtual source of a virtual dataset, in the same file, and by an absolute name that is no more.
        outer = self.virtual("outer.h5", [("/nowhere/v.h5", "joined", BLOCKY.shape)])
        self.assert_voxels(outer, BLOCKY)
        with h5py.File(self.path("own.h5"), "w") as stream:
            stream["a"] = BLOCKY
            layout = h5py.VirtualLayout(BLOCKY.shape, "u2")
            layout[...] = h5py.VirtualSource(".", "a", BLOCKY.shape)
            stream.create_virtual_dataset("joined", layout)
        self.assert_voxels(self.path("own.h5") + "::/joined", BLOCKY)
        self.refuses_in_both_ways(self.virtual("b.h5", sources[:2] + [("s2.h5", "e", parts[2].shape)]),
                                  ("/joined", "'s2.h5::e' cannot be opened"))
        larger = (half, BLOCKY.shape[1], BLOCKY.shape[2] + 1)
        self.refuses_in_both_ways(self.virtual("l.h5", [("s0.h5", "d", larger)], larger), ("s0.h5::d", "9 x 36 x 50", "uses 16524 values of it"))
        with open(self.path("s1.h5"), "r+b") as stream:
            stream.truncate(900)
        self.refuses_in_both_ways(path, ("s1.h5", "truncated"))
        os.remove(self.path("s1.h5"))
        for each in (path, outer):
            self.refuses_in_both_ways(each, ("/joined", "'s1.h5::d' is missing"))

    def test_sources_that_may_grow(self):
        """What has no fixed number of sources or of values is refused in one sentence."""
        size = BLOCKY[:9].shape
        path = self.path("numbered.h5")
        with h5py.File(path, "w") as stream:
            whole = h5py.h5s.create_simple(BLOCKY.shape, (h5py.h5s.UNLIMITED, *BLOCKY.shape[1:]))
            taken = whole.copy()
            taken.select_hyperslab((0, 0, 0), (h5py.h5s.UNLIMITED, 1, 1), (9, 1, 1), size)
            storage = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            storage.set_virtual(taken, b"part-%b.h5", b"d", h5py.h5s.create_simple(size))
            h5py.h5d.create(stream.id, b"joined", h5py.h5t.NATIVE_UINT16, whole, storage)
        self.refuses_in_both_ways(path, ("part-%b.h5::d", "unlimited selection", "an ordinary dataset"))
        with h5py.File(self.path("g.h5"), "w") as stream:
            stream.create_dataset("d", data=BLOCKY, maxshape=(None, *BLOCKY.shape[1:]), chunks=(3, *BLOCKY.shape[1:]))
        path = self.path("grown.h5")
        with h5py.File(path, "w") as stream:
            layout = h5py.VirtualLayout(BLOCKY.shape, "u2", maxshape=(None, *BLOCKY.shape[1:]))
            source = h5py.VirtualSource("g.h5", "d", BLOCKY.shape, maxshape=(None, *BLOCKY.shape[1:]))
            layout[0:h5py.h5s.UNLIMITED] = source[0:h5py.h5s.UNLIMITED]
            stream.create_virtual_dataset("joined", layout, fillvalue=9)
        self.refuses_in_both_ways(path, ("g.h5::d", "unlimited selection"))

    def test_more_sources_than_files_may_be_open(self):
        """The library gives fill values for a file that it cannot open: the limit is raised, or the dataset refused."""
        values = np.random.default_rng(2).integers(0, 2, (150, 4, 5)).astype("u2")
        for number in range(150):
            self.store("n%d.h5" % number, {"d": values[number:number + 1]})
        path = self.virtual("many.h5", [("n%d.h5" % number, "d", (1, 4, 5)) for number in range(150)], values.shape)
        out = self.path("out.nrrd")
        for memory in ((), ("--memory", "64MB", "--threads", "1")):
            for limit, works in (("-S -n 64", True), ("-n 100", False), ("-n 400", True)):
                with self.subTest(limit=limit, memory=memory):
                    shell = 'ulimit %s; exec "$@"' % limit
                    result = subprocess.run(["bash", "-c", shell, "x", COMMAND, "label", path, out, *memory],
                                            capture_output=True, text=True)
                    if works:
                        self.assertEqual(result.returncode, 0, result.stderr)
                        np.testing.assert_array_equal(self.read(out).voxels != 0, values != 0)
                        os.remove(out)
                    else:
                        self.assertNotEqual(result.returncode, 0)
                        self.assertRegex(result.stderr, "values from 151 files, and this process can open only [0-9]+ .*ulimit -n")
                        self.assertFalse(os.path.exists(out))

    def test_filters_that_are_missing_behind_virtual_datasets(self):
        source = self.path("packed.h5")
        with h5py.File(source, "w") as stream:
            storage = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            storage.set_chunk(BLOCKY.shape)
            # Optional, so that the library creates it without knowing it.
            storage.set_filter(32999, h5py.h5z.FLAG_OPTIONAL)
            h5py.h5d.create(stream.id, b"d", h5py.h5t.NATIVE_UINT16, h5py.h5s.create_simple(BLOCKY.shape), storage)
        saying = ("is compressed by the filter 32999", "h5repack")
        self.refuses_in_both_ways(source, ("its dataset /d", *saying))
        self.refuses_in_both_ways(self.virtual("v.h5", [("packed.h5", "d", BLOCKY.shape)]), ("'packed.h5::d'", *saying))

    def test_virtual_datasets_of_themselves(self):
        with h5py.File(self.path("own.h5"), "w") as stream:
            layout = h5py.VirtualLayout(BLOCKY.shape, "u2")
            layout[...] = h5py.VirtualSource(".", "joined", BLOCKY.shape)
            stream.create_virtual_dataset("joined", layout)
        self.refuses_in_both_ways(self.path("own.h5"), ("/joined", "uses itself as a source"))
        self.virtual("one.h5", [("other.h5", "joined", BLOCKY.shape)])
        self.virtual("other.h5", [("one.h5", "joined", BLOCKY.shape)])
        self.refuses_in_both_ways(self.path("one.h5"), ("uses itself as a source", "other.h5"))

    def label_and_stop(self, path, output, work, change):
        """Labels by slabs, and calls change() while it is stopped after the first of them."""
        os.mkdir(work)
        process = subprocess.Popen([COMMAND, "label", path, output, "--memory", "64MB", "--threads", "1", "--work", work],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(60000):
            if sum(len(files) for _, _, files in os.walk(work)) > 2 or process.poll() is not None:
                break
            time.sleep(0.001)
        self.assertIsNone(process.poll(), "it ended before a source could be changed")
        process.send_signal(signal.SIGSTOP)
        change()
        process.send_signal(signal.SIGCONT)
        said = process.communicate(timeout=120)[1]
        return process.returncode, said

    def test_sources_that_go_between_parts(self):
        """The library gives fill values where a source has gone: without a word."""
        part = np.kron(np.random.default_rng(3).integers(0, 2, (10, 8, 8)), np.ones((5, 32, 32), int)).astype("u2")
        for number in range(4):
            self.store("m%d.h5" % number, {"d": part}, chunks=(5, 64, 64), compression=1)
        path = self.virtual("many.h5", [("m%d.h5" % number, "d", part.shape) for number in range(4)],
                            (200, *part.shape[1:]))
        last = self.path("m3.h5")

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
            self.assertIn("m3.h5', which was %s while it was read" % said, errors)
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

    def files_of_two_kinds(self):
        """(a dataset, the file that its values are in), of each kind."""
        source = self.store("source.h5", {"d": BLOCKY})
        with h5py.File(self.path("linked.h5"), "w") as stream:
            stream["far"] = h5py.ExternalLink("source.h5", "/d")
        return ((self.virtual("v.h5", [("source.h5", "d", BLOCKY.shape)]), source),
                (self.path("linked.h5") + "::/far", source))

    def test_files_of_values_are_inputs(self):
        for number, (path, source) in enumerate(self.files_of_two_kinds()):
            with self.subTest(path=path):
                self.assert_voxels(path, BLOCKY)
                with open(source, "rb") as stream:
                    before = stream.read()
                link = self.path("link%d.nrrd" % number)
                os.link(source, link)
                for memory in ((), ("--memory", "96MB")):
                    result = self.label(path, link, *memory)
                    self.assertNotEqual(result.returncode, 0)
                    self.assertIn("a part of the input", result.stderr)
                with open(source, "rb") as stream:
                    self.assertEqual(stream.read(), before)

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

    def test_sources_that_are_no_files(self):
        os.mkfifo(self.path("pipe.h5"))
        layout = h5py.VirtualLayout(shape=BLOCKY.shape, dtype=BLOCKY.dtype)
        layout[...] = h5py.VirtualSource(self.path("pipe.h5"), "d", shape=BLOCKY.shape)
        with h5py.File(self.path("virtual.h5"), "w") as stream:
            stream.create_virtual_dataset("d", layout)
        self.refuses(self.path("virtual.h5") + "::/d", saying=("pipe.h5", "is missing"))

    def test_places_of_sources(self):
        """Others that the library would take first, or instead, are not read: neither by a prefix nor of the working folder."""
        for folder in ("other", "here"):
            os.mkdir(self.path(folder))
        self.store("s.h5", {"d": BLOCKY})
        self.store("other/s.h5", {"d": 0 * BLOCKY})
        path = self.virtual("here.h5", [("s.h5", "d", BLOCKY.shape)])
        os.environ["HDF5_VDS_PREFIX"] = self.path("other")
        self.addCleanup(os.environ.pop, "HDF5_VDS_PREFIX")
        self.assert_voxels(path, BLOCKY)
        os.remove(self.path("s.h5"))
        self.refuses(path, saying=("'s.h5::d' is missing",))
        self.refuses(self.virtual("sub.h5", [("sub/here.h5", "joined", BLOCKY.shape)]), saying=("'sub/here.h5::joined' is missing",))

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
