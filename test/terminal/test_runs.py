"""braidlog runs list, show and tail."""
import json
import re
import subprocess

import pytest

from braid_client.frames import WITH_EVENT, WITHOUT_EVENT, WITHOUT_ID
from braid_client.server import binary
from braid_client.upstream import Call, End, Hold, Say
from braid_client.waiting import PATIENCE
from braid_client.wire import open_stream
from pseudo_terminal import OWN_SEQUENCES, Terminal, environment, pipe
from test_chat import free_port, url_of

CONTRACTS = {"steps": WITHOUT_EVENT, "runs": WITH_EVENT, "chat": WITH_EVENT, "conversation": WITHOUT_EVENT,
             "tasks": WITHOUT_ID, "all": WITHOUT_EVENT}  # with what their frames have
NOT_THERE = "run_01ARZ3NDEKTSV4RRFFQ69G5FAV"


class Tail:
    """A tail in a pipe, while it runs."""

    def __init__(self, url, *arguments):
        self.process = subprocess.Popen([binary(), "runs", "tail", *arguments], bufsize=0, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment(url))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def read_until(self, words):
        text = b""
        while words not in text:
            line = self.process.stdout.readline()
            assert line, f"{words} did not come, but {text[-2000:]}"
            text += line
        return text

    def rest(self):
        out, err = self.process.communicate(timeout=PATIENCE)
        return out, err, self.process.returncode


def finished(api, message="hello", agent="asks"):
    run = api.run(message, agent=agent)
    return run.run_id


def read_stream(api, path, lines):
    with open_stream(api.port, path, lines=lines) as stream:
        stream.read_to_end(PATIENCE)
        return stream


def stream_of(api, run, contract):
    return bytes(read_stream(api, f"/runs/{run}/stream?contract={contract}", CONTRACTS[contract]).payload)


def log_of(api, run):
    return read_stream(api, f"/runs/{run}/log", WITHOUT_EVENT).frames


# ---- list ----

def test_list_is_a_table(api, url):
    run = finished(api, "hello there, list")
    done = pipe(url, "runs", "list")
    assert done.returncode == 0 and done.stderr == b"" and b"\x1b" not in done.stdout
    heading, first, *_ = done.stdout.decode().splitlines()
    assert heading.split() == ["RUN", "STATUS", "AGENT", "AGE", "TOOK", "TOKENS", "TITLE"]
    assert re.match(rf"{run} +completed +asks +(now|\d+s) +\d.* +\d+ +hello there, list", first), first


def test_list_by_status_and_number(api, url):
    failed = finished(api, agent="fail-provider-error")
    for _ in range(3):
        finished(api)
    done = pipe(url, "runs", "list", "--status", "failed", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert failed == rows[0]["run_id"] and {row["status"] for row in rows} == {"failed"}
    done = pipe(url, "runs", "list", "--limit", "2", "--json")
    assert len(done.stdout.splitlines()) == 2


def test_list_over_several_pages(new_server):
    server = new_server()
    session = server.api.session(agent="asks")
    runs = []
    for _ in range(105):
        runs.append(server.api.start(session, "hello"))
        server.api.wait_over(session, runs[-1])
    done = pipe(url_of(server), "runs", "list", "--limit", "104", "--json")
    assert [json.loads(line)["run_id"] for line in done.stdout.splitlines()] == runs[:0:-1]
    assert len(pipe(url_of(server), "runs", "list", "--limit", "1000").stdout.splitlines()) == 106


def test_list_of_nothing(new_server):
    server = new_server()
    assert pipe(url_of(server), "runs", "list").stdout == b"There are no runs yet.\n"
    assert pipe(url_of(server), "runs", "list", "--json").stdout == b""


def test_list_of_everybody(town):
    run = town.alice.api.run("hello", agent="asks").run_id
    url = url_of(town.server)
    ids = lambda person, *flags: pipe(url, "runs", "list", "--limit", "100", *flags, BRAIDLOG_KEY=person.key).stdout
    assert run.encode() in ids(town.alice) and run.encode() not in ids(town.bob)
    assert run.encode() not in ids(town.ada) and run.encode() in ids(town.ada, "--all")
    nobody = pipe(url, "runs", "list")
    assert nobody.returncode == 1 and b"BRAIDLOG_KEY" in nobody.stderr


def test_list_on_a_terminal(api, url):
    api.run("hello \x1b[31m\u202e " + "very long " * 50, agent="asks")
    with Terminal(url, "runs", "list", columns=120) as terminal:
        assert terminal.wait_exit() == 0
    assert b"\x1b[32mcompleted\x1b[0m" in terminal.raw and b"\x1b[31m\xe2" not in terminal.raw
    assert "\u202e" not in terminal.text
    assert all(len(line) <= 120 for line in terminal.text.splitlines()), terminal.text
    with Terminal(url, "runs", "list", NO_COLOR="1") as terminal:
        assert terminal.wait_exit() == 0
    assert b"\x1b" not in terminal.raw


# ---- show ----

def test_show(api, url):
    question = "what is 6 * 7?" + " really?" * 60  # longer than the list keeps
    run = finished(api, question, agent="counts")
    done = pipe(url, "runs", "show", run)
    text = done.stdout.decode()
    assert done.returncode == 0 and done.stderr == b""
    for row in (rf"run +{run}", "status +completed", "agent +counts", r"ended +20\d\d-", r"took +\d", r"usage +\d+ tokens \("):
        assert re.search(f"^{row}", text, re.MULTILINE), (row, text)
    assert f"\nQuestion\n{question}\n" in text and re.search(r"\nAnswer\n.*42", text, re.DOTALL)
    shown = json.loads(pipe(url, "runs", "show", run, "--json").stdout)
    assert shown["run_id"] == run and shown["text"] == question and "42" in shown["final_text"]


def test_show_of_a_run_that_failed_and_one_that_waits(api, url):
    text = pipe(url, "runs", "show", finished(api, agent="fail-provider-error")).stdout.decode()
    assert re.search("^status +failed", text, re.MULTILINE) and re.search("^error +PROVIDER_ERROR: ", text, re.MULTILINE)
    session, run, approval = api.ask_to_write(agent="asks")
    text = pipe(url, "runs", "show", run).stdout.decode()
    assert re.search("^status +waiting_approval", text, re.MULTILINE) and "\nAnswer" not in text
    api.reject(session, approval)


def test_show_of_somebody_elses(town):
    run = town.alice.api.run("what is 6 * 7?", agent="counts").run_id
    url = url_of(town.server)
    assert b"counts" in pipe(url, "runs", "show", run, BRAIDLOG_KEY=town.ada.key).stdout
    hidden = pipe(url, "runs", "show", run, BRAIDLOG_KEY=town.bob.key)
    assert hidden.returncode == 1 and hidden.stdout == b"" and b"not found" in hidden.stderr.lower()


@pytest.mark.parametrize("command", [("show",), ("tail",), ("tail", "--contract", "chat")])
@pytest.mark.parametrize("run", [NOT_THERE, "nonsense", "../../etc/passwd", "a b?c#d"])
def test_a_run_that_is_not_there(url, command, run):
    done = pipe(url, "runs", *command, run)
    assert done.returncode == 1 and done.stdout == b""
    assert re.fullmatch(rb"braidlog: [^\n]*not found[^\n]*\n", done.stderr, re.IGNORECASE), done.stderr


# ---- tail ----

@pytest.mark.parametrize("contract", CONTRACTS)
def test_tail_gives_the_bytes_of_every_contract(api, url, contract):
    run = finished(api, "Write a haiku about rivers to haiku.md", agent="auto")
    done = pipe(url, "runs", "tail", run, "--contract", contract)
    assert done.returncode == 0 and done.stderr == b""
    assert done.stdout == stream_of(api, run, contract)


def test_tail_is_the_log_for_people(api, url):
    run = finished(api, "what is 6 * 7?", agent="counts")
    events = [frame.data for frame in log_of(api, run)]
    lines = pipe(url, "runs", "tail", run).stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == [str(event["sequence"]) for event in events]
    assert [line.split()[2] for line in lines] == [event["type"] for event in events]
    assert any('args_json={"expression":"6 * 7"}' in line for line in lines)
    assert any("status=ok" in line for line in lines)


def test_tail_as_json(api, url):
    run = finished(api)
    done = pipe(url, "runs", "tail", run, "--json")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [frame.data for frame in log_of(api, run)]
    frames = pipe(url, "runs", "tail", run, "--json", "--contract", "runs").stdout.splitlines()
    assert [json.loads(line)["type"] for line in frames][0] == "run_started"


def test_tail_from_an_event(api, url):
    run = finished(api)
    frames = log_of(api, run)
    third, last = frames[2], frames[-1]
    lines = pipe(url, "runs", "tail", run, "--from", third.id).stdout.decode().splitlines()
    assert lines[0].split()[0] == "4" and len(lines) == len(frames) - 3
    over = pipe(url, "runs", "tail", run, "--from", last.id)
    assert over.returncode == 0 and over.stdout == b""


def test_tail_follows_a_run(scripted, upstream):
    hold = Hold()
    upstream.script(Say("first"), hold, Say(" second"), End())
    api = scripted.api
    session = api.session(agent="upstream")
    run = api.start(session, "go")
    with Tail(url_of(scripted), run) as tail:
        tail.read_until(b'text="first"')
        hold.release.set()
        out, err, code = tail.rest()
        assert b'text=" second"' in out and b"run.completed" in out.splitlines()[-1]
        assert code == 0 and err == b""


@pytest.mark.parametrize("contract", [None, *CONTRACTS])
def test_tail_goes_on_over_a_restart(new_server, upstream, contract):
    """Each frame once and none missing, in contracts with ids and in the one without."""
    server = new_server(agents={"upstream": upstream.agent(tools=("file_list",))}, listen_port=free_port(),
                        environment={"UPSTREAM_KEY": "sk-test-key"})
    upstream.script(Say("one two three"), Call("file_list", {}), End("tool_calls"))
    upstream.script(Say("four five"), Hold())
    upstream.always(Say("six seven"), End())
    session = server.api.session(agent="upstream")
    run = server.api.start(session, "go")
    arguments = [run] if contract is None else [run, "--contract", contract]
    with Tail(url_of(server), *arguments) as tail:
        # What is last before the kill in most of them; steps sends its text with the whole step.
        begun = tail.read_until(b"file_list" if contract == "steps" else b"five")
        server.restart(hard=True)
        rest, err, code = tail.rest()
        assert code == 0 and err.count("connection lost, going on …".encode()) == 1, err
    server.api.wait_over(session, run)
    if contract is None:
        lines = (begun + rest).decode().splitlines()
        assert [line.split()[0] for line in lines] == [str(n) for n in range(1, len(lines) + 1)]
        assert "run.completed" in lines[-1]
    else:
        assert begun + rest == stream_of(server.api, run, contract)


def test_tail_on_a_terminal_obeys_nobody(scripted, upstream):
    trick = "\x1b[2J \x9b1m \x7f \u202egnp.exe \U000e0041"
    upstream.always(Say(trick), End())
    run = scripted.api.run("go", agent="upstream").run_id
    for flags in ((), ("--json",), ("--contract", "runs"), ("--contract", "all")):
        with Terminal(url_of(scripted), "runs", "tail", run, *flags) as terminal:
            assert terminal.wait_exit() == 0
        rest = OWN_SEQUENCES.sub(b"", terminal.raw).decode()
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\U000e0000-\U000e007f]", rest), rest
        assert "\\u202e" in rest
    # A program gets the very bytes.
    assert "\u202e".encode() in pipe(url_of(scripted), "runs", "tail", run, "--contract", "runs").stdout


def test_a_reader_that_has_enough(api, url):
    run = finished(api, "a long story about lighthouses")
    done = subprocess.run(f'"{binary()}" runs tail {run} | head -n 2', shell=True, capture_output=True,
                          env=environment(url), timeout=PATIENCE)
    assert len(done.stdout.splitlines()) == 2 and done.stderr == b""
    with Tail(url, run) as tail:
        tail.process.stdout.readline()
        tail.process.stdout.close()
        assert tail.process.wait(PATIENCE) == 0


def test_ctrl_c_ends_a_tail(scripted, upstream):
    upstream.always(Say("Thinking."), Hold())
    session = scripted.api.session(agent="upstream")
    run = scripted.api.start(session, "go")
    with Terminal(url_of(scripted), "runs", "tail", run) as terminal:
        terminal.expect("Thinking.").type("\x03")
        assert terminal.wait_exit() == -2  # by the signal, as any program
    assert scripted.api.look(session, run)["status"] == "running"
    scripted.api.interrupt(session, run)


# ---- usage ----

def test_no_server():
    url = f"http://127.0.0.1:{free_port()}"
    for command in (("list",), ("show", NOT_THERE), ("tail", NOT_THERE)):
        done = pipe(url, "runs", *command)
        assert done.returncode == 1
        assert done.stderr.decode() == f"braidlog: No server at {url}: start one with braidlog serve --dev\n"


def test_help_and_usage(url):
    for command in ((), ("list",), ("show",), ("tail",)):
        done = pipe(url, "runs", *command, "--help")
        assert done.returncode == 0 and b"Examples:" in done.stdout
    for wrong in ((), ("dance",), ("list", "--colour"), ("show",), ("tail", NOT_THERE, "--contract", "grpc")):
        done = pipe(url, "runs", *wrong)
        assert done.returncode == 2 and done.stderr.startswith(b"braidlog: ") and done.stderr.count(b"\n") == 1
