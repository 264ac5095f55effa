"""`./dev bench`: measures the server beside its peers and prints a table; build/bench/results.json has every value.

All servers run one after the other on core 0, client and upstream on core 1. See README.md beside this file.
"""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

import processes
import report
from figures import Figures
from scenarios import PER_MILLION, Bench, Scale
from servers import MAKERS, Places, missing_programs

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("bursts", "pace", "delay", "memory", "stored", "start")


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description="measure the release binary beside its peers")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of: {' '.join(PARTS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="a short pass that only shows that everything works")
    parser.add_argument("--stored", type=int, metavar="N", help="finished runs on disk for the part 'stored' (100,000)")
    parser.add_argument("--servers", default=",".join(MAKERS), metavar="LIST",
                        help=f"which servers take part (default: {','.join(MAKERS)})")
    parser.add_argument("--build", default=ROOT / "build/release", help="the build folder to measure (build/release)")
    parser.add_argument("--braidlog", help="another server binary than the one in the build folder")
    parser.add_argument("--profile", metavar="FILE", help="run braidlog under perf; FILE has the last run's samples")
    parser.add_argument("--out", default=ROOT / "build/bench", help="where results and scratch files go (build/bench)")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]}; there are: {' '.join(PARTS)}")
    options.servers = options.servers.split(",")
    strange = [name for name in options.servers if name not in MAKERS]
    if strange:
        parser.error(f"unknown server {strange[0]}; there are: {' '.join(MAKERS)}")
    return options


def conditions(begun, steal_before):
    wall = time.monotonic() - begun
    stolen = processes.steal_seconds() - steal_before
    return {"machine": f"{os.cpu_count()} cores, Linux {platform.release()}",
            "took": f"{wall:.0f} s",
            "steal": f"{stolen:.1f} s, {stolen / (wall * os.cpu_count()):.2%} of all core time",
            "load average": " ".join(f"{load:.2f}" for load in os.getloadavg()),
            "revision": revision()}


def revision():
    shown = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True)
    return shown.stdout.strip() or "unknown"


def main():
    options = arguments()
    processes.stop_all_when_terminated()
    out = pathlib.Path(options.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    places = Places(options.build, out, options.braidlog, options.profile)
    missing = missing_programs(places)
    if missing:
        sys.exit("bench: missing: " + ", ".join(missing))
    if os.cpu_count() < 2:
        sys.exit("bench: two cores are needed, one for the server and one for the load")

    begun, steal_before = time.monotonic(), processes.steal_seconds()

    def say(text):
        print(f"{time.monotonic() - begun:6.1f} s  {text}", file=sys.stderr, flush=True)

    scale, figures = Scale(options.quick, options.stored), Figures()
    bench = Bench(places, scale, figures, [MAKERS[name] for name in options.servers], say)
    for part in options.parts or PARTS:
        getattr(bench, part)()

    # A short pass is too short to say anything about goals.
    reached = [] if options.quick else report.goals(figures, scale.held, scale.stored, PER_MILLION)
    around = conditions(begun, steal_before)
    print(report.whole_report(figures, reached, around))
    results = {"conditions": around, "figures": figures.as_json(), "goals": [goal.as_json() for goal in reached]}
    (out / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
