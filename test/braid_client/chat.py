"""The chat contract as calls: a message as JSON, as a form or as a link, and the answer as a stream or at once."""
import base64
import json
import os
import re
from dataclasses import dataclass
from urllib.parse import urlencode

from .frames import WITH_EVENT, joined
from .invariants import ULID
from .waiting import PATIENCE
from .wire import Stream, open_stream

BOUNDARY = "braidlog-chat-boundary"
A_SECOND = 5 if os.environ.get("BRAIDLOG_SANITIZED") == "1" else 1  # until a run has stopped; a sanitizer takes its time
PROBLEMS = "https://holodeck.dev/errors/"
JSON = ("Content-Type", "application/json")
FORM = ("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")


def json_file(name, content, mime="text/plain"):
    """A file as the JSON form carries it; without a name when that is None."""
    fields = {"content": base64.b64encode(content).decode(), "mime_type": mime}
    return fields if name is None else {**fields, "filename": name}


def part(name, content, filename=None, mime=None, head=b""):
    """One part of a form, its bytes as they are."""
    content = content.encode() if isinstance(content, str) else content
    disposition = f'Content-Disposition: form-data; name="{name}"'
    if filename is not None:
        disposition += f'; filename="{filename}"'
    lines = disposition.encode("utf-8", "surrogateescape") + b"\r\n" + head
    lines += f"Content-Type: {mime}\r\n".encode() if mime else b""
    return b"--" + BOUNDARY.encode() + b"\r\n" + lines + b"\r\n" + content + b"\r\n"


def form(*parts):
    return b"".join(parts) + b"--" + BOUNDARY.encode() + b"--\r\n"


def form_of(message, session_id=None, files=()):
    """The form of a message; files are (name, content, type)."""
    parts = [part("message", message)]
    if session_id is not None:
        parts.append(part("session_id", session_id))
    return form(*parts, *(part("files", content, name, mime) for name, content, mime in files))


def run_of(event_id):
    """The run that an event is of, as the runs contract writes it."""
    return "run_" + event_id.split("_")[1]


def types(frames):
    return [frame.type for frame in frames]


def text_of(frames):
    return "".join(frame.data["delta"] for frame in frames if frame.type == "message_delta")


def calls_of(frames):
    """tool_call_id -> [name, arguments as they were put together, status or None]"""
    calls = {}
    for frame in frames:
        if frame.type == "tool_call_start":
            calls[frame.data["tool_call_id"]] = [frame.data["name"], "", None]
        elif frame.type == "tool_call_args":
            calls[frame.data["tool_call_id"]][1] += frame.data["args_delta"]
        elif frame.type == "tool_call_end":
            calls[frame.data["tool_call_id"]][2] = frame.data["status"]
    return calls


@dataclass
class ChatRun:
    frames: list

    @property
    def session_id(self):
        return self.frames[0].data["session_id"]

    @property
    def message_id(self):
        return self.frames[0].data["message_id"]

    @property
    def run_id(self):
        return run_of(self.frames[0].id)

    @property
    def end(self):
        return self.frames[-1]

    @property
    def text(self):
        return text_of(self.frames)

    @property
    def bytes(self):
        return joined(self.frames)


class Chat:
    """The chat contract of one server, for whoever the Api's credential names."""

    def __init__(self, api, agent="support"):
        self.api, self.agent = api, agent

    def path(self, agent=None, streamed=True):
        return f"/agent/{agent or self.agent}/chat" + ("/stream" if streamed else "")

    # ---- a Stream for a 200, the Reply for anything else ----

    def send(self, body, headers=(JSON,), agent=None, method="POST", query="", timeout=PATIENCE):
        answer = open_stream(self.api.port, self.path(agent) + query, [*self.api.credential, *headers], timeout,
                             method=method, body=body, lines=WITH_EVENT)
        if not isinstance(answer, Stream):
            self.api.check_silence(answer.head + answer.body)
        return answer

    def post(self, message, session_id=None, files=None, agent=None, headers=(), **options):
        fields = {"message": message}
        if session_id is not None:
            fields["session_id"] = session_id
        if files is not None:
            fields["files"] = list(files)
        return self.send(json.dumps(fields).encode(), [JSON, *headers], agent, **options)

    def form(self, message, session_id=None, files=(), agent=None, headers=(), **options):
        return self.send(form_of(message, session_id, files), [FORM, *headers], agent, **options)

    def link(self, message, session_id=None, agent=None, headers=(), **options):
        fields = {"message": message} | ({"session_id": session_id} if session_id is not None else {})
        return self.send(None, headers, agent, "GET", "?" + urlencode(fields), **options)

    def resume(self, last, agent=None, method="GET", body=None, headers=(), query=""):
        return self.send(body, [("Last-Event-ID", last), *headers], agent, method, query)

    # ---- whole answers ----

    def read(self, stream) -> ChatRun:
        """The frames of a stream up to its end, which must be a clean one."""
        assert isinstance(stream, Stream), f"no stream but {stream}"
        with stream:
            stream.read_to_end()
        assert stream.end == "clean", f"cut after {stream.frames[-1:]}"
        assert not stream.reader.rest, stream.reader.rest
        self.api.check_silence(stream.payload)
        return ChatRun(stream.frames)

    def ask(self, message, *args, **options) -> ChatRun:
        return self.read(self.post(message, *args, **options))

    def answer(self, message, session_id=None, files=None, agent=None, headers=(), timeout=PATIENCE):
        """Without streaming: the Reply."""
        fields = {"message": message}
        if session_id is not None:
            fields["session_id"] = session_id
        if files is not None:
            fields["files"] = list(files)
        return self.api.call("POST", self.path(agent, streamed=False), json=fields, headers=headers, timeout=timeout)

    # ---- what others see of it ----

    def session(self, session_id) -> dict:
        reply = self.api.call("GET", f"/sessions/{session_id}")
        assert reply.status == 200, reply
        return reply.json

    def session_count(self) -> int:
        reply = self.api.call("GET", "/sessions?limit=1")
        assert reply.status == 200, reply
        return reply.json["total"]

    def messages(self, session_id) -> list:
        return [(message["role"], message["content"]) for message in self.session(session_id)["messages"]]

    def runs(self, session_id) -> list:
        reply = self.api.get(f"/sessions/{session_id}/runs")
        assert reply.status == 200, reply
        return reply.json["items"]


def expect_problem(reply, status, kind):
    """The one shape of every error of chat."""
    assert not isinstance(reply, Stream), f"expected {status} {kind}, got a stream"
    assert reply.status == status, f"expected {status} {kind}, got {reply}"
    assert reply.header("content-type") == "application/problem+json", reply.headers
    problem = reply.json
    assert set(problem) == {"type", "title", "status", "detail", "instance"}, problem
    assert problem["type"] == PROBLEMS + kind and problem["status"] == status, problem
    assert all(isinstance(problem[name], str) and problem[name] for name in ("title", "detail", "instance")), problem
    return problem


def is_ulid(text):
    return re.fullmatch(ULID, text) is not None
