"""The proxies that people put in front: nginx, HAProxy and Caddy, each with as little configuration as it takes to start.

Everything that they write is in a temporary folder, and they are ended by the process id that started them.
"""
import getpass
import os
import pathlib
import shutil
import socket
import subprocess

from braid_client.waiting import wait_for

# Only what a program needs to run beside others in a folder of its own; how it treats a response is left as it comes.
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
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{upstream};
      {https}
    }}
  }}
}}
"""
HAPROXY = """defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend front
  bind 127.0.0.1:{port}
  {https}
  default_backend back
backend back
  server braidlog 127.0.0.1:{upstream}
"""
CADDY = """{{
  admin off
  auto_https off
}}
http://127.0.0.1:{port} {{
  reverse_proxy 127.0.0.1:{upstream} {{
    {https}
  }}
}}
"""


class Proxy:
    """One kind of proxy: where its program is, what it is told, how it is started."""

    def __init__(self, name, package, config, config_name, command, https):
        self.name, self.package, self.config, self.config_name = name, package, config, config_name
        self.command, self.https = command, https

    def program(self):
        return shutil.which(self.name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")

    def start(self, folder, upstream, https=False):
        """A running Front. `https`: it tells the server that the outside speaks https."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True)
        port = free_port()
        config = folder / self.config_name
        config.write_text(self.config.format(folder=folder, port=port, upstream=upstream,
                                             user=getpass.getuser(), https=self.https if https else ""))
        return Front(self, [self.program(), *(part.format(folder=folder, config=config) for part in self.command)], folder, port)


PROXIES = {
    "nginx": Proxy("nginx", "nginx-light", NGINX, "nginx.conf", ["-p", "{folder}", "-c", "{config}"],
                   "proxy_set_header X-Forwarded-Proto https; proxy_set_header Host $http_host;"),
    "haproxy": Proxy("haproxy", "haproxy", HAPROXY, "haproxy.cfg", ["-db", "-f", "{config}"],
                     "http-request set-header X-Forwarded-Proto https"),
    "caddy": Proxy("caddy", "caddy", CADDY, "Caddyfile", ["run", "--adapter", "caddyfile", "--config", "{config}"],
                   "header_up X-Forwarded-Proto https"),
}


class Front:
    """A proxy under way on `port`."""

    def __init__(self, proxy, command, folder, port):
        self.port, self.folder = port, folder
        with open(folder / "output.log", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                                            env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder),
                                                 "XDG_CONFIG_HOME": str(folder)})
        wait_for(self._listens, f"{proxy.name} to listen")

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
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
