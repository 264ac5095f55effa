"""Faults 1 and 2: bytes that are no request, or could be read as two."""
import pytest

from braid_client.wire import Closed, Connection, request_bytes

HOST = b"Host: 127.0.0.1\r\n"
MALFORMED = {
    "garbage": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n",
    "no version": b"GET /health\r\n" + HOST + b"\r\n",
    "wrong version": b"GET /health HTTP/9.9\r\n" + HOST + b"\r\n",
    "http/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "two spaces": b"GET  /health HTTP/1.1\r\n" + HOST + b"\r\n",
    "no target": b"GET HTTP/1.1\r\n" + HOST + b"\r\n",
    "space in target": b"GET /he alth HTTP/1.1\r\n" + HOST + b"\r\n",
    "control in target": b"GET /he\x01alth HTTP/1.1\r\n" + HOST + b"\r\n",
    "nul in target": b"GET /he\x00alth HTTP/1.1\r\n" + HOST + b"\r\n",
    "odd method": b"GE(T /health HTTP/1.1\r\n" + HOST + b"\r\n",
    "no host": b"GET /health HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /health HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
    "two different hosts": b"GET /health HTTP/1.1\r\n" + HOST + b"Host: localhost\r\n\r\n",
    "bare lf": b"GET /health HTTP/1.1\n" + b"Host: 127.0.0.1\n\n",
    "bare lf after a header": b"GET /health HTTP/1.1\r\n" + HOST + b"X: 1\nY: 2\r\n\r\n",
    "bare cr": b"GET /health HTTP/1.1\r\n" + HOST + b"X: 1\rY: 2\r\n\r\n",
    "nul in a header": b"GET /health HTTP/1.1\r\n" + HOST + b"X: a\x00b\r\n\r\n",
    "nul in a name": b"GET /health HTTP/1.1\r\n" + HOST + b"X\x00: a\r\n\r\n",
    "folded header": b"GET /health HTTP/1.1\r\n" + HOST + b"X: a\r\n b\r\n\r\n",
    "folded with a tab": b"GET /health HTTP/1.1\r\n" + HOST + b"X: a\r\n\tb\r\n\r\n",
    "leading space": b"GET /health HTTP/1.1\r\n Host: 127.0.0.1\r\n\r\n",
    "space before the colon": b"GET /health HTTP/1.1\r\n" + HOST + b"X : a\r\n\r\n",
    "no colon": b"GET /health HTTP/1.1\r\n" + HOST + b"nonsense\r\n\r\n",
    "no name": b"GET /health HTTP/1.1\r\n" + HOST + b": a\r\n\r\n",
    "odd name": b"GET /health HTTP/1.1\r\n" + HOST + b"X@Y: a\r\n\r\n",
}

START = b'{"message":"say exactly: smuggled"}'


def smuggled(session):
    """A request that must never be understood."""
    return request_bytes("POST", f"/api/v1/sessions/{session}/messages", body=START)


def framings(session):
    tail, path = smuggled(session), f"POST /api/v1/sessions/{session}/messages HTTP/1.1\r\n".encode() + HOST
    chunk = b"%x\r\n" % len(START) + START + b"\r\n"
    end = b"0\r\n\r\n"
    return {
        "length and chunked": path + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + end + tail,
        "chunked and length": path + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + end + tail,
        "two lengths": path + b"Content-Length: 2\r\nContent-Length: 35\r\n\r\n" + START + tail,
        "two equal lengths": path + b"Content-Length: 35\r\nContent-Length: 35\r\n\r\n" + START + tail,
        "a list of lengths": path + b"Content-Length: 35, 35\r\n\r\n" + START + tail,
        "negative length": path + b"Content-Length: -1\r\n\r\n" + tail,
        "signed length": path + b"Content-Length: +35\r\n\r\n" + START + tail,
        "hexadecimal length": path + b"Content-Length: 0x23\r\n\r\n" + START + tail,
        "words as length": path + b"Content-Length: many\r\n\r\n" + tail,
        "empty length": path + b"Content-Length: \r\n\r\n" + tail,
        "huge length": path + b"Content-Length: 99999999999999999999999\r\n\r\n" + tail,
        "two encodings": path + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + end + tail,
        "chunked twice": path + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + chunk + end + tail,
        "not chunked": path + b"Transfer-Encoding: identity\r\n\r\n" + chunk + end + tail,
        "gzip": path + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunk + end + tail,
        "chunked not last": path + b"Transfer-Encoding: chunked, gzip\r\n\r\n" + chunk + end + tail,
        "odd spelling": path + b"Transfer-Encoding: xchunked\r\n\r\n" + chunk + end + tail,
        "vertical tab": path + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + chunk + end + tail,
        "negative chunk": path + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n" + START + b"\r\n" + end + tail,
        "prefixed chunk": path + b"Transfer-Encoding: chunked\r\n\r\n0x23\r\n" + START + b"\r\n" + end + tail,
        "huge chunk": path + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 17 + b"\r\n" + START + b"\r\n" + end + tail,
        "empty chunk size": path + b"Transfer-Encoding: chunked\r\n\r\n\r\n" + START + b"\r\n" + end + tail,
        "chunk with bare lf": path + b"Transfer-Encoding: chunked\r\n\r\n23\n" + START + b"\n0\n\n" + tail,
        "chunk too long": path + b"Transfer-Encoding: chunked\r\n\r\n22\r\n" + START + b"\r\n" + end + tail,
        "chunk too short": path + b"Transfer-Encoding: chunked\r\n\r\n24\r\n" + START + b"\r\n" + end + tail,
        "spaces around the size": path + b"Transfer-Encoding: chunked\r\n\r\n 23 \r\n" + START + b"\r\n" + end + tail,
    }


def replies_to(port, data):
    """Every status that comes back until the server closes; the server must close."""
    with Connection(port) as connection:
        connection.send(data)
        statuses = []
        while True:
            try:
                statuses.append(connection.read_reply().status)
            except Closed as closed:
                assert not closed.args[0], f"closed inside a reply: {closed.args[0]!r}"
                return statuses


@pytest.mark.clause("COMMON-35")
@pytest.mark.fault(1)
@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_request(api, name):
    follower = request_bytes("GET", "/health")
    statuses = replies_to(api.port, MALFORMED[name] + follower)
    # 505 is the more exact word for a version that nobody speaks.
    assert statuses in ([400], [505]) if "version" in name or "preface" in name else statuses == [400], statuses


@pytest.mark.clause("COMMON-35")
@pytest.mark.fault(1)
def test_no_handler_runs(api, session):
    body = b'{"message":"say exactly: hi"}'
    head = f"POST /api/v1/sessions/{session}/messages HTTP/1.1\r\nContent-Length: {len(body)}\r\n".encode()
    for broken in (b"X: a\r\n b\r\n", b"X: a\x00\r\n", b"X : a\r\n", HOST):
        assert replies_to(api.port, head + HOST + broken + b"\r\n" + body) == [400]
    assert replies_to(api.port, head + b"\r\n" + body) == [400]
    assert api.get(f"/sessions/{session}/runs").json["items"] == []


@pytest.mark.clause("COMMON-35")
@pytest.mark.fault(1)
def test_noise(api):
    import random
    noise = random.Random(20260301)
    for _ in range(60):
        data = noise.randbytes(noise.randrange(1, 3000))
        if noise.random() < 0.5:
            data = b"GET /health HTTP/1.1\r\n" + data
        with Connection(api.port) as connection:
            try:
                connection.send(data + b"\r\n\r\n\r\n\r\n")
                answer = connection.receive()
            except (BrokenPipeError, ConnectionResetError):
                answer = b""
            assert answer == b"" or answer.startswith(b"HTTP/1.1 4") or answer.startswith(b"HTTP/1.1 505"), answer[:100]
    assert api.call("GET", "/health").status == 200


@pytest.mark.clause("COMMON-36")
@pytest.mark.fault(2)
@pytest.mark.parametrize("name", framings("x"))
def test_two_ways_to_read_a_length(api, session, name):
    statuses = replies_to(api.port, framings(session)[name])
    if name == "huge length":
        assert statuses in ([400], [413])
    elif name in ("not chunked", "gzip", "chunked not last", "odd spelling"):
        assert statuses in ([400], [501])  # RFC 9112: 501 for a coding that is not understood
    else:
        assert statuses == [400]
    assert api.get(f"/sessions/{session}/runs").json["items"] == [], "the tail became a request"


@pytest.mark.clause("COMMON-36")
@pytest.mark.fault(2)
def test_the_tail_of_a_refused_request(api, session):
    """What follows a request that was refused before its body was read is never taken for a request."""
    head = (f"POST /api/v1/sessions/{session}/messages HTTP/1.1\r\n".encode() + HOST
            + b"Content-Length: 5000000\r\n\r\n")
    assert replies_to(api.port, head + smuggled(session)) == [413]
    assert api.get(f"/sessions/{session}/runs").json["items"] == []


@pytest.mark.clause("COMMON-36", "COMMON-42")
@pytest.mark.fault(2)
def test_a_body_where_none_is_expected_is_not_a_request(api, session):
    body = smuggled(session)
    with Connection(api.port) as connection:
        connection.send(request_bytes("GET", f"/api/v1/sessions/{session}", body=body))
        assert connection.read_reply().status in (200, 400, 413)
        connection.send(request_bytes("GET", "/health"))
        try:
            assert connection.read_reply().json["status"] == "healthy"
        except (Closed, BrokenPipeError, ConnectionResetError):
            pass  # closing is as good
    assert api.get(f"/sessions/{session}/runs").json["items"] == []
