"""Fault 40 in both protocols and all five contracts: calls that are spelled badly. What can be read without a guess is run, exactly
once and with exactly these arguments; anything else is told to the model as an error, up to a ceiling."""
import json

import pytest

from upstream.answers import Answer
from upstream.five import FIVE, Seen, begin, in_parallel, new_session
from upstream.place import Outcomes, place_fixture
from upstream.streams import ANTHROPIC, OPENAI, PROTOCOLS, Call, call_id

pytestmark = pytest.mark.fault(40)

MAX_STEPS = 4
ARGUMENTS = {"path": "a.md", "content": "tide ü"}
SAID = json.dumps(ARGUMENTS, ensure_ascii=False)
OTHER = {"path": "b.md", "content": "ebb"}

place = place_fixture(agents=lambda upstream: {
    f"{protocol}-short": upstream.agent(f"{protocol}-short", protocol, extra=f"max_steps: {MAX_STEPS}\n")
    for protocol in PROTOCOLS})


def then(speak, *events, reason="tool_calls"):
    """These events as a whole answer, and one more for whoever asks what came of it."""
    opening = [OPENAI.event({"role": "assistant", "content": None})] if speak is OPENAI else [ANTHROPIC.start()]
    return [Answer([*opening, *events, *speak.end(reason)]), Answer(speak.say("Then not."))]


def calls(speak, *arguments, **options):
    return then(speak, *(event for index, each in enumerate(arguments)
                         for event in speak.call(Call("file_write", each), index)), **options)


def fragment(index=None, id=None, name=None, arguments=None):
    call = {"index": index, "id": id, "type": "function" if id else None,
            "function": {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}}
    return OPENAI.event({"tool_calls": [{key: value for key, value in call.items() if value is not None}]})


def tool_use(index, id, arguments, name="file_write", **block):
    return ANTHROPIC.block(index, {"type": "tool_use", "id": id, "name": name, **block},
                           [ANTHROPIC.delta(index, type="input_json_delta", partial_json=arguments)])


# ---- those that must not run ----

BAD = {
    "not JSON": lambda speak: calls(speak, "{path: a.md, content: x}"),
    "cut": lambda speak: calls(speak, SAID[:-8]),
    "two objects": lambda speak: calls(speak, SAID + SAID),
    "a list": lambda speak: calls(speak, f"[{SAID}]"),
    "a string": lambda speak: calls(speak, json.dumps(SAID)),
    "null": lambda speak: calls(speak, "null"),
    "empty": lambda speak: calls(speak, ""),
    "an empty object": lambda speak: calls(speak, "{}"),
    "the wrong types": lambda speak: calls(speak, '{"path": 7, "content": ["x"]}'),
    "one too few": lambda speak: calls(speak, '{"path": "a.md"}'),
    "one too many": lambda speak: calls(speak, '{"path": "a.md", "content": "x", "mode": "0777"}'),
    "an unknown tool": lambda speak: then(speak, *speak.call(Call("file_delete", ARGUMENTS))),
    "a tool with a hostile name": lambda speak: then(speak, *speak.call(Call("../file write\n", ARGUMENTS))),
    "another spelling": lambda speak: then(speak, *speak.call(Call("File_Write", ARGUMENTS))),
    "no name": lambda speak: then(speak, *([fragment(0, call_id("call_"), None, SAID)] if speak is OPENAI
                                           else tool_use(0, call_id("toolu_"), SAID, name=""))),
    "cut by the length": lambda speak: calls(speak, SAID[:-8], reason="length"),
    "whole, but cut by the length": lambda speak: calls(speak, SAID, reason="length"),
    "filtered": lambda speak: calls(speak, SAID, reason="content_filter" if speak is OPENAI else "refusal"),
}


@pytest.fixture(scope="module")
def bad(place):
    outcomes = Outcomes(place, BAD)
    yield outcomes
    outcomes.close()


@pytest.mark.parametrize("case", BAD)
def test_is_never_run(place, bad, case):
    for seen in bad[case]:
        assert place.api.files(seen.done.session) == {}, f"{case} has run"
        assert not any(result["success"] for result in seen.results), seen.results
        if seen.ended == "completed":
            assert seen.text == "Then not.", seen.text
            assert told_of_an_error(place.asked(seen)[-1]), place.asked(seen)[-1].messages
        else:
            assert seen.ended == "failed" and seen.code in ("PROVIDER_ERROR", "UPSTREAM_TRUNCATED", "LIMIT_EXCEEDED"), seen.end
        assert len(place.asked(seen)) <= 2
        seen.check_kept().check_resumes()


def told_of_an_error(request):
    """The model was told what came of its call, in the last message."""
    last = request.messages[-1]
    if request.protocol == "openai":
        return last["role"] == "tool" and last["content"]
    return last["role"] == "user" and last["content"][0]["type"] == "tool_result" and last["content"][0]["content"]


@pytest.mark.parametrize("case", ["not JSON", "an unknown tool", "empty"])
def test_up_to_a_ceiling(place, case):
    """A model that never learns is not asked for ever."""
    def visit(protocol, contract):
        def again():
            return BAD[case](PROTOCOLS[protocol])[0]
        message = place.upstream.order(*[again() for _ in range(40)])
        seen = Seen(place.api, begin(contract, place.api, f"{protocol}-short", message))
        assert place.api.files(seen.done.session) == {}
        assert 1 <= len(place.asked(seen)) <= MAX_STEPS + 1, len(place.asked(seen))
        if seen.ended == "failed":
            assert seen.code in ("MAX_STEPS", "LIMIT_EXCEEDED", "PROVIDER_ERROR"), seen.end
    in_parallel(10, [lambda p=protocol, c=contract: visit(p, c) for protocol in PROTOCOLS for contract in FIVE])


# ---- those that say clearly what they want ----

def openai_ways():
    one, two = call_id, call_id
    return {
        "no index": ([fragment(None, one("call_"), "file_write", SAID[:9]), fragment(None, None, None, SAID[9:]),
                      fragment(None, two("call_"), "file_write", json.dumps(OTHER))], 2),
        "the same index twice": ([fragment(0, one("call_"), "file_write", SAID),
                                  fragment(0, two("call_"), "file_write", json.dumps(OTHER))], 2),
        "two at a time": ([fragment(0, one("call_"), "file_write", ""), fragment(1, two("call_"), "file_write", ""),
                           fragment(0, None, None, SAID), fragment(1, None, None, json.dumps(OTHER))], 2),
        "an index that jumps": ([fragment(7, one("call_"), "file_write", SAID)], 1),
        "ids that are empty later": ([fragment(0, one("call_"), "file_write", SAID[:5]), fragment(0, "", "", SAID[5:])], 1),
        "the name again and again": ([fragment(0, one("call_"), "file_write", SAID[:5]),
                                      fragment(0, None, "file_write", SAID[5:])], 1),
        "the name comes late": ([fragment(0, one("call_"), None, SAID[:5]), fragment(0, None, "file_write", SAID[5:])], 1),
        "an object": ([OPENAI.event({"tool_calls": [{"index": 0, "id": one("call_"), "type": "function", "function": {
            "name": "file_write", "arguments": ARGUMENTS}}]})], 1),
        "no id": ([fragment(0, None, "file_write", SAID)], 1),
        "one character at a time": ([fragment(0, one("call_"), "file_write", ""),
                                     *(fragment(0, None, None, letter) for letter in SAID)], 1),
        "two finish reasons": ([*OPENAI.call(Call("file_write", ARGUMENTS)), OPENAI.event({}, finish="tool_calls"),
                                OPENAI.event({}, finish="stop")], 1),
    }


def anthropic_ways():
    def both():
        first = tool_use(0, call_id("toolu_"), SAID)
        second = tool_use(1, call_id("toolu_"), json.dumps(OTHER))
        return first, second
    first, second = both()
    crossed = [first[0], second[0], first[1], second[1], first[2], second[2]]
    return {
        "two at a time": (crossed, 2),
        "no input in the beginning": (tool_use(0, call_id("toolu_"), SAID), 1),
        "an index that jumps": (tool_use(7, call_id("toolu_"), SAID, input={}), 1),
        "one character at a time": ([*ANTHROPIC.call(Call("file_write", ARGUMENTS, pieces=1000))], 1),
        "two finish reasons": ([*ANTHROPIC.call(Call("file_write", ARGUMENTS)), ANTHROPIC.end("tool_calls")[0]], 1),
        "an opening that comes twice": ([ANTHROPIC.start(), *ANTHROPIC.call(Call("file_write", ARGUMENTS))], 1),
    }


WAYS = {("openai", name): index for index, name in enumerate(openai_ways())} | {
    ("anthropic", name): index for index, name in enumerate(anthropic_ways())}


@pytest.mark.parametrize("protocol, way", WAYS)
@pytest.mark.parametrize("reason", ["tool_calls", "stop"])
def test_is_run_once_as_it_was_said(place, protocol, way, reason):
    speak = PROTOCOLS[protocol]

    def visit(contract):
        events, count = (openai_ways() if speak is OPENAI else anthropic_ways())[way]
        seen = place.run(contract, protocol, *then(speak, *events, reason=reason))
        assert seen.ended == "completed", seen.end
        files = {path: place.api.get(f"/sessions/{seen.done.session}/files/{path}").body.decode()
                 for path in place.api.files(seen.done.session)}
        wanted = {each["path"]: each["content"] for each in [ARGUMENTS, OTHER][:count]}
        if way != "no id":  # it may also be told that it has none
            assert files == wanted, files
            assert len(seen.results) == count and all(result["success"] for result in seen.results), seen.results
        else:
            assert files in ({}, wanted), files
        assert len(place.asked(seen)) == 2
        seen.check_kept().check_resumes()

    in_parallel(5, [lambda c=contract: visit(c) for contract in FIVE])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_good_and_one_bad(place, protocol):
    """Each call is judged for itself, and each has its result."""
    speak = PROTOCOLS[protocol]

    def visit(contract):
        seen = place.run(contract, protocol, *calls(speak, ARGUMENTS, "{oops"))
        if seen.ended == "completed":
            assert set(place.api.files(seen.done.session)) <= {"a.md"}
            results = [message for message in place.asked(seen)[-1].messages if message["role"] == "tool"] \
                if speak is OPENAI else place.asked(seen)[-1].messages[-1]["content"]
            assert len(results) == 2, results
        else:
            assert place.api.files(seen.done.session) == {}
    in_parallel(5, [lambda c=contract: visit(c) for contract in FIVE])


@pytest.mark.parametrize("text", [" ", "\n\n", "\u00a0"], ids=["a space", "line ends", "a space that is none"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nothing_but_spaces_before_a_call(place, protocol, text):
    """Anthropic refuses a history with a text of spaces in it."""
    speak = PROTOCOLS[protocol]
    said = [speak.text(text)] if speak is OPENAI else ANTHROPIC.block(0, {"type": "text", "text": ""}, [speak.text(text)])
    seen = place.run("runs", protocol, *then(speak, *said, *speak.call(Call("file_write", ARGUMENTS), 1)))
    assert seen.ended == "completed" and len(seen.results) == 1, seen.end
    assert set(place.api.files(seen.done.session)) == {"a.md"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_same_id_in_every_turn(place, protocol):
    """Some servers count from zero in each answer. What is sent back still has an id for each call of its own."""
    def visit(contract):
        speak = PROTOCOLS[protocol]
        turns = [Answer(speak.say("", [Call("file_write", {"path": f"{n}.md", "content": "x"}, id="call_0")]))
                 for n in range(3)]
        session = new_session(place.api, protocol)
        for _ in range(2):
            seen = place.run(contract, protocol, *turns, Answer(speak.say("All three.")), session=session)
            assert seen.ended == "completed" and len(seen.results) == 3, seen.end
        assert set(place.api.files(session)) == {"0.md", "1.md", "2.md"}
    in_parallel(5, [lambda c=contract: visit(c) for contract in FIVE])
