"""What is a legal stream of each contract, read from its frames alone. A run is the same whatever contract began it, so
every run must be a legal stream of all of them.
"""
import json
import re

from .frames import WITH_EVENT, WITHOUT_EVENT, WITHOUT_ID, parse_all
from .legal_tasks import check_tasks
from .invariants import TIME, ULID, check_run
from .chat import PROBLEMS

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
EVENT_ID = re.compile(f"evt_({ULID})_([0-9]{{10}})(?:\\.([a-z])([0-9]+))?\\Z")
CALL_ID = re.compile(r"\S+\Z")

CHAT_PROBLEMS = {"agent-error": 500, "internal-error": 500, "unavailable": 503, "interrupted": 499, "invalid-request": 400}
TOOL_ERROR_KINDS = ("TimeoutError", "ValidationError", "PermissionDenied", "ToolError", "OutcomeUnknown")

# Within one event the frames of contract=all stand in this order.
ORDER = ("steps", "runs", "chat", "conversation", "tasks")
LINES = {"steps": WITHOUT_EVENT, "runs": WITH_EVENT, "chat": WITH_EVENT, "conversation": WITHOUT_EVENT,
         "tasks": WITHOUT_ID, "all": WITHOUT_EVENT}


def place(event_id):
    """(sequence, part) of an event id; a whole event comes after all of its parts."""
    match = EVENT_ID.match(event_id)
    assert match, f"no event id: {event_id}"
    return int(match.group(2)), float("inf") if match.group(4) is None else int(match.group(4))


def check_ids(frames, run_id):
    last = (0, 0)
    for frame in frames:
        assert EVENT_ID.match(frame.id), frame.id
        assert EVENT_ID.match(frame.id).group(1) == run_id.removeprefix("run_"), f"{frame.id} is not of {run_id}"
        assert place(frame.id) > last, f"{frame.id} after {last}"
        last = place(frame.id)


def exactly(data, **fields):
    """The data has these fields, of these types, and no other."""
    assert set(data) == set(fields), f"{sorted(fields)} expected: {data}"
    for name, kind in fields.items():
        assert isinstance(data[name], kind) and not (kind is int and isinstance(data[name], bool)), f"{name}: {data}"


def check_steps(frames, run_id):
    """message → step* → final → done, or error → done; one counter over steps and final."""
    assert len(frames) >= 3 and frames[0].type == "message", frames[:1]
    check_ids(frames, run_id)
    exactly(frames[0].data, type=str, role=str, content=str, timestamp=str)
    assert list(frames[0].data) == ["type", "role", "content", "timestamp"], frames[0].data
    assert frames[0].data["role"] == "user" and TIME.match(frames[0].data["timestamp"]), frames[0].data
    for number, frame in enumerate(frames[1:-2], 1):
        check_step(frame.data)
        assert frame.data["step_number"] == number, f"{number} expected: {frame.data}"
    end, done = frames[-2:]
    exactly(done.data, type=str)
    assert done.type == "done", f"ends with {done.type}"
    if end.type == "final":
        assert list(end.data) == ["type", "step_number", "output"], end.data
        assert end.data["step_number"] == len(frames) - 2, f"{len(frames) - 2} expected: {end.data}"
    else:
        assert end.type == "error", f"{end.type} before done"
        exactly(end.data, type=str, error=str)
        assert end.data["error"], end.data
    assert place(end.id)[0] == place(done.id)[0], "the two are of one event"


STEP_FIELDS = {"planning": ["plan"], "action": ["model_output", "code_action", "observations", "error"]}


def check_step(data):
    """A step, in a frame or in the list of steps: these keys, in this order."""
    assert data["type"] == "step" and data["step_type"] in STEP_FIELDS, data
    fields = ["type", "step_type", "step_number", *STEP_FIELDS[data["step_type"]]]
    assert list(data) in (fields, [*fields, "token_usage"]), data
    assert type(data["step_number"]) is int and data["step_number"] >= 1, data
    for name in STEP_FIELDS[data["step_type"]]:
        assert isinstance(data[name], str) or (data[name] is None and name in ("code_action", "error")), data
    if "token_usage" in data:
        used = data["token_usage"]
        exactly(used, input_tokens=int, output_tokens=int, total_tokens=int)
        assert used["total_tokens"] == used["input_tokens"] + used["output_tokens"], used


def check_chat(frames, run_id):
    assert frames and frames[0].type == "stream_start", frames[:1]
    check_ids(frames, run_id)
    exactly(frames[0].data, session_id=str, message_id=str)
    message_id = frames[0].data["message_id"]
    assert re.fullmatch(ULID, message_id) and re.fullmatch(ULID, frames[0].data["session_id"]), frames[0].data
    calls = ChatCalls(message_id)
    for frame in frames[1:-1]:
        if frame.type == "message_delta":
            exactly(frame.data, delta=str, message_id=str)
            assert frame.data["delta"] and frame.data["message_id"] == message_id, frame.data
        else:
            calls.take(frame)
    check_chat_end(frames[-1], message_id)
    calls.check_over()


class ChatCalls:
    """The frames of tool calls: a start, its arguments, one end."""

    def __init__(self, message_id):
        self.message_id, self.open, self.ended = message_id, {}, set()

    def take(self, frame):
        data = frame.data
        if frame.type == "tool_call_start":
            exactly(data, tool_call_id=str, name=str, message_id=str)
            assert CALL_ID.match(data["tool_call_id"]) and data["name"] and data["message_id"] == self.message_id, data
            assert data["tool_call_id"] not in {*self.open, *self.ended}, f"begins twice: {data}"
            self.open[data["tool_call_id"]] = ""
        elif frame.type == "tool_call_args":
            exactly(data, tool_call_id=str, args_delta=str)
            assert data["args_delta"] and data["tool_call_id"] in self.open, data
            self.open[data["tool_call_id"]] += data["args_delta"]
        elif frame.type == "tool_call_end":
            exactly(data, tool_call_id=str, status=str)
            assert data["tool_call_id"] in self.open and data["status"] in ("success", "error"), data
            arguments = self.open.pop(data["tool_call_id"])
            self.ended.add(data["tool_call_id"])
            if data["status"] == "success":
                assert isinstance(json.loads(arguments), dict), f"ran with {arguments!r}"
        else:
            raise AssertionError(f"{frame.type} inside a stream of chat")

    def check_over(self):
        assert not self.open, f"calls without an end: {self.open}"


def check_chat_end(frame, message_id):
    data = frame.data
    if frame.type == "stream_end":
        exactly(data, message_id=str, tokens_used=(dict, type(None)), execution_time_ms=int)
        assert data["message_id"] == message_id and data["execution_time_ms"] >= 0, data
        if data["tokens_used"] is not None:
            exactly(data["tokens_used"], prompt_tokens=int, completion_tokens=int, total_tokens=int)
            used = data["tokens_used"]
            assert used["total_tokens"] == used["prompt_tokens"] + used["completion_tokens"], used
        return
    assert frame.type == "error", f"ends with {frame.type}"
    exactly(data, type=str, title=str, status=int, detail=str)
    assert CHAT_PROBLEMS[data["type"].removeprefix(PROBLEMS)] == data["status"] and data["title"] and data["detail"], data


def check_conversation(frames, run_id, keeps_text=True):
    assert frames and frames[0].type == "start", frames[:1]
    check_ids(frames, run_id)
    start = frames[0].data
    exactly(start, type=str, user_id=str, conversation_id=str, conversation_title=str, tools_enabled=bool, tool_names=list)
    assert UUID.match(start["conversation_id"]) and start["user_id"] and start["conversation_title"], start
    assert start["tools_enabled"] == bool(start["tool_names"]), start
    if frames[-1].type == "done":
        exactly(frames[-1].data, type=str)
        assert frames[-2].type == "conversation", [frame.type for frame in frames[-3:]]
        middle = frames[1:-2]
        check_conversation_object(frames[-2].data, start)
        text = "".join(frame.data["content"] for frame in middle if frame.type == "token")
        if text and keeps_text and "```python" not in text:  # of code the answer alone is kept
            assert frames[-2].data["conversation"]["conversation"][-1]["content"] == text
    else:
        assert frames[-1].type == "error", f"ends with {frames[-1].type}"
        exactly(frames[-1].data, type=str, message=str)
        middle = frames[1:-1]
    open_calls = {}
    for frame in middle:
        check_conversation_middle(frame, open_calls, start)
    assert not any(open_calls.values()), f"calls without an end: {open_calls}"


def check_conversation_middle(frame, calls, start):
    data = frame.data
    if frame.type == "token":
        exactly(data, type=str, content=str)
        assert data["content"], data
    elif frame.type == "warning":
        exactly(data, type=str, code=str, message=str)
        assert data["code"] in ("tool_fallback", "approval_required") and data["message"], data
    elif frame.type == "tool_start":
        assert set(data) - {"display"} == {"type", "tool_call_id", "tool_name", "args", "ts"}, data
        assert data["tool_call_id"] not in calls and isinstance(data["args"], dict) and TIME.match(data["ts"]), data
        calls[data["tool_call_id"]] = data["tool_name"]
    elif frame.type in ("tool_end", "tool_error"):
        told = {"tool_end": "result", "tool_error": "error"}[frame.type]
        fields = {"type", "tool_call_id", "tool_name", "status", "duration_ms", told, "ts"}
        assert set(data) - {"display"} == fields, data
        assert data["tool_name"] == calls.get(data["tool_call_id"]), f"no such call, or ended before: {data}"
        assert data["status"] == {"tool_end": "success", "tool_error": "error"}[frame.type], data
        assert isinstance(data["duration_ms"], int) and data["duration_ms"] >= 0 and TIME.match(data["ts"]), data
        if frame.type == "tool_error":
            exactly(data["error"], message=str, kind=str)
            assert data["error"]["kind"] in TOOL_ERROR_KINDS, data
        calls[data["tool_call_id"]] = None
    else:
        raise AssertionError(f"{frame.type} inside a stream of conversation")


def check_conversation_object(data, start):
    exactly(data, type=str, conversation=dict)
    told = data["conversation"]
    exactly(told, id=str, title=str, updated_at=str, conversation=list)
    assert told["id"] == start["conversation_id"] and told["title"], told
    assert TIME.match(told["updated_at"]) and told["conversation"], told
    for message in told["conversation"]:
        assert set(message) == {"role", "content", "created_at"}, message
        assert message["role"] in ("user", "assistant") and TIME.match(message["created_at"]), message


def check_all(frames, run_id):
    """Its own frames; what is inside them is checked by taking them apart."""
    check_ids(frames, run_id)
    last = (0, -1)
    for frame in frames:
        exactly(frame.data, contract=str, frame=str)
        [inner] = parse_all(frame.data["frame"].encode(), LINES[frame.data["contract"]])
        at = (place(frame.id)[0], ORDER.index(frame.data["contract"]))
        assert not inner.id or at[0] == place(inner.id)[0], f"{frame.id} holds the frame {inner.id}"
        assert at >= last, f"{frame.data['contract']} stands in the wrong place of event {at[0]}"
        last = at


def apart(frames):
    """contract -> its bytes, out of the frames of contract=all"""
    streams = {}
    for frame in frames:
        contract = frame.data["contract"]
        streams[contract] = streams.get(contract, b"") + frame.data["frame"].encode()
    return streams


def check_legal(contract, frames, run_id, session_id=None, executes=False):
    """A whole stream of a run that is over. `session_id` as the runs contract writes it; `executes`: it worked on tasks, and
    what it said is no message."""
    if contract == "runs":
        check_run(frames, session_id or frames[0].data["session_id"], run_id)
    elif contract == "conversation":
        check_conversation(frames, run_id, keeps_text=not executes)
    elif contract == "tasks":
        check_tasks(frames, executes=executes)
    else:
        {"steps": check_steps, "chat": check_chat, "all": check_all}[contract](frames, run_id)
