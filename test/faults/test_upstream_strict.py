"""The judge of requests can say no: each of these is refused by a real provider, and a good one is not."""
import copy

import pytest

from upstream.strict import Refused, check

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
OPENAI = {"model": "m", "stream": True, "messages": [
    {"role": "system", "content": "s"}, {"role": "user", "content": "u"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]}, {"role": "tool", "tool_call_id": "c1", "content": ""},
    {"role": "assistant", "content": "a"}, {"role": "user", "content": "u"}]}
USE = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "r"}
THOUGHT = {"type": "thinking", "thinking": "t", "signature": "ours"}
ANTHROPIC = {"model": "m", "stream": True, "max_tokens": 5, "system": "s", "messages": [
    {"role": "user", "content": "u"}, {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "a"}, USE]},
    {"role": "user", "content": [RESULT, {"type": "text", "text": "u"}]}]}


def put(*path):
    *path, value = path

    def change(body):
        for step in path[:-1]:
            body = body[step]
        if value is None:
            del body[path[-1]]
        else:
            body[path[-1]] = value
    return change


BAD_OPENAI = {
    "no result": put("messages", 3, None),
    "a result too many": put("messages", 4, {"role": "tool", "tool_call_id": "c1", "content": ""}),
    "a result of nothing": put("messages", 3, "tool_call_id", "c2"),
    "the same id twice": put("messages", 4, {"role": "assistant", "content": "x", "tool_calls": [CALL]}),
    "arguments that are none": put("messages", 2, "tool_calls", 0, "function", "arguments", "{"),
    "an empty answer": put("messages", 4, "content", ""),
    "an empty question": put("messages", 1, "content", ""),
    "the assistant first": put("messages", 1, None),
    "a blob of somebody": put("messages", 4, "reasoning_content", "x"),
    "a name of nobody": put("messages", 2, "tool_calls", 0, "function", "name", "a b"),
    "no tools": put("tools", []),
    "an unknown key": put("thinking", {}),
}
BAD_ANTHROPIC = {
    "no result": put("messages", 2, "content", 0, None),
    "a result behind": put("messages", 2, "content", [{"type": "text", "text": "u"}, RESULT]),
    "two results": put("messages", 2, "content", [RESULT, RESULT]),
    "an empty text": put("messages", 2, "content", 1, "text", ""),
    "a text of spaces": put("messages", 1, "content", 1, "text", " \n"),
    "two of one role": put("messages", 1, {"role": "user", "content": "again"}),
    "the assistant first": put("messages", 0, None),
    "the assistant last": put("messages", 2, None),
    "a signature of somebody": put("messages", 1, "content", 0, "signature", "theirs"),
    "thoughts behind": put("messages", 1, "content", [{"type": "text", "text": "a"}, THOUGHT, USE]),
    "input that is no object": put("messages", 1, "content", 2, "input", "{}"),
    "an id with a dot": put("messages", 1, "content", 2, "id", "c.1"),
    "no max_tokens": put("max_tokens", None),
    "an empty system": put("system", " "),
    "a system message": put("messages", 0, {"role": "system", "content": "s"}),
}


def test_good_ones_pass():
    check("openai", OPENAI)
    check("anthropic", ANTHROPIC, issued={"ours"})


@pytest.mark.parametrize("protocol, fault", [("openai", fault) for fault in BAD_OPENAI] + [
    ("anthropic", fault) for fault in BAD_ANTHROPIC])
def test_bad_ones_do_not(protocol, fault):
    body = copy.deepcopy(OPENAI if protocol == "openai" else ANTHROPIC)
    (BAD_OPENAI if protocol == "openai" else BAD_ANTHROPIC)[fault](body)
    with pytest.raises(Refused):
        check(protocol, body, issued={"ours"})
