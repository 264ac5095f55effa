"""Fault 32: the disk is full, read-only or broken. Nothing is shown that is not stored, reading goes on, and the server
recovers by itself."""
import errno
import os
import subprocess

import pytest

from braid_client.agents import AGENTS, agent
from braid_client.api import expect_error
from braid_client.database import id_bytes, read_database
from braid_client.faultline import DATA, STORE, Faultline
from braid_client.frames import joined, of_type
from braid_client.resources import Resources
from braid_client.waiting import wait_for
from braid_client.witness import Viewer, Witness, sequence_of

pytestmark = [pytest.mark.usefixtures("faultline_library"), pytest.mark.fault(32)]

CHANGES = "write sync truncate rename make_folder"
ERRORS = pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EIO], ids=errno.errorcode.get)
WITH_BRISK = {**AGENTS, "brisk": agent("brisk", pace="2ms")}


@pytest.fixture
def faulty(new_server, tmp_path):
    """A server and the faults of its disk."""
    faults = Faultline(tmp_path)
    return new_server(faults=faults, agents=WITH_BRISK), faults


def start_again(api, session, message, key):
    """Asks with the same key until the disk takes it: the run id."""
    def ask():
        reply = api.post(f"/sessions/{session}/messages", json={"message": message, "idempotency_key": key})
        if reply.status == 202:
            return reply.json["run_id"]
        expect_error(reply, 503, "UNAVAILABLE")
        return None
    return wait_for(ask, "an accepted message")


@ERRORS
@pytest.mark.clause("RUNS-59", "COMMON-13")
def test_a_disk_that_refuses_everything_for_a_while(faulty, error):
    server, faults = faulty
    api = server.api
    done = api.run("Write a haiku about rivers to a.md", agent="auto")
    session, run, approval = api.ask_to_write()
    idle, busy = api.session(), api.session(agent="brisk")
    told = api.start(busy, "a long story about lighthouses")
    api.run("say exactly: warm", agent="brisk")
    resources = Resources(server)
    with api.stream(busy, told) as stream:
        stream.read_type("assistant_delta", 5)
        faults.arm("fail", CHANGES, DATA, error)
        # Whatever wants to be stored is refused, in the contract's words …
        for _ in range(2):
            refused = api.post(f"/sessions/{idle}/messages", json={"message": "say exactly: no", "idempotency_key": "k"})
            expect_error(refused, 503, "UNAVAILABLE")
            assert int(refused.header("retry-after")) >= 0
        expect_error(api.post("/sessions", json={}), 503, "UNAVAILABLE")
        expect_error(api.approve(session, approval), 503, "UNAVAILABLE")
        expect_error(api.interrupt(session, run), 503, "UNAVAILABLE")
        assert api.upload(idle, "a.txt", b"text").status == 503
        # … and whatever is stored can be read.
        assert joined(api.read(done.session_id, done.run_id)) == done.bytes
        assert api.look(session, run)["status"] == "waiting_approval"
        assert [item["approval_id"] for item in api.pending(session)] == [approval]
        assert api.call("GET", "/health").status == 200
        server.wait_log("the store refuses to write")
        stored = read_database(server.data).runs[id_bytes(told)]
        assert faults.struck() > 5
        faults.disarm()
        stream.read_to_end(60)
    assert stream.end == "clean" and stream.frames[-1].type == "run_completed"
    assert sequence_of(stream.frames[-1].id) > stored.last
    server.wait_log("the store writes again")
    assert api.approve(session, approval).status == 200
    assert api.read(session, run)[-1].type == "run_completed"
    assert api.read(idle, start_again(api, idle, "say exactly: no", "k"))[-1].type == "run_completed"
    resources.check()
    server.restart(hard=True)
    assert joined(server.api.read(busy, told)) == joined(stream.frames)


@ERRORS
@pytest.mark.fault(30)
def test_what_was_shown_before_the_disk_broke_is_there_after_a_crash(faulty, error):
    """The disk never comes back while this server lives."""
    server, faults = faulty
    session = server.api.session(agent="brisk")
    run = server.api.start(session, "a long story about lighthouses")
    witness = Witness(session=session, run=run, message="a long story about lighthouses", viewers=[Viewer()])
    with server.api.stream(session, run) as stream:
        stream.read_type("assistant_delta", 5)
        faults.arm("fail", "write sync", "log", error)
        server.wait_log("the store refuses to write")
        server.kill()
        stream.read_to_end()
        witness.viewers[0].take(stream)
    faults.clear()
    witness.check_database(read_database(server.data, check_pages=True), faults.effects())
    server.start()
    witness.check_seen(server.api)
    frames = server.api.read(session, run, timeout=60)
    witness.crashes = 1
    witness.check_end(frames, faults.effects(), {})


@pytest.mark.fault(30)
@pytest.mark.parametrize("crash", [False, True], ids=["alone", "then kill -9"])
def test_one_failure_at_the_nth_write(faulty, crash):
    """A run with a tool, once for each n: the n-th change of a file below the data folder fails with EIO."""
    server, faults = faulty
    for n in [*range(0, 30, 3 if crash else 1), 40, 60]:
        message, key = f"Write a haiku about rivers to f{n}.md", f"key-{n}"
        witness = Witness(session=server.api.session(auto_approve=True), auto=True, message=message, key=key,
                          paths=(f"f{n}.md",), viewers=[Viewer()])
        faults.arm("fail", "write sync truncate", STORE, errno.EIO, skip=n, count=1)
        witness.note_started(start_again(server.api, witness.session, message, key))
        with server.api.stream(witness.session, witness.run) as stream:
            if crash:
                stream.read_frames(3)
                server.kill()
            stream.read_to_end()
            witness.viewers[0].take(stream)
        faults.clear()
        if crash:
            witness.crashes = 1
            witness.check_database(read_database(server.data, check_pages=True), faults.effects())
            server.start()
        frames = server.api.read(witness.session, witness.run)
        witness.check_end(frames, faults.effects(), server.api.files(witness.session))
        assert len(server.api.get(f"/sessions/{witness.session}/runs").json["items"]) == 1, "one run per key"


@ERRORS
def test_a_disk_that_refuses_at_the_start(faulty, error):
    server, faults = faulty
    session, run, approval = server.api.ask_to_write()
    server.kill()
    before = read_database(server.data)
    faults.arm("fail", CHANGES, DATA, error)
    log = len(server.log())
    server.try_start()
    assert server.port is None and server.wait_exit() not in (0, None)
    said = server.log()[log:].strip()
    assert len(said.splitlines()) == 1 and "braidlog:" in said, said
    faults.clear()
    assert read_database(server.data) == before
    server.start()
    assert server.api.approve(session, approval).status == 200
    assert server.api.read(session, run)[-1].type == "run_completed"


@ERRORS
def test_a_workspace_that_cannot_be_written(faulty, error):
    """The tool fails and says so, the run goes on, and nothing of the file is left."""
    server, faults = faulty
    for calls in ("write", "rename", "open"):
        faults.arm("fail", calls, "scratch workspace", error, skip=0)
        done = server.api.run("Write a haiku about rivers to a.md", agent="auto")
        faults.clear()
        [result] = of_type(done.frames, "tool_result")
        assert result.payload["success"] is False and done.end.type == "run_completed"
        assert server.api.files(done.session_id) == {}
        assert os.listdir(server.data / "workspaces" / ".scratch") == []


def test_a_file_that_is_there_and_could_not_be_synced(faulty):
    """Its outcome is unknown: after a power cut it may be gone, now it is there (I4)."""
    server, faults = faulty
    faults.arm("fail", "sync", "workspace", errno.EIO)
    done = server.api.run("Write a haiku about rivers to a.md", agent="auto")
    faults.clear()
    [result] = of_type(done.frames, "tool_result")
    assert ("a.md" in server.api.files(done.session_id)) == result.payload["success"] or \
        "unknown" in result.payload["result"], result.payload


@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("no right to mount a small disk")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_disk_that_is_really_full(new_server, small_disk):
    server = new_server(agents=WITH_BRISK)
    server.stop()
    server.data = small_disk / "data"
    server.start()
    api = server.api
    done = api.run("say exactly: before")
    session = api.session(agent="brisk")
    run = api.start(session, "a long story about lighthouses")
    with api.stream(session, run) as stream:
        stream.read_type("assistant_delta", 3)
        filler = small_disk / "filler"
        with open(filler, "wb", buffering=0) as file, pytest.raises(OSError):
            while True:
                file.write(bytes(4096))
        # Room may be found once more by folding the log into the database; how full the disk is, is looked at now and then.
        refused = wait_for(lambda: next((reply for reply in [api.post(f"/sessions/{done.session_id}/messages",
                                                                      json={"message": "say exactly: hello"})]
                                         if reply.status == 503), None), "a new run to be refused")
        expect_error(refused, 503, "UNAVAILABLE")
        assert joined(api.read(done.session_id, done.run_id)) == done.bytes
        filler.unlink()
        stream.read_to_end(60)
    assert stream.frames[-1].type == "run_completed"
    server.restart(hard=True)
    assert joined(server.api.read(session, run)) == joined(stream.frames)
    server.kill()
    server.data = server.folder / "data"
    server.start()


@pytest.mark.fault(30)
def test_the_remains_of_a_commit_that_was_not_synced_are_no_damage(faulty):
    """Its frames stand in the log, whole. A smaller commit over their beginning, then a crash: the server starts."""
    server, faults = faulty
    session = server.api.session()
    done = server.api.run("say exactly: before")
    for size in (30_000, 20_000, 9_000):
        faults.arm("fail", "sync", "log", errno.EIO, count=1)
        refused = server.api.post(f"/sessions/{session}/messages", json={"message": "m" * size})
        expect_error(refused, 503, "UNAVAILABLE")
        faults.disarm()
        after = server.api.session()
        server.restart(hard=True)
        assert server.api.get(f"/sessions/{after}").status == 200
        assert joined(server.api.read(done.session_id, done.run_id)) == done.bytes
