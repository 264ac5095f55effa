"""The real server as a process: started on a free port with a data folder of its own, and never trusted to be alive."""
import os
import pathlib
import re
import selectors
import signal
import subprocess
import threading
import time

from .api import Api
from .waiting import PATIENCE, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
CANDIDATES = ("build/release/braidlog", "build/dev/braidlog", "build/dev/src/app/braidlog")
LISTENING = re.compile(rb"^Braidlog is listening on http://127\.0\.0\.1:(\d+)\s*$", re.MULTILINE)
CRASH_MARKS = ("AddressSanitizer", "ThreadSanitizer", "runtime error:", "terminate called", "CHECK failed",
               "Assertion")


def binary() -> str:
    named = os.environ.get("BRAIDLOG_BIN")
    if named:
        return str(pathlib.Path(named).resolve())
    for candidate in CANDIDATES:
        if (ROOT / candidate).exists():
            return str(ROOT / candidate)
    raise FileNotFoundError("no server to test: build one, or set BRAIDLOG_BIN")


def clean_environment() -> dict:
    """Ours without keys and addresses of models, and without a proxy that would carry tests away from loopback."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("OPENAI_", "ANTHROPIC_")) and not name.lower().endswith("_proxy")}


class Server:
    def __init__(self, folder, agents=None, limits=None, pace=0, arguments=(), environment=None, wrapper=(),
                 faults=None, before_exec=None, dev=True, listen_port=0):
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        self.log_path = self.folder / "server.log"
        self.pace, self.arguments, self.wrapper = pace, list(arguments), list(wrapper)
        self.listen_port = listen_port  # 0: any free one, another one after each start
        self.dev = dev  # without it everybody needs a credential: people.py
        self.environment = dict(environment or {})
        self.before_exec = before_exec  # runs in the child, for limits of the process
        if faults is not None:
            self.environment.update(faults.environment(binary(), self.data))
        self.folder.mkdir(parents=True, exist_ok=True)
        if agents is not None:
            (self.folder / "agents").mkdir(exist_ok=True)
            for name, text in agents.items():
                (self.folder / "agents" / f"{name}.yaml").write_text(text)
            self.arguments += ["--agents", str(self.folder / "agents")]
        if limits:
            rows = "".join(f"  {name}: {value}\n" for name, value in limits.items())
            (self.folder / "config.yaml").write_text("limits:\n" + rows)
            self.arguments += ["--config", str(self.folder / "config.yaml")]
        self.process = None
        self.port = None
        self.api = None

    # ---- life ----

    def write_agent(self, name, text):
        """Takes effect with the next start."""
        (self.folder / "agents" / f"{name}.yaml").write_text(text)

    def remove_agent(self, name):
        (self.folder / "agents" / f"{name}.yaml").unlink()

    def start(self):
        said = self.try_start()
        if self.port is None:
            code = self.process.poll()
            self.kill()
            raise AssertionError(f"the server did not start (exit {code}); stdout {said!r}; log:\n{self.log()}")
        return self

    def try_start(self):
        """Starts a server that may die or refuse: then there is no port, and what it said on stdout is returned."""
        assert self.process is None
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [*self.wrapper, binary(), "serve", *(["--dev"] if self.dev else []),
                 "--listen", f"127.0.0.1:{self.listen_port}", "--data", str(self.data), *self.arguments],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder,
                preexec_fn=self.before_exec,
                env={**clean_environment(), "BRAIDLOG_OFFLINE_PACE": str(self.pace), **self.environment})
        self.port, said = self._await_listening()
        self.api = Api(self.port, never_shown=[str(self.folder).encode()]) if self.port else None
        return said

    def _await_listening(self):
        said, deadline = b"", time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while time.monotonic() < deadline:
                if selector.select(0.5):
                    more = os.read(self.process.stdout.fileno(), 4096)
                    said += more
                    match = LISTENING.search(said)
                    if match:
                        threading.Thread(target=self._drain_stdout, args=(self.process.stdout,), daemon=True).start()
                        return int(match.group(1)), said
                    if not more:
                        self.process.wait(PATIENCE)
                        break
        return None, said

    @staticmethod
    def _drain_stdout(pipe):
        while pipe.read(65536):
            pass

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def responds(self):
        """Alive, and each of its threads takes requests."""
        try:
            return self.alive() and all(self.api.call("GET", "/health", timeout=5).status == 200 for _ in range(4))
        except OSError:
            return False

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def wait_exit(self, timeout=PATIENCE) -> int:
        code = self.process.wait(timeout)
        self.process = None
        return code

    def stop(self, timeout=PATIENCE) -> int:
        """Orderly: SIGTERM, and again when the first one takes its time."""
        self.signal()
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.signal()
        return self.wait_exit(timeout)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def restart(self, hard=False):
        self.kill() if hard else self.stop()
        return self.start()

    # ---- what can be seen from outside ----

    @property
    def pid(self):
        """Of the server itself, also when something wraps it."""
        if not self.wrapper:
            return self.process.pid
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0]) if children else self.process.pid

    def _status(self, name):
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        raise KeyError(name)

    def memory(self) -> int:
        """Resident bytes."""
        return self._status("VmRSS") * 1024

    def threads(self) -> int:
        return self._status("Threads")

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def wait_log(self, pattern, timeout=PATIENCE):
        return wait_for(lambda: re.search(pattern, self.log(), re.IGNORECASE), f"/{pattern}/ in the log", timeout)

    def check_log(self):
        text = self.log()
        for mark in CRASH_MARKS:
            assert mark not in text, f"'{mark}' in the server's log:\n{text[-4000:]}"
