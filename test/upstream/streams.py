"""What models say, as the events of their streams: OpenAI's chat completions and Anthropic's messages.

    OPENAI.say("Hello there.", [Call("file_write", {"path": "a.md"})])   -> a list of Event

An Event knows what text a reader has gained by it, so that a test can tell what must be kept of a stream that was cut.
"""
import itertools
import json
from dataclasses import dataclass

USAGE = (11, 7)  # tokens read, tokens written


@dataclass
class Event:
    data: bytes
    text: str = ""
    ends: bool = False  # the finish reason is in it


@dataclass
class Call:
    name: str
    arguments: dict | str  # a text is sent as it is
    id: str = ""           # made up when empty; never the same one twice
    pieces: int = 3

    @property
    def json(self):
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)

    @property
    def fragments(self):
        text = self.json
        size = max(1, -(-len(text) // self.pieces))
        return [text[at:at + size] for at in range(0, len(text), size)]


def words(text):
    """In words, each with the spaces before it."""
    pieces = text.split(" ")
    return [piece for piece in [pieces[0], *(" " + piece for piece in pieces[1:])] if piece]


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def joined(events):
    return b"".join(event.data for event in events)


def heard(events, cut):
    """What a reader knows of a stream that is cut there, as the standard says, and as one knows who also takes a last event whose
    line ends are missing: two of (text, whether the finish reason was among it)."""
    at, text, ended = 0, "", False
    for event in events:
        at += len(event.data)
        if at > cut:
            has_data = at - cut <= len(event.data) - len(event.data.rstrip(b"\n"))
            return (text, ended), (text + event.text, ended or event.ends) if has_data else (text, ended)
        text, ended = text + event.text, ended or event.ends
    return (text, ended), (text, ended)


_made = 0


def call_id(prefix):
    """Ids of calls are never used twice, as with a real provider."""
    global _made
    _made += 1
    return f"{prefix}{_made:06}"


class OpenAi:
    name = "openai"
    path = "/chat/completions"
    done = Event(b"data: [DONE]\n\n")

    def event(self, delta=None, finish=None, text="", **more):
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        body = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": choices, **more}
        return Event(b"data: " + compact(body) + b"\n\n", text, finish is not None)

    def text(self, piece):
        return self.event({"content": piece}, text=piece)

    def call(self, call, index=0):
        first = {"index": index, "id": call.id or call_id("call_"), "type": "function",
                 "function": {"name": call.name, "arguments": ""}}
        return [self.event({"tool_calls": [first]}),
                *(self.event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
                  for piece in call.fragments)]

    def usage(self, used):
        return {"prompt_tokens": used[0], "completion_tokens": used[1], "total_tokens": sum(used)}

    def end(self, reason="stop", usage=USAGE):
        return [self.event({}, finish=reason), *([self.event(usage=self.usage(usage))] if usage else []), self.done]

    def say(self, text="", calls=(), reason=None, usage=USAGE, thinking=""):
        events = [self.event({"role": "assistant", "content": None})]
        events += [self.event({"reasoning_content": word}) for word in words(thinking)]
        events += [self.text(word) for word in words(text)]
        for index, call in enumerate(calls):
            events += self.call(call, index)
        return events + self.end(reason or ("tool_calls" if calls else "stop"), usage)

    @staticmethod
    def error_body(message, kind="invalid_request_error"):
        return compact({"error": {"message": message, "type": kind, "param": None, "code": None}})


class Anthropic:
    name = "anthropic"
    path = "/messages"
    ping = Event(b'event: ping\ndata: {"type":"ping"}\n\n')
    REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}

    def event(self, kind, gained="", ends=False, **fields):
        return Event(f"event: {kind}\n".encode() + b"data: " + compact({"type": kind, **fields}) + b"\n\n", gained, ends)

    def start(self, used=USAGE):
        usage = {"input_tokens": used[0], "output_tokens": 1} if used else {}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": usage}
        return self.event("message_start", message=message)

    def delta(self, number, gained="", **fields):
        return self.event("content_block_delta", gained, index=number, delta=fields)

    def block(self, index, block, deltas):
        return [self.event("content_block_start", index=index, content_block=block), *deltas,
                self.event("content_block_stop", index=index)]

    def text(self, piece, index=0):
        return self.delta(index, piece, type="text_delta", text=piece)

    def call(self, call, index=0):
        block = {"type": "tool_use", "id": call.id or call_id("toolu_"), "name": call.name, "input": {}}
        return self.block(index, block, [self.delta(index, type="input_json_delta", partial_json=piece)
                                         for piece in ["", *call.fragments]])

    def end(self, reason="stop", usage=USAGE):
        used = {"usage": {"output_tokens": usage[1]}} if usage else {}
        stop = {"stop_reason": self.REASONS.get(reason, reason), "stop_sequence": None}
        return [self.event("message_delta", ends=True, delta=stop, **used), self.event("message_stop")]

    def say(self, text="", calls=(), reason=None, usage=USAGE, thinking="", signature=""):
        events, index = [self.start(usage), self.ping], 0
        if thinking:
            deltas = [self.delta(0, type="thinking_delta", thinking=word) for word in words(thinking)]
            deltas.append(self.delta(0, type="signature_delta", signature=signature or call_id("signed_")))
            events += self.block(0, {"type": "thinking", "thinking": "", "signature": ""}, deltas)
            index = 1
        if text:
            events += self.block(index, {"type": "text", "text": ""}, [self.text(word, index) for word in words(text)])
            index += 1
        for at, call in enumerate(calls):
            events += self.call(call, index + at)
        return events + self.end(reason or ("tool_calls" if calls else "stop"), usage)

    @staticmethod
    def error_body(message, kind="invalid_request_error"):
        return compact({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})


OPENAI, ANTHROPIC = OpenAi(), Anthropic()


def opening(speak, *said):
    """The events before the first word, and these words; no end."""
    if speak is OPENAI:
        return [OPENAI.event({"role": "assistant", "content": None}), *map(OPENAI.text, said)]
    return [ANTHROPIC.start(), *ANTHROPIC.block(0, {"type": "text", "text": ""}, [])[:1], *map(ANTHROPIC.text, said)]


def forever(*events):
    """For an Answer that never ends."""
    return lambda: itertools.cycle(events)


def after(first, supply):
    return lambda: itertools.chain(first, supply())


PROTOCOLS = {protocol.name: protocol for protocol in (OPENAI, ANTHROPIC)}
