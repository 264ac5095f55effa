// A PlainClient of a test's own: with few connections, and with names that mean what the test says.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>

#include "net/plain_client.h"
#include "net/testing/client_fixture.h"

namespace braidlog::testing {

// Shared with threads that may outlive the test's client.
struct FakeNames {
  Addresses look_up(const std::string& host) {
    std::unique_lock lock(mutex);
    ++lookups;
    changed.wait(lock, [&] { return is_answering; });
    const auto found = addresses.find(host);
    return found == addresses.end() ? Addresses{} : found->second;
  }
  void set_answering(bool value) {
    const std::lock_guard lock(mutex);
    is_answering = value;
    changed.notify_all();
  }
  int count() {
    const std::lock_guard lock(mutex);
    return lookups;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Addresses> addresses;  // set before the first call
  bool is_answering = true;                    // under mutex, as is the next
  int lookups = 0;
};

class PlainClientTest : public HttpClientTest {
 protected:
  PlainClientTest() { open_plain(100); }
  ~PlainClientTest() override {
    names_->set_answering(true);
    on_loop([&] { plain_.reset(); });
  }

  void open_plain(std::size_t connections_max, std::chrono::milliseconds idle_time = std::chrono::seconds(60)) {
    PlainClient::Settings settings;
    settings.lookup = [names = names_](const std::string& host) { return names->look_up(host); };
    settings.idle_time = idle_time;
    on_loop([&] {
      plain_ = PlainClient::make(threads_[0]->context(), limits_, connections_max, std::move(settings)).value();
    });
  }

  std::unique_ptr<HttpCall> start(OutgoingRequest request, HttpCallSink& sink) override {
    return plain_->send(PlainRequest::of(request).value(), sink);
  }

  std::string at(const std::string& host) const { return "http://" + host + ":" + std::to_string(server_.port()); }

  static SocketAddress v4(const char* text) {
    SocketAddress out{};
    out.v4.sin_family = AF_INET;
    ::inet_pton(AF_INET, text, &out.v4.sin_addr);
    return out;
  }
  static SocketAddress v6(const char* text) {
    SocketAddress out{};
    out.v6 = {};
    out.v6.sin6_family = AF_INET6;
    ::inet_pton(AF_INET6, text, &out.v6.sin6_addr);
    return out;
  }

  static constexpr const char* kStreamHead =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  static constexpr const char* kShort = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  const std::shared_ptr<FakeNames> names_ = std::make_shared<FakeNames>();
  std::unique_ptr<PlainClient> plain_;
};

}  // namespace braidlog::testing
