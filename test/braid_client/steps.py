"""The steps contract as calls. Every whole stream is checked to be a legal one (legal.py)."""
import json as json_module
from dataclasses import dataclass
from urllib.parse import quote

from . import legal
from .api import ABSENT, Api
from .chat import run_of
from .frames import WITHOUT_EVENT, joined, of_type
from .wire import Reply, Stream, open_stream

JSON = ("Content-Type", "application/json")


@dataclass
class Walk:
    """A stream of the contract, read to its end."""
    frames: list

    def of(self, name):
        return [frame.data for frame in of_type(self.frames, name)]

    @property
    def types(self):
        """Each step as its kind: message, planning, action, final, error, done."""
        return [frame.data.get("step_type", frame.type) for frame in self.frames]

    @property
    def message(self):
        return self.frames[0].data

    @property
    def steps(self):
        return self.of("step")

    @property
    def plans(self):
        return [step for step in self.steps if step["step_type"] == "planning"]

    @property
    def actions(self):
        return [step for step in self.steps if step["step_type"] == "action"]

    @property
    def output(self):
        [final] = self.of("final")
        return final["output"]

    @property
    def error(self):
        [error] = self.of("error")
        return error["error"]

    @property
    def run(self):
        return run_of(self.frames[0].id)

    @property
    def bytes(self):
        return joined(self.frames)


def walk_of(frames) -> Walk:
    """The stream of a run that has ended, found to be a legal one."""
    walk = Walk(frames)
    legal.check_steps(frames, walk.run)
    return walk


class Steps:
    """The steps contract of one server, for whoever the Api's credential names."""

    def __init__(self, api: Api):
        self.api = api

    def session(self, agent=None, **fields) -> str:
        """The id as the contract spells it."""
        fields |= {} if agent is None else {"agent": agent}
        reply = self.api.call("POST", "/sessions", json=fields)
        assert reply.status == 201, reply
        return reply.json["id"]

    # ---- a Stream for a 200, the Reply for anything else ----

    def send(self, session, method="GET", parameters="", body=None, headers=(), last=None):
        target = f"/sessions/{session}/stream" + (f"?{parameters}" if parameters else "")
        headers = [*self.api.credential, *headers, *([("Last-Event-ID", last)] if last is not None else [])]
        answer = open_stream(self.api.port, target, headers, method=method, body=body, lines=WITHOUT_EVENT)
        if isinstance(answer, Reply):
            self.api.check_silence(answer.head + answer.body)
        return answer

    def link(self, session, query, **options):
        return self.send(session, "GET", "query=" + quote(query, safe=""), **options)

    def post(self, session, query=ABSENT, headers=(), **options):
        body = json_module.dumps({} if query is ABSENT else {"query": query}).encode()
        return self.send(session, "POST", body=body, headers=[JSON, *headers], **options)

    def stream(self, session, query, **options) -> Stream:
        stream = self.link(session, query, **options)
        assert isinstance(stream, Stream), f"no stream but {stream}"
        return stream

    # ---- whole answers ----

    def read_out(self, stream) -> list:
        assert isinstance(stream, Stream), f"no stream but {stream}"
        with stream:
            stream.read_to_end()
        assert stream.end == "clean" and not stream.reader.rest, f"cut after {stream.frames[-1:]}"
        self.api.check_silence(stream.payload)
        return stream.frames

    def walk(self, stream) -> Walk:
        return walk_of(self.read_out(stream))

    def ask(self, query, session=None, agent=None, **options) -> Walk:
        """Asks what needs nobody else, and reads the whole answer."""
        return self.walk(self.link(session or self.session(agent), query, **options))

    def rest(self, session, last, **options) -> list:
        """The frames after that id, to the end."""
        return self.read_out(self.send(session, last=last, **options))

    def replay(self, run, contract="steps") -> list:
        """All frames of a run, through the route that shows any run in any contract."""
        return self.read_out(open_stream(self.api.port, f"/api/v1/runs/{run}/stream?contract={contract}",
                                         self.api.credential, lines=legal.LINES[contract]))

    # ---- all the rest ----

    def interrupt(self, session, **options) -> Reply:
        return self.api.call("POST", f"/sessions/{session}/interrupt", **options)

    def tokens(self, session) -> dict:
        reply = self.api.call("GET", f"/sessions/{session}/tokens")
        assert reply.status == 200 and list(reply.json) == ["tokens"], reply
        tokens = reply.json["tokens"]
        assert list(tokens) == ["input_tokens", "output_tokens", "total_tokens"], tokens
        return tokens

    def steps(self, session) -> list:
        reply = self.api.call("GET", f"/sessions/{session}/steps")
        assert reply.status == 200 and list(reply.json) == ["steps"], reply
        for step in reply.json["steps"]:
            legal.check_step(step)
        return reply.json["steps"]

    def look(self, session) -> dict:
        reply = self.api.call("GET", f"/sessions/{session}")
        assert reply.status == 200, reply
        return reply.json

    def messages(self, session) -> list:
        """(role, content) of each."""
        return [(message["role"], message["content"]) for message in self.look(session)["messages"]]

    def runs(self, session) -> list:
        reply = self.api.get(f"/sessions/{session}/runs")
        assert reply.status == 200, reply
        return reply.json["items"]


def expect_text(reply, status, text=None):
    """The one shape of every error of the contract."""
    assert isinstance(reply, Reply), f"a stream, where {status} was expected"
    assert reply.status == status, f"expected {status}, got {reply}"
    assert reply.header("content-type", "").startswith("application/json"), reply
    assert list(reply.json) == ["error"], reply.json
    assert isinstance(reply.json["error"], str) and reply.json["error"], reply.json
    if text is not None:
        assert reply.json["error"] == text, reply.json
    return reply.json["error"]


def expect_nothing_left(reply):
    assert isinstance(reply, Reply) and reply.status == 204, reply
    assert reply.body == b"" and reply.header("transfer-encoding") is None, reply.headers
