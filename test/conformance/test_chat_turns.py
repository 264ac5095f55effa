"""Chat: turns that wait for each other in one session."""
import time

import pytest

from braid_client.api import expect_error
from braid_client.chat import Chat, expect_problem, json_file, run_of
from braid_client.frames import joined
from braid_client.legal import check_chat
from braid_client.upstream import End, Hold, Say, Upstream
from braid_client.waiting import wait_for
from braid_client.wire import Connection, open_stream, request_bytes

SLOW = "say exactly: " + "word " * 10 + "end"


@pytest.fixture
def chat(api):
    return Chat(api, "asks")


@pytest.fixture
def held(new_server):
    """A chat whose model answers when the test lets it: (chat, upstream, hold of the first turn)."""
    upstream = Upstream()
    server = new_server(agents={"upstream": upstream.agent()}, environment={"UPSTREAM_KEY": "k"},
                        limits={"keepalive_interval": 100})
    hold = Hold()
    upstream.script(Say("first"), hold, End())
    upstream.always(Say("later"), End())
    yield Chat(server.api, "upstream"), upstream, hold
    upstream.close()


def begin(chat):
    stream = chat.post("one")
    stream.read_type("message_delta")
    return stream, stream.frames[0].data["session_id"]


def wait_runs(chat, session, count):
    wait_for(lambda: len(chat.runs(session)) == count, f"{count} runs in the session")


@pytest.mark.clause("CHAT-40", "CHAT-41", "CHAT-12")
def test_turns_follow_each_other(held):
    chat, upstream, hold = held
    first, session = begin(chat)
    second = chat.post("two", session_id=session)
    wait_runs(chat, session, 2)
    third = chat.form("three", session_id=session)
    wait_runs(chat, session, 3)
    fourth = chat.link("four", session_id=session)
    for waiting in (second, third, fourth):
        assert waiting.reply.status == 200 and waiting.reply.header("content-type").startswith("text/event-stream")
        waiting.read_until(lambda s: s.reader.keepalives >= 2, "keepalives of a turn that waits")
        assert waiting.frames == []
    assert chat.messages(session) == [("user", "one")], "a message is said when its turn begins"
    assert len(upstream.requests) == 1
    hold.release.set()
    done = [chat.read(stream) for stream in (first, second, third, fourth)]
    for run in done:
        check_chat(run.frames, run.run_id)
        assert run.session_id == session and run.end.type == "stream_end"
    assert chat.messages(session) == [("user", "one"), ("assistant", "first"), ("user", "two"), ("assistant", "later"),
                                      ("user", "three"), ("assistant", "later"), ("user", "four"), ("assistant", "later")]
    assert [request.messages[-1]["content"] for request in upstream.requests] == ["one", "two", "three", "four"]
    assert len(upstream.requests[3].messages) >= 7, "each reads the ones before"


@pytest.mark.clause("CHAT-40")
def test_a_turn_waits_behind_a_run_of_another_contract(chat):
    session, run, approval = chat.api.ask_to_write(agent="asks")
    waiting = chat.post("say exactly: after you", session_id=session)
    wait_runs(chat, session, 2)
    assert waiting.frames == []
    chat.api.approve(session, approval)
    done = chat.read(waiting)
    assert done.text == "after you"
    assert chat.api.read(session, run)[-1].type == "run_completed"


@pytest.mark.clause("CHAT-42", "CHAT-44")
def test_at_most_eight_wait(held):
    chat, upstream, hold = held
    first, session = begin(chat)
    waiting = []
    for number in range(8):
        waiting.append(chat.post(f"turn {number}", session_id=session))
        wait_runs(chat, session, 2 + number)
    for refused in (chat.post("too many", session_id=session), chat.link("too many", session_id=session),
                    chat.form("too many", session_id=session), chat.answer("too many", session_id=session)):
        expect_problem(refused, 429, "capacity-exceeded")
        assert int(refused.header("retry-after")) >= 0
    assert chat.ask("elsewhere").end.type == "stream_end", "other sessions are not full"
    expect_error(chat.api.post(f"/sessions/{session}/messages", json={"message": "hello"}), 409, "ACTIVE_RUN_EXISTS")
    waiting.pop(3).close()
    wait_for(lambda: sum(run["status"] == "queued" for run in chat.runs(session)) == 7, "room")
    waiting.append(chat.post("turn 8", session_id=session))
    hold.release.set()
    assert chat.read(first).end.type == "stream_end"
    for stream in waiting:
        assert chat.read(stream).end.type == "stream_end"
    asked = [content for role, content in chat.messages(session) if role == "user"]
    assert asked == ["one", *(f"turn {number}" for number in range(9) if number != 3)]


@pytest.mark.clause("CHAT-42", "CHAT-23")
def test_a_turn_that_is_refused_leaves_no_file(held):
    chat, _, hold = held
    first, session = begin(chat)
    waiting = [chat.post("wait", session_id=session) for _ in range(8)]
    wait_runs(chat, session, 9)
    refused = chat.post("too many", session_id=session, files=[json_file("left.txt", b"behind")])
    expect_problem(refused, 429, "capacity-exceeded")
    assert chat.api.files(session) == {}
    for stream in (first, *waiting):
        stream.close()


@pytest.mark.clause("CHAT-43", "CHAT-41")
@pytest.mark.parametrize("how", ["post", "form", "link", "answer"])
def test_a_turn_whose_client_leaves_is_dropped(held, how):
    chat, upstream, hold = held
    first, session = begin(chat)
    if how == "answer":
        leaving = Connection(chat.api.port)
        leaving.send(request_bytes("POST", chat.path(streamed=False), [("Content-Type", "application/json")],
                                   b'{"message":"two","session_id":"%s"}' % session.encode()))
    else:
        leaving = getattr(chat, how)("two", session_id=session)
    wait_runs(chat, session, 2)
    staying = chat.post("three", session_id=session)
    wait_runs(chat, session, 3)
    leaving.close()
    dropped = wait_for(lambda: [run for run in chat.runs(session) if run["status"] == "interrupted"], "the turn to be dropped",
                       timeout=6)
    hold.release.set()
    assert chat.read(first).end.type == "stream_end" and chat.read(staying).end.type == "stream_end"
    assert [content for role, content in chat.messages(session) if role == "user"] == ["one", "three"]
    assert [request.messages[-1]["content"] for request in upstream.requests] == ["one", "three"]
    assert len(dropped) == 1
    whole = chat.read(chat.send(None, (), method="GET", query=f"?last_event_id=evt_{dropped[0]['run_id'][4:]}_0000000001"))
    check_chat(whole.frames, dropped[0]["run_id"])
    assert [frame.type for frame in whole.frames] == ["stream_start", "error"] and whole.end.data["status"] == 499


@pytest.mark.clause("CHAT-44")
def test_busy_for_others_until_the_last_turn_is_over(held):
    chat, upstream, hold = held
    first, session = begin(chat)
    last = Hold()
    upstream.script(Say("second"), last, End())
    second = chat.post("two", session_id=session)
    wait_runs(chat, session, 2)

    def busy():
        reply = chat.api.post(f"/sessions/{session}/messages", json={"message": "hello"})
        expect_error(reply, 409, "ACTIVE_RUN_EXISTS")
    busy()
    hold.release.set()
    assert chat.read(first).end.type == "stream_end"
    second.read_type("message_delta")
    busy()
    last.release.set()
    done = chat.read(second)
    run = chat.api.start(session, "hello")
    assert chat.api.read("sess_" + session, run)[-1].type == "run_completed"
    assert done.end.type == "stream_end"


@pytest.mark.clause("CHAT-44")
def test_busy_for_a_conversation_too(town):
    chat, talk = Chat(town.alice.api, "asks"), town.alice.talk
    session, run, approval = chat.api.ask_to_write(agent="asks")
    waiting = chat.post("say exactly: after you", session_id=session)
    wait_runs(chat, session, 2)
    uuid = chat.session(session)["id"]
    assert talk.try_stream("hello", conversation_id=uuid).status == 409
    assert talk.ask("hello", conversation_id=uuid).status == 409
    chat.api.approve(session, approval)
    assert chat.read(waiting).text == "after you"
    assert talk.say("say exactly: now", conversation_id=uuid).text == "now"


@pytest.mark.clause("CHAT-20", "CHAT-43")
def test_a_session_is_deleted_with_its_turns(held):
    chat, upstream, hold = held
    first, session = begin(chat)
    second = chat.post("two", session_id=session)
    wait_runs(chat, session, 2)
    assert chat.api.delete(f"/sessions/{session}").status == 204
    for stream in (first, second):
        done = chat.read(stream)
        check_chat(done.frames, done.run_id)
        assert (done.end.type, done.end.data["status"]) == ("error", 499)
    assert upstream.requests[0].closed.wait(5) and len(upstream.requests) == 1
    assert chat.ask("hello", session_id=session).session_id != session, "it is nobody's now: a new one"


@pytest.mark.clause("CHAT-43", "CHAT-40")
def test_when_the_live_turns_client_leaves_the_next_one_begins(held):
    chat, upstream, hold = held
    first, session = begin(chat)
    second = chat.post("two", session_id=session)
    wait_runs(chat, session, 2)
    first.close()
    began = time.monotonic()
    done = chat.read(second)
    assert time.monotonic() - began < 3 and done.end.type == "stream_end" and done.text == "later"
    assert chat.messages(session) == [("user", "one"), ("assistant", "first"), ("user", "two"), ("assistant", "later")]


@pytest.mark.clause("CHAT-40", "CHAT-35")
def test_a_waiting_turn_can_be_watched_by_others(held):
    chat, upstream, hold = held
    first, session = begin(chat)
    second = chat.post("two", session_id=session)
    wait_runs(chat, session, 2)
    run, = (item for item in chat.runs(session) if item["status"] == "queued")
    viewer = open_stream(chat.api.port, f"/runs/{run['run_id']}/stream?contract=chat")
    hold.release.set()
    done = chat.read(second)
    viewer.read_to_end()
    assert joined(viewer.frames) == done.bytes and run_of(done.frames[0].id) == run["run_id"]
    chat.read(first)
    viewer.close()


@pytest.mark.clause("CHAT-40")
def test_a_waiting_turn_can_be_interrupted(held):
    chat, upstream, hold = held
    first, session = begin(chat)
    second = chat.post("two", session_id=session)
    wait_runs(chat, session, 2)
    run, = (item for item in chat.runs(session) if item["status"] == "queued")
    assert chat.api.interrupt(session, run["run_id"]).status == 202
    done = chat.read(second)
    check_chat(done.frames, run["run_id"])
    assert done.end.data["status"] == 499
    hold.release.set()
    assert chat.read(first).end.type == "stream_end"
    assert chat.messages(session) == [("user", "one"), ("assistant", "first")]
