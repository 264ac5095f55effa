"""A run begun in each of the five contracts, and what must hold for it in all of them.

    done = begin("chat", api, "openai", "Please do order-7")     # read to its end in the contract it was begun in
    seen = Seen(api, done)                                       # the same run in every contract, each checked to be legal
    seen.ended == "failed"; seen.text; seen.code
"""
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from braid_client.any_contract import open_run, read_bytes
from braid_client.chat import Chat, run_of
from braid_client.conversation import Conversations
from braid_client.frames import joined, of_type, parse_all, text_of
from braid_client.ids import uuid_of
from braid_client.legal import LINES, apart, check_legal
from braid_client.steps import Steps
from braid_client.tasks import Tasks
from braid_client.waiting import PATIENCE
from braid_client.wire import Stream

FIVE = ("runs", "steps", "chat", "conversation", "tasks")
ENDS = {  # the frame that tells how it ended -> how
    "runs": {"run_completed": "completed", "run_failed": "failed", "run_interrupted": "interrupted"},
    "steps": {"final": "completed", "error": "failed"},
    "chat": {"stream_end": "completed", "error": "failed"},
    "conversation": {"done": "completed", "error": "failed"},
    "tasks": {"done": "completed", "error": "failed"},
}


def new_session(api, agent) -> str:
    """As runs spells it."""
    return api.session(agent=agent)


def open_in(contract, api, agent, message, session) -> Stream:
    """Begins a run, and gives the stream of it in the contract it was begun in."""
    if contract == "runs":
        stream = api.stream(session, api.start(session, message))
    elif contract == "steps":
        stream = Steps(api).post(uuid_of(session), message)
    elif contract == "chat":
        stream = Chat(api, agent).post(message, session.removeprefix("sess_"))
    elif contract == "conversation":
        stream = Conversations(api).try_stream(message, conversation_id=uuid_of(session))
    else:
        stream = Tasks(api, uuid_of(session)).open("chat", json={"message": message})
    assert isinstance(stream, Stream), f"{contract}: no stream but {stream}"
    return stream


def run_of_stream(contract, stream, api, session):
    """Whose run a stream shows; frames of tasks do not say it."""
    if contract == "tasks":
        return max(run["run_id"] for run in Tasks(api, uuid_of(session)).runs())  # the newest
    return run_of(stream.read_frames(1)[0].id)


@dataclass
class Done:
    contract: str
    agent: str
    message: str
    session: str
    run: str
    payload: bytes


def begin(contract, api, agent, message, session=None, timeout=PATIENCE) -> Done:
    """Begins a run and reads it to its end, which must be a clean one."""
    session = session or new_session(api, agent)
    with open_in(contract, api, agent, message, session) as stream:
        stream.read_to_end(timeout)
        assert stream.end == "clean" and not stream.reader.rest, f"{contract}: cut after {stream.frames[-1:]}"
    api.check_silence(stream.payload)
    run = run_of_stream(contract, stream, api, session)
    return Done(contract, agent, message, session, run, joined(stream.frames))


class Seen:
    """A run that is over, in every contract. Making one checks shape (I2), replay (I3) and that all contracts agree."""

    def __init__(self, api, done):
        self.api, self.done = api, done
        self.streams = apart(parse_all(read_bytes(api, done.run, "all"), LINES["all"]))
        assert set(self.streams) == set(FIVE), sorted(self.streams)
        self.frames = {contract: parse_all(stream, LINES[contract]) for contract, stream in self.streams.items()}
        for contract, frames in self.frames.items():
            check_legal(contract, frames, done.run, done.session)
        assert self.streams[done.contract] == done.payload, f"I3: {done.run} reads differently in {done.contract}"
        self.end = self.frames["runs"][-1]
        self.text = text_of(self.frames["runs"])
        self._check_ends()

    @property
    def ended(self):
        return ENDS["runs"][self.end.type]

    @property
    def code(self):
        return self.end.payload.get("error_code")

    @property
    def error(self):
        return self.end.payload.get("message", "")

    @property
    def results(self):
        return [frame.payload for frame in of_type(self.frames["runs"], "tool_result")]

    def _check_ends(self):
        for contract, frames in self.frames.items():
            last = frames[-2 if contract == "steps" else -1]
            told = ENDS[contract].get(last.type)
            expected = "failed" if self.ended == "interrupted" and contract != "runs" else self.ended
            assert told == expected, f"{contract} ends with {last}, runs with {self.end}"

    def check_kept(self):
        """The text so far is in every contract that shows it, and in the session."""
        for contract, field in (("chat", "delta"), ("conversation", "content"), ("tasks", "content")):
            shown = "".join(frame.data.get(field, "") for frame in self.frames[contract]
                            if frame.type in ("message_delta", "token", "content"))
            assert shown == self.text, f"{contract} shows {shown!r} of {self.text!r}"
        messages = Chat(self.api).messages(self.done.session)
        [at] = [at for at, (role, text) in enumerate(messages) if (role, text) == ("user", self.done.message)]
        after = messages[at + 1:at + 2]
        if self.text:
            assert after == [("assistant", self.text)], f"said was {self.text!r}, kept is {after}"
        else:
            assert not after or after[0][0] == "user", f"nothing was said, and {after} is kept"
        return self

    def check_resumes(self):
        """I3: what came before a cut and what the resume brings are the whole, byte for byte."""
        for contract in ("runs", "steps", "chat", "conversation"):
            frames = self.frames[contract]
            middle = frames[len(frames) // 2 - 1]
            with open_run(self.api, self.done.run, contract, last=middle.id) as stream:
                stream.read_to_end()
            before = joined(frames[:len(frames) // 2])
            assert before + joined(stream.frames) == self.streams[contract], f"I3: {contract} after {middle.id}"
        return self


def in_parallel(count, jobs):
    """The results of all jobs, which are functions; all are run before the first failure is raised."""
    with ThreadPoolExecutor(count) as pool:
        waiting = [pool.submit(job) for job in jobs]
    return [each.result() for each in waiting]
