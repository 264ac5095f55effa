// The sockets of a client, watched through an epoll of their own; Asio watches only that one. A wait through Asio
// costs a system call per socket and round, this one costs two per round, however many upstreams speak at once. And no
// Asio object holds a descriptor that libcurl closes behind its back. When very many speak, what is ready is told up to
// some milliseconds later, together (read_pace.h), and Asio watches nothing but the clock.
//
// Runs on: the io thread of its client.
#pragma once

#include <sys/epoll.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "net/context_timer.h"
#include "net/read_pace.h"
#include "net/unique_fd.h"

namespace braidlog {

class HttpClientSockets {
 public:
  using OnReady = std::function<void(const epoll_event* first, int count)>;

  // kUnavailable: no descriptors left. `on_ready` gets what is ready, in batches; it may watch and forget sockets.
  static Result<std::unique_ptr<HttpClientSockets>> make(boost::asio::io_context& context, OnReady on_ready);
  ~HttpClientSockets();

  // EPOLLIN and EPOLLOUT; level-triggered, unless EPOLLET is asked for. add() is for a socket that is not watched yet,
  // watch() for any; what is ready at that moment is reported in the next round.
  void add(int fd, std::uint32_t events);
  void watch(int fd, std::uint32_t events);
  // Also where `fd` is closed already.
  void forget(int fd);

 private:
  using Descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;

  HttpClientSockets(boost::asio::io_context& context, UniqueFd epoll, OnReady on_ready);
  bool control(int operation, int fd, std::uint32_t events);
  void wait();
  void wait_until(ReadPace::Time time);
  // What either wait ends with.
  auto looking() const {
    return [self = self_](const boost::system::error_code& error) {
      if (*self != nullptr && !error) (*self)->look();
    };
  }
  void look();

  UniqueFd epoll_;
  Descriptor watch_;  // on epoll_, while it is waited for; not open: the timer alone wakes this up
  ContextTimer timer_;
  ReadPace pace_;
  OnReady on_ready_;
  std::shared_ptr<HttpClientSockets*> self_;  // null once this is gone: a wait that is complete by then still runs
};

}  // namespace braidlog
