#!/usr/bin/python3
"""kill -9, again and again, of the real server under load. After each death the database is read as it is, a new server
takes it up, and everything that any client ever saw is looked for.

    test/crash/harness.py [KILLS] [SEED] [--real]      with --real models and tools are processes too (real.py)
"""
import argparse
import hashlib
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from braid_client.any_contract import CONTRACTS, read_bytes  # noqa: E402
from braid_client.chat import Chat  # noqa: E402
from braid_client.database import id_bytes, id_uuid, read_database  # noqa: E402
from braid_client.faultline import Faultline  # noqa: E402
from braid_client.frames import parse_all, text_of  # noqa: E402
from braid_client.legal import LINES, apart, check_legal  # noqa: E402
from braid_client.people import Person  # noqa: E402
from braid_client.server import Server  # noqa: E402
from braid_client.waiting import wait_for  # noqa: E402
from braid_client.wire import Closed  # noqa: E402
from points import RANDOM, STARTING, STOPPING, WORKING  # noqa: E402
from load import KINDS, Clients, Stories  # noqa: E402
from sandboxes import Sandboxes  # noqa: E402
from story import AGENTS  # noqa: E402

CLIENTS = 5
LIVE_RUNS, OPEN_RUNS = 14, 40
POINT_WAIT_S = 0.6       # for a named point; not reached, the server is killed anyway
RECHECKED_PER_CYCLE = 3  # of the runs that were over long ago
STOP_WAIT_S = 5.0        # for the end of a server that was told to stop
OVER = ("completed", "failed", "interrupted")
RUNS_KEPT = 80           # the sessions of older ones are deleted, so that the database stays small
LOST_CODE = b"The server restarted while this code ran"
LIMITS = {"drain_grace": 300, "client_return_grace": 300}


class Harness:
    kinds = KINDS

    def __init__(self, folder, seed):
        self.rng = random.Random(seed)
        self.faults = Faultline(folder)
        self.server = self.make_server(folder, Server)
        self.sandboxes = Sandboxes(lambda: process.pid if (process := self.server.process) else None)
        self.person = None    # conversation wants a credential
        self.stories = Stories(LIVE_RUNS, OPEN_RUNS, self.kinds)
        self.over = {}        # run -> (session, contract -> hash of its whole stream)
        self.deleted = set()  # sessions whose deletion was acknowledged
        self.points = Counter()
        self.ends = Counter()  # of runs that were looked at as a whole: (where it began, how it ended)
        self.lost_codes = 0    # that a restart ended after they had called a tool
        self.kills = 0
        self.point = None     # the last one, for who reads a failure

    def make_server(self, folder, server_type):
        return server_type(folder, agents=AGENTS, faults=self.faults, limits=LIMITS)

    def effects(self) -> Counter:
        """(where, what) -> how often it was made there"""
        return self.faults.effects()

    def figures(self):
        """Lines for who wants to know what was there to be found."""
        return [f"{self.sandboxes.seen_ever} processes of sandboxes, {self.lost_codes} codes ended after a call"]

    def close(self):
        self.server.kill()
        self.sandboxes.close()

    @property
    def api(self):
        if self.person is None:
            self.person = Person(self.server, "ann")
        return self.person.api

    # ---- one life of the server ----

    def cycle(self):
        """Start, check, load, kill. Counts each death."""
        self.start_and_check()
        self.point = self.rng.choice([RANDOM] * 8 + WORKING + STOPPING)
        if not self.point.sigterm:
            self.point.arm(self.faults, self.rng)
        process = self.server.process
        clients = Clients(self.api, self.stories, self.rng, lambda: process.poll() is None, CLIENTS)
        self.wait_for_death()
        process.kill()
        clients.join()
        self.note_death()

    def start(self):
        """A new server on the folder; sometimes it is killed before it can say that it listens, and comes again."""
        while True:
            self.point = self.rng.choice(STARTING) if self.kills and self.rng.random() < 0.2 else None
            self.faults.clear()
            if self.point:
                self.point.arm(self.faults, self.rng)
            self.server.try_start()
            self.faults.disarm()
            if self.server.port is not None and not self.faults.struck():
                return
            code = self.server.process.wait(5)
            assert self.faults.struck() and code == -signal.SIGKILL, \
                f"the server did not start ({code}); its log ends:\n{self.server.log()[-3000:]}"
            self.note_death()

    def start_and_check(self):
        """The recovery goes on after the server listens: a point in it may strike while its replays are checked."""
        while True:
            self.start()
            try:
                return self.check_replays()
            except (Closed, OSError, AssertionError):
                # What was seen of a server that died under the check is looked for on the next one.
                if not self.faults.struck():
                    raise
            self.note_death()

    def wait_for_death(self):
        """By the armed point, or else by our hand at a random moment. A server that is told to stop may also end."""
        is_armed = self.point.action and not self.point.sigterm
        if self.dies_within(POINT_WAIT_S if is_armed else self.rng.uniform(0.02, POINT_WAIT_S)):
            return
        if self.point.sigterm:
            self.point.arm(self.faults, self.rng)
            self.server.signal()
            self.dies_within(STOP_WAIT_S if self.point.action else self.rng.uniform(0.0, 0.4))
        else:
            self.point = RANDOM

    def dies_within(self, seconds):
        try:
            self.server.process.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            return False

    def note_death(self):
        """The database has what clients saw, before anybody touches it again."""
        code = self.server.process.wait()
        assert code in (0, -signal.SIGKILL), f"the server died of {code}:\n{self.server.log()[-3000:]}"
        self.server.kill()
        self.sandboxes.check_gone()
        self.server.check_log()
        self.faults.disarm()
        self.kills += code != 0
        self.points[self.point.name if code != 0 else "not reached: ended by itself"] += 1
        for story in self.stories.open:
            story.crashes += 1
        self.check_database()

    # ---- what must be true ----

    def check_database(self):
        database = read_database(self.server.data, check_pages=self.kills % 10 == 0)
        effects = self.effects()
        for story in self.stories.open:
            if story.session is not None:
                assert id_bytes(story.session) in database.sessions, f"I1: {story.session} was acknowledged"
                story.check_database(database, effects)
        for session in self.deleted:
            assert id_bytes(session) not in database.sessions, f"{session} was deleted, and is back"
            assert not (self.server.data / "workspaces" / id_uuid(session)).exists(), f"{session} left its files"

    def check_replays(self):
        """On the new server, before it has other work."""
        api = self.api
        self.stories.forget_lost()
        for story in list(self.stories.open):
            if not story.find(api, self.rng):  # the same key: the same run
                continue
            story.check_seen(api)
            if api.look(story.session, story.run)["status"] in OVER:
                self.settle(story)
        for run in self.rng.sample(sorted(self.over), min(RECHECKED_PER_CYCLE, len(self.over))):
            for contract, digest in self.over[run][1].items():
                again = digest_of(read_bytes(api, run, contract))
                assert again == digest, f"I3: {run} was over and reads differently in {contract}"
        self.delete_old_sessions()

    def settle(self, story):
        """The run is over: all of it is looked at once more, and it is only read from now on."""
        api = self.api
        streams = {contract: read_bytes(api, story.run, contract) for contract in CONTRACTS}
        frames = {contract: parse_all(streams[contract], LINES[contract]) for contract in self.looked_at()}
        for contract in frames:
            check_legal(contract, frames[contract], story.run, story.session, executes=story.executes)
        for contract, stream in apart(frames.get("all", [])).items():
            assert stream == streams[contract], f"{story.run}: contract=all has another {contract}"
        effects = self.effects()
        story.check_end(frames["runs"], effects, story.files(api, effects), streams)
        story.check_messages(Chat(api).messages(story.session), text_of(frames["runs"]))
        self.over[story.run] = story.session, {contract: digest_of(stream) for contract, stream in streams.items()}
        self.ends[story.contract, frames["runs"][-1].type] += 1
        self.lost_codes += streams["steps"].count(LOST_CODE)
        self.stories.open.remove(story)

    @property
    def settled(self):
        return sum(self.ends.values())

    def looked_at(self):
        """All that is read is kept in mind; not all of it is looked into each time, which takes most of the time."""
        return ["runs", *(contract for contract in CONTRACTS[1:] if self.rng.random() < 0.15)]

    def delete_old_sessions(self):
        in_use = {story.session for story in self.stories.open}
        old = sorted({session for session, _ in self.over.values()} - in_use)
        while len(self.over) > RUNS_KEPT and old:
            session = old.pop(self.rng.randrange(len(old)))
            assert self.api.delete(f"/sessions/{session}").status == 204
            self.deleted.add(session)
            self.over = {run: kept for run, kept in self.over.items() if kept[0] != session}

    def finish(self):
        """No more kills: every run comes to its end."""
        self.start_and_check()
        self.stories.forget_lost()
        for story in self.stories.open:
            if story.run is not None or story.session is not None:
                story.start(self.api)
                wait_for(lambda: self.bring_to_end(story), f"the end of {story.run}")
        self.check_replays()
        self.stories.open.clear()
        assert self.server.stop() == 0
        database = read_database(self.server.data, check_pages=True)
        unfinished = [run_id.hex() for run_id, run in database.runs.items() if not run.over]
        assert not unfinished, f"left over: {unfinished}"

    def bring_to_end(self, story):
        api = self.api
        for item in api.pending(story.session):
            story.decide(api, item["approval_id"], "approve")
        return api.look(story.session, story.run)["status"] in OVER


def digest_of(stream):
    return hashlib.sha256(stream).hexdigest()


def run(folder, kills, seed, progress=lambda harness: None, make=Harness) -> Harness:
    """`kills` deaths from one seed. A violation is an AssertionError that says how to find it again."""
    harness = make(folder, seed)
    try:
        while harness.kills < kills:
            harness.cycle()
            progress(harness)
        harness.finish()
    except BaseException as error:
        where = harness.point.name if harness.point else "no point"
        raise AssertionError(f"seed {seed}, kill {harness.kills} ({where}), folder {folder}: {error}") from error
    finally:
        harness.close()
    return harness


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("kills", nargs="?", type=int, default=500)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--real", action="store_true", help="models and tools are processes of their own")
    arguments = parser.parse_args()
    make = Harness
    if arguments.real:
        from real import RealHarness as make
    folder = pathlib.Path(tempfile.mkdtemp(prefix="braidlog-crash-"))
    began = time.monotonic()

    def progress(harness):
        line = f"\r{harness.kills} kills, {harness.settled} runs over, " \
               f"{time.monotonic() - began:.0f} s "
        print(line, end="", flush=True)

    try:
        harness = run(folder, arguments.kills, arguments.seed, progress, make)
    except AssertionError as error:
        sys.exit(f"\n{error}")
    print(f"\nno violation; seed {arguments.seed}, {harness.kills} kills, "
          f"{harness.settled} runs to their end, {time.monotonic() - began:.0f} s")
    for line in harness.figures():
        print("  " + line)
    for (contract, end), count in sorted(harness.ends.items()):
        print(f"  {count:4} of {contract}: {end}")
    for name, count in sorted(harness.points.items()):
        print(f"  {count:4} {name}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
