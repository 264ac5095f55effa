"""What a run says about itself."""
import pytest

from braid_client.api import expect_error
from braid_client.invariants import TIME

UNKNOWN = "run_01ARZ3NDEKTSV4RRFFQ69G5FAV"
FIELDS = {"run_id", "session_id", "status", "started_at", "ended_at", "error", "usage"}


@pytest.mark.clause("RUNS-12", "RUNS-14", "COMMON-3", "RUNS-5")
def test_a_completed_run(api):
    done = api.run("say exactly: hello")
    run = api.look(done.session_id, done.run_id)
    assert set(run) >= FIELDS
    assert run["run_id"] == done.run_id and run["session_id"] == done.session_id
    assert run["status"] == "completed" and run["error"] is None
    assert TIME.match(run["started_at"]) and TIME.match(run["ended_at"])
    assert run["started_at"] <= run["ended_at"]
    assert set(run["usage"]) == {"input_tokens", "output_tokens", "total_tokens"}


@pytest.mark.clause("RUNS-12", "RUNS-14")
def test_a_waiting_run(api):
    session, run, approval = api.ask_to_write()
    seen = api.look(session, run)
    assert seen["status"] == "waiting_approval"
    assert seen["ended_at"] is None and seen["error"] is None


@pytest.mark.clause("RUNS-12", "RUNS-14")
def test_a_running_run(api):
    session = api.session(agent="slow")
    run = api.start(session, "a long story about lighthouses")
    with api.stream(session, run) as stream:
        stream.read_type("assistant_delta")
        assert api.look(session, run)["status"] == "running"
    api.interrupt(session, run)
    assert api.wait_over(session, run)["status"] == "interrupted"


@pytest.mark.clause("RUNS-12", "RUNS-49")
def test_a_failed_run(api):
    done = api.run("hello", agent="fail-provider-error")
    run = api.look(done.session_id, done.run_id)
    assert run["status"] == "failed"
    end = done.end.payload
    assert run["error"] == {**run["error"], "message": end["message"]}
    assert end["error_code"] in run["error"].values()


@pytest.mark.clause("RUNS-13")
def test_a_run_without_its_session(api):
    done = api.run("say exactly: hello")
    expected = api.look(done.session_id, done.run_id)
    assert api.get(f"/runs/{done.run_id}").json == expected
    reply = api.call("GET", f"/runs/{done.run_id}")
    assert reply.status == 200 and reply.json == expected


@pytest.mark.clause("RUNS-15")
def test_the_runs_of_a_session(api, session):
    runs = [api.run(f"say exactly: {i}", session_id=session).run_id for i in range(3)]
    api.run("say exactly: elsewhere")
    reply = api.get(f"/sessions/{session}/runs")
    assert reply.status == 200
    assert sorted(item["run_id"] for item in reply.json["items"]) == sorted(runs)
    for item in reply.json["items"]:
        assert item == api.look(session, item["run_id"])


@pytest.mark.clause("RUNS-16")
def test_an_unknown_run(api, session):
    for run in (UNKNOWN, "nonsense"):
        expect_error(api.get(f"/sessions/{session}/runs/{run}"), 404, "RUN_NOT_FOUND")
        expect_error(api.get(f"/sessions/{session}/runs/{run}/stream"), 404, "RUN_NOT_FOUND")
        expect_error(api.get(f"/runs/{run}"), 404, "RUN_NOT_FOUND")
        expect_error(api.get(f"/runs/{run}/stream"), 404, "RUN_NOT_FOUND")
        expect_error(api.interrupt(session, run), 404, "RUN_NOT_FOUND")
        assert api.call("GET", f"/runs/{run}").status == 404


@pytest.mark.clause("RUNS-16")
def test_a_run_of_another_session(api, session):
    done = api.run("say exactly: hello")
    expect_error(api.get(f"/sessions/{session}/runs/{done.run_id}"), 404, "RUN_NOT_FOUND")
    expect_error(api.get(f"/sessions/{session}/runs/{done.run_id}/stream"), 404, "RUN_NOT_FOUND")
    expect_error(api.interrupt(session, done.run_id), 404, "RUN_NOT_FOUND")
