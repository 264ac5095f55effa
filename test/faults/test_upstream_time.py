"""Fault 39: models that take their time. Each silence has its ceiling, and so has the whole call; what was said is kept, the
connection is closed, and where another model may be asked, it is."""
import time

import pytest

from braid_client.resources import Resources
from upstream.answers import Answer, refusal
from upstream.five import FIVE, in_parallel
from upstream.place import Outcomes, place_fixture
from upstream.streams import ANTHROPIC, OPENAI, PROTOCOLS, Event, after, forever, joined, opening

pytestmark = pytest.mark.fault(39)

FIRST, IDLE, TOTAL = 1.2, 0.8, 4.0
place = place_fixture(limits={"model_first_token_timeout": int(FIRST * 1000), "model_idle_timeout": int(IDLE * 1000),
                              "model_call_time_max": int(TOTAL * 1000), "model_retries_max": 1},
                      agents=lambda upstream: {
                          f"{protocol}-falls-back": upstream.agent(f"{protocol}-falls-back", model=upstream.model(
                              protocol, fallback=[{"provider": other, "name": "second", "api_key_env": "UPSTREAM_KEY",
                                                   "base_url": upstream.base_url(other)}]))
                          for protocol, other in (("openai", "anthropic"), ("anthropic", "openai"))})


def ping(speak):
    return Event(b": keep-alive\n\n") if speak is OPENAI else ANTHROPIC.ping


CASES = {  # name -> (answers, text so far, requests at most)
    "no head": (lambda speak: Answer(wait=60), "", 2),
    "only a head": (lambda speak: Answer(hold=True), "", 2),
    "only an opening": (lambda speak: Answer(opening(speak), hold=True), "", 2),
    "only pings": (lambda speak: Answer(forever(ping(speak)), pace=0.1), "", 2),
    "pings after a word": (lambda speak: Answer(after(opening(speak, "Well,"), forever(ping(speak))), pace=0.1), "Well,", 1),
    "silence after a word": (lambda speak: Answer(opening(speak, "Well,"), hold=True), "Well,", 1),
    "half an event": (lambda speak: Answer([*opening(speak, "Well,"), Event(b'data: {"type":"con')], hold=True), "Well,", 1),
    "a word now and then": (lambda speak: Answer(after([Event(joined(opening(speak, "na ")))], forever(speak.text("na "))),
                                                 pace=IDLE * 0.7), None, 1),
}


@pytest.fixture(scope="module")
def outcomes(place):
    """Nearly all of their time is spent waiting: they wait together."""
    began = time.monotonic()
    outcomes = Outcomes(place, {name: lambda speak, make=make: [make(speak)] for name, (make, _, _) in CASES.items()},
                        at_once=10 * len(CASES))
    for case in CASES:
        outcomes[case]
    assert time.monotonic() - began < TOTAL + 30, "a model was waited for too long"
    yield outcomes
    outcomes.close()


@pytest.mark.parametrize("case", CASES)
def test_a_model_that_takes_its_time(place, outcomes, case):
    _, text, requests = CASES[case]
    for seen in outcomes[case]:
        assert (seen.ended, seen.code) == ("failed", "PROVIDER_TIMEOUT"), seen.end
        assert seen.text == text if text is not None else seen.text.startswith("na na "), seen.text
        seen.check_kept().check_resumes()
        assert 1 <= len(place.asked(seen)) <= requests
        assert all(request.closed.wait(5) for request in place.asked(seen)), "a connection is left open"


def test_pings_keep_a_slow_model_alive(place):
    """Comments and pings are no silence: longer than the idle ceiling, shorter than the whole."""
    def visit(protocol, contract):
        speak = PROTOCOLS[protocol]
        events = speak.say("Well, then.")
        at = next(at for at, event in enumerate(events) if event.text) + 1
        seen = place.run(contract, protocol, Answer([*events[:at], *[ping(speak)] * 9, *events[at:]], pace=0.11))
        assert (seen.ended, seen.text) == ("completed", "Well, then."), seen.end
    in_parallel(10, [lambda p=protocol, c=contract: visit(p, c) for protocol in PROTOCOLS for contract in FIVE])


# ---- the next model ----

SILENT = {
    "refuses": lambda speak: refusal(503),
    "does not let us in": lambda speak: refusal(401),
    "has too much to do": lambda speak: refusal(429),
    "is silent": lambda speak: Answer(hold=True),
    "breaks off before the first word": lambda speak: Answer(opening(speak), cut=60),
}


@pytest.mark.fault(36)
@pytest.mark.parametrize("fault", SILENT)
def test_the_next_model_is_asked(place, fault):
    def visit(protocol, contract):
        speak, other = PROTOCOLS[protocol], OPENAI if protocol == "anthropic" else ANTHROPIC
        first = SILENT[fault](speak)
        tries = 1 if fault == "does not let us in" else 2
        seen = place.run(contract, f"{protocol}-falls-back", *[first] * tries, Answer(other.say("I am the second.")))
        assert (seen.ended, seen.text) == ("completed", "I am the second."), seen.end
        asked = [request.protocol for request in place.asked(seen)]
        assert asked == [protocol] * tries + [other.name], asked
        assert place.asked(seen)[-1].body["model"] == "second"
        seen.check_kept().check_resumes()
    in_parallel(10, [lambda p=protocol, c=contract: visit(p, c) for protocol in PROTOCOLS for contract in FIVE])


def test_not_after_the_first_word(place):
    def visit(protocol, contract):
        speak = PROTOCOLS[protocol]
        seen = place.run(contract, f"{protocol}-falls-back", Answer(opening(speak, "Well,"), cut=10_000))
        assert (seen.ended, seen.code, seen.text) == ("failed", "UPSTREAM_TRUNCATED", "Well,"), seen.end
        assert len(place.asked(seen)) == 1
    in_parallel(10, [lambda p=protocol, c=contract: visit(p, c) for protocol in PROTOCOLS for contract in FIVE])


def test_nobody_answers(place):
    """The chain is bounded: each model and its tries, once."""
    seen = place.run("runs", "openai-falls-back", refusal(500))
    assert (seen.ended, seen.code) == ("failed", "PROVIDER_ERROR"), seen.end
    assert len(place.asked(seen)) == 4


def test_nothing_is_left_of_slow_models(place):
    rest, resources = place.resources(), Resources(place.server)
    in_parallel(40, [lambda p=protocol: place.run("runs", p, Answer(opening(PROTOCOLS[p], "Well,"), hold=True))
                     for protocol in PROTOCOLS for _ in range(20)])
    rest.check()
    resources.check()
