// A connection of a PlainClient: the socket, how much of a request it has taken, and the reader of what it answers.
// Nothing here waits or calls back; the client does both.
//
// Runs on: the io thread of its client.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "net/host_resolver.h"
#include "net/plain_request.h"
#include "net/response_reader.h"
#include "net/unique_fd.h"

namespace braidlog {

class PlainCall;

class PlainConnection {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Begins to connect. Null where that is refused at once.
  static std::unique_ptr<PlainConnection> open(const SocketAddress& address, std::string origin);

  int fd() const { return fd_.get(); }
  const std::string& origin() const { return origin_; }

  // The call that has the connection; null while it is idle.
  PlainCall* call() const { return call_; }
  void give_to(PlainCall& call, bool is_for_head);
  void take_back() { call_ = nullptr; }
  // Whether it carried another call before this one.
  bool is_reused() const { return calls_ > 1; }

  enum class Sent {
    kAll,
    kPart,        // the socket takes no more for now
    kConnecting,  // nor does it yet
    kRefused,     // nobody is there
    kGone,        // the other side has closed
  };
  // Sends what is left of the request, head and body in one system call. There is no other question to the socket
  // whether it is connected: it takes bytes or it does not.
  Sent send(const PlainRequest& request);
  bool is_sent() const { return is_sent_; }
  bool has_sent() const { return sent_ > 0; }

  enum class Peer { kTalking, kSilent, kClosed, kBroken };
  struct Received {
    Peer peer = Peer::kSilent;
    std::span<char> bytes;  // of the buffer given
  };
  Received receive(std::span<char> buffer);
  // Whether a byte of the answer has come.
  bool is_answered() const { return is_answered_; }
  ResponseReader& reader() { return reader_; }

  // The client's notes: what is watched for, and since when nobody needs the connection.
  std::uint32_t watched = 0;
  TimePoint idle_since{};

 private:
  static constexpr std::uint8_t kShortReadsOfAStream = 8;

  void count_short_read();

  PlainConnection(UniqueFd fd, std::string origin) : fd_(std::move(fd)), origin_(std::move(origin)) {}

  UniqueFd fd_;
  std::string origin_;
  PlainCall* call_ = nullptr;
  std::size_t sent_ = 0;
  std::uint32_t calls_ = 0;
  std::uint8_t short_reads_ = 0;  // of this answer, as far as anybody counts
  bool is_connected_ = false;
  bool is_sent_ = false;
  bool is_answered_ = false;
  bool is_reset_ = false;
  ResponseReader reader_;
};

}  // namespace braidlog
