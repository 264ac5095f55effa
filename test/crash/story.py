"""One run that is begun through the runs contract, and what its clients do about it."""
from braid_client.agents import agent
from braid_client.any_contract import CONTRACTS, is_end, open_run
from braid_client.chat import Chat
from braid_client.conversation import Conversations
from braid_client.steps import Steps
from braid_client.waiting import wait_for
from braid_client.wire import Closed, Stream
from braid_client.witness import Viewer, Witness

AGENTS = {
    "burst": agent("burst"),
    "brisk": agent("brisk", pace="1ms"),
    "steady": agent("steady", pace="4ms"),
    "auto": agent("auto", approval="{default: auto}"),
    "codes": agent("codes", pace="1ms", extra="style: code\nplanning: {interval: 2}\n"),
    "works": agent("works", pace="1ms", tools=("set_tasks", "create_artifact", "create_data_item", "list_artifacts",
                                               "calculator", "current_datetime")),
}
LAZY_READ_S = 0.05
IDLE_S = 0.1     # without a frame: perhaps somebody has to decide
DEATH_S = 5.0


class ServerGone(Exception):
    """The server died under a client; what was not acknowledged may or may not have happened."""


class Story(Witness):
    """A witness that also acts. One client thread has it at a time."""

    contract = "runs"  # that it is begun in
    is_over = False    # its end was seen
    kinds = ("story", "story", "write", "write", "write_two", "auto_write", "auto_write", "rename")

    def begin(self, rng, number):
        kind = rng.choice(self.kinds)
        self.kind, self.number, self.patience = kind, number, rng.randint(0, 3)
        self.key = f"key-{number}"
        self.auto = kind == "auto_write"
        self.agent = {"story": rng.choice(("burst", "brisk", "steady")), "auto_write": rng.choice(("auto", "brisk"))}.get(
            kind, rng.choice(("burst", "brisk")))
        a, b = f"a{number}.md", f"b{number}.md"
        self.message, self.paths = {
            "story": (f"a long story about lighthouse {number}", ()),
            "write": (f"Write a haiku about rivers to {a}", (a,)),
            "auto_write": (f"Write a haiku about rivers to {a} and {b}", (a, b)),
            "write_two": (f"Write a haiku about rivers to {a} and {b}", (a, b)),
            "rename": (f"rename {a} to {b}", (b,)),
        }[kind]
        return self

    def visit(self, api, rng, server_alive):
        """One client comes, does something about the run, and goes. Raises ServerGone when the server died."""
        try:
            self._visit(api, rng)
        except (Closed, ConnectionError) as error:
            wait_for(lambda: not server_alive(), f"the death of a server that cut {self.run}", DEATH_S)
            raise ServerGone from error

    def _visit(self, api, rng):
        if self.session is None:
            self._open_session(api)
        if self.run is None:
            self.start(api)
        if self._decide_all(api, rng):
            self._watch(api, rng)

    def start(self, api):
        """Starts the run, or asks again with the same key."""
        self._prepare(api)
        reply = api.post(f"/sessions/{self.session}/messages", json={"message": self.message, "idempotency_key": self.key})
        if reply.status == 503:
            raise Closed(reply.body)  # it stops, which the caller makes sure of
        assert reply.status == 202, reply
        self.note_started(reply.json["run_id"])

    def find(self, api, rng) -> bool:
        """On a new server: the run that there is, or that is begun now. False: there is none, or nobody asks yet."""
        if self.session is None or (self.run is None and rng.random() < 0.5):
            return False
        self.start(api)
        return True

    def _prepare(self, api):
        if self.kind == "rename" and not self.run:
            assert api.upload(self.session, self.paths[0].replace("b", "a", 1), b"once").status == 201

    def _open_session(self, api):
        self.session = api.session(agent=self.agent, auto_approve=self.auto)

    # ---- watching ----

    def _watch(self, api, rng):
        if not self.viewers or rng.random() < 0.2:
            self.viewers.append(Viewer(contract=rng.choice(("runs", "runs", *CONTRACTS))))
        viewer, lazy = rng.choice(self.viewers), Viewer(contract=rng.choice(CONTRACTS))
        stream = self._open(api, rng, viewer)
        if not isinstance(stream, Stream):
            assert stream.status == 204 and viewer.last is not None, stream
            self.is_over = True
            return
        beside = open_run(api, self.run, lazy.contract) if rng.random() < 0.3 else None
        try:
            self._follow(stream, viewer.contract, api, rng)
        finally:
            viewer.take(stream)
            stream.close()
            if beside:
                self._read_lazily(beside)
                lazy.take(beside)
                self.viewers.append(lazy)
                beside.close()

    def _open(self, api, rng, viewer):
        """By one of the URLs that lead to the run, from where the viewer stopped."""
        if viewer.contract == "runs" and rng.random() < 0.7:
            return api.try_stream(self.session, self.run, viewer.last)
        if viewer.last and viewer.contract == "conversation" and rng.random() < 0.6:
            return Conversations(api).try_stream(last=viewer.last, body=b"")
        if viewer.last and viewer.contract == "steps" and rng.random() < 0.6:
            return Steps(api).send(self.session, last=viewer.last)
        if viewer.last and viewer.contract == "chat" and rng.random() < 0.6:
            return Chat(api).resume(viewer.last)
        return open_run(api, self.run, viewer.contract, viewer.last)

    def _follow(self, stream, contract, api, rng):
        """Reads until the end, or leaves before it: False."""
        seen, leaves_at = 0, rng.choice((3, 20, 100, 1000, 1000))
        stream.connection.socket.settimeout(IDLE_S)
        while self._pump(stream, api, rng):
            self._note(stream.frames, contract)
            for frame in stream.frames[seen:]:
                if frame.type == "tool_call_proposed" and not self._decide(frame.payload["approval_id"], api, rng):
                    return False
            seen = len(stream.frames)
            if seen >= leaves_at:
                return False
            if self.kind == "story" and self.run and rng.random() < 0.002:
                self.interrupt(api)
        if stream.end == "clean":
            assert is_end(contract, stream.frames[-1]), f"a clean end after {stream.frames[-1:]}"
            self._note(stream.frames, contract)
            self.is_over = True
            return True
        if stream.end:
            raise Closed(b"")
        return False

    def _pump(self, stream, api, rng):
        try:
            return stream.pump()
        except TimeoutError:
            # Most contracts do not say what there is to decide; and some clients do not wait for their turn.
            return rng.random() > 0.2 if self.run is None else self._decide_all(api, rng)

    def _note(self, frames, contract):
        """What a stream says about its run."""

    @staticmethod
    def _read_lazily(stream):
        stream.connection.socket.settimeout(LAZY_READ_S)
        try:
            while stream.pump():
                pass
        except TimeoutError:
            pass

    # ---- deciding ----

    def _decide_all(self, api, rng):
        return all(self._decide(item["approval_id"], api, rng) for item in api.pending(self.session)
                   if item["run_id"] == self.run)

    def _decide(self, approval_id, api, rng):
        """False when it is left for later."""
        choice = rng.random()
        if choice < 0.2 and self.patience > 0:
            self.patience -= 1
            return False
        if choice < 0.3:
            self.interrupt(api)
            return True
        self.decide(api, approval_id, "reject" if choice < 0.4 else "approve")
        return True

    def decide(self, api, approval_id, verdict):
        if approval_id in self.decisions:
            return
        act = api.approve if verdict == "approve" else api.reject
        try:
            reply = act(self.session, approval_id)
        except (Closed, OSError):
            self.tried.add(approval_id)
            raise
        self.note_decision(approval_id, verdict, reply)

    def interrupt(self, api):
        self.interrupt_tried = True
        self.note_interrupt(api.interrupt(self.session, self.run))

    # ---- the end ----

    def files(self, api, effects):
        """The names of what its tools have left."""
        return api.files(self.session)

    def check_messages(self, messages, text):
        """`messages` are (role, content) of the whole session; `text` is what the run said."""
        said = [at for at, message in enumerate(messages) if message == ("user", self.message)]
        if not said and self.stops and not text:
            return  # its turn did not come
        assert len(said) == 1, f"{self.message!r} stands {len(said)} times in {messages}"
        after = messages[said[0] + 1:said[0] + 2]
        if text:
            assert after == [("assistant", text)], f"the answer of {self.run} is not kept: {after}, said was {text!r}"
        else:
            assert not after or after[0][0] == "user", f"{self.run} said nothing, and {after} is kept"
