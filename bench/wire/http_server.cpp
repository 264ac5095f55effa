#include "wire/http_server.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "wire/http_head.h"

namespace bench {

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

}  // namespace

ServerConnection::ServerConnection(HttpServer& server, Socket socket) : server_(server), socket_(std::move(socket)) {
  server_.poller_.add(socket_.fd(), *this);
}

void ServerConnection::on_ready(std::uint32_t ready) {
  if ((ready & EPOLLOUT) != 0) flush();
  if ((ready & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && !read()) close();
}

bool ServerConnection::read() {
  static std::array<char, kReadBytes> buffer;
  const ssize_t got = ::recv(socket_.fd(), buffer.data(), buffer.size(), 0);
  if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EINTR);
  input_.append(buffer.data(), static_cast<std::size_t>(got));
  handle_requests();
  return true;
}

void ServerConnection::handle_requests() {
  while (const auto head = parse_head(input_)) {
    const std::size_t whole = head->head_bytes + head->body_bytes;
    if (input_.size() < whole) return;
    const std::string_view body = std::string_view(input_).substr(head->head_bytes, head->body_bytes);
    server_.handler_(*this, {.first_line = head->first_line, .body = body});
    if (closed()) return;
    input_.erase(0, whole);
  }
}

void ServerConnection::send(std::string_view bytes) {
  if (closed()) return;
  const std::size_t sent = output_ ? 0 : write(bytes);
  if (closed() || sent == bytes.size()) return;
  std::string rest = output_ ? output_->substr(output_sent_) : std::string();
  rest.append(bytes.substr(sent));
  output_ = std::make_shared<const std::string>(std::move(rest));
  output_sent_ = 0;
  want_to_write(true);
}

void ServerConnection::send_shared(std::shared_ptr<const std::string> bytes) {
  if (closed()) return;
  if (output_) return send(*bytes);
  output_ = std::move(bytes);
  output_sent_ = 0;
  flush();
}

void ServerConnection::flush() {
  if (!output_) return want_to_write(false);
  output_sent_ += write(std::string_view(*output_).substr(output_sent_));
  if (closed()) return;
  if (output_sent_ == output_->size()) output_.reset();
  want_to_write(output_ != nullptr);
}

std::size_t ServerConnection::write(std::string_view bytes) {
  const ssize_t sent = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno != EAGAIN && errno != EINTR) close();
  return 0;
}

void ServerConnection::want_to_write(bool wanted) {
  if (wanted == waits_to_write_) return;
  waits_to_write_ = wanted;
  server_.poller_.change(socket_.fd(), *this, wanted ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void ServerConnection::close() {
  if (closed()) return;
  server_.poller_.remove(socket_.fd(), *this);
  socket_.close();
  auto self = shared_from_this();
  server_.connections_.erase(self);
  server_.closed_.push_back(std::move(self));
}

HttpServer::HttpServer(Poller& poller, std::uint16_t port, Handler handler)
    : poller_(poller), listener_(listen_on_loopback(port)), handler_(std::move(handler)) {
  poller_.add(listener_.fd(), *this);
}

void HttpServer::round(std::int64_t timeout_ns) {
  poller_.wait(timeout_ns);
  closed_.clear();
}

void HttpServer::on_ready(std::uint32_t) {
  while (Socket socket = accept_from(listener_)) {
    connections_.insert(std::make_shared<ServerConnection>(*this, std::move(socket)));
  }
}

std::string_view event_stream_head() {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
         "Transfer-Encoding: chunked\r\n\r\n";
}

std::string chunk(std::string_view bytes) {
  std::array<char, 20> size{};
  const int digits = std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  std::string out(size.data(), static_cast<std::size_t>(digits));
  out.append(bytes).append("\r\n");
  return out;
}

std::string json_response(std::string_view body, std::string_view status) {
  std::string out = "HTTP/1.1 ";
  out.append(status).append("\r\nContent-Type: application/json\r\nContent-Length: ");
  out.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
  return out;
}

}  // namespace bench
