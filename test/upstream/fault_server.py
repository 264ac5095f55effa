"""A model provider that speaks OpenAI's chat completions and Anthropic's messages on loopback, and does what a test orders.

    upstream = FaultServer()
    message = upstream.order(refusal(500), Answer(OPENAI.say("Hello.")))   # the first request, the second and all others
    …the test says `message` in any contract, to an agent of upstream.agent("openai")…
    upstream.asked(message)                                                # the requests that came for it

An order is found by its name in the last thing that a user said, so any number of runs may be under way at once. Each request
is judged as the provider would (strict.py); a bad one is answered 400 and kept in `violations`.
"""
import json
import re
import socket
import threading
import time
from dataclasses import dataclass, field

from braid_client.waiting import wait_for

from . import strict
from .answers import Answer, Gone, Player
from .streams import PROTOCOLS, Event

ORDER = re.compile(r"order-(\d+)\b")
TASK = re.compile(r"(?s).*^Task: [^\n]*order-(\d+)\b", re.MULTILINE)  # of an execution: what came of others stands behind it
KEY = "sk-test-5up3r-s3cr3t"
NEVER_SHOWN = [KEY.encode(), b"RAW-UPSTREAM-BODY", b"bluewhale"]
ENVIRONMENT = {"UPSTREAM_KEY": KEY}
HEADERS = {"host", "user-agent", "accept", "content-type", "content-length", "authorization", "x-api-key",
           "anthropic-version"}  # nothing of a client's own request is among them


@dataclass
class Request:
    protocol: str
    head: str
    body: dict
    at: float
    connection: int  # requests with the same number came on one connection
    closed: threading.Event = field(default_factory=threading.Event)  # the client left before the end

    @property
    def headers(self):
        lines = (line.partition(": ") for line in self.head.split("\r\n")[1:] if line)
        return {name.lower(): value for name, _, value in lines}

    @property
    def messages(self):
        return self.body["messages"]


def said_by_user(message) -> str:
    """The text of a user's message; "" for anything else, results of tools included."""
    if message.get("role") != "user":
        return ""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content if block.get("type") == "text")


def last_order(messages):
    """The number of the order that was given last. One message may hold several: what a user said twice without an answer."""
    for message in reversed(messages):
        text = said_by_user(message)
        if task := TASK.match(text):
            return int(task.group(1))
        if numbers := ORDER.findall(text):
            return int(numbers[-1])
    return None


class FaultServer:
    def __init__(self, tls=None):
        self.requests, self.violations, self.issued = [], [], set()
        self._orders, self._asked, self._lock = {}, {}, threading.Lock()
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self._listener.getsockname()[1]
        self._open, self._accepted = set(), 0
        threading.Thread(target=self._accept, daemon=True).start()

    # ---- what tests say to it ----

    def order(self, *answers) -> str:
        """What to say to be answered so: the last answer is given again and again."""
        with self._lock:
            number = len(self._orders) + 1
            self._orders[number], self._asked[number] = list(answers), []
        return f"Please do order-{number}"

    def asked(self, message) -> list:
        return self._asked[int(ORDER.search(message).group(1))]

    def wait_asked(self, message, count=1) -> Request:
        wait_for(lambda: len(self.asked(message)) >= count, f"request {count} for {message!r}")
        return self.asked(message)[count - 1]

    @property
    def connections(self) -> int:
        """How many are open now."""
        return len(self._open)

    def base_url(self, protocol):
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}" + ("/v1" if protocol == "openai" else "")

    def model(self, protocol="openai", base_url=None, **more):
        """The value of `model:` in an agent file."""
        fields = {"provider": protocol, "name": "test-model", "base_url": base_url or self.base_url(protocol),
                  "api_key_env": "UPSTREAM_KEY", **more}
        return json.dumps(fields)  # which is YAML too

    def agent(self, name, protocol="openai", tools=("file_write",), approval="{default: auto}", model=None, extra=""):
        """An agent file whose model is this server. No plans: each turn of steps is one request, as elsewhere."""
        rows = "".join(f"\n  - {tool}" for tool in tools)
        return (f"name: {name}\nmodel: {model or self.model(protocol)}\n"
                f"instructions: You are the tests' own agent, code word bluewhale.\nplanning: {{interval: 0}}\n"
                f"approval: {approval}\n" + (f"tools:{rows}\n" if tools else "") + extra)

    def check(self):
        assert not self.violations, f"{len(self.violations)} requests that a provider refuses: {self.violations[:3]}"

    def close(self):
        try:
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts; closing alone does not
        except OSError:
            pass
        self._listener.close()
        for connection in list(self._open):
            connection.close()

    # ---- one thread per connection ----

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._accepted += 1
            threading.Thread(target=self._serve, args=(connection, self._accepted), daemon=True).start()

    def _serve(self, connection, number):
        self._open.add(connection)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            rest = b""
            while True:
                request, rest = self._read_request(connection, rest, number)
                if request is None or not self._answer(connection, request):
                    return
        except OSError:
            pass
        finally:
            self._open.discard(connection)
            connection.close()

    def _answer(self, connection, request):
        answer = self._choose(request)
        try:
            return Player(connection, answer).play()
        except (Gone, OSError):
            request.closed.set()
            return False

    def _choose(self, request) -> Answer:
        protocol = PROTOCOLS[request.protocol]
        try:
            self.check_head(request)
            strict.check(request.protocol, request.body, self.issued)
        except (strict.Refused, AttributeError, KeyError, TypeError) as fault:
            self.violations.append((repr(fault), request.body))
            return Answer([Event(protocol.error_body(str(fault)))], 400, kind="application/json", framing="length")
        return self.choose(request)

    def choose(self, request) -> Answer:
        number = last_order(request.messages)
        with self._lock:
            self.requests.append(request)
            asked, answers = self._asked[number], self._orders[number]
            asked.append(request)
            return answers[min(len(asked), len(answers)) - 1]

    @staticmethod
    def check_head(request):
        strict.need(request.headers.get("content-type") == "application/json", "content-type")
        extra = set(request.headers) - HEADERS
        strict.need(not extra, f"headers that are none of ours: {sorted(extra)}")
        if request.protocol == "openai":
            strict.need(request.headers.get("authorization") == f"Bearer {KEY}", "Incorrect API key provided")
        else:
            strict.need(request.headers.get("x-api-key") == KEY, "invalid x-api-key")
            strict.need(request.headers.get("anthropic-version") == "2023-06-01", "anthropic-version")
            strict.need("authorization" not in request.headers, "two ways to show who asks")

    @staticmethod
    def _read_request(connection, data, number):
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return None, b""
            data += more
            if data.startswith(b"\x16"):  # somebody begins to speak TLS
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                return None, b""
        head, _, data = data.partition(b"\r\n\r\n")
        head = head.decode()
        length = next((int(line.split(":")[1]) for line in head.split("\r\n")
                       if line.lower().startswith("content-length:")), 0)
        pieces, have = [data], len(data)
        while have < length:
            more = connection.recv(1 << 20)
            if not more:
                return None, b""
            pieces.append(more)
            have += len(more)
        data = b"".join(pieces)
        path = head.split(" ")[1]
        protocol = next((name for name, known in PROTOCOLS.items() if path == "/v1" + known.path), None)
        assert protocol, f"nobody serves {path}"
        return Request(protocol, head, json.loads(data[:length]), time.monotonic(), number), data[length:]
