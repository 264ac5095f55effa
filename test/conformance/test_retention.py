"""What goes, and that it really goes: events past their retention, and sessions that were deleted."""
import pytest

from braid_client.api import expect_error
from braid_client.waiting import wait_for
from braid_client.wire import Stream

SECRET = "quartzmarmalade"


def files_with(server, text):
    return [path.name for path in server.data.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def can_be_replayed(api, done):
    answer = api.try_stream(done.session_id, done.run_id)
    if isinstance(answer, Stream):
        answer.close()
    return isinstance(answer, Stream)


@pytest.mark.clause("COMMON-55")
def test_after_retention_the_status_stays_and_the_events_are_gone(new_server):
    server = new_server(arguments=["--retention", "1s"])
    done = server.api.run(f"say exactly: {SECRET}")
    wait_for(lambda: not can_be_replayed(server.api, done), "the events to go")
    for last in (None, done.frames[0].id, done.end.id):
        expect_error(server.api.try_stream(done.session_id, done.run_id, last), 410, "REPLAY_UNAVAILABLE")
    assert server.api.look(done.session_id, done.run_id)["status"] == "completed"

    waiting = server.api.ask_to_write("kept.md")
    server.restart(hard=True)
    assert server.api.pending(waiting[0]), "a run that waits is not finished, however old it is"
    expect_error(server.api.try_stream(done.session_id, done.run_id), 410, "REPLAY_UNAVAILABLE")


@pytest.mark.clause("COMMON-56")
def test_a_deleted_session_leaves_nothing_on_the_disk(new_server):
    server = new_server()
    other = server.api.run("a long story about rivers")
    session = server.api.session()
    server.api.run(f"say exactly: {SECRET} {SECRET}", session_id=session)
    server.api.run(f"say exactly: {SECRET} once more", session_id=session)
    assert server.api.upload(session, "notes.txt", SECRET.encode()).status == 201
    assert files_with(server, SECRET)
    assert server.api.delete(f"/sessions/{session}").status == 204
    wait_for(lambda: not files_with(server, SECRET), "the text to be gone from every file")
    assert server.api.read(other.session_id, other.run_id) == other.frames, "nobody else lost anything"
    server.restart()
    assert not files_with(server, SECRET)
    assert server.api.read(other.session_id, other.run_id) == other.frames


def test_a_bad_retention_is_refused_with_one_line(new_server):
    with pytest.raises(AssertionError, match="retention: expected a duration such as 12h or 30d"):
        new_server(arguments=["--retention", "soon"])
