"""Chromium's own EventSource and fetch, and pages of other sites: the tests are in *.test.mjs."""
import os
import pathlib
import shutil
import subprocess

import pytest

from braid_client.server import binary, clean_environment

HERE = pathlib.Path(__file__).resolve().parent
CHROMIUM = os.environ.get("BRAIDLOG_CHROMIUM", "/usr/bin/chromium")
REQUIRED = os.environ.get("BRAIDLOG_REQUIRE_BROWSER") == "1"


def missing(what):
    if REQUIRED:
        pytest.fail(f"{what}, and BRAIDLOG_REQUIRE_BROWSER=1 demands it")
    pytest.skip(what)


@pytest.mark.clause("CHAT-3", "CHAT-33", "CHAT-35", "CHAT-51", "CHAT-52", "CHAT-53", "CHAT-29", "STEPS-27", "STEPS-28", "STEPS-37")
@pytest.mark.fault(15, 24)
def test_in_chromium():
    if not os.access(CHROMIUM, os.X_OK):
        missing(f"no browser at {CHROMIUM}: install the Debian package chromium, or set BRAIDLOG_CHROMIUM")
    if shutil.which("node") is None or shutil.which("npm") is None:
        missing("no node, or no npm")
    if not (HERE / "node_modules").is_dir():
        got = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=HERE, capture_output=True, text=True)
        if got.returncode != 0:
            missing("npm ci in test/browser failed: " + got.stderr[-500:])
    done = subprocess.run(["node", "--test"], cwd=HERE, capture_output=True, text=True, timeout=110,
                          env={**clean_environment(), "BRAIDLOG_BIN": binary(), "BRAIDLOG_CHROMIUM": CHROMIUM})
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
