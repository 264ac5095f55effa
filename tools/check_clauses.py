#!/usr/bin/env python3
"""Fails when a clause of docs/contracts has no test, or a test names a clause that is not there.

A clause is defined by a list item that opens with its id: "- [RUNS-12] …". A test claims it with
@pytest.mark.clause("RUNS-12"). Usage: check_clauses.py [ROOT]
"""
import ast
import pathlib
import re
import sys

DEFINITION = re.compile(r"^- \[([A-Z]+-\d+)\] ", re.MULTILINE)


def defined(root):
    """id -> the places that define it"""
    found = {}
    for page in sorted((root / "docs" / "contracts").glob("*.md")):
        text = page.read_text()
        for match in DEFINITION.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.setdefault(match.group(1), []).append(f"{page.relative_to(root)}:{line}")
    return found


def claimed(root):
    """id -> the places that claim it"""
    found = {}
    for path in sorted((root / "test").rglob("test_*.py")):
        if "node_modules" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clause"):
                continue
            for argument in node.args:
                name = argument.value if isinstance(argument, ast.Constant) else ast.unparse(argument)
                found.setdefault(name, []).append(f"{path.relative_to(root)}:{node.lineno}")
    return found


def problems(root):
    definitions, claims = defined(root), claimed(root)
    for name, places in definitions.items():
        if len(places) > 1:
            yield f"{places[1]}: {name} is already defined at {places[0]}"
        if name not in claims:
            yield f"{places[0]}: {name} has no test"
    for name, places in claims.items():
        if name not in definitions:
            yield f"{places[0]}: no contract has a clause {name}"
    if not definitions:
        yield "docs/contracts: no clauses found"


def main() -> int:
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1]
    found = list(problems(root))
    for line in found:
        print(line)
    if not found:
        print(f"{len(defined(root))} clauses, each with a test")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
