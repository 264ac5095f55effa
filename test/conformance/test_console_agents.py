"""What the console tells of agents, how their tools are tried, and the figures of the server (docs/console-api.md)."""
from braid_client.agents import agent
from braid_client.console import messages, runs, start, wait_over
from braid_client.waiting import wait_for

ORDERS = agent("orders", tools=("calculator", "file_write", "file_read"),
               approval="{default: ask, tools: {file_read: deny}}").replace("bluewhale", "heron")


def agents(api):
    reply = api.call("GET", "/console/agents")
    assert reply.status == 200, reply
    return {item["name"]: item for item in reply.json["agents"]}, reply.json["faults"]


def test_what_an_agent_is_made_of(new_server):
    server = new_server(agents={"orders": ORDERS})
    found, faults = agents(server.api)
    assert faults == [] and not any(name.startswith("try:") for name in found)
    orders = found["orders"]
    assert orders["yaml"] == ORDERS and orders["file"] == "orders.yaml"
    assert (orders["provider"], orders["model"], orders["style"]) == ("offline", "offline", "tools")
    policies = {tool["name"]: tool["policy"] for tool in orders["tools"]}
    assert policies == {"calculator": "auto", "file_write": "ask", "file_read": "deny"}
    [calculator] = [tool for tool in orders["tools"] if tool["name"] == "calculator"]
    assert calculator["parameters"]["properties"]["expression"] and calculator["writes"] is False
    assert found["writer"]["file"] is None and found["writer"]["yaml"].startswith("name: writer\n")
    assert found["writer"]["default_of"] == ["runs"] and found["analyst"]["style"] == "code"
    assert "set_tasks" in {tool["name"] for tool in found["planner"]["tools"]}


def test_a_file_at_fault_is_shown(new_server):
    server = new_server(agents={"orders": ORDERS})
    server.write_agent("orders", ORDERS + "colour: blue\n")
    def at_fault():
        return agents(server.api)[1]
    [fault] = wait_for(at_fault, "the fault")
    assert fault["file"] == "orders.yaml" and fault["kept"] == "orders" and "colour" in fault["lines"][0]
    assert agents(server.api)[0]["orders"]["yaml"] == ORDERS, "the text that counts"
    server.write_agent("orders", ORDERS.replace("for tests", "for you"))
    wait_for(lambda: not at_fault(), "the end of the fault")
    assert "for you" in agents(server.api)[0]["orders"]["yaml"]


def test_texts_are_for_admins(town):
    for person, may in ((town.alice, False), (town.ada, True)):
        found, faults = agents(person.api)
        assert faults == []
        assert all((item["yaml"] is not None) == may for item in found.values())
        assert found["asks"]["tools"]


# ---- trying a tool ----

def try_tool(api, message, name="assistant"):
    return start(api, agent="try:" + name, message=message)


def answer(api, run):
    assert wait_over(api, run)["status"] == "completed"
    return messages(api, run)[-1][1]


def test_try_a_tool(api):
    run = try_tool(api, 'call calculator {"expression": "6*7"}')
    assert answer(api, run) == "calculator gave:\n\n```\n42\n```"
    [item] = runs(api, f"?q={run['run_id']}")["items"]
    assert item["agent"] == "try:assistant"
    assert "try:assistant" not in {a["name"] for a in api.call("GET", "/agents").json["agents"]}


def test_a_tool_of_an_agent_that_writes_code(api):
    assert "42" in answer(api, try_tool(api, 'call calculator {"expression": "6*7"}', "analyst"))


def test_a_tool_that_asks_asks(api):
    run = try_tool(api, 'call file_write {"path": "a.txt", "content": "hi"}', "asks")
    [approval] = api.wait_pending(run["session_id"])
    assert approval["args"] == {"path": "a.txt", "content": "hi"} and api.files(run["session_id"]) == {}
    assert api.approve(run["session_id"], approval["approval_id"]).status == 200
    assert "a.txt" in answer(api, run) and api.files(run["session_id"]) == {"a.txt": 2}


def test_wrong_arguments_and_tools_that_are_not_there(api):
    assert "expression" in answer(api, try_tool(api, 'call calculator {"wrong": 1}'))
    assert "gave:" not in answer(api, try_tool(api, 'call teleport {"to": "Rome"}'))
    assert "gave:" not in answer(api, try_tool(api, "call calculator nothing"))


def test_a_trial_survives_a_restart(new_server):
    server = new_server()
    run = try_tool(server.api, 'call file_write {"path": "a.txt", "content": "hi"}', "asks")
    [approval] = server.api.wait_pending(run["session_id"])
    server.restart(hard=True)
    assert server.api.approve(run["session_id"], approval["approval_id"]).status == 200
    assert "a.txt" in answer(server.api, run)


# ---- figures ----

def figures(api):
    reply = api.call("GET", "/console/system")
    assert reply.status == 200, reply
    return reply.json


def metrics(api):
    """Name with labels -> value."""
    lines = api.call("GET", "/metrics").body.decode().splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}


def test_figures_count(new_server):
    server = new_server()
    api = server.api
    before = figures(api)
    assert (before["events_total"], before["runs_completed_total"], before["runs_failed_total"]) == (0, 0, 0)
    assert before["version"] and before["resident_bytes"] > 1 << 20 and before["store_healthy"] and not before["draining"]
    done = start(api, message="say exactly: one two three", agent="auto")
    wait_over(api, done)
    wait_over(api, start(api, message="x", agent="fail-provider-error"))
    stopped = start(api, message="a long story about rivers", agent="very-slow")
    assert figures(api)["runs_open"] == 1
    api.interrupt(stopped["session_id"], stopped["run_id"])
    wait_over(api, stopped)
    now = figures(api)
    assert (now["runs_completed_total"], now["runs_failed_total"], now["runs_interrupted_total"]) == (1, 1, 1)
    assert now["events_total"] == sum(item["events"] for item in runs(api)["items"])
    assert 3 <= now["commits_total"] <= now["events_total"]
    buckets = now["commit_us"]
    assert buckets[-1] == {"le": None, "count": now["commits_total"]}
    assert [b["count"] for b in buckets] == sorted(b["count"] for b in buckets)
    assert now["requests_total"] > before["requests_total"] and now["sent_bytes_total"] > before["sent_bytes_total"]
    assert now["at"] > before["at"]


def test_the_same_figures_in_metrics(new_server):
    server = new_server()
    api = server.api
    wait_over(api, start(api, message="say exactly: one two three", agent="auto"))
    now, seen = figures(api), metrics(api)
    assert seen["braidlog_events_total"] == now["events_total"] > 0
    assert seen["braidlog_commits_total"] == now["commits_total"] == seen["braidlog_commit_seconds_count"]
    assert seen['braidlog_commit_seconds_bucket{le="+Inf"}'] == now["commits_total"]
    assert seen["braidlog_commit_seconds_sum"] > 0
    assert seen['braidlog_runs_ended_total{status="completed"}'] == 1
    assert seen['braidlog_runs_ended_total{status="failed"}'] == 0


def test_figures_are_for_admins(town):
    assert figures(town.ada.api)["version"]
    reply = town.alice.api.call("GET", "/console/system")
    assert reply.status == 403 and set(reply.json) == {"error"}
    assert town.nobody.call("GET", "/console/system").status == 401
