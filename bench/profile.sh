#!/usr/bin/env bash
# Where the server spends its time: one part of the bench under perf, then the symbols by their own time, and the
# threads. Kernel symbols need root, or kernel.perf_event_paranoid at 1 or less.
#
#   bench/profile.sh [PART] [FLAGS of bench.py]
set -euo pipefail
cd "$(dirname "$0")/.."
part=${1:-bursts}
[ $# -eq 0 ] || shift
samples=build/bench/perf.data
mkdir -p build/bench
/usr/bin/python3 -B bench/bench.py "$part" --servers full --out build/bench/profile --profile "$samples" "$@"
printf '\nthreads\n'
perf report -i "$samples" --stdio --no-children -g none --sort comm 2>/dev/null | grep '%'
printf '\nsymbols by their own time\n'
perf report -i "$samples" --stdio --no-children -g none --sort dso,symbol --percent-limit 0.5 2>/dev/null | grep '%'
