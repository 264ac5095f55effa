// Replays testdata/NAME.events.jsonl and compares the frames with testdata/NAME.sse, byte for byte. A
// difference is a change of the contract. BRAIDLOG_UPDATE_GOLDEN=1 records the frames anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/json.h"
#include "dialect/runs/routes.h"
#include "event/encoding.h"

namespace braidlog::runs {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(BRAIDLOG_SOURCE_DIR) / "src/dialect/runs/testdata";
constexpr std::string_view kEnding = ".events.jsonl";

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kEnding)) found.push_back(file.substr(0, file.size() - kEnding.size()));
  }
  std::ranges::sort(found);
  return found;
}

std::vector<RunEvent> read_events(const fs::path& path) {
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

class RunsGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(RunsGolden, FramesAreAsRecorded) {
  const auto events = read_events(kFolder / (GetParam() + std::string(kEnding)));
  ASSERT_FALSE(events.empty());
  const RunsDialect dialect;
  const auto projection = dialect.make_projection(*RunId::parse("run_01KHF0000070008000000000R1"));
  Frames frames;
  for (const auto& event : events) projection->project(event, frames);
  const fs::path recorded = kFolder / (GetParam() + ".sse");
  if (std::getenv("BRAIDLOG_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(recorded, std::ios::binary) << frames.bytes;
    return;
  }
  EXPECT_EQ(frames.bytes, read_file(recorded)) << "a change of the contract? ./dev golden records it";
}

INSTANTIATE_TEST_SUITE_P(All, RunsGolden, ::testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace braidlog::runs
