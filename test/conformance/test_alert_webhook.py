"""Alerts of agents: kept, shown to admins, and told to a webhook."""
import http.server
import json
import threading

import pytest

from braid_client.server import Server
from braid_client.waiting import wait_for


class Hook:
    """A server that keeps what it is told; refuses the first `refusals` times."""

    def __init__(self, refusals=0):
        self.bodies, self.refusals = [], refusals
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.refusals -= 1
                if hook.refusals < 0:
                    hook.bodies.append(json.loads(body))
                self.send_response(204 if hook.refusals < 0 else 500)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?token=x"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def hook(request):
    made = Hook(getattr(request, "param", 0))
    yield made
    made.close()


@pytest.mark.parametrize("hook", [0, 1], indirect=True)
def test_an_alert_is_kept_and_told(tmp_path, hook):
    server = Server(tmp_path, arguments=["--alert-webhook", hook.url]).start()
    try:
        session = server.api.session(agent="operator")
        server.api.run("Alert the admin: the printer is on fire", session_id=session)
        wait_for(lambda: hook.bodies, "the webhook to be told")
        kept = server.api.call("GET", "/alerts").json["alerts"]
        assert len(kept) == 1 and len(hook.bodies) == 1
        told = hook.bodies[0]
        assert "printer" in told["message"]
        assert {name: kept[0][name] for name in told} == told
    finally:
        server.kill()
    server.check_log()


def test_a_webhook_that_is_down_costs_nothing(tmp_path):
    server = Server(tmp_path, arguments=["--alert-webhook", "http://127.0.0.1:1/"]).start()
    try:
        session = server.api.session(agent="operator")
        run = server.api.run("Alert the admin: the printer is on fire", session_id=session)
        assert run.end.type == "run_completed"
        assert len(server.api.call("GET", "/alerts").json["alerts"]) == 1
        server.wait_log("webhook")
    finally:
        server.kill()


def test_a_webhook_must_be_a_url(tmp_path):
    server = Server(tmp_path, arguments=["--alert-webhook", "secret-place"])
    server.try_start()
    assert server.port is None and server.wait_exit() == 2
    assert "alert-webhook" in server.log() and "secret-place" not in server.log()
