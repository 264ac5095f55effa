"""A web site on loopback for the tests: answers what it is told to, and remembers who asked.

    site = Site()
    site.pages["/a"] = Page("hello", content_type="text/plain")
    site.requests                                            what came, in order

It listens on 127.0.0.1 and, where this machine has it, on ::1, with the same port.
"""
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Page:
    body: str | bytes = "ok"
    content_type: str = "text/plain; charset=utf-8"
    status: int = 200
    headers: dict = field(default_factory=dict)


def redirect(location, status=302):
    return Page("moved", status=status, headers={"Location": location})


@dataclass
class Asked:
    method: str
    path: str
    headers: dict  # names in lower case
    body: bytes
    host_address: str  # where it was listening

    @property
    def everything(self) -> bytes:
        lines = "".join(f"{name}: {value}\n" for name, value in self.headers.items())
        return f"{self.method} {self.path}\n{lines}".encode() + self.body


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


class _Server6(_Server):
    address_family = socket.AF_INET6


class Site:
    def __init__(self):
        self.pages = {}  # by path without query, or a function of the request
        self.requests = []
        self._servers = [_Server(("127.0.0.1", 0), self._handler())]
        self.port = self._servers[0].server_address[1]
        try:
            self._servers.append(_Server6(("::1", self.port), self._handler()))
        except OSError:
            pass
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def has_v6(self):
        return len(self._servers) > 1

    def url(self, path="/", host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"

    def close(self):
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def _handler(site):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                asked = Asked(self.command, self.path, {name.lower(): value for name, value in self.headers.items()},
                              self.rfile.read(length), self.server.server_address[0])
                site.requests.append(asked)
                page = site.pages.get(self.path.partition("?")[0], Page("not here", status=404))
                page = page(asked) if callable(page) else page
                body = page.body.encode() if isinstance(page.body, str) else page.body
                self.send_response(page.status)
                self.send_header("Content-Type", page.content_type)
                self.send_header("Content-Length", str(len(body)))
                for name, value in page.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        return Handler
