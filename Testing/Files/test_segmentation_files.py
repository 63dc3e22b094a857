# SPDX-License-Identifier: Apache-2.0
"""DICOM segmentations that are written, beside pydicom and, where they are installed, highdicom and dciodvfy."""

import importlib
import json
import os
import shutil
import subprocess

from files import COMMAND, np, skip_without, unittest

pydicom = skip_without("pydicom")

from dicom_files import Dicom, make  # noqa: E402

try:
    highdicom = importlib.import_module("highdicom")
except ImportError:
    highdicom = None

PATIENT = {"SpecificCharacterSet": "ISO_IR 100", "PatientName": "M\u00fcller^Eva", "PatientID": "4711", "PatientBirthDate": "19600102",
           "PatientSex": "F", "StudyInstanceUID": "1.2.826.7", "StudyDate": "20240305", "StudyTime": "101112", "StudyID": "S1",
           "AccessionNumber": "A9", "ReferringPhysicianName": "", "FrameOfReferenceUID": "1.2.826.8", "PositionReferenceIndicator": "",
           "SeriesNumber": 3}
TABLE = "index\tname\tcolor\n1\tkidney_left\t#E61A33\n2\tLeber \u00e4 with a name that goes on and on, beyond 64 characters\t#1acc33\n4\ttumor\t\n"


class SegmentationFilesTest(Dicom):
    def run_command(self, *arguments, code=0):
        result = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr

    def scan(self, folder="series", labels=None, **attributes):
        """A CT whose values are labels: 1 and 2 touch, 4 is in the middle slices, and the last slice is empty."""
        if labels is None:
            labels = np.zeros((6, 9, 11), np.int16)
            labels[0:3, 1:4, 1:6], labels[1:4, 4:8, 3:9], labels[2:4, 1:3, 8:10] = 1, 2, 4
        rotated = (0.8, 0.6, 0, -0.6, 0.8, 0)
        for z, pixels in enumerate(labels):
            data = make(pixels, (3.5 - 10, -7.25, 4 + 2.5 * z), (0.7, 0.9), rotated, z + 1, **{**PATIENT, **attributes})
            data.add_new(0x00091001, "LO", "private")
            data.PatientComments = "secret"
            data.SeriesInstanceUID = "1.2.826.1." + str(len(folder))
            self.save(data, folder, "i%d.dcm" % z)
        return self.path(folder), labels

    def voxels(self, data, count):
        """The label map of a segmentation, by pydicom: slices by their places."""
        pixels = data.pixel_array.reshape(-1, data.Rows, data.Columns)
        labels = np.zeros((count, data.Rows, data.Columns), np.uint16)
        for frame, group in zip(pixels, data.PerFrameFunctionalGroupsSequence):
            z = round((float(group.PlanePositionSequence[0].ImagePositionPatient[2]) - 4) / 2.5)
            binary = "SegmentIdentificationSequence" in group
            labels[z] = np.where(frame > 0, group.SegmentIdentificationSequence[0].ReferencedSegmentNumber if binary else frame, labels[z])
        return labels

    def names_of(self, path):
        self.run_command("stats", path, "-o", self.path("t.csv"))
        with open(self.path("t.csv"), encoding="utf-8") as stream:
            return [line.split(",")[:2] for line in stream.read().splitlines()[1:]]

    def check_valid(self, path):
        if shutil.which("dciodvfy"):
            said = subprocess.run(["dciodvfy", path], capture_output=True, text=True).stderr
            self.assertEqual([line for line in said.splitlines() if line.startswith("Error")], [], said)

    def test_binary(self):
        scan, labels = self.scan()
        with open(self.path("n.tsv"), "w", encoding="utf-8") as stream:
            stream.write(TABLE)
        out = self.path("o.seg.dcm")
        self.run_command("clean", scan, self.path("c.dcm"), "--minimum-size", 1, code=1)
        noted = self.run_command("select", scan, out, "--where", "label > 0", "--keep", "--keep-labels", "--names", self.path("n.tsv"))
        self.assertIn("its segments are numbered from 1 on; --dicom-seg labelmap keeps the labels", noted)
        data = pydicom.dcmread(out)
        numbers = np.array([0, 1, 2, 0, 3])
        np.testing.assert_array_equal(self.voxels(data, 6), numbers[labels])
        self.assertEqual((data.SegmentationType, data.SOPClassUID.name, data.Modality), ("BINARY", "Segmentation Storage", "SEG"))
        for name in ("PatientName", "PatientID", "PatientBirthDate", "PatientSex", "StudyInstanceUID", "StudyDate", "AccessionNumber",
                     "FrameOfReferenceUID"):
            self.assertEqual(str(data[name].value), str(PATIENT[name]), name)
        self.assertEqual((data.ContentDate, data.ContentTime), ("20240305", "101112"))
        self.assertNotIn("PatientComments", data)
        self.assertEqual([element.tag for element in data if element.tag.is_private], [])
        first, second, third = data.SegmentSequence
        self.assertEqual((first.SegmentLabel, third.SegmentLabel), ("kidney_left", "tumor"))
        self.assertEqual(first.SegmentedPropertyTypeCodeSequence[0].CodeValue, "64033007")
        self.assertEqual(first.SegmentedPropertyTypeCodeSequence[0].SegmentedPropertyTypeModifierCodeSequence[0].CodeValue, "7771000")
        self.assertEqual(first.SegmentedPropertyCategoryCodeSequence[0].CodeValue, "123037004")
        self.assertEqual(third.SegmentedPropertyCategoryCodeSequence[0].CodeValue, "49755003")
        self.assertTrue(second.SegmentLabel.startswith("Leber \u00e4 with") and len(second.SegmentLabel) <= 64)
        instances = [pydicom.dcmread(os.path.join(scan, "i%d.dcm" % z)).SOPInstanceUID for z in range(6)]
        for group in data.PerFrameFunctionalGroupsSequence:
            source = group.DerivationImageSequence[0].SourceImageSequence
            z = round((float(group.PlanePositionSequence[0].ImagePositionPatient[2]) - 4) / 2.5)
            self.assertEqual([item.ReferencedSOPInstanceUID for item in source], [instances[z]])
        series, = data.ReferencedSeriesSequence
        self.assertEqual({item.ReferencedSOPInstanceUID for item in series.ReferencedInstanceSequence}, set(instances))
        self.check_valid(out)
        with open(out, "rb") as stream:
            content = stream.read()
        self.run_command("select", scan, out, "--where", "label > 0", "--keep", "--keep-labels", "--names", self.path("n.tsv"))
        with open(out, "rb") as stream:
            self.assertEqual(stream.read(), content)
        # We read it back with names, on the grid of the scan.
        image, original = self.read(out), self.read(scan)
        np.testing.assert_array_equal(image.voxels, numbers[labels])
        self.assert_geometry(image, original.spacing, original.origin, original.direction)
        self.assertEqual([row[1] for row in self.names_of(out)][::2], ["kidney_left", "tumor"])

    def test_codes_from_the_json_of_dcmqi(self):
        scan, labels = self.scan()

        def code(value, meaning, scheme="SCT"):
            return {"CodeValue": value, "CodingSchemeDesignator": scheme, "CodeMeaning": meaning}

        kidney = {"labelID": 1, "SegmentLabel": "right kidney", "recommendedDisplayRGBValue": [185, 102, 83],
                  "SegmentedPropertyCategoryCodeSequence": code("123037004", "Anatomical Structure"),
                  "SegmentedPropertyTypeCodeSequence": code("64033007", "Kidney"),
                  "SegmentedPropertyTypeModifierCodeSequence": code("24028007", "Right")}
        mass = {"labelID": 4, "SegmentDescription": "mass, left", "SegmentAlgorithmType": "MANUAL",
                "SegmentedPropertyCategoryCodeSequence": code("49755003", "Morphologically Abnormal Structure"),
                "SegmentedPropertyTypeCodeSequence": code("4147007", "Mass"),
                "AnatomicRegionSequence": code("64033007", "Kidney"), "AnatomicRegionModifierSequence": code("7771000", "Left")}
        with open(self.path("meta.json"), "w", encoding="utf-8") as stream:
            json.dump({"SeriesDescription": "x", "segmentAttributes": [[kidney], [mass]]}, stream)
        for more in ((), ("--dicom-seg", "labelmap")):
            self.run_command("select", scan, self.path("o.dcm"), "--where", "label > 0", "--keep", "--keep-labels",
                             "--names", self.path("meta.json"), *more)
            segments = {segment.SegmentLabel: segment for segment in pydicom.dcmread(self.path("o.dcm")).SegmentSequence}

            def found(name, *path):
                item = segments[name]
                for step in path:
                    item = item[step].value[0]
                return code(item.CodeValue, item.CodeMeaning, item.CodingSchemeDesignator)

            for asked in (kidney, mass):
                name = asked.get("SegmentLabel", "mass, left")
                for step in ("SegmentedPropertyCategoryCodeSequence", "SegmentedPropertyTypeCodeSequence", "AnatomicRegionSequence"):
                    self.assertEqual(step in segments[name], step in asked, step)
                    if step in asked:
                        self.assertEqual(found(name, step), asked[step])
            self.assertEqual(found("right kidney", "SegmentedPropertyTypeCodeSequence", "SegmentedPropertyTypeModifierCodeSequence"),
                             kidney["SegmentedPropertyTypeModifierCodeSequence"])
            self.assertEqual(found("mass, left", "AnatomicRegionSequence", "AnatomicRegionModifierSequence"),
                             mass["AnatomicRegionModifierSequence"])
            self.check_valid(self.path("o.dcm")) if not more else None

    def test_colors_and_codes_come_back(self):
        scan, _ = self.scan()
        with open(self.path("n.tsv"), "w", encoding="utf-8") as stream:
            stream.write(TABLE)
        self.run_command("select", scan, self.path("a.dcm"), "--where", "label > 0", "--keep", "--names", self.path("n.tsv"))
        headers = []
        for source, out in (("a.dcm", "a.seg.nrrd"), ("a.dcm", "b.dcm"), ("b.dcm", "b.seg.nrrd")):
            self.run_command("clean", self.path(source), self.path(out), "--minimum-size", 1)
            with open(self.path(out), "rb") as stream:
                headers.append(stream.read().split(b"\n\n")[0])
        self.assertEqual(headers[0], headers[2])
        self.assertIn(b"Segment0_Color:=0.902 0.102 0.2\n", headers[0])
        a, b = pydicom.dcmread(self.path("a.dcm")), pydicom.dcmread(self.path("b.dcm"))
        for data, count in ((a, 6), (b, 5)):  # The fifth slice has no frame, which is all that the first segmentation says of it.
            series, = data.ReferencedSeriesSequence
            self.assertEqual((series.SeriesInstanceUID, len(series.ReferencedInstanceSequence)), ("1.2.826.1.6", count))
        self.assertEqual([group.DerivationImageSequence for group in a.PerFrameFunctionalGroupsSequence],
                         [group.DerivationImageSequence for group in b.PerFrameFunctionalGroupsSequence])

    def test_labelmap(self):
        scan, labels = self.scan()
        out = self.path("o.dcm")
        self.run_command("select", scan, out, "--where", "label > 0", "--keep", "--keep-labels", "--dicom-seg", "labelmap")
        data = pydicom.dcmread(out)
        np.testing.assert_array_equal(self.voxels(data, 6), labels)
        self.assertEqual((data.SegmentationType, data.SOPClassUID, data.BitsAllocated, data.PixelPaddingValue),
                         ("LABELMAP", "1.2.840.10008.5.1.4.1.1.66.7", 16, 0))
        self.assertEqual([segment.SegmentNumber for segment in data.SegmentSequence], [1, 2, 4])
        np.testing.assert_array_equal(self.read(out).voxels, labels)
        many = np.arange(1, 4 * 20 * 15 + 1, dtype=np.int16).reshape(4, 20, 15)
        scan, _ = self.scan("many", many)
        said = self.run_command("select", scan, out, "--where", "label > 0", "--keep", code=1)
        self.assertIn("1200 segments are too many for a DICOM segmentation: BINARY is limited to 1000, --dicom-seg labelmap to 65535", said)
        self.run_command("select", scan, out, "--where", "label > 0", "--keep", "--dicom-seg", "labelmap")
        self.assertEqual(pydicom.dcmread(out).BitsAllocated, 16)
        np.testing.assert_array_equal(self.read(out).voxels, many)

    def test_highdicom_reads_the_same_voxels(self):
        if highdicom is None:
            self.skipTest("highdicom is not installed")
        scan, labels = self.scan()
        for kind, numbers in (("binary", np.array([0, 1, 2, 0, 3])), ("labelmap", np.arange(5))):
            out = self.path(kind + ".dcm")
            self.run_command("select", scan, out, "--where", "label > 0", "--keep", "--keep-labels", "--dicom-seg", kind)
            segmentation = highdicom.seg.segread(out)
            instances = [pydicom.dcmread(os.path.join(scan, "i%d.dcm" % z)).SOPInstanceUID for z in range(6)]
            read = segmentation.get_pixels_by_source_instance(instances, combine_segments=True, assert_missing_frames_are_empty=True)
            np.testing.assert_array_equal(read, numbers[labels])

    def test_attributes_of_the_standards_modules(self):
        # highdicom has the tables of the standard's part 3: attributes of type 1 have a value, those of type 2 are there.
        folder = os.path.join(os.path.dirname(highdicom.__file__), "_standard") if highdicom else "none"
        if not os.path.isdir(folder):
            self.skipTest("highdicom with the standard's tables is not installed")

        def table(name):
            with open(os.path.join(folder, name), encoding="utf-8") as stream:
                return json.load(stream)
        modules_of, attributes_of, kinds = (table(name) for name in ("iod_module_map.json", "module_attribute_map.json", "sop_class_iod_map.json"))
        scan, _ = self.scan()
        for kind in ("binary", "labelmap"):
            out = self.path(kind + ".dcm")
            self.run_command("select", scan, out, "--where", "label > 0", "--keep", "--dicom-seg", kind)
            data = pydicom.dcmread(out)
            lacking, checked = [], 0
            shared, frames = data.SharedFunctionalGroupsSequence, data.PerFrameFunctionalGroupsSequence
            for module in modules_of[kinds[data.SOPClassUID]]:
                if module["usage"] != "M" and module["key"] not in ("frame-of-reference", "common-instance-reference"):
                    continue
                for attribute in attributes_of[module["key"]]:
                    path, keyword = attribute["path"], attribute["keyword"]
                    items = [data]
                    for parent in path:
                        items = [child for item in items for child in item.get(parent, [])]
                    if len(path) == 1 and path[0] in ("SharedFunctionalGroupsSequence", "PerFrameFunctionalGroupsSequence"):
                        # A group is shared or in each frame. Slides have places of their own, label maps have no single segments.
                        items = frames if keyword in frames[0] else shared
                        if keyword == "PlanePositionSlideSequence" or (kind == "labelmap" and keyword == "SegmentIdentificationSequence"):
                            continue
                    for item in items if attribute["type"] in ("1", "2") else ():
                        checked += 1
                        if keyword not in item or (attribute["type"] == "1" and item[keyword].is_empty):
                            lacking.append((module["key"], path, keyword))
            self.assertEqual(lacking, [])
            self.assertGreater(checked, 150)

    def test_label_morph_split_and_crop(self):
        scan, labels = self.scan()
        self.run_command("label", scan, self.path("l.dcm"), "--threshold", 1)
        np.testing.assert_array_equal(self.voxels(pydicom.dcmread(self.path("l.dcm")), 6) > 0, labels > 0)
        self.check_valid(self.path("l.dcm"))
        for command in (("morph", self.path("l.dcm"), self.path("m.dcm"), "--dilate", "1mm"), ("split", self.path("l.dcm"), self.path("m.dcm")),
                        ("merge", self.path("l.dcm"), "-o", self.path("m.dcm"))):
            self.run_command(*command)
            self.assertEqual(self.read(self.path("m.dcm")).size, [11, 9, 6])
            self.check_valid(self.path("m.dcm"))
        self.run_command("crop", self.path("l.dcm"), self.path("c.dcm"), "--box", "1,1,1,9,7,3")
        np.testing.assert_array_equal(self.read(self.path("c.dcm")).voxels > 0, labels[1:4, 1:8, 1:10] > 0)
        self.assertIn("DICOM files are written of label maps of one patient", self.run_command("crop", scan, self.path("c.dcm"), "--box", "1,1,1,9,7,3", code=1))
        self.run_command("label", scan, self.path("w.dcm"), "--threshold", 1, "--memory", "100MiB")
        self.assertEqual(pydicom.dcmread(self.path("w.dcm")), pydicom.dcmread(self.path("l.dcm")))

    def test_what_is_refused(self):
        scan, labels = self.scan()
        self.run_command("label", scan, self.path("l.nrrd"), "--threshold", 1)
        said = self.run_command("clean", self.path("l.nrrd"), self.path("o.dcm"), "--minimum-size", 1, code=1)
        self.assertIn("refers to the slices of a DICOM series, and no input has such", said)
        self.run_command("select", self.path("l.nrrd"), self.path("o.dcm"), "--where", "label > 0", "--keep", "--intensity", scan)
        self.assertEqual(pydicom.dcmread(self.path("o.dcm")).PatientID, "4711")
        self.assertIn("no component", self.run_command("label", scan, self.path("e.dcm"), "--threshold", 1000, code=1))
        self.assertIn("would be one of the files", self.run_command("label", scan, os.path.join(scan, "seg.dcm"), "--threshold", 1, code=1))
        self.assertIn("the folder 'none' does not exist", self.run_command("label", scan, "none/seg.dcm", "--threshold", 1, code=1))
        for kind in ("binary", "labelmap"):
            for arguments in (("label", scan, self.path("o.nrrd"), "--threshold", 1), ("merge", labels, "-o", self.path("o.nrrd")),
                              ("crop", scan, self.path("o.nrrd"), "--box", "0,0,0,1,1,1")):
                said = self.run_command(*arguments, "--dicom-seg", kind, code=1)
                self.assertIn("o.nrrd': --dicom-seg is for a label map in a .dcm file", said)
                self.assertNotIn("reading", said)
        self.run_command("label", scan, self.path("both.dcm"), "--threshold", 1, "--dicom-seg", "labelmap", "--smooth", "median:1",
                         "--save-smoothed", self.path("smooth.nrrd"))
        for more in (("--spacing", 1, 1, 1), ("--downsample", 2), ("--accept-irregular-slices",)):
            said = self.run_command("label", scan, self.path("p.dcm"), "--threshold", 1, *more, code=1)
            self.assertIn("a DICOM segmentation has the slices of its series", said)
        other, _ = self.scan("other", PatientID="12")
        self.assertIn("label maps of one patient", self.run_command("label", scan, self.path("p.dcm"), "--threshold", 1, "--mask", other, code=1))
        self.assertFalse(os.path.exists(self.path("p.dcm")) or os.path.exists(self.path("e.dcm")))


if __name__ == "__main__":
    unittest.main()
