"""Holds what a command printed against what its document says.

In the document `…` stands for any text in a line, a line of it alone for any lines, and a line that begins with a space may go on with
the line before it (documents fold long lines). Ids and times are never the same twice: one in the document stands for any other of
its kind. Which one it was is remembered, so that a later command or answer with the document's id means the real one.
"""
import re

ULID = "[0-9A-HJKMNP-TV-Z]"
TOKEN = re.compile("|".join([
    rf"(?P<event>evt_{ULID}{{26}}_\d{{10}}(?:\.\w+)?)",
    rf"(?P<ulid>(?<![0-9A-Za-z]){ULID}{{26}}(?![0-9A-Za-z]))",
    r"(?P<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})",
    r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)",
    r"(?P<millis>(?<!\d)1[5-9]\d{11}(?!\d))",
    r"(?P<key>brk_[\w-]+…?)",
    rf"(?P<short>(?:[a-z]+_)?0{ULID}{{5,24}}…)",
    r"(?P<short_uuid>[0-9a-f]{8}-[0-9a-f]{4}-(?:[0-9a-f]{4}-)?…)",
    r"(?P<any>…)",
    r"(?P<fold>\n +)",
]))
PATTERNS = {
    "event": rf"evt_{ULID}{{26}}_\d{{10}}(?:\.\w+)?",
    "ulid": rf"{ULID}{{26}}",
    "uuid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z",
    "millis": r"1[5-9]\d{11}",
    "key": r"brk_[\w-]+",
    "short_uuid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "any": r"[^\n]*?",
    "fold": r"\n? *",
}
SAME_EVERYWHERE = {"event", "ulid", "uuid"}  # one that occurs twice is the same thing twice
SHOWN = {*SAME_EVERYWHERE, "key", "short", "short_uuid"}  # a command can use one only when an answer had it


class Names:
    """The document's ids, and what they are in this run."""

    def __init__(self):
        self.real = {}

    def apply(self, text):
        """A command of the document with the real ids in it."""
        for name in sorted(self.real, key=len, reverse=True):
            text = text.replace(name, self.real[name])
        return text

    def match(self, expected, printed):
        """Whether `printed` is what the lines `expected` say. Ids are remembered when it is."""
        found = dict(self.real)
        at, parts = 0, _parts(expected)
        for index, part in enumerate(parts):
            last = index + 1 == len(parts)
            pattern, groups = _compile(part, found)
            match = re.compile(("" if index else r"\A") + r"^" + pattern + (r"\s*\Z" if last else r"$\n?"),
                               re.MULTILINE).search(printed, at) if part or last else re.compile("").match(printed, at)
            if match is None:
                return False
            for group, (kind, name) in groups.items():
                if kind not in ("time", "millis"):
                    found[name] = match.group(group)
            at = match.end()
        self.real = found
        return True


def _parts(lines):
    """The lines between lines of `…`; an empty part at either end says that something may stand there."""
    parts = [[]]
    for line in lines:
        if line.strip() == "…":
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) > 1 and not parts[-1]:
        parts[-1] = None
    return [None if part is None else "\n".join(part) for part in parts]


def _compile(part, known):
    """A regular expression for a part, and its groups: {group: (kind, the document's word)}."""
    if part is None:
        return r"(?s:.*)", {}
    out, groups, seen, at = [], {}, {}, 0
    for match in TOKEN.finditer(part):
        out.append(re.escape(part[at:match.start()]))
        at = match.end()
        kind, word = match.lastgroup, match.group()
        if kind in ("any", "fold"):
            out.append(PATTERNS[kind])
        elif kind in SAME_EVERYWHERE and word in known:
            out.append(re.escape(known[word]))
        elif kind in SAME_EVERYWHERE and word in seen:
            out.append(f"(?P={seen[word]})")
        else:
            group = f"g{len(groups)}"
            groups[group], seen[word] = (kind, word), group
            prefix = word[:word.index("_") + 1] if kind == "short" and "_" in word else ""
            out.append(f"(?P<{group}>{prefix + PATTERNS['ulid'] if kind == 'short' else PATTERNS[kind]})")
    out.append(re.escape(part[at:]))
    return "".join(out), groups
