"""Chat: the run belongs to its client. Who goes, who comes back, who only looks; restarts and stops."""
import socket
import threading
import time

import pytest

from braid_client.chat import A_SECOND, PROBLEMS, Chat, ChatRun, calls_of, run_of, text_of, types
from braid_client.frames import joined, of_type
from braid_client.legal import LINES, check_chat
from braid_client.upstream import Call, Hold, Say, Upstream
from braid_client.waiting import wait_for
from braid_client.wire import Stream, open_stream, request_bytes

STORY = "a long story about lighthouses"


@pytest.fixture
def chat(api):
    return Chat(api, "very-slow")


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def own(upstream, new_server):
    """A server of one's own whose agent `upstream` asks the tests' model."""
    server = new_server(agents={"upstream": upstream.agent(tools=("file_write",))}, environment={"UPSTREAM_KEY": "k"})
    return Chat(server.api, "upstream")


def names(stream):
    """(session, run) of a stream that has begun"""
    return stream.frames[0].data["session_id"], run_of(stream.frames[0].id)


def replay(chat, run_id):
    return ChatRun(_read(open_stream(chat.api.port, f"/runs/{run_id}/stream?contract=chat", chat.api.credential)))


def _read(stream):
    assert isinstance(stream, Stream), stream
    with stream:
        return stream.read_to_end().frames


# ---- it goes ----

@pytest.mark.clause("CHAT-29", "CHAT-30")
@pytest.mark.fault(12)
@pytest.mark.parametrize("how", ["close", "reset", "while it is silent", "with a request behind it"])
def test_generation_stops_within_a_second(upstream, own, how):
    said = "One two three"
    upstream.script(Say(said), Say(" four" * 500, 0.02) if how in ("close", "reset") else Hold())
    stream = own.post("tell me something")
    stream.read_until(lambda s: text_of(s.frames).startswith(said), "some words")
    session, run = names(stream)
    if how == "with a request behind it":
        stream.connection.send(request_bytes("GET", "/health"))
    began = time.monotonic()
    stream.connection.reset() if how == "reset" else stream.close()
    assert upstream.wait_request().closed.wait(5), "the model's service still has its connection"
    assert time.monotonic() - began < A_SECOND
    over = own.api.wait_over(session, run)
    assert over["status"] == "interrupted" and time.monotonic() - began < A_SECOND
    whole = replay(own, run)
    check_chat(whole.frames, run)
    assert (whole.end.data["status"], whole.end.data["type"]) == (499, PROBLEMS + "interrupted")
    assert whole.bytes.startswith(joined(stream.frames)), "what was seen is what is stored"
    assert own.messages(session) == [("user", "tell me something"), ("assistant", whole.text)]
    # The next turn reads what was said so far.
    assert own.ask("go on", session_id=session).end.type == "stream_end"
    told = upstream.requests[1].messages
    assert [(m["role"], m["content"]) for m in told[-3:]] == [
        ("user", "tell me something"), ("assistant", whole.text), ("user", "go on")]


@pytest.mark.clause("CHAT-29")
@pytest.mark.fault(12)
def test_a_client_that_goes_before_the_first_word(upstream, own):
    upstream.script(Hold())
    stream = own.form("hello")
    stream.read_frames(1)
    request = upstream.wait_request()
    stream.close()
    assert request.closed.wait(5)
    session, run = names(stream)
    assert own.api.wait_over(session, run)["status"] == "interrupted"
    assert own.messages(session) == [("user", "hello")]


@pytest.mark.clause("CHAT-29")
@pytest.mark.fault(12)
def test_half_a_close_is_a_close(chat):
    # A client that has gone, and one that only will not send any more, look the same until something is written.
    stream = chat.post(STORY)
    stream.read_frames(1)
    stream.connection.socket.shutdown(socket.SHUT_WR)
    assert chat.api.wait_over(*names(stream))["status"] == "interrupted"
    assert stream.read_to_end().frames[-1].type == "error" or stream.end == "unclean", "it never looks complete"
    stream.close()


@pytest.mark.clause("CHAT-31")
def test_pending_approvals_go_with_the_client(chat):
    stream = chat.post("Write a haiku about rivers to haiku.md", agent="asks")
    stream.read_type("tool_call_args")
    session, run = names(stream)
    chat.api.wait_pending(session)
    stream.close()
    assert chat.api.wait_over(session, run)["status"] == "interrupted"
    assert chat.api.pending(session) == [] and chat.api.files(session) == {}
    rejected = of_type(chat.api.read("sess_" + session, run), "tool_call_rejected")
    assert [frame.payload["reason"] for frame in rejected] == ["interrupted"]
    whole = replay(chat, run)
    check_chat(whole.frames, run)
    assert types(whole.frames)[-2:] == ["tool_call_end", "error"]
    assert [call[2] for call in calls_of(whole.frames).values()] == ["error"]


@pytest.mark.clause("CHAT-31")
def test_a_call_that_is_being_written_never_runs(upstream, own):
    upstream.script(Call("file_write", {"path": "a.md", "content": "x"}), Hold())
    stream = own.post("write something")
    stream.read_type("tool_call_args")
    session, run = names(stream)
    stream.close()
    assert own.api.wait_over(session, run)["status"] == "interrupted"
    whole = replay(own, run)
    check_chat(whole.frames, run)
    assert [call[2] for call in calls_of(whole.frames).values()] == ["error"]
    assert own.api.files(session) == {}


@pytest.mark.clause("CHAT-29")
@pytest.mark.fault(21)
def test_a_logout_ends_the_run_with_its_stream(town):
    cookie = ("Cookie", f"session={town.alice.log_in()}")
    chat = Chat(town.server.api.showing(cookie), "very-slow")
    stream = chat.post(STORY)
    stream.read_type("message_delta")
    session, run = names(stream)
    assert chat.api.call("POST", "/auth/logout").status == 204
    stream.read_to_end()
    assert stream.end == "unclean" or stream.frames[-1].type == "error", "it never looks complete"
    assert town.alice.api.wait_over(session, run, timeout=3)["status"] == "interrupted"
    stream.close()


# ---- others look ----

@pytest.mark.clause("CHAT-32", "ANY-11")
def test_viewers_come_and_go(chat):
    with chat.post("say exactly: one two three four five six", agent="slow") as stream:
        stream.read_frames(1)
        session, run = names(stream)
        for contract, lines in LINES.items():
            viewer = open_stream(chat.api.port, f"/runs/{run}/stream?contract={contract}", lines=lines)
            viewer.read_frames(1)
            viewer.connection.reset()
        with chat.resume(stream.frames[0].id) as viewer:
            viewer.read_frames(1)
        done = chat.read(stream)
    assert done.end.type == "stream_end" and done.text == "one two three four five six"


@pytest.mark.clause("CHAT-32", "ANY-11")
def test_who_only_looks_does_not_keep_a_run_going(chat):
    stream = chat.post(STORY)
    stream.read_type("message_delta")
    session, run = names(stream)
    viewer = open_stream(chat.api.port, f"/runs/{run}/stream?contract=chat")
    resumed = chat.resume(stream.frames[0].id)
    stream.close()
    began = time.monotonic()
    assert chat.api.wait_over(session, run)["status"] == "interrupted"
    assert time.monotonic() - began < 2
    for watching in (viewer, resumed):
        watching.read_to_end()
        assert watching.end == "clean" and watching.frames[-1].data["status"] == 499
        watching.close()


# ---- GET: it comes back ----

@pytest.mark.clause("CHAT-33", "CHAT-29")
def test_a_link_has_a_while_to_come_back(new_server):
    server = new_server(limits={"client_return_grace": 1500})
    chat = Chat(server.api, "very-slow")
    stream = chat.link(STORY)
    stream.read_type("message_delta", 2)
    session, run = names(stream)
    stream.connection.reset()
    began = time.monotonic()
    with chat.resume(stream.last_id) as rest:
        rest.read_type("message_delta", 10)  # 200 ms each: longer than the grace
        assert time.monotonic() - began > 1.5
        assert server.api.look(session, run)["status"] == "running", "who came back is the client now"
        whole = joined(stream.frames + rest.frames)
    left = time.monotonic()
    assert server.api.wait_over(session, run)["status"] == "interrupted", "and stops it by going for good"
    assert 1.2 < time.monotonic() - left < 4
    assert replay(chat, run).bytes.startswith(whole)


@pytest.mark.clause("CHAT-33")
def test_a_link_that_nobody_comes_back_to(chat):
    stream = chat.link(STORY)
    stream.read_type("message_delta")
    session, run = names(stream)
    stream.close()
    left = time.monotonic()
    wait_for(lambda: time.monotonic() - left > 1.5, "half of the three seconds")
    assert chat.api.look(session, run)["status"] == "running"
    assert chat.api.wait_over(session, run)["status"] == "interrupted"
    assert 2.5 < time.monotonic() - left < 4.5


@pytest.mark.clause("CHAT-34", "CHAT-33")
def test_the_same_text_attaches(new_server):
    chat = Chat(new_server(limits={"client_return_grace": 600}).api, "very-slow")
    first = chat.ask("say exactly: hello", agent="asks")
    stream = chat.link(STORY, session_id=first.session_id)
    stream.read_type("message_delta", 2)
    session, run = names(stream)
    again = chat.link(STORY, session_id=first.session_id)
    again.read_frames(len(stream.frames))
    assert again.frames[0].raw == stream.frames[0].raw, "the same run, from its first frame"
    stream.connection.reset()
    again.read_type("message_delta", 7)
    assert chat.api.look(session, run)["status"] == "running", "who attached is the client"
    assert [item["run_id"] for item in chat.runs(session)].count(run) == 1 and len(chat.runs(session)) == 2
    again.connection.reset()
    assert chat.api.wait_over(session, run)["status"] == "interrupted"


@pytest.mark.clause("CHAT-34", "CHAT-40")
def test_another_text_or_an_older_one_is_another_turn(new_server):
    server = new_server(limits={"same_text_window": 700})
    chat = Chat(server.api, "very-slow")
    session = chat.ask("say exactly: hello", agent="asks").session_id
    live = chat.link("say exactly: " + "word " * 12, session_id=session)
    live.read_type("message_delta")
    # A message by POST never means another one's run, whatever its text.
    others = [chat.link("say exactly: other", session_id=session), chat.post("say exactly: " + "word " * 12, session_id=session)]
    wait_for(lambda: len(chat.runs(session)) == 4, "two turns that wait")
    live.read_type("message_delta", 6)  # 200 ms each
    late = chat.link("say exactly: " + "word " * 12, session_id=session)
    assert wait_for(lambda: len(chat.runs(session)) == 5, "a turn of its own: the window is over")
    for stream in (live, *others, late):
        stream.close()


# ---- the server goes ----

@pytest.mark.clause("CHAT-38", "CHAT-30")
@pytest.mark.fault(30)
@pytest.mark.parametrize("hard", [True, False])
def test_a_restart_in_mid_run(new_server, hard):
    server = new_server(limits={"drain_grace": 300})
    chat = Chat(server.api, "very-slow")
    stream = chat.post(STORY)
    stream.read_type("message_delta", 3)
    session, run = names(stream)
    waiting = chat.post("say exactly: never", session_id=session)
    steady = server.api.session(agent="slow")
    steady_run = server.api.start(steady, "tell me something about rivers")
    wait_for(lambda: len(chat.runs(session)) == 2, "the turn that waits")
    server.restart(hard=hard)
    chat = Chat(server.api, "very-slow")
    assert server.api.wait_over(session, run)["status"] == "interrupted"
    whole = replay(chat, run)
    check_chat(whole.frames, run)
    stream.read_to_end()
    assert whole.bytes.startswith(joined(stream.frames))
    assert whole.end.data["status"] == (499 if hard else 503), whole.end.data
    assert chat.messages(session) == [("user", STORY), ("assistant", whole.text)], "a turn that waited is gone with its client"
    assert {item["status"] for item in chat.runs(session)} == {"interrupted"}
    assert server.api.wait_over(steady, steady_run)["status"] == "completed", "runs of other contracts go on"
    assert chat.ask("say exactly: hello", session_id=session, agent="asks").text == "hello"
    for left in (stream, waiting):
        left.close()


@pytest.mark.clause("CHAT-30")
@pytest.mark.fault(31)
def test_no_turn_begins_because_the_server_stops_the_one_before(new_server):
    """Whatever threads the two live on, hence several sessions."""
    server = new_server(limits={"drain_grace": 300})
    chat = Chat(server.api, "very-slow")
    streams = [chat.post(STORY) for _ in range(12)]
    for stream in streams:
        stream.read_type("message_delta")
    sessions = [names(stream)[0] for stream in streams]
    streams += [chat.post("say exactly: never", session_id=session) for session in sessions]
    for session in sessions:
        wait_for(lambda: len(chat.runs(session)) == 2, "the turn that waits")
    server.restart()
    chat = Chat(server.api, "very-slow")
    for session in sessions:
        assert {item["status"] for item in chat.runs(session)} == {"interrupted"}
        assert ("user", "say exactly: never") not in chat.messages(session)
    for stream in streams:
        stream.close()


@pytest.mark.clause("CHAT-39", "CHAT-20")
@pytest.mark.fault(31)
def test_sigterm_is_told(new_server):
    server = new_server(limits={"drain_grace": 500})
    chat = Chat(server.api, "very-slow")
    stream, link = chat.post(STORY), chat.link(STORY)
    for one in (stream, link):
        one.read_type("message_delta")
    waiting = chat.post("say exactly: never", session_id=names(stream)[0])
    answers = []
    asking = threading.Thread(target=lambda: answers.append(chat.answer(STORY)), daemon=True)
    asking.start()
    wait_for(lambda: chat.session_count() == 3, "the third session")
    server.signal()
    for one in (stream, link, waiting):
        done = chat.read(one)
        check_chat(done.frames, done.run_id)
        assert done.end.type == "error"
        assert (done.end.data["status"], done.end.data["type"]) == (503, PROBLEMS + "unavailable")
    asking.join(20)
    assert answers and answers[0].status == 503 and answers[0].header("retry-after"), answers
    assert server.wait_exit(15) == 0
    server.start()


@pytest.mark.clause("CHAT-39")
@pytest.mark.fault(31)
def test_what_ends_within_the_grace_is_delivered(new_server):
    server = new_server(limits={"drain_grace": 20_000})
    chat = Chat(server.api, "slow")
    stream = chat.post("say exactly: " + "word " * 30 + "end")
    stream.read_type("message_delta", 2)
    server.signal()
    done = chat.read(stream)
    assert done.end.type == "stream_end" and done.text.endswith("word end")
    assert server.wait_exit(20) == 0
    server.start()
