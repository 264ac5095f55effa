"""Other sites: what a page elsewhere can make a browser send here, with the user's cookie, and what becomes of it."""
import json

import pytest

from braid_client import access
from braid_client.access import EXAMPLES, objects_of, send, status_of
from braid_client.chat import Chat
from braid_client.people import bearer, cookie
from braid_client.wire import Connection, Reply, Stream, request_bytes

STRANGE = {
    "another site": [("Origin", "https://evil.test")],
    "a page without origin": [("Origin", "null")],
    "our name in theirs": [("Origin", "http://127.0.0.1.evil.test")],
    "another scheme": [("Origin", "https://127.0.0.1")],
    "an image": [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")],
    "a form": [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")],
    "a neighbour": [("Sec-Fetch-Site", "same-site")],
    "an event source": [("Origin", "https://evil.test"), ("Sec-Fetch-Site", "cross-site"), ("Accept", "text/event-stream")],
    "an origin beside a good site": [("Origin", "https://evil.test"), ("Sec-Fetch-Site", "same-origin")],
}
CHANGES = [(route, index) for route, examples in EXAMPLES.items() for index in range(len(examples))
           if not route.startswith("GET ") or route in ("GET /agent/{}/chat/stream", "GET /sessions/{}/stream")]
READS = [(route, index) for route, examples in EXAMPLES.items() for index in range(len(examples))
         if (route, index) not in CHANGES]


def every(pairs):
    return pytest.mark.parametrize("route, index", pairs, ids=[f"{route} {index}" for route, index in pairs])


def state(person, objects):
    """All that a request could have changed."""
    api = person.api
    return [api.call("GET", "/sessions?limit=1").json["total"], api.call("GET", f"/sessions/{objects.session}").json,
            api.call("GET", f"/sessions/{objects.free}").json, api.call("GET", f"/sessions/{objects.worked}").json,
            api.look(objects.session, objects.run)["status"], api.files(objects.session),
            api.get(f"/sessions/{objects.session}").json["settings"]]


PROBLEM = {"type", "title", "status", "detail", "instance"}


def shape(reply):
    """The fields of an error, whichever contract's."""
    return set(reply.json)


# ---- requests that change something ----

@every(CHANGES)
@pytest.mark.clause("COMMON-70", "COMMON-68", "COMMON-32")
@pytest.mark.fault(24, 15)
def test_another_site_changes_nothing(town, route, index):
    example, objects = EXAMPLES[route][index], objects_of(town.alice)
    before = state(town.alice, objects)
    for who, headers in STRANGE.items():
        for credential in ([cookie(town.alice.cookie)], [bearer(town.alice.key)], []):
            answer = send(town.nobody, route, example, objects, credential, headers)
            assert isinstance(answer, Reply) and answer.status == 403, f"{who}: {answer}"
            assert "set-cookie" not in answer.headers and "access-control-allow-origin" not in answer.headers
    assert state(town.alice, objects) == before


@every(CHANGES)
@pytest.mark.clause("COMMON-70", "COMMON-32")
@pytest.mark.parametrize("site", ["same-origin", "none", "own origin"])
def test_the_servers_own_pages(town, route, index, site):
    example, objects = EXAMPLES[route][index], objects_of(town.alice)
    host = f"127.0.0.1:{town.server.port}"
    headers = [("Host", host), ("Origin", f"http://{host}")] if site == "own origin" else [("Sec-Fetch-Site", site)]
    assert status_of(send(town.alice.by_cookie, route, example, objects, more=headers)) == example.owner


@every(READS)
@pytest.mark.clause("COMMON-70")
@pytest.mark.fault(24)
def test_reading_is_left_to_the_browser(town, route, index):
    """A GET that changes nothing is answered; without leave in its headers a browser shows it to no other site."""
    example, objects = EXAMPLES[route][index], objects_of(town.alice)
    for headers in STRANGE.values():
        answer = send(town.alice.by_cookie, route, example, objects, more=headers)
        reply = answer.reply if isinstance(answer, Stream) else answer
        if isinstance(answer, Stream):
            answer.close()
        assert reply.status == (403 if example.for_admins else example.owner), reply
        assert "access-control-allow-origin" not in reply.headers


# ---- the name of the server ----

@pytest.mark.clause("COMMON-69")
@pytest.mark.fault(24)
@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "localhost.evil.test:8000", "10.0.0.1", "[::2]",
                                  "127.0.0.1:x"])
def test_another_name_reaches_nothing(town, shared, host):
    """A name that an attacker points at this machine: its pages would be of the same origin."""
    objects = objects_of(town.alice)
    before = state(town.alice, objects)
    for route, examples in EXAMPLES.items():
        answer = send(town.nobody, route, examples[0], objects, [cookie(town.alice.cookie)], [("Host", host)])
        assert isinstance(answer, Reply) and answer.status == 403, f"{route}: {answer}"
    assert state(town.alice, objects) == before
    assert shared.api.call("GET", "/api/v1/sessions", host=host).status == 403, "--dev knows no more names"


@pytest.mark.clause("COMMON-69")
@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:1", "localhost", "LOCALHOST:80", "[::1]", "[::1]:8000"])
def test_names_of_this_machine(town, host):
    assert town.alice.api.call("GET", "/auth/me", host=host).status == 200


@pytest.mark.clause("COMMON-69", "COMMON-70", "COMMON-33")
def test_names_and_origins_that_the_operator_allows(new_town):
    town = new_town(arguments=["--allow-origin", "https://app.example.org", "--allow-origin", "http://two.example:8080"])
    good = [("https://app.example.org", "app.example.org"), ("http://two.example:8080", "two.example")]
    bad = ["http://app.example.org", "https://app.example.org:8443", "https://app.example.org.evil.test",
           "http://two.example", "http://localhost:5173", "null", ""]
    for origin, host in good:
        reply = town.alice.by_cookie.call("POST", "/sessions", json={}, headers=[("Origin", origin)])
        assert reply.status == 201 and reply.header("access-control-allow-origin") == origin
        assert reply.header("access-control-allow-credentials") == "true"
        assert "origin" in reply.header("vary").lower()
        assert town.alice.api.call("GET", "/auth/me", host=host).status == 200
    for origin in bad:
        reply = town.alice.by_cookie.call("POST", "/sessions", json={}, headers=[("Origin", origin)])
        assert reply.status == 403 and "access-control-allow-origin" not in reply.headers, origin


@pytest.mark.clause("COMMON-70")
def test_dev_lets_pages_of_this_machine_in(shared, town):
    for origin in ("http://localhost:5173", "http://127.0.0.1:3000", "http://[::1]:8080", "http://localhost"):
        assert shared.api.call("POST", "/sessions", json={}, headers=[("Origin", origin)]).status == 201
        refused = town.alice.by_cookie.call("POST", "/sessions", json={}, headers=[("Origin", origin)])
        assert refused.status == 403, "without --dev they are strangers"
    for origin in ("https://localhost:5173", "http://localhost.evil.test", "http://localhost@evil.test", "null"):
        assert shared.api.call("POST", "/sessions", json={}, headers=[("Origin", origin)]).status == 403


# ---- bodies that a form can send ----

PLAIN = ["text/plain", "application/x-www-form-urlencoded", "text/plain; x=application/json", "application/jsonp", ""]
NOT_JSON = {"/sessions": 400, "/api/v1/sessions": 400, "/agent": 422, "/agent/stream": 422, "/agent/plain/chat": 400,
            "/agent/plain/chat/stream": 400}


@pytest.mark.clause("COMMON-67")
@pytest.mark.fault(24)
@pytest.mark.parametrize("path", NOT_JSON)
@pytest.mark.parametrize("kind", PLAIN)
def test_json_in_disguise(town, path, kind):
    """A form of another site can send JSON as text/plain, and a browser adds the cookie. Then it counts as not JSON."""
    before = town.alice.api.call("GET", "/sessions?limit=1").json["total"]
    body = b'{"message":"say exactly: hi","title":"x"}'
    headers = [("Content-Type", kind)] if kind else []
    reply = town.alice.by_cookie.call("POST", path, body=body, headers=headers)
    assert reply.status == NOT_JSON[path], reply
    assert town.alice.api.call("GET", "/sessions?limit=1").json["total"] == before
    by_key = town.alice.api.call("POST", path, body=body, headers=headers)
    # A key comes from no page, so its owner may leave the type out; chat says itself which types it takes.
    assert by_key.status in (200, 201) or "chat" in path, by_key


@pytest.mark.clause("COMMON-67")
@pytest.mark.parametrize("kind", ["application/json", "application/json;charset=utf-8", "Application/JSON ; charset=UTF-8"])
def test_json_as_json(town, kind):
    body = b'{"message":"say exactly: hi"}'
    reply = town.alice.by_cookie.call("POST", "/agent", body=body, headers=[("Content-Type", kind)])
    assert reply.status == 200 and reply.json["response"] == "hi"


@pytest.mark.clause("COMMON-67")
def test_a_form_with_files_may_come_with_the_cookie(town):
    session = town.alice.by_cookie.session()
    assert town.alice.by_cookie.upload(session, "a.txt", b"alpha").status == 201
    chat = Chat(town.alice.by_cookie, "plain")
    assert chat.read(chat.form("say exactly: hi")).text == "hi"


# ---- the GET that starts a run ----

@pytest.mark.clause("COMMON-68")
@pytest.mark.fault(15)
def test_an_image_starts_no_run(town):
    """<img src="http://127.0.0.1:8000/agent/…/chat/stream?message=…"> on another site's page."""
    total = town.alice.api.call("GET", "/sessions?limit=1").json["total"]
    for name in ("an image", "an event source", "a form", "a neighbour"):
        reply = Chat(town.alice.by_cookie, "plain").link("say exactly: gotcha", headers=STRANGE[name])
        assert isinstance(reply, Reply) and reply.status == 403
        assert reply.header("content-type") == "application/problem+json"
    assert town.alice.api.call("GET", "/sessions?limit=1").json["total"] == total
    for headers in ([("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "none")], []):
        chat = Chat(town.alice.by_cookie, "plain")
        assert chat.read(chat.link("say exactly: mine", headers=headers)).text == "mine"


@pytest.mark.clause("COMMON-29", "COMMON-68")
@pytest.mark.fault(7)
@pytest.mark.parametrize("path", ["/agent/plain/chat/stream?message=hi", "/agent/stream", "/api/v1/runs/x/stream",
                                  "/sessions/x/stream?query=hi"])
def test_head_starts_no_run(town, path):
    total = town.alice.api.call("GET", "/sessions?limit=1").json["total"]
    reply = town.alice.api.call("HEAD", path)
    assert reply.status == 405 and reply.header("allow")
    assert town.alice.api.call("GET", "/sessions?limit=1").json["total"] == total


# ---- preflights ----

@pytest.mark.clause("COMMON-33")
@pytest.mark.parametrize("route", sorted(EXAMPLES))
def test_a_preflight_needs_no_credential(shared, town, route):
    method, pattern = route.split(" ")
    path = access.CAPTURE.sub("x", pattern)

    def preflight(api, origin):
        return api.call("OPTIONS", path, headers=[("Origin", origin), ("Access-Control-Request-Method", method),
                                                  ("Access-Control-Request-Headers", "authorization, last-event-id")])
    reply = preflight(shared.api, "http://localhost:5173")
    assert reply.status == 204 and reply.header("access-control-allow-origin") == "http://localhost:5173"
    assert method in reply.header("access-control-allow-methods")
    allowed = {name.strip().lower() for name in reply.header("access-control-allow-headers").split(",")}
    assert allowed == {"content-type", "authorization", "last-event-id", "idempotency-key", "cache-control"}
    for api in (shared.api, town.nobody):
        refused = preflight(api, "https://evil.test")
        assert refused.status != 401 and "access-control-allow-origin" not in refused.headers


# ---- the order of checks ----

@pytest.mark.clause("COMMON-72", "COMMON-27")
@pytest.mark.parametrize("path, shape_of_error", [
    ("/nothing", {"error"}), ("/api/v1/nothing", {"error"}), ("/agent/conversations/x/y", {"detail"}),
    ("/sessions/x/y/z", {"error"}), ("/agent/plain/nothing", PROBLEM)])
def test_sites_routes_methods_credentials_in_this_order(town, path, shape_of_error):
    for headers, host in (([("Origin", "https://evil.test")], "127.0.0.1"), ([], "evil.test")):
        reply = town.nobody.call("POST", path, headers=headers, host=host)
        assert reply.status == 403 and shape(reply) == shape_of_error, reply
    reply = town.nobody.call("POST", path)
    assert reply.status == 404 and shape(reply) == shape_of_error, reply


@pytest.mark.clause("COMMON-72", "COMMON-71")
@pytest.mark.parametrize("path, shape_of_error", [("/sessions", {"error"}), ("/api/v1/sessions", {"error"}),
                                                  ("/agent", {"detail"}), ("/agent/plain/chat", PROBLEM)])
def test_each_contract_has_its_own_shape(town, path, shape_of_error):
    def ask(method="POST", headers=(), body=b"no json", host="127.0.0.1"):
        with Connection(town.server.port) as connection:
            return connection.ask(method, path, headers, body, host)
    key = bearer(town.alice.key)
    too_large, is_json = ("Content-Length", "999999999"), ("Content-Type", "application/json")
    steps = [(403, ask(host="evil.test", headers=[too_large])), (405, ask("PUT", [too_large])),
             (401, ask(headers=[too_large])), (413, ask(headers=[key, too_large])),
             (422 if path == "/agent" else 400, ask(headers=[key, is_json]))]
    for status, reply in steps:
        assert reply.status == status and shape(reply) == shape_of_error, f"{status}: {reply}"
        assert reply.header("content-type").split(";")[0] in ("application/json", "application/problem+json")
    if path == "/api/v1/sessions":
        assert all(set(reply.json["error"]) == {"code", "message", "details"} for _, reply in steps)
    elif path == "/sessions":
        assert all(isinstance(reply.json["error"], str) for _, reply in steps)


@pytest.mark.clause("COMMON-72")
@pytest.mark.fault(24)
def test_a_request_that_is_refused_is_not_read(town):
    """The head decides: a body of another site is not waited for."""
    with Connection(town.server.port) as connection:
        connection.send(request_bytes("POST", "/agent", [cookie(town.alice.cookie), ("Origin", "https://evil.test"),
                                                         ("Content-Length", "1000000")]))
        reply = connection.read_reply()
        assert reply.status == 403 and json.loads(reply.body)
