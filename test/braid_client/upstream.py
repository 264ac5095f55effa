"""A model provider for the tests: speaks OpenAI's chat completions on loopback, and does what a script says.

A script is a list of steps for one request; a request without a script of its own gets the default one:

    upstream = Upstream()
    upstream.script(Say("Half an ans"), Cut())            the next request
    upstream.always(Say("one two three", pace=0.02), End()) every other request

What was asked is in `upstream.requests`; `Request.closed` is set when the client has gone away.
"""
import json
import socket
import struct
import threading
from collections import deque
from dataclasses import dataclass, field

from .waiting import PATIENCE, wait_for

STREAM_HEAD = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
               b"Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n")
RESPONSE_ID = "chatcmpl-test-1"


@dataclass
class Request:
    head: str
    body: dict
    connection: int  # requests with the same number came on one connection
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self):
        return self.body["messages"]

    @property
    def headers(self):
        lines = (line.partition(": ") for line in self.head.split("\r\n")[1:] if line)
        return {name.lower(): value for name, _, value in lines}


# ---- steps ----

@dataclass
class Say:
    """The text in words, each a chunk; `pace` seconds between two."""
    text: str
    pace: float = 0.0
    field: str = "content"


@dataclass
class Call:
    """A tool call, its arguments in pieces."""
    name: str
    arguments: dict
    index: int = 0
    pieces: int = 4


@dataclass
class Raw:
    """Bytes of the stream as they are, after a pause."""
    data: bytes
    pause: float = 0


@dataclass
class End:
    """Finish reason, usage, [DONE]."""
    reason: str = "stop"
    usage: dict = field(default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18})


@dataclass
class Cut:
    """The connection breaks: reset, or closed in the middle of the chunks."""
    reset: bool = False


@dataclass
class Refuse:
    """Any status but 200, with a body that nobody should see."""
    status: int
    body: str = '{"error":{"message":"RAW-UPSTREAM-BODY","type":"x","code":"x"}}'
    headers: tuple = ()


@dataclass
class Wild:
    """These bytes instead of any answer; then the connection is closed."""
    data: bytes


@dataclass
class Hold:
    """Says nothing more until the test lets go, or the client leaves."""
    release: threading.Event = field(default_factory=threading.Event)


def chunk(delta=None, finish=None, **fields):
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    body = {"id": RESPONSE_ID, "object": "chat.completion.chunk", "created": 1, "model": "test", "choices": choices}
    return b"data: " + json.dumps({**body, **fields}).encode() + b"\n\n"


def words(text):
    """In words, each with the spaces before it."""
    pieces = text.split(" ")
    return [pieces[0], *(" " + piece for piece in pieces[1:])] if text else []


class Gone(Exception):
    """The client has left."""


class Upstream:
    def __init__(self):
        self.requests = []
        self._scripts = deque()
        self._default = [Say("Hello from upstream."), End()]
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._listener.getsockname()[1]
        self.base_url = f"http://127.0.0.1:{self.port}/v1"
        self._connections = []
        self._accepted = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def script(self, *steps):
        self._scripts.append(list(steps))

    def always(self, *steps):
        self._default = list(steps)

    def agent(self, name="upstream", tools=(), approval="{default: ask}", key="UPSTREAM_KEY", extra_model=""):
        """An agent file whose model is this server."""
        model = f"provider: openai, name: test-model, base_url: {self.base_url!r}, api_key_env: {key}{extra_model}"
        rows = "".join(f"\n  - {tool}" for tool in tools)
        return (f"name: {name}\nmodel: {{{model}}}\ninstructions: You are the tests' own agent, code word bluewhale.\n"
                f"approval: {approval}\n" + (f"tools:{rows}\n" if tools else ""))

    def wait_request(self, number=1) -> Request:
        """The request of that number, from 1."""
        wait_for(lambda: len(self.requests) >= number, f"request {number} at the upstream")
        return self.requests[number - 1]

    def close(self):
        try:
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts; closing alone does not
        except OSError:
            pass
        self._listener.close()
        for connection in self._connections:
            try:
                connection.close()
            except OSError:
                pass

    # ---- one thread per connection ----

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._accepted += 1
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection, self._accepted), daemon=True).start()

    def _serve(self, connection, number):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            rest = b""
            while True:
                request, rest = self._read_request(connection, rest, number)
                if request is None:
                    return
                script = self._scripts.popleft() if self._scripts else self._default
                self.requests.append(request)
                try:
                    if not _Answer(connection, request).play(script):
                        return
                except (Gone, OSError):
                    request.closed.set()
                    return
        except OSError:
            pass
        finally:
            connection.close()

    @staticmethod
    def _read_request(connection, data, number):
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return None, b""
            data += more
        head, _, data = data.partition(b"\r\n\r\n")
        head = head.decode()
        length = next((int(line.split(":")[1]) for line in head.split("\r\n")
                       if line.lower().startswith("content-length:")), 0)
        while len(data) < length:
            data += connection.recv(65536)
        body = json.loads(data[:length]) if length else {}
        return Request(head, body, number), data[length:]


class _Answer:
    """The steps of one script on one connection."""

    def __init__(self, connection, request):
        self.connection, self.request = connection, request
        self.begun = False

    def play(self, script):
        """False when the connection is of no more use."""
        for step in script:
            if isinstance(step, Refuse):
                return self._refuse(step)
            if isinstance(step, Cut):
                return self._cut(step)
            if isinstance(step, Wild):
                self.connection.sendall(step.data)
                return False
            self._begin()
            if isinstance(step, Say):
                self._say(step)
            elif isinstance(step, Call):
                self._call(step)
            elif isinstance(step, Raw):
                if step.pause and self._client_left(step.pause):
                    raise Gone
                self._chunked(step.data)
            elif isinstance(step, Hold):
                self._hold(step)
            elif isinstance(step, End):
                self._end(step)
        self._chunked(b"")
        return True

    def _begin(self):
        if not self.begun:
            self.begun = True
            self.connection.sendall(STREAM_HEAD)

    def _chunked(self, data):
        self.connection.sendall(b"%x\r\n%s\r\n" % (len(data), data))

    def _say(self, step):
        for word in words(step.text):
            if step.pace and self._client_left(step.pace):
                raise Gone
            self._chunked(chunk({step.field: word}))

    def _call(self, step):
        text = json.dumps(step.arguments)
        size = max(1, -(-len(text) // step.pieces))
        first = {"index": step.index, "id": f"call_up_{step.index}", "type": "function",
                 "function": {"name": step.name, "arguments": ""}}
        self._chunked(chunk({"tool_calls": [first]}))
        for at in range(0, len(text), size):
            piece = {"index": step.index, "function": {"arguments": text[at:at + size]}}
            self._chunked(chunk({"tool_calls": [piece]}))

    def _end(self, step):
        self._chunked(chunk({}, finish=step.reason))
        if step.usage is not None:
            self._chunked(chunk(usage=step.usage))
        self._chunked(b"data: [DONE]\n\n")

    def _refuse(self, step):
        body = step.body.encode()
        head = f"HTTP/1.1 {step.status} Refused\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in step.headers)
        self.connection.sendall(head.encode() + b"\r\n" + body)
        return True

    def _cut(self, step):
        if step.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        return False

    def _hold(self, step):
        while not step.release.is_set():
            if self._client_left(0.02):
                raise Gone

    def _client_left(self, seconds):
        """Waits so long; true as soon as the client has closed its side."""
        self.connection.settimeout(seconds)
        try:
            return self.connection.recv(1) == b""
        except TimeoutError:
            return False
        finally:
            self.connection.settimeout(PATIENCE)
