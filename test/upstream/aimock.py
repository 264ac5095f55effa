"""@copilotkit/aimock as a process: a model server of somebody else's making, with chaos on order."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import urllib.request

import pytest

from braid_client.server import clean_environment
from braid_client.waiting import wait_for

HERE = pathlib.Path(__file__).resolve().parent
REQUIRED = os.environ.get("BRAIDLOG_REQUIRE_AIMOCK") == "1"


def missing(what):
    if REQUIRED:
        pytest.fail(f"{what}, and BRAIDLOG_REQUIRE_AIMOCK=1 demands it")
    pytest.skip(what)


def installed() -> pathlib.Path:
    """The program; npm fetches it when it is not there."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        missing("no node, or no npm")
    if not (HERE / "node_modules").is_dir():
        got = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=HERE, capture_output=True, text=True)
        if got.returncode != 0:
            missing("npm ci in test/upstream failed: " + got.stderr[-500:])
    return HERE / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"


class Aimock:
    def __init__(self, log_path):
        program = installed()
        with socket.socket() as reserved:
            reserved.bind(("127.0.0.1", 0))
            self.port = reserved.getsockname()[1]
        with open(log_path, "wb") as log:
            self.process = subprocess.Popen(
                ["node", program, "-p", str(self.port), "-f", str(HERE / "fixtures" / "talk.json"), "--strict",
                 "--log-level", "warn", "--journal-max", "1"],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=clean_environment())
        wait_for(self._listens, "aimock to listen")

    def _listens(self):
        assert self.process.poll() is None, f"aimock ended with {self.process.returncode}"
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def chaos(self, **rates):
        """From now on; without rates there is none."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/__aimock/chaos", method="POST",
                                         data=json.dumps(rates).encode(), headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as reply:
            assert json.load(reply) == {"chaos": rates}

    def model(self, protocol, **more):
        url = f"http://127.0.0.1:{self.port}" + ("/v1" if protocol == "openai" else "")
        return json.dumps({"provider": protocol, "name": "mock", "base_url": url, "api_key_env": "UPSTREAM_KEY", **more})

    def close(self):
        self.process.kill()
        self.process.wait()
