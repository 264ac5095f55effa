"""Who may do what: every route, every kind of id, everybody. The routes come from the binary itself, so a new one is
missed at once: it needs an example request in EXAMPLES below.
"""
import json
import subprocess
from dataclasses import dataclass, field, replace

import pytest

from braid_client.frames import WITH_EVENT, WITHOUT_EVENT
from braid_client.ids import ALPHABET, ulid_of, uuid_of
from braid_client.people import Town, bearer, cookie
from braid_client.server import binary, clean_environment
from braid_client.waiting import wait_for
from braid_client.wire import Reply, Stream, open_stream

JSON = ("Content-Type", "application/json")
BOUNDARY = "matrix"
UPLOAD = (f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="b.txt"\r\n\r\nhi\r\n--{BOUNDARY}--\r\n')

# What somebody is told who is not the owner.
NOT_FOUND = "not found"      # 404, as for an id that nobody has
SEES = "sees"                # the same as the owner
NOTHING = "nothing"          # 204: an id to resume from that is none of the caller's
BEGINS_ANEW = "begins anew"  # a session of the caller's own is made instead
OWN = "own"                  # names no object: the answer is about the caller


@dataclass
class Example:
    """One request of a route. {session}, {run}, {approval}, {event} and {file} stand for ids of the owner's objects."""
    owner: int                 # the owner's status
    other: str = OWN           # what another user is told
    admin: str = OWN
    path: str = ""             # what fills the pattern, joined by spaces
    body: object = None        # a JSON value
    query: str = ""
    headers: tuple = ()
    lines: frozenset = WITH_EVENT
    open: bool = False         # needs no credential
    for_admins: bool = False   # 403 for everybody else
    live: str = ""             # which agent leads the run that the objects have: one that asks, or one that is slow
    raw: bytes = None
    ids: tuple = field(default=())  # filled in: the names of ids in it


def of(owner, path, admin=NOT_FOUND, other=NOT_FOUND, **options):
    return Example(owner, other, admin, path, **options)


CHAT_BODY = {"message": "say exactly: hi", "session_id": "{session}"}
TALK_BODY = {"message": "say exactly: hi", "conversation_id": "{session}"}
MESSAGE = {"message": "say exactly: hi"}
RESUME = (("Last-Event-ID", "{event}"),)

# The route as the binary names it -> its requests.
EXAMPLES = {
    "GET /": [Example(200, open=True)],
    "GET /health": [Example(200, open=True)],
    "GET /ready": [Example(200, open=True)],
    "GET /metrics": [Example(200, for_admins=True)],
    "GET /agents": [Example(200)],

    "POST /auth/login": [Example(401, open=True, body={"username": "nobody", "password": "wrong"})],
    "POST /auth/logout": [Example(204)],
    "GET /auth/me": [Example(200)],
    "GET /alerts": [Example(200, for_admins=True)],

    "POST /sessions": [Example(201, body={})],
    "GET /sessions": [Example(200)],
    "GET /sessions/{}": [of(200, "{session}", SEES)],
    "PATCH /sessions/{}": [of(200, "{session}", body={"title": "Mine"})],
    "DELETE /sessions/{}": [of(204, "{session}")],

    "POST /api/v1/sessions": [Example(201, body={})],
    "GET /api/v1/sessions": [Example(200)],
    "GET /api/v1/sessions/{}": [of(200, "{session}", SEES)],
    "DELETE /api/v1/sessions/{}": [of(204, "{session}")],
    "POST /api/v1/sessions/{}/messages": [of(409, "{session}", body=MESSAGE), of(202, "{free}", body=MESSAGE)],
    "POST /api/v1/sessions/{}/settings/auto-approve": [of(200, "{session}", body={"enabled": False})],
    "GET /api/v1/sessions/{}/runs": [of(200, "{session}", SEES)],
    "GET /api/v1/sessions/{}/runs/{}": [of(200, "{session} {run}", SEES)],
    "GET /api/v1/sessions/{}/runs/{}/stream": [of(200, "{session} {run}", SEES),
                                               of(200, "{session} {run}", SEES, headers=RESUME)],
    "POST /api/v1/sessions/{}/runs/{}/interrupt": [of(202, "{session} {run}")],
    "GET /api/v1/runs/{}": [of(200, "{run}", SEES)],
    "GET /api/v1/runs/{}/stream": [of(200, "{run}", SEES), of(200, "{run}", SEES, query="?contract=chat"),
                                   of(200, "{run}", SEES, query="?contract=conversation", lines=WITHOUT_EVENT),
                                   of(200, "{run}", SEES, query="?contract=all", lines=WITHOUT_EVENT)],
    "GET /runs/{}": [of(200, "{run}", SEES)],
    "GET /runs/{}/stream": [of(200, "{run}", SEES), of(200, "{run}", SEES, query="?contract=chat"),
                            of(200, "{run}", SEES, query="?contract=conversation", lines=WITHOUT_EVENT),
                            of(200, "{run}", SEES, query="?contract=all", lines=WITHOUT_EVENT)],
    "GET /api/v1/approvals": [Example(200)],
    "GET /api/v1/sessions/{}/approvals": [of(200, "{session}", SEES)],
    "POST /api/v1/sessions/{}/approvals/{}/approve": [of(200, "{session} {approval}", SEES)],
    "POST /api/v1/sessions/{}/approvals/{}/reject": [of(200, "{session} {approval}", SEES)],
    "POST /api/v1/sessions/{}/files/upload": [of(201, "{session}", raw=UPLOAD.encode(),
                                                 headers=(("Content-Type", f"multipart/form-data; boundary={BOUNDARY}"),))],
    "GET /api/v1/sessions/{}/files": [of(200, "{session}", SEES)],
    "GET /api/v1/sessions/{}/files/{*}": [of(200, "{session} {file}", SEES)],

    "POST /agent/stream": [of(409, "", body=TALK_BODY), of(200, "", body={**TALK_BODY, "conversation_id": "{free}"}, lines=WITHOUT_EVENT),
                           of(200, "", NOTHING, NOTHING, headers=RESUME, lines=WITHOUT_EVENT),
                           Example(200, body=MESSAGE, lines=WITHOUT_EVENT)],
    "POST /agent": [of(409, "", body=TALK_BODY), of(200, "", body={**TALK_BODY, "conversation_id": "{free}"}), Example(200, body=MESSAGE)],
    "GET /agent/history": [Example(200)],
    "GET /agent/conversations/{}": [of(200, "{session}", SEES)],
    "PATCH /agent/conversations/{}": [of(200, "{session}", body={"title": "Mine"})],
    "DELETE /agent/conversations/{}": [of(204, "{session}")],

    "POST /agent/{}/chat/stream": [of(200, "plain", BEGINS_ANEW, BEGINS_ANEW, body={**CHAT_BODY, "session_id": "{free}"}),
                                   of(200, "plain", NOTHING, NOTHING, headers=RESUME), Example(200, path="plain", body=MESSAGE)],
    "GET /agent/{}/chat/stream": [of(200, "plain", BEGINS_ANEW, BEGINS_ANEW, query="?message=say+exactly:+hi&session_id={free}"),
                                  of(200, "plain", NOTHING, NOTHING, query="?message=hi", headers=RESUME),
                                  Example(200, path="plain", query="?message=say+exactly:+hi")],
    "POST /agent/{}/chat": [of(200, "plain", BEGINS_ANEW, BEGINS_ANEW, body={**CHAT_BODY, "session_id": "{free}"}),
                            Example(200, path="plain", body=MESSAGE)],
    "GET /health/agent/{}": [Example(200, path="plain")],
}
REQUESTS = [(route, index) for route, examples in EXAMPLES.items() for index in range(len(examples))]
ABOUT_OBJECTS = [(route, index) for route, index in REQUESTS if EXAMPLES[route][index].other != OWN]
WHO_SEES = [(route, index) for route, index in ABOUT_OBJECTS if EXAMPLES[route][index].admin == SEES]
STREAMS = [(route, index) for route, index in ABOUT_OBJECTS if "stream" in route and EXAMPLES[route][index].owner == 200
           and EXAMPLES[route][index].other != BEGINS_ANEW]


def named(pair):
    return f"{pair[0]} {pair[1]}"


def every(pairs):
    return pytest.mark.parametrize("route, index", pairs, ids=[named(pair) for pair in pairs])


def routes_of_the_binary():
    done = subprocess.run([binary(), "routes", "--json"], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 0, f"braidlog routes --json: {done.stderr}"
    return {f"{route['method']} {route['path']}": route for route in json.loads(done.stdout)["routes"]}


# ---- requests, and the ids that fill them ----

@dataclass
class Objects:
    """What one person has: a session with a live run that waits for an approval, a file, and a session without a run."""
    session: str
    run: str
    approval: str
    event: str
    free: str
    file: str = "a.txt"

    def spelled(self, how):
        """With every id in another spelling; the event's stays."""
        def spell(prefixed):
            ulid = prefixed.split("_", 1)[1]
            return {"prefixed": prefixed, "ulid": ulid, "lower": ulid.lower(), "uuid": uuid_of(ulid),
                    "UUID": uuid_of(ulid).upper()}[how]
        return replace(self, session=spell(self.session), run=spell(self.run), approval=spell(self.approval),
                       free=spell(self.free))


SPELLINGS = ("prefixed", "ulid", "lower", "uuid", "UUID")


def unlike(id):
    """An id that nobody has, made out of this one."""
    head, tail = id[:-6], id[-6:]
    return head + "".join(ALPHABET[(ALPHABET.index(character) + 7) % 32] for character in tail)


def unknown(objects):
    prefix, run, sequence = objects.event.split("_")
    return replace(objects, session=unlike(objects.session), run=unlike(objects.run), approval=unlike(objects.approval),
                   free=unlike(objects.free), event=f"{prefix}_{unlike(run)}_{sequence}", file="unknown.txt")


def objects_of(person, agent="asks"):
    api = person.api
    session, free = api.session(agent=agent), api.session(agent="plain")
    assert api.upload(session, "a.txt", b"alpha").status == 201
    if agent == "asks":
        _, run, approval = api.ask_to_write(session_id=session)
    else:
        run, approval = api.start(session, "a long story about rivers"), "appr_" + ulid_of("0" * 32)
    with api.stream(session, run) as stream:
        event = stream.read_frames(1)[0].id
    return Objects(session, run, approval, event, free)


def filled(value, objects):
    if isinstance(value, str):
        for name in ("session", "run", "approval", "event", "free", "file"):
            value = value.replace("{%s}" % name, getattr(objects, name))
        return value
    return {key: filled(part, objects) for key, part in value.items()}


def send(api, route, example, objects, shown=None):
    """The Reply, or the Stream where there is one. `shown`: headers instead of the Api's own credential."""
    method, pattern = route.split(" ")
    parts = filled(example.path, objects).split()
    for part in parts:
        pattern = pattern.replace("{}", part, 1).replace("{*}", part, 1)
    assert "{" not in pattern, f"{route} needs {pattern.count('{')} more words in `path`"
    body = example.raw
    headers = [(name, filled(value, objects)) for name, value in example.headers]
    if example.body is not None:
        body = json.dumps(filled(example.body, objects)).encode()
        headers.append(JSON)
    elif body is None and method in ("POST", "PATCH"):
        body = b""
    headers = [*(api.credential if shown is None else shown), *headers]
    return open_stream(api.port, pattern + filled(example.query, objects), headers, method=method, body=body, lines=example.lines)


def status_of(answer):
    if isinstance(answer, Stream):
        answer.close()
        return 200
    return answer.status


def wording(reply: Reply, objects):
    """Status, headers and body of an answer without what is never the same: dates, request ids, the ids asked for."""
    text = reply.body.decode()
    for name in ("session", "run", "approval", "event", "free", "file"):
        text = text.replace(getattr(objects, name), "{%s}" % name)
    body = json.loads(text) if text else None
    if isinstance(body, dict):
        body.pop("instance", None)
    headers = {name: values for name, values in reply.headers.items() if name not in ("date", "content-length")}
    return reply.status, headers, body


# ---- the table is whole ----

@pytest.mark.clause("IDENTITY-19")
@pytest.mark.fault(23)
def test_every_route_has_an_example():
    routes = routes_of_the_binary()
    missing = sorted(set(routes) - set(EXAMPLES))
    assert not missing, ("add to EXAMPLES in test_access_matrix.py at least one request of each of these routes, with what "
                         "its owner, another user and an admin are told: " + ", ".join(missing))
    gone = sorted(set(EXAMPLES) - set(routes))
    assert not gone, f"EXAMPLES in test_access_matrix.py has routes that the server does not have: {', '.join(gone)}"
    for name, route in routes.items():
        for example in EXAMPLES[name]:
            assert example.open == (route["access"] == "open"), f"{name} is {route['access']}"
            assert example.for_admins == (route["access"] == "admin"), f"{name} is {route['access']}"


@pytest.mark.fault(23)
def test_a_new_route_is_noticed(monkeypatch):
    routes = {**routes_of_the_binary(), "GET /brand/new/{}": {"access": "user"}}
    monkeypatch.setattr(__import__("sys").modules[__name__], "routes_of_the_binary", lambda: routes)
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
    return {"nobody": [], "revoked key": [bearer(key)], "logged-out cookie": [cookie(value)], "forged key": [bearer("x" * 40)],
            "forged cookie": [cookie("x" * 40)], "revoked key beside a good cookie": [bearer(key), cookie(alice.cookie)],
            "an empty key": [("Authorization", "Bearer ")], "an id for a key": [bearer(key_id)]}


@every(REQUESTS)
@pytest.mark.clause("IDENTITY-13", "IDENTITY-10", "IDENTITY-8", "IDENTITY-6")
@pytest.mark.fault(21, 23)
def test_strangers(town, strangers, route, index):
    example = EXAMPLES[route][index]
    objects = objects_of(town.alice)
    before = town.alice.api.call("GET", "/sessions?limit=1").json["total"]
    words = set()
    for who, shown in strangers.items():
        answer = send(town.nobody, route, example, objects, shown)
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
@pytest.mark.clause("IDENTITY-19", "IDENTITY-7", "COMMON-1")
@pytest.mark.parametrize("by", ["key", "cookie"])
def test_the_owner(town, route, index, by):
    example = EXAMPLES[route][index]
    if example.for_admins:
        assert status_of(send(town.alice.api, route, example, None or objects_of(town.alice))) == 403
        return
    if route == "POST /auth/logout" and by == "cookie":
        pytest.skip("ends the cookie that others use; test_identity_faults.py has it")
    api = town.alice.api if by == "key" else town.alice.by_cookie
    assert status_of(send(api, route, example, objects_of(town.alice))) == example.owner


@every([pair for pair in ABOUT_OBJECTS if EXAMPLES[pair[0]][pair[1]].other != BEGINS_ANEW])
@pytest.mark.clause("COMMON-1", "IDENTITY-19")
def test_every_spelling(town, route, index):
    example = EXAMPLES[route][index]
    for how in SPELLINGS:
        objects = objects_of(town.alice)
        assert status_of(send(town.alice.api, route, example, objects.spelled(how))) == example.owner, how


def expect_told(api, route, example, objects, rule):
    """Somebody who is not the owner is told by this rule, as if the objects did not exist."""
    for how in SPELLINGS:
        theirs, nobodys = objects.spelled(how), unknown(objects).spelled(how)
        answer = send(api, route, example, theirs)
        if rule == BEGINS_ANEW:
            assert status_of(answer) == 200
            continue
        assert isinstance(answer, Reply), f"{how}: a stream"
        assert answer.status == {NOT_FOUND: 404, NOTHING: 204}[rule], f"{how}: {answer}"
        assert wording(answer, theirs) == wording(send(api, route, example, nobodys), nobodys), f"{how}: unknown is told otherwise"


@every(ABOUT_OBJECTS)
@pytest.mark.clause("IDENTITY-19")
@pytest.mark.fault(23)
def test_another_user(town, route, index):
    example, objects = EXAMPLES[route][index], objects_of(town.alice)
    alice = town.alice.api
    before = alice.call("GET", f"/sessions/{objects.session}").json, alice.call("GET", f"/sessions/{objects.free}").json
    expect_told(town.bob.api, route, example, objects, example.other)
    after = alice.call("GET", f"/sessions/{objects.session}").json, alice.call("GET", f"/sessions/{objects.free}").json
    assert after == before, "nothing of hers has changed"
    assert alice.look(objects.session, objects.run)["status"] == "waiting_approval"
    assert alice.files(objects.session) == {"a.txt": 5}


@every([pair for pair in ABOUT_OBJECTS if len(EXAMPLES[pair[0]][pair[1]].path.split()) == 2])
@pytest.mark.clause("IDENTITY-19")
@pytest.mark.fault(23)
def test_another_users_object_below_an_own_session(town, route, index):
    """The session is bob's own, what is below it alice's: still not found, for him and for the admin."""
    example, hers = EXAMPLES[route][index], objects_of(town.alice)
    if "{file}" in example.path:
        pytest.skip("a path is always one of the session before it")
    for person in (town.bob, town.ada):
        mixed = replace(hers, session=person.api.session())
        answer = send(person.api, route, example, mixed)
        nobodys = replace(unknown(hers), session=mixed.session)
        assert isinstance(answer, Reply) and answer.status == 404, answer
        assert wording(answer, mixed) == wording(send(person.api, route, example, nobodys), nobodys)


@every(ABOUT_OBJECTS)
@pytest.mark.clause("IDENTITY-21", "IDENTITY-22")
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


@every([pair for pair in REQUESTS if EXAMPLES[pair[0]][pair[1]].for_admins])
@pytest.mark.clause("IDENTITY-18", "IDENTITY-24")
def test_routes_for_admins(town, route, index):
    example = EXAMPLES[route][index]
    assert status_of(send(town.ada.api, route, example, objects_of(town.ada))) == example.owner
    for person in (town.alice, town.bob):
        assert status_of(send(person.api, route, example, objects_of(person))) == 403


# ---- live streams ----

@every(STREAMS)
@pytest.mark.clause("IDENTITY-19", "IDENTITY-21", "IDENTITY-22")
@pytest.mark.fault(23)
def test_live_streams(town, strangers, route, index):
    example, objects = EXAMPLES[route][index], objects_of(town.alice, "slow")
    if "{free}" in json.dumps([example.path, example.body, example.query]):
        pytest.skip("begins a run of its own")
    with send(town.alice.api, route, example, objects) as stream:
        stream.read_frames(3)
        expect_told(town.bob.api, route, example, objects, example.other)
        for shown in strangers.values():
            assert send(town.nobody, route, example, objects, shown).status == 401
        if example.admin == SEES:
            with send(town.ada.api, route, example, objects) as other:
                assert other.read_frames(2)[1].raw in [frame.raw for frame in stream.frames] + [b""] or other.frames
        else:
            expect_told(town.ada.api, route, example, objects, example.admin)
        assert not stream.end
    town.alice.api.interrupt(objects.session, objects.run)


@every(STREAMS)
@pytest.mark.clause("IDENTITY-6", "IDENTITY-8")
@pytest.mark.fault(21)
@pytest.mark.parametrize("ending", ["logout", "revoke"])
def test_a_live_stream_ends_with_its_credential(town, route, index, ending):
    example, objects = EXAMPLES[route][index], objects_of(town.alice, "very-slow")
    if "{free}" in json.dumps([example.path, example.body, example.query]):
        pytest.skip("begins a run of its own")
    if ending == "logout":
        shown = [cookie(town.alice.log_in())]
        end = lambda: town.server.api.call("POST", "/auth/logout", headers=shown)  # noqa: E731
    else:
        key, key_id = town.alice.new_key()
        shown, end = [bearer(key)], lambda: town.alice.revoke(key_id)
    with send(town.nobody, route, example, objects, shown) as stream, send(town.alice.api, route, example, objects) as other:
        stream.read_frames(2)
        end()
        stream.read_to_end(10)
        assert stream.end == "unclean", "what is missing must not look complete"
        other.read_frames(len(other.frames) + 2)
        assert not other.end, "the same person's other credential goes on"
    assert send(town.nobody, route, example, objects, shown).status == 401
    assert town.alice.api.look(objects.session, objects.run)["status"] == "running", "a viewer's going changes nothing"
    town.alice.api.interrupt(objects.session, objects.run)


@pytest.mark.clause("IDENTITY-20")
@pytest.mark.fault(23)
def test_lists_hold_the_callers_own(town):
    hers = objects_of(town.alice)
    uuid = uuid_of(hers.session.split("_")[1])
    lists = {"/sessions?limit=100": "sessions", "/agent/history?limit=100": "history", "/api/v1/sessions": "items",
             "/api/v1/approvals": "items"}
    for person, has in ((town.alice, True), (town.bob, False), (town.ada, False)):
        for path, name in lists.items():
            text = json.dumps(wait_for(lambda: person.api.call("GET", path).json, path)[name])
            found = uuid in text or hers.session in text or hers.approval in text
            assert found == has, f"{person.name} at {path}"


def test_the_town_is_guarded(town):
    assert isinstance(town, Town) and not town.server.dev
