"""Processes under measurement: started on a core of their own, read through /proc, ended by pid."""
import atexit
import ctypes
import os
import pathlib
import signal
import subprocess
import time

SERVER_CORE = 0
LOAD_CORE = 1  # client and upstream: whatever they cost, the server does not feel it
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
STOP_PATIENCE_S = 15
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)

_running = []


class Process:
    """A child that does not outlive this script, whatever ends it."""

    def __init__(self, command, core, stderr=subprocess.DEVNULL, **popen):
        def in_child():
            os.sched_setaffinity(0, {core})
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        self._child = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=stderr, text=True, preexec_fn=in_child, **popen)
        _running.append(self)

    @property
    def pid(self):
        return self._child.pid

    def read_line(self):
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._child.args[0]} ended with {self._child.wait()}")
        return line

    def write_line(self, line=""):
        self._child.stdin.write(line + "\n")
        self._child.stdin.flush()

    def has_ended(self):
        return self._child.poll() is not None

    def stop(self):
        if self in _running:
            _running.remove(self)
        if not self.has_ended():
            self._child.terminate()
            try:
                self._child.wait(STOP_PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._child.kill()
        self._child.wait()
        self._child.stdin.close()
        self._child.stdout.close()

    def cpu_seconds(self):
        """Of the process and its children, all threads, ended ones too, to the nanosecond."""
        return sum(_cpu_clock(pid) for pid in _with_children(self.pid))

    def settled_cpu_seconds(self, patience_s=3.0):
        """The same once the server has finished what the load left it to do: that is part of the cost."""
        until = time.monotonic() + patience_s
        used = self.cpu_seconds()
        while time.monotonic() < until:
            time.sleep(0.1)
            before, used = used, self.cpu_seconds()
            if used - before < 0.001:
                break
        return used

    def memory_kb(self):
        """Resident memory, with shared pages divided among those who share them."""
        return sum(_smaps_field(pid, "Pss:") for pid in _with_children(self.pid))


def _cpu_clock(pid):
    # The clock id of another process's CPU time, as clock_getcpuclockid(3) makes it. Unlike the ticks in
    # /proc/PID/stat it does not round to 10 ms.
    return time.clock_gettime((~pid << 3) | 2)


def _with_children(pid):
    found = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += _with_children(int(child))
    return found


def _smaps_field(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    raise RuntimeError(f"no {name} in smaps_rollup")


def steal_seconds():
    """What the host has taken from this machine's cores so far."""
    fields = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()
    return int(fields[8]) / TICKS_PER_SECOND


def core_busy_seconds(core):
    """Everything but idle time on a core: the server, and the kernel's work that is charged to nobody."""
    for line in pathlib.Path("/proc/stat").read_text().splitlines():
        if line.startswith(f"cpu{core} "):
            user, nice, system, _idle, _iowait, irq, softirq = map(int, line.split()[1:8])
            return (user + nice + system + irq + softirq) / TICKS_PER_SECOND
    raise RuntimeError(f"no core {core}")


@atexit.register
def stop_all():
    for process in list(_running):
        process.stop()


def stop_all_when_terminated():
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
