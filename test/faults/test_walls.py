"""Fault 25: file tools and file routes with hostile paths, symbolic links and things that are no files."""
import os
import pathlib
import stat

import pytest

from braid_client.agents import AGENTS
from braid_client.frames import of_type

SECRET = b"nobody may read this"


def workspace_of(server, session):
    """The folder on disk that belongs to the session: found by a file that only it has."""
    marker = f"marker-{session}.txt"
    assert server.api.upload(session, marker, b"here").status == 201
    [place] = server.data.rglob(marker)
    return place.parent


def results_of(server, message, session):
    done = server.api.run(message, session_id=session)
    return [frame.payload for frame in of_type(done.frames, "tool_result")]


@pytest.fixture
def walled(new_server):
    server = new_server(agents=AGENTS)
    (server.folder / "secret.txt").write_bytes(SECRET)
    return server


HOSTILE = ["../../etc/passwd", "../escape.txt", "/etc/passwd", "/tmp/escape.txt", "a/../../escape.txt", "./../escape.txt",
           "/proc/self/environ", "/dev/null", "/proc/self/fd/1", "..//escape.txt", "x/../../../escape.txt"]


@pytest.mark.clause("RUNS-57", "RUNS-33")
@pytest.mark.fault(25)
@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_paths_given_to_tools(walled, path):
    session = walled.api.session(agent="auto")
    workspace = workspace_of(walled, session)
    for message in (f"write x to {path}", f"read {path}", f"rename marker-{session}.txt to {path}", f"rename {path} to y.txt"):
        results = results_of(walled, message, session)
        assert results, f"no call was made for: {message}"
        for result in results:
            assert result["success"] is False, (message, result)
            assert "root:" not in result["result"] and "PATH=" not in result["result"]
    assert not list(walled.folder.rglob("escape.txt"))
    assert not pathlib.Path("/tmp/escape.txt").exists()
    assert [entry.name for entry in workspace.iterdir()] == [f"marker-{session}.txt"]


@pytest.mark.clause("RUNS-57", "RUNS-56")
@pytest.mark.fault(25)
@pytest.mark.parametrize("target", ["outside file", "outside folder", "etc", "dangling", "loop", "absolute inside"])
def test_symbolic_links_in_the_workspace(walled, target):
    session = walled.api.session(agent="auto")
    workspace = workspace_of(walled, session)
    outside = walled.folder / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_bytes(SECRET)
    link = workspace / "link.txt"
    places = {"outside file": outside / "secret.txt", "outside folder": outside, "etc": pathlib.Path("/etc"),
              "dangling": outside / "not-there.txt", "loop": link, "absolute inside": workspace / f"marker-{session}.txt"}
    link.symlink_to(places[target])
    name = "link.txt/secret.txt" if target == "outside folder" else "link.txt/passwd" if target == "etc" else "link.txt"
    reply = walled.api.get(f"/sessions/{session}/files/{name}")
    assert reply.status in (404, 422), reply
    for message in (f"read {name}", f"write stolen words to {name}"):
        for result in results_of(walled, message, session):
            assert SECRET.decode() not in result["result"] and "root:" not in result["result"]
            if "read" in message:
                assert result["success"] is False, result
    assert (outside / "secret.txt").read_bytes() == SECRET
    assert sorted(entry.name for entry in outside.iterdir()) == ["secret.txt"]
    assert (workspace / f"marker-{session}.txt").read_bytes() == b"here"
    assert all(".." not in path and "secret" not in path for path in walled.api.files(session))


@pytest.mark.clause("RUNS-57")
@pytest.mark.fault(25)
def test_a_link_swapped_in_while_the_approval_waits(walled):
    session = walled.api.session()
    workspace = workspace_of(walled, session)
    outside = walled.folder / "outside"
    outside.mkdir()
    _, run, approval = walled.api.ask_to_write("notes/haiku.md", session_id=session)
    (workspace / "notes").symlink_to(outside)
    assert walled.api.approve(session, approval).status == 200
    frames = walled.api.read(session, run)
    assert of_type(frames, "tool_result")[0].payload["success"] is False
    assert list(outside.iterdir()) == []


@pytest.mark.clause("RUNS-57", "RUNS-56")
@pytest.mark.fault(25)
def test_things_that_are_no_files(walled):
    session = walled.api.session(agent="auto")
    workspace = workspace_of(walled, session)
    os.mkfifo(workspace / "pipe.txt")
    (workspace / "folder.txt").mkdir()
    for name in ("pipe.txt", "folder.txt"):
        reply = walled.api.get(f"/sessions/{session}/files/{name}", timeout=20)
        assert reply.status in (404, 422), reply
        for result in results_of(walled, f"read {name}", session):
            assert result["success"] is False, result
    assert list(walled.api.files(session)) == [f"marker-{session}.txt"]
    assert stat.S_ISFIFO((workspace / "pipe.txt").stat().st_mode)
    assert walled.api.call("GET", "/health").status == 200


@pytest.mark.clause("RUNS-57", "COMMON-53")
@pytest.mark.fault(25)
def test_files_over_their_limits(new_server):
    server = new_server(limits={"workspace_file_bytes_max": 1000, "workspace_files_max": 5, "upload_bytes_max": 50_000})
    session = server.api.session(agent="auto")
    workspace = workspace_of(server, session)
    assert server.api.upload(session, "big.txt", b"x" * 1001).status in (400, 413)
    with open(workspace / "huge.txt", "wb") as huge:
        huge.truncate(10 << 30)  # ten gigabytes that take no room
    before = server.memory()
    for result in results_of(server, "read huge.txt", session):
        assert result["success"] is False
    assert server.api.get(f"/sessions/{session}/files/huge.txt").status in (404, 413, 422)
    assert server.memory() - before < 50_000_000
    os.unlink(workspace / "huge.txt")
    made = [server.api.upload(session, f"f{i}.txt", b"x").status for i in range(8)]
    assert made.count(201) == 4 and set(made) <= {201, 400, 413}
    [result] = results_of(server, "write x to one-more.txt", session)
    assert result["success"] is False
    assert server.api.upload(session, "f0.txt", b"replaced").status == 201


@pytest.mark.clause("RUNS-57")
@pytest.mark.fault(25, 8)
def test_long_and_odd_names(walled):
    session = walled.api.session(agent="auto")
    workspace = workspace_of(walled, session)
    for name in ("a" * 300 + ".txt", "/".join(["d"] * 600) + "/x.txt", "b" * 5000 + ".txt"):
        for result in results_of(walled, f"write x to {name}", session):
            assert result["success"] is False, name[:40]
        assert walled.api.get(f"/sessions/{session}/files/{name}").status in (404, 422)
    assert [entry.name for entry in workspace.iterdir() if entry.is_file()] == [f"marker-{session}.txt"]
