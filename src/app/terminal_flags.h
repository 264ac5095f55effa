// The commands `braidlog chat` and `braidlog runs …` as words on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "terminal/options.h"

namespace braidlog::app {

struct TerminalFlags {
  bool is_chat = false;
  std::optional<terminal::RunsOptions::Verb> verb;  // neither: another command
  std::string url, key_file;
  terminal::ChatOptions chat;
  terminal::RunsOptions runs;
};

// `flags` outlives `app`.
void add_terminal_commands(CLI::App& app, TerminalFlags& flags);

// kBadField with one line for people: an address that is none, a key that cannot be read.
Result<terminal::Endpoint> make_endpoint(const TerminalFlags& flags);

}  // namespace braidlog::app
