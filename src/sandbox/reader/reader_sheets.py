"""Excel workbooks: each sheet under its name, its rows with tabs between the cells. Cells show the values that were
computed last; dates are written as 2026-03-01."""
import datetime
import re

from reader_archive import Archive
from reader_text import were_not_read

COLUMNS_MAX = 16_384
DATE_FORMATS = {*range(14, 23), *range(45, 48)}  # those that every workbook has
NOT_CODE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')  # parts of a number format that are no letters of it
DATE_CODE = re.compile(r"[dmyhs]", re.IGNORECASE)


class Handler:
    def start(self, name, attributes):
        pass

    def end(self, name):
        pass

    def text(self, data):
        pass


class Book(Handler):
    def __init__(self):
        self.sheets, self.epoch = [], datetime.datetime(1899, 12, 30)

    def start(self, name, attributes):
        if name == "sheet":
            self.sheets.append((attributes.get("name", ""), attributes.get(":id")))
        elif name == "workbookPr" and attributes.get("date1904") in ("1", "true"):
            self.epoch = datetime.datetime(1904, 1, 1)


class SharedStrings(Handler):
    def __init__(self):
        self.strings, self.parts, self.collecting, self.phonetic = [], [], False, 0

    def start(self, name, attributes):
        if name == "rPh":
            self.phonetic += 1
        elif name == "t":
            self.collecting = not self.phonetic

    def end(self, name):
        if name == "t":
            self.collecting = False
        elif name == "rPh":
            self.phonetic -= 1
        elif name == "si":
            self.strings.append("".join(self.parts))
            self.parts.clear()

    def text(self, data):
        if self.collecting:
            self.parts.append(data)


class Styles(Handler):
    """Which styles of cells show a date."""

    def __init__(self):
        self.formats, self.dates, self.inside = {}, set(), False
        self.count = 0

    def start(self, name, attributes):
        if name == "numFmt":
            self.formats[attributes.get("numFmtId")] = attributes.get("formatCode", "")
        elif name == "cellXfs":
            self.inside = True
        elif name == "xf" and self.inside:
            if self.is_date(attributes.get("numFmtId", "0")):
                self.dates.add(str(self.count))
            self.count += 1

    def end(self, name):
        if name == "cellXfs":
            self.inside = False

    def is_date(self, number):
        if number in self.formats:
            code = NOT_CODE.sub("", self.formats[number])
            return "General" not in code and DATE_CODE.search(code) is not None
        return number.isdigit() and int(number) in DATE_FORMATS


class Sheet(Handler):
    def __init__(self, write, strings, dates, epoch):
        self.write, self.strings, self.dates, self.epoch = write, strings, dates, epoch
        self.row, self.cell, self.collecting, self.parts, self.phonetic = {}, None, False, [], 0
        self.next_column = 0

    def start(self, name, attributes):
        if name == "row":
            self.row, self.next_column = {}, 0
        elif name == "c":
            column = column_of(attributes.get("r", ""))
            column = self.next_column if column is None else column  # without a reference they follow each other
            self.next_column = column + 1
            self.cell = (column, attributes.get("t", "n"), attributes.get("s"))
            self.parts.clear()
        elif name == "rPh":
            self.phonetic += 1
        elif name in ("v", "t") and self.cell:
            self.collecting = not self.phonetic

    def end(self, name):
        if name in ("v", "t"):
            self.collecting = False
        elif name == "rPh":
            self.phonetic -= 1
        elif name == "c" and self.cell:
            column, kind, style = self.cell
            value = self.value("".join(self.parts), kind, style)
            if value and column < COLUMNS_MAX:
                self.row[column] = " ".join(value.split("\n")).replace("\t", " ").replace("\r", "")
            self.cell = None
        elif name == "row" and self.row:
            self.write("\t".join(self.row.get(column, "") for column in range(max(self.row) + 1)))

    def text(self, data):
        if self.collecting:
            self.parts.append(data)

    def value(self, text, kind, style):
        if kind == "s":
            return self.strings[int(text)] if text.isdigit() and int(text) < len(self.strings) else ""
        if kind == "b":
            return "TRUE" if text == "1" else "FALSE"
        if kind != "n" or not text:
            return text
        try:
            number = float(text)
        except ValueError:
            return text
        if style in self.dates:
            return self.date(number) or text
        return f"{number:.15g}" if "." in text or "E" in text.upper() else text

    def date(self, number):
        try:
            moment = self.epoch + datetime.timedelta(seconds=round(number * 86_400))
        except (OverflowError, ValueError):
            return None
        if 0 <= number < 1:
            return moment.time().isoformat()
        return moment.date().isoformat() if moment.time() == datetime.time() else moment.isoformat(sep=" ")


def column_of(reference):
    """ "C7" -> 2; None for what is no reference."""
    column = 0
    for letter in reference[:4]:
        if not "A" <= letter <= "Z":
            break
        column = column * 26 + ord(letter) - 64
    return column - 1 if column else None


def read(reading):
    archive = Archive(reading)
    main = archive.main_part("xl/workbook.xml")
    book = archive.parse(main, Book(), "workbook")
    relations = archive.relations(main)
    strings, dates = [], set()
    for kind, name in relations.values():
        if kind == "sharedStrings":
            strings = archive.parse(name, SharedStrings()).strings
        elif kind == "styles":
            dates = archive.parse(name, Styles()).dates
    # Sheets of charts have no rows.
    known = {id: part for id, (kind, part) in relations.items() if kind == "worksheet"}
    sheets = [(name, known[id]) for name, id in book.sheets if id in known]
    sheets_max = reading.settings["pages"]
    if len(sheets) > sheets_max:
        reading.leave_out(were_not_read("Sheet", range(sheets_max + 1, len(sheets) + 1)))
    for name, part in sheets[:sheets_max]:
        reading.line(f"\nSheet {name}:")
        archive.parse(part, Sheet(reading.line, strings, dates, book.epoch))
