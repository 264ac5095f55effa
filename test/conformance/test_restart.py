"""What a restart leaves as it was: everything that anybody saw."""
import pytest

from braid_client.frames import joined, of_type, text_of, types
from braid_client.invariants import TERMINAL, check_run

HARD = pytest.mark.parametrize("hard", [False, True], ids=["orderly", "kill -9"])


@HARD
@pytest.mark.clause("COMMON-13", "COMMON-49", "COMMON-16")
def test_every_run_reads_the_same(new_server, hard):
    server = new_server()
    api = server.api
    runs = [api.run("say exactly: " + text) for text in ("plain", "a\u2028b\u0085c", "😀" * 50, "x\r\ny\n\nz")]
    runs += [api.run("a long story about lighthouses"), api.run("hello", agent="fail-truncated"),
             api.run("Write a haiku about rivers to a.md and b.md", agent="auto"), api.run("think about rivers")]
    session, run, approval = api.ask_to_write()
    api.interrupt(session, run)
    api.wait_over(session, run)
    status = {done.run_id: api.look(done.session_id, done.run_id) for done in runs}
    interrupted = joined(api.read(session, run))
    for _ in range(2):
        server.restart(hard=hard)
        api = server.api
        for done in runs:
            assert joined(api.read(done.session_id, done.run_id)) == done.bytes
            assert api.look(done.session_id, done.run_id) == status[done.run_id]
            middle = done.frames[len(done.frames) // 2]
            assert joined(api.read(done.session_id, done.run_id, last=middle.id)) == done.bytes.split(middle.raw)[1]
            assert api.try_stream(done.session_id, done.run_id, last=done.end.id).status == 204
        assert joined(api.read(session, run)) == interrupted


@HARD
@pytest.mark.clause("RUNS-44", "COMMON-49", "RUNS-28")
@pytest.mark.fault(18, 16)
@pytest.mark.parametrize("decide", ["approve", "reject", "interrupt"])
def test_a_waiting_approval_waits_on(new_server, hard, decide):
    server = new_server()
    session, run, approval = server.api.ask_to_write()
    with server.api.stream(session, run) as stream:
        stream.read_type("tool_call_proposed")
        before = joined(stream.frames)
    items = server.api.pending(session)
    server.restart(hard=hard)
    api = server.api
    assert api.look(session, run)["status"] == "waiting_approval"
    assert api.pending(session) == items
    assert api.get(f"/sessions/{session}").json["active_run_id"] == run
    if decide == "interrupt":
        assert api.interrupt(session, run).status == 202
    else:
        assert api.post(f"/sessions/{session}/approvals/{approval}/{decide}").status == 200
    frames = api.read(session, run)
    assert joined(frames).startswith(before)
    expected = {"approve": "run_completed", "reject": "run_completed", "interrupt": "run_interrupted"}[decide]
    assert frames[-1].type == expected
    assert ("haiku.md" in api.files(session)) == (decide == "approve")
    assert types(frames).count("tool_result") == (1 if decide == "approve" else 0)
    assert api.post(f"/sessions/{session}/approvals/{approval}/approve").status == 409


@HARD
@pytest.mark.clause("RUNS-44", "RUNS-34", "COMMON-49")
def test_one_of_two_decided_before_the_restart(new_server, hard):
    server = new_server()
    session = server.api.session()
    run = server.api.start(session, "Write a haiku about rivers to a.md and b.md")
    first, second = server.api.wait_pending(session, 2)
    assert server.api.approve(session, first["approval_id"]).status == 200
    server.restart(hard=hard)
    assert [item["approval_id"] for item in server.api.pending(session)] == [second["approval_id"]]
    assert server.api.approve(session, first["approval_id"]).status == 409
    assert server.api.approve(session, second["approval_id"]).status == 200
    frames = server.api.read(session, run)
    assert types(frames).count("tool_call_approved") == 2
    assert len({frame.payload["tool_call_id"] for frame in of_type(frames, "tool_result")}) == 2


@pytest.mark.clause("RUNS-42", "COMMON-49")
@pytest.mark.fault(18)
def test_an_approval_that_ran_out_while_the_server_was_down(new_server):
    server = new_server(limits={"approval_timeout": 1500})
    session, run, approval = server.api.ask_to_write()
    server.kill()
    server.start()
    frames = server.api.read(session, run)
    assert of_type(frames, "tool_call_rejected")[0].payload["reason"] == "timeout"


@HARD
@pytest.mark.clause("RUNS-38", "RUNS-39", "COMMON-49")
def test_settings_are_kept(new_server, hard):
    server = new_server()
    session, run, approval = server.api.ask_to_write("one.md")
    server.api.approve(session, approval, json={"apply_to_future": True})
    server.api.wait_over(session, run)
    everything = server.api.session()
    server.api.post(f"/sessions/{everything}/settings/auto-approve", json={"enabled": True})
    server.restart(hard=hard)
    for kept in (session, everything):
        assert "tool_call_proposed" not in types(server.api.run("Write a haiku about rivers to x.md", session_id=kept).frames)


@HARD
@pytest.mark.clause("COMMON-49", "COMMON-11", "COMMON-13")
@pytest.mark.fault(12)
def test_a_run_in_mid_sentence_goes_on(new_server, hard):
    server = new_server(limits={"drain_grace": 500})
    session = server.api.session(agent="slow")
    run = server.api.start(session, "a long story about lighthouses")
    with server.api.stream(session, run) as stream:
        stream.read_type("assistant_delta", 20)
        server.kill() if hard else server.stop()
        stream.read_to_end()
        assert stream.end == "unclean", "a cut stream must not look complete"
        seen = joined(stream.frames)
    server.start()
    with server.api.stream(session, run, stream.last_id) as rest:
        rest.read_to_end(60)
        assert rest.end == "clean"
    whole = server.api.read(session, run)
    check_run(whole, session, run)
    assert seen + joined(rest.frames) == joined(whole), "no frame lost, none twice"
    assert whole[-1].type in TERMINAL
    assert whole[-1].type == "run_completed", "a run that a restart cut is recovered"
    assert whole[-1].payload["final_text"] == text_of(whole)
    assert len(text_of(whole).split()) >= 400


@pytest.mark.clause("COMMON-49", "RUNS-45")
def test_an_acknowledged_interrupt_outlives_a_crash(new_server):
    server = new_server()
    session = server.api.session(agent="slow")
    run = server.api.start(session, "a long story about lighthouses")
    assert server.api.interrupt(session, run).status == 202
    server.restart(hard=True)
    assert server.api.read(session, run)[-1].type == "run_interrupted"


@pytest.mark.clause("COMMON-49", "RUNS-8")
def test_an_accepted_message_outlives_a_crash(new_server):
    server = new_server()
    session = server.api.session()
    for index in range(5):
        run = server.api.start(session, f"say exactly: number {index}")
        server.restart(hard=True)
        frames = server.api.read(session, run)
        assert frames[-1].type in TERMINAL


LONE = "name: lone\nmodel: {provider: offline, pace: 0ms}\ninstructions: Write.\ntools: [%s]\n"


@pytest.mark.clause("COMMON-49")
def test_a_run_whose_agent_is_gone_is_ended(new_server):
    server = new_server(agents={"lone": LONE % "file_write"})
    session, run, approval = server.api.ask_to_write(agent="lone")
    other, waiting, other_approval = server.api.ask_to_write()
    server.stop()
    server.remove_agent("lone")
    server.start()
    frames = server.api.read(session, run)
    assert frames[-1].type == "run_failed"
    assert of_type(frames, "tool_call_rejected")
    assert server.api.approve(session, approval).status == 409
    assert server.api.approve(other, other_approval).status == 200
    assert server.api.read(other, waiting)[-1].type == "run_completed"


@pytest.mark.clause("COMMON-49")
def test_a_tool_that_was_taken_away_while_the_run_waited(new_server):
    server = new_server(agents={"lone": LONE % "file_write"})
    session, run, approval = server.api.ask_to_write(agent="lone")
    server.stop()
    server.write_agent("lone", LONE % "file_read")
    server.start()
    assert server.api.approve(session, approval).status == 200
    frames = server.api.read(session, run)
    assert frames[-1].type == "run_completed"
    assert [frame.payload["success"] for frame in of_type(frames, "tool_result")] == [False]
