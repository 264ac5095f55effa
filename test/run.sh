#!/bin/sh
# Runs the conformance, fault and client tests against a server binary: test/run.sh BINARY [pytest arguments]
set -u
here=$(cd "$(dirname "$0")" && pwd)
binary=${1:-${BRAIDLOG_BIN:-}}
[ $# -gt 0 ] && shift
if [ -z "$binary" ] || [ ! -x "$binary" ]; then
  echo "usage: test/run.sh BINARY [pytest arguments]   (BINARY: the braidlog to test)" >&2
  exit 2
fi
BRAIDLOG_BIN=$(cd "$(dirname "$binary")" && pwd)/$(basename "$binary")
export BRAIDLOG_BIN
python=${BRAIDLOG_TEST_PYTHON:-/usr/bin/python3}
ulimit -n "$(ulimit -H -n)" 2>/dev/null || true

report=$(mktemp -d)
trap 'rm -rf "$report"' EXIT
failed=0

if [ ! -d "$here/clients/node_modules" ]; then
  (cd "$here/clients" && npm ci --no-audit --no-fund >"$report/npm" 2>&1) || { cat "$report/npm"; failed=1; }
fi
# The client tests mostly wait for reconnects: they run beside the others.
(cd "$here/clients" && timeout 180 node --test >"$report/node" 2>&1; echo $? >"$report/node.code") &

(cd "$here" && "$python" -m pytest -q "$@" >"$report/pytest" 2>&1; echo $? >"$report/pytest.code")
wait

if [ "$(cat "$report/pytest.code")" != 0 ]; then cat "$report/pytest"; failed=1; fi
if [ "$(cat "$report/node.code")" != 0 ]; then cat "$report/node"; failed=1; fi
echo "pytest: $(tail -n 1 "$report/pytest")"
echo "node:   $(grep -E '^(#|ℹ) (tests|pass|fail) ' "$report/node" | tr '\n' ' ')"
exit $failed
