// What a run costs the store's writer, without a server: commits of runs that begin and runs that end, as bursts make
// them. Made to be counted rather than timed (`valgrind --tool=callgrind`, `strace -c -f`): an argument says how many
// runs, and the difference of two counts is the cost of a run.
//
//   store DIR [runs=20000] [runs per commit=25] [full|normal]
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "event/encoding.h"
#include "store/sqlite/run_store.h"

namespace {

using namespace braidlog;

constexpr int kTokens = 200;
constexpr std::int64_t kSessionAgeMs = 60'000;

template <class T>
T need(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

double cpu_us() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// The same times in every run of the program, so that counts can be compared.
class EvenClock final : public Clock {
 public:
  WallTime wall() const override { return {ms}; }
  MonoTime mono() const override { return {}; }
  std::int64_t ms = 1'700'000'000'000;
};

class Load {
 public:
  Load(RunStore& store, std::size_t per_commit) : store_(store), per_commit_(per_commit) {}

  void make_sessions(std::size_t count) {
    std::vector<Write> writes;
    for (; count > 0; --count) {
      api::Session session{.id = ids_.make<SessionId>()};
      session.user_id = "user_01hzz0000000000000000000";
      session.agent = "bench";
      session.contract = "runs";
      session.created_at = session.updated_at = clock_.wall();
      sessions_.push_back(session.id);
      writes.push_back(NewSession{session});
      if (writes.size() < 500 && count > 1) continue;
      commit(std::exchange(writes, {}));
    }
  }

  // Each commit begins as many runs as it ends. The CPU time of all commits, without that of making the writes.
  double run() {
    commits_us_ = 0;
    clock_.ms += kSessionAgeMs;
    while (!sessions_.empty() || !live_.empty()) {
      std::vector<Write> writes;
      for (Live& run : std::exchange(live_, {})) writes.push_back(end(std::move(run)));
      for (std::size_t i = 0; i < per_commit_ && !sessions_.empty(); ++i) {
        writes.push_back(begin(sessions_.back()));
        sessions_.pop_back();
      }
      commit(writes);
    }
    return commits_us_;
  }

 private:
  struct Live {
    RunId id;
    SessionId session_id;
    std::string records;
    std::uint64_t last = 0;
  };

  void add(Live& run, RunEventBody body) {
    append_record(run.records,
                  {.sequence = {++run.last}, .at = clock_.wall(), .elapsed_ms = 1, .body = std::move(body)});
  }

  NewRun begin(SessionId session_id) {
    Live run{.id = ids_.make<RunId>(), .session_id = session_id};
    const std::string text = "Say something of two hundred tokens.";
    add(run, RunQueued{.session_id = session_id, .user_id = "user_01hzz0000000000000000000", .text = text});
    add(run, RunStarted{.text = text});
    NewRun write;
    write.run.id = run.id;
    write.run.session_id = session_id;
    write.run.user_id = "user_01hzz0000000000000000000";
    write.run.agent = "bench";
    write.run.contract = "runs";
    write.run.created_at = clock_.wall();
    write.run.started_at = clock_.wall();
    write.run.status = RunStatus::kRunning;
    write.owner = "server";
    write.text = text;
    write.records = run.records;
    write.record_count = static_cast<std::uint32_t>(run.last);
    write.effects.status = RunStatus::kRunning;
    write.effects.started_at = clock_.wall();
    write.effects.messages.push_back(message(run, "user", text));
    live_.push_back(std::move(run));
    return write;
  }

  Append end(Live run) {
    Append write{.run_id = run.id, .follows = {run.last}, .epoch = 1};
    const std::size_t before = run.records.size();
    std::string text;
    for (int i = 0; i < kTokens; ++i) {
      text += "token ";
      add(run, TextDelta{.turn = 1, .part = 1, .text = "token "});
    }
    add(run, RunCompleted{.final_text = text});
    write.records = run.records.substr(before);
    write.record_count = static_cast<std::uint32_t>(run.last - write.follows.value);
    RunEffects& effects = write.effects.touch();
    effects.status = RunStatus::kCompleted;
    effects.ended_at = clock_.wall();
    effects.usage = Usage{.input_tokens = 10, .output_tokens = kTokens};
    effects.messages.push_back(message(run, "assistant", text));
    write.sealed = std::move(run.records);
    return write;
  }

  api::Message message(const Live& run, const char* role, std::string text) {
    return {.id = ids_.make<MessageId>(),
            .role = role,
            .content = std::move(text),
            .created_at = clock_.wall(),
            .run_id = run.id};
  }

  void commit(const std::vector<Write>& writes) {
    const double begun = cpu_us();
    auto outcomes = store_.commit(writes);
    commits_us_ += cpu_us() - begun;
    clock_.ms += 2;
    for (auto& outcome : outcomes) need(std::move(outcome));
  }

  RunStore& store_;
  const std::size_t per_commit_;
  EvenClock clock_;
  IdSource ids_{clock_, 1};
  std::vector<SessionId> sessions_;
  std::vector<Live> live_;
  double commits_us_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "store DIR [runs] [runs per commit] [full|normal]\n");
    return 2;
  }
  const std::size_t runs = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 20'000;
  const std::size_t per_commit = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 25;
  const bool normal = argc > 4 && std::string(argv[4]) == "normal";
  auto store = need(store::SqliteRunStore::open(
      {.folder = argv[1], .durability = normal ? store::Durability::kNormal : store::Durability::kFull}));
  const auto reader = need(store->open_reader());
  Load load(*store, per_commit);
  load.make_sessions(runs);
  std::printf("a run: %.1f us of CPU\n", load.run() / static_cast<double>(runs));
}
