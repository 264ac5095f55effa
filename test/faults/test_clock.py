"""Fault 34: the machine's clock steps back and forth (libfaketime; the test is skipped where it is not installed)."""
import datetime
import glob

import pytest

from braid_client.frames import joined

LIBRARY = (glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1") or [None])[0]


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


@pytest.fixture
def stepping(new_server, tmp_path):
    if LIBRARY is None:
        pytest.skip("faketime is not installed")
    clock = tmp_path / "clock"

    def step(offset):
        clock.write_text(offset + "\n")
    step("+0")
    server = new_server(environment={
        "LD_PRELOAD": LIBRARY, "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"})
    return server, step


STEPS = ("+0", "-1d", "+1d", "-3h", "+90", "-30d", "+0")


@pytest.mark.clause("COMMON-54")
@pytest.mark.fault(34)
def test_ids_go_up_and_durations_are_not_negative(stepping):
    server, step = stepping
    sessions, runs, years = [], [], []
    for offset in STEPS:
        step(offset)
        sessions.append(server.api.session())
        done = server.api.run("say exactly: what time is it", session_id=sessions[-1])
        runs.append(done.run_id)
        run = server.api.look(done.session_id, done.run_id)
        assert moment(run["started_at"]) <= moment(run["ended_at"])
        years.append(run["started_at"])
    assert len({text[:10] for text in years}) >= 3, "the clock did step"
    assert sessions == sorted(sessions) and runs == sorted(runs)
    assert len(set(runs)) == len(runs)


@pytest.mark.clause("COMMON-54")
@pytest.mark.fault(34)
def test_a_run_over_a_step_of_the_clock(stepping):
    server, step = stepping
    for back in ("-2h", "+2h"):
        step("+0")
        session, run, approval = server.api.ask_to_write()
        step(back)
        if back == "+2h":
            # Forward past its deadline an approval may have run out; it must then say so.
            reply = server.api.approve(session, approval)
            assert reply.status in (200, 409)
        else:
            assert server.api.approve(session, approval).status == 200
        frames = server.api.read(session, run)  # ids of its events strictly increase
        assert frames[-1].type == "run_completed"
        seen = server.api.look(session, run)
        assert moment(seen["started_at"]) <= moment(seen["ended_at"])
        step("+0")
        assert joined(server.api.read(session, run)) == joined(frames)


@pytest.mark.clause("COMMON-54")
@pytest.mark.fault(34)
def test_a_step_back_over_a_restart(stepping):
    server, step = stepping
    first = server.api.run("say exactly: one")
    step("-10d")
    server.restart(hard=True)
    second = server.api.run("say exactly: two", session_id=first.session_id)
    assert second.run_id != first.run_id
    assert joined(server.api.read(first.session_id, first.run_id)) == first.bytes
    items = server.api.get(f"/sessions/{first.session_id}/runs").json["items"]
    assert {item["run_id"] for item in items} == {first.run_id, second.run_id}
