#!/usr/bin/python3
"""A tool that is an HTTP server. What it does is a line in a file, as with effect_mcp.py.

    effect_http.py FILE      prints its port
"""
import random
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from effect_mcp import SLOW_S, append


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = unquote(self.path.rpartition("/")[2])
        time.sleep(random.random() * SLOW_S)
        append(sys.argv[1], path)
        time.sleep(random.random() * SLOW_S)
        body = f"noted {path}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        try:
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # whoever called is gone
            self.close_connection = True

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
