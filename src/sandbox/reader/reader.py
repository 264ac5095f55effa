"""The program that reads one file inside a sandbox and ends. It speaks in frames, as the runner does:

    server → reader   settings {…}
    reader → server   {"op": "ready"}
    server → reader   the bytes of the file as they are
    reader → server   {"op": "text", "text": …, "left_out": …}  or  {"op": "complaint", "why": …}

Nothing here is a wall. The parsers may be taken over by the file; the server and the kernel keep their own count of
time, memory and processes.
"""
import os

import reader_html
import reader_images
import reader_pdf
import reader_programs
import reader_sheets
import reader_slides
import reader_word
from reader_text import Complaint, Enough, Reading, TimeIsUp
from runner_limits import confine
from runner_values import Channel

OFFICE = "application/vnd.openxmlformats-officedocument."
READERS = {
    "image/png": reader_images.read,
    "image/jpeg": reader_images.read,
    "image/gif": reader_images.read,
    "image/webp": reader_images.read,
    "application/pdf": reader_pdf.read,
    OFFICE + "wordprocessingml.document": reader_word.read,
    OFFICE + "spreadsheetml.sheet": reader_sheets.read,
    OFFICE + "presentationml.presentation": reader_slides.read,
    "text/html": reader_html.read,
}
FILE = "file"
TOO_LONG = "The rest was not read: it took too long."


def receive_file(commands, size):
    with open(FILE, "wb") as file:
        while size:
            data = os.read(commands, min(size, 1 << 20))
            if not data:
                os._exit(3)
            file.write(data)
            size -= len(data)


def read(settings):
    """The frame that is the answer."""
    reading = Reading(settings, FILE)
    try:
        READERS[settings["media_type"].partition(";")[0].strip()](reading)
    except Enough:
        pass  # who shows the text cuts it, and says so
    except TimeIsUp:
        if not reading.parts:
            return {"op": "complaint", "why": "time"}
        reading.leave_out(TOO_LONG)
    except Complaint as complaint:
        return {"op": "complaint", "why": complaint.why}
    except MemoryError:
        reading.parts.clear()
        return {"op": "complaint", "why": "memory"}
    except RecursionError:
        return {"op": "complaint", "why": "deep"}
    except Exception:  # a file that surprised a parser is a broken one
        return {"op": "complaint", "why": "unreadable"}
    return {"op": "text", "text": reading.text(), "left_out": " ".join(reading.notes)}


def main(commands=3, events=4):
    channel = Channel(commands, events)
    settings = channel.receive()
    if settings["filter"]:
        confine(settings)
    else:
        reader_programs.prepare()
    channel.send({"op": "ready"})
    receive_file(commands, settings["bytes"])
    channel.send(read(settings))
