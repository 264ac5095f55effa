#include "app/terminal_flags.h"

#include <algorithm>
#include <fstream>

#include "app/settings.h"
#include "wire/url.h"

namespace braidlog::app {

namespace {

using Verb = terminal::RunsOptions::Verb;

constexpr const char* kDefaultUrl = "http://127.0.0.1:8000";
constexpr std::size_t kKeyBytesMax = 4096;
constexpr std::size_t kRunsMax = 10'000;

constexpr const char* kChatHelp =
    "From the environment too: BRAIDLOG_URL, and the key itself in BRAIDLOG_KEY. NO_COLOR=1: no colours.\n"
    "Without a terminal every line of standard input is a message, the answers go to standard output, and tools that\n"
    "ask are refused unless --yes is given.\n"
    "Exit code: 0; 1 no server, refused, or a run failed and nobody was there; 2 wrong usage; 130 left by Ctrl-C.\n\n"
    "Examples:\n"
    "  braidlog chat --agent writer\n"
    "  braidlog chat --url https://agents.example --key-file ~/.braidlog-key\n"
    "  echo 'What is 6 * 7?' | braidlog chat";
constexpr const char* kRunsHelp =
    "From the environment too: BRAIDLOG_URL, and the key itself in BRAIDLOG_KEY. NO_COLOR=1: no colours.\n"
    "Exit code: 0; 1 no such run, no server, or refused; 2 wrong usage.\n\n"
    "Examples:\n"
    "  braidlog runs list --status waiting_approval\n"
    "  braidlog runs show run_01HAAA\n"
    "  braidlog runs tail run_01HAAA\n"
    "  braidlog runs tail run_01HAAA --contract chat\n"
    "  braidlog runs list --json | jq -r .run_id";

void add_endpoint(CLI::App& command, TerminalFlags& flags) {
  command.add_option("--url", flags.url, std::string("the server (default ") + kDefaultUrl + ")");
  command.add_option("--key-file", flags.key_file, "file with an API key (braidlog key create makes one)");
}

CLI::App* add_verb(CLI::App& runs, const char* name, const char* help, Verb verb, TerminalFlags& flags) {
  CLI::App* command = runs.add_subcommand(name, help);
  command->footer(kRunsHelp);
  command->callback([&flags, verb] { flags.verb = verb; });
  add_endpoint(*command, flags);
  command->add_flag("--json", flags.runs.json, "JSON, one object per line");
  return command;
}

void add_chat(CLI::App& app, TerminalFlags& flags) {
  CLI::App* chat = app.add_subcommand("chat", "talk to an agent in the terminal");
  chat->callback([&flags] { flags.is_chat = true; });
  chat->add_option("--agent", flags.chat.agent, "which one (/agents lists them; default: the server's choice)");
  add_endpoint(*chat, flags);
  chat->add_option("--session", flags.chat.session, "go on with this conversation")->excludes("--agent");
  chat->add_flag("--yes", flags.chat.yes, "allow every tool that asks");
  chat->footer(kChatHelp);
}

Result<std::string> read_key(const TerminalFlags& flags) {
  std::string key;
  if (flags.key_file.empty()) {
    key = given("", "BRAIDLOG_KEY").value_or("");
  } else {
    std::ifstream file(flags.key_file);
    if (!file) return fail(ErrorCode::kBadField, "--key-file: cannot read " + flags.key_file);
    std::getline(file, key);
    if (key.size() > kKeyBytesMax) key.assign(1, '\0');  // no key, whatever it is
  }
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!key.empty() && is_space(key.back())) key.pop_back();
  key.erase(key.begin(), std::ranges::find_if_not(key, is_space));
  const bool is_plain = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!is_plain || (key.empty() && !flags.key_file.empty())) {
    return fail(ErrorCode::kBadField, flags.key_file.empty() ? "BRAIDLOG_KEY: this is no API key"
                                                             : "--key-file: there is no API key in " + flags.key_file);
  }
  return key;
}

}  // namespace

void add_terminal_commands(CLI::App& app, TerminalFlags& flags) {
  add_chat(app, flags);
  CLI::App& runs =
      *app.add_subcommand("runs", "look at the runs of a server")->require_subcommand(1)->footer(kRunsHelp);
  CLI::App* list = add_verb(runs, "list", "print the latest runs", Verb::kList, flags);
  list->add_option("--status", flags.runs.status, "only runs that are so")
      ->check(CLI::IsMember(
          {"queued", "running", "waiting_approval", "interrupting", "completed", "failed", "interrupted"}));
  list->add_option("--limit", flags.runs.limit, "how many at most (default 20)")
      ->check(CLI::Range(std::size_t{1}, kRunsMax));
  list->add_flag("--all", flags.runs.all, "of everybody; for admins");
  add_verb(runs, "show", "print one run: how it went, the question and the answer", Verb::kShow, flags)
      ->add_option("ID", flags.runs.id, "the run")
      ->required();
  CLI::App* tail =
      add_verb(runs, "tail", "print the events of a run, and follow it while it goes on", Verb::kTail, flags);
  tail->add_option("ID", flags.runs.id, "the run")->required();
  tail->add_option("--contract", flags.runs.contract, "as the very bytes that this contract sends")
      ->check(CLI::IsMember({"steps", "runs", "chat", "conversation", "tasks", "all"}));
  tail->add_option("--from", flags.runs.from, "begin after this event id (as the id: lines have it)");
}

Result<terminal::Endpoint> make_endpoint(const TerminalFlags& flags) {
  terminal::Endpoint endpoint;
  endpoint.url = given(flags.url, "BRAIDLOG_URL").value_or(kDefaultUrl);
  if (!is_base_url(endpoint.url)) {
    return fail(ErrorCode::kBadField, "--url: " + std::string(kBaseUrlRule) + ", got '" + endpoint.url + "'");
  }
  while (endpoint.url.ends_with('/')) endpoint.url.pop_back();
  auto key = read_key(flags);
  if (!key) return fail(key.error());
  endpoint.key = std::move(*key);
  return endpoint;
}

}  // namespace braidlog::app
