"""Every route with example requests: who asks for what, with which ids, and what everybody is told.

The routes themselves come from the binary (`braidlog routes --json`). A new one needs a line in EXAMPLES.
"""
import json
import re
import subprocess
from dataclasses import dataclass, replace

from .frames import MAYBE_ID, WITH_EVENT, WITHOUT_EVENT, WITHOUT_ID
from .ids import ALPHABET, UNKNOWN_ULID, ulid_of, uuid_of
from .server import binary, clean_environment
from .tasks import Tasks
from .wire import Reply, Stream, open_stream

JSON = ("Content-Type", "application/json")
BOUNDARY = "matrix"
UPLOAD = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="b.txt"\r\n\r\nhi\r\n--{BOUNDARY}--\r\n'
MULTIPART = ("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")
CAPTURE = re.compile(r"\{\*?\}")
IDS = ("session", "run", "approval", "event", "free", "file", "worked", "task", "artifact", "item")
RESUME = (("Last-Event-ID", "{event}"),)

# What somebody is told who is not the owner.
NOT_FOUND = "not found"      # 404, as for an id that nobody has
SEES = "sees"                # the same as the owner
NOTHING = "nothing"          # 204: an id to resume from that is none of the caller's
BEGINS_ANEW = "begins anew"  # a session of the caller's own is made instead
OWN = "own"                  # names no object: the answer is about the caller


@dataclass
class Example:
    """One request of a route. {session}, {run} and the other IDS stand for the owner's objects."""
    owner: int                # the owner's status
    other: str = OWN          # what another user is told
    admin: str = OWN
    path: str = ""            # what fills the pattern, joined by spaces
    body: object = None       # a JSON value
    raw: bytes = None         # or these bytes
    query: str = ""
    headers: tuple = ()
    lines: frozenset = WITH_EVENT
    open: bool = False        # needs no credential
    for_admins: bool = False  # 403 for everybody else
    quiet: bool = False       # a stream that shows nothing of a text before it is whole

    @property
    def begins_a_run(self):
        """Where the objects have a free session, it begins one there."""
        return "{free}" in f"{self.path} {self.body} {self.query}"


def of(owner, path="", admin=NOT_FOUND, other=NOT_FOUND, **options):
    """A request about an object."""
    return Example(owner, other, admin, path, **options)


def in_every_contract(path):
    """The stream of a run in every contract."""
    return [of(200, path, SEES), of(200, path, SEES, headers=RESUME), of(200, path, SEES, query="?contract=chat"),
            of(200, path, SEES, query="?contract=steps", lines=WITHOUT_EVENT, quiet=True),
            of(200, path, SEES, query="?contract=conversation", lines=WITHOUT_EVENT),
            of(200, path, SEES, query="?contract=tasks", lines=WITHOUT_ID),
            of(200, path, SEES, query="?contract=all", lines=WITHOUT_EVENT)]


MESSAGE = {"message": "say exactly: hi"}
BUSY = {**MESSAGE, "conversation_id": "{session}"}
FREE = {**MESSAGE, "conversation_id": "{free}"}
IN_SESSION = {**MESSAGE, "session_id": "{session}"}
IN_FREE = {**MESSAGE, "session_id": "{free}"}
CHAT = {**MESSAGE, "session_id": "{free}"}
ANEW = {"admin": BEGINS_ANEW, "other": BEGINS_ANEW}
REST = {"admin": NOTHING, "other": NOTHING, "headers": RESUME}
LINK = "?message=say+exactly:+hi"
QUERY = {"query": "say exactly: hi"}
ASK = "?query=say+exactly:+hi"

# The route as the binary names it -> its requests.
EXAMPLES = {
    "GET /": [Example(200, open=True)],
    "GET /favicon.svg": [Example(200, open=True)],
    "GET /assets/{}": [Example(404, open=True, path="nothing.js")],
    "GET /health": [Example(200, open=True)],
    "GET /ready": [Example(200, open=True)],
    "GET /metrics": [Example(200, for_admins=True)],
    "GET /agents": [Example(200)],
    "GET /openapi.json": [Example(200)],
    "GET /docs": [Example(200)],

    "GET /console/runs": [Example(200), Example(200, query="?session_id={session}"), Example(200, query="?scope=all&q={run}")],
    "POST /console/runs": [of(409, body=IN_SESSION), of(202, body=IN_FREE), Example(202, body=MESSAGE)],
    "GET /console/agents": [Example(200)],
    "GET /console/system": [Example(200, for_admins=True)],

    "POST /auth/login": [Example(401, open=True, body={"username": "nobody", "password": "wrong"})],
    "POST /auth/logout": [Example(204)],
    "GET /auth/me": [Example(200)],
    "GET /alerts": [Example(200, for_admins=True)],

    "POST /sessions": [Example(201, body={})],
    "GET /sessions": [Example(200)],
    "GET /sessions/{}": [of(200, "{session}", SEES)],
    "PATCH /sessions/{}": [of(200, "{session}", body={"title": "Mine"})],
    "DELETE /sessions/{}": [of(204, "{session}")],

    "GET /sessions/{}/stream": [of(409, "{session}", query=ASK), of(200, "{free}", query=ASK, lines=WITHOUT_EVENT),
                                of(200, "{session}", SEES, headers=RESUME, lines=WITHOUT_EVENT, quiet=True)],
    "POST /sessions/{}/stream": [of(409, "{session}", body=QUERY), of(200, "{free}", body=QUERY, lines=WITHOUT_EVENT),
                                 of(200, "{session}", SEES, headers=RESUME, lines=WITHOUT_EVENT, quiet=True)],
    "POST /sessions/{}/interrupt": [of(200, "{session}")],
    "GET /sessions/{}/tokens": [of(200, "{session}", SEES)],
    "GET /sessions/{}/steps": [of(200, "{session}", SEES)],

    "POST /sessions/{}/chat": [of(409, "{session}", body=MESSAGE), of(200, "{free}", body=MESSAGE, lines=WITHOUT_ID)],
    "POST /sessions/{}/execute": [of(409, "{session}"), of(409, "{worked}", body={})],
    "GET /sessions/{}/tasks": [of(200, "{worked}", SEES)],
    "GET /sessions/{}/tasks/{}": [of(200, "{worked} {task}", SEES)],
    "GET /sessions/{}/artifacts": [of(200, "{worked}", SEES), of(200, "{worked}", SEES, query="?type=document")],
    "GET /sessions/{}/artifacts/{}": [of(200, "{worked} {artifact}", SEES)],
    "GET /sessions/{}/artifacts/{}/download": [of(200, "{worked} {artifact}", SEES)],
    "DELETE /sessions/{}/artifacts/{}": [of(204, "{worked} {artifact}")],
    "GET /sessions/{}/data-items": [of(200, "{worked}", SEES)],
    "GET /sessions/{}/data-items/{}": [of(200, "{worked} {item}", SEES)],

    "POST /api/v1/sessions": [Example(201, body={})],
    "GET /api/v1/sessions": [Example(200)],
    "GET /api/v1/sessions/{}": [of(200, "{session}", SEES)],
    "DELETE /api/v1/sessions/{}": [of(204, "{session}")],
    "POST /api/v1/sessions/{}/messages": [of(409, "{session}", body=MESSAGE), of(202, "{free}", body=MESSAGE)],
    "POST /api/v1/sessions/{}/settings/auto-approve": [of(200, "{session}", body={"enabled": False})],
    "GET /api/v1/sessions/{}/runs": [of(200, "{session}", SEES)],
    "GET /api/v1/sessions/{}/runs/{}": [of(200, "{session} {run}", SEES)],
    "GET /api/v1/sessions/{}/runs/{}/stream": [of(200, "{session} {run}", SEES),
                                               of(200, "{session} {run}", SEES, headers=RESUME)],
    "POST /api/v1/sessions/{}/runs/{}/interrupt": [of(202, "{session} {run}")],
    "GET /api/v1/runs/{}": [of(200, "{run}", SEES)],
    "GET /api/v1/runs/{}/stream": in_every_contract("{run}"),
    "GET /runs/{}": [of(200, "{run}", SEES)],
    "GET /runs/{}/stream": in_every_contract("{run}"),
    "GET /runs/{}/log": [of(200, "{run}", SEES, lines=WITHOUT_EVENT),
                         of(200, "{run}", SEES, lines=WITHOUT_EVENT, headers=RESUME)],
    "GET /watch": [Example(200, lines=MAYBE_ID), Example(200, query="?watch=log:{run}&notices=1", lines=MAYBE_ID)],
    "GET /api/v1/approvals": [Example(200)],
    "GET /api/v1/sessions/{}/approvals": [of(200, "{session}", SEES)],
    "POST /api/v1/sessions/{}/approvals/{}/approve": [of(200, "{session} {approval}", SEES)],
    "POST /api/v1/sessions/{}/approvals/{}/reject": [of(200, "{session} {approval}", SEES)],
    "POST /api/v1/sessions/{}/files/upload": [of(201, "{session}", raw=UPLOAD.encode(), headers=(MULTIPART,))],
    "GET /api/v1/sessions/{}/files": [of(200, "{session}", SEES)],
    "GET /api/v1/sessions/{}/files/{*}": [of(200, "{session} {file}", SEES)],

    "POST /agent/stream": [of(409, body=BUSY), of(200, body=FREE, lines=WITHOUT_EVENT),
                           of(200, lines=WITHOUT_EVENT, **REST), Example(200, body=MESSAGE, lines=WITHOUT_EVENT)],
    "POST /agent": [of(409, body=BUSY), of(200, body=FREE), Example(200, body=MESSAGE)],
    "GET /agent/history": [Example(200)],
    "GET /agent/conversations/{}": [of(200, "{session}", SEES)],
    "PATCH /agent/conversations/{}": [of(200, "{session}", body={"title": "Mine"})],
    "DELETE /agent/conversations/{}": [of(204, "{session}")],

    "POST /agent/{}/chat/stream": [of(200, "plain", body=CHAT, **ANEW), of(200, "plain", **REST),
                                   Example(200, path="plain", body=MESSAGE)],
    "GET /agent/{}/chat/stream": [of(200, "plain", query=LINK + "&session_id={free}", **ANEW),
                                  of(200, "plain", query=LINK, **REST), Example(200, path="plain", query=LINK)],
    "POST /agent/{}/chat": [of(200, "plain", body=CHAT, **ANEW), Example(200, path="plain", body=MESSAGE)],
    "GET /health/agent/{}": [Example(200, path="plain")],
}


def routes_of_the_binary():
    done = subprocess.run([binary(), "routes", "--json"], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 0, f"braidlog routes --json: {done.stderr}"
    return {f"{route['method']} {route['path']}": route for route in json.loads(done.stdout)["routes"]}


# ---- requests, and the ids that fill them ----

@dataclass
class Objects:
    """What one person has: a session with a file and a live run that waits for an approval, a session without, and one
    whose tasks are done, with one of its tasks, artifacts and data items."""
    session: str
    run: str
    approval: str
    event: str
    free: str
    worked: str
    task: str      # this one and the next two as bare ULIDs
    artifact: str
    item: str
    file: str = "a.txt"

    def spelled(self, how):
        """With every id in another spelling; the event's stays."""
        def spell(prefixed):
            ulid = prefixed.rsplit("_", 1)[-1]
            return {"prefixed": prefixed, "ulid": ulid, "lower": ulid.lower(), "uuid": uuid_of(ulid),
                    "UUID": uuid_of(ulid).upper()}[how]
        return replace(self, session=spell(self.session), run=spell(self.run), approval=spell(self.approval),
                       free=spell(self.free), worked=spell(self.worked), task=spell(self.task),
                       artifact=spell(self.artifact), item=spell(self.item))


SPELLINGS = ("prefixed", "ulid", "lower", "uuid", "UUID")


def unlike(name):
    """An id that nobody has, made out of this one."""
    head, tail = name[:-6], name[-6:]
    return head + "".join(ALPHABET[(ALPHABET.index(character) + 7) % 32] for character in tail)


def unknown(objects):
    prefix, run, sequence = objects.event.split("_")
    return replace(objects, session=unlike(objects.session), run=unlike(objects.run), approval=unlike(objects.approval),
                   free=unlike(objects.free), event=f"{prefix}_{unlike(run)}_{sequence}", file="unknown.txt",
                   worked=unlike(objects.worked), task=unlike(objects.task), artifact=unlike(objects.artifact),
                   item=unlike(objects.item))


def objects_of(person, agent="asks"):
    api = person.api
    session, free = api.session(agent=agent), api.session(agent="plain")
    assert api.upload(session, "a.txt", b"alpha").status == 201
    if agent == "asks":
        _, run, approval = api.ask_to_write(session_id=session)
    else:
        run, approval = api.start(session, "a long story about rivers"), "appr_" + UNKNOWN_ULID
    with api.stream(session, run) as stream:
        event = stream.read_frames(1)[0].id
    return Objects(session, run, approval, event, free, **worked_of(person))


def worked_of(person):
    """A session whose tasks are done, made once and again when its artifact was deleted."""
    known = getattr(person, "worked", None)
    if known is None or person.api.call("GET", f"/sessions/{known['worked']}/artifacts/{known['artifact']}").status != 200:
        work = Tasks(person.api)
        work.plan("Plan the launch of our new product")
        work.execute()
        known = person.worked = {"worked": work.session, "task": ulid_of(work.tasks()[0]["id"]),
                                 "artifact": ulid_of(work.artifacts()[0]["id"]),
                                 "item": ulid_of(work.data_items()[0]["id"])}
    return known


def filled(value, objects):
    if isinstance(value, dict):
        return {key: filled(part, objects) for key, part in value.items()}
    if isinstance(value, str):
        for name in IDS:
            value = value.replace("{%s}" % name, getattr(objects, name))
    return value


def send(api, route, example, objects, credential=None, more=()):
    """The Reply, or the Stream where there is one. `credential`: headers instead of the Api's own."""
    method, pattern = route.split(" ")
    parts = filled(example.path, objects).split()
    assert len(parts) == len(CAPTURE.findall(pattern)), f"{route}: `path` has {len(parts)} words for its ids"
    target = CAPTURE.sub(lambda _: parts.pop(0), pattern)
    body = example.raw
    headers = [(name, filled(value, objects)) for name, value in example.headers]
    if example.body is not None:
        body = json.dumps(filled(example.body, objects)).encode()
        headers.append(JSON)
    elif body is None and method in ("POST", "PATCH"):
        body = b""
    headers = [*(api.credential if credential is None else credential), *headers, *more]
    target += filled(example.query, objects)
    return open_stream(api.port, target, headers, method=method, body=body, lines=example.lines)


def status_of(answer):
    if isinstance(answer, Stream):
        answer.close()
        return 200
    return answer.status


def wording(reply: Reply, objects):
    """Status, headers and body of an answer without what is never the same: dates, request ids, the ids asked for."""
    body = reply.body.decode()
    for name in IDS:
        body = body.replace(getattr(objects, name), "{%s}" % name)
    if reply.header("content-type") == "application/problem+json":
        body = {**json.loads(body), "instance": ""}
    headers = {name: values for name, values in reply.headers.items() if name not in ("date", "content-length")}
    return reply.status, headers, body
