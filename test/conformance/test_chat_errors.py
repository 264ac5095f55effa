"""Chat: problems before the first byte, in the one shape, and in the order in which they are looked for."""
import json

import pytest

from braid_client.chat import FORM, JSON, Chat, expect_problem, form_of
from braid_client.wire import Connection, Stream, request_bytes

STREAM = "/agent/support/chat/stream"
HELLO = b'{"message":"hello"}'


@pytest.fixture
def chat(api):
    return Chat(api, "support")


@pytest.mark.clause("CHAT-49")
def test_every_problem_names_its_own_request(chat):
    problems = [expect_problem(chat.post(""), 400, "invalid-request"), expect_problem(chat.post(""), 400, "invalid-request"),
                expect_problem(chat.post("hello", agent="nobody"), 404, "not-found")]
    assert len({problem["instance"] for problem in problems}) == 3


@pytest.mark.clause("CHAT-50", "CHAT-49")
@pytest.mark.fault(7)
@pytest.mark.parametrize("method, path, allowed", [
    ("PUT", STREAM, {"GET", "POST"}), ("DELETE", STREAM, {"GET", "POST"}), ("PATCH", STREAM, {"GET", "POST"}),
    ("GET", "/agent/support/chat", {"POST"}), ("DELETE", "/agent/support/chat", {"POST"}),
    ("POST", "/health/agent/support", {"GET"}),
])
def test_methods(chat, method, path, allowed):
    reply = chat.api.call(method, path, body=b"" if method != "GET" else None)
    if path.startswith("/health"):
        assert reply.status == 405
    else:
        expect_problem(reply, 405, "method-not-allowed")
    named = {name.strip() for name in reply.header("allow").split(",")}
    assert allowed <= named and method not in named


@pytest.mark.clause("CHAT-50")
@pytest.mark.fault(7)
def test_head_starts_nothing(chat):
    before = chat.session_count()
    for path in (STREAM, STREAM + "?message=hello"):
        reply = chat.api.call("HEAD", path)
        assert reply.status == 405 and reply.body == b"" and "GET" in reply.header("allow")
    assert chat.session_count() == before


@pytest.mark.clause("CHAT-50")
@pytest.mark.parametrize("path", ["/agent/support", "/agent/support/", "/agent/support/chat/", "/agent/support/chat/stream/",
                                  "/agent/support/chat/streams", "/agent/support/nothing", "/agent/nobody/nothing",
                                  "/agent/support/chat/stream/more"])
def test_routes_that_are_not_there(chat, path):
    for method in ("GET", "POST"):
        expect_problem(chat.api.call(method, path), 404, "not-found")


@pytest.mark.clause("CHAT-50", "CHAT-49")
def test_without_a_credential(town):
    chat = Chat(town.nobody, "support")
    for answer in (chat.post("hello"), chat.form("hello"), chat.link("hello"), chat.answer("hello"),
                   chat.api.call("GET", "/health/agent/support"), chat.resume("evt_x"), chat.post("hello", agent="nobody"),
                   chat.send(b"not json"), chat.post("hello", headers=[("Authorization", "Bearer nonsense")]),
                   chat.post("hello", headers=[("Cookie", "session=nonsense")])):
        expect_problem(answer, 401, "unauthorized")
    # Routes and methods are looked at before.
    expect_problem(chat.api.call("GET", "/agent/support/nothing"), 404, "not-found")
    expect_problem(chat.api.call("DELETE", STREAM), 405, "method-not-allowed")
    for known in (Chat(town.alice.api, "support"), Chat(town.alice.by_cookie, "support")):
        assert known.ask("Hello").end.type == "stream_end"
        assert known.answer("Hello").status == 200


@pytest.mark.clause("CHAT-50")
def test_a_wrong_key_is_wrong_in_dev_too(chat):
    expect_problem(chat.post("hello", headers=[("Authorization", "Bearer wrong")]), 401, "unauthorized")


@pytest.mark.clause("CHAT-50")
@pytest.mark.fault(4)
def test_too_much(chat):
    reply = chat.send(None, [("X-Long", "x" * 20_000)], method="GET", query="?message=hello")
    assert reply.status == 431, reply
    expect_problem(reply, 431, "payload-too-large")
    reply = chat.send(None, [], method="GET", query="?message=" + "x" * 20_000)
    assert reply.status == 431, reply
    # A length beyond the limit is refused before a single byte of the body came.
    with Connection(chat.api.port) as connection:
        connection.send(request_bytes("POST", STREAM, [JSON, ("Content-Length", str(200 << 20))]))
        expect_problem(connection.read_reply(), 413, "payload-too-large")


@pytest.mark.clause("CHAT-51")
@pytest.mark.fault(15, 24)
@pytest.mark.parametrize("headers", [
    [("Origin", "http://evil.test")], [("Origin", "null")], [("Origin", "https://127.0.0.1.evil.test")],
    [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Host", "evil.test")],
    [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")],
])
def test_other_sites_start_nothing(chat, headers):
    before = chat.session_count()
    for answer in (chat.link("hello", headers=headers), chat.post("hello", headers=headers), chat.form("hello", headers=headers),
                   chat.post("", headers=headers), chat.post("hello", agent="nobody", headers=headers),
                   chat.api.call("POST", "/agent/support/chat", json={"message": "hello"}, headers=headers)):
        expect_problem(answer, 403, "forbidden")
    assert chat.session_count() == before


@pytest.mark.clause("CHAT-51")
def test_our_own_pages_may(chat):
    own = f"http://127.0.0.1:{chat.api.port}"
    for headers in ([("Origin", own), ("Host", own[7:]), ("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "same-origin")],
                    [("Sec-Fetch-Site", "none")], [("Origin", "http://localhost:5173")]):
        for answer in (chat.link("Hello", headers=headers), chat.post("Hello", headers=headers)):
            assert isinstance(answer, Stream), answer
            assert chat.read(answer).end.type == "stream_end"


@pytest.mark.clause("CHAT-51", "CHAT-5")
@pytest.mark.fault(24)
def test_with_the_cookie_a_body_must_be_json_or_a_form(town):
    mine = Chat(town.alice.by_cookie, "support")
    assert mine.read(mine.send(HELLO, [JSON])).end.type == "stream_end"
    assert mine.read(mine.send(form_of("Hello"), [FORM])).end.type == "stream_end"
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "text/plain; application/json"):
        expect_problem(mine.send(HELLO, [("Content-Type", content_type)]), 400, "invalid-request")
    expect_problem(mine.send(HELLO, []), 400, "invalid-request")


@pytest.mark.clause("CHAT-50")
def test_draining(new_server):
    server = new_server(limits={"drain_grace": 20_000})
    session, run, approval = server.api.ask_to_write()
    chat = Chat(server.api, "support")
    busy = server.api.session(agent="very-slow")
    server.api.start(busy, "a long story about lighthouses")
    connection = Connection(server.port)
    assert connection.ask("GET", "/health").status == 200
    server.signal()
    server.wait_log("stop|drain|signal")
    try:
        reply = connection.ask("POST", STREAM, [JSON], HELLO)
    finally:
        connection.close()
    expect_problem(reply, 503, "unavailable")
    assert int(reply.header("retry-after")) >= 0
    server.signal()
    assert server.wait_exit(20) == 0
    server.start()


def test_a_problem_is_json_whatever_the_file_is_called(chat):
    name = 'a "b" \\ \u2028 <c>.png'
    files = [{"content": "iVBORw0KGgo=", "mime_type": "image/png", "filename": name.replace("\\", "").replace("\u2028", "")}]
    reply = chat.send(json.dumps({"message": "look", "files": files}).encode())
    assert files[0]["filename"] in expect_problem(reply, 400, "invalid-request")["detail"]
