"""What real providers sent, through the whole server and in all five contracts: whole, byte by byte, and cut."""
import random

import pytest

from upstream import recorded
from upstream.answers import Answer
from upstream.five import FIVE, Seen, begin, in_parallel, new_session
from upstream.place import AT_ONCE, place_fixture
from upstream.streams import heard, joined

pytestmark = pytest.mark.skipif(not recorded.names(), reason=f"no recorded streams in {recorded.FOLDER}")

EVERY_BYTE = 2_000  # bytes: a stream up to this length is cut at each of them
CUTS = 60           # of a longer one
RUNS_PER_SESSION = 8

place = place_fixture(limits={"model_retries_max": 0})


def check_whole(place, seen, stream):
    said = stream.text + ("\n\n" if stream.text and stream.calls else "") + ("Then." if stream.calls else "")
    if stream.reason in ("refusal", "content_filter"):
        assert seen.ended == "failed" or seen.text == said, seen.end
        return
    assert (seen.ended, seen.text) == ("completed", said), seen.end
    asked = place.asked(seen)
    assert len(asked) == 1 + bool(stream.calls)
    if stream.calls:  # of tools that are not there
        assert not any(result["success"] for result in seen.results)
        names = [block["name"] for message in asked[1].messages if message["role"] == "assistant"
                 for block in (message.get("tool_calls") and [call["function"] for call in message["tool_calls"]]
                               or [block for block in message["content"] if block["type"] == "tool_use"])]
        assert names == [name for name, _ in stream.calls.values()], names
    elif stream.counts:
        usage = place.api.look(seen.done.session, seen.done.run)["usage"]
        assert usage["output_tokens"] == stream.counts[1], usage


@pytest.mark.parametrize("name", recorded.names())
def test_as_it_came(place, name):
    stream = recorded.Recorded(name)
    then = Answer(stream.speak.say("Then."))

    def visit(contract, number):
        wire = [{}, {"framing": "close"}, {"write": 7}][number % 3]
        seen = place.run(contract, stream.speak.name, Answer(stream.events, **wire), then)
        check_whole(place, seen, stream)
        seen.check_kept().check_resumes()

    in_parallel(10, [lambda c=contract, n=number: visit(c, n) for contract in FIVE for number in range(2)])


@pytest.mark.fault(37)
@pytest.mark.parametrize("name", recorded.names())
def test_cut(place, name):
    stream = recorded.Recorded(name)
    length = len(joined(stream.events))
    lottery = random.Random(name)
    cuts = range(length) if length <= EVERY_BYTE else sorted(lottery.sample(range(length), CUTS))
    groups = [cuts[at:at + RUNS_PER_SESSION] for at in range(0, len(cuts), RUNS_PER_SESSION)]

    def visit(group):
        session = new_session(place.api, stream.speak.name)
        for cut in group:
            (text, _), (perhaps, ended) = heard(stream.events, cut)
            wire = [dict(framing="chunked"), dict(framing="close"), dict(reset=True)][cut % 3]
            message = place.upstream.order(Answer(stream.events, cut=cut, **wire), Answer(stream.speak.say("Then.")))
            seen = Seen(place.api, begin(FIVE[cut % 5], place.api, stream.speak.name, message, session))
            if seen.ended == "failed":
                kept = perhaps.startswith(seen.text) if "reset" in wire else seen.text in (text, perhaps)
                assert kept, f"cut at {cut}: {text!r} was said, {seen.text!r} is kept"
            else:
                assert ended and seen.text.startswith(text), f"cut at {cut}: {seen.end}"
            seen.check_kept()

    in_parallel(AT_ONCE, [lambda g=group: visit(g) for group in groups])
