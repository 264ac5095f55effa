"""The steps contract beside its stream: interrupt, tokens, steps, and runs of other contracts."""
import pytest

from braid_client.api import at_once
from braid_client.chat import Chat
from braid_client.conversation import told_by
from braid_client.steps import Steps, expect_text, walk_of
from braid_client.waiting import wait_for

NO_RUN = "No active run found for this session"
LONG = "a long story about lighthouses"


@pytest.fixture
def steps(alice):
    return Steps(alice.api)


def raw_steps(steps, session) -> bytes:
    return steps.api.call("GET", f"/sessions/{session}/steps").body


# ---- interrupt ----

@pytest.mark.clause("STEPS-32", "STEPS-21", "STEPS-33")
@pytest.mark.fault(17)
def test_interrupt(steps):
    session = steps.session("very-slow")
    with steps.stream(session, LONG) as stream:
        stream.read_frames(1)
        reply = steps.interrupt(session)
        assert reply.status == 200 and reply.body == b'{"success":true,"message":"Agent interrupted"}'
        walk = walk_of(stream.read_to_end().frames)
        assert stream.end == "clean"
    assert walk.types[-2:] == ["error", "done"] and walk.error == "Run interrupted"
    assert steps.runs(session)[0]["status"] == "interrupted"
    expect_text(steps.interrupt(session), 404, NO_RUN)
    assert steps.walk(steps.link(session, "say exactly: on")).output == "on", "the session is free"


@pytest.mark.clause("STEPS-33")
def test_nothing_to_interrupt(steps):
    session = steps.session("plain")
    expect_text(steps.interrupt(session), 404, NO_RUN)
    steps.ask("say exactly: hi", session)
    expect_text(steps.interrupt(session), 404, NO_RUN)
    expect_text(steps.interrupt("invalid-id"), 404, "Session not found")


@pytest.mark.clause("STEPS-32", "STEPS-33")
@pytest.mark.fault(17)
def test_many_interrupts_at_once(steps):
    session = steps.session("very-slow")
    with steps.stream(session, LONG) as stream:
        stream.read_frames(1)
        replies = at_once(8, lambda i: steps.interrupt(session))
        walk = walk_of(stream.read_to_end().frames)
    assert walk.types.count("error") == walk.types.count("done") == 1
    assert any(reply.status == 200 for reply in replies)
    for reply in replies:
        assert reply.status == 200 or expect_text(reply, 404, NO_RUN)


@pytest.mark.clause("STEPS-32")
@pytest.mark.parametrize("body", [b"", b"{}", b"whatever"])
def test_the_body_of_an_interrupt_does_not_matter(steps, body):
    session = steps.session("very-slow")
    with steps.stream(session, LONG) as stream:
        stream.read_frames(1)
        assert steps.interrupt(session, body=body, headers=[("Content-Type", "application/json")]).status == 200
        stream.read_to_end()


@pytest.mark.clause("STEPS-32")
def test_runs_of_other_contracts_are_interrupted_too(steps, talk):
    session = steps.api.session(agent="very-slow")
    run = steps.api.start(session, LONG)
    assert steps.interrupt(session).status == 200
    assert steps.api.wait_over(session, run)["status"] == "interrupted"
    conversation = talk.with_agent("very-slow")
    with talk.stream(LONG, conversation_id=conversation) as stream:
        stream.read_frames(1)
        assert steps.interrupt(conversation).status == 200
        assert told_by(stream.read_to_end().frames).end == {"type": "error", "message": "Run interrupted"}
    chat = Chat(steps.api, "very-slow")
    with chat.post(LONG) as stream:
        session = stream.read_frames(1)[0].data["session_id"]
        assert steps.interrupt(session).status == 200
        assert chat.read(stream).end.data["status"] == 499


@pytest.mark.clause("STEPS-32")
@pytest.mark.fault(17, 30)
def test_an_interrupt_outlives_a_crash(new_server):
    server = new_server()
    steps = Steps(server.api)
    session = steps.session("very-slow")
    with steps.stream(session, LONG) as stream:
        stream.read_frames(1)
        assert steps.interrupt(session).status == 200
        server.kill()
    server.start()
    steps = Steps(server.api)
    [run] = steps.runs(session)
    wait_for(lambda: steps.runs(session)[0]["status"] == "interrupted", "the run to be interrupted")
    assert walk_of(steps.replay(run["run_id"])).error == "Run interrupted"


@pytest.mark.clause("STEPS-32", "STEPS-4")
@pytest.mark.fault(23)
def test_nobody_interrupts_the_runs_of_others(town, steps):
    session = steps.session("very-slow")
    with steps.stream(session, LONG) as stream:
        stream.read_frames(1)
        for person in (town.bob, town.ada):
            expect_text(Steps(person.api).interrupt(session), 404, "Session not found")
        assert steps.runs(session)[0]["status"] == "running"
        steps.interrupt(session)
        stream.read_to_end()


# ---- tokens ----

@pytest.mark.clause("STEPS-34")
def test_tokens_are_summed(steps):
    session = steps.session("auto")
    assert steps.tokens(session) == {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    walk = steps.ask("Write a haiku about rivers to a.md", session)
    first = steps.tokens(session)
    assert first["total_tokens"] == first["input_tokens"] + first["output_tokens"] > 0
    shown = sum(step["token_usage"]["total_tokens"] for step in walk.steps)
    assert first["total_tokens"] > shown, "the last turn counts as well"
    run = next(run for run in steps.runs(session) if run["run_id"] == walk.run)
    assert run["usage"] == first
    steps.api.run("say exactly: hi", session_id=steps.api.get(f"/sessions/{session}").json["session_id"])
    total = steps.tokens(session)
    assert total["total_tokens"] > first["total_tokens"], "every run counts, whatever contract began it"
    usage = [run["usage"] for run in steps.runs(session)]
    assert total == {name: sum(used[name] for used in usage) for name in total}


@pytest.mark.clause("STEPS-34")
def test_tokens_that_nobody_reported(api):
    steps = Steps(api)
    session = steps.session("fail-no-usage")
    walk = steps.ask("hello", session)
    assert all("token_usage" not in step for step in walk.steps)
    assert steps.tokens(session) == {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}


@pytest.mark.clause("STEPS-34", "STEPS-35", "STEPS-4")
@pytest.mark.fault(23)
def test_who_may_look(town, steps):
    session = steps.session("auto")
    steps.ask("Write a haiku about rivers to a.md", session)
    for path in ("tokens", "steps"):
        own = steps.api.call("GET", f"/sessions/{session}/{path}")
        assert town.ada.api.call("GET", f"/sessions/{session}/{path}").body == own.body, "an admin may read"
        expect_text(town.bob.api.call("GET", f"/sessions/{session}/{path}"), 404, "Session not found")
        expect_text(town.nobody.call("GET", f"/sessions/{session}/{path}"), 401)
        head = steps.api.call("HEAD", f"/sessions/{session}/{path}")
        assert head.status == 200 and head.body == b""


# ---- steps ----

@pytest.mark.clause("STEPS-35")
def test_steps_are_listed_as_they_were_sent(steps):
    session = steps.session("auto")
    assert raw_steps(steps, session) == b'{"steps":[]}'
    walks = [steps.ask("Write a haiku about rivers to a.md", session), steps.ask("list files", session),
             steps.ask("say exactly: hi", session)]
    frames = [frame for walk in walks for frame in walk.frames if frame.type == "step"]
    sent = [frame.raw.split(b"data: ", 1)[1].rstrip(b"\n") for frame in frames]
    assert len(sent) >= 4
    assert raw_steps(steps, session) == b'{"steps":[' + b",".join(sent) + b"]}", "byte for byte"
    numbers = [step["step_number"] for step in steps.steps(session)]
    assert numbers == [number for walk in walks for number in range(1, len(walk.steps) + 1)]


@pytest.mark.clause("STEPS-35")
def test_steps_of_a_live_run(steps):
    session = steps.session("asks")
    with steps.stream(session, "Write a haiku about rivers to a.md") as stream:
        plan = stream.read_type("step").data
        approval = steps.api.wait_pending(session)[0]["approval_id"]
        assert steps.steps(session) == [plan]
        assert steps.api.approve(session, approval).status == 200
        walk = walk_of(stream.read_to_end().frames)
    assert steps.steps(session) == walk.steps


@pytest.mark.clause("STEPS-35", "COMMON-49")
@pytest.mark.fault(30)
def test_steps_and_tokens_outlive_a_kill(new_server):
    server = new_server()
    steps = Steps(server.api)
    session = steps.session("auto")
    walk = steps.ask("Write a haiku about rivers to a.md", session)
    before, tokens = raw_steps(steps, session), steps.tokens(session)
    server.restart(hard=True)
    steps = Steps(server.api)
    assert raw_steps(steps, session) == before and steps.tokens(session) == tokens
    assert walk_of(steps.replay(walk.run)).bytes == walk.bytes


# ---- runs of other contracts ----

@pytest.mark.clause("STEPS-38", "STEPS-35")
def test_a_chat_turn_read_in_steps(steps):
    chat = Chat(steps.api, "support")
    done = chat.ask("Is my tent still under warranty?")
    walk = walk_of(steps.replay(done.run_id))
    assert walk.types == ["message", "action", "final", "done"], "turns with calls are actions, there is no plan"
    assert walk.message["content"] == "Is my tent still under warranty?"
    [action] = walk.actions
    assert action["code_action"] is None and "warranty.md" in action["observations"]
    assert done.text.endswith(walk.output)
    assert steps.steps(done.session_id) == walk.steps


@pytest.mark.clause("STEPS-38")
@pytest.mark.parametrize("agent", ["fail-provider-error", "fail-truncated", "fail-rate-limit"])
def test_bad_endings_of_other_contracts(api, agent):
    done = api.run("hello", agent=agent)
    walk = walk_of(Steps(api).replay(done.run_id))
    assert done.end.type == "run_failed" and walk.error == done.end.payload["message"]


@pytest.mark.clause("STEPS-38", "COMMON-57")
def test_a_run_of_steps_in_every_contract(steps):
    session = steps.session("auto")
    walk = steps.ask("Write a haiku about rivers to a.md", session)
    for contract in ("runs", "chat", "conversation"):
        frames = steps.replay(walk.run, contract)
        assert walk.plans[0]["plan"] not in "".join(str(frame.data) for frame in frames), "a plan is shown in steps alone"
    runs = steps.replay(walk.run, "runs")
    assert runs[-1].payload["final_text"] == walk.output
