"""The readers without their walls: what they make of files that are odd in small ways. Whole files of every kind, and
those that are made to hurt, are read by the C++ tests, behind the walls."""
import datetime
import io
import os
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "runner")]
import reader  # noqa: E402
import reader_html  # noqa: E402
import reader_images  # noqa: E402
import reader_sheets  # noqa: E402
import reader_text  # noqa: E402
from reader_archive import Archive  # noqa: E402
from reader_text import Complaint, Reading  # noqa: E402
from reader_word import WordText  # noqa: E402
from reader_xml import parse  # noqa: E402

SETTINGS = {"media_type": "text/html", "text_bytes": 100_000, "unpacked_bytes": 1_000_000, "pixels": 1_000_000, "pages": 10,
            "ocr_pages": 2, "time_ms": 10_000}
WORD = 'xmlns:w="w" xmlns:mc="mc"'


class FileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def read(self, content, **settings):
        with open(reader.FILE, "wb") as file:
            file.write(content)
        return reader.read({**SETTINGS, **settings})

    def complaint(self, *args, **settings):
        answer = self.read(*args, **settings)
        self.assertEqual(answer["op"], "complaint", answer)
        return answer["why"]


class TextTest(unittest.TestCase):
    def test_tidy(self):
        self.assertEqual(reader_text.tidy("\n\na \t\nb\r\nc\rd\x0ce\n\n\n\nf\x00\x07\x9f\u2028g\n", 100), "a\nb\nc\nd\ne\n\nf\ng")
        self.assertEqual(reader_text.tidy("é" * 10, 5), "éé", "cut between two characters")
        self.assertEqual(reader_text.tidy("a\ud800b", 100), "a?b")

    def test_numbers(self):
        self.assertEqual(reader_text.numbers_in_words([7]), "7")
        self.assertEqual(reader_text.numbers_in_words([9, 3, 4, 5]), "3 to 5 and 9")
        self.assertEqual(reader_text.numbers_in_words(range(1, 40, 2)), "1, 3, 5, 7, 9, 11, 13, 15 and more")
        self.assertEqual(reader_text.were_not_read("Page", [2]), "Page 2 was not read.")


class HtmlTest(FileTest):
    def text(self, page, media_type="text/html"):
        return self.read(page if isinstance(page, bytes) else page.encode(), media_type=media_type)["text"]

    def test_what_is_not_seen(self):
        self.assertEqual(self.text("<p>a<script>if (a<b) x()</script><style>s</style><noscript>n</noscript>b</p>"), "ab")
        self.assertEqual(self.text("<body><div hidden>h</div><p>seen</p><!-- <p>comment</p> --></body>"), "seen")
        self.assertEqual(self.text("<title>T</title><svg><title>icon</title></svg>x"), "T\n\nx")

    def test_an_element_that_is_never_closed_does_not_swallow_the_page(self):
        self.assertIn("All of the story", self.text("<body><nav><a>Home</a><p>All of the story</p>" + "<p>more</p>" * 20))
        self.assertIn("body text", self.text("<head><title>T</title><body>body text</body>"))

    def test_the_content_without_what_is_around_it(self):
        story = "<p>" + "story " * 100 + "</p>"
        self.assertNotIn("cookies", self.text(f"<div>We use cookies</div><main>{story}</main><div>cookies</div>"))
        self.assertIn("around", self.text(f"<div>around {story}</div><main>short</main>"))

    def test_character_sets(self):
        self.assertEqual(self.text("<p>café</p>".encode("utf-8")), "café")
        self.assertEqual(self.text(b"<p>caf\xe9 \x80</p>"), "café €", "without a word: as browsers do")
        self.assertEqual(self.text(b"<meta charset='iso-8859-1'>caf\xe9"), "café")
        self.assertEqual(self.text("\ufeff<p>é</p>".encode("utf-16-le")), "é")
        self.assertEqual(self.text("日本".encode("shift_jis"), "text/html; charset=Shift_JIS"), "日本")
        for charset in ("rot13", "base64", "unicode_escape", "utf-7", "nothing"):
            self.assertEqual(self.text("<p>é</p>".encode(), f"text/html; charset={charset}"), "é")

    def test_pages_made_to_hurt_end(self):
        for piece in ("<div>", "<!--", "<a b='", "<![CDATA[", "&#", "<table><tr><td>", "<nav>", "</"):
            answer = self.read((piece * 20_000).encode(), time_ms=1000)
            self.assertIn(answer["op"], ("text", "complaint"))


class ImagesTest(FileTest):
    def size(self, kind, data):
        return reader_images.SIZES["image/" + kind](data)

    def test_sizes(self):
        self.assertEqual(self.size("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\0\7"), (256, 7))
        jpeg = b"\xff\xd8\xff\xe0\0\4ab\xff\xff\xff\xc4\0\4ab\xff\xc2\0\x0b\x08\0\x09\1\0"
        self.assertEqual(self.size("jpeg", jpeg), (256, 9))
        self.assertEqual(self.size("webp", b"RIFF\0\0\0\0WEBPVP8 \x0a\0\0\0abc\x9d\x01\x2a\x05\xc0\x06\0"), (5, 6))
        self.assertEqual(self.size("webp", b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\2\0\0\0\xff\1\0\1\0\0"), (512, 2))
        gif = b"GIF89a\2\0\3\0\x80\0\0" + b"\0" * 6 + b"\x21\xfe\1a\0" + b"\x2c\0\0\0\0\1\0\7\0\0"
        self.assertEqual(self.size("gif", gif), (2, 7), "the larger one")

    def test_every_cut_is_refused(self):
        whole = {"png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\0\7", "gif": b"GIF89a\2\0\3\0\0\0\0\x2c\0\0\0\0\1\0\7\0",
                 "jpeg": b"\xff\xd8\xff\xe0\0\4ab\xff\xc2\0\x0b\x08\0\x09\1\0",
                 "webp": b"RIFF\0\0\0\0WEBPVP8 \x0a\0\0\0abc\x9d\x01\x2a\x05\0\x06"}
        for kind, data in whole.items():
            for end in range(len(data)):
                self.assertEqual(self.complaint(data[:end], media_type="image/" + kind), "unreadable", (kind, end))

    def test_no_pixels(self):
        self.assertEqual(self.complaint(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 8, media_type="image/png"), "unreadable")


class WordTest(unittest.TestCase):
    def text(self, body):
        lines = []
        parse([f"<w:body {WORD}>{body}</w:body>".encode()], WordText(lines.append, {"h": 2}))
        return [line for line in lines if line.strip()]

    def test_runs_breaks_and_tabs(self):
        tabs = "<w:pPr><w:tabs><w:tab/></w:tabs></w:pPr>"
        self.assertEqual(self.text(f"<w:p>{tabs}<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>"),
                         ["a\tb\nc"])

    def test_headings_have_their_level(self):
        self.assertEqual(self.text('<w:p><w:pPr><w:pStyle w:val="h"/></w:pPr><w:r><w:t>T</w:t></w:r></w:p>'), ["\n## T"])
        self.assertEqual(self.text('<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>T</w:t></w:r></w:p>'), ["\n# T"])

    def test_a_box_is_read_once(self):
        box = "<w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent>"
        both = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
        self.assertEqual(self.text(f"<w:p><w:r><w:t>a</w:t>{both}<w:t>b</w:t></w:r></w:p>"), ["box", "ab"])

    def test_a_table_in_a_cell(self):
        def cell(content):
            return f"<w:tc>{content}</w:tc>"

        def p(text):
            return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"

        inner = "<w:tbl><w:tr>" + cell(p("x")) + cell(p("y")) + "</w:tr></w:tbl>"
        self.assertEqual(self.text("<w:tbl><w:tr>" + cell(p("a") + inner) + cell(p("b")) + "</w:tr></w:tbl>"), ["a x | y | b"])


class SheetsTest(unittest.TestCase):
    def rows(self, data, dates=(), epoch=datetime.datetime(1899, 12, 30)):
        lines = []
        parse([f"<s>{data}</s>".encode()], reader_sheets.Sheet(lines.append, ["zero", "one"], set(dates), epoch))
        return lines

    def test_places(self):
        self.assertEqual(self.rows('<row><c r="B1"><v>2</v></c><c r="D1"><v>4</v></c></row><row/><row><c><v>1</v></c></row>'),
                         ["\t2\t\t4", "1"])
        self.assertEqual(reader_sheets.column_of("AA10"), 26)
        self.assertIsNone(reader_sheets.column_of("7"))

    def test_values(self):
        self.assertEqual(self.rows('<row><c t="s"><v>1</v></c><c t="s"><v>9</v></c><c t="e"><v>#REF!</v></c></row>'),
                         ["one\t\t#REF!"])
        self.assertEqual(self.rows("<row><c><v>1E3</v></c><c><v>12345678901234567890</v></c><c><v>odd</v></c></row>"),
                         ["1000\t12345678901234567890\todd"])

    def test_dates(self):
        row = '<row><c s="1"><v>1</v></c><c s="1"><v>0.5</v></c><c s="1"><v>1e300</v></c><c s="1"><v>x</v></c></row>'
        self.assertEqual(self.rows(row, dates=["1"]), ["1899-12-31\t12:00:00\t1e300\tx"])
        styles = reader_sheets.Styles()
        styles.formats = {"170": '"days" 0', "171": "[Red]0", "172": "yyyy", "173": "General", "174": "0.00\\d"}
        self.assertEqual([number for number in ("170", "171", "172", "173", "174", "14", "0", "x") if styles.is_date(number)],
                         ["172", "14"])


class ArchiveTest(FileTest):
    def archive(self, parts, method=zipfile.ZIP_DEFLATED, **settings):
        with zipfile.ZipFile(reader.FILE, "w", method) as file:
            for name, content in parts.items():
                file.writestr(name, content)
        return Archive(Reading({**SETTINGS, **settings}, reader.FILE))

    def test_relations_stay_inside(self):
        rels = ('<Relationships><Relationship Id="a" Type="x/styles" Target="../../../etc/passwd"/><Relationship Id="b" '
                'Type="x/image" Target="/media/b"/><Relationship Id="c" Target="http://x/" TargetMode="External"/></Relationships>')
        archive = self.archive({"word/_rels/d.xml.rels": rels})
        self.assertEqual(archive.relations("word/d.xml"), {"a": ("styles", "etc/passwd"), "b": ("image", "media/b")})
        self.assertEqual(archive.relations("other.xml"), {})

    def test_what_is_read_is_counted(self):
        archive = self.archive({"a": b"x" * 600_000})
        list(archive.chunks("A"))
        with self.assertRaises(Complaint) as raised:
            list(archive.chunks("a"))
        self.assertEqual(raised.exception.why, "unpacked")

    def test_other_ways_to_pack(self):
        with self.assertRaises(Complaint):
            list(self.archive({"a": b"x" * 100}, zipfile.ZIP_LZMA).chunks("a"))

    def test_entities_are_refused(self):
        for source in ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "<a>&b;</a>",
                       "<a>", "", "no XML"):
            with self.assertRaises(Complaint, msg=source):
                parse(io.BytesIO(source.encode()), reader_sheets.Handler())


if __name__ == "__main__":
    unittest.main()
