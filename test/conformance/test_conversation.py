"""The conversation contract: what may be asked, and what is refused."""
import json

import pytest

from braid_client.conversation import expect_detail
from braid_client.ids import UNKNOWN_ULID, UNKNOWN_UUID, UUID, spellings
from braid_client.people import bearer, cookie
from braid_client.wire import Stream

NOT_FOUND = "Conversation not found"
NOBODY = "Authentication required"


def count_conversations(talk):
    return talk.api.call("GET", "/sessions?limit=1").json["total"]


@pytest.fixture
def starts_nothing(talk):
    """The test leaves alice with as many conversations as before."""
    before = count_conversations(talk)
    yield
    assert count_conversations(talk) == before


# ---- one message ----

@pytest.mark.clause("CONVERSATION-1", "CONVERSATION-8")
def test_a_message_begins_a_conversation(talk):
    told = talk.say("say exactly: hello there")
    assert told.text == "hello there"
    assert UUID.match(told.id)
    assert talk.messages(told.id) == [("user", "say exactly: hello there"), ("assistant", "hello there")]
    assert talk.say("say exactly: hello there").id != told.id


@pytest.mark.clause("CONVERSATION-1", "CONVERSATION-6")
def test_a_second_message_goes_on(talk):
    first = talk.say("say exactly: one")
    second = talk.say("hello", conversation_id=first.id)
    assert second.id == first.id and second.run != first.run
    assert "This is your second message here" in second.text, "the model has the messages before"
    assert talk.messages(first.id) == [("user", "say exactly: one"), ("assistant", "one"), ("user", "hello"),
                                       ("assistant", second.text)]


@pytest.mark.clause("CONVERSATION-6", "COMMON-1")
def test_every_spelling_of_a_conversation(talk):
    told = talk.say("say exactly: begin")
    for count, spelling in enumerate(spellings(told.id), 1):
        again = talk.say(f"say exactly: {count}", conversation_id=spelling)
        assert again.id == told.id, spelling
        assert len(again.conversation["conversation"]) == 2 + 2 * count
        assert talk.get(spelling).json["id"] == told.id


@pytest.mark.clause("CONVERSATION-6")
def test_null_is_absent(talk):
    told = talk.say("say exactly: x", conversation_id=None, context=None)
    assert talk.messages(told.id) == [("user", "say exactly: x"), ("assistant", "x")]


@pytest.mark.clause("CONVERSATION-6", "CONVERSATION-44", "COMMON-2")
@pytest.mark.fault(8)
@pytest.mark.parametrize("odd", [
    UNKNOWN_UUID, UNKNOWN_ULID, "sess_" + UNKNOWN_ULID, "run_" + UNKNOWN_ULID, "", " ", "nonsense", "../../etc/passwd",
    "a\u2028b", "0" * 10_000, "550e8400-e29b-41d4-a716-44665544000", "{550e8400-e29b-41d4-a716-446655440000}"],
    ids=lambda odd: repr(odd)[:50])
def test_a_conversation_that_is_not_there(talk, starts_nothing, odd):
    expect_detail(talk.try_stream("hello", conversation_id=odd), 404, NOT_FOUND)
    expect_detail(talk.ask("hello", conversation_id=odd), 404, NOT_FOUND)


@pytest.mark.clause("CONVERSATION-3", "CONVERSATION-6", "CONVERSATION-4")
@pytest.mark.fault(5)
@pytest.mark.parametrize("fields", [
    {}, {"message": None}, {"message": ""}, {"message": " \t\r\n\u00a0\u3000\u2029"}, {"message": 7}, {"message": True},
    {"message": ["hi"]}, {"message": {"text": "hi"}}, {"message": "a\u0000b"}, {"message": "x" * 32_769},
    {"message": "é" * 16_385}, {"message": "hi", "conversation_id": 7}, {"message": "hi", "conversation_id": ["x"]},
    {"message": "hi", "conversation_id": {}}, {"message": "hi", "conversation_id": False},
    {"message": "hi", "context": 7}, {"message": "hi", "context": ["x"]}, {"message": "hi", "context": {"a": 1}},
    {"message": "hi", "context": True}, {"message": "hi", "context": "c" * 32_769},
    {"message": "hi", "context": "é" * 16_385}, {"message": "hi", "context": "a\u0000b"}], ids=lambda f: str(f)[:60])
def test_fields_that_break_a_rule(talk, starts_nothing, fields):
    expect_detail(talk.try_stream(**fields), 422)
    expect_detail(talk.api.call("POST", "/agent", json=fields), 422)


@pytest.mark.clause("CONVERSATION-3", "CONVERSATION-4")
def test_the_longest_message_and_context(talk):
    text = "say exactly: " + "é" * ((32_768 - 13) // 2) + "x" * ((32_768 - 13) % 2)
    assert len(text.encode()) == 32_768
    told = talk.say(text, context="c" * 32_768)
    assert talk.messages(told.id)[0] == ("user", text)
    assert told.text == text.removeprefix("say exactly: ")


BROKEN = {
    "empty": b"", "words": b"hello", "half": b'{"message":"hi"', "trailing": b'{"message":"hi"}x', "array": b'["hi"]',
    "null": b"null", "string": b'"hi"', "bom": b'\xef\xbb\xbf{"message":"hi"}', "latin-1": b'{"message":"caf\xe9"}',
    "overlong": b'{"message":"\xc0\xaf"}', "surrogate bytes": b'{"message":"\xed\xa0\x80"}',
    "half a pair": b'{"message":"\\ud800"}', "raw nul": b'{"message":"a\x00b"}', "raw control": b'{"message":"a\nb"}',
    "twice": b'{"message":"a","message":"b"}', "nan": b'{"message":NaN}', "deep": b"[" * 100_000,
    "deep field": b'{"message":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "form": b"message=hi",
    "utf-16": '{"message":"hi"}'.encode("utf-16"),
}


@pytest.mark.clause("CONVERSATION-7", "CONVERSATION-45")
@pytest.mark.fault(5, 6)
@pytest.mark.parametrize("name", BROKEN)
def test_bodies_that_are_no_json(talk, starts_nothing, name):
    expect_detail(talk.try_stream(body=BROKEN[name]), 422)
    expect_detail(talk.api.call("POST", "/agent", body=BROKEN[name]), 422)
    told = "0190d5a0-0000-7000-8000-000000000000"
    expect_detail(talk.api.call("PATCH", f"/agent/conversations/{told}", body=BROKEN[name]), 422)


@pytest.mark.clause("CONVERSATION-45", "COMMON-38")
@pytest.mark.fault(4)
def test_a_body_over_its_limit(talk, starts_nothing):
    body = json.dumps({"message": "hi", "padding": "x" * (1 << 20)}).encode()
    expect_detail(talk.try_stream(body=body), 413)
    expect_detail(talk.api.call("POST", "/agent", body=b"", headers=[("Content-Length", str(1 << 21))]), 413)


@pytest.mark.clause("CONVERSATION-7", "COMMON-40")
@pytest.mark.fault(6)
@pytest.mark.parametrize("target", ["/agent/history?limit=%ff", "/agent/history?cursor=%zz", "/agent/history?other=%c0%af",
                                    "/agent/conversations/%ff", "/agent/conversations/%zz"])
def test_invalid_text_in_the_target(talk, target):
    expect_detail(talk.api.call("GET", target), 422)


@pytest.mark.clause("CONVERSATION-7", "COMMON-40")
@pytest.mark.fault(6)
def test_invalid_text_in_the_query_of_a_message(talk, starts_nothing):
    expect_detail(talk.api.call("POST", "/agent/stream?x=%ff", json={"message": "hi"}), 422)


# ---- credentials ----

@pytest.mark.clause("CONVERSATION-2", "IDENTITY-14", "COMMON-34")
@pytest.mark.fault(21)
@pytest.mark.parametrize("method, path", [
    ("POST", "/agent/stream"), ("POST", "/agent"), ("GET", "/agent/history"),
    ("GET", f"/agent/conversations/{UNKNOWN_UUID}"), ("PATCH", f"/agent/conversations/{UNKNOWN_UUID}"),
    ("DELETE", f"/agent/conversations/{UNKNOWN_UUID}")])
@pytest.mark.parametrize("dev", [True, False], ids=["--dev", "guarded"])
def test_a_credential_is_always_demanded(shared, town, method, path, dev):
    api = shared.api if dev else town.nobody
    body = b'{"message":"hi","title":"x"}' if method in ("POST", "PATCH") else None
    for shown in ([], [cookie("forged")], [cookie("")], [bearer("forged")], [cookie("forged"), bearer("forged")],
                  [("Authorization", "Basic ZGVtbzpkZW1v")]):
        reply = api.call(method, path, body=body, headers=[("Content-Type", "application/json"), *shown])
        expect_detail(reply, 401, NOBODY)


@pytest.mark.clause("CONVERSATION-2", "IDENTITY-1", "IDENTITY-8")
def test_cookie_and_key_are_the_same_person(alice, talk):
    by_cookie = type(talk)(alice.by_cookie)
    told = by_cookie.say("say exactly: from the browser")
    assert told.start["user_id"] == alice.user_id
    again = talk.say("say exactly: from the script", conversation_id=told.id)
    assert again.id == told.id and again.start["user_id"] == alice.user_id


@pytest.mark.clause("CONVERSATION-2", "IDENTITY-15")
def test_the_demo_user_of_dev_can_log_in(shared):
    from braid_client.conversation import Conversations
    from braid_client.people import cookie_of
    reply = shared.api.call("POST", "/auth/login", json={"username": "demo", "password": "demo"})
    assert reply.status == 200 and reply.json["username"] == "demo"
    told = Conversations(shared.api.showing(cookie(cookie_of(reply)["value"]))).say("say exactly: hi")
    assert told.start["user_id"] == reply.json["user_id"]
    # Without a credential it is the same user, where none is demanded.
    assert shared.api.call("GET", f"/sessions/{told.id}").status == 200


# ---- the title ----

@pytest.mark.clause("CONVERSATION-8")
@pytest.mark.parametrize("message, title", [
    ("Check server status", "Check server status"),
    ("  two\n\n  lines\tand\u00a0odd\u3000spaces\u2028here  ", "two lines and odd spaces here"),
    ("x" * 80, "x" * 80),
    ("x" * 81, "x" * 80),
    ("😀" * 200, "😀" * 80),
    ("word " * 16 + "tail", ("word " * 16).strip()),
    ("word " * 15 + "tails", "word " * 15 + "tails"),
    ("word " * 15 + "wordy-tail", ("word " * 15).strip()),
    ("a \"quoted\" <b>title</b> \\ with data: {}", "a \"quoted\" <b>title</b> \\ with data: {}")],
    ids=lambda text: repr(text)[:30])
def test_titles(talk, message, title):
    told = talk.say(message)
    assert told.start["conversation_title"] == title
    assert told.conversation["title"] == title == talk.get(told.id).json["title"]
    # A later message does not change it.
    again = talk.say("say exactly: something else", conversation_id=told.id)
    assert again.start["conversation_title"] == title


# ---- which agent ----

@pytest.mark.clause("CONVERSATION-9", "COMMON-58")
def test_the_agent(talk):
    told = talk.say("hello")
    assert told.start["tools_enabled"] is True
    assert told.start["tool_names"] == ["system_status", "alert_admin"], "operator leads a conversation"
    counts = talk.say("hello", conversation_id=talk.with_agent("counts"))
    assert counts.start["tool_names"] == ["calculator", "current_datetime"], "the one that the session was made with"


@pytest.mark.clause("CONVERSATION-13")
def test_an_agent_without_tools(talk):
    told = talk.say("say exactly: hi", conversation_id=talk.with_agent("plain"))
    assert told.start["tools_enabled"] is False and told.start["tool_names"] == []


# ---- busy ----

@pytest.mark.clause("CONVERSATION-10", "COMMON-64")
def test_a_second_run_in_a_busy_conversation(talk):
    conversation = talk.with_agent("slow")
    story = "say exactly: " + "word " * 60
    with talk.stream(story, conversation_id=conversation) as stream:
        stream.read_type("token", 3)
        for second in (talk.try_stream("say exactly: me too", conversation_id=conversation),
                       talk.ask("say exactly: me too", conversation_id=conversation)):
            expect_detail(second, 409)
        assert talk.say("say exactly: elsewhere").text == "elsewhere", "other conversations are free"
        assert stream.read_to_end().frames[-1].type == "done"
    assert len(talk.messages(conversation)) == 2
    assert talk.say("say exactly: now", conversation_id=conversation).text == "now"


# ---- routes and methods ----

@pytest.mark.clause("CONVERSATION-45", "COMMON-28")
@pytest.mark.fault(7)
@pytest.mark.parametrize("path, allowed", [
    ("/agent", {"POST"}), ("/agent/stream", {"POST"}), ("/agent/history", {"GET"}),
    (f"/agent/conversations/{UNKNOWN_UUID}", {"GET", "PATCH", "DELETE"})])
def test_methods(talk, path, allowed):
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "BREW"} - allowed:
        reply = talk.api.call(method, path)
        expect_detail(reply, 405)
        named = {name.strip() for name in reply.header("allow").split(",")}
        assert allowed <= named and method not in named, reply.headers


@pytest.mark.clause("CONVERSATION-45", "COMMON-29")
@pytest.mark.fault(7)
def test_head_starts_nothing(talk, starts_nothing):
    reply = talk.api.call("HEAD", "/agent/stream")
    assert reply.status == 405 and "POST" in reply.header("allow")


@pytest.mark.clause("CONVERSATION-45", "COMMON-28")
@pytest.mark.fault(7)
@pytest.mark.parametrize("path", ["/agent/conversations", f"/agent/conversations/{UNKNOWN_UUID}/messages",
                                  "/agent/conversations/a/b/c"])
def test_unknown_routes(talk, path):
    for method in ("GET", "POST"):
        expect_detail(talk.api.call(method, path), 404)


# ---- the order of checks ----

@pytest.mark.clause("COMMON-27", "COMMON-72")
@pytest.mark.parametrize("method, path, options, status", [
    ("GET", "/agent/conversations/x/y", {"host": "evil.test"}, 403),
    ("POST", "/agent/stream", {"headers": [("Origin", "http://evil.test"), bearer("bad")]}, 403),
    ("GET", "/agent/conversations/x/y", {"headers": [bearer("bad")]}, 404),
    ("PUT", "/agent/stream", {"headers": [bearer("bad")]}, 405),
    ("POST", "/agent/stream", {"headers": [bearer("bad"), ("Content-Length", "9999999")], "body": b""}, 401),
    ("POST", "/agent/stream", {"headers": [bearer("bad")], "body": b"no json"}, 401)])
def test_the_order_of_checks_before_the_credential(town, method, path, options, status):
    expect_detail(town.nobody.call(method, path, **options), status)


@pytest.mark.clause("COMMON-27", "COMMON-72")
def test_the_order_of_checks_after_the_credential(talk):
    conversation = talk.with_agent("slow")
    gone = {"conversation_id": UNKNOWN_UUID}
    too_large = [("Content-Length", "9999999")]
    expect_detail(talk.api.call("POST", "/agent/stream", headers=too_large, body=b"no json"), 413)
    expect_detail(talk.try_stream("", **gone), 422)
    expect_detail(talk.try_stream("hi", context=7, **gone), 422)
    expect_detail(talk.try_stream("hi", headers=[("Idempotency-Key", "k" * 256)], **gone), 422)
    expect_detail(talk.try_stream("hi", **gone), 404)
    key = [("Idempotency-Key", "order-of-checks")]
    story = "say exactly: " + "word " * 60
    with talk.stream(story, conversation_id=conversation, headers=key) as stream:
        stream.read_type("token")
        conflict = talk.try_stream("another text", conversation_id=conversation, headers=key)
        busy = talk.try_stream("another text", conversation_id=conversation)
        assert expect_detail(conflict, 409) != expect_detail(busy, 409), "the key is looked at before busy"
        with talk.stream(story, conversation_id=conversation, headers=key) as same:
            assert isinstance(same, Stream) and same.read_frames(1)[0].raw == stream.frames[0].raw
    assert talk.wait_answer(conversation)
