"""Coming back: by header, by query, with good ids and bad ones."""
import pytest

from braid_client.api import at_once
from braid_client.frames import joined
from braid_client.wire import Stream, open_stream

OTHER_ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture(scope="module")
def finished(shared_server):
    """A finished run with every kind of frame in it: text, an approval, a rejection, a result."""
    api = shared_server.api
    session = api.session()
    run = api.start(session, "Write a haiku about rivers to a.md and b.md")
    first, second = api.wait_pending(session, 2)
    assert api.approve(session, first["approval_id"]).status == 200
    assert api.reject(session, second["approval_id"], json={"reason": "not now"}).status == 200
    frames = api.read(session, run)
    return session, run, frames


def rest_of(api, finished, **options):
    stream = api.try_stream(finished[0], finished[1], **options)
    assert isinstance(stream, Stream), stream
    with stream:
        stream.read_to_end()
        assert stream.end == "clean"
        return bytes(stream.payload)


@pytest.mark.clause("COMMON-15", "COMMON-16", "COMMON-13")
def test_after_every_frame_exactly_the_rest(api, finished):
    _, _, frames = finished
    assert len(frames) > 10
    for index, frame in enumerate(frames[:-1]):
        expected = joined(frames[index + 1:])
        assert rest_of(api, finished, last=frame.id) == expected, frame.id
        assert rest_of(api, finished, query=frame.id) == expected, frame.id
    assert rest_of(api, finished) == joined(frames)


@pytest.mark.clause("COMMON-15", "COMMON-16")
def test_after_every_frame_of_a_long_run(api):
    done = api.run("a long story about lighthouses")
    for index, frame in enumerate(done.frames[:-1]):
        with api.stream(done.session_id, done.run_id, frame.id) as stream:
            assert bytes(stream.read_to_end().payload) == joined(done.frames[index + 1:])
    assert api.try_stream(done.session_id, done.run_id, done.end.id).status == 204


@pytest.mark.clause("COMMON-16")
def test_nothing_left(api, finished):
    for way in ({"last": finished[2][-1].id}, {"query": finished[2][-1].id}):
        reply = api.try_stream(*finished[:2], **way)
        assert reply.status == 204
        assert reply.body == b"" and reply.header("transfer-encoding") is None


def bad_ids(frames):
    run = frames[0].id.split("_")[1]
    width = len(frames[0].id.split("_")[2])
    number = f"{2:0{width}d}"
    return ["", "x", "0", "-1", "evt_", "evt__", "null", f"evt_{OTHER_ULID}_{number}", f"evt_{run}", f"evt_{run}_",
            f"evt_{run}_{number}x", f"run_{run}_{number}", f"evt_{run}_-{number[1:]}", f"evt_{run[:-1]}_{number}",
            f"evt_{run}_{'9' * 60}", "evt_" + "9" * 5000, "../../etc/passwd", "a b c", "💥"]


@pytest.mark.clause("COMMON-17")
@pytest.mark.fault(13)
def test_an_id_that_is_not_of_this_run(api, finished):
    from urllib.parse import quote
    for bad in bad_ids(finished[2]):
        assert rest_of(api, finished, query=quote(bad)) == joined(finished[2]), f"query {bad[:80]!r}"
        if bad.isascii():
            assert rest_of(api, finished, last=bad) == joined(finished[2]), f"header {bad[:80]!r}"


@pytest.mark.clause("COMMON-17")
@pytest.mark.fault(13)
def test_an_id_of_another_run(api, finished):
    other = api.run("say exactly: other", session_id=finished[0])
    for frame in other.frames:
        assert rest_of(api, finished, last=frame.id) == joined(finished[2])


@pytest.mark.clause("COMMON-17")
@pytest.mark.fault(13)
def test_an_id_from_the_future(api, finished):
    run, number = finished[2][-1].id.split("_")[1:]
    for ahead in (1, 1000):
        future = f"evt_{run}_{int(number) + ahead:0{len(number)}d}"
        assert rest_of(api, finished, last=future) == joined(finished[2])


@pytest.mark.clause("COMMON-17")
@pytest.mark.fault(13)
def test_an_id_from_the_future_of_a_live_run_leaves_no_gap(api):
    session, run, approval = api.ask_to_write()
    with api.stream(session, run) as stream:
        proposed = stream.read_type("tool_call_proposed")
    prefix, number = proposed.id.rsplit("_", 1)
    with api.stream(session, run, f"{prefix}_{int(number) + 50:0{len(number)}d}") as stream:
        stream.read_frames(1)
        api.approve(session, approval)
        stream.read_to_end()
    assert bytes(stream.payload) == joined(api.read(session, run))


@pytest.mark.clause("COMMON-18")
@pytest.mark.fault(13)
def test_header_and_query(api, finished):
    frames = finished[2]
    assert rest_of(api, finished, last=frames[4].id, query=frames[1].id) == joined(frames[5:])
    assert rest_of(api, finished, last=frames[1].id, query=frames[4].id) == joined(frames[2:])


@pytest.mark.clause("COMMON-18")
@pytest.mark.fault(13)
def test_two_headers(api, finished):
    # Which of two counts is not promised; that the answer is one of the two, or a refusal, is.
    frames = finished[2]
    answer = api.try_stream(*finished[:2], headers=[("Last-Event-ID", frames[1].id), ("Last-Event-ID", frames[4].id)])
    if isinstance(answer, Stream):
        with answer:
            assert bytes(answer.read_to_end().payload) in (joined(frames[2:]), joined(frames[5:]), joined(frames))
    else:
        assert answer.status == 400


@pytest.mark.clause("COMMON-19")
def test_ids_of_events_that_are_not_shown(api, finished):
    frames = finished[2]
    run, last = frames[-1].id.split("_")[1:]
    for number in range(1, int(last)):
        position = f"evt_{run}_{number:0{len(last)}d}"
        expected = joined([frame for frame in frames if frame.id > position])
        assert rest_of(api, finished, last=position) == expected, position


@pytest.mark.clause("COMMON-20")
@pytest.mark.fault(13)
def test_the_same_id_again_and_at_once(api, finished):
    frames = finished[2]
    for _ in range(3):
        assert rest_of(api, finished, last=frames[3].id) == joined(frames[4:])
    for answer in at_once(12, lambda i: rest_of(api, finished, last=frames[3].id)):
        assert answer == joined(frames[4:])


@pytest.mark.clause("COMMON-37")
@pytest.mark.fault(13)
def test_an_id_of_a_megabyte(api, finished):
    for way in ({"last": "9" * (1 << 20)}, {"query": "9" * (1 << 20)}):
        try:
            answer = api.try_stream(*finished[:2], **way)
        except (BrokenPipeError, ConnectionResetError):
            continue  # refused while we were still sending
        assert answer.status == 431, answer
    assert rest_of(api, finished) == joined(finished[2])


@pytest.mark.clause("COMMON-15")
def test_resuming_a_live_run(api):
    session = api.session(agent="slow")
    run = api.start(session, "tell me something about rivers")
    pieces, last = [], None
    while True:
        with api.stream(session, run, last) as stream:
            stream.read_until(lambda s: len(s.frames) >= 3 or s.end, "some frames")
            # What came in with the read is taken; what is cut off in the middle of a frame is not.
            pieces += stream.frames
            last = pieces[-1].id
            if stream.end:
                assert stream.end == "clean"
                break
        if pieces[-1].type.startswith("run_com"):
            break
    assert joined(pieces) == joined(api.read(session, run))


@pytest.mark.clause("COMMON-15", "COMMON-16")
def test_resuming_after_the_last_frame_of_a_live_run_waits(api):
    session, run, approval = api.ask_to_write()
    with api.stream(session, run) as stream:
        proposed = stream.read_type("tool_call_proposed")
    with api.stream(session, run, proposed.id) as stream:
        api.approve(session, approval)
        stream.read_to_end()
        assert stream.frames[0].type == "tool_call_approved"
        assert stream.end == "clean"


@pytest.mark.clause("COMMON-15")
def test_the_stream_by_run_id_resumes_too(api, finished):
    frames = finished[2]
    with open_stream(api.port, f"/api/v1/runs/{finished[1]}/stream?last_event_id={frames[2].id}") as stream:
        assert bytes(stream.read_to_end().payload) == joined(frames[3:])
