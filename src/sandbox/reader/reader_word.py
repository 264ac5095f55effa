"""Word documents: headings, paragraphs, lists and tables in their order, with headers, notes and footers around them.
What was deleted while changes were tracked is not text any more."""
import re

from reader_archive import Archive

HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
CELLS = " | "


class Paragraphs:
    """Elements of a text body as lines. Paragraphs can stand inside of paragraphs (a box), tables inside of cells."""

    def __init__(self, write):
        self.write = write  # takes a line
        self.path, self.skipped = [], 0
        self.paragraphs, self.tables = [], []
        self.collecting = False

    # ---- what a format adds ----

    def is_skipped(self, name, attributes):
        return name == "Fallback"  # the same thing once more, for older programs

    def opened(self, name, attributes, parent):
        pass

    def closed(self, name):
        pass

    def dressed(self, paragraph):
        return paragraph.text()

    # ---- elements ----

    def start(self, name, attributes):
        if self.skipped or self.is_skipped(name, attributes):
            self.skipped += 1
            return
        parent = self.path[-1] if self.path else ""
        self.path.append(name)
        if name == "p":
            self.paragraphs.append(Paragraph())
        elif name == "tbl":
            self.tables.append(Table())
        elif name == "tr" and self.tables:
            self.tables[-1].row = []
        elif name == "tc" and self.tables:
            self.tables[-1].cell = []
        elif name == "t":
            self.collecting = True
        elif self.paragraphs and name in ("br", "cr") and parent in ("r", "p"):
            self.paragraphs[-1].parts.append("\n")
        elif self.paragraphs and name in ("tab", "ptab") and parent == "r":
            self.paragraphs[-1].parts.append("\t")
        elif self.paragraphs and name == "noBreakHyphen":
            self.paragraphs[-1].parts.append("-")
        self.opened(name, attributes, parent)

    def end(self, name):
        if self.skipped:
            self.skipped -= 1
            return
        self.path.pop()
        if name == "t":
            self.collecting = False
        elif name == "p" and self.paragraphs:
            self.put(self.dressed(self.paragraphs.pop()))
        elif name == "tc" and self.tables:
            self.tables[-1].end_cell()
        elif name == "tr" and self.tables:
            table = self.tables.pop()  # a row belongs where its table stands
            row = table.end_row()
            if row.replace("|", "").strip():
                self.put(row)
            self.tables.append(table)
        elif name == "tbl" and self.tables:
            self.tables.pop()
            self.put("")
        self.closed(name)

    def text(self, data):
        if self.collecting and not self.skipped and self.paragraphs:
            self.paragraphs[-1].parts.append(data)

    def put(self, text):
        """Into the cell where it stands, else out."""
        if self.tables and self.tables[-1].cell is not None:
            self.tables[-1].cell.append(text)
        elif not self.tables:
            self.write(text)


class Paragraph:
    def __init__(self):
        self.parts, self.level, self.listed = [], 0, False

    def text(self):
        return "".join(self.parts)


class Table:
    def __init__(self):
        self.row, self.cell = [], None

    def end_cell(self):
        text = " ".join(part.replace("\n", " ") for part in self.cell or () if part.strip())
        self.row.append(text.strip())
        self.cell = None

    def end_row(self):
        row, self.row = self.row, []
        return CELLS.join(row)


class WordText(Paragraphs):
    def __init__(self, write, levels):
        super().__init__(write)
        self.levels = levels

    def opened(self, name, attributes, parent):
        if not self.paragraphs:
            if name in ("footnote", "endnote") and ":type" not in attributes:
                self.note = f"[{attributes.get(':id', '')}] "
            return
        paragraph = self.paragraphs[-1]
        if name == "pStyle":
            paragraph.level = self.levels.get(attributes.get(":val"), 0)
        elif name == "outlineLvl" and parent == "pPr":
            level = attributes.get(":val", "9")
            paragraph.level = int(level) + 1 if level.isdigit() and int(level) < 6 else 0
        elif name == "numPr":
            paragraph.listed = True
        elif name in ("footnoteReference", "endnoteReference"):
            paragraph.parts.append(f"[{attributes.get(':id', '')}]")

    note = ""

    def dressed(self, paragraph):
        text = paragraph.text()
        if not text.strip():
            return text
        note, self.note = self.note, ""
        if paragraph.level:
            return "\n" + "#" * min(paragraph.level, 6) + " " + text
        return note + ("- " if paragraph.listed else "") + text


class Styles:
    """Which styles are headings. Their ids are in the language of the program, their names are not."""

    def __init__(self):
        self.levels, self.style = {}, None

    def start(self, name, attributes):
        if name == "style":
            self.style = attributes.get(":styleId")
        elif name == "name" and self.style is not None:
            found = HEADING.fullmatch(attributes.get(":val", ""))
            if found:
                self.levels[self.style] = int(found[1])
            elif attributes.get(":val", "").lower() == "title":
                self.levels[self.style] = 1

    def end(self, name):
        if name == "style":
            self.style = None

    def text(self, data):
        pass


def read(reading):
    archive = Archive(reading)
    main = archive.main_part("word/document.xml")
    related = {}
    for kind, name in archive.relations(main).values():
        related.setdefault(kind, []).append(name)
    levels = {}
    for name in related.get("styles", ()):
        levels = archive.parse(name, Styles()).levels

    def take(names):
        seen = set()  # sections often repeat their headers
        for name in names:
            lines = []
            archive.parse(name, WordText(lines.append, levels))
            text = "\n".join(line for line in lines if line.strip())
            if text and text not in seen:
                seen.add(text)
                reading.line(text)

    take(sorted(set(related.get("header", ()))))
    archive.parse(main, WordText(reading.line, levels), "document")
    for kind in ("footnotes", "endnotes", "footer", "comments"):
        take(sorted(set(related.get(kind, ()))))
