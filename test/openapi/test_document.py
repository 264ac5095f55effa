"""The document by itself: OpenAPI 3.1 that linters accept, with every route and with examples that fit their schemas."""
import json
import pathlib
import re
import shutil
import subprocess

import pytest
from described import LINES, METHODS, PARAMETER, STREAM, Document

from braid_client.frames import parse_all
from braid_client.server import ROOT, binary, clean_environment

HERE = pathlib.Path(__file__).resolve().parent
EVENT_SCHEMAS = {"steps": "StepsEvent", "runs": "RunsEvent", "chat": "ChatEvent", "conversation": "ConversationEvent",
                 "tasks": "TasksEvent"}


@pytest.fixture
def document(api):
    reply = api.call("GET", "/openapi.json")
    assert reply.status == 200 and reply.header("content-type") == "application/json", reply
    return Document(reply.json)


def everything(value, path=""):
    """(path, object) of each object of the document."""
    if isinstance(value, dict):
        yield path, value
        for name, item in value.items():
            yield from everything(item, f"{path}/{name}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from everything(item, f"{path}/{number}")


# ---- structure ----

def test_it_is_openapi_3_1(document):
    json_document = document.json
    assert json_document["openapi"] == "3.1.0"
    assert set(json_document) == {"openapi", "info", "servers", "tags", "paths", "components"}
    assert all(json_document["info"][name] for name in ("title", "version", "description"))
    assert {tag["name"] for tag in json_document["tags"]} == {
        "operations", "identity", "sessions", "steps", "runs", "conversation", "chat", "tasks", "log", "console"}


def test_every_operation_is_whole(document):
    tags = {tag["name"] for tag in document.json["tags"]}
    schemes = set(document.json["components"]["securitySchemes"])
    ids = set()
    for operation in document.operations:
        written = document.operation(operation)
        assert written["operationId"] not in ids, operation
        ids.add(written["operationId"])
        assert written["summary"] and set(written["tags"]) <= tags, operation
        assert written["x-access"] in ("open", "user", "credential", "admin"), operation
        assert all(set(way) <= schemes for way in written["security"]), operation
        statuses = written["responses"]
        assert all(re.fullmatch("[2-5][0-9][0-9]", status) for status in statuses), operation
        assert any(status.startswith("2") for status in statuses), operation
        assert ("401" in statuses) == (written["x-access"] != "open" or operation.path == "/auth/login"), operation
        named = {parameter["name"] for parameter in document.parameters(operation) if parameter["in"] == "path"}
        assert named == set(PARAMETER.findall(operation.path)), operation
        assert all(document.resolve(response)["description"] for response in statuses.values()), operation


def test_the_routes_of_the_server_and_no_other(document):
    """`braidlog routes` is made of the same tables that the server answers by."""
    done = subprocess.run([binary(), "routes", "--json"], capture_output=True, env=clean_environment(), check=True)
    served = {}
    for route in json.loads(done.stdout)["routes"]:
        name = re.sub(r"\{\*\}", "{}", route["path"])
        served[route["method"], name] = route["access"], route["streams"]
        if route["method"] == "GET" and not route["streams"]:
            served["HEAD", name] = route["access"], False
    described = {(operation.method, PARAMETER.sub("{}", operation.path)):
                 (document.operation(operation)["x-access"], document.streams(operation))
                 for operation in document.operations}
    assert described == served


def test_every_reference_leads_somewhere_and_everything_is_used(document):
    used = set()
    for path, value in everything(document.json):
        if isinstance(value.get("$ref"), str):
            assert value["$ref"].startswith("#/"), f"{path} leads out of the document"
            document.resolve(value)
            used.add(value["$ref"])
    for kind, named in document.json["components"].items():
        for name in named if kind != "securitySchemes" else ():
            assert f"#/components/{kind}/{name}" in used, f"nobody refers to {kind}/{name}"


def test_the_linter_finds_nothing(document, tmp_path):
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("no node, or no npm")
    if not (HERE / "node_modules").is_dir():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=HERE, check=True, capture_output=True)
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document.json))
    done = subprocess.run(["node", "lint.mjs", str(file)], cwd=HERE, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- examples ----

def examples_of(media):
    """Those of a media type, a parameter or a header."""
    return [media["example"]] if "example" in media else [each["value"] for each in media.get("examples", {}).values()]


def described_values(document):
    """(place, object with schema and examples) of everything that has both."""
    for operation in document.operations:
        written = document.operation(operation)
        for parameter in document.parameters(operation):
            yield f"{operation}, {parameter['name']}", parameter
        holders = {status: document.resolve(response) for status, response in written["responses"].items()}
        if "requestBody" in written:
            holders["body"] = document.resolve(written["requestBody"])
        for name, holder in holders.items():
            for media_type, media in holder.get("content", {}).items():
                yield f"{operation}, {name}, {media_type}", media
            for header, value in holder.get("headers", {}).items():
                yield f"{operation}, {name}, {header}", document.resolve(value)


def test_everything_has_an_example_that_fits_its_schema(document):
    count = 0
    for place, value in described_values(document):
        assert examples_of(value), f"{place} has no example"
        for example in examples_of(value):
            document.check_value(value["schema"], example, place)
            count += 1
    assert count > 500


def test_the_examples_of_schemas_fit_them(document):
    checked = set()
    for path, schema in everything(document.closed["components"]["schemas"]):
        for example in schema.get("examples", []) if isinstance(schema.get("examples"), list) else []:
            document.check_value(schema, example, path)
            checked.add(path)
    events = {path for path, schema in everything(document.closed["components"]["schemas"]) if "x-event" in schema}
    assert len(events) == 6 + 9 + 9 + 7 + 11 + 1 + 7 and events <= checked, events - checked


def test_the_examples_of_streams_are_frames_of_their_contract(document):
    for operation in document.operations:
        if not document.streams(operation):
            continue
        media = document.response(operation, 200)["content"][STREAM]
        named = media.get("examples") or {next(iter(media["x-events"])): {"value": media["example"]}}
        assert set(named) == set(media["x-events"]), operation
        for contract, example in named.items():
            frames = parse_all(example["value"].encode(), LINES[contract])
            assert frames, operation
            document.check_frames(operation, contract, frames)


@pytest.mark.parametrize("contract", sorted(EVENT_SCHEMAS))
def test_every_golden_frame_fits_its_event(document, contract):
    """The golden files of a dialect have every event in every form: each is as described, and none is left out."""
    union = {"$ref": f"#/components/schemas/{EVENT_SCHEMAS[contract]}"}
    seen = set()
    for file in sorted((ROOT / "src" / "dialect" / contract / "testdata").glob("*.sse")):
        for frame in parse_all(file.read_bytes(), LINES[contract]):
            document.check_event(contract, union, frame)
            seen.add(frame.type)
    assert seen == {document.resolve(each)["x-event"] for each in document.resolve(union)["oneOf"]}


def test_every_golden_frame_of_the_log_fits(document):
    for file in sorted((ROOT / "src" / "dialect" / "log" / "testdata").glob("*.sse")):
        for frame in parse_all(file.read_bytes(), LINES["log"]):
            document.check_event("log", {"$ref": "#/components/schemas/LogEvent"}, frame)


def test_nothing_is_described_that_only_this_machine_knows(document):
    text = json.dumps(document.json)
    assert str(ROOT) not in text and "localhost" not in text
    assert not [name for path, item in document.json["paths"].items() for name in item
                if name not in (*METHODS, "parameters")]
