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


def check_times(server, session, run):
    """The times of one run never go back, whatever the clock did while it went on."""
    times = [moment(frame.data["ts"]) for frame in server.api.read(session, run)]
    assert times == sorted(times)
    seen = server.api.look(session, run)
    assert moment(seen["started_at"]) <= moment(seen["ended_at"])


@pytest.mark.clause("COMMON-54", "COMMON-49")
@pytest.mark.fault(34, 30)
def test_a_crash_and_a_step_back_in_the_middle_of_runs(stepping):
    """One run waits for a person, one is in mid-sentence; the server is killed and comes back ten days earlier."""
    server, step = stepping
    session, run, approval = server.api.ask_to_write()
    other = server.api.session(agent="slow")
    told = server.api.start(other, "say exactly: " + "word " * 60 + "end")
    with server.api.stream(other, told) as stream:
        stream.read_type("assistant_delta", 5)
        server.kill()
        stream.read_to_end()
    step("-10d")
    server.start()
    with server.api.stream(other, told, stream.last_id) as rest:
        rest.read_to_end()
    assert server.api.approve(session, approval).status == 200
    whole = server.api.read(other, told)
    assert joined(stream.frames) + joined(rest.frames) == joined(whole)
    assert whole[-1].type == "run_completed"
    for one, its_run in ((session, run), (other, told)):
        check_times(server, one, its_run)
    step("+0")
    server.restart(hard=True)
    assert joined(server.api.read(other, told)) == joined(whole)
    for one, its_run in ((session, run), (other, told)):
        check_times(server, one, its_run)


@pytest.mark.fault(34, 30)
def test_ids_go_up_over_a_restart_with_the_clock_set_back(stepping):
    server, step = stepping
    session = server.api.session()
    runs = [server.api.run("say exactly: one", session_id=session).run_id]
    for hard in (True, False):
        step("-10d" if hard else "-20d")
        server.restart(hard=hard)
        runs.append(server.api.run("say exactly: more", session_id=session).run_id)
    assert runs == sorted(runs)
