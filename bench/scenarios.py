"""The parts of the measurement. Each starts fresh servers, puts one kind of load on them and notes figures."""
import json
import time

from load import LoadClient, run_load
from processes import LOAD_CORE, SERVER_CORE, Process
from servers import IN_OTHER_CONTRACTS, Direct, Floor, Nginx, Node, full, normal, runs_full, runs_normal

TOKENS = 200
LONG_TOKENS = 100_000
BURST, LONG_BURST, PACE, SLOW = "burst-200", "burst-100000", "pace-200-20", "pace-100000-1000"
PER_MILLION = "CPU s per million events"
# Streams begin one after the other over this time. It is no multiple of the pace's 20 ms, so that their tokens do not come
# in bunches: a queue at the server would be the load's doing, not the server's.
RAMP_MS = 1236
CONCURRENT = 50


class Scale:
    """How much of everything. The quick one only shows that all of it works."""

    def __init__(self, quick, stored):
        self.repetitions = 1 if quick else 3
        self.burst_runs = 300 if quick else 4000
        self.warm_up_runs = 50 if quick else 500
        self.paced_streams = 100 if quick else 1000
        self.delay_streams = 20 if quick else 100
        self.paced_rounds = 1 if quick else 2
        self.held_before = 20 if quick else 100
        self.held = (100, 400) if quick else (1000, 9000)
        self.hold_settle_s = 1 if quick else 4
        self.stored = stored or (3000 if quick else 100_000)
        self.few_stored = 500 if quick else 1000
        self.stored_runs = 300 if quick else 2000
        self.replay_seconds = 1 if quick else 5
        self.long_runs = 1 if quick else 5
        self.starts = 2 if quick else 5


class Bench:
    """`chosen` holds the makers of the servers that take part."""

    def __init__(self, places, scale, figures, chosen, say):
        self.places, self.scale, self.figures, self.chosen, self.say = places, scale, figures, chosen, say

    def bursts(self):
        """Every run's tokens at once, as fast as the server can."""
        for server in self._each_repetition("bursts", (full, normal, *IN_OTHER_CONTRACTS, Floor, Nginx, Node)):
            self._warm_up(server)
            seen = run_load(server, "runs", BURST, tokens=TOKENS, runs=self.scale.burst_runs, concurrent=CONCURRENT,
                            sessions="ahead")
            self._note_costs("bursts", server, seen, self.scale.burst_runs * TOKENS)
            self.figures.add("bursts", "events/s", server.name, self.scale.burst_runs * TOKENS / seen["seconds"])

    def pace(self):
        """Many streams with a token every 20 ms: what a token costs when it comes alone."""
        streams = self.scale.paced_streams
        for server in self._each_repetition("pace", (full, normal, Nginx, Node)):
            seen = self._paced(server, streams)
            self._note_costs("pace", server, seen, streams * self.scale.paced_rounds * TOKENS)
            self._note_delays("pace", server, seen)

    def delay(self):
        """Fewer streams at the same pace: how much later a token arrives because the server is in between."""
        for server in self._each_repetition("delay", (full, normal, Direct, Nginx, Node)):
            self._note_delays("delay", server, self._paced(server, self.scale.delay_streams))

    def memory(self):
        """Open streams that get a token a second."""
        for make, of in ((runs_normal, "one"), (normal, "each"), (Nginx, "each"), (Node, "each")):
            for server in self._each_repetition("memory", (make,)):
                self._hold(server, of)

    def stored(self):
        """The cost of a run and of a replay with few and with many finished runs on disk; runs that are long."""
        part, scale = "stored", self.scale
        if runs_full not in self.chosen:
            return
        with runs_full(self.places) as server:
            self.say(f"stored: {scale.few_stored} runs")
            run_load(server, "runs", BURST, tokens=TOKENS, runs=scale.few_stored, concurrent=CONCURRENT)
            for _ in range(scale.repetitions):
                self._measure_stored_cost(server, f"{scale.few_stored:,} stored", scale.stored_runs, BURST, TOKENS)
            run_list = self._fill(server, scale.stored)
            for _ in range(scale.repetitions):
                self._measure_stored_cost(server, f"{scale.stored:,} stored", scale.stored_runs, BURST, TOKENS)
            for _ in range(scale.repetitions):
                self.say(f"stored: replays from {scale.stored:,} runs")
                seen = run_load(server, "replay", BURST, tokens=TOKENS, run_list=run_list, concurrent=16,
                                seconds=scale.replay_seconds)
                self.figures.add(part, "replays/s", server.name, seen["streams"] / seen["seconds"])
                self.figures.add(part, "CPU ms per replay", server.name, seen["cpu_seconds"] / seen["streams"] * 1e3)
            for _ in range(scale.repetitions):
                self._measure_stored_cost(server, "runs of 100,000", scale.long_runs, LONG_BURST, LONG_TOKENS)

    def start(self):
        """From exec to the first token of the first run."""
        for _ in range(self.scale.starts):
            for make in self._taking_part((full, normal, Nginx, Node)):
                server = make(self.places)
                self.say(f"start: {server.name}")
                try:
                    server.prepare()
                    self.figures.add("start", "ms to the first event", server.name, self._time_start(server))
                finally:
                    server.clean_up()

    def _taking_part(self, makers):
        return [make for make in makers if make in self.chosen]

    def _each_repetition(self, part, makers):
        # All servers in turn, then all again: what disturbs the machine for a while disturbs all of them.
        for repetition in range(self.scale.repetitions):
            for make in self._taking_part(makers):
                with make(self.places) as server:
                    self.say(f"{part} {repetition + 1}/{self.scale.repetitions}: {server.name}")
                    yield server

    def _warm_up(self, server):
        run_load(server, "runs", BURST, tokens=TOKENS, runs=self.scale.warm_up_runs, concurrent=CONCURRENT)

    def _paced(self, server, streams):
        self._warm_up(server)
        return run_load(server, "runs", PACE, tokens=TOKENS, runs=streams * self.scale.paced_rounds, concurrent=streams,
                        ramp_ms=RAMP_MS, sessions="ahead", stamps=1)

    def _note_costs(self, part, server, seen, events):
        self.figures.add(part, PER_MILLION, server.name, seen["cpu_seconds"] / events * 1e6)
        self.figures.add(part, "core busy s per million", server.name, seen["core_seconds"] / events * 1e6)
        self.figures.add(part, "client's CPU s per million", server.name, seen["client_cpu_seconds"] / events * 1e6)

    def _note_delays(self, part, server, seen):
        for share in ("p50", "p99", "max"):
            self.figures.add(part, f"delay ms {share}", server.name, seen[f"delay_ms_{share}"])

    def _hold(self, server, of):
        what = "a viewer of one run" if of == "one" else "a live run with its viewer"
        # Measured against a few streams that are open already, so that what a server loads once does not count. A warm-up
        # with bursts would leave free memory behind, and the streams would seem to cost nothing.
        first, few = None, self.scale.held_before
        levels = (few, *self.scale.held)
        with LoadClient(server, "hold", SLOW, streams=",".join(str(level) for level in levels), of=of) as client:
            for level in levels:
                client.go()
                client.next_line()
                time.sleep(self.scale.hold_settle_s)  # so that every stream has had a few tokens
                memory = server.process.memory_kb()
                if first is None:
                    first = memory
                    continue
                self.figures.add("memory", f"KB per stream at {level:,}", f"{server.name}, {what}",
                                 (memory - first) / (level - few))

    def _measure_stored_cost(self, server, label, runs, model, tokens):
        self.say(f"stored: cost of a run, {label}")
        seen = run_load(server, "runs", model, tokens=tokens, runs=runs, concurrent=min(CONCURRENT, runs),
                        sessions="ahead")
        self.figures.add("stored", f"{PER_MILLION}, {label}", server.name, seen["cpu_seconds"] / (runs * tokens) * 1e6)

    def _fill(self, server, runs):
        self.say(f"stored: filling up with {runs:,} runs")
        run_list = server.folder / "runs.txt"
        before = server.bytes_on_disk()
        seen = run_load(server, "runs", BURST, tokens=TOKENS, runs=runs, concurrent=CONCURRENT, save_runs=run_list)
        grown = server.bytes_on_disk() - before
        self.figures.add("stored", "bytes on disk per event", server.name, grown / (runs * TOKENS))
        self.figures.add("stored", "seconds to fill", server.name, seen["seconds"])
        return run_list

    def _time_start(self, server):
        command = [self.places.load_client, "--mode", "start", "--core", LOAD_CORE, "--server-core", SERVER_CORE,
                   "--contract", server.contract, "--port", server.port, "--model", PACE, *server.credential_flags(), "--",
                   *server.command()]
        client = Process(command, LOAD_CORE, stderr=None, env=server.environment())
        try:
            seen = json.loads(client.read_line())
        finally:
            client.stop()
        if seen["first_fault"]:
            raise RuntimeError(f"{server.name}: {seen['first_fault']}")
        return seen["start_ms"]
