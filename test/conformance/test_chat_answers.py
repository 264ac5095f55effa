"""Chat without streaming, and the health of an agent."""
import json
import threading
import time

import pytest

from braid_client.chat import A_SECOND, PROBLEMS, Chat, expect_problem, is_ulid
from braid_client.upstream import Call, End, Hold, Say, Upstream
from braid_client.waiting import wait_for
from braid_client.wire import Connection, request_bytes


@pytest.fixture
def chat(api):
    return Chat(api, "asks")


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.mark.clause("CHAT-45")
def test_the_whole_answer(chat):
    reply = chat.answer("Is my tent still under warranty?", agent="support")
    assert reply.status == 200 and reply.header("content-type").startswith("application/json")
    answer = reply.json
    assert set(answer) == {"message_id", "content", "session_id", "tool_calls", "tokens_used", "execution_time_ms"}
    assert is_ulid(answer["message_id"]) and is_ulid(answer["session_id"])
    assert "warranty.md" in answer["content"]
    call, = answer["tool_calls"]
    assert set(call) == {"name", "arguments", "status"}
    assert (call["name"], call["status"]) == ("search_knowledge_base", "success") and "tent" in call["arguments"]["query"]
    assert set(answer["tokens_used"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}
    assert isinstance(answer["execution_time_ms"], int)
    assert chat.messages(answer["session_id"])[-1] == ("assistant", answer["content"])


@pytest.mark.clause("CHAT-45", "CHAT-19")
def test_all_text_of_the_run_and_every_call(chat, upstream, new_server):
    server = new_server(agents={"upstream": upstream.agent(tools=("calculator", "file_write"), approval="{default: deny}")},
                        environment={"UPSTREAM_KEY": "k"})
    own = Chat(server.api, "upstream")
    upstream.script(Say("Let me see."), Call("calculator", {"expression": "6*7"}, 0),
                    Call("file_write", {"path": "a.md", "content": "x"}, 1), End("tool_calls", None))
    upstream.script(Say("It is 42."), End("stop", None))
    answer = own.answer("what is 6*7?").json
    assert answer["content"] == "Let me see.\n\nIt is 42."
    assert answer["tool_calls"] == [
        {"name": "calculator", "arguments": {"expression": "6*7"}, "status": "success"},
        {"name": "file_write", "arguments": {"path": "a.md", "content": "x"}, "status": "error"}]
    assert answer["tokens_used"] is None
    streamed = own.read(own.send(None, (), method="GET",
                                 query=f"?last_event_id=evt_{own.runs(answer['session_id'])[0]['run_id'][4:]}_0000000001"))
    assert streamed.text == answer["content"] and streamed.message_id == answer["message_id"]


@pytest.mark.clause("CHAT-45", "CHAT-6")
def test_it_goes_on_in_its_session(chat):
    first = chat.answer("hello").json
    second = chat.answer("hello again", session_id=first["session_id"]).json
    assert second["session_id"] == first["session_id"] and "your second message" in second["content"]
    odd = 'a\u2028b "quoted" 😀\n\nevent: error\ndata: {}\n\n'
    assert chat.answer("say exactly: " + odd).json["content"] == odd


@pytest.mark.clause("CHAT-46", "CHAT-20")
@pytest.mark.parametrize("name, status, kind", [
    ("fail-provider-error", 500, "agent-error"), ("fail-rate-limit", 503, "unavailable"), ("fail-truncated", 500, "agent-error")])
def test_a_run_that_fails_is_a_problem(chat, name, status, kind):
    reply = chat.answer("hello", agent=name)
    expect_problem(reply, status, kind)
    assert (reply.header("retry-after") is not None) == (status == 503)


@pytest.mark.clause("CHAT-46")
def test_a_run_that_is_interrupted_is_a_problem(chat):
    answers = []
    session = chat.ask("hello").session_id
    asking = threading.Thread(target=lambda: answers.append(
        chat.answer("a long story about lighthouses", session_id=session, agent="very-slow")), daemon=True)
    asking.start()
    run = wait_for(lambda: [run for run in chat.runs(session) if run["status"] == "running"], "the run")[0]
    assert chat.api.interrupt(session, run["run_id"]).status == 202
    asking.join(10)
    expect_problem(answers[0], 499, "interrupted")


@pytest.mark.clause("CHAT-47", "CHAT-30")
@pytest.mark.fault(12)
@pytest.mark.parametrize("behind", [b"", request_bytes("GET", "/health")])
def test_its_client_stops_it_by_going(upstream, new_server, behind):
    server = new_server(agents={"upstream": upstream.agent()}, environment={"UPSTREAM_KEY": "k"})
    chat = Chat(server.api, "upstream")
    session = chat.ask("hello").session_id
    upstream.script(Say("Half of it"), Hold())
    connection = Connection(server.port)
    connection.send(request_bytes("POST", chat.path(streamed=False), [("Content-Type", "application/json")],
                                  json.dumps({"message": "more", "session_id": session}).encode()))
    request = upstream.wait_request(2)
    run = wait_for(lambda: [run for run in chat.runs(session) if run["status"] == "running"], "the run")[0]
    with server.api.stream(session, run["run_id"]) as viewer:
        viewer.read_until(lambda s: any(frame.type == "assistant_delta" for frame in s.frames), "its first words")
    connection.send(behind)
    began = time.monotonic()
    connection.close()
    assert request.closed.wait(5) and time.monotonic() - began < A_SECOND
    assert server.api.wait_over(session, run["run_id"])["status"] == "interrupted"
    assert chat.messages(session)[-2:] == [("user", "more"), ("assistant", "Half of it")]


@pytest.mark.clause("CHAT-45", "CHAT-40")
def test_it_waits_its_turn(chat):
    session, run, approval = chat.api.ask_to_write(agent="asks")
    answers = []
    asking = threading.Thread(target=lambda: answers.append(chat.answer("say exactly: at last", session_id=session)), daemon=True)
    asking.start()
    wait_for(lambda: len(chat.runs(session)) == 2, "the turn that waits")
    assert not answers
    chat.api.approve(session, approval)
    asking.join(20)
    assert answers[0].status == 200 and answers[0].json["content"] == "at last"


@pytest.mark.clause("CHAT-45")
def test_an_id_does_not_matter_where_nothing_is_streamed(chat):
    done = chat.ask("say exactly: hello")
    reply = chat.answer("say exactly: anew", headers=[("Last-Event-ID", done.end.id)])
    assert reply.status == 200 and reply.json["content"] == "anew"


@pytest.mark.clause("CHAT-37")
def test_the_same_key_gives_the_same_answer(chat):
    header = [("Idempotency-Key", "answer-once")]
    first, again = (chat.answer("say exactly: once", headers=header) for _ in range(2))
    assert first.status == again.status == 200 and first.json == again.json
    expect_problem(chat.answer("say exactly: twice", headers=header), 409, "conflict")


@pytest.mark.clause("CHAT-48")
def test_the_health_of_an_agent(chat):
    reply = chat.api.call("GET", "/health/agent/support")
    assert reply.status == 200 and reply.json["status"] == "healthy" and reply.json["agent_name"] == "support"
    problem = expect_problem(chat.api.call("GET", "/health/agent/nobody"), 404, "not-found")
    assert problem["type"] == PROBLEMS + "not-found"
