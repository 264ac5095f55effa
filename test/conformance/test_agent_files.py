"""Agent files on the real server: the three examples of docs/agents.md, hot reload, and `agents check`."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import urllib.request

import pytest

from braid_client.agents import agent
from braid_client.server import ROOT, binary, clean_environment
from braid_client.steps import Steps
from braid_client.upstream import Call, End, Hold, Refuse, Say, Upstream
from braid_client.waiting import wait_for

EXAMPLES = ROOT / "examples" / "agents"
FILES_SERVER = ROOT / "test/mcp/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
KEY, TOKEN = "sk-test-5up3r-s3cr3t", "shop-t0k3n-f0r-t3sts"


@pytest.fixture
def new_upstream():
    made = []

    def make():
        made.append(Upstream())
        return made[-1]

    yield make
    for upstream in made:
        upstream.close()


@pytest.fixture
def upstream(new_upstream):
    return new_upstream()


@pytest.fixture
def example(tmp_path, upstream, new_server):
    """example(NAME, {old: new}, …): a server over a copy of that example, where each `old` of its file is `new`."""
    def start(name, changes=None, environment=None, **options):
        folder = tmp_path / name
        shutil.copytree(EXAMPLES / name, folder)
        path = folder / f"{name}.yaml"
        text = path.read_text()
        for old, new in (changes or {}).items():
            assert old in text, f"{old!r} is not in {path.name} any more"
            text = text.replace(old, new)
        path.write_text(text)
        server = new_server(agents=None, arguments=["--agents", str(folder)],
                            environment={"OPENAI_BASE_URL": upstream.base_url, "OPENAI_API_KEY": KEY,
                                         **(environment or {})}, **options)
        server.example = folder
        return server
    return start


def agents_of(server):
    return {item["name"]: item for item in server.api.call("GET", "/agents").json["agents"]}


def offered(request):
    return [tool["function"]["name"] for tool in request.body["tools"]]


def result_of(request):
    """What the model was told of its last tool call."""
    assert request.messages[-1]["role"] == "tool", request.messages[-1]
    return request.messages[-1]["content"]


def call_tool(server, upstream, agent_name, name, arguments, session_id=None):
    """A run in which the model makes this call and then says so: (what it was told, the run)."""
    before = len(upstream.requests)
    upstream.script(Call(name, arguments), End("tool_calls"))
    upstream.script(Say("I have done it."), End())
    done = server.api.run("Do it", session_id=session_id, **({} if session_id else {"agent": agent_name}))
    assert done.end.payload["final_text"] == "I have done it.", done.end
    return result_of(upstream.requests[before + 1]), done


def ask_for(server, upstream, agent_name, name, arguments):
    """The same for a call that a person must let through: (session, run, approval)."""
    upstream.script(Call(name, arguments), End("tool_calls"))
    upstream.script(Say("I have done it."), End())
    session_id = server.api.session(agent=agent_name)
    run_id = server.api.start(session_id, "Do it")
    return session_id, run_id, server.api.wait_pending(session_id)[0]["approval_id"]


# ---- the examples ----

@pytest.fixture
def shop():
    """The stand-in of the example, on a free port: its address."""
    process = subprocess.Popen([sys.executable, str(EXAMPLES / "orders" / "shop_api.py"), "0"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, env={**os.environ, "SHOP_TOKEN": TOKEN})
    line = process.stdout.readline()
    yield re.search(r"127\.0\.0\.1:\d+", line)[0]
    process.kill()
    process.wait()


def shop_order(shop, number):
    request = urllib.request.Request(f"http://{shop}/orders/{number}", headers={"Authorization": f"Bearer {TOKEN}"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return json.load(opener.open(request, timeout=10))


@pytest.fixture
def orders(example, shop, upstream):
    server = example("orders", {"127.0.0.1:8099": shop}, environment={"SHOP_TOKEN": TOKEN})
    server.api.never_shown.append(TOKEN.encode())
    yield server
    kept = b"".join(path.read_bytes() for path in server.data.rglob("*") if path.is_file())
    assert TOKEN not in server.log() and TOKEN.encode() not in kept
    assert all(TOKEN not in json.dumps(request.body) for request in upstream.requests)


def test_orders_are_looked_up(orders, upstream):
    assert agents_of(orders)["orders"]["tools"] == ["current_datetime", "get_order", "list_orders", "cancel_order"]
    told, _ = call_tool(orders, upstream, "orders", "get_order", {"id": "1002"})
    assert "kettle" in told and "open" in told
    assert offered(upstream.requests[0]) == ["current_datetime", "get_order", "list_orders", "cancel_order"]
    schema = {tool["function"]["name"]: tool["function"]["parameters"] for tool in upstream.requests[0].body["tools"]}
    assert schema["get_order"] == {
        "type": "object", "required": ["id"], "additionalProperties": False,
        "properties": {"id": {"type": "string", "description": "The number of the order, four digits",
                              "pattern": "^[0-9]{4}$"}}}
    assert schema["list_orders"]["properties"]["limit"] == {"type": "integer", "minimum": 1, "maximum": 20}
    assert "order desk of a small shop" in upstream.requests[0].messages[0]["content"]
    told, _ = call_tool(orders, upstream, "orders", "list_orders", {"state": "sent", "limit": 5})
    assert "1001" in told and "1002" not in told
    told, _ = call_tool(orders, upstream, "orders", "get_order", {"id": "9999"})
    assert "404" in told and "no such order" in told
    told, _ = call_tool(orders, upstream, "orders", "get_order", {"id": "../admin"})
    assert "id" in told and "404" not in told, "what does not fit the schema is not sent"


def test_orders_are_cancelled_when_a_person_agrees(orders, upstream, shop):
    wish = {"id": "1002", "reason": "changed my mind"}
    session_id, run_id, approval_id = ask_for(orders, upstream, "orders", "cancel_order", wish)
    assert shop_order(shop, "1002")["state"] == "open"
    orders.api.reject(session_id, approval_id)
    orders.api.wait_over(session_id, run_id)
    assert shop_order(shop, "1002")["state"] == "open"
    session_id, run_id, approval_id = ask_for(orders, upstream, "orders", "cancel_order", wish)
    orders.api.approve(session_id, approval_id)
    assert orders.api.wait_over(session_id, run_id)["status"] == "completed"
    assert shop_order(shop, "1002") == {"id": "1002", "state": "cancelled", "items": ["kettle", "two cups"],
                                        "reason": "changed my mind"}


@pytest.fixture
def files(example):
    if not FILES_SERVER.exists() or shutil.which("node") is None:
        pytest.skip("the MCP server for files is not installed: run npm ci in test/mcp")
    command = '[npx, "-y", "@modelcontextprotocol/server-filesystem@2026.8.31", documents]'
    return example("files", {command: json.dumps(["node", str(FILES_SERVER), "documents"])})


def test_the_example_names_the_version_that_is_tested():
    package = json.loads((ROOT / "test/mcp/package.json").read_text())
    version = package["devDependencies"]["@modelcontextprotocol/server-filesystem"]
    assert f"@modelcontextprotocol/server-filesystem@{version}" in (EXAMPLES / "files" / "files.yaml").read_text()


def test_files_are_read_and_written(files, upstream):
    tools = ["docs__list_directory", "docs__move_file", "docs__read_text_file", "docs__search_files",
             "docs__write_file"]
    assert agents_of(files)["files"]["tools"] == tools, "those that the file names, and no others"
    told, _ = call_tool(files, upstream, "files", "docs__read_text_file", {"path": "opening-hours.md"})
    assert "on Saturdays from 10 to 14" in told
    assert offered(upstream.requests[0]) == tools
    new = {"path": "new.md", "content": "# New\n"}
    session_id, run_id, approval_id = ask_for(files, upstream, "files", "docs__write_file", new)
    assert not (files.example / "documents" / "new.md").exists()
    files.api.approve(session_id, approval_id)
    assert files.api.wait_over(session_id, run_id)["status"] == "completed"
    assert (files.example / "documents" / "new.md").read_text() == "# New\n"
    call_tool(files, upstream, "files", "docs__move_file",
              {"source": "new.md", "destination": "old.md"})
    assert (files.example / "documents" / "new.md").exists(), "denied, without a question"


def test_the_files_server_gets_nothing_of_our_secrets(files):
    children = subprocess.run(["pgrep", "-P", str(files.pid), "node"], capture_output=True, text=True).stdout.split()
    assert len(children) == 1
    environment = pathlib.Path(f"/proc/{children[0]}/environ").read_bytes()
    assert KEY.encode() not in environment and b"OPENAI" not in environment and b"PATH=" in environment


@pytest.fixture
def researcher(example, new_upstream):
    """The server and the model of its first fallback."""
    local = new_upstream()
    server = example("researcher", {"127.0.0.1:11434": f"127.0.0.1:{local.port}"}, limits={"model_retries_max": 0})
    return server, local


def block(code):
    return f"I go on.\n```python\n{code}\n```\n"


def test_the_researcher_searches_and_calculates(researcher, upstream):
    server, local = researcher
    upstream.script(Say("I search, then I add."), End())
    upstream.script(Say(block("found = search_knowledge_base(query='sales 2024 turnover tea')\nprint(found)")), End())
    upstream.script(Say(block("final_answer(41200 + 38700 + 35100 + 52600)")), End())
    walk = Steps(server.api).ask("What did tea bring in 2024?", agent="researcher")
    assert walk.types[:2] == ["message", "planning"], walk.types
    assert "sales-2024.md" in walk.actions[0]["observations"] and "52600" in walk.actions[0]["observations"]
    assert "167600" in str(walk.output)
    first = upstream.requests[0].body
    assert (first["model"], first["temperature"]) == ("gpt-4o-mini", 0)
    assert not local.requests


def test_the_researcher_falls_back(researcher, upstream):
    server, local = researcher
    upstream.always(Refuse(503))
    local.always(Say(block("final_answer('from the fallback')")), End())
    walk = Steps(server.api).ask("Who answers?", agent="researcher")
    assert walk.output == "from the fallback"
    assert len(upstream.requests) == len(local.requests) and local.requests[0].body["model"] == "llama3.2"
    assert "authorization" not in local.requests[0].headers, "the key is for the other server"
    local.always(Refuse(503))
    walk = Steps(server.api).ask("What is 17 * 23 + 4?", agent="researcher")
    assert "395" in str(walk.output), "the model in the binary is the last to be asked"


# ---- agents check ----

def check_agents(folder, **environment):
    done = subprocess.run([binary(), "agents", "check", str(folder)], capture_output=True, text=True, timeout=60,
                          env={**clean_environment(), **environment})
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name, tools", [
    ("orders", "current_datetime, get_order, list_orders, cancel_order"), ("files", "docs__*"),
    ("researcher", "search_knowledge_base, current_datetime")])
def test_the_examples_are_good(name, tools):
    code, said, faults = check_agents(EXAMPLES / name, SHOP_TOKEN=TOKEN)
    assert (code, faults) == (0, "")
    assert re.search(rf"^{name}: good \({name}\.yaml, version [0-9a-f]{{12}}\)\n  model: .+\n  tools: {re.escape(tools)}$",
                     said, re.MULTILINE), said
    assert "\nwriter: good (built in, " in said and TOKEN not in said


def test_check_says_all_faults_and_starts_nothing(tmp_path):
    mark = tmp_path / "started"
    good = {"mcp": {"name": "fs", "command": ["touch", str(mark)]}}
    (tmp_path / "a.yaml").write_text(f"name: a\nmodel: {{provider: openai, name: m, fallback: [{{provider: offline}}]}}\n"
                                     f"tools: [calculator, {json.dumps(good)}]\n")
    (tmp_path / "b.yaml").write_text("name: b\nmodle: {}\ntools:\n  - http: {name: t, description: d, metod: GET,\n"
                                     "      url: 'http://x/{id}', headers: {Authorization: '${NOT_SET}'}}\n")
    (tmp_path / "c.yaml").write_text("name: c\ntools:\n  - http:\n      name: t\n      description: d\n      url: http://x\n"
                                     "      parameters: {type: object, properties: {a: {type: strnig}}}\n")
    (tmp_path / "d.yaml").write_text("name: d\ntools: [web_search]\n")
    code, said, faults = check_agents(tmp_path, OPENAI_API_KEY=KEY)
    assert code == 1
    lines = faults.splitlines()
    assert lines[:4] == [
        "b.yaml:2:1: unknown key 'modle' (did you mean 'model'?)",
        "b.yaml:4:37: unknown key 'metod' (did you mean 'method'?)",
        "b.yaml:5:12: 'url' has {id}, which is no property in 'parameters'",
        "b.yaml:5:54: header 'Authorization': the environment variable NOT_SET is not set"], faults
    assert lines[4].startswith("c.yaml:4:7: tool 't': parameters: "), faults
    assert lines[5].startswith("d.yaml:2:9: tool 'web_search' needs a search engine: set BRAIDLOG_SEARXNG_URL"), faults
    assert len(lines) == 6
    assert re.search(r"^a: good \(a\.yaml, version [0-9a-f]{12}\)\n  model: openai m, then offline\n"
                     r"  tools: calculator, fs__\*$", said, re.MULTILINE), said
    assert "b: good" not in said and not mark.exists()
    assert "a.yaml:2:8: the environment variable OPENAI_API_KEY" in check_agents(tmp_path)[2]


def test_a_server_does_not_start_with_a_fault(tmp_path):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "a.yaml").write_text("name: a\ntools: [{http: {name: t}}]\n")
    done = subprocess.run([binary(), "serve", "--dev", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "data"),
                           "--agents", str(tmp_path / "agents")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "a.yaml:2:16: 'http' needs a 'url'" in done.stderr


# ---- reload ----

@pytest.fixture
def server(new_server):
    return new_server(agents={"a": described("a", "first"), "b": described("b", "first")})


def described(name, description):
    return agent(name).replace(f"{name}, for tests", description)


def description(server, name):
    return agents_of(server).get(name, {}).get("description")


def wait_description(server, name, text):
    wait_for(lambda: description(server, name) == text, f"agent {name} to be described as {text!r}")


def faults_in_log(server):
    return re.findall(r'msg="agent file not loaded" file="([^"]*)" fault="((?:[^"\\]|\\.)*)" kept="([^"]*)"',
                      server.log())


def test_an_edit_is_loaded(server):
    server.write_agent("a", described("a", "second"))
    wait_description(server, "a", "second")
    server.wait_log(r'msg="agent loaded" agent="a" version="[0-9a-f]{12}"')
    assert description(server, "b") == "first"
    server.write_agent("c", described("c", "new"))
    wait_description(server, "c", "new")
    assert server.api.run("say exactly: hello", agent="c").end.payload["final_text"] == "hello"
    assert 'agent="b"' not in server.log(), "what has not changed is not loaded again"


def test_editors_that_put_a_new_file_in_the_place_of_the_old(server):
    folder = server.folder / "agents"
    for number in range(3):
        (folder / ".a.yaml.swp").write_text(described("a", f"moved {number}"))
        os.replace(folder / ".a.yaml.swp", folder / "a.yaml")
        wait_description(server, "a", f"moved {number}")


def test_a_broken_file_keeps_the_last_good_version(server):
    server.write_agent("a", described("a", "broken") + "foo: 1\nmax_steps: many\n")
    server.wait_log("max_steps")
    assert faults_in_log(server) == [("a.yaml", "a.yaml:10:1: unknown key 'foo'", "a"),
                                     ("a.yaml", "a.yaml:11:12: 'max_steps' must be a number from 1 to 64", "a")]
    assert description(server, "a") == "first"
    assert server.api.run("say exactly: still here", agent="a").end.payload["final_text"] == "still here"
    server.write_agent("b", described("b", "second"))
    wait_description(server, "b", "second")
    assert len(faults_in_log(server)) == 2, "it was said once"
    server.write_agent("a", described("a", "fixed"))
    wait_description(server, "a", "fixed")
    server.wait_log('msg="agent file is good again" file="a.yaml"')


def test_a_new_file_that_is_broken(server):
    server.write_agent("c", "name: c\nstyle: odd\n")
    server.wait_log("c.yaml:2:8")
    assert faults_in_log(server) == [("c.yaml", "c.yaml:2:8: 'style' must be tools or code", "none")]
    assert "c" not in agents_of(server)


def test_a_file_that_is_removed(server):
    server.write_agent("w", described("writer", "mine"))
    wait_description(server, "writer", "mine")
    server.remove_agent("w")
    wait_description(server, "writer", "Writes and edits the files of its workspace")
    server.remove_agent("a")
    wait_for(lambda: "a" not in agents_of(server), "agent a to go")
    server.wait_log('msg="agent removed" agent="a"')


def test_hangup_reads_everything_and_says_all_faults_again(server):
    server.write_agent("a", "name: a\nfoo: 1\n")
    server.wait_log("unknown key 'foo'")
    server.signal(signal.SIGHUP)
    server.wait_log('msg="agents reloaded" agents="8" changed="0" faults="1"')
    assert len(faults_in_log(server)) == 2
    assert description(server, "a") == "first" and server.alive()
    server.write_agent("a", described("a", "second"))
    server.signal(signal.SIGHUP)
    wait_description(server, "a", "second")


def test_hangup_without_a_folder(new_server):
    server = new_server(agents=None)
    server.signal(signal.SIGHUP)
    server.wait_log("nothing to reload")
    assert server.responds()


def test_what_a_file_names_is_watched_too(upstream, new_server, tmp_path):
    folder = tmp_path / "server0" / "agents"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "moss.md").write_text("# Moss\n\nSpray moss twice a week.\n")
    (folder / "text.md").write_text("You are kind.")
    text = upstream.agent(tools=["knowledge: {folder: docs}"])
    text = re.sub("instructions: .*", "instructions: {file: text.md}", text)
    server = new_server(agents={"upstream": text}, environment={"UPSTREAM_KEY": KEY})
    told, _ = call_tool(server, upstream, "upstream", "search_knowledge_base", {"query": "moss"})
    assert "twice a week" in told and upstream.requests[-1].messages[0]["content"].startswith("You are kind.")
    (folder / "text.md").write_text("You are brief.")
    server.wait_log('msg="agent loaded" agent="upstream"')
    (folder / "docs" / "moss.md").write_text("# Moss\n\nSpray moss every morning.\n")
    wait_for(lambda: server.log().count('msg="agent loaded" agent="upstream"') == 2, "the documents to be read again")
    told, _ = call_tool(server, upstream, "upstream", "search_knowledge_base", {"query": "moss"})
    assert "every morning" in told and upstream.requests[-1].messages[0]["content"].startswith("You are brief.")


def test_a_run_keeps_the_version_it_began_with(upstream, new_server):
    text = upstream.agent(tools=("calculator",)) + "description: first\n"
    server = new_server(agents={"upstream": text}, environment={"UPSTREAM_KEY": KEY})
    held = Hold()
    upstream.script(held, Call("calculator", {"expression": "6 * 7"}), End("tool_calls"))
    upstream.script(Say("42"), End())
    session_id = server.api.session(agent="upstream")
    run_id = server.api.start(session_id, "What is 6 * 7?")
    upstream.wait_request(1)
    server.write_agent("upstream", text.replace("bluewhale", "redfox").replace("first", "second")
                       .replace("  - calculator", "  - current_datetime"))
    wait_description(server, "upstream", "second")
    held.release.set()
    assert server.api.wait_over(session_id, run_id)["status"] == "completed"
    assert "42" in result_of(upstream.requests[1]), "its tool is still there for it"
    assert "bluewhale" in upstream.requests[1].messages[0]["content"]
    assert offered(upstream.requests[1]) == ["calculator"]
    server.api.run("And now?", session_id=session_id)
    assert "redfox" in upstream.requests[2].messages[0]["content"]
    assert offered(upstream.requests[2]) == ["current_datetime"]


def test_a_folder_that_goes_and_comes_back(server):
    folder = server.folder / "agents"
    folder.rename(server.folder / "away")
    server.wait_log("the agents folder cannot be read")
    assert description(server, "a") == "first"
    (server.folder / "away").rename(folder)
    server.write_agent("a", described("a", "second"))
    wait_description(server, "a", "second")


def test_stopping_in_the_middle_of_many_edits(server):
    for number in range(20):
        server.write_agent("a", described("a", f"edit {number}"))
    assert server.stop() == 0
