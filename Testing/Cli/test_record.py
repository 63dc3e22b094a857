# SPDX-License-Identifier: Apache-2.0
"""Records of runs: what they hold, read with hashlib, and `brickccl rerun`, which does a run again."""

import datetime
import getpass
import hashlib
import json
import os
import random
import socket
import unittest

from batch_support import BatchTest
from test_batch import write_png
from support import CommandTest, run, write_nrrd

SIZE = (12, 10, 8)


class Records(CommandTest):
    def setUp(self):
        super().setUp()
        dice = random.Random(7)
        write_nrrd(self.path("in.nrrd"), "uint8", SIZE, [dice.choice((0, 0, 1)) for _ in range(12 * 10 * 8)], (1, 1, 2))

    def here(self, *arguments):
        return run(*arguments, cwd=self.folder)

    def record(self, name="run.json"):
        with open(self.path(name), encoding="utf-8") as stream:
            return json.load(stream)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(text)
        return self.path(name)

    def check_files(self, described, names):
        self.assertEqual([one["path"] for one in described], names)
        for one in described:
            with open(self.path(one["path"]), "rb") as stream:
                content = stream.read()
            self.assertEqual((one["bytes"], one["sha256"]), (len(content), hashlib.sha256(content).hexdigest()))

    def test_an_edited_record_overwrites_nothing(self):
        self.assertEqual(self.here("label", "in.nrrd", "out.nrrd", "--record", "run.json").returncode, 0)
        victim, record = self.write("victim.csv", "mine"), self.record()
        for more in (["--statistics", victim], ["--statistics=" + victim], ["--record", victim]):
            self.write("edited.json", json.dumps(dict(record, command=["label", "in.nrrd", "out.nrrd", *more])))
            before = self.contents()
            done = self.here("rerun", "edited.json")
            self.assertEqual((done.returncode, "the record has 1 output, and its command 2" in done.stderr), (0, False) if more[0] == "--record" else (1, True))
            self.assertEqual(self.contents(), before)

    def test_outputs_may_be_named_like_other_arguments(self):
        done = self.here("label", "in.nrrd", "o.nrrd", "--connectivity", "6", "--record", "6")
        self.assertEqual(done.returncode, 0, done.stderr)
        again = self.here("rerun", "6")
        self.assertEqual((again.returncode, again.stdout), (0, "same       o.nrrd\n1 of 1 output has the same bytes\n"), again.stderr)

    def test_a_record_has_all_of_a_run(self):
        begin = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        command = ["label", "in.nrrd", "out.nhdr", "--connectivity", "6", "--statistics=t.csv", "--print",
                   "--picture", "p.png", "--minimum-size", "2", "--record", "run.json"]
        result = self.here(*command)
        self.assertEqual(result.returncode, 0, result.stderr)
        record = self.record()
        self.assertEqual(record["command"], command)
        self.assertEqual(os.path.realpath(record["folder"]), os.path.realpath(self.folder))
        self.assertEqual(record["brickccl"], run("--version").stdout.strip())
        self.assertEqual(record["computer"], socket.gethostname())
        self.assertEqual(record["user"], getpass.getuser())
        date = datetime.datetime.fromisoformat(record["date"])
        self.assertIsNotNone(date.tzinfo)
        self.assertTrue(begin <= date <= datetime.datetime.now(datetime.timezone.utc), record["date"])
        for option in ("minimum-size=2", 'statistics="t.csv"', 'order="raster"', "print=true", "json=false"):
            self.assertIn(option, record["options"])
        self.check_files(record["inputs"], ["in.nrrd"])
        self.check_files(record["outputs"], ["t.csv", "out.nhdr", "out.raw.gz", "p.png"])
        again = self.here("rerun", "run.json")
        self.assertEqual((again.returncode, again.stdout.splitlines()[-1]), (0, "4 of 4 outputs have the same bytes"))

    def test_other_outputs_do_not_depend_on_it(self):
        tables = ("--statistics", "t.json", "--schema", "s.csv")
        self.here("label", "in.nrrd", "out.nrrd", *tables)
        before = self.contents()
        self.here("label", "in.nrrd", "out.nrrd", *tables, "--record", "run.json")
        after = self.contents()
        self.assertIn("run.json", after)
        del after["run.json"]
        self.assertEqual(before, after)

    def test_a_rerun_says_what_differs_and_writes_nothing(self):
        self.here("label", "in.nrrd", "out.nrrd", "--statistics", "t.csv", "--record", "run.json")
        record = self.record()
        record["outputs"][1]["sha256"] = "0" * 64
        record["brickccl"] = "0.0.1"
        with open(self.path("run.json"), "w", encoding="utf-8") as stream:
            json.dump(record, stream)
        os.remove(self.path("out.nrrd"))
        before = self.contents()
        # From any folder.
        again = run("rerun", self.path("run.json"))
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertEqual(again.stdout, "same       t.csv\ndifferent  out.nrrd\n1 of 2 outputs has the same bytes\n")
        self.assertIn("note: the record is of version 0.0.1, and this is ", again.stderr)
        self.assertEqual(self.contents(), before)

    def test_changed_inputs_are_named(self):
        os.mkdir(self.path("slices"))
        for number in (1, 2):
            write_png(self.path("slices/s%d.png" % number), 4, 3, range(12))
        with open(self.path("names.txt"), "w", encoding="utf-8") as stream:
            stream.write("5 bone 255 0 0 0\n")
        done = self.here("label", "slices", "out.nrrd", "--equal-value", "--names", "names.txt", "--record", "run.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_files(self.record()["inputs"], ["slices/s1.png", "slices/s2.png", "names.txt"])
        write_png(self.path("slices/s3.png"), 4, 3, range(12))
        self.fails("rerun", self.path("run.json"), saying="the record has 3 inputs, and its command 4")
        with open(self.path("slices/s2.png"), "ab") as stream:
            stream.write(b"more")
        self.fails("rerun", self.path("run.json"), saying="s2.png' has changed since the record was written")
        os.remove(self.path("slices/s2.png"))
        self.fails("rerun", self.path("run.json"), saying="cannot read 'slices/s2.png'")
        self.fails("rerun", self.path("none.json"), saying="none.json': there is no such file")

    def test_only_hashes_say_that_an_input_changed(self):
        self.here("label", "in.nrrd", "out.nrrd", "--record", "run.json")
        record = self.record()
        record["inputs"][0]["bytes"] += 1
        with open(self.path("run.json"), "w", encoding="utf-8") as stream:
            json.dump(dict(record, folder=self.path("gone")), stream)
        again = self.here("rerun", "run.json")
        self.assertEqual((again.returncode, again.stdout.splitlines()[0]), (0, "same       out.nrrd"), again.stderr)
        self.assertEqual(again.stderr, "note: the \"folder\" of the record is missing; files are looked for in this one\n")
        self.assertNotIn("note", self.here("rerun", self.write("here.json", json.dumps(record))).stderr)
        for command in (["label", "--help"], ["batch", "--help"]):
            self.fails("rerun", self.write("help.json", json.dumps(dict(record, command=command))),
                       saying="the command of the record writes nothing to compare")

    def test_bad_records(self):
        with open(self.path("r.json"), "w", encoding="utf-8") as stream:
            stream.write('{"brickccl": "1"}')
        self.fails("rerun", self.path("r.json"), saying="r.json' is not a record of a run")
        self.fails("rerun", self.path("in.nrrd"), saying="in.nrrd' is not a record of a run")
        self.fails("rerun", self.path("none.json"), saying="none.json")
        for output in ("in.nrrd", "out.nrrd"):
            self.fails("label", self.path("in.nrrd"), self.path("out.nrrd"), "--record", self.path(output),
                       saying="would overwrite")
        self.fails("label", self.path("in.nrrd"), self.path("out.nrrd"), "--record", self.path("none/r.json"),
                   saying="r.json")
        self.here("label", "in.nrrd", "out.nrrd", "--record", "run.json")
        record = self.record()
        for change, saying in (({"outputs": [{**record["outputs"][0], "path": "never.nrrd"}]}, "which its command does not write"),
                               ({"brickccl": 5}, "is not a record of a run")):
            with open(self.path("run.json"), "w", encoding="utf-8") as stream:
                json.dump({**record, **change}, stream)
            self.fails("rerun", self.path("run.json"), saying=saying)
        for command, saying in ((["clean", "in.nrrd", "out.nrrd", "--record", "run.json"], "is neither label nor batch"),
                                (["label", "in.nrrd"], "the record has 1 output, and its command 0")):
            record["command"] = command
            with open(self.path("run.json"), "w", encoding="utf-8") as stream:
                json.dump(record, stream)
            self.fails("rerun", self.path("run.json"), saying=saying)


class BatchRecords(BatchTest):
    def test_a_batch_has_one(self):
        recipe = self.recipe()
        self.volume("a.nrrd", [(1, 1, 1, 3, 3, 3)])
        self.volume("b.nrrd", [(1, 1, 1, 2, 2, 2), (6, 6, 4, 1, 1, 1)])
        with open(self.path("in/c.nrrd"), "w", encoding="utf-8") as stream:
            stream.write("NRRD0004\ndamaged\n")
        self.batch("--report", "--xlsx", code=3)
        record_path = os.path.join(self.output, "record.json")
        with open(record_path, encoding="utf-8") as stream:
            record = json.load(stream)
        self.assertEqual([os.path.basename(one["path"]) for one in record["inputs"]],
                         ["r.toml", "a.nrrd", "b.nrrd"])
        outputs = {one["path"]: one for one in record["outputs"]}
        for name in ("items.csv", "manifest.json", "items/a/labels.nrrd", "items/b/summary.json", "report.html", "report.xlsx"):
            with open(os.path.join(self.output, name), "rb") as stream:
                self.assertEqual(outputs[name]["sha256"], hashlib.sha256(stream.read()).hexdigest(), name)
        before = self.tree()
        again = run("rerun", record_path)
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertNotIn("different", again.stdout)
        self.assertEqual(self.tree(), before)
        with open(recipe, "a", encoding="utf-8") as stream:
            stream.write("\n")
        changed = run("rerun", record_path)
        self.assertEqual(changed.returncode, 1)
        self.assertIn("r.toml' has changed since the record was written", changed.stderr)


if __name__ == "__main__":
    unittest.main()
