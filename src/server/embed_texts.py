#!/usr/bin/env python3
"""Makes a C++ source of text files: embed_texts.py OUT.cpp FUNCTION=FILE…

Each FUNCTION is one of embedded_texts.h and gives the text of its FILE.
"""
import pathlib
import sys

DELIMITER = "embedded"
PIECE = 8000  # characters; compilers need not take longer literals


def literal(text):
    if f"){DELIMITER}\"" in text:
        raise SystemExit("embed_texts: the text holds the end of a literal")
    pieces = [text[at:at + PIECE] for at in range(0, len(text), PIECE)]
    return "\n".join(f'R"{DELIMITER}({piece}){DELIMITER}"sv' for piece in pieces)


def source(functions):
    lines = ["// Made by embed_texts.py.", '#include "server/embedded_texts.h"', "", "namespace braidlog {", "",
             "using namespace std::string_view_literals;", ""]
    for name, text in functions:
        lines += [f"std::string_view {name}() {{", f"  return {literal(text)};", "}", ""]
    return "\n".join(lines + ["}  // namespace braidlog", ""])


def main():
    out, *pairs = sys.argv[1:]
    functions = [(name, pathlib.Path(file).read_text("utf-8"))
                 for name, file in (pair.split("=", 1) for pair in pairs)]
    pathlib.Path(out).write_text(source(functions), "utf-8")


if __name__ == "__main__":
    main()
