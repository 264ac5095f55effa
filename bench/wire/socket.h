// The little of POSIX that the bench programs share: loopback sockets, a core to stay on, one clock.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

// Owns a descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }

  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void close();

 private:
  int release();

  int fd_ = -1;
};

// Both are non-blocking, with Nagle's delay off. A listener that cannot be made ends the program; a connection that is
// refused shows that when it is first used.
Socket listen_on_loopback(std::uint16_t port);
Socket connect_to_loopback(std::uint16_t port);
// Waits until the connection stands; false when nobody listens there.
bool connected(const Socket& socket);
Socket accept_from(const Socket& listener);
std::uint16_t port_of(const Socket& listener);

// As many descriptors as the hard limit allows: thousands of streams need them.
void raise_descriptor_limit();
void pin_to_core(int core);

// CLOCK_MONOTONIC, which all processes of a machine share: a stamp made in one can be compared in another.
std::int64_t monotonic_ns();
// What this process has used so far.
double own_cpu_seconds();

// Ends the program with one line on stderr.
[[noreturn]] void give_up(const std::string& why);

}  // namespace bench
