"""Every command in README.md and docs/ is run, in its order, by a reader who has nothing but the document."""
import functools
import re
import shutil

import pytest

from braid_client.server import ROOT
from markdown_steps import steps
from reader import Failed, Reader, sdk_packages

DOCUMENTS = sorted(str(path.relative_to(ROOT)) for path in
                   [ROOT / "README.md", ROOT / "examples" / "agents" / "README.md", *(ROOT / "docs").rglob("*.md")])


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """packages() has @braidlog/client, built the first time that a document wants it."""
    return functools.cache(lambda: sdk_packages(tmp_path_factory.mktemp("packages")))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_it_says_is_so(name, tmp_path, packages, tally):
    done, not_done = tally
    plan = steps((ROOT / name).read_text())
    not_done += [(f"{name}:{step.line}", step.name) for step in plan if step.kind == "not run"]
    plan = [step for step in plan if step.kind != "not run"]
    if any(step.kind == "program" for step in plan) and shutil.which("node") is None:
        pytest.skip("node is not installed")
    if any(step.kind == "program" for step in plan) and not (ROOT / "test" / "clients" / "node_modules").exists():
        pytest.skip("npm ci was not run in test/clients")
    wants_packages = any("@braidlog/client" in step.text for step in plan)
    if wants_packages and packages() is None:
        pytest.skip("npm ci was not run in sdk/typescript")
    reader, fault = Reader(tmp_path / "reader", packages() if wants_packages else None), None
    try:
        for step in plan:
            reader.do(step)
            done[step.kind] += 1
    except Failed as failed:
        fault = f"{name}, {failed}\n--- log of the server\n{reader.server_log()}"
    finally:
        reader.close()
    if fault:
        pytest.fail(fault, pytrace=False)


LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<img[^>]*\bsrc=\"([^\"]+)\"")


def anchors(page):
    """The names of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-"))
    return found


@pytest.mark.parametrize("name", DOCUMENTS)
def test_its_links_lead_somewhere(name):
    page = ROOT / name
    text = re.sub(r"^(`{3,})[\s\S]*?^\1", "", page.read_text(), flags=re.MULTILINE)
    for match in LINK.finditer(text):
        target, _, anchor = (match.group(1) or match.group(2)).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), f"{name}: {target} is not there"
        assert not anchor or anchor in anchors(there), f"{name}: {target} has no #{anchor}"
