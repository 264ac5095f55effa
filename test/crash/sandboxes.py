"""The processes that a server starts for the code of its agents: none of them outlives it."""
import pathlib
import threading

from braid_client.waiting import wait_for

LOOK_EVERY_S = 0.05
GONE_WITHIN_S = 5.0


def _processes():
    """pid -> (parent, when it started); those that only wait to be buried are not there any more."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # gone while we looked
            continue
        if fields[0] not in "ZX":
            found[int(folder.name)] = int(fields[1]), int(fields[19])
    return found


def _below(processes, root):
    found, parents = {}, {root}
    while parents:
        children = {pid for pid, (parent, _) in processes.items() if parent in parents} - found.keys()
        found.update((pid, processes[pid][1]) for pid in children)
        parents = children
    return found


class Sandboxes:
    """Looks again and again at what runs below the server, so that what is left of it is known when it has died."""

    def __init__(self, server_pid):
        self._server_pid, self.seen = server_pid, {}  # pid -> when it started
        self.seen_ever = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self):
        while not self._stop.wait(LOOK_EVERY_S):
            pid = self._server_pid()
            if pid is not None:
                self.seen.update(_below(_processes(), pid))

    def check_gone(self):
        """The server is dead."""
        seen, self.seen = self.seen, {}
        self.seen_ever += len(seen)

        def left():
            now = _processes()
            return [pid for pid, started in seen.items() if now.get(pid, (0, None))[1] == started]

        wait_for(lambda: not left(), "the end of the processes that a dead server had started", GONE_WITHIN_S)

    def close(self):
        self._stop.set()
        self._thread.join()
