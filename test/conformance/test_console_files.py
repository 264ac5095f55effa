"""The files of the console: what a browser gets at / and below /assets."""
import gzip
import re

import pytest

TYPES = {"html": "text/html; charset=utf-8", "svg": "image/svg+xml", "css": "text/css; charset=utf-8",
         "js": "text/javascript; charset=utf-8", "txt": "text/plain; charset=utf-8"}


def console_files(api):
    page = api.call("GET", "/").body.decode()
    return ["/", "/favicon.svg", *sorted(set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page)))]


def test_the_page_and_what_it_names(api):
    files = console_files(api)
    assert any(name.endswith(".css") for name in files), files
    for name in files:
        reply = api.call("GET", name)
        assert reply.status == 200, (name, reply)
        kind = TYPES["html" if name == "/" else name.rsplit(".", 1)[1]]
        assert reply.header("content-type") == kind
        assert reply.header("x-content-type-options") == "nosniff"
        assert reply.header("referrer-policy") == "no-referrer"
        assert reply.header("vary") == "Accept-Encoding"
        forever = name.startswith("/assets/")
        assert reply.header("cache-control") == ("public, max-age=31536000, immutable" if forever else "no-cache")
    page = api.call("GET", "/").body.decode()
    assert "<html" in page and "http://" not in page and "https://" not in page, "nothing comes from elsewhere"
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=", page), "nothing inline"


def test_the_policy(api):
    policy = api.call("GET", "/").header("content-security-policy")
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules == {
        "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self' data: blob:",
        "font-src": "'self'", "connect-src": "'self'", "worker-src": "'self'", "manifest-src": "'self'",
        "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'"}


def test_compressed_for_who_takes_it(api):
    for name in console_files(api):
        plain = api.call("GET", name)
        packed = api.call("GET", name, headers=[("Accept-Encoding", "br, gzip;q=0.8")])
        refused = api.call("GET", name, headers=[("Accept-Encoding", "gzip;q=0, *;q=0.5")])
        assert plain.header("content-encoding") is None and refused.body == plain.body
        assert packed.header("etag") != plain.header("etag") or packed.body == plain.body
        if packed.header("content-encoding"):
            assert packed.header("content-encoding") == "gzip"
            assert gzip.decompress(packed.body) == plain.body and len(packed.body) < len(plain.body)
        assert int(packed.header("content-length")) == len(packed.body)


def test_who_has_it_is_told_so(api):
    for name in console_files(api):
        for accepts in ([], [("Accept-Encoding", "gzip")]):
            first = api.call("GET", name, headers=accepts)
            tag = first.header("etag")
            for has in (tag, f"W/{tag}", f'"other", {tag}', "*"):
                again = api.call("GET", name, headers=[*accepts, ("If-None-Match", has)])
                assert again.status == 304 and again.body == b"" and again.header("etag") == tag
            assert api.call("GET", name, headers=[*accepts, ("If-None-Match", '"other"')]).status == 200


def test_head_and_other_methods(api):
    for name in console_files(api):
        got, head = api.call("GET", name), api.call("HEAD", name)
        assert head.status == 200 and head.body == b""
        assert head.header("content-length") == str(len(got.body)) and set(head.headers) == set(got.headers)
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            reply = api.call(method, name)
            assert reply.status == 405 and reply.header("allow") == "GET, HEAD" and set(reply.json) == {"error"}


@pytest.mark.parametrize("path", [
    "/assets/", "/assets/nothing.js", "/assets/../index.html", "/assets/%2e%2e/index.html", "/assets/..%2findex.html",
    "/assets//etc/passwd", "/assets/x/../../agents", "/assets/%00", "/assets/index.html", "/favicon.svg/", "/assets",
    "/index.html", "/favicon.ico"])
def test_nothing_else_is_a_file(api, path):
    reply = api.call("GET", path)
    assert reply.status == 404 and set(reply.json) == {"error"}, reply


def test_the_files_need_no_credential(town):
    for name in console_files(town.nobody):
        assert town.nobody.call("GET", name).status == 200
    assert town.nobody.call("GET", "/console/runs").status == 401
    assert town.nobody.call("GET", "/console/agents").status == 401
    assert town.nobody.call("POST", "/console/runs", json={"message": "hi"}).status == 401
