"""HTTP/1.1 on a bare socket. Nothing is normalised on the way out, nothing is forgiven or lost on the way in."""
import json as json_module
import socket
import ssl
import struct
import time
from dataclasses import dataclass, field

from .frames import WITH_EVENT, FrameReader
from .waiting import PATIENCE

TLS_PORTS = set()  # where a proxy of the tests speaks TLS, with a certificate that nobody signed


class Closed(Exception):
    """The server closed or reset the connection before the message was whole."""


@dataclass(repr=False)
class Reply:
    status: int
    head: bytes
    headers: dict  # lower-case name -> list of values
    body: bytes = b""

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"

    def header(self, name, default=None):
        values = self.headers.get(name.lower())
        return values[0] if values else default

    @property
    def json(self):
        return json_module.loads(self.body.decode("utf-8", "strict"))


def parse_head(head: bytes) -> Reply:
    lines = head.decode("latin-1").split("\r\n")
    version, status = lines[0].split(" ")[:2]
    assert version in ("HTTP/1.1", "HTTP/1.0"), lines[0]
    headers = {}
    for line in lines[1:]:
        if line:
            name, value = line.split(":", 1)
            headers.setdefault(name.strip().lower(), []).append(value.strip())
    return Reply(int(status), head, headers)


def request_bytes(method, target, headers=(), body=None, host="127.0.0.1"):
    lines = [f"{method} {target} HTTP/1.1"]
    names = {name.lower() for name, _ in headers}
    if host is not None and "host" not in names:
        lines.append(f"Host: {host}")
    lines += [f"{name}: {value}" for name, value in headers]
    if body is not None and not names & {"content-length", "transfer-encoding"}:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape") + (body or b"")


class Connection:
    def __init__(self, port, timeout=PATIENCE, receive_buffer=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", port))
        if port in TLS_PORTS:
            self.socket = ssl._create_unverified_context().wrap_socket(self.socket)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends with RST: the rudest way for a client to leave."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def send(self, data: bytes):
        self.socket.sendall(data)

    def receive(self) -> bytes:
        """Some bytes; b"" at the end. A reset is an end too."""
        try:
            return self.socket.recv(65536)
        except (ConnectionResetError, BrokenPipeError):
            return b""

    def read_to_end(self) -> bytes:
        data, self.buffer = self.buffer, b""
        while True:
            more = self.receive()
            if not more:
                return data
            data += more

    def _until(self, mark):
        while mark not in self.buffer:
            more = self.receive()
            if not more:
                raise Closed(self.buffer)
            self.buffer += more
        end = self.buffer.index(mark) + len(mark)
        part, self.buffer = self.buffer[:end], self.buffer[end:]
        return part

    def _exactly(self, count):
        while len(self.buffer) < count:
            more = self.receive()
            if not more:
                raise Closed(self.buffer)
            self.buffer += more
        part, self.buffer = self.buffer[:count], self.buffer[count:]
        return part

    def read_head(self) -> Reply:
        while True:
            reply = parse_head(self._until(b"\r\n\r\n"))
            if reply.status != 100:
                return reply

    def read_reply(self, method="GET") -> Reply:
        reply = self.read_head()
        if method == "HEAD" or reply.status in (204, 304):
            return reply
        if reply.header("transfer-encoding") == "chunked":
            while True:
                size = int(self._until(b"\r\n").strip(), 16)
                reply.body += self._exactly(size)
                assert self._exactly(2) == b"\r\n"
                if size == 0:
                    return reply
        length = reply.header("content-length")
        reply.body = self.read_to_end() if length is None else self._exactly(int(length))
        return reply

    def ask(self, method, target, headers=(), body=None, host="127.0.0.1") -> Reply:
        self.send(request_bytes(method, target, headers, body, host))
        return self.read_reply(method)


@dataclass
class Stream:
    """An event stream under way. `payload` is every byte of the body so far, with the chunk framing taken off."""

    connection: Connection
    reply: Reply
    payload: bytearray = field(default_factory=bytearray)
    chunks: list = field(default_factory=list)  # each complete chunk
    end: str = ""  # "" while it goes on, then "clean" or "unclean"
    reader: FrameReader = field(default_factory=FrameReader)

    @property
    def frames(self):
        return self.reader.frames

    @property
    def last_id(self):
        return self.frames[-1].id if self.frames else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.connection.close()

    @property
    def half(self) -> bytes:
        """What came of a frame that is not whole: in the last chunk, or in one that is cut itself."""
        size, end, data = self.connection.buffer.partition(b"\r\n")
        return self.reader.rest + (data[:int(size, 16)] if end else b"")

    def pump(self):
        """Reads once from the socket. False when the stream has ended."""
        if self.end:
            return False
        more = self.connection.receive()
        if not more:
            self.end = "unclean"
            return False
        self.connection.buffer += more
        self._take_chunks()
        return not self.end

    def _take_chunks(self):
        """Takes whole chunks out of the connection's buffer."""
        buffer = self.connection.buffer
        while True:
            line = buffer.find(b"\r\n")
            if line < 0:
                break
            size = int(buffer[:line], 16)
            if len(buffer) < line + 4 + size:
                break
            data = buffer[line + 2: line + 2 + size]
            assert buffer[line + 2 + size: line + 4 + size] == b"\r\n", "a chunk without its line end"
            buffer = buffer[line + 4 + size:]
            if size == 0:
                self.end = "clean"
                break
            self.payload += data
            self.chunks.append(bytes(data))
            self.reader.feed(bytes(data))
        self.connection.buffer = buffer

    def read_until(self, condition, what, timeout=PATIENCE):
        deadline = time.monotonic() + timeout
        while not condition(self):
            assert time.monotonic() < deadline, f"waited {timeout:g} s in a stream for {what}: {self.frames[-3:]}"
            if not self.pump():
                assert condition(self), f"the stream ended ({self.end}) before {what}: {self.frames[-3:]}"
        return self

    def read_frames(self, count, timeout=PATIENCE):
        return self.read_until(lambda s: len(s.frames) >= count, f"{count} frames", timeout).frames

    def read_type(self, name, count=1, timeout=PATIENCE):
        """Reads until the count-th frame of that type, and gives that one."""
        def found(stream):
            return [frame for frame in stream.frames if frame.type == name]
        self.read_until(lambda s: len(found(s)) >= count, f"{count} × {name}", timeout)
        return found(self)[count - 1]

    def read_to_end(self, timeout=PATIENCE):
        deadline = time.monotonic() + timeout
        while self.pump():
            assert time.monotonic() < deadline, f"the stream did not end in {timeout:g} s: {self.frames[-3:]}"
        return self


def open_stream(port, target, headers=(), timeout=PATIENCE, receive_buffer=None, method="GET", body=None,
                lines=WITH_EVENT):
    """A Stream for a 200, the Reply for anything else. `lines`: what a frame of the contract has."""
    connection = Connection(port, timeout, receive_buffer)
    connection.send(request_bytes(method, target, [("Accept", "text/event-stream"), *headers], body))
    reply = connection.read_head()
    if reply.status == 200 and reply.header("content-type", "").startswith("text/event-stream"):
        stream = Stream(connection, reply, reader=FrameReader(lines))
        stream._take_chunks()
        return stream
    length = int(reply.header("content-length") or 0)
    reply.body = connection._exactly(length) if length else b""
    connection.close()
    return reply
