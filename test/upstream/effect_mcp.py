#!/usr/bin/python3
"""A tool server that speaks MCP on its standard streams. What its tool does is a line in a file: how often it really ran can be
counted there, whatever was said about it.

    effect_mcp.py FILE
"""
import json
import os
import random
import sys
import time

TOOLS = [
    {"name": "append", "description": "Appends a line to the ledger.",
     "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}},
    {"name": "count", "description": "Counts the lines of the ledger.", "annotations": {"readOnlyHint": True},
     "inputSchema": {"type": "object", "properties": {}}},
]
SLOW_S = 0.03  # at most, before and after the effect: time to be killed in


def append(ledger, line):
    descriptor = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode() + b"\n")
    finally:
        os.close(descriptor)


def call(ledger, name, arguments):
    if name == "count":
        with open(ledger, "a+b") as file:
            file.seek(0)
            return f"{len(file.readlines())} lines"
    time.sleep(random.random() * SLOW_S)
    append(ledger, arguments["path"])
    time.sleep(random.random() * SLOW_S)
    return f"appended {arguments['path']}"


def answer(ledger, message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "effects", "version": "1"}}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        text = call(ledger, params["name"], params.get("arguments", {}))
        return {"content": [{"type": "text", "text": text}], "isError": False}
    raise LookupError(method)


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            reply["result"] = answer(sys.argv[1], message)
        except LookupError as unknown:
            reply["error"] = {"code": -32601, "message": f"no method {unknown}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)  # whoever called is gone
