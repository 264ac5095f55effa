"""What code and server give each other: values as JSON, and the pipes that they go through."""
import json
import os

NESTING_MAX = 24  # the server reads no JSON deeper than 32, and there is an object around it


def clean(text):
    """The text without halves of surrogate pairs, which are no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut(text, bytes_max):
    data = text.encode("utf-8", "replace")
    if len(data) <= bytes_max:
        return data.decode("utf-8")
    return data[:bytes_max].decode("utf-8", "ignore") + f"… (cut: {len(data)} bytes in all)"


def as_json(value, lenient, depth=0):
    """The value as JSON can hold it. Lenient: what it cannot hold becomes text; else that is an error."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return clean(str(value))
    if isinstance(value, int):
        return int(value) if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, float):
        if value - value == 0:
            return float(value)
        if lenient:
            return repr(float(value))
        raise ValueError(f"{value!r} is not a JSON number")
    if depth >= NESTING_MAX and isinstance(value, (dict, list, tuple, set, frozenset)):
        if lenient:
            return cut(repr(value), 1000)
        raise ValueError(f"nested deeper than {NESTING_MAX} levels")
    if isinstance(value, dict):
        return {clean(str(key)): as_json(item, lenient, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(item, lenient, depth + 1) for item in value]
    if lenient:
        return clean(str(value))
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")


class Channel:
    def __init__(self, commands, events):
        self.commands = commands
        self.events = events
        self._read, self._write, self._exit = os.read, os.write, os._exit  # the code may put others in their place

    def send(self, message):
        self.send_bytes(self.encoded(message))

    def encoded(self, message):
        return json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")

    def send_bytes(self, data):
        data = len(data).to_bytes(4, "little") + data
        while data:
            data = data[self._write(self.events, data):]

    def receive(self):
        return json.loads(self._take(int.from_bytes(self._take(4), "little")))

    def _take(self, size):
        data = b""
        while len(data) < size:
            piece = self._read(self.commands, min(size - len(data), 1 << 20))
            if not piece:
                self._exit(0)  # the server is gone
            data += piece
        return data
