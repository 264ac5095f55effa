#!/usr/bin/env python3
"""Fails when a file of src/ includes a folder that its own folder may not include.

The table is written bottom-up, so it cannot hold a cycle: a folder may only name folders above it here.
There is no suppression list on purpose.
"""
import pathlib
import re
import sys

BELOW_ADAPTERS = ["base", "event", "wire", "api", "port", "net"]
LAYERS = {
    "base": [],
    "event": ["base"],
    "wire": ["base"],
    "api": ["base", "event"],
    "port": ["base", "event", "api"],
    "net": ["base", "wire"],
    "terminal": ["base", "wire", "net"],
    "terminal": ["base", "wire", "net"],
    "store": BELOW_ADAPTERS,
    "provider": BELOW_ADAPTERS,
    "tool": BELOW_ADAPTERS,
    "sandbox": BELOW_ADAPTERS,
    "auth": BELOW_ADAPTERS,
    "agent": BELOW_ADAPTERS,
    "runlog": ["base", "event", "port"],
    "engine": ["base", "event", "api", "port", "runlog"],
    "dialect": ["base", "event", "wire", "api"],
    "server": ["base", "event", "wire", "api", "port", "net", "runlog", "engine", "dialect"],
    "app": None,  # the only folder that may name everything
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def violations(src: pathlib.Path):
    for path in sorted(p for p in src.rglob("*") if p.suffix in (".h", ".cpp")):
        folder = path.relative_to(src).parts[0]
        if folder not in LAYERS:
            yield f"{path}: folder '{folder}' is not in the layer table"
            continue
        allowed = LAYERS[folder]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1).split("/")[0]
            if "/" not in match.group(1) or target not in LAYERS:
                yield f"{path}:{number}: include our headers by folder: {match.group(1)}"
            elif target != folder and allowed is not None and target not in allowed:
                yield f"{path}:{number}: {folder} may not include {target}"


def main() -> int:
    found = list(violations(pathlib.Path(sys.argv[1])))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
