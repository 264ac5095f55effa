"""The tasks contract as calls. Every whole stream is checked to be a legal one (legal_tasks.py).

    work = Tasks(api)                       # makes a session
    work.plan("Three things to do")         # the planning chat, read to its end
    work.execute()                          # and the execution
"""
import json as json_module
from dataclasses import dataclass

from .api import ABSENT, Api
from .frames import WITHOUT_ID, joined, of_type
from .ids import UUID, session_id
from .invariants import TIME
from .legal_tasks import ARTIFACT_TYPES, TASK_STATUS, check_tasks
from .waiting import wait_for
from .wire import Reply, Stream, open_stream

JSON = ("Content-Type", "application/json")
TASK = ["id", "sessionId", "title", "description", "status", "result", "reflection", "order", "createdAt", "updatedAt"]
ARTIFACT = ["id", "sessionId", "taskId", "name", "type", "content", "createdAt"]
DATA_ITEM = ["id", "sessionId", "itemType", "data", "createdAt", "updatedAt"]


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
        return "".join(data["content"] for data in self.of("content"))

    @property
    def tasks(self):
        """Of the last tasks_updated; none when there was none."""
        lists = self.of("tasks_updated")
        return lists[-1]["tasks"] if lists else None

    @property
    def end(self):
        return self.frames[-1].data

    @property
    def bytes(self):
        return joined(self.frames)


def check_task(value, session):
    assert list(value) == TASK, value
    assert UUID.match(value["id"]) and value["sessionId"] == session, value
    assert value["status"] in TASK_STATUS and isinstance(value["order"], int), value
    assert TIME.match(value["createdAt"]) and TIME.match(value["updatedAt"]), value
    assert value["createdAt"] <= value["updatedAt"], value
    for name in ("result", "reflection"):
        assert value[name] is None or isinstance(value[name], str), value
    return value


def check_artifact(value, session, content=False):
    assert list(value) == [name for name in ARTIFACT if content or name != "content"], value
    assert UUID.match(value["id"]) and value["sessionId"] == session, value
    assert value["taskId"] is None or UUID.match(value["taskId"]), value
    assert value["type"] in ARTIFACT_TYPES and TIME.match(value["createdAt"]), value
    return value


def check_data_item(value, session):
    assert list(value) == DATA_ITEM, value
    assert UUID.match(value["id"]) and value["sessionId"] == session and value["itemType"], value
    assert TIME.match(value["createdAt"]) and TIME.match(value["updatedAt"]), value
    return value


def expect_error(reply, status, code, text=None):
    """The one shape of every error of tasks."""
    assert isinstance(reply, Reply) and reply.status == status, f"expected {status} {code}, got {reply}"
    assert reply.header("content-type", "").startswith("application/json"), reply
    assert list(reply.json) == ["error", "code", "message", "detail"], reply.json
    assert reply.json["code"] == code, reply.json
    assert reply.json["error"] and reply.json["error"] == reply.json["message"] == reply.json["detail"], reply.json
    if text is not None:
        assert reply.json["error"] == text, reply.json
    return reply.json


class Tasks:
    """One session of one person."""

    def __init__(self, api: Api, session=None, agent=None):
        self.api = api
        if session is None:
            made = api.call("POST", "/sessions", json={"agent": agent} if agent else {})
            assert made.status == 201, made
            session = made.json["id"]
        self.id = session  # as uuid

    @property
    def session(self):
        """As runs spells it."""
        return session_id(self.id)

    @property
    def path(self):
        return f"/sessions/{self.id}"

    def again(self, api):
        """The same session after a restart, or for somebody else."""
        return Tasks(api, self.id)

    # ---- streams ----

    def open(self, what, json=ABSENT, body=None, headers=(), query="", **options):
        """The Stream, or the Reply when there is none."""
        if json is not ABSENT:
            body, headers = json_module.dumps(json).encode(), [JSON, *headers]
        answer = open_stream(self.api.port, f"{self.path}/{what}{query}", [*self.api.credential, *headers],
                             method="POST", body=b"" if body is None else body, lines=WITHOUT_ID, **options)
        if isinstance(answer, Reply):
            self.api.check_silence(answer.head + answer.body)
        return answer

    def stream(self, what, **options) -> Stream:
        stream = self.open(what, **options)
        assert isinstance(stream, Stream), f"no stream but {stream}"
        return stream

    def read_out(self, stream, executes=None) -> Told:
        with stream:
            stream.read_to_end()
            assert stream.end == "clean" and not stream.reader.rest, f"cut after {stream.frames[-1:]}"
        self.api.check_silence(stream.payload)
        check_tasks(stream.frames, executes=executes)
        return Told(stream.frames)

    def plan(self, message, **options) -> Told:
        return self.read_out(self.stream("chat", json={"message": message}, **options), executes=False)

    def execute(self, **options) -> Told:
        return self.read_out(self.stream("execute", **options), executes=True)

    def replay(self, run, contract="tasks", **options) -> Told:
        stream = open_stream(self.api.port, f"/api/v1/runs/{run}/stream?contract={contract}", self.api.credential,
                             lines=WITHOUT_ID, **options)
        assert isinstance(stream, Stream), stream
        return self.read_out(stream)

    # ---- the session and what it holds ----

    def get(self, below="", **options) -> Reply:
        return self.api.call("GET", self.path + below, **options)

    def found(self, below=""):
        reply = self.get(below)
        assert reply.status == 200, reply
        return reply.json

    def look(self) -> dict:
        return self.found()

    def tasks(self) -> list:
        [(name, tasks)] = self.found("/tasks").items()
        assert name == "tasks"
        assert [task["order"] for task in tasks] == list(range(len(tasks))), tasks
        return [check_task(task, self.id) for task in tasks]

    def statuses(self) -> list:
        return [task["status"] for task in self.tasks()]

    def artifacts(self, query="") -> list:
        [(name, artifacts)] = self.found("/artifacts" + query).items()
        assert name == "artifacts"
        return [check_artifact(artifact, self.id) for artifact in artifacts]

    def artifact(self, id) -> dict:
        return check_artifact(self.found(f"/artifacts/{id}"), self.id, content=True)

    def data_items(self, query="") -> list:
        [(name, items)] = self.found("/data-items" + query).items()
        assert name == "dataItems"
        return [check_data_item(item, self.id) for item in items]

    def runs(self) -> list:
        reply = self.api.get(f"/sessions/{self.id}/runs")
        assert reply.status == 200, reply
        return reply.json["items"]

    def run(self) -> str:
        """The one under way, as runs spells it."""
        return wait_for(lambda: self.api.get(f"/sessions/{self.id}").json["active_run_id"], "a live run")

    def wait_idle(self):
        return wait_for(lambda: (seen := self.look())["activeRunId"] is None and seen, "the end of the run")
