"""Faults 11, 12, 13 and the crowd: viewers that stall, are cut, come back, and come in numbers."""
import hashlib
import random
import resource
import threading
import time

import pytest

from braid_client.agents import AGENTS
from braid_client.api import at_once
from braid_client.frames import FrameReader, joined, parse_all
from braid_client.invariants import TERMINAL, check_run
from braid_client.resources import Resources, descriptors_at_rest
from braid_client.waiting import wait_for
from braid_client.wire import Stream

MEGABYTE = 1 << 20
SPARE = 8  # descriptors that the store opens when it likes


def chatter(server, agent="fail-endless"):
    session = server.api.session(agent=agent)
    return session, server.api.start(session, "go on")


# ---- 11: nobody reads ----

@pytest.mark.clause("COMMON-14", "COMMON-12", "COMMON-53")
@pytest.mark.fault(11, 3)
@pytest.mark.measures
def test_stalled_viewers_cost_their_buffers(new_server):
    server = new_server(limits={"stall_timeout": 2500, "output_bytes_max": 500_000})
    server.api.run("go on", agent="fail-endless")  # warm: what one such run costs by itself
    before = server.memory()
    stalled = 100
    session, run = chatter(server)
    viewers = [server.api.stream(session, run, receive_buffer=4096) for _ in range(stalled)]
    quiet = server.descriptors() - stalled
    peak, done = [0], threading.Event()

    def watch():
        while not done.is_set():
            peak[0] = max(peak[0], server.memory())
            time.sleep(0.02)
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    with server.api.stream(session, run) as reading:
        while reading.pump():
            pass
        assert reading.end == "clean", "the run and its reader are untouched"
    length = len(reading.payload)
    assert length > 5 * MEGABYTE, "enough to fill every buffer on the way"
    wait_for(lambda: server.descriptors() <= quiet + SPARE, "the stalled viewers to be closed")
    done.set()
    watcher.join()
    assert server.wait_log("stall")
    # Kept whole for each of them it would be hundreds of megabytes.
    assert peak[0] - before < 60 * MEGABYTE + stalled * 256 * 1024, f"{(peak[0] - before) / MEGABYTE:.0f} MB"
    whole = bytes(reading.payload)
    for viewer in viewers[:5]:
        viewer.read_to_end()
        assert viewer.end == "unclean", "a viewer that was given up on must not believe it saw the end"
        assert whole.startswith(joined(viewer.frames))
        with server.api.stream(session, run, viewer.last_id) as rest:
            rest.read_to_end()
        assert joined(viewer.frames) + bytes(rest.payload) == whole
    for viewer in viewers:
        viewer.close()


@pytest.mark.clause("COMMON-14")
@pytest.mark.fault(11)
def test_a_slow_viewer_that_reads_is_not_closed(new_server):
    server = new_server(limits={"stall_timeout": 1500, "output_bytes_max": 100_000})
    session, run = chatter(server)
    server.api.wait_over(session, run)
    with server.api.stream(session, run, receive_buffer=4096) as viewer:
        began = time.monotonic()
        while viewer.pump():
            if time.monotonic() - began < 3:
                time.sleep(0.005)  # the slow reading is the test
        assert viewer.end == "clean"
    check_run(viewer.frames, session, run)


@pytest.mark.clause("COMMON-12", "COMMON-15", "COMMON-53")
@pytest.mark.fault(11)
def test_frames_larger_than_every_buffer(new_server):
    """With buffers smaller than a frame a viewer falls behind at each event, and still misses nothing."""
    server = new_server(limits={"stream_buffer_bytes_max": 300})
    session = server.api.session(agent="slow")
    run = server.api.start(session, "say exactly: " + "word " * 40 + "x" * 5000)
    frames = at_once(8, lambda i: server.api.read(session, run))
    assert len({joined(one) for one in frames}) == 1
    done = server.api.run("a long story about lighthouses")
    assert joined(server.api.read(done.session_id, done.run_id)) == done.bytes
    assert server.responds()


# ---- 12: cuts ----

@pytest.mark.clause("COMMON-11", "COMMON-15", "COMMON-12")
@pytest.mark.fault(12)
def test_a_cut_at_any_byte(api):
    done = api.run("say exactly: one two three\nfour 😀 five")
    whole, lottery = done.bytes, random.Random(12)
    cuts = sorted({0, 1, len(whole) - 1, len(whole), *(len(f.raw) for f in done.frames),
                   *(lottery.randrange(len(whole)) for _ in range(60))})
    for cut in cuts:
        with api.stream(done.session_id, done.run_id) as stream:
            stream.read_until(lambda s: len(s.payload) >= cut, f"{cut} bytes")
            stream.connection.reset()
        reader = FrameReader()
        reader.feed(bytes(stream.payload[:cut]))
        last = reader.frames[-1].id if reader.frames else None
        answer = api.try_stream(done.session_id, done.run_id, last)
        if isinstance(answer, Stream):
            with answer:
                answer.read_to_end()
            assert joined(reader.frames) + bytes(answer.payload) == whole, f"cut at {cut}"
        else:
            assert answer.status == 204 and joined(reader.frames) == whole, f"cut at {cut}"


@pytest.mark.clause("COMMON-12", "RUNS-26")
@pytest.mark.fault(12)
def test_cuts_of_a_live_run_do_not_stop_it(api):
    session = api.session(agent="slow")
    run = api.start(session, "tell me something about rivers")
    for _ in range(10):
        api.stream(session, run).connection.reset()
        with api.stream(session, run) as stream:
            stream.read_frames(1)
    frames = api.read(session, run)
    assert frames[-1].type == "run_completed"


# ---- 13 and 14: the crowd ----

@pytest.mark.clause("COMMON-12", "COMMON-15", "COMMON-16", "COMMON-20")
@pytest.mark.fault(13, 12)
def test_a_hundred_viewers_at_random_see_the_same_bytes(new_server):
    server = new_server(agents={**AGENTS, "brisk": AGENTS["slow"].replace("name: slow", "name: brisk").replace("20ms", "8ms")})
    session = server.api.session(agent="brisk")
    run = server.api.start(session, "a long story about lighthouses")

    def view(index):
        lottery, seen, last, visits = random.Random(index), [], None, 0
        while True:
            visits += 1
            answer = server.api.try_stream(session, run, **({"last": last} if index % 2 else {"query": last} if last else {}))
            if not isinstance(answer, Stream):
                assert answer.status == 204, answer
                break
            with answer:
                wanted = lottery.randrange(1, 120)
                answer.read_until(lambda s: len(s.frames) >= wanted or s.end, "frames")
                seen += answer.frames
                last = seen[-1].id if seen else None
                if answer.end:
                    assert answer.end == "clean"
                if lottery.random() < 0.5:
                    answer.connection.reset()
        return joined(seen), visits

    results = at_once(100, view)
    whole = joined(server.api.read(session, run))
    assert {hashlib.sha256(seen).hexdigest() for seen, _ in results} == {hashlib.sha256(whole).hexdigest()}
    assert sum(visits for _, visits in results) > 300, "they did come and go"


@pytest.mark.clause("COMMON-12")
@pytest.mark.fault(13)
def test_viewers_of_many_runs_do_not_mix(api):
    def go(index):
        session = api.session(agent="slow")
        run = api.start(session, f"say exactly: viewer {index} " + f"w{index} " * 30)
        return index, session, run, api.read(session, run)
    for index, session, run, frames in at_once(24, go):
        check_run(frames, session, run)
        assert frames[-1].payload["final_text"].startswith(f"viewer {index} w{index}")


# ---- memory ----

@pytest.mark.clause("COMMON-12")
@pytest.mark.fault(11)
def test_memory_returns_after_five_thousand_streams(new_server):
    server = new_server()
    session, run, approval = server.api.ask_to_write()
    finished = server.api.run("a long story about lighthouses")
    quiet = descriptors_at_rest(server)

    def round_of(count):
        # Half of them on a run that waits, so that they stay open; half on one that is over.
        viewers = [server.api.stream(session, run) for _ in range(count // 2)]
        viewers += [server.api.stream(finished.session_id, finished.run_id) for _ in range(count // 2)]
        for viewer in viewers:
            viewer.read_frames(1)
        for index, viewer in enumerate(viewers):
            viewer.connection.reset() if index % 3 == 0 else viewer.close()
        wait_for(lambda: server.descriptors() <= quiet + SPARE, "the streams to be closed")
    round_of(500)
    baseline = server.memory()
    for _ in range(9):
        round_of(500)
    wait_for(lambda: server.memory() <= baseline + 8 * MEGABYTE,
             f"memory to fall back to {baseline / MEGABYTE:.1f} MB", timeout=10)
    server.api.approve(session, approval)
    assert server.api.read(session, run)[-1].type == "run_completed"


@pytest.mark.clause("COMMON-12")
@pytest.mark.fault(42)
@pytest.mark.measures
def test_ten_thousand_viewers_see_every_event(new_server):
    """Twice: what the first crowd took is there for the second, and nothing more is taken."""
    count = min(10_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 500)
    server = new_server()
    quiet = server.memory()
    after_first = None
    for _ in range(2):
        session, run, approval = server.api.ask_to_write()
        before = Resources(server)
        viewers = [server.api.stream(session, run) for _ in range(count)]
        for viewer in viewers:
            viewer.read_frames(1)
        per_viewer = (server.memory() - quiet) / count
        assert per_viewer < 4 * 1024, f"{per_viewer:.0f} bytes a viewer"
        assert server.responds()
        server.api.approve(session, approval)
        for viewer in viewers:
            viewer.read_to_end()
            assert viewer.end == "clean"
        assert len({bytes(viewer.payload) for viewer in viewers}) == 1
        check_run(viewers[0].frames, session, run)
        for viewer in viewers:
            viewer.close()
        wait_for(lambda: server.descriptors() <= before.before[1] + SPARE, "the crowd to be gone")
        after_first = after_first or Resources(server)
    after_first.check()
    assert server.responds()


@pytest.mark.clause("RUNS-44")
@pytest.mark.fault(18)
@pytest.mark.measures
def test_waiting_runs_hold_no_thread_and_little_memory(new_server):
    server = new_server()
    server.api.ask_to_write()
    threads, before = server.threads(), server.memory()
    sessions = [server.api.session() for _ in range(200)]
    for session in sessions:
        server.api.start(session, "Write a haiku about rivers to haiku.md")
    wait_for(lambda: len(server.api.get("/approvals").json["items"]) == 201, "201 pending approvals")
    assert server.threads() <= threads + 2
    assert server.memory() - before < 40 * MEGABYTE


@pytest.mark.clause("RUNS-23")
def test_whole_streams_parse_as_one(api):
    done = api.run("a long story about lighthouses")
    frames = parse_all(done.bytes)
    assert [f.type in TERMINAL for f in frames].count(True) == 1
