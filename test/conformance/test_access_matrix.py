"""Who may do what: every route, every kind of id, everybody. The routes come from the binary itself, and their example
requests from braid_client/access.py: a route without one is a failure here.
"""
import json
from dataclasses import replace

import pytest

from braid_client import access
from braid_client.access import (BEGINS_ANEW, EXAMPLES, NOT_FOUND, NOTHING, OWN, SEES, SPELLINGS, objects_of, send,
                                 status_of, unknown, wording)
from braid_client.ids import uuid_of
from braid_client.people import bearer, cookie
from braid_client.wire import Reply, Stream

REQUESTS = [(route, index) for route, examples in EXAMPLES.items() for index in range(len(examples))]


def those(condition, pairs=REQUESTS):
    return [(route, index) for route, index in pairs if condition(EXAMPLES[route][index])]


ABOUT_OBJECTS = those(lambda example: example.other != OWN)
BELOW_A_SESSION = ("{session} {run}", "{session} {approval}", "{worked} {task}", "{worked} {artifact}", "{worked} {item}")
STREAMS = [(route, index) for route, index in those(lambda e: e.owner == 200 and not e.begins_a_run, ABOUT_OBJECTS)
           if route.endswith(("/stream", "/log"))]


def named(pair):
    return f"{pair[0]} {pair[1]}"


def every(pairs):
    return pytest.mark.parametrize("route, index", pairs, ids=[named(pair) for pair in pairs])


# ---- the table is whole ----

@pytest.mark.clause("IDENTITY-21")
@pytest.mark.fault(23)
def test_every_route_has_an_example():
    routes = access.routes_of_the_binary()
    missing = sorted(set(routes) - set(EXAMPLES))
    assert not missing, ("add to EXAMPLES in test/braid_client/access.py at least one request of each of these routes, "
                         "with what its owner, another user and an admin are told: " + ", ".join(missing))
    gone = sorted(set(EXAMPLES) - set(routes))
    assert not gone, f"EXAMPLES in test/braid_client/access.py has routes that the server does not have: {', '.join(gone)}"
    for name, route in routes.items():
        for example in EXAMPLES[name]:
            assert example.open == (route["access"] == "open"), f"{name} is {route['access']}"
            assert example.for_admins == (route["access"] == "admin"), f"{name} is {route['access']}"
        has_ids = access.CAPTURE.search(route["path"]) and route["dialect"] != "chat" and route["access"] != "open"
        assert not has_ids or any(example.other != OWN for example in EXAMPLES[name]), f"{name}: whose are its ids?"


@pytest.mark.fault(23)
def test_a_new_route_is_noticed(monkeypatch):
    routes = {**access.routes_of_the_binary(), "GET /brand/new/{}": {"access": "user"}}
    monkeypatch.setattr(access, "routes_of_the_binary", lambda: routes)
    with pytest.raises(AssertionError, match="add to EXAMPLES .* GET /brand/new/{}"):
        test_every_route_has_an_example()


# ---- everybody ----

@pytest.fixture(scope="module")
def strangers(shared_town):
    """What no longer lets anybody in: a revoked key, a logged-out cookie, and things that never did."""
    alice = shared_town.alice
    key, key_id = alice.new_key()
    alice.revoke(key_id)
    value = alice.log_in()
    assert shared_town.server.api.showing(cookie(value)).call("POST", "/auth/logout").status == 204
    return {"nobody": [], "revoked key": [bearer(key)], "logged-out cookie": [cookie(value)],
            "forged key": [bearer("x" * 40)], "forged cookie": [cookie("x" * 40)],
            "revoked key beside a good cookie": [bearer(key), cookie(alice.cookie)],
            "an empty key": [("Authorization", "Bearer ")], "an id for a key": [bearer(key_id)]}


@every(REQUESTS)
@pytest.mark.clause("IDENTITY-14", "IDENTITY-11", "IDENTITY-9", "IDENTITY-6")
@pytest.mark.fault(21, 23)
def test_strangers(town, strangers, route, index):
    example = EXAMPLES[route][index]
    objects = objects_of(town.alice)
    before = town.alice.api.call("GET", "/sessions?limit=1").json["total"]
    words = set()
    for who, credential in strangers.items():
        answer = send(town.nobody, route, example, objects, credential)
        if example.open:
            assert status_of(answer) == example.owner, who
            continue
        assert isinstance(answer, Reply) and answer.status == 401, f"{who}: {answer}"
        assert "set-cookie" not in answer.headers
        words.add(json.dumps(wording(answer, objects)))
    assert len(words) <= 1, "all strangers are told the same"
    assert town.alice.api.call("GET", "/sessions?limit=1").json["total"] == before
    run = town.alice.api.look(objects.session, objects.run)
    assert run["status"] == "waiting_approval", "nothing happened"


@every(REQUESTS)
@pytest.mark.clause("IDENTITY-21", "IDENTITY-8", "COMMON-1")
@pytest.mark.parametrize("by", ["key", "cookie"])
def test_the_owner(town, route, index, by):
    example = EXAMPLES[route][index]
    if example.for_admins:
        assert status_of(send(town.alice.api, route, example, objects_of(town.alice))) == 403
        return
    api = town.alice.api if by == "key" else town.alice.by_cookie
    assert status_of(send(api, route, example, objects_of(town.alice))) == example.owner


@every(those(lambda example: example.other != BEGINS_ANEW, ABOUT_OBJECTS))
@pytest.mark.clause("COMMON-1", "IDENTITY-21")
def test_every_spelling(town, route, index):
    example = EXAMPLES[route][index]
    for how in SPELLINGS:
        objects = objects_of(town.alice)
        assert status_of(send(town.alice.api, route, example, objects.spelled(how))) == example.owner, how


def expect_new_session(answer, objects):
    """A chat in a session of the caller's own."""
    if isinstance(answer, Stream):
        with answer:
            session = answer.read_frames(1)[0].data["session_id"]
    else:
        assert answer.status == 200, answer
        session = answer.json["session_id"]
    assert session not in (objects.session.split("_")[1], objects.free.split("_")[1])


def expect_told(api, route, example, objects, rule):
    """Somebody who is not the owner is told by this rule, as if the objects did not exist."""
    for how in SPELLINGS:
        theirs, nobodys = objects.spelled(how), unknown(objects).spelled(how)
        answer = send(api, route, example, theirs)
        if rule == BEGINS_ANEW:
            expect_new_session(answer, objects)
            continue
        assert isinstance(answer, Reply), f"{how}: a stream"
        assert answer.status == {NOT_FOUND: 404, NOTHING: 204}[rule], f"{how}: {answer}"
        same = wording(send(api, route, example, nobodys), nobodys)
        assert wording(answer, theirs) == same, f"{how}: of an unknown id is told otherwise"


@every(ABOUT_OBJECTS)
@pytest.mark.clause("IDENTITY-21")
@pytest.mark.fault(23)
def test_another_user(town, route, index):
    example, objects = EXAMPLES[route][index], objects_of(town.alice)
    alice = town.alice.api

    def hers():
        return [alice.call("GET", f"/sessions/{id}").json for id in (objects.session, objects.free, objects.worked)]
    before = hers()
    expect_told(town.bob.api, route, example, objects, example.other)
    assert hers() == before, "nothing of hers has changed"
    assert alice.look(objects.session, objects.run)["status"] == "waiting_approval"
    assert alice.files(objects.session) == {"a.txt": 5}


@every(those(lambda example: example.path in BELOW_A_SESSION, ABOUT_OBJECTS))
@pytest.mark.clause("IDENTITY-21")
@pytest.mark.fault(23)
def test_another_users_object_below_an_own_session(town, route, index):
    """The session is bob's own, what is below it alice's: still not found, for him and for the admin."""
    example, hers = EXAMPLES[route][index], objects_of(town.alice)
    for person in (town.bob, town.ada):
        own = person.api.session()
        mixed = replace(hers, session=own, worked=own)
        answer = send(person.api, route, example, mixed)
        nobodys = replace(unknown(hers), session=own, worked=own)
        assert isinstance(answer, Reply) and answer.status == 404, answer
        assert wording(answer, mixed) == wording(send(person.api, route, example, nobodys), nobodys)


@every(ABOUT_OBJECTS)
@pytest.mark.clause("IDENTITY-23", "IDENTITY-24")
@pytest.mark.fault(23)
def test_the_admin(town, route, index):
    example, objects = EXAMPLES[route][index], objects_of(town.alice)
    if example.admin != SEES:
        return expect_told(town.ada.api, route, example, objects, example.admin)
    answer = send(town.ada.api, route, example, objects)
    if isinstance(answer, Stream) or route.startswith("POST"):
        assert status_of(answer) == example.owner, answer
        return
    own = send(town.alice.api, route, example, objects)
    assert wording(answer, objects) == wording(own, objects), "the admin reads what the owner reads"


@every(those(lambda example: example.for_admins))
@pytest.mark.clause("IDENTITY-27", "IDENTITY-28")
def test_routes_for_admins(town, route, index):
    example, objects = EXAMPLES[route][index], objects_of(town.alice)
    assert status_of(send(town.ada.api, route, example, objects)) == example.owner
    for person in (town.alice, town.bob):
        assert status_of(send(person.api, route, example, objects)) == 403


# ---- live streams ----

@every(STREAMS)
@pytest.mark.clause("IDENTITY-21", "IDENTITY-23", "IDENTITY-24")
@pytest.mark.fault(23)
def test_live_streams(town, strangers, route, index):
    example, objects = EXAMPLES[route][index], objects_of(town.alice, "slow")
    count = 0 if example.quiet else 3
    with send(town.alice.api, route, example, objects) as stream:
        stream.read_frames(count)
        expect_told(town.bob.api, route, example, objects, example.other)
        for credential in strangers.values():
            assert send(town.nobody, route, example, objects, credential).status == 401
        if example.admin == SEES:
            with send(town.ada.api, route, example, objects) as other:
                seen = [frame.raw for frame in stream.frames[:count]]
                assert [frame.raw for frame in other.read_frames(count)[:count]] == seen
        else:
            expect_told(town.ada.api, route, example, objects, example.admin)
        assert not stream.end
    town.alice.api.interrupt(objects.session, objects.run)


@every(STREAMS)
@pytest.mark.clause("IDENTITY-6", "IDENTITY-9")
@pytest.mark.fault(21)
@pytest.mark.parametrize("ending", ["logout", "revoke"])
def test_a_live_stream_ends_with_its_credential(town, route, index, ending):
    example, objects = EXAMPLES[route][index], objects_of(town.alice, "very-slow")
    count = 0 if example.quiet else 2
    if ending == "logout":
        credential = [cookie(town.alice.log_in())]
    else:
        key, key_id = town.alice.new_key()
        credential = [bearer(key)]
    with (send(town.nobody, route, example, objects, credential) as stream,
          send(town.alice.api, route, example, objects) as other):
        stream.read_frames(count)
        if ending == "logout":
            assert town.server.api.call("POST", "/auth/logout", headers=credential).status == 204
        else:
            town.alice.revoke(key_id)
        stream.read_to_end(10)
        assert stream.end == "unclean", "what is missing must not look complete"
        other.read_frames(len(other.frames) + count)
        assert not other.end, "the same person's other credential goes on"
    assert send(town.nobody, route, example, objects, credential).status == 401
    assert town.alice.api.look(objects.session, objects.run)["status"] == "running", "a viewer's going changes nothing"
    town.alice.api.interrupt(objects.session, objects.run)


@pytest.mark.clause("IDENTITY-22")
@pytest.mark.fault(23)
def test_lists_hold_the_callers_own(town):
    hers = objects_of(town.alice)
    uuid = uuid_of(hers.session.split("_")[1])
    for path in ("/sessions?limit=100", "/agent/history?limit=100", "/api/v1/sessions", "/api/v1/approvals"):
        for person, has in ((town.alice, True), (town.bob, False), (town.ada, False)):
            reply = person.api.call("GET", path)
            found = any(name in reply.body.decode() for name in (uuid, hers.session, hers.approval))
            assert reply.status == 200 and found == has, f"{person.name} at {path}"
