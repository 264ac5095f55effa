"""Chat: coming back by id, asking once, and what is gone."""
import json

import pytest

from braid_client.api import at_once
from braid_client.chat import FORM, JSON, Chat, expect_problem, form_of, json_file
from braid_client.frames import joined
from braid_client.people import Person
from braid_client.waiting import wait_for
from braid_client.wire import Stream

TENT = "Is my tent still under warranty?"


@pytest.fixture
def chat(api):
    return Chat(api, "support")


def rest_of(chat, answer):
    assert isinstance(answer, Stream), answer
    return chat.read(answer).bytes


@pytest.mark.clause("CHAT-35", "CHAT-36", "CHAT-52")
@pytest.mark.fault(13)
def test_after_every_frame_exactly_the_rest(chat):
    done = chat.ask(TENT)
    assert len(done.frames) > 10
    for index, frame in enumerate(done.frames[:-1]):
        expected = joined(done.frames[index + 1:])
        assert rest_of(chat, chat.resume(frame.id)) == expected, frame.id
        assert rest_of(chat, chat.send(None, (), method="GET", query=f"?last_event_id={frame.id}")) == expected, frame.id
    for answer in (chat.resume(done.end.id), chat.send(None, (), method="GET", query=f"?last_event_id={done.end.id}")):
        assert answer.status == 204 and answer.body == b""


@pytest.mark.clause("CHAT-35", "CHAT-36")
def test_whatever_the_request_says(chat):
    done = chat.ask(TENT)
    runs = len(chat.runs(done.session_id))
    expected = joined(done.frames[3:])
    header = ("Last-Event-ID", done.frames[2].id)
    ways = [
        dict(method="POST", body=b""), dict(method="POST", body=b"not json", headers=[JSON]),
        dict(method="POST", body=json.dumps({"message": "another question"}).encode(), headers=[JSON]),
        dict(method="POST", body=json.dumps({"message": "x", "session_id": "y"}).encode(), headers=[JSON]),
        dict(method="POST", body=form_of("a form"), headers=[FORM]), dict(method="POST", body=b"--", headers=[FORM]),
        dict(method="POST", body=b"{}", query="?message=x"),
        dict(query=""), dict(query="?message=something+else"), dict(query="?message=&session_id=nonsense"),
        dict(query="?message=x&last_event_id=nonsense"),
    ]
    for way in ways:
        headers = [header, *way.pop("headers", [])]
        answer = chat.send(way.get("body"), headers, method=way.get("method", "GET"), query=way.get("query", ""))
        assert rest_of(chat, answer) == expected, way
    # The agent in the path does not matter either: the id names the run.
    assert rest_of(chat, chat.resume(done.frames[2].id, agent="asks")) == expected
    assert len(chat.runs(done.session_id)) == runs, "nothing was started"


@pytest.mark.clause("CHAT-36")
@pytest.mark.fault(13, 15)
def test_an_id_that_is_none_of_mine_starts_nothing(town):
    chat, other = Chat(town.alice.api), Chat(town.bob.api)
    done = chat.ask(TENT)
    theirs = other.session_count()
    sessions = chat.session_count()
    run, number = done.end.id.split("_")[1:]
    bad = ["x", "0", "evt_", "null", f"evt_{run}", f"evt_{run}_{number}x", f"evt_01ARZ3NDEKTSV4RRFFQ69G5FAV_{number}",
           f"evt_{run}_{int(number) + 1:010d}", "9" * 5000, "../../etc/passwd", done.run_id, done.session_id]
    for wrong in bad:
        for answer in (chat.resume(wrong, query="?message=hello"),
                       chat.resume(wrong, method="POST", body=b'{"message":"hello"}', headers=[JSON]),
                       chat.resume(wrong, method="POST", body=b"")):
            assert answer.status == 204 and answer.body == b"", (wrong, answer)
    for someone in (other, Chat(town.ada.api)):
        for way in ({}, {"method": "POST", "body": b'{"message":"hello"}'}):
            answer = someone.resume(done.frames[0].id, **way)
            assert answer.status == 204, "somebody else's run is nobody's"
    assert chat.session_count() == sessions
    assert other.session_count() == theirs


@pytest.mark.clause("CHAT-35")
def test_a_run_of_another_contract_is_resumed_as_chat(chat):
    begun = chat.api.run("what is 12*7?", agent="counts")
    done = chat.read(chat.resume(begun.frames[0].id))
    assert done.frames[-1].type == "stream_end" and done.text.endswith("12*7 = 84")


@pytest.mark.clause("CHAT-35")
def test_a_live_run_is_resumed_by_many(chat):
    with chat.post("say exactly: " + "word " * 40 + "end", agent="slow") as stream:
        stream.read_type("message_delta", 3)
        last, seen = stream.last_id, len(stream.frames)
        parts = at_once(8, lambda i: chat.read(chat.resume(last)).bytes)
        done = chat.read(stream)
    assert set(parts) == {joined(done.frames[seen:])}


@pytest.mark.clause("CHAT-36")
def test_past_retention(new_server):
    server = new_server(arguments=["--retention", "1s"])
    chat = Chat(server.api, "asks")
    done = chat.ask("say exactly: hello", headers=[("Idempotency-Key", "k")])
    def gone():
        answer = chat.resume(done.frames[0].id)
        if isinstance(answer, Stream):
            answer.close()
            return None
        return answer
    expect_problem(wait_for(gone, "the events to go"), 410, "gone")
    expect_problem(chat.resume(done.end.id), 410, "gone")
    expect_problem(chat.resume(done.frames[0].id, method="POST", body=b'{"message":"hello"}'), 410, "gone")
    expect_problem(chat.post("say exactly: hello", headers=[("Idempotency-Key", "k")]), 410, "gone")
    assert chat.messages(done.session_id)[-1] == ("assistant", "hello"), "the messages stay"
    assert chat.runs(done.session_id)[0]["status"] == "completed"
    assert chat.ask("say exactly: still here", session_id=done.session_id).text == "still here"


# ---- once ----

def keyed(key):
    return [("Idempotency-Key", key)]


@pytest.mark.clause("CHAT-37")
@pytest.mark.parametrize("how", ["post", "form", "link"])
def test_the_same_key_gives_the_same_run(chat, how):
    send = getattr(chat, how)
    first = chat.read(send(TENT, headers=keyed(f"same-{how}")))
    again = chat.read(send(TENT, headers=keyed(f"same-{how}")))
    assert again.bytes == first.bytes, "its stream, from the first frame"
    assert len(chat.runs(first.session_id)) == 1
    expect_problem(send("something else", headers=keyed(f"same-{how}")), 409, "conflict")
    assert chat.read(send(TENT, headers=keyed(f"other-{how}"))).run_id != first.run_id


@pytest.mark.clause("CHAT-37")
def test_what_a_key_stands_for(chat):
    file, other = json_file("a.txt", b"one"), json_file("a.txt", b"two")
    first = chat.read(chat.post("look", files=[file], headers=keyed("files")))
    assert chat.read(chat.post("look", files=[file], headers=keyed("files"))).bytes == first.bytes
    for files in ([other], [], [file, file]):
        expect_problem(chat.post("look", files=files, headers=keyed("files")), 409, "conflict")
    assert chat.api.files(first.session_id) == {"a.txt": 3}
    expect_problem(chat.post("look", files=[file], agent="asks", headers=keyed("files")), 409, "conflict")
    expect_problem(chat.answer("look", files=[file], headers=keyed("files")), 409, "conflict")
    # In its own session the same key is another one.
    inside = chat.ask("say exactly: hello", session_id=first.session_id, agent="asks", headers=keyed("files"))
    assert inside.run_id != first.run_id and inside.session_id == first.session_id
    assert chat.ask("say exactly: hello", session_id=first.session_id, agent="asks", headers=keyed("files")).bytes == inside.bytes
    for bad in ("", "x" * 256):
        answer = chat.post("say exactly: hello", headers=keyed(bad))
        assert bad == "" or expect_problem(answer, 400, "invalid-request")


@pytest.mark.clause("CHAT-37", "CHAT-29")
def test_a_key_while_the_run_is_live(chat):
    with chat.post("say exactly: one two three four five six", agent="slow", headers=keyed("live")) as stream:
        stream.read_type("message_delta")
        with chat.post("say exactly: one two three four five six", agent="slow", headers=keyed("live")) as again:
            again.read_frames(2)
            assert again.frames[0].raw == stream.frames[0].raw
        done = chat.read(stream)
    assert done.end.type == "stream_end", "who came by the key alone is not the client, and may go"


@pytest.mark.clause("CHAT-37")
def test_one_key_at_the_same_moment(chat):
    results = at_once(8, lambda i: chat.read(chat.post("say exactly: once", agent="asks", headers=keyed("race"))).bytes)
    assert len(set(results)) == 1


@pytest.mark.clause("CHAT-37")
def test_keys_outlive_a_restart_and_belong_to_the_caller(new_server):
    server = new_server()
    chat = Chat(server.api, "asks")
    done = chat.ask("say exactly: hello", headers=keyed("k"))
    theirs = Chat(Person(server, "olga").api, "asks").ask("say exactly: something of mine", headers=keyed("k"))
    assert theirs.run_id != done.run_id
    server.restart(hard=True)
    chat = Chat(server.api, "asks")
    assert chat.ask("say exactly: hello", headers=keyed("k")).bytes == done.bytes
    expect_problem(chat.post("say exactly: bye", headers=keyed("k")), 409, "conflict")
