"""Python's httpx, as its users write it: stream, iterate lines, come back by id."""
import json

import httpx
import pytest

TEXT = "one\u0085two\u2028three\u2029four\n\ndata: forged\r\nend 😀 \"quoted\""


def events(response):
    """The usual loop of an httpx user over the lines of a stream."""
    event = {}
    for line in response.iter_lines():
        line = line.rstrip("\n")
        if not line:
            if event:
                yield event
            event = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            event[name] = json.loads(value) if name == "data" else value


@pytest.fixture
def client(shared):
    with httpx.Client(base_url=f"http://127.0.0.1:{shared.port}/api/v1", timeout=30) as client:
        yield client


def begin(client, message, **session):
    session_id = client.post("/sessions", json=session).json()["session_id"]
    reply = client.post(f"/sessions/{session_id}/messages", json={"message": message})
    assert reply.status_code == 202
    return session_id, f"/sessions/{session_id}/runs/{reply.json()['run_id']}"


@pytest.mark.clause("COMMON-7", "COMMON-8", "COMMON-6")
@pytest.mark.fault(10)
def test_a_run_read_line_by_line(client):
    _, run = begin(client, "say exactly: " + TEXT)
    with client.stream("GET", run + "/stream") as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        seen = list(events(response))
    assert [event["event"] for event in seen] == [event["data"]["type"] for event in seen]
    assert seen[0]["event"] == "run_started" and seen[-1]["event"] == "run_completed"
    assert "".join(e["data"]["payload"]["text"] for e in seen if e["event"] == "assistant_delta") == TEXT
    assert seen[-1]["data"]["payload"]["final_text"] == TEXT


@pytest.mark.clause("COMMON-15", "COMMON-16")
def test_coming_back(client):
    _, run = begin(client, "say exactly: one two three four five six")
    with client.stream("GET", run + "/stream") as response:
        whole = list(events(response))
    for index in range(len(whole) - 1):
        with client.stream("GET", run + "/stream", headers={"Last-Event-ID": whole[index]["id"]}) as response:
            assert list(events(response)) == whole[index + 1:]
        with client.stream("GET", run + "/stream", params={"last_event_id": whole[index]["id"]}) as response:
            assert list(events(response)) == whole[index + 1:]
    assert client.get(run + "/stream", headers={"Last-Event-ID": whole[-1]["id"]}).status_code == 204


@pytest.mark.clause("RUNS-27", "RUNS-29", "RUNS-53", "RUNS-55")
def test_an_approval_and_its_file(client):
    session, run = begin(client, "Write a haiku about rivers to haiku.md")
    with client.stream("GET", run + "/stream") as response:
        for event in events(response):
            if event["event"] == "tool_call_proposed":
                approval = event["data"]["payload"]["approval_id"]
                assert client.post(f"/sessions/{session}/approvals/{approval}/approve").status_code == 200
        assert event["event"] == "run_completed"
    reply = client.post(f"/sessions/{session}/files/upload", files={"file": ("notes.txt", b"by httpx", "text/plain")})
    assert reply.status_code == 201 and reply.json()["path"] == "notes.txt"
    assert {item["path"] for item in client.get(f"/sessions/{session}/files").json()["files"]} == {"haiku.md", "notes.txt"}
    assert client.get(f"/sessions/{session}/files/notes.txt").content == b"by httpx"


@pytest.mark.clause("COMMON-11")
@pytest.mark.fault(12)
def test_a_cut_stream_is_an_error(new_server):
    server = new_server()
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}/api/v1", timeout=30) as client:
        _, run = begin(client, "Write a haiku about rivers to haiku.md")
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            with client.stream("GET", run + "/stream") as response:
                for event in events(response):
                    if event["event"] == "tool_call_proposed":
                        server.kill()
    server.start()
