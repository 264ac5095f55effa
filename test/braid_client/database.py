"""The database as it is on disk, read without the server: from a copy, so that nothing of it is changed by looking.

The layout is src/store/README.md: a finished run is one record from sequence 1, an unfinished one is pieces of records and
rows of the journal.
"""
import contextlib
import json
import pathlib
import shutil
import sqlite3
import tempfile
from dataclasses import dataclass, field

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
WAITS = 0  # run.status: its turn has not come
OVER = 4   # run.status from here on: finished
APPROVED, REJECTED = 0, 1  # approval.verdict
TOOL_STARTED = 20  # the type of tool.started: the intent


def id_bytes(prefixed: str) -> bytes:
    """"run_01H…" as the 16 bytes that the tables hold."""
    number = 0
    for character in prefixed.rsplit("_", 1)[1]:
        number = number * 32 + CROCKFORD.index(character)
    return number.to_bytes(16, "big")


def id_uuid(prefixed: str) -> str:
    """"sess_01H…" as the name of its folder in workspaces/."""
    text = id_bytes(prefixed).hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def journal_entries(row: bytes):
    """(run id, first sequence, count, records) of each entry of a journal row."""
    assert row[0] == 1, f"a journal row of version {row[0]}"
    at = 1
    while at < len(row):
        run_id = row[at:at + 16]
        first, at = _varint(row, at + 16)
        count, at = _varint(row, at)
        length, at = _varint(row, at)
        at += length
        assert at <= len(row), "a journal row that ends inside an entry"
        yield run_id, first, count, row[at - length:at]


def event_types(records: bytes):
    """The type of each record (src/event/encoding.h: length, type, …; the numbers are in event_type.h); 0 for a further word."""
    at = 0
    while at < len(records):
        length, at = _varint(records, at)
        assert at + length <= len(records), "records that end inside one"
        yield records[at]
        at += length


@dataclass
class StoredRun:
    session_id: bytes
    status: int
    replayable: bool  # false after retention: the row stays, the events are gone
    last: int = 0  # sequence of the last stored event
    sealed: bool = False
    records: bytes = b""

    @property
    def over(self):
        return self.status >= OVER

    def count(self, event_type) -> int:
        return list(event_types(self.records)).count(event_type)


@dataclass
class StoredApproval:
    run_id: bytes
    args: dict
    verdict: int  # None while nobody has decided


@dataclass
class Database:
    runs: dict = field(default_factory=dict)       # id -> StoredRun
    approvals: dict = field(default_factory=dict)  # approval id -> StoredApproval
    keys: dict = field(default_factory=dict)       # (session id, key) -> run id
    sessions: set = field(default_factory=set)
    asked: dict = field(default_factory=dict)      # run id -> what the user said


def read_database(data_folder, check_pages=False) -> Database:
    """Reads a folder that no server has open, and fails when what it holds is not whole."""
    with tempfile.TemporaryDirectory(prefix="braidlog-look-") as place:
        for name in ("braidlog.db", "braidlog.db-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(pathlib.Path(data_folder) / name, pathlib.Path(place) / name)
        with contextlib.closing(sqlite3.connect(f"{place}/braidlog.db")) as connection:
            if check_pages:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            return _read(connection)


def _read(connection) -> Database:
    found = Database()
    found.sessions = {row[0] for row in connection.execute("SELECT id FROM session")}
    for run_id, session_id, status, replayable in connection.execute("SELECT id, session_id, status, replayable FROM run"):
        found.runs[run_id] = StoredRun(session_id, status, bool(replayable))
    for approval_id, run_id, args, verdict in connection.execute("SELECT id, run_id, args_json, verdict FROM approval"):
        found.approvals[approval_id] = StoredApproval(run_id, json.loads(args), verdict)
    found.asked = dict(connection.execute("SELECT run_id, content FROM message WHERE role = 'user'"))
    for session_id, key, run_id in connection.execute("SELECT session_id, key, run_id FROM run_key"):
        found.keys[session_id, key] = run_id
    _read_records(connection, found)
    _check_whole(found)
    return found


def _read_records(connection, found):
    """Pieces first, then the journal: together they follow one another without a gap."""
    for run_id, first, count, records in connection.execute(
            "SELECT run_id, first_sequence, record_count, body FROM run_record ORDER BY run_id, first_sequence"):
        run = found.runs[run_id]
        assert first == run.last + 1, f"events {run.last + 1} to {first - 1} of {run_id.hex()} are missing"
        run.last += count
        run.records += records
        run.sealed = run.over
    for (row,) in connection.execute("SELECT body FROM journal ORDER BY id"):
        for run_id, first, count, records in journal_entries(row):
            run = found.runs.get(run_id)
            if run is None or run.over:
                continue  # rows that nobody needs are deleted later
            assert first == run.last + 1, f"{run_id.hex()}: the journal goes from {run.last} to {first}"
            run.last += count
            run.records += records


def _check_whole(found):
    at_work = [run.session_id for run in found.runs.values() if WAITS < run.status < OVER]
    assert len(at_work) == len(set(at_work)), "a session with two runs at work"
    for run_id, run in found.runs.items():
        if run.replayable:
            assert run.last > 0 and run.sealed == run.over, f"{run_id.hex()} is {run.status} with {run.last} events"
        assert run.session_id in found.sessions, f"{run_id.hex()} has no session"
