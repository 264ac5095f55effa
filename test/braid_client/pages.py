"""PDFs and pictures for tests, made here byte by byte: of text, and of nothing that anybody should believe."""
import struct
import subprocess
import tempfile
import zlib

INVOICE = ["INVOICE", "Invoice number: INV-2026-48151", "Date: 14 March 2026", "Lighthouse lamp oil   120.00 EUR",
           "Brass polish   19.50 EUR", "Total amount due: 139.50 EUR"]


# ---- PDF ----

def pdf_of(objects, trailer=""):
    """objects: number -> bytes. The first is the catalog."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number, content in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    last = max(objects)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (last + 1)
    for number in range(1, last + 1):
        out += b"%010d 00000 n \n" % places.get(number, 0)
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (last + 1, trailer.encode(), start)
    return bytes(out)


def stream(content, fields=b""):
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), fields, content)


def pdf(pages, size=18, box="0 0 595 842"):
    """pages: the lines of each."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>",
               2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
               3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
    for i, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj T* " for line in lines)
        objects[4 + 2 * i] = (f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Contents {5 + 2 * i} 0 R "
                              "/Resources << /Font << /F 3 0 R >> >> >>").encode()
        objects[5 + 2 * i] = stream(f"BT /F {size} Tf {size * 2} TL 60 760 Td {shown}ET".encode())
    return pdf_of(objects)


def drawn(lines=None):
    """The upper half of a page with these lines, as gray pixels: (width, height, bytes)."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/page.pdf", "wb") as file:
            file.write(pdf([lines or INVOICE], size=22))
        subprocess.run(["pdftoppm", "-gray", "-r", "110", "-singlefile", "page.pdf", "page"], cwd=folder, check=True,
                       stderr=subprocess.DEVNULL)
        with open(folder + "/page.pgm", "rb") as file:
            data = file.read()
    magic, width, height, _ = data.split(maxsplit=4)[:4]
    assert magic == b"P5"
    width, height = int(width), int(height)
    pixels = data[-width * height:]
    return width, height // 2, pixels[:width * (height // 2)]  # the lower half is empty


def scanned_pdf(pages):
    """pages: the lines of each, as pictures."""
    kids = " ".join(f"{3 + 3 * i} 0 R" for i in range(len(pages)))
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>",
               2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()}
    known = {}
    for i, lines in enumerate(pages):
        key = tuple(lines)
        if key not in known:
            known[key] = drawn(lines)
        width, height, pixels = known[key]
        objects[3 + 3 * i] = (f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 421] /Contents {4 + 3 * i} 0 R "
                              f"/Resources << /XObject << /I {5 + 3 * i} 0 R >> >> >>").encode()
        objects[4 + 3 * i] = stream(b"q 595 0 0 421 0 0 cm /I Do Q")
        objects[5 + 3 * i] = stream(zlib.compress(pixels), f"/Type /XObject /Subtype /Image /Width {width} /Height {height} "
                                    "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode".encode())
    return pdf_of(objects)


def encrypted_pdf():
    """Keys that no password of ours opens."""
    lock = "<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + "41" * 32 + "> /U <" + "42" * 32 + "> >>"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>"
    return pdf_of({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", 3: page},
                  f"/ID [<00><00>] /Encrypt {lock}")


def looping_pdf():
    """A tree of pages that is its own branch."""
    return pdf_of({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>"})


def million_pages_pdf():
    """Claims a million pages, and lists one page as often as fits."""
    kids = b"4 0 R " * 200_000
    return pdf_of({1: b"<< /Type /Catalog /Pages 2 0 R >>",
                   2: b"<< /Type /Pages /Kids [" + b"3 0 R " * 5 + b"] /Count 1000000 >>",
                   3: b"<< /Type /Pages /Parent 2 0 R /Kids [" + kids + b"] /Count 200000 >>",
                   4: b"<< /Type /Page /Parent 3 0 R /MediaBox [0 0 200 200] >>"})


def wide_pdf():
    """A page of two hundred meters, and a picture that claims to be as large."""
    claim = b"/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceRGB /BitsPerComponent 8"
    return pdf_of({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                   3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600000 600000] /Contents 4 0 R "
                      b"/Resources << /XObject << /I 5 0 R >> >> >>",
                   4: stream(b"q 600000 0 0 600000 0 0 cm /I Do Q"),
                   5: stream(zlib.compress(b"\0" * 10_000_000), claim + b" /Filter /FlateDecode")})


# ---- images ----

def png(width, height, pixels):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + pixels[i * width:(i + 1) * width] for i in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def gif(width, height, pixels, frames=1):
    """Two colours, without compression: a clear code before the table of codes could grow. All frames are the same."""
    codes = []
    for i, value in enumerate(pixels):
        if i % 2 == 0:
            codes.append(4)
        codes.append(1 if value > 127 else 0)
    codes.append(5)
    bits = value = 0
    data = bytearray()
    for code in codes:
        value |= code << bits
        bits += 3
        while bits >= 8:
            data.append(value & 255)
            value >>= 8
            bits -= 8
    if bits:
        data.append(value)
    blocks = b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255)) + b"\0"
    frame = b"\x21\xf9\x04\x00\x00\x00\x00\x00" + b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\2" + blocks
    colours = b"\0\0\0\xff\xff\xff" + b"\0" * 6
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x91, 0, 0) + colours + frame * frames + b"\x3b"


def vp8l(width, height, pixels):
    """The two colours of lossless WebP at their simplest: one bit for each pixel."""
    bits = []

    def put(value, count):
        bits.extend(value >> i & 1 for i in range(count))

    put(width - 1, 14), put(height - 1, 14), put(0, 1), put(0, 3)
    put(1, 1), put(2, 2), put(0, 1)   # red and blue are told as differences to green; no other transform
    put(0, 1), put(0, 1)              # no colour cache, one set of codes
    put(1, 1), put(1, 1), put(0, 1), put(0, 1), put(255, 8)  # green: 0 and 255
    for symbol in (0, 0, 255, 0):     # red, blue, alpha, distance: one symbol, which takes no bits
        put(1, 1), put(0, 1), put(1, 1), put(symbol, 8)
    bits.extend(1 if value > 127 else 0 for value in pixels)
    bits.extend([0] * (-len(bits) % 8))
    return b"\x2f" + bytes(sum(bit << i for i, bit in enumerate(bits[at:at + 8])) for at in range(0, len(bits), 8))


def riff(kind, content):
    return kind + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def webp(width, height, pixels, frames=1):
    picture = riff(b"VP8L", vp8l(width, height, pixels))
    if frames == 1:
        return riff(b"RIFF", b"WEBP" + picture)
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    frame = riff(b"ANMF", b"\0" * 6 + size + b"\x64\0\0\0" + picture)
    return riff(b"RIFF", b"WEBP" + riff(b"VP8X", b"\x02\0\0\0" + size) + riff(b"ANIM", b"\0" * 6) + frame * frames)


def jpeg(lines=None):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/page.pdf", "wb") as file:
            file.write(pdf([lines or INVOICE], size=22))
        subprocess.run(["pdftoppm", "-jpeg", "-r", "110", "-singlefile", "page.pdf", "page"], cwd=folder, check=True,
                       stderr=subprocess.DEVNULL)
        with open(folder + "/page.jpg", "rb") as file:
            return file.read()


def invoice(kind):
    if kind == "jpeg":
        return jpeg()
    return {"png": png, "gif": gif, "webp": webp}[kind](*drawn())


def huge_image(kind, side=100_000):
    """A few bytes that claim a hundred thousand pixels in each direction, or as many as the format has."""
    if kind == "png":
        good = bytearray(png(1, 1, b"\0"))
        good[16:24] = struct.pack(">II", side, side)
        good[29:33] = struct.pack(">I", zlib.crc32(good[12:29]))
        return bytes(good)
    if kind == "jpeg":
        return b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08" + struct.pack(">HH", 65_500, 65_500) + b"\x01\x01\x11\x00\xff\xd9"
    if kind == "gif":
        good = bytearray(gif(1, 1, b"\0"))
        at = good.index(b"\x2c")
        good[at + 5:at + 9] = struct.pack("<HH", 65_535, 65_535)
        return bytes(good)
    good = bytearray(webp(1, 1, b"\0"))
    good[21:25] = struct.pack("<I", 16_383 | 16_383 << 14)
    return bytes(good)
