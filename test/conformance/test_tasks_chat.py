"""Planning: a goal becomes a list of tasks, or a question."""
import pytest
from tasks_scripts import TITLES, Script, listed, planner

from braid_client.api import expect_error as expect_runs_error
from braid_client.chat import Chat
from braid_client.frames import types
from braid_client.ids import UNKNOWN_UUID, spellings
from braid_client.tasks import Tasks, expect_error
from braid_client.upstream import Call, Cut, End, Hold, Refuse, Say, Upstream
from braid_client.waiting import wait_for
from braid_client.wire import Stream

ODD = 'one\u0085two\u2028three "four" \\ 😀\n\nevent: done\ndata: {"type":"done"}\n\nend'
GOAL = "Plan the launch of our new product"


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def script(upstream):
    return Script(upstream)


@pytest.fixture
def server(upstream, new_server):
    return new_server(agents={"scripted": planner(upstream)}, environment={"UPSTREAM_KEY": "x"})


@pytest.fixture
def work(server):
    return Tasks(server.api, agent="scripted")


# ---- the planner that is built in ----

@pytest.mark.clause("TASKS-1", "TASKS-3", "TASKS-4", "TASKS-5", "TASKS-12", "TASKS-30", "COMMON-58")
def test_a_goal_becomes_tasks(api):
    work = Tasks(api)
    told = work.plan(GOAL)
    assert told.types[-1] == "done" and told.end == {"type": "done"}
    assert told.types.count("tasks_updated") == 1 and "content" in told.types
    assert 3 <= len(told.tasks) <= 10
    assert all(task["status"] == "pending" and task["description"] for task in told.tasks)
    assert [{name: task[name] for name in told.tasks[0]} for task in work.tasks()] == told.tasks
    seen = work.look()
    assert [(message["role"], message["content"]) for message in seen["messages"]] == [
        ("user", GOAL), ("assistant", told.text)]
    assert seen["status"] == "planning" and seen["activeRunId"] is None
    [run] = work.runs()
    assert types(api.read(work.session, run["run_id"]))[0] == "run_started"


@pytest.mark.clause("TASKS-6")
@pytest.mark.parametrize("message", ["Help me", "hello", "plan"])
def test_a_vague_goal_gets_a_question(api, message):
    work = Tasks(api)
    told = work.plan(message)
    assert told.types == ["content"] * (len(told.types) - 1) + ["done"]
    assert "?" in told.text
    assert work.tasks() == [] and work.look()["status"] == "planning"


@pytest.mark.clause("TASKS-9", "TASKS-21")
def test_the_built_in_planner_plans_again(api):
    work = Tasks(api)
    first = work.plan(GOAL).tasks
    work.execute()
    before = {task["id"]: task for task in work.tasks()}
    told = work.plan("Organize a street festival with a stage in three tasks")
    kept = told.tasks[:len(first)]
    assert [task["id"] for task in kept] == [task["id"] for task in first]
    assert all(task["status"] in ("done", "failed") for task in kept)
    assert 3 <= len(told.tasks[len(first):]) <= 10
    assert all(task["status"] == "pending" for task in told.tasks[len(first):])
    for task in work.tasks()[:len(first)]:
        assert task["result"] == before[task["id"]]["result"], "what is done stays as it is"
    assert work.look()["status"] == "planning", "new pending tasks"


# ---- by script: what exactly the list is ----

@pytest.mark.clause("TASKS-3", "TASKS-5", "TASKS-8", "TASKS-29")
def test_the_stream_of_a_plan(server, work, script):
    script.plan(*TITLES, text="Here is it.")
    stream = work.stream("chat", json={"message": "go"})
    told = work.read_out(stream, executes=False)
    assert told.types == ["tasks_updated", "content", "content", "content", "done"]
    assert [(task["title"], task["description"], task["status"], task["order"]) for task in told.tasks] == [
        ("Look", "To look.", "pending", 0), ("Compare", "To compare.", "pending", 1), ("Write", "To write.", "pending", 2)]
    assert told.text == "Here is it."
    assert b"set_tasks" not in stream.payload and b"\nid:" not in stream.payload
    [run] = work.runs()
    for contract in ("runs", "chat", "conversation", "steps", "all"):
        shown = server.api.call("GET", f"/api/v1/runs/{run['run_id']}/stream?contract={contract}").body
        assert b"set_tasks" not in shown, contract


@pytest.mark.clause("TASKS-5", "TASKS-4")
def test_without_a_new_list_there_is_no_update(work, script, upstream):
    script.plan(*TITLES)
    work.plan("go")
    upstream.script(Say("It stays as it is."), End())
    told = work.plan("what now?")
    assert set(told.types) == {"content", "done"} and told.text == "It stays as it is."
    assert work.statuses() == ["pending"] * 3
    asked = upstream.requests[-1].messages
    assert [message["content"] for message in asked if message["role"] == "user"] == ["go", "what now?"]


@pytest.mark.clause("TASKS-7")
@pytest.mark.parametrize("count", [3, 10])
def test_three_to_ten_tasks_are_taken_at_once(work, script, upstream, count):
    script.plan(*(f"Task {number}" for number in range(count)))
    assert len(work.plan("go").tasks) == count
    assert len(upstream.requests) == 2


@pytest.mark.clause("TASKS-7")
@pytest.mark.parametrize("first, second, taken", [(1, 3, 3), (2, 2, 2), (11, 5, 5), (12, 14, 10), (1, 1, 1), (11, 1, 1)])
def test_outside_three_to_ten_the_model_is_asked_once_more(work, upstream, first, second, taken):
    upstream.script(listed(*(f"First {number}" for number in range(first))), End("tool_calls"))
    upstream.script(listed(*(f"Second {number}" for number in range(second))), End("tool_calls"))
    upstream.script(Say("Done."), End())
    told = work.plan("go")
    assert told.types.count("tasks_updated") == 1
    assert [task["title"] for task in told.tasks] == [f"Second {number}" for number in range(taken)]
    assert len(work.tasks()) == taken
    refusal = upstream.requests[1].messages[-1]
    assert refusal["role"] == "tool" and "3" in refusal["content"] and "10" in refusal["content"], refusal


@pytest.mark.clause("TASKS-7")
def test_a_list_that_cannot_be_read_changes_nothing(work, script, upstream):
    script.plan(*TITLES)
    before = work.plan("go").tasks
    upstream.script(Call("set_tasks", {"tasks": "all of them"}), End("tool_calls"))
    upstream.script(Say("I could not."), End())
    told = work.plan("again")
    assert told.tasks is None and told.text == "I could not."
    assert [task["id"] for task in work.tasks()] == [task["id"] for task in before]


@pytest.mark.clause("TASKS-9")
def test_done_and_failed_tasks_stay_in_front(work, script):
    script.plan(*TITLES)
    look, compare, _ = work.plan("go").tasks
    script.ends("Seen.")
    script.gives_up("No prices.")
    script.ends("Written.")
    work.execute()
    script.plan("Ask", "Count", "Tell")
    told = work.plan("three more")
    assert [(task["title"], task["status"], task["order"]) for task in told.tasks] == [
        ("Look", "done", 0), ("Compare", "failed", 1), ("Write", "done", 2), ("Ask", "pending", 3), ("Count", "pending", 4),
        ("Tell", "pending", 5)]
    assert [task["id"] for task in told.tasks[:2]] == [look["id"], compare["id"]]
    script.plan("One", "Two", "Three")
    assert [task["title"] for task in work.plan("others").tasks] == ["Look", "Compare", "Write", "One", "Two", "Three"]
    stored = work.tasks()
    assert [task["title"] for task in stored] == ["Look", "Compare", "Write", "One", "Two", "Three"]
    assert stored[0]["result"] == "Seen." and stored[1]["result"] == "No prices."


@pytest.mark.clause("TASKS-31", "TASKS-4", "TASKS-5")
def test_odd_text_comes_as_it_is(work, upstream):
    upstream.script(listed(ODD, "b", "c"), End("tool_calls"))
    upstream.script(Say(ODD), End())
    told = work.plan(ODD)
    assert told.text == ODD and told.tasks[0]["title"] == ODD
    assert [message["content"] for message in work.look()["messages"]] == [ODD, ODD]
    assert work.tasks()[0]["title"] == ODD


# ---- endings ----

@pytest.mark.clause("TASKS-10")
@pytest.mark.fault(36, 37)
@pytest.mark.parametrize("steps", [[Refuse(400)], [Say("Half an ans"), Cut()]], ids=["refused", "cut"])
def test_a_run_that_fails(work, upstream, script, steps):
    upstream.script(*steps)
    told = work.plan("go")
    assert told.types[-1] == "error" and "done" not in told.types
    assert list(told.end) == ["type", "error"] and "RAW-UPSTREAM-BODY" not in told.end["error"]
    assert work.tasks() == [] and work.look()["activeRunId"] is None
    script.plan(*TITLES)
    assert len(work.plan("once more").tasks) == 3, "the session can go on"


@pytest.mark.clause("TASKS-11")
@pytest.mark.parametrize("way", ["runs", "steps", "delete"])
def test_a_run_that_is_interrupted(work, upstream, way):
    upstream.script(Say("Half an answer"), Hold())
    with work.stream("chat", json={"message": "go"}) as stream:
        stream.read_type("content")
        if way == "runs":
            assert work.api.interrupt(work.session, work.run()).status == 202
        elif way == "steps":
            assert work.api.call("POST", work.path + "/interrupt").status == 200
        else:
            assert work.api.call("DELETE", work.path).status == 204
        told = work.read_out(stream)
    assert told.end == {"type": "error", "error": "Run interrupted"} and "done" not in told.types
    assert wait_for(lambda: upstream.requests[0].closed.is_set(), "the model to be left")


# ---- requests ----

@pytest.mark.clause("TASKS-2", "TASKS-46", "TASKS-47")
@pytest.mark.fault(5)
@pytest.mark.parametrize("fields", [{}, {"message": None}, {"message": ""}, {"message": " \n\u3000"}, {"message": 7},
                                    {"message": ["x"]}, {"message": {}}, {"message": "a\u0000b"},
                                    {"message": "x" * (32 * 1024 + 1)}], ids=lambda fields: ascii(fields)[:40])
def test_messages_that_are_none(api, fields):
    work = Tasks(api)
    for target in (work, work.again(api), Tasks(api, UNKNOWN_UUID)):
        expect_error(target.open("chat", json=fields), 422, "VALIDATION_ERROR")
    assert work.runs() == [] and work.look()["messages"] == []


@pytest.mark.clause("TASKS-2", "TASKS-13")
@pytest.mark.fault(5, 6)
@pytest.mark.parametrize("body", [b"hello", b'{"message":', b"[]", b"null", b'"x"', b'{"message":"caf\xe9"}',
                                  b'{"message":"\\ud800"}', b'{"message":"a","message":"b"}', b"[" * 100_000, b"{}x"],
                         ids=lambda body: repr(body)[:30])
def test_bodies_that_are_no_json(api, body):
    work = Tasks(api)
    for what in ("chat", "execute"):
        expect_error(work.open(what, body=body), 422, "VALIDATION_ERROR")
        expect_error(Tasks(api, UNKNOWN_UUID).open(what, body=body), 422, "VALIDATION_ERROR")
    assert work.runs() == []


@pytest.mark.clause("TASKS-2")
def test_the_longest_message(work, upstream):
    told = work.plan("x" * (32 * 1024))
    assert told.types[-1] == "done"
    assert upstream.requests[0].messages[-1]["content"] == "x" * (32 * 1024)


@pytest.mark.clause("TASKS-1", "COMMON-1", "COMMON-57")
def test_every_spelling_and_every_contract(api):
    work = Tasks(api)
    for number, spelling in enumerate(spellings(work.id)):
        told = Tasks(api, spelling).plan("Help me")
        assert told.types[-1] == "done"
        assert len(work.look()["messages"]) == 2 * (number + 1)
    assert Chat(api).ask("say exactly: hi", session_id=work.session.removeprefix("sess_"), agent="asks").text == "hi"
    other = Tasks(api, api.call("GET", f"/sessions/{api.session(agent='asks')}").json["id"])
    assert isinstance(other.open("chat", json={"message": "say exactly: hi"}), Stream)


@pytest.mark.clause("TASKS-44", "TASKS-46", "COMMON-2")
@pytest.mark.fault(8)
@pytest.mark.parametrize("odd", [UNKNOWN_UUID, "nonsense", "%00", "..%2f..%2fetc", "0" * 10_000, "-1"],
                         ids=lambda odd: odd[:20])
def test_an_unknown_session(api, odd):
    nowhere = Tasks(api, odd)
    expect_error(nowhere.open("chat", json={"message": "hi"}), 404, "NOT_FOUND", "Session not found")
    expect_error(nowhere.open("execute"), 404, "NOT_FOUND", "Session not found")


@pytest.mark.clause("TASKS-32")
def test_a_busy_session(work, upstream):
    hold = Hold()
    upstream.script(Say("Half"), hold, End())
    with work.stream("chat", json={"message": "go"}) as stream:
        stream.read_type("content")
        for what, json in (("chat", {"message": "x"}), ("execute", {})):
            expect_error(work.open(what, json=json), 409, "CONFLICT")
        expect_runs_error(work.api.post(f"/sessions/{work.session}/messages", json={"message": "x"}), 409,
                          "ACTIVE_RUN_EXISTS")
        hold.release.set()
        assert work.read_out(stream).end == {"type": "done"}
    assert len(work.runs()) == 1
