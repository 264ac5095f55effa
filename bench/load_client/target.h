// What is measured and how it is spoken to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/flags.h"

namespace bench {

struct Target {
  enum class Contract {
    kCompletions,   // the peers: one POST whose response is the stream
    kChat,          // Braidlog: the same, in a session of its own
    kConversation,  // the same
    kTasks,         // the same, in a session that was made before
    kRuns,          // a session, a message that starts a run, and a GET that watches it
  };

  Contract contract = Contract::kCompletions;
  std::uint16_t port = 0;
  std::string model;                 // of Braidlog: the agent whose model it is
  std::string credential;            // an API key; empty: none is shown
  std::uint64_t frames_per_run = 0;  // what a complete stream has; 0 when that is not known

  // From --contract, --port, --model, --credential and --frames.
  static Target from_flags(const Flags& flags);

  bool has_sessions() const { return contract == Contract::kTasks || contract == Contract::kRuns; }
  // Whether the answer to start_run() only names the run.
  bool is_watched_apart() const { return contract == Contract::kRuns; }

  std::string make_session() const;
  std::string start_run(std::string_view session) const;  // without sessions it is ignored
  std::string watch(std::string_view run) const;

  // Whether this frame is the last one of a run that went well.
  bool is_good_end(std::string_view frame) const;

 private:
  std::string post(std::string_view path, std::string_view body) const;
};

// The text at "key":"…" in a body; empty when it is not there.
std::string_view text_at(std::string_view body, std::string_view key);

}  // namespace bench
