"""Fault 36 in both protocols and all five contracts: what refuses, is tried again before the first token only, a bounded number
of times, when and as often as the provider says; then the error is honest and shows nothing of what the provider wrote."""
import socket
import ssl
import subprocess
import time
from email.utils import formatdate

import pytest

from braid_client.people import Person
from upstream.answers import Answer, page, refusal
from upstream.fault_server import ENVIRONMENT, NEVER_SHOWN, FaultServer
from upstream.five import FIVE, Seen, begin, in_parallel
from upstream.place import Outcomes, place_fixture
from upstream.streams import PROTOCOLS, Event

pytestmark = pytest.mark.fault(36)

RETRIES = 2  # the limit model_retries_max
TEXT = "Whole, and said once."
FOR_GOOD = (400, 401, 403, 404, 422)
PASSING = (408, 409, 429, 500, 502, 503, 504, 529)
CODES = {429: "RATE_LIMITED", 408: "PROVIDER_TIMEOUT", 504: "PROVIDER_TIMEOUT"}


def good(speak):
    return Answer(speak.say(TEXT))


CASES = {
    **{f"{status} for good": lambda speak, status=status: [refusal(status)] for status in (*FOR_GOOD, *PASSING)},
    **{f"{status} once": lambda speak, status=status: [refusal(status), good(speak)] for status in PASSING},
    "429 twice": lambda speak: [refusal(429), refusal(429), good(speak)],
    "500 not again": lambda speak: [refusal(500, ("x-should-retry", "false")), good(speak)],
    "400 again": lambda speak: [refusal(400, ("x-should-retry", "true")), good(speak)],
    "after a second": lambda speak: [refusal(429, ("Retry-After", "1")), good(speak)],
    "after some ms": lambda speak: [refusal(429, ("retry-after-ms", "40"), ("Retry-After", "30")), good(speak)],
    "after a date": lambda speak: [refusal(503, ("Retry-After", formatdate(time.time() + 2, usegmt=True))), good(speak)],
    "after nonsense": lambda speak: [refusal(503, ("Retry-After", "soon"), ("retry-after-ms", "-5")), good(speak)],
    "after a year": lambda speak: [refusal(429, ("Retry-After", "31536000")), good(speak)],
    "a page": lambda speak: [page()],
    "a page of a proxy": lambda speak: [page(502), page(502), good(speak)],
    "a redirect": lambda speak: [refusal(302, ("Location", "http://127.0.0.1:1/v1/chat/completions"))],
    "a document": lambda speak: [Answer([Event(b'{"choices":[]}')], kind="application/json", framing="length")],
    "an empty page": lambda speak: [refusal(200, body=b"", kind="text/plain")],
    "no HTTP": lambda speak: [Answer(raw=b"SSH-2.0-x\r\n")],
    "closed before the head": lambda speak: [Answer(raw=b""), good(speak)],
    "reset before the head": lambda speak: [Answer(raw=b"", reset=True), good(speak)],
    "cut in the head": lambda speak: [Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Ty", reset=True), good(speak)],
    "an endless head": lambda speak: [Answer(raw=b"HTTP/1.1 200 OK\r\nX-A: " + b"a" * 1_000_000)],
    "an endless body of a refusal": lambda speak: [refusal(401, body=b"x" * 5_000_000)],
}

place = place_fixture(limits={"model_retries_max": RETRIES})


@pytest.fixture(scope="module")
def outcomes(place):
    outcomes = Outcomes(place, CASES)
    yield outcomes
    outcomes.close()


def check_honest(seen):
    assert seen.ended == "failed" and seen.text == "" and seen.error, seen.end
    assert "127.0.0.1" not in seen.error and "http://" not in seen.error, seen.error
    seen.check_kept().check_resumes()


def check_good(seen):
    assert (seen.ended, seen.text) == ("completed", TEXT), seen.end
    seen.check_kept().check_resumes()


def gaps(place, seen):
    times = [request.at for request in place.asked(seen)]
    return [after - before for before, after in zip(times, times[1:])]


@pytest.mark.parametrize("status", [*FOR_GOOD, *PASSING])
def test_a_refusal_for_good(place, outcomes, status):
    for seen in outcomes[f"{status} for good"]:
        check_honest(seen)
        assert seen.code == CODES.get(status, "PROVIDER_ERROR"), seen.end
        assert str(status) in seen.error, seen.error
        assert len(place.asked(seen)) == (1 if status in FOR_GOOD else 1 + RETRIES)


@pytest.mark.parametrize("case, requests", [
    *((f"{status} once", 2) for status in PASSING), ("429 twice", 3), ("400 again", 2), ("a page of a proxy", 3),
    ("after nonsense", 2), ("closed before the head", 2), ("reset before the head", 2), ("cut in the head", 2)])
def test_a_refusal_that_passes_is_not_noticed(place, outcomes, case, requests):
    for seen in outcomes[case]:
        check_good(seen)
        assert len(place.asked(seen)) == requests
        bodies = [request.body for request in place.asked(seen)]
        assert all(body == bodies[0] for body in bodies)


@pytest.mark.parametrize("case, least, most", [("after a second", 0.95, 20), ("after some ms", 0.03, 20),
                                               ("after a date", 0.5, 20)])
def test_a_provider_says_when(place, outcomes, case, least, most):
    for seen in outcomes[case]:
        check_good(seen)
        [gap] = gaps(place, seen)
        assert least <= gap <= most, gap


def test_a_provider_says_never(place, outcomes):
    for seen in outcomes["500 not again"]:
        check_honest(seen)
        assert len(place.asked(seen)) == 1


def test_nobody_waits_for_a_year(place, outcomes):
    """Whether it is tried earlier or given up: the run is over within the time of a test."""
    for seen in outcomes["after a year"]:
        if seen.ended == "completed":
            check_good(seen)
        else:
            check_honest(seen)
            assert seen.code == "RATE_LIMITED"


@pytest.mark.parametrize("case", ["a page", "a redirect", "a document", "an empty page", "no HTTP", "an endless head",
                                  "an endless body of a refusal"])
def test_what_is_no_stream(place, outcomes, case):
    for seen in outcomes[case]:
        check_honest(seen)
        assert seen.code in ("PROVIDER_ERROR", "UPSTREAM_TRUNCATED"), seen.end
        assert 1 <= len(place.asked(seen)) <= 1 + RETRIES


# ---- nobody there ----

@pytest.fixture(scope="module")
def self_signed(tmp_path_factory):
    """A provider whose certificate nobody knows."""
    folder = tmp_path_factory.mktemp("tls")
    done = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                           "-days", "1", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                           "-keyout", folder / "key", "-out", folder / "cert"], capture_output=True)
    assert done.returncode == 0, done.stderr
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert", folder / "key")
    server = FaultServer(tls=context)
    yield server
    server.close()


def nowhere():
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        return reserved.getsockname()[1]


def test_nobody_is_there(new_server, self_signed, place):
    """No such name, nobody listens, no TLS, a certificate of nobody: one honest error in each contract, soon."""
    urls = {"refused": f"http://127.0.0.1:{nowhere()}", "no-name": f"http://{'n' * 70}obody.invalid",
            "no-tls": f"https://127.0.0.1:{place.upstream.port}", "self-signed": self_signed.base_url("")}
    agents = {f"{name}-{protocol}": place.upstream.agent(f"{name}-{protocol}", protocol, model=place.upstream.model(
        protocol, base_url=url + ("/v1" if protocol == "openai" else ""))) for name, url in urls.items()
        for protocol in PROTOCOLS}
    server = new_server(agents=agents, environment=ENVIRONMENT, limits={"model_retries_max": 1})
    server.api.never_shown += NEVER_SHOWN
    api = Person(server, "ann").api

    def ask(agent, contract):
        seen = Seen(api, begin(contract, api, agent, "hello"))
        check_honest(seen)
        assert seen.code in ("PROVIDER_ERROR", "PROVIDER_TIMEOUT"), seen.end
        assert "obody" not in seen.error, seen.error

    in_parallel(40, [lambda agent=agent, contract=contract: ask(agent, contract) for agent in agents for contract in FIVE])
    assert not self_signed.requests
