"""Bodies that are no JSON."""
BOUNDARY = "braidlog-openapi"
JSON_TEXT = ("Content-Type", "application/json")
FORM = ("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")


def _part(name, content, filename=None):
    named = f'; filename="{filename}"' if filename else ""
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n{content}\r\n'


def upload_of(filename):
    return (_part("file", "hello", filename) + f"--{BOUNDARY}--\r\n").encode()


def form_of(message, filename):
    return (_part("message", message) + _part("files", "hello", filename) + f"--{BOUNDARY}--\r\n").encode()
