"""Notices: what a stream of many runs says of the runs that it does not show."""
import pytest

from braid_client.tasks import Tasks
from braid_client.watching import SHORT, finished, long_runs, notices_of, watch


@pytest.mark.clause("LOG-11")
def test_notices_of_a_run(api):
    with watch(api, notices=True) as stream:
        session, run, approval = api.ask_to_write(agent="asks")

        def of_the_run(count):
            stream.read_until(lambda s: len(notices_of(s, run)) >= count, f"{count} notices")
            return notices_of(stream, run)
        assert of_the_run(3) == [("run", "running"), ("run", "waiting_approval"), ("approvals", "waiting_approval")]
        api.approve(session, approval)
        api.wait_over(session, run)
        stream.read_until(lambda s: ("run", "completed") in notices_of(s, run), "the end")
        told = notices_of(stream, run)
        assert ("approvals", "running") in told and told[-1] == ("run", "completed")
        assert len(told) < 10, "what a run says is no change"
        frame = next(frame for frame in stream.frames if frame.type == "changed" and frame.data["run_id"] == run)
        assert frame.data == {"run_id": run, "session_id": session, "status": "running", "what": "run"} and not frame.id


@pytest.mark.clause("LOG-11")
def test_a_notice_comes_after_the_change(api):
    """Whoever reads the list when the notice comes finds what it is about."""
    with watch(api, notices=True) as stream:
        session = api.session(agent="asks")
        run = api.start(session, "Write a haiku about rivers to b.md")
        stream.read_until(lambda s: ("approvals", "waiting_approval") in notices_of(s, run), "the approval")
        [approval] = api.pending(session)
        api.reject(session, approval["approval_id"])
        stream.read_until(lambda s: ("run", "completed") in notices_of(s, run), "the end")
        assert api.look(session, run)["status"] == "completed" and not api.pending(session)


@pytest.mark.clause("LOG-11")
def test_notices_of_tasks_and_items(api):
    with watch(api, notices=True) as stream:
        work = Tasks(api)
        work.plan("Plan the launch of our new product")
        work.execute()
        stream.read_until(lambda s: {"run", "tasks", "items"} <= {what for what, _ in notices_of(s)}, "all kinds")


@pytest.mark.clause("LOG-11")
def test_a_turn_that_waits_is_told_when_it_is_asked_for_and_when_it_begins(api):
    session = api.session(agent="slow")
    api.start(session, SHORT)
    with watch(api, notices=True) as stream:
        reply = api.call("POST", "/agent/slow/chat",
                         json={"message": "say exactly: next", "session_id": session.removeprefix("sess_")})
        assert reply.status == 200, reply
        run = next(frame.data["run_id"] for frame in stream.read_until(
            lambda s: any(frame.type == "changed" and frame.data["status"] == "queued" for frame in s.frames),
            "the turn").frames if frame.type == "changed" and frame.data["status"] == "queued")
        stream.read_until(lambda s: ("run", "completed") in notices_of(s, run), "its end")
        assert notices_of(stream, run) == [("run", "queued"), ("run", "running"), ("run", "completed")]


@pytest.mark.clause("LOG-12", "LOG-11")
def test_notices_are_for_who_owns_the_run(town):
    with (watch(town.alice.api, notices=True) as alice, watch(town.bob.api, notices=True) as bob,
          watch(town.alice.api) as silent, watch(town.bob.api, notices=True, everybody=True) as no_admin,
          watch(town.ada.api, notices=True) as own, watch(town.ada.api, notices=True, everybody=True) as everybody):
        hers, his = finished(town.alice.api), finished(town.bob.api)
        for stream, runs in ((alice, {hers}), (bob, {his}), (no_admin, {his}), (everybody, {hers, his})):
            for run in runs:
                stream.read_until(lambda s: ("run", "completed") in notices_of(s, run), "the end")
        assert not notices_of(alice, his) and not notices_of(bob, hers) and not notices_of(no_admin, hers)
        marker = finished(town.ada.api)
        own.read_until(lambda s: ("run", "completed") in notices_of(s, marker), "ada's own")
        assert not notices_of(own, hers) and not notices_of(own, his)
        assert [frame.type for frame in silent.frames] == ["hello"]


@pytest.mark.clause("LOG-13")
def test_a_slow_reader_is_told_what_it_missed(new_server):
    server = new_server(limits={"watch_notices_max": 3})
    api = server.api
    runs = long_runs(api, 4)
    with watch(api, *(("all", run) for run in runs), notices=True, receive_buffer=4096) as stream:
        stream.read_frames(1)
        changed = [finished(api) for _ in range(6)]  # while its socket is full
        stream.read_until(lambda s: any(frame.type == "missed" for frame in s.frames), "missed", timeout=60)
        last = finished(api)
        stream.read_until(lambda s: ("run", "completed") in notices_of(s, last), "the notice after it", timeout=60)
        assert stream.read_type("missed").data == {}
        assert sum(bool(notices_of(stream, run)) for run in changed) <= 4
