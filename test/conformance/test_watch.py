"""The log of a run as it is, and many runs in one stream."""
import random
import time

import pytest

from braid_client.frames import KEEPALIVE
from braid_client.ids import UNKNOWN_ULID, uuid_of
from braid_client.people import Person, bearer, cookie
from braid_client.waiting import wait_for
from braid_client.watching import (SHORT, begin, check_log, finished, frames_of, long_runs, open_log, read_log, try_watch,
                                   watch)
from braid_client.wire import Stream

UNKNOWN = "run_" + UNKNOWN_ULID
LONG = "a long story about rivers"
ODD = 'one\u0085two\u2028three "four" \\ 😀\n\nevent: over run\nid: evt_1\ndata: {"type":"done"}\n\nend'


def expect_refused(reply, status, words=""):
    assert not isinstance(reply, Stream), "a stream"
    assert reply.status == status and set(reply.json) == {"error"} and words in reply.json["error"], reply


# ---- the log of a run ----

@pytest.mark.clause("LOG-1")
def test_a_log_has_every_event(api):
    session, run, approval = api.ask_to_write(agent="asks")
    api.approve(session, approval)
    api.wait_over(session, run)
    frames = read_log(api, run)
    check_log(frames)
    types = [frame.type for frame in frames]
    assert types[:2] == ["run.queued", "run.started"] and types[-1] == "run.completed"
    for name in ("tool.call.ready", "input.requested", "input.given", "tool.started", "tool.finished", "step.finished"):
        assert name in types, name
    assert frames[0].data["text"] == "Write a haiku about rivers to haiku.md"
    times = [(frame.data["at"], frame.data["elapsed_ms"]) for frame in frames]
    assert times == sorted(times) and abs(times[0][0] / 1000 - time.time()) < 300


@pytest.mark.clause("LOG-1")
def test_odd_text_stays_in_its_frame(api):
    run = finished(api, "say exactly: " + ODD)
    said = "".join(frame.data["text"] for frame in read_log(api, run) if frame.type == "text.delta")
    assert said == ODD


@pytest.mark.clause("LOG-2")
def test_a_log_is_live_and_ends_with_its_run(api):
    session = api.session(agent="very-slow")
    run = api.start(session, LONG)
    with open_log(api, run) as stream:
        stream.read_until(lambda s: any(frame.type == "text.delta" for frame in s.frames), "a word")
        assert api.look(session, run)["status"] == "running"
        api.interrupt(session, run)
        stream.read_to_end()
    assert stream.end == "clean" and stream.frames[-1].type == "run.interrupted"
    check_log(stream.frames)


@pytest.mark.clause("LOG-2")
def test_every_place_of_a_log_can_be_resumed_from(api):
    run = finished(api)
    whole = read_log(api, run)
    for index, frame in enumerate(whole[:-1]):
        rest = [each.raw for each in whole[index + 1:]]
        assert [each.raw for each in read_log(api, run, last=frame.id)] == rest
        assert [each.raw for each in read_log(api, run, query=f"?last_event_id={frame.id}")] == rest
    reply = open_log(api, run, last=whole[-1].id)
    assert not isinstance(reply, Stream) and reply.status == 204
    for other in (read_log(api, finished(api))[2].id, "nonsense"):
        assert len(read_log(api, run, last=other)) == len(whole)


@pytest.mark.clause("LOG-2")
def test_a_client_may_change_over_from_a_contract(api):
    done = api.run("say exactly: one two three")
    seen = done.frames[1]
    rest = read_log(api, done.run_id, last=seen.id)
    assert rest[0].data["sequence"] == int(seen.id.rsplit("_", 1)[1]) + 1


@pytest.mark.clause("LOG-3")
def test_a_log_that_may_not_be_seen(town):
    run = finished(town.alice.api)
    expect_refused(open_log(town.bob.api, run), 404, "Run not found")
    expect_refused(open_log(town.alice.api, UNKNOWN), 404, "Run not found")
    expect_refused(open_log(town.alice.api, "nonsense"), 404, "Run not found")
    expect_refused(open_log(town.nobody, run), 401)
    assert [frame.raw for frame in read_log(town.ada.api, run)] == [frame.raw for frame in read_log(town.alice.api, run)]


@pytest.mark.clause("LOG-3", "LOG-7")
def test_a_log_past_its_retention(new_server):
    api = new_server(arguments=["--retention", "1s"]).api
    run = finished(api)

    def gone():
        answer = open_log(api, run)
        if isinstance(answer, Stream):
            return answer.close()
        return answer
    expect_refused(wait_for(gone, "the events to go"), 410)
    with watch(api, ("log", run)) as stream:
        assert stream.read_type(f"refused {run}").data == {"view": "log", "status": 410,
                                                           "error": "The events of this run are gone"}


# ---- many runs ----

@pytest.mark.clause("LOG-4", "LOG-5", "LOG-6")
def test_several_runs_in_one_stream(api):
    runs = [begin(api, SHORT, "slow") for _ in range(3)] + [finished(api)]
    with watch(api, *(("log", run) for run in runs), ("all", runs[0])) as stream:
        for run in runs:
            stream.read_type(f"over {run}", 2 if run == runs[0] else 1, timeout=60)
    first = stream.frames[0]
    assert first.type == "hello" and set(first.data) == {"version", "user_id", "is_admin"}
    assert stream.reply.header("content-type") == "text/event-stream" and stream.reply.header("cache-control") == "no-cache"
    for run in runs:
        frames = frames_of(stream, run)
        check_log(frames)
        own = read_log(api, run)
        assert [frame.raw for frame in frames] == [f"event: log {run}\n".encode() + frame.raw for frame in own]
        names = [frame.type.split()[0] for frame in stream.frames
                 if run in frame.type and frame.data.get("view", "log") == "log" and not frame.type.startswith("all")]
        assert names.count("caught-up") == 1 and names[-1] == "over" and names.count("over") == 1
    every = frames_of(stream, runs[0], "all")
    assert {frame.data["contract"] for frame in every} == {"steps", "runs", "chat", "conversation", "tasks"}
    told = "".join(frame.data["frame"] for frame in every if frame.data["contract"] == "runs")
    assert told.encode() == b"".join(frame.raw for frame in api.read(api.get(f"/runs/{runs[0]}").json["session_id"], runs[0]))


@pytest.mark.clause("LOG-4", "LOG-5")
def test_every_spelling_of_a_run_is_shown_in_one(api):
    run = finished(api)
    ulid = run.removeprefix("run_")
    with watch(api, *(("log", name) for name in (run, ulid, ulid.lower(), uuid_of(ulid)))) as stream:
        stream.read_type(f"over {run}", 4)
    assert {frame.type for frame in stream.frames} == {"hello", f"log {run}", f"caught-up {run}", f"over {run}"}


@pytest.mark.clause("LOG-6")
def test_caught_up_comes_when_the_past_is_delivered(api):
    session, run, approval = api.ask_to_write(agent="asks")
    log_so_far = 0
    with watch(api, ("log", run)) as stream:
        stream.read_type(f"caught-up {run}")
        log_so_far = len(frames_of(stream, run))
        assert frames_of(stream, run)[-1].data["type"] == "input.requested"
        api.approve(session, approval)
        stream.read_type(f"over {run}")
    check_log(frames_of(stream, run))
    assert len(frames_of(stream, run)) > log_so_far


@pytest.mark.clause("LOG-4")
def test_positions_give_each_event_once(api):
    """Cut off again and again at places of chance, and back with the positions of each run."""
    runs = [begin(api, SHORT, "slow") for _ in range(3)]
    seen = {run: [] for run in runs}
    over, dice = set(), random.Random(7)
    while len(over) < len(runs):
        watches = [("log", run, *([seen[run][-1].id] if seen[run] else [])) for run in runs]
        with watch(api, *watches) as stream:
            wanted = 1 + dice.randrange(40)
            stream.read_until(lambda s: len(s.frames) >= wanted or sum("over" in f.type for f in s.frames) == 3, "frames")
            dice.choice((stream.close, stream.connection.reset))()
        for run in runs:
            seen[run] += frames_of(stream, run)
            over |= {run} if any(frame.type == f"over {run}" for frame in stream.frames) else set()
    for run in runs:
        check_log(seen[run])
        assert len(seen[run]) == len(read_log(api, run))


@pytest.mark.clause("LOG-6")
def test_a_run_that_is_known_to_its_end_is_over_at_once(api):
    run = finished(api)
    last = read_log(api, run)[-1].id
    with watch(api, ("log", run, last)) as stream:
        stream.read_type(f"over {run}")
    assert [frame.type for frame in stream.frames] == ["hello", f"caught-up {run}", f"over {run}"]


@pytest.mark.clause("LOG-7")
def test_what_may_not_be_seen_is_refused_and_the_rest_goes_on(town):
    hers, his = finished(town.alice.api), begin(town.bob.api, SHORT, "slow")
    with watch(town.bob.api, ("log", hers), ("log", UNKNOWN), ("log", "nonsense"), ("log", his)) as stream:
        stream.read_type(f"over {his}", timeout=60)
    for run in (hers, UNKNOWN, "nonsense"):
        assert stream.read_type(f"refused {run}").data == {"view": "log", "status": 404, "error": "Run not found"}
        assert not frames_of(stream, run)
    check_log(frames_of(stream, his))
    with watch(town.ada.api, ("log", hers)) as stream:
        stream.read_type(f"over {hers}")
    assert stream.frames[0].data == {"version": stream.frames[0].data["version"], "user_id": town.ada.user_id,
                                     "is_admin": True}
    expect_refused(try_watch(town.nobody, ("log", hers)), 401)


@pytest.mark.clause("LOG-8")
def test_what_is_no_watch(api):
    run = finished(api)
    event = read_log(api, run)[0].id
    for view in ("runs", "chat", "steps", "conversation", "tasks", "nonsense", ""):
        expect_refused(try_watch(api, (view, run)), 400, "`watch`")
    for watches in (("log",), ("log", ""), ("log", "a%0Aevent:over"), ("log", run, "evt_1"), ("log", run, ""),
                    ("log", UNKNOWN, event), ("log", run, event, "more")):
        expect_refused(try_watch(api, watches), 400, "`watch`")
    for query in ("notices=yes", "scope=mine", "watch=%ff"):
        expect_refused(api.call("GET", "/watch?" + query), 400)
    expect_refused(api.call("POST", "/watch"), 405)
    expect_refused(try_watch(api, *[("log", run)] * 33), 400, "at most 32")
    with watch(api, *[("log", run)] * 32) as stream:
        stream.read_type(f"over {run}", 32)


@pytest.mark.clause("LOG-9", "LOG-8")
def test_a_stream_without_an_end(new_server):
    api = new_server(limits={"keepalive_interval": 200}).api
    run = finished(api)
    with watch(api, ("log", run)) as stream, watch(api) as empty:
        for each in (stream, empty):
            each.read_until(lambda s: s.reader.keepalives >= 3, "silence")
            assert not each.end
        assert KEEPALIVE in empty.payload and [frame.type for frame in empty.frames] == ["hello"]


@pytest.mark.clause("LOG-9")
@pytest.mark.parametrize("ending", ["logout", "revoke"])
def test_a_stream_ends_with_its_credential(town, ending):
    carol = Person(town.server, f"carol-{ending}")
    key, key_id = carol.new_key()
    credential = cookie(carol.log_in()) if ending == "logout" else bearer(key)
    api = town.server.api.showing(credential)
    run = begin(carol.api, LONG, "very-slow")
    with watch(api, ("log", run), notices=True) as stream, watch(carol.api, ("log", run)) as other:
        stream.read_type(f"caught-up {run}")
        if ending == "logout":
            assert api.call("POST", "/auth/logout").status == 204
        else:
            carol.revoke(key_id)
        stream.read_to_end(10)
        assert stream.end == "unclean"
        other.read_frames(len(other.frames) + 3)
        assert not other.end, "the same person's other credential goes on"
    expect_refused(try_watch(api, ("log", run)), 401)
    carol.api.call("POST", f"/sessions/{carol.api.get(f'/runs/{run}').json['session_id']}/interrupt")


@pytest.mark.clause("LOG-9")
def test_a_server_that_is_killed_and_comes_back(new_server):
    """The page goes on where it was: nothing twice, nothing missing, whatever the crash made of the runs."""
    server = new_server()
    runs = [begin(server.api, SHORT, "slow") for _ in range(3)]
    session, waiting, approval = server.api.ask_to_write(agent="asks")
    runs.append(waiting)
    seen = {run: [] for run in runs}
    stream = watch(server.api, *(("log", run) for run in runs), notices=True)
    stream.read_until(lambda s: all(len(frames_of(s, run)) > 5 for run in runs), "some of each")
    server.kill()
    stream.read_to_end()
    assert stream.end == "unclean"
    for run in runs:
        seen[run] += frames_of(stream, run)
    server.start()
    with watch(server.api, *(("log", run, seen[run][-1].id) for run in runs), notices=True) as stream:
        stream.read_type(f"caught-up {waiting}")
        assert server.api.approve(session, approval).status == 200
        for run in runs:
            stream.read_type(f"over {run}", timeout=60)
    for run in runs:
        seen[run] += frames_of(stream, run)
        check_log(seen[run])
        own = read_log(server.api, run)
        assert [frame.data for frame in seen[run]] == [frame.data for frame in own]


@pytest.mark.clause("LOG-9")
def test_a_server_that_stops_cuts_the_stream(new_server):
    server = new_server()
    with watch(server.api, ("log", finished(server.api)), notices=True) as stream:
        stream.read_frames(3)
        began = time.monotonic()
        server.stop()
        assert time.monotonic() - began < 3, "nobody waits for a stream that does not end"
        stream.read_to_end()
    assert stream.end == "unclean"
    server.start()


@pytest.mark.clause("LOG-10")
@pytest.mark.fault(3)
def test_a_slow_reader_loses_nothing_and_costs_little(new_server):
    server = new_server()
    api = server.api
    [run] = long_runs(api, 1)
    before = server.memory()
    with watch(api, *[("log", run)] * 4, *[("all", run)] * 2, receive_buffer=4096) as stream:
        stream.read_frames(1)
        time.sleep(0.5)  # it does not read: whatever is to grow has the time to
        grown = server.memory() - before
        over = looked_at = 0
        while over < 6:
            assert stream.pump()
            over += sum(frame.type == f"over {run}" for frame in stream.frames[looked_at:])
            looked_at = len(stream.frames)
    whole = [frame.raw for frame in read_log(api, run)]
    assert len(frames_of(stream, run)) == 4 * len(whole)
    assert {frame.raw.partition(b"\n")[2] for frame in frames_of(stream, run)} == set(whole)
    assert grown < len(stream.payload) / 2, f"{grown} bytes for a stream of {len(stream.payload)}"
