"""The console in Chromium, every panel against the real server: the tests are in *.test.mjs."""
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


@pytest.fixture(autouse=True)
def deadline():
    """Each of these is a file full of tests, with deadlines of their own."""


@pytest.fixture(scope="module")
def ready():
    if not os.access(CHROMIUM, os.X_OK):
        missing(f"no browser at {CHROMIUM}: install the Debian package chromium, or set BRAIDLOG_CHROMIUM")
    if shutil.which("node") is None or shutil.which("npm") is None:
        missing("no node, or no npm")
    if not (HERE / "node_modules").is_dir():
        got = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=HERE, capture_output=True, text=True)
        if got.returncode != 0:
            missing("npm ci in test/console failed: " + got.stderr[-500:])


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_in_chromium(ready, name):
    done = subprocess.run(["node", "--test", name], cwd=HERE, capture_output=True, text=True, timeout=300,
                          env={**clean_environment(), "BRAIDLOG_BIN": binary(), "BRAIDLOG_CHROMIUM": CHROMIUM})
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
