// What is measured and how it is spoken to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/flags.h"

namespace bench {

struct Target {
  enum class Contract {
    kRuns,         // Braidlog: a session, a message that starts a run, and a GET that watches it
    kCompletions,  // the peers: one POST whose response is the stream
  };

  Contract contract = Contract::kCompletions;
  std::uint16_t port = 0;
  std::string model;                 // kRuns: the agent whose model it is
  std::uint64_t frames_per_run = 0;  // what a complete stream has; 0 when that is not known

  // From --contract, --port, --model and --frames.
  static Target from_flags(const Flags& flags);

  std::string make_session() const;
  std::string start_run(std::string_view session) const;
  std::string watch(std::string_view run) const;
  std::string complete() const;

  // Whether this frame is the last one of a run that went well.
  bool is_good_end(std::string_view frame) const;
};

// The text at "key":"…" in a body; empty when it is not there.
std::string_view text_at(std::string_view body, std::string_view key);

}  // namespace bench
