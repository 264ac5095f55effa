"""What is checked before a request reaches a run: order, routes, methods, bodies, sizes, sites."""
import json

import pytest

from braid_client.api import expect_error
from braid_client.wire import Connection, request_bytes

UNKNOWN = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV"
BAD_KEY = ("Authorization", "Bearer not-a-key")
ROUTES = {
    "/api/v1/sessions": {"GET", "POST"},
    "/api/v1/sessions/{s}": {"GET", "DELETE"},
    "/api/v1/sessions/{s}/messages": {"POST"},
    "/api/v1/sessions/{s}/runs": {"GET"},
    "/api/v1/sessions/{s}/runs/{r}": {"GET"},
    "/api/v1/sessions/{s}/runs/{r}/stream": {"GET"},
    "/api/v1/sessions/{s}/runs/{r}/interrupt": {"POST"},
    "/api/v1/runs/{r}": {"GET"},
    "/api/v1/runs/{r}/stream": {"GET"},
    "/api/v1/approvals": {"GET"},
    "/api/v1/sessions/{s}/approvals": {"GET"},
    "/api/v1/sessions/{s}/approvals/{a}/approve": {"POST"},
    "/api/v1/sessions/{s}/approvals/{a}/reject": {"POST"},
    "/api/v1/sessions/{s}/settings/auto-approve": {"POST"},
    "/api/v1/sessions/{s}/files": {"GET"},
    "/api/v1/sessions/{s}/files/upload": {"POST"},
    "/api/v1/sessions/{s}/files/a.txt": {"GET"},
}


def allowed(reply):
    return {name.strip() for name in reply.header("allow", "").split(",")}


@pytest.mark.clause("COMMON-28", "RUNS-59", "RUNS-58")
@pytest.mark.fault(7)
@pytest.mark.parametrize("pattern", ROUTES)
def test_methods(api, pattern):
    path = pattern.format(s=UNKNOWN, r="run_01ARZ3NDEKTSV4RRFFQ69G5FAV", a="appr_01ARZ3NDEKTSV4RRFFQ69G5FAV")
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "BREW"} - ROUTES[pattern]:
        if pattern.endswith("files/upload") and method == "GET":
            continue  # also the path of a file called "upload"
        reply = api.call(method, path)
        expect_error(reply, 405, "METHOD_NOT_ALLOWED")
        assert ROUTES[pattern] <= allowed(reply) and method not in allowed(reply), reply


@pytest.mark.clause("COMMON-28")
@pytest.mark.fault(7)
@pytest.mark.parametrize("pattern", ["/api/v1/sessions", "/api/v1/sessions/{s}/runs/{r}/stream", "/health"])
def test_options(api, pattern):
    reply = api.call("OPTIONS", pattern.format(s=UNKNOWN, r="run_01ARZ3NDEKTSV4RRFFQ69G5FAV"))
    assert reply.status in (200, 204, 405)
    assert "GET" in allowed(reply)


@pytest.mark.clause("COMMON-28", "RUNS-59")
@pytest.mark.fault(7)
@pytest.mark.parametrize("path", ["/api/v1", "/api/v1/", "/api/v1/nothing", "/api/v1/sessions/x/nothing",
                                  "/api/v1/sessions/a/runs/b/stream/c", "/api/v1/Sessions"])
def test_unknown_paths_of_the_contract(api, path):
    for method in ("GET", "POST", "DELETE"):
        expect_error(api.call(method, path), 404, "NOT_FOUND")


@pytest.mark.clause("COMMON-28")
@pytest.mark.fault(7)
@pytest.mark.parametrize("path", ["/nothing", "/api", "/api/v2/sessions", "/runs", "/%2e%2e/etc/passwd",
                                  "/../../etc/passwd", "//", "/health/x"])
def test_unknown_paths_elsewhere(api, path):
    reply = api.call("GET", path)
    assert reply.status == 404
    assert set(reply.json) == {"error"} and isinstance(reply.json["error"], str)


@pytest.mark.clause("COMMON-28")
def test_wrong_methods_elsewhere(api):
    reply = api.call("POST", "/health")
    assert reply.status == 405 and "GET" in allowed(reply)
    assert isinstance(reply.json["error"], str)


# ---- the order of checks ----

MESSAGES = f"/api/v1/sessions/{UNKNOWN}/messages"


@pytest.mark.clause("COMMON-27", "COMMON-30", "COMMON-34", "RUNS-59")
@pytest.mark.parametrize("method, path, options, status, code", [
    ("GET", "/api/v1/nothing", {"host": "evil.test"}, 403, "FORBIDDEN"),
    ("GET", "/api/v1/nothing", {"headers": [BAD_KEY]}, 404, "NOT_FOUND"),
    ("DELETE", MESSAGES, {"headers": [BAD_KEY]}, 405, "METHOD_NOT_ALLOWED"),
    ("POST", MESSAGES, {"headers": [BAD_KEY], "body": b"{}"}, 401, "UNAUTHORIZED"),
    ("POST", MESSAGES, {"headers": [BAD_KEY, ("Content-Length", "2000000")], "body": b""}, 401, "UNAUTHORIZED"),
    ("POST", MESSAGES, {"headers": [("Content-Length", "2000000")], "body": b""}, 413, "PAYLOAD_TOO_LARGE"),
    ("POST", MESSAGES, {"body": b"{}"}, 400, "BAD_REQUEST"),
    ("POST", MESSAGES, {"body": b'{"message":"hi"}'}, 404, "SESSION_NOT_FOUND")])
def test_the_order_of_checks(api, method, path, options, status, code):
    expect_error(api.call(method, path, **options), status, code)


# ---- other sites ----

@pytest.mark.clause("COMMON-30", "RUNS-59")
@pytest.mark.parametrize("host, good", [
    ("localhost", True), ("127.0.0.1:8000", True), ("[::1]:8000", True), ("localhost:1", True), ("LOCALHOST", True),
    ("evil.test", False), ("127.0.0.1.evil.test", False), ("localhost.evil.test:80", False), ("10.0.0.1", False)])
def test_hosts(api, host, good):
    reply = api.call("GET", "/api/v1/sessions", host=host)
    if good:
        assert reply.status == 200
    else:
        expect_error(reply, 403, "FORBIDDEN")


@pytest.mark.clause("COMMON-31", "RUNS-59")
@pytest.mark.parametrize("origin, good", [
    ("http://localhost:5173", True), ("http://127.0.0.1:3000", True), ("http://[::1]:8080", True), ("http://localhost", True),
    ("http://evil.test", False), ("null", False), ("https://localhost.evil.test", False), ("http://localhost@evil.test", False),
    ("file://", False)])
def test_origins(api, session, origin, good):
    reply = api.post(f"/sessions/{session}/messages", json={"message": "say exactly: hi"}, headers=[("Origin", origin)])
    if good:
        assert reply.status == 202
    else:
        expect_error(reply, 403, "FORBIDDEN")
        assert api.get(f"/sessions/{session}/runs").json["items"] == []


@pytest.mark.clause("COMMON-32")
@pytest.mark.parametrize("site, good", [("same-origin", True), ("none", True), ("cross-site", False), ("same-site", False)])
def test_fetch_sites(api, session, site, good):
    reply = api.post(f"/sessions/{session}/messages", json={"message": "say exactly: hi"},
                     headers=[("Sec-Fetch-Site", site)])
    if good:
        assert reply.status == 202
    else:
        expect_error(reply, 403, "FORBIDDEN")


@pytest.mark.clause("COMMON-33")
def test_a_preflight(api):
    def preflight(origin):
        return api.call("OPTIONS", f"/api/v1/sessions/{UNKNOWN}/messages", headers=[
            ("Origin", origin), ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "content-type,idempotency-key")])
    reply = preflight("http://localhost:5173")
    assert reply.status in (200, 204)
    assert reply.header("access-control-allow-origin") == "http://localhost:5173"
    assert "POST" in reply.header("access-control-allow-methods")
    headers = {name.strip().lower() for name in reply.header("access-control-allow-headers").split(",")}
    assert headers >= {"content-type", "authorization", "last-event-id", "idempotency-key", "cache-control"}
    assert preflight("http://evil.test").header("access-control-allow-origin") is None


@pytest.mark.clause("COMMON-34", "RUNS-59")
def test_credentials(api):
    assert api.get("/sessions").status == 200
    for value in ("Bearer nonsense", "Bearer ", "Basic ZGVtbzpkZW1v"):
        expect_error(api.get("/sessions", headers=[("Authorization", value)]), 401, "UNAUTHORIZED")
    assert api.call("GET", "/health", headers=[("Authorization", "Bearer nonsense")]).status == 200


# ---- bodies ----

NOT_JSON = {
    "empty": b"", "words": b"hello", "half": b'{"message":"hi"', "trailing": b'{"message":"hi"}x',
    "two": b'{"message":"hi"}{"message":"ho"}', "single quotes": b"{'message':'hi'}", "comma": b'{"message":"hi",}',
    "array": b'["hi"]', "null": b"null", "number": b"7", "string": b'"hi"', "bom": b'\xef\xbb\xbf{"message":"hi"}',
    "latin-1": b'{"message":"caf\xe9"}', "overlong": b'{"message":"\xc0\xaf"}', "surrogate bytes": b'{"message":"\xed\xa0\x80"}',
    "half a pair": b'{"message":"\\ud800"}', "low half": b'{"message":"\\udc00 x"}', "nul": b'{"message":"a\\u0000b"}',
    "raw nul": b'{"message":"a\x00b"}', "raw control": b'{"message":"a\nb"}', "twice": b'{"message":"a","message":"b"}',
    "nan": b'{"message":NaN}', "deep arrays": b"[" * 100_000, "deep objects": b'{"a":' * 100_000,
    "deep field": b'{"message":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "utf-16": '{"message":"hi"}'.encode("utf-16"),
}


@pytest.mark.clause("COMMON-39", "RUNS-58")
@pytest.mark.fault(5, 6)
@pytest.mark.parametrize("name", NOT_JSON)
def test_bodies_that_are_no_json(api, session, name):
    expect_error(api.post(f"/sessions/{session}/messages", body=NOT_JSON[name],
                          headers=[("Content-Type", "application/json")]), 400, "BAD_REQUEST")
    assert api.get(f"/sessions/{session}/runs").json["items"] == []


@pytest.mark.clause("COMMON-39")
@pytest.mark.fault(5)
@pytest.mark.parametrize("path", ["/sessions", "/sessions/{s}/settings/auto-approve"])
def test_no_json_on_other_routes(api, session, path):
    for name in ("words", "half", "array", "number", "latin-1", "twice", "deep arrays", "deep objects"):
        expect_error(api.post(path.format(s=session), body=NOT_JSON[name]), 400, "BAD_REQUEST")


@pytest.mark.clause("COMMON-39")
def test_a_pair_of_surrogates_is_a_character(api, session):
    reply = api.post(f"/sessions/{session}/messages", body=b'{"message":"say exactly: \\ud83d\\ude00"}')
    assert reply.status == 202
    assert api.read(session, reply.json["run_id"])[-1].payload["final_text"] == "\U0001F600"


@pytest.mark.clause("COMMON-40")
@pytest.mark.fault(6)
@pytest.mark.parametrize("target", [
    "/api/v1/sessions/%ff", "/api/v1/sessions/%c0%af/runs", "/api/v1/sessions/{s}/files/%ff.txt", "/api/v1/sessions/{s}/files/%zz",
    "/api/v1/sessions/{s}/files/a%2", "/api/v1/runs/{r}/stream?contract=%ff", "/api/v1/runs/{r}/stream?last_event_id=%zz"])
def test_invalid_text_in_the_target(api, target):
    done = api.run("say exactly: hi")
    expect_error(api.call("GET", target.format(s=done.session_id, r=done.run_id)), 400, "BAD_REQUEST")


@pytest.mark.clause("COMMON-37", "RUNS-58")
def test_a_head_over_its_limit(api):
    with Connection(api.port) as connection:
        reply = connection.ask("GET", "/api/v1/sessions", [("X-Padding", "x" * 15_000)])
        assert reply.status == 200
    for padding in ([("X-Padding", "x" * 17_000)], [(f"X-{i}", "y" * 100) for i in range(400)]):
        with Connection(api.port) as connection:
            assert connection.ask("GET", "/api/v1/sessions", padding).status == 431
            assert connection.read_to_end() == b""


@pytest.mark.clause("COMMON-38", "RUNS-59")
@pytest.mark.fault(4)
def test_a_body_over_its_limit_is_refused_before_it_comes(api, session):
    path = f"/api/v1/sessions/{session}/messages"
    with Connection(api.port) as connection:
        connection.send(request_bytes("POST", path, [("Content-Length", str((1 << 20) + 1))]))
        expect_error(connection.read_reply(), 413, "PAYLOAD_TOO_LARGE")
        assert connection.read_to_end() == b""


@pytest.mark.clause("COMMON-38", "RUNS-59")
@pytest.mark.fault(4)
def test_a_body_without_length_is_counted(api, session):
    path = f"/api/v1/sessions/{session}/messages"
    with Connection(api.port) as connection:
        connection.send(request_bytes("POST", path, [("Transfer-Encoding", "chunked")]))
        chunk, reply = b"8000\r\n" + b" " * 0x8000 + b"\r\n", None
        try:
            for _ in range(64):
                connection.send(chunk)
        except (BrokenPipeError, ConnectionResetError):
            pass
        expect_error(connection.read_reply(), 413, "PAYLOAD_TOO_LARGE")
        assert reply is None and connection.read_to_end() == b""


@pytest.mark.clause("COMMON-38")
def test_the_largest_body(api, session):
    body = json.dumps({"message": "say exactly: hi"}).encode()
    body += b" " * ((1 << 20) - len(body))
    assert api.post(f"/sessions/{session}/messages", body=body).status == 202


@pytest.mark.clause("COMMON-42")
def test_requests_follow_each_other(api, session):
    with Connection(api.port) as connection:
        for _ in range(3):
            assert connection.ask("GET", f"/api/v1/sessions/{session}").json["session_id"] == session
        body = b'{"message":""}'
        connection.send(request_bytes("GET", "/health") + request_bytes("GET", "/api/v1/nothing")
                        + request_bytes("POST", f"/api/v1/sessions/{session}/messages", body=body)
                        + request_bytes("GET", f"/api/v1/sessions/{session}"))
        assert [connection.read_reply().status for _ in range(4)] == [200, 404, 400, 200]


@pytest.mark.clause("COMMON-42")
def test_chunked_bodies(api, session):
    with Connection(api.port) as connection:
        connection.send(request_bytes("POST", f"/api/v1/sessions/{session}/messages", [("Transfer-Encoding", "chunked")])
                        + b'4\r\n{"me\r\n12;note=x\r\nssage":"say exactl\r\n7\r\ny: hi"}\r\n0\r\n\r\n')
        reply = connection.read_reply()
        assert reply.status == 202, reply
        assert connection.ask("GET", "/health").status == 200
    assert api.read(session, reply.json["run_id"])[-1].payload["final_text"] == "hi"


@pytest.mark.clause("COMMON-42")
def test_expect_continue(api, session):
    body = b'{"message":"say exactly: hi"}'
    with Connection(api.port) as connection:
        connection.send(request_bytes("POST", f"/api/v1/sessions/{session}/messages",
                                      [("Expect", "100-continue"), ("Content-Length", str(len(body)))]))
        assert connection._until(b"\r\n\r\n").startswith(b"HTTP/1.1 100")
        connection.send(body)
        assert connection.read_reply().status == 202
