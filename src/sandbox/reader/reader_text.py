"""What all readers have in common: the text that they find, what they leave out, and why they stop."""
import re
import time

CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
LINE_ENDS = re.compile("\r\n?|[\x0c\x85\u2028\u2029]")
SPACES_AT_END = re.compile("[ \t]+(?=\n)|[ \t]+$")
EMPTY_LINES = re.compile("\n{3,}")


class Complaint(Exception):
    """The file is not read at all; the server has the words for it."""

    def __init__(self, why):
        super().__init__(why)
        self.why = why


class Enough(Exception):
    """There is more text than anybody is shown."""


class TimeIsUp(Exception):
    """The time is nearly over: what was found until now is the text."""


class Reading:
    """One file on its way to text."""

    def __init__(self, settings, path):
        self.settings, self.path = settings, path
        # A little before the server's own clock, so that what was read until then is not lost.
        self.deadline = time.monotonic() + 0.9 * settings["time_ms"] / 1000
        self.parts, self.size, self.notes = [], 0, []

    def time_left(self):
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeIsUp()
        return left

    def add(self, text):
        self.parts.append(text)
        self.size += len(text.encode("utf-8", "replace"))
        if self.size > self.settings["text_bytes"]:
            raise Enough()

    def line(self, text=""):
        self.add(text + "\n")

    def leave_out(self, sentence):
        self.notes.append(sentence)

    def text(self):
        return tidy("".join(self.parts), self.settings["text_bytes"])


def tidy(text, bytes_max):
    """Lines without ends of spaces, no holes, nothing that is not text, cut between two characters."""
    text = CONTROLS.sub("", LINE_ENDS.sub("\n", text))
    text = EMPTY_LINES.sub("\n\n", SPACES_AT_END.sub("", text)).strip("\n")
    return text.encode("utf-8", "replace")[:bytes_max].decode("utf-8", "ignore")


def numbers_in_words(numbers):
    """3, 4, 5, 9 -> "3 to 5 and 9"."""
    ranges = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    words = [str(first) if first == last else f"{first} to {last}" for first, last in ranges[:8]]
    if len(ranges) > len(words):
        words.append("more")
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def were_not_read(name, numbers, why=""):
    """"Pages 3 to 5 were not read." """
    names, were = (name, "was") if len(numbers) == 1 else (name + "s", "were")
    return f"{names} {numbers_in_words(numbers)} {were} not read{why}."
