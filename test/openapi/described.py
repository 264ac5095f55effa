"""The server's OpenAPI document as something to check answers against.

    document = Document(json)
    operation = document.find("GET", "/runs/run_01…/stream?contract=chat")
    document.check(operation, reply)         # status, media type, headers and body are as described
    document.check_frames(operation, "chat", frames)

Objects are taken for closed here, though the document leaves them open for clients: a field that nobody described is
a failure.
"""
import copy
import re
from dataclasses import dataclass

import jsonschema

from braid_client import legal
from braid_client.frames import MAYBE_ID, WITHOUT_EVENT

# By contract, and by the two streams that are none's.
LINES = {**legal.LINES, "log": WITHOUT_EVENT, "watch": MAYBE_ID}
METHODS = ("get", "head", "post", "put", "patch", "delete")
STREAM = "text/event-stream"
PARAMETER = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class Operation:
    method: str
    path: str  # as in the document, with its {parameters}

    def __str__(self):
        return f"{self.method} {self.path}"


def close_objects(value, inside_example=False):
    """Every object schema that lists its fields has no other; examples are no schemas."""
    if isinstance(value, list):
        return [close_objects(item, inside_example) for item in value]
    if not isinstance(value, dict):
        return value
    closed = {name: item if name in ("example", "examples") else close_objects(item) for name, item in value.items()}
    if isinstance(value.get("properties"), dict) and "type" in value and "additionalProperties" not in value:
        closed["additionalProperties"] = False
    return closed


class Document:
    def __init__(self, json):
        self.json = json
        self.closed = close_objects(copy.deepcopy(json))
        self.resolver = jsonschema.RefResolver("", self.closed)
        self.operations = [Operation(method.upper(), path) for path, item in json["paths"].items()
                           for method in METHODS if method in item]
        # A fixed part of a path goes before a parameter.
        self._patterns = [(operation, self._pattern(operation.path)) for operation in
                          sorted(self.operations, key=lambda o: PARAMETER.sub("\uffff", o.path))]

    @staticmethod
    def _pattern(path):
        """A parameter takes one part of a path; that of a file takes the rest."""
        taking = PARAMETER.sub(lambda m: ".+" if m.group(1) == "path" else "[^/]*", re.sub(r"[.]", r"\\.", path))
        return re.compile(taking)

    # ---- finding ----

    def resolve(self, value):
        while "$ref" in value:
            _, value = self.resolver.resolve(value["$ref"])
        return value

    def find(self, method, target):
        path = target.partition("?")[0]
        for operation, pattern in self._patterns:
            if operation.method == method and pattern.fullmatch(path):
                return operation
        raise AssertionError(f"{method} {path} is not described")

    def operation(self, operation):
        return self.closed["paths"][operation.path][operation.method.lower()]

    def parameters(self, operation):
        shared = self.closed["paths"][operation.path].get("parameters", [])
        return [self.resolve(written) for written in shared + self.operation(operation).get("parameters", [])]

    def statuses(self, operation):
        return [int(status) for status in self.operation(operation)["responses"]]

    def response(self, operation, status):
        responses = self.operation(operation)["responses"]
        assert str(status) in responses, f"{operation}: {status} is not described"
        return self.resolve(responses[str(status)])

    def streams(self, operation):
        return any(STREAM in self.resolve(response).get("content", {})
                   for response in self.operation(operation)["responses"].values())

    # ---- checking ----

    def check_value(self, schema, value, where):
        errors = list(jsonschema.Draft202012Validator(schema, resolver=self.resolver).iter_errors(value))
        if errors:
            worst = jsonschema.exceptions.best_match(errors)
            raise AssertionError(f"{where}: {worst.message} at /{'/'.join(map(str, worst.absolute_path))}")

    def check_headers(self, response, reply, where):
        for name, written in response.get("headers", {}).items():
            assert reply.header(name) is not None, f"{where}: no {name}"
            self.check_value(self.resolve(written)["schema"], reply.header(name), f"{where}, {name}")

    def check(self, operation, reply):
        """An answer with its body, as it came."""
        where = f"{operation} answered {reply.status}"
        response = self.response(operation, reply.status)
        self.check_headers(response, reply, where)
        if operation.method == "HEAD" or "content" not in response:
            assert reply.body == b"", f"{where} with a body that is not described: {reply.body[:200]!r}"
            return
        media = self.media(response["content"], reply.header("content-type"), where)
        as_json = reply.header("content-type").partition(";")[0].endswith("json")
        self.check_value(media["schema"], reply.json if as_json else reply.body.decode("utf-8", "replace"), where)

    def check_stream_head(self, operation, reply):
        response = self.response(operation, 200)
        assert reply.header("content-type") == STREAM, f"{operation}: {reply.header('content-type')}"
        assert STREAM in response["content"], f"{operation} is not described as a stream"
        self.check_headers(response, reply, str(operation))

    @staticmethod
    def media(content, media_type, where):
        assert media_type, f"{where} without a Content-Type"
        essence = media_type.partition(";")[0]
        assert essence in content or "*/*" in content, f"{where}: {essence} is not described, {list(content)} are"
        return content.get(essence, content.get("*/*"))

    def check_frames(self, operation, contract, frames):
        described = self.response(operation, 200)["content"][STREAM]["x-events"]
        assert contract in described, f"{operation}: no events of {contract} are described"
        for frame in frames:
            self.check_event(contract, described[contract], frame)

    def check_event(self, contract, union, frame):
        """The event's own schema, found by its type, and the union that programs read."""
        where = f"{contract}, {frame.type}"
        self.check_value(union, frame.data, where)
        if contract in ("all", "log"):
            return
        members = self.resolve(union)
        kind = frame.type.partition(" ")[0]  # in a stream of many runs the run follows
        of_its_type = [each for each in members.get("oneOf", members.get("anyOf"))
                       if self.resolve(each)["x-event"] == kind]
        assert of_its_type, f"{where} is not described"
        self.check_value({"oneOf": of_its_type} if len(of_its_type) > 1 else of_its_type[0], frame.data, where)
