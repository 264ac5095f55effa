#include "app/identity_flags.h"

#include "app/serve_flags.h"
#include "auth/user_name.h"
#include "base/duration.h"
#include "base/utf8.h"

namespace braidlog::app {

namespace {

using Verb = IdentityCommand::Verb;

constexpr std::size_t kLabelBytesMax = 200;

constexpr const char* kUserHelp =
    "A password is asked for on a terminal, and otherwise read as one line from standard input.\n"
    "Works while the server runs, and before it ever ran. Exit code: 0 done, 1 not done, 2 wrong usage.\n\n"
    "Example:\n  braidlog user add ada --admin --data ./data";
constexpr const char* kKeyHelp =
    "A key is printed when it is made and never again. It goes into the header Authorization: Bearer KEY.\n"
    "Works while the server runs. Exit code: 0 done, 1 not done, 2 wrong usage.\n\n"
    "Example:\n  KEY=$(braidlog key create ada --label laptop --expires 90d --data ./data)";

CLI::App* add_verb(CLI::App& parent, const char* name, const char* help, Verb verb, IdentityFlags& flags) {
  CLI::App* command = parent.add_subcommand(name, help);
  command->add_option("--data", flags.data, "the server's data folder (default: as serve)");
  command->callback([&flags, verb] { flags.verb = verb; });
  return command;
}

Status check_label(const std::string& label) {
  const bool is_clean = std::ranges::none_of(label, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (label.size() <= kLabelBytesMax && is_clean && is_valid_utf8(label)) return {};
  return fail(ErrorCode::kBadField, "--label: expected a line of at most " + std::to_string(kLabelBytesMax) + " bytes");
}

}  // namespace

void add_identity_commands(CLI::App& app, IdentityFlags& flags) {
  CLI::App& user = *app.add_subcommand("user", "who may use the server")->require_subcommand(1)->footer(kUserHelp);
  const auto name = [&](CLI::App* command) {
    command->add_option("NAME", flags.subject, "the user's name")->required();
    command->footer(kUserHelp);
    return command;
  };
  name(add_verb(user, "add", "make a user", Verb::kUserAdd, flags))
      ->add_flag("--admin", flags.is_admin, "who may read and decide in everybody's sessions");
  add_verb(user, "list", "print all users", Verb::kUserList, flags);
  name(add_verb(user, "passwd", "give a user another password; ends the user's logins", Verb::kUserPassword, flags));
  name(add_verb(user, "disable", "shut a user out; ends the user's logins and streams", Verb::kUserDisable, flags));
  name(add_verb(user, "enable", "let a disabled user in again", Verb::kUserEnable, flags));

  CLI::App& key = *app.add_subcommand("key", "API keys")->require_subcommand(1)->footer(kKeyHelp);
  CLI::App* create = add_verb(key, "create", "make a key and print it, this once", Verb::kKeyCreate, flags);
  create->add_option("USER", flags.subject, "whose key")->required();
  create->add_option("--label", flags.label, "what it is for");
  create->add_option("--expires", flags.expires, "how long it is good, as 12h or 90d (default: until it is revoked)");
  create->footer(kKeyHelp);
  add_verb(key, "list", "print all keys, or those of one user; never the secret", Verb::kKeyList, flags)
      ->add_option("USER", flags.subject, "whose keys");
  add_verb(key, "revoke", "make a key worthless; ends its streams", Verb::kKeyRevoke, flags)
      ->add_option("ID", flags.subject, "as key list prints it")
      ->required();
}

Result<IdentityCommand> make_identity_command(const IdentityFlags& flags) {
  IdentityCommand command{.verb = *flags.verb,
                          .data = {},
                          .subject = flags.subject,
                          .is_admin = flags.is_admin,
                          .label = flags.label,
                          .expires_in = {}};
  if (auto checked = check_label(flags.label); !checked) return fail(checked.error());
  if (!flags.expires.empty()) {
    command.expires_in = parse_duration(flags.expires);
    if (!command.expires_in || command.expires_in->count() == 0) {
      return fail(ErrorCode::kBadField,
                  "--expires: expected a duration such as 12h or 90d, got '" + flags.expires + "'");
    }
  }
  if (command.verb == Verb::kUserAdd) {
    if (auto checked = auth::check_user_name(flags.subject); !checked) return fail(checked.error());
  }
  auto folder = find_data_folder(flags.data);
  if (!folder) return fail(folder.error());
  command.data = std::move(*folder);
  return command;
}

}  // namespace braidlog::app
