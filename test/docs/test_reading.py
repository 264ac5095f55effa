"""The reader of documents can fail: what it takes for equal, and what it does not."""
import pytest

from expected import Names
from markdown_steps import DocumentError, steps
from reader import Failed, Reader

RUN, OTHER = "run_01M7FCX28YE5VA8DJJH14CY2Y8", "run_01M7H11GBBE9P9VVGM2K619R9Z"


@pytest.mark.parametrize("expected, printed, fits", [
    (["one"], "one\n", True),
    (["one"], "one\ntwo\n", False),
    (["one", "two"], "one\n", False),
    (["one …"], "one two three", True),
    (["one … four"], "one\nfour", False),
    (["one", "…"], "one\ntwo\nthree\n", True),
    (["…", "three"], "one\ntwo\nthree\n", True),
    (["one", "…", "three"], "one\nthree", True),
    (["one", "…", "three"], "one\nthree\nfour", False),
    (["one", "…", "two", "…", "three"], "one\n1\ntwo\n2\nthree", True),
    (["one", "…", "two", "…", "three"], "one\n1\n2\nthree", False),
    (['{"a":1,', ' "b":2}'], '{"a":1,"b":2}', True),
    (['{"a":1,', ' "b":2}'], '{"a":1,"c":2}', False),
    (["list", "  item"], "list\n  item\n", True),
    ([f'{{"run_id":"{RUN}"}}'], f'{{"run_id":"{OTHER}"}}', True),
    ([RUN, RUN], f"{OTHER}\n{OTHER}", True),
    ([RUN, RUN], f"{OTHER}\n{RUN}", False),
    (["2026-11-15T10:43:59.902Z"], "2027-01-01T00:00:00.001Z", True),
    (["2026-11-15T10:43:59.902Z"], "yesterday", False),
    (["sess_01M7FFK9…"], "sess_01M7H11GBBE9P9VVGM2K619R9Z", True),
    (["sess_01M7FFK9…"], "run_01M7H11GBBE9P9VVGM2K619R9Z", False),
    (["a+b (c)"], "a+b (c)", True),
    (["a+b (c)"], "aab c", False),
])
def test_what_fits(expected, printed, fits):
    assert Names().match(expected, printed) is fits


def test_ids_are_remembered():
    names = Names()
    assert names.match([f"id: evt_{RUN[4:]}_0000000034", RUN], f"id: evt_{OTHER[4:]}_0000000031\n{OTHER}")
    assert names.apply(f"curl {RUN} evt_{RUN[4:]}_0000000034") == f"curl {OTHER} evt_{OTHER[4:]}_0000000031"
    assert not names.match([RUN], RUN)


def test_commands_and_what_they_print():
    found = steps("Text\n\n```console\n$ echo one\none\n$ echo \\\n    two\ntwo\n\n```\n")
    assert [(step.line, step.text, step.expected) for step in found] == [
        (4, "echo one", ["one"]), (6, "echo \\\n    two", ["two"])]
    assert [step.text for step in steps("```sh\n# why\na\ncat <<EOF\n$ x\nEOF\nb\n```\n")] == ["a", "cat <<EOF\n$ x\nEOF", "b"]


def test_remarks():
    found = steps("<!-- not run: needs root -->\n```sh\napt-get\n```\n<!-- file: a/b.yaml -->\n```yaml\nname: x\n```\n"
                  "<!-- fails -->\n```sh\na\nb\n```\n```js\nconsole.log(1)\n```\n\n```text\n1\n```\n")
    assert [(step.kind, step.name, step.fails) for step in found] == [
        ("not run", "needs root", False), ("file", "a/b.yaml", False), ("command", "", False), ("command", "", True),
        ("program", "", False)]
    assert found[-1].expected == ["1"]


@pytest.mark.parametrize("text", [
    "    $ ls\n", "```\n$ ls\n```\n", "```console\nls\n```\n", "```console\n$ ls\n", "<!-- not run: x -->\ntext\n```sh\nls\n```\n",
    "<!-- not run: -->\n```sh\nls\n```\n", "```ts\nf()\n```\n", "```sh\n# nothing\n```\n"])
def test_nothing_is_left_out_in_silence(text):
    with pytest.raises(DocumentError):
        steps(text)


@pytest.fixture
def reader(tmp_path):
    reader = Reader(tmp_path / "reader")
    yield reader
    reader.close()


@pytest.mark.parametrize("text", [
    "```sh\nfalse\n```\n", "<!-- fails -->\n```sh\ntrue\n```\n", "```console\n$ echo one\ntwo\n```\n",
    f"```sh\necho {RUN}\n```\n", "```sh\necho sess_01M7FFK9…\n```\n", "```js\nconsole.log(1)\n```\n\n```text\n2\n```\n",
    "```js\nconsole.log(1)\n```\n", "```js\nthrow new Error()\n```\n\n```text\n…\n```\n", "```sh\nbraidlog serve --nonsense\n```\n",
    "```sh\ncurl -s http://127.0.0.1:8000/nothing\n```\n"])
def test_what_is_not_so_is_said(reader, text):
    with pytest.raises(Failed):
        for step in steps(text):
            reader.do(step)


def test_variables_and_files_stay(reader):
    for step in steps("```sh\nA=1; echo two > b\n```\n<!-- file: c/d -->\n```text\nthree\n```\n```console\n$ echo $A; cat b c/d\n1\ntwo\nthree\n```\n"):
        reader.do(step)


def test_a_command_that_does_not_end_is_stopped_when_it_has_said_enough(reader):
    for step in steps("```console\n$ echo one; sleep 1000\none\n$ echo two\ntwo\n```\n"):
        reader.do(step)


def test_the_server_has_the_port_of_the_document_and_keeps_what_it_knew(reader):
    for step in steps("```console\n$ curl -s -X POST http://127.0.0.1:8000/sessions -d '{\"title\":\"kept\"}'\n"
                      '{"id":"01a1e030-02bf-73ed-b34b-f8128a0ed6b1",…}\n'
                      "$ braidlog serve --dev\nBraidlog is listening on http://127.0.0.1:8000\n"
                      "$ curl -s http://127.0.0.1:8000/sessions/01a1e030-02bf-73ed-b34b-f8128a0ed6b1\n"
                      '{…"title":"kept",…}\n```\n'):
        reader.do(step)
