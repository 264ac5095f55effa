// The small values that events are made of. Their numbers are in databases: never change or reuse one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace braidlog {

// How the engine works on a run.
enum class Way : std::uint8_t { kConverse = 0, kSteps = 1, kExecute = 2 };
// What a model call is for.
enum class TurnPurpose : std::uint8_t { kAnswer = 0, kPlan = 1, kReflection = 2, kFinal = 3 };
// Why a model stopped, unified over providers.
enum class FinishReason : std::uint8_t {
  kStop = 0,
  kLength = 1,
  kToolCalls = 2,
  kContentFilter = 3,
  kRefusal = 4,
  kError = 5,
  kAborted = 6,
};
enum class InputKind : std::uint8_t { kApproval = 0 };
// Why a tool may run: nobody had to be asked, a person said so, the agent's rules or the session's settings did.
enum class Permission : std::uint8_t { kReads = 0, kApproval = 1, kPolicy = 2, kSession = 3 };
enum class Verdict : std::uint8_t { kApproved = 0, kRejected = 1 };
// How a tool call ended.
enum class ToolStatus : std::uint8_t {
  kOk = 0,
  kToolError = 1,
  kInvalidArguments = 2,
  kTimeout = 3,
  kOutcomeUnknown = 4,
  kCancelled = 5,
};
// Why a run failed; the words that a contract uses for it are the contract's.
enum class FailureCode : std::uint8_t {
  kProvider = 0,
  kProviderTimeout = 1,
  kRateLimited = 2,
  kUpstreamTruncated = 3,
  kMaxSteps = 4,
  kLimitExceeded = 5,
  kStorage = 6,
  kInternal = 7,
  kBadFile = 8,  // a file that came with the message cannot be read
};
enum class TaskStatus : std::uint8_t { kPending = 0, kInProgress = 1, kDone = 2, kFailed = 3 };
enum class DataOperation : std::uint8_t { kCreate = 0, kUpdate = 1, kDelete = 2 };

struct Usage {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t cached_input_tokens = 0;
  std::uint64_t cache_write_tokens = 0;
  std::uint64_t reasoning_tokens = 0;
  bool operator==(const Usage&) const = default;
  std::uint64_t total_tokens() const { return input_tokens + output_tokens; }
  Usage& operator+=(const Usage& other);
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("input_tokens", s.input_tokens);
    v("output_tokens", s.output_tokens);
    v("cached_input_tokens", s.cached_input_tokens);
    v("cache_write_tokens", s.cache_write_tokens);
    v("reasoning_tokens", s.reasoning_tokens);
  }
};

// A file that came with the user's message, as the model is shown it.
struct Attachment {
  std::string name;  // in the session's workspace
  std::string media_type;
  std::uint64_t bytes = 0;  // of the original
  std::string text;
  bool is_text() const { return media_type.starts_with("text/"); }
  bool operator==(const Attachment&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("name", s.name);
    v("media_type", s.media_type);
    v("bytes", s.bytes);
    v("text", s.text);
  }
};

struct TaskItem {
  TaskId id;
  std::string title;
  std::string description;
  TaskStatus status = TaskStatus::kPending;
  std::uint32_t order = 0;
  bool operator==(const TaskItem&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("id", s.id);
    v("title", s.title);
    v("description", s.description);
    v("status", s.status);
    v("order", s.order);
  }
};

// A task as a run finds it.
struct KnownTask {
  TaskItem item;
  std::string result;  // of a task that is done or failed
  bool operator==(const KnownTask&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("item", s.item);
    v("result", s.result);
  }
};

}  // namespace braidlog
