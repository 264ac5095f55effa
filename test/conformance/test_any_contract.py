"""Any run in any contract: legal everywhere, the same bytes as on the contract's own route, resumable by any id."""
import json
import random

import pytest

from braid_client.api import expect_error
from braid_client.chat import Chat, run_of
from braid_client.conversation import Conversations
from braid_client.frames import Frame, joined
from braid_client.legal import LINES, apart, check_legal, place
from braid_client.people import Person, bearer
from braid_client.steps import Steps
from braid_client.tasks import Tasks
from braid_client.waiting import wait_for
from braid_client.wire import Stream, open_stream

SINGLE = ("steps", "runs", "chat", "conversation", "tasks")
CONTRACTS = (*SINGLE, "all")
RESUMABLE = tuple(contract for contract in CONTRACTS if contract != "tasks")  # whose frames have ids
ODD = 'one\u0085two\u2028three "four" \\ 😀\n\nevent: error\nid: evt_1\ndata: {"type":"done"}\n\nend'


def open_run(api, run_id, contract, last=None, query=None, prefix="/api/v1"):
    target = f"{prefix}/runs/{run_id}/stream?contract={contract}" + (f"&last_event_id={query}" if query else "")
    headers = [*api.credential, *([("Last-Event-ID", last)] if last else [])]
    return open_stream(api.port, target, headers, lines=LINES[contract])


def read_run(api, run_id, contract, **options):
    stream = open_run(api, run_id, contract, **options)
    assert isinstance(stream, Stream), stream
    with stream:
        stream.read_to_end()
    assert stream.end == "clean" and not stream.reader.rest, stream.frames[-1:]
    api.check_silence(stream.payload)
    return stream.frames


# ---- a small set of runs in which everything happens ----

def runs_of_runs(api):
    plain = {"text": ("asks", "say exactly: hello"), "odd text": ("asks", "say exactly: " + ODD),
             "thoughts": ("asks", "think about rivers"), "a tool": ("counts", "what is 12*7?"),
             "knowledge": ("support", "Is my tent still under warranty?"),
             "an alert": ("operator", "alert the admin: the disk is full"),
             "a tool that fails": ("asks", "read nothing-there.md"), "two writes": ("auto", "Write a haiku to a.md and b.md"),
             "denied": ("denies", "Write a haiku to a.md"), "out of time": ("impatient", "Write a haiku to a.md"),
             "no steps left": ("one-step", "list files"), "without tools": ("no-tools-today", "say exactly: hello")}
    kinds = ("provider-error", "rate-limit", "timeout", "truncated", "cut-in-args", "bad-args", "unknown-tool", "no-usage",
             "empty")
    plain |= {kind: ("fail-" + kind, "hello") for kind in kinds}
    found = {name: api.start(api.session(agent=agent), message) for name, (agent, message) in plain.items()}

    session, found["rejected"], approval = api.ask_to_write(agent="asks")
    assert api.reject(session, approval, json={"reason": "not now"}).status == 200
    session, found["approved"], approval = api.ask_to_write(agent="asks")
    assert api.approve(session, approval).status == 200
    session, found["the end by a rejection"], approval = api.ask_to_write(agent="gives-up")
    assert api.reject(session, approval).status == 200
    session, found["interrupted while it waits"], approval = api.ask_to_write(agent="asks")
    assert api.interrupt(session, found["interrupted while it waits"]).status == 202
    session = api.session(agent="very-slow")
    found["interrupted in mid text"] = api.start(session, "a long story about lighthouses")
    with api.stream(session, found["interrupted in mid text"]) as stream:
        stream.read_type("assistant_delta", 2)
    assert api.interrupt(session, found["interrupted in mid text"]).status == 202
    return found


def runs_of_chat(api):
    chat = Chat(api, "support")
    found = {"chat: knowledge": chat.ask("What is your return policy?").run_id,
             "chat: text": chat.ask("say exactly: " + ODD, agent="asks").run_id,
             "chat: a failure": chat.ask("hello", agent="fail-truncated").run_id}
    left = chat.post("a long story about lighthouses", agent="very-slow")
    left.read_type("message_delta", 2)
    session = left.frames[0].data["session_id"]
    waiting = chat.post("say exactly: never", session_id=session, agent="asks")
    wait_for(lambda: len(chat.runs(session)) == 2, "the turn that waits")
    waiting.close()
    found["chat: dropped"] = wait_for(lambda: [run for run in chat.runs(session) if run["status"] == "interrupted"],
                                      "the turn to be dropped")[0]["run_id"]
    left.close()
    found["chat: the client left"] = run_of(left.frames[0].id)
    asking = chat.post("Write a haiku to a.md", agent="asks")
    asking.read_type("tool_call_args")
    api.wait_pending(asking.frames[0].data["session_id"])
    asking.close()
    found["chat: the client left a question"] = run_of(asking.frames[0].id)
    return found


def runs_of_conversation(api):
    talk = Conversations(api)
    first = talk.say("hello")
    found = {"conversation: text": first.run,
             "conversation: a second message": talk.say("say exactly: " + ODD, conversation_id=first.id).run,
             "conversation: a tool": talk.say("what is the system status?").run,
             "conversation: an alert": talk.say("alert the admin: the disk is full").run}
    failing = talk.with_agent("fail-provider-error")
    found["conversation: a failure"] = talk.say("hello", conversation_id=failing).run
    return found


def runs_of_steps(api):
    steps = Steps(api)
    found = {"steps: code": steps.ask("What is 6 * 7?").run, "steps: text": steps.ask("say exactly: " + ODD, agent="plain").run,
             "steps: tools": steps.ask("Write a haiku to a.md and b.md", agent="auto").run,
             "steps: a failure": steps.ask("hello", agent="fail-truncated").run}
    session = steps.session("very-slow")
    with steps.stream(session, "a long story about lighthouses") as stream:
        stream.read_frames(1)
        assert steps.interrupt(session).status == 200
    found["steps: interrupted"] = run_of(stream.frames[0].id)
    return found


def runs_of_tasks(api):
    """Of the last one the name says that it is an execution."""
    work = Tasks(api)
    found = {}

    def note(name):
        [found[name]] = {run["run_id"] for run in work.runs()} - set(found.values())
    work.plan("help me")
    note("tasks: a question")
    work.plan("Use these tasks: Research prices; An impossible thing; Define the goal; Summarize it")
    note("tasks: a plan")
    work.execute()
    note("tasks: executed")
    work.plan("Organize a street festival with a stage in three tasks")
    note("tasks: planned again")
    slow = Tasks(api, agent="slow-planner")
    slow.plan("Plan the launch of our new product")
    with slow.stream("execute") as stream:
        stream.read_type("task_completed")
        found["tasks: executed in part"] = slow.run()
        assert api.interrupt(slow.session, found["tasks: executed in part"]).status == 202
    return found


def is_execution(name):
    return name.startswith("tasks: executed")


def all_kinds_of_runs(api):
    found = {**runs_of_runs(api), **runs_of_chat(api), **runs_of_conversation(api), **runs_of_steps(api), **runs_of_tasks(api)}
    for name, run in found.items():
        wait_for(lambda: api.get(f"/runs/{run}").json["status"] in ("completed", "failed", "interrupted"), f"the end of {name}")
    return found


NAMES = sorted([
    "text", "odd text", "thoughts", "a tool", "knowledge", "an alert", "a tool that fails", "two writes", "denied",
    "out of time", "no steps left", "without tools", "provider-error", "rate-limit", "timeout", "truncated",
    "cut-in-args", "bad-args", "unknown-tool", "no-usage", "empty", "rejected", "approved", "the end by a rejection",
    "interrupted while it waits", "interrupted in mid text", "chat: knowledge", "chat: text", "chat: a failure",
    "chat: dropped", "chat: the client left", "chat: the client left a question", "conversation: text",
    "conversation: a second message", "conversation: a tool", "conversation: an alert", "conversation: a failure",
    "steps: code", "steps: text", "steps: tools", "steps: a failure", "steps: interrupted", "tasks: a question",
    "tasks: a plan", "tasks: planned again", "tasks: executed", "tasks: executed in part"])


@pytest.fixture(scope="module")
def reader(shared_town):
    """A user of the shared server whom no other test knows."""
    return Person(shared_town.server, "rita").api


@pytest.fixture(scope="module")
def found(reader):
    """name -> run, each of them over"""
    found = all_kinds_of_runs(reader)
    assert sorted(found) == NAMES
    return found


@pytest.fixture(scope="module")
def streams(reader, found):
    """(name, contract) -> frames"""
    return {(name, contract): read_run(reader, run, contract) for name, run in found.items() for contract in CONTRACTS}


# ---- each of them is legal ----

@pytest.mark.clause("ANY-1", "ANY-4", "CHAT-10", "CHAT-14", "CHAT-18")
@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("name", NAMES)
def test_every_run_is_legal_in_every_contract(found, streams, name, contract):
    check_legal(contract, streams[name, contract], found[name], executes=is_execution(name))


@pytest.mark.clause("ANY-5")
@pytest.mark.parametrize("name", NAMES)
def test_every_contract_tells_the_same_text(streams, name):
    fields = {"runs": ("assistant_delta", lambda frame: frame.payload["text"]),
              "chat": ("message_delta", lambda frame: frame.data["delta"]),
              "conversation": ("token", lambda frame: frame.data["content"])}
    texts = {contract: [(place(frame.id)[0], text(frame)) for frame in streams[name, contract] if frame.type == kind]
             for contract, (kind, text) in fields.items()}
    assert texts["runs"] == texts["chat"] == texts["conversation"]


@pytest.mark.clause("ANY-5")
@pytest.mark.parametrize("name", NAMES)
def test_every_contract_tells_the_same_end(streams, name):
    end, shown = streams[name, "runs"][-1], streams[name, "steps"][-2].data
    if end.type == "run_completed":
        output = shown["output"]
        assert (output if isinstance(output, str) else json.dumps(output, separators=(",", ":"))) == end.payload["final_text"]
    elif end.type == "run_failed":
        assert shown["error"] == end.payload["message"]
    else:
        assert shown["error"] == "Run interrupted"


@pytest.mark.clause("ANY-8", "ANY-9")
@pytest.mark.parametrize("name", NAMES)
def test_all_is_each_of_them(streams, name):
    parts = apart(streams[name, "all"])
    assert set(parts) == {contract for contract in SINGLE if streams[name, contract]}
    for contract in SINGLE:
        assert parts.get(contract, b"") == joined(streams[name, contract]), contract
    for frame in streams[name, "all"]:
        assert frame.raw.startswith(b"id: ") and set(frame.data) == {"contract", "frame"}


@pytest.mark.clause("ANY-8")
def test_the_order_within_an_event(streams):
    first = [frame.data["contract"] for frame in streams["text", "all"][:4]]
    assert first == ["steps", "runs", "chat", "conversation"], "tasks has nothing for the start of a run"
    last = [frame.data["contract"] for frame in streams["text", "all"][-7:]]
    assert last == ["steps", "steps", "runs", "chat", "conversation", "conversation", "tasks"]


# ---- and the checkers can fail ----

@pytest.mark.parametrize("contract", RESUMABLE)
@pytest.mark.parametrize("name", ["approved", "chat: knowledge", "cut-in-args", "steps: code"])
def test_a_stream_with_a_frame_too_few_or_too_many_is_not_legal(found, streams, name, contract):
    frames = streams[name, contract]
    wrong = {"without its start": frames[1:], "without its end": frames[:-1], "its end twice": [*frames, frames[-1]],
             "its start twice": [frames[0], *frames], "the end first": [frames[-1], *frames[:-1]],
             "two frames changed": [*frames[:1], frames[2], frames[1], *frames[3:]], "of another run": None}
    for what, bad in wrong.items():
        if contract == "all" and what in ("without its start", "without its end"):
            continue  # its frames are only the hull; what they hold is looked at apart
        run = found[name] if bad is not None else "run_01ARZ3NDEKTSV4RRFFQ69G5FAV"
        with pytest.raises((AssertionError, KeyError)):
            check_legal(contract, frames if bad is None else bad, run)
            raise ValueError(f"{name} as {contract}, {what}: taken for legal")


@pytest.mark.parametrize("contract", SINGLE)
def test_a_stream_with_a_wrong_field_is_not_legal(found, streams, contract):
    frames = streams["chat: knowledge", contract]
    for index, frame in enumerate(frames):
        bad = Frame(frame.raw, frame.type, frame.id, {**frame.data, "surprise": 1})
        if contract == "runs":
            bad.data.pop("payload")
        with pytest.raises((AssertionError, KeyError)):
            check_legal(contract, [*frames[:index], bad, *frames[index + 1:]], found["chat: knowledge"])


@pytest.mark.clause("TASKS-15")
def test_an_execution_out_of_order_is_not_legal(found, streams):
    """Frames of tasks have no ids: that a frame is missing, twice or in another place shows by the order alone."""
    frames = streams["tasks: executed", "tasks"]
    for index in range(len(frames)):
        wrong = {"missing": [*frames[:index], *frames[index + 1:]], "twice": [*frames[:index + 1], *frames[index:]]}
        if frames[index:index + 2][-1] is not frames[index]:
            wrong["changed"] = [*frames[:index], frames[index + 1], frames[index], *frames[index + 2:]]
        for what, bad in wrong.items():
            kinds = {frame.type for frame in frames[index:index + 2]}
            if what != "changed" and kinds & {"artifact_created", "data_modified"}:
                continue  # a call may leave nothing, or several things
            with pytest.raises((AssertionError, KeyError)):
                check_legal("tasks", bad, found["tasks: executed"], executes=True)
                raise ValueError(f"{frames[index].data} {what}: taken for legal")


# ---- the routes ----

@pytest.mark.clause("ANY-1")
def test_without_a_contract_it_is_runs(reader, found, streams):
    for prefix in ("/api/v1", ""):
        for contract in CONTRACTS:
            assert joined(read_run(reader, found["a tool"], contract, prefix=prefix)) == joined(streams["a tool", contract])
        stream = open_stream(reader.port, f"{prefix}/runs/{found['a tool']}/stream", reader.credential)
        assert bytes(stream.read_to_end().payload) == joined(streams["a tool", "runs"])
        stream.close()


@pytest.mark.clause("ANY-2")
def test_a_contract_that_is_none(reader, found):
    for name in ("", "telepathy", "RUNS", "chat,runs", "chat%00", "chat/", "all ", "%F0%9F%92%A5", "x" * 5000):
        for prefix in ("/api/v1", ""):
            reply = reader.call("GET", f"{prefix}/runs/{found['text']}/stream?contract={name.replace(' ', '%20')}")
            expect_error(reply, 400, "BAD_REQUEST")


@pytest.mark.clause("ANY-2")
@pytest.mark.fault(23)
def test_a_run_that_is_none_or_somebody_elses(reader, found, town):
    for contract in CONTRACTS:
        for run in ("run_01ARZ3NDEKTSV4RRFFQ69G5FAV", "nonsense"):
            expect_error(reader.get(f"/runs/{run}/stream?contract={contract}"), 404, "RUN_NOT_FOUND")
        expect_error(town.bob.api.get(f"/runs/{found['text']}/stream?contract={contract}"), 404, "RUN_NOT_FOUND")
        expect_error(town.nobody.get(f"/runs/{found['text']}/stream?contract={contract}"), 401, "UNAUTHORIZED")
        assert joined(read_run(town.ada.api, found["text"], contract)), "an admin may read"


@pytest.mark.clause("ANY-2")
def test_past_retention(new_server):
    server = new_server(arguments=["--retention", "1s"])
    done = Chat(server.api, "asks").ask("say exactly: hello")
    wait_for(lambda: server.api.get(f"/runs/{done.run_id}/stream?contract=chat", timeout=5).status == 410, "the events to go")
    for contract in CONTRACTS:
        for last in (None, done.end.id):
            expect_error(open_run(server.api, done.run_id, contract, last=last), 410, "REPLAY_UNAVAILABLE")


@pytest.mark.clause("ANY-3")
def test_it_is_what_the_contract_itself_shows(reader):
    chat, talk = Chat(reader, "support"), Conversations(reader)
    done = chat.ask("What is your return policy?")
    assert joined(read_run(reader, done.run_id, "chat")) == done.bytes
    told = talk.say("what is the system status?")
    assert joined(read_run(reader, told.run, "conversation")) == told.bytes
    begun = reader.run("what is 12*7?", agent="counts")
    assert joined(read_run(reader, begun.run_id, "runs")) == begun.bytes


# ---- coming back ----

@pytest.mark.clause("ANY-6")
@pytest.mark.fault(13)
@pytest.mark.parametrize("contract", RESUMABLE)
@pytest.mark.parametrize("name", ["two writes", "rejected", "chat: knowledge", "conversation: an alert", "steps: code",
                                  "steps: tools"])
def test_after_every_frame_exactly_the_rest(reader, found, streams, name, contract):
    frames, run = streams[name, contract], found[name]
    for index, frame in enumerate(frames[:-1]):
        assert joined(read_run(reader, run, contract, last=frame.id)) == joined(frames[index + 1:]), frame.id
    sample = frames[len(frames) // 2]
    assert joined(read_run(reader, run, contract, query=sample.id)) == joined(frames[len(frames) // 2 + 1:])
    over = open_run(reader, run, contract, last=frames[-1].id)
    assert not isinstance(over, Stream) and over.status == 204
    for wrong in ("nonsense", "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV_0000000002", frames[0].id + "9"):
        assert joined(read_run(reader, run, contract, last=wrong)) == joined(frames), wrong


@pytest.mark.clause("ANY-7")
@pytest.mark.parametrize("name", ["approved", "rejected", "chat: knowledge", "conversation: an alert", "steps: code"])
def test_an_id_of_one_contract_in_another(reader, found, streams, name):
    run, lottery = found[name], random.Random(name)
    for given in RESUMABLE:
        for contract in RESUMABLE:
            frames = streams[name, given]
            few = len(frames) < 6 or (given != contract and len(frames) < 20)
            for frame in frames if few else lottery.sample(frames, 6):
                after = place(frame.id)
                # To its own contract an id is that frame; to any other one it is the whole event.
                expected = [other for other in streams[name, contract]
                            if (place(other.id) > after if given == contract else place(other.id)[0] > after[0])]
                answer = open_run(reader, run, contract, last=frame.id)
                if not expected:
                    assert not isinstance(answer, Stream) and answer.status == 204, (given, contract, frame.id)
                    continue
                with answer:
                    assert bytes(answer.read_to_end().payload) == joined(expected), (given, contract, frame.id)


@pytest.mark.clause("ANY-12", "ANY-11")
def test_a_live_run_in_every_contract(api):
    chat = Chat(api, "slow")
    with chat.post("say exactly: " + "word " * 40 + "end") as stream:
        stream.read_type("message_delta", 2)
        run = run_of(stream.frames[0].id)
        viewers = {contract: open_run(api, run, contract) for contract in CONTRACTS}
        for contract, viewer in viewers.items():
            viewer.read_frames(1 if contract == "steps" else 6)  # which shows a text when it is whole
            assert viewer.end == ""
        viewers["runs"].connection.reset()
        done = chat.read(stream)
    assert done.end.type == "stream_end"
    for contract in CONTRACTS:
        if contract == "runs":
            continue
        viewers[contract].read_to_end()
        assert viewers[contract].end == "clean"
        check_legal(contract, viewers[contract].frames, run)
        assert joined(viewers[contract].frames) == joined(read_run(api, run, contract))
        viewers[contract].close()


# ---- after a crash ----

@pytest.mark.clause("ANY-10", "ANY-4", "ANY-9")
@pytest.mark.fault(30)
@pytest.mark.parametrize("hard", [True, False])
def test_after_a_restart(new_server, hard):
    server = new_server(limits={"drain_grace": 200})
    key = Person(server, "rita").key
    api = server.api.showing(bearer(key))
    found = {**runs_of_chat(api), **runs_of_conversation(api)}
    waiting, found["waits"], approval = api.ask_to_write(agent="asks")
    found["is told"] = api.start(api.session(agent="slow"), "say exactly: " + "word " * 30 + "end")
    live = [Chat(api, "very-slow").post("a long story about lighthouses"),
            Chat(api, "asks").post("Write a haiku to a.md")]
    for stream in live:
        stream.read_frames(3)
    found |= {"chat: live": run_of(live[0].frames[0].id), "chat: asks": run_of(live[1].frames[0].id)}
    for name in ("chat: the client left", "chat: the client left a question"):
        wait_for(lambda: api.get(f"/runs/{found[name]}").json["status"] == "interrupted", name)
    viewers = {(name, contract): open_run(api, run, contract) for name, run in found.items() for contract in CONTRACTS}
    for (_, contract), viewer in viewers.items():
        viewer.read_frames({"steps": 1, "tasks": 0}.get(contract, 2))
    server.restart(hard=hard)
    api = server.api.showing(bearer(key))
    assert api.approve(waiting, approval).status == 200
    for name, run in found.items():
        wait_for(lambda: api.get(f"/runs/{run}").json["status"] in ("completed", "failed", "interrupted"), f"the end of {name}")
        after = {contract: read_run(api, run, contract) for contract in CONTRACTS}
        for contract, frames in after.items():
            check_legal(contract, frames, run)
            viewer = viewers[name, contract]
            viewer.read_to_end()
            assert joined(frames).startswith(joined(viewer.frames)), f"{name} as {contract}: what was seen is not what is there"
            viewer.close()
        assert apart(after["all"]) == {contract: joined(after[contract]) for contract in SINGLE if after[contract]}, name
    assert {api.get(f"/runs/{found[name]}").json["status"] for name in ("waits", "is told")} == {"completed"}
    assert {api.get(f"/runs/{found[name]}").json["status"] for name in ("chat: live", "chat: asks")} == {"interrupted"}
    for stream in live:
        stream.close()
