"""MCP servers that are addresses, of both eras."""
import pytest

from braid_client.waiting import wait_for
from places import FAKES, PYTHON, entry, free_port, modern, needs_packages, package

LOOPBACK = ["127.0.0.1/32"]


def fake_http(*arguments):
    return [PYTHON, "-B", str(FAKES / "fake_http_server.py"), *map(str, arguments)]


@needs_packages
def test_everything_over_http(serve, listen):
    port = free_port()
    command = [*package("everything"), "streamableHttp"]
    outside = listen(command, port=port, PORT=str(port))
    reads = ["echo", "trigger-long-running-operation"]
    caller = serve(entry("web", url=outside.url, addresses=LOOPBACK, reads=reads))
    assert caller.call("web__echo", {"message": "x"}, approve=False)[1] == "Echo: x"
    assert "42" in caller.call("web__get-sum", {"a": 40, "b": 2})[1]
    result, _ = caller.call("web__trigger-long-running-operation", {"duration": 1, "steps": 4}, approve=False)
    assert result["success"]
    # It falls and comes back, and knows nothing of our session any more.
    outside.close()
    result, told = caller.call("web__echo", {"message": "x"}, approve=False)
    assert not result["success"] and "cannot be reached" in told
    listen(command, port=port, PORT=str(port))
    assert caller.call("web__echo", {"message": "again"}, approve=False)[1] == "Echo: again"


@needs_packages
def test_the_modern_sdk_over_http(serve, listen):
    outside = listen(modern("--http"))
    caller = serve(entry("web", url=outside.url, addresses=LOOPBACK, reads=["add", "fail"]))
    assert caller.tools() == ["web__add", "web__fail"]
    assert caller.call("web__add", {"a": 2, "b": 3}, approve=False)[1] == "5"
    assert not caller.call("web__fail", {}, approve=False)[0]["success"]


@pytest.mark.parametrize("options", [["--json"], [], ["--cut"], ["--era", "modern"], ["--era", "modern", "--json"]])
def test_each_way_to_answer(serve, listen, options):
    outside = listen(fake_http(*options))
    caller = serve(entry("web", url=outside.url, addresses=LOOPBACK, reads=["echo", "big"]))
    assert caller.call("web__echo", {"text": "x"}, approve=False)[1] == "echo: x"
    assert caller.call("web__big", {"bytes": 10_000_000}, approve=False)[0]["success"]


def test_changes_are_heard(serve, listen, tmp_path):
    marks = tmp_path / "marks"
    outside = listen(fake_http("--mark", marks))
    caller = serve(entry("web", url=outside.url, addresses=LOOPBACK, reads=["change"]))
    wait_for(lambda: marks.exists() and "listening" in marks.read_text(), "the stream of changes")
    caller.call("web__change", {}, approve=False)
    wait_for(lambda: "web__new2" in caller.tools(), "the new tool")


def test_secrets_are_headers_and_stay_secret(serve, listen):
    outside = listen(fake_http("--json", "--need", "Authorization: Bearer s3cret-t0ken"))
    caller = serve(entry("web", url=outside.url, addresses=LOOPBACK, reads=["echo"],
                         headers={"Authorization": "Bearer ${WEB_TOKEN}"}), environment={"WEB_TOKEN": "s3cret-t0ken"})
    caller.api.never_shown += [b"s3cret-t0ken"]
    assert caller.call("web__echo", {"text": "x"}, approve=False)[1] == "echo: x"
    assert "s3cret-t0ken" not in caller.server.log()


@pytest.mark.fault(26)
def test_an_address_that_is_not_public_is_refused(serve, listen, tmp_path):
    marks = tmp_path / "marks"
    outside = listen(fake_http("--mark", marks))
    for host in ("127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"):
        caller = serve(entry("web", url=outside.url.replace("127.0.0.1", host)), "calculator",
                       limits={"mcp_start_timeout": 2000})
        assert caller.tools() == ["calculator"]
        assert "not public" in caller.server.log()
    assert not marks.exists()
