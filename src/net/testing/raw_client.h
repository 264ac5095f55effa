// A client that says exactly the bytes a test gives it, on loopback. Every wait has a deadline.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "net/unique_fd.h"

namespace braidlog::testing {

inline constexpr std::chrono::seconds kPatience{20};

// Waits until `condition` holds; false when it does not within kPatience.
template <class Condition>
bool eventually(Condition&& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

struct RawResponse {
  int status = 0;  // 0: there was none
  std::map<std::string, std::string> headers;
  std::string body;
};

class RawClient {
 public:
  // `receive_buffer_bytes`: a small one makes the server feel a slow reader soon.
  explicit RawClient(std::uint16_t port, int receive_buffer_bytes = 0)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer_bytes > 0) {
      ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  // The other end of a connection that a test accepted itself.
  explicit RawClient(UniqueFd accepted) : fd_(std::move(accepted)), connected_(true) {}

  bool connected() const { return connected_; }

  // False when the server has closed meanwhile.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Reads until `text` has come and returns everything up to and with it; empty when it never comes.
  std::string read_until(std::string_view text) {
    std::size_t end;
    while ((end = buffer_.find(text)) == std::string::npos) {
      if (!read_more()) return {};
    }
    return take(end + text.size());
  }
  std::string read_bytes(std::size_t count) {
    while (buffer_.size() < count) {
      if (!read_more()) return {};
    }
    return take(count);
  }
  // Everything until the server closes. See was_reset().
  std::string read_to_end() {
    while (read_more()) {
    }
    return take(buffer_.size());
  }

  RawResponse read_response(bool head_only = false) {
    RawResponse response;
    const std::string head = read_until("\r\n\r\n");
    if (head.size() < 12) return response;
    response.status = std::atoi(head.c_str() + 9);
    std::size_t line = head.find("\r\n") + 2;
    while (line + 2 < head.size()) {
      const auto end = head.find("\r\n", line), colon = head.find(": ", line);
      response.headers[head.substr(line, colon - line)] = head.substr(colon + 2, end - colon - 2);
      line = end + 2;
    }
    if (const auto length = response.headers.find("Content-Length"); length != response.headers.end() && !head_only) {
      response.body = read_bytes(static_cast<std::size_t>(std::atoi(length->second.c_str())));
    }
    return response;
  }
  // One chunk of a stream; empty at the last one and when the server closes.
  std::string read_chunk() {
    const std::string size = read_until("\r\n");
    if (size.empty()) return {};
    const auto count = std::strtoul(size.c_str(), nullptr, 16);
    const std::string data = read_bytes(count + 2);
    return data.substr(0, count);
  }

  // The server has closed in order, and nothing is left to read.
  bool at_end() {
    while (read_more()) {
    }
    return buffer_.empty() && ended_ && !was_reset_;
  }
  bool was_reset() const { return was_reset_; }
  void close() { fd_.reset(); }
  void shut_write() { ::shutdown(fd_.get(), SHUT_WR); }
  void set_reset_on_close() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

 private:
  bool read_more() {
    if (ended_) return false;
    pollfd wait{fd_.get(), POLLIN, 0};
    const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience).count();
    if (::poll(&wait, 1, static_cast<int>(patience)) <= 0) {
      ADD_FAILURE() << "the server kept silent; read so far: " << buffer_.substr(0, 500);
      ended_ = true;
      return false;
    }
    char bytes[16 * 1024];
    const ssize_t count = ::recv(fd_.get(), bytes, sizeof bytes, 0);
    if (count > 0) {
      buffer_.append(bytes, static_cast<std::size_t>(count));
      return true;
    }
    was_reset_ = count < 0;
    ended_ = true;
    return false;
  }
  std::string take(std::size_t count) {
    std::string out = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return out;
  }

  UniqueFd fd_;
  bool connected_ = false;
  std::string buffer_;
  bool ended_ = false, was_reset_ = false;
};

}  // namespace braidlog::testing
