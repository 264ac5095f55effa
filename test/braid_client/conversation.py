"""The conversation contract as calls. Every whole stream is checked to be a legal one (legal.py)."""
import json as json_module
from dataclasses import dataclass

from . import legal
from .api import ABSENT, Api
from .chat import run_of
from .frames import WITHOUT_EVENT, joined, of_type
from .ids import UUID, session_id
from .invariants import TIME
from .waiting import wait_for
from .wire import Reply, Stream, open_stream

JSON = ("Content-Type", "application/json")


@dataclass
class Told:
    """A stream of the contract, read to its end."""
    frames: list

    def of(self, name):
        return [frame.data for frame in of_type(self.frames, name)]

    @property
    def types(self):
        return [frame.type for frame in self.frames]

    @property
    def text(self):
        return "".join(frame["content"] for frame in self.of("token"))

    @property
    def start(self):
        return self.frames[0].data

    @property
    def end(self):
        return self.frames[-1].data

    @property
    def id(self):
        """Of the conversation, as the contract spells it."""
        return self.start["conversation_id"]

    @property
    def session(self):
        """Of the conversation, as runs spells it."""
        return session_id(self.id)

    @property
    def run(self):
        return run_of(self.frames[0].id)

    @property
    def conversation(self):
        [frame] = self.of("conversation")
        return frame["conversation"]

    @property
    def bytes(self):
        return joined(self.frames)


def check_conversation(value):
    """A conversation as it stands alone, in the history, and in the event of that name."""
    assert list(value) == ["id", "title", "updated_at", "conversation"], value
    assert UUID.match(value["id"]) and TIME.match(value["updated_at"]), value
    assert isinstance(value["title"], str) and value["title"], value
    for message in value["conversation"]:
        assert list(message) == ["role", "content", "created_at"], message
        assert message["role"] in ("user", "assistant") and isinstance(message["content"], str), message
        assert TIME.match(message["created_at"]), message
    times = [message["created_at"] for message in value["conversation"]]
    assert times == sorted(times), times


def told_by(frames) -> Told:
    """The stream of a run that has ended, found to be a legal one."""
    told = Told(frames)
    legal.check_conversation(frames, told.run)
    return told


class Conversations:
    def __init__(self, api: Api):
        self.api = api

    # ---- streams ----

    def try_stream(self, message=ABSENT, last=None, query=None, headers=(), body=None, **fields):
        """The Stream, or the Reply when there is none. `last` and `query`: the id of the last frame seen."""
        if body is None:
            body = json_module.dumps(fields if message is ABSENT else {"message": message, **fields}).encode()
        target = "/agent/stream" + (f"?last_event_id={query}" if query is not None else "")
        headers = [*self.api.credential, JSON, *headers, *([("Last-Event-ID", last)] if last is not None else [])]
        answer = open_stream(self.api.port, target, headers, method="POST", body=body, lines=WITHOUT_EVENT)
        if isinstance(answer, Reply):
            self.api.check_silence(answer.head + answer.body)
        return answer

    def stream(self, message=ABSENT, **options) -> Stream:
        stream = self.try_stream(message, **options)
        assert isinstance(stream, Stream), f"no stream but {stream}"
        return stream

    def _read_out(self, stream):
        with stream:
            stream.read_to_end()
            assert stream.end == "clean" and not stream.reader.rest, f"cut after {stream.frames[-1:]}"
            self.api.check_silence(stream.payload)
            return stream.frames

    def say(self, message, **options) -> Told:
        """Sends a message that needs nobody else, and reads the whole answer."""
        return told_by(self._read_out(self.stream(message, **options)))

    def rest(self, last, **options) -> list:
        """The frames after that id, to the end, asked for with an empty body."""
        return self._read_out(self.stream(last=last, **{"body": b"", **options}))

    def replay(self, told_or_run, contract="conversation", lines=WITHOUT_EVENT) -> list:
        """All frames of a run, through the route that shows any run in any contract."""
        run = told_or_run.run if isinstance(told_or_run, Told) else told_or_run
        stream = open_stream(self.api.port, f"/api/v1/runs/{run}/stream?contract={contract}", self.api.credential,
                             lines=lines)
        assert isinstance(stream, Stream), stream
        return self._read_out(stream)

    # ---- all the rest ----

    def ask(self, message, headers=(), **fields) -> Reply:
        """Without streaming."""
        return self.api.call("POST", "/agent", json={"message": message, **fields}, headers=headers)

    def get(self, conversation, **options) -> Reply:
        return self.api.call("GET", f"/agent/conversations/{conversation}", **options)

    def rename(self, conversation, title) -> Reply:
        return self.api.call("PATCH", f"/agent/conversations/{conversation}", json={"title": title})

    def delete(self, conversation) -> Reply:
        return self.api.call("DELETE", f"/agent/conversations/{conversation}")

    def history(self, query="") -> Reply:
        return self.api.call("GET", "/agent/history" + query)

    def messages(self, conversation) -> list:
        """(role, content) of each."""
        reply = self.get(conversation)
        assert reply.status == 200, reply
        check_conversation(reply.json)
        return [(message["role"], message["content"]) for message in reply.json["conversation"]]

    def wait_answer(self, conversation, count=2) -> list:
        """The messages, as soon as there are so many."""
        def there():
            messages = self.messages(conversation)
            return messages if len(messages) >= count else None
        return wait_for(there, f"{count} messages")

    def with_agent(self, name) -> str:
        """A conversation that is led by that agent: a session made for it."""
        reply = self.api.call("POST", "/sessions", json={"agent": name})
        assert reply.status == 201, reply
        return reply.json["id"]


def expect_detail(reply, status, detail=None):
    """The one shape of every error of the contract."""
    assert isinstance(reply, Reply), f"a stream, where {status} was expected"
    assert reply.status == status, f"expected {status}, got {reply}"
    assert reply.header("content-type", "").startswith("application/json"), reply
    assert list(reply.json) == ["detail"], reply.json
    assert isinstance(reply.json["detail"], str) and reply.json["detail"], reply.json
    if detail is not None:
        assert reply.json["detail"] == detail, reply.json
    return reply.json["detail"]
