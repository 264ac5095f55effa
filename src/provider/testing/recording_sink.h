// Keeps what a model says, and holds it to the contract of ModelSink: one end, nothing after it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "provider/attempt.h"

namespace braidlog::provider::testing {

struct RecordedCall {
  std::string id, name, args;
  int fragments = 0;
};

class RecordingSink final : public AttemptSink {
 public:
  void on_sign_of_life() override { ++signs_of_life; }
  void on_read_begin() override { in_read = true; }
  void on_read_end() override { in_read = false; }
  void on_text(std::string_view delta) override {
    note();
    deltas.emplace_back(delta);
    text += delta;
    if (on_delta) on_delta();
  }
  void on_reasoning(std::string_view delta) override {
    note();
    reasoning += delta;
    if (on_delta) on_delta();
  }
  void on_tool_call(unsigned slot, std::string_view id, std::string_view name) override {
    note();
    EXPECT_EQ(slot, calls.size());
    calls.push_back({std::string(id), std::string(name), "", 0});
  }
  void on_tool_args(unsigned slot, std::string_view fragment) override {
    note();
    ASSERT_LT(slot, calls.size());
    calls[slot].args += fragment;
    ++calls[slot].fragments;
  }
  void on_finished(ModelFinish finish) override {
    note();
    finished = std::move(finish);
    if (on_end) on_end();
  }
  void on_attempt_failed(AttemptFailure told) override {
    note();
    failed = told.error;
    failure = std::move(told);
    if (on_end) on_end();
  }

  bool ended() const { return finished || failed; }

  std::string text, reasoning;
  std::vector<std::string> deltas;
  std::vector<RecordedCall> calls;
  std::optional<ModelFinish> finished;
  std::optional<Error> failed;
  std::optional<AttemptFailure> failure;
  std::size_t heard = 0;
  std::size_t signs_of_life = 0;
  bool in_read = false;
  std::function<void()> on_delta, on_end;

 private:
  void note() {
    EXPECT_FALSE(ended()) << "something came after the end";
    ++heard;
  }
};

}  // namespace braidlog::provider::testing
