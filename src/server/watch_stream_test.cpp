#include "server/watch_stream.h"

#include "dialect/log/routes.h"
#include "dialect/testing/fake_service.h"
#include "server/testing/fake_exchange.h"
#include "server/testing/watched_runs.h"
#include "server/watch_hub.h"
#include "wire/sse.h"

namespace braidlog {
namespace {

using testing::FakeExchange;

class WatchStreamTest : public testing::WatchedRuns {
 protected:
  WatchStreamTest() {
    service_.reply<api::GetRun>(api::Run{});
    std::vector<WatchHub::Thread> parts;
    for (auto& thread : threads_) parts.push_back({thread->host, service_, thread->source});
    hubs_ = WatchHub::make_all(parts, *shards_, limits_);
  }

  struct Options {
    unsigned thread = 0;
    std::size_t room = ~std::size_t{0};
    bool notices = false, everybody = false;
    api::Caller caller{"ann"};
  };
  static OpenWatch::Watch log_of_run(RunId id, std::optional<std::uint64_t> after = {}) {
    OpenWatch::Watch watch{"log", to_prefixed(id), id, {}};
    if (after) watch.after = EventId{id, {*after}, {}};
    return watch;
  }
  std::shared_ptr<FakeExchange> open(std::vector<OpenWatch::Watch> watches, const Options& options) {
    auto exchange = std::make_shared<FakeExchange>(threads_[options.thread]->loop);
    exchange->room = options.room;
    WatchStream::Setup setup{.exchange = exchange};
    setup.caller = options.caller;
    setup.views.assign(watches.size(), &log_);
    setup.open = {std::move(watches), options.notices, options.everybody};
    hubs_[options.thread]->open(std::move(setup));
    settle();
    return exchange;
  }
  std::shared_ptr<FakeExchange> open(std::vector<OpenWatch::Watch> watches) { return open(std::move(watches), {}); }

  // type -> its data, in the order of the stream.
  static std::vector<SseEvent> events_of(const FakeExchange& exchange) {
    std::vector<SseEvent> events;
    SseReader reader(1 << 20);
    EXPECT_TRUE(reader.feed(exchange.received, [&](SseEvent event) { events.push_back(std::move(event)); }));
    return events;
  }
  static std::vector<std::string> types_of(const FakeExchange& exchange, std::string_view beginning = "") {
    std::vector<std::string> types;
    for (const auto& event : events_of(exchange)) {
      if (event.type.starts_with(beginning)) types.push_back(event.type);
    }
    return types;
  }
  // The sequences that came for a run, in their order.
  static std::vector<std::uint64_t> sequences_of(const FakeExchange& exchange, RunId id) {
    std::vector<std::uint64_t> sequences;
    for (const auto& event : events_of(exchange)) {
      if (event.type == "log " + to_prefixed(id)) sequences.push_back(parse_event_id(event.last_id)->sequence.value);
    }
    return sequences;
  }
  static std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> all;
    for (auto i = first; i <= last; ++i) all.push_back(i);
    return all;
  }

  const LogDialect log_;
  testing::FakeService service_;
  std::vector<std::unique_ptr<WatchHub>> hubs_;
};

TEST_F(WatchStreamTest, ShowsRunsOfAllThreadsInOneStream) {
  const auto [one, two] = begin_apart();
  auto page = open({log_of_run(one), log_of_run(two)});
  EXPECT_EQ(page->responded.status, 200);
  EXPECT_EQ(events_of(*page).at(0).type, "hello");
  EXPECT_EQ(types_of(*page, "caught-up ").size(), 2u);
  say(one, "a");
  say(two, "b");
  end(one);
  say(two, "c");
  EXPECT_EQ(sequences_of(*page, one), from_to(1, 4));
  EXPECT_EQ(sequences_of(*page, two), from_to(1, 4));
  EXPECT_EQ(types_of(*page, "over "), std::vector<std::string>{"over " + to_prefixed(one)});
  end(two);
  EXPECT_EQ(types_of(*page, "over ").size(), 2u);
  EXPECT_FALSE(page->finished || page->aborted) << "it does not end by itself";
}

TEST_F(WatchStreamTest, TheSameRunCanBeWatchedTwice) {
  const RunId id = begin(1);
  auto page = open({log_of_run(id), log_of_run(id, 1)});
  EXPECT_EQ(sequences_of(*page, id), (std::vector<std::uint64_t>{1, 2, 2}));
}

TEST_F(WatchStreamTest, GoesOnWhereTheClientWas) {
  const auto [one, two] = begin_apart();
  for (int i = 0; i < 10; ++i) say(one, "x");
  auto page = open({log_of_run(one, 7), log_of_run(two, 2)});
  EXPECT_EQ(sequences_of(*page, one), from_to(8, 12));
  EXPECT_EQ(sequences_of(*page, two), from_to(1, 0));
  EXPECT_EQ(types_of(*page, "caught-up ").size(), 2u);
}

TEST_F(WatchStreamTest, WhatMayNotBeSeenIsRefusedAndTheRestGoesOn) {
  const RunId id = begin(1);
  auto page = open({OpenWatch::Watch{"log", "nonsense", {}, {}}, log_of_run(id)});
  EXPECT_EQ(types_of(*page, "refused "), std::vector<std::string>{"refused nonsense"});
  EXPECT_EQ(sequences_of(*page, id), from_to(1, 2));
  service_.reply<api::GetRun>(fail(ErrorCode::kRunNotFound, "Run not found"));
  auto foreign = open({log_of_run(id)});
  EXPECT_EQ(types_of(*foreign), (std::vector<std::string>{"hello", "refused " + to_prefixed(id)}));
  say(id, "not for them");
  EXPECT_EQ(types_of(*foreign).size(), 2u);
}

TEST_F(WatchStreamTest, ARunPastRetentionIsRefused) {
  api::Run expired;
  expired.replayable = false;
  service_.reply<api::GetRun>(expired);
  auto page = open({log_of_run(begin(1))});
  EXPECT_NE(page->received.find("\"status\":410,\"error\":\"The events of this run are gone\""), std::string::npos)
      << page->received;
}

TEST_F(WatchStreamTest, ASlowPageIsBoundedAndMissesNothing) {
  const auto [one, two] = begin_apart();
  auto page = open({log_of_run(one), log_of_run(two)}, {.room = 10});
  for (int i = 0; i < 2000; ++i) {
    say(one, std::string(100, 'x'));
    say(two, std::string(100, 'y'));
  }
  EXPECT_LE(page->most_unsent, 40u * 1024);
  end(one);
  end(two);
  for (int i = 0; i < 100'000 && types_of(*page, "over ").size() < 2; ++i) {
    page->let_read(50'000);
    settle();
  }
  EXPECT_EQ(sequences_of(*page, one), from_to(1, last_[one]));
  EXPECT_EQ(sequences_of(*page, two), from_to(1, last_[two]));
  EXPECT_LE(page->most_unsent, 40u * 1024);
}

TEST_F(WatchStreamTest, ARunWithAnotherOwnerCutsTheStream) {
  const auto [one, two] = begin_apart();
  auto page = open({log_of_run(one), log_of_run(two)});
  store_.fenced = true;
  say(two, "never shown");
  EXPECT_TRUE(page->aborted) << "the client comes back and is led to where it is";
}

TEST_F(WatchStreamTest, EndsWithItsCredentialAndWithTheServer) {
  const RunId id = begin(1);
  Options by_cookie{.thread = 1};
  by_cookie.caller.credential = "cookie-1";
  auto mine = open({log_of_run(id)}, by_cookie), other = open({log_of_run(id)});
  for (auto& hub : hubs_) hub->end_streams("cookie-1");
  settle();
  EXPECT_TRUE(mine->aborted);
  EXPECT_FALSE(other->aborted);
  for (auto& hub : hubs_) hub->abort_all();
  settle();
  EXPECT_TRUE(other->aborted);
  say(id, "to nobody");
}

TEST_F(WatchStreamTest, PagesComeAndGoWithoutATrace) {
  const auto [one, two] = begin_apart();
  end(one);
  for (int i = 0; i < 50; ++i) {
    auto page = open({log_of_run(one), log_of_run(two)}, {.thread = i % kThreads, .room = i % 3 == 0 ? 10u : 100'000u});
    say(two, "x");
    page->disconnect();
    settle();
  }
  EXPECT_EQ(store_.reads, 50) << "the finished run is let go each time";
  end(two);
}

class NoticesTest : public WatchStreamTest {
 protected:
  // "run running" and so on, of the notices.
  static std::vector<std::string> notices_of(const FakeExchange& exchange) {
    std::vector<std::string> notices;
    for (const auto& event : events_of(exchange)) {
      if (event.type == "missed") notices.push_back("missed");
      if (event.type != "changed") continue;
      const auto data = parse_json(event.data);
      notices.push_back(std::string(data->at("what").as_string()) + " " + std::string(data->at("status").as_string()));
    }
    return notices;
  }
  using Words = std::vector<std::string>;
};

TEST_F(NoticesTest, TellWhatListsShow) {
  auto page = open({}, {.notices = true});
  const RunId id = begin(1);
  EXPECT_EQ(notices_of(*page), Words{"run running"}) << "a run that has just begun";
  for (int i = 0; i < 10; ++i) say(id, "x");
  EXPECT_EQ(notices_of(*page).size(), 1u) << "what it says changes no list";
  RunEffects asks;
  asks.status = RunStatus::kWaitingApproval;
  asks.approvals_opened.emplace_back();
  append(id, InputRequested{}, asks);
  settle();
  RunEffects works;
  works.task_changes.emplace_back();
  works.artifacts.emplace_back();
  works.approvals_closed.emplace_back();
  append(id, InputGiven{}, works);
  settle();
  end(id);
  EXPECT_EQ(notices_of(*page),
            (Words{"run running", "run waiting_approval", "approvals waiting_approval", "run running",
                   "approvals running", "tasks running", "items running", "run completed"}));
  EXPECT_NE(page->received.find("\"run_id\":\"" + to_prefixed(id) + "\",\"session_id\":\"" +
                                to_prefixed(SessionId{id.value}) + "\""),
            std::string::npos)
      << page->received;
}

TEST_F(NoticesTest, AreForWhoOwnsTheRunOrForAnAdminWhoAsks) {
  auto not_asked = open({}, {});
  auto own = open({}, {.thread = 1, .notices = true});
  auto no_admin = open({}, {.notices = true, .everybody = true});
  auto admin = open({}, {.notices = true, .caller = {"ada", true}});
  auto everybody = open({}, {.thread = 1, .notices = true, .everybody = true, .caller = {"ada", true}});
  begin_apart("ann");
  begin(200, "bob");
  EXPECT_EQ(notices_of(*own).size(), 2u);
  EXPECT_EQ(notices_of(*no_admin).size(), 2u);
  EXPECT_EQ(notices_of(*everybody).size(), 3u);
  EXPECT_TRUE(notices_of(*admin).empty()) << "ada has no runs";
  EXPECT_TRUE(notices_of(*not_asked).empty());
}

TEST_F(NoticesTest, OfASlowPageAreFewAndTrue) {
  limits_.watch_notices_max = 4;
  auto page = open({}, {.room = 10, .notices = true});
  const RunId id = begin(1);
  for (int i = 0; i < 100; ++i) {
    RunEffects asks;
    asks.status = i % 2 ? RunStatus::kRunning : RunStatus::kWaitingApproval;
    append(id, TextDelta{1, 1, "x"}, asks);
    settle();
  }
  end(id);
  page->let_read(100'000);
  EXPECT_EQ(notices_of(*page), Words{"run completed"});
  page->let_read(0);
  begin(2);  // fills the socket
  for (unsigned char i = 3; i < 20; ++i) begin(i);
  page->let_read(100'000);
  EXPECT_EQ(notices_of(*page), (Words{"run completed", "run running", "missed"}));
}

}  // namespace
}  // namespace braidlog
