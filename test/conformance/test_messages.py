"""Starting runs: the message, idempotency keys, one live run per session."""
import re

import pytest

from braid_client.api import at_once, expect_error
from braid_client.frames import text_of
from braid_client.invariants import ULID


@pytest.mark.clause("RUNS-8")
def test_a_message_starts_a_run(api, session):
    reply = api.post(f"/sessions/{session}/messages", json={"message": "say exactly: hello"})
    assert reply.status == 202
    assert set(reply.json) == {"run_id", "status"}
    assert re.fullmatch("run_" + ULID, reply.json["run_id"])
    assert reply.json["status"] == "queued"
    assert text_of(api.read(session, reply.json["run_id"])) == "hello"


@pytest.mark.clause("RUNS-9", "RUNS-58")
@pytest.mark.parametrize("body", [
    {}, {"message": ""}, {"message": "   \n\t "}, {"message": None}, {"message": 5}, {"message": ["hi"]},
    {"message": {"text": "hi"}}, {"message": True}, {"text": "hi"}, {"message": "hi", "idempotency_key": 7}])
def test_a_message_that_breaks_a_rule(api, session, body):
    expect_error(api.post(f"/sessions/{session}/messages", json=body), 400, "BAD_REQUEST")
    assert api.get(f"/sessions/{session}/runs").json["items"] == []


@pytest.mark.clause("RUNS-9")
def test_the_length_of_a_message(api, session):
    # Counted in bytes of UTF-8, not in characters.
    prefix = "say exactly: "
    longest = prefix + "é" * ((32 * 1024 - len(prefix)) // 2)
    longest += "x" * (32 * 1024 - len(longest.encode()))
    assert len(longest.encode()) == 32 * 1024
    done = api.run(longest, session_id=session)
    assert text_of(done.frames) == longest[len(prefix):]
    expect_error(api.post(f"/sessions/{session}/messages", json={"message": longest + "x"}), 400, "BAD_REQUEST")


@pytest.mark.clause("RUNS-10")
def test_one_live_run_per_session(api):
    session, run, approval = api.ask_to_write()
    error = expect_error(api.post(f"/sessions/{session}/messages", json={"message": "another"}), 409,
                         "ACTIVE_RUN_EXISTS")
    assert error["details"]["run_id"] == run
    assert api.reject(session, approval).status == 200
    api.wait_over(session, run)
    api.run("say exactly: now it can", session_id=session)


@pytest.mark.clause("RUNS-10")
def test_messages_that_race_start_one_run(api, session):
    replies = at_once(12, lambda i: api.post(f"/sessions/{session}/messages",
                                             json={"message": f"Write number {i} to race{i}.md"}))
    assert sorted(reply.status for reply in replies) == [202] + [409] * 11
    for reply in replies:
        if reply.status == 409:
            expect_error(reply, 409, "ACTIVE_RUN_EXISTS")
    assert len(api.get(f"/sessions/{session}/runs").json["items"]) == 1


@pytest.mark.clause("RUNS-11", "COMMON-21", "COMMON-22", "COMMON-23")
def test_a_key_in_the_body(api, session):
    run = api.start(session, "say exactly: once", idempotency_key="k1")
    assert api.start(session, "say exactly: once", idempotency_key="k1") == run
    api.wait_over(session, run)
    assert api.start(session, "say exactly: once", idempotency_key="k1") == run
    expect_error(api.post(f"/sessions/{session}/messages",
                          json={"message": "say exactly: twice", "idempotency_key": "k1"}), 409, "IDEMPOTENCY_CONFLICT")
    assert len(api.get(f"/sessions/{session}/runs").json["items"]) == 1


@pytest.mark.clause("COMMON-21", "COMMON-22", "COMMON-23")
def test_a_key_in_the_header(api, session):
    def post(message, key, **body):
        return api.post(f"/sessions/{session}/messages", json={"message": message, **body},
                        headers=[("Idempotency-Key", key)])
    first = post("say exactly: once", "k2")
    assert first.status == 202
    assert post("say exactly: once", "k2").json["run_id"] == first.json["run_id"]
    expect_error(post("say exactly: twice", "k2"), 409, "IDEMPOTENCY_CONFLICT")
    # The body's key is the same key.
    assert api.start(session, "say exactly: once", idempotency_key="k2") == first.json["run_id"]


@pytest.mark.clause("COMMON-24")
def test_two_keys(api, session):
    def post(header, body):
        return api.post(f"/sessions/{session}/messages", json={"message": "say exactly: hi", "idempotency_key": body},
                        headers=[("Idempotency-Key", header)])
    expect_error(post("one", "two"), 400, "BAD_REQUEST")
    assert api.get(f"/sessions/{session}/runs").json["items"] == []
    assert post("same", "same").status == 202


@pytest.mark.clause("COMMON-22", "COMMON-23", "COMMON-27")
def test_a_key_is_looked_at_before_busy(api, session):
    run = api.start(session, "Write a haiku about rivers to haiku.md", idempotency_key="k3")
    api.wait_pending(session)
    assert api.start(session, "Write a haiku about rivers to haiku.md", idempotency_key="k3") == run
    expect_error(api.post(f"/sessions/{session}/messages", json={"message": "other", "idempotency_key": "k3"}), 409,
                 "IDEMPOTENCY_CONFLICT")
    expect_error(api.post(f"/sessions/{session}/messages", json={"message": "other", "idempotency_key": "k4"}), 409,
                 "ACTIVE_RUN_EXISTS")


@pytest.mark.clause("COMMON-25")
def test_keys_belong_to_a_session(api):
    one, two = api.session(), api.session()
    first = api.start(one, "say exactly: one", idempotency_key="shared")
    second = api.start(two, "say exactly: two", idempotency_key="shared")
    assert first != second
    assert text_of(api.read(two, second)) == "two"


@pytest.mark.clause("COMMON-26", "COMMON-22", "COMMON-23")
@pytest.mark.parametrize("hard", [False, True])
def test_keys_outlive_a_restart(new_server, hard):
    server = new_server()
    session = server.api.session()
    run = server.api.start(session, "say exactly: once", idempotency_key="kept")
    server.api.wait_over(session, run)
    server.restart(hard=hard)
    assert server.api.start(session, "say exactly: once", idempotency_key="kept") == run
    expect_error(server.api.post(f"/sessions/{session}/messages", json={"message": "x", "idempotency_key": "kept"}), 409,
                 "IDEMPOTENCY_CONFLICT")


@pytest.mark.clause("COMMON-22")
def test_a_key_that_races_gives_one_run(api, session):
    runs = at_once(12, lambda i: api.start(session, "say exactly: once", idempotency_key="race"))
    assert len(set(runs)) == 1
    assert len(api.get(f"/sessions/{session}/runs").json["items"]) == 1


@pytest.mark.clause("RUNS-11")
def test_the_length_of_a_key(api, session):
    def post(key):
        return api.post(f"/sessions/{session}/messages", json={"message": "say exactly: hi", "idempotency_key": key})
    expect_error(post(""), 400, "BAD_REQUEST")
    expect_error(post("k" * 256), 400, "BAD_REQUEST")
    assert post("k" * 255).status == 202


@pytest.mark.clause("RUNS-26")
def test_a_run_needs_no_viewer(api):
    session = api.session(agent="auto")
    run = api.start(session, "Write a haiku about rivers to haiku.md")
    assert api.wait_over(session, run)["status"] == "completed"
    assert "haiku.md" in api.files(session)
