"""An MCP server that behaves as a test wants: fake_server.py [--era legacy|modern|mute] [--OPTION ...]

    --noise         prints lines that are no messages
    --silent        never answers anything
    --deaf          never reads its stdin
    --slow-close    stays when its stdin is closed, and ignores SIGTERM
    --ask-early     asks for the client's roots before it has been told that the client is ready
    --pages N       lists its tools in pages of N
    --bulk N        has N tools more of 400 KB each, and before them one of 600 KB
    --die-at-start  says why on stderr and ends
    --mark FILE     appends a line there for each thing worth knowing: start, call NAME, cancelled ID, closed

Era mute: a legacy server that says nothing to requests it does not know.
"""
import argparse
import base64
import json
import os
import signal
import sys
import threading
import time

MODERN = "2026-07-28"
LEGACY = "2025-11-25"


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


class RpcFailure(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data is not None else {})}


class FakeServer:
    """What the server knows, whichever way its messages go. `send(message)` takes them to the client."""

    def __init__(self, options, send):
        self.options, self.send = options, send
        self.cancelled, self.answers = [], {}
        self.ready = threading.Event()
        self.extra_tools = []
        self.version = 1
        self.calls = 0

    def mark(self, line):
        if self.options.mark:
            with open(self.options.mark, "a") as file:
                file.write(line + "\n")

    # ---- messages ----

    def take(self, message):
        """A message of the client; answers by send(), later for calls."""
        if "method" not in message:
            self.answers[message["id"]] = message
            return
        if "id" not in message:
            return self.take_notification(message)
        if message["method"] == "tools/call":
            threading.Thread(target=self.answer, args=(message,), daemon=True).start()
        else:
            self.answer(message)

    def take_notification(self, message):
        if message["method"] == "notifications/initialized":
            self.ready.set()
        elif message["method"] == "notifications/cancelled":
            self.cancelled.append(message["params"]["requestId"])
            self.mark(f"cancelled {message['params']['requestId']}")

    def answer(self, message):
        reply = self.reply(message)
        if reply is not None:
            self.send(reply)

    def reply(self, message):
        try:
            result = self.result(message)
        except RpcFailure as failure:
            return {"jsonrpc": "2.0", "id": message["id"], "error": failure.error}
        return None if result is None else {"result": result, "jsonrpc": "2.0", "id": message["id"]}

    def result(self, message):
        method, params = message["method"], message.get("params", {})
        if self.options.silent:
            return None
        if self.options.era == "modern":
            meta = params.get("_meta", {})
            if meta.get("io.modelcontextprotocol/protocolVersion") != MODERN:
                raise RpcFailure(-32022, "Unsupported protocol version", {"supported": [MODERN], "requested": "?"})
            assert meta["io.modelcontextprotocol/clientCapabilities"] == {}
            assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "braidlog"
            if method == "server/discover":
                return {"resultType": "complete", "supportedVersions": [MODERN],
                        "capabilities": {"tools": {"listChanged": True}}}
        elif method == "server/discover" and self.options.era == "mute":
            return None
        elif method == "initialize":
            if self.options.ask_early:
                self.send({"jsonrpc": "2.0", "id": "early", "method": "roots/list"})
                self.send({"jsonrpc": "2.0", "id": "alive", "method": "ping"})
            return {"protocolVersion": LEGACY, "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": {"name": "fake", "version": "1"}}
        if method == "tools/list":
            return self.list(params.get("cursor"))
        if method == "tools/call":
            self.calls += 1
            self.mark(f"call {params['name']}")
            return self.call(message["id"], params)
        raise RpcFailure(-32601, f"Method not found: {method}")

    def list(self, cursor):
        tools = self.tools()
        size = self.options.pages or len(tools)
        at = int(cursor or 0)
        page = {"tools": tools[at:at + size]}
        if at + size < len(tools):
            page["nextCursor"] = str(at + size)
        return page

    def tools(self):
        anything = {"type": "object", "properties": {}}
        names = ["echo", "structured", "bad_structured", "big", "crash", "slow", "fail", "refuse", "environment",
                 "descriptors", "ask", "change", "image", "seen", "odd.name"]
        schemas = {
            "echo": {"type": "object", "required": ["text"],
                     "properties": {"text": {"type": "string", "description": f"version {self.version}"}}},
            "big": {"type": "object", "required": ["bytes"], "properties": {"bytes": {"type": "integer"}}},
            "slow": {"type": "object", "properties": {"seconds": {"type": "number"}, "progress": {"type": "boolean"}}},
        }
        out = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
        tools = [{"name": name, "description": f"The tool {name}", "inputSchema": schemas.get(name, anything),
                  "annotations": {"readOnlyHint": True, "destructiveHint": False},
                  **({"outputSchema": out} if "structured" in name else {})} for name in names]
        if self.options.bulk:
            tools.append({"name": "huge", "description": "x" * 600_000})
        tools += [{"name": f"bulk{i}", "description": "x" * 400_000} for i in range(self.options.bulk)]
        return tools + self.extra_tools

    # ---- tools ----

    def call(self, number, params):
        name, args = params["name"], params.get("arguments", {})
        if name == "odd.name":
            return text("odd indeed")
        tool = getattr(self, "do_" + name, None)
        if tool is None:
            return text(f"Tool {name} not found", isError=True)
        return tool(number, args, params.get("_meta", {}))

    def do_echo(self, number, args, meta):
        return text("echo: " + args["text"])

    def do_structured(self, number, args, meta):
        return text('{"n": 5}', structuredContent={"n": 5})

    def do_bad_structured(self, number, args, meta):
        return text("?", structuredContent={"n": "five"})

    def do_big(self, number, args, meta):
        return text("x" * args["bytes"])

    def do_crash(self, number, args, meta):
        sys.stderr.write("about to fall\n")
        sys.stderr.flush()
        os._exit(3)

    def do_slow(self, number, args, meta):
        until = time.monotonic() + args.get("seconds", 60)
        step = 0
        while time.monotonic() < until and number not in self.cancelled:
            time.sleep(0.05)
            step += 1
            if args.get("progress"):
                self.progress(number, meta, step)
        return None if number in self.cancelled else text("slept")

    def progress(self, number, meta, step):
        self.send({"jsonrpc": "2.0", "method": "notifications/progress",
                   "params": {"progressToken": meta["progressToken"], "progress": step}})

    def do_fail(self, number, args, meta):
        return text("no such order", isError=True)

    def do_refuse(self, number, args, meta):
        raise RpcFailure(-32602, args.get("words", "Tool refuse not found"))

    def do_environment(self, number, args, meta):
        return text(json.dumps(dict(os.environ)))

    def do_descriptors(self, number, args, meta):
        found = {}
        for fd in os.listdir("/proc/self/fd"):
            try:
                found[fd] = os.readlink(f"/proc/self/fd/{fd}")
            except OSError:
                pass
        return text(json.dumps({"fds": found, "cwd": os.getcwd(), "group": os.getpgrp() == os.getpid()}))

    def do_ask(self, number, args, meta):
        if self.options.era == "modern":
            return {"resultType": "input_required", "requestState": "s",
                    "inputRequests": {"q": {"method": "elicitation/create", "params": {"message": "Who?"}}}}
        self.send({"jsonrpc": "2.0", "id": "question", "method": "elicitation/create", "params": {"message": "Who?"}})
        until = time.monotonic() + 10
        while "question" not in self.answers and time.monotonic() < until:
            time.sleep(0.01)
        return text(json.dumps(self.answers["question"]["error"]), isError=True)

    def do_change(self, number, args, meta):
        self.version += 1
        self.extra_tools.append({"name": f"new{self.version}", "inputSchema": {"type": "object"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        return text("changed")

    def do_image(self, number, args, meta):
        data = base64.b64encode(b"p" * 1234).decode()
        return {"content": [{"type": "text", "text": "Here:"}, {"type": "image", "mimeType": "image/png", "data": data},
                            {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "inside"}},
                            {"type": "resource_link", "name": "b", "uri": "file:///b.txt"}]}

    def do_seen(self, number, args, meta):
        return text(json.dumps({"cancelled": self.cancelled, "answers": self.answers, "calls": self.calls}))


def options_of(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--era", default="legacy")
    for flag in ("noise", "silent", "deaf", "slow-close", "ask-early", "die-at-start"):
        parser.add_argument("--" + flag, action="store_true")
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--bulk", type=int, default=0)
    parser.add_argument("--mark")
    return parser.parse_known_args(arguments)[0]


def main():
    options = options_of(sys.argv[1:])
    lock = threading.Lock()

    def send(message):
        line = json.dumps(message)
        with lock:
            if options.noise:
                sys.stdout.write("Server says hello!\n{not json\n\n[]\n")
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    server = FakeServer(options, send)
    server.mark(f"start {os.getpid()}")
    if options.die_at_start:
        sys.stderr.write("cannot find my configuration\n")
        sys.exit(1)
    if options.noise:
        sys.stderr.write("x" * 300_000 + "\n")  # more than a pipe holds
        print("Starting up on port 3000 ...", flush=True)
    if options.slow_close:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while options.deaf:
        time.sleep(1)
    for line in sys.stdin:
        server.take(json.loads(line))
    server.mark("closed")
    while options.slow_close:
        time.sleep(1)


if __name__ == "__main__":
    main()
