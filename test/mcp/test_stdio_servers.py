"""MCP servers that are programs: those that people install, and one that does what they do wrong."""
import json
import os

import pytest

from braid_client.waiting import wait_for
from places import entry, fake, modern, needs_packages, package


@needs_packages
def test_everything(serve):
    caller = serve(entry("everything", command=package("everything"), reads=["echo", "trigger-long-running-operation"]))
    assert {"everything__echo", "everything__get-sum", "everything__get-tiny-image"} <= set(caller.tools())

    result, told = caller.call("everything__echo", {"message": "hällo"}, approve=False)
    assert result["success"] and told == "Echo: hällo"
    result, told = caller.call("everything__get-sum", {"a": 40, "b": 2})
    assert result["success"] and "42" in told
    _, told = caller.call("everything__get-tiny-image")
    assert "[image, image/png, " in told
    result, told = caller.call("everything__trigger-long-running-operation", {"duration": 1, "steps": 4}, approve=False)
    assert result["success"] and "completed" in told.lower()


@needs_packages
def test_arguments_that_do_not_fit_never_reach_the_server(serve):
    caller = serve(entry("everything", command=package("everything")))
    session, run = caller.begin("everything__get-sum", {"a": "forty", "b": 2})
    frames = caller.api.read(session, run)
    assert caller.api.pending(session) == []
    told = [m for m in caller.upstream.requests[1].messages if m["role"] == "tool"][-1]["content"]
    assert "a: " in told and frames[-1].type == "run_completed"


@needs_packages
def test_filesystem(serve, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "note.txt").write_text("what it says")
    caller = serve(entry("fs", command=package("filesystem", folder), reads=["read_text_file"]))
    caller.api.never_shown = [text for text in caller.api.never_shown if text not in str(folder).encode()]
    result, told = caller.call("fs__read_text_file", {"path": str(folder / "note.txt")}, approve=False)
    assert result["success"] and told == "what it says"
    result, told = caller.call("fs__read_text_file", {"path": "/etc/hostname"}, approve=False)
    assert not result["success"] and "denied" in told.lower()
    result, _ = caller.call("fs__write_file", {"path": str(folder / "new.txt"), "content": "written"})
    assert result["success"] and (folder / "new.txt").read_text() == "written"


@needs_packages
def test_memory_and_its_variable(serve, tmp_path):
    memory = tmp_path / "memory.json"
    caller = serve(entry("memory", command=package("memory"), env=["MEMORY_FILE_PATH"], reads=["read_graph"]),
                   environment={"MEMORY_FILE_PATH": str(memory)})
    entity = {"name": "Ada", "entityType": "person", "observations": ["counts"]}
    result, _ = caller.call("memory__create_entities", {"entities": [entity]})
    assert result["success"] and "Ada" in memory.read_text()
    _, told = caller.call("memory__read_graph", {}, approve=False)
    assert "Ada" in told


@needs_packages
def test_the_modern_sdk(serve):
    caller = serve(entry("modern", command=modern(), reads=["add", "fail"]))
    assert caller.tools() == ["modern__add", "modern__fail"]
    result, told = caller.call("modern__add", {"a": 2, "b": 3}, approve=False)
    assert result["success"] and told == "5"
    result, told = caller.call("modern__fail", {}, approve=False)
    assert not result["success"] and "no luck" in told


def test_a_rejected_call_is_not_made(serve, tmp_path):
    caller = serve(entry("fake", command=fake(), reads=["seen"]))
    session, run = caller.begin("fake__echo", {"text": "no"})
    [item] = caller.api.wait_pending(session)
    caller.api.reject(session, item["approval_id"])
    assert caller.api.read(session, run)[-1].type == "run_completed"
    _, told = caller.call("fake__seen", {}, approve=False)
    assert json.loads(told)["calls"] == 1


@pytest.mark.parametrize("reads", [False, True])
def test_a_crash_in_mid_call(serve, tmp_path, reads):
    marks = tmp_path / "marks"
    caller = serve(entry("fake", command=fake("--mark", marks), reads=["echo", *(["crash"] if reads else [])]))
    result, told = caller.call("fake__crash", {}, approve=not reads)
    assert not result["success"]
    assert ("unknown" in told) == (not reads), told
    _, told = caller.call("fake__echo", {"text": "still here"}, approve=False)
    assert told == "echo: still here"
    assert marks.read_text().count("start") == 2


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_noisy_server_errors_and_questions(serve, era):
    caller = serve(entry("fake", command=fake("--noise", "--era", era), reads=["echo", "fail", "refuse", "ask"]))
    assert caller.call("fake__echo", {"text": "x"}, approve=False)[1] == "echo: x"
    assert caller.call("fake__fail", approve=False)[1] == "no such order"
    assert "-32602" in caller.call("fake__refuse", approve=False)[1]
    result, told = caller.call("fake__ask", approve=False)
    assert not result["success"] and ("elicitation" in told if era == "modern" else "-32601" in told)


def test_ten_megabytes_are_cut_to_the_limit(serve):
    caller = serve(entry("fake", command=fake(), reads=["big", "echo"]), limits={"tool_result_bytes_max": 100_000})
    result, told = caller.call("fake__big", {"bytes": 10_000_000}, approve=False)
    assert result["success"] and 90_000 < len(told) <= 101_000
    assert caller.call("fake__echo", {"text": "after"}, approve=False)[1] == "echo: after"


def test_progress_extends_a_call_and_silence_ends_it(serve, tmp_path):
    marks = tmp_path / "marks"
    caller = serve(entry("fake", command=fake("--mark", marks), reads=["slow"], timeout="700ms"))
    assert caller.call("fake__slow", {"seconds": 2, "progress": True}, approve=False)[1] == "slept"
    result, told = caller.call("fake__slow", {"seconds": 30}, approve=False)
    assert not result["success"] and "too long" in told
    wait_for(lambda: "cancelled" in marks.read_text(), "the server to hear of it")


def test_an_interrupted_run_cancels_its_call(serve, tmp_path):
    marks = tmp_path / "marks"
    caller = serve(entry("fake", command=fake("--mark", marks), reads=["slow"]))
    session, run = caller.begin("fake__slow", {"seconds": 60})
    wait_for(lambda: "call slow" in marks.read_text(), "the call")
    caller.api.interrupt(session, run)
    assert caller.api.read(session, run)[-1].type == "run_interrupted"
    wait_for(lambda: "cancelled" in marks.read_text(), "the server to hear of it")


def test_a_silent_server_does_not_stop_the_others(serve):
    caller = serve(entry("silent", command=fake("--silent")), entry("fake", command=fake(), reads=["echo"]),
                   limits={"mcp_start_timeout": 800})
    assert caller.call("fake__echo", {"text": "x"}, approve=False)[1] == "echo: x"
    assert not any(name.startswith("silent__") for name in caller.tools())
    assert "did not get ready within 800 ms" in caller.server.log()


def test_tools_that_change_are_offered_to_the_next_run(serve):
    caller = serve(entry("fake", command=fake(), reads=["change", "echo"]))
    assert "fake__new2" not in caller.tools()
    caller.call("fake__change", {}, approve=False)
    wait_for(lambda: "fake__new2" in caller.tools(), "the new tool")


@pytest.mark.fault(28)
def test_it_sees_nothing_of_the_servers_environment(serve):
    caller = serve(entry("fake", command=fake(), reads=["environment", "descriptors"]),
                   environment={"OPENAI_API_KEY": "sk-s3cret", "OTHER": "x"})
    _, told = caller.call("fake__environment", approve=False)
    assert set(json.loads(told)) <= {"PATH", "HOME", "LANG", "LC_CTYPE"}
    caller.api.never_shown.clear()  # the tool tells its own folder
    _, told = caller.call("fake__descriptors", approve=False)
    seen = json.loads(told)
    assert {fd for fd, target in seen["fds"].items() if not target.startswith("/proc/")} == {"0", "1", "2"}


def test_the_end_of_the_server_waits_for_nobody(serve, tmp_path):
    marks = tmp_path / "marks"
    caller = serve(entry("one", command=fake("--slow-close", "--mark", marks)),
                   entry("two", command=fake("--mark", marks)))
    pids = [int(line.split()[1]) for line in marks.read_text().splitlines() if line.startswith("start")]
    assert len(pids) == 2
    server = caller.server
    server.signal()
    assert server.wait_exit(timeout=10) == 0
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    server.start()


def test_a_killed_server_leaves_nobody(serve, tmp_path):
    marks = tmp_path / "marks"
    caller = serve(entry("one", command=fake("--slow-close", "--mark", marks)))
    pid = int(marks.read_text().splitlines()[0].split()[1])
    caller.server.kill()

    def dead():
        try:
            return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True
    wait_for(dead, "a program that ignores the end of its stdin to die with the server")
    caller.server.start()
