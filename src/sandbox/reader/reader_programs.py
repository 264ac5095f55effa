"""Programs that a reader calls. They have the walls of the reader around them, and its time."""
import os
import resource
import selectors
import subprocess
import time

from reader_text import Complaint, TimeIsUp

PROCESSES_MAX = 4  # with the reader itself
COMPLAINTS_BYTES_MAX = 8192

# There is no /etc inside; and every scan of all fonts would be a scan anew.
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><cachedir>/usr/share/fontconfig-cache-is-nowhere</cachedir></fontconfig>"""


class Answer:
    def __init__(self, code, output, complaints, cut):
        self.code, self.output, self.complaints, self.cut = code, output, complaints, cut

    @property
    def ok(self):
        return self.code == 0 or self.cut

    def was_short_of_memory(self):
        return any(word in self.complaints for word in (b"alloc", b"emory", b"failed to map segment"))


def prepare():
    """Before the first program."""
    resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES_MAX, PROCESSES_MAX))
    with open("fonts.conf", "w") as file:
        file.write(FONTS)


def call(arguments, seconds, bytes_max):
    """Runs a program to its end, or until it has said `bytes_max` bytes. TimeIsUp: it took longer."""
    environment = {"PATH": "/usr/bin", "HOME": os.getcwd(), "LANG": "C.UTF-8", "OMP_THREAD_LIMIT": "1",
                   "FONTCONFIG_FILE": os.path.join(os.getcwd(), "fonts.conf")}
    try:
        program = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment)
    except OSError:
        raise Complaint("programs") from None
    with program:
        try:
            return listen(program, time.monotonic() + seconds, bytes_max)
        finally:
            program.kill()


def listen(program, deadline, bytes_max):
    output, complaints, cut = bytearray(), bytearray(), False
    with selectors.DefaultSelector() as pipes:
        pipes.register(program.stdout, selectors.EVENT_READ, output)
        pipes.register(program.stderr, selectors.EVENT_READ, complaints)
        while pipes.get_map() and not cut:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeIsUp()
            for key, _ in pipes.select(left):
                data = os.read(key.fd, 65536)
                if not data:
                    pipes.unregister(key.fileobj)
                elif key.data is output:
                    output += data
                    cut = len(output) > bytes_max
                elif len(complaints) < COMPLAINTS_BYTES_MAX:
                    complaints += data
    if cut:
        return Answer(None, bytes(output[:bytes_max]), bytes(complaints), True)
    try:
        code = program.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise TimeIsUp() from None
    return Answer(code, bytes(output), bytes(complaints), False)
