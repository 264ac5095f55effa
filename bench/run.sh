#!/usr/bin/env bash
# Measures the release binary: see README.md beside this file.
set -euo pipefail
cd "$(dirname "$0")/.."
exec /usr/bin/python3 bench/measure.py "${1:-build/release/braidlog}"
