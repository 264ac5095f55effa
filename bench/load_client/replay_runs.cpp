#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "load_client/modes.h"
#include "load_client/run_client.h"
#include "load_client/tally.h"
#include "wire/poller.h"

namespace bench {

namespace {

class Replay : public RunClient::Observer {
 public:
  Replay(const Target& target, std::vector<std::string> runs, std::uint64_t concurrent) : runs_(std::move(runs)) {
    for (std::uint64_t i = 0; i < concurrent; ++i) {
      clients_.push_back(std::make_unique<RunClient>(poller_, target, *this));
    }
  }

  void run(double seconds) {
    tally_.begin();
    for (const auto& client : clients_) next(*client);
    while (tally_.seconds() < seconds) poller_.wait();
    JsonLine line;
    tally_.add_to(line);
    line.print();
  }

 private:
  void next(RunClient& client) { client.watch(runs_[pick_(random_)]); }

  void on_end(RunClient& client, const RunClient::Stream& stream) override {
    tally_.count(stream);
    next(client);
  }

  std::vector<std::string> runs_;
  std::mt19937_64 random_{20'261'115};  // the same picks every time
  std::uniform_int_distribution<std::size_t> pick_{0, runs_.size() - 1};
  Poller poller_;
  std::vector<std::unique_ptr<RunClient>> clients_;
  Tally tally_;
};

}  // namespace

void replay_runs(const Target& target, const Flags& flags) {
  std::ifstream list(flags.text("run-list"));
  std::vector<std::string> runs;
  for (std::string run; std::getline(list, run);) runs.push_back(run);
  if (runs.empty()) give_up("no runs in --run-list " + flags.text("run-list"));
  Replay replay(target, std::move(runs), flags.number("concurrent", 16));
  wait_for_go("ready");
  replay.run(static_cast<double>(flags.number("seconds", 5)));
}

}  // namespace bench
