"""A real provider over a real socket: what it says arrives, and what it does wrong is told honestly."""
import json

import pytest

from braid_client.api import at_once
from braid_client.frames import joined, text_of
from braid_client.resources import descriptors_at_rest
from braid_client.upstream import Call, Cut, End, Hold, Raw, Refuse, Say, Upstream, Wild, chunk
from braid_client.waiting import wait_for

KEY = "sk-test-5up3r-s3cr3t"
STORY = " ".join(f"word{i}" for i in range(200))


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def serve(upstream, new_server):
    """serve(…) is a server whose agent `upstream` asks the fake provider, each time once (test_upstream_refusals.py has tries)."""
    made = []

    def start(tools=("file_write",), approval="{default: ask}", **options):
        server = new_server(agents={"upstream": upstream.agent(tools=tools, approval=approval)},
                            limits={"model_retries_max": 0, **options.pop("limits", {})},
                            environment={"UPSTREAM_KEY": KEY, **options.pop("environment", {})}, **options)
        server.api.never_shown += [KEY.encode(), b"RAW-UPSTREAM-BODY", b"bluewhale"]
        made.append(server)
        return server

    yield start
    for server in made:
        assert KEY not in server.log() and "RAW-UPSTREAM-BODY" not in server.log()
        assert KEY.encode() not in b"".join(path.read_bytes() for path in server.data.rglob("*") if path.is_file())


def run(server, message="hello", **options):
    return server.api.run(message, agent="upstream", **options)


# ---- what is asked and what is answered ----

@pytest.mark.fault(27)
def test_text_and_usage_come_through(upstream, serve):
    server = serve()
    upstream.script(Say("One two  three, \u2028 and 😀."), End())
    done = run(server, "count")
    assert done.end.type == "run_completed"
    assert text_of(done.frames) == done.end.payload["final_text"] == "One two  three, \u2028 and 😀."
    usage = server.api.look(done.session_id, done.run_id)["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (11, 7)
    asked = upstream.requests[0]
    assert asked.head.startswith("POST /v1/chat/completions HTTP/1.1")
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert set(asked.headers) == {"host", "user-agent", "accept", "content-type", "content-length", "authorization"}
    assert asked.body["model"] == "test-model" and asked.body["stream"] is True
    assert asked.body["stream_options"] == {"include_usage": True}
    assert [message["role"] for message in asked.messages] == ["system", "user"]
    assert "bluewhale" in asked.messages[0]["content"] and asked.messages[1]["content"] == "count"
    assert [tool["function"]["name"] for tool in asked.body["tools"]] == ["file_write"]


def test_the_second_turn_brings_the_first_along(upstream, serve):
    server = serve()
    upstream.script(Say("Blue."), End())
    done = run(server, "my colour?")
    upstream.script(Say("Still blue."), End())
    run(server, "and now?", session_id=done.session_id)
    assert [(m["role"], m["content"]) for m in upstream.requests[1].messages[1:]] == [
        ("user", "my colour?"), ("assistant", "Blue."), ("user", "and now?")]


def test_connections_are_used_again(upstream, serve):
    server = serve(arguments=["--threads", "1"])
    for _ in range(5):
        run(server)
    assert {request.connection for request in upstream.requests} == {1}


def test_a_tool_call_and_its_result(upstream, serve):
    server = serve()
    upstream.script(Say("I will write it."), Call("file_write", {"path": "a.md", "content": "tide ü"}),
                    End("tool_calls"))
    upstream.script(Say("Done."), End())
    session = server.api.session(agent="upstream")
    started = server.api.start(session, "write a.md")
    approval = server.api.wait_pending(session)[0]
    assert approval["args"] == {"path": "a.md", "content": "tide ü"}
    assert server.api.approve(session, approval["approval_id"]).status == 200
    frames = server.api.read(session, started)
    assert frames[-1].type == "run_completed" and text_of(frames).endswith("Done.")
    assert server.api.get(f"/sessions/{session}/files/a.md").body.decode() == "tide ü"
    said, told = upstream.requests[1].messages[-2:]
    assert said["role"] == "assistant" and said["content"] == "I will write it."
    call = said["tool_calls"][0]
    assert call["id"] == told["tool_call_id"] == "call_up_0" and told["role"] == "tool"
    assert json.loads(call["function"]["arguments"]) == {"path": "a.md", "content": "tide ü"}


def test_many_runs_at_once(upstream, serve):
    server = serve()
    upstream.always(Say(STORY, pace=0.001), End())
    runs = at_once(40, lambda i: run(server, f"run {i}"))
    assert all(text_of(done.frames) == STORY for done in runs)
    assert len(upstream.requests) == 40


# ---- stopping ----

@pytest.mark.fault(12)
def test_an_interrupt_closes_the_upstream_at_once(upstream, serve):
    server = serve()
    upstream.script(Say("Well,"), Hold())
    session = server.api.session(agent="upstream")
    started = server.api.start(session, "hello")
    with server.api.stream(session, started) as stream:
        stream.read_type("assistant_delta")
        assert server.api.interrupt(session, started).status == 202
        assert upstream.requests[0].closed.wait(10)
        stream.read_to_end()
    assert stream.frames[-1].type == "run_interrupted"


def test_upstream_connections_do_not_pile_up(upstream, serve):
    server = serve()
    run(server)
    before = descriptors_at_rest(server)
    upstream.always(Say("Well,"), Hold())
    session = [server.api.session(agent="upstream") for _ in range(20)]
    started = [server.api.start(each, "hello") for each in session]
    upstream.wait_request(21)
    for each, it in zip(session, started):
        server.api.interrupt(each, it)
    for each, it in zip(session, started):
        assert server.api.wait_over(each, it)["status"] == "interrupted"
    wait_for(lambda: server.descriptors() <= before, "the descriptors to be back")


@pytest.mark.fault(31)
def test_a_server_that_stops_lets_go_of_its_upstreams(upstream, serve):
    server = serve(limits={"drain_grace": 200})
    upstream.always(Say("Well,"), Hold())
    for _ in range(5):
        session = server.api.session(agent="upstream")
        server.api.start(session, "hello")
    upstream.wait_request(5)
    assert server.stop() == 0
    assert all(request.closed.wait(10) for request in upstream.requests)


# ---- what goes wrong ----

@pytest.mark.fault(36)
@pytest.mark.parametrize("status, code", [
    (400, "PROVIDER_ERROR"), (401, "PROVIDER_ERROR"), (403, "PROVIDER_ERROR"), (404, "PROVIDER_ERROR"),
    (429, "RATE_LIMITED"), (500, "PROVIDER_ERROR"), (503, "PROVIDER_ERROR"), (504, "PROVIDER_TIMEOUT"),
    (529, "PROVIDER_ERROR"), (302, "PROVIDER_ERROR")])
def test_refusals(upstream, serve, status, code):
    server = serve()
    body = json.dumps({"error": {"message": f"RAW-UPSTREAM-BODY of the key {KEY}"}})
    upstream.script(Refuse(status, body, headers=(("Location", "http://127.0.0.1:1/"), ("Retry-After", "1"))))
    done = run(server)
    assert done.end.type == "run_failed" and done.end.payload["error_code"] == code
    assert f"HTTP {status}" in done.end.payload["message"]
    assert len(upstream.requests) == 1
    assert run(server, session_id=done.session_id).end.type == "run_completed"


@pytest.mark.fault(36)
@pytest.mark.parametrize("data", [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
                                  b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
                                  b"SSH-2.0-x\r\n", b""],
                         ids=["a page", "a document", "no HTTP", "nothing"])
def test_answers_that_are_no_stream(upstream, serve, data):
    server = serve()
    upstream.script(Wild(data))
    done = run(server)
    assert done.end.type == "run_failed" and done.end.payload["error_code"] == "PROVIDER_ERROR"


@pytest.mark.fault(36)
def test_nobody_listens(upstream, serve):
    server = serve()
    upstream.close()
    done = run(server)
    assert done.end.type == "run_failed" and done.end.payload["error_code"] == "PROVIDER_ERROR"
    assert str(upstream.port) not in done.end.payload["message"]


@pytest.mark.fault(37)
@pytest.mark.parametrize("cut", [Cut(), Cut(reset=True)], ids=["closed", "reset"])
@pytest.mark.parametrize("said", [(), (Say("Half of an"),), (Say("Half"), Raw(b'data: {"choices":[{"del')),
                                  (Say("Half"), Call("file_write", {"path": "a.md", "content": "x"}))],
                         ids=["nothing", "text", "in an event", "in a call"])
def test_a_cut_keeps_the_text_and_fails(upstream, serve, said, cut):
    server = serve(approval="{default: auto}")
    upstream.script(Raw(b": hello\n\n"), *said, cut)
    done = run(server)
    assert done.end.type == "run_failed" and done.end.payload["error_code"] == "UPSTREAM_TRUNCATED"
    assert text_of(done.frames) == "".join(step.text for step in said if isinstance(step, Say))
    assert server.api.files(done.session_id) == {}


@pytest.mark.fault(37)
@pytest.mark.parametrize("tail", [[], [Raw(b"data: [DONE]\n\n")]], ids=["end", "done"])
def test_an_end_without_a_reason_is_a_cut(upstream, serve, tail):
    server = serve()
    upstream.script(Say("It looks whole."), *tail)
    done = run(server)
    assert done.end.type == "run_failed" and done.end.payload["error_code"] == "UPSTREAM_TRUNCATED"
    assert text_of(done.frames) == "It looks whole."


@pytest.mark.fault(36, 38)
@pytest.mark.parametrize("data", [b'data: {"error":{"message":"RAW-UPSTREAM-BODY"}}\n\n', b'data: {"error":"x"}\n\n',
                                  b"event: error\ndata: {}\n\n", b"data: RAW-UPSTREAM-BODY\n\n", b"data: [1]\n\n",
                                  chunk({}, finish="abort") + b"data: [DONE]\n\n", b"data: " + b"x" * 1_200_000],
                         ids=["object", "text", "event", "no JSON", "no object", "abort", "too long"])
def test_errors_in_mid_stream(upstream, serve, data):
    server = serve()
    upstream.script(Say("So far"), Raw(data), Say("never heard"), End())
    done = run(server)
    assert done.end.type == "run_failed" and done.end.payload["error_code"] == "PROVIDER_ERROR"
    assert text_of(done.frames).startswith("So far")


@pytest.mark.fault(38, 41)
def test_odd_but_lawful_streams(upstream, serve):
    server = serve()
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    upstream.script(Raw(b"\xef\xbb\xbf: OPENROUTER PROCESSING\r\n\r\n"),
                    Raw(chunk({"content": "a"}, usage={"prompt_tokens": 1, "completion_tokens": 1})
                        .replace(b"\n", b"\r\n")),
                    Raw(chunk({"content": "b"}).replace(b"\n", b"\r")),
                    Raw(b'data:{"choices":\ndata:[{"delta":{"content":"c"}}]}\n\n'),
                    Raw(chunk({"content": "d"}, finish="stop", usage=usage, obfuscation="xyz")),
                    Raw(b"data: [DONE]\n\n"))
    done = run(server)
    assert done.end.type == "run_completed" and text_of(done.frames) == "abcd"
    counted = server.api.look(done.session_id, done.run_id)["usage"]
    assert (counted["input_tokens"], counted["output_tokens"]) == (3, 4)


@pytest.mark.fault(41)
def test_no_usage_is_null(upstream, serve):
    server = serve()
    upstream.script(Say("Hello."), End(usage=None))
    done = run(server)
    assert server.api.look(done.session_id, done.run_id)["usage"] is None


@pytest.mark.fault(39)
def test_a_silent_upstream_runs_out_of_time(upstream, serve):
    server = serve(limits={"model_idle_timeout": 300})
    upstream.script(Say("Well,"), Hold())
    done = run(server)
    assert done.end.payload["error_code"] == "PROVIDER_TIMEOUT" and text_of(done.frames) == "Well,"
    assert upstream.requests[0].closed.wait(10)


# ---- after a crash ----

@pytest.mark.fault(30)
def test_a_killed_server_has_the_answer_continued(upstream, serve):
    server = serve()
    upstream.script(Say("The first half of it", pace=0.001), Hold())
    session = server.api.session(agent="upstream")
    started = server.api.start(session, "tell me")
    with server.api.stream(session, started) as stream:
        stream.read_type("assistant_delta", 5)
        server.kill()
        stream.read_to_end()
        seen = joined(stream.frames)
    upstream.script(Say("first half of it, and the second."), End())
    server.start()
    server.api.never_shown.append(KEY.encode())
    frames = server.api.read(session, started)
    assert joined(frames).startswith(seen)
    assert frames[-1].type == "run_completed"
    assert frames[-1].payload["final_text"] == "The first half of it, and the second."
    again = upstream.requests[1].messages
    assert [message["role"] for message in again] == ["system", "user", "assistant", "user"]
    assert again[2]["content"] == "The first half of it" and "Continue" in again[3]["content"]


# ---- agent files ----

@pytest.mark.parametrize("model, said", [
    ("provider: openai, api_key_env: NO_SUCH_KEY, base_url: 'http://127.0.0.1:1/v1'", "NO_SUCH_KEY"),
    ("provider: openai", "OPENAI_API_KEY"),
    ("provider: anthropic", "ANTHROPIC_API_KEY"),
    (f"provider: openai, api_key_env: {KEY}", "must be the name of an environment variable")])
def test_a_model_that_cannot_be_asked_is_refused_at_start(new_server, model, said):
    with pytest.raises(AssertionError, match=said) as refused:
        new_server(agents={"a": f"name: a\nmodel: {{{model}}}\n"})
    assert KEY not in str(refused.value)


def test_auto_takes_the_environment(upstream, new_server):
    server = new_server(agents={"any": "name: any\nmodel: {provider: auto}\n"},
                        environment={"OPENAI_BASE_URL": upstream.base_url + "/", "OPENAI_API_KEY": KEY,
                                     "OPENAI_MODEL": "from-the-environment"})
    done = server.api.run("hello", agent="any")
    assert text_of(done.frames) == "Hello from upstream."
    assert upstream.requests[0].body["model"] == "from-the-environment"
    assert upstream.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_auto_without_an_environment_is_offline(new_server):
    server = new_server(agents={"any": "name: any\nmodel: {provider: auto}\n"})
    assert server.api.run("say exactly: here", agent="any").end.payload["final_text"] == "here"
