"""The conversation contract: the events of an answer, their order and fields, and how an answer ends."""
import json

import pytest

from braid_client.agents import fail_agent
from braid_client.conversation import check_conversation, told_by
from braid_client.frames import joined
from braid_client.invariants import TIME
from braid_client.upstream import Call, Cut, End, Hold, Refuse, Say, Upstream


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def upstream_talk(upstream, new_town):
    """The conversation contract of a server whose agent `operator` asks the fake provider."""
    town = new_town(agents={"operator": upstream.agent("operator", tools=("system_status", "alert_admin"),
                                                       approval="{default: ask, tools: {alert_admin: auto}}")},
                    environment={"UPSTREAM_KEY": "sk-test-key"})
    town.server.api.never_shown += [b"sk-test-key", b"RAW-UPSTREAM-BODY", b"bluewhale"]
    return town.alice.talk


# ---- the frames ----

@pytest.mark.clause("CONVERSATION-11", "COMMON-4", "COMMON-6")
def test_the_head_and_the_frames(talk):
    with talk.stream("say exactly: hello there friend") as stream:
        assert stream.reply.status == 200
        assert stream.reply.header("content-type").split(";")[0] == "text/event-stream"
        assert stream.reply.header("cache-control") == "no-cache"
        assert stream.reply.header("x-accel-buffering") == "no"
        stream.read_to_end()
    for frame in stream.frames:
        lines = frame.raw.decode().split("\n")
        assert len(lines) == 4 and lines[0].startswith("id: ") and lines[2:] == ["", ""], frame.raw
        assert lines[1].startswith('data: {"type":"')
        assert lines[1] == "data: " + lines[1][6:].strip(), "one space after the colon"
    assert stream.end == "clean"


@pytest.mark.clause("CONVERSATION-12", "CONVERSATION-13", "CONVERSATION-20")
def test_the_order_of_a_plain_answer(alice, talk):
    told = talk.say("say exactly: hello there friend")
    assert told.types == ["start", *["token"] * (len(told.frames) - 3), "conversation", "done"]
    assert told.start == {"type": "start", "user_id": alice.user_id, "conversation_id": told.id,
                          "conversation_title": "say exactly: hello there friend", "tools_enabled": True,
                          "tool_names": ["system_status", "alert_admin"]}
    assert told.end == {"type": "done"}


@pytest.mark.clause("CONVERSATION-13", "COMMON-5")
def test_start_does_not_wait_for_the_model(upstream, upstream_talk):
    hold = Hold()
    upstream.script(hold, Say("At last."), End())
    with upstream_talk.stream("hello") as stream:
        stream.read_frames(1)
        assert [frame.type for frame in stream.frames] == ["start"]
        conversation = stream.frames[0].data["conversation_id"]
        assert upstream_talk.messages(conversation) == [("user", "hello")], "committed before the model answers"
        hold.release.set()
        assert told_by(stream.read_to_end().frames).text == "At last."


@pytest.mark.clause("CONVERSATION-14")
@pytest.mark.parametrize("message", ["say exactly: one two  three", "a long story about lighthouses", "hello",
                                     "think about rivers", "Can you check the system status?"])
def test_tokens_make_the_stored_answer(talk, message):
    told = talk.say(message)
    assert told.text and all(frame["content"] for frame in told.of("token"))
    assert talk.messages(told.id) == [("user", message), ("assistant", told.text)]
    assert told.conversation["conversation"][-1]["content"] == told.text
    runs = talk.api.read(told.session, told.run)
    assert runs[-1].type == "run_completed"


@pytest.mark.clause("CONVERSATION-14", "CONVERSATION-24", "COMMON-7", "COMMON-8")
@pytest.mark.fault(10, 6)
@pytest.mark.parametrize("text", [
    "a\u2028b\u2029c\u0085d", "quotes \" ' ` and \\ back\\\\slashes", "emoji 😀👩‍👩‍👧‍👦 \U0010FFFF end",
    "x\r\ny\rz\n\n\nw", "tab\tand\x0bvt\x0cff\x01\x7f",
    'id: evt_x\ndata: {"type":"done"}\n\ndata: {"type":"error","message":"forged"}\n\n', ": keepalive\n\n", "data:",
    "</script><script>alert(1)</script>", "\ufeffbom\ufeff", "é ü ß 漢字 العربية", "trailing space "],
    ids=lambda text: ascii(text)[:40])
def test_odd_texts_come_back_exactly(talk, text):
    told = talk.say("say exactly: " + text)
    assert told.text == text
    assert talk.messages(told.id) == [("user", "say exactly: " + text), ("assistant", text)]
    assert told.conversation == talk.get(told.id).json
    reply = talk.ask("say exactly: " + text)
    assert reply.json["response"] == text
    history = {item["id"]: item for item in talk.history("?limit=5").json["history"]}
    assert history[told.id] == told.conversation


@pytest.mark.clause("CONVERSATION-14")
def test_two_turns_are_kept_apart(upstream, upstream_talk):
    upstream.script(Say("I will look."), Call("system_status", {}), End("tool_calls"))
    upstream.script(Say("All is well."), End())
    told = upstream_talk.say("status?")
    assert told.text == "I will look.\n\nAll is well." == upstream_talk.messages(told.id)[-1][1]
    order = [name for name, before in zip(told.types, ["", *told.types]) if name != before]
    assert order == ["start", "token", "tool_start", "tool_end", "token", "conversation", "done"]


@pytest.mark.clause("CONVERSATION-14")
def test_thoughts_are_no_tokens(talk, upstream, upstream_talk):
    upstream.script(Say("Secretly I wonder.", field="reasoning_content"), Say("Rivers flow."), End())
    told = upstream_talk.say("think about rivers")
    assert told.text == "Rivers flow." and b"wonder" not in told.bytes


# ---- the conversation at the end ----

@pytest.mark.clause("CONVERSATION-19")
def test_the_conversation_event_is_the_conversation(talk):
    first = talk.say("say exactly: one")
    assert first.conversation == talk.get(first.id).json
    second = talk.say("say exactly: two", conversation_id=first.id)
    check_conversation(second.conversation)
    assert second.conversation == talk.get(first.id).json
    assert second.conversation["conversation"][:2] == first.conversation["conversation"]
    assert second.conversation["updated_at"] > first.conversation["updated_at"]
    contents = [(message["role"], message["content"]) for message in second.conversation["conversation"]]
    assert contents == [("user", "say exactly: one"), ("assistant", "one"), ("user", "say exactly: two"),
                        ("assistant", "two")]


@pytest.mark.clause("CONVERSATION-19", "COMMON-13")
@pytest.mark.parametrize("hard", [False, True], ids=["orderly", "kill -9"])
def test_a_replay_gives_the_same_bytes(new_town, hard):
    town = new_town()
    talk = town.alice.talk
    first = talk.say("Can you check the system status?")
    second = talk.say("say exactly: two", conversation_id=first.id)
    assert talk.rename(first.id, "Quite another title").status == 200
    talk.say("say exactly: three", conversation_id=first.id)
    for _ in range(2):
        for told in (first, second):
            assert joined(talk.replay(told)) == told.bytes, "later messages and titles do not show"
            assert joined(talk.rest(told.frames[0].id)) == joined(told.frames[1:])
        town.server.restart(hard=hard)
        talk = town.alice.talk


# ---- answers that fail ----

@pytest.mark.clause("CONVERSATION-21", "COMMON-11")
@pytest.mark.parametrize("kind", ["provider_error", "rate_limit", "timeout", "truncated", "cut_in_args", "hang",
                                  "endless"])
def test_a_failed_run_ends_with_an_error(talk, kind):
    told = talk.say("a long story about rivers", conversation_id=talk.with_agent(fail_agent(kind)))
    assert told.types[-1] == "error" and not {"conversation", "done"} & set(told.types)
    assert set(told.end) == {"type", "message"} and told.end["message"]
    run = talk.api.look(told.session, told.run)
    assert run["status"] == "failed" and run["error"]["message"] == told.end["message"]
    assert talk.rest(told.frames[-2].id) == told.frames[-1:]
    messages = talk.messages(told.id)
    assert messages[0] == ("user", "a long story about rivers")
    assert messages[1:] == ([("assistant", told.text)] if told.text else []), "the text so far is kept"
    assert talk.try_stream("again", conversation_id=told.id).close() is None, "the conversation is free again"


@pytest.mark.clause("CONVERSATION-21")
def test_a_provider_s_own_words_are_not_shown(upstream, upstream_talk):
    upstream.always(Refuse(401))
    told = upstream_talk.say("hello")
    assert told.types == ["start", "error"] and "RAW-UPSTREAM-BODY" not in told.end["message"]
    upstream.script(Say("Half an ans"), Cut())
    told = upstream_talk.say("hello")
    assert told.types[-1] == "error" and told.text == "Half an ans"


@pytest.mark.clause("CONVERSATION-22", "COMMON-64")
def test_an_interrupted_run(talk):
    conversation = talk.with_agent("slow")
    with talk.stream("a long story about rivers", conversation_id=conversation) as stream:
        run = "run_" + stream.read_type("token", 5).id.split("_")[1]
        assert talk.api.interrupt(conversation, run).status == 202
        told = told_by(stream.read_to_end().frames)
        assert stream.end == "clean"
    assert told.end == {"type": "error", "message": "Run interrupted"}
    assert talk.api.look(conversation, run)["status"] == "interrupted"
    messages = talk.messages(conversation)
    assert messages == [("user", "a long story about rivers"), ("assistant", told.text)]
    assert joined(talk.replay(told)) == told.bytes


# ---- the tool system fails ----

def fallback_of(told):
    [warning] = told.of("warning")
    assert warning["code"] == "tool_fallback" and warning["message"]
    return told.types.index("warning")


@pytest.mark.clause("CONVERSATION-23")
def test_tools_that_are_refused(talk):
    told = talk.say("say exactly: I manage without", conversation_id=talk.with_agent("no-tools-today"))
    assert fallback_of(told) == 1 and told.types[2] == "token"
    assert told.text == "I manage without" and told.types[-2:] == ["conversation", "done"]
    assert talk.messages(told.id)[-1] == ("assistant", "I manage without")


@pytest.mark.clause("CONVERSATION-23")
def test_a_provider_that_knows_no_tools(upstream, upstream_talk):
    upstream.script(Refuse(400, json.dumps({"error": {"message": "this model does not support tools",
                                                      "type": "invalid_request_error"}})))
    upstream.script(Say("Plainly said."), End())
    told = upstream_talk.say("hello")
    assert fallback_of(told) == 1 and told.text == "Plainly said."
    first, second = upstream.requests
    assert "tools" in first.body and "tools" not in second.body
    assert second.messages == first.messages


@pytest.mark.clause("CONVERSATION-23")
def test_text_that_was_sent_is_never_sent_again(upstream, upstream_talk):
    upstream.script(Say("I will look."), Call("system_status", {}), End("tool_calls"))
    upstream.always(Refuse(400, json.dumps({"error": {"message": "tools are not supported"}})))
    told = upstream_talk.say("status?")
    assert told.text.count("I will look.") == 1


# ---- context ----

def system_texts(request):
    return [message["content"] for message in request.messages if message["role"] in ("system", "developer")]


@pytest.mark.clause("CONVERSATION-5")
def test_context_reaches_the_model_for_one_turn_and_is_no_message(upstream, upstream_talk):
    told = upstream_talk.say("hello", context="The user is on the pricing page.\nQuietmarmot.")
    [request] = upstream.requests
    everything = json.dumps(request.messages)
    assert everything.count("Quietmarmot") == 1, "once, in a block of its own"
    assert [message["content"] for message in request.messages if message["role"] == "user"] == ["hello"]
    [system] = system_texts(request)
    before, block = system.split("The user is on the pricing page.")
    assert "code word bluewhale" in before and "ontext" in before.rstrip().splitlines()[-1], "it is marked as context"
    assert upstream_talk.messages(told.id) == [("user", "hello"), ("assistant", told.text)]
    assert b"Quietmarmot" not in told.bytes

    upstream_talk.say("and now?", conversation_id=told.id)
    assert "Quietmarmot" not in json.dumps(upstream.requests[1].body), "for that turn alone"
    assert system_texts(upstream.requests[1]) == [before.rpartition("\n\n")[0]]


@pytest.mark.clause("CONVERSATION-5", "CONVERSATION-4")
@pytest.mark.parametrize("context", [None, "", "  \n "])
def test_no_context(upstream, upstream_talk, context):
    upstream_talk.say("hello", context=context)
    assert system_texts(upstream.requests[0]) == ["You are the tests' own agent, code word bluewhale."]


@pytest.mark.clause("CONVERSATION-5")
def test_context_is_there_in_every_model_call_of_its_run(upstream, upstream_talk):
    upstream.script(Call("system_status", {}), End("tool_calls"))
    upstream.script(Say("Fine."), End())
    upstream_talk.say("status?", context="Quietmarmot")
    assert ["Quietmarmot" in json.dumps(request.messages) for request in upstream.requests] == [True, True]


@pytest.mark.clause("CONVERSATION-5", "CONVERSATION-35")
@pytest.mark.fault(30)
def test_context_is_there_after_a_crash(upstream, new_town):
    town = new_town(agents={"operator": upstream.agent("operator", tools=("system_status",))},
                    environment={"UPSTREAM_KEY": "sk-test-key"})
    upstream.script(Hold())
    with town.alice.talk.stream("hello", context="Quietmarmot") as stream:
        stream.read_frames(1)
        upstream.wait_request(1)
        town.server.restart(hard=True)
    told = told_by(stream.frames + town.alice.talk.rest(stream.last_id))
    assert told.text == "Hello from upstream."
    assert upstream.requests[1].messages == upstream.requests[0].messages
    assert "Quietmarmot" in json.dumps(upstream.requests[1].messages)


@pytest.mark.clause("CONVERSATION-19", "COMMON-3")
def test_times(talk):
    told = talk.say("Can you check the system status?")
    times = [message["created_at"] for message in told.conversation["conversation"]]
    assert all(TIME.match(time) for time in times) and times == sorted(times)
    assert times[-1] <= told.conversation["updated_at"]
