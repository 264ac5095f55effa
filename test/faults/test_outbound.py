"""Where tools go: never to an address that is not public, however it is written, unless the operator says so (fault 26); and never
with anything of a client in their luggage (fault 27)."""
import json
import socket
import threading

import pytest

from braid_client.site import Page, Site, redirect
from braid_client.upstream import Call, End, Say, Upstream

KEY = "sk-test-m0del-k3y"
SHOP_KEY = "shop-s3cr3t-\"k3y\""
REFUSED = "is not public, and this server does not let tools reach it"

# This machine. {port} is the site's, which would answer.
SPELLINGS = {
    "plain": "http://127.0.0.1:{port}/",
    "short": "http://127.1:{port}/",
    "shorter": "http://127.0.1:{port}/",
    "hexadecimal": "http://0x7f000001:{port}/",
    "hexadecimal parts": "http://0x7f.0x0.0x0.0x1:{port}/",
    "one number": "http://2130706433:{port}/",
    "octal": "http://017700000001:{port}/",
    "octal part": "http://0177.0.0.1:{port}/",
    "trailing dot": "http://127.0.0.1.:{port}/",
    "percent": "http://%31%32%37.0.0.1:{port}/",
    "full width": "http://１２７.０.０.１:{port}/",
    "circled": "http://①②⑦.⓪.⓪.①:{port}/",
    "no address": "http://0.0.0.0:{port}/",
    "zero": "http://0:{port}/",
    "v6": "http://[::1]:{port}/",
    "v6 long": "http://[0:0:0:0:0:0:0:1]:{port}/",
    "v6 none": "http://[::]:{port}/",
    "v4 in v6": "http://[::ffff:127.0.0.1]:{port}/",
    "v4 in v6, hexadecimal": "http://[::ffff:7f00:1]:{port}/",
    "v4 compatible": "http://[::127.0.0.1]:{port}/",
    "NAT64": "http://[64:ff9b::7f00:1]:{port}/",
    "6to4": "http://[2002:7f00:1::]:{port}/",
    "zone": "http://[::1%25lo]:{port}/",
    "name": "http://localhost:{port}/",
    "NAME": "http://LocalHost:{port}/",
    "name with a dot": "http://localhost.:{port}/",
    "name below it": "http://any.thing.localhost:{port}/",
    "v6 name": "http://ip6-localhost:{port}/",
    "own name": "http://" + socket.gethostname() + ":{port}/",
    "backslash": "http://127.0.0.1:{port}\\@example.com/",
    "three slashes": "http:///127.0.0.1:{port}/",
}
# Nobody is there; what counts is that nobody is asked.
ELSEWHERE = ["http://10.0.0.1/", "http://192.168.0.1/", "http://172.16.0.1/", "http://100.64.0.1/",
             "http://169.254.169.254/latest/meta-data/", "http://[::ffff:169.254.169.254]/", "http://0xa9fea9fe/",
             "http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://100.100.100.200/", "http://168.63.129.16/",
             "http://224.0.0.1/", "http://255.255.255.255/", "http://[ff02::1]/", "http://[64:ff9b::a9fe:a9fe]/"]
# What is no address to begin with.
NOT_FETCHED = ["file:///etc/hostname", "ftp://127.0.0.1/", "gopher://127.0.0.1:{port}/_GET%20/", "//127.0.0.1:{port}/",
               "http://user:word@127.0.0.1:{port}/", "http://example.com@127.0.0.1:{port}/", "dict://127.0.0.1:{port}/x"]


@pytest.fixture
def upstream():
    upstream = Upstream()
    upstream.always(Say("Done."), End())
    yield upstream
    upstream.close()


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()


@pytest.fixture
def serve(upstream, new_server):
    def start(*tools, **options):
        server = new_server(agents={"upstream": upstream.agent(tools=tools, approval="{default: auto}")},
                            environment={"UPSTREAM_KEY": KEY, "SHOP_KEY": SHOP_KEY, **options.pop("environment", {})},
                            **options)
        server.api.never_shown += [KEY.encode()]
        return server
    return start


def http_tool(name, url, **fields):
    entry = {"name": name, "description": "A request", "url": url, "writes": False, **fields}
    return "http: " + json.dumps(entry)


def call(server, upstream, tool, arguments):
    """Lets the model make this call, and gives what it is told of its result."""
    upstream.script(Call(tool, arguments), End("tool_calls"))
    done = server.api.run("go", agent="upstream")
    assert done.end.type == "run_completed", done.end
    return upstream.requests[-1].messages[-1]["content"]


# ---- fault 26 ----

@pytest.mark.fault(26)
def test_web_fetch_refuses_every_spelling_of_this_machine(upstream, site, serve):
    server = serve("web_fetch")
    told = {name: call(server, upstream, "web_fetch", {"url": url.format(port=site.port)})
            for name, url in SPELLINGS.items()}
    assert site.requests == []
    for name in ("plain", "short", "hexadecimal", "one number", "octal", "no address", "v6", "v4 in v6", "name",
                 "name below it"):
        assert REFUSED in told[name], (name, told[name])
    for name, words in told.items():  # others may be no address at all
        assert REFUSED in words or "could not be reached" in words or words.startswith("url: "), (name, words)


@pytest.mark.fault(26)
def test_other_private_addresses_are_refused_and_not_asked(upstream, serve):
    server = serve("web_fetch")
    for url in ELSEWHERE:
        assert REFUSED in call(server, upstream, "web_fetch", {"url": url}), url


@pytest.mark.fault(26)
def test_what_is_no_web_address_is_not_fetched(upstream, site, serve):
    server = serve("web_fetch")
    for url in NOT_FETCHED:
        assert call(server, upstream, "web_fetch", {"url": url.format(port=site.port)}).startswith("url: "), url
    assert site.requests == []


@pytest.mark.fault(26)
def test_http_tools_refuse_every_spelling_of_this_machine(upstream, site, serve):
    no_url = {"zone", "backslash", "three slashes"}  # to the reader of agent files, and what is not ASCII
    plain = {name: url.format(port=site.port) for name, url in SPELLINGS.items() if url.isascii() and name not in no_url}
    tools = {f"tool_{number}": url for number, url in enumerate(plain.values())}
    server = serve(*(http_tool(name, url) for name, url in tools.items()))
    for name, url in tools.items():
        words = call(server, upstream, name, {})
        assert REFUSED in words or "could not be reached" in words, (url, words)
    assert site.requests == []


@pytest.mark.fault(26)
def test_an_mcp_server_on_this_machine_is_not_reached_without_leave(upstream, site, serve):
    serve("mcp: " + json.dumps({"name": "near", "url": site.url("/mcp", "localhost")}), "calculator",
          limits={"mcp_start_timeout": 1500})
    assert site.requests == []
    serve("mcp: " + json.dumps({"name": "near", "url": site.url("/mcp"), "addresses": ["127.0.0.1"]}), "calculator",
          limits={"mcp_start_timeout": 1500})
    assert {asked.path for asked in site.requests} == {"/mcp"}


@pytest.mark.fault(26)
def test_redirects_to_this_machine_are_refused(upstream, site, serve):
    """The first page is allowed; where it leads is judged anew."""
    other = Site()
    try:
        server = serve("web_fetch", arguments=["--allow-address", "127.0.0.1"])
        targets = [f"http://127.0.0.2:{other.port}/", f"http://0.0.0.0:{other.port}/", f"//127.0.0.2:{other.port}/",
                   "http://169.254.169.254/", f"http://[::ffff:127.0.0.2]:{other.port}/"]
        targets += [f"http://[::1]:{other.port}/"] if other.has_v6 else []
        for target in targets:
            for status in (301, 302, 303, 307, 308):
                site.pages["/page"] = redirect(target, status)
                assert REFUSED in call(server, upstream, "web_fetch", {"url": site.url("/page")}), target
        site.pages["/page"] = redirect("file:///etc/hostname")
        assert "redirects to an address that must begin" in call(server, upstream, "web_fetch", {"url": site.url("/page")})
        assert other.requests == []
    finally:
        other.close()


@pytest.mark.fault(26)
def test_endless_redirects_end(upstream, site, serve):
    server = serve("web_fetch", arguments=["--allow-address", "127.0.0.0/8"])
    site.pages["/loop"] = redirect("/loop")
    assert "more than 5 times" in call(server, upstream, "web_fetch", {"url": site.url("/loop")})
    assert len(site.requests) == 6


@pytest.mark.fault(26)
def test_http_tools_follow_no_redirects(upstream, site, serve):
    server = serve(http_tool("near", site.url("/page"), addresses=["127.0.0.1"]))
    site.pages["/page"] = redirect(site.url("/other"))
    assert "follows no redirects" in call(server, upstream, "near", {})
    assert [asked.path for asked in site.requests] == ["/page"]


@pytest.mark.fault(26)
def test_a_proxy_of_the_environment_does_not_carry_tools_around_the_guard(upstream, site, serve):
    server = serve("web_fetch", environment={"http_proxy": site.url(), "no_proxy": "127.0.0.1"})
    assert REFUSED in call(server, upstream, "web_fetch", {"url": "http://10.0.0.1/"})
    assert [asked for asked in site.requests if "10.0.0.1" in asked.path] == []


@pytest.mark.fault(26)
def test_an_argument_never_changes_where_a_request_goes(upstream, site, serve):
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    server = serve(http_tool("order", site.url("/orders/{id}/lines"), parameters=schema, addresses=["127.0.0.1"]))
    for value in ("@evil.example/", "a/b?c=d#e", "%2e%2e", "a\r\nX-Evil: 1", "?", "#", " ", "ü"):
        call(server, upstream, "order", {"id": value})
        path = site.requests[-1].path
        assert path.startswith("/orders/") and path.endswith("/lines") and path.count("/") == 3 and "?" not in path
        assert "x-evil" not in site.requests[-1].headers
    asked = len(site.requests)
    for value in ("..", "../admin", ".", "", "a/../../b", "..\\x"):
        assert "id: " in call(server, upstream, "order", {"id": value}), value
    assert len(site.requests) == asked


# ---- what is allowed works ----

def test_the_operator_allows_an_address_for_all_tools_or_for_one(upstream, site, serve):
    site.pages["/page"] = Page("the tide is high")
    server = serve("web_fetch", http_tool("far", site.url("/page")), arguments=["--allow-address", "127.0.0.0/8"])
    fetched = json.loads(call(server, upstream, "web_fetch", {"url": site.url("/page")}))
    assert fetched == {"title": "", "url": site.url("/page"), "text": "the tide is high"}
    assert call(server, upstream, "far", {}) == "the tide is high"

    narrow = serve("web_fetch", http_tool("near", site.url("/page"), addresses=["127.0.0.1"]))
    assert call(narrow, upstream, "near", {}) == "the tide is high"
    assert REFUSED in call(narrow, upstream, "web_fetch", {"url": site.url("/page")}), "the leave was for the other tool"


def test_a_page_becomes_readable_text(upstream, site, serve):
    site.pages["/"] = redirect("/page.html")
    site.pages["/page.html"] = Page(
        "<!doctype html><meta charset=latin1><title>T\u00eede &amp; Time</title><script>var hidden = 1;</script>"
        "<style>p{color:red}</style><h1>Heading</h1><p>Gr\u00fc\u00dfe</p>".encode("latin1"), content_type="text/html")
    server = serve("web_fetch", arguments=["--allow-address", "127.0.0.0/8"])
    fetched = json.loads(call(server, upstream, "web_fetch", {"url": site.url("/")}))
    assert fetched["title"] == "T\u00eede & Time" and fetched["url"] == site.url("/page.html")
    assert "Heading" in fetched["text"] and "Gr\u00fc\u00dfe" in fetched["text"]
    assert "hidden" not in fetched["text"] and "color" not in fetched["text"]


def test_a_search_engine_on_this_machine_is_the_operators_own(upstream, site, serve):
    hit = {"title": "Tides", "url": "https://tides.example/", "content": "High <b>tide</b>"}
    site.pages["/search"] = Page(json.dumps({"query": "x", "results": [hit]}), content_type="application/json")
    server = serve("web_search", environment={"BRAIDLOG_SEARXNG_URL": site.url("")})
    told = json.loads(call(server, upstream, "web_search", {"query": "high tide?"}))
    assert told == [{"title": "Tides", "url": "https://tides.example/", "snippet": "High tide"}]
    assert site.requests[-1].path == "/search?q=high%20tide%3F&format=json"


def test_brave_gets_its_key_and_nobody_else_does(upstream, site, serve):
    hit = {"title": "Tides", "url": "https://tides.example/", "description": "High"}
    site.pages["/res/v1/web/search"] = Page(json.dumps({"web": {"results": [hit]}}), content_type="application/json")
    server = serve("web_search", environment={"BRAVE_API_KEY": "brave-s3cr3t", "BRAIDLOG_BRAVE_URL": site.url("")})
    assert "tides.example" in call(server, upstream, "web_search", {"query": "x"})
    assert site.requests[-1].headers["x-subscription-token"] == "brave-s3cr3t"
    assert "brave-s3cr3t" not in json.dumps([request.body for request in upstream.requests])
    assert "brave-s3cr3t" not in server.log()


def test_an_answer_that_takes_too_long_or_never_ends_is_not_waited_for(upstream, site, serve):
    over = threading.Event()
    site.pages["/slow"] = lambda _: over.wait(30) and Page()
    site.pages["/long"] = Page("x" * 500_000)
    server = serve(http_tool("slow", site.url("/slow"), addresses=["127.0.0.1"], timeout="300ms"),
                   http_tool("slow_write", site.url("/slow"), addresses=["127.0.0.1"], timeout="300ms", writes=True),
                   http_tool("long", site.url("/long"), addresses=["127.0.0.1"], response_limit="1000"))
    try:
        assert "took too long" in call(server, upstream, "slow", {})
        assert "outcome is unknown" in call(server, upstream, "slow_write", {})
        told = call(server, upstream, "long", {})
        assert told == "x" * 1000 + "\n[cut: the answer is longer than 1000 bytes]"
    finally:
        over.set()


# ---- secrets ----

def test_a_tools_secret_that_comes_back_is_shown_to_nobody(upstream, site, serve):
    site.pages["/echo"] = lambda asked: Page(json.dumps(asked.headers), content_type="application/json")
    site.pages["/error"] = lambda asked: Page("bad key: " + asked.headers["x-key"], status=401)
    tools = [http_tool(name, site.url("/" + name), addresses=["127.0.0.1"], headers={"X-Key": "Key ${SHOP_KEY}"})
             for name in ("echo", "error")]
    server = serve(*tools)
    server.api.never_shown += [b"shop-s3cr3t"]
    assert json.loads(call(server, upstream, "echo", {}))["x-key"] == "Key [secret]"
    assert site.requests[-1].headers["x-key"] == "Key " + SHOP_KEY
    assert call(server, upstream, "error", {}) == "127.0.0.1 answered 401 Unauthorized: bad key: Key [secret]"
    assert "shop-s3cr3t" not in server.log() and "shop-s3cr3t" not in json.dumps([r.body for r in upstream.requests])
    assert b"shop-s3cr3t" not in b"".join(path.read_bytes() for path in server.data.rglob("*") if path.is_file())


# ---- fault 27 ----

def mcp_answer(asked):
    """The least that an MCP server with one tool says."""
    message = json.loads(asked.body) if asked.body else {}
    results = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "least", "version": "1"}},
        "tools/list": {"tools": [{"name": "look", "description": "Looks", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": "looked"}]},
    }
    if asked.method != "POST":
        return Page("", status=405)
    if "id" not in message:
        return Page("", status=202)
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] in results:
        answer["result"] = results[message["method"]]
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    return Page(json.dumps(answer), content_type="application/json")


@pytest.mark.fault(27)
def test_nothing_of_a_clients_headers_travels_upstream(upstream, site, serve):
    client = [("Cookie", "sid=cl1ent-cookie"), ("X-Private", "cl1ent-header"), ("User-Agent", "cl1ent-agent"),
              ("X-Forwarded-For", "203.0.113.77"), ("Referer", "https://cl1ent.example/"),
              ("Accept-Language", "tlh-cl1ent"), ("traceparent", "00-cl1ent-01-01"), ("X-Request-Id", "cl1ent-request"),
              ("X-Api-Key", "cl1ent-key")]
    site.pages["/page"] = Page("tide")
    site.pages["/write"] = Page("{}", content_type="application/json", headers={"Set-Cookie": "site=s1te-cookie"})
    site.pages["/mcp"] = mcp_answer
    server = serve("web_fetch", http_tool("write", site.url("/write"), method="POST", writes=True),
                   "mcp: " + json.dumps({"name": "near", "url": site.url("/mcp")}),
                   arguments=["--allow-address", "127.0.0.0/8"], limits={"mcp_start_timeout": 1500})
    session = server.api.post("/sessions", json={"agent": "upstream"}, headers=client).json["session_id"]
    calls = [("web_fetch", {"url": site.url("/page")}), ("write", {}), ("write", {}), ("near__look", {})]
    for number, (tool, arguments) in enumerate(calls):
        upstream.script(Call(tool, arguments), End("tool_calls"))
        key = ("Idempotency-Key", f"cl1ent-idempotency-{number}")
        reply = server.api.post(f"/sessions/{session}/messages", json={"message": "go"}, headers=[*client, key])
        server.api.read(session, reply.json["run_id"])
    assert upstream.requests[-1].messages[-1]["content"] == "looked"
    assert {asked.path for asked in site.requests} == {"/page", "/write", "/mcp"}
    for asked in site.requests:
        assert b"cl1ent" not in asked.everything and b"203.0.113.77" not in asked.everything
        assert "cookie" not in asked.headers, "nor do cookies of one answer come back with the next request"
        assert asked.headers["user-agent"].startswith("braidlog/")
    keys = [asked.headers["idempotency-key"] for asked in site.requests if asked.path == "/write"]
    assert len(set(keys)) == 2
    for request in upstream.requests:
        assert "cl1ent" not in request.head + json.dumps(request.body) and "203.0.113.77" not in request.head
        assert set(request.headers) == {"host", "user-agent", "accept", "content-type", "content-length", "authorization"}
