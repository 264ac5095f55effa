"""Chat: files that are no text. Images are recognized, PDFs and office documents read, in the run and with the stream open."""
import json

import pytest

from braid_client import documents
from braid_client.chat import Chat, expect_problem, json_file, types
from braid_client.documents import DOCX, PPTX, XLSX
from braid_client.upstream import End, Say, Upstream

NUMBER = "INV-2026-48151"
PDF = "application/pdf"


@pytest.fixture
def chat(api):
    return Chat(api, "asks")


@pytest.fixture
def asked(new_server):
    """asked(files, **limits): the text that a model is shown, and the frames of its client."""
    upstream = Upstream()
    upstream.always(Say("Seen."), End())

    def ask(files, **limits):
        server = new_server(agents={"upstream": upstream.agent()}, environment={"UPSTREAM_KEY": "k"}, limits=limits)
        done = Chat(server.api, "upstream").ask("look at this", files=[json_file(*file) for file in files])
        shown = upstream.requests[-1].messages[-1]["content"] if upstream.requests else None
        return shown, done

    yield ask
    upstream.close()


# ---- what is read ----

@pytest.mark.clause("CHAT-21", "CHAT-22", "CHAT-55")
@pytest.mark.parametrize("name, mime, words", [
    ("docx", DOCX, "lamp of Skagen was lit in 1858"), ("xlsx", XLSX, "Oil barrels"), ("pptx", PPTX, "Why lighthouses"),
    ("pdf", PDF, "The first page"), ("scanned_pdf", PDF, NUMBER),
    ("invoice_png", "image/png", NUMBER), ("invoice_jpeg", "image/jpeg", NUMBER), ("invoice_gif", "image/gif", NUMBER),
    ("invoice_webp", "image/webp", NUMBER),
])
def test_the_text_of_each_kind_arrives(chat, name, mime, words):
    content = documents.named(name)
    done = chat.ask("summarize the attached file", files=[json_file("odd name", content, "application/octet-stream")])
    assert done.end.type == "stream_end", done.end
    assert words in done.text and "odd name" in done.text
    assert chat.api.files(done.session_id) == {"odd name": len(content)}
    kept = chat.api.get(f"/sessions/{done.session_id}/files/odd%20name")
    assert kept.body == content, "the original stays as it was"


@pytest.mark.clause("CHAT-22")
def test_what_the_model_is_shown(asked):
    files = [("report.docx", documents.docx(), DOCX), ("stock.xlsx", documents.xlsx(), XLSX),
             ("talk.pptx", documents.pptx(), PPTX), ("notes.txt", b"plain words", "text/plain")]
    shown, done = asked(files)
    places = [shown.index(text) for text in (
        "report.docx", "Society of Keepers", "# Report on lighthouses", "- Buy oil", "Harbour | Keeper", "Skagen | Ingrid & Ole",
        "From the chronicle.", "stock.xlsx", "Sheet Stock 1:", "Lamp\tOil barrels\tBought", "Skagen\t17.5\t2026-03-01",
        "talk.pptx", "Slide 1:", "Why lighthouses", "Notes: Speak slowly here.", "Slide 2:", "notes.txt", "plain words")]
    assert places == sorted(places)
    assert "gone words" not in shown, "what was deleted is no text"
    assert types(done.frames)[0] == "stream_start" and done.end.type == "stream_end"


@pytest.mark.clause("CHAT-55")
def test_what_was_not_read_is_told_to_the_model(asked):
    shown, _ = asked([("scan.pdf", documents.scanned_pdf([documents.INVOICE] * 3), PDF)], extraction_ocr_pages_max=1)
    assert NUMBER in shown and "Pages 2 to 3 were not read" in shown


@pytest.mark.clause("CHAT-22", "CHAT-55")
def test_long_texts_are_cut(asked):
    shown, _ = asked([("long.pdf", documents.pdf([[f"Line {i} of a long page"] for i in range(40)]), PDF)],
                     attachment_text_bytes_max=200, extraction_pages_max=30)
    assert "Line 0 of" in shown and "Line 20 of" not in shown and "cut" in shown


@pytest.mark.clause("CHAT-55", "CHAT-12", "COMMON-10")
def test_the_client_is_not_left_alone_while_a_file_is_read(new_server):
    server = new_server(limits={"keepalive_interval": 100})
    chat = Chat(server.api, "asks")
    stream = chat.post("summarize the attached file",
                       files=[json_file("scan.pdf", documents.scanned_pdf([documents.INVOICE] * 2), PDF)])
    with stream:
        stream.read_until(lambda s: s.frames, "the start of the stream")
        assert types(stream.frames) == ["stream_start"]
        stream.read_until(lambda s: s.reader.keepalives >= 3, "keepalives while it is read")
        assert types(stream.frames) == ["stream_start"]
        stream.read_to_end()
    assert types(stream.frames)[-1] == "stream_end"
    assert NUMBER in "".join(frame.data["delta"] for frame in stream.frames if frame.type == "message_delta")


@pytest.mark.clause("CHAT-22")
def test_later_turns_know_what_was_read(chat):
    done = chat.ask("look", files=[json_file("report.docx", documents.docx(), DOCX)])
    again = chat.ask("summarize the attached file", session_id=done.session_id)
    assert "lamp of Skagen" in again.text


@pytest.mark.clause("CHAT-21", "CHAT-45")
def test_without_streaming(chat):
    reply = chat.answer("summarize the attached file", files=[json_file("report.docx", documents.docx(), DOCX)])
    assert reply.status == 200 and "lamp of Skagen" in reply.json["content"]
    reply = chat.answer("look", files=[json_file("report.docx", documents.broken_docx(), DOCX)])
    assert "report.docx" in expect_problem(reply, 400, "invalid-request")["detail"]


# ---- what fails while it is read ----

@pytest.mark.clause("CHAT-56")
@pytest.mark.fault(19)
@pytest.mark.parametrize("name, mime, why", [
    ("broken_docx", DOCX, "is not a Word document that can be read"),
    ("laughing_docx", DOCX, "is not a Word document that can be read"),
    ("deep_docx", DOCX, "is nested too deep to be read"),
    ("encrypted_pdf", PDF, "is protected by a password"),
    ("looping_pdf", PDF, "is not a PDF that can be read"),
])
def test_a_file_that_fails_is_named(chat, name, mime, why):
    files = [json_file("fine.docx", documents.docx(), DOCX), json_file("odd name", documents.named(name), mime)]
    done = chat.ask("look", files=files)
    assert types(done.frames) == ["stream_start", "error"], "the model is not asked"
    error = done.end.data
    assert error["status"] == 400 and error["type"].endswith("/invalid-request")
    assert "odd name" in error["detail"] and why in error["detail"] and "fine.docx" not in error["detail"]
    assert set(chat.api.files(done.session_id)) == {"fine.docx", "odd name"}, "the originals stay"
    again = chat.ask("say exactly: all is well", session_id=done.session_id)
    assert "all is well" in again.text, "the session goes on"


@pytest.mark.clause("CHAT-56")
def test_other_contracts_see_how_it_ended(chat):
    done = chat.ask("look", files=[json_file("secret.pdf", documents.encrypted_pdf(), PDF)])
    run = chat.api.get(f"/runs/{done.run_id}").json
    assert run["status"] == "failed" and "secret.pdf" in json.dumps(run)


@pytest.mark.clause("CHAT-56")
def test_all_files_of_a_message_together_have_a_time(new_server):
    server = new_server(limits={"extraction_request_time_max": 500})
    chat = Chat(server.api, "asks")
    files = [json_file(f"{i}.png", documents.invoice("png"), "image/png") for i in range(5)]
    done = chat.ask("look", files=files)
    assert done.end.type == "error" and done.end.data["status"] == 400 and ".png" in done.end.data["detail"]


# ---- what is refused before the stream ----

@pytest.mark.clause("CHAT-27")
@pytest.mark.fault(19)
@pytest.mark.parametrize("name, mime, why", [
    ("huge_png", "image/png", "50 million pixels"), ("huge_jpeg", "image/jpeg", "50 million pixels"),
    ("huge_gif", "image/gif", "50 million pixels"), ("huge_webp", "image/webp", "50 million pixels"),
    ("zip_bomb", DOCX, "unpacks to more than 200 MiB"), ("overlapping_zip", DOCX, "unpacks to more than 200 MiB"),
    ("many_parts_docx", DOCX, "more than 10000 parts"),
])
def test_what_is_too_much_is_refused_at_once(chat, name, mime, why):
    before = chat.session_count()
    problem = expect_problem(chat.post("look", files=[json_file("odd name", documents.named(name), mime)]), 400, "invalid-request")
    assert "odd name" in problem["detail"] and why in problem["detail"]
    assert chat.session_count() == before
