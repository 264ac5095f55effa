"""How an answer goes over the wire. One Answer is one HTTP response, and all that can be wrong with it."""
import socket
import struct
import threading
import time
from dataclasses import dataclass, field

from .streams import Event

REASONS = {200: "OK", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 429: "Too Many Requests",
           500: "Internal Server Error", 529: "Overloaded"}
RAW_BODY = b'{"error":{"message":"RAW-UPSTREAM-BODY","type":"x","code":"x"}}'
LEFT_CHECK_S = 0.02


class Gone(Exception):
    """The client has left."""


@dataclass
class Answer:
    events: list = field(default_factory=list)  # of Event, or a function that makes an endless supply
    status: int = 200
    headers: tuple = ()
    kind: str = "text/event-stream; charset=utf-8"
    framing: str = "chunked"  # or length, or close: the end of the connection is the end of the body
    cut: int = None           # the connection breaks after so many bytes of the body
    reset: bool = False       # and so it breaks: without a word
    pace: float = 0.0         # seconds before each event
    wait: float = 0.0         # before the first byte of the answer
    write: int = 0            # bytes per write; 0: each event is one
    hold: bool = False        # after the events nothing more, until the client leaves or `release` is set
    release: threading.Event = field(default_factory=threading.Event)
    raw: bytes = None         # these bytes instead of an HTTP response


def refusal(status, *headers, body=RAW_BODY, kind="application/json"):
    return Answer([Event(body)], status, tuple(headers), kind, framing="length")


def page(status=200):
    return refusal(status, body=b"<html><body>RAW-UPSTREAM-BODY</body></html>", kind="text/html")


class Player:
    """Plays one Answer on one connection."""

    def __init__(self, connection, answer):
        self.connection, self.answer = connection, answer

    def play(self) -> bool:
        """False when the connection is of no more use. Gone or OSError: the client has left."""
        answer = self.answer
        if answer.wait:
            self._pass_time(answer.wait)
        if answer.raw is not None:
            self.connection.sendall(answer.raw)
            return self._break()
        events = answer.events() if callable(answer.events) else answer.events
        self._head(events)
        at = 0
        for event in events:
            if answer.pace:
                self._pass_time(answer.pace)
            left = None if answer.cut is None else answer.cut - at
            if left is not None and left < len(event.data):
                return self._half(event.data, left)
            self._write(self._framed(event.data))
            at += len(event.data)
        if answer.hold:
            self._hold()
        if answer.cut is not None:
            return self._break()
        if answer.framing == "chunked":
            self.connection.sendall(b"0\r\n\r\n")
        return answer.framing != "close"

    def _head(self, events):
        answer = self.answer
        lines = [f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Status')}", f"Content-Type: {answer.kind}"]
        if answer.framing == "chunked":
            lines.append("Transfer-Encoding: chunked")
        elif answer.framing == "length":
            lines.append(f"Content-Length: {sum(len(event.data) for event in events)}")
        else:
            lines.append("Connection: close")
        lines += [f"{name}: {value}" for name, value in answer.headers]
        self.connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())

    def _framed(self, data):
        return b"%x\r\n%s\r\n" % (len(data), data) if self.answer.framing == "chunked" else data

    def _write(self, data):
        if not self.answer.write:
            self.connection.sendall(data)
            return
        for at in range(0, len(data), self.answer.write):
            self.connection.sendall(data[at:at + self.answer.write])

    def _half(self, data, length):
        """The event breaks off; its chunk was announced as a whole."""
        if length > 0:
            head = b"%x\r\n" % len(data) if self.answer.framing == "chunked" else b""
            self.connection.sendall(head + data[:length])
        return self._break()

    def _break(self):
        if self.answer.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    def _pass_time(self, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._client_left(min(left, LEFT_CHECK_S * 5)):
                raise Gone

    def _hold(self):
        while not self.answer.release.is_set():
            if self._client_left(LEFT_CHECK_S):
                raise Gone

    def _client_left(self, seconds):
        """Waits so long; true as soon as the client has closed its side."""
        self.connection.settimeout(seconds)
        try:
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except TimeoutError:
            return False
        finally:
            self.connection.settimeout(60)
