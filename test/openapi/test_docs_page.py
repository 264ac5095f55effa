"""GET /docs: one page that needs nobody else. What it shows in a browser is in test/browser/docs.test.mjs."""
import base64
import hashlib
import re


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_the_page_and_its_policy(api):
    reply = api.call("GET", "/docs")
    assert reply.status == 200 and reply.header("content-type") == "text/html; charset=utf-8"
    assert reply.header("x-content-type-options") == "nosniff"
    page = reply.body.decode()
    [style] = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    [script] = re.findall('<script type="module">(.*?)</script>', page, re.DOTALL)
    policy = dict(part.split(" ", 1) for part in reply.header("content-security-policy").split("; "))
    assert policy == {"default-src": "'none'", "script-src": digest(script), "style-src": digest(style),
                      "connect-src": "'self'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'",
                      "frame-ancestors": "'none'"}


def test_nothing_in_the_page_leads_elsewhere(api):
    page = api.call("GET", "/docs").body.decode()
    assert not re.search(r"https?:|[\"'`(=]\s*//", page.replace('"module">//', "")), "an address"
    assert set(re.findall(r'(?:src|href)="([^"]*)"', page)) == {"data:,", "#main", "openapi.json"}
    assert "innerHTML" not in page and "document.write" not in page and "eval(" not in page
