// How a run begins, is told to stop, goes on after a restart, and ends. Exactly one of `run.completed`, `run.failed`
// and `run.interrupted` ends a run, and nothing follows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "event/event_values.h"

namespace braidlog {

// The request was accepted: who asked, through which contract, what was said and which files came with it.
// When: Always the first event. It stands alone while the run waits for its turn.
struct RunQueued {
  SessionId session_id;
  std::string user_id;
  std::string contract;  // the dialect that began the run
  Way way = Way::kConverse;
  std::string agent;
  std::string text;                    // what the user said; empty for an execute run
  std::optional<std::string> context;  // for this turn's model call only; never a message
  std::string title;                   // the session's, when the run was asked for
  bool stops_with_client = false;      // it is over when the client that began it goes, and after a restart
  std::vector<Attachment> attachments;
  bool operator==(const RunQueued&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("session_id", s.session_id);
    v("user_id", s.user_id);
    v("contract", s.contract);
    v("way", s.way);
    v("agent", s.agent);
    v("text", s.text);
    v("context", s.context);
    v("title", s.title);
    v("stops_with_client", s.stops_with_client);
    v("attachments", s.attachments);
  }
};

// The turn begins, with all that frames need of the world outside the run.
// When: Once, before the model is called.
struct RunStarted {
  SessionId session_id;
  std::string user_id;
  std::string contract;
  std::string agent;
  std::string agent_version;
  std::vector<std::string> tool_names;
  std::string title;  // the session's, at this moment
  std::string text;
  MessageId user_message_id;
  MessageId assistant_message_id;
  std::uint64_t message_position = 0;  // messages in the session, this user's message included
  std::vector<KnownTask> tasks{};      // the session's list; empty when the run cannot use it
  bool operator==(const RunStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("session_id", s.session_id);
    v("user_id", s.user_id);
    v("contract", s.contract);
    v("agent", s.agent);
    v("agent_version", s.agent_version);
    v("tool_names", s.tool_names);
    v("title", s.title);
    v("text", s.text);
    v("user_message_id", s.user_message_id);
    v("assistant_message_id", s.assistant_message_id);
    v("message_position", s.message_position);
    v("tasks", s.tasks);
  }
};

// The text of an attached file that is no text itself, as the model is shown it.
// When: For each such file in turn, before the first turn of the model.
struct AttachmentRead {
  std::uint32_t index = 0;  // among the attachments of run.queued
  std::string text;         // as the model is shown it
  bool operator==(const AttachmentRead&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("index", s.index);
    v("text", s.text);
  }
};

// The run goes on in another life of the server.
// When: After a restart, before anything else of that life.
struct RunResumed {
  std::string reason;
  bool operator==(const RunResumed&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("reason", s.reason);
  }
};

// Somebody asked the run to stop.
// When: As the order is taken; it is answered only once this is durable.
struct InterruptRequested {
  std::string user_id;
  std::string reason;  // "user", "session_deleted", "client_gone"
  bool operator==(const InterruptRequested&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("user_id", s.user_id);
    v("reason", s.reason);
  }
};

// The code of the warning that the run goes on without tools.
inline constexpr std::string_view kToolFallback = "tool_fallback";

// Something went wrong that does not end the run.
// When: Any time between start and end.
struct Warning {
  std::string code;
  std::string message;
  bool operator==(const Warning&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("code", s.code);
    v("message", s.message);
  }
};

// The run reached its answer.
// When: Last event.
struct RunCompleted {
  std::string final_text;                 // what final_answer was given as text, else the last turn's text
  std::optional<std::string> final_json;  // what final_answer was given, as JSON
  std::string message_text;               // the stored assistant message; empty when none is stored
  std::optional<Usage> usage;             // of the whole run
  std::uint64_t message_position = 0;     // messages in the session, the answer included
  std::string title;
  std::uint32_t tasks_total = 0, tasks_done = 0, tasks_failed = 0;
  bool operator==(const RunCompleted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("final_text", s.final_text);
    v("final_json", s.final_json);
    v("message_text", s.message_text);
    v("usage", s.usage);
    v("message_position", s.message_position);
    v("title", s.title);
    v("tasks_total", s.tasks_total);
    v("tasks_done", s.tasks_done);
    v("tasks_failed", s.tasks_failed);
  }
};

// The run cannot go on; why, in a word and in a sentence.
// When: Last event.
struct RunFailed {
  FailureCode code = FailureCode::kInternal;
  std::string message;
  bool operator==(const RunFailed&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("code", s.code);
    v("message", s.message);
  }
};

// The run stopped because it was told to.
// When: Last event.
struct RunInterrupted {
  std::string reason;
  bool operator==(const RunInterrupted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("reason", s.reason);
  }
};

}  // namespace braidlog
