#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "load_client/modes.h"
#include "load_client/run_client.h"
#include "load_client/tally.h"
#include "wire/poller.h"

namespace bench {

namespace {

// Makes the sessions that the runs will be started in.
class SessionMaker : public RunClient::Observer {
 public:
  SessionMaker(std::vector<std::string>& sessions, std::uint64_t wanted) : sessions_(sessions), wanted_(wanted) {}

  void begin(RunClient& client) {
    if (asked_ == wanted_) return;
    ++asked_;
    client.make_session();
  }
  void on_session(RunClient& client) override {
    sessions_.push_back(client.session());
    begin(client);
  }
  void on_end(RunClient&, const RunClient::Stream& stream) override { give_up("no session: " + stream.fault); }
  bool done() const { return sessions_.size() == wanted_; }

 private:
  std::vector<std::string>& sessions_;
  std::uint64_t wanted_;
  std::uint64_t asked_ = 0;
};

class RunLoad : public RunClient::Observer {
 public:
  RunLoad(const Target& target, const Flags& flags)
      : target_(target),
        concurrent_(flags.number("concurrent", 50)),
        runs_(flags.number("runs", 1000)),
        ramp_ns_(static_cast<std::int64_t>(flags.number("ramp-ms")) * 1'000'000),
        with_stamps_(flags.has("stamps")) {
    if (flags.has("save-runs")) run_list_.open(flags.text("save-runs"));
    for (std::uint64_t i = 0; i < concurrent_; ++i) {
      clients_.push_back(std::make_unique<RunClient>(poller_, target_, *this));
    }
  }

  void make_sessions() {
    SessionMaker maker(sessions_, runs_);
    std::vector<std::unique_ptr<RunClient>> clients;
    for (std::uint64_t i = 0; i < std::min(concurrent_, runs_); ++i) {
      clients.push_back(std::make_unique<RunClient>(poller_, target_, maker));
      maker.begin(*clients.back());
    }
    while (!maker.done()) poller_.wait();
  }

  void run() {
    tally_.begin();
    const std::int64_t begun = monotonic_ns();
    std::size_t begun_clients = 0;
    while (tally_.streams() < runs_) {
      const std::int64_t now = monotonic_ns();
      while (begun_clients < clients_.size() && begun + begin_offset(begun_clients) <= now)
        next(*clients_[begun_clients++]);
      poller_.wait(begun_clients < clients_.size() ? begun + begin_offset(begun_clients) - now : -1);
    }
    JsonLine line;
    tally_.add_to(line);
    delays_.add_to(line);
    line.print();
  }

 private:
  // Spread over the ramp, so that the paced streams do not speak all at once.
  std::int64_t begin_offset(std::size_t client) const {
    return ramp_ns_ * static_cast<std::int64_t>(client) / static_cast<std::int64_t>(concurrent_);
  }

  void next(RunClient& client) {
    if (begun_runs_ == runs_) return;
    ++begun_runs_;
    if (sessions_.empty()) return client.start_run();
    client.start_run_in(sessions_.back());
    sessions_.pop_back();
  }

  // A run's first token waits for its viewer to come, and its last frame repeats all tokens: neither is a delay.
  void on_frame(RunClient& client, std::string_view frame) override {
    if (!with_stamps_ || target_.is_good_end(frame) || !has_stamp(frame)) return;
    bool& seen_one = seen_a_token_[&client];
    if (seen_one) delays_.note(frame);
    seen_one = true;
  }

  void on_end(RunClient& client, const RunClient::Stream& stream) override {
    tally_.count(stream);
    if (with_stamps_) seen_a_token_[&client] = false;
    if (run_list_.is_open() && stream.fault.empty()) run_list_ << client.run() << '\n';
    next(client);
  }

  const Target& target_;
  std::uint64_t concurrent_;
  std::uint64_t runs_;
  std::int64_t ramp_ns_;
  bool with_stamps_;
  Poller poller_;
  std::vector<std::unique_ptr<RunClient>> clients_;
  std::vector<std::string> sessions_;
  std::uint64_t begun_runs_ = 0;
  std::unordered_map<const RunClient*, bool> seen_a_token_;
  std::ofstream run_list_;
  Tally tally_;
  Delays delays_;
};

}  // namespace

void load_with_runs(const Target& target, const Flags& flags) {
  RunLoad load(target, flags);
  if (flags.text("sessions") == "ahead" && target.has_sessions()) load.make_sessions();
  wait_for_go("ready");
  load.run();
}

}  // namespace bench
