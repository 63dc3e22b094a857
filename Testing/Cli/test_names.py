# SPDX-License-Identifier: Apache-2.0
"""Names of segments: from files into tables and label maps, and many masks of one scan."""

import csv
import json
import os
import shutil
import unittest

from support import CommandTest, labels_of, write_nrrd

SIZES = (12, 10, 6)
# The boxes of two segments, first and last voxels: 27 and 36 voxels.
KIDNEY = ((1, 3), (2, 4), (2, 4))
LIVER = ((5, 8), (6, 8), (1, 3))
HEAD = ("NRRD0004\ntype: uint8\ndimension: 3\nspace: left-posterior-superior\nsizes: 12 10 6\n"
        "space directions: (1,0,0) (0,1,0) (0,0,1)\nkinds: domain domain domain\nencoding: raw\nspace origin: (0,0,0)\n")
TABLES = {
    "snap.txt": "################\n# ITK-SnAP Label Description File\n    0     0    0    0        0  0  0    \"Clear Label\"\n"
                "    5   230   26   51        1  1  1    \"left kidney\"\n   12    26  204   51        1  1  1    \"Liver\"\n",
    "slicer.ctbl": "# Color table file /tmp/x.ctbl\n# 3 values\n0 Background 0 0 0 0\n5 left_kidney 230 26 51 255\n"
                   "12 Liver 26 204 51 255\n",
    "lut.txt": "#No. Label Name:        R   G   B   A\n\n0   Unknown         0   0   0   0\n5   left kidney 230 26 51 0\n"
               "12  Liver  26 204 51 0\n",
    "sub-2_dseg.tsv": "Index\tName\tColor\n5\t\"left kidney\"\t#E61A33\n7\t\t\n12\tLiver\t#1acc33\n",
    "dcmqi.json": json.dumps({"ContentCreatorName": "x", "segmentAttributes": [[
        {"labelID": 5, "SegmentDescription": "left kidney", "recommendedDisplayRGBValue": [230, 26, 51]}],
        [{"labelID": 12, "SegmentLabel": "Liver", "SegmentDescription": "d", "recommendedDisplayRGBValue": [26, 204, 51]}]]}),
    "mark.json": "\ufeff" + json.dumps({"segmentAttributes": [[
        {"labelID": 5, "SegmentLabel": "left kidney", "recommendedDisplayRGBValue": [230, 26, 51]},
        {"labelID": 12, "SegmentLabel": "Liver", "recommendedDisplayRGBValue": [26, 204, 51]}]]}),
    "sub-1_dseg.tsv": "index\tname\tabbreviation\tcolor\n5\tleft kidney\tLK\t#E61A33\n12\tLiver\tL\t#1acc33\n",
}


def voxels(*boxes):
    """An image with a value in each box, x fastest."""
    values = [0] * (SIZES[0] * SIZES[1] * SIZES[2])
    for (x, y, z), value in boxes:
        for k in range(z[0], z[1] + 1):
            for j in range(y[0], y[1] + 1):
                for i in range(x[0], x[1] + 1):
                    values[(k * SIZES[1] + j) * SIZES[0] + i] = value
    return values


def pairs_of(path):
    """The key/value pairs of a NRRD header."""
    with open(path, "rb") as stream:
        lines = stream.read().split(b"\n\n")[0].split(b"\n")
    return dict(line.decode("utf-8").split(":=", 1) for line in lines if b":=" in line)


def segments_of(path):
    """Name and color of each label of a segmentation."""
    pairs = pairs_of(path)
    return {int(pairs["Segment%d_LabelValue" % i]): (pairs["Segment%d_Name" % i], pairs["Segment%d_Color" % i])
            for i in range(1000) if "Segment%d_LabelValue" % i in pairs}


class NamesTest(CommandTest):
    def write(self, name, content):
        path = self.path(name)
        with open(path, "wb") as stream:
            stream.write(content if isinstance(content, bytes) else content.encode())
        return path

    def segmentation(self, name="s.seg.nrrd", kidney="left kidney", values=None):
        """A segmentation of 3D Slicer with the segments 5 and 12."""
        pairs = ("Segment0_ID:=Segment_1\nSegment0_LabelValue:=5\nSegment0_Layer:=0\nSegment0_Color:=0.9 0.1 0.2\n"
                 "Segment1_ID:=Segment_2\nSegment1_LabelValue:=12\nSegment1_Layer:=0\nSegment1_Name:=Liver\n"
                 "Segment1_Color:=0.1 0.8 0.2\nSegment0_Name:=").encode()
        kidney = kidney if isinstance(kidney, bytes) else kidney.encode()
        data = bytes(values or voxels((KIDNEY, 5), (LIVER, 12)))
        return self.write(name, HEAD.encode() + pairs + kidney + b"\n\n" + data)

    def masks(self):
        os.makedirs(self.path("masks"), exist_ok=True)
        write_nrrd(self.path("masks/left kidney.nrrd"), "uint8", SIZES, voxels((KIDNEY, 1)))
        write_nrrd(self.path("masks/liver.nrrd"), "uint8", SIZES, voxels((LIVER, 1)))
        write_nrrd(self.path("masks/spleen.nrrd"), "uint8", SIZES, voxels())
        return self.path("masks")

    def rows(self, path):
        with open(path, encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    def json(self, name):
        with open(self.path(name), encoding="utf-8") as stream:
            return json.load(stream)

    def names(self, *arguments):
        self.ok("stats", *arguments, "-o", self.path("t.csv"))
        return [(row["label"], row["name"], row["voxel_count"]) for row in self.rows(self.path("t.csv"))]

    def test_tables_have_names(self):
        scan = self.segmentation()
        expected = [("5", "left kidney", "27"), ("12", "Liver", "36")]
        self.assertEqual(self.names(scan), expected)
        self.ok("stats", scan, "-o", self.path("t.json"), "--columns", "name,voxel_count")
        table = self.json("t.json")
        self.assertEqual(table["components"][0], {"label": 5, "name": "left kidney", "voxel_count": 27})
        self.assertIn("left kidney", self.ok("stats", scan, "--print").stdout)
        self.ok("stats", scan, "-o", self.path("t.csv"), "--schema", self.path("s.csv"))
        self.assertEqual([(row["columnName"], row["type"]) for row in self.rows(self.path("s.csv"))][:2], [("label", "int"), ("name", "string")])
        self.ok("stats", scan, "-o", self.path("t.xlsx"))
        self.fails("stats", scan, "-o", self.path("t.csv"), "--sort", "name", saying="the column 'name' is text")
        self.fails("stats", scan, "-o", self.path("t.csv"), "--columns", "image", saying="which needs several masks")

    def test_tables_of_names_are_told_apart(self):
        plain = self.path("plain.nrrd")
        write_nrrd(plain, "uint8", SIZES, voxels((KIDNEY, 5), (LIVER, 12)))
        self.ok("stats", plain, "-o", self.path("t.csv"))
        self.assertNotIn("name", self.rows(self.path("t.csv"))[0])
        for file, text in TABLES.items():
            with self.subTest(file=file):
                self.write(file, text)
                self.assertEqual(self.names(plain, "--names", self.path(file)),
                                 [("5", "left kidney", "27"), ("12", "Liver", "36")])
                self.ok("clean", plain, self.path("o.seg.nrrd"), "--minimum-size", 1, "--names", self.path(file))
                self.assertEqual(segments_of(self.path("o.seg.nrrd")),
                                 {5: ("left kidney", "0.902 0.102 0.2"), 12: ("Liver", "0.102 0.8 0.2")})

    def test_damaged_tables_of_names(self):
        scan = self.segmentation()
        for text, saying in (("", "it names no label"), ("0 background 0 0 0 0\n", "it names no label"),
                             ("5 kidney\n", "its line 1, '5 kidney', is not a row of a label table"),
                             ("5 kidney 1 2 300 0\n", "is not a row"), ("-5 kidney 1 2 3 0\n", "is not a row"),
                             ("5 255 0 0 1 1 1 \"a\n", "is not a row"), ("index\tname\n5\n", "it names no label"),
                             ("5 a 1 2 3 0\n6 b 1 2 3 0\n5 c 1 2 3 0\n", "its lines 1 and 3 both name the label 5"),
                             (b"\x00\xff\x1b[31m 1 2", "is not a row"), ("{", "it is not JSON with segmentAttributes"), ("{}", "segmentAttributes as dcmqi"), ('{"segmentAttributes": ' + "[" * 2000000, "nested too deeply"),
                             ('{"segmentAttributes": [[{"labelID": ' + "[" * 2000000 + "]" * 2000000 + "}]]}", "nested too deeply"), ("[]", "is not a row"),
                             ('{"segmentAttributes": 5}', "labelID"), ('{"segmentAttributes": [{"labelID": 1}]}', "labelID"), ('{"segmentAttributes": [[[]]]}', "labelID"),
                             ('{"segmentAttributes": [[{"labelID": 7, "SegmentLabel": 5}]]}', "the SegmentLabel or SegmentDescription of label 7 must be a text"),
                             ('{"segmentAttributes": [[{"labelID": 7, "recommendedDisplayRGBValue": "red"}]]}', "the recommendedDisplayRGBValue of label 7 must be 3 numbers"),
                             ('{"segmentAttributes": [[{"labelID": 7, "AnatomicRegionSequence": []}]]}', "the AnatomicRegionSequence of label 7 must be an object with the texts"),
                             ('{"segmentAttributes": [[{"labelID": 7, "AnatomicRegionSequence": {"CodeValue": 5}}]]}', "the AnatomicRegionSequence of label 7 must be"),
                             *(("index\tname\tcolor\n5\ta\t%s\n" % color, "its line 2, '5\\x09a\\x09%s', is not a row of a label table (colors: 0 to 255, or #rrggbb)" % color)
                               for color in ("red", "#12345", "#1234567", "12345678", "#12345g", "e61a33", "# 1 2 3")),
                             ('{"segmentAttributes": [[]]}', "it names no label"), ('{"segmentAttributes": [[{"labelID": "x"}]]}', "a whole number"),
                             ('{"segmentAttributes": [[{"labelID": 1.5}]]}', "a whole number"), ('{"segmentAttributes": [[{}]]}', "labelID"),
                             ('{"segmentAttributes": [[{"labelID": 1, "recommendedDisplayRGBValue": [1, 2, 256]}]]}', "0 to 255"),
                             ('{"segmentAttributes": [[{"labelID": 1}], [{"labelID": 1}]]}', "it names the label 1 twice"),
                             ('{"segmentAttributes": [[{"labelID": 1, "recommendedDisplayRGBValue": [1]}]]}', "3 numbers")):
            with self.subTest(text=text):
                result = self.fails("stats", scan, "-o", self.path("t.csv"), "--names", self.write("n.txt", text), saying=saying)
                self.assertNotIn("\x1b", result.stderr)
                self.assertNotIn("json", result.stderr)
        for color in ("", "n/a", "#E61a33"):
            self.assertEqual(self.names(scan, "--names", self.write("n.tsv", "index\tname\tcolor\n5\ta\t%s\n" % color))[0][1], "a")
        self.fails("stats", scan, "-o", self.path("t.csv"), "--names", self.path("none.txt"), saying="cannot read the names in")
        names = self.write("n.csv", TABLES["snap.txt"])
        self.fails("stats", scan, "-o", names, "--names", names, saying="n.csv', which is the input of --names")

    def test_colors_that_are_none_are_noted(self):
        good = "0.9 0.1 0.2"
        for color in ("red", "0.9 0.1", "0.9 0.1 0.2 1", "2 0 0", "-0.1 0 0", "nan 0 0", "", "230 26 51"):
            with self.subTest(color=color):
                with open(self.segmentation(), "rb") as stream:
                    content = stream.read()
                scan = self.write("bad.seg.nrrd", content.replace(b"Color:=" + good.encode(), b"Color:=" + color.encode()))
                result = self.ok("clean", scan, self.path("o.seg.nrrd"), "--minimum-size", 1)
                self.assertIn("the color '%s' of a segment is not 3 numbers from 0 to 1 and is ignored" % color, result.stderr)
                pairs = pairs_of(self.path("o.seg.nrrd"))
                self.assertNotIn("Segment0_Color", pairs)
                self.assertEqual((pairs["Segment0_Name"], pairs["Segment1_Color"]), ("left kidney", "0.1 0.8 0.2"))
        self.assertNotIn("color", self.ok("clean", self.segmentation(), self.path("o.seg.nrrd"), "--minimum-size", 1).stderr)

    def test_components_inherit_names(self):
        two = voxels((((0, 0), (0, 0), (0, 0)), 5), (KIDNEY, 5), (LIVER, 12))
        scan = self.segmentation(values=two)
        self.ok("label", scan, self.path("o.seg.nrrd"), "--equal-value", "--statistics", self.path("t.csv"))
        self.assertEqual([(row["label"], row["value"], row["name"], row["voxel_count"]) for row in self.rows(self.path("t.csv"))],
                         [("1", "5", "left kidney", "1"), ("2", "12", "Liver", "36"), ("3", "5", "left kidney", "27")])
        kidney = ("left kidney", "0.9 0.1 0.2")
        self.assertEqual(segments_of(self.path("o.seg.nrrd")), {1: kidney, 2: ("Liver", "0.1 0.8 0.2"), 3: kidney})
        pairs = pairs_of(self.path("o.seg.nrrd"))
        self.assertEqual(len({pairs["Segment%d_ID" % i] for i in range(3)}), 3)
        self.ok("split", scan, self.path("p.seg.nrrd"), "--statistics", self.path("t.csv"))
        self.assertEqual([row["name"] for row in self.rows(self.path("t.csv"))], ["left kidney", "Liver", "left kidney"])
        self.assertEqual(segments_of(self.path("p.seg.nrrd")), segments_of(self.path("o.seg.nrrd")))
        self.ok("select", scan, self.path("q.seg.nrrd"), "--where", "voxel_count < 30", "--keep", "--statistics", self.path("t.csv"))
        self.assertEqual([row["name"] for row in self.rows(self.path("t.csv"))], ["left kidney"])
        self.assertEqual(segments_of(self.path("q.seg.nrrd")), {1: kidney})

    def test_names_with_memory_and_split(self):
        # Two blocks of the kidney with a bridge, beside the liver.
        kidney = [((0, 3), (0, 3), (0, 5)), ((1, 1), (4, 4), (2, 2)), ((0, 3), (5, 8), (0, 5))]
        scan = self.segmentation(values=voxels(*((box, 5) for box in kidney), (((9, 11), (0, 9), (0, 5)), 12)))
        asked = ("label", scan, self.path("o.seg.nrrd"), "--equal-value", "--statistics", self.path("t.csv"))
        kidney, liver = ("left kidney", "0.9 0.1 0.2"), ("Liver", "0.1 0.8 0.2")
        self.ok(*asked)
        whole, table = segments_of(self.path("o.seg.nrrd")), self.rows(self.path("t.csv"))
        self.assertEqual(whole, {1: kidney, 2: liver})
        self.assertNotIn("are lost", self.ok(*asked, "--memory", "100MB").stderr)
        self.assertEqual(self.rows(self.path("t.csv")), table)
        self.assertEqual(segments_of(self.path("o.seg.nrrd")), whole)
        self.ok(*asked[:4], "--memory", "100MB")
        self.assertEqual(segments_of(self.path("o.seg.nrrd")), whole)
        self.assertIn("are lost", self.ok("label", scan, self.path("o.nrrd"), "--equal-value", "--memory", "100MB").stderr)
        self.ok(*asked, "--split", "0.5")
        rows = self.rows(self.path("t.csv"))
        self.assertEqual([(row["label"], row["parent"], row["name"]) for row in rows],
                         [("1", "1", "left kidney"), ("2", "2", "Liver"), ("3", "1", "left kidney")])
        self.assertEqual(segments_of(self.path("o.seg.nrrd")), {1: kidney, 2: liver, 3: kidney})
        self.assertIn("or with --split", self.ok(*asked, "--split", "0.5", "--memory", "100MB").stderr)

    def test_conditions_take_names(self):
        values = voxels((KIDNEY, 5), (LIVER, 12), (((11, 11), (9, 9), (5, 5)), 7))
        scan = self.segmentation(values=values)
        for condition, kept in (("label == 'left kidney'", [5]), ('name == "Liver"', [12]), ("label != 'Liver'", [5, 7]),
                                ("label == 'left kidney' or name == 'Liver' and voxel_count > 36", [5]),
                                ("not (label == 'Liver') and label == 7", [7])):
            with self.subTest(condition=condition):
                self.ok("select", scan, self.path("o.nrrd"), "--where", condition, "--keep", "--keep-labels")
                self.assertEqual(labels_of(self.path("o.nrrd"))[1], [v if v in kept else 0 for v in values])
        for condition, saying in (
                ("label == 'left kidny'", "'left kidny' in --where is not the name of a segment (did you mean 'left kidney'?)"),
                ("name > 'Liver'", "compare the name by == or !="), ("1 + name > 2", "compare the name by == or !="),
                ("name == 5", "compare the name by == or !="), ("label == 'Liver", "the quotation mark behind this name"),
                ("voxel_count == 'Liver'", "expected a number or a column"), ("label < 'Liver'", "expected a number or a column")):
            self.fails("select", scan, self.path("n.nrrd"), "--where", condition, "--keep", saying=saying)
        write_nrrd(self.path("plain.nrrd"), "uint8", SIZES, values)
        names = self.write("n.tsv", "index\tname\n5\tboth\n12\tboth\n")
        self.ok("select", self.path("plain.nrrd"), self.path("o.nrrd"), "--where", "label == 'both'", "--remove", "--names", names)
        self.assertEqual(labels_of(self.path("o.nrrd"))[1], [1 if v == 7 else 0 for v in values])
        self.fails("select", self.path("plain.nrrd"), self.path("n.nrrd"), "--where", "name == 'both'", "--keep",
                   saying="'both' in --where is not the name of a segment")
        self.fails("select", self.path("plain.nrrd"), self.path("n.nrrd"), "--where", "name == 'both'", "--keep", saying="none has a name")
        # An empty segment has a name, too.
        empty = self.segmentation(values=voxels((KIDNEY, 5)))
        self.assertIn("no component is kept", self.ok("select", empty, self.path("o.nrrd"), "--where", "name == 'Liver'", "--keep").stderr)

    def test_crops_and_surfaces_take_names(self):
        scan = self.segmentation()
        self.ok("crop", scan, self.path("c.nrrd"), "--component", "Liver")
        self.assertEqual(labels_of(self.path("c.nrrd"))[1], [12] * 36)
        self.ok("crop", scan, self.path("d.nrrd"), "--component", 12)
        self.assertEqual(labels_of(self.path("d.nrrd")), labels_of(self.path("c.nrrd")))
        self.fails("crop", scan, self.path("n.nrrd"), "--component", "Livre", saying="did you mean 'Liver'?")
        self.fails("crop", scan, self.path("n.nrrd"), "--component", "Liver,left kidney", saying="'Liver,left kidney' names the labels 12,5; give one of these")
        write_nrrd(self.path("plain.nrrd"), "uint8", SIZES, voxels((KIDNEY, 5)))
        both = self.write("n.tsv", "index\tname\n5\tboth\n12\tboth\n")
        self.fails("crop", scan, self.path("n.nrrd"), "--component", "both", "--names", both,
                   saying="--component is for one label, and 'both' names the labels 5,12; give one of these")
        self.fails("crop", scan, self.path("n.nrrd"), "--component", "x", "--labels", self.path("plain.nrrd"),
                   saying="'x' for --component is not a number")
        if "VTK ON" not in self.ok("info").stdout:
            return
        meshes = set()
        for chosen in (("--labels", "12"), ("--labels", "Liver"), ("--where", "label == 'Liver'")):
            self.ok("mesh", scan, self.path("m.ply"), *chosen)
            with open(self.path("m.ply"), "rb") as stream:
                meshes.add(stream.read())
        self.assertEqual(len(meshes), 1)
        self.fails("mesh", scan, self.path("n.ply"), "--labels", "1,Livre", saying="did you mean 'Liver'?")
        self.ok("render", scan, self.path("p.png"), "--labels", "left kidney")

    def test_lost_names_are_noted(self):
        scan = self.segmentation()
        for command in (("label", scan, self.path("o.nrrd"), "--equal-value"), ("split", scan, self.path("o.nrrd")),
                        ("clean", scan, self.path("o.nrrd"), "--largest", 1)):
            self.assertIn("names, colors and tags of the 2 segments are lost", self.ok(*command).stderr)
        self.assertIn("the names of segments are lost; --equal-value keeps them", self.ok("label", scan, self.path("o.nrrd")).stderr)
        self.fails("label", scan, self.path("o.nrrd"), "--names", self.write("n.ctbl", TABLES["slicer.ctbl"]), saying="--equal-value")

    def test_values_take_names(self):
        values = voxels((((0, 0), (0, 0), (0, 0)), 5), (KIDNEY, 5), (LIVER, 12), (((11, 11), (9, 9), (5, 5)), 12))
        scan = self.segmentation(values=values)
        self.ok("clean", scan, self.path("o.nrrd"), "--largest", 1, "--values", "left kidney")
        self.assertEqual(labels_of(self.path("o.nrrd"))[1], voxels((KIDNEY, 5), (LIVER, 12), (((11, 11), (9, 9), (5, 5)), 12)))
        self.ok("clean", scan, self.path("o.nrrd"), "--largest", 1, "--values", "left kidney, Liver")
        self.assertEqual(labels_of(self.path("o.nrrd"))[1], voxels((KIDNEY, 5), (LIVER, 12)))
        # Numbers may have blanks, a name commas, and two segments one name.
        self.ok("clean", scan, self.path("o.nrrd"), "--largest", 1, "--values", "5, 12")
        self.assertEqual(labels_of(self.path("o.nrrd"))[1], voxels((KIDNEY, 5), (LIVER, 12)))
        names = self.write("n.tsv", "index\tname\n5\tmass, left\n12\tboth\n")
        for given, cleaned in (('"mass, left"', [5]), ('both,"mass, left"', [5, 12]), (' "both" , 5', [5, 12])):
            self.ok("clean", scan, self.path("o.nrrd"), "--largest", 1, "--names", names, "--values", given)
            self.assertEqual(labels_of(self.path("o.nrrd"))[1],
                             voxels(*[(box, value) for box, value in (((((0, 0), (0, 0), (0, 0)), 5), (KIDNEY, 5), (LIVER, 12), (((11, 11), (9, 9), (5, 5)), 12)))
                                      if value not in cleaned or box in (KIDNEY, LIVER)]))
        self.fails("clean", scan, self.path("n.nrrd"), "--largest", 1, "--names", names, "--values", "both,mass, left", saying="'mass' for --values")
        names = self.write("n.tsv", "index\tname\n5\tboth, cleaned\n12\tboth, cleaned\n")
        self.ok("clean", scan, self.path("o.nrrd"), "--largest", 1, "--names", names, "--values", "both, cleaned")
        self.assertEqual(labels_of(self.path("o.nrrd"))[1], voxels((KIDNEY, 5), (LIVER, 12)))
        self.fails("clean", scan, self.path("o.nrrd"), "--largest", 1, "--values", "left kidny",
                   saying="'left kidny' for --values is not a number and not the name of a segment (did you mean 'left kidney'?)")

    def test_hostile_names(self):
        for name, shown in (("a,b \"c\"; d", "a,b \"c\"; d"), ("=1+2", "'=1+2"), ("x\\ny", "x\\x0ay"), ("x\\\\ny", "x\\ny"),
                            ("\x1b[31mred", "\\x1b[31mred"), ("<script>&", "<script>&"), (b"Leber \xe4", "Leber \u00e4"),
                            ("\u202eabc", "\\xe2\\x80\\xaeabc"), ("\uffffa", "\\xef\\xbf\\xbfa"), ("n" * 100000, "n" * 997 + "..."), ("\u00e4" * 5000, "\u00e4" * 498 + "...")):
            with self.subTest(name=name[:20]):
                scan = self.segmentation(kidney=name)
                self.assertEqual(self.names(scan)[0], ("5", shown, "27"))
                self.ok("stats", scan, "-o", self.path("t.tsv"))
                with open(self.path("t.tsv"), encoding="utf-8", newline="") as stream:
                    self.assertEqual(next(csv.DictReader(stream, delimiter="\t"))["name"], shown)
                self.ok("stats", scan, "-o", self.path("t.json"))
                self.assertEqual(self.json("t.json")["components"][0]["name"],
                                 shown[1:] if name == "=1+2" else shown)
                self.ok("stats", scan, "-o", self.path("t.xlsx"))
                printed = self.ok("stats", scan, "--print", "--columns", "voxel_count")
                self.assertNotIn("\x1b", printed.stdout)
                self.ok("clean", scan, self.path("o.seg.nrrd"), "--minimum-size", 1)
                with open(self.path("o.seg.nrrd"), "rb") as stream:
                    self.assertIn(b"_Name:=" + (name if isinstance(name, bytes) else name.encode()) + b"\n", stream.read())

    def test_masks_of_a_scan(self):
        scan = self.path("scan.nrrd")
        write_nrrd(scan, "int16", SIZES, [100 + i % 12 for i in range(720)])
        result = self.ok("stats", self.masks(), "--intensity", scan, "-o", self.path("t.csv"))
        rows = self.rows(self.path("t.csv"))
        self.assertEqual([(row["segment"], row["label"], row["name"], row["voxel_count"], row["intensity_mean"]) for row in rows],
                         [("1", "1", "left kidney", "27", "102"), ("2", "1", "liver", "36", "106.5")])
        self.assertTrue(rows[0]["image"].endswith("masks/left kidney.nrrd"))
        self.assertIn("1 mask without voxels: '" + self.path("masks/spleen.nrrd") + "'", result.stderr)
        files = [self.path("masks/liver.nrrd"), self.path("masks/left kidney.nrrd")]
        self.ok("stats", *files, "-o", self.path("t.json"), "--columns", "shape", "--sort", "voxel_count")
        rows = self.json("t.json")["components"]
        self.assertEqual([(row["segment"], row["name"], row["bbox_min_x"]) for row in rows], [(1, "liver", 5), (2, "left kidney", 1)])
        self.assertAlmostEqual(rows[0]["centroid_x_mm"], 6.5)
        self.ok("stats", self.path("masks/*.nrrd"), "-o", self.path("t.csv"), "--histogram", "voxel_count")
        self.assertEqual(len(self.rows(self.path("t.csv"))), 2)
        write_nrrd(self.path("other.nrrd"), "uint8", (2, 2, 2), [1] * 8)
        self.fails("stats", files[0], self.path("other.nrrd"), "-o", self.path("t.csv"), saying="they must be the same")
        self.fails("stats", *files, "-o", self.path("t.csv"), "--picture", self.path("p.png"), saying="are for one label map")

    def test_slices_are_one_label_map_unless_masks_are_asked_for(self):
        os.makedirs(self.path("slices"))
        for i in range(3):
            with open(self.path("slices/s_%d.bmp" % i), "wb") as stream:
                rows = bytes([255 if x <= i else 0 for x in range(4)]) * 4
                palette = b"".join(bytes([v, v, v, 0]) for v in range(256))
                stream.write(b"BM" + (1078 + 16).to_bytes(4, "little") + bytes(4) + (1078).to_bytes(4, "little") +
                             (40).to_bytes(4, "little") + (4).to_bytes(4, "little") * 2 + b"\x01\x00\x08\x00" + bytes(8) +
                             bytes(8) + (256).to_bytes(4, "little") + bytes(4) + palette + rows)
        self.ok("stats", self.path("slices"), "-o", self.path("t.csv"))
        self.assertEqual([row["voxel_count"] for row in self.rows(self.path("t.csv"))], ["24"])
        self.ok("stats", self.path("slices"), "--masks", "-o", self.path("t.csv"))
        self.assertEqual([(row["name"], row["voxel_count"]) for row in self.rows(self.path("t.csv"))],
                         [("s_0", "4"), ("s_1", "8"), ("s_2", "12")])

    def test_files_with_names_of_patterns_are_files(self):
        for name in ("50%done.nrrd", "a*b.nrrd", "a?.nrrd", "s_%03d.nrrd"):
            write_nrrd(self.path(name), "uint8", SIZES, voxels((LIVER, 1)))
            self.ok("stats", self.path(name), "-o", self.path("t.csv"))
            self.assertNotIn("image", self.rows(self.path("t.csv"))[0])

    def layered(self):
        """Two segments of value 1 that share a voxel column, in two layers."""
        head = HEAD.replace("dimension: 3", "dimension: 4").replace("sizes:", "sizes: 2").replace("directions:", "directions: none")
        head = head.replace("kinds:", "kinds: list")
        pairs = "".join("Segment%d_ID:=S%d\nSegment%d_LabelValue:=1\nSegment%d_Layer:=%d\nSegment%d_Name:=%s\nSegment%d_Color:=0.5 0.5 %d\n"
                        % (i, i, i, i, i, i, name, i, i) for i, name in enumerate(("liver", "tumor")))
        liver, tumor = voxels((LIVER, 1)), voxels((((8, 9), (6, 8), (1, 3)), 1))
        return self.write("layers.seg.nrrd", (head + pairs + "\n").encode() + bytes(v for pair in zip(liver, tumor) for v in pair))

    def test_layers_are_measured_each(self):
        self.ok("stats", self.layered(), "-o", self.path("t.csv"))
        self.assertEqual([(row["segment"], row["label"], row["name"], row["voxel_count"]) for row in self.rows(self.path("t.csv"))],
                         [("1", "1", "liver", "36"), ("2", "1", "tumor", "18")])

    def test_merge(self):
        out = self.path("o.seg.nrrd")
        self.ok("merge", self.masks(), "-o", out)
        kind, labels = labels_of(out)
        self.assertEqual((kind, labels), ("uint8", voxels((KIDNEY, 1), (LIVER, 2))))
        self.assertEqual({label: name for label, (name, _) in segments_of(out).items()}, {1: "left kidney", 2: "liver"})
        self.assertEqual(pairs_of(out)["Segment1_Extent"], "5 8 6 8 1 3")
        write_nrrd(self.path("half.nrrd"), "float", SIZES, voxels((LIVER, -0.5)))
        self.fails("merge", self.path("masks/liver.nrrd"), self.path("half.nrrd"), "-o", out, saying="half.nrrd': the label image holds the value -0.5")
        layers = self.layered()
        os.remove(out)
        self.fails("merge", layers, "-o", out, saying="the segments 'liver' and 'tumor' overlap in 9 voxels; choose which")
        self.assertFalse(os.path.exists(out))
        tumor = ((8, 9), (6, 8), (1, 3))
        for overlap, expected in (("first", voxels((tumor, 2), (LIVER, 1))), ("last", voxels((LIVER, 1), (tumor, 2))),
                                  ("largest", voxels((tumor, 2), (LIVER, 1)))):
            result = self.ok("merge", layers, "-o", out, "--overlap", overlap)
            self.assertEqual(labels_of(out)[1], expected, overlap)
            self.assertIn("overlap in 9 voxels; the " + overlap + " gets these voxels", result.stderr)
            self.assertEqual(segments_of(out), {1: ("liver", "0.5 0.5 0"), 2: ("tumor", "0.5 0.5 1")})
        result = self.ok("merge", self.path("masks/liver.nrrd"), layers, "-o", out, "--overlap", "last")
        self.assertIn("some segments have the same name", result.stderr)
        self.assertEqual({label: name for label, (name, _) in segments_of(out).items()}, {1: "liver", 2: "liver", 3: "tumor"})
        self.fails("merge", self.path("masks/liver.nrrd"), "-o", self.path("masks/liver.nrrd"), saying="is the input of MASKS")

    def test_many_files_with_one_remark_are_not_all_named(self):
        names = [self.path("m%02d.nrrd" % i) for i in range(30)]
        for name in names:
            with open(name, "wb") as stream:
                stream.write(b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n" + bytes([name == names[0]] + 7 * [0]))
        for count, others in ((8, []), (9, ["1 more file"]), (30, ["22 more files"])):
            compared = json.loads(self.ok("compare", *names[:count], "--json").stdout)["notes"]
            self.assertEqual([note.split(":")[0] for note in compared if "no voxel size" in note],
                             ["'%s'" % name for name in names[:8]] + others)
            for command in (("merge", *names[:count], "-o", self.path("o.nrrd")), ("stats", *names[:count], "-o", self.path("t.csv"))):
                notes = json.loads(self.ok(*command, "--json").stdout)["notes"]
                self.assertEqual([note.split(":")[0] for note in notes if "no voxel size" in note],
                                 ["'%s'" % name for name in names[:8]] + others)
                empty = [note for note in notes if "without voxels" in note]
                self.assertEqual(len(empty), 1)
                self.assertEqual([name for name in names if name in empty[0]], names[1:count if count < 11 else 9])
                self.assertEqual(" and %d more" % (count - 9) in empty[0], count == 30)

    def test_a_map_merged_earlier_does_not_count_twice(self):
        self.ok("merge", self.masks(), "-o", self.path("masks/all.seg.nrrd"))
        for inputs in (self.path("masks"), self.path("masks/*.nrrd")):
            for command in (("stats", inputs, "-o", self.path("t.csv")), ("merge", inputs, "-o", self.path("o.seg.nrrd"), "--overlap", "last")):
                self.fails(*command, saying="all.seg.nrrd' has the segments of other masks in its folder, as if merged from them; move it")
        self.ok("stats", self.path("masks/all.seg.nrrd"), self.path("masks/liver.nrrd"), "-o", self.path("t.csv"))
        self.assertEqual([row["name"] for row in self.rows(self.path("t.csv"))], ["left kidney", "liver", "liver"])
        # Two maps of the same segments are no masks of them.
        os.remove(self.path("masks/left kidney.nrrd"))
        shutil.copy(self.path("masks/all.seg.nrrd"), self.path("masks/second.seg.nrrd"))
        self.ok("stats", self.path("masks"), "-o", self.path("t.csv"))
        self.assertEqual(len(self.rows(self.path("t.csv"))), 5)


if __name__ == "__main__":
    unittest.main()
