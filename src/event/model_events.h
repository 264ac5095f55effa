// A model's turn: what it said, as it said it.
//
// `turn` counts the model calls of the run from 1; `part` counts the pieces of text and reasoning of the whole run from
// 1, so a turn is a message and a part one block of it. A text delta of part 0 is the engine's own: the blank line
// between the texts of two turns, which belongs to neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "event/event_values.h"

namespace braidlog {

// A model is called: to answer, to plan, to reflect, or for the final answer.
// When: Before the call.
struct ModelStarted {
  std::uint32_t turn = 0;
  TurnPurpose purpose = TurnPurpose::kAnswer;
  std::string provider;
  std::string model;
  bool continues = false;  // goes on with the text of the turn before it, which a restart cut
  bool operator==(const ModelStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("purpose", s.purpose);
    v("provider", s.provider);
    v("model", s.model);
    v("continues", s.continues);
  }
};

// A piece of text begins.
// When: Before its first delta.
struct TextStarted {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const TextStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};

// More text. All of them together are the run's text.
// When: As the model writes.
struct TextDelta {
  std::uint32_t turn = 0, part = 0;
  std::string text;
  bool operator==(const TextDelta&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
    v("text", s.text);
  }
};

// The piece of text is over.
// When: After its last delta.
struct TextFinished {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const TextFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};

// The model begins to think aloud.
// When: Before its first delta.
struct ReasoningStarted {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const ReasoningStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};

// More reasoning; no contract shows it.
// When: As the model writes.
struct ReasoningDelta {
  std::uint32_t turn = 0, part = 0;
  std::string text;
  bool operator==(const ReasoningDelta&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
    v("text", s.text);
  }
};

// The reasoning is over.
// When: After its last delta.
struct ReasoningFinished {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const ReasoningFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};

// The call is over: why, what it used (absent when not reported), what the same provider wants back, and which model
// answered when it was a fallback.
// When: After the call, however it ended.
struct ModelFinished {
  std::uint32_t turn = 0;
  FinishReason finish = FinishReason::kStop;
  std::string finish_raw;
  std::string response_id;
  std::optional<Usage> usage;  // absent when the provider reported none
  std::uint32_t first_chunk_ms = 0;
  std::vector<std::string> opaque;  // provider blobs, sent back to the same provider only
  std::string answered_by{};        // "provider/model" when another than that of model.started has answered
  bool operator==(const ModelFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("finish", s.finish);
    v("finish_raw", s.finish_raw);
    v("response_id", s.response_id);
    v("usage", s.usage);
    v("first_chunk_ms", s.first_chunk_ms);
    v("opaque", s.opaque);
    v("answered_by", s.answered_by);
  }
};

// The whole text of a planning turn; it was never a delta.
// When: After a turn with purpose plan.
struct PlanMade {
  std::uint32_t step_number = 0;
  std::string text;
  std::optional<Usage> usage;
  bool operator==(const PlanMade&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("step_number", s.step_number);
    v("text", s.text);
    v("usage", s.usage);
  }
};

}  // namespace braidlog
