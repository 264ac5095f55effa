"""Python's httpx on chat, as an asynchronous application writes it: a line says the type, the next one the data."""
import asyncio
import json

import httpx
import pytest

from braid_client.chat import Chat
from braid_client.waiting import wait_for

ODD = 'one\u0085two\u2028three\u2029four\n\ndata: forged\r\nend 😀 "quoted"'


async def listen(url, handle, **request):
    async with httpx.AsyncClient(timeout=30) as client:
        async with client.stream("POST", url, **request) as response:
            assert response.status_code == 200
            event_type = None
            async for line in response.aiter_lines():
                if line.startswith("event:"):
                    event_type = line[7:].strip()
                elif line.startswith("data:"):
                    if handle(event_type, json.loads(line[5:])) is False:
                        return


@pytest.fixture
def base(shared):
    return f"http://127.0.0.1:{shared.port}/agent"


def collect(url, **request):
    seen = []
    asyncio.run(listen(url, lambda kind, data: seen.append((kind, data)), **request))
    return seen


def text(seen):
    return "".join(data["delta"] for kind, data in seen if kind == "message_delta")


@pytest.mark.clause("CHAT-1", "CHAT-10", "CHAT-14")
def test_hello(base):
    seen = collect(f"{base}/support/chat/stream", json={"message": "Hello"})
    assert [seen[0][0], seen[-1][0]] == ["stream_start", "stream_end"] and text(seen)
    found = collect(f"{base}/support/chat/stream", json={"message": "Is my tent still under warranty?",
                                                         "session_id": seen[0][1]["session_id"]})
    assert found[0][1]["session_id"] == seen[0][1]["session_id"] and "warranty.md" in text(found)
    fragments = "".join(data["args_delta"] for kind, data in found if kind == "tool_call_args")
    assert "tent" in json.loads(fragments)["query"]


@pytest.mark.clause("CHAT-9", "CHAT-2")
@pytest.mark.fault(10)
def test_odd_text_line_by_line(base):
    assert text(collect(f"{base}/asks/chat/stream", json={"message": "say exactly: " + ODD})) == ODD
    form = {"message": (None, "say exactly: " + ODD)}
    assert text(collect(f"{base}/asks/chat/stream", files=form)) == ODD


@pytest.mark.clause("CHAT-21", "CHAT-2")
def test_files_as_httpx_sends_them(base):
    seen = collect(f"{base}/support/chat/stream", data={"message": "summarize the attached file"},
                   files=[("files", ("notes.txt", b"The kettle is in the attic.", "text/plain")),
                          ("files", ("zahlen.csv", "größe,1\n".encode(), "text/csv"))])
    assert "The kettle is in the attic." in text(seen) and "größe,1" in text(seen)


@pytest.mark.clause("CHAT-29")
@pytest.mark.fault(12)
def test_leaving_the_loop_stops_the_run(base, api):
    seen = []

    def handle(kind, data):
        seen.append(data)
        return len(seen) < 5
    asyncio.run(listen(f"{base}/very-slow/chat/stream", handle, json={"message": "a long story about lighthouses"}))
    chat = Chat(api)
    wait_for(lambda: chat.runs(seen[0]["session_id"])[0]["status"] == "interrupted", "the run to stop", timeout=3)


@pytest.mark.clause("CHAT-20")
def test_an_error_is_an_event(base):
    seen = collect(f"{base}/fail-truncated/chat/stream", json={"message": "hello"})
    assert seen[-1][0] == "error" and seen[-1][1]["status"] == 500
