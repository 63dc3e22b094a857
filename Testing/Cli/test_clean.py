# SPDX-License-Identifier: Apache-2.0
"""What `brickccl clean` does, and `brickccl label` with holes, seeds, the border and a mask to touch."""

import collections
import itertools
import json
import random
import re
import unittest

from support import CommandTest, labels_of, write_nrrd


def neighbors(place, sizes, rank):
    """The neighbors of a voxel whose coordinates differ along at most `rank` axes."""
    for step in itertools.product((-1, 0, 1), repeat=len(sizes)):
        if 0 < sum(map(abs, step)) <= rank:
            other = tuple(a + b for a, b in zip(place, step))
            if all(0 <= a < size for a, size in zip(other, sizes)):
                yield other


def components_of(voxels, sizes, value, rank):
    """The components of the voxels of a value, each a list, in raster order (x fastest)."""
    seen = set()
    found = []
    for place in sorted((p for p in voxels if voxels[p] == value), key=lambda p: p[::-1]):
        if place in seen:
            continue
        seen.add(place)
        component = [place]
        for voxel in component:
            for other in neighbors(voxel, sizes, rank):
                if voxels[other] == value and other not in seen:
                    seen.add(other)
                    component.append(other)
        found.append(component)
    return found


def clean(voxels, sizes, rank, largest=0, minimum=0, fill=None):
    """Cleans class by class and voxel by voxel; `fill` is the size of the largest hole."""
    voxels = dict(voxels)
    for value in sorted(set(voxels.values()) - {0}):
        components = sorted(components_of(voxels, sizes, value, rank), key=lambda c: -len(c))
        for number, component in enumerate(components):
            if len(component) < minimum or (largest and number >= largest):
                voxels.update((place, 0) for place in component)
    if fill is not None:
        before = dict(voxels)
        for hole in components_of(before, sizes, 0, len(sizes) if rank == 1 else 1):
            at_border = any(a in (0, size - 1) for place in hole for a, size in zip(place, sizes))
            faces = collections.Counter(before[other] for place in hole for other in neighbors(place, sizes, 1))
            del faces[0]
            if not at_border and len(hole) <= fill and len(faces) == 1:
                voxels.update((place, min(faces)) for place in hole)
    return voxels


def segments_of(path):
    """The fields of each segment of a .seg.nrrd file, by its value."""
    with open(path, "rb") as stream:
        lines = stream.read().split(b"\n\n")[0].decode().splitlines()
    segments = {}
    for number, field, value in re.findall(r"^Segment(\d+)_(\w+):=(.*)$", "\n".join(lines), re.M):
        segments.setdefault(int(number), {})[field] = value
    assert sorted(segments) == list(range(len(segments)))
    return {int(fields["LabelValue"]): fields for fields in segments.values()}


class SegmentsTest(CommandTest):
    """What 3D Slicer stores of segments stays with the values of the voxels."""

    def setUp(self):
        super().setUp()
        self.input, self.output = self.path("in.seg.nrrd"), self.path("out.seg.nrrd")
        voxels = [0] * (12 * 10 * 6)
        for value, box in ((5, ((2, 5), (2, 5), (1, 4))), (12, ((6, 10), (6, 9), (1, 4))), (5, ((0, 1), (0, 1), (0, 1))),
                           (7, ((9, 10), (1, 2), (1, 2)))):
            for x, y, z in itertools.product(*(range(*one) for one in box)):
                voxels[(z * 10 + y) * 12 + x] = value
        write_nrrd(self.input, "uint8", (12, 10, 6), voxels)
        with open(self.input, "rb") as stream:
            header, data = stream.read().split(b"\n\n", 1)
        lines = ["Segmentation_ReferenceImageExtentOffset:=3 4 5"]
        for number, value, name, color in ((0, 5, "left kidney", "0.9 0.1 0.2"), (1, 12, "Leber \u00e4\\n", "0.1 0.8 0.2"),
                                           (10, 7, "speck", "0 0 1"), (2, 9, "empty", "1 1 0")):
            lines += ["Segment%d_%s:=%s" % (number, key, text) for key, text in (
                ("ID", "id%d" % value), ("Name", name), ("Color", color), ("LabelValue", str(value)), ("Layer", "0"),
                ("Extent", "0 99 0 99 0 99"), ("Tags", "TerminologyEntry:~a^b|"), ("Other", "x := y"))]
        with open(self.input, "wb") as stream:
            stream.write(header + b"\n" + "\n".join(lines).encode() + b"\n\n" + data)

    def described(self, value, box):
        names = {5: ("left kidney", "0.9 0.1 0.2"), 12: ("Leber \u00e4\\n", "0.1 0.8 0.2"), 7: ("speck", "0 0 1"),
                 9: ("empty", "1 1 0")}
        return {"ID": "id%d" % value, "Name": names[value][0], "Color": names[value][1], "LabelValue": str(value), "Layer": "0",
                "Extent": box, "Tags": "TerminologyEntry:~a^b|", "Other": "x := y"}

    def test_clean_keeps_all_segments(self):
        result = self.ok("clean", self.input, self.output, "--minimum-size", 2)
        self.assertEqual(segments_of(self.output),
                         {5: self.described(5, "2 4 2 4 1 3"), 12: self.described(12, "6 9 6 8 1 3"),
                          7: self.described(7, "0 -1 0 -1 0 -1"), 9: self.described(9, "0 -1 0 -1 0 -1")})
        self.assertIn("note: segments without voxels stay in the list: 'empty' and 'speck'", result.stderr)
        with open(self.output, "rb") as stream:
            self.assertIn(b"\nSegmentation_ReferenceImageExtentOffset:=3 4 5\n", stream.read())

    def test_select_keeps_the_segments_that_it_keeps(self):
        where = ("--where", "voxel_count > 1", "--keep", "--quiet")
        self.ok("select", self.input, self.output, *where, "--keep-labels")
        self.assertEqual(segments_of(self.output),
                         {5: self.described(5, "0 4 0 4 0 3"), 12: self.described(12, "6 9 6 8 1 3")})
        self.ok("select", self.input, self.output, *where)
        self.assertEqual({value: fields["Name"] for value, fields in segments_of(self.output).items()},
                         {1: "left kidney", 2: "Leber \u00e4\\n"})

    def test_other_files_lose_them_with_a_note(self):
        for command in (("clean", self.input, self.path("out.nrrd"), "--largest", 1),
                        ("select", self.input, self.path("out.nii.gz"), "--where", "voxel_count > 1", "--keep")):
            self.assertIn("names, colors and tags of the 4 segments are lost; .seg.nrrd", self.ok(*command).stderr)

    def test_layers_are_explained(self):
        with open(self.input, "rb") as stream:
            header, data = stream.read().split(b"\n\n", 1)
        for old, new in ((b"dimension: 3", b"dimension: 4"), (b"sizes: ", b"sizes: 2 "), (b"kinds: ", b"kinds: list "),
                         (b"space directions: ", b"space directions: none ")):
            header = header.replace(old, new)
        with open(self.input, "wb") as stream:
            stream.write(header + b"\n\n" + b"".join(data[i:i + 1] * 2 for i in range(len(data))))
        cure = "channels; it must have 1: export overlapping segments to one label map"
        self.assertIn("stored in 2 layers", self.fails("clean", self.input, self.output, "--largest", 1, saying=cure).stderr)
        # Each layer is measured by itself.
        self.assertIn("6 labels measured", self.ok("stats", self.input, "-o", self.path("t.csv")).stdout)


class CleanTest(CommandTest):
    def write(self, name, kind, voxels, sizes, **options):
        places = itertools.product(*map(range, reversed(sizes)))
        write_nrrd(self.path(name), kind, sizes, [voxels[place[::-1]] for place in places], **options)
        return self.path(name)

    def read(self, name, sizes):
        kind, values = labels_of(self.path(name))
        return kind, {place[::-1]: value for place, value in zip(itertools.product(*map(range, reversed(sizes))), values)}

    def random_classes(self, sizes, seed, values=(0, 0, 1, 2, 3)):
        choose = random.Random(seed)
        voxels = {}
        for place in itertools.product(*map(range, sizes)):
            before = voxels.get((place[0] - 1,) + place[1:])
            voxels[place] = before if before is not None and choose.random() < 0.4 else choose.choice(values)
        return voxels

    def test_is_what_loops_over_classes_give(self):
        seed = 0
        for sizes, ranks in (((15, 13), {4: 1, 8: 2}), ((9, 8, 7), {6: 1, 18: 2, 26: 3})):
            for connectivity, rank in ranks.items():
                for kind, values in (("uint8", (0, 0, 1, 2, 255)), ("int16", (0, 0, -7, 300)), ("uint32", (0, 1, 4000000000)),
                                     ("int64", (0, 2**53, 2**53 + 1)), ("float", (0, 1.5, 2))):
                    seed += 1
                    voxels = self.random_classes(sizes, seed, values)
                    path = self.write("in.nrrd", kind, voxels, sizes)
                    for options, arguments in (({"fill": 10**9}, ["--fill-holes"]), ({"largest": 2}, ["--largest", 2]),
                                               ({"minimum": 3, "fill": 2}, ["--minimum-size", 3, "--fill-holes", 2]),
                                               ({"minimum": 2, "largest": 3, "fill": 5},
                                                ["--minimum-volume", 2, "--largest", 3, "--fill-holes", "--maximum-hole-size", 5])):
                        with self.subTest(sizes=sizes, connectivity=connectivity, kind=kind, options=options):
                            self.ok("clean", path, self.path("out.nrrd"), "--connectivity", connectivity, *arguments, "--quiet")
                            written, result = self.read("out.nrrd", sizes)
                            self.assertEqual(written, kind)
                            self.assertEqual(result, clean(voxels, sizes, rank, **options))

    def test_gray_scans_are_noted(self):
        choose = random.Random(5)
        for kind, values, isNoted in (("int16", range(-900, 900), True), ("float", [i / 7 for i in range(100)], True),
                                      ("uint8", [0] * 60 + [1], False)):
            write_nrrd(self.path("in.nrrd"), kind, (12, 11, 10), [choose.choice(values) for _ in range(1320)])
            result = self.ok("clean", self.path("in.nrrd"), self.path("out.nrrd"), "--largest", 1, "--json")
            self.assertEqual("looks like a grayscale scan" in " ".join(json.loads(result.stdout)["notes"]), isNoted, kind)

    def test_report(self):
        write_nrrd(self.path("in.nrrd"), "int16", (7, 3), [-2, -2, -2, 5, 0, 5, 5, -2, 0, -2, 0, 0, 0, 0, -2, -2, -2, 5, 0, 9, 0])
        arguments = ["clean", self.path("in.nrrd"), self.path("out.nrrd"), "--values", "-2,5", "--largest", 1, "--fill-holes"]
        summary = json.loads(self.ok(*arguments, "--json").stdout)
        self.assertEqual(summary["classes"], [
            {"value": -2, "components": 1, "voxels": 8, "removed_components": 0, "removed_voxels": 0, "filled_holes": 1,
             "filled_voxels": 1},
            {"value": 5, "components": 3, "voxels": 4, "removed_components": 2, "removed_voxels": 2, "filled_holes": 0,
             "filled_voxels": 0}])
        self.assertEqual((summary["removed_voxels"], summary["filled_voxels"]), (2, 1))
        for values in ("77", "-2,5,77"):
            self.fails("clean", self.path("in.nrrd"), self.path("none.nrrd"), "--values", values, "--largest", 1,
                       saying="in.nrrd' has no class 77 (from --values)")
        self.assertEqual(labels_of(self.path("out.nrrd"))[1],
                         [-2, -2, -2, 0, 0, 5, 5, -2, -2, -2, 0, 0, 0, 0, -2, -2, -2, 0, 0, 9, 0])
        text = self.ok(*arguments).stdout.splitlines()
        self.assertEqual(text[:4], ["class -2: 1 component, 0 removed (0 voxels), 1 hole filled (1 voxel)",
                                    "class 5: 3 components, 2 removed (2 voxels), 0 holes filled (0 voxels)",
                                    "all: 4 components, 2 removed (2 voxels), 1 hole filled (1 voxel)",
                                    "2 of 2 classes changed (4 neighbors)"])

    def test_volumes_are_in_mm3_and_geometry_is_kept(self):
        write_nrrd(self.path("in.nrrd"), "uint8", (6, 3, 3), [1] * 18 + [1, 0, 0, 1, 0, 1] + [1] * 30, spacing=(0.1, 0.2, 0.3),
                   origin=(5, 6, 7))
        arguments = ["clean", self.path("in.nrrd"), self.path("out.nrrd"), "--quiet", "--no-compression", "--connectivity", 26]
        voxels = labels_of(self.path("in.nrrd"))[1]
        self.assertEqual(voxels.count(0), 3)
        for volume, left in ((0, 3), (0.006, 2), (0.0119, 2), (0.012, 0)):
            # The second row is at the border of the first slice; this is the row in the middle of the volume.
            middle = [1] * 24 + [1, 0, 0, 1, 0, 1] + [1] * 24
            write_nrrd(self.path("in.nrrd"), "uint8", (6, 3, 3), middle, spacing=(0.1, 0.2, 0.3), origin=(5, 6, 7))
            self.ok(*arguments, "--fill-holes", volume)
            self.assertEqual(labels_of(self.path("out.nrrd"))[1].count(0), left, volume)
        with open(self.path("out.nrrd"), "rb") as stream:
            header = stream.read().split(b"\n\n")[0]
        self.assertIn(b"space origin: (5,6,7)", header)

    def test_holes_of_slices(self):
        # A tube along z: open as a volume, closed in every slice.
        ring = [1, 1, 1, 1, 0, 1, 1, 1, 1]
        write_nrrd(self.path("in.nrrd"), "uint8", (3, 3, 3), ring * 3)
        for command in ("clean", "label"):
            for arguments, left in (([], 3), (["--holes-by-slice", "z"], 0), (["--holes-by-slice", "x"], 3)):
                self.ok(command, self.path("in.nrrd"), self.path("out.nrrd"), "--fill-holes", *arguments, "--quiet")
                self.assertEqual(labels_of(self.path("out.nrrd"))[1].count(0), left, (command, arguments))

    def test_periodic_axes_and_other_neighbors(self):
        # One object across the seam of x with a hole there, and a single voxel.
        rows = ["......", "##..##", ".#.##.", "##..##", "...#.."]
        write_nrrd(self.path("in.nrrd"), "uint8", (6, 5), [int(c == "#") for row in rows for c in row])
        arguments = ["clean", self.path("in.nrrd"), self.path("out.nrrd"), "--largest", 1, "--fill-holes"]
        summary = json.loads(self.ok(*arguments, "--periodic", "x", "--json").stdout)
        self.assertEqual((summary["periodic"], summary["components"], summary["filled_voxels"]), ("x", 2, 2))
        left = ["......", "##..##", "##.###", "##..##", "......"]
        self.assertEqual(labels_of(self.path("out.nrrd"))[1], [int(c == "#") for row in left for c in row])
        self.assertIn("(4 neighbors, periodic along x)", self.ok(*arguments, "--periodic", "x").stdout)
        self.assertEqual(json.loads(self.ok(*arguments, "--json").stdout)["components"], 3)
        self.fails(*arguments, "--periodic", "x,y", saying=["holes cannot be filled", "periodic along xy", "no border"])
        self.fails(*arguments, "--periodic", "z", saying="periodic along z")
        summary = json.loads(self.ok(*arguments, "--neighborhood", "2+y", "--json").stdout)
        self.assertEqual((summary["neighborhood"], summary["connectivity"], summary["components"]), ("2+y", 4, 3))
        with open(self.path("n.txt"), "w") as stream:
            stream.write("100000001")
        summary = json.loads(self.ok(*arguments, "--neighborhood", self.path("n.txt"), "--json").stdout)
        self.assertEqual((summary["connectivity"], summary["components"]), (2, 9))

    def test_bad_input(self):
        path = self.path("in.nrrd")
        write_nrrd(path, "uint8", (3, 2, 2), [1, 0, 2, 0, 0, 0, 3, 3, 3, 0, 0, 0])
        out = self.path("out.nrrd")
        self.fails("clean", path, out, saying="nothing to do")
        self.fails("clean", path, out, "--largest", 1, "--values", "1,,2", saying="'' for --values is not a number")
        self.fails("clean", path, out, "--largest", 1, "--values", "", saying="empty")
        self.fails("clean", path, out, "--largest", 1, "--values", "0,1", saying="the value 0 is the background")
        self.fails("clean", path, out, "--largest", 1, "--background", "256", saying="the background 256 does not fit")
        self.fails("clean", path, out, "--fill-holes", "-1", saying="not a number of at least 0")
        self.fails("clean", path, "--fill-holes", "out", "--quiet", saying="after --fill-holes comes a volume in mm3")
        self.fails("clean", path, out, "--largest", 1, "--maximum-hole-size", 3, saying="--fill-holes")
        self.fails("clean", path, out, "--fill-holes", "--holes-by-slice", "t", saying="--holes-by-slice t does not fit")
        self.fails("clean", path, path, "--largest", 1, saying="OUTPUT")
        self.fails("clean", path, self.path("out.png"), "--largest", 1, saying="out.png")
        write_nrrd(self.path("d.nrrd"), "double", (2, 2), [1, 2, 3, 4])
        self.fails("clean", self.path("d.nrrd"), self.path("out.tif"), "--largest", 1, "--connectivity", 26, saying="26")


class FilterTest(CommandTest):
    def setUp(self):
        super().setUp()
        # Components: 1 at the border, 2 a ring, 3 inside of it, 4 free.
        self.rows = ["#.........", "..........", ".#####....", ".#...#.#..", ".#.#.#.#..", ".#...#....", ".#####....", ".........."]
        self.sizes = (10, 8)
        self.image = self.path("in.nrrd")
        write_nrrd(self.image, "uint8", self.sizes, [int(c == "#") for row in self.rows for c in row])

    def labeled(self, *arguments):
        out = self.path("out.nrrd")
        result = self.ok("label", self.image, out, "--json", *arguments)
        return json.loads(result.stdout), labels_of(out)[1]

    def test_without_a_filter_the_summary_says_so(self):
        self.assertIsNone(self.labeled()[0]["filter"])

    def test_holes_are_filled_before_sizes_and_tables(self):
        summary, labels = self.labeled("--fill-holes", "--minimum-size", 20, "--statistics", self.path("t.json"))
        self.assertEqual(summary["components"], 1)
        self.assertEqual((summary["filter"]["filled_holes"], summary["filter"]["filled_voxels"]), (1, 8))
        self.assertEqual(summary["filter"]["components_before"], 3)
        self.assertEqual(labels.count(1), 25)
        with open(self.path("t.json"), encoding="utf-8") as stream:
            self.assertIn('"voxel_count": 25', stream.read().replace('"voxel_count":25', '"voxel_count": 25'))
        # With equal values the ring keeps its hole's content apart.
        summary, labels = self.labeled("--fill-holes", "--equal-value")
        self.assertEqual([labels.count(label) for label in (1, 2, 3, 4)], [1, 24, 2, 1])
        self.assertEqual(self.labeled("--fill-holes", 7)[0]["filter"]["filled_holes"], 0)

    def test_holes_of_periodic_images(self):
        # A gap between two walls goes around: it is a hole along y, and its table describes the filled component.
        write_nrrd(self.image, "uint8", (4, 5), [0] * 4 + [1] * 4 + [0] * 4 + [1] * 4 + [0] * 4)
        self.assertEqual(self.labeled("--fill-holes")[0]["filter"]["filled_holes"], 0)
        summary, labels = self.labeled("--fill-holes", "--periodic", "x", "--statistics", self.path("t.json"))
        self.assertEqual((summary["filter"]["filled_holes"], summary["filter"]["filled_voxels"]), (1, 4))
        self.assertEqual(labels, [0] * 4 + [1] * 12 + [0] * 4)
        with open(self.path("t.json"), encoding="utf-8") as stream:
            (row,) = json.load(stream)["components"]
        self.assertEqual((row["voxel_count"], row["wraps_x"]), (12, 1))
        self.fails("label", self.image, self.path("out.nrrd"), "--fill-holes", "--periodic", "x", "--equal-value",
                   saying=["periodic along x", "clean"])

    def test_seeds(self):
        summary, labels = self.labeled("--seeds", "0,0; 3,4 ;9,7")
        self.assertEqual(summary["components"], 2)
        self.assertEqual(summary["filter"]["seeds_in_background"], 1)
        self.assertEqual(summary["filter"]["removed_without_seed"], 2)
        self.assertEqual([i for i, label in enumerate(labels) if label], [0, 43])
        with open(self.path("seeds.csv"), "w", encoding="utf-8") as stream:
            stream.write("# x, y\n7, 3\n\n1\t2\r\n")
        summary, labels = self.labeled("--seeds", self.path("seeds.csv"))
        self.assertEqual([labels.count(label) for label in (1, 2)], [16, 2])

    def test_physical_seeds(self):
        voxels = [0] * 27
        voxels[5] = voxels[21] = 1  # (2, 1, 0) and (0, 1, 2)
        write_nrrd(self.image, "uint8", (3, 3, 3), voxels, spacing=(0.5, 2, 3), origin=(-10, 20, 30))
        for seed, kept in (("-9,22,30", 5), ("-10.2,22.9,37.4", 21)):
            labels = self.labeled("--seeds=" + seed, "--physical-seeds")[1]
            self.assertEqual([i for i, label in enumerate(labels) if label], [kept])
        self.fails("label", self.image, self.path("out.nrrd"), "--seeds=-10.3,22,30", "--physical-seeds", saying="outside the image")

    def test_border_and_mask(self):
        summary, labels = self.labeled("--clear-border")
        self.assertEqual((summary["components"], summary["filter"]["removed_at_border"], labels[0]), (3, 1, 0))
        mask = [0.0] * 80
        mask[43] = 0.5
        mask[2] = 3
        write_nrrd(self.path("mask.nrrd"), "float", self.sizes, mask)
        summary, labels = self.labeled("--touching", self.path("mask.nrrd"))
        self.assertEqual((summary["components"], summary["filter"]["removed_not_touching"], labels[43]), (1, 3, 1))

    def test_bad_input(self):
        out = self.path("out.nrrd")
        for seeds, saying in (("1,2,3", "has 3 coordinates"), ("1,8", "outside the image"), ("-1,2", "outside the image"),
                              ("1.5,2", "must be whole"), ("1,2;", None), ("1,2;;3,4", "empty point"), ("no.csv", "neither a file nor"),
                              ("1,e", "not a number"), (";", "empty point")):
            if saying is None:
                self.ok("label", self.image, self.path("x.nrrd"), "--seeds", seeds)
            else:
                self.fails("label", self.image, out, "--seeds=" + seeds, saying=saying)
        for text, saying in (("1,2\nx,y\n", "line 2"), ("# none\n", "holds no point"), ("1,inf\n", "not finite")):
            with open(self.path("seeds.txt"), "w", encoding="utf-8") as stream:
                stream.write(text)
            self.fails("label", self.image, out, "--seeds", self.path("seeds.txt"), saying=saying)
        self.fails("label", self.image, out, "--physical-seeds", saying="--seeds")
        self.fails("label", self.image, self.path("seeds.txt"), "--seeds", self.path("seeds.txt"), saying="seeds.txt")
        self.fails("label", self.image, out, "--touching", self.path("absent.nrrd"), saying="absent.nrrd")
        write_nrrd(self.path("small.nrrd"), "uint8", (2, 2), [1, 1, 1, 1])
        self.fails("label", self.image, out, "--touching", self.path("small.nrrd"), saying="small.nrrd")
        self.fails("label", self.image, self.image, "--clear-border", saying="INPUT")


if __name__ == "__main__":
    unittest.main()
