"""The runner without its walls: what it makes of code, values and errors. The walls are tested by the C++ tests."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import runner  # noqa: E402
import runner_values  # noqa: E402

SETTINGS = {
    "words": {"time": "time limit of 1 s", "memory": "memory limit of 1 MiB", "output": "output limit of 1 KiB",
              "disk": "disk limit of 1 MiB", "files": "limit of 64 open files", "threads": "limit of 16 threads"},
    "time_ms": 1000, "output_bytes": 1024, "frame_bytes": 4096, "threads": 16, "filter": "",
}


class FakeChannel(runner_values.Channel):
    """Answers calls from a list and keeps what was said."""

    def __init__(self):
        super().__init__(-1, -1)
        self.sent, self.answers = [], []

    def send_bytes(self, data):
        self.sent.append(data)

    def receive(self):
        return self.answers.pop(0)


class RunnerTest(unittest.TestCase):
    def setUp(self):
        self.read, write = os.pipe()
        self.channel = FakeChannel()
        self.runner = runner.Runner(self.channel, SETTINGS, output_fd=write)
        self.saved = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self.runner.output
        self.addCleanup(self.restore, write)

    def restore(self, write):
        sys.stdout, sys.stderr = self.saved
        os.close(self.read)
        os.close(write)

    def printed(self):
        os.set_blocking(self.read, False)
        try:
            return os.read(self.read, 100_000).decode()
        except BlockingIOError:
            return ""

    def test_value_of_the_last_expression(self):
        self.assertEqual(self.runner.execute("x = 2\nx + 1"), {"value": "3"})
        self.assertEqual(self.runner.execute("x = 3"), {})
        self.assertEqual(self.runner.execute("None"), {})
        self.assertEqual(self.runner.execute("x;"), {"value": "3"})
        self.assertEqual(self.runner.execute("# nothing"), {})

    def test_output_in_order(self):
        self.runner.execute("import sys\nprint(1)\nprint(2, file=sys.stderr)\n"
                            "sys.stdout.buffer.write(b'3')\nprint(4, end='')")
        self.assertEqual(self.printed(), "1\n2\n34")

    def test_output_is_cut_one_byte_after_the_limit(self):
        result = self.runner.execute("print('x' * 5000)\nprint('never')")
        self.assertIn("OutputLimit: output limit of 1 KiB", result["error"])
        self.assertEqual(self.printed(), "x" * 1025)

    def test_swallowed_output_limit_is_told(self):
        result = self.runner.execute("try:\n    print('x' * 5000)\nexcept BaseException:\n    pass")
        self.assertEqual(result, {"error": "output limit of 1 KiB"})

    def test_time_limit(self):
        result = self.runner.execute("y = 1\nwhile True:\n    y += 1")
        self.assertIn("TimeLimit: time limit of 1 s", result["error"])
        self.assertIn("value", self.runner.execute("y"))

    def test_errors_without_frames_of_the_runner(self):
        error = self.runner.execute("def f():\n    raise ValueError('no')\nf()")["error"]
        self.assertEqual(error.splitlines()[0], "Traceback (most recent call last):")
        self.assertEqual(error.count("File "), 2)
        self.assertTrue(error.endswith("ValueError: no"))

    def test_chained_errors_are_shown_with_their_cause(self):
        code = "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e"
        error = self.runner.execute(code)["error"]
        self.assertIn("ZeroDivisionError", error)
        self.assertIn("direct cause", error)
        self.assertNotIn("runner", error)

    def test_an_error_whose_text_fails(self):
        code = "class E(Exception):\n    def __str__(self): raise RuntimeError()\nraise E()"
        error = self.runner.execute(code)["error"]
        self.assertIn("E", error)

    def test_limits_behind_errors(self):
        for code, words in (("raise MemoryError", "MemoryError: memory limit of 1 MiB"),
                            ("raise OSError(28, 'full')", "(disk limit of 1 MiB)"),
                            ("raise OSError(24, 'many')", "(limit of 64 open files)"),
                            ("raise RuntimeError(\"can't start new thread\")", "(limit of 16 threads)")):
            self.assertTrue(self.runner.execute(code)["error"].endswith(words), code)

    def test_calls(self):
        spec = {"name": "look", "description": "Looks.", "parameters": ["where", "what"]}
        self.channel.answers = [{"value": [1]}, {"error": "not there"}]
        self.runner.module.look = self.runner._function(spec)
        self.assertEqual(self.runner.execute("look('here', what=2)"), {"value": "[1]"})
        self.assertEqual(self.channel.sent, [b'{"op": "call", "name": "look", "args": {"where": "here", "what": 2}}'])
        self.assertIn("ToolError: not there", self.runner.execute("look('there')")["error"])
        self.assertIn("larger than 4096 bytes", self.runner.execute("look('x' * 5000)")["error"])

    def test_no_calls_after_the_end(self):
        self.runner.module.look = self.runner._function({"name": "look", "parameters": []})
        self.runner.execute("f = look")
        with self.assertRaises(RuntimeError):
            self.runner.module.f()

    def test_final_answer(self):
        self.assertEqual(self.runner.execute("final_answer([1])\n1 / 0"), {"final": [1]})
        self.assertEqual(self.runner.execute("final_answer(answer='x')"), {"final": "x"})
        self.assertEqual(self.runner.execute("final_answer()"), {"final": None})
        self.assertEqual(self.runner.execute("1"), {"value": "1"})

    def test_an_error_after_the_final_answer_counts(self):
        result = self.runner.execute("try:\n    final_answer(1)\nfinally:\n    1 / 0")
        self.assertIn("ZeroDivisionError", result["error"])
        self.assertNotIn("final", result)


class ValuesTest(unittest.TestCase):
    def test_lenient(self):
        value = {"a": (1, {2}), 3: float("inf"), "b": b"x", "c": 1 + 2j, "d": 2**63, "\ud800": None}
        self.assertEqual(runner_values.as_json(value, lenient=True),
                         {"a": [1, [2]], "3": "inf", "b": "b'x'", "c": "(1+2j)", "d": "9223372036854775808", "?": None})

    def test_a_list_in_itself_has_an_end(self):
        value = []
        value.append(value)
        runner_values.as_json(value, lenient=True)
        with self.assertRaises(ValueError):
            runner_values.as_json(value, lenient=False)

    def test_strict(self):
        for value in (object(), b"x", float("nan"), 1j):
            with self.assertRaises((TypeError, ValueError)):
                runner_values.as_json(value, lenient=False)

    def test_cut_between_characters(self):
        self.assertEqual(runner_values.cut("é" * 10, 5), "éé… (cut: 20 bytes in all)")
        self.assertEqual(runner_values.cut("short", 5), "short")


if __name__ == "__main__":
    unittest.main()
