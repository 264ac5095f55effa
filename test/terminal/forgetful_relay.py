"""A relay in front of a server that loses the answer to a request, once: the server has taken it, the client cannot know."""
import socket
import threading


class ForgetfulRelay:
    def __init__(self, server_port, forgets):
        self.server_port, self.forgets = server_port, forgets  # a part of the request line
        self.forgotten = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.server_port))
            lost = threading.Event()
            threading.Thread(target=self._requests, args=(client, server, lost), daemon=True).start()
            threading.Thread(target=self._answers, args=(server, client, lost), daemon=True).start()

    def _requests(self, client, server, lost):
        try:
            while data := client.recv(65536):
                if not self.forgotten and self.forgets.encode() in data:
                    self.forgotten += 1
                    lost.set()
                server.sendall(data)
        except OSError:
            pass

    @staticmethod
    def _answers(server, client, lost):
        try:
            while (data := server.recv(65536)) and not lost.is_set():
                client.sendall(data)
        except OSError:
            pass
        for end in (client, server):  # closing alone would not wake who reads there
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
