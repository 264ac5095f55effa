"""The proxies that people put in front: nginx, HAProxy and Caddy, each configured as docs/operating.md says.

The blocks of that page are taken as they are, but for addresses, certificates, and what a program needs to run beside others in a
folder of its own. Everything that they write is in a temporary folder, and they are ended by the process id that started them.
"""
import getpass
import os
import pathlib
import re
import shutil
import socket
import subprocess

from braid_client import wire
from braid_client.waiting import wait_for

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "operating.md"

# Around nginx's block; how it treats a response is left as it comes.
NGINX = """daemon off;
user {user};
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 1;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
{block}
}}
"""
CADDY = """{{
  admin off
  auto_https off
}}
{block}
"""


class Proxy:
    """One kind of proxy: where its program is, which block of the page it has, what a test changes there, how it is started."""

    def __init__(self, name, package, config_name, command, changes, around="{block}"):
        self.name, self.package, self.config_name, self.command = name, package, config_name, command
        self.changes, self.around = changes, around

    def program(self):
        return shutil.which(self.name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")

    def block(self, **values):
        """The block of the page, with the values of a test. Each change must be possible once: the page is not guessed at."""
        blocks = re.findall(rf"^```{self.name}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        assert len(blocks) == 1, f"{PAGE.name} has {len(blocks)} blocks of {self.name}"
        text = blocks[0]
        for there, instead in {"127.0.0.1:8000": "127.0.0.1:{upstream}", **self.changes}.items():
            assert text.count(there) == 1, f"{PAGE.name}, {self.name}: '{there}' is there {text.count(there)} times"
            text = text.replace(there, instead.format(**values))
        return text

    def start(self, folder, upstream):
        """A running Front, which speaks TLS."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True)
        values = {"folder": folder, "port": free_port(), "upstream": upstream, "user": getpass.getuser(), "pem": certificate(folder)}
        config = folder / self.config_name
        config.write_text(self.around.format(block=self.block(**values), **values))
        command = [self.program(), *(part.format(folder=folder, config=config) for part in self.command)]
        return Front(self, command, folder, values["port"])


PROXIES = {
    "nginx": Proxy("nginx", "nginx-light", "nginx.conf", ["-p", "{folder}", "-c", "{config}"],
                   {"listen 443 ssl": "listen 127.0.0.1:{port} ssl", "/etc/ssl/private/agents.example.pem": "{pem}",
                    "/etc/ssl/private/agents.example.key": "{pem}"}, NGINX),
    "haproxy": Proxy("haproxy", "haproxy", "haproxy.cfg", ["-db", "-f", "{config}"],
                     {"bind :443": "bind 127.0.0.1:{port}", "/etc/haproxy/agents.example.pem": "{pem}"}),
    "caddy": Proxy("caddy", "caddy", "Caddyfile", ["run", "--adapter", "caddyfile", "--config", "{config}"],
                   {"agents.example {": "https://127.0.0.1:{port} {{\n  tls {pem} {pem}"}, CADDY),
}


class Front:
    """A proxy under way on `port`, where clients of braid_client speak TLS."""

    def __init__(self, proxy, command, folder, port):
        self.port, self.folder = port, folder
        with open(folder / "output.log", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                                            env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder),
                                                 "XDG_CONFIG_HOME": str(folder)})
        wait_for(self._listens, f"{proxy.name} to listen")
        wire.TLS_PORTS.add(port)

    def _listens(self):
        assert self.process.poll() is None, f"the proxy ended:\n{self.log()}"
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def log(self):
        return "".join(path.read_text(errors="replace") for path in self.folder.glob("*.log"))[-3000:]

    def stop(self):
        wire.TLS_PORTS.discard(self.port)
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def certificate(folder):
    """A file with a key and a certificate of that moment."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key", "-out", folder / "cert"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (folder / "both.pem").write_text((folder / "key").read_text() + (folder / "cert").read_text())
    return folder / "both.pem"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
