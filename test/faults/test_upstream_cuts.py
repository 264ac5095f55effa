"""Fault 37: a stream that breaks off. At every byte, in both protocols: what came is kept, nothing is called that was not said to
its end, and it is never taken for a whole answer. The bytes share sessions, so that each history with a broken answer in it is
also sent to the provider, who judges it."""
import pytest

from upstream.answers import Answer
from upstream.five import FIVE, Seen, begin, in_parallel, new_session
from upstream.place import AT_ONCE, place_fixture
from upstream.streams import ANTHROPIC, OPENAI, PROTOCOLS, Call, Event, heard, joined

pytestmark = pytest.mark.fault(37)

RUNS_PER_SESSION = 8
place = place_fixture(limits={"model_retries_max": 1})


def written(path):
    return Call("file_write", {"path": path, "content": "tide ü"}, pieces=2)


# Small ones: each of their bytes is a run. Those with a call begin with its block: the first two have seen the opening.
STREAMS = {
    ("openai", "text"): lambda path: OPENAI.say("Grüße, 😀"),
    ("openai", "call"): lambda path: OPENAI.say("Now", [written(path)])[1:],
    ("anthropic", "text"): lambda path: ANTHROPIC.say("Grüße, 😀"),
    ("anthropic", "call"): lambda path: ANTHROPIC.say("Now", [written(path)])[2:],
}


def wire_of(cut):
    """Each way to end is as good as the others: they take turns."""
    return {0: dict(framing="chunked"), 1: dict(framing="close"), 2: dict(framing="chunked", reset=True)}[cut % 3]


@pytest.mark.parametrize("protocol, kind", STREAMS)
def test_cut_at_every_byte(place, protocol, kind):
    length = len(joined(STREAMS[protocol, kind]("f00000.md")))
    cuts = [range(first, min(first + RUNS_PER_SESSION, length)) for first in range(0, length, RUNS_PER_SESSION)]
    api, ends = place.api, []

    def visit(number):
        session, paths = new_session(api, protocol), set()
        for cut in cuts[number]:
            path = f"f{cut:05}.md"
            ends.append(cut_there(place, api, protocol, STREAMS[protocol, kind](path), cut, session))
            if ends[-1] == "completed" and kind == "call":
                paths.add(path)
        assert set(api.files(session)) == paths, "a call that was cut has run, or a whole one has not"

    in_parallel(AT_ONCE, [lambda number=number: visit(number) for number in range(len(cuts))])
    assert len(ends) == length and ends.count("failed") > length // 2


def cut_there(place, api, protocol, events, cut, session):
    answer = Answer(events, cut=cut, **wire_of(cut))
    message = place.upstream.order(answer, answer, Answer(PROTOCOLS[protocol].say("Then.")))
    (text, ended), (perhaps, perhaps_ended) = heard(events, cut)
    if text or ended:  # something was used of it: it is not asked for again
        message = place.upstream.order(answer, Answer(PROTOCOLS[protocol].say("Then.")))
    seen = Seen(api, begin(FIVE[cut % 5], api, protocol, message, session))
    calls = sum(1 for request in place.asked(seen))
    if seen.ended == "completed":
        assert ended or perhaps_ended, f"cut at {cut} before the finish reason, and yet {seen.end}"
        assert seen.text.startswith(text), (cut, seen.text)
    else:
        assert seen.code in ("UPSTREAM_TRUNCATED", "PROVIDER_ERROR"), (cut, seen.end)
        # A reset takes away what was on its way.
        kept = perhaps.startswith(seen.text) if answer.reset else seen.text in (text, perhaps)
        assert kept, f"cut at {cut}: {text!r} was said, {seen.text!r} is kept"
        assert calls == 1 or not seen.text, f"asked again after the first token: cut at {cut}"
        assert calls <= 2, calls
    seen.check_kept()
    return seen.ended


# ---- ways to end ----

def without_end(speak, *parts, keep=None):
    """The events of an answer up to its finish reason."""
    events = speak.say(*parts)
    return events[:next(at for at, event in enumerate(events) if event.ends)][:keep]


ENDINGS = {
    "nothing more": lambda speak: without_end(speak, "It looks whole."),
    "a mark without a reason": lambda speak: [*without_end(speak, "It looks whole."), Event(
        b"data: [DONE]\n\n" if speak is OPENAI else b'event: message_stop\ndata: {"type":"message_stop"}\n\n')],
    "inside a character": lambda speak: [*without_end(speak, "It looks whole."), Event(
        speak.text("ü").data.partition("ü".encode())[0] + b"\xc3")],
    "inside a call": lambda speak: without_end(speak, "It looks whole.", [Call("file_write", {"path": "a", "content": "b"})],
                                               keep=-1),
    "after a call": lambda speak: without_end(speak, "It looks whole.", [Call("file_write", {"path": "a", "content": "b"})]),
}


@pytest.mark.parametrize("framing", ["chunked", "close"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_an_end_without_a_reason_is_no_end(place, ending, framing):
    """Here the transport ends cleanly: only the finish reason tells a whole answer from a broken one."""
    def visit(protocol, contract):
        events = ENDINGS[ending](PROTOCOLS[protocol])
        seen = place.run(contract, protocol, Answer(events, framing=framing))
        assert (seen.ended, seen.code, seen.text) == ("failed", "UPSTREAM_TRUNCATED", "It looks whole."), seen.end
        seen.check_kept().check_resumes()
        assert place.api.files(seen.done.session) == {} and len(place.asked(seen)) == 1
        place.say(protocol, session=seen.done.session)
    in_parallel(10, [lambda p=protocol, c=contract: visit(p, c) for protocol in PROTOCOLS for contract in FIVE])


def test_nothing_is_left_of_broken_answers(place):
    rest = place.resources()
    for round_of_wires in range(3):
        in_parallel(AT_ONCE, [lambda protocol=protocol, cut=cut: place.run("runs", protocol, Answer(
            PROTOCOLS[protocol].say("One two three four."), cut=cut, **wire_of(cut + round_of_wires)))
            for protocol in PROTOCOLS for cut in range(150, 400, 5)])
    rest.check()
