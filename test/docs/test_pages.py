"""The programs of the quick starts that are for a page run in one: in Chromium, on another port than the server."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

from braid_client.server import ROOT, clean_environment
from expected import Names
from markdown_steps import steps
from reader import Reader

CONTRACTS = ("steps", "runs", "chat", "conversation", "tasks")
CHROMIUM = os.environ.get("BRAIDLOG_CHROMIUM", "/usr/bin/chromium")
missing = (not pathlib.Path(CHROMIUM).exists() or shutil.which("node") is None
           or not (ROOT / "test" / "browser" / "node_modules").exists())


def page_program(contract):
    """The first program of a quick start; the second one uses the client, which a page gets from its bundler."""
    return next(step for step in steps((ROOT / "docs" / "quickstart" / f"{contract}.md").read_text()) if step.kind == "program")


@pytest.mark.skipif(missing and not os.environ.get("BRAIDLOG_REQUIRE_BROWSER"), reason="no Chromium, node or node_modules of test/browser")
def test_the_quick_starts_work_in_a_page(tmp_path):
    reader = Reader(tmp_path / "reader")
    try:
        reader.ready()
        plan = {contract: page_program(contract) for contract in CONTRACTS}
        asked = [{"name": name, "code": reader.own_ports(step.text), "lines": len(step.expected)} for name, step in plan.items()]
        done = subprocess.run(["node", str(ROOT / "test" / "docs" / "in_browser.mjs")], input=json.dumps(asked), stdout=subprocess.PIPE,
                              text=True, timeout=110, check=True, env=clean_environment())
    finally:
        reader.close()
    printed = json.loads(done.stdout)
    for name, step in plan.items():
        assert Names().match(step.expected, "\n".join(printed[name])), f"{name}: {printed[name]}"
