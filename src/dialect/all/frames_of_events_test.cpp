// testdata/frames_of_events.jsonl says for each event which frames the contracts make of it: one line per event, found
// by projecting all golden logs in all contracts. docs/event-catalog.md shows it (tools/make_event_catalog.py).
// BRAIDLOG_UPDATE_GOLDEN=1 records it anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "dialect/chat/routes.h"
#include "dialect/contracts.h"
#include "dialect/conversation/routes.h"
#include "dialect/runs/routes.h"
#include "dialect/steps/routes.h"
#include "dialect/tasks/routes.h"
#include "dialect/testing/golden.h"
#include "dialect/testing/position_checks.h"
#include "event/event_type.h"

namespace braidlog {
namespace {

using Types = std::vector<std::string>;                             // each once, in the order in which they were seen
using Found = std::map<std::string, std::map<std::string, Types>>;  // event, contract, its frames

// The type of a frame: its `event:` line, else what the data says; steps has two kinds of one type.
std::string frame_type(std::string_view frame) {
  if (frame.starts_with("event: ")) return std::string(frame.substr(7, frame.find('\n') - 7));
  const auto data = parse_json(frame.substr(frame.find("data: ") + 6));
  if (!data) return "no JSON";
  std::string type(data->at("type").as_string());
  if (const auto* step = data->as_object().if_contains("step_type")) type += " " + std::string(step->as_string());
  return type;
}

void look(const Dialect& dialect, const std::vector<RunEvent>& events, Found& found) {
  std::map<std::uint64_t, std::string> names;
  for (const auto& event : events) {
    names[event.sequence.value] = name_of(type_of(event.body));
    found[names[event.sequence.value]];
  }
  const auto projection = dialect.make_projection(testing::kGoldenRun);
  const Frames frames = testing::project_all(*projection, events);
  const auto each = testing::split(frames);
  for (std::size_t i = 0; i < each.size(); ++i) {
    auto& types = found[names[frames.marks[i].position.sequence.value]][std::string(dialect.name())];
    const std::string type = frame_type(each[i]);
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  }
}

// No golden log has a file that must be read first.
std::vector<RunEvent> with_attachment(std::vector<RunEvent> events) {
  events.resize(2);
  events.push_back({{3}, events[1].at, events[1].elapsed_ms, AttachmentRead{0, "What the file says"}});
  return events;
}

std::string as_lines(const Found& found) {
  std::string lines;
  for (const auto& row : kEventTypes) {
    const auto event = found.find(std::string(row.name));
    EXPECT_NE(event, found.end()) << "no golden log has " << row.name;
    if (event == found.end()) continue;
    JsonWriter writer(lines);
    writer.begin_object().key("event").string(row.name);
    for (const auto contract : kContracts) {
      const auto frames = event->second.find(std::string(contract));
      if (frames == event->second.end()) continue;
      writer.key(contract).begin_array();
      for (const auto& type : frames->second) writer.string(type);
      writer.end_array();
    }
    writer.end_object();
    lines += "\n";
  }
  return lines;
}

TEST(FramesOfEvents, AreAsRecorded) {
  const ChatDialect chat;
  const ConversationDialect conversation;
  const RunsDialect runs;
  const StepsDialect steps;
  const TasksDialect tasks;
  const Dialect* const dialects[] = {&steps, &runs, &chat, &conversation, &tasks};
  Found found;
  for (const auto contract : kContracts) {
    const auto folder = testing::golden_folder(contract);
    for (const auto& name : testing::golden_names(folder)) {
      const auto events = testing::golden_events(folder, name);
      for (const Dialect* dialect : dialects) look(*dialect, events, found);
    }
  }
  for (const Dialect* dialect : dialects) {
    look(*dialect, with_attachment(testing::golden_events(testing::golden_folder("chat"), "plain_answer")), found);
  }
  const auto recorded = testing::golden_folder("all") / "frames_of_events.jsonl";
  if (std::getenv("BRAIDLOG_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(recorded, std::ios::binary) << as_lines(found);
    return;
  }
  std::ifstream in(recorded, std::ios::binary);
  const std::string before{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(as_lines(found), before) << "./dev golden records it, ./dev catalog shows it in docs/event-catalog.md";
}

}  // namespace
}  // namespace braidlog
