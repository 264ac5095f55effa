"""What an admin may do with what others have: read it, decide about it, and nothing else."""
import json
import re

import pytest

from braid_client.conversation import expect_detail
from braid_client.frames import joined, of_type
from braid_client.ids import UNKNOWN_UUID, ulid_of, uuid_of
from braid_client.invariants import TIME
from braid_client.people import Person


def looked(town, since):
    """Lines of the log, after the first `since` characters, that say that ada looked at alice's work."""
    pattern = rf'admin[^\n]*"?{town.ada.user_id}"?[^\n]*"?{town.alice.user_id}"?'
    return re.findall(pattern, town.server.log()[since:])


# ---- reading ----

@pytest.mark.clause("IDENTITY-23", "IDENTITY-25")
def test_reading_is_recorded(town):
    told = town.alice.talk.say("say exactly: private")
    before = len(town.server.log())
    assert town.ada.talk.get(told.id).json["conversation"][-1]["content"] == "private"
    assert joined(town.ada.talk.replay(told)) == told.bytes
    town.server.wait_log(rf"{town.ada.user_id}")
    assert looked(town, before), "who looked, and whose it was"
    before = len(town.server.log())
    assert town.alice.talk.get(told.id).status == 200
    assert town.bob.talk.get(told.id).status == 404
    assert not looked(town, before), "the owner's own look is nobody's business"


@pytest.mark.clause("IDENTITY-23")
def test_a_live_stream_is_read_by_the_admin(town):
    alice, ada = town.alice.api, town.ada.api
    session = alice.session(agent="slow")
    run = alice.start(session, "tell me something about rivers")
    with ada.stream(session, run) as stream:
        stream.read_to_end()
    assert stream.end == "clean" and stream.frames == alice.read(session, run)


# ---- deciding ----

@pytest.mark.clause("IDENTITY-23", "IDENTITY-25", "RUNS-29", "RUNS-30")
@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_the_admin_decides(town, decision):
    alice, ada = town.alice.api, town.ada.api
    session, run, approval = alice.ask_to_write()
    [pending] = ada.pending(session)
    assert pending["approval_id"] == approval
    assert ada.get("/approvals").json["items"] == [] or approval not in json.dumps(ada.get("/approvals").json)
    before = len(town.server.log())
    reply = ada.post(f"/sessions/{session}/approvals/{approval}/{decision}")
    assert reply.status == 200 and reply.json["status"] == {"approve": "approved", "reject": "rejected"}[decision]
    assert looked(town, before)
    frames = alice.read(session, run)
    assert len(of_type(frames, "tool_call_approved")) == (decision == "approve")
    assert list(alice.files(session)) == (["haiku.md"] if decision == "approve" else [])
    assert alice.approve(session, approval).status == 409, "decided once"


@pytest.mark.clause("IDENTITY-24")
def test_an_admins_decision_takes_no_more_than_the_approval(town):
    """apply_to_future is part of a decision; the session's own setting is not."""
    alice, ada = town.alice.api, town.ada.api
    session, run, approval = alice.ask_to_write()
    assert ada.post(f"/sessions/{session}/settings/auto-approve", json={"enabled": True}).status == 404
    assert alice.get(f"/sessions/{session}").json["settings"] == {"auto_approve": False}
    assert ada.interrupt(session, run).status == 404
    assert alice.look(session, run)["status"] == "waiting_approval"
    assert ada.approve(session, approval).status == 200
    alice.wait_over(session, run)


# ---- nothing else ----

@pytest.mark.clause("IDENTITY-24")
def test_the_admin_does_not_speak_for_others(town):
    told = town.alice.talk.say("say exactly: mine")
    before = town.alice.talk.get(told.id).json
    ada = town.ada.talk
    expect_detail(ada.try_stream("me too", conversation_id=told.id), 404, "Conversation not found")
    expect_detail(ada.ask("me too", conversation_id=told.id), 404, "Conversation not found")
    expect_detail(ada.rename(told.id, "Seized"), 404, "Conversation not found")
    expect_detail(ada.delete(told.id), 404, "Conversation not found")
    assert ada.try_stream(body=b"", last=told.frames[0].id).status == 204, "resuming is for the caller's own"
    assert town.alice.talk.get(told.id).json == before


@pytest.mark.clause("IDENTITY-24", "COMMON-62")
def test_a_key_of_another_is_no_key(town):
    key = [("Idempotency-Key", "admins-too")]
    hers = town.alice.talk.say("say exactly: hers", headers=key)
    his = town.ada.talk.say("say exactly: his", headers=key)
    assert his.text == "his" and his.id != hers.id


# ---- everybody's lists ----

LISTS = {"/sessions?limit=100": "sessions", "/api/v1/sessions": "items", "/agent/history?limit=100": "history",
         "/api/v1/approvals": "items"}


@pytest.mark.clause("IDENTITY-22", "IDENTITY-26")
@pytest.mark.parametrize("path", LISTS)
def test_lists_of_everybody(town, path):
    sessions = {}
    for person in (town.alice, town.bob, town.ada):
        sessions[person.name] = person.api.ask_to_write()[0]
    scope = path + ("&" if "?" in path else "?") + "scope=all"

    def seen(person, target):
        reply = person.api.call("GET", target)
        assert reply.status == 200, reply
        text = json.dumps(reply.json[LISTS[path]])
        return {name for name, session in sessions.items()
                if session in text or uuid_of(session) in text or ulid_of(uuid_of(session)) in text}

    for person in (town.alice, town.bob, town.ada):
        assert seen(person, path) == {person.name}
    assert seen(town.ada, scope) == {"alice", "bob", "ada"}
    for person in (town.alice, town.bob):
        assert seen(person, scope) == {person.name}, "for a user `all` is all there is"
    for person in (town.alice, town.bob, town.ada):
        for run in person.api.get(f"/sessions/{sessions[person.name]}/runs").json["items"]:
            person.api.interrupt(sessions[person.name], run["run_id"])


@pytest.mark.clause("IDENTITY-26")
@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("scope", ["mine", "", "ALL", "all%20"])
def test_no_other_scope(town, path, scope):
    status = 422 if path.startswith("/agent/") else 400
    for person in (town.alice, town.ada):
        assert person.api.call("GET", path + ("&" if "?" in path else "?") + f"scope={scope}").status == status


# ---- alerts ----

@pytest.mark.clause("IDENTITY-28")
def test_the_alerts(town):
    told = [town.alice.talk.say("Please alert the admin: the printer is on fire"),
            town.bob.talk.say("Alert the admin with high priority: it smells of smoke")]
    tickets = [answer.of("tool_end")[0]["result"]["ticket_id"] for answer in told]
    reply = town.ada.api.call("GET", "/alerts")
    assert reply.status == 200 and list(reply.json) == ["alerts"]
    alerts = reply.json["alerts"]
    assert [alert["ticket"] for alert in alerts] == sorted((alert["ticket"] for alert in alerts), reverse=True)
    newest, older = alerts[:2]
    assert [newest["ticket"], older["ticket"]] == tickets[::-1]
    for alert, answer, person, message, priority in (
            (older, told[0], town.alice, "the printer is on fire", "normal"),
            (newest, told[1], town.bob, "it smells of smoke", "high")):
        assert set(alert) == {"ticket", "created_at", "user_id", "session_id", "run_id", "message", "priority"}
        assert TIME.match(alert["created_at"]) and alert["user_id"] == person.user_id
        assert alert["session_id"] == answer.id and alert["run_id"] == uuid_of(answer.run)
        assert alert["message"] == message and alert["priority"] == priority
    assert [alert["ticket"] for alert in town.ada.api.call("GET", "/alerts?limit=1").json["alerts"]] == tickets[1:]


@pytest.mark.clause("IDENTITY-28")
@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "limit="])
def test_alerts_that_cannot_be_asked_for(town, query):
    expect_detail(town.ada.api.call("GET", "/alerts?" + query), 422)


@pytest.mark.clause("IDENTITY-28", "IDENTITY-27")
def test_alerts_and_figures_are_for_admins(town):
    for path in ("/alerts", "/metrics"):
        assert town.nobody.call("GET", path).status == 401
        for person in (town.alice, town.bob):
            assert person.api.call("GET", path).status == person.by_cookie.call("GET", path).status == 403
        assert town.ada.api.call("GET", path).status == town.ada.by_cookie.call("GET", path).status == 200
    expect_detail(town.alice.api.call("GET", "/alerts"), 403)


@pytest.mark.clause("IDENTITY-28", "COMMON-49")
def test_alerts_outlive_a_restart(new_town):
    town = new_town()
    town.alice.talk.say("Please alert the admin: remember this")
    before = town.ada.api.call("GET", "/alerts").json
    town.server.restart(hard=True)
    assert town.ada.api.call("GET", "/alerts").json == before and len(before["alerts"]) == 1


# ---- the role itself ----

@pytest.mark.clause("IDENTITY-5", "IDENTITY-23")
def test_a_role_is_given_with_the_user(new_town):
    town = new_town()
    roles = {person.name: person.api.call("GET", "/auth/me").json["role"] for person in (town.alice, town.bob, town.ada)}
    assert roles == {"alice": "user", "bob": "user", "ada": "admin"}
    second = Person(town.server, "zoe", admin=True)
    told = town.alice.talk.say("say exactly: hi")
    assert second.talk.get(told.id).status == 200
    assert second.talk.get(UNKNOWN_UUID).status == 404
    assert town.ada.talk.get(second.talk.say("say exactly: admins read admins").id).status == 200
