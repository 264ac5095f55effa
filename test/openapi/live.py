"""Real requests, each of them checked against the document, and a record of which described answers were seen.

A Live has a few servers with users of their own. Whoever asks through it needs not check the shape of an answer: what
is not described fails at once.
"""
import functools
import json as json_module
from dataclasses import dataclass
from urllib.parse import parse_qs

from described import LINES, Document

from braid_client.agents import AGENTS
from braid_client.api import ABSENT, Api
from braid_client.people import Person, bearer
from braid_client.server import Server
from braid_client.wire import Connection, Stream, open_stream, request_bytes

JSON = ("Content-Type", "application/json")


def own_contract(path):
    """Whose frames a stream has when the request does not say."""
    if path == "/watch" or path.endswith("/log"):
        return "watch" if path == "/watch" else "log"
    if path.startswith("/agent/"):
        return "conversation" if path == "/agent/stream" else "chat"
    if path.startswith("/sessions/"):
        return "steps" if path.endswith("/stream") else "tasks"
    return "runs"


@dataclass
class Visitor:
    """Somebody at a server. Answers are checked and counted in `live`."""
    live: "Live"
    api: Api
    name: str

    def showing(self, *headers, name="somebody"):
        return Visitor(self.live, self.api.showing(*headers), name)

    def ask(self, method, target, json=ABSENT, **options):
        """The Reply; that of a GET is compared with the HEAD's."""
        reply = self.api.call(method, target, json=json, **options)
        return self.live.saw(method, target, reply)

    def head(self, target, **options):
        """GET and HEAD of the same: the GET's reply."""
        got = self.ask("GET", target, **options)
        head = self.ask("HEAD", target, **options)
        assert head.status == got.status, f"HEAD {target}: {head.status}, GET: {got.status}"
        assert set(head.headers) == set(got.headers), target
        return got

    def stream(self, method, target, json=ABSENT, body=None, headers=()):
        """An open Stream, or the checked Reply when there is none."""
        if json is not ABSENT:
            body, headers = json_module.dumps(json).encode(), [JSON, *headers]
        path, _, query = target.partition("?")
        contract = parse_qs(query).get("contract", [own_contract(path)])[0]
        answer = open_stream(self.api.port, target, [*self.api.credential, *headers], method=method, body=body,
                             lines=LINES.get(contract, LINES["runs"]))
        if not isinstance(answer, Stream):
            return self.live.saw(method, target, answer)
        self.live.saw_stream(method, target, answer.reply)
        answer.described = self.live.document.find(method, target), contract
        return answer

    def read(self, method, target, **options):
        """The frames of a stream up to its end, each checked."""
        stream = self.stream(method, target, **options)
        assert isinstance(stream, Stream), f"{method} {target}: no stream but {stream}"
        with stream:
            stream.read_to_end()
        assert stream.end == "clean", stream.frames[-1:]
        self.live.document.check_frames(*stream.described, stream.frames)
        return stream.frames

    def raw(self, method, target, headers=(), body=None, host="127.0.0.1"):
        """A request of these bytes, whatever its headers say about them."""
        with Connection(self.api.port) as connection:
            sent = request_bytes(method, target, [*self.api.credential, *headers, ("Connection", "close")], body, host)
            connection.send(sent)
            return self.live.saw(method, target, connection.read_reply(method))


class Live:
    def __init__(self, folder):
        self.folder = folder
        self.servers = {}
        self.seen = set()  # (operation, status)
        self._told = {}
        self.document = Document(self.server("plain").people["alice"].api.call("GET", "/openapi.json").json)

    # ---- servers ----

    def server(self, name, **options):
        """The server of that name, with alice and the admin ruth; made when it is first asked for."""
        if name not in self.servers:
            options["limits"] = {"model_idle_timeout": 1500, "output_bytes_max": 200_000, **options.get("limits", {})}
            server = Server(self.folder / name, agents=AGENTS, dev=False, **options).start()
            self.servers[name] = server
            server.people = {"alice": Person(server, "alice"), "ruth": Person(server, "ruth", admin=True)}
        return self.servers[name]

    def visitor(self, who=None, server="plain", **options):
        """alice, ruth, or somebody without a credential."""
        server = self.server(server, **options)
        if who is None:
            return Visitor(self, server.api, "nobody")
        return Visitor(self, server.api.showing(bearer(server.people[who].key)), who)

    def end(self):
        for server in self.servers.values():
            died = not server.alive()
            server.kill()
            assert not died, server.log()[-4000:]
            server.check_log()

    # ---- what was seen ----

    def saw(self, method, target, reply):
        operation = self.document.find(method, target)
        self.document.check(operation, reply)
        self.seen.add((operation, reply.status))
        return reply

    def saw_stream(self, method, target, reply):
        operation = self.document.find(method, target)
        self.document.check_stream_head(operation, reply)
        self.seen.add((operation, 200))

    # ---- stories: each is told once, whoever asks for it ----

    def tell(self, story):
        if story not in self._told:
            self._told[story] = None
            try:
                story(self)
            except BaseException as error:  # told again to whoever asks again
                self._told[story] = error
                raise
        if self._told[story] is not None:
            raise self._told[story]


STORIES = []


def story(function):
    """Registers `function(live)`: requests that show what a part of the server can answer."""
    STORIES.append(function)
    return functools.wraps(function)(function)
