"""Costs of the server, seen from outside: CPU from /proc, three repetitions, the spread shown."""
import concurrent.futures
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

RUNS_PER_BURST = 400
REPLAYS = 3000
REPETITIONS = 3


class Server:
    def __init__(self, binary, durability):
        self.folder = tempfile.TemporaryDirectory()
        begun = time.perf_counter()
        self.process = subprocess.Popen(
            [binary, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", self.folder.name, "--durability", durability],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "BRAIDLOG_OFFLINE_PACE": "0"}, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        self.begun = begun

    def cpu_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def ask(connection, method, path, body=None):
    connection.request(method, "/api/v1" + path, json.dumps(body) if body is not None else None)
    return json.loads(connection.getresponse().read())


def stream(connection, run):
    connection.request("GET", f"/api/v1/runs/{run}/stream")
    return connection.getresponse().read()


def one_run(server, message):
    connection = server.connect()
    session = ask(connection, "POST", "/sessions", {})["session_id"]
    run = ask(connection, "POST", f"/sessions/{session}/messages", {"message": message})["run_id"]
    return run, stream(connection, run).count(b"\n\n")


def burst(server):
    before, begun = server.cpu_seconds(), time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        results = list(pool.map(lambda _: one_run(server, "a long story about rivers"), range(RUNS_PER_BURST)))
    events = sum(count for _, count in results)
    cpu, wall = server.cpu_seconds() - before, time.perf_counter() - begun
    return {"cpu_s_per_million_events": cpu / events * 1e6, "events_per_s": events / wall}


def replays(server):
    run, _ = one_run(server, "a long story about rivers")
    before, begun = server.cpu_seconds(), time.perf_counter()

    def some(count):
        connection = server.connect()
        for _ in range(count):
            stream(connection, run)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(some, [REPLAYS // 4] * 4))
    cpu, wall = server.cpu_seconds() - before, time.perf_counter() - begun
    return {"replays_per_s": REPLAYS / wall, "cpu_s_per_thousand_replays": cpu / REPLAYS * 1000}


def start(binary, durability):
    server = Server(binary, durability)
    one_run(server, "say exactly: hi")
    milliseconds = (time.perf_counter() - server.begun) * 1000
    server.close()
    return {"start_to_answer_ms": milliseconds}


def main():
    binary = sys.argv[1]
    table = {}
    for durability in ("full", "normal"):
        for _ in range(REPETITIONS):
            server = Server(binary, durability)
            figures = {**burst(server), **replays(server)}
            server.close()
            figures.update(start(binary, durability))
            for name, value in figures.items():
                table.setdefault((durability, name), []).append(value)
    for (durability, name), values in sorted(table.items()):
        print(f"{durability:7} {name:30} {sorted(values)[1]:12.3f}   ({min(values):.3f} … {max(values):.3f})")
    print(json.dumps({f"{d}.{n}": v for (d, n), v in table.items()}))


if __name__ == "__main__":
    main()
