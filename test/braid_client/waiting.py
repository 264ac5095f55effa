"""Waiting for conditions. No test sleeps for a fixed time: it says what it waits for, and for how long at most."""
import time

PATIENCE = 30.0  # seconds; long enough for a busy machine, short enough to end a hanging suite


def wait_for(condition, what, timeout=PATIENCE, interval=0.01):
    """The first true value of condition(). Fails with `what` when the deadline passes."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout:g} s for {what}; last value: {value!r}")
        time.sleep(interval)
