// The listening socket: accepts and deals connections out to the shards in turn.
//
// Runs on: the first io thread, all but bind(). Held by shared_ptr: by the server and by the wait it has pending.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/io_thread.h"
#include "net/socket_channel.h"
#include "net/unique_fd.h"

namespace braidlog {

struct ServerContext;
class ConnectionShard;

class Listener final : public std::enable_shared_from_this<Listener> {
 public:
  Listener(std::shared_ptr<ServerContext> context, IoThread& thread);

  // Before start(), on any thread. kUnavailable with one clear line when the address cannot be had. The port is not
  // shared (no SO_REUSEPORT): a second server on it must fail, not silently take half of the clients.
  Status bind(const std::string& host, std::uint16_t port);
  std::uint16_t port() const { return port_; }

  void start();
  void close();

 private:
  void wait();
  void accept_some();
  // False: out of descriptors or memory; accepting rests for a moment.
  bool accept_one(bool& more);
  void refuse_without_descriptor();
  void refuse_at_once(const UniqueFd& fd);
  void tell_of_rest(const char* reason);
  void rest();
  void deal(UniqueFd fd, boost::asio::ip::address peer);

  std::shared_ptr<ServerContext> context_;
  IoThread& thread_;
  UniqueFd bound_;  // between bind() and start()
  std::optional<SocketChannel::Descriptor> socket_;
  UniqueFd reserve_;  // given up to accept and refuse one connection when there are no descriptors left
  Timer resting_;
  std::uint16_t port_ = 0;
  std::size_t next_shard_ = 0;
  bool is_closed_ = false;
  bool has_told_of_rest_ = false;
};

}  // namespace braidlog
