"""Streams that real providers sent. They are not part of this repository: BRAIDLOG_FIXTURES names their folder, or it lies beside
the repository as shared/fixtures; tests that need them are skipped without it."""
import json
import os
import pathlib

from .streams import ANTHROPIC, OPENAI, Event

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("BRAIDLOG_FIXTURES") or ROOT.parent / "shared" / "fixtures") / "provider-streams"


def names():
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


class Recorded:
    """One recorded stream, and what a reader must make of it, found in the simplest way there is."""

    def __init__(self, name):
        self.lines = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines() if line.strip()]
        self.speak = OPENAI if "choices" in self.lines[0] else ANTHROPIC
        self.calls = {}  # index -> [name, arguments]
        self.reason = None
        self.usage = None
        read = self._openai if self.speak is OPENAI else self._anthropic
        self.events = [read(line) for line in self.lines] + ([OPENAI.done] if self.speak is OPENAI else [])
        self.text = "".join(event.text for event in self.events)

    def _event(self, line, text, ends):
        head = b"" if self.speak is OPENAI else f"event: {line['type']}\n".encode()
        return Event(head + b"data: " + json.dumps(line, ensure_ascii=False).encode() + b"\n\n", text, ends)

    def _openai(self, line):
        self.usage = line.get("usage") or self.usage
        choice = (line.get("choices") or [{}])[0]
        delta = choice.get("delta") or {}
        for call in delta.get("tool_calls") or []:
            kept = self.calls.setdefault(call["index"], ["", ""])
            kept[0] += call["function"].get("name") or ""
            kept[1] += call["function"].get("arguments") or ""
        self.reason = choice.get("finish_reason") or self.reason
        return self._event(line, delta.get("content") or "", bool(choice.get("finish_reason")))

    def _anthropic(self, line):
        delta, kind = line.get("delta", {}), line["type"]
        if kind == "content_block_start" and line["content_block"]["type"] == "tool_use":
            self.calls[line["index"]] = [line["content_block"]["name"], ""]
        if delta.get("type") == "input_json_delta":
            self.calls[line["index"]][1] += delta["partial_json"]
        usage = line.get("message", line).get("usage")
        self.usage = {**(self.usage or {}), **(usage or {})} or None
        self.reason = delta.get("stop_reason") or self.reason
        return self._event(line, delta.get("text", "") if delta.get("type") == "text_delta" else "",
                           bool(delta.get("stop_reason")))

    @property
    def counts(self):
        keys = ("prompt_tokens", "completion_tokens") if self.speak is OPENAI else ("input_tokens", "output_tokens")
        return tuple(self.usage[key] for key in keys) if self.usage else None
