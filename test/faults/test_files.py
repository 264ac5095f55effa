"""Fault 19: files made to hurt. Each ends within its time and its memory, in a process of its own; the server stays as it
was, and nothing is left: no process, no file."""
import os
import signal
import threading
import time

import pytest

from braid_client import documents
from braid_client.chat import Chat, json_file, types
from braid_client.documents import DOCX
from braid_client.waiting import wait_for

PDF = "application/pdf"
LIMITS = {"extraction_time_max": 3000, "extraction_memory_bytes_max": 256 << 20}


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "XZ"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children_of(task):
    try:
        with open(f"{task}/children") as file:
            return [int(pid) for pid in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def tasks_of(pid):
    try:
        return [f"/proc/{pid}/task/{task}" for task in os.listdir(f"/proc/{pid}/task")]
    except (FileNotFoundError, ProcessLookupError):
        return []


def name_of(task):
    try:
        with open(f"{task}/comm") as file:
            return file.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def first_readers(server):
    """The processes that the server's extractor thread has started; other threads have others."""
    return [child for task in tasks_of(server.process.pid) if name_of(task) == "extractor" for child in children_of(task)]


def readers(server):
    """Those and all below them."""
    found, todo = [], first_readers(server)
    while todo:
        found += todo
        todo = [child for pid in todo for task in tasks_of(pid) for child in children_of(task)]
    return found


def memory_of(pids):
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/statm") as file:
                _, resident, shared = file.read().split()[:3]
            total += (int(resident) - int(shared)) * 4096
        except (FileNotFoundError, ProcessLookupError, ValueError):
            pass
    return total


class Watch:
    """The most memory that the readers had while it looked."""

    def __init__(self, server):
        self.server, self.most, self.over = server, 0, False
        self.thread = threading.Thread(target=self.look)

    def look(self):
        while not self.over:
            self.most = max(self.most, memory_of(readers(self.server)))
            time.sleep(0.02)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()


HOSTILE = ["broken_docx", "laughing_docx", "deep_docx", "lying_zip_bomb", "zip_bomb", "overlapping_zip", "many_parts_docx",
           "many_strings_xlsx", "nested_zip", "encrypted_pdf", "looping_pdf", "million_pages_pdf", "wide_pdf", "huge_png",
           "huge_jpeg", "huge_gif", "huge_webp"]


# Large, but read when the machine is fast enough; nobody looks into an archive's archives.
HARMLESS = ("many_strings_xlsx", "nested_zip")


@pytest.mark.clause("CHAT-55", "CHAT-56")
@pytest.mark.fault(19)
@pytest.mark.measures
def test_files_made_to_hurt_hurt_nobody(new_server, tmp_path):
    (tmp_path / "temporary").mkdir()
    server = new_server(limits=LIMITS, environment={"TMPDIR": str(tmp_path / "temporary")})
    chat = Chat(server.api, "asks")
    chat.ask("look", files=[json_file("fine.docx", documents.docx(), DOCX)])
    before = server.memory()
    for name in HOSTILE:
        content = documents.named(name)
        began = time.monotonic()
        with Watch(server) as watch:
            answer = chat.post("look", files=[json_file(name, content, "text/plain")])
            if hasattr(answer, "frames"):
                done = chat.read(answer)
                if name not in HARMLESS:
                    assert types(done.frames) == ["stream_start", "error"], name
                    assert done.end.data["status"] == 400 and name in done.end.data["detail"], name
            else:
                assert answer.status == 400 and name in answer.json["detail"], name
        assert time.monotonic() - began < 8, f"{name} took longer than its time"
        assert watch.most < 400 << 20, f"{name} took {watch.most >> 20} MiB"
        wait_for(lambda: not readers(server), f"nobody to be left of {name}")
    wait_for(lambda: server.memory() < before + (48 << 20), "the server's memory to be as it was")
    assert os.listdir(tmp_path / "temporary") == []
    assert "lamp of Skagen" in chat.ask("summarize the attached file", files=[json_file("x", documents.docx(), DOCX)]).text


@pytest.mark.clause("CHAT-29", "CHAT-55")
@pytest.mark.fault(19, 14)
def test_who_goes_while_a_file_is_read(new_server):
    server = new_server()
    chat = Chat(server.api, "asks")
    scan = json_file("scan.pdf", documents.scanned_pdf([documents.INVOICE] * 12), PDF)
    stream = chat.post("look", files=[scan])
    stream.read_until(lambda s: s.frames, "the start of the stream")
    run_id = "run_" + stream.frames[0].id.split("_")[1]
    wait_for(lambda: len(readers(server)) >= 3, "a program that reads")
    stream.close()
    wait_for(lambda: not readers(server), "the reading to end", timeout=5)
    wait_for(lambda: server.api.get(f"/runs/{run_id}").json["status"] == "interrupted", "the run to be interrupted")


@pytest.mark.clause("CHAT-55")
@pytest.mark.fault(19, 30)
def test_a_killed_server_takes_its_readers_along(new_server):
    server = new_server()
    chat = Chat(server.api, "asks")
    scan = json_file("scan.pdf", documents.scanned_pdf([documents.INVOICE] * 12), PDF)
    stream = chat.post("look", files=[scan])
    stream.read_until(lambda s: s.frames, "the start of the stream")
    session_id = stream.frames[0].data["session_id"]
    wait_for(lambda: len(readers(server)) >= 3, "a program that reads")
    reading = readers(server)
    server.kill()
    stream.close()
    wait_for(lambda: not any(is_alive(pid) for pid in reading), "all readers to be gone")
    server.start()
    chat = Chat(server.api, "asks")
    done = chat.ask("say exactly: back again", session_id=session_id)
    assert "back again" in done.text and set(server.api.files(done.session_id)) == {"scan.pdf"}


@pytest.mark.clause("CHAT-55")
@pytest.mark.fault(19)
def test_many_at_once_wait_for_each_other(new_server):
    server = new_server(limits={"extractions_max": 2})
    chats = [Chat(server.api, "asks") for _ in range(6)]
    picture = documents.invoice("png")
    results, most = [None] * len(chats), [0]

    def ask(i):
        results[i] = chats[i].ask("summarize the attached file", files=[json_file("invoice.png", picture)])

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(chats))]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        most[0] = max(most[0], len(first_readers(server)))
        time.sleep(0.02)
    for thread in threads:
        thread.join()
    assert all("INV-2026-48151" in done.text for done in results)
    assert 1 <= most[0] <= 2


@pytest.mark.clause("CHAT-56")
@pytest.mark.fault(19)
def test_a_reader_that_is_killed_from_outside(new_server):
    server = new_server()
    chat = Chat(server.api, "asks")
    stream = chat.post("look", files=[json_file("scan.pdf", documents.scanned_pdf([documents.INVOICE] * 12), PDF)])
    wait_for(lambda: len(readers(server)) >= 3, "a program that reads")
    for pid in readers(server):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    done = chat.read(stream)
    assert done.end.type == "error" and "scan.pdf" in done.end.data["detail"]
    assert chat.ask("summarize the attached file", files=[json_file("x", documents.docx(), DOCX)]).end.type == "stream_end"
