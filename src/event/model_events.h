// A model's turn: what it said, as it said it.
//
// `turn` counts the model calls of the run from 1; `part` counts the pieces of text and reasoning of the whole run from
// 1, so (turn) names a message and (part) one block of it. A text delta of part 0 is the engine's own: the blank line
// between the texts of two turns, which belongs to neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "event/event_values.h"

namespace braidlog {

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

struct TextStarted {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const TextStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};

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

struct TextFinished {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const TextFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};

struct ReasoningStarted {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const ReasoningStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};

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

struct ReasoningFinished {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const ReasoningFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};

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

// A planning turn's whole text; it was never a text delta.
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
