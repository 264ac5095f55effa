"""Images: their size is seen in their first bytes, before anybody unpacks them; then their letters are recognized. Of
an image that moves this is the first picture."""
import struct

from reader_programs import call
from reader_text import Complaint

# Markers of JPEG that begin a picture, and so tell its size.
JPEG_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
JPEG_ALONE = {0x01, *range(0xD0, 0xD9)}  # without a length


def read(reading):
    with open(reading.path, "rb") as file:
        data = file.read()
    try:
        width, height = SIZES[reading.settings["media_type"]](data)
        if width * height > reading.settings["pixels"]:
            raise Complaint("pixels")
        first = FIRST_PICTURES.get(reading.settings["media_type"], lambda data: None)(data)
    except (struct.error, IndexError):
        raise Complaint("unreadable") from None
    if not width or not height:
        raise Complaint("unreadable")
    path = reading.path
    if first is not None:
        path = "picture"
        with open(path, "wb") as file:
            file.write(first)
    del data
    reading.add(recognized(reading, path))


def recognized(reading, path, dpi=None):
    """The letters in an image."""
    arguments = ["tesseract", path, "stdout", "-l", "eng"] + (["--dpi", str(dpi)] if dpi else [])
    answer = call(arguments, reading.time_left(), reading.settings["text_bytes"])
    if not answer.ok:
        raise Complaint("memory" if answer.was_short_of_memory() else "unreadable")
    return answer.output.decode("utf-8", "replace")


def png_size(data):
    if data[12:16] != b"IHDR":
        raise Complaint("unreadable")
    return struct.unpack(">II", data[16:24])


def jpeg_size(data):
    place = 2
    while True:
        while data[place] != 0xFF or data[place + 1] in (0x00, 0xFF):
            place += 1  # what stands between two segments
        marker = data[place + 1]
        if marker in JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[place + 5:place + 9])
            return width, height
        place += 2 if marker in JPEG_ALONE else 2 + struct.unpack(">H", data[place + 2:place + 4])[0]


def gif_size(data):
    """The larger of the screen and the first picture on it."""
    screen_width, screen_height = struct.unpack("<HH", data[6:10])
    place = gif_first_picture(data)
    width, height = struct.unpack("<HH", data[place + 5:place + 9])
    return max(screen_width, width), max(screen_height, height)


def gif_colors_bytes(flags):
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def gif_skip_blocks(data, place):
    while data[place]:
        place += 1 + data[place]
    return place + 1


def gif_first_picture(data):
    """Where its descriptor begins."""
    place = 13 + gif_colors_bytes(data[10])
    while data[place] == 0x21:
        place = gif_skip_blocks(data, place + 2)
    if data[place] != 0x2C:
        raise Complaint("unreadable")
    return place


def gif_until_first_picture(data):
    place = gif_first_picture(data)
    end = gif_skip_blocks(data, place + 11 + gif_colors_bytes(data[place + 9]))
    return data[:end] + b"\x3b"


def webp_chunks(data, place, end):
    while place + 8 <= end:
        size = struct.unpack("<I", data[place + 4:place + 8])[0]
        yield data[place:place + 4], place + 8, min(place + 8 + size, end)
        place += 8 + size + size % 2


def webp_size(data):
    kind, place, end = next(webp_chunks(data, 12, len(data)), (b"", 0, 0))
    if kind == b"VP8X":
        return webp_24_bits(data, place + 4) + 1, webp_24_bits(data, place + 7) + 1
    if kind == b"VP8L":
        bits = struct.unpack("<I", data[place + 1:place + 5])[0]
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", data[place + 6:place + 10])
        return width & 0x3FFF, height & 0x3FFF
    raise Complaint("unreadable")


def webp_24_bits(data, place):
    return int.from_bytes(struct.unpack("<3s", data[place:place + 3])[0], "little")


def webp_first_picture(data):
    """Of one that moves, else None. A file of its own is made of the picture's chunks."""
    for kind, place, end in webp_chunks(data, 12, len(data)):
        if kind != b"ANMF":
            continue
        for kind, inner, inner_end in webp_chunks(data, place + 16, end):
            if kind in (b"VP8 ", b"VP8L"):
                picture = data[inner:inner_end]
                body = b"WEBP" + kind + struct.pack("<I", len(picture)) + picture + b"\0" * (len(picture) % 2)
                return b"RIFF" + struct.pack("<I", len(body)) + body
        raise Complaint("unreadable")
    return None


SIZES = {"image/png": png_size, "image/jpeg": jpeg_size, "image/gif": gif_size, "image/webp": webp_size}
FIRST_PICTURES = {"image/gif": gif_until_first_picture, "image/webp": webp_first_picture}
