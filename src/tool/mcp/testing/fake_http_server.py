"""The fake server behind HTTP: fake_http_server.py [--era legacy|modern] [options of fake_server.py]. Prints its port.

Legacy: sessions, streams that begin with an event of an id and no data, a stream that is cut and can be taken up, a
stream of its own for changes. Modern: the headers are held against the body, changes go to subscriptions/listen.

    --json          answers with JSON and not with streams
    --need HEADER   refuses requests without this "Name: value" with 401
    --cut           the stream of each call is cut after its first event, in the legacy era
    --flood         with --json: asks 150 questions with the answer to each call, and never takes a reply
"""
import base64
import json
import queue
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fake_server import FakeServer, MODERN, options_of

TIMEOUT = 20


def decoded(value):
    if value and value.startswith("=?base64?") and value.endswith("?="):
        return base64.b64decode(value[9:-2]).decode()
    return value


class HttpFakeServer(FakeServer):
    """send() goes to whoever listens; progress goes to the stream of its call."""

    def __init__(self, options):
        super().__init__(options, self.publish)
        self.listeners, self.streams, self.unfinished, self.sessions = [], {}, {}, set()

    def publish(self, message):
        if message.get("id") == "question":  # a question of a call belongs into that call's stream
            for stream in self.streams.values():
                stream.put(message)
            return
        for listener in list(self.listeners):
            listener.put(message)

    def progress(self, number, meta, step):
        self.streams[number].put({"jsonrpc": "2.0", "method": "notifications/progress",
                                  "params": {"progressToken": meta["progressToken"], "progress": step}})

    def tools(self):
        marked = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"},
                                                   "deep": {"type": "object", "properties": {
                                                       "n": {"type": "integer", "x-mcp-header": "N"}}}}}
        unsound = {"type": "object", "properties": {"x": {"type": "number", "x-mcp-header": "X"}}}
        return super().tools() + [{"name": "region", "inputSchema": marked}, {"name": "forget", "inputSchema": {}},
                                  {"name": "unsound", "inputSchema": unsound}]

    def do_region(self, number, args, meta):
        return {"content": [{"type": "text", "text": json.dumps(args)}]}

    def do_forget(self, number, args, meta):
        self.sessions.clear()
        for listener in self.listeners:
            listener.put(None)
        return {"content": [{"type": "text", "text": "who are you?"}]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "fake"

    def log_message(self, *_):
        pass

    @property
    def fake(self):
        return self.server.fake

    # ---- answers ----

    def say(self, status, body=None, **headers):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def begin_stream(self, **headers):
        self.send_response(200)
        for name, value in {"Content-Type": "text/event-stream", "Connection": "close", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.close_connection = True

    def event(self, message=None, number=None):
        identity = f"id: {number}\n" if number else ""
        data = json.dumps(message) if message is not None else ""
        self.wfile.write(f"{identity}data: {data}\n\n".encode())
        self.wfile.flush()

    def failure(self, status, number, code, message, data=None):
        error = {"code": code, "message": message, **({"data": data} if data else {})}
        self.say(status, {"jsonrpc": "2.0", "id": number, "error": error})

    # ---- requests ----

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        need = self.server.options.need
        if need and self.headers.get(need.split(": ")[0]) != need.split(": ")[1]:
            return self.say(401, None)
        assert self.headers["Accept"] == "application/json, text/event-stream"
        modern = self.fake.options.era == "modern"
        if not (self.check_modern(message) if modern else self.check_legacy(message)):
            return
        if self.server.options.flood and "method" not in message:
            return self.hold()
        if "id" not in message or "method" not in message:
            self.fake.take(message)
            return self.say(202)
        if message["method"] == "subscriptions/listen":
            return self.listen(message)
        self.serve(message)

    def hold(self):
        self.fake.mark("held")
        self.connection.recv(1)
        self.fake.mark("let go")
        self.close_connection = True

    def check_modern(self, message):
        number = message.get("id")
        params = message.get("params", {})
        if message.get("method") == "initialize":
            self.failure(400, number, -32601, "no such method")
            return False
        wrong = self.headers["MCP-Protocol-Version"] != MODERN or self.headers["Mcp-Method"] != message["method"]
        if message["method"] == "tools/call":
            args = params.get("arguments", {})
            wrong |= decoded(self.headers["Mcp-Name"]) != params["name"]
            wrong |= params["name"] == "region" and decoded(self.headers["Mcp-Param-Region"]) != args.get("region")
            n = args.get("deep", {}).get("n")
            wrong |= params["name"] == "region" and self.headers["Mcp-Param-N"] != (None if n is None else str(n))
        if wrong:
            self.failure(400, number, -32020, "Header mismatch")
        return not wrong

    def check_legacy(self, message):
        if message.get("method") == "initialize":
            assert self.headers["MCP-Protocol-Version"] is None and self.headers["Mcp-Method"] is None
            return True
        session = self.headers["Mcp-Session-Id"]
        if session is None:
            self.failure(400, None, -32000, "Bad Request: Server not initialized")
        elif session not in self.fake.sessions:
            self.failure(404, None, -32001, "Session not found")
        else:
            assert self.headers["MCP-Protocol-Version"] == "2025-11-25"
            return True
        return False

    def serve(self, message):
        number, stream = message["id"], queue.Queue()
        self.fake.streams[number] = stream
        threading.Thread(target=lambda: stream.put(self.fake.reply(message) or "nothing"), daemon=True).start()
        headers = {}
        if message["method"] == "initialize":
            session = uuid.uuid4().hex
            self.fake.sessions.add(session)
            headers["Mcp_Session_Id"] = session
        if self.server.options.json:
            reply = stream.get(timeout=TIMEOUT)
            if self.server.options.flood and message["method"] == "tools/call":
                reply = [{"id": f"q{i}", "method": "ping"} for i in range(150)] + [reply]
            return self.say(200, reply, **headers)
        self.begin_stream(**headers)
        legacy = self.fake.options.era != "modern"
        if legacy:
            self.event(number=f"{number}-0")
        if legacy and self.server.options.cut and message["method"] == "tools/call":
            self.fake.unfinished[f"{number}-0"] = stream
            return
        self.pump(stream, number)

    def pump(self, stream, number):
        while True:
            item = stream.get(timeout=TIMEOUT)
            if item == "nothing":
                return
            try:
                self.event(item, f"{number}-1" if self.fake.options.era != "modern" else None)
            except OSError:
                self.fake.cancelled.append(number)
                self.fake.mark(f"closed {number}")
                return
            if item.get("id") == number and "method" not in item:
                return

    def listen(self, message=None):
        changes = queue.Queue()
        self.begin_stream()
        if message:
            self.event({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                        "params": {"notifications": message["params"]["notifications"]}})
        self.fake.listeners.append(changes)
        self.fake.mark("listening")
        while True:
            try:
                change = changes.get(timeout=TIMEOUT)
                if change is None:
                    return
                self.event(change)
            except (OSError, queue.Empty):
                return

    def do_GET(self):
        last = self.headers["Last-Event-ID"]
        if self.fake.options.era == "modern" or self.headers["Mcp-Session-Id"] not in self.fake.sessions:
            return self.say(405)
        if last is None:
            return self.listen()
        self.fake.mark(f"resumed {last}")
        self.begin_stream()
        self.pump(self.fake.unfinished[last], int(last.split("-")[0]))

    def do_DELETE(self):
        self.fake.sessions.discard(self.headers["Mcp-Session-Id"])
        self.fake.mark("deleted")
        self.say(200)


def main():
    options = options_of(sys.argv[1:])
    options.json, options.cut, options.flood = (flag in sys.argv for flag in ("--json", "--cut", "--flood"))
    options.need = sys.argv[sys.argv.index("--need") + 1] if "--need" in sys.argv else None
    ThreadingHTTPServer.request_queue_size = 128
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.options, server.fake = options, HttpFakeServer(options)
    print(server.server_address[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
