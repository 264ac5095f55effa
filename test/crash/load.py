"""Clients that keep a server busy while it is being killed: they start runs, watch them, are cut, resume, decide and
interrupt, and remember all that they saw (braid_client/witness.py)."""
import threading

from braid_client.agents import agent
from braid_client.invariants import TERMINAL
from braid_client.waiting import wait_for
from braid_client.wire import Closed, Stream
from braid_client.witness import Viewer, Witness

AGENTS = {
    "burst": agent("burst"),
    "brisk": agent("brisk", pace="1ms"),
    "steady": agent("steady", pace="4ms"),
    "auto": agent("auto", approval="{default: auto}"),
}
LAZY_READ_S = 0.05
DEATH_S = 5.0


class ServerGone(Exception):
    """The server died under a client; what was not acknowledged may or may not have happened."""


class Story(Witness):
    """A witness that also acts. One client thread has it at a time."""

    is_over = False  # its end was seen

    def begin(self, rng, number):
        kind = rng.choice(("story", "story", "write", "write", "write_two", "auto_write", "auto_write", "rename"))
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
            if self.session is None:
                self._open_session(api)
            if self.run is None:
                self.start(api)
            waiting = [item["approval_id"] for item in api.pending(self.session)]
            if all(self._decide(approval_id, api, rng) for approval_id in waiting):
                self._watch(api, rng)
        except (Closed, ConnectionError) as error:
            wait_for(lambda: not server_alive(), f"the death of a server that cut {self.run}", DEATH_S)
            raise ServerGone from error

    def start(self, api):
        """Starts the run, or asks again with the same key."""
        if self.kind == "rename" and not self.run:
            assert api.upload(self.session, self.paths[0].replace("b", "a", 1), b"once").status == 201
        reply = api.post(f"/sessions/{self.session}/messages", json={"message": self.message, "idempotency_key": self.key})
        if reply.status == 503:
            raise Closed(reply.body)  # it stops, which the caller makes sure of
        assert reply.status == 202, reply
        self.note_started(reply.json["run_id"])

    def _open_session(self, api):
        self.session = api.session(agent=self.agent, auto_approve=self.auto)

    def _watch(self, api, rng):
        if not self.viewers or rng.random() < 0.2:
            self.viewers.append(Viewer())
        viewer, lazy = rng.choice(self.viewers), Viewer()
        stream = api.try_stream(self.session, self.run, viewer.last)
        if not isinstance(stream, Stream):
            assert stream.status == 204 and viewer.last is not None, stream
            self.is_over = True
            return
        beside = api.stream(self.session, self.run) if rng.random() < 0.3 else None
        try:
            self._follow(stream, api, rng)
        finally:
            viewer.take(stream)
            stream.close()
            if beside:
                self._read_lazily(beside)
                lazy.take(beside)
                self.viewers.append(lazy)
                beside.close()

    def _follow(self, stream, api, rng):
        seen, leaves_at = 0, rng.choice((3, 20, 100, 1000, 1000))
        while stream.pump():
            for frame in stream.frames[seen:]:
                if frame.type == "tool_call_proposed" and not self._decide(frame.payload["approval_id"], api, rng):
                    return
            seen = len(stream.frames)
            if seen >= leaves_at:
                return
            if self.kind == "story" and rng.random() < 0.002:
                self.interrupt(api)
        if stream.end == "clean":
            assert stream.frames[-1].type in TERMINAL, f"a clean end after {stream.frames[-1:]}"
            self.is_over = True
        else:
            raise Closed(b"")

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

    @staticmethod
    def _read_lazily(stream):
        stream.connection.socket.settimeout(LAZY_READ_S)
        try:
            while stream.pump():
                pass
        except TimeoutError:
            pass


class Clients:
    """Threads that take stories in turn until the server dies. The first thing that must not be is kept in `violation`."""

    def __init__(self, api, stories, rng, server_alive, count):
        self.api, self.stories, self.server_alive = api, stories, server_alive
        self.violation = None
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._threads = [threading.Thread(target=self._work, args=(type(rng)(rng.random()),), daemon=True)
                         for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def _work(self, rng):
        while not self._stop.is_set():
            story = self.stories.take(rng)
            try:
                story.visit(self.api, rng, self.server_alive)
            except ServerGone:
                return
            except BaseException as error:  # carried to the harness's own thread
                if not self.server_alive() and isinstance(error, (Closed, OSError)):
                    return
                with self._lock:
                    self.violation = self.violation or (story, error)
                return
            finally:
                self.stories.give_back(story)

    def join(self):
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive(), "a client hangs although the server is gone"
        if self.violation:
            story, error = self.violation
            raise AssertionError(f"{story.run} ({story.kind}): {error!r}") from error


class Stories:
    """The runs that were not yet looked at as a whole, and a supply of new ones."""

    def __init__(self, live_max, open_max):
        self.open, self.live_max, self.open_max = [], live_max, open_max
        self._busy, self._number, self._lock = set(), 0, threading.Lock()

    def take(self, rng) -> Story:
        with self._lock:
            live = [story for story in self.open if not story.is_over]
            free = [story for story in live if id(story) not in self._busy]
            if not free or (len(live) < self.live_max and len(self.open) < self.open_max):
                self._number += 1
                free = [Story().begin(rng, self._number)]
                self.open.append(free[0])
            story = rng.choice(free)
            self._busy.add(id(story))
            return story

    def give_back(self, story):
        with self._lock:
            self._busy.discard(id(story))
