"""Runs that are begun through the conversation, the steps and the chat contract. Those of the first two go on whatever
happens to their client, and are resumed by id; one of the last is over when its client is gone, or the server."""
from braid_client.chat import Chat, run_of
from braid_client.conversation import Conversations
from braid_client.ids import session_id, uuid_of
from braid_client.steps import Steps
from braid_client.wire import Closed, Stream
from braid_client.witness import Viewer
from story import Story

FULL = 429  # too many turns wait already
STOPS_WITHIN_S = 10.0


def see_beginning(story, stream):
    """The first frame says which run it is; then this viewer is cut."""
    if not isinstance(stream, Stream):
        if stream.status == 503:
            raise Closed(stream.body)
        raise AssertionError(f"{story.contract} was answered {stream}")
    viewer = Viewer(contract=story.contract)
    try:
        while not stream.frames and stream.pump():
            pass
    finally:
        story._note(stream.frames, story.contract)
        viewer.take(stream)
        stream.close()
        story.viewers.append(viewer)
    if not viewer.frames:
        raise Closed(b"")


class StepsStory(Story):
    contract = "steps"

    def start(self, api):
        self._prepare(api)
        see_beginning(self, Steps(api).post(uuid_of(self.session), self.message, headers=[("Idempotency-Key", self.key)]))

    def _note(self, frames, contract):
        if contract == "steps" and frames and frames[0].type == "message":
            self.note_started(run_of(frames[0].id))


class ConversationStory(Story):
    contract = "conversation"

    def begin(self, rng, number):
        super().begin(rng, number)
        self.is_new = rng.random() < 0.4  # a conversation of its own, led by the default agent
        if self.is_new:
            self.kind, self.auto, self.paths = "story", False, ()
            self.message = f"a long story about lighthouse {number}"
        return self

    def _visit(self, api, rng):
        if self.session is None and not self.is_new:
            self._open_session(api)
        if self.run is None:
            self.start(api)
        super()._visit(api, rng)

    def start(self, api):
        named = {} if self.is_new else {"conversation_id": uuid_of(self.session)}
        if not self.is_new:
            self._prepare(api)
        stream = Conversations(api).try_stream(self.message, headers=[("Idempotency-Key", self.key)], **named)
        see_beginning(self, stream)

    def find(self, api, rng):
        if (self.session is None and not self.is_new) or (self.run is None and rng.random() < 0.5):
            return False
        self.start(api)
        return True

    def _note(self, frames, contract):
        if contract == "conversation" and frames and frames[0].type == "start":
            self.note_started(run_of(frames[0].id))
            self.session = session_id(frames[0].data["conversation_id"])


class ChatStory(Story):
    contract = "chat"
    kinds = ("story", "story", "story", "write", "auto_write")

    def begin(self, rng, number):
        super().begin(rng, number)
        self.stops = True
        if self.kind == "auto_write":
            self.agent = "auto"
        # A link has no key: nobody finds its run again who has not seen it.
        self.by_link = self.kind == "story" and rng.random() < 0.4
        if self.by_link:
            self.key = None
        return self

    def _visit(self, api, rng):
        if self.run is None:
            self._talk(api, rng)
        elif self._decide_all(api, rng):
            self._watch(api, rng)

    def _talk(self, api, rng):
        """Begins the run and is its client: whoever leaves before the end ends it."""
        stream, viewer, is_over = self._say(api), Viewer(contract="chat"), False
        if stream is None:
            return
        try:
            is_over = self._follow(stream, "chat", api, rng)
        finally:
            self._take(viewer, stream)
        if not is_over and self.run:
            self._check_stopped(api)

    def _say(self, api):
        chat, given = Chat(api, self.agent), self.session and self.session.removeprefix("sess_")
        headers = [("Idempotency-Key", self.key)] if self.key else []
        say = chat.link if self.by_link else chat.post
        stream = say(self.message, given, headers=headers)
        if isinstance(stream, Stream):
            return stream
        if stream.status == 503:
            raise Closed(stream.body)
        assert stream.status == FULL, f"chat was answered {stream}"
        return None

    def _take(self, viewer, stream):
        self._note(stream.frames, "chat")
        viewer.take(stream)
        stream.close()
        self.viewers.append(viewer)

    def _check_stopped(self, api):
        run = api.wait_over(self.session, self.run, timeout=STOPS_WITHIN_S)
        assert run["status"] in ("interrupted", "completed"), f"its client left, and yet {run}"
        self.is_over = True

    def start(self, api):
        """Asks again with the same key: the same run. Whoever asks leaves at once, so a run that begins now is over soon."""
        if self.run is None:
            stream = self._say(api)
            assert stream is not None, f"there is no room for {self.key} on a server that has just started"
            try:
                while not stream.frames and stream.pump():
                    pass
            finally:
                self._take(Viewer(contract="chat"), stream)
            if self.run is None:
                raise Closed(b"")
        self._check_stopped(api)

    def find(self, api, rng):
        if self.run is None and (self.key is None or rng.random() < 0.5):
            return False
        self.start(api)
        return True

    def _note(self, frames, contract):
        if contract == "chat" and frames:
            self.note_started(run_of(frames[0].id))
            self.session = "sess_" + frames[0].data["session_id"] if frames[0].type == "stream_start" else self.session
