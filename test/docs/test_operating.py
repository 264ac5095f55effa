"""What docs/operating.md promises beyond its commands: a backup under load, a unit that systemd takes, every metric named."""
import re
import shutil
import subprocess
import threading

import pytest

from braid_client.agents import AGENTS
from braid_client.server import ROOT, Server
from braid_client.waiting import wait_for
from markdown_steps import steps

PAGE = (ROOT / "docs" / "operating.md").read_text()


def file_of_page(name, folder):
    text = next(step.text for step in steps(PAGE) if step.kind == "file" and step.name == name)
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="sqlite3 is not installed")
def test_a_backup_of_a_busy_server_is_whole(tmp_path, new_server):
    script = file_of_page("backup.sh", tmp_path)
    server = new_server(pace=1)
    api, stop, over = server.api, threading.Event(), []

    def load():
        while not stop.is_set():
            over.append(api.run("a long story about rivers", agent="asks"))

    threads = [threading.Thread(target=load) for _ in range(4)]
    waiting_session, waiting_run, _ = api.ask_to_write(agent="asks")
    [thread.start() for thread in threads]
    wait_for(lambda: len(over) >= 8, "some runs")
    before = list(over)
    subprocess.run(["sh", str(script), str(server.data), str(tmp_path / "copy")], check=True, timeout=60)
    stop.set()
    [thread.join() for thread in threads]
    assert len(over) > len(before), "the server was not busy"

    restored = Server(tmp_path / "restored", agents=AGENTS)
    shutil.copytree(tmp_path / "copy", restored.data)
    restored.start()
    try:
        for run in before:
            again = restored.api.read(run.session_id, run.run_id)
            assert [frame.raw for frame in again] == [frame.raw for frame in run.frames]
        item = restored.api.get("/approvals").json["items"][0]
        assert item["run_id"] == waiting_run
        assert restored.api.post(f"/sessions/{waiting_session}/approvals/{item['approval_id']}/approve").status == 200
        assert restored.api.wait_over(waiting_session, waiting_run)["status"] == "completed"
    finally:
        restored.kill()
        restored.check_log()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_the_unit_is_one(tmp_path):
    unit = file_of_page("braidlog.service", tmp_path)
    unit.write_text(unit.read_text().replace("/usr/local/bin/braidlog", "/bin/true").replace("User=braidlog", "User=root"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    complaints = [line for line in done.stdout.decode().splitlines() if "braidlog.service" in line]
    assert complaints == []


def test_every_metric_is_named(api):
    named = set(re.findall(r"braidlog_\w+", PAGE))
    served = set(re.findall(r"^# TYPE (\w+)", api.call("GET", "/metrics").body.decode(), re.MULTILINE))
    assert served and served <= named
