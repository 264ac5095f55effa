"""The workspace by its routes."""
import pytest

from braid_client.api import expect_error
from braid_client.frames import of_type
from braid_client.invariants import TIME

OUTSIDE = ["../x", "..", "../../../../etc/passwd", "a/../../x", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd",
           "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%2F..%2F..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "/etc/passwd",
           "a%2f..%2f..%2fx", "./../x", "%2e%2e%5c..%2fx", "....//..//x", "a%00b", "%00", "..%00/x"]


@pytest.mark.clause("RUNS-53", "RUNS-54", "RUNS-55")
def test_upload_list_and_get(api, session):
    content = bytes(range(256)) * 40
    reply = api.upload(session, "photo.png", content, mime="image/png")
    assert reply.status == 201
    assert set(reply.json) == {"path", "size", "mime_type"}
    assert reply.json["path"] == "photo.png" and reply.json["size"] == len(content)
    assert reply.json["mime_type"]
    files = api.get(f"/sessions/{session}/files")
    assert files.status == 200
    [item] = files.json["files"]
    assert set(item) == {"path", "size", "updated_at"}
    assert item["path"] == "photo.png" and item["size"] == len(content) and TIME.match(item["updated_at"])
    got = api.get(f"/sessions/{session}/files/photo.png")
    assert got.status == 200 and got.body == content


@pytest.mark.clause("RUNS-55")
@pytest.mark.parametrize("name, content", [("page.html", b"<script>alert(1)</script>"), ("empty.txt", b""),
                                           ("words.txt", "Grüße\n".encode()), ("picture.svg", b"<svg/>")])
def test_a_file_is_never_shown_by_a_browser(api, session, name, content):
    assert api.upload(session, name, content).status == 201
    reply = api.get(f"/sessions/{session}/files/{name}")
    assert reply.status == 200 and reply.body == content
    assert reply.header("content-disposition").startswith("attachment")
    assert reply.header("x-content-type-options") == "nosniff"


@pytest.mark.clause("RUNS-53", "RUNS-55")
@pytest.mark.parametrize("name", ["with space.txt", "grüße.txt", "北京.txt", "percent%41.txt", "a;b.txt", "+plus+.txt"])
def test_names_are_kept(api, session, name):
    from urllib.parse import quote
    reply = api.upload(session, name, b"x")
    assert reply.status == 201 and reply.json["path"] == name
    assert list(api.files(session)) == [name]
    got = api.get(f"/sessions/{session}/files/{quote(name)}")
    assert got.status == 200 and got.body == b"x"
    assert "\r" not in got.header("content-disposition")


@pytest.mark.clause("RUNS-53")
def test_a_second_upload_replaces(api, session):
    assert api.upload(session, "a.txt", b"first").status == 201
    assert api.upload(session, "a.txt", b"second, longer").status == 201
    assert api.files(session) == {"a.txt": 14}
    assert api.get(f"/sessions/{session}/files/a.txt").body == b"second, longer"


@pytest.mark.clause("RUNS-53", "RUNS-58")
def test_uploads_that_are_none(api, session):
    path = f"/sessions/{session}/files/upload"
    form = [("Content-Type", "multipart/form-data; boundary=xyz")]
    part = b'--xyz\r\nContent-Disposition: form-data; name="other"; filename="a"\r\n\r\nx\r\n--xyz--\r\n'
    for headers, body in (([], b""), ([("Content-Type", "application/json")], b"{}"),
                          ([("Content-Type", "multipart/form-data")], part),
                          (form, b""), (form, b"no parts at all"), (form, part),
                          (form, b'--xyz\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nnever closed'),
                          (form, b'--xyz\r\nContent-Disposition: form-data; name="file"; filename=""\r\n\r\nx\r\n--xyz--\r\n')):
        expect_error(api.post(path, body=body, headers=headers), 400, "BAD_REQUEST")
    assert api.files(session) == {}


@pytest.mark.clause("RUNS-56", "RUNS-53")
@pytest.mark.fault(8, 25)
@pytest.mark.parametrize("name", ["../evil.txt", "/tmp/evil.txt", "..", "a/../../evil.txt", "..\\\\evil.txt"])
def test_hostile_names_stay_inside(api, shared, session, name):
    reply = api.upload(session, name, b"evil")
    if reply.status == 201:
        assert ".." not in reply.json["path"].split("/") and not reply.json["path"].startswith("/")
    else:
        expect_error(reply, reply.status, {400: "BAD_REQUEST", 422: "INVALID_PATH"}[reply.status])
    for place in shared.folder.rglob("*evil*"):
        relative = place.relative_to(shared.data)
        assert len(relative.parts) >= 3, f"outside any workspace: {relative}"


@pytest.mark.clause("RUNS-56", "RUNS-59")
@pytest.mark.fault(8)
@pytest.mark.parametrize("path", OUTSIDE)
def test_paths_that_leave_the_workspace(api, session, path):
    reply = api.get(f"/sessions/{session}/files/{path}")
    if reply.status == 404:
        # Only where the path as sent, dots resolved, is no files route at all, or an odd name inside.
        assert "root:" not in reply.body.decode()
        assert path in ("../x", "..", "a/../../x", "./../x", "....//..//x", "../../../../etc/passwd") or "%5c" in path, reply
    else:
        expect_error(reply, 422, "INVALID_PATH")


@pytest.mark.clause("RUNS-56")
def test_an_unknown_file(api, session):
    for path in ("nothing.txt", "no/such/folder/x", "a%20b"):
        expect_error(api.get(f"/sessions/{session}/files/{path}"), 404, "FILE_NOT_FOUND")


@pytest.mark.clause("RUNS-54", "RUNS-55")
def test_what_the_agent_wrote_is_there(api):
    done = api.run("Write a haiku about rivers to poems/haiku.md", agent="auto")
    assert of_type(done.frames, "tool_result")[0].payload["success"] is True
    assert list(api.files(done.session_id)) == ["poems/haiku.md"]
    assert api.get(f"/sessions/{done.session_id}/files/poems/haiku.md").status == 200
    assert api.get(f"/sessions/{done.session_id}/files/poems%2Fhaiku.md").status == 200


@pytest.mark.clause("RUNS-54")
def test_sessions_do_not_share_files(api):
    one, two = api.session(), api.session()
    assert api.upload(one, "a.txt", b"a").status == 201
    assert api.files(two) == {}
    expect_error(api.get(f"/sessions/{two}/files/a.txt"), 404, "FILE_NOT_FOUND")


@pytest.mark.clause("COMMON-38", "COMMON-53", "RUNS-59")
@pytest.mark.fault(4)
def test_an_upload_over_its_limit(new_server):
    server = new_server(limits={"upload_bytes_max": 100_000})
    session = server.api.session()
    assert server.api.upload(session, "fits.bin", b"x" * 90_000).status == 201
    expect_error(server.api.upload(session, "big.bin", b"x" * 110_000), 413, "PAYLOAD_TOO_LARGE")
    assert list(server.api.files(session)) == ["fits.bin"]


@pytest.mark.clause("RUNS-54")
def test_files_outlive_a_restart(new_server):
    server = new_server()
    session = server.api.session()
    assert server.api.upload(session, "kept.bin", b"\x00\xff" * 1000).status == 201
    server.restart(hard=True)
    assert server.api.get(f"/sessions/{session}/files/kept.bin").body == b"\x00\xff" * 1000
