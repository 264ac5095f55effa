#!/usr/bin/python3
"""A model as a process of its own, for the crash test: both protocols, strict about what it is asked, and it knows its part by
heart. It tells stories and uses tools as it is asked to; cut off in the middle it goes on where it was.

    story_model.py FILE      prints its port; requests that no provider would take are lines in the file
"""
import json
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from upstream.answers import Answer  # noqa: E402
from upstream.fault_server import FaultServer, said_by_user  # noqa: E402
from upstream.streams import PROTOCOLS, Call  # noqa: E402

STORY = re.compile(r"a long story about lighthouse (\d+)")
NOTE = re.compile(r"Note (\S+)(?: and (\S+))? by (\S+)")
PACE_S = 0.003


def story(number):
    return f"Lighthouse {number} stood on a rock. " + " ".join(f"Night {night} was long." for night in range(1, 26))


def since(messages, pattern):
    """(the match, where it stands, the messages after it) of the last thing asked for. What a user said in two turns, the
    first of which got no answer, may come as one message: the later of two things is known by its place in it."""
    for at in range(len(messages) - 1, -1, -1):
        found = list(pattern.finditer(said_by_user(messages[at])))
        if found:
            return found[-1], (at, found[-1].start()), messages[at + 1:]
    return None, (-1, -1), []


def said_in(messages):
    """What the assistant said in these, without its calls."""
    text = ""
    for message in messages:
        if message["role"] == "assistant":
            content = message["content"] or ""
            text += content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
    return text


def has_results(messages):
    return any(message["role"] == "tool" or (isinstance(message["content"], list) and any(
        block["type"] == "tool_result" for block in message["content"])) for message in messages)


def rest_of(text, said):
    """What is still to be said. Spaces at a cut may have been lost on the way."""
    return text[len(said):] if text.startswith(said) else text[len(said.rstrip()):] if text.startswith(said.rstrip()) else text


def reply(messages):
    """(text, calls)"""
    told, told_at, after_story = since(messages, STORY)
    note, note_at, after_note = since(messages, NOTE)
    if note is None and told is None:
        return "I only know lighthouses.", []
    if told_at > note_at:
        return rest_of(story(told.group(1)), said_in(after_story)), []
    if has_results(after_note):
        return rest_of("Noted.", said_in(after_note).removeprefix("I note it.").lstrip()), []
    paths = [path for path in note.groups()[:2] if path]
    more = {"content": "rivers"} if note.group(3) == "file_write" else {}
    return rest_of("I note it.", said_in(after_note)), [Call(note.group(3), {"path": path, **more}) for path in paths]


class StoryModel(FaultServer):
    def __init__(self, violations_path):
        self.violations_path = violations_path
        super().__init__()

    def choose(self, request):
        text, calls = reply(request.messages)
        return Answer(PROTOCOLS[request.protocol].say(text, calls), pace=PACE_S)

    def note_violations(self):
        with open(self.violations_path, "a") as file:
            while self.violations:
                file.write(json.dumps(self.violations.pop(0)) + "\n")


if __name__ == "__main__":
    model = StoryModel(sys.argv[1])
    print(model.port, flush=True)
    while True:
        time.sleep(0.05)
        model.note_violations()
