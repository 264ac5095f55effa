"""A server whose agents ask a FaultServer, for the tests of one file; and many runs of it at once."""
from concurrent.futures import ThreadPoolExecutor

from braid_client.people import Person
from braid_client.resources import Resources
from braid_client.server import Server
from braid_client.waiting import wait_for

from .answers import Answer
from .fault_server import ENVIRONMENT, KEY, NEVER_SHOWN, FaultServer
from .five import FIVE, Seen, begin
from .streams import PROTOCOLS

AT_ONCE = 48
LIMITS = {"user_run_starts_per_minute_max": 10_000_000, "user_runs_max": 10_000}


class Place:
    def __init__(self, folder, limits=None, agents=None, environment=None, arguments=()):
        """`agents`: a function from the FaultServer to agent files, besides one for each protocol."""
        self.upstream = FaultServer()
        files = {name: self.upstream.agent(name, name) for name in PROTOCOLS} | (agents(self.upstream) if agents else {})
        self.server = Server(folder, agents=files, limits={**LIMITS, **(limits or {})}, arguments=arguments,
                             environment={**ENVIRONMENT, **(environment or {})}).start()
        self.server.api.never_shown += NEVER_SHOWN
        self.person = Person(self.server, "ann")

    @property
    def api(self):
        return self.person.api

    def run(self, contract, agent, *answers, session=None, timeout=30) -> Seen:
        """A run that is answered so, in every contract. `message` of the result is its order."""
        message = self.upstream.order(*answers)
        return Seen(self.api, begin(contract, self.api, agent, message, session, timeout))

    def say(self, agent, text="Hello.", wait=0.0, **options):
        """A run that goes well: somebody does it where something has just gone wrong."""
        speak = PROTOCOLS.get(agent, PROTOCOLS["openai"])
        seen = self.run("runs", agent, Answer(speak.say(text), wait=wait), **options)
        assert (seen.ended, seen.text) == ("completed", text), seen.end
        return seen

    def asked(self, seen) -> list:
        return self.upstream.asked(seen.done.message)

    def resources(self) -> "AtRest":
        return AtRest(self)

    def close(self):
        died = not self.server.alive()
        try:
            self.upstream.check()
            assert not died, f"the server died; its log ends:\n{self.server.log()[-4000:]}"
            self.server.check_log()
            for secret in (KEY, "RAW-UPSTREAM-BODY"):
                assert secret not in self.server.log(), f"{secret} is in the log"
        finally:
            self.server.kill()
            self.upstream.close()
        stored = b"".join(path.read_bytes() for path in self.server.data.rglob("*") if path.is_file())
        assert KEY.encode() not in stored, "the key is stored"


class AtRest:
    """Descriptors, threads, memory and upstream connections come back to where they were after many good runs at once:
    connections that wait for their next use are there before and after."""

    def __init__(self, place, count=AT_ONCE):
        self.place = place
        with ThreadPoolExecutor(count) as pool:
            for each in [pool.submit(place.say, name, wait=0.3) for name in PROTOCOLS for _ in range(count)]:
                each.result()
        self.resources = Resources(place.server)
        self.connections = place.upstream.connections

    def check(self):
        self.resources.check()
        wait_for(lambda: self.place.upstream.connections <= self.connections,
                 f"{self.connections} connections to the upstream")


class Outcomes:
    """All cases of a table, each in every contract and protocol, all at once; a test looks at those of one case."""

    def __init__(self, place, cases, protocols=tuple(PROTOCOLS), contracts=FIVE, at_once=AT_ONCE):
        self._pool, self._runs = ThreadPoolExecutor(at_once), {}
        for name, make in cases.items():
            self._runs[name] = [self._pool.submit(self._run, place, contract, protocol, make)
                                for protocol in protocols for contract in contracts]

    @staticmethod
    def _run(place, contract, protocol, make):
        return place.run(contract, protocol, *make(PROTOCOLS[protocol]))

    def __getitem__(self, name):
        return [each.result() for each in self._runs[name]]

    def close(self):
        self._pool.shutdown(cancel_futures=True)


def place_fixture(**options):
    """A fixture for one file of tests: `place = place_fixture(limits=…)`."""
    import pytest

    @pytest.fixture(scope="module")
    def place(tmp_path_factory):
        made = Place(tmp_path_factory.mktemp("place"), **options)
        yield made
        made.close()
    return place
