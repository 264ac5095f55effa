"""Runs of an agent that acts by code: begun through steps, in a real sandbox, with tools that are called from the code. Code
that called a tool is never run again, whatever happens to the server; other code may be, and nobody can tell."""
from talk import StepsStory

BLOCK = "```python\n{}\n```\n"
COUNT = "import time\ntotal = 0\nfor n in range(20):\n    total += n\n    time.sleep(0.002)\nprint(total)"
WRITE = "print(file_write(path={!r}, content='rivers'))"


class CodeStory(StepsStory):
    kinds = ("count", "count", "write", "auto_write")
    said = None  # the answer of a run that was completed: what it leaves as its message

    def begin(self, rng, number):
        self.kind, self.number, self.patience = rng.choice(self.kinds), number, rng.randint(0, 3)
        self.key, self.agent, self.auto = f"key-{number}", "codes", self.kind == "auto_write"
        a, b = f"a{number}.md", f"b{number}.md"
        blocks, self.paths = {
            "count": ([COUNT, "print(total + 1)"], ()),
            "write": (["print('first')", WRITE.format(a)], (a,)),
            "auto_write": ([WRITE.format(a) + "\n" + COUNT + "\n" + WRITE.format(b)], (a, b)),
        }[self.kind]
        self.message = f"Run this, number {number}:\n" + "".join(BLOCK.format(block) for block in blocks)
        return self

    def check_end(self, frames, effects, files, others=None):
        super().check_end(frames, effects, files, others)
        self.said = frames[-1].payload["final_text"] if frames[-1].type == "run_completed" else None

    def check_messages(self, messages, text):
        super().check_messages(messages, text if self.said is None else self.said)
