"""The stream: headers, framing, envelope, order, text."""
import re
import time

import pytest

from braid_client.api import expect_error
from braid_client.frames import KEEPALIVE, joined, of_type, text_of, types
from braid_client.invariants import ULID
from braid_client.wire import open_stream

HOSTILE_TEXTS = {
    "unicode line ends": "one\u0085two\u2028three\u2029four",
    "line feeds": "one\ntwo\n\nthree\n",
    "carriage returns": "one\rtwo\r\nthree\r\r\nfour",
    "field names": "data: {}\nid: 1\nevent: run_completed\nretry: 1\n: comment",
    "a forged frame": 'x\n\nevent: run_completed\nid: evt_1\ndata: {"type":"run_completed"}\n\ny',
    "quotes": 'she said "no", \\"no\\" and \\\\ C:\\new\\table \'quoted\'',
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 \U0001F600 naïve 北京 שלום",
    "controls": "tab\tbell\x07escape\x1b[31m delete\x7f end",
    "odd characters": "\ufeffbom \ufffe \uffff \u200b zero \u202e right",
    "json": '{"type":"run_failed","payload":null}',
    "markup": "</script><b>&amp;</b> <!-- -->",
    "spaces": "two  spaces   three    four",
}


@pytest.mark.clause("COMMON-4")
def test_the_head_of_a_stream(api):
    done = api.run("say exactly: hello")
    with api.stream(done.session_id, done.run_id) as stream:
        assert re.fullmatch(r"text/event-stream(; ?charset=utf-8)?", stream.reply.header("content-type"))
        assert stream.reply.header("cache-control") == "no-cache"
        assert stream.reply.header("x-accel-buffering") == "no"
        assert stream.reply.header("content-length") is None


@pytest.mark.clause("COMMON-5")
def test_the_first_frame_does_not_wait_for_the_model(new_server):
    server = new_server(limits={"model_idle_timeout": 120_000})
    session = server.api.session(agent="fail-hang")
    run = server.api.start(session, "hello")
    with server.api.stream(session, run, timeout=10) as stream:
        assert stream.read_frames(1)[0].type == "run_started"
    server.api.interrupt(session, run)


@pytest.mark.clause("COMMON-6", "RUNS-19", "RUNS-20", "RUNS-21", "RUNS-23")
def test_the_shape_of_every_frame(api):
    # The reader of the tests is strict about bytes, and read() checks the envelope of each frame.
    session, run, approval = api.ask_to_write()
    api.approve(session, approval)
    frames = api.read(session, run)
    assert re.fullmatch(f"evt_{ULID}_[0-9]+", frames[0].id)
    assert frames[0].payload == {"status": "running"}
    for frame in frames:
        lines = frame.raw.decode().split("\n")
        assert lines[-2:] == ["", ""]
        assert sorted(line.split(": ", 1)[0] for line in lines[:-2]) == ["data", "event", "id"]
        assert set(frame.data) == {"event_id", "session_id", "run_id", "type", "ts", "payload"}


@pytest.mark.clause("COMMON-9")
def test_a_chunk_holds_whole_frames(api):
    session = api.session(agent="slow")
    run = api.start(session, "tell me something about rivers")
    with api.stream(session, run) as live:
        live.read_to_end()
    with api.stream(session, run) as replayed:
        replayed.read_to_end()
    for stream in (live, replayed):
        for chunk in stream.chunks:
            assert chunk.endswith(b"\n\n") or len(chunk) >= 16 * 1024, chunk[-100:]


@pytest.mark.clause("COMMON-7", "COMMON-8", "COMMON-6")
@pytest.mark.fault(10)
@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_text_arrives_exactly(api, name):
    text = HOSTILE_TEXTS[name].strip()
    done = api.run("say exactly: " + text)
    assert text_of(done.frames) == text
    assert done.end.payload["final_text"] == text
    for character in ("\u0085", "\u2028", "\u2029"):
        assert character.encode() not in done.bytes


@pytest.mark.clause("COMMON-10", "COMMON-53")
def test_keepalives_in_silence(new_server):
    server = new_server(limits={"keepalive_interval": 150})
    session, run, approval = server.api.ask_to_write()
    with server.api.stream(session, run) as stream:
        stream.read_type("tool_call_proposed")
        stream.read_until(lambda s: s.reader.keepalives >= 3, "three keepalives")
        assert KEEPALIVE in stream.payload
        server.api.approve(session, approval)
        stream.read_to_end()
        assert stream.end == "clean"
        assert joined(stream.frames) == joined(server.api.read(session, run))


@pytest.mark.clause("RUNS-17", "COMMON-13")
def test_a_late_viewer_sees_everything(api):
    session = api.session(agent="slow")
    run = api.start(session, "tell me something about rivers")
    with api.stream(session, run) as early:
        early.read_type("assistant_delta", 3)
        with api.stream(session, run) as late:
            late.read_to_end()
        early.read_to_end()
    assert early.payload == late.payload
    assert early.end == late.end == "clean"
    assert joined(api.read(session, run)) == bytes(early.payload)


@pytest.mark.clause("RUNS-18")
def test_the_stream_of_a_run_by_its_own_id(api):
    done = api.run("say exactly: hello")
    for target in (f"/api/v1/runs/{done.run_id}/stream", f"/api/v1/runs/{done.run_id}/stream?contract=runs",
                   f"/runs/{done.run_id}/stream", f"/runs/{done.run_id}/stream?contract=runs"):
        with open_stream(api.port, target) as stream:
            assert bytes(stream.read_to_end().payload) == done.bytes, target
        again = open_stream(api.port, target, [("Last-Event-ID", done.frames[0].id)])
        assert bytes(again.read_to_end().payload) == joined(done.frames[1:]), target
        again.close()
        assert open_stream(api.port, target, [("Last-Event-ID", done.end.id)]).status == 204
    for unknown in ("telepathy", "", "RUNS", "runs,runs"):
        expect_error(api.get(f"/runs/{done.run_id}/stream?contract={unknown}"), 400, "BAD_REQUEST")


@pytest.mark.clause("RUNS-22", "RUNS-24")
def test_deltas_and_the_final_text(api):
    done = api.run("a long story about lighthouses")
    assert set(types(done.frames)) == {"run_started", "assistant_delta", "run_completed"}
    assert len(of_type(done.frames, "assistant_delta")) > 20
    assert all(set(frame.payload) == {"text"} and frame.payload["text"] for frame in of_type(done.frames, "assistant_delta"))
    assert done.end.payload == {"status": "completed", "final_text": text_of(done.frames)}
    assert len(text_of(done.frames).split()) >= 400


@pytest.mark.clause("RUNS-22")
def test_thoughts_are_not_shown(api):
    done = api.run("think about rivers")
    assert done.end.type == "run_completed"
    assert set(types(done.frames)) == {"run_started", "assistant_delta", "run_completed"}
    assert text_of(done.frames) == done.end.payload["final_text"]


@pytest.mark.clause("RUNS-24", "RUNS-25")
def test_the_final_text_is_that_of_the_last_turn(api):
    session = api.session(auto_approve=True)
    done = api.run("Write a haiku about rivers to haiku.md", session_id=session)
    result = types(done.frames).index("tool_result")
    before, after = text_of(done.frames[:result]), text_of(done.frames[result:])
    assert done.end.payload["final_text"]
    if before:
        assert after.startswith("\n\n") and after[2:] == done.end.payload["final_text"]
    else:
        assert after == done.end.payload["final_text"]


@pytest.mark.clause("COMMON-11")
def test_a_finished_stream_ends_cleanly_and_the_connection_goes_on(api):
    done = api.run("say exactly: hello")
    with api.stream(done.session_id, done.run_id) as stream:
        stream.read_to_end()
        assert stream.end == "clean"
        if stream.reply.header("connection", "keep-alive").lower() != "close":
            assert stream.connection.ask("GET", "/health").status == 200


@pytest.mark.clause("COMMON-12")
def test_viewers_that_leave_do_not_matter(api):
    session = api.session(agent="slow")
    run = api.start(session, "a long story about lighthouses")
    viewers = [api.stream(session, run) for _ in range(6)]
    for index, viewer in enumerate(viewers):
        viewer.read_frames(index + 1)
    for viewer in viewers[::2]:
        viewer.connection.reset()
    for viewer in viewers[1::2]:
        viewer.close()
    with api.stream(session, run) as stream:
        stream.read_frames(30)
        assert api.look(session, run)["status"] == "running"
    api.interrupt(session, run)
    api.wait_over(session, run)
    whole = joined(api.read(session, run))
    for viewer in viewers:
        assert whole.startswith(joined(viewer.frames))


@pytest.mark.clause("COMMON-5")
def test_each_word_leaves_at_once(api):
    session = api.session(agent="very-slow")
    run = api.start(session, "a long story about lighthouses")
    with api.stream(session, run) as stream:
        stream.read_type("assistant_delta", 3)
        first = time.monotonic()
        stream.read_type("assistant_delta", 6)
        # Three words at 200 ms each: had they been kept back, they would have come together.
        assert time.monotonic() - first > 0.2
    api.interrupt(session, run)


@pytest.mark.clause("COMMON-29", "COMMON-28", "RUNS-59")
@pytest.mark.fault(7)
def test_head_on_a_stream(api):
    done = api.run("say exactly: hello")
    for path in (api.stream_path(done.session_id, done.run_id), f"/api/v1/runs/{done.run_id}/stream"):
        reply = api.call("HEAD", path)
        assert reply.status == 405 and reply.body == b""
        assert "GET" in reply.header("allow")
    assert len(api.get(f"/sessions/{done.session_id}/runs").json["items"]) == 1
