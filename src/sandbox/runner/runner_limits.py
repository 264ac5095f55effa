"""The limits as the code meets them: exceptions that end it, what it prints, its time, and what it is refused."""
import ctypes
import errno
import io
import os
import resource
import signal
import sys


class TimeLimit(BaseException):
    pass


class OutputLimit(BaseException):
    pass


TimeLimit.__module__ = OutputLimit.__module__ = "builtins"  # so that a traceback shows the bare names


class Output(io.TextIOBase):
    """stdout and stderr in one, so that their order stays. Leaves line by line."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, fd, bytes_max, words):
        self.fd, self.bytes_max, self.words = fd, bytes_max, words
        self.buffer = OutputBytes(self)
        self._write = os.write
        self.begin()

    def begin(self):
        self.pending, self.used, self.over = b"", 0, False

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.put(text.encode("utf-8", "backslashreplace"))
        return len(text)

    def put(self, data):
        self.pending += data
        if b"\n" in data or len(self.pending) > 8192:
            self.flush()

    def flush(self):
        data, self.pending = self.pending, b""
        if not data:
            return
        if self.over:
            raise OutputLimit(self.words)
        self.used += len(data)
        self.over = self.used > self.bytes_max
        data = data[: self.bytes_max + 1]  # one more than is shown, so that the server sees that there was more
        while data:
            data = data[self._write(self.fd, data):]
        if self.over:
            raise OutputLimit(self.words)

    def fileno(self):
        return self.fd

    def writable(self):
        return True


class OutputBytes(io.RawIOBase):
    def __init__(self, output):
        self.output = output

    def write(self, data):
        data = bytes(data)
        self.output.put(data)
        return len(data)

    def flush(self):
        self.output.flush()

    def writable(self):
        return True


class Clock:
    """The time of the code, without what it waits for answers. The server has a clock of its own and kills a little
    later whoever does not listen to this one."""

    def __init__(self, seconds, words):
        self.seconds, self.words, self.armed = seconds, words, False
        signal.signal(signal.SIGALRM, self._ring)

    def start(self):
        self.left = self.seconds
        self.resume()

    def pause(self):
        self.armed = False
        self.left = signal.setitimer(signal.ITIMER_REAL, 0)[0]

    def resume(self):
        self.armed = True
        signal.setitimer(signal.ITIMER_REAL, max(self.left, 0.001))

    def _ring(self, *_):
        if self.armed:
            self.armed = False
            raise TimeLimit(self.words)


NO_NETWORK = "network access is not allowed in the sandbox"
NO_PROCESSES = "processes are not allowed in the sandbox"
NO_SIGNALS = "signals to processes are not allowed in the sandbox"
REFUSED = {
    **dict.fromkeys(("socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyaddr",
                     "socket.gethostbyname", "socket.getnameinfo", "socket.sendmsg", "socket.sendto"), NO_NETWORK),
    **dict.fromkeys(("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn",
                     "subprocess.Popen"), NO_PROCESSES),
    **dict.fromkeys(("os.kill", "os.killpg"), NO_SIGNALS),
}


def refuse_in_words(event, args):
    """An audit hook. The kernel refuses all of this as well, but only with a number."""
    reason = REFUSED.get(event)
    if event == "socket.__new__" and args[1] not in (-1, 1):  # 1: AF_UNIX, for the socket pair of asyncio
        reason = NO_NETWORK
    if reason:
        raise PermissionError(errno.EPERM, reason)


def confine(settings):
    """The last walls, those that would have been in the way until now."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mallopt(-8, 2)  # M_ARENA_MAX: every thread would reserve 64 MiB of the memory that is allowed
    threads = settings["threads"] + 1
    resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
    program = bytes.fromhex(settings["filter"])
    code = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    filled = Program(len(program) // 8, ctypes.addressof(code))
    set_seccomp, mode_filter = ctypes.c_ulong(22), ctypes.c_ulong(2)
    if libc.prctl(set_seccomp, mode_filter, ctypes.byref(filled), ctypes.c_ulong(0), ctypes.c_ulong(0)) != 0:
        raise OSError(ctypes.get_errno(), "the second system call filter was refused")
    sys.addaudithook(refuse_in_words)
