// Streams and answers that show the conversation at the end of a run: the messages are read when the end comes, and
// nothing is lost or repeated while they are.
#include <gtest/gtest.h>

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

// Every event is a frame; the last one has two, of which the first shows the messages.
class HistoryDialect final : public Dialect {
 public:
  std::string_view name() const override { return "history"; }
  std::span<const Route> routes() const override { return {}; }
  HttpResponse error(const Error& error, RequestId) const override {
    return HttpResponse::json(error.code == ErrorCode::kUnavailable ? 503 : 500, "{}");
  }
  bool owns_path(std::string_view) const override { return false; }
  char part_mark() const override { return 'h'; }
  std::unique_ptr<Projection> make_projection(RunId) const override { return std::make_unique<Shown>(); }

 private:
  struct Shown final : Projection {
    std::optional<HistoryNeed> needs_history(const RunEvent& event) const override {
      const auto* end = std::get_if<RunCompleted>(&event.body);
      return end ? std::optional(HistoryNeed{{}, end->message_position}) : std::nullopt;
    }
    void take_history(std::shared_ptr<const api::SessionView> given) override { view = std::move(given); }
    void project(const RunEvent& event, Frames& out) override {
      const std::string id = std::to_string(event.sequence.value);
      std::string data = "{}";
      if (is_terminal(event.body)) {
        ASSERT_TRUE(view);
        data = "\"";
        for (const auto& message : view->messages) data += message.content + ";";
        data += '"';
      }
      append_frame(out.bytes, "", id, data);
      out.mark({event.sequence, 0});
      if (!is_terminal(event.body)) return;
      append_frame(out.bytes, "", id + ".1", "\"done\"");
      out.mark({event.sequence, 1});
    }
    std::shared_ptr<const api::SessionView> view;
  };
};

class MessageStore final : public testing::EmptyStore {
 public:
  Result<std::unique_ptr<StoreReader>> open_reader() override {
    return std::unique_ptr<StoreReader>(std::make_unique<Reader>(*this));
  }
  std::vector<std::string> messages;
  int reads = 0;

 private:
  struct Reader final : testing::EmptyReader {
    explicit Reader(MessageStore& s) : store(s) {}
    Result<std::vector<api::Message>> messages(SessionId, std::uint64_t count_max) override {
      ++store.reads;
      std::vector<api::Message> found;
      for (const auto& text : store.messages) {
        if (found.size() < count_max) found.push_back({{}, "user", text, {}, {}, {}});
      }
      return found;
    }
    MessageStore& store;
  };
};

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() {
    std::string records;
    append_record(records, {{1}, {1000}, 0, RunQueued{}});
    RunStarted started;
    started.message_position = 1;
    append_record(records, {{2}, {1000}, 0, started});
    EXPECT_TRUE(log_.open(id_, 1, std::move(records)).has_value());
    records_ = log_.find(id_);  // as a viewer of a finished run keeps them
  }
  void say(std::string text) { append(TextDelta{1, 1, std::move(text)}, RunStatus::kRunning); }
  void end() {
    store_.messages = {"question", "answer", "of a later turn"};
    append(RunCompleted{.message_position = 2}, RunStatus::kCompleted);
  }
  void append(RunEventBody body, RunStatus status) {
    auto& run = log_.writer(id_);
    log_.effects(run).status = status;
    log_.append(run, {{{++last_}, {1000}, 0, std::move(body)}}, {});
  }
  std::shared_ptr<FakeExchange> watch(std::optional<EventId> after = {}) {
    auto exchange = std::make_shared<FakeExchange>(loop_);
    hub_.open({.exchange = exchange, .dialect = &dialect_, .run_id = id_, .after = after});
    loop_.run_ready();
    return exchange;
  }
  std::shared_ptr<FakeExchange> wait() {
    auto exchange = std::make_shared<FakeExchange>(loop_);
    StreamHub::Request request{.exchange = exchange, .dialect = &dialect_, .run_id = id_};
    request.role = ViewerRole::kClient;
    hub_.wait(std::move(request), [](const RunState& state, const api::SessionView& view) {
      return HttpResponse::json(200, state.text + "/" + std::to_string(view.messages.size()));
    });
    loop_.run_ready();
    return exchange;
  }

  testing::FakeClock clock_;
  testing::FakeLoop loop_{clock_};
  MessageStore store_;
  testing::InlineStore access_{store_, loop_};
  RunLog log_{loop_, access_};
  Limits limits_;
  int stopped_ = 0;
  StreamHub hub_{loop_, log_, access_, limits_, [this](RunId, const api::Caller&) { ++stopped_; }};
  HistoryDialect dialect_;
  RunId id_{Id128{{1}}};
  std::uint64_t last_ = 2;
  std::shared_ptr<RunRecords> records_;
};

TEST_F(HistoryTest, TheEndShowsTheMessagesUpToIt) {
  auto one = watch(), two = watch();
  say("a");
  end();
  loop_.run_ready();
  EXPECT_TRUE(one->finished);
  EXPECT_TRUE(one->received.ends_with("id: 4\ndata: \"question;answer;\"\n\nid: 4.1\ndata: \"done\"\n\n"))
      << one->received;
  EXPECT_EQ(one->received, two->received);
  EXPECT_EQ(store_.reads, 1) << "once for all viewers of the live tail";
}

// All feeds of a thread read their events into the same memory.
TEST_F(HistoryTest, AnotherRunMaySpeakWhileTheyAreRead) {
  auto viewer = watch();
  const RunId other{Id128{{2}}};
  std::string records;
  append_record(records, {{1}, {1000}, 0, RunQueued{}});
  append_record(records, {{2}, {1000}, 0, RunStarted{}});
  ASSERT_TRUE(log_.open(other, 1, std::move(records)).has_value());
  auto other_viewer = std::make_shared<FakeExchange>(loop_);
  hub_.open({.exchange = other_viewer, .dialect = &dialect_, .run_id = other});
  loop_.run_ready();
  access_.holds_reads = true;
  end();
  loop_.run_ready();
  log_.append(log_.writer(other), {{{3}, {1000}, 0, TextDelta{1, 1, "of the other run"}}}, {});
  loop_.run_ready();
  EXPECT_TRUE(other_viewer->received.ends_with("id: 3\ndata: {}\n\n"));
  access_.release_reads();
  loop_.run_ready();
  EXPECT_TRUE(viewer->finished);
  EXPECT_TRUE(viewer->received.ends_with("id: 3\ndata: \"question;answer;\"\n\nid: 3.1\ndata: \"done\"\n\n"))
      << viewer->received;
}

TEST_F(HistoryTest, AViewerThatGoesWhileTheyAreReadIsNotMissed) {
  auto viewer = watch();
  end();
  while (store_.reads == 0 && loop_.run_one()) {
  }
  viewer->disconnect();
  loop_.run_ready();
  EXPECT_FALSE(viewer->finished);
}

TEST_F(HistoryTest, MessagesThatCannotBeReadEndTheStreamUncleanly) {
  auto viewer = watch();
  append(RunCompleted{.message_position = 2}, RunStatus::kCompleted);  // the session was deleted meanwhile
  loop_.run_ready();
  EXPECT_TRUE(viewer->aborted);
  EXPECT_FALSE(viewer->finished);
}

TEST_F(HistoryTest, AnAnswerComesWhenTheRunIsOver) {
  auto client = wait();
  say("hi");
  loop_.run_ready();
  EXPECT_EQ(client->responses, 0);
  end();
  loop_.run_ready();
  EXPECT_EQ(client->responses, 1);
  EXPECT_EQ(client->responded.body, "hi/2");
  client->disconnect();
  EXPECT_EQ(stopped_, 0) << "the run was over before";
}

TEST_F(HistoryTest, ARunThatGaveNoAnswerIsToldWithoutThePast) {
  const auto exchange = wait();
  say("half");
  append(RunInterrupted{"session_deleted"}, RunStatus::kInterrupted);  // and with it go the messages
  loop_.run_ready();
  EXPECT_EQ(exchange->responses, 1);
  EXPECT_EQ(exchange->responded.status, 200);
  EXPECT_EQ(exchange->responded.body, "half/0");
  EXPECT_EQ(store_.reads, 0);
}

TEST_F(HistoryTest, AClientThatDoesNotWaitStopsTheRun) {
  auto client = wait();
  client->disconnect();
  loop_.run_ready();
  EXPECT_EQ(stopped_, 1);
  end();
  loop_.run_ready();
  EXPECT_EQ(client->responses, 0);
}

TEST_F(HistoryTest, StreamsEndWithTheirCredential) {
  auto exchange = std::make_shared<FakeExchange>(loop_);
  StreamHub::Request request{.exchange = exchange, .dialect = &dialect_, .run_id = id_};
  request.caller.credential = "cookie-1";
  hub_.open(std::move(request));
  auto other = watch();
  loop_.run_ready();
  auto asked = std::make_shared<FakeExchange>(loop_);
  StreamHub::Request question{.exchange = asked, .dialect = &dialect_, .run_id = id_};
  question.caller.credential = "cookie-1";
  hub_.wait(std::move(question), [](const RunState&, const api::SessionView&) { return HttpResponse::empty(200); });
  hub_.end_streams("cookie-1");
  EXPECT_TRUE(exchange->aborted);
  EXPECT_TRUE(asked->aborted);
  EXPECT_FALSE(other->aborted);
}

}  // namespace
}  // namespace braidlog
