"""The document against the real server: every answer of a story is as described, and everything described was seen."""
import console_stories  # noqa: F401: its stories are registered
import pytest
import refusals  # noqa: F401
import steps_stories  # noqa: F401
import stories  # noqa: F401
from live import STORIES, Live

# Answers that no test can bring about from outside: a fault of the server, a session that gets run after run while it
# is being deleted.
NEVER_SEEN = {500, "DELETE 409"}


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    live = Live(tmp_path_factory.mktemp("live"))
    yield live
    live.end()


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_every_answer_is_as_described(live, story):
    live.tell(story)


def test_every_described_answer_was_seen(live):
    for story in STORIES:
        live.tell(story)
    missing = [f"{operation} {status}" for operation in live.document.operations
               for status in live.document.statuses(operation)
               if (operation, status) not in live.seen
               and status not in NEVER_SEEN and f"{operation.method} {status}" not in NEVER_SEEN]
    assert not missing, "\n".join(missing)
