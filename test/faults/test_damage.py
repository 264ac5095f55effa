"""Fault 33: a data folder that is not as the server left it. It refuses with one line, and changes no byte; or everything
is there."""
import contextlib
import hashlib
import random
import sqlite3

import pytest

from braid_client.frames import joined
from braid_client.server import Server
from braid_client.wire import Connection, Stream, request_bytes

pytestmark = pytest.mark.fault(33)

PAGE = 4096
WAL_HEADER, FRAME_HEADER = 32, 24


class Scene:
    """A data folder with finished runs and one that waits; no server has it open."""

    def __init__(self, server, hard):
        self.server, api = server, server.api
        self.finished = [api.run(f"say exactly: run {i} " + "word " * 50) for i in range(6)]
        self.finished += [api.run("a long story about lighthouses")]
        self.waiting = api.ask_to_write()
        server.kill() if hard else server.stop()
        self.database, self.log = server.data / "braidlog.db", server.data / "braidlog.db-wal"
        self.good = {path.name: path.read_bytes() for path in (self.database, self.log) if path.exists()}

    def restore(self):
        for path in (self.database, self.log, server_index(self.server)):
            path.unlink(missing_ok=True)
        for name, content in self.good.items():
            (self.server.data / name).write_bytes(content)

    def checksums(self):
        """Of everything below the folder but what holds nothing: an empty log, and the index that is rebuilt from it."""
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in self.server.data.rglob("*")
                if path.is_file() and path.stat().st_size and path != server_index(self.server)}

    def starts(self):
        """True when a server takes the folder; else it refused as it must."""
        before, log = self.checksums(), len(self.server.log())
        self.server.try_start()
        if self.server.port is not None:
            return True
        assert self.server.wait_exit() == 1
        said = self.server.log()[log:].strip()
        assert len(said.splitlines()) == 1 and said.startswith("braidlog: "), said
        assert str(self.server.folder) not in said.replace(str(self.server.data), ""), said
        assert self.checksums() == before, f"refused ({said}) and changed something"
        self.said = said
        return False

    def refuses(self, *words):
        assert not self.starts(), "the server took a damaged folder"
        assert any(word in self.said for word in words), self.said

    def check_everything(self):
        api = self.server.api
        for done in self.finished:
            assert joined(api.read(done.session_id, done.run_id)) == done.bytes
        session, run, approval = self.waiting
        assert [item["approval_id"] for item in api.pending(session)] == [approval]


def server_index(server):
    return server.data / "braidlog.db-shm"


@pytest.fixture
def stopped(new_server):
    scene = Scene(new_server(), hard=False)
    assert not scene.log.exists()
    yield scene
    finish(scene)


@pytest.fixture
def killed(new_server):
    scene = Scene(new_server(), hard=True)
    assert scene.log.stat().st_size > 20 * PAGE
    yield scene
    finish(scene)


def finish(scene):
    """Whatever was done to it: restored, it is as good as before."""
    scene.server.kill()
    scene.restore()
    scene.server.start()
    scene.check_everything()


def flip(path, bit):
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << (bit % 8)
    path.write_bytes(content)


def test_a_database_cut_short(stopped):
    size = stopped.database.stat().st_size
    for left in (0, 1, 99, 100, PAGE, size // 2, size - PAGE, size - 1):
        stopped.database.write_bytes(stopped.good["braidlog.db"][:left])
        stopped.refuses("cut short", "size")


def test_a_database_that_is_gone_beside_its_log(killed):
    killed.database.unlink()
    killed.refuses("write-ahead log")
    assert not killed.database.exists()
    killed.database.write_bytes(b"")
    killed.refuses("cut short")


def test_a_flipped_bit_in_the_header(stopped):
    refused = 0
    for bit in range(0, 800, 13):
        stopped.restore()
        flip(stopped.database, bit)
        if stopped.starts():
            stopped.check_everything()
            stopped.server.kill()
        else:
            refused += 1
    assert refused > 30


def test_flipped_bits_in_the_pages(stopped):
    """Anywhere: the server refuses, or lives with it and answers; it never dies of what it reads."""
    rng = random.Random(33)
    for _ in range(24):
        stopped.restore()
        bit = rng.randrange(100 * 8, stopped.database.stat().st_size * 8)
        flip(stopped.database, bit)
        if not stopped.starts():
            continue
        for done in stopped.finished:
            with Connection(stopped.server.port) as connection:
                target = stopped.server.api.stream_path(done.session_id, done.run_id)
                connection.send(request_bytes("GET", target, [("Connection", "close")]))
                assert connection.read_to_end().startswith(b"HTTP/1.1 ")
        assert stopped.server.responds(), f"bit {bit}"
        stopped.server.kill()


def test_a_flipped_bit_in_a_stored_text(stopped):
    """Other bytes than those that were seen are never shown as whole (I3)."""
    done = stopped.finished[0]
    content = stopped.database.read_bytes()
    hits = [at for at in range(len(content)) if content.startswith(b"word word", at)]
    assert hits
    damaged = bytearray(content)
    for at in hits:
        damaged[at] ^= 1
    stopped.database.write_bytes(damaged)
    if stopped.starts():
        stream = stopped.server.api.try_stream(done.session_id, done.run_id)
        if isinstance(stream, Stream):
            stream.read_to_end()
            stream.close()
            assert stream.end == "unclean" or joined(stream.frames) == done.bytes


def test_the_end_of_the_log_is_torn(killed):
    """What a crash in a write leaves: half a frame behind the last commit. It is not damage."""
    with open(killed.log, "ab") as log:
        log.write(killed.good["braidlog.db-wal"][WAL_HEADER:WAL_HEADER + 1000])
    assert killed.starts()
    killed.check_everything()


def commit_frames(log):
    """The numbers of the frames that end a transaction: those that say how large the database is after it."""
    content = log.read_bytes()
    headers = range(WAL_HEADER, len(content), FRAME_HEADER + PAGE)
    return [number for number, at in enumerate(headers) if int.from_bytes(content[at + 4:at + 8], "big") != 0]


def test_a_flipped_bit_in_the_middle_of_the_log(killed):
    """Commits after it were synced, so it cannot be the end: all of them would be lost."""
    commits = commit_frames(killed.log)
    assert len(commits) > 3
    for frame in (0, commits[len(commits) // 2], commits[-3] + 1, commits[-2]):
        killed.restore()
        at = WAL_HEADER + frame * (FRAME_HEADER + PAGE) + FRAME_HEADER + 100
        flip(killed.log, at * 8)
        killed.refuses("damaged")


def test_a_torn_head_of_the_log(killed):
    """What a crash leaves when the log was being begun anew: everything in it is in the database already."""
    with open(killed.log, "r+b") as log:
        log.seek(16)
        log.write(b"\x5a" * 16)
    assert killed.starts()


def test_a_newer_schema(stopped):
    change(stopped, "PRAGMA user_version = 999")
    stopped.refuses("newer Braidlog")


def test_another_programs_database(stopped):
    change(stopped, "PRAGMA application_id = 252006673")
    stopped.refuses("not ours", "not a Braidlog database")
    stopped.database.unlink()
    with contextlib.closing(sqlite3.connect(stopped.database)) as other:
        other.execute("CREATE TABLE t(x)")
        other.commit()
    stopped.refuses("not ours", "not a Braidlog database")


def change(scene, sql):
    """Without leaving write-ahead mode; the last close folds the log in."""
    with contextlib.closing(sqlite3.connect(scene.database)) as database:
        database.execute(sql)
        database.commit()


def test_not_a_database(stopped):
    stopped.database.write_bytes(b"not a database at all\n" * 1000)
    stopped.refuses("not a Braidlog database")


def test_a_database_that_somebody_holds_locked(stopped):
    with contextlib.closing(sqlite3.connect(stopped.database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        stopped.refuses("locked")
        other.execute("ROLLBACK")


@pytest.mark.clause("COMMON-52")
def test_a_second_server_on_the_folder(new_server):
    first = new_server()
    session, run, approval = first.api.ask_to_write()
    second = Server(first.folder.parent / "second")
    second.data = first.data
    second.try_start()
    assert second.port is None and second.wait_exit() == 1
    said = second.log().strip()
    assert len(said.splitlines()) == 1 and "another Braidlog server is using" in said
    assert first.api.approve(session, approval).status == 200
    assert first.api.read(session, run)[-1].type == "run_completed"


def test_a_data_folder_that_is_a_file(tmp_path):
    server = Server(tmp_path / "server")
    server.data.write_text("a file")
    server.try_start()
    assert server.port is None and server.wait_exit() == 1
    assert len(server.log().strip().splitlines()) == 1
    assert server.data.read_text() == "a file"
