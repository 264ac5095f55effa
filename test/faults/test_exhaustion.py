"""Fault 35: out of descriptors, out of memory for one request. That request is refused, and nothing spins."""
import errno
import os
import pathlib
import resource
import time

import pytest

from braid_client.api import expect_error
from braid_client.faultline import Faultline
from braid_client.frames import joined, of_type
from braid_client.resources import Resources, descriptors_at_rest
from braid_client.server import Server
from braid_client.waiting import wait_for
from braid_client.wire import Closed, Connection, request_bytes

pytestmark = [pytest.mark.usefixtures("faultline_library"), pytest.mark.fault(35)]

# A sanitizer needs descriptors of its own whenever it looks at an object; without them it takes every object for a wrong one.
NEEDS_DESCRIPTORS = pytest.mark.skipif(os.environ.get("BRAIDLOG_SANITIZED") == "1", reason="not under a sanitizer")
WATCH_S = 1.5
HEALTH = request_bytes("GET", "/health", [("Connection", "close")])


def cpu_seconds(server):
    fields = pathlib.Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check_rests(server, connection):
    """While it cannot accept, the server answers who is there already, and uses next to no processor time."""
    used, began = cpu_seconds(server), time.monotonic()
    wait_for(lambda: connection.ask("GET", "/health").status == 200 and time.monotonic() - began > WATCH_S,
             "the end of the watch", interval=0.05)
    assert cpu_seconds(server) - used < WATCH_S / 4, "the accept loop spins"


def ask_at_once(server, count):
    connections = [Connection(server.port) for _ in range(count)]
    for connection in connections:
        connection.send(HEALTH)
    return connections


def status_of(connection):
    """None: not answered, or closed."""
    try:
        return connection.read_reply().status
    except (Closed, TimeoutError):
        return None


@NEEDS_DESCRIPTORS
def test_out_of_descriptors(new_server):
    server = new_server()
    done = server.api.run("say exactly: before")
    resources = Resources(server)
    with Connection(server.port) as before:
        assert before.ask("GET", "/health").status == 200
        soft, hard = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (descriptors_at_rest(server) + 10, hard))
        held = [Connection(server.port) for _ in range(60)]
        server.wait_log("out of file descriptors")
        check_rests(server, before)
        target = server.api.stream_path(done.session_id, done.run_id)
        before.send(request_bytes("GET", target))
        assert before.read_reply().body.endswith(done.end.raw), "reading goes on over connections that are there"
        for connection in held:
            connection.close()
    # Whoever is refused is told so; and when there is room again, everybody is served.
    wait_for(lambda: server.api.call("GET", "/health").status == 200, "room again")
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (soft, hard))
    assert joined(server.api.read(done.session_id, done.run_id)) == done.bytes
    assert server.api.run("say exactly: after").end.type == "run_completed"
    resources.check()


@NEEDS_DESCRIPTORS
def test_who_finds_no_descriptor_gets_503_or_waits(new_server):
    server = new_server()
    soft, hard = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (descriptors_at_rest(server) + 4, hard))
    held = [Connection(server.port) for _ in range(8)]
    server.wait_log("out of file descriptors")
    asking = ask_at_once(server, 8)
    assert wait_for(lambda: status_of(asking[0]), "an answer") == 503
    for connection in held:
        connection.close()
    for connection in asking[1:]:
        assert status_of(connection) in (200, 503)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (soft, hard))
    assert server.responds()


def test_accepting_fails_for_a_while(new_server, tmp_path):
    faults = Faultline(tmp_path)
    server = new_server(faults=faults)
    resources = Resources(server)
    with Connection(server.port) as before:
        assert before.ask("GET", "/health").status == 200
        faults.arm("fail", "accept", "wire", errno.EMFILE)
        waiting = ask_at_once(server, 10)
        server.wait_log("out of file descriptors")
        check_rests(server, before)
        assert faults.struck() < 200 * WATCH_S
        faults.clear()
        assert [status_of(connection) for connection in waiting] == [200] * 10
        for connection in waiting:
            connection.close()
    resources.check()


@pytest.mark.parametrize("error", [errno.EMFILE, errno.ENFILE, errno.ENOMEM], ids=errno.errorcode.get)
def test_no_descriptor_for_a_file(new_server, tmp_path, error):
    """A file of a session; those of the database are all open from the start."""
    faults = Faultline(tmp_path)
    server = new_server(faults=faults)
    session = server.api.session(agent="auto")
    resources = Resources(server)
    faults.arm("fail", "open", "scratch workspace", error)
    expect_error(server.api.upload(session, "a.txt", b"text"), 503, "UNAVAILABLE")
    run = server.api.run("Write a haiku about rivers to a.md", session_id=session)
    assert [frame.payload["success"] for frame in of_type(run.frames, "tool_result")] == [False]
    faults.clear()
    assert server.api.upload(session, "a.txt", b"text").status == 201
    resources.check()
    server.restart(hard=True)
    faults.arm("fail", "open", "log database", error)
    assert joined(server.api.read(run.session_id, run.run_id)) == run.bytes
    faults.clear()


def test_no_room_for_a_body(new_server):
    """The budget of all bodies together is used up: 503, and later bodies are taken again."""
    server = new_server(limits={"bodies_in_flight_bytes_max": 300_000})
    session = server.api.session()
    resources = Resources(server)

    def refused_beside_a_slow_one():
        """Two bodies that are too much together: the one whose bytes come last is refused, here mostly the second."""
        head = [("Content-Type", "multipart/form-data; boundary=b"), ("Content-Length", "250000")]
        with Connection(server.port) as slow:
            slow.send(request_bytes("POST", f"/api/v1/sessions/{session}/files/upload", head) + b" " * 200_000)
            return server.api.upload(session, "a.txt", b"x" * 200_000).status == 503
    wait_for(refused_beside_a_slow_one, "no room")
    wait_for(lambda: server.api.upload(session, "a.txt", b"x" * 200_000).status == 201, "room again")
    resources.check()


def test_no_memory_for_a_request(tmp_path):
    """The process may not have more memory: a large request is refused, small ones and the process live."""
    server = Server(tmp_path).start()
    try:
        session = server.api.session()
        done = server.api.run("say exactly: before")
        resource.prlimit(server.pid, resource.RLIMIT_DATA, (data_bytes(server) + (12 << 20),) * 2)
        try:
            assert server.api.upload(session, "large.bin", b"x" * (40 << 20)).status == 503
        except (Closed, ConnectionError):
            pass  # refused while it was being sent
        assert server.alive(), "one request ended the server"
        assert joined(server.api.read(done.session_id, done.run_id)) == done.bytes
    finally:
        server.kill()


def data_bytes(server):
    """What RLIMIT_DATA counts."""
    for line in pathlib.Path(f"/proc/{server.pid}/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    raise KeyError("VmData")
