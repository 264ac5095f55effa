#include "dialect/testing/golden.h"

#include <rapidcheck.h>

#include <optional>

#include "dialect/tasks/routes.h"
#include "dialect/testing/position_checks.h"
#include "dialect/testing/random_log.h"
#include "wire/sse.h"

namespace braidlog::tasks {
namespace {

const auto kFolder = testing::golden_folder("tasks");

Frames frames_of(const std::vector<RunEvent>& events) {
  return testing::project_all(*TasksDialect().make_projection(testing::kGoldenRun), events);
}

class TasksGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(TasksGolden, FramesAreAsRecorded) {
  testing::check_golden(TasksDialect(), kFolder, GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, TasksGolden, ::testing::ValuesIn(testing::golden_names(kFolder)),
                         [](const auto& info) { return info.param; });

// Nobody resumes by an id here, but a viewer that is slow does by position: the frames must have places in order, and
// what is shown of a run must not depend on what comes later.
void check_places(const std::vector<RunEvent>& events) {
  const Frames whole = frames_of(events);
  const auto frames = testing::split(whole);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (i > 0) EXPECT_LT(whole.marks[i - 1].position, whole.marks[i].position);
    std::vector<SseEvent> read;
    SseReader reader(frames[i].size());
    EXPECT_TRUE(reader.feed(frames[i], [&](SseEvent&& event) { read.push_back(std::move(event)); }));
    ASSERT_EQ(read.size(), 1u) << frames[i];
    EXPECT_EQ(read[0].last_id, "");
    const auto data = parse_json(read[0].data);
    ASSERT_TRUE(data) << frames[i];
    EXPECT_EQ(data->at("type").as_string(), read[0].type);
  }
  for (std::size_t count = 0; count < events.size(); ++count) {
    const Frames begin = frames_of({events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count)});
    EXPECT_EQ(whole.bytes.substr(0, begin.bytes.size()), begin.bytes) << "after " << count << " events";
  }
}

TEST_P(TasksGolden, FramesStandInOrder) {
  check_places(testing::golden_events(kFolder, GetParam()));
}

TEST(TasksFrames, OfAnyLogStandInOrder) {
  EXPECT_TRUE(rc::check([] {
    auto events = testing::random_log();
    std::get<RunQueued>(events[0].body).way = *rc::gen::element(Way::kConverse, Way::kExecute);
    check_places(events);
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

// What a client of the contract may rely on, for the runs of every contract:
//
//   chat      (content | tasks_updated)* (done | error)
//   execution (task_selected (tool_call | artifact_created | data_modified | tool_result)* [error] task_completed
//             reflection)* (done | error)
class LegalStream {
 public:
  void take(const SseView& event) {
    const auto parsed = parse_json(event.data);
    ASSERT_TRUE(parsed) << event.data;
    const auto& data = parsed->get_object();
    ASSERT_EQ(data.begin()->key(), "type");
    ASSERT_FALSE(over_) << event.type << " after the end";
    const auto* task = data.if_contains("taskId");
    if (event.type == "done" || (event.type == "error" && task == nullptr)) {
      over_ = true;
      EXPECT_TRUE(event.type == "error" || (!task_ && open_calls_ == 0)) << "done inside a task";
      return;
    }
    if (event.type == "content" || event.type == "tasks_updated") {
      EXPECT_FALSE(executes_);
      return;
    }
    executes_ = true;
    ASSERT_NE(task, nullptr) << event.data;
    take_of_task(event.type, std::string(task->as_string()));
  }
  void end() const { EXPECT_TRUE(over_); }

 private:
  void take_of_task(std::string_view type, const std::string& task) {
    if (type == "task_selected") {
      EXPECT_FALSE(task_ || reflects_on_);
      task_ = task;
      return;
    }
    if (type == "reflection") {
      EXPECT_EQ(reflects_on_, task);
      reflects_on_.reset();
      return;
    }
    EXPECT_EQ(task_, task) << type;
    if (type == "task_completed") {
      EXPECT_EQ(open_calls_, 0);
      reflects_on_ = std::exchange(task_, std::nullopt);
    } else if (type == "tool_call") {
      EXPECT_EQ(++open_calls_, 1) << "one after the other";
    } else if (type == "tool_result") {
      EXPECT_GE(--open_calls_, 0);
    } else if (type == "artifact_created" || type == "data_modified") {
      EXPECT_EQ(open_calls_, 1);
    } else {
      EXPECT_EQ(type, "error");
    }
  }

  bool over_ = false, executes_ = false;
  int open_calls_ = 0;
  std::optional<std::string> task_, reflects_on_;
};

TEST(TasksFrames, ARunOfAnyContractIsALegalStream) {
  std::size_t runs = 0;
  for (const auto& folder : std::filesystem::directory_iterator(kFolder.parent_path().parent_path())) {
    if (!std::filesystem::is_directory(folder.path() / "testdata")) continue;
    for (const auto& name : testing::golden_names(folder.path() / "testdata")) {
      SCOPED_TRACE(folder.path().filename().string() + "/" + name);
      LegalStream stream;
      SseReader reader(1 << 24);
      const auto frames = frames_of(testing::golden_events(folder.path() / "testdata", name));
      reader.feed(frames.bytes, [&](const SseView& e) { stream.take(e); });
      stream.end();
      ++runs;
    }
  }
  EXPECT_GT(runs, 30u);
}

}  // namespace
}  // namespace braidlog::tasks
