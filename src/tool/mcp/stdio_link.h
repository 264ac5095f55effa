// A server that is a program: one JSON message in each line of its stdin and stdout. Runs on: the MCP thread.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "tool/http/secrets.h"
#include "tool/mcp/farewells.h"
#include "tool/mcp/link.h"
#include "tool/mcp/process.h"

namespace braidlog::tool::mcp {

class StdioLink final : public Link, private ProcessOwner {
 public:
  struct Place {
    IoThread& loop;
    Farewells& farewells;
    std::string server;      // for log lines
    const Secrets& secrets;  // which do not get into them
    std::size_t message_bytes_max = 0;
  };
  // kToolFailed in words for the operator.
  static Result<std::unique_ptr<Link>> start(const SpawnPlan& plan, LinkOwner& owner, Place place);
  ~StdioLink() override;

  void send(OutgoingMessage message) override;
  bool forget(std::int64_t) override { return false; }
  void speak(Era) override {}
  void listen() override {}
  std::string last_words() const override;

 private:
  StdioLink(LinkOwner& owner, Place place) : owner_(owner), place_(std::move(place)) {}
  void on_line(std::string_view line) override;
  void on_oversize(std::string_view head, std::string_view tail) override;
  void on_words(std::string_view line) override;
  void on_gone(std::string how) override;
  void lose_unread(std::string_view head, std::string_view tail, Loss loss);

  LinkOwner& owner_;
  Place place_;
  std::shared_ptr<Process> process_;
  std::deque<std::string> last_words_;                                     // of its stderr
  std::shared_ptr<StdioLink*> self_ = std::make_shared<StdioLink*>(this);  // null once this is gone
};

}  // namespace braidlog::tool::mcp
