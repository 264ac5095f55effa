// Golden files: testdata/NAME.events.jsonl is a run's log, testdata/NAME.sse the frames that a dialect makes of it,
// byte for byte. A difference is a change of the contract. BRAIDLOG_UPDATE_GOLDEN=1 records the frames anew.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "dialect/dialect.h"
#include "event/encoding.h"

namespace braidlog::testing {

inline constexpr std::string_view kEventsEnding = ".events.jsonl";
inline const RunId kGoldenRun = *RunId::parse("run_01KHF0000070008000000000R1");

// `dialect` is the name of its folder.
inline std::filesystem::path golden_folder(std::string_view dialect) {
  return std::filesystem::path(BRAIDLOG_SOURCE_DIR) / "src/dialect" / dialect / "testdata";
}

inline std::vector<std::string> golden_names(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kEventsEnding)) found.push_back(file.substr(0, file.size() - kEventsEnding.size()));
  }
  std::ranges::sort(found);
  return found;
}

inline std::vector<RunEvent> read_events(const std::filesystem::path& path) {
  std::vector<RunEvent> events;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto value = parse_json(line);
    auto event = value ? event_from_json(*value) : Result<RunEvent>(fail(value.error()));
    EXPECT_TRUE(event) << path << ": " << line;
    if (event) events.push_back(std::move(*event));
  }
  return events;
}
inline std::vector<RunEvent> golden_events(const std::filesystem::path& folder, const std::string& name) {
  return read_events(folder / (name + std::string(kEventsEnding)));
}

// The session that goes with a golden run: "Earlier message 1." and so on, by user and assistant in turn, then what the
// run itself said.
class GoldenSession {
 public:
  void see(const RunEvent& event) {
    if (const auto* started = std::get_if<RunStarted>(&event.body)) {
      while (view_.messages.size() + 1 < started->message_position) add_earlier();
      add(started->user_message_id, "user", started->text, event.at);
      assistant_message_id_ = started->assistant_message_id;
    }
    if (const auto* completed = std::get_if<RunCompleted>(&event.body); completed && !completed->message_text.empty()) {
      add(assistant_message_id_, "assistant", completed->message_text, event.at);
    }
  }
  std::shared_ptr<const api::SessionView> first(std::uint64_t count) const {
    EXPECT_LE(count, view_.messages.size()) << "more messages than the session has";
    api::SessionView view = view_;
    if (count < view.messages.size()) view.messages.resize(count);
    return std::make_shared<const api::SessionView>(std::move(view));
  }

 private:
  void add_earlier() {
    const std::size_t number = view_.messages.size() + 1;
    add({}, number % 2 == 1 ? "user" : "assistant", "Earlier message " + std::to_string(number) + ".",
        {1'771'100'000'000 + static_cast<std::int64_t>(number) * 1'000});
  }
  void add(MessageId id, std::string role, std::string content, WallTime at) {
    api::Message message;
    message.id = id;
    message.role = std::move(role);
    message.content = std::move(content);
    message.created_at = at;
    view_.messages.push_back(std::move(message));
  }

  api::SessionView view_;
  MessageId assistant_message_id_;
};

// Everything that the projection makes of the events, given the history that it asks for.
inline Frames project_all(Projection& projection, const std::vector<RunEvent>& events) {
  Frames frames;
  GoldenSession session;
  for (const auto& event : events) {
    session.see(event);
    if (const auto need = projection.needs_history(event)) {
      EXPECT_TRUE(is_terminal(event.body)) << "only a terminal event may need history";
      projection.take_history(session.first(need->message_count));
    }
    projection.project(event, frames);
  }
  return frames;
}

inline void check_golden(const Dialect& dialect, const std::filesystem::path& folder, const std::string& name) {
  const auto events = golden_events(folder, name);
  ASSERT_FALSE(events.empty());
  const auto projection = dialect.make_projection(kGoldenRun);
  const Frames frames = project_all(*projection, events);
  const std::filesystem::path recorded = folder / (name + ".sse");
  if (std::getenv("BRAIDLOG_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(recorded, std::ios::binary) << frames.bytes;
    return;
  }
  std::ifstream in(recorded, std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(frames.bytes, expected) << "a change of the contract? ./dev golden records it";
}

}  // namespace braidlog::testing
