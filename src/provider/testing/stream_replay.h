// Plays a recorded stream to a provider's reader, cut in any way, and keeps what it said as lines of text:
//
//   reasoning "…"   text "…"   call 0 ID NAME   args 0 "…"   finish {…}   opaque {…}   failed CODE MESSAGE [(retry)]
//
// Arguments that follow each other stand in one line: how they are cut depends on the reads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/testing/fake_loop.h"
#include "base/utf8.h"
#include "provider/stream_attempt.h"
#include "provider/testing/fake_http.h"

namespace braidlog::provider::testing {

using MakeReader = std::function<std::unique_ptr<AnswerReader>(AttemptSink&)>;

class EventLines final : public AttemptSink {
 public:
  void on_sign_of_life() override {}
  void on_text(std::string_view delta) override { say("text", delta); }
  void on_reasoning(std::string_view delta) override { say("reasoning", delta); }
  void on_tool_call(unsigned slot, std::string_view id, std::string_view name) override {
    add("call " + std::to_string(slot) + " " + (id.empty() ? "-" : std::string(id)) + " " + std::string(name));
  }
  void on_tool_args(unsigned slot, std::string_view fragment) override {
    EXPECT_TRUE(is_valid_utf8(fragment));
    if (args_slot_ != static_cast<int>(slot)) {
      end_args();
      args_slot_ = static_cast<int>(slot);
    }
    args_ += fragment;
  }
  void on_finished(ModelFinish finish) override {
    std::string line;
    JsonWriter out(line);
    out.begin_object().key("reason").number(static_cast<int>(finish.reason)).key("raw").string(finish.raw_reason);
    out.key("id").string(finish.response_id);
    if (finish.usage) {
      out.key("usage").begin_array().number(finish.usage->input_tokens).number(finish.usage->output_tokens);
      out.number(finish.usage->cached_input_tokens).number(finish.usage->cache_write_tokens);
      out.number(finish.usage->reasoning_tokens).end_array();
    }
    out.end_object();
    add("finish " + line);
    for (const auto& blob : finish.opaque) add("opaque " + blob);
    ended = true;
  }
  void on_attempt_failed(AttemptFailure failure) override {
    add(std::string("failed ") + name_of(failure.error.code) + " " + failure.error.message +
        (failure.may_retry ? " (retry)" : ""));
    ended = true;
  }

  std::string lines;
  bool ended = false;

 private:
  void say(const char* what, std::string_view text) {
    EXPECT_TRUE(is_valid_utf8(text));
    EXPECT_FALSE(text.empty());
    std::string quoted;
    append_json_string(quoted, text);
    add(std::string(what) + " " + quoted);
  }
  void end_args() {
    if (args_slot_ < 0) return;
    std::string quoted;
    append_json_string(quoted, args_);
    lines += "args " + std::to_string(args_slot_) + " " + quoted + "\n";
    args_slot_ = -1;
    args_.clear();
  }
  void add(const std::string& line) {
    EXPECT_FALSE(ended) << "something came after the end: " << line;
    end_args();
    lines += line + "\n";
  }

  int args_slot_ = -1;
  std::string args_;
};

// `cuts` are places in the stream; a read ends at each.
inline std::string replay(const MakeReader& make_reader, std::string_view stream,
                          const std::vector<std::size_t>& cuts) {
  ::braidlog::testing::FakeClock clock;
  ::braidlog::testing::FakeLoop loop{clock};
  FakeHttpClient client;
  EventLines sink;
  const auto call = start_attempt({}, false, make_reader(sink), sink, {client, loop, 1024 * 1024});
  client.head(200);
  std::size_t at = 0;
  for (const std::size_t cut : cuts) {
    if (cut > at) client.body(stream.substr(at, cut - at));
    at = std::max(at, cut);
  }
  client.body(stream.substr(at));
  client.done();
  loop.advance(std::chrono::milliseconds(100));
  EXPECT_TRUE(sink.ended);
  return sink.lines;
}

// Whole, then cut in two at every byte (at some of them where the stream is long), then byte by byte.
inline std::string check_every_cut(const MakeReader& make_reader, std::string_view stream) {
  constexpr std::size_t kWorkBytes = 8'000'000;
  const std::string whole = replay(make_reader, stream, {});
  const std::size_t step = std::max<std::size_t>(1, stream.size() * stream.size() / kWorkBytes);
  std::vector<std::size_t> all;
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    all.push_back(cut);
    if (cut % step == 0 && replay(make_reader, stream, {cut}) != whole) {
      ADD_FAILURE() << "cut at " << cut << ":\n" << replay(make_reader, stream, {cut}) << "whole:\n" << whole;
      return whole;
    }
  }
  EXPECT_EQ(replay(make_reader, stream, all), whole) << "byte by byte";
  return whole;
}

inline std::string read_whole(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The streams in src/provider/PROVIDER/testdata, by their names without the ending.
inline std::filesystem::path stream_folder(const std::string& provider) {
  return std::filesystem::path(BRAIDLOG_SOURCE_DIR) / "src/provider" / provider / "testdata";
}
inline std::vector<std::string> stream_names(const std::string& provider) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(stream_folder(provider))) {
    if (entry.path().extension() == ".sse") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}
inline void check_golden_stream(const std::string& provider, const std::string& name, const MakeReader& make_reader) {
  const auto folder = stream_folder(provider);
  const std::string lines = check_every_cut(make_reader, read_whole(folder / (name + ".sse")));
  const auto recorded = folder / (name + ".events");
  if (std::getenv("BRAIDLOG_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(recorded, std::ios::binary) << lines;
    return;
  }
  EXPECT_EQ(lines, read_whole(recorded)) << "BRAIDLOG_UPDATE_GOLDEN=1 provider_test records it";
}

// Streams of real providers, which are not part of the project: in the folder that BRAIDLOG_FIXTURES names, else beside
// the checkout. Empty where there is none.
inline std::filesystem::path fixture_folder() {
  const char* named = std::getenv("BRAIDLOG_FIXTURES");
  const std::filesystem::path folder = named != nullptr
                                           ? std::filesystem::path(named)
                                           : std::filesystem::path(BRAIDLOG_SOURCE_DIR) / "../shared/fixtures";
  std::error_code error;
  return std::filesystem::is_directory(folder / "provider-streams", error) ? folder / "provider-streams"
                                                                           : std::filesystem::path{};
}

}  // namespace braidlog::provider::testing
