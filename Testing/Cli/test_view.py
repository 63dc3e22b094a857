# SPDX-License-Identifier: Apache-2.0
"""`brickccl view` as its page uses it: numbers, label maps and tables equal those of the command that the page shows and
of a batch by its recipe; hostile requests are refused, and harm nothing."""

import csv
import http.client
import json
import os
import re
import shlex
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.parse

from support import COMMAND, CommandTest, labels_of, read_nrrd, run, write_nrrd


class View:
    """A running program, and its page's requests."""

    def __init__(self, folder, *arguments):
        self.process = subprocess.Popen([COMMAND, "view", *map(str, arguments), "--no-browser"], cwd=folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.address = self.process.stdout.readline().strip()
        self.port = urllib.parse.urlsplit(self.address).port
        self.token = urllib.parse.urlsplit(self.address).path.strip("/")
        self.generation = 0

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def request(self, path, body=None, headers=None, method=None):
        """The status, the headers and the bytes of an answer. `path` is behind the token."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method or ("GET" if body is None else "POST"), "/%s/%s" % (self.token, path),
                           body if body is None or isinstance(body, bytes) else json.dumps(body).encode(), headers or {})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def json(self, path, body=None):
        status, _, content = self.request(path, body)
        assert status == 200, (status, content)
        return json.loads(content)

    def label(self, **settings):
        """Labels by options; of flags True."""
        self.generation += 1
        texts = {name.replace("_", "-"): [] if value is True else [str(one) for one in (value if isinstance(value, list) else [value])]
                 for name, value in settings.items()}
        return self.json("label", {"generation": self.generation, "settings": texts})

    def save(self, kind, name, overwrite=False):
        return self.json("save", {"generation": self.generation, "kind": kind, "name": name, "overwrite": overwrite})

    def raw(self, content, timeout=30):
        """What comes back for bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout) as connection:
            answer = b""
            try:
                connection.sendall(content)
                while piece := connection.recv(1 << 16):
                    answer += piece
            except ConnectionError:
                pass
            return answer


class ViewTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.scan = self.path("scan.nrrd")
        self.ok("phantom", "casting", self.scan, "--size", 80, 70, 60, "--spacing", 0.5, 0.5, 0.4, "--quiet")

    def view(self, *arguments):
        view = View(self.folder, *arguments)
        self.addCleanup(view.close)
        self.assertRegex(view.address, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
        return view

    def command(self, text):
        """Runs the command of a page."""
        words = shlex.split(text)
        self.assertEqual(words[0], "brickccl")
        result = run(*words[1:], "--json", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    SETTINGS = (
        {"pores": True, "threshold": "otsu", "connectivity": 26},
        {"pores": True, "threshold": "iso50", "connectivity": 6, "minimum_volume": 2.5},
        {"pores": True, "threshold": 900, "connectivity": 18, "close": 1.2},
        {"pores": True, "range": [300, 3000], "connectivity": 26},
        {"threshold": "otsu", "connectivity": 6},
        {"threshold": "multi-otsu:3", "connectivity": 26, "minimum_volume": "1"},
        {"threshold": 100.5, "below": True, "connectivity": 26, "smooth": "median:1"},
        {"range": [-1200, 50], "connectivity": 18},
        {"pores": True, "threshold": "otsu", "connectivity": 26, "smooth": "gaussian:0.3"},
        {"pores": True, "threshold": "otsu", "connectivity": 26, "box": "20,10,5,60,50,40"},
        {"pores": True, "threshold": "otsu", "connectivity": 26, "box": "10mm,5mm,2mm,30mm,20.3mm,16mm", "split": "auto"},
        {"threshold": "iso50", "connectivity": 6, "box": "20,10,5,60,50,40", "smooth": "median:1"},
        {"pores": True, "threshold": 900, "connectivity": 18, "split": 0.3, "minimum_volume": 1},
        {"threshold": 900, "connectivity": 26, "split": 1.25},
    )

    def test_all_is_as_by_the_command_and_by_a_batch_of_the_recipe(self):
        view = self.view("scan.nrrd", "--threads", 2)
        os.mkdir(self.path("scans"))
        os.link(self.scan, self.path("scans/scan.nrrd"))
        for number, settings in enumerate(self.SETTINGS):
            with self.subTest(settings=settings):
                shown = view.label(**settings)
                self.assertNotIn("error", shown)
                headers = view.request("gray?axis=2&index=0")[1]
                self.assertEqual(headers["X-Type"], "float32" if "gaussian" in str(settings) else "int16")
                for kind, name in (("labels", "own.nrrd"), ("table", "own.csv"), ("table", "own.json"), ("picture", "own.png"),
                                   ("recipe", "own.toml")):
                    self.assertEqual(view.save(kind, name, True), {"saved": name})
                found = self.command(shown["command"] + " --picture picture.png")
                self.assertEqual(shown["components"], found["components"])
                self.assertEqual(shown["voxels"], found["kept_voxels"])
                self.assertGreater(shown["components"], 0)
                share = found["pores"]["porosity_percent"] if "pores" in settings else 100 * found["totals"]["fraction"]
                self.assertEqual(shown["percent"], share)
                if "threshold" in settings:
                    self.assertEqual(shown["threshold"], found["threshold"]["value"])
                self.assertEqual(labels_of(self.path("own.nrrd")), labels_of(self.path("labels.nrrd")))
                contents = self.contents()
                self.assertEqual(contents["own.csv"], contents["components.csv"])
                self.assertEqual(contents["own.png"], contents["picture.png"])
                self.command(shown["command"].replace("components.csv", "components.json"))
                self.assertEqual(self.contents()["own.json"], self.contents()["components.json"])
                out = self.path("batch-%d" % number)
                self.ok("batch", self.path("own.toml"), self.path("scans"), "-o", out, "--quiet")
                with open(out + "/items/scan/summary.json", encoding="utf-8") as stream:
                    summary = json.load(stream)
                self.assertEqual(summary["defects"], shown["components"])
                self.assertAlmostEqual(summary["porosity_percent"], share, delta=1e-12 * share)
                with open(out + "/items/scan/defects.csv", encoding="utf-8") as stream:
                    rows = [row[1:] for row in csv.reader(stream)]
                with open(self.path("own.csv"), encoding="utf-8") as stream:
                    self.assertEqual(rows, list(csv.reader(stream)))

    def test_a_device_gives_the_same(self):
        views = [self.view("scan.nrrd", "--device", device) for device in ("cpu", "cuda")]
        notes = [view.json("scan")["notes"] for view in views]
        self.assertEqual(notes[0], [])
        if notes[1]:
            self.assertRegex(notes[1][0], "device cuda:0 is not available .*; the CPU is used")
        for settings in (*self.SETTINGS[:5], {"threshold": -900, "connectivity": 26, "minimum_volume": 0.3}, self.SETTINGS[2],
                         {"pores": True, "threshold": 3000}, self.SETTINGS[12], {"pores": True, "threshold": 900}):
            with self.subTest(settings=settings):
                shown = [view.label(**settings) for view in views]
                for one in shown:
                    one.pop("milliseconds", None)
                self.assertEqual(*shown)
                for path in ("table", "blocks", "labels?axis=0&index=40", "labels?axis=1&index=0", "labels?axis=2&index=30"):
                    self.assertEqual(*(view.request(path)[2] for view in views), path)
                if "error" not in shown[0]:
                    for view, name in zip(views, ("a", "b")):
                        self.assertEqual(view.save("table", name + ".csv", True), {"saved": name + ".csv"})
                        view.save("labels", name + ".nrrd", True)
                    contents = self.contents()
                    self.assertEqual(contents["a.csv"], contents["b.csv"])
                    self.assertEqual(contents["a.nrrd"], contents["b.nrrd"])
        self.fails("view", self.scan, "--device", "gpu", saying="did you mean 'cuda'?")

    def test_a_recipe_comes_first(self):
        first = self.view("scan.nrrd", "--downsample", 2)
        for settings in (self.SETTINGS[1], self.SETTINGS[2], self.SETTINGS[6], self.SETTINGS[7], self.SETTINGS[10]):
            with self.subTest(settings=settings):
                shown = first.label(**settings)
                self.assertIn(" --downsample 2 ", shown["command"])
                first.save("recipe", "own.toml", True)
                view = self.view("scan.nrrd", "--recipe", "own.toml")
                scan = view.json("scan")
                self.assertEqual(scan["notes"], ["'scan.nrrd': each voxel is the mean of 2 voxels along each axis; the file has 80 x 70 x 60"])
                again = view.json("label", {"generation": 1, "settings": scan["settings"]})
                for name in ("components", "voxels", "percent", "threshold", "command", "box"):
                    self.assertEqual(again[name], shown[name], name)
                view.close()

    def test_what_the_page_cannot_do_of_a_recipe_is_said(self):
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write("[recipe]\nschema = 1\nname = \"r\"\n[part]\nmethod = \"pores\"\nthreshold = \"otsu\"\nerode_mm = 1\n"
                         "[labeling]\nconnectivity = \"full\"\nmaximum_size = 99\n[selection]\nkeep = \"voxel_count > 3\"\n")
        view = self.view("scan.nrrd", "--recipe", "r.toml")
        scan = view.json("scan")
        self.assertEqual(scan["notes"], ["the page leaves out what the recipe says with part.erode_mm labeling.maximum_size selection.keep"])
        self.assertEqual(scan["settings"], {"pores": [], "threshold": ["otsu"], "connectivity": ["full"]})
        self.assertGreater(view.json("label", {"generation": 1, "settings": scan["settings"]})["components"], 0)
        self.fails("view", self.scan, "--no-browser", "--recipe", self.path("none.toml"), saying="none.toml")

    def test_slices_table_and_surface(self):
        view = self.view("scan.nrrd")
        fields, data = read_nrrd(self.scan)
        self.assertEqual(fields["type"], "short")
        values = struct.unpack("<%dh" % (len(data) // 2), data)
        shown = view.label(pores=True, threshold="otsu", connectivity=26)
        view.save("labels", "labels.nrrd")
        labels = labels_of(self.path("labels.nrrd"))[1]
        size = (80, 70, 60)
        for axis, index in ((0, 31), (1, 40), (2, 0), (2, 59)):
            across, down = [other for other in range(3) if other != axis]
            places = []
            for v in range(size[down]):
                for u in range(size[across]):
                    at = [0, 0, 0]
                    at[axis], at[across], at[down] = index, u, v
                    places.append((at[2] * size[1] + at[1]) * size[0] + at[0])
            query = "?axis=%d&index=%d" % (axis, index)
            self.assertEqual(struct.unpack("<%dh" % len(places), view.request("gray" + query)[2]), tuple(values[place] for place in places))
            _, headers, content = view.request("labels" + query)
            self.assertEqual(headers["X-Generation"], str(view.generation))
            own = struct.unpack("<%dI" % len(places), content)
            # Voxels of the part without a label have the highest number.
            self.assertEqual([label if label < 0xFFFFFFFF else 0 for label in own], [labels[place] for place in places])
            self.assertTrue(all(values[place] < shown["threshold"] for label, place in zip(own, places) if 0 < label < 0xFFFFFFFF))
        table = view.json("table")
        self.assertEqual((table["all"], len(table["rows"])), (shown["components"], shown["components"]))
        sizes = [row[table["columns"].index("voxel_count")] for row in table["rows"]]
        self.assertEqual((sizes, sizes[0]), (sorted(sizes, reverse=True), shown["largestVoxels"]))
        for row in table["rows"]:
            self.assertEqual(labels[row[-1]], row[0])
        _, headers, content = view.request("blocks")
        self.assertEqual(json.loads(headers["X-Block"]), [1, 1, 1])
        blocks = struct.unpack("<%dI" % len(labels), content)
        self.assertEqual([label if label < 0xFFFFFFFF else 0 for label in blocks], labels)
        self.assertGreater(blocks.count(0xFFFFFFFF), 50000)
        self.assertIsInstance(view.json("notes"), list)

    def test_images_of_two_dimensions_and_other_types(self):
        for kind, values in (("uint8", [7, 200]), ("int64", [-5, 2**60]), ("double", [0.25, 1.5])):
            write_nrrd(self.path("flat.nrrd"), kind, (6, 4), (values * 12))
            view = self.view("flat.nrrd")
            self.assertEqual(view.json("scan")["extent"], [6, 4, 1])
            self.assertEqual(view.label(threshold="otsu", connectivity=4)["components"], 3)
            code = "B" if kind == "uint8" else "d"
            _, headers, content = view.request("gray?axis=2&index=0")
            self.assertEqual((struct.unpack("<24" + code, content), headers["X-Type"]), (tuple(values * 12), kind.replace("double", "float64")))
            self.assertEqual(len(view.request("labels?axis=0&index=5")[2]), 16)
            view.close()

    def test_a_label_map_comes_first(self):
        self.ok("label", self.scan, self.path("labels.nrrd"), "--pores", "--connectivity", 26)
        view = self.view("scan.nrrd", "labels.nrrd")
        shown = view.json("numbers")
        labels = labels_of(self.path("labels.nrrd"))[1]
        self.assertEqual((shown["components"], shown["voxels"]), (max(labels), sum(label > 0 for label in labels)))
        slice_bytes = view.request("labels?axis=2&index=30")[2]
        self.assertEqual(list(struct.unpack("<5600I", slice_bytes)), labels[30 * 5600:31 * 5600])
        self.assertIn("wait", view.save("labels", "other.nrrd")["error"])
        self.assertEqual(view.label(threshold=3000, connectivity=6)["components"], 0)
        write_nrrd(self.path("small.nrrd"), "uint8", (2, 2, 2), [0] * 8)
        self.fails("view", self.scan, self.path("small.nrrd"), "--no-browser", saying="small.nrrd")

    def test_newer_settings_replace_older_ones(self):
        self.ok("phantom", "casting", self.path("large.nrrd"), "--size", 300, 300, 200, "--quiet")
        view = self.view("large.nrrd", "--threads", 1)
        answers = {}

        def ask(generation):
            answers[generation] = view.json("label", {"generation": generation, "settings": {"pores": [], "threshold": [str(generation)]}})
        threads = [threading.Thread(target=ask, args=(generation,)) for generation in (401, 402, 403)]
        for thread in threads:
            thread.start()
            time.sleep(0.05)
        for thread in threads:
            thread.join()
        self.assertEqual([answers[401], answers[402]], [{"dropped": True}] * 2)
        self.assertEqual(answers[403]["threshold"], 403)

    def test_settings_that_are_refused(self):
        view = self.view("scan.nrrd")
        for settings, saying in (({"mask": ["/etc/passwd"]}, "cannot set 'mask'"), ({"seeds": ["x"]}, "cannot set"),
                                 ({"neighborhood": ["/etc/passwd"]}, "cannot set"), ({"output": ["x"]}, "cannot set")):
            status, _, content = view.request("label", {"generation": 1, "settings": settings})
            self.assertEqual(status, 400)
            self.assertIn(saying, content.decode())
        for settings, saying in (({"threshold": "oops"}, "oops"), ({"connectivity": 7}, "7"), ({"close": "1"}, "--close needs --pores"),
                                 ({"threshold": 5000, "pores": True}, "no material"), ({"range": [5, 1]}, "--range"),
                                 ({"threshold": "3", "range": [1, 2]}, "cannot be combined"), ({"below": True}, "--below"),
                                 ({"smooth": "gauss:1"}, "gauss:1"), ({"threshold": 900, "box": "1,2,3"}, "1,2,3"),
                                 ({"threshold": 900, "box": "0,0,0,9,9,99"}, "0,0,0,9,9,99"), ({"threshold": 900, "split": "wide"}, "wide"), ({"smooth": "median:50"}, "median:1 or median:2"), ({"minimum_volume": -1}, "-1")):
            self.assertIn(saying, view.label(**settings)["error"])
        self.assertIn("wait", view.save("table", "t.csv")["error"])
        self.assertGreater(view.label(pores=True, threshold="otsu")["components"], 0)

    def test_outputs_stay_in_the_folder_and_replace_nothing_unasked(self):
        os.mkdir(self.path("folder.csv"))
        os.symlink("/tmp/elsewhere.csv", self.path("link.csv"))
        os.link(self.scan, self.path("same.nrrd"))
        with open(self.path("old.csv"), "w", encoding="utf-8") as stream:
            stream.write("old")
        view = self.view("scan.nrrd")
        view.label(pores=True, threshold="otsu")
        before = self.contents()
        for kind, name in (("table", "../t.csv"), ("table", "/tmp/t.csv"), ("table", "a/t.csv"), ("table", "a\\t.csv"), ("table", ".csv"),
                           ("table", ".t.csv"), ("table", "t.txt"), ("table", "t\n.csv"), ("table", ""), ("table", "x" * 300 + ".csv"),
                           ("table", "folder.csv"), ("table", "link.csv"), ("labels", "scan.nrrd"), ("labels", "same.nrrd"),
                           ("labels", "l.nhdr"), ("picture", "p.csv"), ("recipe", "r.nrrd")):
            self.assertIn("error", view.save(kind, name, True), name)
        self.assertEqual(view.save("table", "old.csv"), {"exists": "old.csv"})
        status, _, content = view.request("save", {"kind": "program"})
        self.assertEqual((status, content), (400, b"the request is not JSON, lacks a value, or has one of a wrong kind\n"))
        self.assertEqual(self.contents(), before)
        self.assertEqual(view.save("table", "old.csv", True), {"saved": "old.csv"})
        self.assertNotEqual(self.contents()["old.csv"], b"old")

    def test_hostile_requests_are_refused(self):
        view = self.view("scan.nrrd")
        good = "Host: 127.0.0.1:%d\r\n" % view.port
        home = "/%s/" % view.token

        def status(text):
            answer = view.raw(text.encode("latin-1"))
            return int(answer.split(b" ", 2)[1]) if answer else 0

        for host in ("127.0.0.1:%d" % view.port, "localhost:1", "localhost", "[::1]:8000", "127.0.0.1"):
            self.assertEqual(status("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (home, host)), 200, host)
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "127.0.0.2", "", "localhost:123456", "[::1]x",
                     "user@localhost", "LOCALHOST "[:-1] + ".", "x" * 5000):
            self.assertEqual(status("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (home, host)), 403, host)
        self.assertEqual(status("GET %s HTTP/1.1\r\n\r\n" % home), 403)
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:%d" % view.port):
            self.assertEqual(status("GET %s HTTP/1.1\r\n%sOrigin: %s\r\n\r\n" % (home, good, origin)), 403, origin)
        self.assertEqual(status("GET %s HTTP/1.1\r\n%sOrigin: http://127.0.0.1:%d\r\n\r\n" % (home, good, view.port)), 200)
        for path in ("/", "//", "/page.js", "/" + "0" * 32 + "/", "/%s" % view.token, home[:-2] + "/", "/../" + view.token + "/", "/" + view.token.upper() + "x/"):
            self.assertEqual(status("GET %s HTTP/1.1\r\n%s\r\n" % (path, good)), 403, path)
        for path in ("../scan.nrrd", "scan.nrrd", "../../../../etc/passwd", "%2e%2e/scan.nrrd", "page.js/../../scan.nrrd", "gray/", "/etc/passwd"):
            answer = view.raw(("GET %s%s HTTP/1.1\r\n%s\r\n" % (home, path, good)).encode())
            self.assertIn(b" 404 ", answer.split(b"\r\n")[0], path)
        for query in ("", "?axis=3&index=0", "?axis=0&index=80", "?axis=0&index=-1", "?axis=0&index=1e99", "?axis=0&index=0.5",
                      "?axis=0&index=nan", "?axis=&index=", "?axis=0&index=99999999999999999999"):
            self.assertEqual(status("GET %sgray%s HTTP/1.1\r\n%s\r\n" % (home, query, good)), 400, query)
        for text, code in (("DELETE / HTTP/1.1\r\n\r\n", 405), ("GET / HTTP/1.0\r\n\r\n", 400), ("GET http://x/ HTTP/1.1\r\n\r\n", 400),
                           ("GET / HTTP/1.1 x\r\n\r\n", 400), ("\r\n\r\n", 405), ("GET / HTTP/1.1\r\nHost\r\n\r\n", 400),
                           ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400), ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
                           ("GET / HTTP/1.1\nHost: a\r\n\r\n", 400), ("\nGET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\nA: b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: \0\r\n\r\n", 400), ("\0\r\n\r\n", 400),
                           ("POST / HTTP/1.1\r\nContent-Length: 99999\r\n\r\n", 413), ("POST / HTTP/1.1\r\nContent-Length: 9999999999999\r\n\r\n", 413),
                           ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n", 400),
                           ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400), ("GET /" + "x" * 20000, 431),
                           ("GET / HTTP/1.1\r\n" + "A: b\r\n" * 5000, 431)):
            self.assertIn(status(text), (code, 0) if code in (413, 431) else (code,), text[:60])
        for body in (b"", b"{", b"[]", b"null", b"{}", b'{"generation": -1}', b'{"generation": 1, "settings": 5}', b'{"generation": "a", "settings": {}}',
                     b'{"generation": 1, "settings": {"threshold": [[]]}}', b"\xff" * 100, b"[" * 60000):
            self.assertEqual(view.request("label", body)[0], 400, body[:60])
            self.assertEqual(view.request("save", body)[0], 400, body[:60])
        self.assertEqual(view.request("label", method="GET")[0], 404)
        # Other sites' pages cannot read answers, nor run anything in this one.
        _, headers, content = view.request("")
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "connect-src 'self'"):
            self.assertIn(part, headers["Content-Security-Policy"])
        self.assertNotIn("unsafe", headers["Content-Security-Policy"])
        self.fails("view", self.scan, "--embed-in", "http://a/;script-src *", saying="is not an origin such as http://localhost:8888")
        self.assertEqual((headers["Referrer-Policy"], headers["X-Content-Type-Options"], headers["Cache-Control"]), ("no-referrer", "nosniff", "no-store"))
        self.assertNotIn(b"http://", content + view.request("page.js")[2] + view.request("page.css")[2])
        self.assertGreater(view.label(pores=True, threshold="otsu")["components"], 0)
        self.assertIsNone(view.process.poll())

    def test_slow_and_many_connections_do_not_stop_the_page(self):
        view = self.view("scan.nrrd")
        slow = []
        for i in range(300):
            connection = socket.create_connection(("127.0.0.1", view.port), 30)
            self.addCleanup(connection.close)
            connection.sendall(b"GET /"[:i % 6])
            slow.append(connection)
        begin = time.monotonic()
        self.assertEqual(view.json("scan")["type"], "int16")
        self.assertLess(time.monotonic() - begin, 5)
        statuses = []

        def ask():
            for _ in range(50):
                statuses.append(view.request("gray?axis=2&index=3")[0])
        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(statuses, [200] * 1000)
        # Silent connections are closed.
        for connection in slow:
            connection.settimeout(30)
            try:
                self.assertEqual(connection.recv(1), b"")
            except ConnectionError:
                pass
        self.assertGreater(view.label(pores=True, threshold="otsu")["components"], 0)

    def test_it_listens_on_the_loopback_address_alone(self):
        if not sys.platform.startswith("linux"):
            self.skipTest("sockets are listed in /proc on Linux")
        view = self.view("scan.nrrd")
        with open("/proc/net/tcp", encoding="utf-8") as stream:
            addresses = [line.split()[1] for line in stream if line.split()[1].endswith(":%04X" % view.port) and line.split()[3] == "0A"]
        self.assertEqual(addresses, ["0100007F:%04X" % view.port])
        self.fails("view", self.scan, "--no-browser", "--port", view.port, saying=["cannot listen on port %d" % view.port, "--port"])

    def test_it_ends_when_the_page_is_closed_or_at_an_interrupt(self):
        view = self.view("scan.nrrd", "--linger", 1)
        time.sleep(1.5)
        self.assertIsNone(view.process.poll())
        pages = []
        for number in ("1", "2"):
            page = socket.create_connection(("127.0.0.1", view.port), 30)
            self.addCleanup(page.close)
            page.sendall(("GET /%s/presence?page=%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (view.token, number)).encode())
            pages.append(page)
            time.sleep(0.3)
        view.label(threshold="otsu")
        # The later page has taken over.
        self.assertIn(b"200 OK", pages[0].recv(1000))
        time.sleep(1.5)
        self.assertIsNone(view.process.poll())
        pages[1].close()
        self.assertEqual(view.process.wait(30), 0)
        view = self.view("scan.nrrd")
        view.process.send_signal(signal.SIGINT)
        self.assertEqual(view.process.wait(30), 130)

    def test_the_list_of_scans(self):
        os.mkfifo(self.path("pipe.nrrd")) if hasattr(os, "mkfifo") else None
        self.fails("view", "--no-browser", "--recipe", self.path("none.toml"), saying="none.toml")
        view = self.view("--linger", 1)
        page = view.request("")[2].decode()
        self.assertIn(">scan.nrrd</a>", page)
        self.assertNotIn("pipe.nrrd", page)
        self.assertIn("/%s/presence" % view.token, view.request("start.js")[2].decode())
        waiting = socket.create_connection(("127.0.0.1", view.port), 30)
        self.addCleanup(waiting.close)
        waiting.sendall(("GET /%s/presence HTTP/1.1\r\nHost: localhost\r\n\r\n" % view.token).encode())
        time.sleep(3)
        self.assertIsNone(view.process.poll())
        waiting.close()
        self.assertEqual(view.process.wait(30), 0)
        view = self.view()
        os.mkdir(self.path("gone"))
        folder = re.search("href='/[0-9a-f]+/(open/[0-9]+)'>gone/<", view.request("")[2].decode()).group(1)
        os.rmdir(self.path("gone"))
        self.assertIn("<p role=alert><strong>cannot read the folder: ", view.request(folder)[2].decode())
        back = re.search("href='/[0-9a-f]+/(open/[0-9]+)'>../<", view.request("")[2].decode()).group(1)
        self.assertNotIn("alert", view.request(back)[2].decode())
        scan = re.search("href='(/[0-9a-f]+/open/[0-9]+)'>scan.nrrd<", view.request("")[2].decode()).group(1)
        view.request(scan.split("/", 2)[2])
        while b"Open a scan" in view.request("")[2]:
            time.sleep(0.1)
        # A click while the scan was read.
        status, headers, _ = view.request(scan.split("/", 2)[2])
        self.assertEqual((status, headers["Location"]), (303, "/%s/" % view.token))
        self.assertEqual(view.label(threshold="otsu")["generation"], 1)

    def test_images_that_cannot_be_shown(self):
        write_nrrd(self.path("four.nrrd"), "uint8", (2, 2, 2, 2), [0] * 16)
        self.fails("view", self.path("four.nrrd"), "--no-browser", saying="4")
        self.fails("view", self.path("none.nrrd"), "--no-browser", saying="none.nrrd")
        with open(self.path("flat.toml"), "w", encoding="utf-8") as stream:
            stream.write("[labeling]\nconnectivity = 8\n")
        self.fails("view", self.scan, "--no-browser", "--recipe", self.path("flat.toml"), saying="connectivity 8 does not fit 3 dimensions; use 6, 18")
        self.fails("view", self.scan, "--port", 70000, saying="--port")
        write_nrrd(self.path("same.nrrd"), "uint8", (2, 2, 2), [5] * 8)
        view = self.view("same.nrrd")
        self.assertIn("error", view.label(threshold="otsu"))
        self.assertEqual(view.label(threshold=5)["components"], 1)
