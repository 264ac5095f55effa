// The Exchange of one request: a thin handle on its connection, cut loose when the response is complete or the
// connection has ended, so that whoever still holds it can do no harm to the connection's next request.
//
// Runs on: the io thread of its connection; after a move, of the new one.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <memory>
#include <string>

#include "net/exchange.h"
#include "net/http_connection.h"

namespace braidlog {

class HttpExchange final : public Exchange, public std::enable_shared_from_this<HttpExchange> {
 public:
  // `connection` and the exchange hold each other until cut_loose().
  HttpExchange(std::shared_ptr<ServerContext> context, std::shared_ptr<HttpConnection> connection, Loop& loop,
               HttpRequest request);
  ~HttpExchange() override;

  const HttpRequest& request() const override { return request_; }
  Loop& loop() override { return *loop_; }
  std::string peer() const override { return peer_.to_string(); }
  void on_gone(Task task) override;
  void respond(HttpResponse response) override;
  void move_to(unsigned loop_index, Task then) override;
  void begin_stream(HttpResponse head, std::string_view silence, std::string_view first,
                    StreamObserver& observer) override;
  void send(std::string_view bytes) override;
  std::size_t unsent_bytes() const override;
  void finish() override;
  void finish_with(std::string_view bytes) override;
  void abort() override;

  // ---- for the connection ----

  void set_loop(Loop& loop) { loop_ = &loop; }
  // Ends the tie to the connection; gives back what on_gone() left.
  Task cut_loose();
  // The same, when the connection ended first: a stream that is begun later still hears that it is closed.
  Task cut_loose_unanswered();
  // Keeps method, target and path only: an open stream is small.
  void shrink_request();

 private:
  std::shared_ptr<ServerContext> context_;
  std::shared_ptr<HttpConnection> connection_;  // none once it is over
  Loop* loop_;
  Task on_gone_;
  bool is_unanswered_ = false;
  StreamObserver* late_observer_ = nullptr;  // of a stream begun after the client had gone
  boost::asio::ip::address peer_;
  HttpRequest request_;
};

}  // namespace braidlog
