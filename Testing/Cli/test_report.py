# SPDX-License-Identifier: Apache-2.0
"""`brickccl report`: one file that asks for nothing else, with everything escaped."""

import base64
import html.parser
import json
import os
import re
import struct
import unittest
import zipfile

from support import CommandTest, run, write_nrrd


class Page(html.parser.HTMLParser):
    """The elements of a page, with their texts; it fails on elements that are closed in a wrong order."""

    EMPTY = {"meta", "img", "input", "br"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.texts = [], [], {}
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, "%s closes %s" % (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


#: A picture of one pixel.
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==")
FIELDS = {"title": "Report <1>", "customer": "ACME & Co", "order": "2026-1", "part": "P 1", "serial_number": "7 to 9",
          "inspector": "J. Doe", "scanner": "225 kV", "date": "1 May 2026", "language": "de", "paper": "Letter"}

# A part of ones in air, with defects of two voxels and one voxel that are twos.
SOLID = tuple(2 if (x, y, z) in ((2, 2, 1), (2, 2, 2), (4, 3, 1)) else int(0 < x < 5 and 0 < y < 4 and 0 < z < 3)
              for z in range(4) for y in range(5) for x in range(6))
PART = "[part]\nmethod = \"largest\"\nrange = [1, 2]\n[threshold]\nrange = [2, 2]\n"

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def write_slice(path, series, z, date, maker, model):
    """A slice of DICOM, 4 x 3 pixels, all of which are 2."""
    def element(group, number, kind, value):
        value = struct.pack("<H", value) if kind == "US" else value.encode() if isinstance(value, str) else value
        value += b"\0" * (len(value) % 2) if kind in ("UI", "OB") else b" " * (len(value) % 2)
        length = struct.pack("<HI", 0, len(value)) if kind == "OB" else struct.pack("<H", len(value))
        return struct.pack("<HH", group, number) + kind.encode() + length + value
    uid = "1.2.826.%d.%d" % (series, z + 1)
    meta = element(2, 2, "UI", "1.2.840.10008.5.1.4.1.1.2") + element(2, 3, "UI", uid) + element(2, 0x10, "UI", "1.2.840.10008.1.2.1")
    with open(path, "wb") as stream:
        stream.write(b"\0" * 128 + b"DICM" + element(2, 0, "UL", struct.pack("<I", len(meta))) + meta)
        for one in ((8, 0x16, "UI", "1.2.840.10008.5.1.4.1.1.2"), (8, 0x18, "UI", uid), (8, 0x20, "DA", "20250101"), (8, 0x22, "DA", date), (8, 0x60, "CS", "CT"),
                    (8, 0x70, "LO", maker), (8, 0x1090, "LO", model), (0x20, 0xD, "UI", "1.2.3"), (0x20, 0xE, "UI", "1.2.826.%d" % series),
                    (0x20, 0x13, "IS", str(z)), (0x20, 0x32, "DS", "0\\0\\%d" % z), (0x20, 0x37, "DS", "1\\0\\0\\0\\1\\0"), (0x28, 2, "US", 1),
                    (0x28, 4, "CS", "MONOCHROME2"), (0x28, 0x10, "US", 3), (0x28, 0x11, "US", 4), (0x28, 0x30, "DS", "0.5\\0.5"), (0x28, 0x100, "US", 8),
                    (0x28, 0x101, "US", 8), (0x28, 0x102, "US", 7), (0x28, 0x103, "US", 0), (0x7FE0, 0x10, "OB", b"\2" * 12)):
            stream.write(element(*one))


class ReportTest(CommandTest):
    def report(self, names, recipe, values=(1, 1, 0, 1) + (0,) * 116):
        os.mkdir(self.path("in"))
        for name in names:
            write_nrrd(self.path("in/" + name + ".nrrd"), "uint8", (6, 5, 4), list(values), (1, 1, 1))
        with open(self.path("in/bad.nrrd"), "w", encoding="utf-8") as stream:
            stream.write("NRRD0004\n")
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write(recipe)
        result = run("batch", self.path("r.toml"), self.path("in"), "-o", self.path("out"), "--report")
        self.assertEqual(result.returncode, 3, result.stderr)
        with open(self.path("out/report.html"), encoding="utf-8") as stream:
            text = stream.read()
        return text, Page(text)

    RECIPE = ("[recipe]\nname = '%s'\n[[acceptance]]\nrule = \"largest\"\ncolumn = \"voxel_count\"\nat_most = 1\nname = '%s'\n"
              % (EVIL, EVIL))

    def test_nothing_is_asked_for_and_everything_is_escaped(self):
        text, page = self.report(["a", "<script>alert(3)<", "'\"><b>"], self.RECIPE)
        self.assertEqual(len(page.of("script")), 2)
        self.assertEqual(page.of("b"), [])
        for attributes in page.of("img"):
            self.assertRegex(attributes["src"], "^data:image/(png|jpeg);base64,")
            self.assertNotIn("onerror", attributes)
        for tag, attributes in page.elements:
            self.assertFalse([name for name in attributes if name.startswith("on")], tag)
            self.assertNotIn(tag, ("link", "iframe", "object", "base"))
            if "href" in attributes:
                self.assertRegex(attributes["href"], r"^(#item-\d+$|items/)")
        policy = [meta["content"] for meta in page.of("meta") if meta.get("http-equiv") == "Content-Security-Policy"][0]
        self.assertIn("default-src 'none'", policy)
        self.assertEqual(page.texts["h1"], [EVIL])
        self.assertNotIn("http", text.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", ""))

    def test_what_it_shows(self):
        _, page = self.report(["a", "b"], "[[acceptance]]\nrule = \"largest\"\ncolumn = \"voxel_count\"\nat_most = 1\n")
        rows = [attributes["data-verdict"] for attributes in page.of("tr") if "data-verdict" in attributes]
        self.assertEqual(rows, ["fail", "fail", "error"])
        self.assertEqual(page.texts["strong"], ["2", "0", "1"])
        data = json.loads(page.texts["script"][0])
        self.assertEqual(data["items"], ["a", "b", "bad"])
        columns = data["defects"]["columns"]
        sizes = [(row[0], row[columns.index("voxel_count")]) for row in data["defects"]["rows"]]
        self.assertEqual(sizes, [(0, 2), (0, 1), (1, 2), (1, 1)])
        self.assertEqual([(rule["column"], rule["name"], rule["limit"]) for rule in data["rules"]], [("voxel_count", "largest", 1.0)])
        # Of each item slices through the largest defect, slices to look through and, where VTK is there, surfaces.
        self.assertIn(len(page.of("img")), (4, 6))
        self.assertEqual(len([one for one in page.of("input") if one["type"] == "range"]), 2)
        self.assertEqual([(one["data-item"], one["data-slice"]) for one in page.of("button") if "data-slice" in one],
                         [("0", "0"), ("0", "0"), ("1", "0"), ("1", "0")])
        self.assertEqual([one and (one["axis"], one["columns"], one["places"]) for one in data["slices"]],
                         [("z", 4, [0, 1, 2, 3])] * 2 + [None])
        with open(self.path("r.toml"), encoding="utf-8") as stream:
            self.assertEqual("".join(page.texts["pre"]), stream.read())

    def shown(self):
        with open(self.path("out/report.html"), encoding="utf-8") as stream:
            return stream.read()

    def test_its_head_and_language(self):
        """Fields come from the recipe or from the command, which overrides it; unknown ones are refused with the list."""
        fields = "".join("%s = \"%s\"\n" % one for one in FIELDS.items())
        rule = "[[acceptance]]\nrule = \"largest\"\ncolumn = \"volume_mm3\"\nat_most = 1.5\nname = \"Size\"\n"
        with open(self.path("l.png"), "wb") as stream:
            stream.write(PIXEL)
        text, page = self.report(["a", "b"], rule + "[report]\nlogo = \"l.png\"\n" + fields)
        said = set(page.texts["dd"] + page.texts["h1"])
        self.assertEqual(said, {value for name, value in FIELDS.items() if name not in ("language", "paper")} | {"1 \u00d7 1 \u00d7 1 mm"})
        self.assertEqual(len([one for one in page.of("img") if one.get("class") == "logo"]), 1)
        self.assertIn("size: Letter;", text)
        self.assertEqual(page.of("html")[0]["lang"], "de")
        self.assertIn("Size 2 mm\u00b3, Grenzwert 1,5 mm\u00b3", page.texts["div"])
        self.assertIn("f\u00fcr jeden Defekt: Volumen h\u00f6chstens 1,5 mm\u00b3", page.texts["span"])
        self.ok("report", self.path("out"), "--report-field", "language=en", "--report-field", "customer=Other")
        page = Page(self.shown())
        self.assertIn("Other", page.texts["dd"])
        self.assertIn("Size 2 mm\u00b3, limit 1.5 mm\u00b3", page.texts["div"])
        for name, content in (("cut.png", PIXEL[:-1]), ("l.jpg", PIXEL), ("l.svg", b"<svg><g/>")):
            with open(self.path(name), "wb") as stream:
                stream.write(content)
        for field, saying in (("colour=1", ["a report has no field 'colour'", "customer", "serial_number"]), ("language=fr", ["it must be one of", "de"]),
                              ("customer", "--report-field customer has no value; write customer=VALUE"), ("titel", "did you mean 'title'?"),
                              ("title=" + 40000 * "a", "a text of the report has 40000 bytes; it may have 32767"), ("logo=r.toml", "must be a .png"), ("logo=none.png", "cannot read the logo"),
                              ("logo=" + self.path("cut.png"), "cut.png' is not a whole png picture"), ("logo=" + self.path("l.jpg"), "l.jpg' is not a whole jpg picture"),
                              ("logo=" + self.path("l.svg"), "l.svg' is not a whole svg picture")):
            self.fails("report", self.path("out"), "--report-field", field, saying=saying)
            self.fails("batch", self.path("r.toml"), self.path("in"), "-o", self.path("new"), "--report", "--report-field", field, saying=saying)
            self.assertFalse(os.path.exists(self.path("new")))
        self.fails("batch", self.path("r.toml"), self.path("in"), "-o", self.path("new"), "--report-field", "customer=A",
                   saying="--report-field needs --report or --xlsx")
        self.assertFalse(os.path.exists(self.path("new")))
        with open(self.path("r.toml"), "a", encoding="utf-8") as stream:
            stream.write("colour = 1\n")
        self.fails("recipe", "check", self.path("r.toml"), saying="[report] has no key 'colour'")

    def test_german_is_complete(self):
        """No English is left of any rule, whatever the recipe; a page's own texts and columns are all translated."""
        rules = ["largest\"\ncolumn = \"volume_mm3\"\nat_most = 0", "smallest\"\ncolumn = \"volume_mm3\"\nat_least = 9", "spacing\"\nat_least_mm = 9",
                 "porosity\"\nat_most_percent = 0", "porosity-per-slice\"\nat_most_percent = 0", "number\"\nat_most_count = 0",
                 "number\"\nat_most_count = 1", "number-per-slice\"\nat_most_count = 0", "near-surface\"\nwithin_mm = 5\nat_most_count = 0",
                 "near-surface\"\nwithin_mm = 5\nat_most_count = 1", "porosity-per-area\"\nreference_mm = 2\nat_most_percent = 0\nleast_part_percent = 1",
                 "number-per-area\"\nreference_mm = 2\nat_most_count = 0", "porosity-per-volume\"\nreference_mm = 2\nat_most_percent = 0",
                 "number-per-volume\"\nreference_mm = 2\nat_most_count = 0"] + [
                     name + "\"\n%s = 0\n%s = 1\nwhere = \"voxel_count > 0\"" % (limit, within) for within in ("within_mm", "within_diameters")
                     for name, limit in (("clusters", "at_most_count"), ("number-per-cluster", "at_most_count"),
                                         ("volume-of-cluster", "at_most_mm3"), ("size-of-cluster", "at_most_mm"))]
        recipe = "".join("[[acceptance]]\nname = \"N%d\"\nrule = \"%s\n" % (i, rule) for i, rule in enumerate(rules))
        _, page = self.report(["a"], PART + "[report]\nlanguage = \"de\"\n" + recipe, SOLID)
        spoken = page.texts["div"] + page.texts["span"] + page.texts["li"] + page.texts["p"] + page.texts["th"] + page.texts["h2"] + page.texts["option"]
        english = r"\b(the|of|at|most|with|defects?|than|every|is|are|not|slices?|voxels|belong|rules?|part|item)\b"
        self.assertEqual([text for text in spoken if re.search(english, text.replace("brickccl batch ... --report", ""))], [])
        table = json.loads(page.texts["script"][0])["texts"]
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Source", "Inspection", "Report")
        text = r"\[\[(.*?)(?:;;.*?)?\]\]"
        for name, pattern in (("report.html", text), ("compare.html", text), ("report.js", r'\bsay\("(.*?)"')):
            with open(os.path.join(folder, name), encoding="utf-8") as stream:
                self.assertEqual([text for text in re.findall(pattern, stream.read()) if text not in table], [], name)
        columns = [line.split(":")[0].split()[0] for line in self.ok("stats", "--list-columns").stdout.splitlines()[1:] if line.startswith("  ")]
        self.assertEqual([name for name in columns if name not in table], [])

    def test_the_workbook(self):
        """Four sheets, each with its own filter and frozen head, and a chart; numbers stay numbers."""
        self.report(["a", "b"], "[[acceptance]]\nrule = \"largest\"\ncolumn = \"volume_mm3\"\nat_most = 1.5\nname = \"Size\"\n")
        first = self.run_xlsx()
        self.assertEqual(first, self.run_xlsx())
        with zipfile.ZipFile(self.path("out/report.xlsx")) as book:
            sheets = [book.read("xl/worksheets/sheet%d.xml" % i).decode() for i in range(1, 5)]
            texts = re.findall("<t[^>]*>([^<]*)</t>", book.read("xl/sharedStrings.xml").decode())
            self.assertIn("xl/charts/chart1.xml", book.namelist())
            names = re.findall('<sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())
        self.assertEqual(names, ["Summary", "Verdicts", "Defects", "Histogram"])
        for text in ("Size, limit 1.5 mm3", "Size 2 mm3, limit 1.5 mm3", "failed rules", "volume (mm3)", "An item passes if"):
            self.assertIn(text, texts)
        for sheet in sheets[1:]:
            self.assertIn("<autoFilter", sheet)
            self.assertIn("frozen", sheet)
        # Two items with two defects each, below a head.
        self.assertEqual(len(re.findall("<row ", sheets[2])), 5)

    def test_no_part_of_a_report_is_damaged(self):
        """Texts that are not UTF-8 or too long for Excel are refused, and the files that are there stay."""
        name = "A" * 12000
        rules = "".join("[[acceptance]]\nrule = \"number\"\nat_most_count = 0\nname = \"%s%d\"\n" % (name, i) for i in range(3))
        self.report(["a"], rules)
        before = self.shown()
        for options in (("--report-field", "title=a\udcffb"), ("--report-field", "customer=M\udcfcller")):
            result = run("report", self.path("out"), "--xlsx", *options, errors="replace")
            self.assertEqual((result.returncode > 0, "it must be a text in UTF-8" in result.stderr), (True, True), result.stderr)
        # The failed rules are one cell.
        result = run("report", self.path("out"), "--xlsx", "--report-field", "customer=B")
        self.assertEqual((result.returncode, "cannot hold so long a text" in result.stderr), (1, True), result.stderr)
        self.assertEqual((self.shown(), os.path.exists(self.path("out/report.xlsx"))), (before, False))
        for key in ("title = \"%s\"" % ("b" * 40000), "logo = \"/etc/passwd\""):
            with open(self.path("long.toml"), "w", encoding="utf-8") as stream:
                stream.write("[report]\n%s\n" % key)
            saying = "a text of the report has 40000 bytes" if "title" in key else "it must be a .png, .jpg or .svg"
            self.fails("recipe", "check", self.path("long.toml"), saying=["long.toml:2: report.", saying])

    def test_scanner_and_scan_date_come_from_dicom_files(self):
        """If all items agree, and no field replaces them."""
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write("[threshold]\nrange = [1, 2]\n")
        for series, name in enumerate("ab"):
            os.makedirs(self.path("in/" + name))
            for z in range(3):
                write_slice(self.path("in/%s/%d.dcm" % (name, z)), series + 1, z, "20261120", "Maker", "Model 9")
        def shown(*fields):
            self.ok("batch", self.path("r.toml"), self.path("in"), "-o", self.path("out"), "--report", "--resume",
                    *("--report-field=" + field for field in fields))
            page = Page(self.shown())
            return dict(zip(page.texts["dt"], page.texts["dd"]))
        self.assertEqual(shown(), {"scanner": "Maker Model 9", "scan date": "2026-11-20", "voxel size": "0.5 \u00d7 0.5 \u00d7 1 mm"})
        said = shown("scanner=225 kV", "language=de", "date=today")
        self.assertEqual((said["CT-Anlage"], said["Datum des Scans"], said["Datum"]), ("225 kV", "2026-11-20", "today"))
        write_slice(self.path("in/b/2.dcm"), 2, 2, "20261121", "Maker", "Model 9")
        write_slice(self.path("in/b/0.dcm"), 2, 0, "20261121", "Maker", "")
        self.assertEqual(shown(), {"voxel size": "0.5 \u00d7 0.5 \u00d7 1 mm"})
        for date, said in (("20261399", "20261399"), ("20261231", "2026-12-31")):
            for z in range(3):
                write_slice(self.path("in/a/%d.dcm" % z), 1, z, date, "Maker", "")
            self.ok("batch", self.path("r.toml"), self.path("in/a"), "-o", self.path(date))
            item, = os.listdir(self.path(date + "/items"))
            with open(self.path(date + "/items/%s/summary.json" % item), encoding="utf-8") as stream:
                self.assertEqual(json.load(stream)["input"]["scan_date"], said)

    def test_a_value_near_its_limit_shows_the_digits_that_differ(self):
        """1.00020003 mm3 against the limit 1 are not shown as 1.000, nor with all digits."""
        os.mkdir(self.path("in"))
        write_nrrd(self.path("in/a.nrrd"), "uint8", (6, 5, 4), [1] + [0] * 119, (1.00020003, 1, 1))
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write("[[acceptance]]\nrule = \"largest\"\ncolumn = \"volume_mm3\"\nat_most = 1\n")
        self.ok("batch", self.path("r.toml"), self.path("in"), "-o", self.path("out"), "--report", "--quiet")
        self.assertIn("1.0002 mm\u00b3", self.shown())
        self.run_xlsx()
        with zipfile.ZipFile(self.path("out/report.xlsx")) as book:
            sheet, styles = book.read("xl/worksheets/sheet2.xml").decode(), book.read("xl/styles.xml").decode()
        style = int(re.search('<c r="F2" s="([0-9]+)"><v>1.0002', sheet).group(1))
        format_of_style = re.findall("<xf numFmtId=\"([0-9]+)\"", styles.split("<cellXfs")[1])[style]
        self.assertIn('<numFmt numFmtId="%s" formatCode="0.000######"/>' % format_of_style, styles)

    def run_xlsx(self):
        self.ok("report", self.path("out"), "--xlsx")
        with open(self.path("out/report.xlsx"), "rb") as stream:
            return stream.read()

    def test_a_pdf_needs_a_browser(self):
        self.report(["a"], self.RECIPE)
        os.mkdir(self.path("bin"))
        result = run("report", self.path("out"), "--pdf", env={**os.environ, "PATH": self.path("bin")})
        self.assertEqual((result.returncode, "--pdf needs Chromium or Google Chrome" in result.stderr), (1, True), result.stderr)
        result = run("batch", self.path("r.toml"), self.path("in"), "-o", self.path("new"), "--report", "--pdf", env={**os.environ, "PATH": self.path("bin")})
        self.assertEqual((result.returncode, os.path.exists(self.path("new"))), (1, False), result.stderr)
        with open(self.path("bin/chromium"), "w", encoding="utf-8") as stream:
            stream.write("#!/bin/sh\nexit 1\n")
        os.chmod(self.path("bin/chromium"), 0o755)
        result = run("report", self.path("out"), "--pdf", env={**os.environ, "PATH": self.path("bin") + ":/bin:/usr/bin"})
        self.assertEqual((result.returncode, "did not print the report" in result.stderr), (1, True), result.stderr)
        self.assertNotIn("report.pdf", os.listdir(self.path("out")))
        result = run("batch", self.path("r.toml"), self.path("in"), "-o", self.path("new"), "--report", "--pdf", "--quiet",
                     env={**os.environ, "PATH": self.path("bin") + ":/bin:/usr/bin"})
        # The code is that of an item that cannot be read, as without a report.
        self.assertEqual((result.returncode, "note: cannot write" in result.stderr), (3, True), result.stderr)
        self.assertLessEqual({"report.html", "record.json"}, set(os.listdir(self.path("new"))))
        self.assertNotIn("report.pdf", os.listdir(self.path("new")))

    def test_counts_have_no_unit(self):
        """The measured value of a rule on counts is one, although another key of the rule is a length."""
        _, page = self.report(["a"], PART + "[[acceptance]]\nrule = \"near-surface\"\nname = \"Surface\"\nwithin_mm = 5\nat_most_count = 0\n", SOLID)
        self.assertIn("Surface: 2 defects are nearer than 5 mm to the surface, limit 0", page.texts["div"])
        with open(self.path("out/log.txt"), encoding="utf-8") as stream:
            self.assertIn("Surface: 2 defects are nearer than 5 mm to the surface, limit 0\n", stream.read())

    def test_all_failed_rules_are_named(self):
        rule = "[[acceptance]]\nrule = \"number\"\nat_most_count = %d\nname = \"Count %d\"\n"
        _, page = self.report(["a"], rule % (0, 0) + rule % (1, 1) + rule % (2, 2))
        self.assertEqual([text for text in page.texts["div"] if text.startswith("Count")],
                         ["Count 0: 2 defects, limit 0", "Count 1: 2 defects, limit 1"])

    def test_without_pictures_it_says_where_they_come_from(self):
        self.report(["a"], self.RECIPE)
        run("batch", self.path("r.toml"), self.path("in"), "-o", self.path("other"), "--quiet")
        self.assertEqual(sorted(os.listdir(self.path("other/items/a"))), ["defects.csv", "labels.nrrd", "picture.png", "summary.json"])
        self.ok("report", self.path("other"))
        with open(self.path("other/report.html"), encoding="utf-8") as stream:
            page = Page(stream.read())
        self.assertIn("brickccl batch ... --report", page.texts["code"])
        self.assertEqual(len(page.of("img")), 1)

    def test_it_can_be_made_anew(self):
        text, _ = self.report(["a"], self.RECIPE)
        os.remove(self.path("out/report.html"))
        self.ok("report", self.path("out"))
        with open(self.path("out/report.html"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), text)
        self.fails("report", self.folder, saying="is not the folder of a finished batch")

    def test_damaged_tables_are_refused(self):
        self.report(["a"], self.RECIPE)
        for name in ("defects.csv", "items.csv", "items/a/defects.csv", "items/a/summary.json", "items/a/picture.png", "recipe.toml"):
            with open(self.path("out/" + name), "rb") as stream:
                content = stream.read()
            for damaged in (content.replace(b"a", b"b", 1), content[:len(content) // 2], b""):
                with open(self.path("out/" + name), "wb") as stream:
                    stream.write(damaged)
                self.fails("report", self.path("out"), saying=[os.path.basename(name), "was changed after the batch"])
            with open(self.path("out/" + name), "wb") as stream:
                stream.write(content)
        self.ok("report", self.path("out"))


if __name__ == "__main__":
    unittest.main()
