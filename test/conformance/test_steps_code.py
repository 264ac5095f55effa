"""The steps contract with code: Python that really runs, and what a step shows of it."""
import pytest

from braid_client.frames import joined
from braid_client.steps import Steps, walk_of
from braid_client.upstream import End, Hold, Say, Upstream
from braid_client.waiting import wait_for


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def coding(upstream, new_server):
    """coding(…): Steps at a server with an agent that writes the code which the test scripts."""
    def make(interval=0, approval="{default: auto}", tools=("calculator", "file_write"), **options):
        text = upstream.agent("coder", tools=tools, approval=approval)
        text += f"style: code\nplanning: {{interval: {interval}}}\n"
        server = new_server(agents={"coder": text}, environment={"UPSTREAM_KEY": "sk-test-key"}, **options)
        steps = Steps(server.api)
        steps.server = server
        return steps
    return make


def block(code, before="", after=""):
    return before + f"\n```python\n{code}\n```\n" + after


def code(upstream, *texts):
    """Each of these is what the model says in one turn."""
    for text in texts:
        upstream.script(Say(text), End())


# ---- the analyst ----

@pytest.mark.clause("STEPS-6", "STEPS-8", "STEPS-13", "STEPS-17")
def test_the_analyst_computes(api):
    steps = Steps(api)
    session = steps.session()
    walk = steps.ask("What is 6 * 7?", session)
    assert walk.types[:3] == ["message", "planning", "action"] and walk.types[-2:] == ["final", "done"]
    assert walk.plans[0]["plan"]
    assert "6" in walk.actions[0]["code_action"] and "7" in walk.actions[0]["code_action"]
    assert any("42" in action["observations"] for action in walk.actions), walk.actions
    assert all(action["error"] is None for action in walk.actions)
    assert "42" in str(walk.output)
    assert all("token_usage" in step for step in walk.steps), "the offline model counts what it says"
    assert steps.messages(session) == [("user", "What is 6 * 7?"), ("assistant", str(walk.output))]


# ---- what a step shows ----

@pytest.mark.clause("STEPS-12", "STEPS-13")
def test_what_code_prints_and_its_value(upstream, coding):
    steps = coding()
    code(upstream, block("x = 6 * 7\nprint('seen')\nx", "I multiply.", "Then I look."), "It is 42.")
    walk = steps.ask("Go", agent="coder")
    assert walk.types == ["message", "action", "final", "done"] and walk.output == "It is 42."
    [action] = walk.actions
    assert action["code_action"].strip() == "x = 6 * 7\nprint('seen')\nx"
    assert "I multiply." in action["model_output"] and "Then I look." in action["model_output"]
    assert "print(" not in action["model_output"]
    assert action["observations"].split() == ["seen", "42"] and action["error"] is None


@pytest.mark.clause("STEPS-13")
def test_variables_stay_from_step_to_step(upstream, coding):
    steps = coding()
    code(upstream, block("import math\nvalues = [1, 2, 3]\ndef twice(x):\n    return 2 * x"),
         block("print(sum(twice(v) for v in values), math.floor(2.5))"), "Done.")
    first, second = steps.ask("Go", agent="coder").actions
    assert first["observations"].strip() == "" and second["observations"].strip() == "12 2"


@pytest.mark.clause("STEPS-13")
def test_every_run_begins_with_nothing(upstream, coding):
    steps = coding()
    session = steps.session("coder")
    code(upstream, block("secret = 7"), "Done.", block("print(secret)"), "Done.")
    steps.ask("Go", session)
    [action] = steps.ask("Go on", session).actions
    assert "NameError" in action["error"]


@pytest.mark.clause("STEPS-17")
@pytest.mark.parametrize("expression, answer", [
    ("42", 42), ("'forty-two'", "forty-two"), ("[1, None, {'a': 2.5}]", [1, None, {"a": 2.5}]), ("None", None), ("True", True)])
def test_the_answer_is_a_value_of_the_code(upstream, coding, expression, answer):
    steps = coding()
    code(upstream, block(f"x = {expression}"), block("final_answer(x)\nprint('never')"))
    walk = steps.ask("Go", agent="coder")
    assert walk.output == answer and type(walk.output) is type(answer)
    assert "never" not in walk.actions[-1]["observations"], "final_answer ends the run"


@pytest.mark.clause("STEPS-12")
def test_an_answer_without_code_is_final(upstream, coding):
    steps = coding()
    code(upstream, "There is nothing to run: ```text\nx\n```")
    walk = steps.ask("Go", agent="coder")
    assert walk.types == ["message", "final", "done"] and walk.output.startswith("There is nothing to run")


@pytest.mark.clause("STEPS-15")
@pytest.mark.parametrize("bad, word", [
    ("1 / 0", "ZeroDivisionError"), ("undefined_name", "NameError"), ("x =", "SyntaxError"),
    ("raise ValueError('no\\u2028way')", "ValueError")])
def test_an_error_is_told_and_the_run_goes_on(upstream, coding, bad, word):
    steps = coding()
    code(upstream, block("print('before')\n" + bad), block("print('after')"), "Done.")
    walk = steps.ask("Go", agent="coder")
    assert walk.types == ["message", "action", "action", "final", "done"]
    failed, after = walk.actions
    assert word in failed["error"] and after["error"] is None and after["observations"].strip() == "after"
    told = "\n".join(str(message.get("content")) for message in upstream.requests[1].messages)
    assert word in told, "the model reads it"


@pytest.mark.clause("STEPS-11", "STEPS-10")
def test_plans_between_code(upstream, coding):
    steps = coding(interval=1)
    code(upstream, "First.", block("1"), "Second.", block("2"), "Third.", "Done.")
    walk = steps.ask("Go", agent="coder")
    assert walk.types == ["message", "planning", "action", "planning", "action", "planning", "final", "done"]
    assert [plan["plan"] for plan in walk.plans] == ["First.", "Second.", "Third."]


# ---- tools ----

@pytest.mark.clause("STEPS-14")
def test_tools_are_functions(upstream, coding):
    steps = coding()
    code(upstream, block("print(calculator('40+2'))\nprint(calculator(expression='1+1'))"), "Done.")
    walk = steps.ask("Go", agent="coder")
    [action] = walk.actions
    assert "42" in action["observations"] and "2" in action["observations"].split()[-1]
    results = [frame for frame in steps.replay(walk.run, "runs") if frame.type == "tool_result"]
    assert [frame.payload["tool_name"] for frame in results] == ["calculator", "calculator"], "calls like any other"


@pytest.mark.clause("STEPS-14", "STEPS-15")
def test_a_tool_that_fails_is_an_exception(upstream, coding):
    steps = coding()
    code(upstream, block("try:\n    calculator('2+')\nexcept Exception as error:\n    print('caught', error)"),
         block("calculator('2+')"), "Done.")
    caught, failed = steps.ask("Go", agent="coder").actions
    assert caught["observations"].startswith("caught") and caught["error"] is None
    assert failed["error"]


@pytest.mark.clause("STEPS-14", "STEPS-23")
@pytest.mark.parametrize("verdict", ["approve", "reject"])
def test_code_waits_for_an_approval(upstream, coding, verdict):
    steps = coding(approval="{default: ask}")
    code(upstream, block("file_write(path='a.md', content='hello')\nprint('written')"), "Done.")
    session = steps.session("coder")
    with steps.stream(session, "Go") as stream:
        [pending] = steps.api.wait_pending(session)
        assert pending["args"] == {"path": "a.md", "content": "hello"}
        assert getattr(steps.api, verdict)(session, pending["approval_id"]).status == 200
        walk = walk_of(stream.read_to_end().frames)
    assert steps.api.files(session) == ({"a.md": 5} if verdict == "approve" else {})
    [action] = walk.actions
    assert ("written" in action["observations"]) == (verdict == "approve")


# ---- the walls ----

@pytest.mark.clause("STEPS-13", "STEPS-15")
@pytest.mark.fault(28)
def test_code_sees_nothing_of_the_server(upstream, coding):
    steps = coding()
    code(upstream, block("import os\nprint(sorted(os.environ))\nprint(os.path.exists('/proc/1/environ') and "
                         "'UPSTREAM' in open('/proc/1/environ').read())"),
         block("import socket\nsocket.create_connection(('127.0.0.1', %d), 2)" % steps.server.port), "Done.")
    walk = steps.ask("Go", agent="coder")
    assert "UPSTREAM_KEY" not in str(walk.actions) and "sk-test-key" not in str(walk.actions)
    assert walk.actions[-1]["error"], "there is no network"
    assert steps.server.alive()


# ---- restarts ----

@pytest.mark.clause("STEPS-31")
@pytest.mark.fault(30)
def test_after_a_kill_the_next_observation_says_that_variables_are_gone(upstream, coding):
    steps = coding()
    hold = Hold()
    upstream.script(Say(block("x = 6 * 7\nprint(x)")), End())
    upstream.script(hold)
    session = steps.session("coder")
    with steps.stream(session, "Go") as stream:
        stream.read_type("step")
        wait_for(lambda: len(upstream.requests) == 2, "the second turn")
        steps.server.kill()
        assert stream.read_to_end().end == "unclean"
    code(upstream, block("print('x' in globals())"), "Done.")
    steps.server.start()
    steps.api = steps.server.api
    walk = walk_of(stream.frames + steps.rest(session, stream.last_id))
    assert walk.bytes == joined(steps.replay(walk.run)), "no frame lost, none twice"
    first, second = walk.actions
    assert first["observations"].strip() == "42"
    assert "gone" in second["observations"] and second["observations"].strip().endswith("False")


@pytest.mark.clause("STEPS-31")
@pytest.mark.fault(30)
def test_a_kill_while_code_runs(upstream, coding):
    """Code that had called no tool is run again; the answer is the same."""
    steps = coding()
    code(upstream, block("import time\nfor i in range(20):\n    time.sleep(0.1)\nprint('slept')"))
    session = steps.session("coder")
    with steps.stream(session, "Go") as stream:
        stream.read_frames(1)
        wait_for(lambda: steps.runs(session)[0]["usage"], "the end of the model's turn")
        steps.server.kill()
        stream.read_to_end()
    code(upstream, "Done.")
    steps.server.start()
    steps.api = steps.server.api
    walk = walk_of(stream.frames + steps.rest(session, stream.last_id))
    assert walk.types == ["message", "action", "final", "done"]
    assert "slept" in walk.actions[0]["observations"] or walk.actions[0]["error"]

