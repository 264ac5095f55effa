// A connected socket, read and written without blocking, and the bytes it would not take yet. Asio is asked only to
// wait; reading and writing are plain system calls, so an idle connection holds no buffer at all.
//
// Runs on: the io thread of its connection.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/unique_fd.h"

namespace braidlog {

class SocketChannel {
 public:
  using Descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;

  enum class Written {
    kAll,   // everything is with the kernel
    kPart,  // a rest is kept: wait until writable, then flush()
    kGone,  // the peer is gone; nothing is kept
  };
  enum class Peer { kSilent, kTalking, kGone };
  struct Received {
    Peer peer = Peer::kSilent;
    std::string_view bytes;  // into the buffer given
  };

  // False when the descriptor cannot be watched (the kernel's limit); the descriptor is then closed.
  bool attach(boost::asio::io_context& context, UniqueFd fd);
  // Takes the socket off its context, with no wait pending, so that another thread can attach() it.
  UniqueFd detach();
  void close();
  // Closes so that the peer sees a reset: for an end that must not look like one.
  void reset();
  // Says that nothing more will be sent; reading goes on.
  void shut_write();
  void cancel_waits();
  Descriptor& descriptor() { return *descriptor_; }

  Received receive(std::span<char> buffer);
  // Whether the peer sent something or went away; takes nothing.
  Peer peek();

  // Sends the parts, after what is held, in one system call, or keeps them behind what is unsent; keeps a copy of the
  // rest.
  Written write(std::span<const std::string_view> parts);
  // Keeps a copy of the parts until the next write() or flush(), or behind what is unsent.
  void hold(std::span<const std::string_view> parts);
  Written flush();
  // Which the socket would not take.
  std::size_t unsent_bytes() const { return is_held_ ? 0 : unsent_.size() - unsent_begin_; }
  bool is_holding() const { return is_held_; }
  // How many bytes the kernel took in the last write() or flush().
  std::size_t last_sent_bytes() const { return last_sent_bytes_; }

 private:
  Written write_behind_held(std::span<const std::string_view> parts);
  void keep(std::span<const std::string_view> parts, std::size_t sent);
  void forget_unsent();
  Written drop();

  std::optional<Descriptor> descriptor_;
  std::string unsent_;  // or held
  std::size_t unsent_begin_ = 0;
  bool is_held_ = false;
  std::size_t last_sent_bytes_ = 0;
};

}  // namespace braidlog
