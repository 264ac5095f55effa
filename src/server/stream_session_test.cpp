#include "server/stream_session.h"

#include <gtest/gtest.h>

#include <random>

#include "base/testing/fake_loop.h"
#include "event/encoding.h"
#include "port/testing/empty_store.h"
#include "runlog/testing/inline_store.h"
#include "server/stream_hub.h"
#include "server/testing/fake_exchange.h"
#include "wire/sse.h"

namespace braidlog {
namespace {

using testing::FakeExchange;

// Two frames per text delta, so that a resume can be cut inside an event.
class TestDialect final : public Dialect {
 public:
  std::string_view name() const override { return "test"; }
  std::span<const Route> routes() const override { return {}; }
  HttpResponse error(const Error&, RequestId) const override { return HttpResponse::empty(500); }
  bool owns_path(std::string_view) const override { return false; }
  char part_mark() const override { return 't'; }
  std::unique_ptr<Projection> make_projection(RunId) const override { return std::make_unique<TestProjection>(); }

 private:
  struct TestProjection final : Projection {
    void project(const RunEvent& event, Frames& out) override {
      const auto* delta = std::get_if<TextDelta>(&event.body);
      if (delta == nullptr && !is_terminal(event.body)) return;
      for (std::uint32_t part = 0; part < 2; ++part) {
        const std::string id = std::to_string(event.sequence.value) + "." + std::to_string(part);
        append_frame(out.bytes, "", id, delta ? "\"" + delta->text + "\"" : "\"end\"");
        out.mark({event.sequence, part});
      }
    }
  };
};

class MemoryStore final : public testing::EmptyStore {
 public:
  std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) override {
    if (fenced) return std::vector<Result<WriteOutcome>>(writes.size(), fail(ErrorCode::kFenced, "not yours"));
    for (const auto& write : writes) {
      if (const auto& sealed = std::get<Append>(write).sealed) records = *sealed;
    }
    return std::vector<Result<WriteOutcome>>(writes.size(), WriteOutcome{});
  }
  Result<std::unique_ptr<StoreReader>> open_reader() override {
    return std::unique_ptr<StoreReader>(std::make_unique<Reader>(*this));
  }
  std::string records;
  int reads = 0;
  bool fenced = false;

 private:
  struct Reader final : testing::EmptyReader {
    explicit Reader(MemoryStore& s) : store(s) {}
    Result<std::string> records(RunId id) override {
      ++store.reads;
      return store.records.empty() ? testing::EmptyReader::records(id) : Result<std::string>(store.records);
    }
    MemoryStore& store;
  };
};

class StreamTest : public ::testing::Test {
 protected:
  StreamTest() {
    std::string records;
    append_record(records, {{1}, {1000}, 0, RunQueued{}});
    append_record(records, {{2}, {1000}, 0, RunStarted{}});
    EXPECT_TRUE(log_.open(id_, 1, std::move(records)).has_value());
  }
  void say(std::string text) { append(TextDelta{1, 1, std::move(text)}, RunStatus::kRunning); }
  void end() { append(RunCompleted{}, RunStatus::kCompleted); }
  void append(RunEventBody body, RunStatus status) {
    auto& run = log_.writer(id_);
    log_.effects(run).status = status;
    log_.append(run, {{{++last_}, {1000}, 0, std::move(body)}}, {});
    loop_.run_ready();
  }
  std::shared_ptr<FakeExchange> watch(std::optional<EventId> after = {}, std::size_t room = ~std::size_t{0}) {
    auto exchange = std::make_shared<FakeExchange>(loop_);
    exchange->room = room;
    hub_.open({.exchange = exchange, .dialect = &dialect_, .run_id = id_, .after = after});
    loop_.run_ready();
    return exchange;
  }
  // What an undisturbed viewer sees of the whole run.
  std::string whole() { return watch()->received; }

  testing::FakeClock clock_;
  testing::FakeLoop loop_{clock_};
  MemoryStore store_;
  testing::InlineStore access_{store_, loop_};
  RunLog log_{loop_, access_};
  Limits limits_;
  StreamHub hub_{loop_, log_, access_, limits_};
  TestDialect dialect_;
  RunId id_{Id128{{1}}};
  std::uint64_t last_ = 2;
};

TEST_F(StreamTest, HeadAtOnceThenTheLiveTailThenACleanEnd) {
  auto viewer = watch();
  EXPECT_EQ(viewer->responded.status, 200);
  EXPECT_EQ(viewer->received, "");
  say("a");
  EXPECT_NE(viewer->received.find("\"a\""), std::string::npos);
  EXPECT_FALSE(viewer->finished);
  end();
  EXPECT_TRUE(viewer->finished);
  EXPECT_EQ(viewer->received, whole());
}

TEST_F(StreamTest, ResumeAfterEveryFrameGivesExactlyTheRest) {
  for (int i = 0; i < 20; ++i) say(std::to_string(i));
  end();
  const std::string all = whole();
  for (std::uint64_t sequence = 3; sequence <= last_; ++sequence) {
    for (std::uint32_t part = 0; part < 2; ++part) {
      const auto rest = watch(EventId{id_, {sequence}, FramePart{'t', part}});
      const std::string mark = "id: " + std::to_string(sequence) + "." + std::to_string(part) + "\n";
      const auto cut = all.find("\n\n", all.find(mark)) + 2;
      if (cut == all.size()) {
        EXPECT_EQ(rest->responded.status, 204);
      } else {
        EXPECT_EQ(rest->received, all.substr(cut)) << sequence << "." << part;
      }
    }
    const auto cut = all.find("\n\n", all.find("id: " + std::to_string(sequence) + ".1\n")) + 2;
    EXPECT_EQ(watch(EventId{id_, {sequence}, {}})->received, all.substr(cut));
    EXPECT_EQ(watch(EventId{id_, {sequence}, FramePart{'o', 0}})->received, all.substr(cut))
        << "another contract's part means the whole event";
  }
}

TEST_F(StreamTest, AnIdOfAnotherRunOrFromTheFutureReplaysFromTheStart) {
  say("a");
  end();
  EXPECT_EQ(watch(EventId{RunId{Id128{{9}}}, {3}, {}})->received, whole());
  EXPECT_EQ(watch(EventId{id_, {999}, {}})->received, whole());
}

TEST_F(StreamTest, AStalledViewerIsBoundedAndMissesNothing) {
  auto slow = watch({}, 10);
  auto fast = watch();
  for (int i = 0; i < 3000; ++i) say(std::string(100, 'x'));
  EXPECT_LE(slow->most_unsent, limits_.stream_buffer_bytes_max);
  end();
  EXPECT_TRUE(fast->finished);
  EXPECT_FALSE(slow->finished);
  for (int i = 0; i < 100'000 && !slow->finished; ++i) {
    slow->let_read(10'000);
    loop_.run_ready();
  }
  EXPECT_TRUE(slow->finished);
  EXPECT_EQ(slow->received, fast->received);
  EXPECT_LE(slow->most_unsent, limits_.stream_buffer_bytes_max);
}

TEST_F(StreamTest, AnEventThatCannotBeReadCutsTheStreamOrIsAnError) {
  say("a");
  say("b");
  end();
  // One byte of content, and no event has type 200.
  std::string sealed = store_.records;
  const std::size_t end_length = [&] {
    std::string_view rest = sealed;
    while (!is_terminal_record(rest)) rest.remove_prefix(*record_length(rest));
    return rest.size();
  }();
  store_.records =
      sealed.substr(0, sealed.size() - end_length) + "\x01\xc8" + sealed.substr(sealed.size() - end_length);
  auto cut = watch();
  EXPECT_EQ(cut->responded.status, 200);
  EXPECT_NE(cut->received.find("\"b\""), std::string::npos);
  EXPECT_TRUE(cut->aborted) << "it must not look complete";
  EXPECT_EQ(watch(EventId{id_, {4}, {}})->responded.status, 500) << "nothing was sent yet";
}

TEST_F(StreamTest, ViewersOfAFinishedRunShareOneCopy) {
  for (int i = 0; i < 100; ++i) say(std::string(100, 'z'));
  end();
  std::vector<std::shared_ptr<FakeExchange>> viewers;
  for (int i = 0; i < 20; ++i) viewers.push_back(watch({}, 10));
  EXPECT_EQ(store_.reads, 1);
  for (auto& viewer : viewers) viewer->disconnect();
  loop_.run_ready();
  watch();
  EXPECT_EQ(store_.reads, 2) << "nothing is kept when nobody watches";
}

TEST_F(StreamTest, AResumeAtTheEndOfALongRunYieldsOnTheWay) {
  for (int i = 0; i < 12'000; ++i) say("x");
  auto exchange = std::make_shared<FakeExchange>(loop_);
  hub_.open({.exchange = exchange, .dialect = &dialect_, .run_id = id_, .after = EventId{id_, {last_}, {}}});
  EXPECT_EQ(exchange->responded.headers.size(), 0u) << "the whole log was read in one task";
  loop_.run_ready();
  EXPECT_EQ(exchange->responded.status, 200);
  say("new");
  EXPECT_NE(exchange->received.find("new"), std::string::npos);
}

TEST_F(StreamTest, ACommitLargerThanTheBufferReachesAViewerOnce) {
  auto first = watch();
  auto second = watch();
  for (int round = 0; round < 3; ++round) {
    std::vector<RunEvent> burst;
    for (int i = 0; i < 2000; ++i) burst.push_back({{++last_}, {1000}, 0, TextDelta{1, 1, std::string(60, 'y')}});
    log_.append(log_.writer(id_), burst, {});
    loop_.run_ready();
  }
  end();
  EXPECT_TRUE(first->finished && second->finished);
  EXPECT_EQ(first->received, whole());
  EXPECT_EQ(second->received, whole());
}

TEST_F(StreamTest, ViewersComeAndGoWithoutEffect) {
  std::mt19937 random(5);
  std::vector<std::shared_ptr<FakeExchange>> viewers;
  for (int i = 0; i < 500; ++i) {
    say(std::to_string(i));
    if (random() % 2) viewers.push_back(watch());
    if (!viewers.empty() && random() % 3 == 0) viewers[random() % viewers.size()]->disconnect();
    loop_.run_ready();
  }
  end();
  const std::string all = whole();
  for (const auto& viewer : viewers) {
    if (viewer->finished) EXPECT_EQ(viewer->received, all);
    EXPECT_TRUE(all.starts_with(viewer->received));
  }
}

TEST_F(StreamTest, StoppingCutsEveryStreamUncleanly) {
  auto viewer = watch();
  hub_.abort_all();
  loop_.run_ready();
  EXPECT_TRUE(viewer->aborted);
  EXPECT_FALSE(viewer->finished);
}

TEST_F(StreamTest, ViewersOfARunWithAnotherOwnerAreCutUncleanly) {
  auto tail = watch();
  auto slow = watch({}, 0);
  store_.fenced = true;
  say("never shown");
  EXPECT_TRUE(tail->aborted);
  EXPECT_EQ(tail->received, "");
  slow->let_read(100'000);
  loop_.run_ready();
  EXPECT_TRUE(slow->aborted);
}

TEST_F(StreamTest, ARunThatCannotBeReadIsAnError) {
  auto exchange = std::make_shared<FakeExchange>(loop_);
  hub_.open({.exchange = exchange, .dialect = &dialect_, .run_id = RunId{Id128{{7}}}});
  loop_.run_ready();
  EXPECT_EQ(exchange->responded.status, 500);
}

}  // namespace
}  // namespace braidlog
