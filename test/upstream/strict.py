"""What OpenAI and Anthropic refuse with 400. Every request of every test is judged here, so that a history which no provider
would take is found whatever the test was about.

Each check raises Refused with what a provider would say."""
import json
import re

FUNCTION_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
CALL_ID = re.compile(r"[A-Za-z0-9_.:-]{1,128}\Z")
TOOL_USE_ID = re.compile(r"[A-Za-z0-9_-]{1,128}\Z")
OPENAI_KEYS = {"model", "messages", "stream", "stream_options", "tools", "tool_choice", "parallel_tool_calls",
               "max_tokens", "max_completion_tokens", "temperature", "stop"}
ANTHROPIC_KEYS = {"model", "messages", "stream", "system", "tools", "tool_choice", "max_tokens", "temperature",
                  "stop_sequences", "metadata", "thinking"}


class Refused(Exception):
    pass


def need(condition, message):
    if not condition:
        raise Refused(message)


def check(protocol, body, issued=()):
    """`issued`: the signatures and other blobs that this provider has given out itself."""
    need(isinstance(body, dict), "the body is no object")
    need(isinstance(body.get("model"), str) and body["model"], "model")
    need(body.get("stream") is True, "stream")
    need(isinstance(body.get("messages"), list) and body["messages"], "messages: no message")
    (check_openai if protocol == "openai" else check_anthropic)(body, issued)


# ---- OpenAI ----

def check_openai(body, issued):
    need(set(body) <= OPENAI_KEYS, f"unknown keys {sorted(set(body) - OPENAI_KEYS)}")
    check_openai_tools(body)
    open_calls, seen = {}, set()  # of the last assistant message, in order
    for number, message in enumerate(body["messages"]):
        where = f"messages[{number}]"
        role = message.get("role")
        if role != "tool":
            need(not open_calls, f"{where}: tool_calls must be followed by tool messages; no answer to {list(open_calls)}")
        if role in ("system", "developer", "user"):
            need(set(message) <= {"role", "content", "name"}, f"{where}: {sorted(message)}")
            need(isinstance(message.get("content"), str) and message["content"], f"{where}: content is empty")
        elif role == "assistant":
            open_calls = check_openai_assistant(message, where, seen, issued)
        elif role == "tool":
            need(set(message) == {"role", "content", "tool_call_id"}, f"{where}: {sorted(message)}")
            need(isinstance(message["content"], str), f"{where}: content")
            need(message["tool_call_id"] in open_calls, f"{where}: a result for {message['tool_call_id']}, which is not open")
            del open_calls[message["tool_call_id"]]
        else:
            raise Refused(f"{where}: role {role!r}")
    need(not open_calls, f"no answer to {list(open_calls)}")
    check_opening([message for message in body["messages"] if message["role"] not in ("system", "developer")])


def check_openai_tools(body):
    if "tools" not in body:
        need("tool_choice" not in body and "parallel_tool_calls" not in body, "tool_choice without tools")
        return
    need(isinstance(body["tools"], list) and body["tools"], "tools is empty")
    for tool in body["tools"]:
        need(set(tool) == {"type", "function"} and tool["type"] == "function", f"tool {tool}")
        check_offer(tool["function"].get("name"), tool["function"].get("parameters"))
    names = [tool["function"]["name"] for tool in body["tools"]]
    need(len(set(names)) == len(names), f"two tools of one name: {names}")


def check_openai_assistant(message, where, seen, issued):
    extra = set(message) - {"role", "content", "tool_calls"}
    need(extra <= {"reasoning_content"}, f"{where}: {sorted(extra)}")
    need(not extra or message["reasoning_content"] in issued, f"{where}: reasoning that is not ours")
    calls = message.get("tool_calls")
    content = message.get("content")
    need(content is None or isinstance(content, str), f"{where}: content")
    need(calls is not None or content, f"{where}: an assistant message with neither text nor calls")
    need(calls is None or (isinstance(calls, list) and calls), f"{where}: tool_calls is empty")
    found = {}
    for call in calls or []:
        need(set(call) == {"id", "type", "function"} and call["type"] == "function", f"{where}: {call}")
        need(isinstance(call["id"], str) and CALL_ID.match(call["id"]), f"{where}: id {call['id']!r}")
        need(call["id"] not in seen, f"{where}: the id {call['id']} is used twice")
        seen.add(call["id"])
        function = call["function"]
        need(set(function) == {"name", "arguments"}, f"{where}: {function}")
        need(FUNCTION_NAME.match(function["name"]), f"{where}: name {function['name']!r}")
        need(isinstance(function["arguments"], str) and is_object(function["arguments"]),
             f"{where}: arguments are no JSON object: {function['arguments']!r}")
        found[call["id"]] = function["name"]
    return found


# ---- Anthropic ----

def check_anthropic(body, issued):
    need(set(body) <= ANTHROPIC_KEYS, f"unknown keys {sorted(set(body) - ANTHROPIC_KEYS)}")
    need(type(body.get("max_tokens")) is int and body["max_tokens"] > 0, "max_tokens")
    need("temperature" not in body or 0 <= body["temperature"] <= 1, "temperature")
    check_system(body.get("system", "absent"))
    check_anthropic_tools(body)
    open_calls, seen, last = [], set(), None
    for number, message in enumerate(body["messages"]):
        where = f"messages.{number}"
        need(set(message) == {"role", "content"}, f"{where}: {sorted(message)}")
        need(message["role"] in ("user", "assistant"), f"{where}: role {message['role']!r}")
        need(message["role"] != last, f"{where}: roles must alternate, two of {last}")
        last = message["role"]
        blocks = message["content"]
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        need(isinstance(blocks, list) and blocks, f"{where}: content is empty")
        if message["role"] == "user":
            check_results(blocks, where, open_calls)
            open_calls = []
        else:
            open_calls = check_said(blocks, where, seen, issued)
    need(not open_calls, f"tool_use without tool_result: {open_calls}")
    need(last == "user", "the conversation must end with a user message")
    check_opening(body["messages"])


def check_system(system):
    if isinstance(system, list):
        for block in system:
            need(block.get("type") == "text" and block.get("text", "").strip(), "system: an empty block")
    else:
        need(isinstance(system, str) and system.strip(), "system is empty")


def check_anthropic_tools(body):
    tools = body.get("tools")
    if tools is None:
        need("tool_choice" not in body, "tool_choice without tools")
        return
    need(isinstance(tools, list) and tools, "tools is empty")
    for tool in tools:
        need(set(tool) <= {"name", "description", "input_schema"}, f"tool {sorted(tool)}")
        check_offer(tool.get("name"), tool.get("input_schema"))
    names = [tool["name"] for tool in tools]
    need(len(set(names)) == len(names), f"two tools of one name: {names}")


def check_results(blocks, where, open_calls):
    """Each open call has exactly one result, and results stand in front of everything else."""
    left, only_results = set(open_calls), True
    for block in blocks:
        if block.get("type") == "tool_result":
            need(only_results, f"{where}: tool_result blocks must come first")
            need(set(block) <= {"type", "tool_use_id", "content", "is_error"}, f"{where}: {sorted(block)}")
            need(block.get("tool_use_id") in left, f"{where}: unexpected tool_use_id {block.get('tool_use_id')!r}")
            left.discard(block["tool_use_id"])
            check_result_content(block.get("content", ""), where)
        else:
            only_results = False
            check_text(block, where)
    need(not left, f"{where}: `tool_use` ids were found without `tool_result` blocks immediately after: {sorted(left)}")


def check_result_content(content, where):
    if isinstance(content, list):
        for block in content:
            check_text(block, where)
    else:
        need(isinstance(content, str), f"{where}: content of a tool_result")


def check_said(blocks, where, seen, issued):
    calls, only_thinking = [], True
    for block in blocks:
        kind = block.get("type")
        if kind in ("thinking", "redacted_thinking"):
            need(only_thinking, f"{where}: thinking must come first")
            proof = block.get("signature") if kind == "thinking" else block.get("data")
            need(proof in issued, f"{where}: Invalid `signature` in `{kind}` block")
            continue
        only_thinking = False
        if kind == "tool_use":
            need(set(block) == {"type", "id", "name", "input"}, f"{where}: {sorted(block)}")
            need(TOOL_USE_ID.match(block["id"]), f"{where}: id {block['id']!r}")
            need(block["id"] not in seen, f"{where}: `tool_use` ids must be unique: {block['id']}")
            need(FUNCTION_NAME.match(block["name"]), f"{where}: name {block['name']!r}")
            need(isinstance(block["input"], dict), f"{where}: input must be an object")
            seen.add(block["id"])
            calls.append(block["id"])
        else:
            check_text(block, where)
    need(not only_thinking, f"{where}: nothing but thinking")
    return calls


def check_text(block, where):
    need(block.get("type") == "text" and set(block) <= {"type", "text", "cache_control"}, f"{where}: block {block}")
    need(isinstance(block["text"], str) and block["text"].strip(), f"{where}: text content blocks must be non-empty")


# ---- both ----

def check_opening(messages):
    need(messages and messages[0]["role"] == "user", f"the first message is not a user's but {messages[:1]}")


def check_offer(name, schema):
    need(isinstance(name, str) and FUNCTION_NAME.match(name), f"the name of a tool: {name!r}")
    need(isinstance(schema, dict) and schema.get("type") == "object", f"the schema of {name}: {schema}")


def is_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
