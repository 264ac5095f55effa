#include "net/socket_channel.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/release_memory.h"
#include "net/would_block.h"

namespace braidlog {

namespace {

constexpr std::size_t kPartsMax = 8;

// The kernel takes one piece of memory for less than it takes several: what is small is put together before.
constexpr std::size_t kSmallBytesMax = 2048;

ssize_t send_small(int fd, std::span<const std::string_view> parts) {
  char together[kSmallBytesMax];
  char* end = together;
  for (auto part : parts) end = std::copy(part.begin(), part.end(), end);
  return ::send(fd, together, static_cast<std::size_t>(end - together), MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t send_parts(int fd, std::span<const std::string_view> parts) {
  std::array<iovec, kPartsMax> vectors;
  std::size_t count = 0;
  for (auto part : parts) {
    if (part.empty()) continue;
    BRAIDLOG_CHECK(count < kPartsMax);
    vectors[count++] = {const_cast<char*>(part.data()), part.size()};  // NOLINT: sendmsg only reads
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  return ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

bool SocketChannel::attach(boost::asio::io_context& context, UniqueFd fd) {
  descriptor_.emplace(context.get_executor());
  boost::system::error_code error;
  descriptor_->assign(fd.get(), error);
  if (error) {
    descriptor_.reset();
    return false;
  }
  (void)fd.release();
  return true;
}

UniqueFd SocketChannel::detach() {
  UniqueFd fd(descriptor_->release());
  descriptor_.reset();
  return fd;
}

void SocketChannel::close() {
  boost::system::error_code ignored;
  if (descriptor_) descriptor_->close(ignored);
  forget_unsent();
}

void SocketChannel::reset() {
  if (descriptor_ && descriptor_->is_open()) {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor_->native_handle(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  close();
}

void SocketChannel::shut_write() {
  ::shutdown(descriptor_->native_handle(), SHUT_WR);
}

void SocketChannel::cancel_waits() {
  boost::system::error_code ignored;
  descriptor_->cancel(ignored);
}

SocketChannel::Received SocketChannel::receive(std::span<char> buffer) {
  const ssize_t count = ::recv(descriptor_->native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0) return {Peer::kTalking, {buffer.data(), static_cast<std::size_t>(count)}};
  return {count < 0 && would_block(errno) ? Peer::kSilent : Peer::kGone, {}};
}

SocketChannel::Peer SocketChannel::peek() {
  char byte = 0;
  const ssize_t count = ::recv(descriptor_->native_handle(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
  if (count > 0) return Peer::kTalking;
  return count < 0 && would_block(errno) ? Peer::kSilent : Peer::kGone;
}

SocketChannel::Written SocketChannel::write(std::span<const std::string_view> parts) {
  last_sent_bytes_ = 0;
  if (is_held_) return write_behind_held(parts);
  if (unsent_bytes() > 0) {
    keep(parts, 0);
    return Written::kPart;
  }
  std::size_t total = 0;
  for (auto part : parts) total += part.size();
  if (total == 0) return Written::kAll;
  const int fd = descriptor_->native_handle();
  const ssize_t sent = total <= kSmallBytesMax ? send_small(fd, parts) : send_parts(fd, parts);
  if (sent < 0 && !would_block(errno)) return drop();
  last_sent_bytes_ = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  if (last_sent_bytes_ == total) return Written::kAll;
  keep(parts, last_sent_bytes_);
  return Written::kPart;
}

SocketChannel::Written SocketChannel::write_behind_held(std::span<const std::string_view> parts) {
  is_held_ = false;
  const std::string held = std::exchange(unsent_, {});
  std::array<std::string_view, kPartsMax> all{held};
  BRAIDLOG_CHECK(parts.size() < all.size());
  std::ranges::copy(parts, all.begin() + 1);
  return write(std::span(all).first(parts.size() + 1));
}

void SocketChannel::hold(std::span<const std::string_view> parts) {
  is_held_ = unsent_bytes() == 0;
  keep(parts, 0);
}

SocketChannel::Written SocketChannel::flush() {
  is_held_ = false;
  last_sent_bytes_ = 0;
  while (unsent_bytes() > 0) {
    const ssize_t sent = ::send(descriptor_->native_handle(), unsent_.data() + unsent_begin_, unsent_bytes(),
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return would_block(errno) ? Written::kPart : drop();
    last_sent_bytes_ += static_cast<std::size_t>(sent);
    unsent_begin_ += static_cast<std::size_t>(sent);
  }
  forget_unsent();  // most connections never need it again
  return Written::kAll;
}

void SocketChannel::keep(std::span<const std::string_view> parts, std::size_t sent) {
  // What is sent already is dropped from the front once it outweighs the rest, so a long-lived backlog stays small.
  if (unsent_begin_ > unsent_bytes()) {
    unsent_.erase(0, unsent_begin_);
    unsent_begin_ = 0;
  }
  for (auto part : parts) {
    const std::size_t skipped = std::min(sent, part.size());
    sent -= skipped;
    unsent_.append(part.substr(skipped));
  }
}

void SocketChannel::forget_unsent() {
  release_memory(unsent_);
  unsent_begin_ = 0;
  is_held_ = false;
}

SocketChannel::Written SocketChannel::drop() {
  forget_unsent();
  return Written::kGone;
}

}  // namespace braidlog
