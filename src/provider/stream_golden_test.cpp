// Streams after the table of quirks, and streams that real providers sent, whole and cut at every byte.
#include <gtest/gtest.h>

#include "provider/anthropic/messages_reader.h"
#include "provider/openai/chat_reader.h"
#include "provider/testing/stream_replay.h"

namespace braidlog::provider {
namespace {

testing::MakeReader reader_of(const std::string& provider) {
  if (provider == "openai") {
    return [](AttemptSink& sink) {
      static ChunkParser parser;
      return make_chat_reader(sink, {{"openai", "http://a/v1"}, true}, parser);
    };
  }
  return [](AttemptSink& sink) {
    static MessageEventParser parser;
    static const MessagesSettings settings{.model = "m", .owner = {"anthropic", "http://a"}};
    return make_messages_reader(sink, settings, "", parser);
  };
}

struct StreamName {
  std::string provider, name;
};
void PrintTo(const StreamName& stream, std::ostream* out) {
  *out << stream.provider << "/" << stream.name;
}

std::vector<StreamName> all_streams() {
  std::vector<StreamName> all;
  for (const char* provider : {"openai", "anthropic"}) {
    for (auto& name : testing::stream_names(provider)) all.push_back({provider, std::move(name)});
  }
  return all;
}

class StreamGoldenTest : public ::testing::TestWithParam<StreamName> {};

TEST_P(StreamGoldenTest, TheSameEventsHoweverItIsCut) {
  testing::check_golden_stream(GetParam().provider, GetParam().name, reader_of(GetParam().provider));
}

INSTANTIATE_TEST_SUITE_P(Testdata, StreamGoldenTest, ::testing::ValuesIn(all_streams()),
                         [](const auto& info) { return info.param.provider + "_" + info.param.name; });

// A recording has one JSON document per line.
std::string as_stream(const std::filesystem::path& file, bool is_anthropic) {
  std::string stream;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    const auto event = is_anthropic ? parse_json(line) : Result<json::value>(json::value{});
    if (is_anthropic && event) stream += "event: " + std::string(event->at("type").as_string()) + "\n";
    stream += "data: " + line + "\n\n";
  }
  return is_anthropic ? stream : stream + "data: [DONE]\n\n";
}

TEST(RecordedStreams, AreReadTheSameHoweverTheyAreCut) {
  const auto folder = testing::fixture_folder();
  if (folder.empty()) GTEST_SKIP() << "no recorded streams: BRAIDLOG_FIXTURES names no folder with provider-streams/";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_anthropic = name.starts_with("anthropic-") || name.starts_with("duplicate-message-start");
    const auto lines = testing::check_every_cut(reader_of(is_anthropic ? "anthropic" : "openai"),
                                                as_stream(entry.path(), is_anthropic));
    EXPECT_NE(lines.find("finish {"), std::string::npos) << name << "\n" << lines;
    EXPECT_NE(lines.find("\"usage\":["), std::string::npos) << name;
    EXPECT_EQ(lines.find("failed "), std::string::npos) << name;
    const bool is_call = name.find("tool") != std::string::npos;
    EXPECT_EQ(lines.find("\ncall 0 ") != std::string::npos || lines.starts_with("call 0 "), is_call) << name;
    EXPECT_EQ(lines.find("\"reason\":2") != std::string::npos, is_call) << name;
  }
}

}  // namespace
}  // namespace braidlog::provider
