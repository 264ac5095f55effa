#include "net/plain_connection.h"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "net/would_block.h"

namespace braidlog {

namespace {

// Of a piece of a stream: a token with what is around it.
constexpr std::size_t kShortReadBytesMax = 4096;

// What a socket says that was connected once; all else it says of a connection that was never made.
bool is_broken(int error) {
  return error == EPIPE || error == ECONNRESET;
}

iovec rest_of(std::string_view text, std::size_t sent) {
  text.remove_prefix(std::min(sent, text.size()));
  return {const_cast<char*>(text.data()), text.size()};  // NOLINT: sendmsg only reads
}

}  // namespace

std::unique_ptr<PlainConnection> PlainConnection::open(const SocketAddress& address, std::string origin) {
  UniqueFd fd(::socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!fd) return nullptr;
  const int yes = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::connect(fd.get(), &address.any, address.size()) != 0 && errno != EINPROGRESS) return nullptr;
  return std::unique_ptr<PlainConnection>(new PlainConnection(std::move(fd), std::move(origin)));
}

void PlainConnection::give_to(PlainCall& call, bool is_for_head) {
  call_ = &call;
  ++calls_;
  sent_ = 0;
  short_reads_ = 0;
  is_sent_ = is_answered_ = false;
  reader_.begin(is_for_head);
}

PlainConnection::Sent PlainConnection::send(const PlainRequest& request) {
  const std::size_t head_bytes = request.head.size();
  std::array<iovec, 2> parts{rest_of(request.head, sent_),
                             rest_of(request.body, sent_ > head_bytes ? sent_ - head_bytes : 0)};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t count = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0) {
    if (would_block(errno)) return is_connected_ ? Sent::kPart : Sent::kConnecting;
    is_reset_ = is_connected_ || is_broken(errno);
    return is_reset_ ? Sent::kGone : Sent::kRefused;
  }
  is_connected_ = true;
  sent_ += static_cast<std::size_t>(count);
  is_sent_ = sent_ == head_bytes + request.body.size();
  return is_sent_ ? Sent::kAll : Sent::kPart;
}

PlainConnection::Received PlainConnection::receive(std::span<char> buffer) {
  const ssize_t count = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0) {
    const auto bytes = buffer.first(static_cast<std::size_t>(count));
    is_answered_ = true;
    if (short_reads_ < kShortReadsOfAStream && bytes.size() < kShortReadBytesMax) count_short_read();
    return {Peer::kTalking, bytes};
  }
  if (count == 0) return {is_reset_ ? Peer::kBroken : Peer::kClosed, {}};
  return {would_block(errno) ? Peer::kSilent : Peer::kBroken, {}};
}

// A socket that only reads sends an acknowledgement from inside every read, which costs as much as the read. Told that
// it is in a conversation, it sends one for every second piece, and at the latest after 40 ms; when it had to wait that
// long, the kernel goes back to the other way by itself. So an upstream that holds its pieces back until the last is
// acknowledged (Nagle) loses those 40 ms once in an answer, and not for its first tokens: it is only told once the
// answer plainly comes in small pieces. (On a connection that is used again within that time the kernel is in this mode
// by itself.)
void PlainConnection::count_short_read() {
  if (++short_reads_ < kShortReadsOfAStream) return;
  const int no = 0;
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_QUICKACK, &no, sizeof no);
}

}  // namespace braidlog
