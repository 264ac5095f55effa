"""MCP servers for the tests and the agent files that use them."""
import json
import os
import pathlib
import socket
import subprocess

import pytest

from braid_client.upstream import Call, End, Say
from braid_client.waiting import wait_for

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = HERE / "node_modules" / "@modelcontextprotocol"
FAKES = HERE.parents[1] / "src" / "tool" / "mcp" / "testing"
PYTHON = "/usr/bin/python3"

needs_packages = pytest.mark.skipif(
    not PACKAGES.exists() and not os.environ.get("BRAIDLOG_REQUIRE_MCP"), reason="npm ci was not run in test/mcp")


def package(name, *arguments):
    """The command of a server from npm."""
    return ["node", str(PACKAGES / f"server-{name}" / "dist" / "index.js"), *map(str, arguments)]


def modern(*arguments):
    return ["node", str(HERE / "modern_server.mjs"), *arguments]


def fake(*arguments):
    """The scripted server of the unit tests."""
    return [PYTHON, "-B", str(FAKES / "fake_server.py"), *map(str, arguments)]


def entry(name, **fields):
    """A row of `tools:` in an agent file."""
    return "mcp: " + json.dumps({"name": name, **fields})


class HttpServer:
    """A server of tools that listens on loopback; says its port on stdout unless it was told one."""

    def __init__(self, command, port=None, path="/mcp", **environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env={**os.environ, **environment})
        self.port = port or int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}{path}"
        wait_for(self.listens, f"{command} to listen")

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def close(self):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Caller:
    """A server whose agent `tools` has MCP servers, and a model that calls exactly what a test wants."""

    def __init__(self, upstream, server):
        self.upstream, self.server, self.api = upstream, server, server.api

    def tools(self):
        agents = {item["name"]: item for item in self.api.call("GET", "/agents").json["agents"]}
        return agents["tools"]["tools"]

    def begin(self, tool, arguments, then="Done."):
        """A run whose model calls the tool and then says something; gives its session and its id."""
        self.upstream.script(Call(tool, arguments), End("tool_calls"))
        self.upstream.script(Say(then), End())
        session = self.api.session(agent="tools")
        return session, self.api.start(session, "please")

    def call(self, tool, arguments=None, approve=True):
        """Calls it, approves when asked, and gives (the tool_result's payload, what the model was told)."""
        before = len(self.upstream.requests)
        session, run = self.begin(tool, arguments or {})
        if approve:
            [item] = self.api.wait_pending(session)
            assert item["tool_name"] == tool and item["args"] == (arguments or {})
            assert self.api.approve(session, item["approval_id"]).status == 200
        frames = self.api.read(session, run)
        assert frames[-1].type == "run_completed", frames[-1]
        [result] = [frame.payload for frame in frames if frame.type == "tool_result"]
        told = [m for m in self.upstream.requests[before + 1].messages if m["role"] == "tool"][-1]["content"]
        return result, told
