"""The commands `user`, `key` and `routes`: before a server ever ran, while one runs, and on a data folder that is damaged."""
import json
import os
import pathlib
import pty
import re
import subprocess
import time

import pytest

from braid_client.agents import AGENTS
from braid_client.api import at_once
from braid_client.people import KEY_ID, Person, bearer, command, must
from braid_client.server import Server, binary, clean_environment
from braid_client.waiting import PATIENCE, wait_for

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


class Folder:
    """A data folder without a server, for `command()`."""

    def __init__(self, path):
        self.data = pathlib.Path(path)


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "data")


def add(place, name, password="secret", *flags):
    return command(place, "user", "add", name, *flags, line=password)


def rows(done):
    """Of a list: heading -> cells by heading, one dict per line."""
    must(done)
    heading, *lines = done.stdout.splitlines()
    names = re.split(r"  +", heading.strip())
    return [dict(zip(names, re.split(r"  +", line))) for line in lines]


def users(place):
    return {row["NAME"]: row for row in rows(command(place, "user", "list"))}


def keys(place, *arguments):
    return {row["ID"]: row for row in rows(command(place, "key", "list", *arguments))}


def refused(done, *words, code=1):
    """Nothing on stdout, one line on stderr with these words."""
    assert done.returncode == code, done
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("braidlog: ")
    for word in words:
        assert word in line, line


def log_in(server, name, password):
    return server.api.call("POST", "/auth/login", json={"username": name, "password": password}).status


# ---- users ----

def test_users_before_the_first_server(folder, tmp_path):
    assert users(folder) == {}
    done = must(add(folder, "ada", "secret", "--admin"))
    assert done.stdout == "" and done.stderr == ""
    must(add(folder, "bob.b-1_2@example.com"))
    found = users(folder)
    assert list(found) == ["ada", "bob.b-1_2@example.com"]
    assert found["ada"]["ROLE"] == "admin" and found["bob.b-1_2@example.com"]["ROLE"] == "user"
    for row in found.values():
        assert row["STATE"] == "enabled"
        assert re.fullmatch(TIME, row["CREATED"]) and re.fullmatch(r"user_[0-9A-HJKMNP-TV-Z]{26}", row["ID"])
    assert oct(folder.data.stat().st_mode & 0o777) == "0o700"
    for path in folder.data.iterdir():
        assert path.stat().st_mode & 0o077 == 0, f"{path.name} can be read by others"
    server = Server(tmp_path, agents=AGENTS, dev=False).start()
    try:
        assert server.data == folder.data
        assert log_in(server, "ada", "secret") == 200 and log_in(server, "ada", "Secret") == 401
    finally:
        server.stop()


def test_a_name_that_exists_changes_nothing(folder):
    must(add(folder, "Ada", "secret", "--admin"))
    before = users(folder)
    for name in ("Ada", "ada", "ADA"):
        refused(add(folder, name, "another"), name, "already")
    assert users(folder) == before


@pytest.mark.parametrize("name", ["", "a b", "a/b", "ä", "a" * 65, "demo", "Demo", "a\tb"])
def test_names_that_cannot_be(folder, name):
    refused(add(folder, name), code=2)
    assert not folder.data.exists(), "nothing was made"


@pytest.mark.parametrize("password", ["", "x" * 1025, "\udcff"])
def test_passwords_that_cannot_be(folder, password):
    must(add(folder, "ada", "secret"))
    for words in (("user", "add", "bob"), ("user", "passwd", "ada")):
        done = subprocess.run([binary(), *words, "--data", str(folder.data)], capture_output=True, text=True,
                              input=password + "\n", errors="surrogateescape", env=clean_environment(), timeout=PATIENCE)
        refused(done, "password")
    assert list(users(folder)) == ["ada"]


def test_no_password_at_all(folder):
    for words in (("user", "add", "bob"),):
        done = subprocess.run([binary(), *words, "--data", str(folder.data)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env=clean_environment(), timeout=PATIENCE)
        refused(done, "password")


def test_one_line_is_the_password(new_server):
    server = new_server(dev=False)
    done = subprocess.run([binary(), "user", "add", "ada", "--data", str(server.data)], text=True, capture_output=True,
                          input=" pass word \r\nsecond line\n", env=clean_environment(), timeout=PATIENCE)
    must(done)
    assert log_in(server, "ada", " pass word ") == 200


@pytest.mark.clause("IDENTITY-16")
def test_changes_reach_a_running_server_before_the_command_returns(new_server):
    server = new_server(dev=False)
    for round_ in range(5):
        name, password = f"user{round_}", f"secret{round_}"
        must(add(server, name, password))
        assert log_in(server, name, password) == 200
        must(command(server, "user", "passwd", name, line="another"))
        assert log_in(server, name, password) == 401 and log_in(server, name, "another") == 200
        must(command(server, "user", "disable", name.upper()))
        assert log_in(server, name, "another") == 401
        assert users(server)[name]["STATE"] == "disabled"
        must(command(server, "user", "enable", name))
        assert log_in(server, name, "another") == 200


def test_unknown_users(folder):
    must(add(folder, "ada"))
    for words in (("user", "passwd", "bob"), ("user", "disable", "bob"), ("user", "enable", "bob"), ("key", "create", "bob"),
                  ("key", "list", "bob")):
        refused(command(folder, *words, line="secret"), "bob", "no user")


def test_disabling_twice_is_no_error(folder):
    must(add(folder, "ada"))
    for verb, state in (("disable", "disabled"), ("disable", "disabled"), ("enable", "enabled"), ("enable", "enabled")):
        must(command(folder, "user", verb, "ada"))
        assert users(folder)["ada"]["STATE"] == state


# ---- a person at a terminal ----

def at_terminal(arguments, answers):
    """Runs the binary on a terminal of its own and types the answers; (exit code, all that was shown)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(binary(), [binary(), *arguments], clean_environment())
    shown = b""
    try:
        for prompt, answer in answers:
            deadline = time.monotonic() + PATIENCE
            while prompt not in shown.rpartition(b"\n")[2]:
                assert time.monotonic() < deadline, shown
                shown += os.read(terminal, 1024)
            os.write(terminal, answer + b"\n")
        while True:
            try:
                more = os.read(terminal, 1024)
            except OSError:  # the terminal is gone with its program
                break
            if not more:
                break
            shown += more
    finally:
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown


@pytest.mark.parametrize("answers, code, word", [
    ([(b"Password for ada: ", b"sesame"), (b"Once more: ", b"sesame")], 0, b""),
    ([(b"Password for ada: ", b"sesame"), (b"Once more: ", b"Sesame")], 1, b"differ"),
    ([(b"Password for ada: ", b"")], 1, b"empty"),
    ([(b"Password for ada: ", b"\x03")], 1, b"cancelled")])
def test_a_password_is_asked_for_twice_and_not_shown(new_server, answers, code, word):
    server = new_server(dev=False)
    got, shown = at_terminal(["user", "add", "ada", "--data", str(server.data)], answers)
    assert got == code and word in shown
    assert b"esame" not in shown
    assert log_in(server, "ada", "sesame") == (200 if code == 0 else 401)


@pytest.mark.clause("IDENTITY-16")
def test_a_name_that_exists_is_said_before_a_password_is_asked_for(folder):
    must(add(folder, "ada"))
    code, shown = at_terminal(["user", "add", "ada", "--data", str(folder.data)], [])
    assert code == 1 and b"already" in shown and b"Password" not in shown


# ---- keys ----

@pytest.mark.clause("IDENTITY-10")
def test_a_key_is_printed_once_and_alone(new_server):
    server = new_server(dev=False)
    must(add(server, "ada"))
    done = must(command(server, "key", "create", "ada", "--label", "my laptop", "--expires", "90d"))
    assert re.fullmatch(r"brk_[A-Za-z0-9_-]{43}\n", done.stdout)
    key, key_id = done.stdout.strip(), KEY_ID.search(done.stderr).group()
    assert key not in done.stderr
    assert server.api.showing(bearer(key)).call("GET", "/auth/me").json["username"] == "ada"
    listed = command(server, "key", "list")
    assert key not in listed.stdout and key[4:] not in listed.stdout
    row = keys(server)[key_id]
    assert row["USER"] == "ada" and row["LABEL"] == "my laptop" and row["STATE"] == "good"
    assert re.fullmatch(TIME, row["EXPIRES"]) and re.fullmatch(TIME, row["LAST USED"])
    second = must(command(server, "key", "create", "ada"))
    assert second.stdout != done.stdout
    unused = keys(server)[KEY_ID.search(second.stderr).group()]
    assert unused["EXPIRES"] == "never" and unused["LAST USED"] == "never"


def test_keys_of_one_user(folder):
    for name in ("ada", "bob"):
        must(add(folder, name))
        must(command(folder, "key", "create", name))
    assert len(keys(folder)) == 2
    [row] = keys(folder, "ADA").values()
    assert row["USER"] == "ada"


def test_the_states_of_a_key(folder):
    must(add(folder, "ada"))
    made = [KEY_ID.search(must(command(folder, "key", "create", "ada", *flags)).stderr).group()
            for flags in ((), (), ("--expires", "1ms"))]
    must(command(folder, "key", "revoke", made[1]))
    must(command(folder, "key", "revoke", made[1]))  # twice is no error
    assert [keys(folder)[key]["STATE"] for key in made] == ["good", "revoked", "expired"]
    must(command(folder, "user", "disable", "ada"))
    assert keys(folder)[made[0]]["STATE"] == "user disabled"


def test_an_unknown_key(folder):
    must(add(folder, "ada"))
    for name in ("key_01ARZ3NDEKTSV4RRFFQ69G5FAV", "nonsense"):
        refused(command(folder, "key", "revoke", name), name)


@pytest.mark.clause("IDENTITY-10")
def test_the_last_use_is_known_after_a_restart(new_server):
    server = new_server(dev=False)
    person = Person(server, "ada")
    server.stop()
    used = keys(server)[person.key_id]["LAST USED"]
    assert re.fullmatch(TIME, used)
    server.start()


# ---- several at once ----

@pytest.mark.clause("IDENTITY-16")
def test_many_commands_at_once(folder):
    results = at_once(8, lambda i: add(folder, f"user{i % 4}", "secret").returncode)
    assert sorted(results) == [0] * 4 + [1] * 4
    assert len(users(folder)) == 4


def test_commands_while_servers_come_and_go(tmp_path):
    """A command and a server that starts or stops at the same moment: both do their work."""
    server = Server(tmp_path, agents=AGENTS, dev=False)

    def one(index):
        if index == 0:
            for _ in range(4):
                server.start()
                server.stop()
            return [0]
        return [add(server, f"user{index}-{i}", "secret").returncode for i in range(4)]

    for codes in at_once(3, one):
        assert set(codes) == {0}
    assert len(users(server)) == 8
    server.check_log()


def test_a_busy_server_and_a_login(new_server):
    """Users are written beside the server's own writer, which never rests here."""
    server = new_server(dev=False, pace=1)
    person = Person(server, "ada")
    runs = []
    for _ in range(20):
        session = person.api.session()
        runs.append((session, person.api.start(session, "tell me a long story about rivers")))
    for i in range(5):
        must(add(server, f"user{i}"))
        assert log_in(server, f"user{i}", "secret") == 200
    for session, run in runs:
        person.api.interrupt(session, run)
        person.api.wait_over(session, run)


# ---- folders ----

def test_the_folder_comes_from_the_environment_too(tmp_path):
    environment = {**clean_environment(), "BRAIDLOG_DATA": str(tmp_path / "elsewhere")}
    done = subprocess.run([binary(), "user", "add", "ada"], capture_output=True, text=True, input="secret\n",
                          env=environment, cwd=tmp_path, timeout=PATIENCE)
    must(done)
    assert list(users(Folder(tmp_path / "elsewhere"))) == ["ada"]
    assert not (tmp_path / "braidlog-data").exists()


@pytest.mark.fault(33)
@pytest.mark.parametrize("damage", ["cut to nothing", "not a database", "newer"])
def test_a_damaged_database_is_left_alone(folder, damage):
    must(add(folder, "ada"))
    database = folder.data / "braidlog.db"
    content = {"cut to nothing": b"", "not a database": b"hello" * 1000,
               "newer": (lambda data: data[:60] + (999).to_bytes(4, "big") + data[64:])(database.read_bytes())}[damage]
    database.write_bytes(content)
    refused(add(folder, "bob"))
    assert database.read_bytes() == content


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("no folder")
    refused(add(Folder(tmp_path / "file" / "data"), "ada"), "data folder")


# ---- help, wrong words, routes ----

@pytest.mark.parametrize("words", [(), ("user",), ("user", "add"), ("user", "list"), ("user", "passwd"), ("user", "disable"),
                                   ("user", "enable"), ("key",), ("key", "create"), ("key", "list"), ("key", "revoke"),
                                   ("routes",), ("serve",)])
def test_help_everywhere(words):
    done = subprocess.run([binary(), *words, "--help"], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and "Usage: " in done.stdout and done.stderr == ""


@pytest.mark.parametrize("words, named", [
    (("user",), "subcommand"), (("user", "dance"), "dance"), (("user", "add"), "NAME"), (("key", "create"), "USER"),
    (("key", "revoke"), "ID"), (("user", "add", "ada", "secret"), "secret"), (("user", "list", "--colour"), "--colour"),
    (("key", "create", "ada", "--expires", "tomorrow"), "tomorrow"), (("routes", "--yaml"), "--yaml")])
def test_wrong_words(words, named):
    done = subprocess.run([binary(), *words], capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    refused(done, named, code=2)


def routes():
    done = must(subprocess.run([binary(), "routes", "--json"], capture_output=True, text=True, timeout=PATIENCE))
    return json.loads(done.stdout)["routes"]


def test_the_list_of_routes_is_what_the_server_serves(town):
    listed = routes()
    assert {"method", "path", "access", "dialect", "body", "streams", "starts_run"} == set(listed[0])
    assert {route["access"] for route in listed} == {"open", "user", "credential", "admin"}
    assert len({(route["method"], route["path"]) for route in listed}) == len(listed)
    for route in listed:
        path = re.sub(r"\{\*?\}", "01ARZ3NDEKTSV4RRFFQ69G5FAV", route["path"])
        reply = town.nobody.call(route["method"], path)
        if route["access"] == "open":
            # Which files the console has is not in the list.
            no_such_file = route["path"] == "/assets/{}" and reply.status == 404
            assert reply.status not in (401, 404, 405) or no_such_file, (route, reply)
        else:
            assert reply.status == 401, (route, reply)
        if route["access"] == "admin":
            assert town.alice.api.call(route["method"], path).status == 403, route
    shown = must(subprocess.run([binary(), "routes"], capture_output=True, text=True, timeout=PATIENCE)).stdout
    assert len(shown.splitlines()) == len(listed) + 1


def test_every_route_that_is_not_open_is_closed_to_bad_credentials(town):
    wrong = [bearer("brk_" + "A" * 43)], [("Cookie", "session=" + "A" * 43)], [bearer(town.alice.key + "x")]
    for route in routes():
        path = re.sub(r"\{\*?\}", "01ARZ3NDEKTSV4RRFFQ69G5FAV", route["path"])
        for shown in wrong:
            status = town.server.api.showing(*shown).call(route["method"], path).status
            assert (status == 401) == (route["access"] != "open"), (route, shown, status)


def test_the_server_waits_for_a_command_and_no_longer(folder, tmp_path):
    """A second server is refused as before, with one line, although the lock is waited for a moment."""
    server = Server(tmp_path, agents=AGENTS).start()
    try:
        before = time.monotonic()
        done = subprocess.run([binary(), "serve", "--dev", "--listen", "127.0.0.1:0", "--data", str(folder.data)],
                              capture_output=True, text=True, timeout=PATIENCE, env=clean_environment())
        refused(done, "another Braidlog server")
        assert time.monotonic() - before < 5
        wait_for(server.responds, "the first one")
    finally:
        server.stop()
