"""Counts what the documents had their reader do, and says at the end what was not done and why."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

done = {"command": 0, "program": 0, "file": 0}
not_done = []


@pytest.fixture
def tally():
    return done, not_done


def pytest_terminal_summary(terminalreporter):
    if not any(done.values()):
        return
    terminalreporter.write_line(f"documents: {done['command']} commands and {done['program']} programs run, {done['file']} files written, "
                                f"{len(not_done)} blocks not run:")
    for place, reason in not_done:
        terminalreporter.write_line(f"  {place}: {reason}")
