# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven by its DevTools protocol through a pipe (Python's standard library only)."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

#: The command runs in wine: names of files have no "<", ITK is missing, and it finds no browser.
ON_WINDOWS = os.environ.get("BRICKCCL_SYSTEM") == "windows"


def find_chromium():
    """The path of Chromium or Chrome; None if there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def find_axe():
    """The script of axe-core, which a Python package brings along (see .ci/run); None if it is not there."""
    peers = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "peers", "lib")
    for folder, _, files in os.walk(peers):
        if folder.endswith("axe_playwright_python") and "axe.min.js" in files:
            return os.path.join(folder, "axe.min.js")
    return None


def needs_axe(test):
    """Skips a test where axe-core is not there."""
    return unittest.skipIf(find_axe() is None,
                           "axe-core is not there: Testing/Benchmarks/install-peers.sh --no-deps axe-playwright-python")(test)


class Browser:
    """One page. It has a profile of its own, and no network."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="brickccl-chromium-")
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()
        self.number, self.events, self.rest = 0, [], b""
        command = [find_chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
                   "--proxy-server=127.0.0.1:9", "--remote-debugging-pipe", "--user-data-dir=" + self.folder, "about:blank"]
        # Chromium reads from descriptor 3 and writes to descriptor 4.
        script = 'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser)
        self.process = subprocess.Popen(["bash", "-c", script, "bash", *command], pass_fds=[to_browser, from_browser],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read)
        os.close(self.write)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.read, 1 << 20)
            if not piece:
                raise EOFError("Chromium has ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        """Calls a method of the protocol and returns its result."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width=1440, height=900, **media):
        """Opens a file. `media` are features such as prefers_color_scheme="dark"."""
        self.events.clear()
        self.size(width, height)
        self.media("", **media)
        self.call("Page.navigate", url="file://" + path)
        while self.run("document.readyState") != "complete" or self.run("location.href") == "about:blank":
            time.sleep(0.05)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def media(self, kind, **features):
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def run(self, expression):
        """Evaluates an expression in the page; waits for promises."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", str(result)))
        return result["result"].get("value")

    def press(self, key, **more):
        """Presses a key: "Tab", "Enter", "ArrowRight" ..."""
        codes = {"Escape": 27, "Tab": 9, "Enter": 13, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowDown": 40}
        text = {"Enter": "\r", " ": " "}.get(key, "")
        common = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": codes.get(key) or ord(key.upper()), **more}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def requests(self):
        """The addresses that the page asked for, but for itself and what lies in it."""
        self.run("0")
        asked = [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith(("data:", "file://"))] + [url for url in asked if url.startswith("file://")][1:]

    def complaints(self):
        """Exceptions and errors of the console."""
        self.run("0")
        return [event["params"] for event in self.events if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]

    def barriers(self):
        """The serious faults of accessibility that axe-core finds in the page."""
        with open(find_axe(), encoding="utf-8") as stream:
            self.run(stream.read() + "; 0")
        found = self.run("axe.run().then((found) => found.violations.map((one) => [one.id, one.impact, one.help,"
                         " one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]))")
        return [one for one in found if one[1] in ("serious", "critical")]

    def picture(self, path, **more):
        with open(path, "wb") as stream:
            stream.write(base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"]))

    def print(self, path):
        """Prints to a PDF with the page's own size of paper."""
        with open(path, "wb") as stream:
            stream.write(base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)["data"]))
