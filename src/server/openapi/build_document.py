#!/usr/bin/env python3
"""Makes the one OpenAPI document of the server out of the files of this folder: build_document.py VERSION OUT.

The files are OpenAPI with a few words of their own, so that what is the same everywhere is written once; README.md
lists them. Whatever does not fit together (a name twice, a reference to nothing) ends the build.
"""
import json
import pathlib
import sys

# In the order in which a reader should meet them; files without paths need not be here.
READING_ORDER = ("operations.json", "identity.json", "sessions.json", "steps.json", "runs_sessions.json", "runs.json",
                 "runs_approvals_and_files.json", "conversation.json", "chat.json", "tasks.json", "log.json", "console.json")
HERE = pathlib.Path(__file__).resolve().parent
METHODS = ("get", "post", "patch", "delete", "put")
STREAM = "text/event-stream"
STREAM_TEXT = ("Frames of server-sent events, each ended by an empty line; `contentSchema` is the `data` of one. A "
               "stream that ends without the contract's last event was cut.")
CONTRACTS_WITH_EVENT_LINE = ("runs", "chat", "tasks", "watch")
CONTRACTS_WITHOUT_IDS = ("tasks",)
# In a stream of many runs: the frames of its views, which have ids, and all that name a run in their event line.
WATCH_VIEWS = ("log", "all")
OF_A_WATCH = (*WATCH_VIEWS, "caught-up", "over", "refused")
HEADER_REFS = {"Retry-After": "RetryAfter", "WWW-Authenticate": "WwwAuthenticate"}
SECURITY = {
    "open": [],
    "user": [{"sessionCookie": []}, {"apiKey": []}],
    "credential": [{"sessionCookie": []}, {"apiKey": []}],
    "admin": [{"sessionCookie": ["admin"]}, {"apiKey": ["admin"]}],
}


def schema_ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def add_once(into, more, what):
    for name, value in more.items():
        if name in into:
            raise SystemExit(f"openapi: {what} {name} is described twice")
        into[name] = value


# ---- the words that are not OpenAPI ----

def joined_lines(value):
    """A description may be a list of lines."""
    if isinstance(value, list):
        return [joined_lines(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: "\n".join(item) if name == "description" and isinstance(item, list) else joined_lines(item)
            for name, item in value.items()}


def error_response(errors, written):
    """One of `errors.responses` in full: the contract's shape and, where the path may be unknown, the server's."""
    response = {"description": written["description"]}
    if "header" in written:
        response["headers"] = {written["header"]: {"$ref": f"#/components/headers/{HEADER_REFS[written['header']]}"}}
    media_type, schema = errors.get("media_type", "application/json"), schema_ref(errors["schema"])
    own = written.get("or_server_shape", False)
    if own and media_type == "application/json":
        schema = {"anyOf": [schema, schema_ref("Error")]}
    response["content"] = {media_type: {"schema": schema, "example": written["example"]}}
    if own and media_type != "application/json":
        response["content"]["application/json"] = {"schema": schema_ref("Error"),
                                                   "example": {"error": "The server is overloaded"}}
    return response


def frames_text(names, contract, schemas):
    """The examples of these events, in the order given, as the stream has them."""
    text = ""
    for number, name in enumerate(names, 2):
        data = json.loads(json.dumps(schemas[name]["examples"][0]))
        event_id = f"evt_01KHF0000070008000000000R1_{number:010}" + (".a0" if contract == "all" else "")
        if "event_id" in data:
            data["event_id"] = event_id
        event = schemas[name]["x-event"]
        has_id = event in WATCH_VIEWS if contract == "watch" else contract not in CONTRACTS_WITHOUT_IDS
        if contract == "watch" and event in OF_A_WATCH:
            event += " run_01KHF0000070008000000000R1"
        line = f"event: {event}\n" if contract in CONTRACTS_WITH_EVENT_LINE else ""
        line += f"id: {event_id}\n" if has_id else ""
        text += f"{line}data: {json.dumps(data, separators=(',', ':'), ensure_ascii=False)}\n\n"
    return text


def finish_stream(response, schemas):
    """The schema and the example of a stream: `x-events` has the data of its frames by contract, `frames` the events
    that the example is made of; of several contracts it has a list each."""
    content = response.get("content", {}).get(STREAM)
    if content is None:
        return
    data = list(content["x-events"].values())
    content["schema"] = {"type": "string", "description": STREAM_TEXT, "contentMediaType": STREAM,
                         "contentSchema": data[0] if len(data) == 1 else {"anyOf": data}}
    frames = content.pop("frames")
    if isinstance(frames, list):
        [contract] = content["x-events"]
        content["example"] = frames_text(frames, contract, schemas)
    else:
        content["examples"] = {contract: {"value": frames_text(names, contract, schemas)}
                               for contract, names in frames.items()}


def finish_operation(operation, every):
    operation.setdefault("tags", every["tags"])
    responses = {**every["responses"], **operation["responses"]}
    operation["responses"] = {
        status: {"$ref": f"#/components/responses/{responses[status]}"}
        if isinstance(responses[status], str) else responses[status] for status in sorted(responses)}
    operation["security"] = SECURITY[operation["x-access"]]


def head_of(get, document):
    """Where there is a GET that does not stream, there is a HEAD: the same answers without a body."""
    head = {name: value for name, value in get.items() if name != "responses"}
    head["operationId"] += "Head"
    head["summary"] = "The head alone: " + head["summary"]
    head["responses"] = {}
    for status, response in get["responses"].items():
        whole = resolve(document, response)
        head["responses"][status] = {name: whole[name] for name in ("description", "headers") if name in whole}
    return head


def streams(operation, document):
    return STREAM in resolve(document, operation["responses"]["200"]).get("content", {})


# ---- putting together ----

def resolve(document, value):
    while "$ref" in value:
        place = document
        for part in value["$ref"].removeprefix("#/").split("/"):
            if part not in place:
                raise SystemExit(f"openapi: nothing stands at {value['$ref']}")
            place = place[part]
        value = place
    return value


def check_references(document, value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            resolve(document, value)
        for item in value.values():
            check_references(document, item)
    elif isinstance(value, list):
        for item in value:
            check_references(document, item)


def read_files():
    names = sorted(path.name for path in HERE.glob("*.json"))
    names.sort(key=lambda name: READING_ORDER.index(name) if name in READING_ORDER else len(READING_ORDER))
    return {name: joined_lines(json.loads((HERE / name).read_text("utf-8"))) for name in names}


def build(version):
    files = read_files()
    document = files.pop("document.json")
    document["info"]["version"] = version
    document["paths"] = {}
    components = document["components"]
    components.setdefault("responses", {})
    for part in files.values():
        add_once(document["paths"], part.get("paths", {}), "the path")
        for kind, named in part.get("components", {}).items():
            add_once(components.setdefault(kind, {}), named, kind)
        errors = part.get("errors", {"responses": {}})
        add_once(components["responses"],
                 {name: error_response(errors, written) for name, written in errors["responses"].items()}, "the error")
    for response in components["responses"].values():
        finish_stream(response, components["schemas"])
    for part in files.values():
        every = part.get("every_operation")
        every = files[every]["every_operation"] if isinstance(every, str) else every
        for path in part.get("paths", {}).values():
            for method in METHODS:
                if method in path:
                    finish_operation(path[method], every)
            if "get" in path and not streams(path["get"], document):
                path["head"] = head_of(path["get"], document)
    check_references(document, document)
    return document


def main():
    version, out = sys.argv[1:]
    text = json.dumps(build(version), ensure_ascii=False, separators=(",", ":"))
    pathlib.Path(out).write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
