"""Leaving and coming back, two at once, interrupts, restarts, keys and approvals of the tasks contract."""
import json

import pytest
from tasks_scripts import TITLES, Script, artifact, data_item, planner

from braid_client.any_contract import CONTRACTS, read_run
from braid_client.api import at_once
from braid_client.frames import of_type
from braid_client.legal import check_legal
from braid_client.tasks import Tasks, expect_error
from braid_client.upstream import Call, End, Hold, Say, Upstream
from braid_client.waiting import wait_for
from braid_client.wire import Reply, Stream

WRITE = Call("file_write", {"path": "a.md", "content": "hello"})


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def script(upstream):
    return Script(upstream)


@pytest.fixture
def serve(upstream, new_server):
    """serve(…) makes a server with the agent `scripted`, and a session of it with three pending tasks."""
    def start(agent=None, **options):
        server = new_server(agents={"scripted": planner(upstream, **(agent or {}))}, environment={"UPSTREAM_KEY": "x"},
                            **options)
        work = Tasks(server.api, agent="scripted")
        work.server = server
        Script(upstream).plan(*TITLES)
        work.plan("go")
        return work
    return start


@pytest.fixture
def work(serve):
    return serve()


def restarted(work, hard):
    work.server.restart(hard=hard)
    again = work.again(work.server.api)
    again.server = work.server
    return again


# ---- the client goes ----

@pytest.mark.clause("TASKS-33", "COMMON-64")
@pytest.mark.fault(12)
@pytest.mark.parametrize("rude", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize("what", ["chat", "execute"])
def test_the_run_goes_on_without_its_client(work, script, upstream, what, rude):
    hold = Hold()
    if what == "chat":
        upstream.script(Say("Half"), hold, Say(" and whole."), End())
    else:
        upstream.script(Say("First"), hold, End())
        upstream.script(Say("Noted."), End())
        script.ends("b")
        script.ends("c")
    stream = work.stream(what, json={"message": "again"} if what == "chat" else {})
    stream.read_type("content" if what == "chat" else "task_selected")
    stream.connection.reset() if rude else stream.close()
    assert work.look()["activeRunId"] is not None
    hold.release.set()
    seen = work.wait_idle()
    if what == "chat":
        assert seen["messages"][-1]["content"] == "Half and whole."
    else:
        assert seen["status"] == "completed" and [task["status"] for task in seen["tasks"]] == ["done"] * 3
        assert all(task["reflection"] for task in seen["tasks"])


# ---- two at once ----

@pytest.mark.clause("TASKS-32")
@pytest.mark.fault(22)
def test_two_executions_at_once(work, script, upstream):
    for title in TITLES:
        script.ends(title)
    answers = at_once(8, lambda _: work.open("execute"))
    streams = [answer for answer in answers if isinstance(answer, Stream)]
    assert len(streams) == 1
    for answer in answers:
        if isinstance(answer, Reply):
            expect_error(answer, 409, "CONFLICT")
    told = work.read_out(streams[0], executes=True)
    assert told.end["summary"] == {"total": 3, "completed": 3, "failed": 0}
    assert len(upstream.requests) == 2 + 6, "no task ran twice"


@pytest.mark.clause("TASKS-32")
@pytest.mark.fault(22)
def test_everything_else_during_an_execution(work, script, upstream):
    hold = Hold()
    upstream.script(Say("Half"), hold, End())
    with work.stream("execute") as stream:
        stream.read_type("task_selected")
        for what, fields in (("execute", {}), ("chat", {"message": "x"})):
            expect_error(work.open(what, json=fields), 409, "CONFLICT")
        assert work.api.post(f"/sessions/{work.session}/messages", json={"message": "x"}).status == 409
        assert work.api.call("GET", f"{work.path}/stream?query=x").status == 409
        assert [task["status"] for task in work.tasks()] == ["in_progress", "pending", "pending"]
        upstream.script(Say("Noted."), End())
        script.ends("b")
        script.ends("c")
        hold.release.set()
        assert work.read_out(stream).end["summary"]["completed"] == 3
    assert len(work.runs()) == 2


@pytest.mark.clause("TASKS-32", "TASKS-14")
@pytest.mark.fault(22)
def test_an_execution_and_a_plan_at_once(work, script, upstream):
    """Whichever begins first: the tasks that run are the ones of the list, each once."""
    upstream.always(Say("Fine."), End())
    answers = at_once(6, lambda number: work.open("execute") if number % 2 else work.open("chat", json={"message": "x"}))
    streams = [answer for answer in answers if isinstance(answer, Stream)]
    assert len(streams) == 1
    work.read_out(streams[0])
    for answer in answers:
        if isinstance(answer, Reply):
            expect_error(answer, 409, "CONFLICT")


@pytest.mark.clause("TASKS-24", "SESSIONS-9")
@pytest.mark.fault(22)
def test_deleting_a_session_in_use(work, upstream):
    upstream.script(Say("Half"), Hold())
    with work.stream("execute") as stream:
        stream.read_type("task_selected")
        assert work.api.call("DELETE", work.path).status == 204
        told = work.read_out(stream)
    assert told.end == {"type": "error", "error": "Run interrupted"}
    assert "taskId" not in told.end and "task_completed" not in told.types
    for below in ("/tasks", "/artifacts", "/data-items"):
        expect_error(work.get(below), 404, "NOT_FOUND", "Session not found")


# ---- interrupts ----

@pytest.mark.clause("TASKS-24", "TASKS-25", "SESSIONS-14")
@pytest.mark.parametrize("way", ["runs", "steps"])
def test_an_interrupted_execution(work, script, upstream, way):
    script.uses(artifact("Kept"), data_item(name="Ann"))
    script.ends("First.")
    script.uses(artifact("Left by the second"))
    upstream.script(Say("Half"), Hold())
    with work.stream("execute") as stream:
        stream.read_type("artifact_created", 2)
        upstream.wait_request(7)
        if way == "runs":
            assert work.api.interrupt(work.session, work.run()).status == 202
        else:
            reply = work.api.call("POST", work.path + "/interrupt")
            assert reply.status == 200 and reply.json == {"success": True, "message": "Agent interrupted"}
        told = work.read_out(stream)
    assert told.end == {"type": "error", "error": "Run interrupted"} and "done" not in told.types
    assert [data["status"] for data in told.of("task_completed")] == ["done"]
    seen = work.wait_idle()
    assert [task["status"] for task in seen["tasks"]] == ["done", "pending", "pending"] and seen["status"] == "planning"
    assert [item["name"] for item in work.artifacts()] == ["Kept", "Left by the second"]
    script.ends("Second.")
    script.ends("Third.")
    again = work.execute()
    assert [data["taskId"] for data in again.of("task_selected")] == [task["id"] for task in seen["tasks"][1:]]
    assert again.end["summary"] == {"total": 2, "completed": 2, "failed": 0}
    assert work.statuses() == ["done"] * 3 and work.look()["status"] == "completed"


@pytest.mark.clause("TASKS-24", "TASKS-25")
def test_an_execution_that_fails(serve, script):
    """A limit of the run itself is fatal: the tasks that are left wait."""
    work = serve(limits={"tool_calls_max": 3})
    for _ in range(4):
        script.uses(Call("calculator", {"expression": "1+1"}))
    told = work.execute()
    assert told.types[-1] == "error" and "taskId" not in told.end and "task_completed" not in told.types
    assert work.statuses() == ["pending"] * 3 and work.look()["status"] == "planning"


# ---- restarts ----

@pytest.mark.clause("TASKS-36", "TASKS-33", "COMMON-49")
@pytest.mark.fault(30)
@pytest.mark.parametrize("hard", [False, True], ids=["orderly", "kill -9"])
def test_an_execution_goes_on_after_a_restart(serve, script, upstream, hard):
    work = serve(limits={"drain_grace": 100})
    ids = [task["id"] for task in work.tasks()]
    script.uses(artifact("Once"), data_item(name="Ann"))
    script.ends("First.", "Good.")
    upstream.script(Say("Half"), Hold())
    with work.stream("execute") as stream:
        stream.read_type("task_selected", 2)
        upstream.wait_request(6)
        script.ends("Second.", "Better.")
        script.ends("Third.", "Best.")
        work = restarted(work, hard)
        stream.read_to_end()
        assert stream.end == "unclean", "a cut stream does not look complete"
        seen = stream.frames
    state = work.wait_idle()
    assert state["status"] == "completed"
    assert [(task["id"], task["result"], task["reflection"]) for task in state["tasks"]] == [
        (ids[0], "First.", "Good."), (ids[1], state["tasks"][1]["result"], "Better."), (ids[2], "Third.", "Best.")]
    assert state["tasks"][1]["result"].endswith("Second.")
    assert [item["name"] for item in work.artifacts()] == ["Once"] and len(work.data_items()) == 1
    runs = [run["run_id"] for run in work.runs()]
    [(run, told)] = [(run, told) for run, told in zip(runs, map(work.replay, runs)) if "task_selected" in told.types]
    assert told.bytes.startswith(b"".join(frame.raw for frame in seen)), "what was seen is the beginning of the whole"
    assert [data["taskId"] for data in told.of("task_selected")] == ids, "no task ran twice"
    for contract in CONTRACTS:
        check_legal(contract, read_run(work.api, run, contract), run, executes=True)


@pytest.mark.clause("TASKS-36")
@pytest.mark.fault(30)
@pytest.mark.parametrize("at", ["tool_call", "tool_result", "task_completed", "reflection"])
def test_kill_at_any_point_of_a_task(serve, script, upstream, at):
    """The script repeats itself: whatever turn is asked again is answered; what is counted are the effects."""
    work = serve()
    upstream.always(Say("Fine."), End())
    script.uses(artifact("Once"))
    with work.stream("execute") as stream:
        stream.read_type(at)
        work = restarted(work, hard=True)
    state = work.wait_idle()
    assert [task["status"] for task in state["tasks"]] == ["done"] * 3
    assert len(work.artifacts()) <= 1, "made once, or its outcome is unknown"
    [told] = [told for told in (work.replay(run["run_id"]) for run in work.runs()) if "task_selected" in told.types]
    assert [data["taskId"] for data in told.of("task_selected")] == [task["id"] for task in state["tasks"]]
    assert len(told.of("artifact_created")) == len(work.artifacts())


@pytest.mark.clause("TASKS-36", "TASKS-25")
def test_an_interrupt_outlives_a_crash(work, script, upstream):
    upstream.script(Say("Half"), Hold())
    with work.stream("execute") as stream:
        stream.read_type("task_selected")
        upstream.wait_request(3)
        assert work.api.interrupt(work.session, work.run()).status == 202
        work = restarted(work, hard=True)
    seen = work.wait_idle()
    assert [task["status"] for task in seen["tasks"]] == ["pending"] * 3 and seen["status"] == "planning"


# ---- keys ----

@pytest.mark.clause("TASKS-37", "COMMON-63", "COMMON-26")
def test_a_key_means_one_run(work, script, upstream):
    for title in TITLES:
        script.ends(title)
    key = [("Idempotency-Key", "one")]
    first = work.execute(headers=key)
    requests = len(upstream.requests)
    assert work.execute(headers=key).bytes == first.bytes, "from its first frame, though there is no pending task"
    work = restarted(work, hard=True)
    assert work.execute(headers=key).bytes == first.bytes
    expect_error(work.open("chat", json={"message": "x"}, headers=key), 409, "CONFLICT")
    assert len(upstream.requests) == requests and len(work.runs()) == 2
    chat = [("Idempotency-Key", "two")]
    upstream.script(Say("Hello."), End())
    said = work.plan("hello", headers=chat)
    assert work.plan("hello", headers=chat).bytes == said.bytes
    expect_error(work.open("chat", json={"message": "other"}, headers=chat), 409, "CONFLICT")
    for wrong in ("", "x" * 256):
        expect_error(work.open("execute", headers=[("Idempotency-Key", wrong)]), 422, "VALIDATION_ERROR")


@pytest.mark.clause("TASKS-37", "TASKS-32")
def test_a_key_while_its_run_is_live(work, script, upstream):
    hold = Hold()
    upstream.script(Say("First"), hold, End())
    upstream.script(Say("Noted."), End())
    script.ends("b")
    script.ends("c")
    key = [("Idempotency-Key", "live")]
    with work.stream("execute", headers=key) as stream:
        stream.read_type("task_selected")
        with work.stream("execute", headers=key) as other:
            other.read_type("task_selected")
            hold.release.set()
            assert work.read_out(other).bytes == work.read_out(stream).bytes
    assert len(work.runs()) == 2


@pytest.mark.clause("TASKS-37", "TASKS-47", "COMMON-55")
def test_a_key_past_retention(serve, upstream):
    work = serve(arguments=["--retention", "1s"])
    upstream.script(Say("Hello."), End())
    key = [("Idempotency-Key", "old")]
    work.plan("hello", headers=key)

    def gone():
        answer = work.open("chat", json={"message": "hello"}, headers=key)
        if isinstance(answer, Stream):
            answer.close()
            return None
        return answer
    expect_error(wait_for(gone, "the events to go"), 410, "GONE")
    assert work.statuses() == ["pending"] * 3, "what the run left stays"


# ---- approvals ----

@pytest.mark.clause("TASKS-27", "COMMON-65")
@pytest.mark.parametrize("verdict", ["approve", "reject"])
def test_a_tool_that_writes_is_asked_about(work, script, verdict):
    script.uses(artifact("Free"), WRITE)
    for title in TITLES:
        script.ends(title)
    with work.stream("execute") as stream:
        stream.read_type("tool_result")
        [pending] = work.api.wait_pending(work.session)
        assert pending["tool_name"] == "file_write" and pending["args"] == WRITE.arguments
        assert [frame.data["tool"] for frame in of_type(stream.frames, "tool_call")] == ["create_artifact"], "it waits"
        answer = getattr(work.api, verdict)(work.session, pending["approval_id"])
        assert answer.status == 200
        told = work.read_out(stream)
    calls, results = told.of("tool_call"), told.of("tool_result")
    assert [data["tool"] for data in calls] == ["create_artifact", "file_write"] and calls[1]["input"] == WRITE.arguments
    files = work.api.files(work.session)
    if verdict == "approve":
        assert files == {"a.md": 5}
    else:
        assert files == {} and "rejected" in results[1]["output"]
    assert told.end["summary"]["completed"] == 3


@pytest.mark.clause("TASKS-27")
@pytest.mark.parametrize("approval", ["{default: deny}", "{default: ask, timeout: 300ms}"], ids=["denied", "timed out"])
def test_a_refusal_is_the_result(serve, script, upstream, approval):
    work = serve(agent={"approval": approval})
    before = len(upstream.requests)
    script.uses(WRITE)
    for title in TITLES:
        script.ends(title)
    told = work.execute()
    assert told.types[1:3] == ["tool_call", "tool_result"]
    refusal = told.of("tool_result")[0]["output"]
    assert "not run" in refusal and work.api.files(work.session) == {}
    told_to_model = upstream.requests[before + 1].messages[-1]
    assert told_to_model["role"] == "tool" and told_to_model["content"] == refusal
    assert work.api.pending(work.session) == []


@pytest.mark.clause("TASKS-27", "COMMON-10")
def test_keepalives_while_it_waits(serve, script):
    work = serve(limits={"keepalive_interval": 100})
    script.uses(WRITE)
    with work.stream("execute") as stream:
        stream.read_until(lambda s: s.reader.keepalives >= 3, "three keepalives")
        assert [frame.type for frame in stream.frames] == ["task_selected"]


@pytest.mark.clause("TASKS-28", "TASKS-25")
def test_a_call_that_the_end_refuses(work, script):
    script.uses(WRITE)
    with work.stream("execute") as stream:
        stream.read_type("task_selected")
        [pending] = work.api.wait_pending(work.session)
        run = pending["run_id"]
        assert work.api.interrupt(work.session, run).status == 202
        told = work.read_out(stream)
    assert told.types == ["task_selected", "error"]
    frames = work.api.read(work.session, run)
    assert of_type(frames, "tool_call_rejected")[0].payload["reason"] == "interrupted"
    assert work.statuses() == ["pending"] * 3 and work.api.files(work.session) == {}


@pytest.mark.clause("TASKS-27", "TASKS-36")
def test_an_approval_outlives_a_restart(work, script):
    script.uses(WRITE)
    with work.stream("execute"):
        [pending] = work.api.wait_pending(work.session)
        work = restarted(work, hard=True)
    assert work.api.wait_pending(work.session) == [pending]
    for title in TITLES:
        script.ends(title)
    assert work.api.approve(work.session, pending["approval_id"]).status == 200
    assert [task["status"] for task in work.wait_idle()["tasks"]] == ["done"] * 3
    assert work.api.files(work.session) == {"a.md": 5}
    assert json.dumps(work.tasks())
