# SPDX-License-Identifier: Apache-2.0
"""`brickccl report`: one file that asks for nothing else, with everything escaped."""

import html.parser
import json
import os
import unittest

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


EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


class ReportTest(CommandTest):
    def report(self, names, recipe):
        os.mkdir(self.path("in"))
        for name in names:
            write_nrrd(self.path("in/" + name + ".nrrd"), "uint8", (6, 5, 4), [1, 1, 0, 1] + [0] * 116, (1, 1, 1))
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
        self.assertEqual(data["limits"], [{"column": "voxel_count", "name": "largest", "limit": 1.0}])
        # Of each item slices through the largest defect, slices to look through and, where VTK is there, surfaces.
        self.assertIn(len(page.of("img")), (4, 6))
        self.assertEqual(len([one for one in page.of("input") if one["type"] == "range"]), 2)
        self.assertEqual([(one["data-item"], one["data-slice"]) for one in page.of("button") if "data-slice" in one],
                         [("0", "0"), ("0", "0"), ("1", "0"), ("1", "0")])
        self.assertEqual(data["slices"], [{"axis": "z", "columns": 4, "places": [0, 1, 2, 3]}] * 2 + [None])
        with open(self.path("r.toml"), encoding="utf-8") as stream:
            self.assertEqual("".join(page.texts["pre"]), stream.read())

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
