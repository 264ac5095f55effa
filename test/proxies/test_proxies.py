"""Fault 9: behind nginx, HAProxy and Caddy, as docs/operating.md has them, the streams are what they are without them."""
import hashlib
import shutil
import subprocess
import time

import pytest

from braid_client.agents import AGENTS
from braid_client.api import Api, at_once
from braid_client.chat import A_SECOND, Chat, json_file, run_of, text_of
from braid_client.conversation import Conversations
from braid_client.frames import joined
from braid_client.legal import check_chat
from braid_client.people import Person, bearer, cookie_of
from braid_client.server import Server
from braid_client.upstream import End, Hold, Say, Upstream

from front import PROXIES

ODD = 'one\u0085two\u2028three "four" \\ 😀\n\nevent: error\ndata: {}\n\nend'


@pytest.fixture(scope="module")
def behind(tmp_path_factory):
    """One server, and an upstream model that the tests hold: (server, upstream)."""
    upstream = Upstream()
    agents = {**AGENTS, "upstream": upstream.agent()}
    server = Server(tmp_path_factory.mktemp("behind"), agents=agents, environment={"UPSTREAM_KEY": "k"},
                    limits={"keepalive_interval": 300}).start()
    yield server, upstream
    server.kill()
    server.check_log()
    upstream.close()


@pytest.fixture(scope="module")
def person(behind):
    return Person(behind[0], "paula")


@pytest.fixture(scope="module", params=PROXIES)
def front(request, behind, tmp_path_factory):
    proxy = PROXIES[request.param]
    if proxy.program() is None:
        pytest.skip(f"{proxy.name} is not installed (Debian package {proxy.package})")
    front = proxy.start(tmp_path_factory.mktemp("front") / request.param, behind[0].port)
    yield front
    front.stop()


@pytest.fixture
def api(front):
    return Api(front.port)


@pytest.fixture
def chat(api):
    return Chat(api, "upstream")


@pytest.mark.clause("CHAT-54")
@pytest.mark.fault(9)
def test_the_first_event_comes_at_once(behind, chat):
    hold = Hold()
    behind[1].script(hold, Say("One two three."), End())
    began = time.monotonic()
    with chat.post("hello", timeout=10) as stream:
        stream.read_frames(1)
        first = time.monotonic() - began
        assert stream.frames[0].type == "stream_start" and first < 1.5
        stream.read_until(lambda s: s.reader.keepalives >= 2, "keepalives while the model is silent")
        hold.release.set()
        done = chat.read(stream)
    assert done.text == "One two three." and time.monotonic() - began > first + 0.5


@pytest.mark.clause("CHAT-54")
@pytest.mark.fault(9)
def test_every_event_comes_when_it_happens(behind, chat):
    """A paced answer in three parts: each is read before the model goes on to the next."""
    holds = [Hold(), Hold()]
    behind[1].script(Say("one "), holds[0], Say("two "), holds[1], Say("three"), End())
    with chat.link("hello", timeout=10) as stream:
        for text, hold in (("one ", holds[0]), ("one two ", holds[1])):
            stream.read_until(lambda s: text_of(s.frames) == text, repr(text), timeout=5)
            hold.release.set()
        done = chat.read(stream)
    assert done.text == "one two three"


@pytest.mark.clause("CHAT-54")
@pytest.mark.fault(9)
def test_nothing_is_merged_or_lost(behind, api, chat):
    direct = Chat(behind[0].api, "slow")
    done = chat.ask("a long story about lighthouses", agent="asks")
    check_chat(done.frames, done.run_id)
    assert direct.read(direct.resume(f"evt_{done.run_id[4:]}_0000000001")).bytes == done.bytes
    odd = chat.read(chat.link("say exactly: " + ODD, agent="asks"))
    assert odd.text == ODD
    with direct.post("say exactly: " + "word " * 60 + "end") as live:
        live.read_frames(2)
        run = run_of(live.frames[0].id)
        seen = at_once(20, lambda i: joined(api.read("sess_" + live.frames[0].data["session_id"], run)))
        assert direct.read(live).end.type == "stream_end"
    assert len({hashlib.sha256(one).hexdigest() for one in seen}) == 1
    runs = behind[0].api.read("sess_" + live.frames[0].data["session_id"], run)
    assert seen[0] == joined(runs)


@pytest.mark.clause("CHAT-54", "CHAT-29")
@pytest.mark.fault(9, 12)
@pytest.mark.parametrize("how", ["close", "reset", "while it is silent"])
def test_a_client_that_leaves_is_noticed(behind, chat, how):
    server, upstream = behind
    before = len(upstream.requests)
    upstream.script(Say("One two three"), Hold() if how == "while it is silent" else Say(" four" * 400, 0.02), End())
    stream = chat.post("hello")
    stream.read_until(lambda s: text_of(s.frames).startswith("One two three"), "some words")
    session, run = stream.frames[0].data["session_id"], run_of(stream.frames[0].id)
    began = time.monotonic()
    stream.connection.reset() if how == "reset" else stream.close()
    assert upstream.requests[before].closed.wait(5), "the model's service still has its connection"
    assert server.api.wait_over(session, run)["status"] == "interrupted"
    assert time.monotonic() - began < A_SECOND + 0.5


@pytest.mark.clause("CHAT-54")
@pytest.mark.fault(9)
def test_requests_pass_whole(chat):
    form = chat.read(chat.form("summarize the attached file", agent="asks", files=[("a b.txt", "größe".encode(), "text/plain")]))
    assert "größe" in form.text
    big = chat.read(chat.post("look", agent="asks", files=[json_file("big.txt", b"x" * 700_000)]))
    assert chat.api.files(big.session_id) == {"big.txt": 700_000}
    again = chat.resume(form.end.id)
    assert again.status == 204
    assert joined(chat.read(chat.resume(form.frames[0].id)).frames) == joined(form.frames[1:])


@pytest.mark.clause("COMMON-11")
@pytest.mark.fault(9, 12)
def test_a_cut_stream_does_not_look_complete(front, new_server, tmp_path):
    """The server closes a stream that is not over; through the proxy, too, it must not end like one that is."""
    server = new_server(limits={"drain_grace": 300})
    second = PROXIES[front.folder.name].start(tmp_path / "second", server.port)
    try:
        api = Api(second.port)
        session, run, _ = api.ask_to_write(agent="asks")
        stream = api.stream(session, run)
        stream.read_type("tool_call_proposed")
        server.signal()
        stream.read_to_end()
        # Caddy 2.6 sees it, says so in its log, and ends the client's response like a whole one all the same.
        assert stream.end == "unclean" or "aborting with incomplete response" in second.log(), second.log()
        stream.close()
        assert server.wait_exit(15) == 0
        server.start()
    finally:
        second.stop()


@pytest.mark.clause("CHAT-54")
@pytest.mark.fault(9)
def test_a_conversation_through_the_proxy(person, front):
    talk = Conversations(Api(front.port, credential=[bearer(person.key)]))
    assert talk.say("say exactly: " + ODD).text == ODD


@pytest.fixture
def https_front(front, tmp_path):
    """A server that trusts the proxy in front of it: (server, front)."""
    server = Server(tmp_path / "trusting", agents=AGENTS, arguments=["--trusted-proxy", "127.0.0.1/32"]).start()
    second = PROXIES[front.folder.name].start(tmp_path / "https", server.port)
    yield server, second
    second.stop()
    server.kill()


def log_in(port):
    return Api(port).call("POST", "/auth/login", json={"username": "demo", "password": "demo"})


@pytest.mark.fault(9)
def test_over_https_the_cookie_is_secure(https_front):
    _, front = https_front
    secure = cookie_of(log_in(front.port))
    assert "HttpOnly" in secure["attributes"] and "Path=/" in secure["attributes"]
    assert secure["name"] == "__Host-session" and "Secure" in secure["attributes"]
    mine = Api(front.port, credential=[("Cookie", f"__Host-session={secure['value']}")])
    assert mine.call("GET", "/auth/me").json["username"] == "demo"
    # The server's own pages come from https now.
    host = f"127.0.0.1:{front.port}"
    chat = Chat(mine, "support")
    assert chat.read(chat.post("Hello", headers=[("Host", host), ("Origin", f"https://{host}")])).end.type == "stream_end"


@pytest.mark.fault(9)
def test_without_trust_the_word_of_a_proxy_does_not_count(front):
    found = cookie_of(log_in(front.port))
    assert found["name"] == "session" and "Secure" not in found["attributes"]


@pytest.mark.fault(9)
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_stream_over_http2(front):
    done = subprocess.run(["curl", "-skN", "--http2", "-w", "%{http_version}", "--max-time", "30",
                           f"https://127.0.0.1:{front.port}/agent/asks/chat/stream?message=say+exactly:+one+two"], stdout=subprocess.PIPE)
    assert done.returncode == 0 and done.stdout.endswith(b"\n\n2") and b"event: stream_end\n" in done.stdout


@pytest.mark.fault(9)
def test_files_of_many_megabytes_pass(chat):
    """nginx as it comes would take one."""
    big = chat.read(chat.form("look", agent="asks", files=[("big.txt", b"x" * 12_000_000, "text/plain")]))
    assert chat.api.files(big.session_id) == {"big.txt": 12_000_000}
