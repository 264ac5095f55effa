"""The servers that are compared, each with the upstream it calls."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import urllib.request

from processes import LOAD_CORE, SERVER_CORE, Process

HERE = pathlib.Path(__file__).parent
DESCRIPTORS = 19500
# Agents of Braidlog, each with the model that it is named after: what the upstream does is in the model's name.
BURST = "burst-200"
MODELS = (BURST, "burst-100000", "pace-200-20", "pace-100000-1000")


class Places:
    """Where the programs are and where scratch files may go (on a real disk: fsync is part of what is measured)."""

    def __init__(self, build, scratch, braidlog=None, profile=None):
        build = pathlib.Path(build).resolve()
        self.braidlog = pathlib.Path(braidlog).resolve() if braidlog else build / "braidlog"
        self.profile = profile  # where perf writes, when it is to watch braidlog
        self.load_client = build / "bench/load_client"
        self.upstream = build / "bench/upstream"
        self.floor = build / "bench/floor"
        self.scratch = scratch


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Upstream:
    def __init__(self, places):
        self.process = Process([places.upstream, "--core", LOAD_CORE], LOAD_CORE)
        self.port = int(self.process.read_line().split()[1])

    def stats(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/stats") as answer:
            return json.load(answer)


class Server:
    """A server with an upstream of its own, in a folder of its own; use it in a `with`."""

    name = ""
    contract = "completions"
    frames_beside_tokens = 0  # frames of a complete stream that are no tokens
    credential = None

    def __init__(self, places):
        self.places = places
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.name.replace(' ', '-')}-", dir=places.scratch))
        self.upstream = Upstream(places)
        self.port = free_port()
        self.process = None

    def __enter__(self):
        self.prepare()
        log = self.folder / "server.log"
        try:
            with log.open("w") as stderr:
                self.process = Process(self.command(), SERVER_CORE, stderr=stderr, env=self.environment())
            self.wait_until_ready()
        except Exception as error:
            said = log.read_text()
            self.clean_up()
            raise RuntimeError(f"{self.name} does not start: {said}") from error
        return self

    def __exit__(self, *_):
        self.clean_up()

    def clean_up(self):
        for process in (self.process, self.upstream.process):
            if process:
                process.stop()
        shutil.rmtree(self.folder)

    def prepare(self):
        """Writes what the command needs."""

    def command(self):
        raise NotImplementedError

    def environment(self):
        return None

    def wait_until_ready(self):
        self.process.read_line()  # every server but nginx says where it listens when it does

    def credential_flags(self):
        return ["--credential", self.credential] if self.credential else []

    def frames(self, tokens):
        return tokens + self.frames_beside_tokens


class Braidlog(Server):
    """As it is in use: who asks shows a key, agents have tools, figures are counted and the log is on."""

    # Frames of a complete stream that are no tokens.
    CONTRACTS = {"chat": 2,           # stream_start, stream_end
                 "conversation": 3,   # start, conversation, done
                 "tasks": 1,          # done
                 "runs": 2}           # run_started, run_completed
    USER = "bench"

    def __init__(self, places, durability, contract):
        self.name = f"braidlog {durability}" + ("" if contract == MAIN_CONTRACT else f", {contract}")
        self.durability, self.contract = durability, contract
        self.frames_beside_tokens = self.CONTRACTS[contract]
        super().__init__(places)
        self.data, self.agents, self.config = (self.folder / name for name in ("data", "agents", "config.yaml"))

    def prepare(self):
        self.agents.mkdir()
        for model in MODELS:
            self.write_agent(model, model)
        self.write_agent("operator", BURST)  # the agent of a new conversation
        self.config.write_text(f"limits: {{user_runs_max: {DESCRIPTORS}, user_run_starts_per_minute_max: 100000000}}\n")
        self.tell("user", "add", self.USER, said="a password of the bench\n")
        self.credential = self.tell("key", "create", self.USER)

    def write_agent(self, name, model):
        (self.agents / f"{name}.yaml").write_text(
            f"name: {name}\nmodel: {{provider: openai, base_url: 'http://127.0.0.1:{self.upstream.port}/v1', "
            f"name: {model}, api_key_env: BENCH_KEY}}\ninstructions: Tell a story.\n"
            f"tools: [calculator, file_read, file_write]\n")

    def tell(self, *command, said=""):
        done = subprocess.run([self.places.braidlog, *command, "--data", self.data], input=said, text=True,
                              capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}: {' '.join(command)}: {done.stderr}")
        return done.stdout.strip()

    def command(self):
        return [*self.watched_by_perf(), self.places.braidlog, "serve", "--listen", f"127.0.0.1:{self.port}",
                "--data", self.data, "--agents", self.agents, "--config", self.config, "--durability", self.durability,
                "--threads", 1]

    def environment(self):
        return {**os.environ, "BENCH_KEY": "none"}

    def watched_by_perf(self):
        # Virtual machines rarely have hardware counters; the clock is always there.
        if not self.places.profile:
            return []
        return ["perf", "record", "--call-graph", "fp", "-q", "-e", "cpu-clock", "-F", 1999,
                "-o", self.places.profile, "--"]

    def bytes_on_disk(self):
        return sum(file.stat().st_size for file in self.data.rglob("*") if file.is_file())


class Nginx(Server):
    name = "nginx"
    frames_beside_tokens = 4  # role, finish reason, usage, [DONE]

    def prepare(self):
        text = (HERE / "peers/nginx.conf").read_text()
        for key, value in {"PORT": self.port, "UPSTREAM": self.upstream.port, "FOLDER": self.folder,
                           "DESCRIPTORS": DESCRIPTORS}.items():
            text = text.replace(f"@{key}@", str(value))
        (self.folder / "nginx.conf").write_text(text)

    def command(self):
        return ["/usr/sbin/nginx", "-p", self.folder, "-c", self.folder / "nginx.conf"]

    def wait_until_ready(self):
        while True:
            if self.process.has_ended():
                raise RuntimeError("nginx ended")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return


class Direct(Server):
    """The upstream itself: what a token takes when no server is in between."""

    name = "no server"
    frames_beside_tokens = Nginx.frames_beside_tokens

    def __enter__(self):
        self.process, self.port = self.upstream.process, self.upstream.port
        return self


class Node(Server):
    name = "plain node"
    frames_beside_tokens = 1  # [DONE]

    def command(self):
        return [shutil.which("node"), HERE / "peers/plain_node.mjs", self.port, self.upstream.port]


class Floor(Server):
    name = "floor"
    frames_beside_tokens = 2  # run_started, [DONE]

    def command(self):
        return [self.places.floor, "--port", self.port, "--tokens", 200]


# A run is one POST whose response is the stream. The contract `runs` takes two requests for that, and has figures of its own.
MAIN_CONTRACT = "chat"


def _in(durability, contract):
    return lambda places: Braidlog(places, durability, contract)


full, normal = _in("full", MAIN_CONTRACT), _in("normal", MAIN_CONTRACT)
runs_full, runs_normal = _in("full", "runs"), _in("normal", "runs")
conversation_full, tasks_full = _in("full", "conversation"), _in("full", "tasks")
IN_OTHER_CONTRACTS = (conversation_full, tasks_full, runs_full)

# By the names that `--servers` takes.
MAKERS = {"full": full, "normal": normal, "conversation": conversation_full, "tasks": tasks_full, "runs": runs_full,
          "runs-normal": runs_normal, "floor": Floor, "direct": Direct, "nginx": Nginx, "node": Node}


def missing_programs(places):
    wanted = [places.braidlog, places.load_client, places.upstream, places.floor, "/usr/sbin/nginx"]
    missing = [str(program) for program in wanted if not pathlib.Path(program).exists()]
    return missing + ([] if shutil.which("node") else ["node"])
