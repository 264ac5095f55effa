// Runs on two io threads without a thread, for tests of streams that show many of them: their logs, their store, and
// the time in which everything that is posted is done.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/fake_loop.h"
#include "engine/run_host.h"
#include "event/encoding.h"
#include "port/testing/empty_store.h"
#include "runlog/testing/inline_store.h"
#include "server/run_source.h"

namespace braidlog::testing {

// Keeps finished runs, and the messages of one session.
class FinishedRuns final : public EmptyStore {
 public:
  std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) override {
    if (fenced) return std::vector<Result<WriteOutcome>>(writes.size(), fail(ErrorCode::kFenced, "not yours"));
    for (const auto& write : writes) {
      const auto& append = std::get<Append>(write);
      if (append.sealed) records[append.run_id] = *append.sealed;
    }
    return std::vector<Result<WriteOutcome>>(writes.size(), WriteOutcome{});
  }
  Result<std::unique_ptr<StoreReader>> open_reader() override {
    return std::unique_ptr<StoreReader>(std::make_unique<Reader>(*this));
  }

  std::map<RunId, std::string> records;
  std::vector<std::string> messages;
  int reads = 0;  // of runs
  bool fenced = false;

 private:
  struct Reader final : EmptyReader {
    explicit Reader(FinishedRuns& s) : store(s) {}
    Result<std::string> records(RunId id) override {
      ++store.reads;
      const auto at = store.records.find(id);
      return at == store.records.end() ? Result<std::string>(fail(ErrorCode::kRunNotFound, "Run not found"))
                                       : at->second;
    }
    Result<std::vector<api::Message>> messages(SessionId, std::uint64_t count_max) override {
      std::vector<api::Message> found;
      for (const auto& text : store.messages) {
        if (found.size() < count_max) found.push_back({{}, "user", text, {}, {}, {}});
      }
      return found;
    }
    FinishedRuns& store;
  };
};

class WatchedRuns : public ::testing::Test {
 protected:
  static constexpr unsigned kThreads = 2;

  WatchedRuns() {
    std::vector<RunHost*> hosts;
    for (unsigned i = 0; i < kThreads; ++i) {
      Thread& thread = *threads_.emplace_back(std::make_unique<Thread>(clock_, i, store_, limits_));
      hosts.push_back(&thread.host);
    }
    shards_ = std::make_unique<Shards>(hosts);
  }

  // Of a run that lives on the thread `number` mod kThreads, and of its session.
  static Id128 numbered(unsigned char number) {
    Id128 id{};
    id.bytes[15] = number;
    return id;
  }
  // A run of `user` that has begun.
  RunId begin(unsigned char number, const std::string& user = "ann") {
    RunQueued queued;
    queued.user_id = user;
    queued.session_id = SessionId{numbered(number)};
    std::string records;
    append_record(records, {{1}, {1000}, 0, queued});
    append_record(records, {{2}, {1000}, 0, RunStarted{}});
    const RunId id{numbered(number)};
    EXPECT_TRUE(log_of(id).open(id, 1, std::move(records)).has_value());
    last_[id] = 2;
    settle();
    return id;
  }
  void append(RunId id, RunEventBody body, RunEffects effects = {}) {
    RunLog& log = log_of(id);
    auto& run = log.writer(id);
    log.effects(run) = std::move(effects);
    log.append(run, {{{++last_[id]}, {1000}, 0, std::move(body)}}, {});
  }
  void say(RunId id, std::string text) {
    append(id, TextDelta{1, 1, std::move(text)});
    settle();
  }
  void end(RunId id, std::uint64_t message_position = 0) {
    RunEffects effects;
    effects.status = RunStatus::kCompleted;
    append(id, RunCompleted{.message_position = message_position}, std::move(effects));
    settle();
  }
  // Two runs that do not live on the same thread.
  std::pair<RunId, RunId> begin_apart(const std::string& user = "ann") { return {begin(1, user), begin(2, user)}; }

  void settle() {
    for (bool busy = true; busy;) {
      busy = false;
      for (auto& thread : threads_) busy |= thread->loop.run_one();
    }
  }
  RunLog& log_of(RunId id) { return shards_->of(id).log(); }

  struct Thread {
    Thread(FakeClock& clock, unsigned index, RunStore& store, const Limits& limits)
        : loop(clock, index), access(store, loop), host(loop, access, limits), source(loop, host.log(), access) {}
    FakeLoop loop;
    InlineStore access;
    RunHost host;
    RunSource source;
  };
  FakeClock clock_;
  FinishedRuns store_;
  Limits limits_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::unique_ptr<Shards> shards_;
  std::map<RunId, std::uint64_t> last_;
};

}  // namespace braidlog::testing
