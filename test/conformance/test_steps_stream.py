"""The steps contract: what a run shows, with a model that says what the test wants. Code is in test_steps_code.py."""
import threading

import pytest

from braid_client.api import expect_error
from braid_client.frames import of_type, types
from braid_client.steps import Steps, walk_of
from braid_client.upstream import Call, Cut, End, Hold, Refuse, Say, Upstream
from braid_client.waiting import wait_for

ODD = 'a\u0085b\u2028c\u2029 "d" \\ 😀\r\n\r\ndata: {"type":"done"}\n\n\u0001\u007f end'
USAGE = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
TOOLS = ("calculator", "file_write", "file_read")


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def working(upstream, new_server):
    """working(interval=…, max_steps=…, approval=…, limits=…): Steps at a server whose agent has the test's model."""
    def make(interval=3, max_steps=12, approval="{default: auto}", tools=TOOLS, **options):
        text = upstream.agent("worker", tools=tools, approval=approval)
        text += f"planning: {{interval: {interval}}}\nmax_steps: {max_steps}\n"
        server = new_server(agents={"worker": text}, environment={"UPSTREAM_KEY": "sk-test-key"}, **options)
        steps = Steps(server.api)
        steps.server = server
        return steps
    return make


def add(expression, **options):
    return Call("calculator", {"expression": expression}, **options)


def usage(prompt, completion):
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def said_to(request):
    """All text that the model was given."""
    return "\n".join(str(message.get("content")) for message in request.messages)


# ---- a run ----

@pytest.mark.clause("STEPS-8", "STEPS-10", "STEPS-11", "STEPS-12", "STEPS-14", "STEPS-16", "STEPS-17")
def test_a_plan_an_action_and_the_answer(upstream, working):
    steps = working()
    upstream.script(Say("First I add, then I answer."), End(usage=usage(100, 20)))
    upstream.script(Say("Let me add."), add("40+2"), End("tool_calls", usage=usage(150, 50)))
    upstream.script(Say("It is 42."), End())
    walk = steps.ask("What is 40+2?", agent="worker")
    assert walk.types == ["message", "planning", "action", "final", "done"]
    plan, action = walk.steps
    assert plan == {"type": "step", "step_type": "planning", "step_number": 1, "plan": "First I add, then I answer.",
                    "token_usage": {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}}
    assert action == {"type": "step", "step_type": "action", "step_number": 2, "model_output": "Let me add.",
                      "code_action": None, "observations": action["observations"], "error": None,
                      "token_usage": {"input_tokens": 150, "output_tokens": 50, "total_tokens": 200}}
    assert "42" in action["observations"] and "calculator" in action["observations"]
    assert walk.of("final") == [{"type": "final", "step_number": 3, "output": "It is 42."}]
    assert not upstream.requests[0].body.get("tools"), "a plan is made without tools"
    offered = [tool["function"]["name"] for tool in upstream.requests[1].body["tools"]]
    assert "calculator" in offered and "final_answer" in offered
    assert "42" in said_to(upstream.requests[2])


@pytest.mark.clause("STEPS-11")
def test_the_text_of_a_plan_is_nowhere_else(upstream, working):
    steps = working()
    upstream.script(Say("A plan of my own."), End())
    upstream.script(Say("The answer."), End())
    walk = steps.ask("Go", agent="worker")
    assert walk.plans[0]["plan"] == "A plan of my own." and walk.output == "The answer."
    text = "".join(frame.payload["text"] for frame in of_type(steps.replay(walk.run, "runs"), "assistant_delta"))
    assert text == "The answer."
    assert "plan of my own" in said_to(upstream.requests[1]), "the model is reminded of it"


@pytest.mark.clause("STEPS-9", "COMMON-5")
def test_the_message_does_not_wait_for_the_model(upstream, working):
    steps, hold = working(), Hold()
    upstream.always(hold, Say("Well."), End())
    with steps.stream(steps.session("worker"), "Go") as stream:
        [message] = stream.read_frames(1)
        assert message.data["content"] == "Go" and message.data["role"] == "user"
        hold.release.set()
        assert walk_of(stream.read_to_end().frames).output == "Well."


@pytest.mark.clause("STEPS-10", "STEPS-11")
@pytest.mark.parametrize("interval, expected", [
    (0, ["action", "action", "action", "action"]),
    (1, ["planning", "action", "planning", "action", "planning", "action", "planning", "action", "planning"]),
    (2, ["planning", "action", "action", "planning", "action", "action", "planning"]),
    (3, ["planning", "action", "action", "action", "planning", "action"])])
def test_plans_after_every_so_many_actions(upstream, working, interval, expected):
    steps = working(interval=interval)
    for kind in expected:
        upstream.script(*((Say("A plan."), End()) if kind == "planning" else (add("1+1"), End("tool_calls"))))
    upstream.script(Say("Done."), End())
    walk = steps.ask("Go", agent="worker")
    assert walk.types == ["message", *expected, "final", "done"]
    assert [step["step_number"] for step in walk.steps] == list(range(1, len(expected) + 1))
    again = steps.ask("Go on", agent="worker")
    assert again.frames[1].data["step_number"] == 1, "each run counts anew"


@pytest.mark.clause("STEPS-14")
def test_the_results_of_several_calls(upstream, working):
    steps = working(interval=0)
    upstream.script(Say("Both."), add("1+2"), add("10*10", index=1), End("tool_calls"))
    upstream.script(Say("Done."), End())
    [action] = steps.ask("Go", agent="worker").actions
    assert action["model_output"] == "Both." and action["code_action"] is None
    assert action["observations"].index("3") < action["observations"].index("100")


@pytest.mark.clause("STEPS-12")
def test_a_turn_without_words_is_an_action_too(upstream, working):
    steps = working(interval=0)
    upstream.script(add("1+2"), End("tool_calls"))
    upstream.script(Say("Done."), End())
    [action] = steps.ask("Go", agent="worker").actions
    assert action["model_output"] == ""


# ---- what goes wrong in a step ----

@pytest.mark.clause("STEPS-15", "STEPS-14")
@pytest.mark.fault(40)
@pytest.mark.parametrize("call", [add("2+"), Call("no_such_tool", {"a": 1}), Call("calculator", {"wrong": 1}),
                                  Call("file_read", {"path": "nothing-there.md"})],
                         ids=["fails", "unknown", "wrong arguments", "not found"])
def test_what_a_tool_says_is_told_to_the_model_and_the_run_goes_on(upstream, working, call):
    steps = working(interval=0)
    upstream.script(call, End("tool_calls"))
    upstream.script(Say("I see."), End())
    walk = steps.ask("Go", agent="worker")
    assert walk.types == ["message", "action", "final", "done"] and walk.output == "I see."
    [action] = walk.actions
    assert action["observations"] and action["observations"].startswith(call.name)
    told = action["observations"].removeprefix(call.name + ": ")
    assert told in said_to(upstream.requests[1]), "the model reads the same"


# ---- usage ----

@pytest.mark.clause("STEPS-16")
@pytest.mark.fault(41)
def test_usage_that_is_not_reported_is_absent(upstream, working):
    steps = working()
    upstream.script(Say("A plan."), End(usage=None))
    upstream.script(add("1+1"), End("tool_calls"))
    upstream.script(add("1+1"), End("tool_calls", usage=None))
    upstream.script(Say("Done."), End(usage=None))
    session = steps.session("worker")
    walk = steps.ask("Go", session)
    assert ["token_usage" in step for step in walk.steps] == [False, True, False]
    assert walk.steps[1]["token_usage"] == USAGE
    assert all("token_usage" not in frame.data for frame in walk.frames if frame.type != "step")
    assert steps.tokens(session) == USAGE


# ---- the answer ----

@pytest.mark.clause("STEPS-17", "STEPS-18")
@pytest.mark.parametrize("answer", [42, "forty-two", 1.5, True, None, [], {}, {"a": [1, None, {"b": "c\u2028"}]}, ODD])
def test_the_answer_is_the_value_that_was_given(upstream, working, answer):
    steps = working(interval=0)
    upstream.script(Say("I have it."), Call("final_answer", {"answer": answer}), End("tool_calls"))
    session = steps.session("worker")
    walk = steps.ask("Go", session)
    assert walk.types == ["message", "final", "done"], "a turn that only answers is no action"
    assert walk.output == answer and type(walk.output) is type(answer)
    end = steps.replay(walk.run, "runs")[-1]
    assert end.type == "run_completed" and isinstance(end.payload["final_text"], str)
    if isinstance(answer, str):
        assert end.payload["final_text"] == answer


@pytest.mark.clause("STEPS-18")
def test_the_engines_own_tools_are_never_shown(upstream, working):
    steps = working(interval=0)
    upstream.script(add("1+1"), Call("final_answer", {"answer": {"sum": 2}}, index=1), End("tool_calls"))
    walk = steps.ask("Go", agent="worker")
    assert walk.types == ["message", "action", "final", "done"] and walk.output == {"sum": 2}
    assert "final_answer" not in walk.actions[0]["observations"]
    for contract in ("runs", "chat", "conversation"):
        shown = b"".join(frame.raw for frame in steps.replay(walk.run, contract))
        assert b"final_answer" not in shown, contract
        assert b"calculator" in shown, contract


@pytest.mark.clause("STEPS-19")
@pytest.mark.parametrize("interval", [0, 1])
def test_at_max_steps_one_last_turn_answers(upstream, working, interval):
    steps = working(interval=interval, max_steps=2)
    plan = [(Say("A plan."), End())] if interval else []
    turns = [*plan, (add("1+1"), End("tool_calls")), *plan, (add("1+1"), End("tool_calls"))]
    for turn in turns:
        upstream.script(*turn)
    upstream.always(Say("As far as I came: 2."), End())
    walk = steps.ask("Go", agent="worker")
    assert [kind for kind in walk.types if kind != "planning"] == ["message", "action", "action", "final", "done"]
    assert walk.output == "As far as I came: 2."
    assert not upstream.requests[-1].body.get("tools"), "the last turn has no tools"


# ---- bad endings ----

@pytest.mark.clause("STEPS-20", "STEPS-8")
@pytest.mark.fault(36, 37)
@pytest.mark.parametrize("bad", [(Refuse(400),), (Refuse(401),), (Say("Half"), Cut()), (Say("Half"), Cut(reset=True))],
                         ids=["400", "401", "cut", "reset"])
def test_a_run_that_fails(upstream, working, bad):
    steps = working()
    upstream.script(Say("A plan."), End())
    upstream.script(add("1+1"), End("tool_calls"))
    upstream.always(*bad)
    session = steps.session("worker")
    walk = steps.ask("Go", session)
    assert walk.types == ["message", "planning", "action", "error", "done"]
    assert walk.error and "RAW-UPSTREAM-BODY" not in walk.error
    assert steps.runs(session)[0]["status"] == "failed"
    upstream.always(Say("Again."), End())
    assert steps.ask("Once more", session).output == "Again."


@pytest.mark.clause("STEPS-20")
@pytest.mark.fault(36)
def test_a_plan_that_fails(upstream, working):
    steps = working()
    upstream.always(Refuse(400))
    walk = steps.ask("Go", agent="worker")
    assert walk.types == ["message", "error", "done"]


@pytest.mark.clause("STEPS-21", "STEPS-32")
def test_an_interrupt(upstream, working):
    steps = working()
    upstream.script(Say("A plan."), End())
    upstream.always(Say("One", pace=0.05), Hold())
    session = steps.session("worker")
    with steps.stream(session, "Go") as stream:
        stream.read_type("step")
        wait_for(lambda: len(upstream.requests) == 2, "the second turn")
        assert steps.interrupt(session).json == {"success": True, "message": "Agent interrupted"}
        walk = walk_of(stream.read_to_end().frames)
        assert stream.end == "clean"
    assert walk.types == ["message", "planning", "error", "done"] and walk.error == "Run interrupted"
    assert upstream.requests[-1].closed.wait(5), "the model is let go"


@pytest.mark.clause("STEPS-21", "COMMON-64")
def test_a_session_that_is_deleted(upstream, working):
    steps = working()
    upstream.always(Hold())
    session = steps.session("worker")
    with steps.stream(session, "Go") as stream:
        stream.read_frames(1)
        assert steps.api.call("DELETE", f"/sessions/{session}").status == 204
        walk = walk_of(stream.read_to_end().frames)
    assert walk.types == ["message", "error", "done"] and walk.error == "Run interrupted"


# ---- texts ----

@pytest.mark.clause("STEPS-22", "COMMON-7", "COMMON-8")
@pytest.mark.fault(10)
def test_odd_text_everywhere(upstream, working):
    steps = working()
    upstream.script(Say(ODD), End())
    upstream.script(Say(ODD), Call("file_write", {"path": "a.md", "content": ODD}), End("tool_calls"))
    upstream.script(Call("file_read", {"path": "a.md"}), End("tool_calls"))
    upstream.script(Say(ODD), End())
    walk = steps.ask(ODD, agent="worker")
    plan, wrote, read = walk.steps
    assert walk.message["content"] == plan["plan"] == wrote["model_output"] == walk.output == ODD
    assert ODD in read["observations"]


@pytest.mark.clause("STEPS-22")
def test_long_texts_are_cut_with_a_mark(upstream, working):
    steps = working(limits={"wire_text_bytes_max": 100})
    long, cut = "é" * 80, "é" * 50 + "… [cut: 60 bytes]"
    upstream.script(Say(long), End())
    upstream.script(Say(long), Call("file_write", {"path": "a.md", "content": long * 3}), End("tool_calls"))
    upstream.script(Call("file_read", {"path": "a.md"}), End("tool_calls"))
    upstream.script(Say(long), End())
    session = steps.session("worker")
    walk = steps.ask(long, session)
    plan, wrote, read = walk.steps
    assert walk.message["content"] == plan["plan"] == wrote["model_output"] == walk.output == cut
    assert read["observations"].endswith(" bytes]")
    assert steps.steps(session) == walk.steps, "cut in the same way"
    assert steps.messages(session)[-1][1].endswith(long), "what is kept is whole"


@pytest.mark.clause("STEPS-22")
def test_a_value_that_is_too_long_is_its_text_cut(upstream, working):
    steps = working(interval=0, limits={"wire_text_bytes_max": 20})
    for answer, shown in (([1, 2, 3], [1, 2, 3]), (list(range(100)), "[0,1,2,3,4,5,6,7,8,9… [cut: 271 bytes]")):
        upstream.script(Call("final_answer", {"answer": answer}), End("tool_calls"))
        assert steps.ask("Go", agent="worker").output == shown


@pytest.mark.clause("STEPS-22")
def test_sixty_four_kibibytes(upstream, working):
    steps = working(interval=0)
    upstream.script(Say("x" * (64 * 1024)), End())
    upstream.script(Say("x" * (64 * 1024 + 1)), End())
    assert steps.ask("Go", agent="worker").output == "x" * (64 * 1024)
    assert steps.ask("Go", agent="worker").output == "x" * (64 * 1024) + "… [cut: 1 bytes]"


# ---- approval ----

@pytest.mark.clause("STEPS-23", "COMMON-65", "COMMON-10")
@pytest.mark.fault(18)
def test_a_tool_that_writes_waits_for_its_approval(upstream, working):
    steps = working(approval="{default: ask}", limits={"keepalive_interval": 200})
    write = Call("file_write", {"path": "a.md", "content": "hello"})
    for verdict in ("approve", "reject"):
        upstream.script(Say("A plan."), End())
        upstream.script(write, End("tool_calls"))
        upstream.script(Say("Well."), End())
        session = steps.session("worker")
        with steps.stream(session, "Write it") as stream:
            stream.read_type("step")
            [pending] = steps.api.wait_pending(session)
            assert pending["tool_name"] == "file_write" and pending["args"] == write.arguments
            stream.read_until(lambda s: s.reader.keepalives >= 2, "keepalives")
            assert types(stream.frames) == ["message", "step"], "nothing is shown of the question"
            assert getattr(steps.api, verdict)(session, pending["approval_id"]).status == 200
            walk = walk_of(stream.read_to_end().frames)
        assert walk.types == ["message", "planning", "action", "final", "done"]
        [action] = walk.actions
        refused = "rejected" in action["observations"]
        assert refused == (verdict == "reject"), action
        assert steps.api.files(session) == ({} if refused else {"a.md": 5})
        expect_error(steps.api.approve(session, pending["approval_id"]), 409, "INVALID_STATE")


@pytest.mark.clause("STEPS-23")
def test_a_tool_that_is_denied(upstream, working):
    steps = working(interval=0, approval="{default: deny}")
    upstream.script(Call("file_write", {"path": "a.md", "content": "hello"}), End("tool_calls"))
    upstream.script(Say("Well."), End())
    session = steps.session("worker")
    walk = steps.ask("Write it", session)
    assert walk.types == ["message", "action", "final", "done"]
    assert "refused" in walk.actions[0]["observations"] and steps.api.files(session) == {}


# ---- silence ----

@pytest.mark.clause("STEPS-23", "COMMON-10")
def test_keepalives_while_the_model_thinks(upstream, working):
    steps, release = working(limits={"keepalive_interval": 100}), threading.Event()
    upstream.always(Hold(release), Say("Well."), End())
    with steps.stream(steps.session("worker"), "Go") as stream:
        stream.read_until(lambda s: s.reader.keepalives >= 3, "keepalives")
        release.set()
        assert walk_of(stream.read_to_end().frames).output == "Well."


# ---- what the session knows ----

@pytest.mark.clause("STEPS-6")
def test_the_next_questions_model_reads_what_was_said(upstream, working):
    steps = working()
    upstream.always(Say("Answer one."), End())
    session = steps.session("worker")
    steps.ask("Question one?", session)
    upstream.always(Say("Answer two."), End())
    steps.ask("Question two?", session)
    asked = said_to(upstream.requests[-1])
    assert "Question one?" in asked and "Answer one." in asked and "Question two?" in asked


@pytest.mark.clause("STEPS-38")
def test_runs_of_other_contracts_have_no_plans(upstream, working):
    steps = working()
    upstream.script(Say("Let me add."), add("40+2"), End("tool_calls"))
    upstream.script(Say("It is 42."), End())
    done = steps.api.run("What is 40+2?", agent="worker")
    walk = walk_of(steps.replay(done.run_id))
    assert walk.types == ["message", "action", "final", "done"]
    assert walk.message["content"] == "What is 40+2?" and walk.output == "It is 42."
    assert walk.actions[0]["model_output"] == "Let me add." and "42" in walk.actions[0]["observations"]
