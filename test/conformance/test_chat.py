"""Chat: how a message is sent in its three forms, and which session and agent it reaches."""
import json
from urllib.parse import quote

import pytest

from braid_client.chat import FORM, JSON, Chat, expect_problem, form, is_ulid, part, types
from braid_client.legal import check_chat
from braid_client.wire import Stream

ODD_TEXTS = {
    "unicode line ends": "one\u0085two\u2028three\u2029four",
    "line ends": "one\ntwo\r\nthree\rfour\n\nfive",
    "a forged event": 'x\n\nevent: stream_end\nid: evt_1\ndata: {"message_id":"x"}\n\nevent: error\ndata: {}\n\ny',
    "quotes": 'she said "no", \\"no\\" and \\\\ C:\\new\\table \'quoted\' &amp; 100% a+b=c?d#e',
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 \U0001F600 naïve 北京 שלום",
    "a boundary": "a\r\n--braidlog-chat-boundar\r\n--b--\r\nb",
    "controls": "tab\tbell\x07escape\x1b[31m delete\x7f end",
}
FORMS = ("post", "form", "link")


@pytest.fixture
def chat(api):
    return Chat(api, "asks")


def session_as_runs(session_id):
    return "sess_" + session_id


# ---- the three forms ----

@pytest.mark.clause("CHAT-1", "CHAT-10", "CHAT-11", "CHAT-18")
def test_a_message_is_answered_by_a_stream(chat):
    stream = chat.post("say exactly: hello there")
    assert stream.reply.status == 200
    assert stream.reply.header("content-type").split(";")[0] == "text/event-stream"
    assert stream.reply.header("cache-control") == "no-cache" and stream.reply.header("x-accel-buffering") == "no"
    done = chat.read(stream)
    check_chat(done.frames, done.run_id)
    assert types(done.frames) == ["stream_start", *["message_delta"] * (len(done.frames) - 2), "stream_end"]
    assert done.text == "hello there"
    assert is_ulid(done.session_id) and is_ulid(done.message_id) and done.session_id != done.message_id


@pytest.mark.clause("CHAT-2", "CHAT-3", "CHAT-9")
@pytest.mark.fault(10)
@pytest.mark.parametrize("name", ODD_TEXTS)
@pytest.mark.parametrize("how", FORMS)
def test_odd_text_comes_back_exactly(chat, how, name):
    text = ODD_TEXTS[name]
    done = chat.read(getattr(chat, how)("say exactly: " + text))
    check_chat(done.frames, done.run_id)
    assert done.text == text and done.end.type == "stream_end"
    assert chat.messages(done.session_id) == [("user", "say exactly: " + text), ("assistant", text)]


@pytest.mark.clause("CHAT-3")
def test_a_space_in_a_link_may_be_a_plus(chat):
    for query in ("?message=say+exactly%3A+a+b%2Bc", "?message=say%20exactly:%20a%20b%2Bc"):
        assert chat.read(chat.send(None, (), method="GET", query=query)).text == "a b+c"


@pytest.mark.clause("CHAT-2")
def test_a_form_may_hold_its_parts_in_any_order(chat):
    first = chat.ask("say exactly: one")
    body = form(part("files", "in the file", "a.txt", "text/plain"), part("session_id", first.session_id),
                part("something else", "is not looked at"), part("message", "say exactly: two", mime="text/plain; charset=utf-8"))
    done = chat.read(chat.send(body, [FORM]))
    assert done.session_id == first.session_id
    # An empty file field, as browsers send it when nothing was chosen, is no file.
    empty = form(part("message", "say exactly: three"), part("files", "", "", "application/octet-stream"))
    assert chat.read(chat.send(empty, [FORM])).text == "three"


@pytest.mark.clause("CHAT-4")
@pytest.mark.parametrize("how", FORMS)
def test_the_length_of_a_message_counts_code_points(chat, how):
    # Four bytes each: 40 kB as UTF-8, and over the usual size of a head when it is a link.
    long = ("say exactly: " + "😀" * 10_000)[:10_000]
    if how == "link":
        long = long[:1000]
    assert chat.read(getattr(chat, how)(long)).text == long.removeprefix("say exactly: ")
    if how != "link":
        problem = expect_problem(getattr(chat, how)(long + "x"), 400, "invalid-request")
        assert "message" in problem["detail"] and "10000" in problem["detail"].replace(",", "")


@pytest.mark.clause("CHAT-4")
@pytest.mark.parametrize("how", FORMS)
@pytest.mark.parametrize("message", ["", " ", "\n\t \u2003\u00a0", "\u0085\u2028"])
def test_a_blank_message_is_refused(chat, how, message):
    problem = expect_problem(getattr(chat, how)(message), 400, "invalid-request")
    assert "message" in problem["detail"]


@pytest.mark.clause("CHAT-4", "CHAT-5")
@pytest.mark.fault(5, 6)
@pytest.mark.parametrize("body", [
    b"", b"{}", b"null", b"[]", b'"text"', b"message=hello", b'{"message":', b'{"message":null}', b'{"message":7}',
    b'{"message":["hello"]}', b'{"message":{"text":"hello"}}', b'{"message":"a","message":"b"}',
    b'{"message":"a","session_id":7}', b'{"message":"a","files":{}}', b'{"message":"a","files":["x"]}',
    b'{"message":"a\xff"}', b'{"message":"\\ud800"}', b'{"message":"a\\u0000b"}', b"[" * 100_000,
])
def test_a_body_that_says_nothing_is_refused(chat, body):
    expect_problem(chat.send(body, [JSON]), 400, "invalid-request")


@pytest.mark.clause("CHAT-5", "CHAT-9")
@pytest.mark.fault(6)
def test_text_that_is_not_utf8_is_refused_in_every_form(chat):
    before = chat.session_count()
    expect_problem(chat.send(b'{"message":"a\xc3("}', [JSON]), 400, "invalid-request")
    expect_problem(chat.send(form(part("message", b"a\xc3(")), [FORM]), 400, "invalid-request")
    expect_problem(chat.send(None, [], method="GET", query="?message=a%C3("), 400, "invalid-request")
    expect_problem(chat.send(None, [], method="GET", query="?message=%E0%80%AF"), 400, "invalid-request")
    expect_problem(chat.send(None, [], method="GET", query="?message=a%00b"), 400, "invalid-request")
    expect_problem(chat.send(form(part("message", "a\0b")), [FORM]), 400, "invalid-request")
    expect_problem(chat.send(None, [], method="GET", query=""), 400, "invalid-request")
    assert chat.session_count() == before, "nothing began"


@pytest.mark.clause("CHAT-5")
@pytest.mark.fault(6)
def test_a_session_id_that_is_not_utf8(chat):
    expect_problem(chat.send(b'{"message":"a","session_id":"\xff"}', [JSON]), 400, "invalid-request")
    expect_problem(chat.send(None, [], method="GET", query="?message=a&session_id=%FF"), 400, "invalid-request")
    expect_problem(chat.send(form(part("message", "a"), part("session_id", b"\xff")), [FORM]), 400, "invalid-request")


# ---- the session ----

@pytest.mark.clause("CHAT-6", "CHAT-8")
@pytest.mark.parametrize("how", FORMS)
def test_the_conversation_goes_on(chat, how):
    first = chat.ask("hello")
    assert "your first message" in first.text
    second = chat.read(getattr(chat, how)("hello again", session_id=first.session_id))
    assert second.session_id == first.session_id and second.message_id != first.message_id
    assert "your second message" in second.text, "the model read what was said before"
    said = chat.messages(first.session_id)
    assert said == [("user", "hello"), ("assistant", first.text), ("user", "hello again"), ("assistant", second.text)]


@pytest.mark.clause("CHAT-6")
def test_without_a_session_each_message_is_a_new_one(chat):
    assert len({chat.ask("hello").session_id for _ in range(3)}) == 3
    assert len({chat.read(chat.post("hello", session_id=none)).session_id for none in ("", None)}) == 2
    null = chat.read(chat.send(b'{"message":"hello","session_id":null,"files":null}', [JSON]))
    assert null.end.type == "stream_end"


@pytest.mark.clause("CHAT-7")
@pytest.mark.fault(8)
@pytest.mark.parametrize("how", FORMS)
def test_a_session_that_is_none_means_a_new_one(chat, how):
    seen = set()
    for wrong in ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "nonsense", "../../etc/passwd", "sess_", "1" * 3000, "a\u2028b", "%00"):
        done = chat.read(getattr(chat, how)("hello", session_id=wrong))
        assert done.session_id != wrong and done.end.type == "stream_end"
        seen.add(done.session_id)
    assert len(seen) == 7


@pytest.mark.clause("CHAT-7")
@pytest.mark.fault(23)
def test_a_session_of_somebody_else_means_a_new_one(town):
    chat, other = Chat(town.alice.api, "asks"), Chat(town.bob.api, "asks")
    mine = chat.ask("say exactly: my secret")
    theirs = other.ask("hello", session_id=mine.session_id)
    assert theirs.session_id != mine.session_id and "your first message" in theirs.text
    assert chat.messages(mine.session_id) == [("user", "say exactly: my secret"), ("assistant", "my secret")]
    assert other.api.call("GET", f"/sessions/{mine.session_id}").status == 404
    admins = Chat(town.ada.api, "asks").ask("hello", session_id=mine.session_id)
    assert admins.session_id != mine.session_id, "an admin may read it, and speak in it no more than anybody else"


@pytest.mark.clause("CHAT-8")
def test_other_contracts_know_the_session(chat):
    done = chat.ask("say exactly: hello")
    runs = chat.runs(done.session_id)
    assert [run["run_id"] for run in runs] == [done.run_id] and runs[0]["status"] == "completed"
    listed = chat.api.get(f"/sessions/{done.session_id}").json
    assert listed["session_id"] == session_as_runs(done.session_id) and listed["active_run_id"] is None
    frames = chat.api.read(session_as_runs(done.session_id), done.run_id)
    assert frames[-1].payload["final_text"] == "hello"


@pytest.mark.clause("CHAT-8")
def test_a_session_of_runs_goes_on_in_chat(chat):
    begun = chat.api.run("say exactly: from runs", agent="asks")
    ulid = begun.session_id.removeprefix("sess_")
    uuid = chat.session(ulid)["id"]
    for spelling in (begun.session_id, ulid, ulid.lower(), uuid):
        done = chat.ask("hello", session_id=spelling)
        assert done.session_id == ulid, spelling
    assert chat.messages(ulid)[:2] == [("user", "say exactly: from runs"), ("assistant", "from runs")]
    assert len(chat.runs(ulid)) == 5
    again = chat.api.start(begun.session_id, "say exactly: and back")
    assert chat.api.read(begun.session_id, again)[-1].payload["final_text"] == "and back"


@pytest.mark.clause("CHAT-6")
def test_a_new_session_is_called_after_its_first_message(chat):
    done = chat.ask("  tell me\n\tsomething   about rivers ")
    assert chat.session(done.session_id)["title"] == "tell me something about rivers"
    chat.ask("something else", session_id=done.session_id)
    assert chat.session(done.session_id)["title"] == "tell me something about rivers"


# ---- the agent ----

@pytest.mark.clause("CHAT-1", "CHAT-49")
@pytest.mark.fault(8)
@pytest.mark.parametrize("name", ["nobody", "%2e%2e", "SUPPORT", "support%20", "a" * 2000, "support%2f", "%00", "💥"])
def test_an_agent_that_is_not_there(chat, name):
    name = quote(name, safe="%")
    for answer in (chat.post("hello", agent=name), chat.link("hello", agent=name), chat.form("hello", agent=name),
                   chat.answer("hello", agent=name)):
        status = answer.status if not isinstance(answer, Stream) else 200
        assert status == 404 or (name == "%00" and status == 400), answer
        expect_problem(answer, status, "not-found" if status == 404 else "invalid-request")


@pytest.mark.clause("CHAT-1")
def test_the_path_decides_which_agent_answers(chat):
    counted = chat.ask("what is 12*7?", agent="counts")
    assert "84" in counted.text
    asked = chat.ask("What is your return policy?", session_id=counted.session_id, agent="support")
    assert asked.session_id == counted.session_id and "returns.md" in asked.text
    assert "search_knowledge_base" in json.dumps([frame.data for frame in asked.frames])
