"""Faults 3 and 4: clients that take their time, hundreds of them, and bodies that are too big."""
import selectors
import time

import pytest

from braid_client.api import at_once
from braid_client.resources import descriptors_at_rest
from braid_client.waiting import wait_for
from braid_client.wire import Connection, request_bytes

MANY = 300
SPARE = 8  # descriptors that the store opens when it likes


@pytest.fixture
def hasty(new_server):
    return new_server(limits={"header_timeout": 1200, "body_timeout": 1200, "idle_timeout": 1500, "stall_timeout": 1500})


def until_closed(connections, trickle=b"", timeout=30):
    """Sends `trickle` to each now and then until the server has closed all; gives what each was told."""
    told, deadline = {}, time.monotonic() + timeout
    selector = selectors.DefaultSelector()
    for connection in connections:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
    heard = {connection: b"" for connection in connections}
    while len(told) < len(connections):
        assert time.monotonic() < deadline, f"{len(connections) - len(told)} slow connections are still open"
        for key, _ in selector.select(0.2):
            more = key.data.receive()
            heard[key.data] += more
            if not more:
                selector.unregister(key.fileobj)
                told[key.data] = heard[key.data]
        if trickle:
            for connection in connections:
                if connection not in told:
                    try:
                        connection.send(trickle)
                    except OSError:
                        pass
    return list(told.values())


def check_service(server):
    """A normal client meanwhile: a whole run, and none of its parts slow."""
    began = time.monotonic()
    for _ in range(5):
        server.api.run("say exactly: hello")
    assert time.monotonic() - began < 10


SLOW = {
    "nothing at all": (b"", b""),
    "half a request line": (b"GET /hea", b""),
    "half a head": (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", b""),
    "a head byte by byte": (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", b"a"),
    "half a body": (request_bytes("POST", "/api/v1/sessions", [("Content-Length", "500")]) + b'{"agent":"', b""),
    "a body byte by byte": (request_bytes("POST", "/api/v1/sessions", [("Content-Length", "500")]) + b'{"agent":"', b"x"),
    "a chunk byte by byte": (request_bytes("POST", "/api/v1/sessions", [("Transfer-Encoding", "chunked")]) + b"fff\r\n", b"x"),
}


@pytest.mark.clause("COMMON-41", "COMMON-53")
@pytest.mark.fault(3)
@pytest.mark.parametrize("name", SLOW)
def test_slow_senders_are_closed(hasty, name):
    first, trickle = SLOW[name]
    check_service(hasty)
    quiet = descriptors_at_rest(hasty)
    connections = [Connection(hasty.port) for _ in range(MANY)]
    for connection in connections:
        if first:
            connection.send(first)
    check_service(hasty)
    for answer in until_closed(connections, trickle):
        assert answer == b"" or answer.startswith(b"HTTP/1.1 408") or answer.startswith(b"HTTP/1.1 400"), answer[:80]
    for connection in connections:
        connection.close()
    wait_for(lambda: hasty.descriptors() <= quiet + SPARE, "the descriptors to come back")
    check_service(hasty)


@pytest.mark.clause("COMMON-41", "COMMON-14")
@pytest.mark.fault(3, 11)
@pytest.mark.measures
def test_slow_readers_are_closed(hasty):
    """Clients that ask for a large file and do not read it."""
    session = hasty.api.session()
    assert hasty.api.upload(session, "large.bin", b"\xaa" * 8_000_000).status == 201
    check_service(hasty)
    quiet, before = descriptors_at_rest(hasty), hasty.memory()
    connections = [Connection(hasty.port, receive_buffer=4096) for _ in range(20)]
    for connection in connections:
        connection.send(request_bytes("GET", f"/api/v1/sessions/{session}/files/large.bin"))
    check_service(hasty)
    wait_for(lambda: hasty.descriptors() <= quiet + SPARE, "the stalled downloads to be closed")
    for connection in connections:
        connection.close()
    check_service(hasty)
    wait_for(lambda: hasty.memory() < before + 64_000_000, "the memory to come back", timeout=10)


@pytest.mark.clause("COMMON-38")
@pytest.mark.fault(4)
@pytest.mark.measures
def test_large_bodies_are_not_collected(shared):
    """Sixty-four clients announce a gigabyte each: refused by the head, nothing is kept for them."""
    api, before = shared.api, shared.memory()

    def announce(index):
        with Connection(api.port) as connection:
            connection.send(request_bytes("POST", "/api/v1/sessions", [("Content-Length", str(1 << 30))]))
            return connection.read_reply().status
    assert set(at_once(64, announce)) == {413}

    def pour(index):
        with Connection(api.port) as connection:
            connection.send(request_bytes("POST", "/api/v1/sessions", [("Transfer-Encoding", "chunked")]))
            chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
            try:
                for _ in range(512):
                    connection.send(chunk)
            except OSError:
                return True
            return connection.read_reply().status == 413
    assert all(at_once(16, pour))
    wait_for(lambda: shared.memory() < before + 80_000_000, "the memory to stay near where it was")
