"""The steps contract: clients that leave and come back, and requests that are sent twice."""
import pytest

from braid_client.api import at_once
from braid_client.frames import joined
from braid_client.ids import UNKNOWN_UUID
from braid_client.steps import JSON, Steps, expect_nothing_left, expect_text, walk_of
from braid_client.waiting import wait_for
from braid_client.wire import Connection, Reply, Stream, request_bytes

HARD = pytest.mark.parametrize("hard", [False, True], ids=["orderly", "kill -9"])
WORDS = " ".join(f"word{number}" for number in range(100))
STORY = "say exactly: " + WORDS  # two seconds of the slow agent
HAIKU = "Write a haiku about rivers to a.md"
KEY = "Idempotency-Key"


@pytest.fixture
def steps(alice):
    return Steps(alice.api)


def ask_to_write(steps, session):
    """The stream of a run that waits for an approval, read up to its plan, and the approval."""
    stream = steps.stream(session, HAIKU)
    stream.read_type("step")
    return stream, steps.api.wait_pending(session)[0]["approval_id"]


@pytest.fixture(scope="module")
def finished(shared_town):
    """(session, walk): a run with every kind of frame of a good end."""
    steps = Steps(shared_town.alice.api)
    session = steps.session("auto")
    walk = steps.ask("Write a haiku about rivers to a.md and b.md", session)
    assert set(walk.types) == {"message", "planning", "action", "final", "done"}
    return session, walk


# ---- leaving ----

@pytest.mark.clause("STEPS-24", "COMMON-64")
@pytest.mark.fault(12)
@pytest.mark.parametrize("after", [0, 1, 2])
@pytest.mark.parametrize("rude", [False, True], ids=["closed", "reset"])
def test_the_run_goes_on_and_the_answer_is_stored(steps, after, rude):
    session = steps.session("slow")
    stream = steps.stream(session, "say exactly: " + "word " * 30 + "end")
    stream.read_frames(after)
    stream.connection.reset() if rude else stream.close()
    wait_for(lambda: len(steps.messages(session)) == 2, "the answer")
    [run] = steps.runs(session)
    assert run["status"] == "completed"
    assert steps.messages(session)[1][1] == walk_of(steps.replay(run["run_id"])).output


@pytest.mark.clause("STEPS-24", "COMMON-12")
def test_viewers_come_and_go(steps):
    session = steps.session("asks")
    stream, approval = ask_to_write(steps, session)
    with stream:
        viewers = [steps.send(session, last=stream.frames[0].id) for _ in range(5)]
        for viewer in viewers[:3]:
            viewer.close()
        assert steps.api.approve(session, approval).status == 200
        walk = walk_of(stream.read_to_end().frames)
        for viewer in viewers[3:]:
            with viewer:
                assert bytes(viewer.read_to_end().payload) == joined(walk.frames[1:])


# ---- coming back ----

@pytest.mark.clause("STEPS-25", "STEPS-26", "COMMON-15", "COMMON-60")
@pytest.mark.fault(13)
def test_after_every_frame_exactly_the_rest(steps, finished):
    session, walk = finished
    for index, frame in enumerate(walk.frames[:-1]):
        expected = joined(walk.frames[index + 1:])
        assert joined(steps.rest(session, frame.id)) == expected, frame.id
        by_query = steps.send(session, parameters=f"last_event_id={frame.id}")
        assert joined(steps.read_out(by_query)) == expected, frame.id
    for answer in (steps.send(session, last=walk.frames[-1].id),
                   steps.send(session, parameters=f"last_event_id={walk.frames[-1].id}"),
                   steps.link(session, "Write a haiku about rivers to a.md and b.md", last=walk.frames[-1].id),
                   steps.post(session, "something else", last=walk.frames[-1].id)):
        expect_nothing_left(answer)
    assert len(steps.runs(session)) == 1


@pytest.mark.clause("STEPS-25", "COMMON-60")
def test_whatever_the_request_says(steps, finished):
    session, walk = finished
    expected, header = joined(walk.frames[2:]), {"last": walk.frames[1].id}
    ways = [steps.send(session, **header), steps.send(session, parameters="query=another", **header),
            steps.send(session, parameters="query=&last_event_id=nonsense", **header)]
    for body in (b"", b"{}", b"no json", b"\xff", b'{"query":""}', b'{"query":7}', b'{"query":"another"}', b"null"):
        ways.append(steps.send(session, "POST", body=body, headers=[JSON], **header))
    ways.append(steps.send(session, "POST", body=b"", **header))
    ways.append(steps.link(session, "another", headers=[(KEY, "some key")], **header))
    for stream in ways:
        assert joined(steps.read_out(stream)) == expected
    assert len(steps.runs(session)) == 1


@pytest.mark.clause("STEPS-26", "COMMON-60")
@pytest.mark.fault(13, 15)
def test_an_id_of_no_run_of_this_session_starts_nothing(town, steps, finished):
    session, walk = finished
    other = steps.session("plain")
    elsewhere = steps.ask("say exactly: elsewhere", other)
    theirs = Steps(town.bob.api).ask("say exactly: of bob", agent="plain")
    run, last = walk.frames[-1].id.split("_")[1:]
    last = int(last.split(".")[0])
    odd = [elsewhere.frames[0].id, theirs.frames[0].id, f"evt_{run}_{last + 1:010d}", f"evt_{run}_{'9' * 10}", "x", "0",
           "evt_", "null", f"evt_{run}", "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV_0000000001", walk.frames[0].id + "x",
           "evt_" + "9" * 5000, "../../etc/passwd", "a b c", walk.run]
    for bad in odd:
        expect_nothing_left(steps.link(session, "say exactly: hi", last=bad))
        expect_nothing_left(steps.post(session, "say exactly: hi", last=bad))
    assert len(steps.runs(session)) == 1
    for frame in (walk.frames[0], walk.frames[-1]):
        expect_nothing_left(steps.send(other, last=frame.id))
    assert len(steps.runs(other)) == 1


@pytest.mark.clause("STEPS-26", "STEPS-4")
@pytest.mark.fault(23)
def test_who_may_come_back(town, steps, finished):
    session, walk = finished
    for where in (UNKNOWN_UUID, "invalid-id"):
        expect_text(steps.send(where, last=walk.frames[0].id), 404, "Session not found")
    for last in (walk.frames[0].id, walk.frames[-1].id, "nonsense"):
        expect_text(Steps(town.bob.api).send(session, last=last), 404, "Session not found")
        expect_text(Steps(town.nobody).send(session, last=last), 401)
    ada = Steps(town.ada.api)
    assert joined(ada.rest(session, walk.frames[0].id)) == joined(walk.frames[1:]), "an admin may read"
    expect_nothing_left(ada.link(session, "say exactly: hi", last="nonsense"))
    assert len(steps.runs(session)) == 1


@pytest.mark.clause("STEPS-25", "COMMON-61")
def test_ids_of_other_contracts(steps, finished):
    session, walk = finished
    for contract in ("runs", "chat", "conversation"):
        for frame in steps.replay(walk.run, contract)[:-1]:
            event = frame.id.split(".")[0]
            expected = [other for other in walk.frames if other.id.split(".")[0] > event]
            answer = steps.send(session, last=frame.id)
            if not expected:
                expect_nothing_left(answer)
            else:
                assert joined(steps.read_out(answer)) == joined(expected), frame.id


@pytest.mark.clause("STEPS-25")
def test_a_run_of_another_contract_is_resumed_as_steps(steps):
    done = steps.api.run("what is 12*7?", agent="counts")
    rest = steps.rest(done.session_id, done.frames[0].id)
    assert [frame.type for frame in rest] == ["step", "final", "done"]


@pytest.mark.clause("STEPS-25", "COMMON-15")
def test_resuming_a_live_run(steps):
    session = steps.session("asks")
    stream, approval = ask_to_write(steps, session)
    with stream:
        live = [steps.send(session, last=stream.frames[0].id),
                steps.send(session, "POST", body=b"", last=stream.frames[1].id)]
        assert all(isinstance(answer, Stream) for answer in live)
        assert steps.api.approve(session, approval).status == 200
        walk = walk_of(stream.read_to_end().frames)
    for seen, answer in enumerate(live, 1):
        assert joined(steps.read_out(answer)) == joined(walk.frames[seen:])
    assert joined(steps.replay(walk.run)) == walk.bytes


# ---- the same link again ----

@pytest.mark.clause("STEPS-28", "STEPS-27")
@pytest.mark.fault(12, 15)
def test_a_cut_before_the_first_frame_starts_nothing_twice(steps):
    """What a browser does: no frame came, so it has no id, and asks again."""
    session = steps.session("slow")
    target = f"/sessions/{session}/stream?query=" + STORY.replace(" ", "+")
    with Connection(steps.api.port) as connection:
        connection.send(request_bytes("GET", target, steps.api.credential))
        wait_for(lambda: steps.runs(session), "the run")
    first = steps.walk(steps.link(session, STORY))
    assert [run["run_id"] for run in steps.runs(session)] == [first.run]
    assert first.output == WORDS, "from its first frame"
    assert steps.messages(session) == [("user", STORY), ("assistant", WORDS)]


@pytest.mark.clause("STEPS-28")
def test_what_attaches_and_what_does_not(steps):
    session = steps.session("slow")
    with steps.stream(session, STORY) as stream:
        stream.read_frames(1)
        with steps.stream(session, STORY) as again:
            assert again.read_frames(1)[0].raw == stream.frames[0].raw
        expect_text(steps.link(session, STORY + " "), 409)
        expect_text(steps.link(session, "say exactly: another"), 409)
        expect_text(steps.post(session, STORY), 409)
        walk = walk_of(stream.read_to_end().frames)
    once_more = steps.walk(steps.link(session, STORY))
    assert once_more.run != walk.run, "a run that is over is not meant"


@pytest.mark.clause("STEPS-28")
def test_after_a_while_the_same_text_is_another_question(new_server):
    server = new_server(limits={"same_text_window": 300})
    steps = Steps(server.api)
    session = steps.session("very-slow")
    with steps.stream(session, "a long story about lighthouses") as stream:
        stream.read_frames(1)

        def told():
            answer = steps.link(session, "a long story about lighthouses")
            if isinstance(answer, Stream):
                answer.close()
                return None
            return answer
        expect_text(wait_for(told, "the end of the window"), 409)
    assert len(steps.runs(session)) == 1


@pytest.mark.clause("STEPS-28")
def test_the_same_link_from_many_at_once(steps):
    session = steps.session("slow")
    query = "say exactly: " + "word " * 30 + "end"
    answers = at_once(8, lambda i: steps.link(session, query))
    streams = [answer for answer in answers if isinstance(answer, Stream)]
    walks = {steps.walk(stream).bytes for stream in streams}
    assert len(walks) == 1 and len(steps.runs(session)) == 1
    for answer in answers:
        if isinstance(answer, Reply):
            expect_text(answer, 409)


# ---- restarts ----

@HARD
@pytest.mark.clause("STEPS-31", "COMMON-49", "COMMON-59", "COMMON-11", "COMMON-64")
@pytest.mark.fault(30, 31, 12)
def test_a_restart_while_the_answer_is_made(new_town, hard):
    town = new_town(limits={"drain_grace": 300})
    steps = Steps(town.alice.api)
    session = steps.session("slow")
    with steps.stream(session, STORY) as stream:
        stream.read_type("step")
        with steps.api.stream(session, steps.runs(session)[0]["run_id"]) as text:
            text.read_type("assistant_delta", 10)
        town.server.kill() if hard else town.server.stop()
        assert stream.read_to_end().end == "unclean", "a cut stream must not look complete"
    town.server.start()
    steps = Steps(town.alice.api)
    walk = walk_of(stream.frames + steps.rest(session, stream.last_id))
    assert walk.bytes == joined(steps.replay(walk.run)), "no frame lost, none twice"
    assert walk.output == WORDS and len(steps.runs(session)) == 1
    assert steps.messages(session) == [("user", STORY), ("assistant", WORDS)]


@HARD
@pytest.mark.clause("STEPS-31", "STEPS-23")
@pytest.mark.fault(18, 30)
def test_a_restart_while_it_waits(new_town, hard):
    town = new_town()
    steps = Steps(town.alice.api)
    session = steps.session("asks")
    stream, approval = ask_to_write(steps, session)
    with stream:
        town.server.restart(hard=hard)
        stream.read_to_end()
    steps = Steps(town.alice.api)
    with steps.send(session, last=stream.last_id) as rest:
        assert steps.api.approve(session, approval).status == 200
        walk = walk_of(stream.frames + rest.read_to_end().frames)
    assert walk.bytes == joined(steps.replay(walk.run))
    assert walk.types == ["message", "planning", "action", "final", "done"]
    assert list(steps.api.files(session)) == ["a.md"]


# ---- asking once ----

@pytest.mark.clause("STEPS-29", "COMMON-21", "COMMON-22", "COMMON-63")
def test_the_same_key_is_the_same_run(steps):
    session, key = steps.session("slow"), [(KEY, "once-1")]
    query = "say exactly: " + "word " * 30 + "end"
    with steps.stream(session, query, headers=key) as stream:
        stream.read_frames(1)
        with steps.post(session, query, headers=key) as again:
            assert again.read_frames(1)[0].raw == stream.frames[0].raw, "from its first frame"
        walk = walk_of(stream.read_to_end().frames)
    assert steps.walk(steps.link(session, query, headers=key)).bytes == walk.bytes
    assert steps.walk(steps.post(session, query, headers=key)).bytes == walk.bytes
    assert len(steps.runs(session)) == 1 and len(steps.messages(session)) == 2


@pytest.mark.clause("STEPS-29", "COMMON-23", "COMMON-25")
def test_what_a_key_stands_for(steps):
    session, key = steps.session("plain"), [(KEY, "once-2")]
    walk = steps.walk(steps.link(session, "say exactly: one", headers=key))
    expect_text(steps.link(session, "say exactly: two", headers=key), 409)
    expect_text(steps.post(session, "say exactly: two", headers=key), 409)
    reply = steps.api.post(f"/sessions/{session}/messages", json={"message": "say exactly: one"}, headers=key)
    assert reply.status == 409 and reply.json["error"]["code"] == "IDEMPOTENCY_CONFLICT", "another path"
    other = steps.session("plain")
    assert steps.walk(steps.link(other, "say exactly: two", headers=key)).run != walk.run, "another session's key"
    for bad in ("", "k" * 256):
        expect_text(steps.link(session, "say exactly: hi", headers=[(KEY, bad)]), 400)
    assert len(steps.runs(session)) == 1


@pytest.mark.clause("STEPS-29", "COMMON-22")
def test_one_key_at_the_same_moment(steps):
    session = steps.session("plain")
    walks = at_once(8, lambda i: steps.walk(steps.post(session, "say exactly: once", headers=[(KEY, "race")])).bytes)
    assert len(set(walks)) == 1 and len(steps.runs(session)) == 1


@HARD
@pytest.mark.clause("STEPS-29", "COMMON-26")
def test_keys_outlive_a_restart(new_town, hard):
    town = new_town()
    steps = Steps(town.alice.api)
    session, key = steps.session("plain"), [(KEY, "kept")]
    walk = steps.walk(steps.link(session, "say exactly: one", headers=key))
    town.server.restart(hard=hard)
    steps = Steps(town.alice.api)
    assert steps.walk(steps.link(session, "say exactly: one", headers=key)).bytes == walk.bytes
    expect_text(steps.link(session, "say exactly: two", headers=key), 409)
    assert len(steps.runs(session)) == 1


# ---- retention ----

@pytest.mark.clause("STEPS-30", "COMMON-55")
def test_past_retention(new_server):
    server = new_server(arguments=["--retention", "1s"])
    steps = Steps(server.api)
    session, key = steps.session("auto"), [(KEY, "k")]
    walk = steps.walk(steps.link(session, HAIKU, headers=key))
    assert steps.steps(session)

    def gone():
        answer = steps.send(session, last=walk.frames[0].id)
        if isinstance(answer, Stream):
            answer.close()
            return None
        return answer
    expect_text(wait_for(gone, "the events to go"), 410)
    expect_text(steps.send(session, last=walk.frames[-1].id), 410)
    expect_text(steps.link(session, HAIKU, headers=key), 410)
    assert len(steps.messages(session)) == 2, "what was said stays"
    assert steps.steps(session) == [] and steps.tokens(session)["total_tokens"] > 0
    assert steps.ask("say exactly: still here", session).output == "still here"


# ---- draining ----

@pytest.mark.clause("COMMON-59", "COMMON-48", "STEPS-36")
@pytest.mark.fault(31)
def test_a_server_that_stops_takes_no_new_question(new_server):
    server = new_server(limits={"drain_grace": 1500})
    steps = Steps(server.api)
    session, other = steps.session("very-slow"), steps.session("asks")
    with steps.stream(session, "a long story about lighthouses") as stream:
        stream.read_frames(1)
        server.signal()
        wait_for(lambda: server.api.call("GET", "/ready").status == 503, "the server to drain")
        for refused in (steps.link(other, "say exactly: hi"), steps.post(other, "say exactly: hi")):
            expect_text(refused, 503)
            assert int(refused.header("retry-after")) >= 1
        assert stream.read_to_end().end == "unclean"
    assert server.wait_exit() == 0
    server.start()
    assert Steps(server.api).runs(other) == []
