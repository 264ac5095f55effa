// A sink that holds a provider's reader to the contract of ModelSink and keeps what it said, for comparing two readings
// of the same bytes. Fragments of arguments are joined: how they are cut depends on the reads.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "port/model.h"

namespace braidlog::provider {

class CheckingSink final : public ModelSink {
 public:
  void on_text(std::string_view delta) override { note("text", delta); }
  void on_reasoning(std::string_view delta) override { note("reasoning", delta); }
  void on_tool_call(unsigned slot, std::string_view id, std::string_view name) override {
    BRAIDLOG_CHECK(begun_.insert(slot).second);  // a name may come late, so slots need not begin in order
    BRAIDLOG_CHECK(is_valid_utf8(id) && !name.empty());
    note("call", name);
  }
  void on_tool_args(unsigned slot, std::string_view fragment) override {
    BRAIDLOG_CHECK(begun_.contains(slot));
    BRAIDLOG_CHECK(!fragment.empty() && is_valid_utf8(fragment));
    if (args_slot_ != slot + 1) seen_ += "args=";
    args_slot_ = slot + 1;
    seen_ += fragment;
  }
  void on_finished(ModelFinish) override {}
  void on_failed(Error) override {}

  const std::string& seen() const { return seen_; }

 private:
  void note(std::string_view what, std::string_view text) {
    BRAIDLOG_CHECK(!text.empty() && is_valid_utf8(text));
    args_slot_ = 0;
    seen_.append("\n").append(what).append("=").append(text).append("\n");
  }

  std::string seen_;
  unsigned args_slot_ = 0;  // whose arguments were last, from 1
  std::set<unsigned> begun_;
};

}  // namespace braidlog::provider
