"""A reader who does what a document says: in an empty folder, with one shell, and a server that a document may start anew.

`http://127.0.0.1:8000` is the reader's server, on a free port here; every other port of 127.0.0.1 becomes a free one, too. `braidlog` is
the binary under test, `examples` the folder of the repository. `braidlog serve …` and `./dev serve …` end the server that runs and
start that one in its place, in the same folder: what it knew, it knows again. A document that starts none has `braidlog serve --dev`.
A command that goes on for ever, such as a stream of a run that waits, is stopped with SIGINT when it has printed what it should.
"""
import os
import pathlib
import re
import selectors
import shlex
import shutil
import signal
import socket
import subprocess
import time

from braid_client.server import ROOT, binary, clean_environment

from expected import SHOWN, TOKEN, Names

COMMAND_SECONDS = 30
QUIET_SECONDS = 0.4
REFUSED = 22  # curl's code for an answer of 400 or more, with what is in the reader's .curlrc
SERVE = re.compile(r"^(?P<before>(?:\w+=\S+\s+)*)(?P<program>braidlog|\./dev)\s+serve\b(?P<rest>.*?)\s*&?\s*(?:\s#.*)?$", re.DOTALL)
ADDRESS = re.compile(r"\b(127\.0\.0\.1|localhost):(\d{4,5})\b")
HERE = pathlib.Path(__file__).resolve().parent


class Failed(AssertionError):
    pass


class Reader:
    def __init__(self, folder, packages=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.names, self.ports, self.server, self.shell = Names(), {}, None, None
        programs = self.folder.parent / (self.folder.name + ".bin")
        programs.mkdir()
        (programs / "braidlog").symlink_to(binary())
        (self.folder / "examples").symlink_to(ROOT / "examples")
        if packages:  # where `import … from '@braidlog/client'` is found
            (self.folder / "node_modules").symlink_to(packages)
        self.environment = {**clean_environment(), "HOME": str(self.folder), "BRAIDLOG_OFFLINE_PACE": "0",
                            "BRAIDLOG_LISTEN": f"127.0.0.1:{self.port(8000)}", "LC_ALL": "C.UTF-8",
                            "BRAIDLOG_URL": f"http://127.0.0.1:{self.port(8000)}",
                            "PATH": f"{programs}:{os.environ.get('PATH', '')}:/usr/sbin"}
        (self.folder / ".curlrc").write_text("fail-with-body\n")
        self.log = open(self.folder.parent / (self.folder.name + ".log"), "ab")

    # ---- doing ----

    def do(self, step):
        """Does one step; Failed says what went wrong and where."""
        if step.kind == "file":
            path = self.folder / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.own_ports(step.text))
        elif step.kind == "program":
            self.ready()
            self.run_program(step)
        elif step.kind == "command":
            served = SERVE.match(step.text)
            if served:
                self.check(step, self.serve(served))
            else:
                self.ready(only_when_asked=step.text)
                self.run_command(step)

    def ready(self, only_when_asked=None):
        """A document that starts no server has the plain one, from the first time it needs it."""
        if self.server is None and (only_when_asked is None or needs_server(only_when_asked)):
            self.serve(SERVE.match("braidlog serve --dev"))

    def serve(self, command):
        self.stop_server()
        rest = command["rest"] if command["program"] == "braidlog" else " --dev --data .braidlog" + command["rest"]
        self.server = subprocess.Popen(
            ["bash", "-c", self.own_ports(f"{command['before']}exec braidlog serve{rest}")], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, env=self.environment)
        said = self.read(self.server.stdout, lambda text: "listening" in text)
        if "listening" not in said:
            raise Failed(f"the server did not start: {said}\n{self.server_log()}")
        return self.documents_ports(said)

    def run_command(self, step):
        if self.shell is None:
            self.shell = subprocess.Popen(["bash", "--noprofile", "--norc"], cwd=self.folder, env=self.environment, bufsize=0,
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for token in TOKEN.finditer(step.text):
            if token.lastgroup in SHOWN and self.names.apply(token.group()) == token.group():
                raise Failed(f"line {step.line}: `{step.text}` has {token.group()}, which nothing has shown before")
        script = self.folder.parent / (self.folder.name + ".command")
        script.write_text(self.names.apply(self.own_ports(step.text)) + "\n")
        mark = f"done-{os.urandom(6).hex()}"
        self.shell.stdin.write(f". {shlex.quote(str(script))} </dev/null; printf '\\n%s %d\\n' {mark} $?\n".encode())
        end = re.compile(rf"\n{mark} (\d+)\n\Z")
        stopped = []

        def enough(text):
            return end.search(text)

        def idle(text):
            if step.expected and step.expected[-1].strip() != "…" and not stopped and self.copy_matches(step, text):
                stopped.append(True)
                interrupt_children(self.shell.pid)

        text = self.read(self.shell.stdout, enough, idle)
        over = end.search(text)
        if not over:
            raise Failed(f"line {step.line}: `{step.text}` did not end; it printed:\n{text}")
        code, printed = int(over.group(1)), text[:over.start()].replace("\r\n", "\n")
        refused = code == REFUSED and step.expected and not step.fails  # the document shows what the server says then
        if (code != 0) != step.fails and not stopped and not refused:
            raise Failed(f"line {step.line}: `{step.text}` ended with {code}; it printed:\n{shortened(printed)}")
        self.check(step, self.documents_ports(printed))

    def run_program(self, step):
        path = self.folder / f"line{step.line}.mjs"
        path.write_text(f"import '{HERE / 'browser_globals.mjs'}'; " + self.names.apply(self.own_ports(step.text)))
        done = subprocess.run(["node", str(path)], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=COMMAND_SECONDS)
        printed = done.stdout.decode(errors="replace")
        if done.returncode != 0:
            raise Failed(f"line {step.line}: the program ended with {done.returncode}:\n{printed}")
        if not step.expected:
            raise Failed(f"line {step.line}: a program without a block of what it prints")
        self.check(step, self.documents_ports(printed))

    def check(self, step, printed):
        if step.expected and not self.names.match(step.expected, printed):
            expected = "\n".join(step.expected)
            raise Failed(f"line {step.line}: `{step.text}`\n--- the document says\n{expected}\n--- it printed\n{shortened(printed)}")

    def copy_matches(self, step, text):
        names = Names()
        names.real = dict(self.names.real)
        return names.match(step.expected, self.documents_ports(text))

    # ---- ports ----

    def port(self, of_document):
        if of_document not in self.ports:
            with socket.create_server(("127.0.0.1", 0)) as listener:
                self.ports[of_document] = listener.getsockname()[1]
        return self.ports[of_document]

    def own_ports(self, text):
        return ADDRESS.sub(lambda match: f"{match.group(1)}:{self.port(int(match.group(2)))}", text)

    def documents_ports(self, text):
        back = {own: of_document for of_document, own in self.ports.items()}
        return ADDRESS.sub(lambda match: f"{match.group(1)}:{back.get(int(match.group(2)), match.group(2))}", text)

    # ---- processes ----

    @staticmethod
    def read(pipe, enough, idle=lambda text: None):
        """What comes out of a pipe until it is enough, ends, or takes too long."""
        out, deadline = b"", time.monotonic() + COMMAND_SECONDS
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while time.monotonic() < deadline:
                if selector.select(QUIET_SECONDS):
                    more = os.read(pipe.fileno(), 65536)
                    out += more
                    if not more or enough(out.decode(errors="replace")):
                        break
                else:
                    idle(out.decode(errors="replace"))
        return out.decode(errors="replace")

    def server_log(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text(errors="replace")[-3000:]

    def stop_server(self):
        if self.server is None:
            return
        self.server.terminate()
        try:
            self.server.wait(5)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        self.server.stdout.close()
        self.server = None

    def close(self):
        if self.shell is not None:
            self.shell.stdin.close()
            self.shell.terminate()
            self.shell.wait()
            self.shell.stdout.close()
        self.stop_server()
        self.log.close()


def shortened(text, most=3000):
    return text if len(text) <= most else f"{text[:most // 2]}\n[…]\n{text[-most // 2:]}"


def needs_server(command):
    return ADDRESS.search(command) or re.search(r"\$\{?[A-Z]|\bcurl\b|\bbraidlog (chat|runs)\b", command)


def interrupt_children(shell):
    for child in pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split():
        os.kill(int(child), signal.SIGINT)


def sdk_packages(folder):
    """A node_modules with @braidlog/client, built for these tests alone; None where there is no compiler for it."""
    sdk = ROOT / "sdk" / "typescript"
    compiler = sdk / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.exists() or shutil.which("node") is None:
        return None
    package = pathlib.Path(folder) / "node_modules" / "@braidlog" / "client"
    package.mkdir(parents=True)
    shutil.copy(sdk / "package.json", package)
    subprocess.run(["node", str(compiler), "-p", str(sdk), "--outDir", str(package / "dist")], check=True, timeout=100)
    return package.parents[1]
