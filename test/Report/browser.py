# SPDX-License-Identifier: Apache-2.0
"""Drives a headless Chromium through its DevTools protocol over a pipe.

Plain Python: messages are JSON, each ended by a zero byte, written to the
browser's descriptor 3 and read from its descriptor 4.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
]
SECONDS_TO_ANSWER = 60


class Browser:
    """A browser with one page open. Use it in a `with`."""

    def __init__(self, program="chromium"):
        self.folder = tempfile.mkdtemp(prefix="ring-report-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def connect():
            # Out of the way first, for either may be 3 or 4 itself.
            spare = [os.dup(os.dup(to_browser)), os.dup(os.dup(from_browser))]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self.process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self.folder}", "about:blank"],
            close_fds=False,
            preexec_fn=connect,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.last_id = 0
        self.session = None
        self.problems = []

    def __enter__(self):
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call(
            "Target.attachToTarget", targetId=page, flatten=True
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(timeout=20)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, deadline):
        """The next message."""
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.into], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            piece = os.read(self.into, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        """Keeps what a page should not do: errors, warnings, requests."""
        method, about = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.problems.append(
                "exception: "
                + details.get("exception", {}).get("description", details["text"])
            )
        elif method == "Runtime.consoleAPICalled" and about["type"] != "log":
            self.problems.append(f"console {about['type']}: {about['args']}")
        elif method == "Log.entryAdded":
            self.problems.append("log: " + about["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            address = about["request"]["url"]
            if not address.startswith(("file:", "data:", "about:")):
                self.problems.append("request: " + address)

    def call(self, method, **params):
        """Calls a method of the protocol and gives its result."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        return self.wait_for(lambda m: m.get("id") == message["id"])

    def wait_for(self, is_it):
        """Reads messages up to the one that is meant."""
        deadline = time.monotonic() + SECONDS_TO_ANSWER
        while True:
            message = self.receive(deadline)
            self.note(message)
            if "error" in message and is_it(message):
                raise RuntimeError(str(message["error"]))
            if is_it(message):
                return message.get("result")

    def show(self, path, width=1280, height=900, dark=False):
        """Opens a page in a window of that width and colour scheme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for(lambda m: m.get("method") == "Page.loadEventFired")
        # Figures are drawn again when their width is known for good.
        self.evaluate("new Promise(r => requestAnimationFrame(() => setTimeout(r, 0)))")

    def evaluate(self, expression):
        """The value of a script."""
        result = self.call(
            "Runtime.evaluate",
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
        )
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def press(self, key, text=""):
        """Presses and releases a key."""
        codes = {"Tab": 9, "Enter": 13, "End": 35, "Home": 36, "ArrowLeft": 37,
                 "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        about = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0)}
        if text:
            about["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown", **about)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def screenshot(self, path):
        """Writes the whole page as a picture."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"],
                "scale": 1}
        data = self.call(
            "Page.captureScreenshot", clip=clip, captureBeyondViewport=True
        )["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def print(self, path):
        """Writes the page as it is printed on A4."""
        data = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69,
                         preferCSSPageSize=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
