"""The routes of the console (docs/console-api.md) as calls."""


def start(api, status=202, headers=(), **fields):
    reply = api.call("POST", "/console/runs", json=fields, headers=headers)
    assert reply.status == status, reply
    return reply.json


def runs(api, query=""):
    reply = api.call("GET", "/console/runs" + query)
    assert reply.status == 200, reply
    return reply.json


def ids(page):
    return [item["run_id"] for item in page["items"]]


def wait_over(api, run):
    return api.wait_over(run["session_id"], run["run_id"])


def messages(api, run):
    return [(m["role"], m["content"]) for m in api.call("GET", f"/sessions/{run['session_id']}").json["messages"]]
