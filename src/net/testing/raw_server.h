// A server that says exactly the bytes a test gives it, on loopback, one connection at a time.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "base/check.h"
#include "net/testing/raw_client.h"
#include "net/unique_fd.h"

namespace braidlog::testing {

class RawServer {
 public:
  // `backlog`: 0 leaves room for one connection that nobody accepts; to the next the server is silent.
  explicit RawServer(int backlog = 64) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    BRAIDLOG_CHECK(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
    BRAIDLOG_CHECK(::listen(listener_.get(), backlog) == 0);
    BRAIDLOG_CHECK(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
  }

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& path = "/") const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  void close() { listener_.reset(); }

  // Waits for the next connection.
  RawClient accept() {
    pollfd wait{listener_.get(), POLLIN, 0};
    const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience).count();
    if (::poll(&wait, 1, static_cast<int>(patience)) <= 0) ADD_FAILURE() << "nobody connected";
    return RawClient(UniqueFd(::accept(listener_.get(), nullptr, nullptr)));
  }
  bool has_connection() const {
    pollfd wait{listener_.get(), POLLIN, 0};
    return ::poll(&wait, 1, 0) > 0;
  }

 private:
  UniqueFd listener_;
  std::uint16_t port_ = 0;
};

}  // namespace braidlog::testing
