"""A model that fails while tasks are worked on: its task fails with an honest reason, the next one goes on, and nobody's work is
done twice. Faults 36, 37, 39 and 40 in the execution of the tasks contract, which has no message of a user to begin with."""
import pytest

from braid_client.ids import uuid_of
from braid_client.legal import check_legal
from braid_client.tasks import Tasks
from upstream.answers import Answer, refusal
from upstream.five import FIVE, begin, in_parallel, new_session
from upstream.place import place_fixture
from upstream.streams import PROTOCOLS, Call

pytestmark = pytest.mark.fault(36, 37, 39, 40)

WRITE = Call("file_write", {"path": "a.md", "content": "tide"})
TOOLS = ("set_tasks", "file_write")
place = place_fixture(limits={"model_retries_max": 0, "model_idle_timeout": 800, "model_first_token_timeout": 800},
                      agents=lambda upstream: {f"{name}-plans": upstream.agent(f"{name}-plans", name, tools=TOOLS)
                                               for name in PROTOCOLS})


def up_to_the_end(speak, *parts):
    events = speak.say(*parts)
    return events[:next(at for at, event in enumerate(events) if event.ends)]


FAULTS = {  # name -> what the model does when it is asked to work on the task
    "refuses": lambda speak: refusal(401),
    "fails": lambda speak: refusal(500),
    "has a page": lambda speak: refusal(200, body=b"<html>RAW-UPSTREAM-BODY</html>", kind="text/html"),
    "breaks off": lambda speak: Answer(up_to_the_end(speak, "It looks whole.")),
    "breaks off in a call": lambda speak: Answer(up_to_the_end(speak, "I write.", [WRITE])[:-1], framing="close"),
    "is cut by the length": lambda speak: Answer(speak.say("I write.", [WRITE], reason="length")),
    "falls silent": lambda speak: Answer(up_to_the_end(speak, "Well,"), hold=True),
}


def plan(place, protocol, orders):
    """A session with one task for each order."""
    speak, agent = PROTOCOLS[protocol], f"{protocol}-plans"
    tasks = [{"title": f"Do {order.rsplit(' ', 1)[1]}", "description": "Nothing else."} for order in orders]
    message = place.upstream.order(Answer(speak.say("", [Call("set_tasks", {"tasks": tasks})])), Answer(speak.say("Planned.")))
    session = new_session(place.api, agent)
    begin("tasks", place.api, agent, message, session)
    return session, Tasks(place.api, uuid_of(session))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_task_whose_model_fails(place, fault):
    def visit(protocol):
        speak = PROTOCOLS[protocol]
        reflects = Answer(speak.say("So it is."))
        bad = place.upstream.order(FAULTS[fault](speak), reflects)
        good = [place.upstream.order(Answer(speak.say("Done well.")), reflects) for _ in range(2)]
        session, work = plan(place, protocol, [good[0], bad, good[1]])
        told = work.execute()
        assert told.end["summary"] == {"total": 3, "completed": 2, "failed": 1}, told.end
        [error] = told.of("error")
        assert error["taskId"] and error["error"] and "RAW" not in error["error"], error
        assert work.statuses() == ["done", "failed", "done"], work.statuses()
        assert place.api.files(session) == {}
        run = max(run["run_id"] for run in work.runs())
        for contract in FIVE:
            frames = work.api.call("GET", f"/api/v1/runs/{run}/stream?contract={contract}")
            assert frames.status == 200
        check_legal("tasks", work.replay(run).frames, run, session, executes=True)
        for order in (bad, *good):
            assert len(place.upstream.asked(order)) == 2, "the work, and the reflection"
    in_parallel(2, [lambda p=protocol: visit(p) for protocol in PROTOCOLS])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_task_that_uses_a_tool(place, protocol):
    speak = PROTOCOLS[protocol]
    orders = [place.upstream.order(Answer(speak.say("I write.", [Call("file_write", {"path": f"{n}.md", "content": "x"})])),
                                   Answer(speak.say("Written.")), Answer(speak.say("Good."))) for n in range(3)]
    session, work = plan(place, protocol, orders)
    told = work.execute()
    assert told.end["summary"] == {"total": 3, "completed": 3, "failed": 0}, told.end
    assert set(place.api.files(session)) == {"0.md", "1.md", "2.md"}
    assert [len(place.upstream.asked(order)) for order in orders] == [3, 3, 3]
