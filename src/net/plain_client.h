// The client for plain http: HTTP/1.1 over TCP, for models that run near this server and are called token by token. A
// call costs a small object and its socket. All calls of a thread read into one buffer; a kept connection is watched
// for as long as it lives, so that a call on it takes one system call to send, and one to receive what came at a time.
//
// Requests on kept connections go out when the round of the loop in which they were made is over, one right after the
// other. One that is closed or spoken on before that gets none: the request goes to a connection of its own.
//
// A kept connection may have been closed by the other side in the moment that a request is sent on it. When it ends
// before a byte of an answer came, the request goes out once more, on a connection of its own. Nothing else is ever
// sent twice.
//
// Runs on: one io thread, which also destroys it, unless that thread has ended. Not destroyed from inside a callback.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "net/context_timer.h"
#include "net/host_resolver.h"
#include "net/http_client.h"
#include "net/http_client_sockets.h"
#include "net/plain_connection.h"
#include "net/plain_request.h"

namespace braidlog {

class PlainClient;

// What a caller holds, and all that the client knows of the call.
class PlainCall final : public HttpCall {
 public:
  PlainCall(PlainClient& client, HttpCallSink& sink, PlainRequest request)
      : client_(&client), sink_(sink), request_(std::move(request)) {}
  ~PlainCall() override;
  PlainCall(const PlainCall&) = delete;

 private:
  friend class PlainClient;
  enum class Phase {
    kWaiting,     // for one of the connections that the limit allows
    kResolving,   // its host's name
    kConnecting,  // to one of the host's addresses
    kHeld,        // it has a kept connection, and goes out when this round of the loop is over
    kTalking,
    kEnding,  // it failed, and the sink hears of it soon
  };

  PlainClient* client_;  // null: the call is over, or the client is gone
  HttpCallSink& sink_;
  PlainRequest request_;
  PlainConnection* connection_ = nullptr;
  Phase phase_ = Phase::kWaiting;
  CallEnd end_ = CallEnd::kCut;    // while kEnding
  bool may_have_arrived_ = false;  // on a kept connection that ended: the server may have acted on it

  // Until it is connected: the host's addresses, and until when this one and all of them may take.
  AddressesPtr addresses_;
  std::size_t next_address_ = 0;
  PlainConnection::TimePoint address_due_{}, due_{};
};

class PlainClient {
 public:
  // What only tests set otherwise.
  struct Settings {
    HostLookup lookup = look_up_host;
    std::chrono::milliseconds idle_time = std::chrono::seconds(60);
  };
  // kUnavailable: no descriptors left.
  static Result<std::unique_ptr<PlainClient>> make(boost::asio::io_context& context, const Limits& limits,
                                                   std::size_t connections_max, Settings settings);
  ~PlainClient();
  PlainClient(const PlainClient&) = delete;

  // As HttpClient::send().
  [[nodiscard]] std::unique_ptr<HttpCall> send(PlainRequest request, HttpCallSink& sink);

 private:
  friend class PlainCall;
  using TimePoint = PlainConnection::TimePoint;

  static constexpr std::size_t kReadBufferBytes = 64 * 1024;
  static constexpr std::size_t kIdleConnectionsMax = 64;

  PlainClient(boost::asio::io_context& context, const Limits& limits, std::size_t connections_max,
              std::chrono::milliseconds idle_time);

  // Calls, in plain_client.cpp. None of these reaches a sink but those that say so.
  void start(PlainCall& call);
  void start_waiting();
  void start_waiting_soon();
  void cancel(PlainCall& call);
  void transmit(PlainCall& call);
  void transmit_later(PlainCall& call);
  void transmit_held();
  void send_again(PlainCall& call);
  void release(PlainCall& call);
  void end(PlainCall& call, CallEnd end);  // tells the sink
  void end_soon(PlainCall& call, CallEnd end);
  void report_end();  // tells a sink

  // What sockets bring. These reach sinks.
  void on_ready(const epoll_event* first, int count);
  void on_event(int fd, std::uint32_t events);
  void receive(PlainConnection& connection, bool is_ending);
  void read(PlainConnection& connection, std::span<char> bytes);
  void on_close(PlainConnection& connection, bool is_in_order);

  // Connecting, in plain_connecting.cpp.
  void connect(PlainCall& call);
  void on_addresses(const HostResolver::Answer& answer);
  void try_next_address(PlainCall& call);
  void wait_for_connection(PlainCall& call);
  void stop_connecting(PlainCall& call);
  void wake_at(TimePoint due);
  void on_timer();

  // Connections, in plain_connecting.cpp too.
  PlainConnection& adopt(std::unique_ptr<PlainConnection> connection);
  void watch(PlainConnection& connection, std::uint32_t events);
  void ask_again(PlainConnection& connection);
  void close(PlainConnection& connection);
  void keep(PlainConnection& connection);
  PlainConnection* take_idle(const std::string& origin);
  void close_idle(PlainConnection& connection);

  const std::chrono::milliseconds connect_timeout_, idle_time_;
  const std::size_t connections_max_;
  ContextTimer timer_;
  std::optional<TimePoint> timer_set_to_;
  std::unique_ptr<HttpClientSockets> sockets_;
  std::unique_ptr<HostResolver> resolver_;

  std::vector<std::unique_ptr<PlainConnection>> connections_;  // by descriptor
  std::vector<PlainConnection*> idle_;                         // the one that is idle for longest is first
  std::size_t in_use_ = 0;                                     // calls that have a connection or are about to
  std::deque<PlainCall*> waiting_;
  std::vector<PlainCall*> connecting_;  // those that resolve and connect, as far as they have to wait
  std::deque<PlainCall*> ending_;
  std::vector<PlainCall*> held_;

  // A connection that is closed while events are handled stays until all are: no other gets its descriptor, for which
  // an event may be under way, and who is reading it finds that out.
  bool is_handling_events_ = false;
  std::vector<std::unique_ptr<PlainConnection>> closed_;
  std::array<char, kReadBufferBytes> buffer_;
  std::shared_ptr<PlainClient*> self_;  // null once this is gone: a timer that is due by then still runs
};

}  // namespace braidlog
