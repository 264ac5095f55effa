"""docs/console.md names the panels and keys that the console has."""
import re

from braid_client.server import ROOT

PAGE = (ROOT / "docs" / "console.md").read_text()


def test_panels_and_their_keys_are_those_of_the_console():
    registry = (ROOT / "console" / "src" / "panels" / "registry.ts").read_text()
    panels = set(re.findall(r"{name: '(\w+)',.*? title: '([^']+)',.*? key: '(\w)'", registry))
    named = set(re.findall(r"^\| ([^|]+?) \| `#/(\w+)[^`]*` \| `g (\w)` \|", PAGE, re.MULTILINE))
    assert panels and {(name, title, key) for title, name, key in named} == panels
