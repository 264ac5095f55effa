"""Documents for tests, made here byte by byte: office files, and archives that are made to hurt; PDFs and pictures come
from pages.py.

As a program it writes one to its output, for the tests in C++: python3 -m braid_client.documents NAME
"""
import io
import struct
import sys
import zipfile

from .pages import (INVOICE, drawn, encrypted_pdf, gif, huge_image, invoice, looping_pdf, million_pages_pdf, pdf, scanned_pdf,
                    webp, wide_pdf)

OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = OFFICE + "wordprocessingml.document"
XLSX = OFFICE + "spreadsheetml.sheet"
PPTX = OFFICE + "presentationml.presentation"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
CONTENT_TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'

# ---- archives ----

def archive(parts, compression=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return out.getvalue()


def relations(*targets):
    """(id, kind, target) each"""
    lines = "".join(f'<Relationship Id="{id}" Type="{RELATIONS}/{kind}" Target="{target}"/>' for id, kind, target in targets)
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{lines}</Relationships>'


def package(main, parts):
    return archive({"[Content_Types].xml": CONTENT_TYPES, "_rels/.rels": relations(("r1", "officeDocument", main)), **parts})


def docx(body=None, parts=None):
    def p(text, style=""):
        style = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f'<w:p>{style}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'

    def part(tag, content):
        return f'<?xml version="1.0" encoding="UTF-8"?><w:{tag} xmlns:w="{WORD}">{content}</w:{tag}>'

    cell = "<w:tc><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:tc>"
    rows = [("Harbour", "Keeper"), ("Skagen", "Ingrid &amp; Ole")]
    table = "".join("<w:tr>" + "".join(cell % text for text in row) + "</w:tr>" for row in rows)
    if body is None:
        body = (p("Report on lighthouses", "berschrift1") + p("The lamp of Skagen was lit in 1858.")
                + "<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>Buy oil</w:t></w:r></w:p>"
                + '<w:p><w:r><w:t>See the note</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r>'
                + '<w:del><w:r><w:delText>gone words</w:delText></w:r></w:del></w:p>'
                + f"<w:tbl>{table}</w:tbl>" + p("The end – 灯台."))
    styles = '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    notes = '<w:footnote w:id="0" w:type="separator"><w:p/></w:footnote><w:footnote w:id="2">' + p("From the chronicle.")
    return package("word/document.xml", {
        "word/document.xml": part("document", f"<w:body>{body}</w:body>"),
        "word/_rels/document.xml.rels": relations(("r1", "styles", "styles.xml"), ("r2", "header", "header1.xml"),
                                                  ("r3", "footnotes", "footnotes.xml"), ("r4", "footer", "footer1.xml")),
        "word/styles.xml": part("styles", styles), "word/header1.xml": part("hdr", p("Society of Keepers")),
        "word/footnotes.xml": part("footnotes", notes + "</w:footnote>"), "word/footer1.xml": part("ftr", p("Printed in Aarhus")),
        **(parts or {})})


def xlsx(sheets=1, strings=None):
    if strings is None:
        strings = "<si><t>Lamp</t></si><si><r><t>Oil </t></r><r><t>barrels</t></r></si><si><t>Bought</t></si>"
    styles = ('<numFmts><numFmt numFmtId="170" formatCode="[$-409]d\\-mmm\\-yyyy"/></numFmts>'
              '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs>')
    rows = ('<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>'
            '<row r="2"><c r="A2" t="inlineStr"><is><t>Skagen</t></is></c><c r="B2"><v>17.5</v></c>'
            '<c r="C2" s="1"><v>46082</v></c><c r="E2" s="2"><v>46082.5</v></c></row>'
            '<row r="3"><c r="A3" t="str"><f>A2</f><v>computed</v></c><c r="B3" t="b"><v>1</v></c>'
            '<c r="C3"><v>0.30000000000000004</v></c></row>')
    names = [f"Stock {number}" for number in range(1, sheets + 1)]
    listed = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="s{i}"/>' for i, name in enumerate(names, 1))
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{RELATIONS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            ("x1", "sharedStrings", "sharedStrings.xml"), ("x2", "styles", "/xl/styles.xml"),
            *((f"s{i}", "worksheet", f"worksheets/sheet{i}.xml") for i in range(1, sheets + 1))),
        "xl/sharedStrings.xml": f'<sst xmlns="{SHEET}">{strings}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{SHEET}">{styles}</styleSheet>',
    }
    for i in range(1, sheets + 1):
        parts[f"xl/worksheets/sheet{i}.xml"] = f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>'
    return package("xl/workbook.xml", parts)


def many_strings_xlsx():
    return xlsx(strings="".join(f"<si><t>{i} of many strings that nobody is shown</t></si>" for i in range(1_000_000)))


def pptx(slides=("Why lighthouses", "How they work")):
    def text(*lines):
        paragraphs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
        return f"<p:cSld><p:spTree><p:sp><p:txBody>{paragraphs}</p:txBody></p:sp></p:spTree></p:cSld>"

    names = f'xmlns:p="{SLIDE}" xmlns:a="{DRAWING}" xmlns:r="{RELATIONS}"'
    count = len(slides)
    # The files are numbered backwards: the order of the show is that of the list.
    listed = "".join(f'<p:sldId id="{256 + i}" r:id="s{i}"/>' for i in range(count))
    parts = {
        "ppt/presentation.xml": f"<p:presentation {names}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"s{i}", "slide", f"slides/slide{count - i}.xml") for i in range(count))),
    }
    for i, title in enumerate(slides):
        number = '<a:fld type="slidenum"><a:t>77</a:t></a:fld>'
        parts[f"ppt/slides/slide{count - i}.xml"] = (
            f"<p:sld {names}>" + text(title, f"Point of {title}").replace("</a:p></p:txBody>", number + "</a:p></p:txBody>")
            + "</p:sld>")
    parts[f"ppt/slides/_rels/slide{count}.xml.rels"] = relations(("n1", "notesSlide", "../notesSlides/notesSlide1.xml"))
    parts["ppt/notesSlides/notesSlide1.xml"] = f"<p:notes {names}>" + text("Speak slowly here.") + "</p:notes>"
    return package("ppt/presentation.xml", parts)


# ---- made to hurt ----

def zip_bomb(declared_bytes=None, actual_bytes=210 << 20):
    """A docx whose text unpacks to this many letters. `declared_bytes`: what it says instead."""
    body = (f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>').encode()
    made = bytearray(docx(parts={"word/document.xml": body + b"x" * actual_bytes}))
    if declared_bytes is not None:
        true = struct.pack("<I", len(body) + actual_bytes)
        while true in made:
            at = made.index(true)
            made[at:at + 4] = struct.pack("<I", declared_bytes)
    return bytes(made)


def overlapping_zip(copies=5_000, each_bytes=1 << 20):
    """Many names for the same compressed bytes, as in the well-known bombs."""
    made = bytearray(docx(parts={"word/media/blob.xml": b"x" * each_bytes}))
    end = made.rindex(b"PK\x05\x06")
    _, _, _, _, count, size, start, _ = struct.unpack("<IHHHHIIH", made[end:end + 22])
    directory = bytes(made[start:end])
    at = directory.index(b"word/media/blob.xml") - 46
    entry = directory[at:at + 46 + len(b"word/media/blob.xml")]
    directory += entry * copies
    return bytes(made[:start]) + directory + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, (count + copies) & 0xFFFF,
                                                         (count + copies) & 0xFFFF, len(directory), start, 0)


def nested_zip():
    """Archives in an archive: nobody looks into them."""
    inner = archive({"zeros": b"\0" * (50 << 20)})
    for _ in range(3):
        inner = archive({f"{i}.zip": inner for i in range(16)}, zipfile.ZIP_STORED)
    return docx(parts={"word/embeddings/inner.zip": inner})


def laughing_docx():
    entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    return docx(parts={"word/document.xml": f'<?xml version="1.0"?><!DOCTYPE w:document [{entities}]>'
                       f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>&a11;</w:t></w:r></w:p></w:body></w:document>'})


def deep_docx(depth=200_000):
    return docx(parts={"word/document.xml": f'<w:document xmlns:w="{WORD}">' + "<w:p>" * depth + "</w:p>" * depth
                       + "</w:document>"})


def broken_docx():
    """Opens, but its text is no XML."""
    return docx(parts={"word/document.xml": "<w:document><unclosed"})


def many_parts_docx(count=20_000):
    return docx(parts={f"word/media/{i}": b"" for i in range(count)})


def html():
    return ("<!doctype html><html><head><title>Lamps &amp; lighthouses</title><style>p{color:red}</style>"
            "<script>var secret = 'never shown';</script></head><body><nav><a href='/'>Home</a> <a href='/x'>Menu entry</a></nav>"
            "<main><h1>The lamp</h1><p>Lit by <a href='https://example.org/'>keepers</a> every\n  night.</p>"
            "<ul><li>Oil</li><li>Wick</li></ul><table><tr><th>Place</th><th>Year</th></tr><tr><td>Skagen</td><td>1858</td></tr>"
            "</table><pre>a\n  b</pre></main><footer>All rights reserved</footer></body></html>").encode()


def named(name):
    makers = {
        "docx": docx, "xlsx": xlsx, "pptx": pptx, "html": html,
        "pdf": lambda: pdf([["The first page", "has two lines."], ["The second page."]]),
        "scanned_pdf": lambda: scanned_pdf([INVOICE]),
        "mixed_pdf": lambda: scanned_pdf([INVOICE] * 3 + [["Short"]]),
        "long_scanned_pdf": lambda: scanned_pdf([INVOICE] * 20), "many_strings_xlsx": many_strings_xlsx,
        "encrypted_pdf": encrypted_pdf, "looping_pdf": looping_pdf, "million_pages_pdf": million_pages_pdf,
        "wide_pdf": wide_pdf, "many_sheets_xlsx": lambda: xlsx(12),
        "moving_gif": lambda: gif(*drawn(), frames=3), "moving_webp": lambda: webp(*drawn(), frames=3),
        "zip_bomb": zip_bomb, "lying_zip_bomb": lambda: zip_bomb(declared_bytes=1000, actual_bytes=30 << 20),
        "overlapping_zip": overlapping_zip, "nested_zip": nested_zip, "laughing_docx": laughing_docx,
        "deep_docx": deep_docx, "broken_docx": broken_docx, "many_parts_docx": many_parts_docx,
        "wordy_docx": lambda: docx(body="<w:p><w:r><w:t>word </w:t></w:r></w:p>" * 400_000),
    }
    if name in makers:
        return makers[name]()
    kind, _, image = name.partition("_")
    return invoice(image) if kind == "invoice" else huge_image(image)


if __name__ == "__main__":
    sys.stdout.buffer.write(named(sys.argv[1]))
