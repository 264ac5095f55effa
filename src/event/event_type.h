// The durable number and the name of each event. Numbers are in databases: never change or reuse one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "event/run_event.h"

namespace braidlog {

enum class EventType : std::uint8_t {
  kRunQueued = 1,
  kRunStarted = 2,
  kRunResumed = 3,
  kInterruptRequested = 4,
  kModelStarted = 5,
  kTextStarted = 6,
  kTextDelta = 7,
  kTextFinished = 8,
  kReasoningStarted = 9,
  kReasoningDelta = 10,
  kReasoningFinished = 11,
  kModelFinished = 12,
  kPlanMade = 13,
  kToolCallStarted = 14,
  kToolArgsDelta = 15,
  kToolCallReady = 16,
  kToolCallAbandoned = 17,
  kInputRequested = 18,
  kInputGiven = 19,
  kToolStarted = 20,
  kToolFinished = 21,
  kStepFinished = 22,
  kArtifactCreated = 23,
  kDataModified = 24,
  kTasksReplaced = 25,
  kTaskSelected = 26,
  kTaskFinished = 27,
  kReflectionMade = 28,
  kWarning = 29,
  kRunCompleted = 30,
  kRunFailed = 31,
  kRunInterrupted = 32,
  kCodeStarted = 33,
  kAttachmentRead = 34,
};

struct EventTypeRow {
  EventType type;
  std::string_view name;
};

// In the order of RunEventBody's alternatives: row i is the type of alternative i.
inline constexpr std::array<EventTypeRow, std::variant_size_v<RunEventBody>> kEventTypes{{
    {EventType::kRunQueued, "run.queued"},
    {EventType::kRunStarted, "run.started"},
    {EventType::kRunResumed, "run.resumed"},
    {EventType::kInterruptRequested, "interrupt.requested"},
    {EventType::kModelStarted, "model.started"},
    {EventType::kTextStarted, "text.started"},
    {EventType::kTextDelta, "text.delta"},
    {EventType::kTextFinished, "text.finished"},
    {EventType::kReasoningStarted, "reasoning.started"},
    {EventType::kReasoningDelta, "reasoning.delta"},
    {EventType::kReasoningFinished, "reasoning.finished"},
    {EventType::kModelFinished, "model.finished"},
    {EventType::kPlanMade, "plan.made"},
    {EventType::kToolCallStarted, "tool.call.started"},
    {EventType::kToolArgsDelta, "tool.args.delta"},
    {EventType::kToolCallReady, "tool.call.ready"},
    {EventType::kToolCallAbandoned, "tool.call.abandoned"},
    {EventType::kInputRequested, "input.requested"},
    {EventType::kInputGiven, "input.given"},
    {EventType::kToolStarted, "tool.started"},
    {EventType::kToolFinished, "tool.finished"},
    {EventType::kStepFinished, "step.finished"},
    {EventType::kArtifactCreated, "artifact.created"},
    {EventType::kDataModified, "data.modified"},
    {EventType::kTasksReplaced, "tasks.replaced"},
    {EventType::kTaskSelected, "task.selected"},
    {EventType::kTaskFinished, "task.finished"},
    {EventType::kReflectionMade, "reflection.made"},
    {EventType::kWarning, "warning"},
    {EventType::kRunCompleted, "run.completed"},
    {EventType::kRunFailed, "run.failed"},
    {EventType::kRunInterrupted, "run.interrupted"},
    {EventType::kCodeStarted, "code.started"},
    {EventType::kAttachmentRead, "attachment.read"},
}};

inline EventType type_of(const RunEventBody& body) {
  return kEventTypes[body.index()].type;
}
inline std::string_view name_of(EventType type) {
  return kEventTypes[static_cast<std::size_t>(type) - 1].name;
}

}  // namespace braidlog
