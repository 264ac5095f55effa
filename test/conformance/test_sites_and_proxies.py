"""What needs a credential, with and without --dev; other sites, unknown hosts, and proxies in front."""
import pytest

from braid_client.api import expect_error
from braid_client.people import Person, bearer, cookie, cookie_of

WRONG_KEY = "brk_" + "A" * 43
SOMEBODY = "/api/v1/sessions"


def me(api):
    reply = api.call("GET", "/auth/me")
    return reply.json if reply.status == 200 else reply.status


# ---- what needs a credential ----

@pytest.mark.clause("IDENTITY-14")
def test_without_dev_everybody_needs_a_credential(town):
    for path in ("/health", "/ready"):
        assert town.nobody.call("GET", path).status == 200
    for path in (SOMEBODY, "/api/v1/approvals", "/auth/me", "/agents", "/metrics", "/sessions", "/alerts", "/agent/history"):
        assert town.nobody.call("GET", path).status == 401, path
    assert town.nobody.call("POST", "/agent/support/chat/stream", json={"message": "hi"}).status == 401
    expect_error(town.nobody.post("/sessions", json={}), 401, "UNAUTHORIZED")


@pytest.mark.clause("IDENTITY-27")
def test_metrics_and_alerts_are_for_admins(town):
    for path in ("/metrics", "/alerts"):
        assert town.alice.api.call("GET", path).status == 403, path
        assert town.ada.api.call("GET", path).status == 200, path
        assert town.ada.by_cookie.call("GET", path).status == 200, path
    assert "alerts" in town.ada.api.call("GET", "/alerts").json
    assert town.ada.api.call("GET", "/alerts?limit=0").status == 422


@pytest.mark.fault(23)
def test_somebody_elses_objects_are_not_there(town):
    session, run, _ = town.alice.api.ask_to_write()
    with town.alice.api.stream(session, run) as stream:
        stream.read_type("tool_call_proposed")
        approval = town.alice.api.pending(session)[0]["approval_id"]
        bob = town.bob.api
        expect_error(bob.get(f"/sessions/{session}"), 404, "SESSION_NOT_FOUND")
        expect_error(bob.get(f"/sessions/{session}/runs/{run}"), 404, "RUN_NOT_FOUND")
        assert bob.try_stream(session, run).status == 404
        assert bob.approve(session, approval).status == 404
        assert bob.interrupt(session, run).status == 404
        assert bob.delete(f"/sessions/{session}").status == 404
        assert session not in [item["session_id"] for item in bob.get("/sessions").json["items"]]
        assert bob.get("/approvals").json["items"] == []
        with town.ada.api.stream(session, run) as admins:
            admins.read_type("tool_call_proposed")
        assert town.ada.api.delete(f"/sessions/{session}").status == 404
        assert town.ada.api.interrupt(session, run).status == 404
        assert town.ada.api.approve(session, approval).status == 200
        assert stream.read_to_end().end == "clean"


@pytest.mark.clause("IDENTITY-27")
def test_metrics_on_an_address_of_their_own(new_town):
    town = new_town(arguments=["--metrics-listen", "127.0.0.1:0"])
    port = int(town.server.wait_log(r"http://127\.0\.0\.1:(\d+)/metrics").group(1))
    apart = town.nobody.showing()
    apart.port = port
    reply = apart.call("GET", "/metrics")
    assert reply.status == 200 and b"braidlog_requests_total" in reply.body
    assert apart.call("HEAD", "/metrics").status == 200
    assert apart.call("POST", "/metrics").status == 405
    for path in ("/", "/health", "/auth/me", "/metrics/x", SOMEBODY):
        assert apart.call("GET", path).status == 404, path
    assert town.nobody.call("GET", "/metrics").status == 401


def test_a_server_without_users_says_how_to_make_one(new_server):
    server = new_server(dev=False)
    server.wait_log(r"no user.*braidlog user add")
    assert server.api.call("GET", SOMEBODY).status == 401
    person = Person(server, "first", admin=True)
    assert me(person.api)["role"] == "admin"
    server.restart()
    server.wait_log("stopped")
    assert server.log().count("there is no user yet") == 1


# ---- --dev ----

@pytest.mark.clause("IDENTITY-15")
def test_in_dev_who_shows_nothing_is_demo(api):
    assert me(api) == {"user_id": "demo", "username": "demo", "role": "admin"}
    assert me(api.showing(cookie("A" * 43)))["username"] == "demo"
    assert me(api.showing(bearer(WRONG_KEY))) == 401
    assert api.call("GET", "/metrics").status == 200
    assert api.call("POST", "/auth/logout").status == 204


def test_a_contract_that_demands_a_credential_demands_it_in_dev_too(api):
    assert api.call("GET", "/agent/history").status == 401
    assert api.call("GET", "/agent/history").json == {"detail": "Authentication required"}
    reply = api.call("POST", "/auth/login", json={"username": "demo", "password": "demo"})
    assert reply.status == 200 and reply.json == {"user_id": "demo", "username": "demo"}
    assert api.showing(cookie(cookie_of(reply)["value"])).call("GET", "/agent/history").status == 200
    assert api.call("POST", "/auth/login", json={"username": "demo", "password": "x"}).status == 401


@pytest.mark.clause("IDENTITY-15")
def test_demos_cookie_is_worth_nothing_without_dev(new_server):
    server = new_server()
    value = cookie_of(server.api.call("POST", "/auth/login", json={"username": "demo", "password": "demo"}))["value"]
    server.restart()
    assert me(server.api.showing(cookie(value)))["username"] == "demo"
    server.stop()
    server.dev = False
    server.start()
    assert me(server.api.showing(cookie(value))) == 401
    assert server.api.call("POST", "/auth/login", json={"username": "demo", "password": "demo"}).status == 401


def test_people_use_a_server_in_dev_too(new_server):
    server = new_server()
    person = Person(server, "ada")
    assert me(person.by_cookie) == {"user_id": person.user_id, "username": "ada", "role": "user"}
    session = person.api.session()
    assert server.api.get(f"/sessions/{session}").status == 200, "demo is an admin"
    assert person.api.get(f"/sessions/{server.api.session()}").status == 404


# ---- other sites ----

@pytest.mark.clause("COMMON-67")
@pytest.mark.fault(24)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "text/json",
                                  "text/plain; application/json", "application/jsonp"])
def test_a_body_that_comes_with_the_cookie_is_json(alice, kind):
    headers = [("Content-Type", kind)] if kind else []
    for body in (b"{}", b'{"agent":"writer"}'):
        expect_error(alice.by_cookie.call("POST", SOMEBODY, body=body, headers=headers), 400, "BAD_REQUEST")
        assert alice.api.call("POST", SOMEBODY, body=body, headers=headers).status == 201, "a key comes from no page"
    reply = alice.by_cookie.call("POST", "/agent/stream", body=b'{"message":"hi"}', headers=headers)
    assert reply.status == 422 and set(reply.json) == {"detail"}


def test_bodies_that_may_come_with_the_cookie(alice):
    for kind in ("application/json", "application/json; charset=utf-8", "APPLICATION/JSON"):
        reply = alice.by_cookie.call("POST", SOMEBODY, body=b"{}", headers=[("Content-Type", kind)])
        assert reply.status == 201, kind
    session = reply.json["session_id"]
    assert alice.by_cookie.upload(session, "a.txt", b"text").status == 201
    assert alice.by_cookie.call("POST", SOMEBODY).status in (201, 400), "no body, no type"
    assert alice.by_cookie.call("POST", "/auth/logout", body=b"x", headers=[("Content-Type", "text/plain")]).status == 204
    alice._cookie = None


@pytest.mark.clause("COMMON-70")
@pytest.mark.fault(24)
@pytest.mark.parametrize("origin", ["http://evil.test", "null", "https://127.0.0.1", "http://localhost:5173",
                                    "http://127.0.0.1.evil.test"])
def test_another_site_with_the_cookie(alice, origin):
    before = len(alice.api.get("/sessions").json["items"])
    for api in (alice.by_cookie, alice.api):
        expect_error(api.post("/sessions", json={}, headers=[("Origin", origin)]), 403, "FORBIDDEN")
    reply = alice.by_cookie.call("POST", "/auth/logout", headers=[("Origin", origin)])
    assert reply.status == 403 and set(reply.json) == {"detail"}
    login = alice.server.api.call("POST", "/auth/login", json={"username": alice.name, "password": alice.password},
                                  headers=[("Origin", origin)])
    assert login.status == 403 and "set-cookie" not in login.headers
    reply = alice.by_cookie.get("/sessions", headers=[("Origin", origin)])
    assert reply.status == 200 and "access-control-allow-origin" not in reply.headers
    assert len(alice.api.get("/sessions").json["items"]) == before


@pytest.mark.fault(24)
def test_the_servers_own_pages_may(alice):
    host = f"127.0.0.1:{alice.server.port}"
    reply = alice.by_cookie.post("/sessions", json={}, headers=[("Origin", f"http://{host}")], host=host)
    assert reply.status == 201


@pytest.mark.clause("COMMON-68")
@pytest.mark.fault(24, 15)
@pytest.mark.parametrize("header", [("Origin", "http://evil.test"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
                                    ("Sec-Fetch-Site", "same-site")])
def test_a_get_that_starts_a_run_is_guarded(alice, header):
    reply = alice.by_cookie.call("GET", "/agent/support/chat/stream?message=hello", headers=[header])
    assert reply.status == 403
    for site in ("same-origin", "none"):
        assert alice.by_cookie.call("GET", "/auth/me", headers=[("Sec-Fetch-Site", site)]).status == 200


@pytest.mark.clause("COMMON-69")
@pytest.mark.fault(24)
@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "", "10.0.0.1"])
def test_an_unknown_host(town, host):
    for api in (town.nobody, town.alice.by_cookie, town.alice.api):
        expect_error(api.call("GET", SOMEBODY, headers=[("Host", host)]), 403, "FORBIDDEN")
    assert town.nobody.call("GET", "/health", headers=[("Host", host)]).status == 403
    assert town.nobody.call("GET", "/nothing", headers=[("Host", host)]).status == 403, "before the route"


@pytest.mark.clause("COMMON-69", "COMMON-70")
@pytest.mark.fault(24)
def test_an_allowed_site_and_its_name(new_town):
    town = new_town(arguments=["--allow-origin", "https://app.example"])
    origin = [("Origin", "https://app.example")]
    reply = town.alice.by_cookie.post("/sessions", json={}, headers=origin)
    assert reply.status == 201
    assert reply.header("access-control-allow-origin") == "https://app.example"
    assert reply.header("access-control-allow-credentials") == "true"
    assert town.nobody.call("GET", "/health", host="app.example").status == 200
    refused = town.nobody.post("/sessions", json={}, headers=origin)
    assert refused.status == 401 and refused.header("access-control-allow-origin") == "https://app.example"
    assert town.alice.by_cookie.post("/sessions", json={}, headers=[("Origin", "http://app.example")]).status == 403


# ---- proxies ----

@pytest.fixture
def behind_proxy(new_town):
    return new_town(arguments=["--trusted-proxy", "127.0.0.0/8", "--trusted-proxy", "::1"])


SECURE = ("X-Forwarded-Proto", "https")


@pytest.mark.clause("IDENTITY-2")
def test_over_tls_the_cookie_is_secure_and_the_hosts_alone(behind_proxy):
    alice = behind_proxy.alice
    reply = alice.try_log_in(headers=[SECURE])
    found = cookie_of(reply)
    assert found["name"] == "__Host-session"
    attributes = {part.strip() for part in found["attributes"].split(";")} - {""}
    assert attributes == {"Path=/", "HttpOnly", "SameSite=Lax", "Secure", f"Max-Age={30 * 24 * 3600}"}
    value = found["value"]
    secure = behind_proxy.server.api.showing(SECURE, cookie(value, "__Host-session"))
    assert me(secure)["username"] == "alice"
    assert me(behind_proxy.server.api.showing(SECURE, cookie(value))) == 401, "anybody on the wire could have set that one"
    cleared = cookie_of(secure.call("POST", "/auth/logout"))
    assert cleared["name"] == "__Host-session" and "Secure" in cleared["attributes"] and cleared["value"] == ""


def test_over_tls_the_servers_own_origin_is_https(behind_proxy):
    alice, host = behind_proxy.alice, f"127.0.0.1:{behind_proxy.server.port}"

    def status(origin, *headers):
        return alice.api.post("/sessions", json={}, headers=[("Origin", origin), *headers], host=host).status

    assert status(f"https://{host}", SECURE) == 201
    assert status(f"http://{host}", SECURE) == 403
    assert status(f"http://{host}") == 201
    assert status(f"https://{host}") == 403


@pytest.mark.clause("IDENTITY-2")
def test_a_stranger_is_no_proxy(new_town):
    town = new_town(arguments=["--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "127.0.0.2"])
    reply = town.alice.try_log_in(headers=[SECURE, ("X-Forwarded-For", "198.51.100.7")])
    assert cookie_of(reply)["name"] == "session"


def test_forwarded_addresses_of_strangers_do_not_count(new_town):
    town = new_town(limits={"login_failures_per_address_max": 3})
    statuses = [town.nobody.call("POST", "/auth/login", json={"username": f"user{i}", "password": "wrong"},
                                 headers=[("X-Forwarded-For", f"198.51.100.{i}")]).status for i in range(4)]
    assert statuses == [401, 401, 401, 429]
