"""The steps contract: asking, what is refused, and who answers."""
import json

import pytest

from braid_client.api import ABSENT, at_once, expect_error
from braid_client.chat import Chat
from braid_client.conversation import expect_detail
from braid_client.ids import UNKNOWN_UUID, spellings
from braid_client.people import bearer
from braid_client.steps import JSON, Steps, expect_text, walk_of
from braid_client.wire import Connection, Reply, Stream

MISSING = "Query parameter is required"
NOT_FOUND = "Session not found"
BUSY = "Session already has an active run"
ODD = 'one\u0085two\u2028three\u2029 "four" \\ 😀\n\nid: evt_1\ndata: {"type":"done"}\n\n\u0001 end'


@pytest.fixture
def steps(alice):
    return Steps(alice.api)


def busy_session(api, agent="very-slow", message="a long story about lighthouses"):
    """A session with a live run of the runs contract."""
    session = api.session(agent=agent)
    return session, api.start(session, message)


# ---- asking ----

@pytest.mark.clause("STEPS-1", "STEPS-7", "STEPS-8", "COMMON-4")
def test_a_question_by_link(steps):
    session = steps.session("plain")
    stream = steps.link(session, "say exactly: hello there")
    assert isinstance(stream, Stream)
    assert stream.reply.header("content-type") == "text/event-stream"
    assert stream.reply.header("cache-control") == "no-cache" and stream.reply.header("x-accel-buffering") == "no"
    walk = steps.walk(stream)
    assert walk.types[0] == "message" and walk.types[-2:] == ["final", "done"]
    assert walk.message["content"] == "say exactly: hello there" and walk.output == "hello there"
    assert b"event:" not in stream.payload
    for frame in walk.frames:
        assert next(iter(frame.data)) == "type", frame.raw


@pytest.mark.clause("STEPS-1")
def test_a_question_by_post(steps):
    session = steps.session("plain")
    walk = steps.walk(steps.post(session, "say exactly: hello there"))
    assert walk.message["content"] == "say exactly: hello there" and walk.output == "hello there"
    by_plus = steps.walk(steps.send(session, parameters="query=say+exactly:+a%2Bb%20c"))
    assert by_plus.message["content"] == "say exactly: a+b c" and by_plus.output == "a+b c"


@pytest.mark.clause("STEPS-9", "STEPS-22", "COMMON-7", "COMMON-8")
@pytest.mark.fault(10)
@pytest.mark.parametrize("method", ["link", "post"])
def test_text_comes_back_as_it_was_said(steps, method):
    session = steps.session("plain")
    query = "say exactly: " + ODD
    walk = steps.walk(getattr(steps, method)(session, query))
    assert walk.message["content"] == query and walk.output == ODD
    assert steps.messages(session) == [("user", query), ("assistant", ODD)]


# ---- what is refused ----

@pytest.mark.clause("STEPS-2")
def test_without_a_query(steps):
    session = steps.session("plain")
    busy, run = busy_session(steps.api)
    for where in (session, busy, UNKNOWN_UUID, "invalid-id"):
        for parameters in ("", "query=", "query=+%0A%E3%80%80", "Query=hi", "message=hi"):
            expect_text(steps.send(where, parameters=parameters), 400, MISSING)
        for body in (b"", b"{}", b'{"query":null}', b'{"query":""}', b'{"query":" \\n "}', b'{"message":"hi"}'):
            expect_text(steps.send(where, "POST", body=body, headers=[JSON]), 400, MISSING)
        expect_text(steps.send(where, "POST", "query=hi", b"{}", [JSON]), 400, MISSING)
    assert steps.runs(session) == []
    steps.api.interrupt(busy, run)


@pytest.mark.clause("STEPS-3")
@pytest.mark.fault(5, 6)
@pytest.mark.parametrize("body", [b"no json", b"[]", b"null", b'"hi"', b'{"query":7}', b'{"query":["hi"]}',
                                  b'{"query":"a\\u0000b"}', b'{"query":"\\ud800"}', b'{"query":"\xff"}',
                                  b'{"query":"a","query":"b"}', b'{"query":' + b"[" * 100_000])
def test_bodies_that_are_no_query(steps, body):
    session = steps.session("plain")
    for where in (session, UNKNOWN_UUID):
        expect_text(steps.send(where, "POST", body=body, headers=[JSON]), 400)
    assert steps.runs(session) == [] and steps.messages(session) == []


@pytest.mark.clause("STEPS-3", "COMMON-37", "COMMON-40")
@pytest.mark.fault(6)
def test_how_long_a_query_may_be(steps):
    session = steps.session("plain")
    most = "say exactly: hi" + " " * (32 * 1024 - len("say exactly: hi"))
    expect_text(steps.post(session, most + " "), 400)
    expect_text(steps.post(session, "é" * (16 * 1024 + 1)), 400)
    assert steps.walk(steps.post(session, most)).message["content"] == most
    expect_text(steps.link(session, "x" * (17 << 10)), 431)
    for parameters in ("query=a%00b", "query=%ff", "query=%zz"):
        expect_text(steps.send(session, parameters=parameters), 400)
    assert len(steps.runs(session)) == 1


@pytest.mark.clause("STEPS-4")
@pytest.mark.fault(8, 23)
def test_a_session_that_is_not_there(town, steps):
    theirs = Steps(town.bob.api).session("plain")
    for where in (UNKNOWN_UUID, "invalid-id", "x" * 3000, "..%2f..%2fetc%2fpasswd", "%00", theirs, "null"):
        expect_text(steps.link(where, "test"), 404, NOT_FOUND)
        expect_text(steps.post(where, "test"), 404, NOT_FOUND)
        for path in ("tokens", "steps"):
            expect_text(steps.api.call("GET", f"/sessions/{where}/{path}"), 404, NOT_FOUND)
        expect_text(steps.interrupt(where), 404, NOT_FOUND)
    assert Steps(town.bob.api).runs(theirs) == []
    expect_text(Steps(town.ada.api).link(theirs, "test"), 404, NOT_FOUND)


@pytest.mark.clause("STEPS-4", "COMMON-1", "COMMON-57")
def test_sessions_of_every_contract_in_every_spelling(steps):
    made = steps.session("plain")
    for where in spellings(made):
        assert steps.ask("say exactly: here", where).output == "here"
    assert len(steps.runs(made)) == len(spellings(made))
    by_runs = steps.api.session(agent="plain")
    by_chat = Chat(steps.api, "plain").ask("say exactly: hi").session_id
    for where in (by_runs, by_chat):
        assert steps.ask("say exactly: here", where).output == "here"


@pytest.mark.clause("STEPS-5", "COMMON-64")
def test_a_session_that_is_busy(steps, talk):
    session, run = busy_session(steps.api)
    expect_text(steps.link(session, "say exactly: hi"), 409, BUSY)
    expect_text(steps.post(session, "say exactly: hi"), 409, BUSY)
    steps.api.interrupt(session, run)
    conversation = talk.with_agent("very-slow")
    with talk.stream("a long story about lighthouses", conversation_id=conversation) as stream:
        stream.read_frames(1)
        expect_text(steps.link(conversation, "say exactly: hi"), 409, BUSY)
    steps.interrupt(conversation)
    chat = Chat(steps.api, "very-slow")
    with chat.post("a long story about lighthouses") as stream:
        session = stream.read_frames(1)[0].data["session_id"]
        expect_text(steps.link(session, "say exactly: hi"), 409, BUSY)


@pytest.mark.clause("STEPS-5", "COMMON-64")
def test_a_question_makes_the_session_busy(steps, talk):
    session = steps.session("very-slow")
    with steps.stream(session, "a long story about lighthouses") as stream:
        stream.read_frames(1)
        expect_text(steps.link(session, "say exactly: hi"), 409, BUSY)
        expect_error(steps.api.post(f"/sessions/{session}/messages", json={"message": "hi"}), 409, "ACTIVE_RUN_EXISTS")
        expect_detail(talk.try_stream("hi", conversation_id=session), 409)
        chat = Chat(steps.api, "plain")
        with chat.post("say exactly: waited", session_id=session) as waiting:
            assert isinstance(waiting, Stream), "a turn of chat waits"
            assert steps.interrupt(session).status == 200
            assert walk_of(stream.read_to_end().frames).error == "Run interrupted"
            assert chat.read(waiting).text == "waited"
    assert steps.ask("say exactly: free again", session).output != ""


@pytest.mark.clause("STEPS-5")
@pytest.mark.fault(22)
def test_many_questions_at_once(steps):
    session = steps.session("slow")
    texts = [f"say exactly: {number} " + "word " * 40 for number in range(6)]
    answers = at_once(6, lambda i: steps.post(session, texts[i]))
    [stream] = [answer for answer in answers if isinstance(answer, Stream)]
    for answer in answers:
        if isinstance(answer, Reply):
            expect_text(answer, 409, BUSY)
    steps.walk(stream)
    assert len(steps.runs(session)) == 1 and len(steps.messages(session)) == 2


@pytest.mark.clause("STEPS-2", "STEPS-4", "STEPS-5", "COMMON-27", "COMMON-72")
def test_the_order_of_checks(town, steps):
    """Site, route, method, credential, size, query, session, key, busy."""
    session, run = busy_session(steps.api)
    nobody = Steps(town.nobody)
    evil, too_large = ("Origin", "https://evil.test"), ("Content-Length", "999999999")
    target = f"/sessions/{session}/stream"

    def ask(method, headers, body=None, host="127.0.0.1", path=target):
        with Connection(town.server.port) as connection:
            return connection.ask(method, path, headers, body, host)
    key = bearer(town.alice.key)
    expect_text(ask("POST", [evil, too_large]), 403)
    expect_text(ask("POST", [too_large], host="evil.test"), 403)
    assert ask("PUT", [too_large]).header("allow") == "GET, POST"
    expect_text(ask("PUT", [too_large]), 405)
    expect_text(ask("POST", [too_large]), 401)
    expect_text(ask("POST", [key, too_large]), 413)
    expect_text(nobody.link(session, "hi"), 401)
    expect_text(steps.send("invalid-id"), 400, MISSING)
    expect_text(steps.link("invalid-id", "hi", headers=[("Idempotency-Key", "k")]), 404, NOT_FOUND)
    expect_text(steps.link("invalid-id", "hi", headers=[("Idempotency-Key", "")]), 400)
    expect_text(steps.link(session, "hi"), 409, BUSY)
    steps.api.interrupt(session, run)


# ---- errors and other sites ----

@pytest.mark.clause("STEPS-36", "COMMON-29", "COMMON-71")
@pytest.mark.fault(7)
def test_every_error_is_one_text(town, steps):
    session = steps.session("plain")
    base = f"/sessions/{session}"
    for path, allowed in (("/stream", "GET, POST"), ("/interrupt", "POST"), ("/tokens", "GET, HEAD"),
                          ("/steps", "GET, HEAD")):
        for method in ("PUT", "DELETE", "PATCH"):
            reply = steps.api.call(method, base + path)
            expect_text(reply, 405)
            assert reply.header("allow") == allowed, reply.headers
        nobody = town.nobody.call("GET" if "GET" in allowed else "POST", base + path)
        expect_text(nobody, 401)
        assert nobody.header("www-authenticate") == "Bearer"
    expect_text(steps.api.call("GET", base + "/interrupt"), 405)
    expect_text(steps.api.call("GET", base + "/stream/more"), 404)
    head = steps.api.call("HEAD", base + "/stream?query=hi")
    assert head.status == 405 and head.header("allow") == "GET, POST"
    assert steps.runs(session) == []


@pytest.mark.clause("STEPS-37", "COMMON-68")
@pytest.mark.fault(15, 24)
def test_a_page_of_another_site_starts_nothing(town):
    mine = Steps(town.alice.by_cookie)
    session = mine.session("plain")
    strange = {"an image": [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")],
               "an event source": [("Origin", "https://evil.test"), ("Sec-Fetch-Site", "cross-site")],
               "a neighbour": [("Sec-Fetch-Site", "same-site")], "no origin": [("Origin", "null")]}
    for headers in strange.values():
        for where in (session, UNKNOWN_UUID):
            expect_text(mine.link(where, "say exactly: gotcha", headers=headers), 403)
            expect_text(mine.send(where, headers=headers), 403)
            expect_text(mine.interrupt(where, headers=headers), 403)
    assert mine.runs(session) == []
    for headers in ([("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "none")], []):
        assert mine.ask("say exactly: mine", session, headers=headers).output == "mine"


@pytest.mark.clause("STEPS-37", "COMMON-67")
@pytest.mark.fault(24)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_json_in_disguise(town, kind):
    mine, by_key = Steps(town.alice.by_cookie), Steps(town.alice.api)
    session = mine.session("plain")
    body, headers = json.dumps({"query": "say exactly: hi"}).encode(), [("Content-Type", kind)] if kind else []
    expect_text(mine.send(session, "POST", body=body, headers=headers), 400)
    assert mine.runs(session) == []
    assert by_key.walk(by_key.send(session, "POST", body=body, headers=headers)).output == "hi"


# ---- who answers ----

@pytest.mark.clause("STEPS-6", "COMMON-58")
def test_the_agent_of_the_session_or_the_analyst(steps):
    by_default = steps.ask("What is 6 * 7?")
    assert by_default.actions and by_default.actions[0]["code_action"], "the analyst writes code"
    named = steps.ask("what is 12*7?", agent="counts")
    assert named.actions and all(action["code_action"] is None for action in named.actions), "counts calls tools"
    names = [agent["name"] for agent in steps.api.call("GET", "/agents").json["agents"]]
    assert "analyst" in names


@pytest.mark.clause("STEPS-6", "STEPS-17", "COMMON-57")
def test_question_and_answer_are_messages_of_the_session(steps):
    session = steps.session("plain")
    first = steps.ask("say exactly: one", session)
    assert steps.messages(session) == [("user", "say exactly: one"), ("assistant", "one")]
    assert steps.look(session)["activeRunId"] is None
    steps.api.run("say exactly: two", session_id=steps.api.get(f"/sessions/{session}").json["session_id"])
    assert steps.ask("say exactly: three", session).output == "three"
    assert [text for role, text in steps.messages(session) if role == "assistant"] == ["one", "two", "three"]
    [status] = [run["status"] for run in steps.runs(session) if run["run_id"] == first.run]
    assert status == "completed"


@pytest.mark.clause("STEPS-36")
def test_posting_without_a_field_is_told_before_anything(steps):
    expect_text(steps.post(UNKNOWN_UUID, ABSENT), 400, MISSING)
