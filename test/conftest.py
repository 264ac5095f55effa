"""Fixtures: the shared server of the session, servers of one's own, and a deadline over every test."""
import os
import pathlib
import signal
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from braid_client.agents import AGENTS  # noqa: E402
from braid_client.faultline import library  # noqa: E402
from braid_client.people import TOWN_AGENTS, Town  # noqa: E402
from braid_client.server import Server, binary  # noqa: E402

TEST_DEADLINE_S = 120
_servers_of_test = []

# A shell lets what it starts in the background ignore SIGINT, and with it everything that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart(session):
    try:
        binary()
    except FileNotFoundError as error:
        if not session.config.option.collectonly:
            pytest.exit(str(error), returncode=3)


@pytest.fixture(autouse=True)
def deadline():
    """A test that hangs fails, with the place where it hung."""
    def expired(*_):
        raise TimeoutError(f"the test took longer than {TEST_DEADLINE_S} s")
    before = signal.signal(signal.SIGALRM, expired)
    signal.alarm(TEST_DEADLINE_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _finish(server):
    died = server.process is not None and not server.alive()
    code = server.process.returncode if died else None
    server.kill()
    assert not died, f"the server died with {code}; its log ends:\n{server.log()[-4000:]}"
    server.check_log()


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("shared"), agents=AGENTS,
                    limits={"model_idle_timeout": 1500, "output_bytes_max": 200_000}).start()
    yield server
    _finish(server)


@pytest.fixture
def shared(shared_server):
    """The shared server; a new one when a test before brought it down (that test is the one that failed)."""
    if not shared_server.responds():
        shared_server.kill()
        shared_server.start()
    _servers_of_test.append(shared_server)
    yield shared_server
    assert shared_server.alive(), f"this test ended the shared server:\n{shared_server.log()[-4000:]}"


@pytest.fixture
def api(shared):
    return shared.api


@pytest.fixture
def session(api):
    return api.session()


@pytest.fixture
def new_server(tmp_path):
    """new_server(agents=…, limits=…, pace=…) starts a private server; all are ended with the test."""
    made = []

    def make(**options):
        options.setdefault("agents", AGENTS)
        server = Server(tmp_path / f"server{len(made)}", **options)
        made.append(server)
        _servers_of_test.append(server)
        return server.start()

    yield make
    for server in made:
        _finish(server)


@pytest.fixture(scope="session")
def shared_town(tmp_path_factory):
    # Many tests log in with a wrong password, and all from one address; many leave a run that waits.
    server = Server(tmp_path_factory.mktemp("town"), agents=TOWN_AGENTS, dev=False,
                    limits={"model_idle_timeout": 1500, "output_bytes_max": 200_000, "user_runs_max": 10_000,
                            "login_failures_per_name_max": 100_000, "login_failures_per_address_max": 100_000}).start()
    yield Town(server)
    _finish(server)


@pytest.fixture
def town(shared_town):
    """A server without --dev and its people, shared by all tests: change nothing of theirs that others need."""
    server = shared_town.server
    if not server.responds():
        server.kill()
        server.start()
    _servers_of_test.append(server)
    yield shared_town
    assert server.alive(), f"this test ended the shared server:\n{server.log()[-4000:]}"


@pytest.fixture
def alice(town):
    return town.alice


@pytest.fixture
def talk(alice):
    """The conversation contract, for alice."""
    return alice.talk


@pytest.fixture
def new_town(new_server):
    """new_town(agents=…, limits=…) is a private server without --dev, with people of its own."""
    def make(**options):
        options.setdefault("agents", TOWN_AGENTS)
        return Town(new_server(dev=False, **options))
    return make


@pytest.fixture(scope="session")
def faultline_library():
    """The preloaded library of test/shim, which the build puts beside the server."""
    if not library(binary()).exists():
        pytest.skip("no libfaultline.so beside the server: build the target faultline")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.when == "call" and report.failed:
        for server in _servers_of_test:
            report.sections.append((f"log of {server.folder.name}", server.log()[-3000:]))
    if call.when == "teardown":
        _servers_of_test.clear()


def pytest_collection_modifyitems(items):
    """A sanitized binary (BRAIDLOG_SANITIZED=1) keeps freed memory and cannot run under faketime."""
    if os.environ.get("BRAIDLOG_SANITIZED") != "1":
        return
    for item in items:
        if "memory" in item.name or item.get_closest_marker("measures") or item.path.name == "test_clock.py":
            item.add_marker(pytest.mark.skip(reason="not under a sanitizer"))
