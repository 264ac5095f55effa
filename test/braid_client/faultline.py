"""Faults on command in a running server: the preloaded library of test/shim, its rules and what it saw.

    faults = Faultline(folder)                               # before the server: Server(folder, faults=faults)
    faults.arm("fail", "write sync", DATA, errno.ENOSPC)     # from now on, until …
    faults.disarm()
    faults.arm("kill_after", "sync", "log", skip=7)          # the process dies after its eighth commit
"""
import mmap
import os
import pathlib
import struct
from collections import Counter

CALLS = {name: 1 << bit for bit, name in enumerate(
    ("write", "sync", "truncate", "rename", "open", "send", "accept", "make_folder"))}
FILES = {name: 1 << bit for bit, name in enumerate(
    ("log", "database", "index", "workspace", "scratch", "folder", "wire", "other"))}
ACTIONS = {name: number for number, name in enumerate(("none", "kill_before", "kill_within", "kill_after", "fail"))}
DATA = "log database index workspace scratch folder"  # everything below the data folder
STORE = "log database index"
RULE = struct.Struct("<IIIiIIII")  # action, calls, files, error, skip, count, passed, struck
RULES = 8


def library(binary) -> pathlib.Path:
    return pathlib.Path(binary).parent / "libfaultline.so"


def _mask(names, table):
    return sum(table[name] for name in names.split())


class Faultline:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.control, self.effects_path = folder / "faultline.control", folder / "faultline.effects"
        self.control.write_bytes(bytes(RULE.size * RULES))
        with open(self.control, "r+b") as file:
            self._area = mmap.mmap(file.fileno(), RULE.size * RULES)

    def environment(self, binary, data):
        others = os.environ.get("LD_PRELOAD", "")
        return {"LD_PRELOAD": f"{library(binary)} {others}".strip(), "FAULTLINE_CONTROL": str(self.control),
                "FAULTLINE_EFFECTS": str(self.effects_path), "FAULTLINE_DATA": str(pathlib.Path(data).resolve())}

    def arm(self, action, calls, files, error=0, skip=0, count=None, rule=0):
        """A kill strikes once; a failure every time, unless `count` says how often."""
        count = (0 if action == "fail" else 1) if count is None else count
        self.disarm(rule)
        at = rule * RULE.size
        fields = RULE.pack(0, _mask(calls, CALLS), _mask(files, FILES), error, skip, count, 0, 0)
        self._area[at:at + RULE.size] = fields
        self._area[at:at + 4] = struct.pack("<I", ACTIONS[action])  # last: now the rule is looked at

    def clear(self):
        """No rules, and no counts of earlier ones."""
        self.disarm()
        self._area[:] = bytes(RULE.size * RULES)

    def disarm(self, rule=None):
        """The rule strikes no more; its counts stay."""
        for index in range(RULES) if rule is None else (rule,):
            self._area[index * RULE.size:index * RULE.size + 4] = bytes(4)

    def _field(self, rule, index):
        return RULE.unpack_from(self._area, rule * RULE.size)[index]

    def passed(self, rule=0) -> int:
        """How many calls the rule has named since it was armed."""
        return self._field(rule, 6)

    def struck(self, rule=0) -> int:
        return self._field(rule, 7)

    def effects(self) -> Counter:
        """(session folder, path) -> how often a file was put there."""
        found = Counter()
        if self.effects_path.exists():
            for line in self.effects_path.read_text().splitlines():
                _, _, target = line.split("\t")
                session, path = target.removeprefix("/workspaces/").split("/", 1)
                found[session, path] += 1
        return found
