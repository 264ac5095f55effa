"""Approvals: asking, deciding, and every way of not being asked."""
import pytest

from braid_client.api import ABSENT, expect_error
from braid_client.frames import of_type, text_of, types
from braid_client.invariants import TIME

UNKNOWN = "appr_01ARZ3NDEKTSV4RRFFQ69G5FAV"
HAIKU = "Write a haiku about rivers to haiku.md"


def quiet(frames):
    """The types of a run without its text."""
    return [name for name in types(frames) if name != "assistant_delta"]


@pytest.mark.clause("RUNS-27", "RUNS-28")
def test_a_writing_tool_asks(api, session):
    run = api.start(session, HAIKU)
    with api.stream(session, run) as stream:
        proposed = stream.read_type("tool_call_proposed")
        assert set(proposed.payload) >= {"approval_id", "tool_name", "args"}
        assert proposed.payload["tool_name"] == "file_write"
        assert proposed.payload["args"]["path"] == "haiku.md"
        assert api.look(session, run)["status"] == "waiting_approval"
        assert api.files(session) == {}
        [item] = api.pending(session)
        assert set(item) >= {"approval_id", "run_id", "tool_name", "args", "created_at", "status"}
        assert item["approval_id"] == proposed.payload["approval_id"]
        assert item["run_id"] == run and item["status"] == "pending"
        assert item["tool_name"] == "file_write" and item["args"] == proposed.payload["args"]
        assert TIME.match(item["created_at"])


@pytest.mark.clause("RUNS-28")
def test_approvals_over_all_sessions(api):
    first = api.ask_to_write("one.md")
    second = api.ask_to_write("two.md")
    items = api.get("/approvals").json["items"]
    ids = [item["approval_id"] for item in items]
    assert ids.index(first[2]) < ids.index(second[2]), "oldest first"
    assert {item["run_id"] for item in items} >= {first[1], second[1]}
    api.reject(first[0], first[2])
    assert first[2] not in [item["approval_id"] for item in api.get("/approvals").json["items"]]
    assert api.pending(first[0]) == []


@pytest.mark.clause("RUNS-29", "RUNS-31", "RUNS-24")
def test_approving(api):
    session, run, approval = api.ask_to_write()
    reply = api.approve(session, approval)
    assert reply.status == 200
    assert reply.json == {"approval_id": approval, "run_id": run, "status": "approved"}
    frames = api.read(session, run)
    assert quiet(frames) == ["run_started", "tool_call_proposed", "tool_call_approved", "tool_result", "run_completed"]
    assert of_type(frames, "tool_call_approved")[0].payload["approval_id"] == approval
    result = of_type(frames, "tool_result")[0].payload
    assert result["tool_name"] == "file_write" and result["success"] is True
    assert result["approval_id"] == approval and result["tool_call_id"]
    assert "haiku.md" in result["result"]
    assert api.pending(session) == []
    written = of_type(frames, "tool_call_proposed")[0].payload["args"]["content"]
    assert api.get(f"/sessions/{session}/files/haiku.md").body == written.encode()


@pytest.mark.clause("RUNS-30")
@pytest.mark.parametrize("body, reason", [(ABSENT, "user_rejected"), ({}, "user_rejected"),
                                          ({"reason": "wrong folder"}, "wrong folder")])
def test_rejecting(api, body, reason):
    session, run, approval = api.ask_to_write()
    reply = api.reject(session, approval, json=body)
    assert reply.status == 200
    assert reply.json == {"approval_id": approval, "run_id": run, "status": "rejected"}
    frames = api.read(session, run)
    assert quiet(frames) == ["run_started", "tool_call_proposed", "tool_call_rejected", "run_completed"]
    assert of_type(frames, "tool_call_rejected")[0].payload == {"approval_id": approval, "reason": reason}
    assert frames[-1].payload["final_text"], "the model was told and answered"
    assert api.files(session) == {}


@pytest.mark.clause("RUNS-30", "RUNS-29")
@pytest.mark.parametrize("decide, body", [
    ("approve", {"apply_to_future": "yes"}), ("approve", {"apply_to_future": 1}), ("approve", []),
    ("reject", {"reason": 5}), ("reject", {"reason": ["no"]}), ("reject", "no")])
def test_bodies_of_the_wrong_type_decide_nothing(api, decide, body):
    session, run, approval = api.ask_to_write()
    expect_error(api.post(f"/sessions/{session}/approvals/{approval}/{decide}", json=body), 400, "BAD_REQUEST")
    assert len(api.pending(session)) == 1
    api.interrupt(session, run)


@pytest.mark.clause("RUNS-34", "RUNS-28")
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("verdicts", ["aa", "ar", "ra", "rr"])
def test_several_in_any_order(api, session, order, verdicts):
    run = api.start(session, "Write a haiku about rivers to a.md and b.md")
    items = api.wait_pending(session, 2)
    paths = [item["args"]["path"] for item in items]
    assert sorted(paths) == ["a.md", "b.md"]
    for index in order:
        decide = api.approve if verdicts[index] == "a" else api.reject
        assert decide(session, items[index]["approval_id"]).status == 200
    frames = api.read(session, run)
    assert types(frames).count("tool_result") == verdicts.count("a")
    assert types(frames).count("tool_call_rejected") == verdicts.count("r")
    assert sorted(api.files(session)) == sorted(p for p, v in zip(paths, verdicts) if v == "a")
    decisions = [f.payload["approval_id"] for f in frames if f.type in ("tool_call_approved", "tool_call_rejected")]
    assert decisions == [items[index]["approval_id"] for index in order]


@pytest.mark.clause("RUNS-35")
@pytest.mark.fault(16)
@pytest.mark.parametrize("first, second", [("approve", "approve"), ("approve", "reject"), ("reject", "approve"),
                                           ("reject", "reject")])
def test_the_first_decision_counts(api, session, first, second):
    run = api.start(session, "Write a haiku about rivers to a.md and b.md")
    one, other = [item["approval_id"] for item in api.wait_pending(session, 2)]
    assert api.post(f"/sessions/{session}/approvals/{one}/{first}").status == 200
    # The other approval keeps the run alive.
    expect_error(api.post(f"/sessions/{session}/approvals/{one}/{second}"), 409, "APPROVAL_ALREADY_PROCESSED")
    api.reject(session, other)
    frames = api.read(session, run)
    assert len([f for f in frames if f.payload.get("approval_id") == one and f.type.startswith("tool_call_")]) == 2
    assert types(frames).count("tool_result") == (1 if first == "approve" else 0)


@pytest.mark.clause("RUNS-36")
@pytest.mark.fault(16)
@pytest.mark.parametrize("end", ["approve", "reject", "interrupt"])
def test_deciding_when_the_run_is_over(api, end):
    session, run, approval = api.ask_to_write()
    if end == "interrupt":
        assert api.interrupt(session, run).status == 202
    else:
        assert api.post(f"/sessions/{session}/approvals/{approval}/{end}").status == 200
    before = api.wait_over(session, run)
    for decide in (api.approve, api.reject):
        expect_error(decide(session, approval), 409, "INVALID_STATE")
    assert api.look(session, run) == before
    assert ("haiku.md" in api.files(session)) == (end == "approve")


@pytest.mark.clause("RUNS-37")
@pytest.mark.fault(16)
def test_an_approval_that_is_not_there(api):
    session, run, approval = api.ask_to_write()
    for decide in (api.approve, api.reject):
        expect_error(decide(session, UNKNOWN), 404, "APPROVAL_NOT_FOUND")
        expect_error(decide(session, "nonsense"), 404, "APPROVAL_NOT_FOUND")
        expect_error(decide(session, run), 404, "APPROVAL_NOT_FOUND")
        expect_error(decide(api.session(), approval), 404, "APPROVAL_NOT_FOUND")
    assert [item["approval_id"] for item in api.pending(session)] == [approval]


@pytest.mark.clause("RUNS-38")
def test_apply_to_future(api):
    session, run, approval = api.ask_to_write("one.md")
    assert api.approve(session, approval, json={"apply_to_future": True}).status == 200
    api.wait_over(session, run)
    again = api.run("Write a haiku about rivers to two.md", session_id=session)
    assert quiet(again.frames) == ["run_started", "tool_result", "run_completed"]
    assert set(api.files(session)) == {"one.md", "two.md"}
    # Another tool still asks, and so does another session.
    run = api.start(session, "rename one.md to three.md")
    [item] = api.wait_pending(session)
    assert item["tool_name"] == "file_rename"
    api.reject(session, item["approval_id"])
    api.wait_over(session, run)
    other, _, _ = api.ask_to_write()
    assert len(api.pending(other)) == 1


@pytest.mark.clause("RUNS-38")
def test_without_apply_to_future_the_next_call_asks(api):
    session, run, approval = api.ask_to_write("one.md")
    assert api.approve(session, approval, json={"apply_to_future": False}).status == 200
    api.wait_over(session, run)
    _, run, approval = api.ask_to_write("two.md", session_id=session)
    assert api.reject(session, approval).status == 200
    api.wait_over(session, run)


@pytest.mark.clause("RUNS-39", "RUNS-32")
def test_auto_approve_from_the_start(api):
    done = api.run("Write a haiku about rivers to haiku.md", auto_approve=True)
    assert quiet(done.frames) == ["run_started", "tool_result", "run_completed"]
    assert "approval_id" not in of_type(done.frames, "tool_result")[0].payload
    assert "haiku.md" in api.files(done.session_id)


@pytest.mark.clause("RUNS-39")
def test_auto_approve_on_and_off(api, session):
    path = f"/sessions/{session}/settings/auto-approve"
    reply = api.post(path, json={"enabled": True})
    assert reply.status == 200 and reply.json == {"enabled": True}
    assert api.get(f"/sessions/{session}").json["settings"] == {"auto_approve": True}
    assert "tool_call_proposed" not in types(api.run(HAIKU, session_id=session).frames)
    assert api.post(path, json={"enabled": False}).json == {"enabled": False}
    assert api.get(f"/sessions/{session}").json["settings"] == {"auto_approve": False}
    api.ask_to_write("again.md", session_id=session)


@pytest.mark.clause("RUNS-39", "RUNS-58")
@pytest.mark.parametrize("body", [{}, {"enabled": "true"}, {"enabled": 1}, {"enabled": None}, [], "true"])
def test_auto_approve_with_a_wrong_body(api, session, body):
    expect_error(api.post(f"/sessions/{session}/settings/auto-approve", json=body), 400, "BAD_REQUEST")
    assert api.get(f"/sessions/{session}").json["settings"] == {"auto_approve": False}


@pytest.mark.clause("RUNS-40", "RUNS-32")
def test_the_policy_auto(api):
    done = api.run(HAIKU, agent="auto")
    assert quiet(done.frames) == ["run_started", "tool_result", "run_completed"]


@pytest.mark.clause("RUNS-40")
def test_the_policy_auto_for_one_tool(api):
    done = api.run(HAIKU, agent="auto-write")
    assert quiet(done.frames) == ["run_started", "tool_result", "run_completed"]
    run = api.start(done.session_id, "rename haiku.md to poem.md")
    [item] = api.wait_pending(done.session_id)
    assert item["tool_name"] == "file_rename"
    api.approve(done.session_id, item["approval_id"])
    assert api.wait_over(done.session_id, run)["status"] == "completed"
    assert list(api.files(done.session_id)) == ["poem.md"]


@pytest.mark.clause("RUNS-41")
def test_the_policy_deny(api):
    done = api.run(HAIKU, agent="denies")
    assert quiet(done.frames) == ["run_started", "tool_call_proposed", "tool_call_rejected", "run_completed"]
    place = types(done.frames).index("tool_call_proposed")
    proposed, rejected = done.frames[place:place + 2]
    assert rejected.type == "tool_call_rejected"
    assert rejected.payload == {"approval_id": proposed.payload["approval_id"], "reason": "denied"}
    assert api.pending(done.session_id) == [] and api.files(done.session_id) == {}
    expect_error(api.approve(done.session_id, proposed.payload["approval_id"]), 409, "INVALID_STATE")


@pytest.mark.clause("RUNS-42")
@pytest.mark.fault(18)
def test_an_approval_that_nobody_answers(api):
    session = api.session(agent="impatient")
    run = api.start(session, HAIKU)
    frames = api.read(session, run)
    assert quiet(frames) == ["run_started", "tool_call_proposed", "tool_call_rejected", "run_completed"]
    assert of_type(frames, "tool_call_rejected")[0].payload["reason"] == "timeout"
    assert api.pending(session) == [] and api.files(session) == {}


@pytest.mark.clause("RUNS-42", "COMMON-53")
def test_the_servers_own_approval_timeout(new_server):
    server = new_server(limits={"approval_timeout": 300})
    session = server.api.session()
    run = server.api.start(session, HAIKU)
    frames = server.api.read(session, run)
    assert of_type(frames, "tool_call_rejected")[0].payload["reason"] == "timeout"
    assert server.api.files(session) == {}


@pytest.mark.clause("RUNS-43")
@pytest.mark.parametrize("how", ["reject", "approve"])
def test_an_agent_that_ends_on_a_rejection(api, how):
    session, run, approval = api.ask_to_write(agent="gives-up")
    assert api.post(f"/sessions/{session}/approvals/{approval}/{how}").status == 200
    frames = api.read(session, run)
    if how == "reject":
        assert types(frames)[-2] == "tool_call_rejected", "nothing but the end follows the rejection"
        assert api.files(session) == {}
    else:
        assert frames[-1].type == "run_completed" and "haiku.md" in api.files(session)


@pytest.mark.clause("RUNS-32")
def test_reading_tools_do_not_ask(api, session):
    assert api.upload(session, "notes.txt", b"the tide comes in at noon").status == 201
    for message, tool in (("read notes.txt", "file_read"), ("list files", "file_list")):
        done = api.run(message, session_id=session)
        assert quiet(done.frames) == ["run_started", "tool_result", "run_completed"], message
        result = of_type(done.frames, "tool_result")[0].payload
        assert result["tool_name"] == tool and result["success"] is True
        assert "approval_id" not in result
        assert ("the tide comes in at noon" if tool == "file_read" else "notes.txt") in result["result"]


@pytest.mark.clause("RUNS-32")
def test_the_calculator(api):
    done = api.run("what is 12*7+3?", agent="counts")
    result = of_type(done.frames, "tool_result")[0].payload
    assert result["tool_name"] == "calculator" and result["success"] is True and "87" in result["result"]
    assert "87" in text_of(done.frames)


@pytest.mark.clause("RUNS-33")
def test_a_tool_that_fails(api, session):
    done = api.run("read no-such-file.txt", session_id=session)
    result = of_type(done.frames, "tool_result")[0].payload
    assert result["tool_name"] == "file_read" and result["success"] is False and result["result"]
    assert done.end.type == "run_completed"


@pytest.mark.clause("RUNS-33")
def test_renaming_onto_a_file_that_is_there(api, session):
    for name in ("a.txt", "b.txt"):
        assert api.upload(session, name, name.encode()).status == 201
    run = api.start(session, "rename a.txt to b.txt")
    api.approve(session, api.wait_pending(session)[0]["approval_id"])
    result = of_type(api.read(session, run), "tool_result")[0].payload
    assert result["success"] is False
    assert api.get(f"/sessions/{session}/files/b.txt").body == b"b.txt"
    assert api.get(f"/sessions/{session}/files/a.txt").body == b"a.txt"


@pytest.mark.clause("RUNS-31", "COMMON-53")
def test_a_long_result_is_cut(api, session):
    text = ("0123456789abcde\n" * 5000).encode()
    assert api.upload(session, "long.txt", text).status == 201
    done = api.run("read long.txt", session_id=session)
    result = of_type(done.frames, "tool_result")[0].payload["result"]
    assert 60 * 1024 < len(result.encode()) <= 64 * 1024 + 200
    assert result.startswith("0123456789abcde\n") and result[-16:] != "0123456789abcde\n", "cut, with a mark"


@pytest.mark.clause("RUNS-31")
def test_a_result_is_cut_between_characters(api, session):
    assert api.upload(session, "wide.txt", ("x" + "🌊" * 20_000).encode()).status == 201
    done = api.run("read wide.txt", session_id=session)
    result = of_type(done.frames, "tool_result")[0].payload["result"]
    assert result.startswith("x🌊") and "\ufffd" not in result
