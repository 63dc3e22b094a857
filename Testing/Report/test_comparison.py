# SPDX-License-Identifier: Apache-2.0
"""The report of a comparison in a headless Chromium: sorting, the choice of changes, curves, screens, accessibility.

Run by itself it says what is missing and ends with 77, which CTest takes as skipped."""

import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Cli"))

from browser import ON_WINDOWS, Browser, find_chromium, needs_axe
from support import run, write_nrrd

NAME = "&lt;b&gt;" if ON_WINDOWS else "<b>"
COUNT = "document.getElementById('defect-count').textContent"


def make_pages(folder):
    """Three label maps of 40 cubes of 3 voxels a side: the 11th grows by a layer each time, the 12th is in the first
    map only, the 13th in the last one only. Their pages in English and German."""
    for scan in range(3):
        values = [0] * (50 * 40 * 8)
        for label in range(1, 41):
            if (label == 12 and scan > 0) or (label == 13 and scan < 2):
                continue
            left, top = (label - 1) % 8 * 6 + 1, (label - 1) // 8 * 8 + 1
            for z in range(1, 4):
                for y in range(top, top + 3 + scan * (label == 11)):
                    values[(z * 40 + y) * 50 + left:(z * 40 + y) * 50 + left + 3] = [label] * 3
        write_nrrd(folder + "/%s%d.nrrd" % (NAME, scan), "uint8", (50, 40, 8), values, (0.5, 0.5, 0.5))
    for language in ("en", "de"):
        result = run("compare", *(folder + "/%s%d.nrrd" % (NAME, scan) for scan in range(3)), "--report", folder + "/%s.html" % language,
                     "--report-field", "language=" + language)
        assert result.returncode == 0, result.stderr


class ComparePageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="brickccl-compare-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        make_pages(cls.folder)
        cls.page = cls.folder + "/en.html"
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.open(self.page)

    def rows(self):
        return self.browser.run("Array.from(document.querySelectorAll('#defect-table tbody tr')).map((row) =>"
                                " Array.from(row.cells).filter((cell) => !cell.hidden).map((cell) => cell.textContent))")

    def test_it_asks_for_nothing_and_nothing_complains(self):
        self.assertEqual((self.browser.requests(), self.browser.complaints()), ([], []))
        self.assertEqual(self.browser.run("document.querySelector('.statement').textContent"),
                         "37 defects stayed the same, 1 grew, 1 is new, 1 vanished.")

    def test_what_changed_most_comes_first(self):
        rows = self.rows()
        self.assertEqual((len(rows), self.browser.run(COUNT)), (25, "40 of 40 defects, page 1 of 2"))
        self.assertEqual([row[:2] + row[8:] for row in rows[:3]],
                         [["12", "vanished", "3.375", "", ""], ["40", "new", "", "", "3.375"], ["11", "grown", "3.375", "4.500", "5.625"]])
        heads = self.browser.run("Array.from(document.querySelectorAll('#defect-table thead th')).filter((head) => !head.hidden).map((head) => head.textContent)")
        self.assertEqual(heads, ["number", "change", "sizes", "parted from", "joined", "centroid x (mm)", "centroid y (mm)", "centroid z (mm)"] +
                         ["volume (mm\u00b3), scan %d" % i for i in (1, 2, 3)])

    def test_sorting_and_the_choice_of_changes(self):
        self.browser.run("document.querySelectorAll('#defect-table thead button')[0].click()")
        self.assertEqual([row[0] for row in self.rows()], [str(i) for i in range(1, 26)])
        # By the largest size of all scans.
        for _ in range(2):
            self.browser.run("document.querySelectorAll('#defect-table thead button')[2].click()")
        self.assertEqual(self.rows()[0][0], "11")
        for _ in range(2):
            self.browser.run("document.querySelectorAll('#defect-table thead button')[1].click()")
        self.assertEqual([row[1] for row in self.rows()[:2]], ["vanished", "same"])
        self.browser.run("const choice = document.getElementById('defect-item'); choice.value = 'new'; choice.dispatchEvent(new Event('input'))")
        self.assertEqual((len(self.rows()), self.browser.run(COUNT)), (1, "1 of 40 defects, page 1 of 1"))
        self.browser.run("choice.selectedIndex = 0; document.getElementById('defect-least').focus()")
        self.browser.type("5")
        self.assertEqual([row[0] for row in self.rows()], ["11"])

    def test_curves_of_sizes(self):
        curves = self.browser.run("Array.from(document.querySelectorAll('svg.sizes')).slice(0, 3).map((svg) => [svg.getAttribute('aria-label'),"
                                  " svg.querySelectorAll('circle').length, svg.querySelectorAll('polyline').length])")
        self.assertEqual(curves, [["sizes: 3.375; not there; not there", 1, 0], ["sizes: not there; not there; 3.375", 1, 0],
                                  ["sizes: 3.375; 4.5; 5.625", 3, 1]])
        heights = self.browser.run("Array.from(document.querySelectorAll('svg.sizes')[2].querySelectorAll('circle'), (one) => Number(one.getAttribute('cy')))")
        self.assertEqual(heights, sorted(heights, reverse=True))

    def test_pictures_of_one_place(self):
        """The cube is white in the scans that have it, and the outline is drawn in all of them."""
        look = """(async (track) => { const found = [];
          for (const image of document.querySelectorAll('#track-' + track + ' img')) { await image.decode();
            const canvas = document.createElement('canvas'); canvas.width = canvas.height = 160; const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0); const all = context.getImageData(0, 0, 160, 160).data;
            let orange = 0; for (let i = 0; i < all.length; i += 4) if (all[i] > 150 && all[i + 2] < 90) orange += 1;
            found.push([all[(80 * 160 + 80) * 4] > 128, orange > 50]); } return found; })(%d)"""
        self.assertEqual(self.browser.run(look % 12), [[True, True], [False, True], [False, True]])
        self.assertEqual(self.browser.run(look % 40), [[False, True], [False, True], [True, True]])
        self.browser.run("document.querySelector('#defect-table tbody a').click()")
        self.assertEqual(self.browser.run("location.hash"), "#track-12")

    def test_german_and_narrow_screens(self):
        self.browser.open(self.folder + "/de.html", 390, 844)
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
        self.assertEqual(self.browser.run("document.querySelector('.statement').textContent"),
                         "37 Defekte blieben gleich, 1 ist gewachsen, 1 ist neu, 1 ist verschwunden.")
        self.assertEqual([row[:2] for row in self.rows()[:3]], [["12", "verschwunden"], ["40", "neu"], ["11", "gewachsen"]])
        self.assertNotRegex(self.browser.run("document.querySelector('main').innerText"), r"\b(scan|defect|volume|size|the|of)\b")

    @needs_axe
    def test_axe_finds_nothing_serious(self):
        for width, height, scheme in ((1440, 900, "light"), (1440, 900, "dark"), (390, 844, "light")):
            self.browser.open(self.page, width, height, prefers_color_scheme=scheme)
            self.assertEqual(self.browser.barriers(), [], (width, scheme))


if __name__ == "__main__":
    if find_chromium() is None:
        print("Chromium is not there: Testing/install-packages.sh installs it")
        sys.exit(77)
    unittest.main(verbosity=2)
