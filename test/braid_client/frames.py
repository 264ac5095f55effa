"""Server-sent events, read strictly: anything that the contract does not allow is an error here.

    frame := "event: " type LF  "id: " id LF  "data: " json LF  LF     (the three lines in any order, each once)
    quiet := ": keepalive" LF LF

Contracts that name the type inside the data alone have no "event:" line, and one that replays nothing has no "id:"
line; then it must not be there at all.
"""
import json
import re
from dataclasses import dataclass, field

KEEPALIVE = b": keepalive\n\n"
FIELD = re.compile(rb"(event|id|data): (\S.*)\Z", re.DOTALL)
LINE_ENDS_TO_ESCAPE = ("\u0085", "\u2028", "\u2029")
WITH_EVENT = frozenset({"event", "id", "data"})  # runs, chat
WITHOUT_EVENT = frozenset({"id", "data"})        # steps, conversation
WITHOUT_ID = frozenset({"event", "data"})        # tasks
MAYBE_ID = frozenset({"event", "id?", "data"})   # many runs in one stream: only what can be resumed after has an id


class FramingError(AssertionError):
    pass


@dataclass
class Frame:
    raw: bytes
    type: str
    id: str
    data: dict = field(repr=False)

    @property
    def payload(self):
        return self.data["payload"]


def parse_frame(raw: bytes, lines=WITH_EVENT) -> Frame:
    if b"\r" in raw:
        raise FramingError(f"a carriage return in a frame: {raw!r}")
    fields = {}
    for line in raw[:-2].split(b"\n"):
        match = FIELD.match(line)
        if not match:
            raise FramingError(f"not a field line of the contract: {line!r}")
        name = match.group(1).decode()
        if name in fields:
            raise FramingError(f"'{name}' twice in one frame: {raw!r}")
        fields[name] = match.group(2).decode("utf-8", "strict")
    if not lines - {"id?"} <= set(fields) <= {name.rstrip("?") for name in lines}:
        raise FramingError(f"a frame needs {', '.join(sorted(lines))} and nothing else: {raw!r}")
    for character in LINE_ENDS_TO_ESCAPE:
        if character in fields["data"]:
            raise FramingError(f"U+{ord(character):04X} stands raw in a frame: {raw!r}")
    data = json.loads(fields["data"])
    if not isinstance(data, dict):
        raise FramingError(f"data is no JSON object: {raw!r}")
    kind = fields["event"] if "event" in lines else data.get("type", data.get("contract"))
    return Frame(raw, kind, fields.get("id", ""), data)


class FrameReader:
    """Takes bytes as they come; keeps complete frames, counts keepalives, holds back what is incomplete."""

    def __init__(self, lines=WITH_EVENT):
        self.lines = lines
        self.frames = []
        self.keepalives = 0
        self.rest = b""

    def feed(self, data: bytes):
        self.rest += data
        while True:
            end = self.rest.find(b"\n\n")
            if end < 0:
                return
            raw, self.rest = self.rest[: end + 2], self.rest[end + 2:]
            if raw == KEEPALIVE:
                self.keepalives += 1
            else:
                self.frames.append(parse_frame(raw, self.lines))


def parse_all(payload: bytes, lines=WITH_EVENT):
    reader = FrameReader(lines)
    reader.feed(payload)
    if reader.rest:
        raise FramingError(f"the stream ends inside a frame: {reader.rest[-200:]!r}")
    return reader.frames


def joined(frames) -> bytes:
    return b"".join(frame.raw for frame in frames)


def types(frames):
    return [frame.type for frame in frames]


def text_of(frames) -> str:
    return "".join(frame.payload["text"] for frame in frames if frame.type == "assistant_delta")


def of_type(frames, name):
    return [frame for frame in frames if frame.type == name]
