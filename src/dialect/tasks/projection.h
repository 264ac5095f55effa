// A run's events as frames of the tasks contract. What a run shows depends on how the engine worked on it: an execute
// run shows its tasks with their tools, every other run its text and the list of tasks when that changed. Frames have
// no id line: nothing is replayed here.
//
// Nor have they ids of calls. So that everybody knows which result is whose, calls are shown one after the other:
// tool_call, what it changed, tool_result. A call that ran beside another one follows when that one is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dialect/projection.h"

namespace braidlog::tasks {

// Its state is the task in hand and, in an execute run, the calls that are ready and not shown to the end: their
// arguments, and what is to be shown of them when it is their turn.
class TasksProjection final : public Projection {
 public:
  explicit TasksProjection(std::size_t wire_text_bytes_max) : wire_text_bytes_max_(wire_text_bytes_max) {}
  void project(const RunEvent& event, Frames& out) override;

 private:
  struct Visitor;
  struct OpenCall {
    std::string name;
    std::string args_json;
    std::optional<TaskId> task{};         // set when it stands in line
    bool shown = false;                   // tool_call was sent
    std::vector<std::string> changes{};   // whole frames
    std::optional<std::string> output{};  // set when it is over
  };
  void forget_calls();

  std::size_t wire_text_bytes_max_;
  bool executes_ = false;
  std::optional<TaskId> task_;
  std::unordered_map<ToolCallId, OpenCall> calls_;
  std::deque<ToolCallId> line_;       // those that began; the first is the one that is shown
  std::vector<std::string> changes_;  // of the call that finishes next: its changes stand right before its end
};

}  // namespace braidlog::tasks
