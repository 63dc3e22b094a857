# SPDX-License-Identifier: Apache-2.0
"""The patterns of check_english.py, what it reads from files, and how it judges."""

import os
import tempfile
import unittest
import unittest.mock

import check_english as english

#: Sentences with one turn each, in the order of check_english.PATTERNS, and sentences without one.
CAUGHT = (
    ("What is below the limit is dropped", "Who needs no label map makes none", "Of the components three stay"),
    ("label it in so much memory", "keep so many of the largest"),
    ("it is told of progress", "the command says so", "it hears of a file", "the header tells the size"),
    ("'a' is no number", "they are no slices of one volume", "its first bytes are none"),
    ("the labels are those of the input", "the size is that of a voxel", "leave out such ones"),
    ("the file lies beside it in a folder", "a voxel may lie outside of it", "# stands for a number"),
    ("a file beside the other", "all but for one", "it is made anew", "go on with it", "it does not go with --memory"),
    ("voxels alone are read", "by one of them alone"),
    ("taken for want of one", "in the place of the file", "nobody knows it", "who needs it"),
    ("voxels where it is 0 take no part", "it shall be whole", "the same but for its sign"),
)
FREE = ("Components below the limit are dropped", "What is a pore?", "keep this many of the largest", "there is no such file",
        "it is no longer needed", "Of course it is", "so many that they do not fit", "Such files are refused", "let alone a volume",
        "they are no more than 3", "use only one of them", "it must be between 1 and 3", "the image goes on as before")


class PatternsTest(unittest.TestCase):
    def test_each_pattern_catches_its_turns(self):
        self.assertEqual(len(CAUGHT), len(english.PATTERNS))
        for (better, _), sentences in zip(english.PATTERNS, CAUGHT):
            for sentence in sentences:
                self.assertIn(better, english.faults_of(sentence), sentence)

    def test_plain_sentences_pass(self):
        for sentence in FREE:
            self.assertEqual(english.faults_of(sentence), [], sentence)

    def test_spelling_counts_for_users_only_and_not_in_names(self):
        for sentence in ("join neighbours of a colour", "Centre of the box", "the labelled image", "10 metres", "grey values"):
            self.assertEqual(english.faults_of(sentence), [english.SPELLING[0]], sentence)
            self.assertEqual(english.faults_of(sentence, False), [], sentence)
        for sentence in ("use --neighbourhood 8+z", "the group `neighbours`", "set image.centre_mm", "the key 'colours'"):
            self.assertEqual(english.faults_of(sentence), [], sentence)


class ReadersTest(unittest.TestCase):
    def test_cxx(self):
        seen, comments = english.of_cxx('/** One\n *  two. */\n// three\n// four\nf("a \\"b\\" "\n  "c" + x, \'"\', R"(raw\ntext)");  // five\n')
        self.assertEqual([text for _, text in seen], ['a "b" c', "raw\ntext"])
        self.assertEqual([line for line, _ in seen], [5, 6])
        self.assertEqual([" ".join(text.split()) for _, text in comments], ["One two. three four", "five"])

    def test_python(self):
        seen, comments = english.of_python('"""Help."""\n# one\n# two\nx = f"a {y} b" "c"\n')
        self.assertEqual(sorted(seen), [(1, "Help."), (4, "a X bc")])
        self.assertEqual([" ".join(text.split()) for _, text in comments], ["one two"])

    def test_xml_and_pages(self):
        found = english.of_xml("<a>\n<b>the label</b>\n<c><![CDATA[the help]]></c></a>")[0]
        self.assertEqual([item for item in found if item[1].strip()], [(2, "the label"), (3, "the help")])
        page = "# Title\n\nOne\ntwo.\n\n```sh\nWho is no code\n```\n| a cell | another |\n- an item\n  of two lines\n"
        texts = [" ".join(text.split()) for _, text in english.of_page(page)[0] if text.strip()]
        self.assertEqual(texts, ["Title", "One two.", "a cell", "another", "an item of two lines"])

    def test_sentences(self):
        self.assertEqual(english.sentences("One is here. Two is\nthere: three are \"so and so\"; no"),
                         ["One is here.", "Two is there:", "three are \"so and so\";"])


class JudgeTest(unittest.TestCase):
    seen = [("a.cxx", 3, "only", "alone it is"), ("b.cxx", 4, "only", "also alone here")]

    def judge(self, exceptions, comments=0):
        return english.judge(self.seen, [()] * comments, 100, exceptions)

    def test_exceptions_and_counts(self):
        self.assertEqual(len(self.judge((0, {}, set()))), 2)
        self.assertEqual(self.judge((0, {"b.cxx": 1}, {("a.cxx", "alone it is")})), [])

    def test_a_count_only_falls_and_no_exception_is_kept_in_vain(self):
        self.assertEqual(self.judge((0, {"b.cxx": 2}, {("a.cxx", "alone it is")})), [])
        for exceptions in ((0, {"a.cxx": 1, "b.cxx": 1, "c.cxx": 1}, set()), (0, {"a.cxx": 1, "b.cxx": 1}, {("c.cxx", "gone is it")})):
            self.assertIn("not needed", self.judge(exceptions)[0])

    def test_the_share_of_comments_only_falls(self):
        kept = {fault[::3] for fault in self.seen}
        self.assertEqual(self.judge((5.0, {}, kept), 5), [])
        self.assertIn("at most 4.0 %", self.judge((4.0, {}, kept), 5)[0])

    def test_update_lowers_numbers_and_drops_what_is_not_needed(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(english, "EXCEPTIONS", os.path.join(folder, "english.txt")):
            with open(english.EXCEPTIONS, "w") as stream:
                stream.write("# Why.\ncomments 6.0\na.cxx 3\nc.cxx 2\nb.cxx also alone here\nb.cxx gone is it\n")
            english.update(self.seen, [()] * 5, 100, english.read_exceptions())
            with open(english.EXCEPTIONS) as stream:
                self.assertEqual(stream.read(), "# Why.\ncomments 5.0\na.cxx 1\nb.cxx also alone here\n")
            self.assertEqual(english.judge(self.seen, [()] * 5, 100, english.read_exceptions()), [])


if __name__ == "__main__":
    unittest.main()
