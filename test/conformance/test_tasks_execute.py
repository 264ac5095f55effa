"""Executing: the pending tasks one after the other, what each leaves behind, and what becomes of one that fails."""
import pytest
from tasks_scripts import TITLES, Script, artifact, data_item, planner

from braid_client.frames import of_type, text_of
from braid_client.legal import LINES, check_legal
from braid_client.tasks import Tasks, expect_error
from braid_client.upstream import Call, Cut, End, Hold, Raw, Refuse, Say, Upstream
from braid_client.waiting import wait_for
from braid_client.wire import Stream, open_stream

ODD = 'one\u0085two\u2028three "four" \\ 😀\n\nevent: done\ndata: {"type":"done"}\n\nend'
CUT = 64 * 1024


@pytest.fixture
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def script(upstream):
    return Script(upstream)


@pytest.fixture
def serve(upstream, new_server):
    """serve(…) makes a server with the agent `scripted`, and a session of it with three pending tasks."""
    def start(titles=TITLES, agent=None, **options):
        server = new_server(agents={"scripted": planner(upstream, **(agent or {}))}, environment={"UPSTREAM_KEY": "x"},
                            **options)
        work = Tasks(server.api, agent="scripted")
        work.server = server
        if titles:
            Script(upstream).plan(*titles)
            work.plan("go")
        return work
    return start


@pytest.fixture
def work(serve):
    return serve()


def prompt_of(request):
    """All that the model is told in one request, as one text."""
    return "\n".join(str(message.get("content") or "") for message in request.messages)


# ---- in order, with results passed on ----

@pytest.mark.clause("TASKS-13", "TASKS-15", "TASKS-16", "TASKS-19", "TASKS-20", "TASKS-23", "TASKS-29", "TASKS-30")
@pytest.mark.parametrize("body", [None, b"{}", b'{"unknown":1}'])
def test_the_stream_of_an_execution(work, script, body):
    ids = [task["id"] for task in work.tasks()]
    for title in TITLES:
        script.ends(f"{title} is done.", f"{title} went well.")
    stream = work.stream("execute", body=body)
    told = work.read_out(stream, executes=True)
    assert [frame.data for frame in told.frames] == [
        data for id, title in zip(ids, TITLES) for data in (
            {"type": "task_selected", "taskId": id},
            {"type": "task_completed", "taskId": id, "status": "done", "result": f"{title} is done."},
            {"type": "reflection", "taskId": id, "text": f"{title} went well."})
    ] + [{"type": "done", "summary": {"total": 3, "completed": 3, "failed": 0}}]
    assert b"\nid:" not in stream.payload
    for task, title in zip(work.tasks(), TITLES):
        assert (task["status"], task["result"], task["reflection"]) == ("done", f"{title} is done.", f"{title} went well.")
        assert task["updatedAt"] > task["createdAt"]
    assert work.look()["status"] == "completed"


@pytest.mark.clause("TASKS-21", "TASKS-20")
def test_earlier_results_are_in_the_prompt_of_later_tasks(work, script, upstream):
    before = len(upstream.requests)
    script.ends("Rye costs 4 euros.", "Look went well.")
    script.ends("Baking costs 2 euros.", "Compare went well.")
    script.ends("Bake.", "Write went well.")
    work.execute()
    look, look_again, compare, compare_again, write, write_again = upstream.requests[before:]
    assert "Look" in prompt_of(look) and "To look." in prompt_of(look)
    assert "Rye costs" not in prompt_of(look) and "To compare." not in prompt_of(look)
    assert "Compare" in prompt_of(compare) and "Rye costs 4 euros." in prompt_of(compare)
    for text in ("Rye costs 4 euros.", "Baking costs 2 euros.", "To write."):
        assert text in prompt_of(write)
    for reflection, result in ((look_again, "Rye costs"), (compare_again, "Baking costs"), (write_again, "Bake.")):
        assert result in prompt_of(reflection), "it is told what it reflects on"
        assert not reflection.body.get("tools"), "a reflection is words alone"


@pytest.mark.clause("TASKS-21", "TASKS-9")
def test_results_of_an_earlier_execution(work, script, upstream):
    for title in TITLES:
        script.ends(f"{title} gave {title.upper()}-7.")
    work.execute()
    script.plan("Ask", "Count", "Tell")
    work.plan("three more")
    before = len(upstream.requests)
    for title in ("Ask", "Count", "Tell"):
        script.ends(f"{title} is done.")
    told = work.execute()
    assert told.end["summary"] == {"total": 3, "completed": 3, "failed": 0}, "of this execution"
    first = prompt_of(upstream.requests[before])
    assert all(f"{title.upper()}-7" in first for title in TITLES)
    assert len(work.tasks()) == 6 and set(work.statuses()) == {"done"}


@pytest.mark.clause("TASKS-13", "TASKS-18", "TASKS-33")
def test_the_built_in_planner_executes(api):
    work = Tasks(api)
    planned = work.plan("Plan the launch of our new product").tasks
    told = work.execute()
    assert told.end == {"type": "done", "summary": {"total": len(planned), "completed": len(planned), "failed": 0}}
    assert [data["taskId"] for data in told.of("task_selected")] == [task["id"] for task in planned]
    assert all(task["status"] == "done" and task["result"] and task["reflection"] for task in work.tasks())
    made = told.of("artifact_created")
    assert made and [artifact["id"] for artifact in work.artifacts()] == [data["artifactId"] for data in made]
    assert work.look()["status"] == "completed"


# ---- tools ----

@pytest.mark.clause("TASKS-17", "TASKS-18", "TASKS-26")
def test_tools_and_what_they_change(work, script, upstream):
    [look, *_] = work.tasks()
    script.uses(artifact("Competitor Analysis", "document", "# Five"))
    script.uses(data_item("contact", name="Ann"))
    script.ends("Found.")
    script.ends("b")
    script.ends("c")
    told = work.execute()
    frames = [frame.data for frame in told.frames][:9]
    [made], [item] = work.artifacts(), work.data_items()
    assert [frame["type"] for frame in frames] == [
        "task_selected", "tool_call", "artifact_created", "tool_result", "tool_call", "data_modified", "tool_result",
        "task_completed", "reflection"]
    assert frames[1] == {"type": "tool_call", "taskId": look["id"], "tool": "create_artifact",
                         "input": {"name": "Competitor Analysis", "type": "document", "content": "# Five"}}
    assert frames[2] == {"type": "artifact_created", "taskId": look["id"], "artifactId": made["id"],
                         "name": "Competitor Analysis", "artifactType": "document"}
    assert frames[3]["tool"] == "create_artifact" and made["id"] in frames[3]["output"]
    assert frames[5] == {"type": "data_modified", "taskId": look["id"], "dataItemId": item["id"], "operation": "create",
                         "itemType": "contact"}
    assert made["taskId"] == look["id"]


@pytest.mark.clause("TASKS-18", "TASKS-43")
def test_a_data_item_from_its_making_to_its_end(work, script, upstream):
    script.uses(data_item("contact", name="Ann"))
    script.ends("made")
    hold = Hold()
    upstream.script(Say("x"), hold, End())
    stream = work.stream("execute")
    stream.read_type("task_selected", 2)
    [made] = work.data_items()
    assert made["data"] == {"name": "Ann"} and made["itemType"] == "contact"
    upstream.script(Say("Noted."), End())
    script.uses(Call("update_data_item", {"data_item_id": made["id"], "data": {"name": "Bob", "age": 7}}))
    script.uses(Call("read_data_item", {"data_item_id": made["id"]}))
    script.uses(Call("delete_data_item", {"data_item_id": made["id"]}))
    script.ends("gone")
    hold.release.set()
    told = work.read_out(stream)
    assert [(data["operation"], data["dataItemId"], data["itemType"]) for data in told.of("data_modified")] == [
        (operation, made["id"], "contact") for operation in ("create", "update", "delete")]
    [read] = [data for data in told.of("tool_result") if data["tool"] == "read_data_item"]
    assert "Bob" in read["output"]
    assert work.data_items() == []
    expect_error(work.get(f"/data-items/{made['id']}"), 404, "NOT_FOUND", "Data item not found")


@pytest.mark.clause("TASKS-17")
def test_calls_at_once_are_told_one_after_the_other(work, script):
    script.uses(Call("calculator", {"expression": "6*7"}), Call("calculator", {"expression": "6*8"}), artifact("A"),
                artifact("B"))
    for title in TITLES:
        script.ends(title)
    told = work.execute()
    assert told.types[1:11] == ["tool_call", "tool_result"] * 2 + ["tool_call", "artifact_created", "tool_result"] * 2
    assert [data["input"].get("expression") for data in told.of("tool_call")][:2] == ["6*7", "6*8"]
    assert [data["output"] for data in told.of("tool_result")][:2] == ["42", "48"]


@pytest.mark.clause("TASKS-17")
@pytest.mark.fault(40)
def test_calls_that_never_ran(work, script):
    script.uses(Call("calculator", {"wrong": 1}), Call("no_such_tool", {"a": 1}))
    for title in TITLES:
        script.ends(title)
    told = work.execute()
    assert told.types[1:5] == ["tool_call", "tool_result"] * 2
    assert told.of("tool_call")[1]["tool"] == "no_such_tool" and told.of("tool_call")[1]["input"] == {"a": 1}
    assert all(data["output"] for data in told.of("tool_result"))
    assert told.end["summary"]["completed"] == 3, "it is told to the model, and is no failure of the task"


@pytest.mark.clause("TASKS-17", "TASKS-31")
def test_long_and_odd_text(work, script):
    script.uses(artifact("Long", "note", "x" * (CUT + 5_000)), artifact(ODD[:60], "other", ODD))
    script.ends(ODD, ODD)
    script.ends("y" * (CUT + 10), "z" * (CUT + 20))
    script.ends("c")
    told = work.execute()
    assert told.of("tool_call")[0]["input"]["content"] == "x" * (CUT + 5_000), "arguments stay JSON, whole"
    assert told.of("tool_call")[1]["input"]["content"] == ODD
    assert told.of("artifact_created")[1]["name"] == ODD[:60]
    assert told.of("task_completed")[0]["result"] == told.of("reflection")[0]["text"] == ODD
    assert told.of("task_completed")[1]["result"] == "y" * CUT + "… [cut: 10 bytes]"
    assert told.of("reflection")[1]["text"] == "z" * CUT + "… [cut: 20 bytes]"
    stored = work.tasks()
    assert stored[0]["result"] == stored[0]["reflection"] == ODD
    assert stored[1]["result"] == "y" * (CUT + 10), "what is kept is whole"
    assert work.artifact(work.artifacts()[0]["id"])["content"] == "x" * (CUT + 5_000)


@pytest.mark.clause("TASKS-26", "TASKS-35")
def test_what_is_not_shown(work, script, upstream):
    upstream.script(Say("I begin."), Call("calculator", {"expression": "1+1"}), End("tool_calls"))
    script.ends("Two.", "Fine.")
    script.gives_up("No.")
    script.ends("c")
    before = work.look()["messages"]
    told = work.execute()
    assert "content" not in told.types and "tasks_updated" not in told.types
    assert b"fail_task" not in told.bytes and "I begin." not in told.bytes.decode()
    assert work.look()["messages"] == before, "an execution is no message"
    runs = {run["run_id"]: work.api.read(work.session, run["run_id"]) for run in work.runs()}
    [run] = [id for id, frames in runs.items() if frames[-1].payload.get("final_text") == "2 of 3 tasks done"]
    for contract in ("steps", "runs", "chat", "conversation", "tasks", "all"):
        stream = open_stream(work.api.port, f"/api/v1/runs/{run}/stream?contract={contract}", lines=LINES[contract])
        with stream:
            stream.read_to_end()
        check_legal(contract, stream.frames, run, executes=True)
        assert b"fail_task" not in bytes(stream.payload), contract
    assert work.replay(run).bytes == told.bytes


# ---- one fails ----

@pytest.mark.clause("TASKS-22", "TASKS-19", "TASKS-23")
def test_a_task_that_cannot_be_done(work, script, upstream):
    script.gives_up("The shop is closed", "I should have asked before.")
    script.ends("b")
    script.ends("c")
    told = work.execute()
    id = work.tasks()[0]["id"]
    assert [frame.data for frame in told.frames][:4] == [
        {"type": "task_selected", "taskId": id}, {"type": "error", "taskId": id, "error": "The shop is closed"},
        {"type": "task_completed", "taskId": id, "status": "failed", "result": "The shop is closed"},
        {"type": "reflection", "taskId": id, "text": "I should have asked before."}]
    assert told.end["summary"] == {"total": 3, "completed": 2, "failed": 1}
    assert work.statuses() == ["failed", "done", "done"] and work.look()["status"] == "completed"
    assert work.tasks()[0]["result"] == "The shop is closed"
    [later] = [request for request in upstream.requests if "To compare." in prompt_of(request)
               and "Reflect" not in prompt_of(request)]
    assert "The shop is closed" in prompt_of(later), "the next task knows"


@pytest.mark.clause("TASKS-22")
def test_a_task_that_uses_all_its_turns(serve, script):
    work = serve(agent={"max_steps": 2})
    for _ in range(2):
        script.uses(Call("calculator", {"expression": "1+1"}))
    script.upstream.script(Say("Too many."), End())
    script.ends("b")
    script.ends("c")
    told = work.execute()
    assert [data["status"] for data in told.of("task_completed")] == ["failed", "done", "done"]
    [error] = told.of("error")
    assert error["taskId"] == work.tasks()[0]["id"] and error["error"]
    assert told.end["summary"] == {"total": 3, "completed": 2, "failed": 1}


@pytest.mark.clause("TASKS-22")
@pytest.mark.fault(36, 37)
@pytest.mark.parametrize("steps", [[Refuse(400)], [Say("Half"), Cut()],
                                   [Say("Half"), Raw(b"data: nonsense\n\n"), Cut()]],
                         ids=["refused", "cut", "nonsense"])
def test_a_task_whose_model_fails(work, script, upstream, steps):
    upstream.script(*steps)
    upstream.script(Say("The line was bad."), End())
    script.ends("b")
    script.ends("c")
    told = work.execute()
    assert [data["status"] for data in told.of("task_completed")] == ["failed", "done", "done"]
    assert "RAW-UPSTREAM-BODY" not in told.bytes.decode()
    assert told.of("reflection")[0]["text"] == "The line was bad."
    assert work.statuses() == ["failed", "done", "done"]


@pytest.mark.clause("TASKS-20", "TASKS-22")
def test_a_reflection_that_cannot_be_written(work, script, upstream):
    upstream.script(Say("a"), End())
    upstream.script(Refuse(400))
    script.ends("b")
    script.ends("c")
    told = work.execute()
    assert told.end["summary"] == {"total": 3, "completed": 3, "failed": 0}, "the task was done all the same"
    assert [data["taskId"] for data in told.of("reflection")] == [task["id"] for task in work.tasks()]


@pytest.mark.clause("TASKS-22", "TASKS-23")
def test_all_of_them_fail(work, script):
    for title in TITLES:
        script.gives_up(f"{title}: no")
    told = work.execute()
    assert told.end == {"type": "done", "summary": {"total": 3, "completed": 0, "failed": 3}}
    assert work.statuses() == ["failed"] * 3 and work.look()["status"] == "completed"


# ---- nothing to do ----

@pytest.mark.clause("TASKS-14", "TASKS-47")
def test_without_a_pending_task(serve, script):
    work = serve(titles=())
    expect_error(work.open("execute"), 409, "CONFLICT")
    assert work.runs() == []
    script.plan(*TITLES)
    work.plan("go")
    for title in TITLES:
        script.ends(title)
    work.execute()
    before = work.tasks()
    expect_error(work.open("execute", json={}), 409, "CONFLICT")
    assert work.tasks() == before and work.look()["status"] == "completed"


# ---- state while it goes on ----

@pytest.mark.clause("TASKS-33", "SESSIONS-14", "SESSIONS-5", "SESSIONS-13")
def test_the_session_while_it_works(work, script, upstream):
    script.uses(artifact("Early", "note", "secret content"))
    script.ends("First.")
    hold = Hold()
    upstream.script(Say("Half"), hold, End())
    assert work.look()["status"] == "planning"
    with work.stream("execute") as stream:
        stream.read_type("task_selected", 2)
        upstream.wait_request(6)
        seen = work.look()
        assert seen["status"] == "executing" and seen["activeRunId"] is not None
        assert [task["status"] for task in seen["tasks"]] == ["done", "in_progress", "pending"]
        assert seen["tasks"] == work.tasks() and seen["tasks"][0]["result"] == "First."
        assert seen["artifacts"] == work.artifacts() and "secret content" not in str(seen)
        listed = work.api.call("GET", "/sessions?status=executing").json
        assert [item["id"] for item in listed["sessions"]] == [work.id] and listed["total"] == 1
        upstream.script(Say("Noted."), End())
        script.ends("c")
        hold.release.set()
        work.read_out(stream)
    assert work.look()["status"] == "completed" and work.look()["activeRunId"] is None
    for status, count in (("planning", 0), ("executing", 0), ("completed", 1)):
        assert work.api.call("GET", f"/sessions?status={status}").json["total"] == count
    script.plan("x", "y", "z")
    work.plan("more")
    assert work.look()["status"] == "planning", "new pending tasks put it back"


@pytest.mark.clause("TASKS-35")
def test_a_run_of_another_contract_is_shown_as_a_chat(api):
    session = api.session(agent="counts")
    run = api.start(session, "what is 6*7?")
    frames = api.read(session, run)
    assert of_type(frames, "tool_result")
    told = Tasks(api, session).replay(run)
    assert set(told.types) == {"content", "done"} and told.text == text_of(frames)


@pytest.mark.clause("TASKS-34", "TASKS-35")
def test_nothing_is_replayed(work, script):
    for title in TITLES:
        script.ends(title)
    told = work.execute(headers=[("Last-Event-ID", "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV_0000000003")],
                        query="?last_event_id=evt_01ARZ3NDEKTSV4RRFFQ69G5FAV_0000000003")
    assert told.end["type"] == "done", "the header is not looked at: it began a run"
    runs = [run["run_id"] for run in work.runs()]
    last = {run: work.api.read(work.session, run)[-1].id for run in runs}
    [run] = [run for run in runs if work.replay(run).bytes == told.bytes]
    for id in (last[run], f"evt_{run.removeprefix('run_')}_0000000004", "nonsense"):
        for headers, query in (([("Last-Event-ID", id)], ""), ([], f"&last_event_id={id}")):
            stream = open_stream(work.api.port, f"/api/v1/runs/{run}/stream?contract=tasks{query}", headers,
                                 lines=LINES["tasks"])
            assert isinstance(stream, Stream), f"{id}: {stream}"
            assert work.read_out(stream).bytes == told.bytes, "from its first frame"
    script.plan("x", "y", "z")
    again = work.plan("once more", headers=[("Last-Event-ID", last[run])])
    assert len(again.tasks) == 6
    assert wait_for(lambda: len(work.runs()) == 3, "a third run")
