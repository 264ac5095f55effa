"""Any run in any contract, live or over: GET /api/v1/runs/{id}/stream?contract=NAME."""
from .frames import parse_all
from .legal import LINES
from .legal_tasks import is_last
from .wire import Stream, open_stream

CONTRACTS = ("runs", "steps", "chat", "conversation", "tasks", "all")


def open_run(api, run_id, contract, last=None, **options):
    """A Stream for a 200, the Reply for anything else. `last`: an id of any contract."""
    headers = [*api.credential, *([("Last-Event-ID", last)] if last is not None else [])]
    return open_stream(api.port, f"/api/v1/runs/{run_id}/stream?contract={contract}", headers, lines=LINES[contract],
                       **options)


def read_run(api, run_id, contract) -> list:
    """The frames of a run up to its end, which must be a clean one."""
    stream = open_run(api, run_id, contract)
    assert isinstance(stream, Stream), stream
    with stream:
        stream.read_to_end()
    assert stream.end == "clean" and not stream.reader.rest, f"{run_id} in {contract} was cut after {stream.frames[-1:]}"
    api.check_silence(stream.payload)
    return stream.frames


def read_bytes(api, run_id, contract) -> bytes:
    """The whole stream of a run that is over, as it came: many times faster than to look into it."""
    reply = api.call("GET", f"/api/v1/runs/{run_id}/stream?contract={contract}")
    assert reply.status == 200, reply
    return reply.body


def is_end(contract, frame) -> bool:
    """Whether the frame is the last one of a stream of that contract."""
    if contract == "all":  # of the frames of one event those of tasks are the last
        if frame.data["contract"] != "tasks":
            return False
        [frame] = parse_all(frame.data["frame"].encode(), LINES["tasks"])
        contract = "tasks"
    return is_last(frame) if contract == "tasks" else frame.type in ENDS[contract]


ENDS = {"runs": ("run_completed", "run_failed", "run_interrupted"), "chat": ("stream_end", "error"),
        "conversation": ("done", "error"), "steps": ("done",)}
