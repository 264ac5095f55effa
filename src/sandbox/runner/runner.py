"""The program inside the sandbox: takes pieces of Python from the server, runs them one after the other in one
namespace, and lets them call the agent's tools.

It speaks in frames, four bytes of length (little endian) and that many bytes of JSON, on two pipes:

    server → runner   settings {…}, once
                      {"op": "run", "code": …, "functions": […]}      functions only with the first code
                      {"value": …} or {"error": "…"}                  the answer to a call
    runner → server   {"op": "ready"}
                      {"op": "call", "name": …, "args": {…}}
                      {"op": "done", "value"?, "error"?, "final"?, "leaving"?}

What the code prints goes as it is into descriptor 1, which the server reads. Nothing here is a wall: code can change
whatever it wants of this program, and the server and the kernel keep their own count. What is done here is done so
that an honest program hears in words what it may not, and keeps its variables when it hits a limit.
"""
import ast
import builtins
import errno
import linecache
import os
import sys
import threading
import traceback
import types

from runner_limits import Clock, Output, OutputLimit, TimeLimit, confine
from runner_values import Channel, as_json, cut

# What code of agents asks for most, read in before the code comes.
WARM = ("collections", "csv", "datetime", "decimal", "fractions", "functools", "itertools", "math", "random", "re",
        "statistics", "string", "textwrap", "time")
RESERVE_BYTES = 4 * 1024 * 1024  # given back when the memory is used up, so that this can still be told


class ToolError(Exception):
    """A tool that was called has failed; the text says why."""


class FinalAnswer(BaseException):
    """Ends the code. Not an Exception: `except Exception` is no reason to go on."""


ToolError.__module__ = FinalAnswer.__module__ = "builtins"  # so that a traceback shows the bare names


def keep_own_frames(trace):
    """Leaves in a traceback the frames of the agent's code: the rest would show this program and the host's files."""
    seen = set()
    todo = [trace]
    while todo:
        one = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.stack[:] = [frame for frame in one.stack if frame.filename.startswith("<code ")]
        todo += [one.__cause__, one.__context__, *(getattr(one, "exceptions", None) or ())]


class Runner:
    def __init__(self, channel, settings, output_fd=1):
        self.channel = channel
        self.words = settings["words"]
        self.text_bytes_max = settings["output_bytes"]
        self.frame_bytes_max = settings["frame_bytes"]
        self.output = Output(output_fd, settings["output_bytes"], self.words["output"])
        self.clock = Clock(settings["time_ms"] / 1000, self.words["time"])
        self.calls = threading.Lock()  # one call at a time, whatever the number of threads
        self.running = False
        self.number = 0
        self.final = None  # a list with the value, once final_answer() was called
        self.reserve = bytearray(RESERVE_BYTES)
        self.module = types.ModuleType("__main__")
        self.module.__dict__.update(__builtins__=builtins, ToolError=ToolError, final_answer=self._final_answer(),
                                    exit=sys.exit, quit=sys.exit)  # which else come from a module that is not read

    def serve(self, message):
        for spec in message.get("functions", ()):
            self.module.__dict__[spec["name"]] = self._function(spec)
        result = self.execute(message["code"])
        self.channel.send({"op": "done", **result})
        if result.get("leaving"):
            os._exit(0)

    def execute(self, code):
        self.number += 1
        name = f"<code {self.number}>"
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        self.output.begin()
        self.final = None
        self.running = True
        result = self._guarded(code, name)
        with self.calls:  # a thread of the code may still wait for an answer
            self.running = False
        if self.reserve is None:
            result.update(self._reserve_again())
        if "error" not in result and self.final:
            result = {"final": self.final[0]}
        return result

    def _guarded(self, code, name):
        try:
            try:
                self.clock.start()
                value = self._evaluate(code, name)
                shown = None if value is None else cut(repr(value), self.text_bytes_max)
                self.output.flush()
                if self.output.over:
                    return {"error": self.words["output"]}
                return {} if shown is None else {"value": shown}
            except FinalAnswer:
                return {}
            except SystemExit as error:
                return {} if error.code in (None, 0) else {"error": cut(f"SystemExit: {error.code}", 1000)}
            except BaseException as error:
                return {"error": self._report(error)}
            finally:
                self._flush_quietly()
        except BaseException as error:  # while the value was shown or the error was told
            return {"error": self._in_short(error)}
        finally:
            self.clock.pause()

    def _evaluate(self, code, name):
        tree = ast.parse(code, name)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = compile(ast.Expression(tree.body.pop().value), name, "eval", dont_inherit=True)
        body = compile(tree, name, "exec", dont_inherit=True)
        exec(body, self.module.__dict__)
        return None if last is None else eval(last, self.module.__dict__)

    def _flush_quietly(self):
        try:
            self.output.flush()
        except OutputLimit:
            pass

    def _report(self, error):
        if isinstance(error, MemoryError):
            self.reserve = None
        trace = traceback.TracebackException.from_exception(error, lookup_lines=False, compact=True)
        keep_own_frames(trace)
        text = "".join(trace.format()).rstrip()
        limit = self._limit_behind(error)
        if limit:
            text += f": {limit}" if text.endswith(type(error).__name__) else f" ({limit})"
        if len(text) > self.text_bytes_max // 2:  # the end says what it was
            text = "…" + text[-(self.text_bytes_max // 2):]
        return cut(text, self.text_bytes_max)

    def _in_short(self, error):
        if isinstance(error, MemoryError):
            self.reserve = None
            return "MemoryError: " + self.words["memory"]
        if isinstance(error, (TimeLimit, OutputLimit)):
            return f"{type(error).__name__}: {error}"
        return f"{type(error).__name__} while the result was put into words"

    def _limit_behind(self, error):
        if isinstance(error, MemoryError):
            return self.words["memory"]
        if isinstance(error, OSError):
            if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
                return self.words["disk"]
            if error.errno == errno.ENOMEM:
                return self.words["memory"]
            if error.errno == errno.EMFILE:
                return self.words["files"]
            if error.errno == errno.EROFS:
                return "only the home folder can be written"
            if error.errno == errno.EPERM and not str(error).endswith("in the sandbox"):
                return "not allowed in the sandbox"
        if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
            return self.words["threads"]
        return None

    def _reserve_again(self):
        try:
            self.reserve = bytearray(RESERVE_BYTES)
            return {}
        except MemoryError:
            return {"leaving": True}  # variables hold all the memory: no code could run any more

    def _final_answer(self):
        def final_answer(answer=None):
            """Ends the run with this answer."""
            value = as_json(answer, lenient=True)
            if len(self.channel.encoded({"op": "done", "final": value})) > self.frame_bytes_max:
                raise ValueError(f"the final answer is larger than {self.frame_bytes_max} bytes")
            self.final = [value]
            raise FinalAnswer()

        return final_answer

    def _function(self, spec):
        name = spec["name"]
        order = list(spec["parameters"])

        def function(*args, **kwargs):
            if len(args) > len(order):
                raise TypeError(f"{name}() takes at most {len(order)} arguments ({len(args)} were given)")
            given = dict(zip(order, args))
            for key, value in kwargs.items():
                if key in given:
                    raise TypeError(f"{name}() got two values for '{key}'")
                given[key] = value
            return self.call(name, as_json(given, lenient=False))

        function.__name__ = function.__qualname__ = name
        function.__doc__ = spec.get("description") or None
        return function

    def call(self, name, args):
        message = self.channel.encoded({"op": "call", "name": name, "args": args})
        if len(message) > self.frame_bytes_max:
            raise ValueError(f"the arguments of {name}() are larger than {self.frame_bytes_max} bytes")
        with self.calls:
            if not self.running:
                raise RuntimeError("the code that could call this has ended")
            self.output.flush()
            self.clock.pause()
            try:
                self.channel.send_bytes(message)
                reply = self.channel.receive()
            finally:
                self.clock.resume()
        if "error" in reply:
            raise ToolError(reply["error"])
        return reply.get("value")

    def thread_failed(self, args):
        if args.exc_value is not None and not isinstance(args.exc_value, (FinalAnswer, SystemExit)):
            self.output.write("In a thread: " + self._report(args.exc_value) + "\n")


def main(commands=3, events=4):
    channel = Channel(commands, events)
    settings = channel.receive()
    runner = Runner(channel, settings)
    for name in WARM:
        __import__(name)
    confine(settings)
    sys.modules["__main__"] = runner.module
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = runner.output
    sys.argv = [""]
    threading.excepthook = runner.thread_failed
    channel.send({"op": "ready"})
    while True:
        runner.serve(channel.receive())
