#!/usr/bin/env python3
"""Builds the console: build_console.py CONSOLE OUT [NPM]

CONSOLE is the folder with package.json; the built files go to OUT. Packages are installed when those that are there are not the ones
that package-lock.json names.
"""
import fcntl
import json
import pathlib
import subprocess
import sys


def packages_of(lock):
    return json.loads(lock.read_text("utf-8")).get("packages", {})


def is_installed(console):
    """npm keeps a list of what it installed. Packages of other systems are optional, and not in it."""
    try:
        present = packages_of(console / "node_modules" / ".package-lock.json")
    except (OSError, ValueError):
        return False
    wanted = packages_of(console / "package-lock.json")
    wanted.pop("", None)
    keys = ("version", "integrity")
    return (all(name in wanted and all(wanted[name].get(key) == package.get(key) for key in keys)
                for name, package in present.items())
            and all(name in present or package.get("optional") for name, package in wanted.items()))


def run(console, *command):
    done = subprocess.run(command, cwd=console, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
        raise SystemExit(f"build_console: {' '.join(command)} failed")


def main():
    console, out = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    npm = sys.argv[3] if len(sys.argv) > 3 else "npm"
    # Build folders share the packages: one build at a time looks whether they are there.
    with open(console / "package-lock.json", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_installed(console):
            run(console, npm, "ci", "--no-audit", "--no-fund")
    run(console, npm, "run", "build", "--", "--outDir", str(out), "--emptyOutDir")


if __name__ == "__main__":
    main()
