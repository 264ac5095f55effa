// What is ending and not yet gone: processes that were asked to stop, HTTP sessions that are being given up. Kept here
// so that nobody has to wait, and so that the end of the server can wait for all of them at once. Runs on: the MCP
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/loop.h"
#include "net/http_client.h"
#include "tool/mcp/process.h"

namespace braidlog::tool::mcp {

class Farewells {
 public:
  Farewells(IoThread& loop, HttpClients& clients);
  ~Farewells();

  void stop(std::shared_ptr<Process> process);
  // Sends it and waits for the answer, but not for long.
  void send(OutgoingRequest request);

  bool empty() const { return processes_.empty() && calls_.empty(); }

 private:
  struct Call;
  void end_call(std::uint64_t number);

  IoThread& loop_;
  HttpClients& clients_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::shared_ptr<Process>> processes_;
  std::map<std::uint64_t, std::unique_ptr<Call>> calls_;
};

}  // namespace braidlog::tool::mcp
