"""The contract pages and the tests name the same clauses."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_every_clause_has_a_test_and_every_test_names_a_clause():
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "check_clauses.py"), str(ROOT)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
