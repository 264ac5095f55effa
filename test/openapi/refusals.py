"""What can be refused to anybody at any route: these stories go through all operations of the document."""
import contextlib
import re

from live import story
from live_bodies import JSON_TEXT
from stories import LONG, UNKNOWN, expect, planned, run_session, start, wait_over

from braid_client.waiting import wait_for
from braid_client.wire import Connection, Stream, request_bytes

MIB = 1 << 20


def target_of(operation):
    """An address of the operation that names an agent and objects that nobody has."""
    return re.sub(r"\{[a-z_]+\}", UNKNOWN, operation.path.replace("{agent_name}", "support"))


def body_types(live, operation):
    body = live.document.operation(operation).get("requestBody")
    return list(live.document.resolve(body)["content"]) if body else []


def bytes_max(types):
    """Of a body, by what the operation takes."""
    if types == ["application/json"]:
        return MIB
    if types == ["multipart/form-data"]:
        return 50 * MIB + (64 << 10)
    return 100 * MIB if types else 64 << 10


@story
def strangers(live):
    """No credential: 401. Another name of the server: 403, before anything else."""
    nobody, alice = live.visitor(), live.visitor("alice")
    for operation in live.document.operations:
        target = target_of(operation)
        if live.document.operation(operation)["x-access"] != "open":
            expect(nobody.raw(operation.method, target), 401)
        expect(alice.raw(operation.method, target, host="elsewhere.example"), 403)


@story
def pages_of_other_sites(live):
    alice = live.visitor("alice")
    for operation in live.document.operations:
        starts_run = operation.path.endswith("/chat/stream") or operation.path == "/sessions/{session_id}/stream"
        if operation.method not in ("GET", "HEAD") or starts_run:
            expect(alice.raw(operation.method, target_of(operation), [("Origin", "https://elsewhere.example")]), 403)


@story
def bytes_over_a_limit(live):
    ruth = live.visitor("ruth")
    for operation in live.document.operations:
        target = target_of(operation)
        too_many = bytes_max(body_types(live, operation)) + 1
        expect(ruth.raw(operation.method, target, [("Content-Length", too_many)]), 413)
        expect(ruth.raw(operation.method, target, [("X-Filler", "x" * (17 << 10))]), 431)


@story
def heads_without_a_path(live):
    """A URL that is longer than the head may be: nobody knows whose it is."""
    alice = live.visitor("alice")
    for operation in live.document.operations:
        expect(alice.raw(operation.method, target_of(operation) + "?a=" + "x" * (17 << 10)), 431)


@story
def slow_bodies(live):
    """Everybody may send a body, also where none is wanted; one that does not come to its end is given up."""
    ruth = live.visitor("ruth", "hasty", limits={"body_timeout": 300})
    with contextlib.ExitStack() as stack:
        waiting = []
        for operation in live.document.operations:
            connection = stack.enter_context(Connection(ruth.api.port))
            head = [*ruth.api.credential, ("Content-Length", 10)]
            connection.send(request_bytes(operation.method, target_of(operation), head, b"{"))
            waiting.append((operation, connection))
        for operation, connection in waiting:
            reply = connection.read_reply(operation.method)
            expect(live.saw(operation.method, target_of(operation), reply), 408)


@story
def no_room(live):
    ruth = live.visitor("ruth", "narrow", limits={"bodies_in_flight_bytes_max": 1000})
    for operation in live.document.operations:
        expect(ruth.raw(operation.method, target_of(operation), [("Content-Length", 2000)]), 503)


@story
def too_many(live):
    limits = {"user_run_starts_per_minute_max": 6, "login_failures_per_name_max": 2}
    alice = live.visitor("alice", "strict", limits=limits)
    session, plan = run_session(alice), planned(alice)  # the one run that she may begin now
    said = {"message": "hello"}
    expect(alice.ask("POST", f"/api/v1/sessions/{session}/messages", json=said), 429)
    expect(alice.stream("POST", f"/sessions/{session}/chat", json=said), 429)
    expect(alice.stream("POST", f"/sessions/{plan}/execute"), 429)
    expect(alice.ask("POST", "/agent", json=said), 429)
    expect(alice.stream("POST", "/agent/stream", json=said), 429)
    expect(alice.ask("POST", "/agent/support/chat", json=said), 429)
    expect(alice.stream("POST", "/agent/support/chat/stream", json=said), 429)
    expect(alice.stream("GET", "/agent/support/chat/stream?message=hello"), 429)
    expect(alice.stream("GET", f"/sessions/{session}/stream?query=hello"), 429)
    expect(alice.stream("POST", f"/sessions/{session}/stream", json={"query": "hello"}), 429)
    expect(alice.ask("POST", "/console/runs", json=said), 429)
    wrong = {"username": "alice", "password": "wrong"}
    for status in (401, 401, 429):
        expect(live.visitor(None, "strict").ask("POST", "/auth/login", json=wrong), status)


@story
def past_retention(live):
    alice = live.visitor("alice", "forgetful", arguments=["--retention", "1s"])
    said = {"message": "hello"}
    targets = [("POST", "/agent/stream", said), ("POST", "/agent/support/chat/stream", said),
               ("GET", "/agent/support/chat/stream?message=hello", None)]
    asked = f"/sessions/{run_session(alice)}/stream"
    targets += [("GET", asked + "?query=hello", None), ("POST", asked, {"query": "hello"})]
    for number, (method, target, json) in enumerate(targets):
        options = {"headers": [("Idempotency-Key", f"key {number}")], **({"json": json} if json else {})}
        last = alice.read(method, target, **options)[-1].id
        wait_gone(lambda: alice.stream(method, target, headers=[("Last-Event-ID", last)]))
        expect(alice.stream(method, target, **options), 410)
    plan = planned(alice)
    for what, json in (("chat", said), ("execute", {})):
        options = {"json": json, "headers": [("Idempotency-Key", what)]}
        alice.read("POST", f"/sessions/{plan}/{what}", **options)
        wait_gone(lambda: alice.stream("POST", f"/sessions/{plan}/{what}", **options))
    for path in ("/agent", "/agent/support/chat"):
        key = [("Idempotency-Key", path)]
        expect(alice.ask("POST", path, json=said, headers=key), 200)
        wait_for(lambda: alice.ask("POST", path, json=said, headers=key).status == 410, "the events to go")
    session = run_session(alice)
    run = start(alice, session, "hello")
    assert wait_over(alice, run) == "completed"
    for place in (f"/api/v1/sessions/{session}/runs", "/api/v1/runs", "/runs"):
        wait_gone(lambda: alice.stream("GET", f"{place}/{run}/stream"))
    expect(alice.stream("GET", f"/runs/{run}/log"), 410)


def wait_gone(open_stream):
    def gone():
        answer = open_stream()
        if isinstance(answer, Stream):
            answer.close()
        return answer.status == 410 if not isinstance(answer, Stream) else None
    wait_for(gone, "the events to go")


@story
def agents_that_are_gone(live):
    """A session whose agent was taken away."""
    alice = live.visitor("alice", "shrinking")
    server = live.server("shrinking")
    session = run_session(alice, "slow")
    server.remove_agent("slow")
    server.restart()
    alice = live.visitor("alice", "shrinking")
    expect(alice.ask("POST", f"/api/v1/sessions/{session}/messages", json={"message": "hello"}), 404)
    expect(alice.ask("POST", "/agent", json={"message": "hello", "conversation_id": session}), 404)
    expect(alice.stream("GET", f"/sessions/{session}/stream?query=hello"), 404)


@story
def runs_that_are_stopped(live):
    """Who waits for the whole answer is told that somebody stopped the run."""
    alice = live.visitor("alice")
    for path, status in (("/agent", 409), ("/agent/very-slow/chat", 499)):
        session = run_session(alice, "very-slow")
        field = "conversation_id" if path == "/agent" else "session_id"
        with Connection(alice.api.port) as connection:
            body = f'{{"message":"{LONG}","{field}":"{session}"}}'.encode()
            connection.send(request_bytes("POST", path, [*alice.api.credential, JSON_TEXT], body))
            run = wait_for(lambda: alice.ask("GET", f"/api/v1/sessions/{session}").json["active_run_id"], "the run")
            expect(alice.ask("POST", f"/api/v1/sessions/{session}/runs/{run}/interrupt"), 202)
            expect(live.saw("POST", path, connection.read_reply()), status)


@story
def a_full_queue(live):
    """A chat turn of a busy session waits; one too many does not."""
    alice = live.visitor("alice", "queue", limits={"waiting_turns_max": 1})
    session = run_session(alice, "very-slow")
    body = {"message": LONG, "session_id": session}
    with alice.stream("POST", "/agent/very-slow/chat/stream", json=body) as first:
        first.read_frames(1)
        with alice.stream("POST", "/agent/very-slow/chat/stream", json={**body, "message": "next"}) as second:
            assert isinstance(second, Stream)
            expect(alice.stream("POST", "/agent/very-slow/chat/stream", json={**body, "message": "last"}), 429)
