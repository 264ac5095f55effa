"""docs/event-catalog.md is what tools/make_event_catalog.py makes of the code, and the tool does not pass over what it cannot read."""
import shutil
import subprocess
import sys

import pytest

from braid_client.server import ROOT

TOOL = ROOT / "tools" / "make_event_catalog.py"
READ = ("src/event", "src/dialect/all/testdata")


def make(*arguments):
    return subprocess.run([sys.executable, str(TOOL), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_it_is_up_to_date():
    done = make("--check")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file, there, instead, complaint", [
    ("src/event/model_events.h", "// When: Before the call.\n", "", "ModelStarted needs what it means"),
    ("src/event/model_events.h", "s.provider)", "s.supplier)", "no member supplier"),
    ("src/event/model_events.h", "struct PlanMade {", "struct PlanFound {", "no struct in src/event for PlanMade"),
    ("src/event/model_events.h", "More reasoning;", "Still more reasoning;", "not what the code says"),
    ("src/event/event_type.h", "kWarning = 29,", "kWarned = 29,", "of different events"),
    ("src/dialect/all/testdata/frames_of_events.jsonl", '{"event":"run.queued"}\n', "", "of other events"),
])
def test_what_does_not_fit_is_said(tmp_path, file, there, instead, complaint):
    for folder in READ:
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "event-catalog.md", tmp_path / "docs")
    text = (tmp_path / file).read_text()
    assert there in text
    (tmp_path / file).write_text(text.replace(there, instead))
    done = make("--check", tmp_path)
    assert done.returncode == 1 and complaint in done.stdout
