"""A person at a terminal: the real binary on a pseudo-terminal, what it shows and what is typed."""
import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from braid_client.server import binary, clean_environment
from braid_client.waiting import PATIENCE

CONTROL = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]|\r")
# What libedit and the program itself write to move and to colour; nothing else may come through.
OWN_SEQUENCES = re.compile(rb"\x1b\[(?:[0-9;]*[mKCDGJHP]|\?2004[hl])|\x1b[=>]")
TAKEN_BACK = re.compile(rb"[^\n]*\r\x1b\[K")
CTRL_C, CTRL_D = "\x03", "\x04"


def environment(url, **more):
    return {**clean_environment(), "BRAIDLOG_URL": url, "TERM": "xterm", "LANG": "C.UTF-8", **more}


class Terminal:
    def __init__(self, url, *arguments, columns=100, **more):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen([binary(), *arguments], stdin=slave, stdout=slave, stderr=slave,
                                        env=environment(url, **more), preexec_fn=take_terminal)
        os.close(slave)
        self.raw = b""
        self.seen = 0  # how far expect() has come in `text`

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)

    @property
    def text(self):
        return CONTROL.sub(b"", TAKEN_BACK.sub(b"", self.raw)).decode(errors="replace")

    def read(self, timeout):
        """False when there is nothing more: the program has ended."""
        if not select.select([self.master], [], [], timeout)[0]:
            return True
        try:
            more = os.read(self.master, 65536)
        except OSError as error:
            assert error.errno == errno.EIO, error
            return False
        self.raw += more
        return bool(more)

    def expect(self, words, timeout=PATIENCE):
        """Waits until these words are shown, after what was expected before."""
        deadline = time.monotonic() + timeout
        while True:
            text = self.text
            at = text.find(words, min(self.seen, len(text)))
            if at >= 0:
                self.seen = at + len(words)
                return self
            more = self.read(0.2)
            if not more or time.monotonic() > deadline:
                raise AssertionError(f"'{words}' is not shown; what is: …{self.text[-3000:]!r}")

    def type(self, keys):
        os.write(self.master, keys.encode())
        return self

    def say(self, line):
        """At the prompt."""
        return self.expect("> ").type(line + "\r")

    def wait_exit(self, timeout=PATIENCE):
        deadline = time.monotonic() + timeout
        while self.read(0.1) and time.monotonic() < deadline:
            pass
        return self.process.wait(max(0.1, deadline - time.monotonic()))

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def echoes(self):
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)


def pipe(url, *arguments, text="", timeout=PATIENCE, **more):
    """Without any terminal."""
    return subprocess.run([binary(), *arguments], input=text.encode(), capture_output=True, timeout=timeout,
                          env=environment(url, **more))
