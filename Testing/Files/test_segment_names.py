# SPDX-License-Identifier: Apache-2.0
"""Names and colors of segments from DICOM SEG and NIfTI, and in the .seg.nrrd files that are written, beside nibabel,
pydicom and pynrrd."""

import csv
import subprocess

from files import COMMAND, np, skip_without, unittest

nibabel = skip_without("nibabel")
nrrd = skip_without("nrrd")
skip_without("pydicom")

from dicom_files import Dicom, one, segmentation  # noqa: E402

XML = """<?xml version="1.0" encoding="UTF-8"?>
<CaretExtension><VolumeInformation Index="0"><LabelTable>
<Label Key="0" Red="1" Green="1" Blue="1" Alpha="0"><![CDATA[???]]></Label>
%s</LabelTable></VolumeInformation></CaretExtension>"""
LABEL = '<Label Key="%d" Red="%g" Green="%g" Blue="%g" Alpha="1">%s</Label>\n'


class SegmentNamesTest(Dicom):
    def run_command(self, *arguments):
        result = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def written(self, image):
        """Name, color and tags of each label in a .seg.nrrd that is written of an image."""
        out = self.path("o.seg.nrrd")
        self.run_command("clean", image, out, "--minimum-size", 1)
        header = nrrd.read_header(out)
        return {int(header["Segment%d_LabelValue" % i]):
                tuple(header["Segment%d_%s" % (i, key)] for key in ("Name", "Color", "Tags"))
                for i in range(100) if "Segment%d_LabelValue" % i in header}

    def names(self, image):
        self.run_command("stats", image, "-o", self.path("t.csv"))
        with open(self.path("t.csv"), encoding="utf-8", newline="") as stream:
            return {int(row["label"]): row.get("name") for row in csv.DictReader(stream)}

    def nifti(self, xml, code=30, name="a.nii.gz"):
        labels = np.zeros((4, 5, 6), np.uint8)
        labels[0], labels[2] = 5, 12
        image = nibabel.Nifti1Image(labels, np.eye(4))
        image.header.extensions.append(nibabel.nifti1.Nifti1Extension(code, xml if isinstance(xml, bytes) else xml.encode()))
        nibabel.save(image, self.path(name))
        return self.path(name)

    def test_damaged_label_tables_take_no_time(self):
        table = b"<CaretExtension><LabelTable>"
        for xml in (table + b'<Label Key="1">' * 300000, table + b'<Label Key="5">' + b"&lt;" * 1000000 + b"</Label>"):
            subprocess.run([COMMAND, "stats", self.nifti(xml, name="a.nii"), "-o", self.path("t.csv")], check=True, timeout=60)

    def test_label_tables_of_nifti(self):
        table = XML % (LABEL % (5, 0.9, 0.1, 0.2, "<![CDATA[left kidney]]>") + LABEL % (12, 0, 0.5, 1, "Liver &amp; &lt;x&gt;"))
        for text, name in (("caf&#233;", "caf\u00e9"), ("&#x1F9E0;&#xe9;", "\U0001f9e0\u00e9"), ("&amp;#233;", "&#233;"), ("&#38;lt;", "&lt;"),
                           ("&#0;&#xd800;&#x110000;&#99999999999;&#-5;&#;&;&x;&", "&#0;&#xd800;&#x110000;&#99999999999;&#-5;&#;&;&x;&"),
                           ("&lt;<![CDATA[x&amp;]]>, <![CDATA[a]]]]><![CDATA[>b]]>&gt;", "<x&amp;, a]]>b>"),
                           ("&#8364;&#x7ff;&apos;&quot;", "\u20ac\u07ff'\"")):
            self.assertEqual(self.names(self.nifti(XML % (LABEL % (5, 0, 0, 0, text))))[5], name, text)
        for code in (30, 0):
            for name in ("a.nii.gz", "a.nii"):
                image = self.nifti(table, code, name)
                self.assertEqual(nibabel.load(image).header.extensions[0].get_code(), code)
                self.assertEqual(self.names(image), {5: "left kidney", 12: "Liver & <x>"})
                self.assertEqual({label: both[:2] for label, both in self.written(image).items()},
                                 {5: ("left kidney", "0.9 0.1 0.2"), 12: ("Liver & <x>", "0 0.5 1")})

    def test_wrong_colors_of_nifti_are_noted(self):
        for color, count in (('Red="7" Green="0" Blue="0"', 1), ('Red="x" Green="0" Blue="0"', 1), ('Red="0.9" Green="0.1" Blue="1"', 0), ("", 0)):
            with self.subTest(color=color):
                image = self.nifti(XML % ('<Label Key="5" %s>a</Label>' % color))
                said = self.run_command("stats", image, "-o", self.path("t.csv")).stderr
                self.assertEqual("its label table has 1 color with a channel that is not from 0 to 1" in said, count == 1, said)

    def test_other_extensions_and_damaged_tables(self):
        for xml in ("nothing of labels", XML[:60], XML % "<Label Key=", XML % "<Label >", XML % "<Label", "<CaretExtension><LabelTable",
                    XML % (LABEL % (-3, 0, 0, 0, "minus")), XML % '<Label Key="x" Red="1">a</Label>', b"\xff\x00<CaretExtension" * 9):
            with self.subTest(xml=xml[-60:]):
                self.assertEqual(self.names(self.nifti(xml)), {5: None, 12: None})
        self.assertEqual(self.names(self.nifti(XML % (LABEL % (5, 7, 0, 0, "a\nb\x1b")))), {5: "a\\x0ab\\x1b", 12: ""})

    def test_segments_of_dicom(self):
        data, labels = segmentation([(1, 0), (2, 0), (2, 1)])
        # CIELab of sRGB 128 174 128, the color of tissue in 3D Slicer, as highdicom writes it.
        data.SegmentSequence[0].RecommendedDisplayCIELabValue = [43803, 26565, 37722]
        data.SegmentSequence[0].SegmentLabel = "left kidney"
        data.SegmentSequence[0].SegmentedPropertyCategoryCodeSequence = one(
            CodeValue="123037004", CodingSchemeDesignator="SCT", CodeMeaning="Anatomical Structure")
        data.SegmentSequence[0].SegmentedPropertyTypeCodeSequence = one(
            CodeValue="64033007", CodingSchemeDesignator="SCT", CodeMeaning="Kidney")
        data.SpecificCharacterSet = "ISO_IR 100"
        data.SegmentSequence[1].SegmentLabel = "Leber \u00e4"
        image = self.save(data, "s.dcm")
        self.assertEqual(self.names(image), {1: "left kidney", 2: "Leber \u00e4"})
        name, color, tags = self.written(image)[1]
        self.assertEqual(name, "left kidney")
        np.testing.assert_allclose([float(c) * 255 for c in color.split()], [128, 174, 128], atol=1.5)
        self.assertEqual(tags, "TerminologyEntry:Segmentation category and type - DICOM master list~SCT^123037004^Anatomical Structure~"
                               "SCT^64033007^Kidney~^^~Anatomic codes - DICOM master list~^^~^^|")
        data.SpecificCharacterSet = "ISO_IR 192"
        self.assertEqual(self.names(self.save(data, "s.dcm"))[2], "Leber \u00e4")
        data.SpecificCharacterSet = "ISO_IR 144"
        data.SegmentSequence[1].SegmentLabel = "\u043f\u0435\u0447\u0435\u043d\u044c"
        result = self.run_command("stats", self.save(data, "s.dcm"), "-o", self.path("t.csv"))
        self.assertIn("use the characters of 'ISO_IR 144', which are not converted", result.stderr)
        np.testing.assert_array_equal(self.read(image).voxels.astype(np.uint16), labels)


if __name__ == "__main__":
    unittest.main()
