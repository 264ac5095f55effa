"""XML as a stream of elements, never as a tree, and without the parts of XML that are there to hurt: a document type,
and with it all entities, is refused."""
from xml.parsers import expat

from reader_text import Complaint

DEPTH_MAX = 256


def parse(chunks, handler, root=None):
    """Calls handler.start(name, attributes), end(name) and text(data). Names are without their namespace; attributes
    that have one are called ":name". `root` is what the first element has to be."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def start(name, attributes):
        nonlocal depth
        depth += 1
        if depth > DEPTH_MAX:
            raise Complaint("deep")
        if depth == 1 and root not in (None, local(name)):
            raise Complaint("unreadable")
        handler.start(local(name), {attribute(key): value for key, value in attributes.items()})

    def end(name):
        nonlocal depth
        depth -= 1
        handler.end(local(name))

    def refuse(*_):
        raise Complaint("unreadable")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        for data in chunks:
            parser.Parse(data, False)
        parser.Parse(b"", True)
    except expat.ExpatError:
        raise Complaint("unreadable") from None


def local(name):
    return name.rpartition(" ")[2]


def attribute(name):
    namespace, _, rest = name.rpartition(" ")
    return ":" + rest if namespace else rest
