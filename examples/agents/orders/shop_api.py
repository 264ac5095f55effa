#!/usr/bin/env python3
"""A stand-in for a shop's API, for the example beside it: three orders in memory, on loopback.

    SHOP_TOKEN=let-me-in python3 shop_api.py [PORT]      8099 unless said otherwise; 0 takes a free one

Prints the address once it listens.
"""
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

ORDERS = {
    "1001": {"id": "1001", "state": "sent", "items": ["teapot"], "parcel": "JD-5531"},
    "1002": {"id": "1002", "state": "open", "items": ["kettle", "two cups"]},
    "1003": {"id": "1003", "state": "cancelled", "items": ["tray"]},
}
ANSWERED = {}  # Idempotency-Key -> what was answered: a request that comes twice is carried out once


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.body()
        if not self.allowed():
            return
        url = urlsplit(self.path)
        parts = url.path.strip("/").split("/")
        if parts == ["orders"]:
            query = parse_qs(url.query)
            wanted = query.get("state", [None])[0]
            found = [order for order in ORDERS.values() if wanted in (None, order["state"])]
            self.answer(200, {"orders": found[:int(query.get("limit", ["20"])[0])]})
        elif len(parts) == 2 and parts[0] == "orders" and parts[1] in ORDERS:
            self.answer(200, ORDERS[parts[1]])
        else:
            self.answer(404, {"error": "There is no such order"})

    def do_POST(self):
        body = self.body()
        if not self.allowed():
            return
        parts = urlsplit(self.path).path.strip("/").split("/")
        if len(parts) != 3 or parts[0] != "orders" or parts[2] != "cancel" or parts[1] not in ORDERS:
            return self.answer(404, {"error": "There is no such order"})
        key = self.headers.get("Idempotency-Key")
        answer = ANSWERED.get(key) or self.cancel(ORDERS[parts[1]], json.loads(body or b"{}"))
        if key:
            ANSWERED[key] = answer
        self.answer(*answer)

    @staticmethod
    def cancel(order, wish):
        if order["state"] != "open":
            return 409, {"error": f"The order is {order['state']}"}
        order.update(state="cancelled", reason=wish.get("reason", ""))
        return 200, dict(order)

    def allowed(self):
        if self.headers.get("Authorization") == f"Bearer {os.environ['SHOP_TOKEN']}":
            return True
        self.answer(401, {"error": "Who are you?"})
        return False

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, text, *values):
        print(text % values, file=sys.stderr, flush=True)


if __name__ == "__main__":
    if not os.environ.get("SHOP_TOKEN"):
        sys.exit("set SHOP_TOKEN: the token that callers must show")
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8099), Shop)
    print(f"The shop is at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
