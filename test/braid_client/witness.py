"""What outside eyes have seen of one run, over any number of crashes, and what must therefore be true (I1 to I5).

A witness knows the wire alone: the bytes of each viewer, each acknowledgement, and the effects that the file system shows.
It is held against the database after a crash, before a new server has touched it, and against what the new server replays.
"""
from dataclasses import dataclass, field

from .any_contract import is_end, open_run
from .database import APPROVED, REJECTED, TOOL_STARTED, id_bytes, id_uuid
from .frames import joined, of_type
from .invariants import check_prefix, check_run

VERDICTS = {"approve": APPROVED, "reject": REJECTED}


def sequence_of(event_id: str) -> int:
    return int(event_id.rsplit("_", 1)[1].partition(".")[0])


@dataclass
class Viewer:
    """One client that watches a run in one contract, is cut, and resumes after the last whole frame that it has. In tasks
    nothing can be resumed: there every stream begins at the first frame."""

    frames: list = field(default_factory=list)
    halves: list = field(default_factory=list)  # (bytes before it, the half frame that a cut left)
    contract: str = "runs"

    @property
    def last(self):
        return self.frames[-1].id or None if self.frames else None

    @property
    def saw_end(self):
        return bool(self.frames) and is_end(self.contract, self.frames[-1])

    def take(self, stream):
        """A stream that was opened with `last` is over, for whatever reason."""
        if self.contract == "tasks":
            seen, again = joined(self.frames), joined(stream.frames)
            assert again.startswith(seen) or seen.startswith(again), f"I3: seen\n{_difference(again, seen)}"
            before, self.frames = len(again), max(self.frames, stream.frames, key=len)
        else:
            self.frames += stream.frames
            before = sum(len(frame.raw) for frame in self.frames)
        half = stream.half
        if half and not half.startswith(b":"):
            self.halves.append((before, half))

    def check_against(self, whole: bytes):
        """`whole` is a replay that reaches at least as far as this viewer has seen."""
        seen = joined(self.frames)
        assert whole.startswith(seen), f"I3: seen\n{_difference(seen, whole)}"
        for at, half in self.halves:
            assert whole[at:at + len(half)] == half[:len(whole) - at], \
                f"I3: half a frame was {half!r}, is {whole[at:at + len(half)]!r}"


def _difference(seen, whole):
    at = next((i for i, (a, b) in enumerate(zip(seen, whole)) if a != b), min(len(seen), len(whole)))
    return f"…{seen[max(0, at - 200):at + 200]!r}\nreplayed\n…{whole[max(0, at - 200):at + 200]!r}"


@dataclass
class Witness:
    session: str = None
    run: str = None         # None until a POST was acknowledged
    key: str = None
    message: str = ""
    auto: bool = False      # its tools ask nobody
    stops: bool = False     # with its client, and so by every crash; before its turn comes it has said nothing
    executes: bool = False  # it works on tasks, and says nothing
    paths: tuple = ()       # what its tools write, each by one call
    viewers: list = field(default_factory=list)
    decisions: dict = field(default_factory=dict)  # approval id -> "approve" or "reject": acknowledged
    tried: set = field(default_factory=set)        # approvals with a decision that nobody acknowledged
    interrupted: bool = False                      # acknowledged
    interrupt_tried: bool = False
    crashes: int = 0
    was_cut: bool = False                          # by a crash, before its end

    # ---- the acknowledgements ----

    def note_started(self, run_id):
        assert self.run in (None, run_id), f"I5: the key {self.key} gave {self.run}, now {run_id}"
        self.run = run_id

    def note_decision(self, approval_id, verdict, reply):
        if reply.status == 200:
            assert approval_id not in self.decisions, f"I5: {approval_id} was decided twice"
            self.decisions[approval_id] = verdict
        else:
            assert reply.status == 409, reply
            assert approval_id in self.tried or approval_id in self.decisions or self.interrupt_tried or self.stops, \
                f"I5: nobody has decided about {approval_id}, and yet {reply}"

    def note_interrupt(self, reply):
        assert reply.status in (200, 202), reply
        self.interrupted = self.interrupted or reply.status == 202

    # ---- against the database ----

    def check_database(self, database, effects):
        """The database as the crash left it. `effects` counts (session folder, path)."""
        if self.run is not None:
            stored = database.runs.get(id_bytes(self.run))
            assert stored is not None, f"I1: {self.run} was acknowledged and is not stored"
            said = database.asked.get(id_bytes(self.run), self.message if self.stops or self.executes else None)
            assert said == self.message, f"I1: the message of {self.run}"
            self.was_cut = self.was_cut or not stored.over
            for viewer in self.viewers:
                assert viewer.last is None or sequence_of(viewer.last) <= stored.last, \
                    f"I1: {viewer.last} was seen, {self.run} is stored up to {stored.last}"
            if any(viewer.saw_end for viewer in self.viewers):
                assert stored.over, f"I1: the end of {self.run} was seen"
        for approval_id, verdict in self.decisions.items():
            kept = database.approvals[id_bytes(approval_id)].verdict
            assert kept == VERDICTS[verdict], f"I5: {approval_id}: {verdict} was acknowledged, {kept} is stored"
        self._check_intents(database, effects)

    def _check_intents(self, database, effects):
        """No effect without intent and consent that were durable before."""
        done = [path for path in self.paths if effects[self._effect(path)]]
        for path in self.paths:
            assert effects[self._effect(path)] <= 1, f"I4: {path} of {self.run} was written twice"
        if not done:
            return
        run_id = id_bytes(self.run) if self.run else database.keys[id_bytes(self.session), self.key]
        intents = database.runs[run_id].count(TOOL_STARTED)
        assert intents >= len(done), f"I4: {len(done)} effects of {self.run}, {intents} intents stored"
        if not self.auto:
            approved = {approval.args.get("path") or approval.args["to"] for approval in database.approvals.values()
                        if approval.run_id == run_id and approval.verdict == APPROVED}
            assert set(done) <= approved, f"I5: {done} done, {approved} approved"

    def _effect(self, path):
        return id_uuid(self.session), path

    # ---- against what a server replays ----

    def check_seen(self, api):
        """A new server shows at least what any viewer has seen, byte for byte. For a run that may go on."""
        for contract in sorted({viewer.contract for viewer in self.viewers if viewer.frames}):
            viewers = [viewer for viewer in self.viewers if viewer.contract == contract]
            with open_run(api, self.run, contract) as stream:
                stream.read_frames(max(len(viewer.frames) for viewer in viewers))
            if contract == "runs":
                check_prefix(stream.frames, self.session, self.run)
            for viewer in viewers:
                viewer.check_against(joined(stream.frames))

    def check_end(self, frames, effects, files, others=None):
        """The whole replay of the finished run. `files` are the names in its workspace; `others` is what it is in other
        contracts than runs, as bytes by their names."""
        check_run(frames, self.session, self.run)
        streams = {**(others or {}), "runs": joined(frames)}
        for viewer in self.viewers:
            whole = streams[viewer.contract]
            viewer.check_against(whole)
            if viewer.saw_end:
                assert joined(viewer.frames) == whole, f"I3: {self.run}: more came after the end"
        self._check_decisions(frames)
        self._check_effects(frames, effects, files)

    def _check_decisions(self, frames):
        told = {frame.payload["approval_id"]: frame for frame in frames
                if frame.type in ("tool_call_approved", "tool_call_rejected")}
        for approval_id, verdict in self.decisions.items():
            expected = {"approve": "tool_call_approved", "reject": "tool_call_rejected"}[verdict]
            assert told[approval_id].type == expected, f"I5: {verdict} was acknowledged, {told[approval_id]}"
        if self.interrupted:
            assert frames[-1].type == "run_interrupted", f"I5: an interrupt was acknowledged, {frames[-1]}"
        if frames[-1].type == "run_interrupted":
            assert self.interrupt_tried or self.stops, f"I5: nobody interrupted {self.run}"
        if self.stops and self.was_cut:
            assert frames[-1].type == "run_interrupted", f"its client was gone after a crash, and yet {frames[-1]}"
        assert frames[-1].type != "run_failed", f"{self.run} failed: {frames[-1].payload}"

    def _check_effects(self, frames, effects, files):
        """Each call took effect once when its result says so, never when it was refused, at most once in any case."""
        results = of_type(frames, "tool_result")
        if not self.auto:
            assert all("approval_id" in frame.payload for frame in results), "I5: a tool ran unasked"
        unknown = [frame for frame in results if "unknown" in frame.payload["result"]]
        succeeded = [frame for frame in results if frame.payload["success"]]
        assert len(unknown) + len(succeeded) == len(results), f"I4: {[frame.payload for frame in results]}"
        assert not unknown or self.crashes or self.interrupt_tried or self.stops, \
            "I4: an outcome is unknown without a crash"
        done = [path for path in self.paths if effects[self._effect(path)]]
        for path in self.paths:
            assert effects[self._effect(path)] <= 1, f"I4: {path} of {self.run} was written twice"
        assert len(succeeded) <= len(done) <= len(results), \
            f"I4: {len(done)} effects, {len(succeeded)} successes, {len(unknown)} unknown in {self.run}"
        for frame in succeeded:
            path = frame.payload["result"].rsplit(" ", 1)[1]
            assert path in done and path in files, f"I4: {frame.payload} and no such file"
