"""Where a server is killed: at a random moment, or at a named point of its work."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    name: str
    action: str = ""     # of a rule of faultline.py; none: from outside, at a random moment
    calls: str = ""
    files: str = ""
    skip_max: int = 0    # how many such calls may pass before the last one
    sigterm: bool = False  # while the server stops in good order

    def arm(self, faults, rng):
        if self.action:
            faults.arm(self.action, self.calls, self.files, skip=rng.randint(0, self.skip_max))


def around(name, calls, files, skip_max, **more):
    return [Point(f"{when} {name}", f"kill_{when}", calls, files, skip_max, **more) for when in ("before", "after")]


def through(name, files, skip_max, calls="write", **more):
    return [*around(name, calls, files, skip_max, **more),
            Point(f"within {name}", "kill_within", calls, files, skip_max, **more)]


RANDOM = Point("at random")

# While clients work. Skips are a few commits deep, so that most are reached before a cycle is over.
WORKING = [
    *around("a commit", "sync", "log", 60),
    *through("a write to the log", "log", 400),
    *through("a send", "wire", 150, calls="send"),
    *around("a file takes its name", "rename", "workspace", 4),
    *through("a file is written", "scratch", 4),
    *around("a file is synced", "sync", "scratch workspace", 8),
    *through("a checkpoint's write", "database", 40),
    *around("a checkpoint's sync", "sync", "database", 2),
]
STOPPING = [
    *through("the last checkpoint's write", "database", 20, sigterm=True),
    *around("the last checkpoint's sync", "sync", "database", 0, sigterm=True),
    Point("at random while it stops", sigterm=True),
]
# While the server takes up what the last one left; the clients come later.
STARTING = [
    *through("a write of the recovery", "log", 12),
    *around("a commit of the recovery", "sync", "log", 4),
    *around("opening a file", "open", "log database folder", 6),
]
