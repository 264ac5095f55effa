"""Runs of all sessions, and runs that are started from the console (docs/console-api.md)."""
from concurrent.futures import ThreadPoolExecutor

import pytest

from braid_client.chat import FORM, form, json_file, part
from braid_client.console import ids, messages, runs, start, wait_over
from braid_client.ids import UNKNOWN_ULID, uuid_of
from braid_client.tasks import Tasks

FIELDS = {"run_id", "session_id", "session_title", "user_id", "agent", "contract", "status", "created_at", "started_at",
          "ended_at", "duration_ms", "usage", "error", "events", "replayable", "text"}


# ---- starting ----

def test_a_run_goes_on_without_its_client(api):
    run = start(api, message="say exactly: hello there", agent="slow")
    assert set(run) == {"run_id", "session_id", "status"} and run["status"] == "running"
    assert wait_over(api, run)["status"] == "completed"
    assert messages(api, run) == [("user", "say exactly: hello there"), ("assistant", "hello there")]
    [item] = runs(api, f"?session_id={run['session_id']}")["items"]
    assert set(item) == FIELDS
    assert item["session_title"] == item["text"] == "say exactly: hello there"
    assert (item["agent"], item["contract"], item["status"]) == ("slow", "runs", "completed")
    assert item["duration_ms"] >= 20 and item["usage"]["total_tokens"] > 0 and item["error"] is None
    log = api.read(run["session_id"], run["run_id"])
    assert item["events"] >= len({frame.id.split(".")[0] for frame in log})


def test_more_in_the_same_session(api):
    run = start(api, message="say exactly: one", agent="auto")
    wait_over(api, run)
    for spelled in (run["session_id"], uuid_of(run["session_id"])):
        again = start(api, message="say exactly: two", session_id=spelled)
        assert again["session_id"] == run["session_id"]
        wait_over(api, again)
    assert [item["agent"] for item in runs(api, f"?session_id={run['session_id']}")["items"]] == ["auto"] * 3


def test_the_ways(api):
    steps = start(api, message="What is 17 * 23 + 4?", way="steps", agent="counts")
    assert wait_over(api, steps)["status"] == "completed"
    assert runs(api, f"?q={steps['run_id']}")["items"][0]["contract"] == "steps"
    plan = start(api, message="Plan the launch of our new product", way="tasks")
    assert wait_over(api, plan)["status"] == "completed"
    work = Tasks(api, uuid_of(plan["session_id"]))
    assert {task["status"] for task in work.tasks()} == {"pending"}
    done = start(api, session_id=plan["session_id"], way="execute")
    assert done["session_id"] == plan["session_id"]
    assert wait_over(api, done)["status"] == "completed"
    assert {task["status"] for task in work.tasks()} == {"done"} and work.artifacts()
    assert start(api, 409, session_id=plan["session_id"], way="execute")["error"]
    assert [(item["contract"], item["agent"]) for item in runs(api, f"?session_id={plan['session_id']}")["items"]] == [
        ("tasks", "planner")] * 2


@pytest.mark.parametrize("how", ["json", "form"])
def test_with_files(api, how):
    poem = b"The river knows\nwhere it goes.\n"
    if how == "json":
        run = start(api, message="summarize the attached file", agent="auto", files=[json_file("poem.txt", poem, "text/plain")])
    else:
        body = form(part("message", b"summarize the attached file"), part("agent", b"auto"), part("files", poem, "poem.txt"))
        reply = api.call("POST", "/console/runs", body=body, headers=[FORM])
        assert reply.status == 202, reply
        run = reply.json
    wait_over(api, run)
    assert "The river knows" in messages(api, run)[1][1]
    assert api.files(run["session_id"]) == {"poem.txt": len(poem)}


@pytest.mark.parametrize("fields, status", [
    ({}, 400), ({"message": " "}, 400), ({"message": 7}, 400), ({"message": "x", "way": "fly"}, 400),
    ({"message": "x", "agent": ""}, 400), ({"message": "x", "agent": "nobody"}, 404), ({"way": "execute"}, 400),
    ({"message": "x", "agent": "try:nobody"}, 404), ({"message": "x", "session_id": "none"}, 404),
    ({"message": "x", "session_id": "sess_" + UNKNOWN_ULID}, 404),
    ({"way": "execute", "session_id": "sess_" + UNKNOWN_ULID}, 404),
    ({"message": "x", "files": [{"content": "AAAA", "mime_type": "image/png"}]}, 400)])
def test_what_is_refused(api, fields, status):
    assert set(start(api, status, **fields)) == {"error"}


def test_a_busy_session(api):
    run = start(api, message="a long story about rivers", agent="very-slow")
    assert "active run" in start(api, 409, message="x", session_id=run["session_id"])["error"]
    api.interrupt(run["session_id"], run["run_id"])
    assert wait_over(api, run)["status"] == "interrupted"


def test_the_same_key_is_the_same_run(api):
    key = [("Idempotency-Key", "console-" + api.session())]
    first = start(api, headers=key, message="say exactly: once", agent="auto")
    again = start(api, headers=key, message="say exactly: once", agent="auto")
    assert (again["run_id"], again["session_id"]) == (first["run_id"], first["session_id"])
    assert start(api, 409, headers=key, message="say exactly: twice", agent="auto")["error"]


def test_a_page_of_another_site_starts_nothing(api):
    reply = api.call("POST", "/console/runs", json={"message": "x"}, headers=[("Origin", "https://elsewhere.example")])
    assert reply.status == 403 and set(reply.json) == {"error"}


# ---- finding ----

@pytest.fixture(scope="module")
def library(shared_town):
    """A few runs of alice's and bob's, oldest first."""
    def made(person, message, **fields):
        run = start(person.api, message=message, **fields)
        wait_over(person.api, run)
        return run
    alice, bob = shared_town.alice, shared_town.bob
    return {"rivers": made(alice, "say exactly: Quixotic RIVERS of 100%", agent="auto"),
            "failed": made(alice, "say exactly: quixotic failure", agent="fail-provider-error"),
            "bobs": made(bob, "say exactly: quixotic but of Bob", agent="auto"),
            "grüße": made(alice, "say exactly: QUIXOTIC GRÜSSE " + "ä" * 300, agent="asks")}


def found(api, library, query):
    """The names of the runs of the library that are found."""
    names = {run["run_id"]: name for name, run in library.items()}
    return [names[run_id] for run_id in ids(runs(api, query)) if run_id in names]


@pytest.mark.parametrize("query, names", [
    ("?q=quixotic", ["grüße", "failed", "rivers"]), ("?q=rivers", ["rivers"]), ("?q=100%25", ["rivers"]),
    ("?q=gr%C3%BC%C3%9Fe", []), ("?q=gr%C3%BCsse", ["grüße"]), ("?q=quixotic&status=failed", ["failed"]),
    ("?q=quixotic&agent=auto", ["rivers"]), ("?q=quixotic&agent=fail-provider-error", ["failed"]),
    ("?q=fail-prov", ["failed"]), ("?q=quixotic&status=completed", ["grüße", "rivers"]), ("?q=nothing%20has%20this", [])])
def test_search(town, library, query, names):
    assert found(town.alice.api, library, query) == names


def test_search_by_id(town, library):
    run = library["rivers"]
    for text in (run["run_id"], run["run_id"].split("_")[1], uuid_of(run["run_id"]), run["session_id"],
                 uuid_of(run["session_id"]).upper(), run["run_id"].lower()[8:]):
        assert found(town.alice.api, library, f"?q={text}") == ["rivers"], text


def test_a_failed_run_says_why(town, library):
    [item] = runs(town.alice.api, "?q=quixotic&status=failed")["items"]
    assert item["error"]["code"] == "PROVIDER_ERROR" and item["error"]["message"]


def test_the_text_is_its_beginning(town, library):
    [item] = runs(town.alice.api, "?q=gr%C3%BCsse")["items"]
    assert len(item["text"]) == 200 and item["text"].startswith("say exactly: QUIXOTIC GRÜSSE äää")


def test_everybody_sees_their_own(town, library):
    assert found(town.bob.api, library, "?q=quixotic") == ["bobs"]
    assert found(town.bob.api, library, "?q=quixotic&scope=all") == ["bobs"], "scope=all is for admins"
    assert found(town.ada.api, library, "?q=quixotic") == []
    assert found(town.ada.api, library, "?q=quixotic&scope=all") == ["grüße", "bobs", "failed", "rivers"]
    session = library["bobs"]["session_id"]
    assert runs(town.alice.api, f"?session_id={session}") == {"items": [], "next": None}
    assert ids(runs(town.ada.api, f"?session_id={session}&scope=all")) == [library["bobs"]["run_id"]]
    assert runs(town.ada.api, f"?session_id={session}&scope=all")["items"][0]["user_id"] == town.bob.user_id


def test_page_by_page(town, library):
    api = town.alice.api
    seen, query = [], "?q=quixotic&limit=1"
    page = runs(api, query)
    while page["next"]:
        seen += ids(page)
        assert len(page["items"]) == 1 and len(seen) < 50
        page = runs(api, f"{query}&before={uuid_of(page['next'])}")
    seen += ids(page)
    names = {run["run_id"]: name for name, run in library.items()}
    assert [names[run_id] for run_id in seen] == ["grüße", "failed", "rivers"]


def test_newest_first_while_runs_come(api):
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda n: start(api, message=f"say exactly: flock {n}", agent="auto")["run_id"], range(12)))
    page = runs(api, "?q=exactly:%20flock&limit=200")
    assert set(made) <= set(ids(page)) and ids(page) == sorted(ids(page), reverse=True)


@pytest.mark.parametrize("query", [
    "?status=over", "?status=", "?limit=0", "?limit=201", "?limit=x", "?before=x", "?session_id=x", "?scope=mine", "?q=%ff",
    "?q=" + "x" * 257])
def test_wrong_parameters(api, query):
    reply = api.call("GET", "/console/runs" + query)
    assert reply.status == 400 and set(reply.json) == {"error"}


def test_a_run_that_waits_and_one_after_a_restart(new_server):
    server = new_server()
    _, run, _ = server.api.ask_to_write()
    waiting = runs(server.api, "?status=waiting_approval")["items"]
    assert [item["run_id"] for item in waiting] == [run] and waiting[0]["ended_at"] is None
    server.restart(hard=True)
    assert ids(runs(server.api, "?status=waiting_approval")) == [run]
    assert runs(server.api, "?status=completed")["items"] == []


def test_other_methods_and_paths(api):
    reply = api.call("DELETE", "/console/runs")
    assert reply.status == 405 and reply.header("allow") == "GET, HEAD, POST" and set(reply.json) == {"error"}
    for path in ("/console", "/console/", "/console/nothing", "/console/runs/x"):
        reply = api.call("GET", path)
        assert reply.status == 404 and set(reply.json) == {"error"}, path
