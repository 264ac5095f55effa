"""The conversation contract: the answer at once, and the conversations so far."""
import pytest

from braid_client.agents import fail_agent
from braid_client.conversation import check_conversation, expect_detail, told_by
from braid_client.frames import joined
from braid_client.ids import UNKNOWN_UUID, UUID, session_id, spellings
from braid_client.people import Person
from braid_client.waiting import wait_for

NOT_FOUND = "Conversation not found"


# ---- without streaming ----

@pytest.mark.clause("CONVERSATION-37")
def test_an_answer_at_once(alice, talk):
    reply = talk.ask("say exactly: hello there")
    assert reply.status == 200 and reply.header("content-type").startswith("application/json")
    assert list(reply.json) == ["response", "user_id", "conversation_id", "conversation"]
    assert reply.json["response"] == "hello there" and reply.json["user_id"] == alice.user_id
    conversation = reply.json["conversation_id"]
    assert UUID.match(conversation)
    check_conversation(reply.json["conversation"])
    assert reply.json["conversation"] == talk.get(conversation).json
    again = talk.ask("hello", conversation_id=conversation, context="some")
    assert again.json["conversation_id"] == conversation and len(again.json["conversation"]["conversation"]) == 4
    assert again.json["response"] == talk.messages(conversation)[-1][1]


@pytest.mark.clause("CONVERSATION-37")
def test_tools_work_at_once_too(talk):
    reply = talk.ask("Can you check the system status?")
    assert reply.status == 200 and reply.json["response"].startswith("The server is healthy")


@pytest.mark.clause("CONVERSATION-37", "COMMON-57")
def test_the_run_of_a_plain_answer_can_be_streamed(talk):
    conversation = talk.ask("say exactly: hello there").json["conversation_id"]
    [run] = talk.api.get(f"/sessions/{conversation}/runs").json["items"]
    told = told_by(talk.replay(run["run_id"]))
    assert told.text == "hello there" and told.conversation == talk.get(conversation).json


@pytest.mark.clause("CONVERSATION-38")
@pytest.mark.parametrize("kind, status", [("provider_error", 502), ("rate_limit", 502), ("truncated", 502),
                                          ("timeout", 504), ("hang", 504), ("endless", 500)])
def test_no_answer_at_once(talk, kind, status):
    conversation = talk.with_agent(fail_agent(kind))
    expect_detail(talk.ask("a long story about rivers", conversation_id=conversation), status)
    assert talk.messages(conversation)[0] == ("user", "a long story about rivers")


@pytest.mark.clause("CONVERSATION-38")
def test_an_interrupted_answer_at_once(talk):
    from braid_client.wire import Connection, request_bytes
    conversation = talk.with_agent("slow")
    body = b'{"message":"a long story about rivers","conversation_id":"%s"}' % conversation.encode()
    with Connection(talk.api.port) as connection:
        headers = [*talk.api.credential, ("Content-Type", "application/json")]
        connection.send(request_bytes("POST", "/agent", headers, body))
        active = talk.api.get(f"/sessions/{conversation}")
        while active.json["active_run_id"] is None:
            active = talk.api.get(f"/sessions/{conversation}")
        assert talk.api.interrupt(conversation, active.json["active_run_id"]).status == 202
        expect_detail(connection.read_reply(), 409, "Run interrupted")


# ---- one conversation ----

@pytest.mark.clause("CONVERSATION-41")
def test_looking_at_a_conversation(talk):
    told = talk.say("say exactly: one")
    for spelling in spellings(told.id):
        reply = talk.get(spelling)
        assert reply.status == 200
        check_conversation(reply.json)
        assert reply.json == told.conversation


@pytest.mark.clause("CONVERSATION-41")
def test_a_conversation_under_way(talk):
    conversation, story = talk.with_agent("slow"), "say exactly: " + "word " * 60
    with talk.stream(story, conversation_id=conversation) as stream:
        stream.read_type("token", 3)
        assert talk.messages(conversation) == [("user", story)], "the answer comes as a whole"
        stream.read_to_end()
    assert len(talk.messages(conversation)) == 2


@pytest.mark.clause("CONVERSATION-42")
def test_a_new_title(talk):
    told = talk.say("say exactly: one")
    title = "Another \"title\" \u2028 😀"
    reply = talk.rename(told.id, title)
    assert reply.status == 200
    check_conversation(reply.json)
    assert reply.json["id"] == told.id and reply.json["title"] == title
    assert reply.json["conversation"] == told.conversation["conversation"]
    assert talk.get(told.id).json == reply.json
    assert talk.api.call("GET", f"/sessions/{told.id}").json["title"] == title
    again = talk.say("say exactly: two", conversation_id=told.id)
    assert again.start["conversation_title"] == again.conversation["title"] == title


@pytest.mark.clause("CONVERSATION-42", "CONVERSATION-3")
@pytest.mark.parametrize("fields", [{}, {"title": None}, {"title": ""}, {"title": " \n"}, {"title": 7},
                                    {"title": ["x"]}, {"title": "x" * 201}, {"title": "a\u0000b"}])
def test_titles_that_are_none(talk, fields):
    told = talk.say("say exactly: one")
    expect_detail(talk.api.call("PATCH", f"/agent/conversations/{told.id}", json=fields), 422)
    assert talk.get(told.id).json["title"] == "say exactly: one"
    assert talk.rename(told.id, "x" * 200).json["title"] == "x" * 200


@pytest.mark.clause("CONVERSATION-43")
def test_deleting_a_conversation(talk):
    told = talk.say("say exactly: one")
    reply = talk.delete(told.id)
    assert reply.status == 204 and reply.body == b""
    for gone in (talk.get(told.id), talk.delete(told.id), talk.rename(told.id, "x"),
                 talk.ask("hi", conversation_id=told.id), talk.try_stream("hi", conversation_id=told.id)):
        expect_detail(gone, 404, NOT_FOUND)
    assert told.id not in [item["id"] for item in talk.history("?limit=100").json["history"]]
    assert talk.try_stream(body=b"", last=told.frames[0].id).status == 204
    assert talk.api.get(f"/runs/{told.run}").status == 404


@pytest.mark.clause("CONVERSATION-43", "CONVERSATION-22", "COMMON-64")
def test_deleting_a_conversation_under_way(talk):
    conversation = talk.with_agent("slow")
    with talk.stream("a long story about rivers", conversation_id=conversation) as stream:
        stream.read_type("token", 3)
        assert talk.delete(conversation).status == 204
        told = told_by(stream.read_to_end().frames)
        assert stream.end == "clean"
    assert told.end == {"type": "error", "message": "Run interrupted"}
    expect_detail(talk.get(conversation), 404, NOT_FOUND)


@pytest.mark.clause("CONVERSATION-44")
@pytest.mark.fault(8)
@pytest.mark.parametrize("odd", [UNKNOWN_UUID, "nonsense", "%00", "..%2f..%2fetc", "0" * 10_000,
                                 session_id(UNKNOWN_UUID), "%20"], ids=lambda odd: odd[:40])
def test_a_conversation_that_is_not_there(talk, odd):
    for reply in (talk.get(odd), talk.delete(odd), talk.rename(odd, "x")):
        expect_detail(reply, 404, NOT_FOUND)


@pytest.mark.clause("CONVERSATION-19", "CONVERSATION-42")
@pytest.mark.parametrize("streamed", [True, False], ids=["stream", "at once"])
def test_a_new_title_while_the_answer_comes(talk, streamed):
    """The conversation at the end is the conversation as it is then."""
    from braid_client.api import at_once
    conversation = talk.with_agent("slow")
    message = "tell me something about rivers"

    def ask(index):
        if index == 0:
            wait_for(lambda: talk.messages(conversation), "the message")
            assert talk.rename(conversation, "Renamed").status == 200
            return None
        if not streamed:
            return talk.ask(message, conversation_id=conversation).json["conversation"]
        with talk.stream(message, conversation_id=conversation) as stream:
            return stream.read_to_end().frames[-2].data["conversation"]
    told = at_once(2, ask)[1]
    assert told["title"] == "Renamed" and told == talk.get(conversation).json


# ---- the history ----

@pytest.fixture(scope="module")
def carol(shared_town):
    """Somebody with seven conversations, the second of them touched last."""
    person = Person(shared_town.server, "carol")
    person.told = [person.talk.say(f"say exactly: number {index}") for index in range(7)]
    person.talk.say("say exactly: once more", conversation_id=person.told[1].id)
    person.order = [person.told[index].id for index in (1, 6, 5, 4, 3, 2, 0)]
    return person


def ids(reply):
    assert reply.status == 200, reply
    assert list(reply.json) == ["history", "next_cursor"]
    for item in reply.json["history"]:
        check_conversation(item)
    return [item["id"] for item in reply.json["history"]]


@pytest.mark.clause("CONVERSATION-39", "IDENTITY-22")
def test_the_history(carol):
    reply = carol.talk.history()
    assert ids(reply) == carol.order and reply.json["next_cursor"] is None
    for item in reply.json["history"]:
        assert item == carol.talk.get(item["id"]).json, "with all its messages"
    times = [item["updated_at"] for item in reply.json["history"]]
    assert times == sorted(times, reverse=True)


@pytest.mark.clause("CONVERSATION-39")
@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 8, 100])
def test_the_history_in_pages(carol, limit):
    seen, cursor = [], None
    while True:
        reply = carol.talk.history(f"?limit={limit}" + (f"&cursor={cursor}" if cursor else ""))
        page = ids(reply)
        assert 0 < len(page) <= limit
        seen += page
        cursor = reply.json["next_cursor"]
        if cursor is None:
            break
        assert len(page) == limit
    assert seen == carol.order


@pytest.mark.clause("CONVERSATION-39")
def test_a_page_does_not_move_while_one_reads(shared_town):
    dora = Person(shared_town.server, "dora")
    told = [dora.talk.say(f"say exactly: {index}") for index in range(4)]
    first = dora.talk.history("?limit=2")
    assert ids(first) == [told[3].id, told[2].id]
    dora.talk.say("say exactly: new")
    assert ids(dora.talk.history(f"?limit=2&cursor={first.json['next_cursor']}")) == [told[1].id, told[0].id]


@pytest.mark.clause("CONVERSATION-39")
@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=-1", "limit=x", "limit=", "limit=1.5",
                                   "limit=99999999999", "cursor=nonsense", "cursor=" + "x" * 1000],
                         ids=lambda query: query[:20])
def test_a_history_that_cannot_be_asked_for(talk, query):
    expect_detail(talk.history("?" + query), 422)


@pytest.mark.clause("CONVERSATION-39")
def test_twenty_without_a_limit(shared_town):
    erin = Person(shared_town.server, "erin")
    for _ in range(21):
        assert erin.api.call("POST", "/sessions").status == 201
    reply = erin.talk.history()
    assert len(ids(reply)) == 20 and reply.json["next_cursor"]
    assert len(ids(erin.talk.history(f"?cursor={reply.json['next_cursor']}"))) == 1
    assert len(ids(erin.talk.history("?limit=100"))) == 21


@pytest.mark.clause("CONVERSATION-40", "COMMON-57")
def test_sessions_of_other_contracts_are_conversations(talk):
    session = talk.api.session(agent="assistant")
    done = talk.api.run("say exactly: from runs", session_id=session)
    plain = talk.api.call("POST", "/sessions", json={"title": "Plain"}).json["id"]
    listed = {session_id(item["id"]): item for item in talk.history("?limit=5").json["history"]}
    assert listed[session]["conversation"][-1]["content"] == "from runs"
    assert listed[session_id(plain)]["title"] == "Plain" and listed[session_id(plain)]["conversation"] == []
    told = talk.say("hello", conversation_id=session)
    assert "This is your second message here" in told.text
    assert "calculator" in told.start["tool_names"], "the agent that the session was made with"
    told_by(talk.replay(done.run_id))
    assert joined(talk.api.read(session, told.run))
