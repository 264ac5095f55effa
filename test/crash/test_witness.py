"""The checker can fail: what a broken server would do is done to a good one's data, and each must be noticed."""
import contextlib
import sqlite3
from collections import Counter

import pytest

from braid_client.database import id_uuid, read_database
from braid_client.faultline import Faultline
from braid_client.frames import of_type, parse_frame
from braid_client.witness import Viewer, Witness

pytestmark = [pytest.mark.usefixtures("faultline_library"), pytest.mark.fault(30)]


class Scene:
    """A finished run that wrote a file with consent, and one that waits for it; the server is dead."""

    def __init__(self, server, faults):
        self.server, self.faults, api = server, faults, server.api
        self.over = self.make("a.md")
        self.over.note_decision(self.approval, "approve", api.approve(self.over.session, self.approval))
        self.frames = api.read(self.over.session, self.over.run)
        self.over.viewers.append(Viewer(list(self.frames)))
        self.live = self.make("b.md")
        with api.stream(self.live.session, self.live.run) as stream:
            stream.read_type("tool_call_proposed")
            self.live.viewers.append(Viewer())
            self.live.viewers[0].take(stream)
        server.kill()

    def make(self, path):
        session, run, self.approval = self.server.api.ask_to_write(path)
        message = f"Write a haiku about rivers to {path}"
        return Witness(session=session, run=run, message=message, paths=(path,))

    def change(self, sql):
        with contextlib.closing(sqlite3.connect(self.server.data / "braidlog.db")) as database:
            database.execute(sql)
            database.commit()

    def check(self, effects=None):
        database = read_database(self.server.data, check_pages=True)
        effects = self.faults.effects() if effects is None else effects
        for witness in (self.over, self.live):
            witness.check_database(database, effects)
        self.over.check_end(self.frames, effects, {"a.md": 1})

    def expect(self, invariant, effects=None):
        with pytest.raises(AssertionError, match=invariant):
            self.check(effects)


@pytest.fixture
def scene(new_server, tmp_path):
    faults = Faultline(tmp_path)
    scene = Scene(new_server(faults=faults), faults)
    scene.check()
    return scene


def test_a_lost_event(scene):
    scene.change("DELETE FROM journal WHERE id = (SELECT max(id) FROM journal)")
    scene.expect("I1")


def test_a_lost_run(scene):
    scene.change("DELETE FROM journal")
    scene.change("DELETE FROM run_record")
    scene.change("DELETE FROM run")
    scene.expect("I1")


def test_a_lost_decision(scene):
    scene.change("UPDATE approval SET verdict = NULL")
    scene.expect("I5")


def test_a_gap_in_the_journal(scene):
    scene.change("DELETE FROM journal WHERE id = (SELECT min(id) + 1 FROM journal WHERE id IN"
                 " (SELECT id FROM journal ORDER BY id DESC LIMIT 3))")
    scene.expect("the journal goes from|I1")


def test_a_second_effect(scene):
    once = scene.faults.effects()
    assert once == Counter({(id_uuid(scene.over.session), "a.md"): 1})
    scene.expect("I4", effects=once + once)


def test_an_effect_without_intent(scene):
    scene.expect("I4", effects=scene.faults.effects() + Counter({(id_uuid(scene.live.session), "b.md"): 1}))


def test_an_effect_that_is_missing(scene):
    scene.expect("I4", effects=Counter())


def test_another_byte(scene):
    frame = scene.frames[2]
    scene.over.viewers[0].frames[2] = parse_frame(frame.raw.replace(b'"ts":"2', b'"ts":"3', 1))
    scene.expect("I3")


def test_a_frame_that_is_gone(scene):
    del scene.frames[2]
    scene.expect("I3")


def test_half_a_frame_that_never_was(scene):
    scene.over.viewers[0].halves.append((len(scene.frames[0].raw), b"event: nothing"))
    scene.expect("I3")


def test_an_interrupt_that_was_forgotten(scene):
    scene.over.interrupted = True
    scene.expect("I5")


def test_a_result_without_consent(scene):
    [result] = of_type(scene.frames, "tool_result")
    del result.data["payload"]["approval_id"]
    scene.expect("I5")
