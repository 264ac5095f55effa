// The mouth of a provider's answer: hands on to the sink in order, until it is silenced. Fragments of a tool call's
// arguments that came in one read go on as one: some servers send them a character at a time, and each would be an
// event of the log.
//
// Runs on: the loop of its call.
#pragma once

#include <string>
#include <string_view>

#include "port/model.h"

namespace braidlog::provider {

class Speaker {
 public:
  explicit Speaker(ModelSink& sink) : sink_(&sink) {}

  // Nothing reaches the sink from here on; the sink may ask for this from inside.
  void silence() { sink_ = nullptr; }

  void text(std::string_view delta) {
    if (!args_.empty()) flush();
    if (sink_ != nullptr && !delta.empty()) sink_->on_text(delta);
  }
  void reasoning(std::string_view delta) {
    if (!args_.empty()) flush();
    if (sink_ != nullptr && !delta.empty()) sink_->on_reasoning(delta);
  }
  void tool_call(unsigned slot, std::string_view id, std::string_view name) {
    if (!args_.empty()) flush();
    if (sink_ != nullptr) sink_->on_tool_call(slot, id, name);
  }
  void tool_args(unsigned slot, std::string_view fragment) {
    if (slot != args_slot_ && !args_.empty()) flush();
    args_slot_ = slot;
    args_ += fragment;
  }
  // At the end of a read.
  void flush() {
    if (args_.empty()) return;
    if (sink_ != nullptr) sink_->on_tool_args(args_slot_, args_);
    args_.clear();
  }

 private:
  ModelSink* sink_;
  unsigned args_slot_ = 0;
  std::string args_;
};

}  // namespace braidlog::provider
