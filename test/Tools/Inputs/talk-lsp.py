# SPDX-License-Identifier: Apache-2.0
"""Opens files in a language server and prints what it says of them.

    talk-lsp.py <server> <file>...

Speaks the protocol as an editor does: initialize, didOpen, and then waits for
the diagnostics of that very file. Ends with shutdown and exit, and with the
server's exit code.
"""

import json
import pathlib
import subprocess
import sys


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.requests = 0

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method, params):
        self._send({"method": method, "params": params})

    def request(self, method, params):
        self.requests += 1
        self._send({"id": self.requests, "method": method, "params": params})
        return self.receive(lambda message: message.get("id") == self.requests)

    def receive(self, wanted):
        """The next message that is wanted; what comes before it is dropped."""
        while True:
            length = None
            while True:
                line = self.process.stdout.readline()
                if not line:
                    sys.exit("expects an answer of the server, but got the end of its output")
                if not line.strip():
                    break
                name, _, value = line.decode().partition(":")
                if name.lower() == "content-length":
                    length = int(value)
            message = json.loads(self.process.stdout.read(length))
            if wanted(message):
                return message


def main():
    server = Server(sys.argv[1:2])
    answer = server.request("initialize", {
        "processId": None, "rootUri": None, "capabilities": {}})
    print("server:", answer["result"]["serverInfo"]["name"])
    for path in map(pathlib.Path, sys.argv[2:]):
        uri = path.resolve().as_uri()
        server.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "mlir", "version": 1, "text": path.read_text()}})
        published = server.receive(
            lambda message: message.get("method") == "textDocument/publishDiagnostics"
            and message["params"]["uri"] == uri)
        diagnostics = published["params"]["diagnostics"]
        print(f"{path.name}: {len(diagnostics)} diagnostics")
        for diagnostic in diagnostics:
            line = diagnostic["range"]["start"]["line"] + 1
            print(f"{path.name}:{line}: {diagnostic['message']}")
    server.request("shutdown", None)
    server.notify("exit", None)
    sys.exit(server.process.wait(timeout=30))


if __name__ == "__main__":
    main()
