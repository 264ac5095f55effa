#include "dialect/testing/golden.h"

#include <map>

#include "dialect/chat/routes.h"
#include "dialect/testing/position_checks.h"
#include "dialect/testing/random_log.h"
#include "wire/sse.h"

namespace braidlog::chat {
namespace {

const auto kFolder = testing::golden_folder("chat");

class ChatGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(ChatGolden, FramesAreAsRecorded) {
  testing::check_golden(ChatDialect(), kFolder, GetParam());
}

TEST_P(ChatGolden, AClientCanBeCutOffAnywhere) {
  testing::check_positions(ChatDialect(), testing::golden_events(kFolder, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, ChatGolden, ::testing::ValuesIn(testing::golden_names(kFolder)),
                         [](const auto& info) { return info.param; });

// What a client of the contract may rely on, for the runs of every contract: a start first, each call begun and ended
// once with its arguments in between, one last event and nothing after it.
class LegalStream {
 public:
  void take(const SseView& event) {
    const auto data = parse_json(event.data);
    ASSERT_TRUE(data) << event.data;
    ASSERT_FALSE(over_) << event.type << " after the end";
    ASSERT_EQ(event.type == "stream_start", !begun_) << event.type;
    ASSERT_LT(last_id_, event.last_id);
    begun_ = true;
    last_id_ = event.last_id;
    if (event.type.starts_with("tool_call_")) return take_call(event.type, data->get_object());
    if (event.type == "message_delta") EXPECT_FALSE(data->at("delta").as_string().empty());
    over_ = event.type == "stream_end" || event.type == "error";
    EXPECT_TRUE(over_ || event.type == "stream_start" || event.type == "message_delta") << event.type;
  }
  void end() const {
    EXPECT_TRUE(over_);
    EXPECT_TRUE(open_.empty());
  }

 private:
  void take_call(std::string_view type, const json::object& data) {
    const std::string id(data.at("tool_call_id").as_string());
    if (type == "tool_call_start") {
      EXPECT_TRUE(open_.emplace(id, "").second);
      return;
    }
    ASSERT_TRUE(open_.contains(id)) << type;
    if (type == "tool_call_args") {
      open_[id] += data.at("args_delta").as_string();
      return;
    }
    EXPECT_EQ(type, "tool_call_end");
    if (data.at("status").as_string() == "success") EXPECT_TRUE(parse_json(open_[id])) << open_[id];
    open_.erase(id);
  }

  bool begun_ = false, over_ = false;
  std::string last_id_;
  std::map<std::string, std::string> open_;  // calls, with their arguments so far
};

TEST(ChatGoldenRuns, AnyLogCanBeCutOffAnywhere) {
  EXPECT_TRUE(rc::check([] { testing::check_positions(ChatDialect(), testing::random_log()); }));
}

TEST(ChatGoldenRuns, ARunOfAnyContractIsALegalStream) {
  std::size_t runs = 0;
  for (const auto& folder : std::filesystem::directory_iterator(kFolder.parent_path().parent_path())) {
    if (!std::filesystem::is_directory(folder.path() / "testdata")) continue;
    for (const auto& name : testing::golden_names(folder.path() / "testdata")) {
      SCOPED_TRACE(folder.path().filename().string() + "/" + name);
      const auto projection = ChatDialect().make_projection(testing::kGoldenRun);
      const auto events = testing::golden_events(folder.path() / "testdata", name);
      LegalStream stream;
      SseReader reader(1 << 24);
      reader.feed(testing::project_all(*projection, events).bytes, [&](const SseView& e) { stream.take(e); });
      stream.end();
      ++runs;
    }
  }
  EXPECT_GT(runs, 20u);
}

}  // namespace
}  // namespace braidlog::chat
