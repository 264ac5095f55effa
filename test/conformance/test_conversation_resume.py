"""The conversation contract: clients that leave and come back, and requests that are sent twice."""
import json

import pytest

from braid_client.api import at_once
from braid_client.conversation import Conversations, expect_detail, told_by
from braid_client.frames import WITHOUT_EVENT, joined
from braid_client.ids import UNKNOWN_UUID
from braid_client.waiting import wait_for
from braid_client.wire import Reply, Stream, open_stream

HARD = pytest.mark.parametrize("hard", [False, True], ids=["orderly", "kill -9"])
WORDS = " ".join(f"word{number}" for number in range(100))
STORY = "say exactly: " + WORDS  # two seconds of the slow agent


def runs_of(talk, conversation):
    return talk.api.get(f"/sessions/{conversation}/runs").json["items"]


def total(talk):
    return talk.api.call("GET", "/sessions?limit=1").json["total"]


def expect_nothing_left(reply):
    assert isinstance(reply, Reply) and reply.status == 204, reply
    assert reply.body == b"" and reply.header("transfer-encoding") is None


# ---- leaving ----

@pytest.mark.clause("CONVERSATION-31", "COMMON-64")
@pytest.mark.fault(12)
@pytest.mark.parametrize("after", [0, 1, 4])
@pytest.mark.parametrize("rude", [False, True], ids=["closed", "reset"])
def test_the_run_goes_on_and_the_answer_is_stored(talk, after, rude):
    conversation = talk.with_agent("slow")
    stream = talk.stream("tell me something about rivers", conversation_id=conversation)
    stream.read_frames(after)
    stream.connection.reset() if rude else stream.close()
    messages = talk.wait_answer(conversation)
    [run] = runs_of(talk, conversation)
    assert run["status"] == "completed"
    told = told_by(talk.replay(run["run_id"]))
    assert messages == [("user", "tell me something about rivers"), ("assistant", told.text)]


@pytest.mark.clause("CONVERSATION-31")
def test_leaving_before_the_answer_of_the_plain_route(talk):
    conversation = talk.with_agent("slow")
    from braid_client.wire import Connection, request_bytes
    body = json.dumps({"message": "tell me something about rivers", "conversation_id": conversation}).encode()
    headers = [*talk.api.credential, ("Content-Type", "application/json")]
    with Connection(talk.api.port) as connection:
        connection.send(request_bytes("POST", "/agent", headers, body))
        wait_for(lambda: runs_of(talk, conversation), "the run")
    assert len(talk.wait_answer(conversation)) == 2
    assert runs_of(talk, conversation)[0]["status"] == "completed"


@pytest.mark.clause("COMMON-12")
def test_other_viewers_come_and_go(talk):
    conversation = talk.with_agent("slow")
    with talk.stream("tell me something about rivers", conversation_id=conversation) as stream:
        first = stream.read_frames(1)[0]
        for _ in range(5):
            with talk.stream(last=first.id, body=b"") as other:
                other.read_frames(1)
        told = told_by(stream.read_to_end().frames)
    assert told.types[-1] == "done"


# ---- coming back ----

@pytest.fixture(scope="module")
def finished(shared_town):
    """A run with every kind of frame: text, a warning, calls that ended well and badly, the two frames of its end."""
    talk = shared_town.alice.talk
    conversation = talk.with_agent("asks")
    with talk.stream("Write a haiku about rivers to a.md and b.md", conversation_id=conversation) as stream:
        stream.read_type("warning", 2)
        first, second = talk.api.wait_pending(conversation, 2)
        assert talk.api.approve(conversation, first["approval_id"]).status == 200
        assert talk.api.reject(conversation, second["approval_id"]).status == 200
        told = told_by(stream.read_to_end().frames)
    assert set(told.types) == {"start", "token", "warning", "tool_start", "tool_end", "tool_error", "conversation",
                               "done"}
    return told


@pytest.mark.clause("CONVERSATION-32", "COMMON-60", "COMMON-15")
def test_after_every_frame_exactly_the_rest(talk, finished):
    frames, before = finished.frames, total(talk)
    for index, frame in enumerate(frames[:-1]):
        expected = joined(frames[index + 1:])
        assert joined(talk.rest(frame.id)) == expected, frame.id
        with talk.stream(query=frame.id, body=b"") as stream:
            assert bytes(stream.read_to_end().payload) == expected, frame.id
    assert len(runs_of(talk, finished.id)) == 1 and total(talk) == before


@pytest.mark.clause("CONVERSATION-32", "COMMON-60")
@pytest.mark.parametrize("body", [
    b"", b"{}", b"no json", b"\xff\xfe", b'{"message":""}', b'{"message":"say exactly: another text"}',
    b'{"message":"hi","conversation_id":"' + UNKNOWN_UUID.encode() + b'"}', b'{"message":7,"context":7}', b"null"])
@pytest.mark.parametrize("by_cookie", [False, True], ids=["key", "cookie"])
def test_with_an_id_the_body_does_not_matter(alice, finished, body, by_cookie):
    talk = Conversations(alice.by_cookie if by_cookie else alice.api)
    assert joined(talk.rest(finished.frames[2].id, body=body)) == joined(finished.frames[3:])
    assert len(runs_of(talk, finished.id)) == 1


@pytest.mark.clause("CONVERSATION-33", "COMMON-16")
def test_nothing_left(talk, finished):
    for way in ({"last": finished.frames[-1].id}, {"query": finished.frames[-1].id}):
        expect_nothing_left(talk.try_stream(body=b"", **way))
        expect_nothing_left(talk.try_stream("say exactly: hi", **way))


@pytest.mark.clause("CONVERSATION-33", "COMMON-60")
@pytest.mark.fault(13)
def test_an_id_that_is_no_run_of_the_caller(town, talk, finished):
    before = total(talk)
    frames = finished.frames
    foreign = town.bob.talk.say("say exactly: of bob")
    run, last = frames[-1].id.split("_")[1:]
    future = f"evt_{run}_{int(last.split('.')[0]) + 1:010d}"
    odd = [frame.id for frame in foreign.frames] + [
        future, f"evt_{run}_{'9' * 10}", "x", "0", "evt_", "evt__", "null", f"evt_{run}", f"evt_{run}_",
        "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV_0000000001", frames[0].id + "x", frames[0].id + ".", "evt_" + "9" * 5000,
        "../../etc/passwd", "a b c"]
    for bad in odd:
        answer = talk.try_stream("say exactly: hi", last=bad)
        expect_nothing_left(answer)
    assert total(talk) == before, "no id ever starts a run"
    for person in (town.bob, town.ada):
        for frame in (frames[0], frames[-2]):
            expect_nothing_left(person.talk.try_stream(body=b"", last=frame.id))


@pytest.mark.clause("CONVERSATION-32", "COMMON-15")
def test_resuming_a_live_answer(talk):
    conversation = talk.with_agent("slow")
    stream, pieces = talk.stream("tell me something about rivers", conversation_id=conversation), []
    while True:
        with stream:
            stream.read_until(lambda s: len(s.frames) >= 3 or s.end, "some frames")
            pieces += stream.frames
        if pieces[-1].type == "done":
            break
        answer = talk.try_stream(last=pieces[-1].id, body=b"")
        if isinstance(answer, Reply):
            expect_nothing_left(answer)
            break
        stream = answer
    told = told_by(pieces)
    assert told.bytes == joined(talk.replay(told))
    assert len(runs_of(talk, conversation)) == 1


@pytest.mark.clause("CONVERSATION-33", "COMMON-17")
@pytest.mark.fault(13)
def test_an_id_from_the_future_of_a_live_run_leaves_no_gap(talk):
    conversation = talk.with_agent("slow")
    with talk.stream("tell me something about rivers", conversation_id=conversation) as stream:
        prefix, number = stream.read_type("token").id.rsplit("_", 1)
        answer = talk.try_stream(last=f"{prefix}_{int(number) + 5:010d}", body=b"")
        told = told_by(stream.read_to_end().frames)
    if isinstance(answer, Stream):
        with answer:
            assert bytes(answer.read_to_end().payload) == told.bytes
    else:
        expect_nothing_left(answer)


@pytest.mark.clause("COMMON-61")
def test_an_id_of_another_contract_means_after_that_event(talk, finished):
    runs = talk.api.read(finished.session, finished.run)
    for frame in runs[:-1]:
        # A bare event id stands after all frames of its event, so it is compared without their parts.
        expected = [other for other in finished.frames if other.id.split(".")[0] > frame.id]
        assert joined(talk.rest(frame.id)) == joined(expected), frame.id
    for frame in finished.frames[:-2]:
        rest = [other for other in runs if other.id > frame.id.split(".")[0]]
        assert joined(talk.api.read(finished.session, finished.run, last=frame.id)) == joined(rest), frame.id


@pytest.mark.clause("COMMON-60")
def test_the_route_that_answers_at_once_takes_no_notice(talk, finished):
    reply = talk.api.call("POST", "/agent", json={"message": "say exactly: new"},
                          headers=[("Last-Event-ID", finished.frames[1].id)])
    assert reply.status == 200 and reply.json["response"] == "new"


@HARD
@pytest.mark.clause("CONVERSATION-35", "COMMON-49", "COMMON-64", "COMMON-59")
@pytest.mark.fault(30, 12, 31)
def test_a_restart_in_mid_sentence(new_town, hard):
    town = new_town(limits={"drain_grace": 300})
    talk = town.alice.talk
    conversation = talk.with_agent("slow")
    with talk.stream(STORY, conversation_id=conversation) as stream:
        stream.read_type("token", 20)
        town.server.kill() if hard else town.server.stop()
        assert stream.read_to_end().end == "unclean", "a cut stream must not look complete"
    town.server.start()
    talk = town.alice.talk
    told = told_by(stream.frames + talk.rest(stream.last_id))
    assert told.bytes == joined(talk.replay(told)), "no frame lost, none twice"
    assert told.types[-1] == "done" and talk.messages(conversation) == [("user", STORY), ("assistant", told.text)]
    assert told.text == WORDS, "each word once"


@pytest.mark.clause("COMMON-59", "COMMON-48", "COMMON-71")
@pytest.mark.fault(31)
def test_a_server_that_stops_takes_no_new_message(new_town):
    town = new_town(limits={"drain_grace": 1500})
    talk = town.alice.talk
    conversation, other = talk.with_agent("slow"), talk.with_agent("plain")
    with talk.stream("a long story about rivers", conversation_id=conversation) as stream:
        stream.read_type("token")
        town.server.signal()
        wait_for(lambda: town.nobody.call("GET", "/ready").status == 503, "the server to drain")
        for refused in (talk.try_stream("hello", conversation_id=other), talk.ask("hello", conversation_id=other)):
            expect_detail(refused, 503)
            assert int(refused.header("retry-after")) >= 1
        assert stream.read_to_end().end == "unclean"
    assert town.server.wait_exit() == 0
    town.server.start()
    assert town.alice.talk.messages(other) == [], "nothing was begun"
    with town.alice.talk.stream(last=stream.last_id, body=b"") as rest:
        assert rest.read_frames(1)[0].type == "token"


# ---- asking once ----

KEY = "Idempotency-Key"


@pytest.mark.clause("CONVERSATION-36", "COMMON-62", "COMMON-63")
def test_the_same_request_again_is_the_same_run(talk):
    conversation, key = talk.with_agent("slow"), [(KEY, "once-1")]
    with talk.stream(STORY, conversation_id=conversation, headers=key) as stream:
        stream.read_type("token", 3)
        with talk.stream(STORY, conversation_id=conversation, headers=key) as again:
            again.read_frames(3)
        told = told_by(stream.read_to_end().frames)
    assert again.frames[0].raw == told.frames[0].raw, "from its first frame"
    assert talk.say(STORY, conversation_id=conversation, headers=key).bytes == told.bytes
    assert len(runs_of(talk, conversation)) == 1 and len(talk.messages(conversation)) == 2


@pytest.mark.clause("CONVERSATION-36", "COMMON-23", "COMMON-62")
@pytest.mark.parametrize("other", [{"message": "say exactly: two"}, {"context": "other"}, {"context": None}])
def test_the_same_key_for_something_else(talk, other):
    first = {"message": "say exactly: one", "context": "some"}
    conversation, key = talk.say("say exactly: begin").id, [(KEY, "once-2")]
    talk.say(**first, conversation_id=conversation, headers=key)
    expect_detail(talk.try_stream(**{**first, **other}, conversation_id=conversation, headers=key), 409)
    assert len(runs_of(talk, conversation)) == 2
    assert talk.say(**first, conversation_id=conversation, headers=key).text == "one"


@pytest.mark.clause("CONVERSATION-36", "COMMON-62")
def test_the_same_key_on_another_path(talk):
    conversation, key = talk.say("say exactly: begin").id, [(KEY, "once-3")]
    talk.say("say exactly: one", conversation_id=conversation, headers=key)
    expect_detail(talk.ask("say exactly: one", conversation_id=conversation, headers=key), 409)
    again = [(KEY, "once-4")]
    replies = [talk.ask("say exactly: two", conversation_id=conversation, headers=again) for _ in range(2)]
    assert [reply.status for reply in replies] == [200, 200] and replies[0].body == replies[1].body


@pytest.mark.clause("CONVERSATION-36", "COMMON-62", "COMMON-25")
def test_whose_a_key_is(town, talk):
    key = [(KEY, "whose")]
    new = talk.say("say exactly: one", headers=key)
    assert talk.say("say exactly: one", headers=key).bytes == new.bytes, "of the caller, where no conversation is named"
    expect_detail(talk.try_stream("say exactly: two", headers=key), 409)
    here, there = talk.say("say exactly: a").id, talk.say("say exactly: b").id
    for conversation in (here, there):
        told = talk.say("say exactly: two", conversation_id=conversation, headers=key)
        assert told.id == conversation and told.text == "two", "of the conversation, where one is named"
    other = town.bob.talk.say("say exactly: mine", headers=key)
    assert other.text == "mine" and other.start["user_id"] == town.bob.user_id


@pytest.mark.clause("CONVERSATION-36", "COMMON-22")
def test_the_same_key_at_once(talk):
    key = [(KEY, "at-once")]
    answers = at_once(8, lambda i: talk.say("say exactly: one for all", headers=key))
    assert len({told.bytes for told in answers}) == 1


@pytest.mark.clause("CONVERSATION-36", "COMMON-11")
@pytest.mark.parametrize("key", ["", "k" * 256])
def test_keys_that_are_none(talk, key):
    before = total(talk)
    expect_detail(talk.try_stream("say exactly: hi", headers=[(KEY, key)]), 422)
    assert total(talk) == before


@HARD
@pytest.mark.clause("CONVERSATION-36", "COMMON-26")
def test_keys_outlive_a_restart(new_town, hard):
    town = new_town()
    named, unnamed = [(KEY, "kept")], [(KEY, "kept too")]
    first = town.alice.talk.say("say exactly: one", headers=unnamed)
    second = town.alice.talk.say("say exactly: two", conversation_id=first.id, headers=named)
    town.server.restart(hard=hard)
    talk = town.alice.talk
    assert talk.say("say exactly: one", headers=unnamed).bytes == first.bytes
    assert talk.say("say exactly: two", conversation_id=first.id, headers=named).bytes == second.bytes
    expect_detail(talk.try_stream("say exactly: x", headers=unnamed), 409)
    assert len(runs_of(talk, first.id)) == 2


# ---- retention ----

@pytest.mark.clause("CONVERSATION-34", "COMMON-55")
def test_after_retention(new_town):
    town = new_town(arguments=["--retention", "1s"])
    talk = town.alice.talk
    key = [(KEY, "before retention")]
    told = talk.say("say exactly: hello", headers=key)

    def gone():
        answer = talk.try_stream(last=told.frames[0].id, body=b"")
        if isinstance(answer, Stream):
            answer.close()
            return None
        return answer
    expect_detail(wait_for(gone, "the events to go"), 410)
    expect_detail(talk.try_stream(body=b"", last=told.frames[-2].id), 410)
    expect_detail(talk.try_stream("say exactly: hello", headers=key), 410)
    shown = open_stream(talk.api.port, f"/api/v1/runs/{told.run}/stream?contract=conversation", talk.api.credential,
                        lines=WITHOUT_EVENT)
    assert shown.status == 410
    assert talk.messages(told.id) == [("user", "say exactly: hello"), ("assistant", "hello")], "what was said stays"
    assert talk.api.look(told.session, told.run)["status"] == "completed"
    assert talk.say("say exactly: more", conversation_id=told.id).text == "more"
