"""Who is let in: logins, cookies and keys, what ends them with their streams, and wrong passwords."""
import re
import time

import pytest

from braid_client.api import at_once, expect_error
from braid_client.people import Person, bearer, command, cookie, cookie_of, must
from braid_client.waiting import wait_for
from braid_client.wire import Stream

WRONG_KEY = "brk_" + "A" * 43
SOMEBODY = "/api/v1/sessions"


@pytest.fixture
def carol(town, request):
    """A person for one test alone, who may be changed in any way."""
    return Person(town.server, re.sub(r"[^A-Za-z0-9]", "-", request.node.name)[-60:])


def me(api):
    reply = api.call("GET", "/auth/me")
    return reply.json if reply.status == 200 else reply.status


def waiting_stream(person, api):
    """A stream of a run of this person that waits for an approval, opened with what `api` shows."""
    session, run, _ = person.api.ask_to_write()
    stream = api.stream(session, run)
    stream.read_type("tool_call_proposed")
    return session, run, stream


def read_cut(stream, timeout=10):
    stream.read_to_end(timeout)
    return stream.end


# ---- logging in and out ----

@pytest.mark.clause("IDENTITY-1", "IDENTITY-2", "IDENTITY-5")
def test_a_login(carol):
    reply = carol.try_log_in()
    assert reply.status == 200
    assert reply.json == {"user_id": carol.user_id, "username": carol.name}
    found = cookie_of(reply)
    assert found["name"] == "session" and re.fullmatch(r"[A-Za-z0-9_-]{43}", found["value"])
    attributes = {part.strip() for part in found["attributes"].split(";")} - {""}
    assert attributes == {"Path=/", "HttpOnly", "SameSite=Lax", f"Max-Age={30 * 24 * 3600}"}
    assert reply.header("cache-control") == "no-store"
    expected = {"user_id": carol.user_id, "username": carol.name, "role": "user"}
    assert me(carol.server.api.showing(cookie(found["value"]))) == expected
    assert me(carol.api) == expected


@pytest.mark.clause("IDENTITY-5")
def test_the_role_of_an_admin(town):
    assert me(town.ada.by_cookie)["role"] == "admin"
    assert me(town.nobody) == 401


@pytest.mark.clause("IDENTITY-6")
@pytest.mark.fault(21)
def test_a_logout_ends_this_cookie_and_no_other(carol):
    first, second = carol.log_in(), carol.log_in()
    assert first != second
    here, there = (carol.server.api.showing(cookie(value)) for value in (first, second))
    reply = here.call("POST", "/auth/logout")
    assert reply.status == 204 and reply.body == b""
    cleared = cookie_of(reply)
    assert cleared["value"] == "" and "Max-Age=0" in cleared["attributes"]
    assert me(here) == 401 and me(there)["username"] == carol.name and me(carol.api)["username"] == carol.name
    assert here.call("POST", "/auth/logout").status == 401


@pytest.mark.clause("IDENTITY-6")
@pytest.mark.fault(21)
def test_a_logout_ends_the_live_streams_of_that_cookie(carol):
    first, second = (carol.server.api.showing(cookie(carol.log_in())) for _ in range(2))
    session, run, stream = waiting_stream(carol, first)
    others = [second.stream(session, run), carol.api.stream(session, run)]
    for other in others:
        other.read_type("tool_call_proposed")
    assert first.call("POST", "/auth/logout").status == 204
    assert read_cut(stream) == "unclean"
    assert first.try_stream(session, run).status == 401
    [pending] = carol.api.pending(session)
    assert carol.api.approve(session, pending["approval_id"]).status == 200
    for other in others:
        assert read_cut(other) == "clean" and other.frames[-1].type == "run_completed"


@pytest.mark.clause("IDENTITY-6")
def test_a_logout_with_a_key_changes_nothing(carol):
    value = carol.log_in()
    assert carol.api.call("POST", "/auth/logout").status == 204
    assert me(carol.api)["username"] == carol.name
    assert me(carol.server.api.showing(cookie(value)))["username"] == carol.name


@pytest.mark.clause("IDENTITY-3")
def test_wrong_logins_all_look_the_same(carol):
    nobody = carol.server.api
    wrong = carol.try_log_in(password="wrong")
    unknown = nobody.call("POST", "/auth/login", json={"username": "no-such-user", "password": "wrong"})
    demo = nobody.call("POST", "/auth/login", json={"username": "demo", "password": "demo"})
    for reply in (wrong, unknown, demo):
        assert reply.status == 401 and set(reply.json) == {"detail"}
        assert "set-cookie" not in reply.headers
    assert wrong.body == unknown.body == demo.body


@pytest.mark.clause("IDENTITY-1")
def test_the_name_counts_whatever_its_case(carol):
    reply = carol.server.api.call("POST", "/auth/login",
                                  json={"username": carol.name.upper(), "password": carol.password})
    assert reply.status == 200 and reply.json["username"] == carol.name


@pytest.mark.clause("IDENTITY-3")
@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{", b"\xff", b"{}", b'{"username":"a"}', b'{"password":"a"}',
                                  b'{"username":"","password":"a"}', b'{"username":"a","password":""}',
                                  b'{"username":1,"password":"a"}', b'{"username":"a","password":null}',
                                  b'{"username":"a","password":["a"]}', b"username=a&password=b"])
def test_a_login_with_a_wrong_body(town, body):
    reply = town.nobody.call("POST", "/auth/login", body=body, headers=[("Content-Type", "application/json")])
    assert reply.status == 422 and set(reply.json) == {"detail"} and isinstance(reply.json["detail"], str)


def test_methods_and_unknown_routes_of_auth(town):
    assert town.nobody.call("GET", "/auth/login").status == 405
    assert town.nobody.call("GET", "/auth/login").header("allow") == "POST"
    for path in ("/auth", "/auth/nothing"):
        reply = town.nobody.call("GET", path)
        assert reply.status == 404 and set(reply.json) == {"detail"}


def test_many_log_in_at_once(carol):
    values = at_once(12, lambda _: carol.log_in())
    assert len(set(values)) == 12
    for value in values:
        assert me(carol.server.api.showing(cookie(value)))["username"] == carol.name


@pytest.mark.clause("IDENTITY-3")
def test_an_unknown_name_takes_as_long_as_a_wrong_password(new_town):
    town = new_town(limits={"login_failures_per_name_max": 1000, "login_failures_per_address_max": 1000})

    def seconds(name):
        def once():
            before = time.monotonic()
            town.nobody.call("POST", "/auth/login", json={"username": name, "password": "wrong"})
            return time.monotonic() - before
        return min(once() for _ in range(8))

    known, unknown = seconds("alice"), seconds("nobody-of-that-name")
    assert known / 3 < unknown < known * 3, (known, unknown)


# ---- keys and cookies ----

@pytest.mark.clause("IDENTITY-11")
@pytest.mark.fault(21)
@pytest.mark.parametrize("value", ["", "Bearer", "Bearer ", "Bearer x", f"Bearer {WRONG_KEY}", "Basic YWRhOmFkYQ==", "{key}",
                                   "Bearer {key}x", "Bearer {key} {key}", "Token {key}", 'Bearer "{key}"'])
def test_a_bad_key_is_401_beside_a_good_cookie_too(alice, value):
    header = ("Authorization", value.format(key=alice.key))
    for api in (alice.server.api, alice.by_cookie):
        expect_error(api.call("GET", SOMEBODY, headers=[header]), 401, "UNAUTHORIZED")


def test_the_word_bearer_in_any_case(alice):
    for word in ("Bearer", "bearer", "BEARER"):
        assert me(alice.server.api.showing(("Authorization", f"{word} {alice.key}")))["username"] == "alice"


def test_two_authorization_headers_are_a_bad_key(alice):
    reply = alice.api.call("GET", SOMEBODY, headers=[bearer(alice.key)])
    assert reply.status == 401


@pytest.mark.clause("IDENTITY-13")
def test_the_key_names_the_user_before_the_cookie(town):
    both = town.server.api.showing(bearer(town.bob.key), cookie(town.alice.cookie))
    assert me(both)["username"] == "bob"


@pytest.mark.clause("IDENTITY-12")
@pytest.mark.fault(21)
@pytest.mark.parametrize("value", ["", "x", "A" * 43, "' OR 1=1 --", "A" * 4000])
def test_a_bad_cookie_counts_as_none(alice, value):
    expect_error(alice.server.api.showing(cookie(value)).call("GET", SOMEBODY), 401, "UNAUTHORIZED")
    with_key = alice.server.api.showing(cookie(value), bearer(alice.key))
    assert me(with_key)["username"] == "alice"


def test_of_several_cookies_any_good_one_counts(alice):
    for text in (f"a=b; session={'A' * 43}; session={alice.cookie}", f"session={alice.cookie}; session=x", f'session="{alice.cookie}"'):
        assert me(alice.server.api.showing(("Cookie", text)))["username"] == "alice", text
    apart = alice.server.api.showing(cookie("A" * 43), cookie(alice.cookie))
    assert me(apart)["username"] == "alice"
    for text in (f"xsession={alice.cookie}", f"Session={alice.cookie}", f"session{alice.cookie}"):
        assert me(alice.server.api.showing(("Cookie", text))) == 401, text


@pytest.mark.clause("IDENTITY-9")
@pytest.mark.fault(21)
def test_a_revoked_key_is_dead_with_its_streams_when_the_command_returns(carol):
    key, key_id = carol.new_key()
    by_key = carol.server.api.showing(bearer(key))
    _, _, stream = waiting_stream(carol, by_key)
    carol.revoke(key_id)
    assert me(by_key) == 401
    assert read_cut(stream) == "unclean"
    assert me(carol.api)["username"] == carol.name


@pytest.mark.clause("IDENTITY-9")
@pytest.mark.fault(21)
def test_a_key_ends_at_its_time_with_its_streams(carol):
    key, _ = carol.new_key("--expires", "2s")
    by_key = carol.server.api.showing(bearer(key))
    assert me(by_key)["username"] == carol.name
    _, _, stream = waiting_stream(carol, by_key)
    assert read_cut(stream) == "unclean"
    assert me(by_key) == 401


@pytest.mark.clause("IDENTITY-17")
@pytest.mark.fault(21)
def test_a_disabled_user_is_out_at_once(carol):
    by_cookie, by_key = carol.by_cookie, carol.api
    _, _, stream = waiting_stream(carol, by_cookie)
    _, _, other = waiting_stream(carol, by_key)
    must(command(carol.server, "user", "disable", carol.name))
    assert me(by_cookie) == 401 and me(by_key) == 401
    assert read_cut(stream) == "unclean" and read_cut(other) == "unclean"
    assert carol.try_log_in().status == 401
    must(command(carol.server, "user", "enable", carol.name))
    assert me(by_key)["username"] == carol.name
    assert me(by_cookie) == 401, "a cookie does not come back"


@pytest.mark.clause("IDENTITY-18")
@pytest.mark.fault(21)
def test_a_new_password_ends_the_cookies(carol):
    by_cookie = carol.by_cookie
    _, _, stream = waiting_stream(carol, by_cookie)
    must(command(carol.server, "user", "passwd", carol.name, line="another one"))
    assert read_cut(stream) == "unclean"
    assert me(by_cookie) == 401 and me(carol.api)["username"] == carol.name
    assert carol.try_log_in().status == 401
    assert carol.try_log_in(password="another one").status == 200


@pytest.mark.clause("IDENTITY-7")
@pytest.mark.fault(21)
def test_a_cookie_that_is_not_used_ends(new_town):
    town = new_town(limits={"cookie_idle_time": 2000})
    used, unused = (town.server.api.showing(cookie(town.alice.log_in())) for _ in range(2))
    _, _, stream = waiting_stream(town.alice, unused)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        assert me(used)["username"] == "alice"
        time.sleep(0.2)
    assert me(unused) == 401
    assert read_cut(stream) == "unclean"


@pytest.mark.clause("IDENTITY-7")
@pytest.mark.fault(21)
def test_a_cookie_ends_at_its_age(new_town):
    town = new_town(limits={"cookie_life_time": 2000})
    reply = town.alice.try_log_in()
    assert "Max-Age=2;" in reply.head.decode() or "Max-Age=2\r" in reply.head.decode()
    by_cookie = town.server.api.showing(cookie(cookie_of(reply)["value"]))
    assert me(by_cookie)["username"] == "alice"
    wait_for(lambda: me(by_cookie) == 401, "the end of the cookie", 10)


@pytest.mark.clause("IDENTITY-19")
def test_cookies_and_keys_outlive_the_server(new_town):
    town = new_town()
    value, logged_out = town.alice.log_in(), town.alice.log_in()
    town.server.api.showing(cookie(logged_out)).call("POST", "/auth/logout")
    for hard in (False, True):
        town.server.restart(hard=hard)
        assert me(town.server.api.showing(cookie(value)))["username"] == "alice"
        assert me(town.server.api.showing(cookie(logged_out))) == 401
        assert me(town.alice.api)["username"] == "alice"


@pytest.mark.clause("IDENTITY-7")
def test_a_user_has_only_so_many_cookies(new_town):
    town = new_town(limits={"cookies_per_user_max": 3})
    values = [town.alice.log_in() for _ in range(5)]
    assert [me(town.server.api.showing(cookie(value))) == 401 for value in values] == [True, True, False, False, False]


@pytest.mark.clause("IDENTITY-20")
def test_no_secret_is_stored_or_logged(new_town):
    town = new_town()
    value = town.alice.log_in()
    town.alice.try_log_in(password="a very wrong password")
    secrets = [value, town.alice.key, town.alice.password, "a very wrong password"]
    for path in town.server.data.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            for secret in secrets:
                assert secret.encode() not in data, path.name
    for secret in secrets:
        assert secret not in town.server.log()


# ---- too many wrong passwords ----

@pytest.mark.clause("IDENTITY-4")
def test_wrong_passwords_for_one_name(new_town):
    town = new_town(limits={"login_failures_per_name_max": 3, "login_failure_window": 6000})
    alice, bob = town.alice, town.bob
    assert alice.try_log_in("wrong").status == 401
    assert alice.try_log_in().status == 200  # and the count is cleared
    assert [alice.try_log_in("wrong").status for _ in range(3)] == [401, 401, 401]
    refused = alice.try_log_in()
    assert refused.status == 429 and set(refused.json) == {"detail"}
    assert 1 <= int(refused.header("retry-after")) <= 6
    assert bob.try_log_in().status == 200 and me(alice.api)["username"] == "alice"
    wait_for(lambda: alice.try_log_in().status == 200, "the end of the wait", 10, interval=0.3)


@pytest.mark.clause("IDENTITY-4")
def test_a_flood_of_tries_is_no_way_around(new_town):
    town = new_town(limits={"login_failures_per_name_max": 4})
    statuses = at_once(16, lambda _: town.alice.try_log_in("wrong").status)
    assert sorted(statuses) == [401] * 4 + [429] * 12


@pytest.mark.clause("IDENTITY-4")
def test_wrong_passwords_from_one_address(new_town):
    town = new_town(limits={"login_failures_per_address_max": 3}, arguments=["--trusted-proxy", "127.0.0.1"])

    def status(name, address):
        return town.nobody.call("POST", "/auth/login", json={"username": name, "password": "wrong"},
                                headers=[("X-Forwarded-For", f"203.0.113.9, {address}")]).status

    assert [status(f"user{i}", "198.51.100.7") for i in range(3)] == [401] * 3
    assert status("user9", "198.51.100.7") == 429
    assert status("user9", "198.51.100.8") == 401
    assert [status(f"user{i}", f"2001:db8:1:2::{i}") for i in range(3)] == [401] * 3
    assert status("user9", "2001:db8:1:2:ffff::1") == 429, "one customer, however many addresses"


# ---- streams and the end of a credential, again and again ----

@pytest.mark.fault(21)
def test_logout_racing_new_streams(carol):
    """Whoever comes in while the cookie ends gets 401 or a stream that is cut; none stays open."""
    for _ in range(5):
        by_cookie = carol.server.api.showing(cookie(carol.log_in()))
        session, run, _ = carol.api.ask_to_write()

        def one(index):
            if index == 3:
                return by_cookie.call("POST", "/auth/logout").status
            opened = by_cookie.try_stream(session, run)
            return read_cut(opened) if isinstance(opened, Stream) else opened.status

        results = at_once(8, one)
        assert results.pop(3) == 204
        assert set(results) <= {401, "unclean"}, results
        assert carol.api.delete(f"/sessions/{session}").status == 204
