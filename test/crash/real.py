"""The crash test with models and tools that are processes of their own: a model server that speaks both protocols, tools behind
MCP and behind HTTP. Nothing of theirs dies with the server, and what they did is counted where they did it."""
import json
import pathlib
import subprocess
import sys
from collections import Counter

from braid_client.agents import agent
from braid_client.frames import of_type
from harness import LIMITS, Harness
from story import AGENTS, Story
from talk import ChatStory, ConversationStory, StepsStory
from upstream.fault_server import ENVIRONMENT
from work import TasksStory

UPSTREAM = pathlib.Path(__file__).resolve().parents[1] / "upstream"
TOOLS = ("fx__append", "fx__append", "note_http", "file_write")
PROTOCOLS = ("openai", "anthropic")


class RealStory(Story):
    """What is asked of a model that is a process: a story, or notes by one of its tools."""

    kinds = ("story", "note", "note", "auto_note", "auto_note", "note_two", "auto_note_two")

    def begin(self, rng, number):
        self.kind, self.number, self.patience = rng.choice(self.kinds), number, rng.randint(0, 3)
        self.key, self.auto = f"key-{number}", self.kind.startswith("auto")
        self.agent = f"real-{rng.choice(PROTOCOLS)}"
        self.tool = rng.choice(TOOLS)
        a, b = f"a{number}.md", f"b{number}.md"
        if self.kind == "story":
            self.message, self.paths = f"Tell a long story about lighthouse {number}", ()
        elif self.kind.endswith("two"):
            self.message, self.paths = f"Note {a} and {b} by {self.tool}", (a, b)
        else:
            self.message, self.paths = f"Note {a} by {self.tool}", (a,)
        return self

    def check_end(self, frames, effects, files, others=None):
        super().check_end(frames, effects, files, others)
        self.outcomes = ["unknown" if "unknown" in frame.payload["result"] else "known" for frame in of_type(frames, "tool_result")]

    def _effect(self, path):
        return super()._effect(path) if self.tool == "file_write" else ("ledger", path)

    def files(self, api, effects):
        """Where its tool leaves what it made."""
        if self.tool == "file_write":
            return super().files(api, effects)
        return {path for place, path in effects if place == "ledger"}


class RealSteps(StepsStory, RealStory):
    pass


class RealConversation(ConversationStory, RealStory):
    pass


class RealChat(ChatStory, RealStory):
    kinds = ("story", "story", "note", "auto_note", "auto_note_two")

    def begin(self, rng, number):
        super().begin(rng, number)
        if self.auto:
            self.agent += "-auto"  # its session is made by the chat itself
        return self


KINDS = (RealStory, RealStory, RealSteps, RealConversation, RealChat, TasksStory)


class Process:
    """A helper of the test, which prints its port."""

    def __init__(self, program, *arguments):
        self._process = subprocess.Popen([sys.executable, UPSTREAM / program, *map(str, arguments)], stdout=subprocess.PIPE,
                                         stdin=subprocess.DEVNULL)
        self.port = int(self._process.stdout.readline())

    def close(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


class RealHarness(Harness):
    kinds = KINDS

    def __init__(self, folder, seed):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.ledger, self.refused = folder / "ledger", folder / "refused"
        self.model, self.notes = Process("story_model.py", self.refused), Process("effect_http.py", self.ledger)
        self.calls = Counter()  # (tool, whether its outcome is known) of runs that are over
        super().__init__(folder, seed)

    def settle(self, story):
        super().settle(story)
        if isinstance(story, RealStory):
            self.calls.update((story.tool, outcome) for outcome in story.outcomes)

    def make_server(self, folder, server_type):
        return server_type(folder, agents={**AGENTS, **self.agents()}, faults=self.faults, limits=LIMITS,
                           environment=ENVIRONMENT)

    def agents(self):
        command = [sys.executable, str(UPSTREAM / "effect_mcp.py"), str(self.ledger)]
        note = {"name": "note_http", "description": "Makes a note.", "method": "POST",
                "url": f"http://127.0.0.1:{self.notes.port}/notes/{{path}}", "addresses": ["127.0.0.0/8"],
                "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}
        tools = ("file_write", "mcp: " + json.dumps({"name": "fx", "command": command, "reads": ["count"]}),
                 "http: " + json.dumps(note))
        made = {}
        for protocol in PROTOCOLS:
            url = f"http://127.0.0.1:{self.model.port}" + ("/v1" if protocol == "openai" else "")
            model = json.dumps({"provider": protocol, "name": "m", "base_url": url, "api_key_env": "UPSTREAM_KEY"})
            for name, approval in ((f"real-{protocol}", "{default: ask}"), (f"real-{protocol}-auto", "{default: auto}")):
                text = agent(name, tools=tools, approval=approval, extra="planning: {interval: 0}\n")
                made[name] = text.replace("model: {provider: offline, pace: 0ms}", f"model: {model}")
        return made

    def effects(self) -> Counter:
        lines = self.ledger.read_text().split() if self.ledger.exists() else []
        return super().effects() + Counter(("ledger", path) for path in lines)

    def check_database(self):
        super().check_database()
        refused = self.refused.read_text() if self.refused.exists() else ""
        assert not refused, f"a provider would refuse this: {refused[:2000]}"

    def figures(self):
        return [f"{count} calls of {tool}: {outcome}" for (tool, outcome), count in sorted(self.calls.items())]

    def close(self):
        super().close()
        self.model.close()
        self.notes.close()
