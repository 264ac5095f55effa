"""What a model is told of the past. Whatever happened in a session, and however long it is, the request is one that the provider
takes: the FaultServer judges each as OpenAI and Anthropic do, and `place` fails when it refused a single one."""
import json

import pytest

from braid_client.frames import of_type
from upstream.answers import Answer, refusal
from upstream.fault_server import ORDER, said_by_user
from upstream.five import FIVE, Seen, begin, in_parallel, new_session, open_in, run_of_stream
from upstream.place import Place, place_fixture
from upstream.streams import ANTHROPIC, OPENAI, PROTOCOLS, Call

CONTEXT = 3_000  # tokens
TURNS = 150

place = place_fixture(limits={"model_retries_max": 0}, agents=lambda upstream: {
    **{f"{name}-small": upstream.agent(f"{name}-small", name, tools=("file_write", "file_read"), extra="max_steps: 40\n",
                                       model=upstream.model(name, context_tokens=CONTEXT, max_tokens=500))
       for name in PROTOCOLS},
    **{f"{name}-asks": upstream.agent(f"{name}-asks", name, approval="{default: ask}") for name in PROTOCOLS},
    "thinks": upstream.agent("thinks", "anthropic", model=upstream.model("anthropic", fallback=[
        {"provider": "openai", "name": "second", "api_key_env": "UPSTREAM_KEY", "base_url": upstream.base_url("openai")}])),
    "wants-it-back": upstream.agent("wants-it-back", model=upstream.model("openai", returns_reasoning=True)),
})


def conversation_of(request):
    """(role, text) of each message that is no instruction."""
    told = []
    for message in request.messages:
        content = message["content"]
        if isinstance(content, list):
            content = "".join(block.get("text", "") for block in content)
        if message["role"] in ("user", "assistant"):
            told.append((message["role"], content or ""))
    return told


def system_of(request):
    if request.protocol == "openai":
        return "".join(message["content"] for message in request.messages if message["role"] == "system")
    system = request.body["system"]
    return system if isinstance(system, str) else "".join(block["text"] for block in system)


# ---- long ones ----

@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_long_conversation_is_cut_in_whole_turns(place, protocol):
    speak, agent = PROTOCOLS[protocol], f"{protocol}-small"
    session = new_session(place.api, agent)
    said, cut = [], 0
    for turn in range(TURNS):
        answer = f"Answer {turn}: " + "on and on " * (turn % 40)
        message = place.upstream.order(Answer(speak.say(answer)))
        begin(FIVE[turn % 5], place.api, agent, message, session)
        [request] = place.upstream.asked(message)
        told = conversation_of(request)
        whole = [*said, ("user", message)]
        assert told == whole[-len(told):], "what is left is not the end of the conversation"
        assert told[0][0] == "user", told[0]
        assert "bluewhale" in system_of(request)
        assert len(json.dumps(request.body)) / 4 < CONTEXT, "more than the model can read"
        cut += len(told) < len(whole)
        said = [*whole, ("assistant", answer)]
    assert cut > TURNS // 2
    assert len(told) > 6, "nearly nothing is left of it"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_long_run_keeps_each_call_with_its_result(place, protocol):
    """Thirty calls, each of which would fill a tenth of what the model can read."""
    speak, agent = PROTOCOLS[protocol], f"{protocol}-small"
    session = new_session(place.api, agent)
    place.api.upload(session, "long.md", b"a long line of text\n" * 60)
    turns = [Answer(speak.say(f"Turn {turn}.", [Call("file_read", {"path": "long.md"}),
                                                Call("file_write", {"path": f"{turn}.md", "content": "x" * 300})]))
             for turn in range(30)]
    seen = place.run("runs", agent, *turns, Answer(speak.say("All read.")), session=session)
    assert seen.ended == "completed" and len(seen.results) == 60, seen.end
    last = place.asked(seen)[-1]
    assert said_by_user(next(message for message in last.messages if message["role"] == "user")) == seen.done.message
    assert "bluewhale" in system_of(last)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_message_that_is_longer_than_all(place, protocol):
    speak, agent = PROTOCOLS[protocol], f"{protocol}-small"
    message = place.upstream.order(Answer(speak.say("Too long."))) + " " + "word " * 6_000
    seen = Seen(place.api, begin("runs", place.api, agent, message))
    assert seen.ended == "completed", seen.end
    assert len(json.dumps(place.asked(seen)[0].body)) < len(message)


# ---- interrupted ones ----

WRITE = Call("file_write", {"path": "a.md", "content": "tide"})


def unfinished(speak, *parts, drop):
    """An answer whose last events never come."""
    events = speak.say(*parts)
    return Answer(events[:next(at for at, event in enumerate(events) if event.ends) - drop], hold=True)


STATES = {
    "in mid-answer": lambda speak: unfinished(speak, "Well, I", drop=0),
    "in mid-arguments": lambda speak: unfinished(speak, "Well, I", [WRITE], drop=2),
    "with a question open": lambda speak: Answer(speak.say("May I?", [WRITE])),
    "with two questions open": lambda speak: Answer(speak.say("", [WRITE, Call("file_write", {"path": "b", "content": ""})])),
}


def reach(place, contract, agent, state, protocol):
    """(session, run) that has come so far."""
    message = place.upstream.order(STATES[state](PROTOCOLS[protocol]), Answer(PROTOCOLS[protocol].say("On I go.")))
    session = new_session(place.api, agent)
    stream = open_in(contract, place.api, agent, message, session)
    place.upstream.wait_asked(message)
    if "question" in state:
        place.api.wait_pending(session, 2 if "two" in state else 1)
    elif contract != "tasks":
        stream.read_until(lambda s: len(s.frames) >= 2 or contract == "steps", "the beginning")
    run = run_of_stream(contract, stream, place.api, session)
    return session, run, stream


@pytest.mark.fault(17)
@pytest.mark.parametrize("state", STATES)
def test_after_an_interrupt(place, state):
    def visit(protocol, contract):
        session, run, stream = reach(place, contract, f"{protocol}-asks", state, protocol)
        assert place.api.interrupt(session, run).status == 202
        stream.read_to_end()
        stream.close()
        assert place.api.wait_over(session, run)["status"] == "interrupted"
        for _ in range(2):
            message = place.upstream.order(Answer(PROTOCOLS[protocol].say("And now?")))
            seen = Seen(place.api, begin(contract, place.api, f"{protocol}-asks", message, session))
            assert (seen.ended, seen.text) == ("completed", "And now?"), seen.end
            assert ORDER.search(message).group() in conversation_of(place.asked(seen)[0])[-1][1]
    in_parallel(10, [lambda p=protocol, c=contract: visit(p, c) for protocol in PROTOCOLS for contract in FIVE])


@pytest.mark.fault(30)
def test_after_a_crash(tmp_path):
    """Each state in each contract and protocol, one kill for all of them. Nothing is run twice, and whoever goes on or asks anew
    sends what the provider takes."""
    place = Place(tmp_path, limits={"model_retries_max": 0}, agents=lambda upstream: {
        f"{name}-asks": upstream.agent(f"{name}-asks", name, approval="{default: ask}") for name in PROTOCOLS})
    try:
        jobs = [(protocol, contract, state) for protocol in PROTOCOLS for contract in FIVE for state in STATES]
        there = in_parallel(40, [lambda j=job: reach(place, j[1], f"{j[0]}-asks", j[2], j[0]) for job in jobs])
        place.server.kill()
        for _, _, stream in there:
            stream.close()
        place.server.start()
        place.server.api.never_shown += [b"bluewhale"]

        def go_on(job, session, run):
            protocol, contract, state = job
            if "question" in state and contract != "chat":
                for item in place.api.wait_pending(session, 2 if "two" in state else 1):
                    assert place.api.approve(session, item["approval_id"]).status == 200
            over = place.api.wait_over(session, run)
            assert over["status"] == ("interrupted" if contract == "chat" else "completed"), (job, over)
            frames = place.api.read(session, run)
            assert len(of_type(frames, "tool_result")) == (0 if contract == "chat" or "question" not in state
                                                           else 2 if "two" in state else 1)
            message = place.upstream.order(Answer(PROTOCOLS[protocol].say("And now?")))
            seen = Seen(place.api, begin(contract, place.api, f"{protocol}-asks", message, session))
            assert (seen.ended, seen.text) == ("completed", "And now?"), seen.end

        in_parallel(40, [lambda j=job, s=session, r=run: go_on(j, s, r) for job, (session, run, _) in zip(jobs, there)])
    finally:
        place.close()


# ---- what only one provider understands ----

def test_signed_thoughts_go_back_as_they_came(place):
    place.upstream.issued.add("signed-by-us-1")
    seen = place.run("runs", "anthropic", Answer(ANTHROPIC.say("I write.", [WRITE], thinking="Shall I? I shall.",
                                                              signature="signed-by-us-1")), Answer(ANTHROPIC.say("Done.")))
    assert seen.ended == "completed" and "Shall I?" not in seen.text, seen.end
    blocks = place.asked(seen)[1].messages[1]["content"]
    assert blocks[0] == {"type": "thinking", "thinking": "Shall I? I shall.", "signature": "signed-by-us-1"}, blocks


def test_and_to_nobody_else(place):
    """The second request goes to another provider: what the first one signed stays away from it."""
    place.upstream.issued.add("signed-by-us-2")
    first = Answer(ANTHROPIC.say("I write.", [WRITE], thinking="Hm.", signature="signed-by-us-2"))
    seen = place.run("runs", "thinks", first, refusal(503), Answer(OPENAI.say("Done.")))
    assert seen.ended == "completed" and seen.text.endswith("Done."), seen.end
    assert [request.protocol for request in place.asked(seen)] == ["anthropic", "anthropic", "openai"]
    assert b"signed-by-us" not in json.dumps(place.asked(seen)[2].body).encode()


def test_reasoning_goes_back_where_it_is_wanted(place):
    place.upstream.issued.add("Shall I? I shall.")
    turns = [Answer(OPENAI.say("I write.", [WRITE], thinking="Shall I? I shall.")), Answer(OPENAI.say("Done."))]
    seen = place.run("runs", "wants-it-back", *turns)
    assert place.asked(seen)[1].messages[2]["reasoning_content"] == "Shall I? I shall."
    seen = place.run("runs", "openai", *turns)
    assert "reasoning_content" not in place.asked(seen)[1].messages[2]
