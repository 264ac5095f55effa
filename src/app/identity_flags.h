// The commands `braidlog user …` and `braidlog key …` as words on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "app/options.h"

namespace braidlog::app {

struct IdentityFlags {
  std::optional<IdentityCommand::Verb> verb;  // none: another command
  std::string data, subject, label, expires;
  bool is_admin = false;
};

// `flags` outlives `app`.
void add_identity_commands(CLI::App& app, IdentityFlags& flags);

// kBadField with one line for people.
Result<IdentityCommand> make_identity_command(const IdentityFlags& flags);

}  // namespace braidlog::app
