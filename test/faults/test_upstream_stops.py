"""Faults 12 and 17 at the upstream: whoever interrupts a run, or leaves a chat, ends the request to the model with it, at any moment.
No ceiling of time is near: what ends here was ended."""
import pytest

from braid_client.chat import A_SECOND, run_of
from braid_client.frames import joined
from braid_client.waiting import wait_for
from upstream.answers import Answer, refusal
from upstream.five import FIVE, Done, Seen, in_parallel, new_session, open_in, run_of_stream
from upstream.place import place_fixture
from upstream.streams import PROTOCOLS, after, forever, opening

place = place_fixture()

STUCK = {
    "in mid-answer": lambda speak: Answer(opening(speak, "Well,"), hold=True),
    "before the head": lambda speak: Answer(wait=60),
    "before the first word": lambda speak: Answer(opening(speak), hold=True),
    "in a flood": lambda speak: Answer(after(opening(speak), forever(speak.text("na "))), pace=0.001),
    "between two tries": lambda speak: refusal(429, ("Retry-After", "50")),
}


@pytest.mark.fault(12, 17)
@pytest.mark.parametrize("stuck", STUCK)
def test_an_interrupt_closes_the_upstream_at_once(place, stuck):
    def visit(protocol, contract):
        api, message = place.api, place.upstream.order(STUCK[stuck](PROTOCOLS[protocol]))
        session = new_session(api, protocol)
        with open_in(contract, api, protocol, message, session) as stream:
            request = place.upstream.wait_asked(message)
            run = wait_for(lambda: api.get(f"/sessions/{session}").json["active_run_id"], "a live run")
            assert api.interrupt(session, run).status == 202
            if stuck != "between two tries":
                assert request.closed.wait(A_SECOND), "the upstream is still asked"
            stream.read_to_end()
        assert run == run_of_stream(contract, stream, api, session)
        seen = Seen(api, Done(contract, protocol, message, session, run, joined(stream.frames)))
        assert seen.ended == "interrupted", seen.end
        seen.check_kept().check_resumes()
        assert len(place.upstream.asked(message)) == 1
        place.say(protocol, session=session)

    in_parallel(10, [lambda p=protocol, c=contract: visit(p, c) for protocol in PROTOCOLS for contract in FIVE])


@pytest.mark.fault(12)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_chat_client_that_leaves_stops_the_upstream(place, protocol):
    api, message = place.api, place.upstream.order(Answer(opening(PROTOCOLS[protocol], "Well,"), hold=True))
    session = new_session(api, protocol)
    with open_in("chat", api, protocol, message, session) as stream:
        stream.read_type("message_delta")
        run = run_of(stream.frames[0].id)
    assert place.upstream.asked(message)[0].closed.wait(A_SECOND)
    assert api.wait_over(session, run)["status"] == "interrupted"
    place.say(protocol, session=session)
