#!/usr/bin/env python3
"""Makes docs/event-catalog.md of the code: make_event_catalog.py [--check] [ROOT]

Names and numbers come from src/event/event_type.h, fields from the fields() of each struct, their meaning from its comments, and what
becomes of an event in each contract from src/dialect/all/testdata/frames_of_events.jsonl, which a test of the dialects records. With
--check nothing is written, and the exit code is 1 when the page is not what the code says.

The comment of an event's struct has two parts, both sentences: what it means, and after `When:` when it is logged.

    // The request was accepted: who asked, through which contract, what was said.
    // When: Always the first event.
    struct RunQueued {
"""
import json
import pathlib
import re
import sys

SECTIONS = {  # file of src/event: the title of its section
    "lifecycle_events.h": "The run",
    "model_events.h": "The model",
    "tool_events.h": "Tool calls, code and steps",
    "task_events.h": "Tasks, artifacts, data items",
}
CONTRACTS = ("steps", "runs", "chat", "conversation", "tasks")
INTRODUCTION = """# The events of a run

<!-- Made by tools/make_event_catalog.py of src/event and src/dialect: change the comments there, then ./dev catalog. -->

A run's log is a sequence of these events. Each is written once, in order, before anybody sees it; a run's state is a
fold over them and every contract is a projection of them. The structs are in `src/event/run_event.h`, their durable
form in `src/event/encoding.h`. `GET /runs/{id}/log` shows them as they are ([contracts/log.md](contracts/log.md)).

Every event also has a `sequence` (from 1, without gaps), the wall time `at` in milliseconds since 1970 and `elapsed_ms` since the run was
queued. Ids are UUIDs there, choices are numbers ([values](#values)).
"""


class CatalogError(Exception):
    pass


class Struct:
    def __init__(self, name, comment, body, file):
        self.name, self.file, self.body = name, file, body
        self.meaning, _, self.when = comment.partition("When:")
        self.meaning, self.when = self.meaning.strip(), self.when.strip()

    def fields(self):
        """(name in JSON, type, comment) in the order of fields()."""
        members = self.members()
        for name, member in re.findall(r'^\s*v\("(\w+)", s\.(\w+)\);', self.body, re.MULTILINE):
            if member not in members:
                raise CatalogError(f"{self.file}: {self.name} has no member {member}")
            yield (name, *members[member])

    def members(self):
        """name: (type, comment). A comment stands at the end of a member's line."""
        found = {}
        for line in self.body.splitlines():
            match = re.match(r"^  ([\w:<>]+) ([\w, ={}:.-]+);\s*(?://\s*(.*))?$", line)
            if not match or match.group(1) in ("static", "bool operator"):
                continue
            for one in match.group(2).split(","):
                found[re.match(r"\s*(\w+)", one).group(1)] = (match.group(1), match.group(3) or "")
        return found


def structs(path):
    """The structs of a header that have fields(), by name, with the comment right before each."""
    text = path.read_text()
    found = {}
    for match in re.finditer(r"((?:^// [^\n]*\n)*)^struct (\w+) \{\n(.*?)^\};", text, re.MULTILINE | re.DOTALL):
        if "void fields(" in match.group(3):
            comment = " ".join(line[3:].strip() for line in match.group(1).splitlines())
            found[match.group(2)] = Struct(match.group(2), comment, match.group(3), path.name)
    return found


def opening(path):
    """The comment that a header opens with, as paragraphs."""
    lines = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return "\n\n".join(" ".join(part.split()) for part in "\n".join(lines).split("\n\n"))


def event_names(root):
    """struct: (name of the event, its number), in the order of the numbers."""
    text = (root / "src/event/event_type.h").read_text()
    numbers = dict(re.findall(r"^  k(\w+) = (\d+),", text, re.MULTILINE))
    names = dict(re.findall(r'\{EventType::k(\w+), "([\w.]+)"\}', text))
    if set(numbers) != set(names):
        raise CatalogError("event_type.h: the numbers and the names are of different events")
    return {struct: (names[struct], int(numbers[struct])) for struct in sorted(names, key=lambda one: int(numbers[one]))}


def words(path):
    """The enums of a header: name, comment, (number, word) each."""
    for match in re.finditer(r"((?:^// [^\n]*\n)*)^enum class (\w+) : std::uint8_t \{(.*?)\};", path.read_text(), re.MULTILINE | re.DOTALL):
        comment = " ".join(line[3:].strip() for line in match.group(1).splitlines())
        values = re.findall(r"k(\w+) = (\d+)", match.group(3))
        yield match.group(2), comment, [(int(number), spaced(word)) for word, number in values]


def spaced(word):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", word).lower()


def frames(root):
    """event: contract: the frames it becomes."""
    path = root / "src/dialect/all/testdata/frames_of_events.jsonl"
    return {row["event"]: row for row in map(json.loads, path.read_text().splitlines())}


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)])


def section(root, file, names):
    path = root / "src/event" / file
    rows, notes = [], []
    for struct in structs(path).values():
        if struct.name not in names:
            raise CatalogError(f"{file}: {struct.name} is no event of event_type.h")
        if not struct.meaning or not struct.when:
            raise CatalogError(f"{file}: the comment of {struct.name} needs what it means and 'When: …'")
        name = names[struct.name][0]
        fields = list(struct.fields())
        rows.append((f"`{name}`", ", ".join(f"`{field}`" for field, _, _ in fields), struct.meaning, struct.when))
        notes += [f"- `{field}` of `{name}`: {comment}" for field, _, comment in fields if comment]
    parts = [f"## {SECTIONS[file]}", opening(path), table(("event", "fields", "meaning", "when"), rows)]
    return "\n\n".join(parts + (["\n".join(notes)] if notes else []))


def values(root, names):
    """The structs and enums that fields are made of."""
    path = root / "src/event/event_values.h"
    inner = structs(path)
    owners = [(f"`{names[struct.name][0]}`", struct) for file in SECTIONS for struct in structs(root / "src/event" / file).values()]
    owners += [(f"a {spaced(struct.name)}", struct) for struct in inner.values()]
    used = {}  # type: the fields that have it
    for owner, struct in owners:
        for field, kind, _ in struct.fields():
            used.setdefault(re.sub(r"^std::(?:optional|vector)<(.*)>$", r"\1", kind), []).append(f"`{field}` of {owner}")
    rows, parts = [], []
    for name, comment, choices in words(path):
        if name not in used:
            raise CatalogError(f"event_values.h: no event has a {name}")
        rows.append((", ".join(used[name]), ", ".join(f"{number} {word}" for number, word in choices), comment))
    for struct in inner.values():
        fields = ", ".join(f"`{field}`" + (f" ({comment})" if comment else "") for field, _, comment in struct.fields())
        parts.append(f"- A {spaced(struct.name)} has {fields}.{' ' + struct.meaning if struct.meaning else ''}")
    return "\n\n".join(["## Values", table(("field", "numbers", ""), rows), "\n".join(parts)])


def contracts(root, names):
    known = frames(root)
    if set(known) != {name for name, _ in names.values()}:
        raise CatalogError("frames_of_events.jsonl is of other events; record it anew with ./dev golden")
    rows = []
    for name, _ in names.values():
        cells = [" · ".join(f"`{frame}`" for frame in known[name].get(contract, [])) or "–" for contract in CONTRACTS]
        if any(cell != "–" for cell in cells):
            rows.append((f"`{name}`", *cells))
    silent = ", ".join(f"`{name}`" for name, _ in names.values() if not any(known[name].get(one) for one in CONTRACTS))
    return "\n\n".join([
        "## What each becomes in each contract",
        "The frames that an event can become; which of them, or none, depends on what it says and on what came before. *Steps* gathers the\n"
        "texts and calls of a turn in its `step action`; *tasks* tells what a call kept with the end of the call, and shows an execution and\n"
        "any other run in different ways: an execution has no `content`, any other run nothing but `content`, `tasks_updated` and its end.",
        table(("", *CONTRACTS), rows), f"These make no frame of their own: {silent}."])


def catalog(root):
    names = event_names(root)
    missing = set(names) - {name for file in SECTIONS for name in structs(root / "src/event" / file)}
    if missing:
        raise CatalogError(f"no struct in src/event for {', '.join(sorted(missing))}")
    parts = [INTRODUCTION.rstrip(), *(section(root, file, names) for file in SECTIONS), values(root, names), contracts(root, names)]
    return "\n\n".join(parts) + "\n"


def main(arguments):
    check = "--check" in arguments
    roots = [one for one in arguments if not one.startswith("--")]
    root = pathlib.Path(roots[0]) if roots else pathlib.Path(__file__).resolve().parents[1]
    page = root / "docs/event-catalog.md"
    try:
        text = catalog(root)
    except CatalogError as error:
        print(f"make_event_catalog: {error}", file=sys.stderr)
        return 1
    if not check:
        page.write_text(text)
    elif page.read_text() != text:
        print("docs/event-catalog.md is not what the code says: ./dev catalog makes it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
