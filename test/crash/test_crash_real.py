"""Fault 30 with models and tools that are real processes. `./dev crash N SEED --real` is the long run."""
import pytest

import harness
from real import RealHarness

pytestmark = pytest.mark.usefixtures("faultline_library")


@pytest.mark.fault(30)
def test_kills_with_real_models_and_tools(tmp_path):
    done = harness.run(tmp_path, kills=20, seed=6, make=RealHarness)
    assert done.kills >= 20 and done.settled > 40
    assert {contract for contract, _ in done.ends} == {"runs", "steps", "chat", "conversation", "tasks"}, done.ends
    assert done.ends["runs", "run_completed"] and done.ends["steps", "run_completed"], done.ends
    for tool in ("fx__append", "note_http", "file_write"):
        assert done.calls[tool, "known"] > 0, f"{tool} was not used: {done.calls}"
