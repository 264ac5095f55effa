"""Fault 43: one user who wants everything. It is told how long to wait, and the others hardly notice."""
import threading
import time

import pytest

from braid_client.api import at_once, expect_error
from braid_client.chat import Chat, expect_problem
from braid_client.conversation import expect_detail
from braid_client.frames import of_type
from braid_client.ids import UNKNOWN_UUID
from braid_client.waiting import wait_for

STORY = "a long story about rivers"  # ten seconds of the slow agent


@pytest.fixture
def crowded(new_town):
    """A server where each user may have three runs at once, and alice has them."""
    town = new_town(limits={"user_runs_max": 3})
    town.waiting = [town.alice.api.ask_to_write(f"{index}.md") for index in range(3)]
    return town


def seconds_to_wait(reply):
    assert reply.status == 429, reply
    seconds = int(reply.header("retry-after"))
    assert 1 <= seconds <= 3600
    return seconds


@pytest.mark.clause("IDENTITY-29", "COMMON-71")
@pytest.mark.fault(43)
def test_too_many_runs_at_once(crowded):
    alice, bob = crowded.alice, crowded.bob
    session = alice.api.session(agent="plain")
    message = {"message": "say exactly: hi"}
    refused = {
        "runs": alice.api.post(f"/sessions/{session}/messages", json=message),
        "conversation": alice.talk.try_stream("say exactly: hi", conversation_id=session),
        "a new conversation": alice.talk.try_stream("say exactly: hi"),
        "at once": alice.talk.ask("say exactly: hi"),
        "chat": Chat(alice.api, "plain").post("say exactly: hi"),
        "chat at once": Chat(alice.api, "plain").answer("say exactly: hi"),
        "a link": Chat(alice.api, "plain").link("say exactly: hi"),
    }
    for reply in refused.values():
        seconds_to_wait(reply)
    expect_error(refused["runs"], 429, "RATE_LIMITED")
    for name in ("conversation", "a new conversation", "at once"):
        expect_detail(refused[name], 429)
    for name in ("chat", "chat at once", "a link"):
        expect_problem(refused[name], 429, "capacity-exceeded")
    assert alice.api.get(f"/sessions/{session}/runs").json["items"] == [], "nothing was begun"

    assert bob.talk.say("say exactly: I am not alice").text == "I am not alice"
    assert alice.api.call("GET", "/sessions").status == 200, "looking is free"
    first_session, first_run, approval = crowded.waiting[0]
    assert alice.api.approve(first_session, approval).status == 200
    alice.api.wait_over(first_session, first_run)
    assert alice.talk.say("say exactly: room again", conversation_id=session).text == "room again"


@pytest.mark.clause("IDENTITY-29")
@pytest.mark.fault(43)
def test_waiting_runs_count_after_a_restart(crowded):
    crowded.server.restart(hard=True)
    alice = crowded.alice
    seconds_to_wait(alice.talk.try_stream("say exactly: hi"))
    session, run, _ = crowded.waiting[1]
    assert alice.api.interrupt(session, run).status in (200, 202)
    alice.api.wait_over(session, run)
    assert alice.talk.say("say exactly: hi").text == "hi"


@pytest.mark.clause("IDENTITY-29", "COMMON-22")
@pytest.mark.fault(43)
def test_a_key_that_was_used_is_no_new_run(new_town):
    town = new_town(limits={"user_runs_max": 1})
    key = [("Idempotency-Key", "once")]
    conversation = town.alice.talk.with_agent("slow")
    with town.alice.talk.stream(STORY, conversation_id=conversation, headers=key) as stream:
        stream.read_type("token")
        seconds_to_wait(town.alice.talk.try_stream("say exactly: another"))
        with town.alice.talk.stream(STORY, conversation_id=conversation, headers=key) as again:
            assert again.read_frames(1)[0].raw == stream.frames[0].raw
        with town.alice.talk.stream(body=b"", last=stream.frames[0].id) as rest:
            rest.read_frames(1)
        other = town.alice.talk.try_stream("another text", conversation_id=conversation, headers=key)
        expect_detail(other, 409)


@pytest.mark.clause("IDENTITY-29", "COMMON-72")
@pytest.mark.fault(43)
def test_the_limit_is_looked_at_last(crowded):
    """A request that is wrong in itself is told so, whoever sends it and however many runs there are."""
    talk = crowded.alice.talk
    expect_detail(talk.try_stream(""), 422)
    expect_detail(talk.try_stream("hi", conversation_id=UNKNOWN_UUID), 404, "Conversation not found")
    foreign = crowded.bob.talk.with_agent("plain")
    expect_detail(talk.try_stream("hi", conversation_id=foreign), 404, "Conversation not found")
    seconds_to_wait(talk.try_stream("hi"))


@pytest.mark.clause("IDENTITY-29", "IDENTITY-30")
@pytest.mark.fault(43)
def test_a_flood_hits_its_own_wall(new_town):
    """One user asks for hundreds of runs at once; another one hardly notices."""
    town = new_town(limits={"user_runs_max": 40})
    sessions = [town.alice.api.session() for _ in range(160)]
    message = {"message": "Write a haiku about rivers to x.md"}
    statuses, done = [], threading.Event()

    def flood():
        def start(index):
            return [town.alice.api.post(f"/sessions/{session}/messages", json=message).status
                    for session in sessions[index::8]]
        statuses.extend(status for some in at_once(8, start) for status in some)
        done.set()
    thread = threading.Thread(target=flood, daemon=True)
    thread.start()
    slowest, answers = 0.0, 0
    while not done.is_set() or answers < 5:
        before = time.monotonic()
        assert town.bob.talk.ask("say exactly: hi").status == 200
        slowest, answers = max(slowest, time.monotonic() - before), answers + 1
    thread.join()
    assert sorted(set(statuses)) == [202, 429] and statuses.count(202) == 40
    assert slowest < 5, f"bob waited {slowest:.1f} s"
    assert len(town.alice.api.get("/approvals").json["items"]) <= 40


@pytest.mark.clause("IDENTITY-30")
@pytest.mark.fault(43)
def test_too_many_runs_in_a_minute(new_town):
    town = new_town(limits={"user_run_starts_per_minute_max": 60})
    statuses, refused, began = [], None, time.monotonic()
    for _ in range(40):
        reply = town.alice.talk.ask("say exactly: hi")
        statuses.append(reply.status)
        if reply.status == 429:
            refused = reply
            break
    assert refused is not None, "a burst is let through, then it is enough"
    assert 10 <= statuses.count(200) <= 11 + (time.monotonic() - began)
    expect_detail(refused, 429)
    seconds = seconds_to_wait(refused)
    assert town.bob.talk.say("say exactly: hi").text == "hi"
    before = time.monotonic()
    wait_for(lambda: town.alice.talk.ask("say exactly: hi").status == 200, "a place in the next seconds", interval=0.2)
    assert time.monotonic() - before <= seconds + 5, "the answer said how long"


@pytest.mark.fault(43)
def test_refused_runs_leave_nothing_behind(crowded):
    alice = crowded.alice
    before = alice.api.call("GET", "/sessions?limit=1").json["total"]
    for _ in range(50):
        assert alice.talk.try_stream("say exactly: hi").status == 429
        assert Chat(alice.api, "plain").post("say exactly: hi").status == 429
    assert alice.api.call("GET", "/sessions?limit=1").json["total"] == before, "no session for a run that never was"
    for session, run, approval in crowded.waiting:
        assert alice.api.reject(session, approval).status == 200
        frames = alice.api.read(session, run)
        assert of_type(frames, "tool_call_rejected") and frames[-1].type == "run_completed"
