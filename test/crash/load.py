"""Clients that keep a server busy while it is being killed: they start runs, watch them, are cut, resume, decide and
interrupt, and remember all that they saw (braid_client/witness.py). Runs are begun in five contracts (story.py,
talk.py, coding.py, work.py) and watched in every one."""
import threading

from coding import CodeStory
from story import ServerGone, Story
from talk import ChatStory, ConversationStory, StepsStory
from work import TasksStory

from braid_client.wire import Closed

KINDS = (Story, Story, ConversationStory, StepsStory, CodeStory, CodeStory, ChatStory, TasksStory)
SHARED_SESSIONS = 0.35  # of chat: they wait for one another


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
            story = None
            try:
                story = self.stories.take(rng)
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
                if story is not None:
                    self.stories.give_back(story)

    def join(self):
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive(), "a client hangs although the server is gone"
        if self.violation:
            story, error = self.violation
            raise AssertionError(f"{story and (story.run, story.kind)}: {error!r}") from error


class Stories:
    """The runs that were not yet looked at as a whole, and a supply of new ones."""

    def __init__(self, live_max, open_max, kinds=KINDS):
        self.open, self.live_max, self.open_max, self.kinds = [], live_max, open_max, kinds
        self._busy, self._number, self._lock = set(), 0, threading.Lock()

    def take(self, rng) -> Story:
        with self._lock:
            live = [story for story in self.open if not story.is_over]
            free = [story for story in live if id(story) not in self._busy]
            if not free or (len(live) < self.live_max and len(self.open) < self.open_max):
                self._number += 1
                free = [rng.choice(self.kinds)().begin(rng, self._number)]
                self._share_session(free[0], live, rng)
                self.open.append(free[0])
            story = rng.choice(free)
            self._busy.add(id(story))
            return story

    @staticmethod
    def _share_session(story, live, rng):
        known = [other.session for other in live if isinstance(other, ChatStory) and other.session]
        if isinstance(story, ChatStory) and known and rng.random() < SHARED_SESSIONS:
            story.session = rng.choice(known)

    def forget_lost(self):
        """Those that nobody can find again: begun by a link of which nothing was seen."""
        self.open = [story for story in self.open if story.key or story.run]

    def give_back(self, story):
        with self._lock:
            self._busy.discard(id(story))
