"""Fixtures: a model that does as it is told, and servers whose agents have MCP servers."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from braid_client.upstream import Upstream  # noqa: E402
from places import Caller, HttpServer  # noqa: E402


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def serve(upstream, new_server):
    """serve(entry(…), …) is a Caller on a server whose agent `tools` has these."""
    def start(*entries, approval="{default: ask}", environment=None, **options):
        server = new_server(agents={"tools": upstream.agent(name="tools", tools=entries, approval=approval)},
                            environment={"UPSTREAM_KEY": "sk-test", **(environment or {})}, **options)
        return Caller(upstream, server)
    return start


@pytest.fixture
def listen():
    """listen(command, …) is an HttpServer that ends with the test."""
    made = []

    def start(command, **options):
        made.append(HttpServer(command, **options))
        return made[-1]

    yield start
    for server in made:
        server.close()
