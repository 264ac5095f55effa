"""Executions: a plan is made once, then its tasks are worked on, whatever happens to the server meanwhile. No task runs
twice, and each artifact is there exactly when the call that made it says so."""
import json

from braid_client.frames import of_type
from braid_client.ids import uuid_of
from braid_client.tasks import Tasks
from braid_client.wire import Closed, Stream
from braid_client.witness import Viewer
from story import Story

MADE_BY = {"create_artifact": "artifact_id", "create_data_item": "data_item_id"}


class TasksStory(Story):
    contract = "tasks"
    api = None      # of the server that it was last begun on
    planned = None  # the run that made the plan

    def begin(self, rng, number):
        self.kind, self.number, self.patience = "execute", number, 0
        self.key, self.agent, self.auto, self.executes = f"key-{number}", "works", True, True
        self.message, self.goal = "", f"Plan the launch of lighthouse {number} in {rng.randint(3, 5)} tasks"
        return self

    def start(self, api):
        """Begins the execution, or asks again with the same key. Its frames do not say which run it is."""
        self.api = api
        self._plan()
        stream, viewer = self._open_stream("execute", "execute", {}), Viewer(contract="tasks")
        try:
            while not stream.frames and stream.pump():
                pass
        finally:
            viewer.take(stream)
            stream.close()
            self.viewers.append(viewer)
        [run] = set(self._runs()) - {self.planned}
        self.note_started(run)

    def _plan(self):
        if self.planned is not None:
            return
        with self._open_stream("plan", "chat", {"message": self.goal}) as stream:
            stream.read_to_end()
        if stream.end != "clean":
            raise Closed(b"")
        [self.planned] = self._runs()

    def _open_stream(self, key, what, body):
        stream = self._work.open(what, json=body, headers=[("Idempotency-Key", f"{self.key}-{key}")])
        if isinstance(stream, Stream):
            return stream
        if stream.status == 503:
            raise Closed(stream.body)
        raise AssertionError(f"{what} was answered {stream}")

    @property
    def _work(self):
        return Tasks(self.api, uuid_of(self.session))

    def _runs(self):
        return [run["run_id"] for run in self._work.runs()]

    # ---- the end ----

    def check_messages(self, messages, text):
        """An execution adds none to those of the plan."""
        assert [role for role, _ in messages] == ["user", "assistant"] and messages[0][1] == self.goal, messages

    def _check_effects(self, frames, effects, files):
        made = {"create_artifact": set(), "create_data_item": set()}
        for frame in of_type(frames, "tool_result"):
            known = MADE_BY.get(frame.payload["tool_name"])
            if known and frame.payload["success"]:
                made[frame.payload["tool_name"]].add(json.loads(frame.payload["result"])[known])
        work = self._work
        assert {item["id"] for item in work.artifacts()} == made["create_artifact"], f"I4: the artifacts of {self.run}"
        assert {item["id"] for item in work.data_items()} == made["create_data_item"], f"I4: the data items of {self.run}"
        statuses = work.statuses()
        assert "in_progress" not in statuses, f"I9: {self.run} is over: {statuses}"
        if frames[-1].type == "run_completed":
            assert set(statuses) <= {"done", "failed"}, f"I9: {self.run} has done all: {statuses}"
            assert frames[-1].payload["final_text"] == f"{statuses.count('done')} of {len(statuses)} tasks done"
