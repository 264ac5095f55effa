"""Chat: files that come with a message."""
import base64
import json
from urllib.parse import quote

import pytest

from braid_client.chat import FORM, JSON, Chat, expect_problem, form, form_of, json_file, part
from braid_client.documents import DOCX, archive
from braid_client.upstream import End, Say, Upstream

POEM = b"The river knows\nwhere it goes.\n"
HOWS = ("json", "form")
# Each begins like one and is none.
BROKEN = {
    "image/png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "image/jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF",
    "image/gif": b"GIF89a\x01\x00\x01\x00",
    "image/webp": b"RIFF\x24\x00\x00\x00WEBPVP8 ",
    "application/pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "an archive": b"PK\x03\x04\x14\x00\x06\x00\x08\x00[Content_Types].xml PK\x03\x04 word/document.xml",
}


@pytest.fixture
def chat(api):
    return Chat(api, "asks")


def send(chat, how, message, files, **options):
    """files: (name, content, type) each"""
    if how == "form":
        return chat.form(message, files=files, **options)
    return chat.post(message, files=[json_file(*file) for file in files], **options)


def download(chat, session_id, path):
    reply = chat.api.get(f"/sessions/{session_id}/files/{path}")
    assert reply.status == 200, reply
    return reply.body


# ---- what is taken ----

@pytest.mark.clause("CHAT-21", "CHAT-22", "CHAT-23")
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name, mime", [
    ("poem.txt", "text/plain"), ("poem.md", "text/markdown"), ("poem.csv", "text/csv"), ("POEM.TXT", "application/octet-stream"),
    ("poem", "text/plain; charset=utf-8"), ("poem.md", "image/png"), ("Gedicht für Dich – 詩.txt", "text/plain"),
])
def test_summarize_the_attached_file(chat, how, name, mime):
    done = chat.read(send(chat, how, "summarize the attached file", [(name, POEM, mime)]))
    assert done.end.type == "stream_end"
    assert name in done.text and "The river knows" in done.text and "6 words" in done.text
    assert chat.api.files(done.session_id) == {name: len(POEM)}
    assert chat.messages(done.session_id)[0] == ("user", "summarize the attached file"), "a file is not what was said"
    assert download(chat, done.session_id, quote(name)) == POEM


@pytest.mark.clause("CHAT-22")
def test_the_text_reaches_the_model_under_the_name_of_its_file(new_server):
    upstream = Upstream()
    server = new_server(agents={"upstream": upstream.agent()}, environment={"UPSTREAM_KEY": "k"},
                        limits={"attachment_text_bytes_max": 64})
    chat = Chat(server.api, "upstream")
    upstream.always(Say("Seen."), End())
    files = [("poem.txt", POEM, "text/plain"), ("table.csv", b"a,b\n1,2\n", "text/csv"),
             ("long.md", "é".encode() * 100, "text/markdown")]
    done = chat.read(send(chat, "json", "look at these", files))
    asked = upstream.requests[0].messages[-1]
    assert asked["role"] == "user" and asked["content"].startswith("look at these")
    places = [asked["content"].index(text) for text in
              ("poem.txt", "The river knows\nwhere it goes.", "table.csv", "a,b\n1,2", "long.md", "é" * 32)]
    assert places == sorted(places), "each text stands under the name of its file"
    assert "é" * 33 not in asked["content"] and "cut" in asked["content"].split("é" * 32)[1], "what is cut is said"
    assert download(chat, done.session_id, "long.md") == "é".encode() * 100, "the original is whole"
    chat.ask("and again", session_id=done.session_id)
    assert "The river knows" in json.dumps(upstream.requests[1].messages), "later turns know the files"
    upstream.close()


@pytest.mark.clause("CHAT-23")
@pytest.mark.parametrize("how", HOWS)
def test_one_name_twice(chat, how):
    files = [("notes.txt", b"first", "text/plain"), ("notes.txt", b"second", "text/plain")]
    done = chat.read(send(chat, how, "summarize the attached files", files))
    assert chat.api.files(done.session_id) == {"notes.txt": 5, "notes (2).txt": 6}
    assert "first" in done.text and "second" in done.text
    assert download(chat, done.session_id, "notes.txt") == b"first"
    assert download(chat, done.session_id, "notes%20(2).txt") == b"second"
    again = chat.read(send(chat, how, "and now?", [("notes.txt", b"first", "text/plain"), ("notes.txt", b"third", "text/plain")],
                           session_id=done.session_id))
    assert again.session_id == done.session_id
    assert chat.api.files(done.session_id) == {"notes.txt": 5, "notes (2).txt": 6, "notes (3).txt": 5}


@pytest.mark.clause("CHAT-21", "CHAT-23")
@pytest.mark.parametrize("content", [b"\xef\xbb\xbfwith a byte order mark", b"a\r\nb\rc\n", "\u2028 😀 \u0085".encode(),
                                     b"no line end", b"x" * 100_000, b"-----BEGIN-----\r\n--braidlog\r\n"])
@pytest.mark.parametrize("how", HOWS)
def test_the_bytes_are_kept(chat, how, content):
    done = chat.read(send(chat, how, "say exactly: thanks", [("a.txt", content, "text/plain")]))
    kept = download(chat, done.session_id, "a.txt")
    assert kept == content


@pytest.mark.clause("CHAT-24")
def test_a_file_without_a_name(chat):
    files = [json_file(None, b"one", "text/plain"), json_file(None, b"a,b", "text/csv"), json_file(" ", b"# x", "text/markdown")]
    done = chat.read(chat.post("look", files=files))
    assert set(chat.api.files(done.session_id)) == {"file-1.txt", "file-2.csv", "file-3.md"}


@pytest.mark.clause("CHAT-21")
def test_ten_files_are_not_too_many(chat):
    files = [(f"{i}.txt", f"file {i}".encode(), "text/plain") for i in range(10)]
    for how in HOWS:
        done = chat.read(send(chat, how, "look", files))
        assert len(chat.api.files(done.session_id)) == 10


# ---- what is refused ----

@pytest.fixture
def nothing_begins(chat):
    before = chat.session_count()
    yield
    assert chat.session_count() == before, "a refused request left a session behind"


@pytest.mark.clause("CHAT-24")
@pytest.mark.fault(20, 25)
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/b.txt", "..", ".", "a\\b.txt", "a\x01b.txt",
                                  "x" * 252 + ".txt", "a\u2028b.txt", "a\u0085.txt"])
def test_a_name_is_a_label(chat, nothing_begins, how, name):
    if how == "form":
        name = name.replace("\\", "\\\\")
    expect_problem(send(chat, how, "look", [(name, POEM, "text/plain")]), 400, "invalid-request")


@pytest.mark.clause("CHAT-25")
@pytest.mark.fault(19)
@pytest.mark.parametrize("content", ["a", "ab", "abc", "ab=", "====", "YWJj=", "YW Jj", "YWJj\n", "!!!!", "YQ=A", "YR==", "ä",
                                     "-_-_"])
def test_content_that_is_not_base64(chat, nothing_begins, content):
    file = {"content": content, "mime_type": "text/plain", "filename": "odd name.txt"}
    problem = expect_problem(chat.post("look", files=[json_file("good.txt", POEM), file]), 400, "invalid-request")
    assert "odd name.txt" in problem["detail"] and "good.txt" not in problem["detail"]


@pytest.mark.clause("CHAT-25")
@pytest.mark.fault(19)
@pytest.mark.parametrize("how", HOWS)
def test_an_empty_file(chat, nothing_begins, how):
    files = [("good.txt", POEM, "text/plain"), ("nothing.txt", b"", "text/plain")]
    assert "nothing.txt" in expect_problem(send(chat, how, "look", files), 400, "invalid-request")["detail"]


@pytest.mark.clause("CHAT-25")
@pytest.mark.parametrize("file", [
    {}, {"content": "YQ=="}, {"mime_type": "text/plain"}, {"content": None, "mime_type": "text/plain"},
    {"content": 7, "mime_type": "text/plain"}, {"content": "YQ==", "mime_type": 7}, {"content": "YQ==", "mime_type": None},
    {"content": "YQ==", "mime_type": "text/plain", "filename": ["a"]},
])
def test_fields_of_a_file(chat, nothing_begins, file):
    problem = expect_problem(chat.post("look", files=[file]), 400, "invalid-request")
    assert "file" in problem["detail"]


@pytest.mark.clause("CHAT-25")
@pytest.mark.parametrize("how", HOWS)
def test_too_many_files(chat, nothing_begins, how):
    files = [(f"{i}.txt", b"x", "text/plain") for i in range(11)]
    assert "10" in expect_problem(send(chat, how, "look", files), 400, "invalid-request")["detail"]


@pytest.mark.clause("CHAT-26")
@pytest.mark.fault(4)
@pytest.mark.parametrize("how", HOWS)
def test_too_large(new_server, how):
    server = new_server(limits={"chat_file_bytes_max": 1000, "chat_body_bytes_max": 4000})
    chat = Chat(server.api, "asks")
    good, bad = ("small.txt", b"x" * 1000, "text/plain"), ("big one.txt", b"x" * 1001, "text/plain")
    assert chat.read(send(chat, how, "look", [good])).end.type == "stream_end"
    problem = expect_problem(send(chat, how, "look", [good, bad]), 413, "payload-too-large")
    assert "big one.txt" in problem["detail"] and "small.txt" not in problem["detail"]
    expect_problem(send(chat, how, "look", [good, good, good, good]), 413, "payload-too-large")
    body, kind = (form_of("look", files=[bad] * 5), FORM) if how == "form" else (b'{"message":"' + b"x" * 5000 + b'"}', JSON)
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + 700]), body[i:i + 700]) for i in range(0, len(body), 700))
    undeclared = chat.send(chunked + b"0\r\n\r\n", [kind, ("Transfer-Encoding", "chunked")])
    expect_problem(undeclared, 413, "payload-too-large")


@pytest.mark.clause("CHAT-27")
@pytest.mark.fault(19)
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("kind", BROKEN)
def test_what_a_file_is_says_its_content(chat, nothing_begins, how, kind):
    for claimed in ("text/plain", "image/png", DOCX):
        problem = expect_problem(send(chat, how, "look", [("notes.txt", BROKEN[kind], claimed)]), 400, "invalid-request")
        assert "notes.txt" in problem["detail"] and "that can be read" in problem["detail"]


@pytest.mark.clause("CHAT-27")
@pytest.mark.fault(19, 6)
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name, content, mime", [
    ("program.exe", b"MZ\x90\x00", "application/octet-stream"), ("notes.txt", b"a\x00b", "text/plain"),
    ("notes.txt", b"caf\xe9", "text/plain"), ("page.html", b"<p>text</p>", "text/html"), ("data.json", b"{}", "application/json"),
    ("archive.zip", archive({"a.txt": "text"}), "application/zip"), ("latin.csv", b"\xff\xfea\x00", "text/csv"),
    ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/msword"),
])
def test_other_files_are_refused_by_name(chat, nothing_begins, how, name, content, mime):
    problem = expect_problem(send(chat, how, "look", [("fine.md", POEM, "text/markdown"), (name, content, mime)]),
                             400, "unsupported-media")
    assert name in problem["detail"]


@pytest.mark.clause("CHAT-28", "CHAT-5")
@pytest.mark.fault(20)
@pytest.mark.parametrize("content_type, body", [
    ("multipart/form-data", form_of("hello")), ("multipart/form-data; boundary=", form_of("hello")),
    ("multipart/form-data; boundary=" + "b" * 71, form_of("hello")), ("multipart/form-data; boundary=other", form_of("hello")),
    (FORM[1], b""), (FORM[1], form_of("hello")[:-4]), (FORM[1], part("message", "hello")),
    (FORM[1], b"preamble\r\n" + form_of("hello")),
    (FORM[1], form_of("hello") + b"more"), (FORM[1], form_of("hello").replace(b"\r\n", b"\n")), (FORM[1], form()),
    (FORM[1], form(part("message", "one"), part("message", "two"))), (FORM[1], form(part("session_id", "x"))),
    (FORM[1], form(*[part("x", "y")] * 2000, part("message", "hello"))),
    (FORM[1], form(part("message", "hello", head=b"X-Long: " + b"x" * 100_000 + b"\r\n"))),
    (FORM[1], form(part("message", "hello", head=b"X: y\r\n" * 20_000))),
    (FORM[1], form(part("message", "hello", head=b"no colon here\r\n"))),
    (FORM[1], form(part("message", "hello", head=b"Content-Transfer-Encoding: base64\r\n"))),
    (FORM[1], form(part("message", "hello", head=b'Content-Disposition: form-data; name="message"\r\n'))),
    (FORM[1], form(part("message", "hello"), part("files", "x", "a\udcff.txt", "text/plain"))),
    (FORM[1], form(part("message", "hello"), part("files", "x", "a\x00.txt", "text/plain"))),
    ("multipart/mixed; boundary=braidlog-chat-boundary", form_of("hello")),
    ("text/plain", form_of("hello")), ("application/x-www-form-urlencoded", b"message=hello"),
])
def test_a_form_that_is_none(chat, nothing_begins, content_type, body):
    expect_problem(chat.send(body, [("Content-Type", content_type)]), 400, "invalid-request")


@pytest.mark.clause("CHAT-25")
def test_files_of_a_refused_turn_are_not_kept(chat):
    done = chat.ask("hello")
    wrong = [json_file("kept.txt", POEM), {"content": "?", "mime_type": "text/plain", "filename": "wrong.txt"}]
    expect_problem(chat.post("look", session_id=done.session_id, files=wrong), 400, "invalid-request")
    expect_problem(chat.post("look", session_id=done.session_id, files=[json_file("kept.txt", POEM)], agent="nobody"),
                   404, "not-found")
    assert chat.api.files(done.session_id) == {}


@pytest.mark.clause("CHAT-21", "CHAT-45")
@pytest.mark.parametrize("how", HOWS)
def test_files_without_streaming(chat, how):
    if how == "form":
        reply = chat.api.call("POST", chat.path(streamed=False), body=form_of("summarize the attached file",
                              files=[("poem.txt", POEM, "text/plain")]), headers=[FORM])
    else:
        reply = chat.answer("summarize the attached file", files=[json_file("poem.txt", POEM)])
    assert reply.status == 200, reply
    assert "The river knows" in reply.json["content"]
    assert chat.api.files(reply.json["session_id"]) == {"poem.txt": len(POEM)}


def test_base64_of_any_length(chat):
    for length in range(1, 8):
        content = b"abcdefgh"[:length]
        done = chat.read(chat.post("look", files=[{"content": base64.b64encode(content).decode(), "mime_type": "text/plain",
                                                   "filename": "a.txt"}]))
        assert download(chat, done.session_id, "a.txt") == content
