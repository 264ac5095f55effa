#include "app/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/identity_flags.h"
#include "app/serve_flags.h"
#include "app/terminal_flags.h"
#include "base/version.h"

namespace braidlog::app {

namespace {

// CLI11 would take an unknown word for a stray argument and say only that a subcommand is missing.
Status check_words(const CLI::App& app, int argc, char** argv) {
  std::string path = "braidlog";
  const CLI::App* command = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const auto commands = command->get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty()) return {};
    const auto named = std::ranges::find(commands, argv[i], [](const CLI::App* one) { return one->get_name(); });
    if (named == commands.end()) {
      return fail(ErrorCode::kBadField, "unknown command '" + std::string(argv[i]) + "' (see " + path + " --help)");
    }
    command = *named;
    path += " " + command->get_name();
  }
  return {};
}

Status read_terminal_command(const TerminalFlags& flags, Command& command) {
  auto endpoint = make_endpoint(flags);
  if (!endpoint) return fail(endpoint.error());
  command.kind = flags.is_chat ? Command::Kind::kChat : Command::Kind::kRuns;
  command.chat = flags.chat;
  command.runs = flags.runs;
  command.runs.verb = flags.verb.value_or(command.runs.verb);
  command.chat.endpoint = command.runs.endpoint = std::move(*endpoint);
  return {};
}

}  // namespace

Result<Command> parse_command_line(int argc, char** argv) {
  CLI::App app{"Braidlog runs LLM agents, keeps everything that happens in one durable log, and streams it.",
               "braidlog"};
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(1);
  ServeFlags flags;
  IdentityFlags identity;
  TerminalFlags terminal;
  Command command;
  CLI::App* serve = app.add_subcommand("serve", "run the server");
  add_serve_flags(*serve, flags);
  add_terminal_commands(app, terminal);
  add_identity_commands(app, identity);
  CLI::App* agents = app.add_subcommand("agents", "agent files")->require_subcommand(1);
  CLI::App* check = agents->add_subcommand("check", "read the agent files of a folder and say what is wrong with them");
  check->add_option("DIR", command.folder, "the folder")->required();
  CLI::App* limits = app.add_subcommand("limits", "print every limit with its default");
  limits->add_flag("--markdown", command.markdown, "as docs/limits.md");
  CLI::App* routes = app.add_subcommand("routes", "print every route of the server, and who may ask for it");
  routes->add_flag("--json", command.json, "as JSON");
  CLI::App* version = app.add_subcommand("version", "print the version");
  if (auto known = check_words(app, argc, argv); !known) return fail(known.error());
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& shown) {
    app.exit(shown);
    return command;
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::kBadField, std::string(error.what()) + " (see braidlog --help)");
  }
  if (*version) command.kind = Command::Kind::kVersion;
  if (*limits) command.kind = Command::Kind::kLimits;
  if (*routes) command.kind = Command::Kind::kRoutes;
  if (*check) command.kind = Command::Kind::kAgentsCheck;
  if (identity.verb) {
    auto made = make_identity_command(identity);
    if (!made) return fail(made.error());
    command.kind = Command::Kind::kIdentity;
    command.identity = std::move(*made);
  }
  if (terminal.is_chat || terminal.verb) {
    if (auto read = read_terminal_command(terminal, command); !read) return fail(read.error());
  }
  if (*serve) {
    auto options = make_serve_options(flags);
    if (!options) return fail(options.error());
    command.kind = Command::Kind::kServe;
    command.serve = std::move(*options);
  }
  return command;
}

}  // namespace braidlog::app
