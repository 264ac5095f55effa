// Names of hosts to addresses, off the loop. What needs no asking is known at once: addresses, and localhost, which is
// this machine whatever a name server says. The rest is asked of the system by a thread that ends with its answer, one
// for each name however many calls wait for it; answers are believed for a minute, as libcurl does.
//
// A thread that still asks holds nothing of the resolver's: it is left to itself when that is gone.
//
// Runs on: the io thread of its client.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/http_client_sockets.h"

namespace braidlog {

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;

  socklen_t size() const { return any.sa_family == AF_INET6 ? sizeof v6 : sizeof v4; }
  void set_port(std::uint16_t port);
};

using Addresses = std::vector<SocketAddress>;
using AddressesPtr = std::shared_ptr<const Addresses>;

// Asks the system; blocks. Empty: there is no such host. Runs on threads of the resolver's.
using HostLookup = std::function<Addresses(const std::string& host)>;
Addresses look_up_host(const std::string& host);

class HostResolver {
 public:
  // `sockets` outlives it.
  HostResolver(HttpClientSockets& sockets, HostLookup lookup);
  ~HostResolver();

  // The addresses of a host, in the order in which they are to be tried; never empty. Null: they are asked for, and
  // `sockets` will report a descriptor that take() knows.
  AddressesPtr find(const std::string& host);

  struct Answer {
    std::string host;
    AddressesPtr addresses;  // null: there is no such host
  };
  // None where `fd` is not one of its own.
  std::optional<Answer> take(int fd);

 private:
  struct Question;
  struct Known {
    AddressesPtr addresses;
    std::chrono::steady_clock::time_point until;
  };

  void ask(const std::string& host);

  HttpClientSockets& sockets_;
  const HostLookup lookup_;
  std::unordered_map<std::string, Known> known_;
  std::vector<std::shared_ptr<Question>> questions_;  // each shared with the thread that asks
};

}  // namespace braidlog
