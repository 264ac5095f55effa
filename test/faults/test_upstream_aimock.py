"""Against somebody else's model server, @copilotkit/aimock, with each kind of its chaos. Chance decides what happens to a request,
so the tests ask what must hold whatever happened: one end, the same in all contracts; the whole answer or an honest error with the
text so far; no call but the one that was said; and nothing left behind."""
import pytest

from braid_client.waiting import wait_for
from upstream.aimock import Aimock
from upstream.five import FIVE, Seen, begin, in_parallel
from upstream.place import Place
from upstream.streams import PROTOCOLS

pytestmark = pytest.mark.fault(36, 37, 39)

TEXT = "Grüße from somebody else's server: one, two, three."
WRITTEN = "The tide is written down."
BROKEN = {"break off": "This sentence is said in several pieces, and after some of them the line goes dead for good.",
          "leave early": "This sentence is said slowly, in several pieces, and the speaker leaves before the end of it comes."}
RATES = ("dropRate", "malformedRate", "disconnectRate", "rateLimitRate")
RUNS = 3  # of each contract, protocol and message
CODES = ("PROVIDER_ERROR", "PROVIDER_TIMEOUT", "RATE_LIMITED", "UPSTREAM_TRUNCATED")


@pytest.fixture(scope="module")
def mock(tmp_path_factory):
    mock = Aimock(tmp_path_factory.mktemp("aimock") / "log")
    yield mock
    mock.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory, mock):
    """Its own agents ask aimock; those of the FaultServer are there to see what is left at rest."""
    made = Place(tmp_path_factory.mktemp("place"), limits={"model_retries_max": 1}, agents=lambda upstream: {
        f"mock-{name}": upstream.agent(f"mock-{name}", model=mock.model(name)) for name in PROTOCOLS})
    made.server.api.never_shown += [b"<<<chaos>>>", b"Chaos:"]
    yield made
    made.close()


@pytest.fixture(autouse=True)
def no_chaos(mock):
    yield
    mock.chaos()


def check_any_end(place, seen, whole):
    """Whatever chance did."""
    if seen.ended == "completed":
        assert seen.text == whole, seen.text
    else:
        assert seen.ended == "failed" and seen.code in CODES, seen.end
        assert whole.startswith(seen.text), seen.text
    files = place.api.files(seen.done.session)
    wrote = [result for result in seen.results if result["success"]]
    assert len(wrote) == len(files) <= 1 and set(files) <= {"tide.md"}, (files, seen.results)
    seen.check_kept().check_resumes()
    return seen.ended


def talk(place, contract, protocol, message):
    return Seen(place.api, begin(contract, place.api, f"mock-{protocol}", message))


def everywhere(place, messages, count=RUNS):
    """ends of all runs"""
    jobs = [(protocol, contract, message) for protocol in PROTOCOLS for contract in FIVE for message in messages] * count
    return in_parallel(30, [lambda j=job: check_any_end(place, talk(place, j[1], j[0], j[2]), messages[j[2]])
                            for job in jobs])


def test_without_chaos(place):
    ends = everywhere(place, {"tell me": TEXT, "please write the tide": WRITTEN}, count=1)
    assert set(ends) == {"completed"}


@pytest.mark.parametrize("message", BROKEN)
def test_it_breaks_off(place, message):
    assert set(everywhere(place, {message: BROKEN[message]}, count=1)) == {"failed"}


@pytest.mark.parametrize("rate", RATES)
def test_chaos_now_and_then(place, mock, rate):
    mock.chaos(**{rate: 0.3})
    everywhere(place, {"tell me": TEXT, "please write the tide": WRITTEN})


@pytest.mark.parametrize("rate", RATES)
def test_nothing_but_chaos(place, mock, rate):
    mock.chaos(**{rate: 1.0})
    assert set(everywhere(place, {"tell me": TEXT}, count=1)) == {"failed"}
    mock.chaos()
    assert set(everywhere(place, {"tell me": TEXT}, count=1)) == {"completed"}


def test_all_of_it_at_once(place, mock):
    rest = place.resources()
    everywhere(place, {"tell me": TEXT, "please write the tide": WRITTEN}, count=1)
    before = place.server.descriptors()
    mock.chaos(**{rate: 0.15 for rate in RATES})
    everywhere(place, {"tell me": TEXT, "please write the tide": WRITTEN, **BROKEN}, count=2)
    mock.chaos()
    wait_for(lambda: place.server.descriptors() <= before + 30, "the connections of broken answers to be gone")
    wait_for(lambda: place.upstream.connections <= rest.connections, "the rest")
