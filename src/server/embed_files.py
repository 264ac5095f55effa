#!/usr/bin/env python3
"""Makes a C++ source of the built console: embed_files.py OUT.cpp FOLDER

Defines console_files() of embedded_files.h. Only what the server has a route for may be in FOLDER: index.html, favicon.svg and the
files of assets/.
"""
import gzip
import hashlib
import pathlib
import sys

AT_THE_ROOT = {"index.html", "favicon.svg"}
PIECE = 8000  # bytes; compilers need not take longer literals
PLAIN = {byte: chr(byte) for byte in range(0x20, 0x7F) if chr(byte) not in '"\\?'}  # two question marks may begin a trigraph
ESCAPED = [PLAIN.get(byte, f"\\{byte:03o}") for byte in range(256)]


def literal(content):
    pieces = [content[at:at + PIECE] for at in range(0, len(content), PIECE)] or [b""]
    return "\n".join('"' + "".join(ESCAPED[byte] for byte in piece) + '"sv' for piece in pieces)


def compressed(content):
    packed = gzip.compress(content, 9, mtime=0)  # without the time, so that a build can be repeated
    return packed if len(packed) < len(content) else b""


def files_of(folder):
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in paths:
        name = path.relative_to(folder).as_posix()
        if name not in AT_THE_ROOT and path.parent != folder / "assets":
            raise SystemExit(f"embed_files: no route serves {name}")
    if folder / "index.html" not in paths:
        raise SystemExit(f"embed_files: {folder} has no index.html")
    return [("/" + path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths]


def source(files):
    lines = ["// Made by embed_files.py.", '#include "server/embedded_files.h"', "", "namespace braidlog {", "",
             "std::span<const EmbeddedFile> console_files() {", "  using namespace std::string_view_literals;",
             "  static constexpr EmbeddedFile kFiles[] = {"]
    for path, content in files:
        digest = hashlib.sha256(content).hexdigest()[:32]
        lines += [f'{{"{path}"sv,', literal(content) + ",", literal(compressed(content)) + ",", f'"{digest}"sv}},']
    return "\n".join(lines + ["  };", "  return kFiles;", "}", "", "}  // namespace braidlog", ""])


def main():
    out, folder = map(pathlib.Path, sys.argv[1:])
    out.write_text(source(files_of(folder)), "ascii")


if __name__ == "__main__":
    main()
