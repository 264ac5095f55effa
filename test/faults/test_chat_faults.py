"""Faults 14, 15, 20 and more: crowds on a chat run, clients that never let go or leave, kills, and forms made to hurt."""
import hashlib
import random
import threading
import time

import pytest

from braid_client.agents import agent
from braid_client.api import at_once
from braid_client.chat import BOUNDARY, FORM, JSON, Chat, expect_problem, form, form_of, part, run_of
from braid_client.frames import joined
from braid_client.legal import LINES, apart, check_legal
from braid_client.resources import Resources
from braid_client.waiting import wait_for
from braid_client.wire import Closed, Connection, Stream, open_stream, request_bytes

STORY = "a long story about lighthouses"


# ---- 14: the crowd ----

@pytest.mark.clause("CHAT-32", "CHAT-35", "CHAT-36", "ANY-6", "ANY-11")
@pytest.mark.fault(14, 12)
def test_a_hundred_viewers_of_a_chat_run_come_and_go(new_server):
    """In every contract, by its own route and by contract=, at random; the run and its client do not notice."""
    server = new_server()
    chat = Chat(server.api, "slow")
    ways = [*(contract for contract in LINES if contract != "tasks"), "resumed"]  # tasks has no ids to come back by
    with chat.post("say exactly: " + "word " * 120 + "end") as stream:
        run = run_of(stream.read_frames(1)[0].id)
        beginning = f"evt_{run[4:]}_0000000001"

        def visit(way, last):
            if way == "resumed":
                return chat.resume(last or beginning)
            headers = [("Last-Event-ID", last)] if last else []
            return open_stream(server.port, f"/runs/{run}/stream?contract={way}", headers, lines=LINES[way])

        def view(index):
            lottery, way, seen, last, visits = random.Random(index), ways[index % len(ways)], [], None, 0
            while True:
                visits += 1
                answer = visit(way, last)
                if not isinstance(answer, Stream):
                    assert answer.status == 204, answer
                    return way, hashlib.sha256(joined(seen)).hexdigest(), visits
                with answer:
                    wanted = lottery.randrange(1, 60)
                    answer.read_until(lambda s: len(s.frames) >= wanted or s.end, "frames")
                    seen += answer.frames
                    last = seen[-1].id if seen else None
                    if lottery.random() < 0.5:
                        answer.connection.reset()

        results = at_once(100, view)
        done = chat.read(stream)
    assert done.end.type == "stream_end"
    for way in ways:
        kind = "chat" if way == "resumed" else way
        with open_stream(server.port, f"/runs/{run}/stream?contract={kind}", lines=LINES[kind]) as whole:
            digest = hashlib.sha256(whole.read_to_end().payload).hexdigest()
        assert {seen for name, seen, _ in results if name == way} == {digest}, way
    assert sum(visits for _, _, visits in results) > 300, "they did come and go"


@pytest.mark.clause("CHAT-35", "CHAT-36", "ANY-6")
@pytest.mark.fault(14)
def test_five_thousand_reconnects(new_server):
    """Sent as fast as they can be, on fifty connections, while another run is told."""
    server = new_server()
    chat = Chat(server.api, "asks")
    done = chat.ask("say exactly: one two three four five six seven eight nine ten")
    targets = [("/agent/asks/chat/stream", "?message=another+question"), (f"/runs/{done.run_id}/stream", "?contract=chat")]
    before = Resources(server)

    def storm(index):
        lottery, path = random.Random(index), "".join(targets[index % 2])
        places = [lottery.randrange(len(done.frames)) for _ in range(100)]
        with Connection(server.port, timeout=60) as connection:
            connection.send(b"".join(request_bytes("GET", path, [("Last-Event-ID", done.frames[at].id)]) for at in places))
            for at in places:
                reply = connection.read_reply()
                rest = joined(done.frames[at + 1:])
                assert (reply.status, reply.body) == ((200, rest) if rest else (204, b"")), (at, reply)
        return len(places)

    with chat.post("say exactly: " + "word " * 60 + "end", agent="slow") as live:
        live.read_frames(2)
        assert sum(at_once(50, storm)) == 5000
        assert chat.read(live).end.type == "stream_end"
    assert len(chat.runs(done.session_id)) == 1 and chat.session_count() == 2, "none of them started anything"
    before.check()


@pytest.mark.clause("CHAT-33", "CHAT-34")
@pytest.mark.fault(14)
def test_a_link_that_loses_its_connection_again_and_again(new_server):
    """By id or by the same text, each within the grace: one run, every frame once."""
    server = new_server(limits={"client_return_grace": 2000})
    chat = Chat(server.api, "slow")
    text = "say exactly: " + "word " * 80 + "end"
    session = chat.ask("say exactly: hello").session_id
    stream, seen, lottery = chat.link(text, session_id=session), [], random.Random(14)
    for visit in range(1000):
        stream.read_until(lambda s: len(s.frames) >= lottery.randrange(2, 9) or s.end, "frames")
        frames = [frame for frame in stream.frames if not seen or frame.id > seen[-1].id]
        seen += frames
        if stream.end:
            break
        stream.connection.reset()
        stream = chat.resume(seen[-1].id) if visit % 2 else chat.link(text, session_id=session)
        if not isinstance(stream, Stream):
            assert stream.status == 204
            break
    assert seen[-1].type == "stream_end" and seen[0].type == "stream_start"
    runs = chat.runs(session)
    assert len(runs) == 2 and {run["status"] for run in runs} == {"completed"}
    with open_stream(server.port, f"/runs/{run_of(seen[0].id)}/stream?contract=chat") as whole:
        assert bytes(whole.read_to_end().payload) == joined(seen)


# ---- 15: left open ----

@pytest.mark.clause("CHAT-52", "CHAT-36")
@pytest.mark.fault(15)
@pytest.mark.parametrize("agent", ["asks", "fail-truncated", "fail-provider-error"])
def test_an_event_source_that_never_lets_go(api, agent):
    """What a browser does at the end of a stream, whatever ended it: the same link again, with the last id."""
    chat = Chat(api, agent)
    done = chat.read(chat.link("hello"))
    for _ in range(5):
        answer = chat.link("hello", headers=[("Last-Event-ID", done.end.id), ("Accept", "text/event-stream"),
                                             ("Sec-Fetch-Site", "same-origin"), ("Cache-Control", "no-cache")])
        assert not isinstance(answer, Stream) and answer.status == 204
    assert len(chat.runs(done.session_id)) == 1


@pytest.mark.clause("CHAT-29", "CHAT-43")
@pytest.mark.fault(12, 15)
def test_clients_that_ask_and_leave_leave_nothing_behind(new_server):
    """A hundred, each of which is gone at another moment: before the answer's head, in it, after it."""
    server = new_server()
    chat = Chat(server.api, "very-slow")
    chat.ask("say exactly: hello", agent="asks")
    before = Resources(server)

    def come_and_go(index):
        lottery = random.Random(index)
        connection = Connection(server.port)
        if index % 3 == 0:
            request = request_bytes("GET", "/agent/very-slow/chat/stream?message=a+long+story")
        else:
            request = request_bytes("POST", chat.path(streamed=index % 3 == 1), [FORM], form_of(STORY))
        connection.send(request)
        if lottery.random() < 0.6:
            connection.socket.settimeout(lottery.random() / 5)
            try:
                connection.receive()
            except TimeoutError:
                pass
        connection.reset() if lottery.random() < 0.5 else connection.close()

    at_once(100, come_and_go)
    def live():
        items = server.api.call("GET", "/sessions?limit=100").json["sessions"]
        return [run for item in items for run in chat.runs(item["id"]) if run["status"] not in ("interrupted", "completed")]
    wait_for(lambda: live() == [], "every run to be over", timeout=15, interval=0.3)
    before.check()


@pytest.mark.clause("CHAT-40", "CHAT-41", "CHAT-42", "CHAT-43")
@pytest.mark.fault(12, 22)
def test_turns_of_one_session_at_random(new_server):
    """Twenty clients who ask, wait, lose patience and come again: each message is said once or never, none waits for ever."""
    server = new_server(limits={"client_return_grace": 50})
    chat = Chat(server.api, "slow")
    session = chat.ask("say exactly: hello", agent="asks").session_id

    def take_turns(index):
        lottery, told = random.Random(index), {}
        for number in range(8):
            text = f"turn-{index}-{number}"
            send = chat.link if lottery.random() < 0.3 else chat.post
            answer = send(f"say exactly: {text} and a word", session_id=session)
            if not isinstance(answer, Stream):
                assert answer.status == 429, answer
                told[text] = "refused"
                continue
            with answer:
                patience = time.monotonic() + (lottery.random() if lottery.random() < 0.6 else 60)
                answer.connection.socket.settimeout(0.02)
                while not answer.end and time.monotonic() < patience:
                    try:
                        answer.pump()
                    except TimeoutError:
                        pass
                ended = answer.end == "clean" and answer.frames[-1].type == "stream_end"
                told[text] = "whole" if ended else "left"
                if lottery.random() < 0.5 and not answer.end:
                    answer.connection.reset()
        return told

    told = {text: how for part in at_once(20, take_turns) for text, how in part.items()}
    wait_for(lambda: all(run["status"] in ("completed", "interrupted") for run in chat.runs(session)), "every turn to be over")
    messages = chat.messages(session)[2:]
    asked = [content.split()[2] for role, content in messages if role == "user"]
    assert len(asked) == len(set(asked)), "a turn that was taken twice"
    assert {"whole", "left", "refused"} == set(told.values()), "all of it happened"
    for text, how in told.items():
        if how == "whole":
            place = messages.index(("user", f"say exactly: {text} and a word"))
            assert messages[place + 1] == ("assistant", f"{text} and a word")
        assert how != "refused" or text not in asked
    assert server.api.read("sess_" + session, server.api.start(session, "say exactly: free again"))[-1].type == "run_completed"


@pytest.mark.clause("CHAT-29")
@pytest.mark.fault(11)
def test_a_client_that_reads_nothing_is_given_up_and_its_run_with_it(new_server):
    server = new_server(agents={"endless": agent("endless", fail="endless", pace="1ms")}, limits={"stall_timeout": 1500})
    chat = Chat(server.api, "endless")
    stalled = open_stream(server.port, chat.path(), [JSON], method="POST", body=b'{"message":"go on"}', receive_buffer=4096)
    stalled.read_frames(1)
    over = server.api.wait_over(stalled.frames[0].data["session_id"], run_of(stalled.frames[0].id))
    assert over["status"] == "interrupted" and server.wait_log("stall")
    stalled.close()


# ---- 30: kills ----

def chatter(api, sessions, seed, stop, seen):
    """Turns of all kinds in these sessions until it is stopped; what was seen of each run goes into `seen`."""
    chat, lottery = Chat(api), random.Random(seed)
    while not stop.is_set():
        try:
            send = lottery.choice([chat.post, chat.form, chat.link])
            answer = send(lottery.choice(["say exactly: one two three four", "Write a haiku to a.md", "read nothing.md"]),
                          session_id=lottery.choice(sessions), agent=lottery.choice(["slow", "auto", "asks", "denies"]))
            if not isinstance(answer, Stream):
                continue
            with answer:
                answer.connection.socket.settimeout(0.05)
                patience = time.monotonic() + lottery.random()
                while not answer.end and time.monotonic() < patience and not stop.is_set():
                    try:
                        answer.pump()
                    except TimeoutError:
                        pass
            if answer.frames:
                seen[run_of(answer.frames[0].id)] = joined(answer.frames)
        except (OSError, Closed):
            pass  # the server is being killed


@pytest.mark.clause("CHAT-38", "ANY-4", "ANY-9", "ANY-10")
@pytest.mark.fault(30)
def test_kills_under_a_load_of_turns(new_server):
    """After each kill every run is over, legal in every contract, and begins with what was seen of it."""
    server = new_server(limits={"client_return_grace": 100})
    sessions = [Chat(server.api, "asks").ask("say exactly: hello").session_id for _ in range(4)]
    seen, checked = {}, set()
    for kill in range(3):
        stop = threading.Event()
        threads = [threading.Thread(target=chatter, args=(server.api, sessions, 100 * kill + index, stop, seen), daemon=True)
                   for index in range(8)]
        for thread in threads:
            thread.start()
        wait_for(lambda: len(seen) >= 10 * (kill + 1), "some turns")
        server.kill()
        stop.set()
        for thread in threads:
            thread.join(20)
        server.start()
        chat = Chat(server.api, "asks")
        def runs():
            return [run for session in sessions for run in chat.runs(session)]
        wait_for(lambda: all(run["status"] in ("completed", "interrupted") for run in runs()), "every run to be over")
        for run_id in {run["run_id"] for run in runs()} - checked:
            streams = {}
            for contract, lines in LINES.items():
                with open_stream(server.port, f"/runs/{run_id}/stream?contract={contract}", lines=lines) as stream:
                    streams[contract] = stream.read_to_end().frames
                check_legal(contract, streams[contract], run_id)
            for contract, whole in apart(streams["all"]).items():
                assert whole == joined(streams[contract]), (run_id, contract)
            assert joined(streams["chat"]).startswith(seen.get(run_id, b"")), run_id
            checked.add(run_id)
        assert [chat.ask("say exactly: ok", session_id=session).text for session in sessions] == ["ok"] * 4


# ---- 20: forms ----

def hostile_forms():
    opened = part("message", "hello")
    yield "a million parts", FORM, form(*[b"--" + BOUNDARY.encode() + b"\r\n\r\n\r\n"] * 1_000_000)
    yield "a million good parts", FORM, form(opened, *[part("x", "")] * 300_000)
    yield "never closed", FORM, opened + part("files", b"x" * (20 << 20), "a.txt", "text/plain")[:-2]
    yield "a head without end", FORM, b"--" + BOUNDARY.encode() + b"\r\nX: " + b"x" * (20 << 20)
    yield "nothing but boundaries", FORM, (b"\r\n--" + BOUNDARY.encode()) * 500_000
    yield "almost a boundary, often", FORM, opened[:-2] + (b"\r\n--" + BOUNDARY.encode()[:-1]) * 500_000
    yield "a boundary of one character", ("Content-Type", "multipart/form-data; boundary=-"), b"---" * 5_000_000
    yield "dashes", FORM, b"-" * (20 << 20)
    yield "line ends", FORM, b"\r\n" * (10 << 20)


@pytest.mark.clause("CHAT-28")
@pytest.mark.fault(20)
def test_forms_that_are_made_to_hurt(new_server):
    server = new_server()
    chat = Chat(server.api, "asks")
    assert chat.read(chat.form("say exactly: hello")).text == "hello"
    # One round to learn how large a heap it takes to hold such a body at all.
    expect_problem(chat.send(form(b"x" * (30 << 20)), [FORM]), 400, "invalid-request")
    before = Resources(server)
    for name, header, body in hostile_forms():
        began = time.monotonic()
        expect_problem(chat.send(body, [header]), 400, "invalid-request")
        assert time.monotonic() - began < 10, name
        assert server.responds()
    assert chat.session_count() == 1
    before.check()


@pytest.mark.clause("CHAT-28", "CHAT-24")
@pytest.mark.fault(20, 25)
def test_hostile_names_in_forms(new_server):
    server = new_server()
    chat = Chat(server.api, "asks")
    names = ["../../../../tmp/evil.txt", "..\\\\..\\\\evil.txt", "/etc/cron.d/evil.txt", "a/../../evil.txt", "%2e%2e%2fevil.txt",
             ".hidden.txt", "con.txt", "a" * 251 + ".txt", "a\tb.txt", "\u202etxt.evil", "~root.txt", "$(reboot).txt", "-rf.txt",
             "nul\udc80.txt", " .txt", "...txt"]
    for name in names:
        answer = chat.form("say exactly: hello", files=[(name, b"text", "text/plain")])
        if isinstance(answer, Stream):
            done = chat.read(answer)
            kept, = chat.api.files(done.session_id)
            assert "/" not in kept and "\\" not in kept, kept
        else:
            assert answer.status == 400, (name, answer)
    inside = {path.name for path in (server.data).rglob("*") if path.is_file()}
    outside = [path for path in server.folder.rglob("*evil*") if not path.is_relative_to(server.data)]
    assert outside == [] and inside
