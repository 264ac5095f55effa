"""What can be asked of the server and what it answers, one story per part of it. live.py checks every answer."""
from live import story
from live_bodies import FORM, form_of, upload_of

from braid_client.people import cookie, cookie_of
from braid_client.waiting import wait_for

UNKNOWN = "019c5e00-0000-7000-8000-0000000000ff"
WRITE = "Write a haiku about rivers to {}"
LONG = "Tell me a long story about lighthouses"


def expect(reply, status):
    assert reply.status == status, f"expected {status}, got {reply}"
    return reply


def wait_pending(who, session):
    def there():
        return who.ask("GET", f"/api/v1/sessions/{session}/approvals").json["items"]
    return wait_for(there, "a pending approval")[0]["approval_id"]


def run_session(who, agent="assistant"):
    return expect(who.ask("POST", "/api/v1/sessions", json={"agent": agent}), 201).json["session_id"]


def start(who, session, message):
    path = f"/api/v1/sessions/{session}/messages"
    return expect(who.ask("POST", path, json={"message": message}), 202).json["run_id"]


def wait_over(who, run):
    def over():
        status = who.ask("GET", f"/api/v1/runs/{run}").json["status"]
        return status if status in ("completed", "failed", "interrupted") else None
    return wait_for(over, "the end of the run")


@story
def the_server_itself(live):
    nobody, alice, ruth = live.visitor(), live.visitor("alice"), live.visitor("ruth")
    for path in ("/", "/health", "/ready"):
        expect(nobody.head(path), 200)
    for path in ("/agents", "/openapi.json", "/docs"):
        expect(alice.head(path), 200)
        expect(nobody.head(path), 401)
    expect(ruth.head("/metrics"), 200)
    expect(alice.head("/metrics"), 403)
    expect(nobody.head("/metrics"), 401)


@story
def coming_and_going(live):
    nobody, alice, ruth = live.visitor(), live.visitor("alice"), live.visitor("ruth")
    person = live.server("plain").people["alice"]
    right = {"username": "alice", "password": person.password}
    expect(nobody.ask("POST", "/auth/login", json={**right, "password": "wrong"}), 401)
    expect(nobody.ask("POST", "/auth/login", json={"username": "alice"}), 422)
    logged_in = expect(nobody.ask("POST", "/auth/login", json=right), 200)
    browser = nobody.showing(cookie(cookie_of(logged_in)["value"]), name="alice's browser")
    assert expect(browser.head("/auth/me"), 200).json["role"] == "user"
    assert expect(ruth.ask("GET", "/auth/me"), 200).json["role"] == "admin"
    expect(browser.ask("POST", "/auth/logout"), 204)
    expect(browser.ask("GET", "/auth/me"), 401)
    expect(nobody.ask("POST", "/auth/logout"), 401)

    fire = {"message": "Please alert the admin: the printer is on fire"}
    expect(alice.ask("POST", "/agent/operator/chat", json=fire), 200)
    assert expect(ruth.head("/alerts"), 200).json["alerts"]
    assert len(expect(ruth.ask("GET", "/alerts?limit=1"), 200).json["alerts"]) == 1
    expect(ruth.head("/alerts?limit=0"), 422)
    expect(alice.head("/alerts"), 403)
    for path in ("/auth/me?a=%ff", "/alerts?a=%ff"):
        expect(ruth.head(path), 422)
    expect(alice.ask("POST", "/auth/logout?a=%ff"), 422)


@story
def sessions(live):
    alice = live.visitor("alice")
    expect(alice.ask("POST", "/sessions"), 201)
    made = expect(alice.ask("POST", "/sessions", json={"title": "Trip to Lisbon", "agent": "very-slow"}), 201).json
    expect(alice.ask("POST", "/sessions", json={"agent": "nobody"}), 404)
    expect(alice.ask("POST", "/sessions", json={"title": " "}), 400)
    assert expect(alice.head("/sessions?limit=1&status=planning"), 200).json["sessions"]
    expect(alice.head("/sessions?limit=0"), 400)
    start(alice, made["id"], LONG)
    detail = expect(alice.head(f"/sessions/{made['id']}"), 200).json
    assert detail["messages"] and detail["activeRunId"], detail
    expect(alice.head(f"/sessions/{UNKNOWN}"), 404)
    expect(alice.head(f"/sessions/{made['id']}?a=%ff"), 400)
    expect(alice.ask("PATCH", f"/sessions/{made['id']}", json={"title": "Lisbon in May"}), 200)
    expect(alice.ask("PATCH", f"/sessions/{made['id']}", json={}), 400)
    expect(alice.ask("PATCH", f"/sessions/{UNKNOWN}", json={"title": "x"}), 404)
    expect(alice.ask("DELETE", f"/sessions/{made['id']}?a=%ff"), 400)
    expect(alice.ask("DELETE", f"/sessions/{made['id']}"), 204)
    expect(alice.ask("DELETE", f"/sessions/{made['id']}"), 404)
    assert live.visitor("ruth").ask("GET", "/sessions?scope=all").json["total"] >= 1


@story
def sessions_of_runs(live):
    alice = live.visitor("alice")
    expect(alice.ask("POST", "/api/v1/sessions"), 201)
    session = run_session(alice, "very-slow")
    expect(alice.ask("POST", "/api/v1/sessions", json={"agent": "nobody"}), 404)
    expect(alice.ask("POST", "/api/v1/sessions", json={"agent": 7}), 400)
    assert expect(alice.head("/api/v1/sessions?limit=2"), 200).json["items"]
    expect(alice.head("/api/v1/sessions?limit=x"), 400)
    path = f"/api/v1/sessions/{session}"
    start(alice, session, LONG)
    assert expect(alice.head(path), 200).json["active_run_id"]
    expect(alice.head(f"/api/v1/sessions/{UNKNOWN}"), 404)
    expect(alice.head(path + "?a=%ff"), 400)
    setting = path + "/settings/auto-approve"
    expect(alice.ask("POST", setting, json={"enabled": True}), 200)
    expect(alice.ask("POST", setting, json={}), 400)
    expect(alice.ask("POST", f"/api/v1/sessions/{UNKNOWN}/settings/auto-approve", json={"enabled": True}), 404)
    expect(alice.ask("DELETE", path + "?a=%ff"), 400)
    expect(alice.ask("DELETE", path), 204)
    expect(alice.ask("DELETE", path), 404)


@story
def runs(live):
    alice = live.visitor("alice")
    session = run_session(alice, "very-slow")
    messages = f"/api/v1/sessions/{session}/messages"
    key = {"message": LONG, "idempotency_key": "one"}
    run = expect(alice.ask("POST", messages, json=key), 202).json["run_id"]
    assert expect(alice.ask("POST", messages, json=key), 202).json["run_id"] == run
    expect(alice.ask("POST", messages, json={**key, "message": "other"}), 409)
    expect(alice.ask("POST", messages, json={"message": "hello"}), 409)
    expect(alice.ask("POST", messages, json={"message": " "}), 400)
    expect(alice.ask("POST", f"/api/v1/sessions/{UNKNOWN}/messages", json={"message": "hello"}), 404)
    expect(alice.head(f"/api/v1/sessions/{session}/runs"), 200)
    path = f"/api/v1/sessions/{session}/runs/{run}"
    expect(alice.ask("POST", path + "/interrupt"), 202)
    assert wait_over(alice, run) == "interrupted"
    expect(alice.ask("POST", path + "/interrupt"), 200)
    expect(alice.ask("POST", path + "/interrupt?a=%ff"), 400)
    expect(alice.ask("POST", f"/api/v1/sessions/{session}/runs/{UNKNOWN}/interrupt"), 404)
    for target in (path, f"/api/v1/runs/{run}", f"/runs/{run}"):
        expect(alice.head(target), 200)
        expect(alice.head(target + "?a=%ff"), 400)
        expect(alice.head(target.replace(run, UNKNOWN)), 404)
    expect(alice.head(f"/api/v1/sessions/{UNKNOWN}/runs"), 404)
    expect(alice.head(f"/api/v1/sessions/{session}/runs?a=%ff"), 400)


@story
def streams_of_runs(live):
    alice = live.visitor("alice")
    session = run_session(alice)
    run = start(alice, session, "What is 12 * 12?")
    targets = [f"/api/v1/sessions/{session}/runs/{run}/stream", f"/api/v1/runs/{run}/stream", f"/runs/{run}/stream"]
    for target in targets:
        frames = alice.read("GET", target)
        assert frames[-1].type == "run_completed"
        expect(alice.stream("GET", target, headers=[("Last-Event-ID", frames[-1].id)]), 204)
        assert alice.read("GET", target + f"?last_event_id={frames[0].id}") == frames[1:]
        expect(alice.stream("GET", target.replace(run, UNKNOWN)), 404)
        expect(alice.stream("GET", target + "?a=%ff"), 400)
    for target in targets[1:]:
        for contract in ("steps", "runs", "chat", "conversation", "tasks", "all"):
            assert alice.read("GET", f"{target}?contract={contract}")
        expect(alice.stream("GET", target + "?contract=nonsense"), 400)


@story
def logs_and_watches(live):
    alice = live.visitor("alice")
    session = run_session(alice)
    run = start(alice, session, "What is 12 * 12?")
    target = f"/runs/{run}/log"
    frames = alice.read("GET", target)
    assert frames[-1].type == "run.completed"
    expect(alice.stream("GET", target, headers=[("Last-Event-ID", frames[-1].id)]), 204)
    expect(alice.stream("GET", f"/runs/{UNKNOWN}/log"), 404)
    expect(alice.stream("GET", target + "?a=%ff"), 400)
    expect(alice.stream("GET", "/watch?watch=chat:" + run), 400)
    query = f"watch=log:{run}&watch=all:{run}:{frames[2].id}&watch=log:{UNKNOWN}&notices=1"
    with alice.stream("GET", "/watch?" + query) as stream:
        stream.read_type(f"over {run}", 2)
        start(alice, run_session(alice), "hello")
        stream.read_type("changed")
        live.document.check_frames(*stream.described, stream.frames)
        kinds = {frame.type.partition(" ")[0] for frame in stream.frames}
        assert kinds == {"hello", "log", "all", "caught-up", "over", "refused", "changed"}


@story
def approvals_and_files(live):
    alice, ruth = live.visitor("alice"), live.visitor("ruth")
    session = run_session(alice, "asks")
    base = f"/api/v1/sessions/{session}"
    run = start(alice, session, WRITE.format("one.md"))
    approval = wait_pending(alice, session)
    assert expect(alice.head("/api/v1/approvals"), 200).json["items"]
    expect(ruth.ask("GET", "/api/v1/approvals?scope=all"), 200)
    expect(alice.head("/api/v1/approvals?scope=mine"), 400)
    expect(alice.head(base + "/approvals"), 200)
    expect(alice.head(base + "/approvals?a=%ff"), 400)
    expect(alice.head(f"/api/v1/sessions/{UNKNOWN}/approvals"), 404)
    for verb, wrong in (("approve", {"apply_to_future": "yes"}), ("reject", {"reason": 7})):
        expect(alice.ask("POST", f"{base}/approvals/{approval}/{verb}", json=wrong), 400)
        expect(alice.ask("POST", f"{base}/approvals/{UNKNOWN}/{verb}"), 404)
    expect(alice.ask("POST", f"{base}/approvals/{approval}/approve", json={"apply_to_future": False}), 200)
    expect(alice.ask("POST", f"{base}/approvals/{approval}/approve"), 409)
    assert wait_over(alice, run) == "completed"

    run = start(alice, session, WRITE.format("two.md"))
    approval = wait_pending(alice, session)
    expect(alice.ask("POST", f"{base}/approvals/{approval}/reject", json={"reason": "Wrong folder"}), 200)
    assert wait_over(alice, run) == "completed"
    expect(alice.ask("POST", f"{base}/approvals/{approval}/reject"), 409)
    types = {frame.type for frame in alice.read("GET", f"/api/v1/runs/{run}/stream")}
    assert {"tool_call_proposed", "tool_call_rejected"} <= types

    assert expect(alice.head(base + "/files"), 200).json["files"]
    expect(alice.head(base + "/files?a=%ff"), 400)
    expect(alice.head(base + "/files/one.md"), 200)
    expect(alice.head(base + "/files/one.md?a=%ff"), 400)
    expect(alice.head(base + "/files/two.md"), 404)
    expect(alice.head(base + "/files/..%2Ftwo.md"), 422)
    expect(alice.head(f"/api/v1/sessions/{UNKNOWN}/files"), 404)
    upload = base + "/files/upload"
    expect(alice.ask("POST", upload, body=upload_of("notes.txt"), headers=[FORM]), 201)
    expect(alice.ask("POST", upload, body=upload_of("../notes.txt"), headers=[FORM]), 422)
    expect(alice.ask("POST", upload, body=b"nothing", headers=[FORM]), 400)
    expect(alice.ask("POST", f"/api/v1/sessions/{UNKNOWN}/files/upload", body=upload_of("a.txt"), headers=[FORM]), 404)


@story
def conversations(live):
    alice = live.visitor("alice")
    frames = alice.read("POST", "/agent/stream", json={"message": "Can you check the system status?"})
    assert {"start", "tool_start", "tool_end", "token", "conversation", "done"} <= {frame.type for frame in frames}
    expect(alice.stream("POST", "/agent/stream", body=b"", headers=[("Last-Event-ID", frames[-1].id)]), 204)
    conversation = frames[0].data["conversation_id"]
    again = {"message": "And now?", "conversation_id": conversation, "context": "It is late"}
    key = [("Idempotency-Key", "one")]
    expect(alice.ask("POST", "/agent", json=again, headers=key), 200)
    expect(alice.ask("POST", "/agent", json={**again, "message": "other"}, headers=key), 409)
    for ask in (alice.ask, alice.stream):
        path = "/agent" if ask == alice.ask else "/agent/stream"
        expect(ask("POST", path, json={"message": ""}), 422)
        expect(ask("POST", path, json={"message": "x", "conversation_id": UNKNOWN}), 404)
    assert expect(alice.head("/agent/history?limit=1"), 200).json["next_cursor"]
    expect(alice.head("/agent/history?cursor=nonsense"), 422)
    path = f"/agent/conversations/{conversation}"
    expect(alice.head(path), 200)
    expect(alice.head(path + "?a=%ff"), 422)
    expect(alice.head(f"/agent/conversations/{UNKNOWN}"), 404)
    expect(alice.ask("PATCH", path, json={"title": "Is it up?"}), 200)
    expect(alice.ask("PATCH", path, json={"title": ""}), 422)
    expect(alice.ask("PATCH", f"/agent/conversations/{UNKNOWN}", json={"title": "x"}), 404)
    expect(alice.ask("DELETE", path + "?a=%ff"), 422)
    expect(alice.ask("DELETE", path), 204)
    expect(alice.ask("DELETE", path), 404)


@story
def conversations_without_an_answer(live):
    alice = live.visitor("alice")
    for agent, status in (("fail-provider-error", 502), ("fail-timeout", 504), ("fail-endless", 500)):
        session = expect(alice.ask("POST", "/sessions", json={"agent": agent}), 201).json["id"]
        expect(alice.ask("POST", "/agent", json={"message": "hello", "conversation_id": session}), status)
    session = expect(alice.ask("POST", "/sessions", json={"agent": "very-slow"}), 201).json["id"]
    with alice.stream("POST", "/agent/stream", json={"message": LONG, "conversation_id": session}) as stream:
        stream.read_frames(1)
        expect(alice.stream("POST", "/agent/stream", json={"message": "x", "conversation_id": session}), 409)
    expect(alice.ask("DELETE", f"/agent/conversations/{session}"), 204)


def planned(who, message="Plan the launch of our new product"):
    """A session with pending tasks of the built-in planner, or of the agent that is named in the message."""
    session = expect(who.ask("POST", "/sessions"), 201).json["id"]
    frames = who.read("POST", f"/sessions/{session}/chat", json={"message": message})
    assert {"content", "tasks_updated", "done"} == {frame.type for frame in frames}
    return session


@story
def tasks(live):
    alice = live.visitor("alice")
    session = planned(alice, "Use these tasks: Research prices; An impossible thing; Define the goal; Summarize it")
    path = f"/sessions/{session}"
    key = [("Idempotency-Key", "one")]
    frames = alice.read("POST", path + "/execute", json={}, headers=key)
    assert {"task_selected", "tool_call", "tool_result", "artifact_created", "data_modified", "task_completed", "error",
            "reflection", "done"} == {frame.type for frame in frames}
    assert alice.read("POST", path + "/execute", json={}, headers=key) == frames
    expect(alice.stream("POST", path + "/execute"), 409)
    expect(alice.stream("POST", path + "/chat", json={"message": "x"}, headers=key), 409)
    for what in ("/chat", "/execute"):
        expect(alice.stream("POST", path + what, body=b"[]"), 422)
        expect(alice.stream("POST", f"/sessions/{UNKNOWN}{what}", json={"message": "x"}), 404)
    detail = expect(alice.head(path), 200).json
    assert detail["status"] == "completed" and detail["tasks"] and detail["artifacts"] and detail["dataItems"]
    task, artifact, item = (detail[name][0]["id"] for name in ("tasks", "artifacts", "dataItems"))
    assert expect(alice.head(path + "/tasks"), 200).json["tasks"] == detail["tasks"]
    kind = detail["artifacts"][0]["type"]
    assert expect(alice.head(f"{path}/artifacts?type={kind}"), 200).json["artifacts"]
    assert expect(alice.head(path + "/data-items"), 200).json["dataItems"]
    expect(alice.head(f"{path}/tasks/{task}"), 200)
    expect(alice.head(f"{path}/artifacts/{artifact}"), 200)
    expect(alice.head(f"{path}/artifacts/{artifact}/download"), 200)
    expect(alice.head(f"{path}/data-items/{item}"), 200)
    for below in ("tasks", "artifacts", "data-items"):
        expect(alice.head(f"/sessions/{UNKNOWN}/{below}"), 404)
        expect(alice.head(f"{path}/{below}/{UNKNOWN}"), 404)
        for wrong in (f"{path}/{below}?a=%ff", f"{path}/{below}/{UNKNOWN}?a=%ff"):
            expect(alice.head(wrong), 422)
    expect(alice.head(path + "/artifacts?type=file"), 422)
    expect(alice.head(f"{path}/artifacts/{UNKNOWN}/download"), 404)
    expect(alice.head(f"{path}/artifacts/{artifact}/download?a=%ff"), 422)
    expect(alice.ask("DELETE", f"{path}/artifacts/{artifact}?a=%ff"), 422)
    expect(alice.ask("DELETE", f"{path}/artifacts/{artifact}"), 204)
    expect(alice.ask("DELETE", f"{path}/artifacts/{artifact}"), 404)


@story
def chat(live):
    alice = live.visitor("alice")
    path = "/agent/support/chat"
    frames = alice.read("POST", path + "/stream", json={"message": "How do I return a lamp?"})
    assert {"stream_start", "tool_call_start", "tool_call_args", "tool_call_end", "message_delta",
            "stream_end"} == {frame.type for frame in frames}
    last = [("Last-Event-ID", frames[-1].id)]
    file = {"content": "aGVsbG8K", "mime_type": "text/plain", "filename": "hello.txt"}
    form, key = form_of("What is in this file?", "hello.txt"), [("Idempotency-Key", "one")]
    alice.read("POST", path + "/stream", body=form, headers=[FORM])
    expect(alice.ask("POST", path, body=form, headers=[FORM]), 200)
    expect(alice.ask("POST", path, json={"message": "What is in this file?", "files": [file]}, headers=key), 200)
    expect(alice.ask("POST", path, json={"message": "other"}, headers=key), 409)
    alice.read("GET", path + "/stream?message=Hello", headers=[("Idempotency-Key", "two")])
    expect(alice.stream("GET", path + "/stream?message=other", headers=[("Idempotency-Key", "two")]), 409)
    alice.read("POST", path + "/stream", json={"message": "Hello"}, headers=[("Idempotency-Key", "three")])
    expect(alice.stream("POST", path + "/stream", json={"message": "x"}, headers=[("Idempotency-Key", "three")]), 409)
    expect(alice.stream("POST", path + "/stream", body=b"", headers=last), 204)
    expect(alice.stream("GET", path + "/stream", headers=last), 204)
    expect(alice.stream("GET", path + "/stream"), 400)
    png = {"content": "iVBORw0KGgoAAAANSUhEUg==", "mime_type": "image/png"}
    for ask, target in ((alice.stream, path + "/stream"), (alice.ask, path)):
        expect(ask("POST", target, json={"message": "Look", "files": [png]}), 400)
        expect(ask("POST", target.replace("support", "nobody"), json={"message": "x"}), 404)
    expect(alice.stream("GET", "/agent/nobody/chat/stream?message=x"), 404)
    expect(alice.head("/health/agent/support"), 200)
    expect(alice.head("/health/agent/nobody"), 404)
    expect(alice.head("/health/agent/support?a=%ff"), 400)


@story
def chat_without_an_answer(live):
    alice = live.visitor("alice")
    for agent, status in (("fail-provider-error", 500), ("fail-rate-limit", 503)):
        expect(alice.ask("POST", f"/agent/{agent}/chat", json={"message": "hello"}), status)
        assert alice.read("POST", f"/agent/{agent}/chat/stream", json={"message": "hello"})[-1].data["status"] == status
