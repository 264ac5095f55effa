"""Every way in which a model can fail, seen by a client."""
import pytest

from braid_client.agents import AGENTS, agent, fail_agent
from braid_client.frames import of_type, text_of, types

HAIKU = "Write a haiku about rivers to haiku.md"


@pytest.mark.clause("RUNS-49", "RUNS-50")
@pytest.mark.parametrize("kind, code", [
    ("provider_error", "PROVIDER_ERROR"), ("rate_limit", "RATE_LIMITED"), ("timeout", "PROVIDER_TIMEOUT"),
    ("truncated", "UPSTREAM_TRUNCATED"), ("cut_in_args", "UPSTREAM_TRUNCATED"), ("hang", "PROVIDER_TIMEOUT"),
    ("endless", "LIMIT_EXCEEDED")])
def test_failure_codes(api, kind, code):
    done = api.run(HAIKU, agent=fail_agent(kind))
    assert done.end.type == "run_failed"
    assert set(done.end.payload) >= {"status", "error_code", "message"}
    assert done.end.payload["error_code"] == code
    assert api.files(done.session_id) == {}
    run = api.look(done.session_id, done.run_id)
    assert run["status"] == "failed" and run["error"]["message"] == done.end.payload["message"]
    api.run("say exactly: x", session_id=api.session())


@pytest.mark.clause("RUNS-49")
def test_a_cut_answer_keeps_its_text(api):
    done = api.run("a long story about lighthouses", agent=fail_agent("truncated"))
    assert done.end.type == "run_failed" and done.end.payload["error_code"] == "UPSTREAM_TRUNCATED"
    assert text_of(done.frames)


@pytest.mark.clause("RUNS-51", "RUNS-50")
@pytest.mark.parametrize("kind", ["cut_in_args", "bad_args", "unknown_tool"])
def test_a_call_that_cannot_be_trusted_never_runs(api, kind):
    done = api.run("say exactly: hello", agent=fail_agent(kind))
    assert "tool_call_approved" not in types(done.frames)
    assert all(not frame.payload["success"] for frame in of_type(done.frames, "tool_result"))
    assert "tool_call_proposed" not in types(done.frames)
    assert api.files(done.session_id) == {}
    assert api.pending(done.session_id) == []


@pytest.mark.clause("RUNS-52", "RUNS-5")
def test_no_usage_is_null(api):
    done = api.run("say exactly: hello", agent=fail_agent("no_usage"))
    assert done.end.type == "run_completed"
    assert api.look(done.session_id, done.run_id)["usage"] is None
    assert api.get(f"/sessions/{done.session_id}").json["usage"] is None


@pytest.mark.clause("RUNS-23")
def test_an_empty_answer_ends_too(api):
    done = api.run("say exactly: hello", agent=fail_agent("empty"))
    assert done.end.type in ("run_completed", "run_failed")
    assert text_of(done.frames) == ""


@pytest.mark.clause("RUNS-50")
def test_an_endless_answer_is_bounded(api):
    done = api.run("go on", agent=fail_agent("endless"))
    assert done.end.payload["error_code"] == "LIMIT_EXCEEDED"
    assert 100_000 < len(text_of(done.frames).encode()) <= 201_000


@pytest.mark.clause("RUNS-50")
def test_too_few_steps(api):
    session = api.session(agent="one-step")
    assert api.upload(session, "notes.txt", b"tide").status == 201
    done = api.run("read notes.txt", session_id=session)
    assert done.end.type == "run_failed" and done.end.payload["error_code"] == "MAX_STEPS"


@pytest.mark.clause("RUNS-50", "COMMON-53")
def test_too_many_tool_calls(new_server):
    server = new_server(agents={**AGENTS, "busy": agent("busy", approval="{default: auto}")},
                        limits={"tool_calls_max": 1})
    done = server.api.run("Write a haiku about rivers to a.md and b.md", agent="busy")
    assert done.end.type == "run_failed" and done.end.payload["error_code"] == "LIMIT_EXCEEDED"
    assert len(server.api.files(done.session_id)) <= 1


@pytest.mark.clause("COMMON-43")
def test_instructions_stay_inside(api):
    for name in ("asks", "fail-provider-error", "fail-bad-args"):
        done = api.run("say exactly: hello", agent=name)
        assert b"bluewhale" not in done.bytes
    assert b"bluewhale" not in api.call("GET", "/agents").body
