"""Fault 31: SIGTERM with people watching."""
import subprocess
import time

import pytest

from braid_client.api import expect_error
from braid_client.frames import joined, text_of
from braid_client.people import Person
from braid_client.server import binary
from braid_client.waiting import wait_for
from braid_client.wire import Closed, Connection


def not_ready(server, connection):
    """The answer of /ready once the server drains, on a connection that was there before or on a new one."""
    def look():
        for way in (lambda: connection.ask("GET", "/ready"), lambda: server.api.call("GET", "/ready", timeout=5)):
            try:
                reply = way()
            except (Closed, OSError):
                continue
            return reply if reply.status == 503 else None
        assert server.alive(), "the server ended at once, with live streams and a grace of many seconds"
        return None
    return wait_for(look, "/ready to say 503", timeout=10)


@pytest.mark.clause("COMMON-48", "COMMON-45", "RUNS-59")
@pytest.mark.fault(31)
def test_draining_refuses_new_runs_and_says_so(new_server):
    server = new_server(limits={"drain_grace": 60_000})
    live = server.api.session(agent="very-slow")
    run = server.api.start(live, "a long story about lighthouses")
    idle = server.api.session()
    done = server.api.run("say exactly: before")
    connection = Connection(server.port)
    with server.api.stream(live, run) as stream:
        stream.read_type("assistant_delta")
        server.signal()
        reply = not_ready(server, connection)
        assert reply.json == {"ready": False}
        refused = server.api.post(f"/sessions/{idle}/messages", json={"message": "say exactly: too late"})
        expect_error(refused, 503, "UNAVAILABLE")
        assert int(refused.header("retry-after")) >= 0
        # Reading goes on.
        assert server.api.call("GET", "/health").status == 200
        assert joined(server.api.read(done.session_id, done.run_id)) == done.bytes
        seen = len(stream.frames)
        stream.read_frames(seen + 2)
        assert server.alive()
    connection.close()
    server.signal()
    assert server.wait_exit(10) == 0


@pytest.mark.clause("COMMON-48", "COMMON-11")
@pytest.mark.fault(31)
def test_a_run_that_ends_within_the_grace_is_delivered(new_server):
    server = new_server(limits={"drain_grace": 60_000})
    session = server.api.session(agent="slow")
    run = server.api.start(session, "say exactly: " + "word " * 60 + "end")
    with server.api.stream(session, run) as stream:
        stream.read_type("assistant_delta", 3)
        server.signal()
        stream.read_to_end()
    assert stream.end == "clean" and stream.frames[-1].type == "run_completed"
    assert text_of(stream.frames).endswith("word end")
    assert server.wait_exit(20) == 0, "with nothing left to do the server does not wait for the grace"
    server.start()
    assert joined(server.api.read(session, run)) == joined(stream.frames)


@pytest.mark.clause("COMMON-48", "COMMON-11", "COMMON-49", "RUNS-44")
@pytest.mark.fault(31, 12)
def test_streams_are_cut_when_the_grace_is_over(new_server):
    server = new_server(limits={"drain_grace": 800})
    session, run, approval = server.api.ask_to_write()
    stream = server.api.stream(session, run)
    stream.read_type("tool_call_proposed")
    began = time.monotonic()
    server.signal()
    stream.read_to_end()
    assert stream.end == "unclean"
    assert server.wait_exit(15) == 0
    assert time.monotonic() - began < 15
    server.start()
    assert server.api.pending(session)[0]["approval_id"] == approval
    with server.api.stream(session, run, stream.last_id) as rest:
        server.api.approve(session, approval)
        rest.read_to_end()
    assert joined(stream.frames) + joined(rest.frames) == joined(server.api.read(session, run))
    stream.close()


@pytest.mark.clause("COMMON-48")
@pytest.mark.fault(31)
def test_a_second_sigterm_ends_it_at_once(new_server):
    server = new_server(limits={"drain_grace": 600_000})
    session, run, approval = server.api.ask_to_write()
    with server.api.stream(session, run) as stream:
        stream.read_type("tool_call_proposed")
        server.signal()
        connection = Connection(server.port)
        not_ready(server, connection)
        connection.close()
        assert server.alive()
        began = time.monotonic()
        server.signal()
        server.wait_exit(10)
        assert time.monotonic() - began < 5
        stream.read_to_end()
        assert stream.end == "unclean"
    server.start()
    assert server.api.look(session, run)["status"] == "waiting_approval"


@pytest.mark.clause("COMMON-48")
@pytest.mark.fault(31)
def test_an_idle_server_stops_at_once(new_server):
    server = new_server(limits={"drain_grace": 600_000})
    server.api.run("say exactly: hello")
    connection = Connection(server.port)
    assert connection.ask("GET", "/health").status == 200
    server.signal()
    try:
        assert server.wait_exit(15) == 0
    except subprocess.TimeoutExpired:
        raise AssertionError("an idle server waits for its grace")
    finally:
        connection.close()


@pytest.mark.fault(31)
def test_who_leaves_with_runs_of_people_leaves_in_order(new_server):
    """A run that waits has a place in its user's budget until the very end; under a sanitizer this tells who went first."""
    server = new_server(dev=False)
    ann = Person(server, "ann")
    session = ann.api.session(agent="asks")
    run = ann.api.start(session, "write a line to note.txt")
    ann.api.wait_status(session, run, "waiting_approval")
    assert server.stop() == 0


@pytest.mark.fault(31)
def test_a_server_that_is_still_starting_stops_at_once(tmp_path):
    """A tool server that never answers holds the start up; nobody was promised anything yet."""
    agents = tmp_path / "agents"
    agents.mkdir()
    started = tmp_path / "started"
    (agents / "waits.yaml").write_text(
        "name: waits\nmodel: {provider: offline}\ninstructions: Wait.\ntools:\n"
        f"  - mcp: {{name: mute, command: [sh, -c, 'touch {started}; exec sleep 60']}}\n")
    server = subprocess.Popen([binary(), "serve", "--dev", "--listen", "127.0.0.1:0", "--data", tmp_path / "data",
                               "--agents", agents], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(started.exists, "the tool server to be started")
    begun = time.monotonic()
    server.terminate()
    said = server.communicate(timeout=30)
    assert server.returncode == 0 and b"stopped while starting" in said[1], said
    assert time.monotonic() - begun < 5, "it waited for the tool server"
