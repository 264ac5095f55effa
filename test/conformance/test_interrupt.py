"""Stopping a run."""
import pytest

from braid_client.api import at_once, expect_error
from braid_client.frames import of_type, types

HAIKU = "Write a haiku about rivers to haiku.md"


@pytest.mark.clause("RUNS-45", "RUNS-23", "RUNS-14")
def test_interrupting_a_running_run(api):
    session = api.session(agent="slow")
    run = api.start(session, "a long story about lighthouses")
    with api.stream(session, run) as stream:
        stream.read_type("assistant_delta", 5)
        reply = api.interrupt(session, run)
        assert reply.status == 202 and reply.json == {"run_id": run, "status": "interrupting"}
        stream.read_to_end()
        assert stream.end == "clean"
    end = stream.frames[-1]
    assert end.type == "run_interrupted" and end.payload["status"] == "interrupted"
    assert set(end.payload) <= {"status", "reason"}
    seen = api.look(session, run)
    assert seen["status"] == "interrupted" and seen["ended_at"] and seen["error"] is None
    assert api.read(session, run)[-1].raw == end.raw
    api.run("say exactly: the session is free again", session_id=session)


@pytest.mark.clause("RUNS-48", "RUNS-45")
@pytest.mark.fault(17)
def test_interrupting_a_waiting_run(api, session):
    run = api.start(session, "Write a haiku about rivers to a.md and b.md")
    items = api.wait_pending(session, 2)
    assert api.interrupt(session, run).status == 202
    frames = api.read(session, run)
    rejected = of_type(frames, "tool_call_rejected")
    assert {frame.payload["approval_id"] for frame in rejected} == {item["approval_id"] for item in items}
    assert {frame.payload["reason"] for frame in rejected} == {"interrupted"}
    assert types(frames)[-1] == "run_interrupted" and "tool_result" not in types(frames)
    assert api.pending(session) == [] and api.files(session) == {}


@pytest.mark.clause("RUNS-47")
@pytest.mark.parametrize("agent, status", [("asks", "completed"), ("fail-provider-error", "failed")])
def test_interrupting_a_finished_run(api, agent, status):
    done = api.run("say exactly: hello", agent=agent)
    for _ in range(2):
        reply = api.interrupt(done.session_id, done.run_id)
        assert reply.status == 200 and reply.json == {"run_id": done.run_id, "status": status}
    assert types(api.read(done.session_id, done.run_id)) == types(done.frames)


@pytest.mark.clause("RUNS-46", "RUNS-47")
@pytest.mark.fault(17)
def test_interrupting_twice(api):
    session, run, _ = api.ask_to_write()
    replies = [api.interrupt(session, run) for _ in range(3)]
    assert replies[0].status == 202
    for reply in replies[1:]:
        assert (reply.status, reply.json["status"]) in ((202, "interrupting"), (200, "interrupted"))
    api.wait_over(session, run)
    assert api.interrupt(session, run).json == {"run_id": run, "status": "interrupted"}
    assert types(api.read(session, run)).count("run_interrupted") == 1


@pytest.mark.clause("RUNS-46")
@pytest.mark.fault(17)
def test_interrupts_that_race(api):
    session = api.session(agent="slow")
    run = api.start(session, "a long story about lighthouses")
    for reply in at_once(8, lambda i: api.interrupt(session, run)):
        assert (reply.status, reply.json["status"]) in ((202, "interrupting"), (200, "interrupted"))
    assert api.read(session, run)[-1].type == "run_interrupted"


@pytest.mark.clause("RUNS-46", "RUNS-47")
@pytest.mark.fault(17)
def test_interrupts_that_race_with_completion(api, session):
    for index in range(25):
        run = api.start(session, "say exactly: " + "word " * (index % 5) + "end")
        reply = api.interrupt(session, run)
        end = api.read(session, run)[-1]  # checks: one terminal event, and it is the last
        if reply.status == 200:
            assert reply.json["status"] == end.payload["status"]
        else:
            assert reply.status == 202 and reply.json["status"] == "interrupting"
        assert api.look(session, run)["status"] == end.payload["status"]


@pytest.mark.clause("RUNS-46", "RUNS-35")
@pytest.mark.fault(16, 17)
def test_interrupts_that_race_with_a_decision(api):
    for index in range(10):
        session, run, approval = api.ask_to_write()
        actions = [lambda: api.approve(session, approval), lambda: api.interrupt(session, run)]
        replies = at_once(2, lambda i: actions[i]())
        assert replies[0].status in (200, 409) and replies[1].status in (200, 202)
        frames = api.read(session, run)
        decisions = [f for f in frames if f.type in ("tool_call_approved", "tool_call_rejected")]
        assert len(decisions) == 1
        if replies[0].status == 200:
            assert decisions[0].type == "tool_call_approved"
        else:
            assert decisions[0].payload["reason"] == "interrupted"
            assert api.files(session) == {}


@pytest.mark.clause("RUNS-45")
def test_an_interrupt_needs_no_body_and_takes_an_empty_one(api):
    session, run, _ = api.ask_to_write()
    assert api.post(f"/sessions/{session}/runs/{run}/interrupt", json={}).status == 202
    expect_error(api.call("GET", f"/api/v1/sessions/{session}/runs/{run}/interrupt"), 405, "METHOD_NOT_ALLOWED")
