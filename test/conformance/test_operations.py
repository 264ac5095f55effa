"""Health, readiness, agents, and how the program starts or refuses to."""
import os
import subprocess

import pytest

from braid_client.agents import agent
from braid_client.server import binary


@pytest.mark.clause("COMMON-44")
def test_health(api):
    reply = api.call("GET", "/health")
    assert reply.status == 200 and reply.json["status"] == "healthy"


@pytest.mark.clause("COMMON-45")
def test_ready(api):
    reply = api.call("GET", "/ready")
    assert reply.status == 200 and reply.json == {"ready": True}


@pytest.mark.clause("COMMON-46")
def test_agents(api):
    reply = api.call("GET", "/agents")
    assert reply.status == 200
    agents = {item["name"]: item for item in reply.json["agents"]}
    assert {"writer", "assistant", "denies", "counts"} <= set(agents)
    for item in agents.values():
        assert set(item) == {"name", "description", "model", "tools"}
    assert "file_write" in agents["writer"]["tools"]
    assert agents["counts"]["tools"] == ["calculator", "current_datetime"]


@pytest.mark.clause("COMMON-47")
def test_the_line_that_says_where(new_server):
    server = new_server()  # waits for the line
    assert server.api.call("GET", "/health").status == 200


def refuse(tmp_path, *arguments, code=None):
    """Runs `braidlog ARGUMENTS`, which must end by itself with one line on stderr; gives that line."""
    done = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=30, cwd=tmp_path,
                          stdin=subprocess.DEVNULL, env={**os.environ, "BRAIDLOG_OFFLINE_PACE": "0"})
    assert done.returncode not in (0, -6, -11), done
    assert "listening" not in done.stdout, done
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, f"one line, not {len(lines)}:\n{done.stderr}"
    return lines[0]


def serve(tmp_path, *arguments):
    return refuse(tmp_path, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "data"), *arguments)


@pytest.mark.clause("COMMON-50")
@pytest.mark.parametrize("arguments, named", [
    (["--no-such-flag"], "--no-such-flag"), (["--durability", "maybe"], "durability"), (["--config", "missing.yaml"], "missing.yaml"),
    (["--agents", "missing-folder"], "missing-folder"), (["extra-word"], "extra-word")])
def test_wrong_flags(tmp_path, arguments, named):
    assert named in serve(tmp_path, *arguments)


@pytest.mark.clause("COMMON-50")
@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:99999", "127.0.0.1:http", "127.0.0.1"])
def test_wrong_addresses(tmp_path, address):
    line = refuse(tmp_path, "serve", "--dev", "--listen", address, "--data", str(tmp_path / "data"))
    assert "listen" in line and address in line


@pytest.mark.clause("COMMON-50")
def test_dev_listens_on_loopback_only(tmp_path):
    line = refuse(tmp_path, "serve", "--dev", "--listen", "0.0.0.0:0", "--data", str(tmp_path / "data"))
    assert "0.0.0.0" in line or "--dev" in line


@pytest.mark.clause("COMMON-50")
def test_a_port_in_use(tmp_path, shared):
    line = refuse(tmp_path, "serve", "--dev", "--listen", f"127.0.0.1:{shared.port}", "--data", str(tmp_path / "data"))
    assert str(shared.port) in line


@pytest.mark.clause("COMMON-50")
def test_a_wrong_command(tmp_path):
    assert "frobnicate" in refuse(tmp_path, "frobnicate")


BAD_AGENTS = {
    "unknown key": (agent("bad") + "colour: blue\n", "colour", 10),
    "unknown tool": (agent("bad", tools=("file_write", "teleport")), "teleport", 7),
    "unknown provider": (agent("bad").replace("provider: offline", "provider: psychic"), "provider", 3),
    "unknown failure": (agent("bad", fail="sulk"), "fail", 3),
    "unknown policy": (agent("bad", approval="{default: perhaps}"), "default", 10),
    "policy of an unknown tool": (agent("bad", approval="{tools: {teleport: auto}}"), "teleport", 10),
    "bad duration": (agent("bad", approval="{timeout: soon}"), "timeout", 10),
    "bad number": (agent("bad", extra="max_steps: many\n"), "max_steps", 10),
    "no steps": (agent("bad", extra="max_steps: 0\n"), "max_steps", 10),
    "bad name": (agent("not a name"), "name", 1),
    "no yaml": ("name: bad\n  model: {oops\n", "", 2),
    "a list": ("- name: bad\n", "", 1),
}


@pytest.mark.clause("COMMON-51")
@pytest.mark.parametrize("case", BAD_AGENTS)
def test_wrong_agent_files(tmp_path, case):
    text, named, number = BAD_AGENTS[case]
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "good.yaml").write_text(agent("good"))
    (tmp_path / "agents" / "broken.yaml").write_text(text)
    line = serve(tmp_path, "--agents", "agents")
    assert "broken.yaml" in line and named in line
    # A parser may see a broken document one line later than a person does.
    assert any(f"broken.yaml:{n}" in line or f"line {n}" in line for n in (number, number + 1)), line


@pytest.mark.clause("COMMON-51")
def test_agent_files_without_a_name_or_with_the_same_name(tmp_path):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "first.yaml").write_text(agent("twin"))
    (tmp_path / "agents" / "second.yaml").write_text(agent("twin"))
    assert "twin" in serve(tmp_path, "--agents", "agents")
    (tmp_path / "agents" / "second.yaml").write_text("description: nobody\n")
    line = serve(tmp_path, "--agents", "agents")
    assert "second.yaml" in line and "name" in line


@pytest.mark.clause("COMMON-51", "COMMON-53")
@pytest.mark.parametrize("text, named, number", [
    ("limits:\n  message_bytes_max: 100\n  no_such_limit: 5\n", "no_such_limit", 3),
    ("limits: {keepalive_interval: often}\n", "keepalive_interval", 1), ("limits: {stall_timeout: -5}\n", "stall_timeout", 1),
    ("colour: blue\n", "colour", 1), ("limits: [\n", "", 1)])
def test_wrong_configurations(tmp_path, text, named, number):
    (tmp_path / "server.yaml").write_text(text)
    line = serve(tmp_path, "--config", "server.yaml")
    assert "server.yaml" in line and named in line
    assert any(f"server.yaml:{n}" in line or f"line {n}" in line for n in (number, number + 1)), line


@pytest.mark.clause("COMMON-53")
def test_a_limit_that_is_set_counts(new_server):
    server = new_server(limits={"message_bytes_max": 40})
    session = server.api.session()
    assert server.api.post(f"/sessions/{session}/messages", json={"message": "say exactly: " + "x" * 28}).status == 400
    assert server.api.post(f"/sessions/{session}/messages", json={"message": "say exactly: " + "x" * 27}).status == 202


@pytest.mark.clause("COMMON-52")
def test_a_second_server_on_the_same_data(new_server, tmp_path):
    server = new_server()
    session = server.api.session()
    line = refuse(tmp_path, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", str(server.data))
    assert line
    assert server.api.get(f"/sessions/{session}").status == 200


@pytest.mark.clause("COMMON-43")
def test_the_log_is_silent_about_inside_things(shared, api):
    api.run("say exactly: a secret nobody logs")
    text = shared.log()
    assert "bluewhale" not in text and "a secret nobody logs" not in text
    assert "SELECT " not in text and "INSERT INTO" not in text
