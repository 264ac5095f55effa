"""Web pages as text that can be read: the title, then the headings, paragraphs, lists and tables of the page's own
content. What surrounds it on every page of a site (navigation, footers), and what nobody sees, is left out."""
import re
import signal
from html.parser import HTMLParser

from reader_text import Enough, TimeIsUp

NEVER_SEEN = {"script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "audio", "video", "head"}
AROUND = {"nav", "aside", "footer", "form", "dialog", "menu", "select", "button"}
CONTENT = {"main", "article"}
BLOCKS = {"address", "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt", "fieldset",
          "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol",
          "p", "pre", "section", "summary", "table", "tbody", "thead", "tr", "ul"}
CONTENT_CHARACTERS_MIN = 300  # a page whose <main> has less than this keeps its text elsewhere
ENOUGH_CHARACTERS = 100

SPACES = re.compile(r"[ \t\r\n\f]+")
CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([a-zA-Z0-9_-]{2,40})""", re.IGNORECASE)
# Others can be meant to deceive, or are slow to read.
KNOWN_CHARSET = re.compile(r"utf-?8|utf-?16(-?[lb]e)?|iso-?8859-\d{1,2}|latin-?1|us-ascii|windows-125\d|shift[_-]jis|"
                           r"euc-(jp|kr)|gb(2312|k|18030)|big5|koi8-[ru]", re.IGNORECASE)


class Page(HTMLParser):
    """`dropped`: elements whose text is left out."""

    def __init__(self, dropped, characters_max):
        super().__init__(convert_charrefs=True)
        self.dropped, self.characters_left = dropped, characters_max
        self.title, self.in_title = "", False
        self.dropping = []  # names of open elements, the outermost dropped one first
        self.content, self.preformatted, self.cell = 0, 0, False
        self.lines, self.line, self.prefix = [], [], ""  # lines are (text, is content)

    def handle_starttag(self, tag, attributes):
        if tag == "title" and not self.title and "svg" not in self.dropping:
            self.in_title = True
        elif self.dropping:
            if tag == self.dropping[-1]:
                self.dropping.append(tag)
            elif tag == "body":  # a head that was never closed
                self.dropping.clear()
        elif tag in self.dropped or ("hidden" in (names := dict(attributes)) and tag in BLOCKS) or (
                names.get("aria-hidden") == "true" and tag in BLOCKS):
            if tag in BLOCKS:
                self.end_line()
            self.dropping.append(tag)
        else:
            self.open(tag)

    def open(self, tag):
        if tag in BLOCKS or tag == "br":
            self.end_line()
        if tag in CONTENT:
            self.content += 1
        elif tag == "pre":
            self.preformatted += 1
        elif tag == "li":
            self.prefix = "- "
        elif tag[0] == "h" and tag[1:].isdigit():
            self.lines.append(("", self.content > 0))
            self.prefix = "#" * min(int(tag[1:]), 6) + " "
        elif tag in ("td", "th"):
            if self.cell:
                self.line.append(" | ")
            self.cell = True
        elif tag == "p":
            self.lines.append(("", self.content > 0))

    def handle_startendtag(self, tag, attributes):
        if not self.dropping and tag not in self.dropped:
            self.open(tag)

    def handle_endtag(self, tag):
        if tag == "title":
            self.in_title = False
        if self.dropping:
            if tag == self.dropping[-1]:
                self.dropping.pop()
            return
        if tag in BLOCKS:
            self.end_line()
        if tag in CONTENT:
            self.content = max(0, self.content - 1)
        elif tag == "pre":
            self.preformatted = max(0, self.preformatted - 1)
        elif tag in ("tr", "table"):
            self.cell = False

    def handle_data(self, data):
        if self.in_title:
            self.title += data[:1000]
        elif self.dropping:
            return
        elif self.preformatted:
            first, *others = data.split("\n")
            self.line.append(first)
            for other in others:
                self.end_line()
                self.line.append(other)
        else:
            self.line.append(SPACES.sub(" ", data))
        self.characters_left -= len(data)
        if self.characters_left < 0:
            raise Enough()

    def end_line(self):
        text = "".join(self.line)
        if not self.preformatted:
            text = SPACES.sub(" ", text).strip()
        self.line.clear()
        if text.strip(" |"):
            self.lines.append((self.prefix + text, self.content > 0))
        if text:
            self.prefix = ""
        self.cell = False

    def text(self):
        self.end_line()
        content = "\n".join(text for text, is_content in self.lines if is_content)
        if len(content) >= CONTENT_CHARACTERS_MIN:
            return content
        return "\n".join(text for text, _ in self.lines)


def read(reading):
    with open(reading.path, "rb") as file:
        source = decoded(file.read(), reading.settings["media_type"])
    page, text = parsed(source, NEVER_SEEN | AROUND, reading)
    if len(text) < ENOUGH_CHARACTERS:  # perhaps something was opened and never closed
        other, all_text = parsed(source, NEVER_SEEN - {"head"}, reading)
        page, text = (other, all_text) if len(all_text) > 5 * len(text) else (page, text)
    title = SPACES.sub(" ", page.title).strip()
    if title:
        reading.line(title + "\n")
    reading.line(text)


def parsed(source, dropped, reading):
    page = Page(dropped, reading.settings["text_bytes"])
    # A page may be made so that the parser's own patterns take forever on it.
    signal.signal(signal.SIGALRM, time_is_up)
    signal.setitimer(signal.ITIMER_REAL, reading.time_left())
    try:
        page.feed(source)
        page.close()
    except Enough:
        pass
    except TimeIsUp:
        reading.leave_out("The rest was not read: it took too long.")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return page, page.text()


def time_is_up(*_):
    raise TimeIsUp()


def decoded(data, media_type):
    for mark, charset in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[len(mark):].decode(charset, "replace")
    found = CHARSET.search(media_type.encode()) or CHARSET.search(data[:2048])
    charset = found[1].decode() if found else "utf-8"
    if not KNOWN_CHARSET.fullmatch(charset):
        charset = "utf-8"
    if re.fullmatch(r"iso-?8859-1|latin-?1|us-ascii", charset, re.IGNORECASE):
        charset = "cp1252"  # as browsers do
    try:
        return data.decode(charset)
    except (UnicodeDecodeError, LookupError):
        return data.decode("utf-8" if found else "cp1252", "replace")
