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

# What a folder's package.json names, once.
npm_packages() {
  [ ! -f "$1/package.json" ] || [ -d "$1/node_modules" ] && return
  (cd "$1" && npm ci --no-audit --no-fund >"$report/npm" 2>&1) || { cat "$report/npm"; failed=1; }
}
sdk=$here/../sdk/typescript
console=$here/../console
for folder in "$here/clients" "$here/mcp" "$here/upstream" "$here/browser" "$sdk" "$console"; do npm_packages "$folder"; done
# The client tests mostly wait for reconnects: they run beside the others.
(cd "$here/clients" && timeout 180 node --test >"$report/node" 2>&1; echo $? >"$report/node.code") &

(cd "$sdk" && timeout 300 npm test >"$report/sdk" 2>&1; echo $? >"$report/sdk.code") &
(cd "$console" && timeout 300 npm test >"$report/console" 2>&1; echo $? >"$report/console.code") &

# So do most of these: the conformance tests run beside all the others, each with servers of their own.
part() {
  name=$1
  shift
  (cd "$here" && "$python" -m pytest -q -p no:cacheprovider "$@" >"$report/$name" 2>&1; echo $? >"$report/$name.code")
}
if [ $# -gt 0 ]; then
  parts=chosen
  part chosen "$@"
else
  parts="conformance faults others people"
  part conformance conformance --ignore=conformance/test_any_contract.py &
  part faults faults &
  part people console docs &
  part others crash clients proxies browser openapi mcp terminal conformance/test_any_contract.py
fi
wait

for name in $parts; do
  if [ "$(cat "$report/$name.code")" != 0 ]; then cat "$report/$name"; failed=1; fi
done
for name in node sdk console; do
  if [ "$(cat "$report/$name.code")" != 0 ]; then cat "$report/$name"; failed=1; fi
done
for name in $parts; do echo "pytest $name: $(tail -n 1 "$report/$name")"; done
for name in node sdk console; do
  echo "$name:   $(grep -E '^(#|ℹ) (tests|pass|fail) ' "$report/$name" | tr '\n' ' ')"
done
exit $failed
