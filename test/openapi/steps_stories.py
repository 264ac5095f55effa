"""What can be asked of the steps contract and what it answers."""
from live import story
from stories import LONG, UNKNOWN, WRITE, expect, wait_pending

from braid_client.wire import Stream


def session_of(who, agent=None):
    return expect(who.ask("POST", "/sessions", json={"agent": agent} if agent else {}), 201).json["id"]


@story
def steps(live):
    alice = live.visitor("alice")
    base = f"/sessions/{session_of(alice)}"
    frames = alice.read("GET", base + "/stream?query=What+is+6+*+7%3F", headers=[("Idempotency-Key", "one")])
    kinds = {frame.data.get("step_type", frame.type) for frame in frames}
    assert kinds == {"message", "planning", "action", "final", "done"}
    expect(alice.stream("GET", base + "/stream?query=other", headers=[("Idempotency-Key", "one")]), 409)
    alice.read("POST", base + "/stream", json={"query": "And 7 * 8?"}, headers=[("Idempotency-Key", "two")])
    expect(alice.stream("POST", base + "/stream", json={"query": "other"}, headers=[("Idempotency-Key", "two")]), 409)
    last = [("Last-Event-ID", frames[-1].id)]
    expect(alice.stream("GET", base + "/stream", headers=last), 204)
    expect(alice.stream("POST", base + "/stream", body=b"", headers=last), 204)
    expect(alice.stream("GET", base + "/stream"), 400)
    expect(alice.stream("POST", base + "/stream", json={}), 400)
    expect(alice.stream("GET", f"/sessions/{UNKNOWN}/stream?query=test"), 404)
    expect(alice.stream("POST", f"/sessions/{UNKNOWN}/stream", json={"query": "test"}), 404)
    assert expect(alice.head(base + "/steps"), 200).json["steps"]
    assert expect(alice.head(base + "/tokens"), 200).json["tokens"]["total_tokens"]
    for path in ("/steps", "/tokens"):
        expect(alice.head(base + path + "?a=%ff"), 400)
        expect(alice.head(f"/sessions/{UNKNOWN}{path}"), 404)


@story
def steps_that_are_stopped(live):
    alice = live.visitor("alice")
    base = f"/sessions/{session_of(alice, 'very-slow')}"
    with alice.stream("GET", base + "/stream?query=" + LONG.replace(" ", "+")) as stream:
        assert isinstance(stream, Stream)
        stream.read_frames(1)
        expect(alice.stream("GET", base + "/stream?query=other"), 409)
        expect(alice.stream("POST", base + "/stream", json={"query": "other"}), 409)
        expect(alice.ask("POST", base + "/interrupt?a=%ff"), 400)
        expect(alice.ask("POST", base + "/interrupt"), 200)
        live.document.check_frames(*stream.described, stream.read_to_end().frames)
    expect(alice.ask("POST", base + "/interrupt"), 404)


@story
def steps_of_tools(live):
    alice = live.visitor("alice")
    session = session_of(alice, "asks")
    with alice.stream("POST", f"/sessions/{session}/stream", json={"query": WRITE.format("one.md")}) as stream:
        approval = wait_pending(alice, session)
        expect(alice.ask("POST", f"/api/v1/sessions/{session}/approvals/{approval}/approve"), 200)
        live.document.check_frames(*stream.described, stream.read_to_end().frames)
    failing = session_of(alice, "fail-provider-error")
    assert alice.read("GET", f"/sessions/{failing}/stream?query=hello")[-2].type == "error"
