"""A server's address, and a model that says what a test wants."""
import pytest

from braid_client.upstream import Upstream


@pytest.fixture
def url(api):
    return f"http://127.0.0.1:{api.port}"


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def scripted(upstream, new_server):
    """A server whose agent `upstream` does what the script of the fake model says."""
    return new_server(agents={"upstream": upstream.agent(tools=("file_read", "file_write", "file_list"))},
                      environment={"UPSTREAM_KEY": "sk-test-key"})
