// One client connection: reads requests, hands each to the handler, writes what the exchange answers, and begins
// again. Requests are taken one at a time, so pipelined ones are answered in their order.
//
//   kReading ──▶ kHandling ──▶ kStreaming ──▶ kReading …
//                  │   ▲                        │ when this was the last response
//                  ▼   │ on another thread      ▼
//                kMoving                 kFlushing ──▶ kLingering ──▶ kClosed
//
// Any state goes to kClosed when the peer is gone or a limit of time is passed.
//
// Runs on: one io thread at a time; move_to() hands it over whole. Held by shared_ptr: by the list of its shard, by
// the waits it has pending, and by its exchange while that is open.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/intrusive/list_hook.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "net/exchange.h"
#include "net/request_reader.h"
#include "net/response_head.h"
#include "net/socket_channel.h"
#include "net/unique_fd.h"

namespace braidlog {

struct ServerContext;
class ConnectionShard;
class HttpExchange;

class HttpConnection final : public std::enable_shared_from_this<HttpConnection>,
                             public boost::intrusive::list_base_hook<> {
 public:
  HttpConnection(std::shared_ptr<ServerContext> context, boost::asio::ip::address peer);
  ~HttpConnection();

  // Begins, on the shard's thread, with a fresh socket.
  void open(ConnectionShard& shard, UniqueFd fd);
  // Begins with a socket that is one too many: 503 and closed.
  void open_refused(ConnectionShard& shard, UniqueFd fd);

  // ---- for the exchange; see Exchange ----
  void respond(HttpResponse response);
  void move_to(unsigned loop_index, Task then);
  void begin_stream(HttpResponse head, std::string_view silence, std::string_view first, StreamObserver& observer);
  void send(std::string_view bytes);
  std::size_t unsent_bytes() const { return channel_.unsent_bytes(); }
  void finish(std::string_view last_bytes);
  void abort();

  // ---- for the shard ----
  void keep_alive_by_shard(std::shared_ptr<HttpConnection> self) { kept_by_shard_ = std::move(self); }
  bool is_due(MonoTime now) const;
  void on_due();
  void drain();
  void close();

  const boost::asio::ip::address& peer() const { return peer_; }

 private:
  enum class State : unsigned char { kReading, kHandling, kMoving, kStreaming, kFlushing, kLingering, kClosed };
  struct Departure {
    unsigned loop_index = 0;
    Task then;
  };

  // http_connection.cpp: the life of the connection and its waits.
  bool attach(ConnectionShard& shard, UniqueFd fd);
  void arrive(ConnectionShard& shard, UniqueFd fd);
  static void depart_when_free(std::shared_ptr<HttpConnection> self);
  void watch_read();
  void watch_write();
  static void on_readable(std::shared_ptr<HttpConnection> self);
  static void on_writable(std::shared_ptr<HttpConnection> self);
  SocketChannel::Written flush();
  void send_held_later();
  void on_drained();
  void watch_peer();
  void linger();
  void discard_input();
  void close_later();
  void end_stream_count();

  // http_requests.cpp: reading requests.
  void guarded(void (HttpConnection::*read)());
  void give_up_for_memory() noexcept;
  void read();
  void read_on();
  void consume(std::string_view bytes);
  void begin_request();
  void take_head(bool more_at_hand);
  bool count_body();
  void release_body();
  // Large answers to clients that do not read are counted into the same budget as bodies that come in.
  bool has_room_for(std::size_t response_bytes) const;
  void count_kept(std::size_t response_bytes);
  HttpResponse overload() const;
  void dispatch();
  void refuse(int status);
  void end_exchange();

  // http_responses.cpp: writing responses and streams.
  void write_response(HttpResponse response, bool keep_open);
  void end_response(bool keep_open);
  SocketChannel::Written write(std::span<const std::string_view> parts);
  enum class Chunk { kFirst, kMore, kLast };
  SocketChannel::Written write_chunk(std::string_view head, std::string_view bytes, Chunk chunk = Chunk::kMore);
  bool may_keep_open() const;
  ConnectionHeader connection_header(bool keep_open) const;

  // http_timeouts.cpp
  bool reading_is_due(MonoTime now) const;
  void close_stalled();

  std::shared_ptr<ServerContext> context_;
  ConnectionShard* shard_ = nullptr;  // of the thread it is on
  std::shared_ptr<HttpConnection> kept_by_shard_;
  SocketChannel channel_;
  std::unique_ptr<RequestReader> reader_;  // while a request is read
  std::string pending_;                    // bytes of later requests, while one is answered
  std::shared_ptr<HttpExchange> exchange_;
  std::unique_ptr<Departure> departure_;
  StreamObserver* observer_ = nullptr;
  std::string_view silence_;
  MonoTime since_;     // when the state, or the part of the request that is read, began
  MonoTime progress_;  // when bytes last moved the way that is waited for
  std::size_t body_bytes_counted_ = 0;
  boost::asio::ip::address peer_;
  State state_ = State::kReading;
  bool keep_alive_ = false;    // what the current request asks for
  bool is_http_1_0_ = false;   // of the current request
  bool head_only_ = false;     // the current request is a HEAD
  bool is_consuming_ = false;  // inside consume(): it goes on by itself
  bool is_broken_ = false;     // a write found the peer gone; close_later() is under way
  bool read_wait_ = false, write_wait_ = false, departure_wait_ = false;  // pending with Asio
};

}  // namespace braidlog
