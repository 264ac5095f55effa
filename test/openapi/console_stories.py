"""What can be asked of the console's routes and what they answer."""
import re

from live import story
from live_bodies import FORM, form_of
from stories import LONG, UNKNOWN, expect, planned, wait_over


@story
def files_of_the_console(live):
    nobody = live.visitor()
    page = expect(nobody.head("/"), 200).body.decode()
    assets = re.findall(r'(?:src|href)="(/assets/[^"]+)"', page)
    assert assets, page
    for path in ("/", "/favicon.svg", *assets):
        tag = expect(nobody.head(path), 200).header("etag")
        expect(nobody.head(path, headers=[("If-None-Match", tag)]), 304)
    expect(nobody.head("/assets/nothing.js"), 404)


@story
def runs_of_the_console(live):
    alice, ruth = live.visitor("alice"), live.visitor("ruth")
    key = [("Idempotency-Key", "console")]
    body = {"message": "say exactly: over the sea", "agent": "auto"}
    run = expect(alice.ask("POST", "/console/runs", json=body, headers=key), 202).json
    expect(alice.ask("POST", "/console/runs", json={**body, "message": "other"}, headers=key), 409)
    assert wait_over(alice, run["run_id"]) == "completed"
    expect(alice.ask("POST", "/console/runs", body=form_of("What is in this file?", "hello.txt"), headers=[FORM]), 202)
    busy = expect(alice.ask("POST", "/console/runs", json={"message": LONG, "agent": "very-slow"}), 202).json
    expect(alice.ask("POST", "/console/runs", json={"message": "x", "session_id": busy["session_id"]}), 409)
    expect(alice.ask("POST", "/console/runs", json={"message": "x", "session_id": UNKNOWN}), 404)
    expect(alice.ask("POST", "/console/runs", json={"message": "x", "agent": "nobody"}), 404)
    expect(alice.ask("POST", "/console/runs", json={}), 400)
    plan = planned(alice)
    assert wait_over(alice, expect(
        alice.ask("POST", "/console/runs", json={"way": "execute", "session_id": plan}), 202).json["run_id"]) == "completed"
    failed = expect(alice.ask("POST", "/console/runs", json={"message": "x", "agent": "fail-provider-error"}), 202).json
    wait_over(alice, failed["run_id"])
    assert expect(alice.head("/console/runs?q=over+the+sea"), 200).json["items"]
    assert expect(alice.head("/console/runs?status=failed&limit=1"), 200).json["items"][0]["error"]
    assert expect(alice.ask("GET", "/console/runs?limit=1"), 200).json["next"]
    expect(ruth.ask("GET", "/console/runs?scope=all"), 200)
    expect(alice.head("/console/runs?limit=0"), 400)
    expect(alice.ask("DELETE", f"/sessions/{busy['session_id']}"), 204)


@story
def agents_and_figures_of_the_console(live):
    alice, ruth = live.visitor("alice"), live.visitor("ruth")
    assert expect(alice.head("/console/agents"), 200).json["agents"]
    assert expect(ruth.ask("GET", "/console/agents"), 200).json["agents"][0]["yaml"]
    expect(alice.head("/console/agents?a=%ff"), 400)
    figures = expect(ruth.ask("GET", "/console/system"), 200).json
    assert figures["commit_us"][-1]["count"] == figures["commits_total"]
    expect(ruth.ask("HEAD", "/console/system"), 200)
    expect(ruth.head("/console/system?a=%ff"), 400)
    expect(alice.head("/console/system"), 403)
