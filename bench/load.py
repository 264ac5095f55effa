"""Drives bench/load_client: one object is one run of it."""
import json

from processes import LOAD_CORE, SERVER_CORE, Process, core_busy_seconds


class LoadClient:
    """The client at work on `server`. It waits where it says so; `go()` lets it go on."""

    def __init__(self, server, mode, model, tokens=0, **flags):
        self.server = server
        command = [server.places.load_client, "--mode", mode, "--core", LOAD_CORE, "--contract", server.contract,
                   "--port", server.port, "--model", model, *server.credential_flags()]
        if tokens:
            command += ["--frames", server.frames(tokens)]
        for name, value in flags.items():
            command += ["--" + name.replace("_", "-"), value]
        self.process = Process(command, LOAD_CORE, stderr=None)
        self.next_line()  # "ready"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stop()

    def go(self):
        self.process.write_line()

    def next_line(self):
        line = json.loads(self.process.read_line())
        if line.get("faults"):
            raise RuntimeError(f"{self.server.name}: {line['faults']} of {line['streams']} streams were not as expected, "
                               f"the first: {line['first_fault']}")
        return line


def run_load(server, mode, model, **flags):
    """What the client saw, and what the server used for it as `cpu_seconds` and `core_seconds`."""
    with LoadClient(server, mode, model, **flags) as client:
        cpu, core = server.process.cpu_seconds(), core_busy_seconds(SERVER_CORE)
        client.go()
        seen = client.next_line()
        seen["cpu_seconds"] = server.process.settled_cpu_seconds() - cpu
        seen["core_seconds"] = core_busy_seconds(SERVER_CORE) - core
        return seen
