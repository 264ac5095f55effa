#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "load_client/conductor.h"
#include "load_client/modes.h"
#include "load_client/run_client.h"
#include "load_client/tally.h"
#include "wire/poller.h"

namespace bench {

namespace {

// So few at a time are opened that the server's listen queue never overflows.
constexpr std::size_t kOpeningMax = 200;

class Holder : public RunClient::Observer, public Poller::Watcher {
 public:
  Holder(const Target& target, bool one_run) : target_(target), one_run_(one_run) { poller_.add(STDIN_FILENO, *this); }

  // Until `streams` streams are open and each has shown a frame.
  void open(std::size_t streams) {
    while (live_.size() < streams) {
      while (clients_.size() < streams && clients_.size() - live_.size() < kOpeningMax && may_open()) open_one();
      poller_.wait();
    }
  }

  // Goes on reading until the script says so: a client that does not read would be measured as a slow one.
  void hold() {
    JsonLine().add("state", "holding").add("streams", static_cast<std::uint64_t>(live_.size())).print();
    told_to_go_on_ = false;
    while (!told_to_go_on_) poller_.wait();
  }

  void on_ready(std::uint32_t) override {
    char line[64];
    if (::read(STDIN_FILENO, line, sizeof line) <= 0) give_up("nobody is measuring");
    told_to_go_on_ = true;
  }

 private:
  // The viewers of one run can come when its first one has seen it.
  bool may_open() const { return !one_run_ || clients_.empty() || !live_.empty(); }

  void open_one() {
    clients_.push_back(std::make_unique<RunClient>(poller_, target_, *this));
    if (one_run_ && clients_.size() > 1) return clients_.back()->watch(clients_.front()->run());
    clients_.back()->start_run();
  }

  void on_frame(RunClient& client, std::string_view frame) override {
    if (has_stamp(frame)) live_.insert(&client);
  }

  void on_end(RunClient&, const RunClient::Stream& stream) override {
    give_up("a stream that was to stay open ended: " + stream.fault);
  }

  const Target& target_;
  bool one_run_;
  Poller poller_;
  std::vector<std::unique_ptr<RunClient>> clients_;
  std::unordered_set<const RunClient*> live_;
  bool told_to_go_on_ = false;
};

}  // namespace

void hold_streams(const Target& target, const Flags& flags) {
  Holder holder(target, flags.text("of") == "one");
  wait_for_go("ready");
  std::istringstream levels(flags.text("streams", "1000"));
  for (std::string level; std::getline(levels, level, ',');) {
    holder.open(std::stoul(level));
    holder.hold();
  }
}

}  // namespace bench
