#include "net/host_resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "net/unique_fd.h"
#include "wire/http.h"

namespace braidlog {

namespace {

constexpr std::chrono::seconds kBelievedFor{60};
constexpr std::size_t kKnownMax = 256;

SocketAddress address_v4(in_addr address) {
  SocketAddress out{};
  out.v4.sin_family = AF_INET;
  out.v4.sin_addr = address;
  return out;
}

SocketAddress address_v6(const in6_addr& address) {
  SocketAddress out{};
  out.v6 = {};
  out.v6.sin6_family = AF_INET6;
  out.v6.sin6_addr = address;
  return out;
}

bool is_localhost(std::string_view host) {
  constexpr std::string_view kName = "localhost";
  if (host.size() < kName.size() || !equals_ignoring_case(host.substr(host.size() - kName.size()), kName)) return false;
  return host.size() == kName.size() || host[host.size() - kName.size() - 1] == '.';
}

void tell(const UniqueFd& event) {
  const std::uint64_t one = 1;
  (void)!::write(event.get(), &one, sizeof one);
}

// Those of hosts that nobody needs to be asked for; empty for others.
Addresses known_addresses(const std::string& host) {
  in_addr v4{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return {address_v4(v4)};
  in6_addr v6{};
  if (::inet_pton(AF_INET6, host.c_str(), &v6) == 1) return {address_v6(v6)};
  if (is_localhost(host)) return {address_v6(in6addr_loopback), address_v4({htonl(INADDR_LOOPBACK)})};
  return {};
}

}  // namespace

void SocketAddress::set_port(std::uint16_t port) {
  (any.sa_family == AF_INET6 ? v6.sin6_port : v4.sin_port) = htons(port);
}

Addresses look_up_host(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
  Addresses out;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
    SocketAddress address{};
    std::memcpy(&address, each->ai_addr, std::min<std::size_t>(each->ai_addrlen, sizeof address));
    out.push_back(address);
  }
  ::freeaddrinfo(found);
  return out;
}

// `answer` is written by the thread before it makes `done` readable, and read by the loop after.
struct HostResolver::Question {
  std::string host;
  Addresses answer;
  UniqueFd done;
};

HostResolver::HostResolver(HttpClientSockets& sockets, HostLookup lookup)
    : sockets_(sockets), lookup_(std::move(lookup)) {}

HostResolver::~HostResolver() {
  for (const auto& question : questions_) sockets_.forget(question->done.get());
}

AddressesPtr HostResolver::find(const std::string& host) {
  const auto now = std::chrono::steady_clock::now();
  if (const auto found = known_.find(host); found != known_.end()) {
    if (found->second.until > now) return found->second.addresses;
    known_.erase(found);
  }
  if (auto addresses = known_addresses(host); !addresses.empty()) {
    return std::make_shared<const Addresses>(std::move(addresses));
  }
  const bool is_asked =
      std::any_of(questions_.begin(), questions_.end(), [&](const auto& question) { return question->host == host; });
  if (!is_asked) ask(host);
  return nullptr;
}

void HostResolver::ask(const std::string& host) {
  auto question = std::make_shared<Question>();
  question->host = host;
  question->done = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  // Without a descriptor or a thread to spare nobody is asked, and the calls that wait run into their time.
  if (!question->done) return;
  sockets_.watch(question->done.get(), EPOLLIN);
  questions_.push_back(question);
  try {
    std::thread([question, lookup = lookup_] {
      pthread_setname_np(pthread_self(), "resolver");
      question->answer = lookup(question->host);
      tell(question->done);
    }).detach();
  } catch (const std::system_error&) {
    tell(question->done);
  }
}

std::optional<HostResolver::Answer> HostResolver::take(int fd) {
  const auto found = std::find_if(questions_.begin(), questions_.end(),
                                  [&](const auto& question) { return question->done.get() == fd; });
  if (found == questions_.end()) return std::nullopt;
  const auto question = std::move(*found);
  questions_.erase(found);
  sockets_.forget(fd);
  // What the thread wrote is seen here for certain only once the counter that it raised is read.
  std::uint64_t count = 0;
  (void)!::read(fd, &count, sizeof count);
  if (question->answer.empty()) return Answer{question->host, nullptr};

  const auto now = std::chrono::steady_clock::now();
  std::erase_if(known_, [&](const auto& each) { return each.second.until <= now; });
  if (known_.size() >= kKnownMax) known_.clear();
  auto addresses = std::make_shared<const Addresses>(std::move(question->answer));
  known_[question->host] = {addresses, now + kBelievedFor};
  return Answer{question->host, std::move(addresses)};
}

}  // namespace braidlog
