"""What a server holds of the machine, before and after."""
import os
import time

from .waiting import wait_for

MEMORY_SLACK = 16 << 20  # bytes; a fault may leave a larger heap behind, not a growing one
STEADY_S = 0.6            # a server that has just begun still starts its sandboxes
DESCRIPTOR_SLACK = 2      # each of the store's readers opens the log when it is first asked


def _steady(look):
    """The value once it has not changed for a while."""
    value, since, began = look(), time.monotonic(), time.monotonic()
    while time.monotonic() - since < STEADY_S and time.monotonic() - began < 10:
        time.sleep(0.05)
        if (now := look()) != value:
            value, since = now, time.monotonic()
    return value


def descriptors_at_rest(server) -> int:
    """How many descriptors the server holds when nobody asks anything of it."""
    return _steady(server.descriptors)


class Resources:
    """Threads, descriptors and memory of a server come back to where they were."""

    def __init__(self, server):
        _steady(lambda: (server.threads(), server.descriptors()))
        self.server, self.before = server, (server.threads(), server.descriptors(), server.memory())

    def check(self):
        threads, descriptors, memory = self.before
        wait_for(lambda: self.server.threads() <= threads, f"{threads} threads")
        wait_for(lambda: self.server.descriptors() <= descriptors + DESCRIPTOR_SLACK, f"{descriptors} descriptors")
        if os.environ.get("BRAIDLOG_SANITIZED") != "1":
            wait_for(lambda: self.server.memory() < memory + MEMORY_SLACK, f"memory to fall back to {memory >> 20} MB")
