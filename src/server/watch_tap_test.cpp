#include "server/watch_tap.h"

#include "dialect/log/routes.h"
#include "server/testing/watched_runs.h"
#include "wire/sse.h"

namespace braidlog {
namespace {

// The frame of the end shows the messages of the session.
class HistoryView final : public Dialect {
 public:
  std::string_view name() const override { return "history"; }
  std::span<const Route> routes() const override { return {}; }
  HttpResponse error(const Error&, RequestId) const override { return HttpResponse::empty(500); }
  bool owns_path(std::string_view) const override { return false; }
  std::unique_ptr<Projection> make_projection(RunId) const override { return std::make_unique<Shown>(); }

 private:
  struct Shown final : Projection {
    std::optional<HistoryNeed> needs_history(const RunEvent& event) const override {
      const auto* end = std::get_if<RunCompleted>(&event.body);
      return end ? std::optional(HistoryNeed{{}, end->message_position}) : std::nullopt;
    }
    void take_history(std::shared_ptr<const api::SessionView> given) override { view = std::move(given); }
    void project(const RunEvent& event, Frames& out) override {
      std::string data = "\"";
      if (view) {
        for (const auto& message : view->messages) data += message.content + ";";
      }
      append_frame(out.bytes, "", std::to_string(event.sequence.value), data + "\"");
      out.mark({event.sequence, 0});
    }
    std::shared_ptr<const api::SessionView> view;
  };
};

class WatchTapTest : public testing::WatchedRuns {
 protected:
  void tap(RunId id, std::optional<EventId> after = {}, const Dialect* view = nullptr) {
    Thread& thread = *threads_[shards_->index_of(id)];
    tap_ = std::make_unique<WatchTap>(WatchTap::Setup{view ? view : &log_, {"view", "RUN"}, id, after}, thread.loop,
                                      thread.source, scratch_,
                                      [this](WatchBatch batch) { batches_.push_back(std::move(batch)); });
    tap_->start();
    settle();
  }
  void take_all() {
    for (std::size_t seen = 0; seen != batches_.size();) {
      seen = batches_.size();
      if (batches_.back().then != WatchBatch::Then::kMore) return;
      tap_->next();
      settle();
    }
  }
  std::string all() const {
    std::string bytes;
    for (const auto& batch : batches_) bytes += batch.bytes;
    return bytes;
  }

  const LogDialect log_;
  const HistoryView history_;
  Frames scratch_;
  std::vector<WatchBatch> batches_;
  std::unique_ptr<WatchTap> tap_;
};

TEST_F(WatchTapTest, EveryFrameHasTheNameOfTheWatch) {
  const RunId id = begin(1);
  tap(id);
  ASSERT_EQ(batches_.size(), 1u);
  EXPECT_TRUE(batches_[0].bytes.starts_with("event: view RUN\nid: evt_")) << batches_[0].bytes;
  EXPECT_NE(batches_[0].bytes.find("\n\nevent: view RUN\nid: evt_"), std::string::npos);
  EXPECT_TRUE(batches_[0].bytes.ends_with("event: caught-up RUN\ndata: {\"view\":\"view\"}\n\n"));
}

TEST_F(WatchTapTest, TheNextBatchWaitsUntilTheLastIsTaken) {
  const RunId id = begin(1);
  tap(id);
  for (int i = 0; i < 1000; ++i) say(id, std::string(1000, 'x'));
  EXPECT_EQ(batches_.size(), 1u) << "whatever the run says";
  tap_->next();
  settle();
  ASSERT_EQ(batches_.size(), 2u);
  EXPECT_GE(batches_[1].bytes.size(), 32u * 1024);
  EXPECT_LE(batches_[1].bytes.size(), 40u * 1024) << "a batch, not everything";
  take_all();
  EXPECT_GT(batches_.size(), 20u);
  EXPECT_EQ(all().find("event: caught-up"), all().rfind("event: caught-up")) << "only once";
}

TEST_F(WatchTapTest, ATakenBatchIsFollowedWhenThereIsMore) {
  const RunId id = begin(1);
  tap(id);
  tap_->next();
  settle();
  EXPECT_EQ(batches_.size(), 1u) << "there is nothing yet";
  say(id, "hello");
  ASSERT_EQ(batches_.size(), 2u);
  EXPECT_NE(batches_[1].bytes.find("\"hello\""), std::string::npos);
  tap_->next();
  end(id);
  ASSERT_EQ(batches_.size(), 3u);
  EXPECT_EQ(batches_[2].then, WatchBatch::Then::kOver);
  EXPECT_TRUE(batches_[2].bytes.ends_with("event: over RUN\ndata: {\"view\":\"view\"}\n\n")) << batches_[2].bytes;
}

TEST_F(WatchTapTest, AResumeGivesExactlyTheRest) {
  const RunId id = begin(1);
  for (int i = 0; i < 20; ++i) say(id, std::to_string(i));
  end(id);
  tap(id);
  take_all();
  const std::string whole = all();
  for (std::uint64_t sequence = 1; sequence <= last_[id]; ++sequence) {
    batches_.clear();
    tap(id, EventId{id, {sequence}, {}});
    take_all();
    std::string mark = "id: ";
    append_event_id(mark, {id, {sequence}, {}});
    EXPECT_EQ(all(), whole.substr(whole.find("\n\n", whole.find(mark)) + 2)) << sequence;
  }
}

TEST_F(WatchTapTest, ALongRunThatIsKnownYieldsOnTheWay) {
  const RunId id = begin(1);
  for (int i = 0; i < 10'000; ++i) append(id, TextDelta{1, 1, "x"});
  settle();
  tap(id, EventId{id, {last_[id]}, {}});
  EXPECT_EQ(all(), "event: caught-up RUN\ndata: {\"view\":\"view\"}\n\n");
}

TEST_F(WatchTapTest, ARunThatIsNotThereIsRefused) {
  tap(RunId{numbered(9)});
  EXPECT_EQ(all(), "event: refused RUN\ndata: {\"view\":\"view\",\"status\":404,\"error\":\"Run not found\"}\n\n");
  EXPECT_EQ(batches_.back().then, WatchBatch::Then::kOver);
}

TEST_F(WatchTapTest, AnEventThatCannotBeReadEndsTheWatchWithAnError) {
  const RunId id = begin(1);
  say(id, "a");
  end(id);
  store_.records[id] += "\x01\xc8";  // one byte of content, and no event has type 200
  tap(id);
  take_all();
  EXPECT_EQ(batches_.back().then, WatchBatch::Then::kOver);
  EXPECT_NE(all().find("event: refused RUN\ndata: {\"view\":\"view\",\"status\":503"), std::string::npos) << all();
  EXPECT_EQ(all().find("event: over"), std::string::npos) << "it must not look complete";
}

TEST_F(WatchTapTest, ARunWithAnotherOwnerCutsTheStream) {
  const RunId id = begin(1);
  tap(id);
  tap_->next();
  store_.fenced = true;
  say(id, "never shown");
  ASSERT_EQ(batches_.size(), 2u);
  EXPECT_EQ(batches_[1].then, WatchBatch::Then::kCut);
  EXPECT_EQ(batches_[1].bytes, "");
}

TEST_F(WatchTapTest, MessagesAreFetchedForTheFrameThatShowsThem) {
  const RunId id = begin(1);
  store_.messages = {"question", "answer", "of a later turn"};
  tap(id, {}, &history_);
  tap_->next();
  end(id, 2);
  take_all();
  EXPECT_NE(all().find("data: \"question;answer;\"\n\n"), std::string::npos) << all();
  EXPECT_TRUE(all().ends_with("event: over RUN\ndata: {\"view\":\"view\"}\n\n"));
}

TEST_F(WatchTapTest, MessagesThatCannotBeReadEndTheWatch) {
  const RunId id = begin(1);
  tap(id, {}, &history_);
  tap_->next();
  end(id, 2);  // the session was deleted meanwhile
  EXPECT_EQ(batches_.back().then, WatchBatch::Then::kOver);
  EXPECT_NE(batches_.back().bytes.find("\"status\":503"), std::string::npos) << batches_.back().bytes;
}

TEST_F(WatchTapTest, GoesAtAnyTimeAndLetsTheRunGo) {
  const RunId id = begin(1);
  tap(id);
  tap_->next();
  tap_.reset();
  say(id, "to nobody");
  end(id);
  tap(id);
  tap_.reset();
  tap(id);
  EXPECT_EQ(store_.reads, 2) << "nothing is kept when nobody watches";
  // While the run is being looked for.
  Thread& thread = *threads_[shards_->index_of(id)];
  tap_ = std::make_unique<WatchTap>(WatchTap::Setup{&log_, {"view", "RUN"}, RunId{numbered(9)}, {}}, thread.loop,
                                    thread.source, scratch_, [](WatchBatch) { FAIL(); });
  tap_->start();
  tap_.reset();
  settle();
}

}  // namespace
}  // namespace braidlog
