"""Fault 30: kill -9 at any point. A short run of the harness in every test run; `./dev crash` is the long one."""
import pytest

import harness

pytestmark = pytest.mark.usefixtures("faultline_library")


@pytest.mark.fault(30)
@pytest.mark.clause("COMMON-49", "COMMON-13")
def test_twenty_five_kills(tmp_path):
    done = harness.run(tmp_path, kills=25, seed=30)
    assert done.kills >= 25 and done.settled > 50
    assert len(done.points) > 5, done.points
    assert {contract for contract, _ in done.ends} == {"runs", "steps", "chat", "conversation", "tasks"}, done.ends
    assert done.ends["chat", "run_interrupted"] and done.ends["conversation", "run_completed"], done.ends
    assert done.ends["steps", "run_completed"] and done.ends["tasks", "run_completed"], done.ends
    assert done.sandboxes.seen_ever > 0, "no code was run"
