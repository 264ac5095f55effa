"""Office documents are archives of XML parts. What an archive says about itself may be a lie: it is counted as well."""
import posixpath
import zipfile

from reader_text import Complaint
from reader_xml import parse

PARTS_MAX = 10_000
CHUNK_BYTES = 64 * 1024
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 1  # a bit of the flags


class Archive:
    def __init__(self, reading):
        self.reading, self.unpacked = reading, 0
        self.unpacked_max = reading.settings["unpacked_bytes"]
        try:
            self.zip = zipfile.ZipFile(reading.path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError):
            raise Complaint("unreadable") from None
        parts = self.zip.infolist()
        if len(parts) > PARTS_MAX:
            raise Complaint("parts")
        if sum(part.file_size for part in parts) > self.unpacked_max:
            raise Complaint("unpacked")
        self.parts = {part.filename.lower(): part for part in parts}  # names differ in case only by mistake

    def __contains__(self, name):
        return name.lower() in self.parts

    def chunks(self, name):
        part = self.parts.get(name.lower())
        if part is None or part.compress_type not in METHODS:
            raise Complaint("unreadable")
        if part.flag_bits & ENCRYPTED:
            raise Complaint("encrypted")
        with self.zip.open(part) as stream:
            while data := stream.read(CHUNK_BYTES):
                self.unpacked += len(data)
                if self.unpacked > self.unpacked_max:
                    raise Complaint("unpacked")
                self.reading.time_left()
                yield data

    def parse(self, name, handler, root=None):
        """The part's elements to the handler; a part that is not there has none."""
        if name in self:
            parse(self.chunks(name), handler, root)
        return handler

    def relations(self, name):
        """What a part refers to: id -> (kind, name)."""
        folder, base = posixpath.split(name)
        return self.parse(posixpath.join(folder, "_rels", base + ".rels"), Relations(folder)).found

    def main_part(self, usual):
        """The one that the document begins with; `usual` is where most programs keep it."""
        for kind, name in self.relations("").values():
            if kind == "officeDocument" and name in self:
                return name
        if usual not in self:
            raise Complaint("unreadable")
        return usual


class Relations:
    def __init__(self, folder):
        self.folder, self.found = folder, {}

    def start(self, name, attributes):
        if name != "Relationship" or attributes.get("TargetMode") == "External":
            return
        target = posixpath.normpath(posixpath.join("/", self.folder, attributes.get("Target", ""))).lstrip("/")
        self.found[attributes.get("Id")] = (attributes.get("Type", "").rpartition("/")[2], target)

    def end(self, name):
        pass

    def text(self, data):
        pass
