"""Users of a server, made with the binary's own commands, and what they show to be let in.

    alice = Person(server, "alice")              # braidlog user add
    alice.api.get("/sessions")                   # with her API key
    alice.by_cookie.call("GET", "/auth/me")      # with the cookie of a login
    alice.talk.say("hello")                      # the conversation contract
"""
import re
import subprocess

from .agents import AGENTS, agent
from .api import Api
from .conversation import Conversations
from .server import binary, clean_environment
from .waiting import PATIENCE

COOKIE = re.compile(r"(?P<name>(?:__Host-)?session)=(?P<value>[^;]*)(?P<attributes>(?:; *[^;]+)*)\Z")
KEY_ID = re.compile(r"\bkey_[0-9A-Z]{26}\b")
TOWN_AGENTS = {
    **AGENTS,
    "no-tools-today": agent("no-tools-today", fail="tools_refused"),
    "careful": agent("careful", tools=("system_status", "alert_admin")),
    "plain": agent("plain", tools=()).replace("tools:\n", ""),
    "slow-planner": agent("slow-planner", pace="20ms", tools=("set_tasks", "create_artifact", "create_data_item")),
}


def command(server, *arguments, line=None):
    """`braidlog ARGUMENTS --data …`, with one line on its standard input."""
    return subprocess.run([binary(), *arguments, "--data", str(server.data)], capture_output=True, text=True,
                          input="" if line is None else line + "\n", env=clean_environment(), timeout=PATIENCE)


def must(done):
    assert done.returncode == 0, f"{done.args[1:]} ended with {done.returncode}: {done.stderr}"
    return done


def bearer(key):
    return ("Authorization", f"Bearer {key}")


def cookie(value, name="session"):
    return ("Cookie", f"{name}={value}")


def cookie_of(reply):
    """The match of COOKIE in the one Set-Cookie header of a reply."""
    [text] = reply.headers["set-cookie"]
    match = COOKIE.match(text)
    assert match, text
    return match


class Person:
    def __init__(self, server, name, admin=False, password=None):
        self.server, self.name, self.is_admin = server, name, admin
        self.password = password or f"{name} has a good password"
        must(command(server, "user", "add", name, *(["--admin"] if admin else []), line=self.password))
        self.key, self.key_id = self.new_key()
        self._cookie = None
        self.user_id = self.api.call("GET", "/auth/me").json["user_id"]

    def new_key(self, *arguments):
        """(the key, its id)"""
        done = must(command(self.server, "key", "create", self.name, *arguments))
        [key] = done.stdout.split()
        return key, KEY_ID.search(done.stderr).group()

    def revoke(self, key_id):
        must(command(self.server, "key", "revoke", key_id))

    def try_log_in(self, password=None, **options):
        return self.server.api.call("POST", "/auth/login", json={
            "username": self.name, "password": self.password if password is None else password}, **options)

    def log_in(self) -> str:
        """The value of a new cookie."""
        reply = self.try_log_in()
        assert reply.status == 200, reply
        return cookie_of(reply)["value"]

    @property
    def cookie(self):
        """The value of one cookie that is good now; another one when somebody has ended the last."""
        if self._cookie is None or self.server.api.call("GET", "/auth/me", headers=[cookie(self._cookie)]).status != 200:
            self._cookie = self.log_in()
        return self._cookie

    # Made anew each time: after a restart the server is somewhere else.

    @property
    def api(self) -> Api:
        return self.server.api.showing(bearer(self.key))

    @property
    def by_cookie(self) -> Api:
        return self.server.api.showing(cookie(self.cookie))

    @property
    def talk(self) -> Conversations:
        return Conversations(self.api)


class Town:
    """A server without --dev, and the people who use it: two users and an admin."""

    def __init__(self, server):
        self.server = server
        self.alice, self.bob = Person(server, "alice"), Person(server, "bob")
        self.ada = Person(server, "ada", admin=True)

    @property
    def nobody(self) -> Api:
        return self.server.api
