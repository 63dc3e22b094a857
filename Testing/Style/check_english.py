#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts turns of phrase that make a reader stop. Texts for users must not have any (exceptions: english.txt), and the share of
sentences in comments with such a turn may only fall. `--list` prints all of them; `--update` lowers the numbers in english.txt."""

import ast
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
EXCEPTIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "english.txt")
#: The fault, and the better words.
PATTERNS = (
    ("start with the thing", r"^(What|Who|Whoever|Whose|Of)\b(?![^?]*\?$)(?! course)"),
    ("this many, up to N, at most", r"\bso (many|much|few)\b(?! (that|as))|\bhowever (many|much|few)\b"),
    ("prints, reports, returns", r"\b(tells?|told|telling|hears?|heard)\b|\b(says|say|said) so\b"),
    ("is not a, there is no", r"(?<![Tt]here )\b(is|are|was|were|be|were) (no|none)\b(?! (longer|more|less|larger|smaller|one)\b)"),
    ("repeat the noun", r"\b(those|that) of\b|\bsuch ones?\b|\bthe ones? of\b"),
    ("is, are, represents", r"\b(lies|stands|stand for|lie (in|on|at|outside|inside|within|between|beyond|below|above|by|so))\b"),
    ("besides, except, again, continue, combine", r"\b[Bb]eside\b|\bbut for\b|\banew\b|\b(go|goes|going|went) (on|with)\b(?! as)"),
    ("only", r"\b(?!stands |let |left |leave |used |compiled )\w+ alone\b"),
    ("without, instead of, no", r"\bfor want of\b|\bin (the|their|its) (place|stead) of\b|\bnobody\b|\bnone (of|that)\b|\bwho(ever)? (needs|wants|asks|gives|has)\b"),
    ("are used, count, are ignored", r"\btakes? (no )?part\b|\bshall\b|\bthe same but\b|\bare had\b|\bis had\b"),
)
SPELLING = ("American spelling", r"(?<![\w`'\"./-])\w*([Nn]eighbour|[Cc]olour|[Gg]rey|[Cc]entre|metre|luminium|artefact|abelled|abelling)\w*(?![\w`'\"_-]|[./]\w)")
TOKEN = re.compile(r"""//[^\n]*|/\*(?s:.*?)\*/|'(?:[^'\\\n]|\\.)'|R"(?P<end>\w*)\((?P<raw>(?s:.*?))\)(?P=end)"|"(?P<plain>(?:[^"\\\n]|\\.)*)\"""")
MARKS = re.compile(r"^\s*(///?<?|//!?<?|/\*+!?|\*+/?|#:?)|\*/$", re.M)


def sentences(text):
    """Sentences of a text and their parts behind a colon or semicolon, each on one line."""
    parts = re.split(r"(?<=[.;:!?])\s+(?=[\"'`(]?\w)", " ".join(text.split()))
    return [part.strip(" (\"'") for part in parts if part.count(" ") > 1]


def of_cxx(text):
    """(line, text) of literals that users may see, and of comments: what follows each other is one."""
    found = ([], [])
    before, end = None, 0
    for match in TOKEN.finditer(text):
        comment = match[0].startswith("/")
        words = MARKS.sub("", match[0]) + "\n" if comment else match["raw"] or (match["plain"] or "").replace(r"\n", "\n")
        gap = text[end:match.start()]
        end = match.end()
        if comment and before == comment and not gap.strip() and gap.count("\n") < 2 or comment is before is False and not gap.strip(" \n"):
            found[comment][-1][1] += words.replace(r'\"', '"')
        elif comment or match[0][0] != "'":
            found[comment].append([text.count("\n", 0, match.start()) + 1, words.replace(r'\"', '"')])
        before = comment if comment or match[0][0] != "'" else None
    return found


def of_python(text):
    """(line, text) of strings, texts of help among them, and of comments."""
    nodes = list(ast.walk(ast.parse(text)))
    parts = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    seen = [(node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values))
            for node in nodes if isinstance(node, ast.JoinedStr)]
    seen += [(node.lineno, node.value) for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str) and
             node not in parts]
    return seen, [(text.count("\n", 0, match.start()) + 1, MARKS.sub("", match[0]))
                  for match in re.finditer(r"(?:^[ \t]*#(?!!).*\n)+", text, re.M)]


def of_xml(text):
    return [(text.count("\n", 0, match.start(1)) + 1, match[1]) for match in
            re.finditer(r"(?:>|CDATA\[)([^<>\[\]]+)", text)], []


def of_page(text):
    """(line, text) of paragraphs, items and cells; not of code."""
    text = re.sub(r"^```.*?^```|^\$\$.*?\$\$", lambda match: "\n" * match[0].count("\n"), text, flags=re.M | re.S)
    text = re.sub(r"^(?=\s*([-*|#]|\d+\.) ?)", "\0", text, flags=re.M).replace("\n\n", "\n\0\n")
    line, found = 1, []
    for block in text.split("\0"):
        found += [(line, cell) for cell in re.sub(r"^\s*([-*#]+|\d+\.) ", "", block).split("|")]
        line += block.count("\n")
    return found, []


READERS = ((r"^(?!Examples).*\.(h|hxx|cxx|cu|cuh)$", of_cxx), (r"\.py$", of_python), (r"^Source/.*\.xml$", of_xml),
           (r"^(README|CONTRIBUTING|SECURITY)\.md$|^(Examples|Wrapping)/.*\.md$|(FORMATS|COLUMNS|MainPage)\.md$"
            r"|^Source/(\w+/)?(Slicer|Itk)/README\.md$", of_page))


def texts():
    """(path, seen by users, line, text) of all that is read."""
    listed = subprocess.run(["git", "ls-files", "Source", "Wrapping", "Examples", "Testing", "*.md"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split("\n")
    for path in sorted(set(listed)):
        reader = next((reader for pattern, reader in READERS if re.search(pattern, path)), None)
        if reader is None or not os.path.isfile(os.path.join(ROOT, path)):
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
            seen, comments = reader(stream.read())
        if not re.search(r"(^Testing|/tests)/", path):
            yield from ((path, True, line, text) for line, text in seen)
        yield from ((path, False, line, text) for line, text in comments)


def faults_of(sentence, seen=True):
    """The better words for each turn in a sentence."""
    return [better for better, pattern in PATTERNS + ((SPELLING,) if seen else ()) if re.search(pattern, sentence)]


def count():
    """(path, line, better words, sentence) of users' sentences and of comments with such turns, and the number of comments'."""
    found, comments = ([], []), 0
    for path, seen, line, text in texts():
        for sentence in sentences(text):
            comments += not seen
            better = faults_of(sentence, seen)
            if better:
                found[not seen].append((path, line, "; ".join(better), sentence))
    return found[0], found[1], comments


def read_exceptions():
    """The highest share of comments in percent, files with the number that they may still have, and (path, sentence)."""
    share, counts, kept = 0.0, {}, set()
    with open(EXCEPTIONS, encoding="utf-8") as stream:
        for line in stream.read().split("\n"):
            path, _, rest = line.partition(" ")
            if path == "comments":
                share = float(rest)
            elif rest.isdigit():
                counts[path] = int(rest)
            elif path not in ("", "#"):
                kept.add((path, rest))
    return share, counts, kept


def number_of(seen, kept):
    """How many sentences each file has that are not exceptions."""
    return collections.Counter(fault[0] for fault in seen if (fault[0], fault[3]) not in kept)


def judge(seen, comments, total, exceptions):
    """Faults as lines: more than the exceptions allow, and exceptions that are not needed any more."""
    share, counts, kept = exceptions
    number = number_of(seen, kept)
    faults = [f"{path}:{line}: {better}: '{sentence}'" for path, line, better, sentence in seen
              if (path, sentence) not in kept and number[path] > counts.get(path, 0)]
    unused = [path for path in sorted(counts) if number[path] == 0]
    unused += [f"{path} {sentence}" for path, sentence in sorted(kept - {(fault[0], fault[3]) for fault in seen})]
    faults += [f"english.txt: '{entry}' is not needed any more; check_english.py --update removes it" for entry in unused]
    found = 100 * len(comments) / max(total, 1)
    if found > share + 0.05:
        faults.append(f"{found:.1f} % of {total} sentences in comments have such turns, at most {share:.1f} % may (--list shows them)")
    return faults


def update(seen, comments, total, exceptions):
    share, counts, kept = exceptions
    number = number_of(seen, kept)
    used = kept & {(fault[0], fault[3]) for fault in seen}
    with open(EXCEPTIONS, encoding="utf-8") as stream:
        lines = [line for line in stream.read().split("\n") if line.startswith("#")]
    lines.append(f"comments {min(share, round(100 * len(comments) / max(total, 1), 1))}")
    lines += [f"{path} {min(count, number[path])}" for path, count in sorted(counts.items()) if number[path] > 0]
    lines += [f"{path} {sentence}" for path, sentence in sorted(used)]
    with open(EXCEPTIONS, "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")


def main():
    seen, comments, total = count()
    exceptions = read_exceptions()
    if "--list" in sys.argv[1:]:
        for path, line, better, sentence in seen + comments:
            print(f"{path}:{line}: {better}: '{sentence}'")
        print(f"{len(seen)} in what users see; {len(comments)} of {total} sentences in comments")
        return 0
    if "--update" in sys.argv[1:]:
        update(seen, comments, total, exceptions)
        return 0
    faults = judge(seen, comments, total, exceptions)
    print("\n".join(faults) if faults else "plain English")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
