"""Sessions: making, listing, looking, deleting."""
import re

import pytest

from braid_client.api import expect_error
from braid_client.invariants import TIME, ULID
from spellings import spellings

UNKNOWN = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.mark.clause("RUNS-1", "COMMON-3")
@pytest.mark.parametrize("body", [{"json": {}}, {}, {"json": {"agent": "writer", "auto_approve": False}}])
def test_a_new_session(api, body):
    reply = api.post("/sessions", **body)
    assert reply.status == 201
    assert set(reply.json) == {"session_id", "created_at", "agent", "settings"}
    assert re.fullmatch("sess_" + ULID, reply.json["session_id"])
    assert TIME.match(reply.json["created_at"])
    assert reply.json["agent"] == "writer"
    assert reply.json["settings"] == {"auto_approve": False}


@pytest.mark.clause("RUNS-1")
def test_a_session_takes_an_agent_and_auto_approve(api):
    reply = api.post("/sessions", json={"agent": "assistant", "auto_approve": True})
    assert reply.status == 201
    assert reply.json["agent"] == "assistant"
    assert reply.json["settings"] == {"auto_approve": True}


@pytest.mark.clause("RUNS-2")
def test_an_unknown_agent(api):
    expect_error(api.post("/sessions", json={"agent": "nobody-has-this-name"}), 404, "AGENT_NOT_FOUND")


@pytest.mark.clause("RUNS-2", "RUNS-58")
@pytest.mark.parametrize("body", [{"agent": 7}, {"agent": ["writer"]}, {"auto_approve": "yes"}, {"auto_approve": 1}])
def test_wrong_types_in_a_new_session(api, body):
    expect_error(api.post("/sessions", json=body), 400, "BAD_REQUEST")


@pytest.mark.clause("RUNS-3")
def test_the_list_of_sessions(api):
    mine = {api.session() for _ in range(3)}
    reply = api.get("/sessions")
    assert reply.status == 200
    items = {item["session_id"]: item for item in reply.json["items"]}
    assert mine <= set(items)
    assert all({"session_id", "created_at", "agent", "settings"} <= set(item) for item in items.values())


@pytest.mark.clause("RUNS-4")
def test_looking_at_a_session(api):
    made = api.post("/sessions", json={}).json
    reply = api.get(f"/sessions/{made['session_id']}")
    assert reply.status == 200
    assert {name: reply.json[name] for name in made} == made
    assert reply.json["active_run_id"] is None
    assert reply.json["pending_approvals_count"] == 0
    assert reply.json["usage"] is None


@pytest.mark.clause("RUNS-4", "RUNS-5")
def test_a_session_shows_its_live_run_and_then_its_usage(api):
    session, run, approval = api.ask_to_write()
    seen = api.get(f"/sessions/{session}").json
    assert seen["active_run_id"] == run
    assert seen["pending_approvals_count"] == 1
    assert api.approve(session, approval).status == 200
    api.wait_over(session, run)
    seen = api.get(f"/sessions/{session}").json
    assert seen["active_run_id"] is None
    assert seen["pending_approvals_count"] == 0
    assert set(seen["usage"]) == {"input_tokens", "output_tokens", "total_tokens"}
    assert seen["usage"]["total_tokens"] == seen["usage"]["input_tokens"] + seen["usage"]["output_tokens"] > 0
    assert seen["usage"] == api.look(session, run)["usage"]
    second = api.run("say exactly: more", session_id=session)
    assert api.get(f"/sessions/{session}").json["usage"]["total_tokens"] == (
        seen["usage"]["total_tokens"] + api.look(session, second.run_id)["usage"]["total_tokens"])


@pytest.mark.clause("RUNS-6")
def test_deleting_a_session(api):
    done = api.run("say exactly: hello")
    assert api.upload(done.session_id, "a.txt", b"a").status == 201
    reply = api.delete(f"/sessions/{done.session_id}")
    assert reply.status == 204 and reply.body == b""
    expect_error(api.get(f"/sessions/{done.session_id}"), 404, "SESSION_NOT_FOUND")
    expect_error(api.delete(f"/sessions/{done.session_id}"), 404, "SESSION_NOT_FOUND")
    assert api.get(f"/sessions/{done.session_id}/runs/{done.run_id}").status == 404
    assert api.get(f"/runs/{done.run_id}").status == 404
    assert api.get(f"/sessions/{done.session_id}/files/a.txt").status == 404
    assert done.session_id not in {item["session_id"] for item in api.get("/sessions").json["items"]}


@pytest.mark.clause("RUNS-6")
@pytest.mark.parametrize("waiting", [True, False])
def test_deleting_a_session_with_a_live_run(api, waiting):
    if waiting:
        session, run, _ = api.ask_to_write()
    else:
        session = api.session(agent="slow")
        run = api.start(session, "a long story about lighthouses")
    with api.stream(session, run) as stream:
        stream.read_type("run_started" if waiting else "assistant_delta")
        assert api.delete(f"/sessions/{session}").status == 204
        stream.read_to_end()
        assert stream.end == "clean"
        assert stream.frames[-1].type == "run_interrupted"
        assert stream.frames[-1].payload["reason"] == "session_deleted"
    expect_error(api.get(f"/sessions/{session}"), 404, "SESSION_NOT_FOUND")


@pytest.mark.clause("RUNS-7")
@pytest.mark.parametrize("method, below, body", [
    ("GET", "", None), ("DELETE", "", None), ("POST", "/messages", b'{"message":"hi"}'), ("GET", "/runs", None),
    ("GET", "/runs/run_01ARZ3NDEKTSV4RRFFQ69G5FAV", None), ("GET", "/runs/run_01ARZ3NDEKTSV4RRFFQ69G5FAV/stream", None),
    ("POST", "/runs/run_01ARZ3NDEKTSV4RRFFQ69G5FAV/interrupt", None), ("GET", "/approvals", None),
    ("POST", "/approvals/appr_01ARZ3NDEKTSV4RRFFQ69G5FAV/approve", None),
    ("POST", "/approvals/appr_01ARZ3NDEKTSV4RRFFQ69G5FAV/reject", None),
    ("POST", "/settings/auto-approve", b'{"enabled":true}'), ("GET", "/files", None), ("GET", "/files/a.txt", None)])
@pytest.mark.parametrize("session", [UNKNOWN, "nonsense"])
def test_an_unknown_session(api, method, below, body, session):
    reply = api.call(method, f"/api/v1/sessions/{session}{below}", body=body)
    assert reply.status == 404, reply
    # Where the path names a run or an approval as well, either of the two unknown things may be named.
    codes = {"SESSION_NOT_FOUND"}
    codes |= {"RUN_NOT_FOUND"} if "run_" in below else set()
    codes |= {"APPROVAL_NOT_FOUND"} if "appr_" in below else set()
    code = reply.json["error"]["code"]
    assert code in codes
    expect_error(reply, 404, code)


@pytest.mark.clause("COMMON-1")
def test_every_spelling_of_an_id(api):
    session, run, approval = api.ask_to_write()
    for spelling in spellings(session):
        assert api.get(f"/sessions/{spelling}").json["session_id"] == session
        assert api.get(f"/sessions/{spelling}/approvals").json["items"][0]["approval_id"] == approval
    for spelling in spellings(run):
        assert api.get(f"/sessions/{session}/runs/{spelling}").json["run_id"] == run
        assert api.get(f"/runs/{spelling}").json["run_id"] == run
    assert api.approve(spellings(session)[3], spellings(approval)[3]).status == 200
    api.read(session, run)


@pytest.mark.clause("COMMON-2")
@pytest.mark.fault(8)
@pytest.mark.parametrize("odd", [
    "x", "sess_", "sess_" + "Z" * 26, "run_01ARZ3NDEKTSV4RRFFQ69G5FAV", "0" * 10_000, "%00", "a%00b", "..%2f..%2fetc",
    "%2e%2e", "%2Fetc%2Fpasswd", "sess_01ARZ3NDEKTSV4RRFFQ69G5FA", "sess_01ARZ3NDEKTSV4RRFFQ69G5FAVV", "%20", "-1"])
def test_a_malformed_id_is_not_found(api, odd):
    assert api.get(f"/sessions/{odd}").status == 404
    assert api.get(f"/runs/{odd}").status == 404
    session = api.session()
    assert api.get(f"/sessions/{session}/runs/{odd}").status == 404
    assert api.get(f"/sessions/{session}/runs/{odd}/stream").status == 404
    assert api.approve(session, odd).status == 404
