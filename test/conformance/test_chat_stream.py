"""Chat: the events of a stream, their order and their fields, tool calls and endings."""
import json

import pytest

from braid_client.agents import agent
from braid_client.chat import PROBLEMS, Chat, calls_of, text_of, types
from braid_client.frames import KEEPALIVE, joined, of_type
from braid_client.legal import check_chat
from braid_client.upstream import Call, Cut, End, Hold, Raw, Refuse, Say, Upstream, chunk


@pytest.fixture
def chat(api):
    return Chat(api, "asks")


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


def behind(upstream, new_server, tools=(), approval="{default: auto}", **options):
    """A server of one's own whose agent `upstream` asks the tests' model."""
    server = new_server(agents={"upstream": upstream.agent(tools=tools, approval=approval)},
                        environment={"UPSTREAM_KEY": "k"}, **options)
    return Chat(server.api, "upstream")


# ---- the beginning ----

@pytest.mark.clause("CHAT-12", "CHAT-11")
def test_the_start_does_not_wait_for_the_model(upstream, new_server):
    chat = behind(upstream, new_server, limits={"keepalive_interval": 100})
    upstream.always(Hold())
    with chat.post("hello", timeout=10) as stream:
        assert stream.read_frames(1)[0].type == "stream_start"
        stream.read_until(lambda s: s.reader.keepalives >= 3, "three keepalives")
        assert KEEPALIVE in stream.payload and len(stream.frames) == 1


@pytest.mark.clause("CHAT-12")
def test_each_word_leaves_at_once(upstream, new_server):
    chat = behind(upstream, new_server)
    hold = Hold()
    upstream.script(Say("one two"), hold, Say(" three"), End())
    with chat.post("hello", timeout=10) as stream:
        stream.read_until(lambda s: text_of(s.frames) == "one two", "what was said so far")
        hold.release.set()
        stream.read_to_end()
    assert text_of(stream.frames) == "one two three"


# ---- text ----

@pytest.mark.clause("CHAT-13", "CHAT-10")
def test_the_deltas_are_the_answer_and_the_message(chat):
    done = chat.ask("a long story about lighthouses")
    check_chat(done.frames, done.run_id)
    assert len(of_type(done.frames, "message_delta")) > 20
    assert chat.messages(done.session_id)[-1] == ("assistant", done.text)
    assert len(done.text.split()) > 400


@pytest.mark.clause("CHAT-13")
def test_two_turns_with_text_are_parted(chat):
    done = chat.ask("what is 12*7?", agent="counts")
    check_chat(done.frames, done.run_id)
    before, after = done.text.split("\n\n")
    assert before == "I will calculate that." and after == "12*7 = 84"
    assert {"\n\n"} <= {frame.data["delta"] for frame in of_type(done.frames, "message_delta")}
    assert chat.messages(done.session_id)[-1] == ("assistant", done.text)


@pytest.mark.clause("CHAT-13")
def test_thoughts_are_not_shown(upstream, new_server):
    chat = behind(upstream, new_server)
    upstream.script(Say("let me think about it", field="reasoning_content"), Say("Here it is."), End())
    done = chat.ask("hello")
    assert done.text == "Here it is." and b"think" not in done.bytes
    assert set(types(done.frames)) == {"stream_start", "message_delta", "stream_end"}


# ---- tool calls ----

@pytest.mark.clause("CHAT-14", "CHAT-15", "CHAT-1")
def test_support_searches_its_knowledge(chat):
    done = chat.ask("Is my tent still under warranty?", agent="support")
    check_chat(done.frames, done.run_id)
    call, = calls_of(done.frames).values()
    assert call[0] == "search_knowledge_base" and call[2] == "success"
    assert "tent" in json.loads(call[1])["query"]
    order = [name for index, name in enumerate(types(done.frames)) if index == 0 or types(done.frames)[index - 1] != name]
    assert order == ["stream_start", "tool_call_start", "tool_call_args", "tool_call_end", "message_delta", "stream_end"]
    assert len(of_type(done.frames, "tool_call_args")) > 1, "the arguments come in the model's own pieces"
    assert "warranty.md" in done.text and "two years" in done.text


@pytest.mark.clause("CHAT-15")
@pytest.mark.parametrize("pause", [0.03, 0])
def test_the_fragments_are_those_of_the_model(upstream, new_server, pause):
    """Those that come together may be shown as one: some servers send every character on its own."""
    chat = behind(upstream, new_server, tools=("calculator",))
    fragments = ['{"expr', 'ession"', ': "6 *', " 7", '"', " }"]
    call = {"index": 0, "id": "call_x", "type": "function", "function": {"name": "calculator", "arguments": ""}}
    upstream.script(Raw(chunk({"tool_calls": [call]})),
                    *(Raw(chunk({"tool_calls": [{"index": 0, "function": {"arguments": f}}]}), pause) for f in fragments),
                    End("tool_calls"))
    upstream.script(Say("It is 42."), End())
    done = chat.ask("what is six times seven?")
    check_chat(done.frames, done.run_id)
    if pause:
        assert [frame.data["args_delta"] for frame in of_type(done.frames, "tool_call_args")] == fragments
    (name, arguments, status), = calls_of(done.frames).values()
    assert (name, status) == ("calculator", "success")
    assert arguments == "".join(fragments) and json.loads(arguments) == {"expression": "6 * 7"}
    assert "42" in upstream.requests[1].messages[-1]["content"]


@pytest.mark.clause("CHAT-15")
def test_a_call_without_arguments_has_one_empty_object(upstream, new_server):
    chat = behind(upstream, new_server, tools=("file_list",))
    call = {"index": 0, "id": "call_x", "type": "function", "function": {"name": "file_list", "arguments": ""}}
    upstream.script(Raw(chunk({"tool_calls": [call]})), End("tool_calls"))
    upstream.script(Say("Nothing there."), End())
    done = chat.ask("which files are there?")
    check_chat(done.frames, done.run_id)
    assert list(calls_of(done.frames).values()) == [["file_list", "{}", "success"]]


@pytest.mark.clause("CHAT-14", "CHAT-16")
def test_several_calls_of_one_turn(upstream, new_server):
    chat = behind(upstream, new_server, tools=("calculator", "file_read"))
    odd = 'näme "quoted" \u2028 \\ \n.md'
    upstream.script(Call("calculator", {"expression": "1+1"}, 0), Call("file_read", {"path": odd}, 1),
                    Call("calculator", {"expression": "2+"}, 2), End("tool_calls"))
    upstream.script(Say("So it is."), End())
    done = chat.ask("do three things")
    check_chat(done.frames, done.run_id)
    calls = list(calls_of(done.frames).values())
    assert [(name, status) for name, _, status in calls] == [
        ("calculator", "success"), ("file_read", "error"), ("calculator", "error")]
    assert json.loads(calls[1][1]) == {"path": odd}
    assert done.end.type == "stream_end" and done.text == "So it is.", "a tool that fails does not end the run"


@pytest.mark.clause("CHAT-16", "CHAT-17")
@pytest.mark.parametrize("name, status, runs_show", [("denies", "error", "denied"), ("impatient", "error", "timeout")])
def test_refused_calls(chat, name, status, runs_show):
    done = chat.ask("Write a haiku about rivers to haiku.md", agent=name)
    check_chat(done.frames, done.run_id)
    assert [call[2] for call in calls_of(done.frames).values()] == [status]
    assert done.end.type == "stream_end", "the agent hears of it and goes on"
    rejected = of_type(chat.api.read("sess_" + done.session_id, done.run_id), "tool_call_rejected")
    assert [frame.payload["reason"] for frame in rejected] == [runs_show]


@pytest.mark.clause("CHAT-16")
@pytest.mark.fault(40)
@pytest.mark.parametrize("kind", ["bad-args", "unknown-tool"])
def test_a_call_that_cannot_be_made(chat, kind):
    done = chat.ask("hello", agent=f"fail-{kind}")
    check_chat(done.frames, done.run_id)
    assert [call[2] for call in calls_of(done.frames).values()] == ["error"]
    assert done.end.type == "stream_end"


@pytest.mark.clause("CHAT-14", "CHAT-16", "CHAT-18", "CHAT-20")
@pytest.mark.fault(37)
def test_a_call_that_breaks_off_ends_before_the_run_does(chat):
    done = chat.ask("hello", agent="fail-cut-in-args")
    check_chat(done.frames, done.run_id)
    assert types(done.frames)[-2:] == ["tool_call_end", "error"]
    assert done.end.data["status"] == 500 and done.end.data["type"] == PROBLEMS + "agent-error"


@pytest.mark.clause("CHAT-17")
@pytest.mark.parametrize("decision, status", [("approve", "success"), ("reject", "error")])
def test_an_approval_is_given_through_the_runs_contract(new_server, decision, status):
    server = new_server(limits={"keepalive_interval": 100})
    chat = Chat(server.api, "asks")
    with chat.post("Write a haiku about rivers to haiku.md") as stream:
        stream.read_type("tool_call_args")
        session = stream.frames[0].data["session_id"]
        pending = server.api.wait_pending(session)
        seen = stream.reader.keepalives
        stream.read_until(lambda s: s.reader.keepalives >= seen + 2, "keepalives while it waits")
        assert "tool_call_end" not in types(stream.frames)
        decided = server.api.post(f"/sessions/{session}/approvals/{pending[0]['approval_id']}/{decision}")
        assert decided.status == 200, decided
        done = chat.read(stream)
    check_chat(done.frames, done.run_id)
    assert [call[2] for call in calls_of(done.frames).values()] == [status]
    assert done.end.type == "stream_end"
    assert (server.api.files(session) == {}) == (decision == "reject")


# ---- the end ----

@pytest.mark.clause("CHAT-19", "CHAT-18")
def test_the_tokens_of_all_turns(upstream, new_server):
    chat = behind(upstream, new_server, tools=("calculator",))
    upstream.script(Call("calculator", {"expression": "6*7"}),
                    End("tool_calls", {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}))
    upstream.script(Say("42"), End("stop", {"prompt_tokens": 40, "completion_tokens": 2, "total_tokens": 42}))
    done = chat.ask("what is 6*7?")
    assert done.end.data["tokens_used"] == {"prompt_tokens": 60, "completion_tokens": 7, "total_tokens": 67}
    assert done.end.data["execution_time_ms"] >= 0
    assert chat.runs(done.session_id)[0]["usage"] == {"input_tokens": 60, "output_tokens": 7, "total_tokens": 67}


@pytest.mark.clause("CHAT-19")
@pytest.mark.fault(41)
def test_no_tokens_reported(chat):
    done = chat.ask("hello", agent="fail-no-usage")
    assert done.end.type == "stream_end" and done.end.data["tokens_used"] is None


@pytest.mark.clause("CHAT-20", "CHAT-18")
@pytest.mark.fault(36, 37, 39)
@pytest.mark.parametrize("name, status, kind", [
    ("fail-provider-error", 500, "agent-error"), ("fail-rate-limit", 503, "unavailable"),
    ("fail-timeout", 500, "agent-error"), ("fail-truncated", 500, "agent-error"), ("fail-hang", 500, "agent-error"),
    ("fail-endless", 500, "agent-error"), ("one-step", 500, "agent-error"),
])
def test_how_a_run_fails(chat, name, status, kind):
    message = "list files" if name == "one-step" else "hello"
    done = chat.ask(message, agent=name)
    check_chat(done.frames, done.run_id)
    assert done.end.type == "error"
    assert (done.end.data["status"], done.end.data["type"]) == (status, PROBLEMS + kind), done.end.data
    assert chat.runs(done.session_id)[0]["status"] == "failed"
    if done.text:
        assert chat.messages(done.session_id)[-1] == ("assistant", done.text), "the text so far is kept"


@pytest.mark.clause("CHAT-20", "CHAT-18")
@pytest.mark.fault(36, 37)
def test_what_a_real_upstream_does_is_told_in_our_own_words(upstream, new_server):
    chat = behind(upstream, new_server)
    chat.api.never_shown.append(b"RAW-UPSTREAM-BODY")
    upstream.script(Refuse(401))
    refused = chat.ask("hello")
    assert types(refused.frames) == ["stream_start", "error"] and refused.end.data["status"] == 500
    upstream.script(Say("Half an answer and"), Cut())
    cut = chat.ask("hello", session_id=refused.session_id)
    check_chat(cut.frames, cut.run_id)
    assert cut.text == "Half an answer and" and cut.end.data["type"] == PROBLEMS + "agent-error"
    assert chat.messages(cut.session_id)[-1] == ("assistant", "Half an answer and")


@pytest.mark.clause("CHAT-20", "CHAT-18")
def test_an_interrupt_is_an_error_of_its_own(chat):
    with chat.post("a long story about lighthouses", agent="very-slow") as stream:
        stream.read_type("message_delta")
        session, run = stream.frames[0].data["session_id"], "run_" + stream.frames[0].id.split("_")[1]
        assert chat.api.interrupt(session, run).status == 202
        done = chat.read(stream)
    check_chat(done.frames, done.run_id)
    assert (done.end.data["status"], done.end.data["type"]) == (499, PROBLEMS + "interrupted")
    assert done.end.data["detail"] and done.end.data["title"]


@pytest.mark.clause("CHAT-18", "CHAT-10")
def test_a_replay_is_the_same_bytes(chat):
    for message, name in (("Is my tent still under warranty?", "support"), ("hello", "fail-truncated")):
        done = chat.ask(message, agent=name)
        rest = chat.read(chat.resume(done.frames[0].id, agent=name))
        assert rest.bytes == joined(done.frames[1:])


@pytest.mark.clause("CHAT-18")
def test_the_connection_goes_on_after_a_stream(chat):
    stream = chat.post("say exactly: hello")
    stream.read_to_end()
    assert stream.end == "clean"
    assert stream.connection.ask("GET", "/health").status == 200
    stream.close()


def test_an_agent_without_any_answer(new_server):
    server = new_server(agents={"mute": agent("mute", fail="empty")})
    done = Chat(server.api, "mute").ask("hello")
    check_chat(done.frames, done.run_id)
    assert done.text == ""
