"""What is a legal stream of the tasks contract. Its frames have no ids: the order says everything.

    chat       (content | tasks_updated)* (done | error)
    execution  (task_selected (tool_call (artifact_created | data_modified)* tool_result)* [error] task_completed
               reflection)* (done | error), where the last error comes at any point
"""
import re

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
ARTIFACT_TYPES = ("document", "note", "summary", "plan", "other")
TASK_STATUS = ("pending", "in_progress", "done", "failed")

# The fields of each event, in the contract's order, with their types.
FIELDS = {
    "content": {"content": str}, "tasks_updated": {"tasks": list}, "task_selected": {"taskId": str},
    "tool_call": {"taskId": str, "tool": str, "input": dict}, "tool_result": {"taskId": str, "tool": str, "output": str},
    "artifact_created": {"taskId": str, "artifactId": str, "name": str, "artifactType": str},
    "data_modified": {"taskId": str, "dataItemId": str, "operation": str, "itemType": str},
    "task_completed": {"taskId": str, "status": str, "result": str}, "reflection": {"taskId": str, "text": str},
}
OF_A_CHAT = ("content", "tasks_updated")


def is_last(frame) -> bool:
    return frame.type == "done" or (frame.type == "error" and "taskId" not in frame.data)


def check_fields(frame):
    data = frame.data
    assert list(data)[:1] == ["type"] and data["type"] == frame.type, data
    if frame.type == "error":
        assert list(data) in (["type", "error"], ["type", "taskId", "error"]) and data["error"], data
    elif frame.type == "done":
        assert list(data) in (["type"], ["type", "summary"]), data
    else:
        assert frame.type in FIELDS, f"{frame.type} is no event of tasks"
        assert list(data) == ["type", *FIELDS[frame.type]], data
        for name, kind in FIELDS[frame.type].items():
            assert isinstance(data[name], kind), f"{name}: {data}"
    for name in ("taskId", "artifactId", "dataItemId"):
        assert name not in data or UUID.match(data[name]), data
    assert data.get("artifactType", "other") in ARTIFACT_TYPES, data
    assert data.get("operation", "create") in ("create", "update", "delete"), data


def check_list(tasks):
    """The list of tasks_updated: done and failed ones in front, counted from 0."""
    for number, task in enumerate(tasks):
        assert list(task) == ["id", "title", "description", "status", "order"], task
        assert UUID.match(task["id"]) and task["title"] and isinstance(task["description"], str), task
        assert task["status"] in TASK_STATUS and task["order"] == number, task
    over = [task["status"] in ("done", "failed") for task in tasks]
    assert over == sorted(over, reverse=True), f"a pending task in front of one that is over: {tasks}"
    assert len({task["id"] for task in tasks}) == len(tasks), tasks


class Execution:
    """The tasks of an execution as its frames tell of them, one after the other."""

    def __init__(self):
        self.task = self.reflects_on = self.call = self.error = None
        self.ended = {}

    def take(self, frame):
        data, kind = frame.data, frame.type
        if kind == "task_selected":
            assert not self.task and not self.reflects_on, f"{self.task or self.reflects_on} is not over: {data}"
            assert data["taskId"] not in self.ended, f"a second time: {data}"
            self.task, self.error = data["taskId"], None
            return
        if kind == "reflection":
            assert data["taskId"] == self.reflects_on, f"not about {self.reflects_on}: {data}"
            self.reflects_on = None
            return
        assert data["taskId"] == self.task, f"{self.task} is in hand: {data}"
        assert self.error is None or kind == "task_completed", f"{kind} after the task's error"
        if kind == "tool_call":
            assert self.call is None, f"{self.call} has no result yet: {data}"
            self.call = data["tool"]
        elif kind in ("artifact_created", "data_modified"):
            assert self.call is not None, f"no call made this: {data}"
        elif kind == "tool_result":
            assert data["tool"] == self.call, f"{self.call} was called: {data}"
            self.call = None
        elif kind == "error":
            assert self.call is None, f"{self.call} has no result"
            self.error = data["error"]
        else:
            self.complete(data)

    def complete(self, data):
        assert self.call is None, f"{self.call} has no result"
        assert data["status"] == ("done" if self.error is None else "failed"), data
        self.ended[self.task] = data["status"]
        self.reflects_on, self.task = self.task, None

    def check_done(self, data):
        assert not self.task and not self.reflects_on, "done inside a task"
        statuses = list(self.ended.values())
        told = {"total": len(statuses), "completed": statuses.count("done"), "failed": statuses.count("failed")}
        assert list(data["summary"]) == list(told) and data["summary"] == told, data


def check_tasks(frames, executes=None):
    """A whole stream of a run that is over. `executes`: whether it must be an execution."""
    assert frames and is_last(frames[-1]), f"ends with {frames[-1:]}"
    for frame in frames:
        check_fields(frame)
    middle, end = frames[:-1], frames[-1]
    is_chat = all(frame.type in OF_A_CHAT for frame in middle) and "summary" not in end.data
    assert executes is None or not middle or executes != is_chat, [frame.type for frame in frames]
    if is_chat:
        for frame in middle:
            assert frame.type != "content" or frame.data["content"], "an empty piece"
            check_list(frame.data.get("tasks", []))
        return
    execution = Execution()
    for frame in middle:
        assert not is_last(frame), f"{frame.type} before the end"
        assert frame.type not in OF_A_CHAT, f"{frame.type} in an execution"
        execution.take(frame)
    if end.type == "done":
        execution.check_done(end.data)
