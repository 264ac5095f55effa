"""PDF: the text that the document holds, page by page. Pages that hold hardly any are pictures of text: those are drawn
and their letters recognized."""
import math
import os
import re

from reader_images import recognized
from reader_programs import call
from reader_text import Complaint, TimeIsUp, were_not_read

BATCH_PAGES = 25
LETTERS_MIN = 8  # a page with fewer is a picture, or empty
DPI = 200
PICTURE_PIXELS_MAX = 25_000_000  # of a page as it is drawn: one byte each
INFO_BYTES_MAX = 64 * 1024
PAGES = re.compile(rb"^Pages:\s+(\d+)", re.MULTILINE)
PAGE_SIZE = re.compile(rb"^Page +\d+ size:\s+([\d.]+) x ([\d.]+) pts", re.MULTILINE)
WIDE_SPACES = re.compile(r" {4,}")


def read(reading):
    count = page_count(reading)
    document = Document(reading, min(count, reading.settings["pages"]))
    if count > reading.settings["pages"]:
        reading.leave_out(were_not_read("Page", range(reading.settings["pages"] + 1, count + 1)))
    document.take_text()
    document.recognize()
    document.write(count)


def page_count(reading):
    answer = call(["pdfinfo", reading.path], reading.time_left(), INFO_BYTES_MAX)
    if b"Incorrect password" in answer.complaints:
        raise Complaint("encrypted")
    found = PAGES.search(answer.output)
    if found and int(found[1]) > 0:
        return int(found[1])
    raise Complaint("memory" if answer.was_short_of_memory() else "unreadable")


def pages(first, last):
    return ["-f", str(first), "-l", str(last)]


class Document:
    def __init__(self, reading, count):
        self.reading, self.count = reading, count
        self.pages, self.bytes = {}, 0  # number -> text
        self.trouble = None  # why a page was not read

    def take_text(self):
        for first in range(1, self.count + 1, BATCH_PAGES):
            last = min(first + BATCH_PAGES - 1, self.count)
            try:
                answer = self.text_of(first, last)
            except TimeIsUp:
                return self.out_of_time(range(first, self.count + 1))
            if not answer.ok and not answer.output:
                continue  # perhaps it can be drawn
            texts = answer.output.decode("utf-8", "replace").split("\f")
            for number, text in zip(range(first, last + 1), texts):
                self.pages[number] = WIDE_SPACES.sub("   ", text)
            self.bytes += len(answer.output)
            if self.bytes > self.reading.settings["text_bytes"]:
                return

    def text_of(self, first, last):
        return call(["pdftotext", "-layout", "-enc", "UTF-8", *pages(first, last), self.reading.path, "-"],
                    self.reading.time_left(), self.reading.settings["text_bytes"])

    def recognize(self):
        if self.bytes > self.reading.settings["text_bytes"]:
            return
        pictures = [number for number in range(1, self.count + 1) if self.is_picture(number)]
        drawn_max = self.reading.settings["ocr_pages"]
        for place, number in enumerate(pictures[:drawn_max]):
            try:
                self.pages[number] = self.recognized(number)
            except TimeIsUp:
                return self.out_of_time(pictures[place:])
            except Complaint as complaint:
                self.trouble = complaint
                self.left([number])
        if len(pictures) > drawn_max:
            self.left(pictures[drawn_max:], f": of pages that are images, {drawn_max} are")

    def is_picture(self, number):
        text = self.pages.get(number, "")
        return sum(map(str.isalnum, text[:10_000])) < LETTERS_MIN

    def recognized(self, number):
        reading = self.reading
        info = call(["pdfinfo", *pages(number, number), reading.path], reading.time_left(), INFO_BYTES_MAX)
        found = PAGE_SIZE.search(info.output)
        if not found:
            raise Complaint("unreadable")
        inches = max(float(found[1]) / 72, 0.01) * max(float(found[2]) / 72, 0.01)
        dpi = min(DPI, math.sqrt(min(PICTURE_PIXELS_MAX, reading.settings["pixels"]) / inches))
        try:
            drawn = call(["pdftoppm", "-gray", "-cropbox", "-singlefile", "-r", f"{dpi:.2f}", *pages(number, number),
                          reading.path, "page"], reading.time_left(), INFO_BYTES_MAX)
            if not drawn.ok or not os.path.exists("page.pgm"):
                raise Complaint("memory" if drawn.was_short_of_memory() else "unreadable")
            return recognized(reading, "page.pgm", max(70, round(dpi)))
        finally:
            if os.path.exists("page.pgm"):
                os.unlink("page.pgm")

    def left(self, numbers, why=""):
        self.reading.leave_out(were_not_read("Page", numbers, why))

    def out_of_time(self, numbers):
        self.trouble = TimeIsUp()
        self.left(numbers, ": it took too long")

    def write(self, count):
        if self.trouble and not any(text.strip() for text in self.pages.values()):
            raise self.trouble  # there is nothing at all to show
        for number in sorted(self.pages):
            if count > 1 and self.pages[number].strip():
                self.reading.line(f"\nPage {number}:")
            self.reading.line(self.pages[number])
