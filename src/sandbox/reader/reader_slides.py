"""PowerPoint presentations: the text of each slide in the order of the show, and its notes."""
from reader_archive import Archive
from reader_text import were_not_read
from reader_word import Paragraphs


class SlideText(Paragraphs):
    def is_skipped(self, name, attributes):
        # The number of the slide, its date and the like stand on every slide.
        return super().is_skipped(name, attributes) or (name == "fld" and attributes.get("type") == "slidenum")


class Order:
    def __init__(self):
        self.ids = []

    def start(self, name, attributes):
        if name == "sldId":
            self.ids.append(attributes.get(":id"))

    def end(self, name):
        pass

    def text(self, data):
        pass


def read(reading):
    archive = Archive(reading)
    main = archive.main_part("ppt/presentation.xml")
    relations = archive.relations(main)
    slides = [relations[id][1] for id in archive.parse(main, Order(), "presentation").ids if id in relations]
    slides_max = reading.settings["pages"]
    if len(slides) > slides_max:
        reading.leave_out(were_not_read("Slide", range(slides_max + 1, len(slides) + 1)))
    for number, slide in enumerate(slides[:slides_max], 1):
        reading.line(f"\nSlide {number}:")
        archive.parse(slide, SlideText(reading.line))
        for kind, name in archive.relations(slide).values():
            if kind != "notesSlide":
                continue
            lines = []
            archive.parse(name, SlideText(lines.append))
            notes = "\n".join(line for line in lines if line.strip())
            if notes:
                reading.line("Notes: " + notes)
