"""Faults 16 and 17: decisions that race, come late, or come twice."""
import pytest

from braid_client.api import at_once, expect_error
from braid_client.frames import of_type


@pytest.mark.clause("RUNS-35", "RUNS-36")
@pytest.mark.fault(16)
@pytest.mark.parametrize("attempt", range(6))
def test_sixteen_racing_decisions(api, attempt):
    session = api.session()
    assert api.upload(session, "a.txt", b"once").status == 201
    # Renaming cannot be done twice without being noticed.
    run = api.start(session, "rename a.txt to b.txt")
    approval = api.wait_pending(session)[0]["approval_id"]
    replies = at_once(16, lambda i: (api.approve if i % 2 else api.reject)(session, approval))
    winners = [reply for reply in replies if reply.status == 200]
    assert len(winners) == 1 and len(replies) == 16
    for reply in replies:
        if reply.status != 200:
            code = reply.json["error"]["code"]
            assert code in ("APPROVAL_ALREADY_PROCESSED", "INVALID_STATE")
            expect_error(reply, 409, code)
    frames = api.read(session, run)
    decisions = [f for f in frames if f.type in ("tool_call_approved", "tool_call_rejected")]
    assert len(decisions) == 1
    approved = decisions[0].type == "tool_call_approved"
    assert winners[0].json["status"] == ("approved" if approved else "rejected")
    results = of_type(frames, "tool_result")
    assert len(results) == (1 if approved else 0)
    assert list(api.files(session)) == (["b.txt"] if approved else ["a.txt"])
    if approved:
        assert results[0].payload["success"] is True


@pytest.mark.clause("RUNS-34", "RUNS-35")
@pytest.mark.fault(16)
def test_racing_decisions_about_several_calls(api):
    names = [f"f{i}.md" for i in range(4)]
    session = api.session()
    run = api.start(session, "Write a haiku about rivers to " + " and ".join(names))
    items = api.wait_pending(session, 4)
    replies = at_once(16, lambda i: api.approve(session, items[i % 4]["approval_id"]))
    for group in range(4):
        assert [r.status for r in replies[group::4]].count(200) == 1
    frames = api.read(session, run)
    assert len(of_type(frames, "tool_call_approved")) == len(of_type(frames, "tool_result")) == 4
    assert sorted(api.files(session)) == names


@pytest.mark.clause("RUNS-35", "COMMON-49")
@pytest.mark.fault(16)
@pytest.mark.parametrize("attempt", range(3))
def test_a_decision_and_a_crash(new_server, attempt):
    """An acknowledged approval is kept; the tool ran once, or its outcome is told as unknown — never twice."""
    server = new_server()
    session = server.api.session()
    server.api.upload(session, "a.txt", b"once")
    run = server.api.start(session, "rename a.txt to b.txt")
    approval = server.api.wait_pending(session)[0]["approval_id"]
    assert server.api.approve(session, approval).status == 200
    server.restart(hard=True)
    frames = server.api.read(session, run)
    assert [f.payload["approval_id"] for f in of_type(frames, "tool_call_approved")] == [approval]
    [result] = of_type(frames, "tool_result")
    if result.payload["success"]:
        assert list(server.api.files(session)) == ["b.txt"]
    else:
        assert "unknown" in result.payload["result"]
    assert server.api.reject(session, approval).status == 409


@pytest.mark.clause("RUNS-36", "RUNS-48")
@pytest.mark.fault(16)
def test_deciding_after_an_interrupt(api):
    session, run, approval = api.ask_to_write()
    assert api.interrupt(session, run).status == 202
    for _ in range(3):
        expect_error(api.approve(session, approval), 409, "INVALID_STATE")
    frames = api.read(session, run)
    assert of_type(frames, "tool_call_rejected")[0].payload["reason"] == "interrupted"
    assert api.files(session) == {}


@pytest.mark.clause("RUNS-37")
@pytest.mark.fault(16)
def test_another_runs_approval(api):
    first, second = api.ask_to_write("one.md"), api.ask_to_write("two.md")
    expect_error(api.approve(first[0], second[2]), 404, "APPROVAL_NOT_FOUND")
    expect_error(api.reject(second[0], first[2]), 404, "APPROVAL_NOT_FOUND")
    assert len(api.pending(first[0])) == len(api.pending(second[0])) == 1
