// A small HTTP/1.1 server for the programs that stand at the ends of a measurement: requests with a Content-Length,
// keep-alive, one answer at a time per connection.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "wire/poller.h"

namespace bench {

struct Request {
  std::string_view first_line;
  std::string_view body;
};

class HttpServer;

// One client. Lives as long as its socket; who keeps it longer (a weak_ptr is best) finds closed() true.
class ServerConnection : public Poller::Watcher, public std::enable_shared_from_this<ServerConnection> {
 public:
  ServerConnection(HttpServer& server, Socket socket);

  // Written at once as far as the socket takes it; the rest is kept and follows.
  void send(std::string_view bytes);
  // The same without a copy, for answers that many connections share.
  void send_shared(std::shared_ptr<const std::string> bytes);

  bool closed() const { return !socket_; }
  void on_ready(std::uint32_t ready) override;

 private:
  friend class HttpServer;

  bool read();  // false when the client has gone
  void handle_requests();
  void flush();
  std::size_t write(std::string_view bytes);  // how many the socket took
  void want_to_write(bool wanted);
  void close();

  HttpServer& server_;
  Socket socket_;
  std::string input_;
  std::shared_ptr<const std::string> output_;
  std::size_t output_sent_ = 0;
  bool waits_to_write_ = false;
};

class HttpServer : public Poller::Watcher {
 public:
  using Handler = std::function<void(ServerConnection&, const Request&)>;

  // Listens on the loopback; port 0 means any.
  HttpServer(Poller& poller, std::uint16_t port, Handler handler);

  std::uint16_t port() const { return port_of(listener_); }
  std::size_t connections() const { return connections_.size(); }
  // One round of the poller, and an end to what it closed.
  void round(std::int64_t timeout_ns);

  void on_ready(std::uint32_t ready) override;

 private:
  friend class ServerConnection;

  Poller& poller_;
  Socket listener_;
  Handler handler_;
  std::unordered_set<std::shared_ptr<ServerConnection>> connections_;
  std::vector<std::shared_ptr<ServerConnection>> closed_;  // may be on the stack: freed after the round
};

// A response head for a stream of events in chunks.
std::string_view event_stream_head();
// `bytes` as one chunk; empty bytes make the last one.
std::string chunk(std::string_view bytes);
std::string json_response(std::string_view body, std::string_view status = "200 OK");

}  // namespace bench
