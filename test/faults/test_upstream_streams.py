"""Faults 38, 39 and 41 in both protocols and all five contracts: streams that are spelled oddly, that err in the middle, that never
end or say nothing, and tokens that are counted early, late, always or never."""
import json

import pytest

from upstream.answers import Answer
from upstream.five import FIVE, in_parallel
from upstream.place import Outcomes, place_fixture
from upstream.streams import ANTHROPIC, OPENAI, PROTOCOLS, Event, after, forever, joined, opening

TEXT = "One two  three, \u2028 Grüße\r\nand 😀."
LINE_MAX = 200_000
OUTPUT_MAX = 30_000

place = place_fixture(limits={"model_retries_max": 0, "model_line_bytes_max": LINE_MAX, "output_bytes_max": OUTPUT_MAX})


# ---- 38: how it is spelled ----

def lines_by_two(event):
    """Each data line in two: JSON does not mind a line end between its tokens."""
    return event.data.replace(b'"delta":', b'\ndata: "delta":') if event.data.startswith((b"data", b"event")) else event.data


def respelled(speak, change):
    return [Answer([Event(change(event)) for event in speak.say(TEXT)])]


def byte_order_mark(speak):
    first, *others = speak.say(TEXT)
    return [Answer([Event(b"\xef\xbb\xbf" + first.data), *others])]


def split_ends(speak):
    """CRLF, and each byte in a packet of its own."""
    return [Answer([Event(event.data.replace(b"\n", b"\r\n")) for event in speak.say(TEXT)], write=1)]


def between(speak, noise):
    return [Answer([Event(data) for event in speak.say(TEXT) for data in (noise, event.data)])]


SPELLINGS = {
    "CR": lambda speak: respelled(speak, lambda event: event.data.replace(b"\n", b"\r")),
    "CRLF": lambda speak: respelled(speak, lambda event: event.data.replace(b"\n", b"\r\n")),
    "CRLF, byte by byte": split_ends,
    "a byte order mark": byte_order_mark,
    "no space": lambda speak: respelled(speak, lambda event: event.data.replace(b"data: ", b"data:", 1)),
    "data of many lines": lambda speak: respelled(speak, lines_by_two),
    "comments": lambda speak: between(speak, b": OPENROUTER PROCESSING\n\n"),
    "a comment inside": lambda speak: respelled(speak, lambda event: b": x\nid: 7\nretry: 5\n" + event.data),
    "unknown fields": lambda speak: respelled(speak, lambda event: b"colour: blue\n:\n" + event.data),
    "events without data": lambda speak: between(speak, b"event: nothing\n\n\n\n\n"),
    "unknown events": lambda speak: between(
        speak, b": x\n\n" if speak is OPENAI else b'event: new_thing\ndata: {"type":"new_thing","x":[1]}\n\n'),
    "one write": lambda speak: [Answer([Event(joined(speak.say(TEXT)))])],
    "the end of the connection is the end": lambda speak: [Answer(speak.say(TEXT), framing="close")],
    "unknown keys": lambda speak: respelled(speak, lambda event: event.data.replace(
        b"{", b'{"obfuscation":"xyz","timings":{"a":1},', 1)),
}


@pytest.fixture(scope="module")
def spelled(place):
    outcomes = Outcomes(place, SPELLINGS)
    yield outcomes
    outcomes.close()


@pytest.mark.fault(38)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_odd_but_lawful(spelled, spelling):
    for seen in spelled[spelling]:
        assert (seen.ended, seen.text) == ("completed", TEXT), (seen.done.agent, seen.end)
        seen.check_kept().check_resumes()


BROKEN = {
    "a 10 MB line": [b"data: " + b"x" * 10_000_000],
    "a 10 MB line of JSON": [b'data: {"type":"ping","x":"' + b"x" * 10_000_000 + b'"}\n\n'],
    "10 MB in many lines": [b"data: x\n" * 1_400_000],
    "a 10 MB comment": [b":" + b"x" * 10_000_000],
    "no JSON": [b"data: RAW-UPSTREAM-BODY\n\n"],
    "no object": [b"data: [1]\n\n"],
    "half a JSON": [b'event: content_block_delta\ndata: {"type":"content_block_delta"\n\n'],
    "invalid UTF-8": [b'data: {"type":"content_block_delta","index":0,"choices":[{"delta":{"content":"\xff\xfe"}}],'
                      b'"delta":{"type":"text_delta","text":"\xff\xfe"}}\n\n'],
    # A server that cuts its text between two units of UTF-16.
    "half a character": [b'data: {"type":"content_block_delta","index":0,"choices":[{"delta":{"content":"\\ud83d"}}],'
                         b'"delta":{"type":"text_delta","text":"\\ud83d"}}\n\n'],
    "a deep one": [b"data: " + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"\n\n"],
    "wrong types": [b'data: {"type":7,"choices":{"delta":[]},"error":null}\n\n',
                    b'event: content_block_delta\ndata: {"type":"content_block_delta","index":"x","delta":7}\n\n'],
}


@pytest.mark.fault(38)
@pytest.mark.parametrize("broken", BROKEN)
def test_broken_in_the_middle(place, broken):
    """It ends with an error, or the standard says that this is nothing: then the answer is whole. Never half of it."""
    def visit(protocol, contract):
        speak = PROTOCOLS[protocol]
        events = speak.say("So far and on.")
        middle = next(at for at, event in enumerate(events) if event.text == " far") + 1
        events[middle:middle] = [Event(data) for data in BROKEN[broken]]
        seen = place.run(contract, protocol, Answer(events))
        if seen.ended == "failed":
            assert seen.code in ("PROVIDER_ERROR", "UPSTREAM_TRUNCATED"), seen.end
            assert seen.text.startswith("So far"), seen.text
        else:
            assert seen.text.replace("\ufffd", "") == "So far and on.", seen.text
        assert seen.ended == "failed" or "10 MB" not in broken or "comment" in broken, seen.end
        assert len(place.asked(seen)) == 1
        seen.check_kept()
    in_parallel(10, [lambda p=protocol, c=contract: visit(p, c) for protocol in PROTOCOLS for contract in FIVE])


def errors(speak):
    if speak is OPENAI:
        return [[Event(b'data: {"error":{"message":"RAW-UPSTREAM-BODY","code":500}}\n\n')],
                [Event(b'data: {"error":"RAW-UPSTREAM-BODY"}\n\n')], [Event(b"event: error\ndata: {}\n\n")],
                [OPENAI.event({}, finish="abort"), OPENAI.done], [OPENAI.event({}, finish="error"), OPENAI.done]]
    return [[Event(b"event: error\ndata: " + ANTHROPIC.error_body("RAW-UPSTREAM-BODY", kind) + b"\n\n")]
            for kind in ("overloaded_error", "api_error", "rate_limit_error", "timeout_error", "new_error")]


@pytest.mark.fault(36, 37)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_error_in_mid_stream(place, protocol):
    """HTTP has said 200 long ago. Nobody asks again once something was said."""
    speak = PROTOCOLS[protocol]

    def visit(number, error, contract):
        events = speak.say("So far and on.")
        middle = next(at for at, event in enumerate(events) if event.text == " far") + 1
        seen = place.run(contract, protocol, Answer([*events[:middle], *error, *events[middle:]]))
        assert seen.ended == "failed" and seen.text == "So far", (number, seen.end)
        assert seen.code in ("PROVIDER_ERROR", "RATE_LIMITED", "PROVIDER_TIMEOUT"), (number, seen.end)
        assert len(place.asked(seen)) == 1
        seen.check_kept().check_resumes()

    in_parallel(25, [lambda n=number, e=error, c=contract: visit(n, e, c) for number, error in enumerate(errors(speak))
                     for contract in FIVE])


# ---- 41: what is counted ----

def counted(speak, where):
    """The counts (3, 4) are the last ones; others are said before."""
    if speak is OPENAI:
        early, last = OPENAI.usage((1, 1)), OPENAI.usage((3, 4))
        use = {"first": [last, None, None], "finish": [None, None, last], "every": [early, early, last],
               "early": [early, None, None]}[where]
        extra = [OPENAI.event(usage=last)] if where == "early" else []
        chunks = [OPENAI.event({"content": "a"}, usage=use[0]), OPENAI.event({"content": "b"}, usage=use[1]),
                  OPENAI.event({}, finish="stop", usage=use[2])]
        return [Answer([*chunks, *extra, OPENAI.done])]
    start, *events = ANTHROPIC.say("ab", usage=None)
    start = ANTHROPIC.start((3, 1) if where != "every" else (9, 9))
    finish = next(at for at, event in enumerate(events) if event.ends)
    told = {"first": {}, "finish": {"input_tokens": 3, "output_tokens": 4}, "every": {"input_tokens": 3, "output_tokens": 4},
            "early": {"output_tokens": 4}}[where]
    if where == "first":
        start = Event(start.data.replace(b'"output_tokens":1', b'"output_tokens":4'))
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    deltas = [ANTHROPIC.event("message_delta", delta={}, usage={"input_tokens": 3, "output_tokens": 2})] \
        if where == "every" else []
    events[finish:finish + 1] = [*deltas, ANTHROPIC.event("message_delta", delta=stop, usage=told)]
    return [Answer([start, *events])]


@pytest.mark.fault(41)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_last_count_wins(place, protocol):
    def visit(where, contract):
        seen = place.run(contract, protocol, *counted(PROTOCOLS[protocol], where))
        assert (seen.ended, seen.text) == ("completed", "ab"), (where, seen.end)
        usage = place.api.look(seen.done.session, seen.done.run)["usage"]
        assert (usage["input_tokens"], usage["output_tokens"]) == (3, 4), (where, usage)
        used = seen.frames["chat"][-1].data["tokens_used"]
        assert (used["prompt_tokens"], used["completion_tokens"]) == (3, 4), (where, used)
    in_parallel(20, [lambda w=where, c=contract: visit(w, c) for where in ("first", "finish", "every", "early")
                     for contract in FIVE])


@pytest.mark.fault(41)
def test_not_counted_is_not_zero(place):
    def visit(protocol, contract):
        events = PROTOCOLS[protocol].say("ab", usage=None)
        if protocol == "anthropic":
            events[0] = Event(events[0].data.replace(b',"usage":{}', b""))
        seen = place.run(contract, protocol, Answer(events))
        assert (seen.ended, seen.text) == ("completed", "ab"), seen.end
        assert place.api.look(seen.done.session, seen.done.run)["usage"] is None
        assert seen.frames["chat"][-1].data["tokens_used"] is None
    in_parallel(10, [lambda p=protocol, c=contract: visit(p, c) for protocol in PROTOCOLS for contract in FIVE])


# ---- 39: output without an end ----

@pytest.mark.fault(39)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_answer_without_end(place, protocol):
    speak = PROTOCOLS[protocol]
    endless = after(opening(speak), forever(speak.text("all work and no play " * 20)))

    def visit(contract):
        seen = place.run(contract, protocol, Answer(endless))
        assert (seen.ended, seen.code) == ("failed", "LIMIT_EXCEEDED"), seen.end
        assert 0 < len(seen.text) <= OUTPUT_MAX + 1000  # the piece that went over it
        assert place.asked(seen)[0].closed.wait(10)
        seen.check_kept()
    in_parallel(5, [lambda c=contract: visit(c) for contract in FIVE])


@pytest.mark.fault(39)
@pytest.mark.measures
@pytest.mark.parametrize("kind", ["text", "arguments", "reasoning"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_million_empty_pieces(place, protocol, kind):
    """They say nothing, and cost nothing: the answer around them is whole, or a ceiling has ended it."""
    speak = PROTOCOLS[protocol]
    if speak is OPENAI:
        empty = {"text": OPENAI.event({"content": ""}), "reasoning": OPENAI.event({"reasoning_content": ""}),
                 "arguments": OPENAI.event({"tool_calls": [{"index": 0, "function": {"arguments": ""}}]})}[kind]
    else:
        empty = {"text": ANTHROPIC.text(""), "arguments": ANTHROPIC.delta(0, type="input_json_delta", partial_json=""),
                 "reasoning": ANTHROPIC.delta(0, type="thinking_delta", thinking="")}[kind]
    bulk = Event(empty.data * 10_000)
    events = speak.say("Well, then.")
    middle = next(at for at, event in enumerate(events) if event.text == "Well,") + 1
    before = place.server.memory()
    seen = place.run("runs", protocol, Answer([*events[:middle], *[bulk] * 100, *events[middle:]]), timeout=60)
    assert place.server.memory() < before + (64 << 20)
    if seen.ended == "completed":
        assert seen.text == "Well, then."
        assert len(seen.frames["runs"]) < 20, "an event in the log for each piece of nothing"
    else:
        assert seen.text in ("Well,", "Well, then."), seen.text
        assert seen.code in ("LIMIT_EXCEEDED", "PROVIDER_ERROR", "PROVIDER_TIMEOUT"), seen.end
    seen.check_kept()


def test_nothing_is_left_of_odd_streams(place):
    rest = place.resources()
    cases = [[Answer([Event(b"data: " + b"x" * 1_000_000)])], [Answer([Event(b"data: {}\n\n"), Event(b"data: [1]\n\n")])],
             [Answer([Event(json.dumps({"a": 1}).encode())])]]
    in_parallel(30, [lambda p=protocol, c=case: place.run("runs", p, *c) for protocol in PROTOCOLS for case in cases
                     for _ in range(20)])
    rest.check()
