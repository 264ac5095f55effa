"""The runs contract as calls. Every reply and every stream is looked through for what must never be shown."""
import json as json_module
import threading
from dataclasses import dataclass

from . import invariants
from .frames import joined
from .waiting import PATIENCE, wait_for
from .wire import Connection, Reply, Stream, open_stream

NEVER_SHOWN = [b"SQLITE", b"sqlite3", b"SELECT ", b"INSERT INTO", b"std::", b"terminate called", b".cpp:"]
ABSENT = object()


@dataclass
class FinishedRun:
    session_id: str
    run_id: str
    frames: list

    @property
    def bytes(self):
        return joined(self.frames)

    @property
    def end(self):
        return self.frames[-1]


class Api:
    def __init__(self, port, never_shown=(), credential=()):
        self.port = port
        self.never_shown = NEVER_SHOWN + list(never_shown)
        self.credential = list(credential)  # headers that every request carries

    def showing(self, *credential):
        """The same server for somebody who shows these headers."""
        other = Api(self.port, credential=credential)
        other.never_shown = self.never_shown
        return other

    # ---- any request ----

    def call(self, method, target, json=ABSENT, body=None, headers=(), timeout=PATIENCE, host="127.0.0.1") -> Reply:
        headers = [*self.credential, *headers]
        if json is not ABSENT:
            body = json_module.dumps(json).encode()
            headers.append(("Content-Type", "application/json"))
        if body is None and method in ("POST", "PUT", "PATCH"):
            body = b""
        with Connection(self.port, timeout) as connection:
            reply = connection.ask(method, target, [*headers, ("Connection", "close")], body, host)
        self.check_silence(reply.head + reply.body)
        return reply

    def check_silence(self, data):
        for secret in self.never_shown:
            assert secret not in data, f"{secret!r} is shown in {data[:600]!r}"

    def get(self, path, **options):
        return self.call("GET", "/api/v1" + path, **options)

    def post(self, path, json=ABSENT, **options):
        return self.call("POST", "/api/v1" + path, json=json, **options)

    def delete(self, path, **options):
        return self.call("DELETE", "/api/v1" + path, **options)

    # ---- sessions and runs ----

    def session(self, **fields) -> str:
        reply = self.post("/sessions", json=fields)
        assert reply.status == 201, reply
        return reply.json["session_id"]

    def start(self, session_id, message, **fields) -> str:
        reply = self.post(f"/sessions/{session_id}/messages", json={"message": message, **fields})
        assert reply.status == 202, reply
        return reply.json["run_id"]

    def look(self, session_id, run_id) -> dict:
        reply = self.get(f"/sessions/{session_id}/runs/{run_id}")
        assert reply.status == 200, reply
        return reply.json

    def wait_status(self, session_id, run_id, *statuses, timeout=PATIENCE) -> dict:
        def there():
            run = self.look(session_id, run_id)
            return run if run["status"] in statuses else None
        return wait_for(there, f"status {' or '.join(statuses)}", timeout)

    def wait_over(self, session_id, run_id, timeout=PATIENCE) -> dict:
        return self.wait_status(session_id, run_id, "completed", "failed", "interrupted", timeout=timeout)

    def interrupt(self, session_id, run_id) -> Reply:
        return self.post(f"/sessions/{session_id}/runs/{run_id}/interrupt")

    # ---- streams ----

    def stream_path(self, session_id, run_id):
        return f"/api/v1/sessions/{session_id}/runs/{run_id}/stream"

    def try_stream(self, session_id, run_id, last=None, query=None, headers=(), **options):
        target = self.stream_path(session_id, run_id) + (f"?last_event_id={query}" if query is not None else "")
        headers = [*self.credential, *headers, *([("Last-Event-ID", last)] if last is not None else [])]
        return open_stream(self.port, target, headers, **options)

    def stream(self, session_id, run_id, last=None, **options) -> Stream:
        stream = self.try_stream(session_id, run_id, last, **options)
        assert isinstance(stream, Stream), f"no stream but {stream}"
        return stream

    def read(self, session_id, run_id, last=None, timeout=PATIENCE, **options):
        """The frames of a run up to its end; without `last` they are checked as a whole run."""
        with self.stream(session_id, run_id, last, **options) as stream:
            stream.read_to_end(timeout)
            assert stream.end == "clean", f"the stream of a finished run was cut after {stream.frames[-1:]}"
            assert not stream.reader.rest
            self.check_silence(stream.payload)
            if last is None and not options:
                invariants.check_run(stream.frames, session_id, run_id)
            return stream.frames

    def run(self, message, session_id=None, timeout=PATIENCE, **session_fields) -> FinishedRun:
        """Starts a run that needs nobody, and reads it to its end."""
        session_id = session_id or self.session(**session_fields)
        run_id = self.start(session_id, message)
        return FinishedRun(session_id, run_id, self.read(session_id, run_id, timeout=timeout))

    # ---- approvals ----

    def pending(self, session_id) -> list:
        reply = self.get(f"/sessions/{session_id}/approvals")
        assert reply.status == 200, reply
        return reply.json["items"]

    def wait_pending(self, session_id, count=1) -> list:
        def there():
            items = self.pending(session_id)
            return items if len(items) == count else None
        return wait_for(there, f"{count} pending approvals")

    def approve(self, session_id, approval_id, json=ABSENT) -> Reply:
        return self.post(f"/sessions/{session_id}/approvals/{approval_id}/approve", json=json)

    def reject(self, session_id, approval_id, json=ABSENT) -> Reply:
        return self.post(f"/sessions/{session_id}/approvals/{approval_id}/reject", json=json)

    def ask_to_write(self, name="haiku.md", session_id=None, **session_fields):
        """A run that waits for one approval: (session, run, approval)."""
        session_id = session_id or self.session(**session_fields)
        run_id = self.start(session_id, f"Write a haiku about rivers to {name}")
        return session_id, run_id, self.wait_pending(session_id)[0]["approval_id"]

    # ---- files ----

    def upload(self, session_id, name, content, mime="text/plain", field="file") -> Reply:
        boundary = "braidlog-test-boundary"
        body = (f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
                f"Content-Type: {mime}\r\n\r\n").encode("utf-8", "surrogateescape")
        body += content + f"\r\n--{boundary}--\r\n".encode()
        return self.post(f"/sessions/{session_id}/files/upload", body=body,
                         headers=[("Content-Type", f"multipart/form-data; boundary={boundary}")])

    def files(self, session_id) -> dict:
        """path -> size"""
        reply = self.get(f"/sessions/{session_id}/files")
        assert reply.status == 200, reply
        return {item["path"]: item["size"] for item in reply.json["files"]}


def expect_error(reply, status, code):
    """The one shape of every error of runs."""
    assert reply.status == status, f"expected {status} {code}, got {reply}"
    assert reply.header("content-type", "").startswith("application/json"), reply
    assert set(reply.json) == {"error"}, reply.json
    error = reply.json["error"]
    assert set(error) == {"code", "message", "details"}, error
    assert error["code"] == code, error
    assert isinstance(error["message"], str) and error["message"], error
    assert isinstance(error["details"], dict), error
    return error


def at_once(count, action):
    """action(i) from `count` threads, let go at the same moment; their results in order."""
    barrier, results = threading.Barrier(count), [None] * count

    def go(index):
        barrier.wait()
        try:
            results[index] = action(index)
        except BaseException as error:  # carried to the test's own thread
            results[index] = error

    threads = [threading.Thread(target=go, args=(i,), daemon=True) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
