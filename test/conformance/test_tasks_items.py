"""What a session holds: tasks, artifacts and data items by their own routes; and the shape of every error."""
import pytest
from tasks_scripts import TITLES, Script, artifact, data_item, planner

from braid_client.ids import UNKNOWN_ULID, UNKNOWN_UUID, spellings
from braid_client.people import bearer
from braid_client.tasks import Tasks, check_artifact, check_data_item, check_task, expect_error
from braid_client.upstream import Upstream

NAMES = {"Competitor Analysis": ("Competitor Analysis.md", "text/markdown"), "prices.csv": ("prices.csv", "text/plain"),
         "notes.md": ("notes.md", "text/markdown"), "index.html": ("index.html.txt", "text/plain"),
         "../../etc/passwd": ("_.._etc_passwd.md", "text/markdown"), 'a"b\r\nX-Evil: 1': ("a_b__X-Evil_ 1.md", "text/markdown")}
ODD = [UNKNOWN_UUID, UNKNOWN_ULID, "nonsense", "%00", "..%2f..%2fetc", "0" * 10_000, "-1"]


@pytest.fixture(scope="module")
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


def fill(server, upstream):
    """A session with three tasks that are done, eight artifacts and three data items."""
    script, work = Script(upstream), Tasks(server.api, agent="scripted")
    script.plan(*TITLES)
    work.plan("go")
    script.uses(*(artifact(name, "document", f"# {name}\n") for name in NAMES))
    script.uses(artifact("A note", "note", ""), artifact("A plan", "plan", "x"))
    script.uses(data_item("contact", name="Ann"), data_item("contact", name="Bob"), data_item("price", value=4, list=[1, None]))
    for title in TITLES:
        script.ends(f"{title} is done.")
    work.execute()
    return work


@pytest.fixture(scope="module")
def filled(upstream, tmp_path_factory):
    from braid_client.server import Server
    server = Server(tmp_path_factory.mktemp("items"), agents={"scripted": planner(upstream)},
                    environment={"UPSTREAM_KEY": "x"}).start()
    yield fill(server, upstream)
    assert server.alive(), server.log()[-4000:]
    server.kill()
    server.check_log()


# ---- tasks ----

@pytest.mark.clause("TASKS-38", "TASKS-30")
def test_tasks(filled):
    tasks = filled.tasks()
    assert [(task["title"], task["order"], task["status"]) for task in tasks] == [
        (title, number, "done") for number, title in enumerate(TITLES)]
    for task in tasks:
        for spelling in spellings(task["id"], prefix="")[:4]:
            assert check_task(filled.found(f"/tasks/{spelling}"), filled.id) == task
    assert filled.look()["tasks"] == tasks


@pytest.mark.clause("TASKS-38")
def test_a_task_before_anything_is_done(api):
    work = Tasks(api)
    assert work.tasks() == [] and work.found("/tasks") == {"tasks": []}
    work.plan("Plan the launch of our new product")
    for task in work.tasks():
        assert (task["status"], task["result"], task["reflection"]) == ("pending", None, None)


# ---- artifacts ----

@pytest.mark.clause("TASKS-39", "SESSIONS-13")
def test_artifacts(filled):
    listed = filled.artifacts()
    assert [item["name"] for item in listed] == [*NAMES, "A note", "A plan"], "the oldest first"
    assert all("content" not in item for item in listed) and filled.look()["artifacts"] == listed
    assert {item["taskId"] for item in listed} == {filled.tasks()[0]["id"]}
    for type, count in (("document", len(NAMES)), ("note", 1), ("plan", 1), ("summary", 0), ("other", 0)):
        found = filled.artifacts(f"?type={type}")
        assert found == [item for item in listed if item["type"] == type] and len(found) == count


@pytest.mark.clause("TASKS-39", "TASKS-43", "TASKS-47")
@pytest.mark.parametrize("query", ["/artifacts?type=", "/artifacts?type=Document", "/artifacts?type=file",
                                   "/artifacts?type=document,note", "/data-items?item_type=", "/data-items?item_type=%20",
                                   "/artifacts?type=%ff", "/tasks?a=%ff"])
def test_lists_that_cannot_be_asked_for(filled, query):
    expect_error(filled.get(query), 422, "VALIDATION_ERROR")
    expect_error(Tasks(filled.api, UNKNOWN_UUID).get(query), 422, "VALIDATION_ERROR")


@pytest.mark.clause("TASKS-40")
def test_an_artifact_with_its_content(filled):
    for item in filled.artifacts():
        for spelling in spellings(item["id"], prefix="")[:4]:
            whole = check_artifact(filled.found(f"/artifacts/{spelling}"), filled.id, content=True)
            assert {name: whole[name] for name in item} == item
    assert filled.artifact(filled.artifacts()[0]["id"])["content"] == "# Competitor Analysis\n"
    assert filled.artifact(filled.artifacts("?type=note")[0]["id"])["content"] == ""


@pytest.mark.clause("TASKS-41")
@pytest.mark.fault(8)
def test_downloads(filled):
    for item in filled.artifacts("?type=document"):
        file, media_type = NAMES[item["name"]]
        reply = filled.get(f"/artifacts/{item['id']}/download")
        assert reply.status == 200 and reply.body.decode() == f"# {item['name']}\n"
        assert reply.header("content-type") == f"{media_type}; charset=utf-8"
        assert reply.header("x-content-type-options") == "nosniff"
        assert reply.header("content-disposition").startswith(f'attachment; filename="{file}"; filename*=UTF-8\'\'')
        assert "x-evil" not in reply.headers
        head = filled.api.call("HEAD", f"{filled.path}/artifacts/{item['id']}/download")
        assert head.status == 200 and head.body == b""
        assert head.header("content-length") == str(len(reply.body))


@pytest.mark.clause("TASKS-42", "TASKS-44")
def test_deleting_an_artifact(filled, upstream):
    script = Script(upstream)
    work = Tasks(filled.api, agent="scripted")
    script.plan(*TITLES)
    work.plan("go")
    script.uses(artifact("One"), artifact("Two"))
    for title in TITLES:
        script.ends(title)
    work.execute()
    one, two = work.artifacts()
    reply = work.api.call("DELETE", f"{work.path}/artifacts/{one['id']}")
    assert reply.status == 204 and reply.body == b""
    assert work.artifacts() == [two] == work.look()["artifacts"]
    for gone in (work.get(f"/artifacts/{one['id']}"), work.get(f"/artifacts/{one['id']}/download"),
                 work.api.call("DELETE", f"{work.path}/artifacts/{one['id']}")):
        expect_error(gone, 404, "NOT_FOUND", "Artifact not found")
    assert work.tasks()[0]["status"] == "done"


# ---- data items ----

@pytest.mark.clause("TASKS-43", "SESSIONS-13")
def test_data_items(filled):
    listed = filled.data_items()
    assert [(item["itemType"], item["data"]) for item in listed] == [
        ("contact", {"name": "Ann"}), ("contact", {"name": "Bob"}), ("price", {"value": 4, "list": [1, None]})]
    assert filled.look()["dataItems"] == listed
    assert filled.data_items("?item_type=contact") == listed[:2] and filled.data_items("?item_type=price") == listed[2:]
    assert filled.data_items("?item_type=Contact") == []
    for item in listed:
        for spelling in spellings(item["id"], prefix="")[:4]:
            assert check_data_item(filled.found(f"/data-items/{spelling}"), filled.id) == item


# ---- what is not there ----

@pytest.mark.clause("TASKS-44", "TASKS-46", "COMMON-2")
@pytest.mark.fault(8)
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd[:20])
def test_unknown_things(filled, odd):
    for kind, name in (("tasks", "Task"), ("artifacts", "Artifact"), ("data-items", "Data item")):
        expect_error(filled.get(f"/{kind}/{odd}"), 404, "NOT_FOUND", f"{name} not found")
        nowhere = Tasks(filled.api, odd)
        expect_error(nowhere.get(f"/{kind}"), 404, "NOT_FOUND", "Session not found")
        expect_error(nowhere.get(f"/{kind}/{filled.tasks()[0]['id']}"), 404, "NOT_FOUND", "Session not found")
    expect_error(filled.get(f"/artifacts/{odd}/download"), 404, "NOT_FOUND", "Artifact not found")
    expect_error(filled.api.call("DELETE", f"{filled.path}/artifacts/{odd}"), 404, "NOT_FOUND", "Artifact not found")


@pytest.mark.clause("TASKS-44")
def test_things_of_another_session(filled):
    other = Tasks(filled.api)
    expect_error(other.get(f"/tasks/{filled.tasks()[0]['id']}"), 404, "NOT_FOUND", "Task not found")
    made, item = filled.artifacts()[0]["id"], filled.data_items()[0]["id"]
    expect_error(other.get(f"/artifacts/{made}"), 404, "NOT_FOUND", "Artifact not found")
    expect_error(other.get(f"/artifacts/{made}/download"), 404, "NOT_FOUND", "Artifact not found")
    expect_error(other.api.call("DELETE", f"{other.path}/artifacts/{made}"), 404, "NOT_FOUND", "Artifact not found")
    expect_error(other.get(f"/data-items/{item}"), 404, "NOT_FOUND", "Data item not found")
    assert filled.artifact(made)


# ---- the shape of errors ----

@pytest.mark.clause("TASKS-46", "TASKS-47", "COMMON-28", "COMMON-29")
@pytest.mark.fault(7)
@pytest.mark.parametrize("below, allowed", [
    ("chat", {"POST"}), ("execute", {"POST"}), ("tasks", {"GET", "HEAD"}), ("tasks/x", {"GET", "HEAD"}),
    ("artifacts", {"GET", "HEAD"}), ("artifacts/x", {"GET", "HEAD", "DELETE"}), ("artifacts/x/download", {"GET", "HEAD"}),
    ("data-items", {"GET", "HEAD"}), ("data-items/x", {"GET", "HEAD"})])
def test_methods(api, below, allowed):
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "BREW"} - allowed:
        reply = api.call(method, f"/sessions/{UNKNOWN_UUID}/{below}")
        expect_error(reply, 405, "METHOD_NOT_ALLOWED")
        assert {name.strip() for name in reply.header("allow").split(",")} == allowed
    if "HEAD" not in allowed:
        reply = api.call("HEAD", f"/sessions/{UNKNOWN_UUID}/{below}")
        assert reply.status == 405 and reply.header("allow") == "POST"


@pytest.mark.clause("TASKS-46", "COMMON-28", "SESSIONS-11")
@pytest.mark.fault(7)
def test_unknown_routes(api):
    for below in ("tasks/x/y", "artifacts/x/y", "artifacts/x/download/y", "data-items/x/y", "chat/x", "execute/x", "tasks/"):
        reply = api.call("GET", f"/sessions/{UNKNOWN_UUID}/{below}")
        expect_error(reply, 404, "NOT_FOUND")
    reply = api.call("GET", f"/sessions/{UNKNOWN_UUID}/nothing")
    assert reply.status == 404 and set(reply.json) == {"error"}, "what is below a session and no route of tasks"


@pytest.mark.clause("TASKS-47", "TASKS-46", "COMMON-38", "COMMON-30", "COMMON-31")
@pytest.mark.fault(4, 24)
def test_what_the_server_refuses_before_it_looks(api, town):
    work = Tasks(api)
    for what in ("chat", "execute"):
        expect_error(work.open(what, body=b'{"message":"' + b"x" * (1 << 20) + b'"}'), 413, "PAYLOAD_TOO_LARGE")
        expect_error(work.api.call("POST", f"{work.path}/{what}", host="evil.test"), 403, "FORBIDDEN")
        expect_error(work.open(what, headers=[("Origin", "https://evil.test")]), 403, "FORBIDDEN")
        expect_error(Tasks(town.nobody, work.id).open(what), 401, "UNAUTHORIZED")
        expect_error(Tasks(town.nobody.showing(bearer("wrong")), work.id).open(what), 401, "UNAUTHORIZED")
    for below in ("/tasks", "/tasks/x", "/artifacts", "/artifacts/x", "/artifacts/x/download", "/data-items", "/data-items/x"):
        expect_error(Tasks(town.nobody, work.id).get(below), 401, "UNAUTHORIZED")
    assert work.runs() == []


@pytest.mark.clause("TASKS-47", "COMMON-71")
@pytest.mark.fault(43)
def test_too_many_runs(new_town):
    town = new_town(limits={"user_run_starts_per_minute_max": 6})
    work = Tasks(town.alice.api)
    work.plan("Help me")
    reply = work.open("chat", json={"message": "Help me"})
    expect_error(reply, 429, "RATE_LIMITED")
    assert int(reply.header("retry-after")) >= 1


# ---- over a restart ----

@pytest.mark.clause("TASKS-45", "COMMON-49")
@pytest.mark.parametrize("hard", [False, True], ids=["orderly", "kill -9"])
def test_all_of_it_outlives_a_restart(new_server, upstream, hard):
    server = new_server(agents={"scripted": planner(upstream)}, environment={"UPSTREAM_KEY": "x"})
    work = fill(server, upstream)
    gone = work.artifacts()[-1]["id"]
    assert work.api.call("DELETE", f"{work.path}/artifacts/{gone}").status == 204
    before = work.look(), [work.artifact(item["id"]) for item in work.artifacts()]
    server.restart(hard=hard)
    work = work.again(server.api)
    assert (work.look(), [work.artifact(item["id"]) for item in work.artifacts()]) == before
    expect_error(work.get(f"/artifacts/{gone}"), 404, "NOT_FOUND")
    assert server.api.call("DELETE", work.path).status == 204
    for below in ("/tasks", "/artifacts", "/data-items", f"/artifacts/{before[1][0]['id']}"):
        expect_error(work.get(below), 404, "NOT_FOUND", "Session not found")
