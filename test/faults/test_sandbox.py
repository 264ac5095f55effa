"""Code that attacks: each attack ends in a limit that the step names, and the server does not notice."""
import os
import random
import signal
import threading
import time

import pytest

from braid_client.resources import Resources
from braid_client.server import Server
from braid_client.steps import Steps
from braid_client.upstream import End, Say, Upstream
from braid_client.waiting import wait_for

SECRET = "sk-sandbox-test-key"
DISK = (8 << 20) + os.getpid() % 1000 * 4096  # nobody else's sandboxes have this very size
LIMITS = {"code_time_max": 1500, "code_memory_bytes_max": 192 << 20, "code_disk_bytes_max": DISK,
          "code_output_bytes_max": 16384}

ATTACKS = {
    "files": ("print(open('/etc/passwd').read())", "No such file"),
    "the server's folder": ("import os\nassert os.path.exists(bytes.fromhex('{data}')), 'not there'", "not there"),
    "symlink": ("import os\nos.symlink('/etc/shadow', 'link')\nprint(open('link').read())", "No such file"),
    "proc": ("print(open('/proc/{pid}/environ').read())", "No such file"),
    "network": ("import socket\nsocket.create_connection(('127.0.0.1', {port}))", "not allowed"),
    "fork bomb": ("import os\nwhile True:\n    os.fork()", "not allowed"),
    "another program": ("import subprocess\nsubprocess.run(['/usr/bin/id'])", "not allowed"),
    "memory": ("x = []\nwhile True:\n    x.append(bytearray(1 << 20))", "memory limit"),
    "100 GB": ("bytearray(100 << 30)", "memory limit"),
    "endless loop": ("while True:\n    pass", "time limit"),
    "a loop that hides": ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", "time limit"),
    "output flood": ("while True:\n    print('x' * 1000)", "output limit"),
    "disk": ("f = open('big', 'wb')\nwhile True:\n    f.write(b'x' * (1 << 20))", "disk limit"),
    "signals to the server": ("import os\nos.kill({pid}, 9)", "not allowed"),
    "signals to everybody": ("import os\nos.kill(-1, 9)", "not allowed"),
    "ptrace": ("import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
               "r = libc.ptrace(16, {pid}, 0, 0)\nassert r == 0, 'ptrace: ' + str(ctypes.get_errno())", "ptrace: 1"),
}


@pytest.fixture(scope="module")
def upstream():
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture(scope="module")
def server(upstream, tmp_path_factory):
    text = upstream.agent("coder", tools=("calculator",), approval="{default: auto}")
    text += "style: code\nplanning: {interval: 0}\n"
    server = Server(tmp_path_factory.mktemp("sandboxed"), agents={"coder": text}, limits=LIMITS,
                    environment={"UPSTREAM_KEY": SECRET}).start()
    yield server
    server.kill()
    server.check_log()


def play(upstream, *turns):
    for text in turns:
        upstream.script(Say(text), End())


def block(code):
    return f"```python\n{code}\n```"


def children_of(*parents):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        if parent in parents:
            found.append(int(name))
    return found


def sandboxes_of(server):
    """The processes below the server, oldest first."""
    below, grown = set(), children_of(server.pid)
    while grown:
        below.update(grown)
        grown = set(children_of(*grown)) - below
    return sorted(below)


@pytest.mark.fault(28)
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_ends_in_a_limit_that_is_named(upstream, server, name):
    code, limit = ATTACKS[name]
    for key, value in {"{pid}": server.pid, "{port}": server.port, "{data}": str(server.data).encode().hex()}.items():
        code = code.replace(key, str(value))
    play(upstream, block(code), block("print('still', 6 * 7)"), "Done.")
    walk = Steps(server.api).ask("Go", agent="coder")
    attack, after = walk.actions
    assert attack["error"] and limit in attack["error"], attack
    assert "root:" not in str(walk.actions) and SECRET not in str(walk.actions)
    assert after["observations"].strip().endswith("still 42") and after["error"] is None, "the next code runs"
    assert walk.output == "Done." and server.responds()
    assert len(attack["observations"]) <= LIMITS["code_output_bytes_max"] + 1000


def processes_of_this_module():
    """Whatever is left of sandboxes of these tests, whoever their parent is now."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if f"--size\0{DISK}\0".encode() in file.read():
                    found.append(int(name))
        except OSError:
            continue
    return set(found)


def kill_when_it_has_a_child(pid):
    while True:
        try:
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                if not file.read().strip():
                    continue
            os.kill(pid, signal.SIGKILL)
            return True
        except (FileNotFoundError, ProcessLookupError):
            return False


@pytest.mark.fault(28)
def test_a_sandbox_that_is_killed_while_it_starts_leaves_nobody(server):
    """The outer process goes before it has let go of the inner one, which would wait for it forever."""
    for _ in range(6):
        wait_for(lambda: len(children_of(*children_of(server.pid))) == 2, "both sandboxes to be ready")
        known = set(children_of(server.pid))
        os.kill(min(known), signal.SIGKILL)  # another one is started in its place
        wait_for(lambda: (new := set(children_of(server.pid)) - known) and kill_when_it_has_a_child(min(new)),
                 "a sandbox that starts", interval=0.0005)
    wait_for(lambda: processes_of_this_module() <= set(sandboxes_of(server)), "only sandboxes of the server to be there")
    assert server.responds()


@pytest.mark.fault(28)
def test_a_sandbox_that_is_killed_at_any_point(upstream, server):
    """Nothing of it reaches the server: every run comes to one legal end, and the sandboxes come back."""
    dice, over = random.Random(28), threading.Event()

    def kill_now_and_then():
        while not over.is_set():
            for pid in dice.sample(found := sandboxes_of(server), min(1, len(found))):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(dice.uniform(0.01, 0.15))

    resources = Resources(server)
    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    try:
        for _ in range(12):
            play(upstream, block("import time\nfor i in range(10):\n    time.sleep(0.02)\nprint(calculator(expression='1+1'))"),
                 block("print('again')"), "Done.")
            walk = Steps(server.api).ask("Go", agent="coder")
            assert walk.types == ["message", "action", "action", "final", "done"]
            for action in walk.actions:
                assert action["error"] is None or "variables are gone" in action["error"], action
    finally:
        over.set()
        killer.join()
    wait_for(lambda: sandboxes_of(server), "sandboxes to be ready again")
    play(upstream, block("print('fresh')"), "Done.")
    assert Steps(server.api).ask("Go", agent="coder").actions[0]["observations"].strip() == "fresh"
    resources.check()


@pytest.mark.fault(28)
def test_sandboxes_end_with_the_server(upstream, new_server):
    text = upstream.agent("coder", tools=(), approval="{default: auto}") + "style: code\nplanning: {interval: 0}\n"
    server = new_server(agents={"coder": text}, environment={"UPSTREAM_KEY": SECRET})
    processes = wait_for(lambda: len(found := sandboxes_of(server)) >= 2 and found, "sandboxes to be ready")
    server.kill()
    wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") and "python" in open(f"/proc/{pid}/cmdline").read()
                             for pid in processes), "the sandboxes to be gone")


@pytest.mark.fault(28)
def test_a_host_without_a_sandbox_runs_no_code_and_says_what_to_do(upstream, new_server, tmp_path):
    """No bwrap on the PATH: the run fails with the fix in its error, and other agents work."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "python3").symlink_to("/usr/bin/python3")
    text = upstream.agent("coder", tools=(), approval="{default: auto}") + "style: code\nplanning: {interval: 0}\n"
    server = new_server(agents={"coder": text}, environment={"UPSTREAM_KEY": SECRET, "PATH": str(tools)})
    server.wait_log("bubblewrap|bwrap")
    play(upstream, block("print(1)"))
    walk = Steps(server.api).ask("Go", agent="coder")
    assert walk.types == ["message", "error", "done"]
    assert "bubblewrap" in walk.error or "bwrap" in walk.error, walk.error
    assert str(tmp_path) not in walk.error, "no path of the host"
    assert server.api.run("say exactly: hello").end.type == "run_completed"
