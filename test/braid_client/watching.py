"""The log of a run, and many runs in one stream, as calls.

    log = read_log(api, run)                          # its events
    with watch(api, ("log", run), notices=True) as stream:
        stream.read_type(f"over {run}")
        frames_of(stream, run)                        # what came of it
"""
from .frames import MAYBE_ID, WITHOUT_EVENT
from .wire import Stream, open_stream

SHORT = "say exactly: " + " ".join(f"word{i}" for i in range(100))  # two seconds of a slow model


# ---- runs ----

def begin(api, message="say exactly: hello", agent="asks"):
    return api.start(api.session(agent=agent), message)


def finished(api, message="say exactly: hello there"):
    return api.run(message).run_id


def long_runs(api, count):
    """Runs with a log of some hundred kilobytes each; in every contract it is more than sockets hold."""
    said = "say exactly: " + " ".join(["word"] * 6000)
    sessions = [api.session(agent="asks") for _ in range(count)]
    runs = [api.start(session, said) for session in sessions]
    for session, run in zip(sessions, runs):
        api.wait_over(session, run)
    return runs


# ---- streams ----

def open_log(api, run, last=None, query="", **options):
    headers = [*api.credential, *([("Last-Event-ID", last)] if last else [])]
    return open_stream(api.port, f"/runs/{run}/log{query}", headers, lines=WITHOUT_EVENT, **options)


def read_log(api, run, **options):
    """The frames of a whole log."""
    stream = open_log(api, run, **options)
    assert isinstance(stream, Stream), f"no stream but {stream}"
    with stream:
        stream.read_to_end()
    assert stream.end == "clean" and not stream.reader.rest
    api.check_silence(stream.payload)
    return stream.frames


def try_watch(api, *watches, notices=False, everybody=False, **options):
    """`watches`: (view, run) or (view, run, after)."""
    query = [f"watch={':'.join(watch)}" for watch in watches]
    query += ["notices=1"] * notices + ["scope=all"] * everybody
    return open_stream(api.port, "/watch?" + "&".join(query), api.credential, lines=MAYBE_ID, **options)


def watch(api, *watches, **options) -> Stream:
    stream = try_watch(api, *watches, **options)
    assert isinstance(stream, Stream), f"no stream but {stream}"
    return stream


def frames_of(stream, run, view="log"):
    return [frame for frame in stream.frames if frame.type == f"{view} {run}"]


def notices_of(stream, run=None):
    """(what, status) of each notice."""
    return [(frame.data["what"], frame.data["status"]) for frame in stream.frames
            if frame.type == "changed" and run in (None, frame.data["run_id"])]


def check_log(frames, first=1):
    """Every event once, in order, under its own id."""
    assert [frame.data["sequence"] for frame in frames] == list(range(first, first + len(frames)))
    for frame in frames:
        assert frame.id.endswith(f"_{frame.data['sequence']:010}"), frame.raw
