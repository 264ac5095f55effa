"""Sessions at the root of the server: made, listed, looked at, renamed and deleted, whatever contract uses them."""
import datetime
import json

import pytest

from braid_client.chat import Chat
from braid_client.frames import of_type
from braid_client.ids import UNKNOWN_ULID, UNKNOWN_UUID, UUID, session_id, spellings, uuid_of
from braid_client.invariants import TIME
from braid_client.people import Person
from braid_client.waiting import wait_for

SESSION = ["id", "session_id", "title", "status", "createdAt", "updatedAt"]
NOT_FOUND = {"error": "Session not found"}


def iso_now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def expect_text_error(reply, status, text=None):
    """{"error":"text"}, the shape of these routes."""
    assert reply.status == status, reply
    assert reply.header("content-type", "").startswith("application/json"), reply
    assert list(reply.json) == ["error"] and isinstance(reply.json["error"], str) and reply.json["error"], reply
    if text is not None:
        assert reply.json["error"] == text


def check_session(value, more=()):
    assert list(value) == [*SESSION, *more], value
    assert UUID.match(value["id"]) and value["session_id"] == value["id"], value
    assert value["status"] in ("planning", "executing", "completed"), value
    assert TIME.match(value["createdAt"]) and TIME.match(value["updatedAt"]), value
    assert value["createdAt"] <= value["updatedAt"], value
    return value


class Sessions:
    """The routes, for one person."""

    def __init__(self, person):
        self.person, self.api = person, person.api

    def make(self, **fields):
        reply = self.api.call("POST", "/sessions", json=fields)
        assert reply.status == 201, reply
        return check_session(reply.json)

    def make_in_turn(self, count):
        """Each in a millisecond of its own, so that there is an order to expect."""
        made = [self.make(title="number 0")]
        while len(made) < count:
            wait_for(lambda: iso_now() > made[-1]["updatedAt"], "the next millisecond", interval=0.0005)
            made.append(self.make(title=f"number {len(made)}"))
        wait_for(lambda: iso_now() > made[-1]["updatedAt"], "the next millisecond", interval=0.0005)
        return [session["id"] for session in made]

    def get(self, id, **options):
        return self.api.call("GET", f"/sessions/{id}", **options)

    def rename(self, id, **fields):
        return self.api.call("PATCH", f"/sessions/{id}", json=fields)

    def delete(self, id):
        return self.api.call("DELETE", f"/sessions/{id}")

    def list(self, query=""):
        reply = self.api.call("GET", "/sessions" + query)
        assert reply.status == 200, reply
        assert list(reply.json) == ["sessions", "total"], reply.json
        for item in reply.json["sessions"]:
            check_session(item)
        return reply.json


@pytest.fixture
def sessions(alice):
    return Sessions(alice)


# ---- making ----

@pytest.mark.clause("SESSIONS-1", "COMMON-3")
@pytest.mark.parametrize("body", [None, b"", b"{}", b'{"title":null,"agent":null}'])
def test_a_new_session(sessions, body):
    reply = sessions.api.call("POST", "/sessions", body=body)
    assert reply.status == 201
    made = check_session(reply.json)
    assert made["title"] == "New Session" and made["status"] == "planning"
    assert made["createdAt"] == made["updatedAt"]
    assert sessions.get(made["id"]).json["messages"] == []


@pytest.mark.clause("SESSIONS-1", "SESSIONS-3")
@pytest.mark.parametrize("title", ["Trip to \"Ulm\"", "\u2028 odd 😀 \\", "x" * 200, "😀" * 200],
                         ids=lambda title: ascii(title)[:20])
def test_a_title(sessions, title):
    made = sessions.make(title=title)
    assert made["title"] == title == sessions.get(made["id"]).json["title"]


@pytest.mark.clause("SESSIONS-2", "COMMON-58")
def test_the_agent_of_a_session(alice, sessions):
    made = sessions.make(agent="counts")
    assert alice.talk.say("hello", conversation_id=made["id"]).start["tool_names"] == ["calculator", "current_datetime"]
    assert alice.api.get(f"/sessions/{made['id']}").json["agent"] == "counts"
    none = sessions.make()
    told = alice.talk.say("hello", conversation_id=none["id"])
    assert told.start["tool_names"] == ["system_status", "alert_admin"], "without one, the contract's own"


@pytest.mark.clause("SESSIONS-2")
def test_an_agent_that_is_not_there(sessions):
    before = sessions.list("?limit=1")["total"]
    expect_text_error(sessions.api.call("POST", "/sessions", json={"agent": "nobody-has-this-name"}), 404)
    assert sessions.list("?limit=1")["total"] == before


@pytest.mark.clause("SESSIONS-3")
@pytest.mark.fault(5)
@pytest.mark.parametrize("fields", [{"title": ""}, {"title": " \n"}, {"title": 7}, {"title": ["x"]}, {"title": {}},
                                    {"title": True}, {"title": "x" * 201}, {"title": "a\u0000b"}, {"agent": 7},
                                    {"agent": ["writer"]}])
def test_fields_that_break_a_rule(sessions, fields):
    expect_text_error(sessions.api.call("POST", "/sessions", json=fields), 400)


@pytest.mark.clause("SESSIONS-3")
@pytest.mark.fault(5, 6)
@pytest.mark.parametrize("body", [b"hello", b'{"title":', b"[]", b"null", b'"x"', b'{"title":"caf\xe9"}',
                                  b'{"title":"\\ud800"}', b'{"title":"a","title":"b"}', b"[" * 100_000, b"{}x"],
                         ids=lambda body: repr(body)[:30])
def test_bodies_that_are_no_json(sessions, body):
    expect_text_error(sessions.api.call("POST", "/sessions", body=body), 400)
    expect_text_error(sessions.api.call("PATCH", f"/sessions/{UNKNOWN_UUID}", body=body), 400)


@pytest.mark.clause("SESSIONS-3", "COMMON-38")
@pytest.mark.fault(4)
def test_a_body_over_its_limit(sessions):
    body = json.dumps({"title": "x" * (1 << 20)}).encode()
    expect_text_error(sessions.api.call("POST", "/sessions", body=body), 413)


# ---- listing ----

@pytest.fixture(scope="module")
def frank(shared_town):
    """Somebody with five sessions, the first of them touched last."""
    person = Person(shared_town.server, "frank")
    made = Sessions(person)
    person.made = made.make_in_turn(5)
    assert made.rename(person.made[0], title="renamed").status == 200
    person.order = [person.made[index] for index in (0, 4, 3, 2, 1)]
    return person


@pytest.mark.clause("SESSIONS-4", "IDENTITY-22")
def test_the_list(frank):
    listed = Sessions(frank).list()
    assert [item["id"] for item in listed["sessions"]] == frank.order, "the last updated first"
    assert listed["total"] == 5
    for item in listed["sessions"]:
        alone = Sessions(frank).get(item["id"]).json
        assert {name: alone[name] for name in SESSION} == item


@pytest.mark.clause("SESSIONS-4")
@pytest.mark.parametrize("limit, offset", [(1, 0), (2, 0), (2, 2), (2, 4), (100, 0), (100, 4), (3, 5), (1, 1_000_000)])
def test_pages(frank, limit, offset):
    listed = Sessions(frank).list(f"?limit={limit}&offset={offset}")
    assert [item["id"] for item in listed["sessions"]] == frank.order[offset:offset + limit]
    assert listed["total"] == 5


@pytest.mark.clause("SESSIONS-4")
def test_twenty_without_a_limit(shared_town):
    grace = Sessions(Person(shared_town.server, "grace"))
    for _ in range(21):
        grace.make()
    assert len(grace.list()["sessions"]) == 20 and grace.list()["total"] == 21
    assert len(grace.list("?offset=20")["sessions"]) == 1


@pytest.mark.clause("SESSIONS-4")
@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=-1", "limit=x", "limit=", "limit=2.5", "offset=-1",
                                   "offset=x", "offset=", "limit=99999999999999999999", "status=sleeping", "status="])
def test_a_list_that_cannot_be_asked_for(sessions, query):
    expect_text_error(sessions.api.call("GET", "/sessions?" + query), 400)


@pytest.mark.clause("SESSIONS-5")
def test_the_list_by_status(frank):
    assert Sessions(frank).list("?status=planning")["total"] == 5
    for status in ("executing", "completed"):
        assert Sessions(frank).list(f"?status={status}") == {"sessions": [], "total": 0}


@pytest.mark.clause("SESSIONS-4", "COMMON-57")
def test_sessions_of_every_contract_are_listed(alice, sessions):
    by_runs = uuid_of(alice.api.session())
    by_talk = alice.talk.say("say exactly: one").id
    by_chat = uuid_of(Chat(alice.api).ask("say exactly: two").session_id)
    [plain] = sessions.make_in_turn(1)
    assert [item["id"] for item in sessions.list("?limit=4")["sessions"]] == [plain, by_chat, by_talk, by_runs]


# ---- looking ----

@pytest.mark.clause("SESSIONS-6", "SESSIONS-7")
def test_looking_at_a_session(alice, sessions):
    made = sessions.make(title="Looked at")
    alice.talk.say("say exactly: one", conversation_id=made["id"])
    alice.talk.say("say exactly: two", conversation_id=made["id"])
    for spelling in spellings(made["id"]):
        reply = sessions.get(spelling)
        assert reply.status == 200
        seen = check_session(reply.json, ("tasks", "messages", "artifacts", "dataItems", "activeRunId"))
        assert seen["id"] == made["id"] and seen["title"] == "Looked at" and seen["createdAt"] == made["createdAt"]
        assert seen["tasks"] == [] and seen["artifacts"] == [] and seen["dataItems"] == []
        assert seen["activeRunId"] is None
        assert [(message["role"], message["content"]) for message in seen["messages"]] == [
            ("user", "say exactly: one"), ("assistant", "one"), ("user", "say exactly: two"), ("assistant", "two")]
        for message in seen["messages"]:
            assert list(message) == ["id", "role", "content", "createdAt"]
            assert UUID.match(message["id"]) and TIME.match(message["createdAt"])
        assert len({message["id"] for message in seen["messages"]}) == 4
    assert seen["updatedAt"] > made["updatedAt"], "a run moves it to the front"


@pytest.mark.clause("SESSIONS-6")
def test_a_session_with_a_live_run(alice, sessions):
    made = sessions.make(agent="asks")
    _, run, approval = alice.api.ask_to_write(session_id=made["id"])
    assert sessions.get(made["id"]).json["activeRunId"] == uuid_of(run)
    assert alice.api.approve(made["id"], approval).status == 200
    alice.api.wait_over(made["id"], run)
    assert sessions.get(made["id"]).json["activeRunId"] is None


# ---- renaming ----

@pytest.mark.clause("SESSIONS-8")
def test_a_new_title(sessions):
    made, other = (sessions.get(id).json for id in sessions.make_in_turn(2))
    reply = sessions.rename(made["id"], title="After \u2028 \"all\"")
    assert reply.status == 200
    renamed = check_session(reply.json)
    assert renamed["title"] == "After \u2028 \"all\"" and renamed["id"] == made["id"]
    assert renamed["createdAt"] == made["createdAt"] and renamed["updatedAt"] >= made["updatedAt"]
    assert [item["id"] for item in sessions.list("?limit=2")["sessions"]] == [made["id"], other["id"]]
    assert sessions.person.talk.get(made["id"]).json["title"] == renamed["title"]


@pytest.mark.clause("SESSIONS-8", "SESSIONS-3")
@pytest.mark.parametrize("fields", [{}, {"title": None}, {"title": ""}, {"title": "\t"}, {"title": 7},
                                    {"title": "x" * 201}, {"name": "x"}])
def test_titles_that_are_none(sessions, fields):
    made = sessions.make(title="Before")
    expect_text_error(sessions.rename(made["id"], **fields), 400)
    expect_text_error(sessions.rename(UNKNOWN_UUID, **fields), 400)
    assert sessions.get(made["id"]).json["title"] == "Before"


# ---- deleting ----

@pytest.mark.clause("SESSIONS-9", "SESSIONS-10")
def test_deleting(alice, sessions):
    made = sessions.make()
    told = alice.talk.say("say exactly: one", conversation_id=made["id"])
    reply = sessions.delete(made["id"])
    assert reply.status == 204 and reply.body == b""
    for gone in (sessions.get(made["id"]), sessions.delete(made["id"]), sessions.rename(made["id"], title="x")):
        assert gone.status == 404 and gone.json == NOT_FOUND
    assert alice.talk.get(made["id"]).status == 404 and alice.api.get(f"/runs/{told.run}").status == 404
    assert made["id"] not in [item["id"] for item in sessions.list("?limit=100")["sessions"]]


@pytest.mark.clause("SESSIONS-9", "COMMON-64")
@pytest.mark.parametrize("waiting", [True, False], ids=["waiting", "talking"])
@pytest.mark.fault(22)
def test_deleting_with_a_live_run(alice, sessions, waiting):
    made = sessions.make(agent="asks" if waiting else "slow")
    message = "Write a haiku about rivers to x.md" if waiting else "a long story about rivers"
    run = alice.api.start(made["id"], message)
    with alice.api.stream(made["id"], run) as stream:
        stream.read_type("tool_call_proposed" if waiting else "assistant_delta")
        assert sessions.delete(made["id"]).status == 204
        stream.read_to_end()
    assert stream.end == "clean" and stream.frames[-1].type == "run_interrupted"
    assert stream.frames[-1].payload["reason"] == "session_deleted"
    if waiting:
        assert of_type(stream.frames, "tool_call_rejected")[0].payload["reason"] == "interrupted"


# ---- what is not there ----

@pytest.mark.clause("SESSIONS-10", "COMMON-2")
@pytest.mark.fault(8)
@pytest.mark.parametrize("odd", [
    UNKNOWN_UUID, UNKNOWN_ULID, session_id(UNKNOWN_UUID), "run_" + UNKNOWN_ULID, "nonsense", "%00", "a%00b",
    "..%2f..%2fetc", "%2e%2e", "0" * 10_000, "%20", "-1", "550e8400-e29b-41d4-a716-44665544000",
    "%7b550e8400-e29b-41d4-a716-446655440000%7d"], ids=lambda odd: odd[:40])
def test_an_unknown_session(sessions, odd):
    for reply in (sessions.get(odd), sessions.delete(odd), sessions.rename(odd, title="x")):
        assert reply.status == 404 and reply.json == NOT_FOUND, reply


@pytest.mark.clause("SESSIONS-11", "COMMON-28")
@pytest.mark.fault(7)
@pytest.mark.parametrize("path, allowed", [("/sessions", {"GET", "POST"}),
                                           (f"/sessions/{UNKNOWN_UUID}", {"GET", "PATCH", "DELETE"})])
def test_methods(sessions, path, allowed):
    for method in {"POST", "PUT", "PATCH", "DELETE", "BREW"} - allowed:
        reply = sessions.api.call(method, path)
        expect_text_error(reply, 405)
        named = {name.strip() for name in reply.header("allow").split(",")}
        assert allowed <= named and method not in named


@pytest.mark.clause("SESSIONS-11", "COMMON-28")
@pytest.mark.fault(7)
@pytest.mark.parametrize("path", ["/sessions/", f"/sessions/{UNKNOWN_UUID}/nothing", "/Sessions"])
def test_unknown_routes(sessions, path):
    reply = sessions.api.call("GET", path)
    assert reply.status == 404 and set(reply.json) >= {"error"}


@pytest.mark.clause("SESSIONS-11", "IDENTITY-14")
@pytest.mark.parametrize("method, path", [("POST", "/sessions"), ("GET", "/sessions"),
                                          ("GET", f"/sessions/{UNKNOWN_UUID}"), ("PATCH", f"/sessions/{UNKNOWN_UUID}"),
                                          ("DELETE", f"/sessions/{UNKNOWN_UUID}")])
def test_without_a_credential(town, method, path):
    expect_text_error(town.nobody.call(method, path), 401)


@pytest.mark.clause("SESSIONS-12", "COMMON-49")
@pytest.mark.parametrize("hard", [False, True], ids=["orderly", "kill -9"])
def test_sessions_outlive_a_restart(new_town, hard):
    town = new_town()
    sessions = Sessions(town.alice)
    made = [sessions.make(title=f"number {index}")["id"] for index in range(3)]
    town.alice.talk.say("say exactly: one", conversation_id=made[1])
    assert sessions.rename(made[0], title="renamed").status == 200
    assert sessions.delete(made[2]).status == 204
    before = sessions.list(), [sessions.get(id).json for id in made[:2]]
    town.server.restart(hard=hard)
    sessions = Sessions(town.alice)
    assert (sessions.list(), [sessions.get(id).json for id in made[:2]]) == before
    assert sessions.get(made[2]).status == 404
