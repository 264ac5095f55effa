"""braidlog chat, at a terminal and in a pipe."""
import os
import re
import signal
import socket
import subprocess

import pytest

from braid_client.server import binary
from braid_client.upstream import Call, End, Hold, Say
from braid_client.waiting import PATIENCE, wait_for
from forgetful_relay import ForgetfulRelay
from pseudo_terminal import CTRL_C, CTRL_D, OWN_SEQUENCES, Terminal, environment, pipe

QUESTION = "? [y]es / [n]o / [a]lways "
HAIKU = "Write a haiku about rivers to haiku.md"
STORY = "a long story about lighthouses"


def url_of(server):
    return f"http://127.0.0.1:{server.port}"


def session_of(terminal):
    return re.search(r"--session (sess_\w+)", terminal.text).group(1)


def runs_of(api, session):
    return api.get(f"/sessions/{session}/runs").json["items"]


def leave(terminal):
    terminal.expect("> ").type(CTRL_D)
    assert terminal.wait_exit() == 0
    return session_of(terminal)


# ---- at a terminal ----

def test_an_answer_is_shown_as_it_comes(scripted, upstream):
    hold = Hold()
    upstream.script(Say("The first half,"), hold, Say(" and the second."), End())
    with Terminal(url_of(scripted), "chat", "--agent", "upstream") as terminal:
        terminal.say("go on").expect("The first half,")
        assert "second" not in terminal.text
        hold.release.set()
        terminal.expect("and the second.").expect("18 tokens")
        leave(terminal)


def test_a_conversation_goes_on(api, url):
    with Terminal(url, "chat", "--agent", "asks") as terminal:
        terminal.expect("asks at http://127.0.0.1:")
        terminal.say("hello").expect("ms").say("hello again").expect("> ")
        terminal.type(CTRL_D)
        assert terminal.wait_exit() == 0
        session = session_of(terminal)
    assert len(runs_of(api, session)) == 2
    with Terminal(url, "chat", "--session", session) as terminal:
        terminal.say("and once more")
        assert leave(terminal) == session
    assert len(runs_of(api, session)) == 3


def test_who_only_looks_in_leaves_nothing(api, url):
    before = api.get("/sessions").json["items"]
    with Terminal(url, "chat") as terminal:
        terminal.say("/help").expect("/agents").say("/nonsense").expect("There is no /nonsense").say("/quit")
        assert terminal.wait_exit() == 0
    assert api.get("/sessions").json["items"] == before


def test_agents_and_new_conversations(api, url):
    with Terminal(url, "chat", "--agent", "asks") as terminal:
        terminal.say("/agents").expect("denies, for tests")
        terminal.say("/new nobody").expect("There is no agent 'nobody'")
        terminal.say("hello").say("/new denies").expect("a new conversation with denies")
        terminal.say(HAIKU).expect("file_write").expect("not allowed: denied")
        session = leave(terminal)
    assert api.get(f"/sessions/{session}").json["agent"] == "denies"


def test_tools_are_one_line_each(url):
    with Terminal(url, "chat", "--agent", "auto") as terminal:
        terminal.say(HAIKU).expect('file_write {"').expect("→ ").expect("> ")
        [line] = [line for line in terminal.text.split("\n") if "→" in line]
        assert len(line) < 100 and line.startswith("  file_write"), line


@pytest.mark.parametrize("answer, status", [("y", "approved"), ("YES", "approved"), ("n", "rejected")])
def test_an_approval_is_asked_for(api, url, answer, status):
    with Terminal(url, "chat", "--agent", "asks") as terminal:
        terminal.say(HAIKU).expect("Allow file_write {").expect("haiku.md").expect(QUESTION)
        terminal.type("perhaps\n").expect("Allow file_write").expect(QUESTION)  # no answer: asked again
        terminal.type(answer + "\n")
        session = leave(terminal)
    assert ("haiku.md" in api.files(session)) == (status == "approved")
    assert terminal.text.count("file_write {") == (3 if status == "approved" else 2)  # and once with its result


def test_always_means_for_the_session(api, url):
    with Terminal(url, "chat", "--agent", "asks") as terminal:
        terminal.say(HAIKU).expect(QUESTION).type("a\n").expect("file_write is allowed in this session from now on")
        terminal.say("Write a haiku about hills to hills.md").expect("→ ")
        session = leave(terminal)
        assert terminal.text.count(QUESTION) == 1
    assert {"haiku.md", "hills.md"} <= set(api.files(session))


def test_what_was_typed_before_the_question_is_no_answer(scripted, upstream):
    hold = Hold()
    upstream.script(Say("Let me see."), hold, Call("file_write", {"path": "a.txt", "content": "x"}), End("tool_calls"))
    upstream.script(Say("Done."), End())
    with Terminal(url_of(scripted), "chat", "--agent", "upstream") as terminal:
        terminal.say("write").expect("Let me see.")
        wait_for(lambda: not terminal.echoes(), "the terminal does not show what is typed")
        terminal.type("y\n")
        hold.release.set()
        terminal.expect(QUESTION).type("n\n").expect("Done.")
        session = leave(terminal)
    assert scripted.api.files(session) == {}


def test_a_window_that_changes_its_size_takes_no_answer_back(api, url):
    with Terminal(url, "chat", "--agent", "asks") as terminal:
        terminal.say(HAIKU).expect(QUESTION)
        # They wait with the answer: all of it is there when the program goes on.
        terminal.signal(signal.SIGSTOP)
        terminal.type("y\n")
        terminal.signal(signal.SIGWINCH)
        terminal.signal(signal.SIGCONT)
        terminal.expect("→ ")
        assert "haiku.md" in api.files(leave(terminal))


def test_an_approval_that_is_given_elsewhere(api, url):
    with Terminal(url, "chat", "--agent", "asks") as terminal:
        terminal.say(HAIKU).expect(QUESTION)
        [pending] = [item for item in api.get("/approvals").json["items"] if item["tool_name"] == "file_write"]
        run = api.get(f"/runs/{pending['run_id']}").json
        assert api.approve(run["session_id"], pending["approval_id"]).status == 200
        terminal.expect("allowed elsewhere").expect("→ ")
        assert leave(terminal) == run["session_id"]


def test_ctrl_c_interrupts_the_run(api, url):
    with Terminal(url, "chat", "--agent", "very-slow") as terminal:
        terminal.say(STORY).expect("told by").type(CTRL_C).expect("interrupting").expect("interrupted")
        terminal.say("/help").expect("/quit")  # the chat goes on
        session = leave(terminal)
    assert [run["status"] for run in runs_of(api, session)] == ["interrupted"]


def test_ctrl_c_at_a_question_interrupts_the_run(api, url):
    with Terminal(url, "chat", "--agent", "asks") as terminal:
        terminal.say(HAIKU).expect(QUESTION).type(CTRL_C).expect("interrupting").expect("interrupted")
        session = leave(terminal)
    assert [run["status"] for run in runs_of(api, session)] == ["interrupted"]
    assert api.pending(session) == []


def test_a_second_ctrl_c_leaves(scripted, upstream):
    upstream.always(Say("Thinking."), Hold())
    with Terminal(url_of(scripted), "chat", "--agent", "upstream") as terminal:
        terminal.say("go").expect("Thinking.")
        os.kill(scripted.pid, signal.SIGSTOP)  # so that the first one is not heard
        try:
            terminal.type(CTRL_C).expect("interrupting").type(CTRL_C)
            assert terminal.wait_exit() == 130
        finally:
            os.kill(scripted.pid, signal.SIGCONT)
        assert session_of(terminal)


def test_ctrl_c_at_the_prompt(url):
    with Terminal(url, "chat") as terminal:
        terminal.expect("> ").type("never sent").expect("never sent").type(CTRL_C).expect("> ")
        terminal.type(CTRL_C).expect("again leaves").expect("> ").type(CTRL_C)
        assert terminal.wait_exit() == 0
        assert "go on later" not in terminal.text


def test_ctrl_d_at_a_question_leaves_it_open(api, url):
    with Terminal(url, "chat", "--agent", "asks") as terminal:
        terminal.say(HAIKU).expect(QUESTION).type(CTRL_D)
        assert terminal.wait_exit() == 0
        session = session_of(terminal)
    [pending] = api.pending(session)
    with Terminal(url, "chat", "--session", session) as terminal:  # and it is asked again
        terminal.expect(QUESTION).type("y\n").expect("→ ")
        leave(terminal)
    assert "haiku.md" in api.files(session) and pending["status"] == "pending"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_terminal_is_left_as_it_was(url, number):
    with Terminal(url, "chat", "--agent", "very-slow") as terminal:
        assert terminal.echoes()
        terminal.say(STORY).expect("told by")
        wait_for(lambda: not terminal.echoes(), "the terminal does not show what is typed")
        terminal.signal(number)
        wait_for(terminal.echoes, "the terminal is as before")
        assert terminal.wait_exit() == 130


def test_lines_can_be_edited_and_come_back(url):
    with Terminal(url, "chat", "--agent", "counts") as terminal:
        terminal.expect("> ").type("what is 7 * 7").type("\x01").type("\x1b[C" * 8).type("\x1b[3~6\r")  # what is 6 * 7
        terminal.expect("42").expect("> ").type("\x1b[A\r").expect("42")
        terminal.say("grüße 中文 🙂").expect("about \"grüße 中文 🙂\"")
        leave(terminal)


def messages_of(api, session):
    return [message["content"] for message in api.call("GET", f"/sessions/{session}").json["messages"]
            if message["role"] == "user"]


def test_several_lines_are_one_message(api, url):
    with Terminal(url, "chat", "--agent", "asks") as terminal:
        terminal.expect("> ").type("one \\\r").expect(". ").type("two\r").expect("ms")
        terminal.expect("> ").type("\x1b[200~def f():\r\treturn 'grün'\r\r# end\x1b[201~").expect("# end").type("\r")
        session = leave(terminal)
    assert messages_of(api, session) == ["one \ntwo", "def f():\n\treturn 'grün'\n\n# end"]


def test_nothing_of_the_models_is_obeyed(scripted, upstream):
    trick = "\x1b[2J\x1b]0;owned\x07\x1b[31mred \x9b1m \x7f \u202egnp.exe \x08\x08 \U000e0041"
    upstream.script(Say(f"before {trick} after"), Call("file_write", {"path": f"a{trick}.txt", "content": trick}),
                    End("tool_calls"))
    upstream.script(Say(trick + " done"), End())
    with Terminal(url_of(scripted), "chat", "--agent", "upstream") as terminal:
        terminal.say("go").expect("before ").expect(" after").expect("\\u001b[2J").expect("\\u202e").expect(QUESTION)
        terminal.type("y\n").expect("done")
        leave(terminal)
    rest = OWN_SEQUENCES.sub(b"", terminal.raw)
    assert not re.search(rb"[\x00-\x06\x07\x0b\x0c\x0e-\x1f\x7f]", rest), rest
    shown = rest.decode()
    assert not re.search("[\x80-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]", shown), shown
    assert b"\x1b[2J" not in terminal.raw and b"\x1b[31mred" not in terminal.raw
    assert "\\x1b[31mred" in shown


def test_colours_can_be_refused(url):
    with Terminal(url, "chat", "--agent", "asks", NO_COLOR="1") as terminal:
        terminal.say("hello")
        leave(terminal)
    assert not re.search(rb"\x1b\[[0-9;]*m", terminal.raw)


# ---- a server that goes away ----

def test_goes_on_after_the_server_was_killed(new_server, upstream):
    server = new_server(agents={"upstream": upstream.agent()}, listen_port=free_port(),
                        environment={"UPSTREAM_KEY": "sk-test-key"})
    hold = Hold()
    upstream.script(Say("The first half,"), hold)
    upstream.always(Say("The rest after it."), End())
    with Terminal(url_of(server), "chat", "--agent", "upstream") as terminal:
        terminal.say("go on").expect("The first half,")
        server.restart(hard=True)
        terminal.expect("connection lost, going on …").expect("The rest after it.")
        terminal.say("and another").expect("The rest after it.")
        session = leave(terminal)
        assert terminal.text.count("connection lost") == 1
        assert terminal.text.count("The first half,") == 1
    assert [run["status"] for run in runs_of(server.api, session)] == ["completed"] * 2


def test_a_question_outlives_the_server(new_server):
    server = new_server(listen_port=free_port())
    with Terminal(url_of(server), "chat", "--agent", "asks") as terminal:
        terminal.say(HAIKU).expect(QUESTION)
        server.restart(hard=True)
        terminal.expect("connection lost").expect(QUESTION).type("y\n").expect("→ ")
        session = leave(terminal)
    assert "haiku.md" in server.api.files(session)


def test_a_message_to_a_server_that_is_away_begins_one_run(new_server):
    server = new_server(listen_port=free_port())
    with Terminal(url_of(server), "chat", "--agent", "asks") as terminal:
        terminal.say("hello").expect("ms").expect("> ")
        server.kill()
        terminal.type("are you there?\r").expect("connection lost, going on …")
        server.start()
        terminal.expect("ms")
        session = leave(terminal)
    assert len(runs_of(server.api, session)) == 2


@pytest.mark.parametrize("lost", ["/messages HTTP", "/approve HTTP", "/log HTTP"])
def test_an_answer_that_is_lost_does_nothing_twice(api, lost):
    relay = ForgetfulRelay(api.port, lost)
    with Terminal(relay.url, "chat", "--agent", "asks") as terminal:
        terminal.say(HAIKU).expect(QUESTION).type("y\n").expect("→ ")
        session = leave(terminal)
        assert terminal.text.count(QUESTION) == 1
    relay.close()
    assert relay.forgotten == 1
    assert [run["status"] for run in runs_of(api, session)] == ["completed"]
    assert messages_of(api, session) == [HAIKU]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


# ---- without a terminal ----

def test_a_line_is_a_turn(api, url):
    done = pipe(url, "chat", "--agent", "counts", text="what is 6 * 7?\n\nwhat is 7 * 7?")
    assert done.returncode == 0, done
    first, second = done.stdout.decode().split("6 * 7 = 42\n")
    assert first and "7 * 7 = 49\n" in second
    assert done.stderr.count(b"calculator") == 2 and b"\x1b" not in done.stdout + done.stderr


def test_tools_that_ask_are_refused_in_a_pipe(api, url):
    done = pipe(url, "chat", "--agent", "asks", text=HAIKU)
    assert done.returncode == 0
    assert b"nobody can be asked" in done.stderr and b"haiku.md" in done.stderr
    assert b"Allow" not in done.stdout + done.stderr


def test_yes_allows_in_a_pipe(api, url):
    before = {item["session_id"] for item in api.get("/sessions").json["items"]}
    done = pipe(url, "chat", "--agent", "asks", "--yes", text=HAIKU)
    assert done.returncode == 0 and b"allowed by --yes: file_write" in done.stderr
    [session] = {item["session_id"] for item in api.get("/sessions").json["items"]} - before
    assert "haiku.md" in api.files(session)


def test_a_run_that_fails_ends_a_pipe(url):
    done = pipe(url, "chat", "--agent", "fail-provider-error", text="one\ntwo\n")
    assert done.returncode == 1
    assert done.stderr.count(b"failed:") == 1


def test_commands_in_a_pipe(url):
    done = pipe(url, "chat", text="/agents\n/quit\nnever said\n")
    assert done.returncode == 0 and b"asks" in done.stderr and done.stdout == b""


def test_a_reader_that_goes_is_no_noise(url):
    process = subprocess.Popen([binary(), "chat", "--agent", "slow"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment(url))
    process.stdin.write(STORY.encode() + b"\n")
    process.stdin.flush()
    assert process.stdout.read(5)
    process.stdout.close()
    assert process.wait(PATIENCE) == 0
    assert process.stderr.read() == b""


# ---- what can be wrong from the start ----

def test_no_server():
    url = f"http://127.0.0.1:{free_port()}"
    done = pipe(url, "chat", text="hello")
    assert done.returncode == 1
    assert done.stderr.decode() == f"No server at {url}: start one with braidlog serve --dev\n"


def test_credentials(town, tmp_path):
    url = url_of(town.server)
    nobody = pipe(url, "chat", text="hello")
    assert nobody.returncode == 1 and b"BRAIDLOG_KEY" in nobody.stderr
    wrong = pipe(url, "chat", text="hello", BRAIDLOG_KEY="bk_wrong")
    assert wrong.returncode == 1 and b"does not take this key" in wrong.stderr
    key = tmp_path / "key"
    key.write_text(town.alice.key + "\n")
    good = pipe(url, "chat", "--key-file", str(key), "--agent", "counts", text="what is 6 * 7?")
    assert good.returncode == 0 and b"42" in good.stdout
    assert pipe(url, "chat", text="what is 6 * 7?", BRAIDLOG_KEY=town.alice.key).returncode == 0


def test_unknown_agents_and_sessions(url, town):
    done = pipe(url, "chat", "--agent", "nobody", text="hello")
    assert done.returncode == 1 and done.stderr == b"There is no agent 'nobody' on this server\n"
    done = pipe(url, "chat", "--session", "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV", text="hello")
    assert done.returncode == 1 and b"not found" in done.stderr.lower()


def test_help_and_usage(url):
    done = pipe(url, "chat", "--help")
    assert done.returncode == 0 and b"Examples:" in done.stdout and b"--agent" in done.stdout
    done = pipe(url, "chat", "--colour")
    assert done.returncode == 2 and b"--colour" in done.stderr
